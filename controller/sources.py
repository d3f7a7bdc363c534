"""The table's readings from more than one device, as one source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Protocol, Self

from controller.tape import moved, time_of
from drivers.contracts import Opened
from drivers.readings import ButtonReading, Health, HealthState, Poll, Reading, Sight


class Source(Opened, Protocol):
    """Where readings come from: readers, a simulated table, a tape."""

    def readings(self) -> AsyncIterator[Reading]: ...

    def focus(self, antennas: Sequence[int]) -> None: ...

    def only(self, antenna: int | None) -> None: ...


class Others(Opened, Protocol):
    """What tells something besides: keys, switches, cameras."""

    def readings(self) -> AsyncIterator[Any]: ...


class NoReaders:
    """What a table without antennas has in their place: silent for ever."""

    antennas: tuple[int, ...] = ()
    health: tuple[Health, ...] = ()

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def focus(self, antennas: Sequence[int]) -> None: ...

    def only(self, antenna: int | None) -> None: ...

    async def readings(self) -> AsyncIterator[Poll | Health]:
        """Nothing, and no end."""
        await asyncio.Event().wait()
        yield Health("", HealthState.OK, "", self._clock())


class Together:
    """Readers and input devices as one source.

    The readers are asked for their next look only when the last one was taken, so what is asked of
    them (`focus`, `only`) holds from the next look on. What has come is told in the order of its
    time, and what an input says late is dated as `in_order` says. Ends when the readers do.
    """

    def __init__(self, readers: Source, inputs: Sequence[Others]) -> None:
        self._readers = readers
        self._inputs = tuple(inputs)
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            await opening.enter_async_context(self._readers)
            for device in self._inputs:
                await opening.enter_async_context(device)
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()

    def focus(self, antennas: Sequence[int]) -> None:
        self._readers.focus(antennas)

    def only(self, antenna: int | None) -> None:
        self._readers.only(antenna)

    async def readings(self) -> AsyncIterator[Reading]:
        looks = self._readers.readings()
        streams: list[AsyncIterator[Any]] = [*(d.readings() for d in self._inputs), looks]
        asked = [_ask(stream) for stream in streams]
        latest = float("-inf")
        try:
            while True:
                await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                try:
                    come = [(n, task.result()) for n, task in enumerate(asked) if task.done()]
                except StopAsyncIteration:
                    return
                for n, reading in sorted(come, key=lambda one: time_of(one[1])):
                    if streams[n] is not looks:
                        reading = in_order(reading, latest)
                    latest = max(latest, time_of(reading))
                    yield reading
                    asked[n] = _ask(streams[n])
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)


def in_order(reading: Reading, latest: float) -> Reading:
    """What an input says, dated no earlier than what was told before it at `latest`.

    The dealer button alone keeps its time: it was laid down a fifth of a second before that is
    certain, and a hand goes by where it lay when the first card came."""
    if isinstance(reading, ButtonReading):
        return reading
    if isinstance(reading, Sight):  # it was exposed when it was; only its news come late
        return reading._replace(ended=max(reading.ended, latest))
    return moved(reading, max(0.0, latest - time_of(reading)))


async def _next(stream: AsyncIterator[Reading]) -> Reading:
    return await anext(stream)


def _ask(stream: AsyncIterator[Reading]) -> asyncio.Task[Reading]:
    return asyncio.create_task(_next(stream))
