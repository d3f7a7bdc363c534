"""The table's inputs while they are calibrated: what they say now, and what their sensors give."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol, Self

from drivers.contracts import Inputs, Sleep
from drivers.readings import ButtonReading, Health, HealthState, SeatReading

PERIOD_MS = 50


class Levelled(Protocol):
    """A board with analogue seat sensors: `TableBoard`."""

    def listen_to_levels(
        self, period_ms: int, heard: Callable[[tuple[int, ...]], None] | None
    ) -> None: ...


class Ears(Protocol):
    """What a step asks of the inputs. analogue: seats whose sensor gives a level. occupied: what
    each seat is said to be; None: nobody can tell. button: seats at which one is sensed."""

    @property
    def analogue(self) -> frozenset[int]: ...

    @property
    def occupied(self) -> Mapping[int, bool | None]: ...

    @property
    def button(self) -> tuple[int, ...] | None: ...

    async def settle(self, seconds: float) -> None:
        """Let everything come to rest."""
        ...

    async def levels(self, seconds: float) -> Sequence[tuple[int, ...]]:
        """What the sensors gave in so much time, by seat from 1; none without such a board."""
        ...


class Listening:
    """The inputs of a table, opened and listened to inside `async with`.

    board: the one with analogue sensors, None without. analogue: seats whose sensor is one.
    """

    def __init__(
        self,
        inputs: Sequence[Inputs],
        board: Levelled | None = None,
        analogue: Callable[[], Collection[int]] = tuple,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.occupied: dict[int, bool | None] = {}
        self.button: tuple[int, ...] | None = None
        self.health: dict[str, Health] = {}
        self._inputs = tuple(inputs)
        self._board = board
        self._analogue = analogue
        self._sleep = sleep
        self._heard: list[tuple[int, ...]] | None = None
        self._listeners: list[asyncio.Task[None]] = []
        self._open = AsyncExitStack()

    @property
    def analogue(self) -> frozenset[int]:
        return frozenset(self._analogue())

    @property
    def trouble(self) -> tuple[str, ...]:
        """Devices that are not there, in words."""
        return tuple(h.reason for h in self.health.values() if h.state is HealthState.LOST)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            for device in self._inputs:
                await opening.enter_async_context(device)
            self._open = opening.pop_all()
        self._listeners = [asyncio.create_task(self._listen(d)) for d in self._inputs]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._listeners:
            task.cancel()
        await asyncio.gather(*self._listeners, return_exceptions=True)
        await self._open.aclose()

    async def settle(self, seconds: float) -> None:
        await self._sleep(seconds)
        for task in self._listeners:
            if task.done():
                task.result()

    async def levels(self, seconds: float) -> Sequence[tuple[int, ...]]:
        if self._board is None:
            await self.settle(seconds)
            return ()
        heard: list[tuple[int, ...]] = []
        self._board.listen_to_levels(PERIOD_MS, heard.append)
        try:
            await self.settle(seconds)
        finally:
            self._board.listen_to_levels(0, None)
        return heard

    async def _listen(self, device: Inputs) -> None:
        async for reading in device.readings():
            if isinstance(reading, SeatReading):
                self.occupied[reading.seat] = reading.occupied
            elif isinstance(reading, ButtonReading):
                self.button = reading.seats
            elif isinstance(reading, Health):
                self.health[reading.device] = reading
