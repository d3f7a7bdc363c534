"""The whole daemon on an emulated Pi: simulated readers, real switches, real boards. Run by
`test_on_umockdev.py`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.app import Daemon, TableClock
from controller.config import read, sample_text
from controller.fittings import boards_of, with_inputs
from controller.journal.reader import JournalFile
from controller.journal.record import Body, body_of
from controller.model.events import ButtonSeen, KeyPressed, SeatSeen
from controller.robot_table import RobotTable
from drivers.readings import Health
from tests.drivers.led_chips import Max7219Chain, Ws2812Chain
from tests.drivers.on_umockdev.mock_pi import MockPi, mock_pi

FITTED = """
[inputs]
seat_hold_ms = 30
button_hold_ms = 30

[[input]]
line = 17
key = "quiet"

[[input]]
line = 5
seat = 3

[[input]]
line = 6
button = 4

[[board]]
driver = "ws2812"
port = "/dev/spidev0.0"

[[board]]
driver = "max7219"
port = "/dev/spidev0.1"
"""


async def evening(folder: Path, pi: MockPi) -> None:
    """Three switches are moved; returns when all are recorded."""
    text = sample_text().replace('socket = ""', 'socket = "s"') + FITTED
    config = read(text, "table.toml", folder)
    clock = TableClock()
    robots = RobotTable(config, clock)

    def move() -> None:
        for line in (17, 5, 6):
            pi.set(line, False)

    daemon = Daemon(
        config,
        with_inputs(config, robots, clock),
        clock,
        boards=boards_of(config, clock),
        decks=robots.decks,
        at_table=robots.at_table,
        on_ready=move,
    )
    running = asyncio.create_task(daemon.run())
    async with asyncio.timeout(60):
        while not _said(config.journal) or len(daemon.delays) < 5:
            await asyncio.wait({running}, timeout=0.1)
            assert not running.done()
    daemon.stop()
    await running


def _bodies(journal: Path) -> list[Body]:
    with JournalFile(journal) as file:
        return [body_of(record) for record in file.records()]


def _said(journal: Path) -> bool:
    """Whether all three are on the disk."""
    bodies = _bodies(journal)
    seats = {(b.seat, b.occupied) for b in bodies if isinstance(b, SeatSeen)}
    spots = {b.seats for b in bodies if isinstance(b, ButtonSeen)}
    keys = {b.key for b in bodies if isinstance(b, KeyPressed)}
    return (3, True) in seats and (4,) in spots and "quiet" in keys


def test_switches_reach_the_journal_and_pictures_reach_the_boards(tmp_path: Path) -> None:
    with mock_pi() as pi:
        pi.offer((17, 5, 6))
        asyncio.run(evening(tmp_path, pi))
        lamps, board = Ws2812Chain(11), Max7219Chain(4)
        frames, rows = pi.sent("spidev0.0", "spidev0.1")
        for frame in frames:
            lamps.feed(frame)
        for row in rows[:-1]:
            board.feed(row)
        lit = [board.lamp(m, x, y) for m in range(4) for x in range(8) for y in range(8)]
    told = [b.device for b in _bodies(tmp_path / "burnturn.journal") if isinstance(b, Health)]
    assert "inputs" in told
    assert not any(d.startswith("board") for d in told), "pictures for a board that is not open"
    assert len(frames) > 1
    assert any(lit), "the small board stayed dark"
    assert rows[-1] == bytes((12, 0)) * 4, "it was not switched off at the end"
    assert not any(any(colour) for colour in lamps.colours), "lamps stay lit after the end"
