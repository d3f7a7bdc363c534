"""What the doctor makes of cameras: their libraries, their pictures, and their own words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import numpy as np
import pytest

from controller.camera_config import CameraPart
from controller.doctor.camera_checks import library_checks, looked_checks, no_camera
from controller.doctor.cameras import Libraries, Looked, look
from controller.doctor.checks import Check, State
from controller.vision.picture import Quality
from controller.vision.quality import judge
from drivers.camera.frame import Frame, Image
from drivers.readings import Health, HealthState

HEADLESS = "opencv-python-headless 5.0.0.93"
SOUND = Libraries("5.0.0", "", (HEADLESS,), picamera2=True)
SEES = Looked(1, (1920, 1080), 10.0, 40, (1920, 1080), 0.1, Quality())
PART = CameraPart(number=1, driver="v4l2", device="/dev/video0", width=192, height=160, fps=10.0)


def health(state: HealthState, reason: str) -> Health:
    return Health("camera 1", state, reason, 1.0)


def checked(looked: Looked) -> Check:
    (check,) = looked_checks(looked)
    return check


@pytest.mark.parametrize(
    ("installed", "remedy"),
    [
        (Libraries(""), "pip install 'burnturn[camera-headless]'"),
        (
            Libraries("", "libGL.so.1: cannot open shared object file", ("opencv-python 5.0",)),
            "pip uninstall -y opencv-python, then pip install 'burnturn[camera-headless]'",
        ),
        (
            Libraries("5.0.0", "", ("opencv-python 5.0.0.93", HEADLESS)),
            "pip uninstall -y opencv-python opencv-python-headless, then",
        ),
        (Libraries("4.6.0"), "camera-headless"),
        (Libraries("4.9.0", "", ("opencv-python 4.9.0",)), "camera-headless"),
    ],
)
def test_an_opencv_that_will_not_do_is_a_fault_with_its_remedy(
    installed: Libraries, remedy: str
) -> None:
    check = library_checks(installed, {"v4l2"})[0]
    assert check.state is State.FAULT
    assert remedy in check.remedy


@pytest.mark.parametrize("version", ["4.10.0", "4.12.1", "5.0.0"])
def test_an_opencv_that_will_do_is_named(version: str) -> None:
    (check,) = library_checks(replace(SOUND, opencv=version), {"v4l2"})
    assert check.state is State.OK
    assert version in check.found
    assert HEADLESS in check.found


def test_picamera2_is_asked_for_only_where_a_camera_needs_it() -> None:
    lacking = replace(SOUND, picamera2=False)
    assert [c.item for c in library_checks(lacking, {"v4l2"})] == ["OpenCV"]
    _, check = library_checks(lacking, {"v4l2", "picamera2"})
    assert (check.state, check.item) == (State.FAULT, "picamera2")
    assert "python3-picamera2" in check.remedy


@pytest.mark.parametrize(
    ("looked", "state", "found", "remedy"),
    [
        (SEES, State.OK, "1920x1080, 10.0 pictures a second", ""),
        (replace(SEES, pictures=0, size=None, period_s=None), State.FAULT, "no picture", "Unplug"),
        (
            replace(SEES, size=(640, 480)),
            State.FAULT,
            "640x480, 10.0 pictures a second, not 1920x1080",
            "width = 640 and height = 480",
        ),
        (replace(SEES, period_s=0.5), State.WARNING, "2.0 pictures a second", "more light"),
        (
            replace(SEES, quality=Quality(False, "not sharp: focus, and hold still")),
            State.WARNING,
            "not sharp",
            "docs/cameras.md",
        ),
        (
            replace(SEES, health=health(HealthState.DEGRADED, "exposure is loose. Set it.")),
            State.WARNING,
            "exposure is loose",
            "Set it.",
        ),
        (
            replace(SEES, size=None, health=health(HealthState.LOST, "no camera. Plug it in.")),
            State.FAULT,
            "no camera",
            "Plug it in.",
        ),
    ],
)
def test_what_a_camera_shows_is_judged_with_what_to_do(
    looked: Looked, state: State, found: str, remedy: str
) -> None:
    check = checked(looked)
    assert check.state is state
    assert found in check.found
    assert remedy in check.remedy
    assert bool(check.remedy) == bool(remedy)


def test_a_camera_that_is_slow_but_asked_for_little_is_in_order() -> None:
    slow = replace(SEES, wanted_fps=2.0, period_s=0.5)
    assert checked(slow).state is State.OK
    assert checked(replace(slow, wanted_fps=1.0, period_s=1.0)).state is State.WARNING


def test_a_table_without_a_camera_is_in_order() -> None:
    assert no_camera(()).state is State.SKIPPED
    assert "/dev/video0" in no_camera(("/dev/video0",)).found


@dataclass
class Recorded:
    """A camera that has these to say, and is at its end then."""

    said: tuple[Frame | Health, ...]
    opened: int = 0

    async def __aenter__(self) -> Self:
        self.opened += 1
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.opened -= 1

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(h for h in self.said if isinstance(h, Health))

    async def frames(self) -> AsyncIterator[Frame | Health]:
        for one in self.said:
            yield one

    async def still(self) -> Frame:
        raise NotImplementedError


def frame(at: float, image: Image | None = None) -> Frame:
    black = np.zeros((160, 192, 3), np.uint8)
    return Frame(1, black if image is None else image, at - 0.1, at)


def test_looking_measures_the_pictures_and_leaves_the_camera_closed() -> None:
    camera = Recorded(tuple(frame(at) for at in (1.0, 1.1, 1.2, 1.9, 2.0)))
    looked = asyncio.run(look(camera, PART, judge))
    assert (looked.pictures, looked.size) == (5, (192, 160))
    assert looked.period_s == pytest.approx(0.1)
    assert "too dark" in checked(looked).found
    assert camera.opened == 0


def test_a_camera_that_says_it_is_lost_and_gives_nothing_is_a_fault() -> None:
    camera = Recorded((health(HealthState.LOST, "no camera is there. Plug it in."),))
    check = checked(asyncio.run(look(camera, PART, judge, seconds=0.0)))
    assert (check.state, check.remedy) == (State.FAULT, "Plug it in.")
