"""`burnturn doctor` on simulated hardware, and on hardware that is not there."""

from __future__ import annotations

import json
import re
import socket
from itertools import count
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.config import sample_text


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(sample_text().replace('socket = ""', f'socket = "{tmp_path}/floor.sock"', 1))
    assert f"{tmp_path}/floor.sock" in file.read_text()
    return file


def ended(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main(["doctor", *words])
    code = stop.value.code
    assert isinstance(code, int)
    return code, capsys.readouterr().out


def test_a_simulated_table_is_listened_to_and_found_fit(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = ended(capsys, "--config", str(table), "--seconds", "1.5", "--json")
    checks = {check["item"]: check for check in json.loads(out)["checks"]}
    assert code == 0
    assert "firmware" in checks["reader 1"]["found"]
    assert checks["sweep"]["state"] == "ok"
    assert "of 15" in checks["antennas"]["found"]


def test_a_reader_that_is_not_there_is_a_fault(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = sample_real(table.read_text())
    table.write_text(real)
    code, out = ended(capsys, "--config", str(table), "--seconds", "0.5")
    assert code == 1
    assert "FAULT    reader 1 at /dev/ttyNOTHERE1: is not there" in out
    assert "by-id" in out
    assert "cannot be opened" in out
    assert "Not fit yet" in out


def test_what_hangs_on_the_table_beside_the_readers_is_looked_at(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fitted = table.read_text().replace(
        '[table_board]\ndriver = "simulated"', '[table_board]\nport = "/dev/ttyNOTHERE9"'
    )
    table.write_text(fitted + '\n[[board]]\ndriver = "max7219"\nport = "/dev/spidev9.1"\n')
    code, out = ended(capsys, "--config", str(table), "--seconds", "1")
    assert code == 1
    assert "FAULT    table board at /dev/ttyNOTHERE9: is not there" in out
    assert "FAULT    board 1 at /dev/spidev9.1: is not there" in out
    assert "FAULT    table board: " in out
    assert "15 of 15" in out


def test_readers_of_a_running_table_are_left_alone(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket(socket.AF_UNIX) as floor:
        floor.bind(str(table.parent / "floor.sock"))
        floor.listen()
        code, out = ended(capsys, "--config", str(table))
    assert code == 0
    assert "the table is running" in out
    assert "  antennas:" not in out


def test_a_table_under_a_camera_alone_is_looked_at_through_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(sample_text("camera").replace('socket = ""', f'socket = "{tmp_path}/f"', 1))
    code, out = ended(capsys, "--config", str(file), "--seconds", "0.6", "--json")
    checks = {check["item"]: check for check in json.loads(out)["checks"]}
    assert code == 0
    assert checks["OpenCV"]["state"] == "ok"
    assert "2304x1296" in checks["camera 1"]["found"]
    assert "antennas" not in checks, "no antenna is there to be read"
    assert "sweep" not in checks


def test_a_camera_that_is_not_there_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    simulated = sample_text("camera").replace('socket = ""', f'socket = "{tmp_path}/f"', 1)
    part = simulated.index("[simulation]")
    assert simulated[part:].count("\n[") == 0
    real = simulated[:part].replace('driver = "simulated"', 'driver = "v4l2"')
    number = count(1)
    real = re.sub('device = ""', lambda _: f'device = "/dev/v4l/by-id/NOTHERE{next(number)}"', real)
    file.write_text(re.sub(r"\[table_board\][^\[]*", "", real))
    code, out = ended(capsys, "--config", str(file), "--seconds", "0.1")
    assert code == 1
    assert "FAULT    camera 1 at /dev/v4l/by-id/NOTHERE1: is not there" in out
    assert "Next: Plug it in, and look for its name: burnturn devices" in out
    assert "FAULT    camera 1: no camera is there" in out


def sample_real(text: str) -> str:
    """The sample with readers on ports where nothing is plugged in."""
    head, _, rest = text.partition("[table_board]")
    antennas = rest[rest.index("[[antenna]]") :]
    number = count(1)
    real = re.sub(
        r'driver = "simulated".*',
        lambda _: f'driver = "pepper-c1-mux"\nport = "/dev/ttyNOTHERE{next(number)}"',
        head.replace('port = ""', ""),
    )
    assert next(number) == 3
    return real.replace("# /dev/serial", "#") + antennas
