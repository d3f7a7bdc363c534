"""Keys, switches, lamps and boards in a table.toml: every fault named at once, with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.config import app
from controller.config import Config, ConfigError, Fault, read, sample_text
from drivers.errors import UnknownDriverError
from drivers.factory import inputs, led_board
from drivers.gpio.inputs import GpioInputs
from drivers.gpio.lines import ButtonSpot, Chair, InputLine, InputsSpec, Key, OutputLine
from drivers.leds.hub75_board import Hub75Board
from drivers.leds.spec import BOARDS, BoardSpec
from drivers.leds.spi_boards import Max7219Board, Ws2812Board

FITTED = """
[inputs]
driver = "gpio"
seat_hold_ms = 1500
rf_settle_ms = 12

[[input]]
line = 17
key = "confirm"

[[input]]
line = "GPIO27"
seat = 3
active = "high"
bias = "down"

[[input]]
line = 22
button = 9

[[output]]
line = 5
rf_enable = 2
active = "low"

[[output]]
line = 6
rf_enable = "all"

[[board]]
driver = "ws2812"
port = "/dev/spidev0.0"
lamps_per_seat = 3

[[board]]
driver = "max7219"
port = "/dev/spidev0.1"
first = "left"
turn = 90

[[board]]
driver = "hub75"
library = "piomatter"
"""


def config(more: str = FITTED) -> Config:
    return read(sample_text() + more, "table.toml", Path("/nowhere"))


def faults(*swaps: tuple[str, str]) -> tuple[Fault, ...]:
    text = FITTED
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(ConfigError) as caught:
        config(text)
    return caught.value.faults


def only(*swaps: tuple[str, str]) -> str:
    found = faults(*swaps)
    assert len(found) == 1, found
    assert found[0].line
    return found[0].message


def test_a_fitted_table_is_taken_as_written() -> None:
    read_ = config()
    assert read_.inputs == InputsSpec(
        inputs=(
            InputLine(17, Key("confirm"), "low", "up", 0.025),
            InputLine("GPIO27", Chair(3), "high", "down", 1.5),
            InputLine(22, ButtonSpot(9), "low", "up", 0.3),
        ),
        outputs=(OutputLine(5, "reader 2", "low"), OutputLine(6)),
        rf_settle_s=0.012,
    )
    lamps, small, large = read_.boards
    assert lamps == BoardSpec(
        "board 1", "ws2812", "seats", 11, port="/dev/spidev0.0", lamps_per_seat=3
    )
    assert (small.picture, small.first, small.turn, small.size) == ("32x8", "left", 90, (32, 8))
    assert (large.picture, large.library, large.size) == ("64x32", "piomatter", (64, 32))


def test_a_table_without_them_has_none() -> None:
    plain = config("")
    assert (plain.inputs, plain.boards) == (None, ())


def test_the_factory_builds_what_is_configured() -> None:
    read_ = config()
    assert read_.inputs is not None
    assert isinstance(inputs(read_.inputs), GpioInputs)
    lamps, small, large = (led_board(spec) for spec in read_.boards)
    assert isinstance(lamps, Ws2812Board)
    assert isinstance(small, Max7219Board)
    assert isinstance(large, Hub75Board)
    assert [(b.width, b.height) for b in (lamps, small, large)] == [(11, 1), (32, 8), (64, 32)]


def test_the_factory_names_what_it_has() -> None:
    with pytest.raises(UnknownDriverError, match="Choose one of ws2812, max7219, hub75"):
        led_board(BoardSpec("board 1", "neon", "seats", 11))
    with pytest.raises(UnknownDriverError, match=r"periphery, RPi\.GPIO"):
        inputs(InputsSpec((), library="wiringpi"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('key = "confirm"', 'key = "fold"', 'input entry 1: key = "fold"; allowed: shuffled, '),
        ("line = 17", "line = true", "input entry 1: line = true; allowed: a line's number"),
        ("line = 17", "line = 512", "input entry 1: line = 512; allowed: a line's number, 0 to"),
        ("line = 22", "line = 27", "input entry 3: line 27 is taken by input entry 2"),
        ("line = 5", "line = 17", "output entry 1: line 17 is taken by input entry 1"),
        ("seat = 3", "seat = 12", "input entry 2: seat = 12; allowed: a whole number, 1 to 11"),
        ("seat = 3", "", "input entry 2: it has neither key nor seat nor button"),
        ("seat = 3", "seat = 3\nbutton = 3", "input entry 2: it has seat and button; allowed: one"),
        ("rf_enable = 2", "rf_enable = 3", "output entry 1: rf_enable = 3; allowed: 1, 2"),
        ("rf_enable = 2", "rf_enable = 0", "output entry 1: rf_enable = 0; allowed: a reader's"),
        ('"all"', '"every"', 'output entry 2: rf_enable = "every"; allowed: a reader\'s number, '),
        ("rf_settle_ms = 12", "rf_settle_ms = 900", "inputs: rf_settle_ms = 900; allowed: a whole"),
        ("seat_hold_ms", "chair_hold_ms", "inputs: chair_hold_ms is no key here; allowed: driver,"),
        ('driver = "gpio"', 'driver = "usb"', 'inputs: driver = "usb"; allowed: gpio'),
        (
            'driver = "ws2812"',
            'driver = "neon"',
            'board entry 1: driver = "neon"; allowed: ws2812,',
        ),
        (
            "lamps_per_seat = 3",
            "intensity = 3",
            "board entry 1: ws2812 takes no intensity; allowed: driver, picture, port, order,",
        ),
        (
            'port = "/dev/spidev0.1"',
            'port = "/dev/spidev0.0"',
            "board entry 2: port /dev/spidev0.0 is taken by board entry 1",
        ),
        (
            'port = "/dev/spidev0.1"\n',
            "",
            "board entry 2: port is missing; allowed: an SPI device such as /dev/spidev0.0",
        ),
        ("turn = 90", "turn = 45", "board entry 2: turn = 45; allowed: 0, 90, 180, 270"),
        (
            "turn = 90",
            'picture = "64x32"',
            'board entry 2: picture = "64x32"; max7219 shows 32x8',
        ),
        (
            'library = "piomatter"',
            '\n[[board]]\ndriver = "hub75"',
            "board entry 4: hub75 has the header already, by board entry 3",
        ),
    ],
)
def test_a_fault_says_place_value_and_what_is_allowed(old: str, new: str, message: str) -> None:
    assert only((old, new)).startswith(message)


def test_lines_of_an_old_library_go_by_number() -> None:
    said = only(('driver = "gpio"', 'library = "RPi.GPIO"'), ('line = "GPIO27"', 'line = "SW3"'))
    assert said == 'input entry 2: line = "SW3"; RPi.GPIO knows lines by number alone'
    config(FITTED.replace('driver = "gpio"', 'library = "RPi.GPIO"'))  # GPIO27 says its number


def test_inputs_without_lines_and_lines_without_inputs_are_faults() -> None:
    with pytest.raises(ConfigError, match=r"\[inputs\] is missing; \[\[input\]\] needs it"):
        config('\n[[input]]\nline = 17\nkey = "count"\n')
    with pytest.raises(ConfigError, match=r"inputs: no \[\[input\]\] and no \[\[output\]\]"):
        config("\n[inputs]\n")


def test_all_faults_are_named_together_each_with_its_line() -> None:
    found = faults(
        ("line = 17", "line = -1"), ('active = "low"', 'active = "off"'), ("turn = 90", "turn = 1")
    )
    text = sample_text() + FITTED
    lines = [f.line for f in found]
    assert lines == sorted(lines)
    assert len(found) == 3
    assert found[0].line == text[: text.index("\nline = 17")].count("\n") + 2


def test_a_seat_that_the_table_has_not_is_a_fault() -> None:
    text = sample_text().replace("seats = 11 ", "seats = 9 ", 1) + FITTED.replace(
        "seat = 3", "seat = 10"
    )
    with pytest.raises(ConfigError, match="input entry 2: seat = 10; allowed: 1 to 9"):
        read(text, "table.toml", Path("/nowhere"))


def test_every_board_setting_is_one_that_the_file_knows() -> None:
    known = set(BoardSpec.__dataclass_fields__)
    assert all(kind.settings <= known for kind in BOARDS.values())


def test_the_documents_examples_are_in_order() -> None:
    page = (Path(__file__).parents[2] / "docs" / "fittings.md").read_text("utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 4
    assert {b.driver for b in config("\n".join(["", *blocks])).boards} == set(BOARDS)


def test_the_samples_commented_lines_are_in_order() -> None:
    part = re.search(r"#\n(# \[inputs\].*?)\n\n", sample_text(), re.DOTALL)
    assert part is not None
    shown = config("\n" + re.sub(r"(?m)^# ?", "", part[1]) + "\n")
    assert shown.inputs is not None
    assert [b.driver for b in shown.boards] == ["ws2812"]


def test_the_check_says_what_hangs_on_the_pi(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(sample_text() + FITTED, "utf-8")
    said = CliRunner().invoke(app, ["check", str(file)]).output
    assert "2 readers, 3 keys and switches, ws2812, max7219, hub75, holdem" in said
