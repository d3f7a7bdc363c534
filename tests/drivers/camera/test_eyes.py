"""The two libraries behind a camera: what is asked of them, and what their stamps become."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from drivers.camera.eye import CameraSettings
from drivers.camera.picamera import PicameraEye
from drivers.camera.v4l2 import V4l2Eye
from drivers.errors import LinkLostError, MisconfiguredError, PortUnavailableError
from tests.drivers.camera import picamera2_standin as standin

SETTINGS = CameraSettings(size=(64, 48), still=(128, 96), fps=10.0)


@pytest.fixture
def picamera2(monkeypatch: pytest.MonkeyPatch) -> type[standin.Picamera2]:
    monkeypatch.setitem(sys.modules, "picamera2", standin)
    monkeypatch.setattr(standin.Picamera2, "there", True)
    standin.Picamera2.cameras.clear()
    return standin.Picamera2


def pi_eye() -> PicameraEye:
    # The machine slept for 400 s: its boot clock is ahead of the monotonic one by as much.
    return PicameraEye("0", SETTINGS, clock=lambda: 600.1, boot_clock=lambda: 1000.1)


def test_a_pi_cameras_stamp_becomes_the_interval_of_its_exposure(
    picamera2: type[standin.Picamera2],
) -> None:
    eye = pi_eye()
    eye.open()
    taken = eye.take()
    assert taken.image.shape == (48, 64, 3)
    assert taken.started == pytest.approx(600.0 - 0.010)
    assert taken.ended == pytest.approx(600.0 + 0.033)
    assert picamera2.cameras[0].held_requests == 0


def test_a_pi_camera_holds_the_exposure_and_colours_that_it_found(
    picamera2: type[standin.Picamera2],
) -> None:
    eye = pi_eye()
    eye.open()
    assert eye.lock() == ""
    controls = picamera2.cameras[0].controls
    assert controls["AeEnable"] is False
    assert controls["AwbEnable"] is False
    assert controls["ExposureTime"] == 10_000
    assert controls["ColourGains"] == (1.5, 1.7)


def test_a_pi_cameras_still_has_the_highest_resolution(picamera2: type[standin.Picamera2]) -> None:
    eye = pi_eye()
    eye.open()
    assert eye.still().image.shape == (96, 128, 3)


def test_a_pi_camera_that_times_out_is_lost(picamera2: type[standin.Picamera2]) -> None:
    eye = pi_eye()
    eye.open()
    picamera2.cameras[0].broken = True
    with pytest.raises(LinkLostError, match="ribbon cable"):
        eye.take()


def test_a_pi_camera_that_is_not_there_and_a_missing_library_are_told_apart(
    picamera2: type[standin.Picamera2], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picamera2, "there", False)
    with pytest.raises(PortUnavailableError, match="ribbon cable"):
        pi_eye().open()
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(MisconfiguredError, match="apt-get install python3-picamera2"):
        pi_eye().open()
    with pytest.raises(MisconfiguredError, match="is no connector"):
        PicameraEye("/dev/video0", SETTINGS)


class Capture:
    """Stands in for cv2.VideoCapture over a webcam that obeys what is set, `obeys` permitting."""

    obeys = True
    stamp_ms = 0.0
    pulled = False

    def __init__(self, path: str, backend: int) -> None:
        self.values: dict[int, float] = {cv2.CAP_PROP_EXPOSURE: 156.0}

    def isOpened(self) -> bool:
        return True

    def set(self, prop: int, value: float) -> bool:
        if prop == cv2.CAP_PROP_AUTO_WB and not Capture.obeys:
            return False
        self.values[prop] = value
        return True

    def get(self, prop: int) -> float:
        if prop == cv2.CAP_PROP_POS_MSEC:
            return Capture.stamp_ms
        return self.values.get(prop, 0.0)

    def read(self) -> tuple[bool, Any]:
        if Capture.pulled:
            return False, None
        width = int(self.values[cv2.CAP_PROP_FRAME_WIDTH])
        height = int(self.values[cv2.CAP_PROP_FRAME_HEIGHT])
        return True, np.zeros((height, width, 3), np.uint8)

    def release(self) -> None: ...


@pytest.fixture
def webcam(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(cv2, "VideoCapture", Capture)
    monkeypatch.setattr(Capture, "obeys", True)
    monkeypatch.setattr(Capture, "pulled", False)
    monkeypatch.setattr(Capture, "stamp_ms", 0.0)
    device = tmp_path / "usb-webcam-video-index0"
    device.touch()
    return device


def usb_eye(device: Path, now: float = 500.0) -> V4l2Eye:
    return V4l2Eye(str(device), SETTINGS, clock=lambda: now)


def test_a_webcams_stamp_is_believed_within_a_picture_before_and_after(
    webcam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Capture, "stamp_ms", 499_800.0)
    eye = usb_eye(webcam)
    eye.open()
    taken = eye.take()
    assert (taken.started, taken.ended) == pytest.approx((499.7, 499.9))


@pytest.mark.parametrize("stamp_ms", [0.0, 7.0e9, 498_000.0])
def test_a_stamp_of_another_clock_is_replaced_by_honest_bounds(
    webcam: Path, monkeypatch: pytest.MonkeyPatch, stamp_ms: float
) -> None:
    monkeypatch.setattr(Capture, "stamp_ms", stamp_ms)
    eye = usb_eye(webcam)
    eye.open()
    taken = eye.take()
    assert taken.started <= 500.0 - 0.2
    assert taken.ended == 500.0


def test_a_webcam_holds_its_exposure_and_says_what_it_cannot_hold(
    webcam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eye = usb_eye(webcam)
    eye.open()
    assert eye.lock() == ""
    monkeypatch.setattr(Capture, "obeys", False)
    assert eye.lock() == "white balance"


def test_a_still_is_larger_and_the_pictures_after_it_are_as_before(webcam: Path) -> None:
    eye = usb_eye(webcam)
    eye.open()
    assert eye.still().image.shape == (96, 128, 3)
    assert eye.take().image.shape == (48, 64, 3)


def test_a_webcam_that_is_pulled_or_was_never_there_is_said(
    webcam: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    eye = usb_eye(webcam)
    eye.open()
    monkeypatch.setattr(Capture, "pulled", True)
    with pytest.raises(LinkLostError, match="Check its cable"):
        eye.take()
    eye.close()
    with pytest.raises(PortUnavailableError, match="Plug it in"):
        usb_eye(tmp_path / "gone").open()


def test_a_table_without_opencv_is_told_which_extra_to_install(
    webcam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MisconfiguredError, match="camera-headless"):
        usb_eye(webcam).open()
