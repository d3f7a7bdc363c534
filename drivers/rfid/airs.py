"""Readers that do not share the air, as one `TagReader`: they work at the same time.

13.56 MHz, UHF and each module of 125 kHz are airs of their own. Within one only one transmits
(`ReaderTable`); between them nothing has to be waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from drivers.contracts import TagReader
from drivers.errors import MisconfiguredError
from drivers.readings import Health, HealthState, Poll

_AHEAD = 4
"""Readings that may wait for the consumer, so that a slow one slows the readers and hoards
nothing."""


class Together:
    """Several `TagReader` as one. Looks of different airs overlap in time; they come in the order
    in which they ended. While one antenna is looked at alone, what other airs see is not told,
    unless its reader is lost. Raises MisconfiguredError if two hold the same antenna."""

    def __init__(self, readers: Sequence[TagReader]) -> None:
        self._readers = tuple(readers)
        self._antennas = tuple(sorted(a for reader in readers for a in reader.antennas))
        if len(set(self._antennas)) != len(self._antennas):
            raise MisconfiguredError(
                "an antenna is in two airs", "table", "Give each antenna one reader."
            )
        self._alone: tuple[TagReader, int] | None = None
        self._open = AsyncExitStack()
        self._pumps: list[asyncio.Task[None]] = []

    @property
    def antennas(self) -> tuple[int, ...]:
        return self._antennas

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(health for reader in self._readers for health in reader.health)

    def focus(self, antennas: Sequence[int]) -> None:
        for reader in self._readers:
            reader.focus([a for a in antennas if a in reader.antennas])

    def only(self, antenna: int | None) -> None:
        if antenna is not None and antenna not in self._antennas:
            raise ValueError(f"antenna {antenna} is not at this table: {list(self._antennas)}")
        self._alone = None
        for reader in self._readers:
            mine = antenna is not None and antenna in reader.antennas
            reader.only(antenna if mine else None)
            if antenna is not None and mine:
                self._alone = (reader, antenna)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            for reader in self._readers:
                await opening.enter_async_context(reader)
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

    async def readings(self) -> AsyncIterator[Poll | Health]:
        """See `TagReader.readings`."""
        queue: asyncio.Queue[Poll | Health | None] = asyncio.Queue()
        room = asyncio.Semaphore(_AHEAD)
        self._pumps = [
            asyncio.create_task(self._pump(reader, queue, room), name=f"air of {reader.antennas}")
            for reader in self._readers
        ]
        try:
            while (reading := await queue.get()) is not None:
                room.release()
                if isinstance(reading, Health) or self._asked_for(reading):
                    yield reading
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """No look is under way afterwards. Raises what ended one of the airs by itself."""
        pumps, self._pumps = self._pumps, []
        for pump in pumps:
            pump.cancel()
        for end in await asyncio.gather(*pumps, return_exceptions=True):
            if isinstance(end, Exception):
                raise end

    async def _pump(
        self,
        reader: TagReader,
        queue: asyncio.Queue[Poll | Health | None],
        room: asyncio.Semaphore,
    ) -> None:
        try:
            async for reading in reader.readings():
                await room.acquire()
                queue.put_nowait(reading)
        finally:
            queue.put_nowait(None)

    def _asked_for(self, poll: Poll) -> bool:
        if self._alone is None:
            return True
        reader, antenna = self._alone
        return poll.antenna in reader.antennas or any(
            antenna in h.antennas and h.state is HealthState.LOST for h in reader.health
        )
