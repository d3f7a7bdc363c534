"""A camera as configured, and the device for it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from drivers.camera.eye import CameraSettings, Eye
from drivers.camera.live import LiveCamera
from drivers.contracts import Clock, Sleep
from drivers.errors import UnknownDriverError

DRIVERS = ("v4l2", "picamera2", "files")


@dataclass(frozen=True, slots=True)
class CameraSpec:
    """camera: its number at the table. driver: one of `DRIVERS`. device: "/dev/v4l/by-id/...", the
    number of a Raspberry Pi's connector, or a file or folder to play."""

    camera: int
    driver: str
    device: str = ""
    settings: CameraSettings = field(default_factory=CameraSettings)


def live_camera(
    spec: CameraSpec, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep
) -> LiveCamera:
    """The camera behind `spec`; its library is loaded when it is opened. Raises
    MisconfiguredError."""
    return LiveCamera(
        spec.camera,
        _eye(spec, clock),
        spec.settings,
        recorded=spec.driver == "files",
        clock=clock,
        sleep=sleep,
    )


def _eye(spec: CameraSpec, clock: Clock) -> Eye:
    if spec.driver == "v4l2":
        from drivers.camera.v4l2 import V4l2Eye

        return V4l2Eye(spec.device or "/dev/video0", spec.settings, clock=clock)
    if spec.driver == "picamera2":
        from drivers.camera.picamera import PicameraEye

        return PicameraEye(spec.device, spec.settings, clock=clock)
    if spec.driver == "files":
        from drivers.camera.files import FilesEye

        return FilesEye(spec.device, spec.settings, clock=clock)
    raise UnknownDriverError(
        f"no camera driver is called {spec.driver!r}",
        f"camera {spec.camera}",
        f"Choose one of: {', '.join(DRIVERS)}.",
    )
