"""`burnturn calibrate camera` at the simulated table, from the command to the file."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from calibration.camera.geometry import table_to_picture
from controller.calibrating.belonging import store_of
from controller.calibrating.cameras import camera_of
from controller.calibrating.in_force import camera_saved, checked
from controller.cameras import camera_sources, true_profile
from controller.cli.calibrate import app
from controller.config import read, sample_text

NO_TABLE = ["--config", "table.toml"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "table.toml").write_text(sample_text("camera"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["camera", *words])
    return result.exit_code, result.output


def at_a_terminal(*words: str) -> tuple[int, str]:
    """The same as a process of its own, whose input is one."""
    start = "from controller.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, "calibrate", "camera", *words, *NO_TABLE],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_sheets_are_written_for_either_paper(folder: Path) -> None:
    code, text = said("sheet", "a.pdf", *NO_TABLE)
    assert code == 0
    assert "100 %" in text
    assert said("sheet", "b.pdf", "--paper", "letter", *NO_TABLE)[0] == 0
    assert (folder / "a.pdf").read_bytes()[:5] == b"%PDF-"
    assert (folder / "a.pdf").read_bytes() != (folder / "b.pdf").read_bytes()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["sheet", "--paper", "a3"], "allowed a4 and letter"),
        (["sheet", "no/such/folder/a.pdf"], "cannot be written"),
        (["--camera", "4"], "there is no such camera"),
        (["--area", "seat/77=1,2"], "there is no place 'seat/77'"),
        (["table"], "Begin with the whole: burnturn calibrate camera"),
    ],
)
def test_what_cannot_be_done_is_said_with_what_can(words: list[str], why: str) -> None:
    code, text = said(*words) if words[0].startswith("-") else said(*words, *NO_TABLE)
    assert code == 2
    assert why in " ".join(text.split())


@pytest.mark.slow
def test_the_simulated_camera_is_calibrated_and_then_its_table_alone(folder: Path) -> None:
    code, text = at_a_terminal("--yes", "--by", "Kim")
    assert code == 0, text
    (file,) = folder.rglob("camera-1.json")
    first = json.loads(file.read_text())
    assert first["made"]["by"] == "Kim"
    areas = first["values"]["areas"]
    assert {"board", "burn", "muck", "stub", "count", "seat/1", "seat/9"} <= set(areas)
    assert len(list(folder.rglob("camera-1-*.html"))) == 1
    _fits_the_frames_of_a_run(folder)
    code, text = at_a_terminal("table", "--yes")
    assert code == 0, text
    assert "printed lens board" not in text
    second = json.loads(file.read_text())
    assert second["values"]["matrix"] == first["values"]["matrix"]
    assert second["values"]["areas"].keys() == areas.keys()


def _fits_the_frames_of_a_run(folder: Path) -> None:
    """The saved calibration is that of the camera which `burnturn run` has, and is gone by."""
    config = read(sample_text("camera"), "table.toml", folder)
    part, _ = config.file.camera
    profile = camera_saved(store_of(config), part).profile
    true = true_profile(1, config.file.table.seats)
    assert checked(config).saved["camera-1"].profile == profile
    for zone, area in true.areas.items():
        x, y = (sum(c[i] for c in area) / len(area) for i in (0, 1))
        seen, meant = (table_to_picture(p, [(x, y)])[0] for p in (profile, true))
        assert math.dist(seen, meant) / true.px_per_mm < 3.0, zone  # hands stick stickers askew
    sources = camera_sources(
        config, lambda: 0.0, lambda part: camera_of(config, part.number, lambda: 0.0)
    )
    assert len(sources) == 2
