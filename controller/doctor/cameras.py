"""A few seconds of a camera's pictures: whether they come, how often, and how good they are.

No card is read in them, and no picture is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import TYPE_CHECKING

from controller.camera_config import CameraPart
from controller.doctor.checks import Check, State
from drivers.camera.frame import Image
from drivers.contracts import Camera
from drivers.errors import DriverError
from drivers.readings import Health, HealthState

if TYPE_CHECKING:
    from controller.vision.picture import Quality

PACKAGES = (
    "opencv-python-headless",
    "opencv-python",
    "opencv-contrib-python-headless",
    "opencv-contrib-python",
)
"""All of them are the module cv2; two at once overwrite each other's files."""

OFTEN_ENOUGH = 0.7
"""Of the pictures a second that were asked for."""


@dataclass(frozen=True, slots=True)
class CameraLooked:
    """What came of a camera. size: of its pictures, None if none came. per_s: how many came a
    second; 0 for fewer than two. quality: of the middling one. health: its latest word."""

    number: int
    health: Health | None
    size: tuple[int, int] | None = None
    per_s: float = 0.0
    quality: Quality | None = None


async def look_through(
    camera: Camera,
    number: int,
    seconds: float,
    judge: Callable[[Image], Quality],
) -> CameraLooked:
    """Open a camera, look through it, close it again; the seconds count from its first picture."""
    health: Health | None = None
    ended: list[float] = []
    qualities: list[Quality] = []
    size: tuple[int, int] | None = None
    with suppress(TimeoutError, DriverError):
        async with asyncio.timeout(seconds + 10.0) as limit, camera:
            async for look in camera.frames():
                if isinstance(look, Health):
                    health = look
                    if look.state is HealthState.LOST:
                        break
                    continue
                if not ended:
                    limit.reschedule(asyncio.get_running_loop().time() + seconds)
                ended.append(look.ended)
                size = (look.image.shape[1], look.image.shape[0])
                qualities.append(await asyncio.to_thread(judge, look.image))
    span = ended[-1] - ended[0] if ended else 0.0
    per_s = (len(ended) - 1) / span if span > 0 else 0.0
    middling = median(q.sharpness for q in qualities) if qualities else 0.0
    quality = min(qualities, key=lambda q: abs(q.sharpness - middling), default=None)
    return CameraLooked(number, health, size, per_s, quality)


def opencv_installed() -> Mapping[str, str]:
    """Which packages with OpenCV in them are installed, and of which version."""
    found = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def opencv_check(installed: Mapping[str, str], trouble: str = "") -> Check:
    """Whether pictures can be read at all. trouble: why OpenCV could not be loaded."""
    said = ", ".join(f"{package} {number}" for package, number in installed.items())
    if trouble:
        lite = "On Raspberry Pi OS Lite the extra `camera` finds no libGL. "
        return Check(
            "OpenCV",
            State.FAULT,
            f"cannot be loaded ({trouble})" + (f"; there is {said}" if said else ""),
            (lite if installed else "") + "pip install 'burnturn[camera-headless]'",
        )
    if len(installed) > 1:
        return Check(
            "OpenCV",
            State.WARNING,
            f"{said}: both are the module cv2, and overwrite each other",
            f"pip uninstall {' '.join(installed)}, then pip install 'burnturn[camera-headless]'",
        )
    return Check("OpenCV", State.OK, said or "there, from the system's own packages")


def camera_checks(part: CameraPart, looked: CameraLooked) -> Iterator[Check]:
    """What a few seconds of pictures say of a camera."""
    item, health = f"camera {part.number}", looked.health
    if health is not None and health.state is HealthState.LOST:
        yield Check(item, State.FAULT, health.reason, "See docs/cameras.md.")
        return
    if looked.size is None:
        yield Check(item, State.FAULT, "no picture came", "Unplug it and plug it in again.")
        return
    yield _size(item, part, looked.size)
    yield _rate(item, part, looked.per_s)
    if part.lock and health is not None:
        held = health.state is HealthState.OK
        yield (
            Check(f"{item}: light", State.OK, "exposure and white balance are held")
            if held
            else Check(f"{item}: light", State.WARNING, health.reason, "See docs/cameras.md.")
        )
    if looked.quality is not None:
        yield _sharp(item, looked.quality)


def _size(item: str, part: CameraPart, size: tuple[int, int]) -> Check:
    found = f"pictures of {size[0]}x{size[1]}"
    if part.driver != "simulated" and size != (part.width, part.height):
        return Check(
            item,
            State.FAULT,
            f"{found}; its [[camera]] says {part.width}x{part.height}",
            f"Set width = {size[0]} and height = {size[1]}, or a size that it has"
            " (v4l2-ctl --list-formats-ext), and calibrate it anew.",
        )
    return Check(item, State.OK, found)


def _rate(item: str, part: CameraPart, per_s: float) -> Check:
    item, found = f"{item}: frame rate", f"{per_s:.1f} pictures a second, of {part.fps:g} asked for"
    if per_s >= OFTEN_ENOUGH * part.fps:
        return Check(item, State.OK, found)
    return Check(
        item,
        State.WARNING,
        found,
        "Give it more light (a long exposure takes long), a USB 3 port, or ask for fewer (fps).",
    )


def _sharp(item: str, quality: Quality) -> Check:
    item, found = f"{item}: picture", f"sharpness {quality.sharpness:.2f} of 1"
    if quality.good:
        return Check(item, State.OK, found)
    return Check(item, State.WARNING, f"{quality.reason} ({found})", "See docs/cameras.md.")
