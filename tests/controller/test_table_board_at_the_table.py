"""The board's own firmware under a simulated table: what robots do to its contacts is heard, and
what the table lights is lit."""

from __future__ import annotations

import asyncio
import re
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from controller.config import ConfigError, read, sample_text
from controller.fittings import fittings_of
from controller.robot_table import RobotTable
from drivers.contracts import SeatLamp
from drivers.factory import BoardKind, BoardProcess
from drivers.readings import ButtonReading, Health, KeyPress, Poll, Reading, SeatReading

SAMPLE = sample_text().replace("mistakes = 0.3", "mistakes = 0.0")
T = TypeVar("T")
SECTION = '[table_board]\ndriver = "simulated"'


def edited(section: str, rest: str = "") -> str:
    start = SAMPLE.index(SECTION)
    end = SAMPLE.index("\n", start + len(SECTION))
    return SAMPLE[:start] + section + SAMPLE[end:] + rest


async def until(
    readings: AsyncIterator[Reading], met: Callable[[list[Reading]], bool]
) -> list[Reading]:
    """What the sensors said until it is enough; looks at antennas are left out."""
    said: list[Reading] = []
    async for reading in readings:
        if not isinstance(reading, Poll):
            said.append(reading)
            if met(said):
                break
    return said


async def soon(look: Callable[[], Awaitable[T]], met: Callable[[T], bool]) -> T:
    """What is seen once it is as it should be: the picture takes its time over the line."""
    while not met(seen := await look()):  # noqa: ASYNC110  it tells nobody that it is lit
        await asyncio.sleep(0.02)
    return seen


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_what_is_done_at_the_firmwares_contacts_is_heard_and_what_is_lit_is_seen(
    tmp_path: Path,
) -> None:
    config = read(SAMPLE, "table.toml", tmp_path)
    board = BoardProcess(BoardKind.LINUX)
    robots = RobotTable(config, time.monotonic, board)
    fittings = fittings_of(config, time.monotonic, board.port)

    def told_all(said: list[Reading]) -> bool:
        chairs = {r.seat for r in said if isinstance(r, SeatReading)}
        return len(chairs) == 11 and any(isinstance(r, ButtonReading) for r in said)

    async def night() -> None:
        async with (
            asyncio.timeout(60),
            fittings.with_inputs(robots) as source,
            aclosing(source.readings()) as readings,  # type: ignore[type-var]
        ):
            said = await until(readings, told_all)
            chairs = {r.seat: r.occupied for r in said if isinstance(r, SeatReading)}
            assert [seat for seat, taken in sorted(chairs.items()) if taken] == list(range(1, 10))
            assert [r.seats for r in said if isinstance(r, ButtonReading)] == [(9,)]
            assert [r.device for r in said if isinstance(r, Health) and r.state == "ok"] != []

            robots.next_hand()
            said = await until(readings, lambda s: sum(isinstance(r, KeyPress) for r in s) >= 2)
            assert [r.key for r in said if isinstance(r, KeyPress)] == ["end-hand", "shuffled"]

            robots.deal_to((1, 2, 10))
            said = await until(readings, lambda s: any(isinstance(r, SeatReading) for r in s))
            assert (said[-1].seat, said[-1].occupied) == (10, True)  # type: ignore[union-attr]

            (lamps,) = fittings.seat_lamps
            await lamps.light({3: SeatLamp(250, 0, 0)})
            lit = await soon(board.lamps, lambda lamps: lamps[2] != (0, 0, 0))
            assert lit[2][0] > lit[2][1] == lit[2][2] == 0
            assert {colour for n, colour in enumerate(lit) if n != 2} == {(0, 0, 0)}

            (pixels,) = fittings.boards
            await pixels.show(bytes((255, 255, 255)) + bytes(32 * 8 * 3 - 3))
            picture = await soon(board.picture, lambda p: p is not None and any(p.rows))
            assert picture is not None
            assert picture.rows == b"\x80" + bytes(31)
            assert picture.brightness == 8

    asyncio.run(night())


@pytest.mark.parametrize(
    ("section", "rest", "fault"),
    [
        ('[table_board]\nserial = "far too long a number"', "", "serial"),
        ('[table_board]\nkeys = ["shuffeld"]', "", "keys"),
        ('[table_board]\nkeys = ["count", "count"]', "", 'two keys are "count"'),
        ('[table_board]\ndriver = "simulated"\nport = "/dev/x"', "", "takes no port"),
        ("[table_board]\nbrightness = 16", "", "brightness"),
        (
            "[table_board]",
            '\n[[seat_sensor]]\nseat = 3\nsensor = "high"\nleave = 600\nenter = 400\n',
            "with high, leave is below enter",
        ),
        (
            "[table_board]",
            '\n[[seat_sensor]]\nseat = 3\nsensor = "open"\n'
            '\n[[seat_sensor]]\nseat = 3\nsensor = "closed"\n',
            "seat 3 is said in entry 1",
        ),
        ("", '\n[[seat_sensor]]\nseat = 3\nsensor = "open"\n', "[table_board] is missing"),
    ],
)
def test_faults_of_a_table_board_are_named(
    section: str, rest: str, fault: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as told:
        read(edited(section, rest), "table.toml", tmp_path)
    assert fault in str(told.value)
    assert "line" in str(told.value)


def test_a_simulated_board_beside_real_readers_is_refused(tmp_path: Path) -> None:
    ports = count(1)
    text = re.sub(
        r'(number = \d\n)driver = "simulated".*\n(port = "".*\n)?',
        lambda m: f'{m[1]}driver = "pepper-c1-mux"\nport = "/dev/ttyR{next(ports)}"\n',
        SAMPLE,
    )
    with pytest.raises(ConfigError, match="nobody would sit at it"):
        read(text, "table.toml", tmp_path)


def test_sensors_and_settings_reach_the_board(tmp_path: Path) -> None:
    rest = '\n[[seat_sensor]]\nseat = 3\nsensor = "low"\nleave = 600\nenter = 400\n'
    config = read(edited("[table_board]\nseat_hold_ms = 500", rest), "table.toml", tmp_path)
    (sensor,) = config.file.seat_sensor
    assert (sensor.threshold.seat, sensor.threshold.leave, sensor.threshold.enter) == (3, 600, 400)
    assert config.file.table_board is not None
    assert config.file.table_board.settings.seat_hold_ms == 500
