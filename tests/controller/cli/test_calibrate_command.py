"""`burnturn calibrate` at a small simulated table, over emulated wires; and who heeds what it
saves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main

TABLE = """
[table]
name = "small"
seats = 2
dealt_in = [1, 2]
button = 1

[floor]
socket = "floor.sock"

[calibration]
folder = "measured"

[[reader]]
number = 1
driver = "simulated"

[table_board]
driver = "simulated"

[simulation]
seed = 3
sweep_ms = 50

[[antenna]]
number = 1
reader = 1
port = 1
zone = "seat/1"
neighbours = [2]

[[antenna]]
number = 2
reader = 1
port = 2
zone = "seat/2"
neighbours = [1]

[[antenna]]
number = 3
reader = 1
port = 3
zone = "board"

[[antenna]]
number = 4
reader = 1
port = 4
zone = "muck"
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    return path


def ended(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(words)
    out, err = capsys.readouterr()
    code = end.value.code
    return (code if isinstance(code, int) else 0), out, err


Types = Callable[[str], None]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Types]:
    """What is typed at the terminal; nothing more comes after it."""
    opened = []

    def types(text: str) -> None:
        reads, writes = os.pipe()
        os.write(writes, text.encode())
        os.close(writes)
        opened.append(os.fdopen(reads))
        monkeypatch.setattr(sys, "stdin", opened[-1])

    yield types
    for file in opened:
        file.close()


def test_button_moved_round_by_the_robot_is_saved_and_shown(
    table: Path, capsys: pytest.CaptureFixture[str], typed: Types
) -> None:
    typed("y\n")
    at = ("--config", str(table))
    code, out, _ = ended(capsys, "calibrate", "button", "--by", "Anna", *at)
    assert code == 0
    assert "lay it at seat 2" in out
    assert "sensed at all 2 seats" in out
    assert "saved" in out
    assert [p.suffix for p in sorted((table.parent / "measured").iterdir())] == [".html", ".json"]
    code, out, _ = ended(capsys, "calibrate", "show", "--json", *at)
    told = json.loads(out)
    assert code == 0
    assert told["calibrations"]["button"]["by"] == "Anna"
    assert told["calibrations"]["button"]["devices"]["table board"].startswith("firmware")
    assert set(told["missing"]) == {"lamps", "seats", "antennas"}
    code, out, _ = ended(capsys, "config", "check", str(table))
    assert "goes by what was measured of: button" in out
    _other_seats(table)
    code, _, err = ended(capsys, "config", "check", str(table))
    assert code == 1
    assert "number of seats was 2 and is 3" in err
    code, _, err = ended(capsys, "run", "--headless", *at)
    assert code == 1
    assert "Next: burnturn calibrate button" in err
    code, out, _ = ended(capsys, "doctor", "--seconds", "0", *at)
    assert code == 1
    assert "FAULT    calibration:" in out


def _other_seats(table: Path) -> None:
    extra = '\n[[antenna]]\nnumber = 5\nreader = 1\nport = 5\nzone = "seat/3"\n'
    table.write_text(TABLE.replace("seats = 2", "seats = 3") + extra)


def test_result_that_is_not_accepted_is_not_saved(
    table: Path, capsys: pytest.CaptureFixture[str], typed: Types
) -> None:
    typed("perhaps\nn\n")
    code, out, _ = ended(capsys, "calibrate", "lamps", "--config", str(table))
    assert code == 1
    assert "perhaps is no answer here" in out
    assert "not accepted: nothing is changed" in out
    assert not (table.parent / "measured" / "lamps.json").exists()


@pytest.mark.parametrize("text", ["q\n", ""])
def test_left_at_the_last_question_keeps_what_was_measured(
    table: Path, capsys: pytest.CaptureFixture[str], typed: Types, text: str
) -> None:
    typed(text)
    code, out, _ = ended(capsys, "calibrate", "lamps", "--config", str(table))
    assert code == 3
    assert "not done yet: call this again" in out
    typed("y\n")
    code, out, _ = ended(capsys, "calibrate", "lamps", "--config", str(table))
    assert code == 0
    assert "At which seat is a lamp lit?" not in out


@pytest.mark.slow
def test_whole_table_in_one_go(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, "calibrate", "table", "--yes", "--quick", "--config", str(table))
    assert (code, err) == (0, "")
    for kind in ("lamps", "seats", "button", "antennas"):
        assert f"{kind:9} saved" in out
    code, out, _ = ended(capsys, "calibrate", "show", "--config", str(table))
    assert out.count(" UTC by ") == 4
    assert "with deck red" in out


def test_table_without_lamps_has_none_to_calibrate(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text(TABLE.replace('[table_board]\ndriver = "simulated"\n', ""))
    code, _, err = ended(capsys, "calibrate", "lamps", "--config", str(table))
    assert code == 2
    assert "has no lamps to calibrate" in err
    assert "it has antennas" in err


def test_table_that_names_no_folder_is_told_how_to_go_by_it(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text(TABLE.replace('[calibration]\nfolder = "measured"\n', ""))
    code, out, _ = ended(capsys, "calibrate", "show", "--config", str(table))
    assert code == 0
    assert '[calibration]\nfolder = "calibration"' in out


def test_board_that_is_not_there_is_said_before_anybody_walks_round(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = TABLE.replace('driver = "simulated"\n\n[table_board]\ndriver = "simulated"', _REAL)
    start, end = real.index("[simulation]"), real.index("[[antenna]]")
    table.write_text(real[:start] + real[end:])
    code, _, err = ended(capsys, "calibrate", "button", "--config", str(table))
    assert code == 2
    assert "table board: it does not answer" in err
    assert "/dev/no-such-board" in err


_REAL = """driver = "pepper-c1-mux"
port = "/dev/no-such-reader"

[table_board]
driver = "mega"
port = "/dev/no-such-board"
"""


def alone(table: Path, **env: str) -> subprocess.Popen[bytes]:
    """The button's calibration as a process of its own, whose output is a pipe. Whoever runs the
    tests under nohup has it ignore no signal."""
    heard = ["env", "--default-signal=HUP,INT,TERM"]
    start = [*heard, sys.executable, "-u", "-m", "controller.cli.main"]
    return subprocess.Popen(
        [*start, "calibrate", "button", "--config", str(table)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **env},
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_as_ctrl_c_does(table: Path, number: signal.Signals) -> None:
    with alone(table) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if b"Accept this calibration" in line:
                break
        process.send_signal(number)
        rest = process.communicate(timeout=30)[0].decode()
        assert process.returncode == 3
    assert "Left. What was measured is kept" in rest
    assert (table.parent / "measured/button.draft.json").exists()


def test_a_terminal_of_another_encoding_is_written_on(table: Path) -> None:
    with alone(table, PYTHONIOENCODING="ascii", PYTHONUTF8="0") as process:
        said, _ = process.communicate(b"y\n", timeout=60)
    assert process.returncode == 0
    assert b"saved; the table goes by it" in said
    assert b"???" in said
