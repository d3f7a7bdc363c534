"""The dealer button as a puck with a tag, and a module under each seat that hears it: an `Inputs`.

A module says where a tag is. That it is gone is only believed where it can be known: every seat has
a module that repeats itself, and this one's port is open. Else the button lies where it was last
heard, until it is heard elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self

from drivers.contracts import Clock, Sleep, TagReader
from drivers.readings import ButtonReading, Health, HealthState, Poll, Uid
from drivers.rfid.em4100_codec import number

GONE_S = 2.0
"""A module that repeats itself ten times a second and is silent so long has no tag before it."""
TICK_S = 0.5


class PuckPlaces:
    """Where the buttons lie; pure. repeating: seat to whether its module repeats itself. every:
    each seat has a module. tags: printed numbers of the buttons' tags; none: any tag is one."""

    def __init__(
        self, repeating: Mapping[int, bool], *, every: bool, tags: Sequence[int] = ()
    ) -> None:
        self._gone_is_known = every and all(repeating.values())
        self._tags = frozenset(tags)
        self._at: dict[Uid, tuple[int, float]] = {}
        self._lost: set[int] = set()
        self._told: tuple[int, ...] | None = None

    def hear(self, seat: int, tag: Uid, at: float) -> ButtonReading | None:
        """A tag at a seat; the change, if it is one."""
        if self._tags and number(tag) not in self._tags:
            return None
        self._at[tag] = (seat, at)
        return self._change(at)

    def tick(self, at: float) -> ButtonReading | None:
        """The time; the change, if a button was taken away."""
        if self._gone_is_known:
            self._at = {
                tag: (seat, heard)
                for tag, (seat, heard) in self._at.items()
                if at - heard <= GONE_S or seat in self._lost
            }
        return self._change(at) if self._told is not None else None

    def lost(self, seat: int) -> None:
        """The module there can no longer be heard: its silence proves nothing."""
        self._lost.add(seat)

    def back(self, seat: int, at: float) -> None:
        """It is heard again, and has until `GONE_S` to say so."""
        self._lost.discard(seat)
        self._at = {
            tag: (there, at if there == seat else heard) for tag, (there, heard) in self._at.items()
        }

    def _change(self, at: float) -> ButtonReading | None:
        seats = tuple(sorted({seat for seat, _ in self._at.values()}))
        if seats == self._told:
            return None
        self._told = seats
        return ButtonReading(seats, at)


class ButtonPucks:
    """The modules of one table. reader: all of them, each with its seat as antenna."""

    def __init__(
        self,
        reader: TagReader,
        places: PuckPlaces,
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._reader = reader
        self._places = places
        self._clock = clock
        self._sleep = sleep
        self._open = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(map(_of_no_antenna, self._reader.health))

    async def __aenter__(self) -> Self:
        await self._open.enter_async_context(self._reader)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()
        await self._open.aclose()

    async def readings(self) -> AsyncIterator[ButtonReading | Health]:
        """See `Inputs.readings`."""
        queue: asyncio.Queue[Poll | Health | None] = asyncio.Queue()
        self._tasks = [
            asyncio.create_task(self._listen(queue), name="button pucks"),
            asyncio.create_task(self._tick(queue), name="button pucks' time"),
        ]
        try:
            while not any(task.done() for task in self._tasks):
                for told in self._told(await queue.get()):
                    yield told
        finally:
            await self._stop()

    def _told(self, reading: Poll | Health | None) -> list[ButtonReading | Health]:
        """What the reading says of the button; None: the time."""
        places = self._places
        if reading is None:
            change = places.tick(self._clock())
            return [change] if change else []
        if isinstance(reading, Health):
            for seat in reading.antennas:
                if reading.state is HealthState.LOST:
                    places.lost(seat)
                else:
                    places.back(seat, reading.at)
            return [_of_no_antenna(reading)]
        heard = [places.hear(reading.antenna, tag, reading.ended) for tag in reading.uids]
        return [change for change in heard if change]

    async def _listen(self, queue: asyncio.Queue[Poll | Health | None]) -> None:
        try:
            async for reading in self._reader.readings():
                queue.put_nowait(reading)
        finally:
            queue.put_nowait(None)

    async def _tick(self, queue: asyncio.Queue[Poll | Health | None]) -> None:
        while True:
            await self._sleep(TICK_S)
            queue.put_nowait(None)

    async def _stop(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        for end in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(end, Exception):
                raise end


def _of_no_antenna(health: Health) -> Health:
    """The modules' numbers are seats, and name no antenna of the table's."""
    return replace(health, antennas=())
