"""What was found of the table's cameras, judged item by item. Pure, as `checks`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from controller.doctor.cameras import Libraries, Looked
from controller.doctor.checks import Check, State
from drivers.readings import HealthState

OLDEST_OPENCV = (4, 10)
SLOW_SHARE = 0.6
"""A camera that gives fewer of the pictures that it was asked for is short of light or of bus."""

LEAST_FPS = 1.5
"""With fewer pictures a second, cards come and go between two of them."""

_HEADLESS = "pip install 'burnturn[camera-headless]'"


def no_camera(seen: Sequence[str]) -> Check:
    """A table without a camera; seen: video devices of the machine."""
    there = ", ".join(seen) if seen else "none is connected"
    return Check("camera", State.SKIPPED, f"this table uses none; {there}")


def library_checks(libraries: Libraries, drivers: Collection[str]) -> tuple[Check, ...]:
    """Whether what the cameras are looked through with is installed. drivers: of all cameras."""
    return tuple(_libraries(libraries, drivers))


def looked_checks(looked: Looked) -> tuple[Check, ...]:
    """What a few seconds of looking through a camera say of it; one check, the gravest."""
    return (_looked(looked),)


def _libraries(libraries: Libraries, drivers: Collection[str]) -> Iterator[Check]:
    yield _opencv(libraries)
    if "picamera2" in drivers:
        yield (
            Check("picamera2", State.OK, "is installed")
            if libraries.picamera2
            else Check(
                "picamera2",
                State.FAULT,
                "is not installed, and a camera of this table needs it",
                "sudo apt-get install python3-picamera2, and make the virtual environment with"
                " --system-site-packages.",
            )
        )


def _opencv(libraries: Libraries) -> Check:
    both = libraries.packages if len(libraries.packages) > 1 else ()
    names = " and ".join(libraries.packages)
    if both:
        gone = " ".join(package.split()[0] for package in both)
        return Check(
            "OpenCV",
            State.FAULT,
            f"{names} are both installed and write over each other",
            f"pip uninstall -y {gone}, then {_HEADLESS}.",
        )
    if not libraries.opencv and names and "libGL" in libraries.why:
        return Check(
            "OpenCV",
            State.FAULT,
            f"{names} cannot be loaded ({libraries.why})",
            f"pip uninstall -y {names.split()[0]}, then {_HEADLESS}: it needs no desktop.",
        )
    if not libraries.opencv:
        found = f"{names} cannot be loaded ({libraries.why})" if names else "is not installed"
        return Check("OpenCV", State.FAULT, found, f"{_HEADLESS}.")
    found = f"{libraries.opencv} ({names or 'of the system'})"
    if _numbers(libraries.opencv) < OLDEST_OPENCV:
        needed = ".".join(map(str, OLDEST_OPENCV))
        return Check("OpenCV", State.FAULT, f"{found}; {needed} is needed", f"{_HEADLESS}.")
    return Check("OpenCV", State.OK, found)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:2])


def _looked(looked: Looked) -> Check:
    item = f"camera {looked.camera}"
    health = looked.health
    if health is not None and health.state is HealthState.LOST:
        what, _, remedy = health.reason.partition(". ")
        return Check(item, State.FAULT, what, remedy)
    if looked.size is None:
        return Check(
            item,
            State.FAULT,
            "gives no picture",
            "Unplug it and plug it in again; look longer (--seconds 20) if it is slow to start.",
        )
    width, height = looked.size
    found = f"{width}x{height}{_rate(looked)}"
    if looked.size != looked.wanted:
        wide, high = looked.wanted
        return Check(
            item,
            State.FAULT,
            f"{found}, not {wide}x{high} as the table.toml says",
            f"Say width = {width} and height = {height} there, or a size that it has"
            " (v4l2-ctl --list-formats-ext), and calibrate it anew.",
        )
    quality = looked.quality
    if quality is not None and not quality.good:
        return Check(
            item,
            State.WARNING,
            f"{found}, and it cannot see: {quality.reason}",
            "Look again when the table is lit and nothing hides it; docs/cameras.md on focus and"
            " light.",
        )
    if (fps := _fps(looked)) is not None and fps < max(LEAST_FPS, SLOW_SHARE * looked.wanted_fps):
        return Check(
            item,
            State.WARNING,
            f"{found}, asked for {looked.wanted_fps:g} a second",
            "Give it more light (a dark picture takes long), or a USB bus of its own.",
        )
    if health is not None and health.state is HealthState.DEGRADED:
        what, _, remedy = health.reason.partition(". ")
        return Check(item, State.WARNING, f"{found}; {what}", remedy)
    if quality is not None:
        found += f", sharpness {quality.sharpness:.2f}, brightness {quality.exposure:.0%}"
    return Check(item, State.OK, found)


def _fps(looked: Looked) -> float | None:
    return 1.0 / looked.period_s if looked.period_s else None


def _rate(looked: Looked) -> str:
    fps = _fps(looked)
    return "" if fps is None else f", {fps:.1f} pictures a second"
