"""The table's readers and its inputs as one source of readings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from drivers.contracts import Inputs, TagReader
from drivers.readings import Reading

_AHEAD = 4
"""Readings that may wait: a slow table slows its readers, and hoards nothing."""


class Joined:
    """A tag reader with further devices beside it. Focus and the count's antenna are the reader's.
    If one of them ends with an error, the readings do."""

    def __init__(self, reader: TagReader, inputs: Sequence[Inputs]) -> None:
        self._reader = reader
        self._inputs = tuple(inputs)
        self._open = AsyncExitStack()
        self._pumps: list[asyncio.Task[None]] = []

    def focus(self, antennas: Sequence[int]) -> None:
        self._reader.focus(antennas)

    def only(self, antenna: int | None) -> None:
        self._reader.only(antenna)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            for device in (*self._inputs, self._reader):
                await opening.enter_async_context(device)
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()
        await self._open.__aexit__(kind, error, trace)

    async def readings(self) -> AsyncIterator[Reading]:
        """What all of them say, in the order in which they say it."""
        queue: asyncio.Queue[Reading | None] = asyncio.Queue()
        room = asyncio.Semaphore(_AHEAD)
        streams: list[AsyncIterator[Reading]] = [
            self._reader.readings(),
            *(device.readings() for device in self._inputs),
        ]
        self._pumps = [
            asyncio.create_task(_pump(stream, queue, room), name="readings joined")
            for stream in streams
        ]
        try:
            while (reading := await queue.get()) is not None:
                room.release()
                yield reading
        finally:
            await self._stop()

    async def _stop(self) -> None:
        pumps, self._pumps = self._pumps, []
        for pump in pumps:
            pump.cancel()
        for end in await asyncio.gather(*pumps, return_exceptions=True):
            if isinstance(end, Exception):
                raise end


async def _pump(
    readings: AsyncIterator[Reading],
    queue: asyncio.Queue[Reading | None],
    room: asyncio.Semaphore,
) -> None:
    try:
        async for reading in readings:
            await room.acquire()
            queue.put_nowait(reading)
    finally:
        queue.put_nowait(None)
