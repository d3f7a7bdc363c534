"""The areas that a camera reads, and at which scale. Pure.

They come from the table's plan, or from place cards laid where the cards really lie, or from typed
values; the last one wins. An area is given to the camera only if the picture holds all of it, large
enough for card backs; whether faces can be read there is said beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike

from calibration.camera import marks
from calibration.camera.geometry import (
    Matrix,
    Points,
    distorted,
    scale_at,
    through,
    undistorted,
)
from calibration.camera.table_fit import TableFit
from calibration.camera_profile import Row
from drivers.table_plan import Area, table_plan

INDEX_MM = 6.0
"""Height of a card's rank in its corner: 5 to 7 mm on decks in use."""
FACES_PX = 10.0
"""An index lower than this is not read (measured on photographs: 10 to 60 px are)."""
SURE_PX = 14.0
BACKS_PX_MM = 0.5
"""A card is then 32 px wide, and its back can be told from the felt."""
ERROR_LIMIT_MM = 20.0
"""A third of a card: a card in the middle of an area is still in it."""
_MARGIN_PX = 2.0
_FOLDED_PX = 1.0
_SHARED = 0.08

Lens = tuple[tuple[Row, Row, Row], Sequence[float]]
"""Matrix and distortion."""


@dataclass(frozen=True, slots=True)
class SeenArea:
    """An area of the table in the camera's picture.

    origin: "plan", "card" or "typed". px_per_mm: where, and in the direction in which, it shows
    least. index_px: how high a card's index is there. error_mm: how far off the area is likely to
    be. left_out: why this camera does not get it; "": it does.
    """

    zone: str
    area: Area
    origin: str
    px_per_mm: float
    index_px: float
    error_mm: float
    left_out: str

    @property
    def faces(self) -> bool:
        """Whether faces can be read there, not backs alone."""
        return not self.left_out and self.index_px >= FACES_PX


def seen_areas(
    seats: int,
    lens: Lens,
    table: TableFit,
    size_px: tuple[int, int],
    cards: Mapping[str, Area],
    typed: Mapping[str, Area],
) -> tuple[SeenArea, ...]:
    """All areas of a table with that many seats, and what this camera makes of them. cards, typed:
    areas that replace those of the plan, by zone. size_px: width and height of the picture."""
    if table.table_to_picture is None:
        return ()
    found = []
    for zone, planned in table_plan(seats).items():
        if zone == "table":
            continue
        origin = "typed" if zone in typed else "card" if zone in cards else "plan"
        area = typed.get(zone, cards.get(zone, planned))
        found.append(_seen(zone, area, origin, lens, table, size_px))
    return tuple(found)


def card_area(corners_px: Points, planned: Area, lens: Lens, table_to_picture: ArrayLike) -> Area:
    """Where a place card lies, with the planned area's size: its middle, and its direction."""
    back = np.linalg.inv(np.asarray(table_to_picture, dtype=np.float64))
    upper_left, upper_right, lower_right, lower_left = through(
        back / back[2, 2], undistorted(corners_px, *lens)
    )
    x, y = (upper_left + upper_right + lower_right + lower_left) / 4
    right = upper_right + lower_right - upper_left - lower_left
    angle = math.degrees(math.atan2(right[1], right[0])) % 360.0
    return replace(planned, x_mm=float(x), y_mm=float(y), angle_deg=angle)


def card_areas(
    cards: Mapping[int, Points], seats: int, lens: Lens, table_to_picture: ArrayLike
) -> Mapping[str, Area]:
    """The areas by the place cards seen, by zone. cards: corners by number."""
    plan, zones = table_plan(seats), marks.place_cards(seats)
    return {
        zones[number]: card_area(corners, plan[zones[number]], lens, table_to_picture)
        for number, corners in cards.items()
        if number in zones
    }


def area_of(corners_mm: Sequence[tuple[float, float]]) -> Area:
    """The rectangle with those four corners, as `Area.corners_mm` gives them."""
    (ax, ay), (bx, by), (cx, cy), _ = corners_mm
    return Area(
        (ax + cx) / 2,
        (ay + cy) / 2,
        math.hypot(bx - ax, by - ay),
        math.hypot(cx - bx, cy - by),
        math.degrees(math.atan2(by - ay, bx - ax)) % 360.0,
    )


def area_faults(seen: Sequence[SeenArea]) -> Iterator[str]:
    """Why the areas must not be used."""
    if not any(not area.left_out for area in seen):
        reasons = "; ".join(dict.fromkeys(f"{_name(a.zone)}: {a.left_out}" for a in seen))
        yield f"the camera sees no area of the table ({reasons}): hang it higher, or turn it"


def area_warnings(seen: Sequence[SeenArea]) -> Iterator[str]:
    """What deserves a look, and what to do about it."""
    for reason in dict.fromkeys(a.left_out for a in seen if a.left_out):
        alike = ", ".join(_name(a.zone) for a in seen if a.left_out == reason)
        yield f"{alike}: not given to this camera, {reason}"
    backs = [a for a in seen if not a.left_out and not a.faces]
    if backs:
        lowest = min(a.index_px for a in backs)
        yield (
            f"{_names(backs, seen)}: backs can be seen there, but faces not be read (an index is"
            f" {lowest:.0f} px high, {FACES_PX:.0f} px needed): larger pictures, a nearer camera or"
            " a longer lens"
        )
    doubtful = [a for a in seen if a.faces and a.index_px < SURE_PX]
    if doubtful:
        yield (
            f"{_names(doubtful, seen)}: an index is {min(a.index_px for a in doubtful):.0f} px"
            f" high; faces are read more surely from {SURE_PX:.0f} px"
        )
    used = [a for a in seen if not a.left_out]
    for n, one in enumerate(used):
        for other in used[n + 1 :]:
            share = _shared(one.area, other.area)
            if share > _SHARED:
                yield (
                    f"{_name(one.zone)} and {_name(other.zone)} share {share:.0%}: a card there"
                    " belongs to either; give one of them another place (--area)"
                )


def index_px(px_per_mm: float) -> float:
    """How high a card's index is at a scale, in pixels."""
    return px_per_mm * INDEX_MM


def _seen(
    zone: str,
    area: Area,
    origin: str,
    lens: Lens,
    table: TableFit,
    size_px: tuple[int, int],
) -> SeenArea:
    corners = np.array(area.corners_mm)
    straight = through(table.table_to_picture or np.eye(3), corners)
    if not _in_picture(straight, lens, size_px):
        shown = (0.0, 0.0, table.error_mm(area.x_mm, area.y_mm))
        return SeenArea(zone, area, origin, *shown, _OUTSIDE)
    scale = min(
        scale_at(table.table_to_picture or np.eye(3), x, y)[1]
        for x, y in (*area.corners_mm, (area.x_mm, area.y_mm))
    )
    error = table.error_mm(area.x_mm, area.y_mm)
    return SeenArea(zone, area, origin, scale, index_px(scale), error, _reason(scale, error))


_OUTSIDE = "not wholly in the picture: turn or raise the camera, or give other places (--area)"


def _reason(scale: float, error_mm: float) -> str:
    if scale < BACKS_PX_MM:
        return (
            f"too small there (below {BACKS_PX_MM} px a millimetre): larger pictures, or a nearer"
            " camera"
        )
    if error_mm > ERROR_LIMIT_MM:
        return (
            f"known to worse than {ERROR_LIMIT_MM:.0f} mm: put stickers nearer to it, or measure"
            " their places anew"
        )
    return ""


def _in_picture(straight: Matrix, lens: Lens, size_px: tuple[int, int]) -> bool:
    """Whether all of those undistorted pixels show, and not only seem to: far outside of the
    picture the lens' polynomial turns back into it."""
    if not np.isfinite(straight).all():
        return False
    at = distorted(straight, *lens)
    width, height = size_px
    x, y = at[:, 0], at[:, 1]
    m = _MARGIN_PX
    if not ((x >= m) & (x < width - m) & (y >= m) & (y < height - m)).all():
        return False
    return bool((np.linalg.norm(undistorted(at, *lens) - straight, axis=1) < _FOLDED_PX).all())


def _shared(one: Area, other: Area) -> float:
    """What two areas have in common, as a share of the smaller one."""
    a, b = (np.array(area.corners_mm, dtype=np.float32) for area in (one, other))
    common, _ = cv2.intersectConvexConvex(a, b)
    return float(common) / min(area.width_mm * area.height_mm for area in (one, other))


def _names(areas: Sequence[SeenArea], of: Sequence[SeenArea]) -> str:
    if len(areas) > 2 and len(areas) == sum(not a.left_out for a in of):
        return "everywhere"
    return ", ".join(_name(a.zone) for a in areas)


def _name(zone: str) -> str:
    return zone.replace("/", " ")
