"""What was measured of a camera: its lens, where it hangs over the table, and which parts of the
table it sees. Pure data, and its file's form; fitting and saving come elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

Row = tuple[float, float, float]

_ZONE = re.compile(r"seat/([1-9]|1[01])|board|burn|muck|stub|count")
_LARGEST_PX = 20_000
_FAR_MM = 5_000.0
_ROOM_MM2 = 100.0
"""An area smaller than this holds nothing."""


class CameraProfileError(ValueError):
    """A profile cannot be used. `faults` names every one of them: what, and what is allowed."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return (
            "this camera profile cannot be used: " + "; ".join(self.faults) + ". Next: put its"
            " backup back, or measure anew with: burnturn calibrate camera"
        )


@dataclass(frozen=True, slots=True)
class CameraProfile:
    """A camera as calibrated.

    camera: its number at this table. width_px, height_px: of the pictures it was calibrated with.
    matrix: the 3x3 camera matrix in those pixels. distortion: OpenCV's k1, k2, p1, p2, k3.
    table_to_picture: the 3x3 homography from the table's millimetres (`drivers.table_plan`) to
    undistorted pixels. areas: by zone name ("seat/4", "board", "burn", "muck", "stub"), the corners
    of a convex polygon in table millimetres, anticlockwise; only what this camera sees.
    px_per_mm: at the middle of the board. stickers: where the table's stickers lay as this
    camera saw them, by number, in table millimetres; they show whether it has moved. residual_mm:
    how well the stickers, or points, fitted (rms). device: what the camera calls itself, "" if it
    says nothing.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    camera: int
    width_px: int
    height_px: int
    matrix: tuple[Row, Row, Row]
    distortion: tuple[float, float, float, float, float]
    table_to_picture: tuple[Row, Row, Row]
    areas: Mapping[str, tuple[tuple[float, float], ...]]
    px_per_mm: float
    stickers: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    residual_mm: float = 0.0
    device: str = ""


def checked(profile: CameraProfile) -> CameraProfile:
    """The profile, if it can be used. Raises CameraProfileError with every fault in it."""
    faults = tuple(profile_faults(profile))
    if faults:
        raise CameraProfileError(faults)
    return profile


def profile_faults(profile: CameraProfile) -> Iterator[str]:
    """What makes a profile unusable, a line each; nothing if it is sound."""
    yield from _picture_faults(profile)
    if abs(_determinant(profile.table_to_picture)) < 1e-12:
        yield "table_to_picture: no plane is seen through it (its determinant is 0)"
    if not 0.05 <= profile.px_per_mm <= 100:
        yield f"px_per_mm = {profile.px_per_mm:g}; allowed 0.05 to 100"
    if profile.residual_mm < 0:
        yield f"residual_mm = {profile.residual_mm:g}; allowed 0 and more"
    if not profile.areas:
        yield "areas: none; a camera that sees no area is of no use"
    for zone, corners in profile.areas.items():
        if not _ZONE.fullmatch(zone):
            yield (
                f"areas: {zone!r} is no place; allowed seat/1 to seat/11, board, burn, muck, stub,"
                " count"
            )
        yield from (f"areas: {zone}: {fault}" for fault in _polygon_faults(corners))
    for number, at in profile.stickers.items():
        if number < 1 or math.hypot(*at) > _FAR_MM:
            yield f"stickers: {number} at {at[0]:g}, {at[1]:g} mm is not on the table"


def foreign_faults(
    profile: CameraProfile, camera: int, width_px: int, height_px: int, device: str = ""
) -> tuple[str, ...]:
    """Why a profile is not of the camera that is there, a line each; () if it is.

    device: what the camera calls itself; compared only where both are known. Pictures of another
    size show other parts of the table, so they make a profile foreign too.
    """
    found = []
    if profile.camera != camera:
        found.append(f"it is of camera {profile.camera}, and this is camera {camera}")
    if (profile.width_px, profile.height_px) != (width_px, height_px):
        found.append(
            f"it was measured with pictures of {profile.width_px}x{profile.height_px}, and this"
            f" camera gives {width_px}x{height_px}"
        )
    if device and profile.device and device != profile.device:
        found.append(f"it was measured with {profile.device!r}, and this is {device!r}")
    return tuple(found)


def _picture_faults(profile: CameraProfile) -> Iterator[str]:
    if profile.camera < 1:
        yield f"camera = {profile.camera}; allowed 1 and more"
    for name, size in (("width_px", profile.width_px), ("height_px", profile.height_px)):
        if not 1 <= size <= _LARGEST_PX:
            yield f"{name} = {size}; allowed 1 to {_LARGEST_PX}"
    (fx, _, cx), (_, fy, cy), last = profile.matrix
    if min(fx, fy) <= 0 or tuple(last) != (0.0, 0.0, 1.0):
        yield "matrix: not a camera's (fx 0 cx, 0 fy cy, 0 0 1, with fx and fy above 0)"
    if not (0 <= cx <= profile.width_px and 0 <= cy <= profile.height_px):
        yield f"matrix: its middle {cx:g}, {cy:g} lies outside of the picture"


def _polygon_faults(corners: tuple[tuple[float, float], ...]) -> Iterator[str]:
    if len(corners) < 3:
        yield f"{len(corners)} corners; at least 3"
        return
    if any(math.hypot(x, y) > _FAR_MM for x, y in corners):
        yield f"a corner farther than {_FAR_MM:g} mm from the board"
    turns = list(_turns_deg(corners))
    if min(turns) < -1e-6 or sum(turns) > 361:
        yield "its corners do not go round once, anticlockwise and without a dent"
    elif _room(corners) < _ROOM_MM2:
        yield "no room between its corners"


def _turns_deg(corners: tuple[tuple[float, float], ...]) -> Iterator[float]:
    """How far one turns at each corner when walking round, to the left counted positive."""
    sides = [
        math.atan2(b[1] - a[1], b[0] - a[0])
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    for before, after in zip(sides, sides[1:] + sides[:1], strict=True):
        yield (math.degrees(after - before) + 180.0) % 360.0 - 180.0


def _room(corners: tuple[tuple[float, float], ...]) -> float:
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in pairs) / 2


def _determinant(m: tuple[Row, Row, Row]) -> float:
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
