"""The table board's firmware, over a pseudo-terminal, keeps the contract of every `Inputs`: as a
Linux process, and on a simulated ATmega2560 where this machine can."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import pytest

from drivers.contracts import Inputs
from drivers.factory import BoardKind, BoardProcess, table_board
from drivers.mcu import TableBoard
from drivers.mcu_readings import KEY_NAMES
from drivers.readings import ButtonReading, Health, KeyPress, SeatReading
from drivers.sim.firmware_build import avr_missing
from tests.drivers.contract_inputs import InputsContract, Switchboard

CERTAIN_S = 0.5
"""Longer than any contact is held before it counts."""


class Hands:
    """What people do at the board, one thing after another as fast as the board takes it."""

    keys = KEY_NAMES
    seats = (1, 2, 3, 11)
    spots = (1, 2, 11)

    def __init__(self, board: BoardProcess) -> None:
        self._board = board
        self._lying: set[int] = set()
        self._last: asyncio.Task[None] | None = None

    def press(self, key: str) -> None:
        self._then(self._board.key(KEY_NAMES.index(key) + 1, True))

    def let_go(self, key: str) -> None:
        self._then(self._board.key(KEY_NAMES.index(key) + 1, False))

    def sit(self, seat: int, there: bool) -> None:
        self._then(self._board.seat(seat, there))

    def lay(self, *spots: int) -> None:
        for spot in sorted(self._lying ^ set(spots)):
            self._then(self._board.button(spot, spot in spots))
        self._lying = set(spots)

    def unplug(self) -> None:
        self._then(self._board.cut_line(True))

    def plug(self) -> None:
        self._then(self._board.cut_line(False))

    def _then(self, deed: Coroutine[Any, Any, None]) -> None:
        before = self._last

        async def in_turn() -> None:
            if before is not None:
                await before
            await deed

        self._last = asyncio.ensure_future(in_turn())

    async def done(self) -> None:
        if self._last is not None:
            await self._last


class Opened:
    """The driver, opened once the hands have done what they had to do before, and the board is
    certain of it: nobody opens a table while a key is being pressed."""

    def __init__(self, inputs: TableBoard, hands: Hands) -> None:
        self._inputs, self._hands = inputs, hands

    async def __aenter__(self) -> Self:
        await self._hands.done()
        await asyncio.sleep(CERTAIN_S)
        await self._inputs.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._inputs.__aexit__(kind, error, trace)

    @property
    def health(self) -> tuple[Health, ...]:
        return self._inputs.health

    def readings(self) -> AsyncIterator[ButtonReading | SeatReading | KeyPress | Health]:
        return self._inputs.readings()


class FirmwareContract(InputsContract):
    kind: BoardKind

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[Inputs, Switchboard]]:
        async with BoardProcess(self.kind) as board:
            hands = Hands(board)
            yield Opened(table_board(board.port, keys=hands.keys, seats=hands.seats), hands), hands
            await hands.done()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
class TestFirmwareAsAProcess(FirmwareContract):
    kind = BoardKind.LINUX


@pytest.mark.skipif(avr_missing() is not None, reason=avr_missing() or "")
class TestFirmwareOnASimulatedMega(FirmwareContract):
    kind = BoardKind.AVR
