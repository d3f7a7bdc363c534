"""The cameras of a table as configured: what keeps one from being looked through, said in words."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from calibration.camera_profile import CameraProfile
from calibration.camera_store import kind_of, place_of
from calibration.steps import Belongs
from controller.calibrating.belonging import store_of
from controller.calibrating.in_force import CalibrationError, checked, in_force, possible
from controller.cameras import camera_sources, spread_of, true_profile
from controller.config import Config, read, sample_text
from controller.doctor.checks import State, calibration_checks
from drivers.errors import MisconfiguredError

NOW = datetime.now(UTC)
DEVICE = "/dev/v4l/by-id/usb-cam"
REAL = f"""[table]
seats = 9
dealt_in = [1, 2, 3]

[calibration]

[[camera]]
number = 1
driver = "v4l2"
device = "{DEVICE}"
"""


def table(folder: Path, text: str = REAL) -> Config:
    return read(text, "table.toml", folder)


def calibrated(
    config: Config,
    *,
    days: int = 0,
    port: str = DEVICE,
    without: tuple[str, ...] = ("table",),
    profile: CameraProfile | None = None,
) -> CameraProfile:
    profile = profile or true_profile(1, 9)
    areas = {zone: c for zone, c in profile.areas.items() if zone not in without}
    profile = replace(profile, areas=areas)
    store = store_of(config)
    made = store.made(Belongs(place_of(1, port)), by="Anna", at=NOW - timedelta(days=days))
    store.save(kind_of(1), profile, made)
    return profile


def refused(config: Config) -> str:
    with pytest.raises(MisconfiguredError) as error:
        camera_sources(config, lambda: 0.0)
    return str(error.value)


def test_a_camera_that_was_never_calibrated_is_refused(tmp_path: Path) -> None:
    said = refused(table(tmp_path))
    assert said.startswith("camera 1: ")
    assert "camera 1 is not calibrated" in said
    assert said.endswith("Next: burnturn calibrate camera")
    (check,) = [c for c in calibration_checks(in_force(table(tmp_path))) if c.state is State.FAULT]
    assert check.remedy == "burnturn calibrate camera"


def test_a_simulated_camera_needs_no_calibration(tmp_path: Path) -> None:
    assert not checked(table(tmp_path, sample_text("camera"))).faults


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (replace(true_profile(1, 9), width_px=1920, height_px=1200), "pictures of 1920x1200"),
        (true_profile(2, 9), "it is of camera 2"),
    ],
)
def test_the_calibration_of_another_camera_is_refused(
    tmp_path: Path, other: CameraProfile, why: str
) -> None:
    config = table(tmp_path)
    calibrated(config, profile=other)
    assert why in refused(config)
    with pytest.raises(CalibrationError, match=why):
        checked(config)


def test_a_camera_in_another_socket_is_refused(tmp_path: Path) -> None:
    config = table(tmp_path)
    calibrated(config, port="/dev/v4l/by-id/another")
    assert "/dev/v4l/by-id/another" in refused(config)


def test_an_old_calibration_is_used_and_told(tmp_path: Path) -> None:
    config = table(tmp_path)
    calibrated(config, days=200)
    assert len(camera_sources(config, lambda: 0.0)) == 1
    (note,) = in_force(config).notes
    assert "camera 1 is 200 days old" in note
    assert note.endswith("Next: burnturn calibrate camera")


def test_a_place_that_the_camera_does_not_show_is_named(tmp_path: Path) -> None:
    config = table(tmp_path)
    calibrated(config, without=("table", "seat/4", "muck"))
    said = refused(config)
    assert "its calibration does not show seat/4, muck" in said
    assert "burnturn calibrate camera" in said


def test_a_place_that_has_an_antenna_need_not_be_seen(tmp_path: Path) -> None:
    areas = 'areas = ["board", "burn", "muck", "seat/1"]\n'
    head, _, rest = sample_text().partition("[table_board]")
    readers = re.findall(r"\[\[reader\]\]\nnumber = (\d)", head)
    head = head[: head.index("[[reader]]")]
    for number in readers:
        head += (
            f'[[reader]]\nnumber = {number}\ndriver = "pepper-c1-mux"\nport = "/dev/a{number}"\n\n'
        )
    camera = REAL[REAL.index("[[camera]]") :] + areas
    config = table(tmp_path, head + rest[rest.index("[[antenna]]") :] + camera)
    calibrated(config, without=("table", "seat/1"))
    assert len(camera_sources(config, lambda: 0.0)) == 1


def test_what_is_calibrated_of_cameras_is_known_to_the_doctor(tmp_path: Path) -> None:
    config = table(
        tmp_path, REAL.replace("[calibration]", '[calibration]\nrequired = ["camera-1"]')
    )
    assert possible(config) == ("camera-1",)
    with pytest.raises(CalibrationError, match="camera 1 must be calibrated before"):
        checked(config)
    calibrated(config)
    (check,) = calibration_checks(checked(config))
    assert (check.item, check.state) == ("calibration of camera-1", State.OK)


def test_without_opencv_its_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    said = refused(table(tmp_path))
    assert "OpenCV cannot be loaded" in said
    assert "pip install 'burnturn[camera-headless]'" in said


def test_the_deck_is_spread_before_the_camera_over_the_board(tmp_path: Path) -> None:
    two = REAL + f'\n[[camera]]\nnumber = 2\ndriver = "v4l2"\ndevice = "{DEVICE}2"\n'
    config = table(tmp_path, two + 'areas = ["board"]\n')
    one, other = object(), object()
    assert spread_of([one, other], config) is other  # type: ignore[list-item]
    assert spread_of([], table(tmp_path, sample_text())) is None
    assert spread_of([], config) is None  # the night is played from a tape


def test_a_table_without_a_camera_never_loads_opencv(tmp_path: Path) -> None:
    program = (
        "import sys, asyncio\n"
        "from controller.config import sample\n"
        "from controller.cameras import camera_sources\n"
        "import controller.app, controller.live, controller.cli.run, controller.robot_table\n"
        "from controller.robot_table import RobotTable\n"
        "from controller.calibrating.in_force import checked\n"
        "config = sample()\n"
        "RobotTable(config)\n"
        "checked(config)\n"
        "assert camera_sources(config, lambda: 0.0) == ()\n"
        "assert 'cv2' not in sys.modules, 'loaded'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
