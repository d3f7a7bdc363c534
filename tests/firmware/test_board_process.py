"""The firmware as processes with a port: the driver finds it, hears its sensors, lights its lamps;
and it comes back from a hang and a cut cable. On a Linux process, and on the simulated ATmega2560
kept in step with the clock on the wall."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import pytest

from drivers.contracts import SeatLamp
from drivers.factory import table_board
from drivers.mcu import BoardPixels, TableBoard
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading
from drivers.sim.board_process import BoardKind, BoardProcess, Picture
from drivers.sim.firmware_build import avr_missing
from tablelink.messages import Keep, Kept, Settings

PATIENCE_S = 20.0
BRIGHTNESS = BoardPixels.brightness
R = TypeVar("R")


@pytest.fixture(params=list(BoardKind))
def kind(request: pytest.FixtureRequest) -> BoardKind:
    chosen: BoardKind = request.param
    if chosen is BoardKind.AVR and (missing := avr_missing()):
        pytest.skip(missing)
    if chosen is BoardKind.LINUX and shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    return chosen


class Watcher:
    """Hears a driver's readings as they come."""

    def __init__(self, driver: TableBoard) -> None:
        self._readings = driver.readings()

    async def next(self, wanted: type[R], fits: Callable[[R], bool] = lambda _: True) -> R:
        """The next reading of that kind that fits."""
        async with asyncio.timeout(PATIENCE_S):
            async for reading in self._readings:
                if isinstance(reading, wanted) and fits(reading):
                    return reading
        raise AssertionError

    async def up(self) -> None:
        await self.next(Health, lambda health: health.state is HealthState.OK)

    async def settled(self) -> None:
        await self.next(SeatReading, lambda seat: (seat.seat, seat.occupied) == (11, False))


@asynccontextmanager
async def joined(board: BoardProcess) -> AsyncIterator[tuple[TableBoard, Watcher]]:
    async with board, table_board(board.port, settings=Settings(lamp_brightness=255)) as driver:
        yield driver, Watcher(driver)


async def until(look: Callable[[], Awaitable[object]], wanted: object) -> None:
    """Looks again and again, until it sees what is wanted."""
    async with asyncio.timeout(PATIENCE_S):
        # What shows can only be asked for: a lamp does not tell that it has changed.
        while await look() != wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def test_sensors_are_heard_and_lamps_light(kind: BoardKind) -> None:
    async def run() -> None:
        board = BoardProcess(kind)
        async with joined(board) as (driver, watcher):
            await watcher.settled()
            await board.button(3, True)
            await watcher.next(ButtonReading, lambda button: button.seats == (3,))
            await board.button(9, True)
            await watcher.next(ButtonReading, lambda button: button.seats == (3, 9))
            await board.seat(7, True)
            await watcher.next(SeatReading, lambda seat: (seat.seat, seat.occupied) == (7, True))
            await board.key(5, True)
            assert (await watcher.next(KeyPress)).key == "count"
            await driver.lamps.light({4: SeatLamp(0, 0, 255)})
            await until(board.lamps, ((0, 0, 0),) * 3 + ((0, 0, 255),) + ((0, 0, 0),) * 7)
            await driver.pixels.show(b"\0\0\0" * 255 + b"\xff\xff\xff")
            await until(board.picture, Picture(bytes(31) + b"\1", BRIGHTNESS))

    asyncio.run(run())


def test_a_hung_board_comes_back(kind: BoardKind) -> None:
    async def run() -> None:
        board = BoardProcess(kind)
        async with joined(board) as (driver, watcher):
            await watcher.settled()
            await driver.pixels.show(b"\xff\xff\xff" * 256)
            await until(board.picture, Picture(b"\xff" * 32, BRIGHTNESS))
            await board.hang()
            await watcher.next(Health, lambda health: health.state is HealthState.LOST)
            await watcher.next(Health, lambda health: "hung" in health.reason)
            await until(board.picture, Picture(b"\xff" * 32, BRIGHTNESS))

    asyncio.run(run())


def test_a_cut_cable_is_noticed_on_both_ends(kind: BoardKind) -> None:
    async def run() -> None:
        board = BoardProcess(kind)
        async with joined(board) as (driver, watcher):
            await watcher.settled()
            await driver.pixels.show(b"\xff\xff\xff" * 256)
            await until(board.picture, Picture(b"\xff" * 32, BRIGHTNESS))
            await board.cut_line(True)
            await watcher.next(Health, lambda health: health.state is HealthState.LOST)

            async def shows_no_ctrl() -> bool:
                picture = await board.picture()
                return picture is not None and picture.rows[:4] == bytes.fromhex("89867dc8")

            await until(shows_no_ctrl, True)
            await board.cut_line(False)
            await watcher.up()
            await until(board.picture, Picture(b"\xff" * 32, BRIGHTNESS))

    asyncio.run(run())


def test_opening_the_port_restarts_a_board_that_has_dtr(kind: BoardKind) -> None:
    async def run() -> None:
        board = BoardProcess(kind, restarts=True)
        async with board:
            await asyncio.sleep(0.3)
            before_us = await board.time_us()
            assert before_us > 200_000
            async with table_board(board.port) as driver:
                await Watcher(driver).up()
                assert driver.identity is not None
                assert driver.identity.reset_cause == 2

    asyncio.run(run())


def test_what_the_board_keeps_outlives_the_process(kind: BoardKind, tmp_path: Path) -> None:
    async def run() -> None:
        memory = tmp_path / "memory"
        async with joined(BoardProcess(kind, memory)) as (driver, watcher):
            await watcher.up()
            assert driver.session.tell(
                Keep(Kept.SERIAL, "TABLE-12"), asyncio.get_running_loop().time()
            )

            async def kept() -> bool:
                record = memory.read_bytes()[:85]
                whole = crc32(record[:-4]).to_bytes(4, "little") == record[-4:]
                return whole and b"TABLE-12" in record

            await until(kept, True)
        async with joined(BoardProcess(kind, memory)) as (driver, watcher):
            await watcher.up()
            assert driver.identity is not None
            assert driver.identity.serial == "TABLE-12"

    asyncio.run(run())


def test_what_is_no_command_is_said(kind: BoardKind) -> None:
    async def run() -> None:
        async with BoardProcess(kind) as board:
            for wrong in (board.key(9, True), board.button(0, True), board.seat_counts(1, 1024)):
                with pytest.raises(ValueError, match="not a command"):
                    await wrong
            await board.key(8, True)

    asyncio.run(run())
