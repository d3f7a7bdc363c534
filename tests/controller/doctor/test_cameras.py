"""What the doctor makes of a camera, from a few seconds of its pictures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

import numpy as np
import pytest

from controller.camera_config import CameraPart
from controller.doctor.cameras import CameraLooked, camera_checks, look_through, opencv_check
from controller.doctor.checks import Check, State, machine_checks, worst
from controller.doctor.machine import Node
from controller.vision.picture import Quality
from drivers.camera.frame import Frame, Image
from drivers.readings import Health, HealthState
from tests.controller.doctor.test_checks import SOUND

DEVICE = "/dev/v4l/by-id/usb-cam"
PART = CameraPart(number=1, driver="v4l2", device=DEVICE, width=1920, height=1080, fps=8.0)
WELL = Health("camera 1", HealthState.OK, "pictures come", 0.0)
LOOSE = Health("camera 1", HealthState.DEGRADED, "it does not let exposure be held", 0.0)
LOST = Health("camera 1", HealthState.LOST, "no camera is there. Plug it in", 0.0)
GOOD = CameraLooked(1, WELL, (1920, 1080), 7.9, Quality(sharpness=0.6))


def found(looked: CameraLooked) -> dict[str, Check]:
    return {check.item: check for check in camera_checks(PART, looked)}


def test_a_good_camera_has_nothing_to_mend() -> None:
    checks = found(GOOD)
    assert worst(checks.values()) is State.OK
    assert not any(check.remedy for check in checks.values())
    assert "0.60" in checks["camera 1: picture"].found
    assert "7.9 pictures a second" in checks["camera 1: frame rate"].found
    assert "held" in checks["camera 1: light"].found


@pytest.mark.parametrize(
    ("looked", "item", "state", "said"),
    [
        (CameraLooked(1, LOST), "camera 1", State.FAULT, "no camera is there"),
        (CameraLooked(1, WELL), "camera 1", State.FAULT, "no picture came"),
        (replace(GOOD, size=(1280, 720)), "camera 1", State.FAULT, "1280x720"),
        (replace(GOOD, per_s=3.0), "camera 1: frame rate", State.WARNING, "3.0 pictures"),
        (replace(GOOD, health=LOOSE), "camera 1: light", State.WARNING, "exposure be held"),
        (
            replace(GOOD, quality=Quality(False, "not sharp: focus", 0.1)),
            "camera 1: picture",
            State.WARNING,
            "not sharp: focus (sharpness 0.10 of 1)",
        ),
    ],
)
def test_what_is_not_as_it_should_be_is_said_with_what_to_do(
    looked: CameraLooked, item: str, state: State, said: str
) -> None:
    check = found(looked)[item]
    assert check.state is state
    assert said in check.found
    assert check.remedy


@pytest.mark.parametrize(
    ("installed", "trouble", "state", "remedy"),
    [
        ({"opencv-python-headless": "5.0"}, "", State.OK, ""),
        ({}, "", State.OK, ""),
        ({}, "No module named 'cv2'", State.FAULT, "burnturn[camera-headless]"),
        ({"opencv-python": "4.10"}, "libGL.so.1", State.FAULT, "burnturn[camera-headless]"),
        (
            {"opencv-python": "4.10", "opencv-python-headless": "5.0"},
            "",
            State.WARNING,
            "pip uninstall opencv-python opencv-python-headless",
        ),
    ],
)
def test_which_opencv_is_installed_is_told(
    installed: dict[str, str], trouble: str, state: State, remedy: str
) -> None:
    check = opencv_check(installed, trouble)
    assert check.state is state
    assert remedy in check.remedy
    assert all(package in check.found for package in installed)


def test_a_camera_that_this_user_may_not_use_needs_the_group_video() -> None:
    node = Node("camera 1", DEVICE, True, False, "video")
    check = next(c for c in machine_checks(replace(SOUND, nodes=(node,)), True) if "cam" in c.item)
    assert check.state is State.FAULT
    assert check.remedy.startswith("sudo usermod -aG video dealer")
    gone = replace(SOUND, nodes=(Node("camera 1", DEVICE, False),))
    check = next(c for c in machine_checks(gone, True) if "cam" in c.item)
    assert "burnturn devices" in check.remedy


def test_a_table_without_a_camera_is_told_which_are_connected() -> None:
    machine = replace(SOUND, cameras=("/dev/video0",))
    (check,) = [c for c in machine_checks(machine) if c.item == "camera"]
    assert check.state is State.SKIPPED
    assert "/dev/video0" in check.found
    assert not [c for c in machine_checks(machine, True) if c.item == "camera"]


class Twin:
    def __init__(self, looks: Sequence[Frame | Health]) -> None:
        self._looks = looks
        self.health = (WELL,)
        self.closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closed = True

    async def frames(self) -> AsyncIterator[Frame | Health]:
        for look in self._looks:
            yield look
        await asyncio.Event().wait()

    async def still(self) -> Frame:
        raise AssertionError("nobody asks")


def seen(looks: Sequence[Frame | Health]) -> CameraLooked:
    twin = Twin(looks)

    def judge(image: Image) -> Quality:
        return Quality(sharpness=float(image[0, 0, 0]) / 100)

    looked = asyncio.run(look_through(twin, 1, 0.05, judge))
    assert twin.closed
    return looked


def picture(at: float, sharp: int) -> Frame:
    return Frame(1, np.full((90, 160, 3), sharp, np.uint8), at - 0.01, at)


def test_pictures_are_counted_measured_and_the_middling_one_judged() -> None:
    looked = seen([WELL, *(picture(n * 0.25, s) for n, s in enumerate((90, 50, 10, 60, 55)))])
    assert looked.size == (160, 90)
    assert looked.per_s == pytest.approx(4.0)
    assert looked.quality is not None
    assert looked.quality.sharpness == pytest.approx(0.55)


def test_a_lost_camera_is_not_waited_for() -> None:
    looked = seen([LOST])
    assert (looked.health, looked.size) == (LOST, None)
