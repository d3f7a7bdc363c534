"""A few seconds of looking through the table's cameras, and what they need to be looked through.

Nothing of a picture is kept or shown; what is measured is how it was taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from controller.camera_config import CameraPart
from drivers.contracts import Camera
from drivers.readings import Health, HealthState

if TYPE_CHECKING:
    from controller.vision.picture import Quality
    from drivers.camera.frame import Image

SECONDS = 5.0
START_S = 30.0
"""How long a camera may take to its first picture: exposure and white balance settle first."""

OPENCV = (
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
)


@dataclass(frozen=True, slots=True)
class Libraries:
    """opencv: its version, "" where it cannot be loaded; why: the reason for that. packages: those
    installed that bring it, with their versions. picamera2: whether that is there."""

    opencv: str
    why: str = ""
    packages: tuple[str, ...] = ()
    picamera2: bool = False


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of looking. size: of its pictures, None if none came. period_s: the median time
    from one to the next. quality: of the last picture. health: what the camera said last."""

    camera: int
    wanted: tuple[int, int]
    wanted_fps: float
    pictures: int
    size: tuple[int, int] | None = None
    period_s: float | None = None
    quality: Quality | None = None
    health: Health | None = None


def libraries() -> Libraries:
    """What is installed here to look through cameras with."""
    packages = []
    for name in OPENCV:
        with suppress(PackageNotFoundError):
            packages.append(f"{name} {version(name)}")
    there = find_spec("picamera2") is not None
    try:
        import cv2
    except ImportError as error:
        return Libraries("", str(error), tuple(packages), there)
    return Libraries(str(cv2.__version__), "", tuple(packages), there)


async def look(
    camera: Camera,
    part: CameraPart,
    judge: Callable[[Image], Quality],
    seconds: float = SECONDS,
) -> Looked:
    """Open the camera, look through it for so long from its first picture on, close it again.
    judge: of a picture's quality."""
    ended: list[float] = []
    newest: Image | None = None
    loop = asyncio.get_running_loop()
    with suppress(TimeoutError):
        async with camera, asyncio.timeout(START_S) as limit:
            async for said in camera.frames():
                if isinstance(said, Health):
                    if said.state is HealthState.LOST:
                        limit.reschedule(loop.time() + seconds)
                    continue
                if newest is None:
                    limit.reschedule(loop.time() + seconds)
                ended.append(said.ended)
                newest = said.image
    wanted = (part.width, part.height)
    health = camera.health[-1] if camera.health else None
    if newest is None:
        return Looked(part.number, wanted, part.fps, 0, health=health)
    periods = [b - a for a, b in pairwise(ended)]
    quality = await asyncio.to_thread(judge, newest)
    height, width = newest.shape[:2]
    period_s = median(periods) if periods else None
    return Looked(
        part.number, wanted, part.fps, len(ended), (width, height), period_s, quality, health
    )


def drivers(parts: Sequence[CameraPart]) -> Collection[str]:
    return {part.driver for part in parts}
