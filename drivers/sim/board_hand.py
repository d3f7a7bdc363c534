"""Whoever sits and deals at an emulated table board: moves its contacts as people would.

One pair of hands: what it is told to do it does one after another, in real time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Self

from drivers.contracts import Sleep
from drivers.errors import LinkLostError
from drivers.readings import ButtonReading, KeyPress, SeatReading
from drivers.sim.board_line import BETWEEN_S, PRESS_S, REACH_S
from drivers.sim.board_process import BoardProcess

Input = ButtonReading | SeatReading | KeyPress


class BoardHand:
    """Runs the board and moves its contacts, inside `async with`.

    board: not opened yet. keys: what its keys mean, in its order. occupied, buttons: seats whose
    chair is taken and where a dealer button lies from the start.
    """

    def __init__(
        self,
        board: BoardProcess,
        keys: Sequence[str],
        occupied: Collection[int] = (),
        buttons: Collection[int] = (),
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.board = board
        self._keys = {name: n for n, name in enumerate(keys, start=1) if name}
        self._sleep = sleep
        self._sitting: set[int] = set()
        self._lying: set[int] = set()
        self._to_do: asyncio.Queue[Input] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._first: list[Input] = [SeatReading(seat, True, 0.0) for seat in sorted(occupied)]
        self._first.append(ButtonReading(tuple(sorted(buttons)), 0.0))

    async def __aenter__(self) -> Self:
        await self.board.__aenter__()
        for reading in self._first:
            await self._do(reading)
        self._worker = asyncio.create_task(self._work(), name="hand at the table board")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
            self._worker = None
        await self.board.__aexit__(kind, error, trace)

    def take(self, reading: Input) -> bool:
        """Have it done as soon as the hand is free; False for a key that the board does not
        have."""
        if isinstance(reading, KeyPress) and reading.key not in self._keys:
            return False
        self._to_do.put_nowait(reading)
        return True

    async def _work(self) -> None:
        """Does what it is told, until the board is gone: then nobody feels its contacts."""
        try:
            while True:
                await self._do(await self._to_do.get())
        except (LinkLostError, OSError):
            return

    async def _do(self, reading: Input) -> None:
        if isinstance(reading, KeyPress):
            key = self._keys[reading.key]
            await self.board.key(key, True)
            await self._sleep(PRESS_S)
            await self.board.key(key, False)
            await self._sleep(BETWEEN_S)
        elif isinstance(reading, ButtonReading):
            await self._lay(set(reading.seats or ()))
        elif bool(reading.occupied) is not (reading.seat in self._sitting):
            self._sitting ^= {reading.seat}
            await self.board.seat(reading.seat, bool(reading.occupied))

    async def _lay(self, seats: set[int]) -> None:
        for seat in sorted(self._lying - seats):
            await self.board.button(seat, False)
        for seat in sorted(seats - self._lying):
            await self.board.button(seat, True)
        if seats != self._lying:
            self._lying = seats
            await self._sleep(REACH_S)
