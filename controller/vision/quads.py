"""Card outlines: four-sided shapes of a card's form in several black-and-white maps of a picture.

No map is right for every table: a card is lighter than dark felt, edged on light felt, and another
colour than either. So several are made, each gives shapes, and shapes that several maps show are
believed first. The sides are fitted, not the corners, as those of a card are round. A card that is
partly covered still shows two or three of its corners: its sides meet there, and the rest follows
from a card's form.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

FORM: Final = CARD_MM[1] / CARD_MM[0]
FORM_OFF: Final = 0.16
"""So much may the form of an outline differ from a card's: the camera looks at a slant."""

WORK_PX: Final = 1000
"""Outlines are looked for in a picture of so many pixels along its longer side, where its scale is
not known, and at `WORK_SCALE` where it is."""

WORK_SCALE: Final = 1.6  # pixels a millimetre
LONGEST: Final = 2.4
"""In its own lengths, as far as a side may go on straight: cards that lie in a row, side by side
or a little on one another, have one edge together."""

_SMALLEST_PX = 34.0  # of a card's shorter side, as it is looked for
_PLAIN_DEG = 12.0  # two sides at a corner are at right angles within so much
_SAME = 0.16  # of a card's height: outlines whose middles are nearer are of one card


@dataclass(frozen=True, eq=False)
class Quad:
    """A card's outline. corners (4, 2): clockwise as one looks, the first two along a short side.
    whole: all four sides were seen. votes: how many maps showed it."""

    corners: Floats
    whole: bool
    votes: int

    @cached_property
    def four(self) -> tuple[complex, ...]:
        """The corners, each x + y j."""
        return tuple(complex(x, y) for x, y in self.corners.tolist())

    @cached_property
    def middle(self) -> complex:
        return complex(sum(self.four) / 4)

    @cached_property
    def height(self) -> float:
        a, b, c, d = self.four
        return float((abs(c - b) + abs(d - a)) / 2)


def quads(image: Image, px_per_mm: float | None = None) -> list[Quad]:
    """The cards whose outlines an image shows, whole ones first.

    image: (h, w, 3). px_per_mm: its scale, if known; else cards of any size are taken that is at
    least a thirtieth of the picture. Covered cards are found from the size of whole ones, or from
    the scale.
    """
    scale = _scale(image, px_per_mm)
    small = image
    if scale != 1.0:
        flag = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=flag).astype(np.uint8)
    known = None if px_per_mm is None else px_per_mm * scale * CARD_MM[1]
    contours = [(m, c) for m, binary in enumerate(_maps(small)) for c in _contours(binary)]
    found = [(m, q) for m, c in contours if (q := _whole(c, small.shape, known)) is not None]
    whole = _merged(found, whole=True)
    height = known or (float(np.median([q.height for q in whole])) if whole else None)
    pieces = [
        (m, q)
        for m, c in contours
        for q in _completed(_sides(c, height or 2 * _SMALLEST_PX), height, known)
        if _inside(q, small.shape)
    ]
    partly = [q for q in _merged(pieces, whole=False) if not any(_same(q, w, 0.5) for w in whole)]
    return [Quad(q.corners / scale, q.whole, q.votes) for q in (*whole, *partly)]


def straight(image: Image, corners: Floats, px_per_mm: float) -> Image:
    """The card in that outline, laid straight: (88, 63) millimetres at that scale."""
    w, h = (round(mm * px_per_mm) for mm in CARD_MM)
    to = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), to)
    return cv2.warpPerspective(
        image, matrix, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.uint8, copy=False)


def _scale(image: Image, px_per_mm: float | None) -> float:
    if px_per_mm is not None:
        return min(1.0, WORK_SCALE / px_per_mm)
    return min(1.0, float(WORK_PX / max(image.shape[:2])))


# ---- maps


def _maps(image: Image) -> Iterator[Image]:
    """Black-and-white maps: a card is white in some of them."""
    lowest = cv2.blur(cv2.min(cv2.min(image[..., 0], image[..., 1]), image[..., 2]), (3, 3))
    side = max(image.shape[:2])
    for share in (0.05, 0.16):
        block = max(15, int(side * share)) | 1
        mean = cv2.blur(lowest, (block, block))
        yield _mask(lowest.astype(np.int16) > mean.astype(np.int16) + 8)
    split, light = cv2.threshold(lowest, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    yield light.astype(np.uint8)
    for part in (lowest[lowest > split], lowest[lowest <= split]):
        if part.size > 64:
            level, _ = cv2.threshold(part, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
            yield _mask(lowest > level)
    yield _off_the_felt(image)
    for low, high in ((16, 48), (45, 120)):
        edges = cv2.Canny(cv2.GaussianBlur(image, (3, 3), 0.8), low, high)
        yield _mask(cv2.dilate(edges, np.ones((3, 3), np.uint8)) == 0)


def _mask(true: NDArray[np.bool_]) -> Image:
    return true.astype(np.uint8) * np.uint8(255)


def felt_colour(image: Image) -> Floats:
    """(3,): the colour of which a picture has most, as OpenCV's Lab."""
    step = max(1, max(image.shape[:2]) // 256)
    few = np.ascontiguousarray(image[::step, ::step])
    lab = cv2.cvtColor(few, cv2.COLOR_BGR2LAB).reshape(-1, 3)
    cells = lab // np.array([24, 8, 8], np.uint8)
    key = (cells[:, 0].astype(np.int32) * 32 + cells[:, 1]) * 32 + cells[:, 2]
    most = np.bincount(key).argmax()
    return np.asarray(lab[key == most].mean(0), np.float32)


def _off_the_felt(image: Image) -> Image:
    """What has another colour than the felt."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB).astype(np.float32)
    away = np.abs(lab - felt_colour(image)) @ np.array([0.5, 1.0, 1.0], np.float32)
    eight = np.clip(away * 2, 0, 255).astype(np.uint8)
    _, off = cv2.threshold(eight, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return np.asarray(off, np.uint8)


def _contours(binary: Image) -> list[NDArray[np.int32]]:
    calm = cv2.morphologyEx(binary, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    found, _ = cv2.findContours(calm, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    least = 2 * _SMALLEST_PX * (1 + FORM) * 0.5
    return [c.reshape(-1, 2).astype(np.int32) for c in found if len(c) >= least]


# ---- whole outlines


def _whole(
    contour: NDArray[np.int32], shape: tuple[int, ...], known: float | None
) -> Floats | None:
    """The outline's four corners, if it is a card's."""
    hull = np.asarray(cv2.convexHull(contour), np.int32)
    area = cv2.contourArea(hull)
    if area < _SMALLEST_PX**2 * FORM or area > 0.9 * shape[0] * shape[1]:
        return None
    if _framed(contour, shape):
        return None
    if known is not None and not 0.6 < area / (known * known / FORM) < 1.5:
        return None
    if cv2.contourArea(contour) < 0.86 * area:
        return None
    box = cv2.boxPoints(cv2.minAreaRect(hull))
    if area < 0.75 * cv2.contourArea(box):
        return None
    four = _four(hull)
    fitted = None if four is None else _fitted(contour, four)
    if fitted is None or not 0.95 < cv2.contourArea(fitted) / area < 1.12:
        return None
    return _formed(fitted, known)


def _framed(contour: NDArray[np.int32], shape: tuple[int, ...]) -> bool:
    """Whether a contour runs along the picture's own border: what it bounds goes on outside."""
    x, y = contour[:, 0], contour[:, 1]
    along = ((x <= 2) | (y <= 2) | (x >= shape[1] - 3) | (y >= shape[0] - 3)).mean()
    return float(along) > 0.1


def _four(hull: NDArray[np.int32]) -> Floats | None:
    length = cv2.arcLength(hull, True)
    for share in (0.02, 0.035, 0.05, 0.07):
        few = cv2.approxPolyDP(hull, share * length, True)
        if len(few) <= 4:
            return few.reshape(4, 2).astype(np.float32) if len(few) == 4 else None
    return None


def _fitted(contour: NDArray[np.int32], four: Floats) -> Floats | None:
    """Corners where the sides meet, each side fitted to its straight part."""
    ring = contour.astype(np.float32)
    lines = []
    for a, b in zip(four, np.roll(four, -1, 0), strict=True):
        along = b - a
        length = float(np.hypot(*along))
        if length < 4:
            return None
        along = along / length
        t = (ring - a) @ along
        off = np.abs((ring - a) @ np.array([-along[1], along[0]]))
        near = ring[(t > 0.15 * length) & (t < 0.85 * length) & (off < 0.06 * length + 2)]
        if len(near) < 4:
            return None
        lines.append(cv2.fitLine(near, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    out = [_meeting(lines[n - 1], lines[n]) for n in range(4)]
    return None if any(p is None for p in out) else np.array(out, np.float32)


def _meeting(one: Sequence[float], other: Sequence[float]) -> Floats | None:
    """Where two lines (direction, point) meet."""
    ux, uy, x, y = (float(v) for v in one)
    vx, vy, p, q = (float(v) for v in other)
    cross = ux * vy - uy * vx
    if abs(cross) < 0.2:
        return None
    t = ((p - x) * vy - (q - y) * vx) / cross
    return np.array([x + t * ux, y + t * uy], np.float32)


def _formed(four: Floats, known: float | None = None) -> Floats | None:
    """The corners in order, if they have a card's form: clockwise, a short side first."""
    middle = four.mean(0)
    turn = np.arctan2(four[:, 1] - middle[1], four[:, 0] - middle[0])
    four = four[np.argsort(turn)]
    sides = np.hypot(*(np.roll(four, -1, 0) - four).T)
    one, other = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    if one > other:
        four, sides = np.roll(four, -1, 0), np.roll(sides, -1)
        one, other = other, one
    if one < 4 or abs(math.log(other / one / FORM)) > FORM_OFF:
        return None
    if (
        max(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1])
        > 1.3
    ):
        return None
    if known is not None and abs(math.log(other / known)) > 0.12:
        return None
    return four.astype(np.float32)


# ---- covered ones (points are complex numbers here: x + y j)

Side = tuple[complex, complex]


def _completed(sides: Sequence[Side], height: float | None, known: float | None) -> list[Floats]:
    """Cards of which a contour shows some corners, made whole: three corners give it, two where a
    card's height is about so much. known: exactly so, where the scale is: two cards side by side
    have nearly the form of a larger one."""
    found = [] if len(sides) < 3 else [_by_two_sides(sides, n, known) for n in range(len(sides))]
    if height is not None and len(sides) >= 3:
        found += [_by_one_side(sides, n, height) for n in range(len(sides))]
    return [four for four in found if four is not None]


def _inside(four: Floats, shape: tuple[int, ...]) -> bool:
    """Whether a card that was made whole lies in the picture."""
    low, high = four.min(0), four.max(0)
    return bool(low.min() > 2 and high[0] < shape[1] - 3 and high[1] < shape[0] - 3)


def _by_two_sides(sides: Sequence[Side], n: int, known: float | None) -> Floats | None:
    """From three corners in a row: two sides are whole, and the others go along them."""
    if len(sides) < 4:
        return None
    before, one, two, after = (sides[(n + k) % len(sides)] for k in range(4))
    at = [_meets(a, b) for a, b in pairwise((before, one, two, after))]
    a, b, c = at
    if a is None or b is None or c is None:
        return None
    four = _formed(_points(a, b, c, a + c - b), known)
    return four if four is not None and abs(c - b) > _SMALLEST_PX < abs(b - a) else None


def _by_one_side(sides: Sequence[Side], n: int, height: float) -> Floats | None:
    """From two corners: the side between them is a card's width or its height."""
    before, after = sides[n - 1], sides[(n + 1) % len(sides)]
    one, two = _meets(before, sides[n]), _meets(sides[n], after)
    if one is None or two is None:
        return None
    u, v = before[0] - before[1], after[1] - after[0]
    for own, other in ((height / FORM, height), (height, height / FORM)):
        seen = max(abs(u), abs(v)) / other
        longest = LONGEST if own == height else 1.1  # hole cards lie side by side
        if abs(abs(two - one) / own - 1) < 0.08 and 0.3 < seen < longest:
            inward = u / abs(u) + v / abs(v)
            inward *= other / abs(inward)
            return _formed(_points(one, two, two + inward, one + inward), height)
    return None


def _points(*corners: complex) -> Floats:
    return np.array([(p.real, p.imag) for p in corners], np.float32)


def _sides(contour: NDArray[np.int32], size: float) -> list[Side]:
    """Straight parts of a contour in its order, clockwise as one looks. size: of a card, about."""
    few = cv2.approxPolyDP(contour, max(2.0, 0.022 * size), True).reshape(-1, 2)
    if len(few) > 60:
        return []  # no card's, but some pattern's
    if cv2.contourArea(few, True) < 0:
        few = few[::-1]
    points = [complex(x, y) for x, y in few.tolist()]
    ends = zip(points, [*points[1:], points[0]], strict=True)
    return [(a, b) for a, b in ends if abs(b - a) > 0.22 * size]


def _meets(one: Side, other: Side) -> complex | None:
    """The corner where two parts of a contour meet: one ends there, the other begins, and it turns
    inwards at a right angle."""
    u, v = one[1] - one[0], other[1] - other[0]
    turn = v / u
    if abs(math.degrees(math.atan2(turn.imag, turn.real)) - 90.0) > _PLAIN_DEG:
        return None
    away = (other[0] - one[0]) / u
    t = away.real - away.imag * turn.real / turn.imag
    at = one[0] + t * u
    gap = max(abs(at - one[1]), abs(at - other[0]))
    return at if gap < 0.35 * max(abs(u), abs(v)) else None


# ---- one outline a card


def _merged(found: list[tuple[int, Floats]], whole: bool) -> list[Quad]:
    """One outline for those that lie on one another: of those that several maps show the largest,
    as frames printed on a card lie within it."""
    left = [(m, Quad(q, whole, 1)) for m, q in found]
    alike: list[list[tuple[int, Quad]]] = []
    for m, quad in sorted(left, key=lambda v: -v[1].height):
        for group in alike:
            if _same(quad, group[0][1], 0.05):
                group.append((m, quad))
                break
        else:
            alike.append([(m, quad)])
    merged = [_median([q for _, q in g], whole, len({m for m, _ in g})) for g in alike]
    kept: list[Quad] = []
    for quad in sorted(merged, key=lambda q: (-(q.votes > 1), -q.height)):
        if not any(_same(quad, k, 0.5) for k in kept):
            kept.append(quad)
    return kept


def _median(group: list[Quad], whole: bool, votes: int) -> Quad:
    first = group[0].corners
    turned = []
    for quad in group:
        ways = [np.roll(quad.corners, k, 0) for k in (0, 2)]
        turned.append(min(ways, key=lambda w: float(np.abs(w - first).sum())))
    return Quad(np.median(turned, 0).astype(np.float32), whole, votes)


def _same(one: Quad, other: Quad, off: float) -> bool:
    """Whether two outlines are of one card; off: how much their sizes may differ."""
    size = max(one.height, other.height)
    if abs(one.middle - other.middle) > _SAME * size:
        return False
    if abs(math.log(one.height / other.height)) > off:
        return False
    turn = (one.four[2] - one.four[1]) / (other.four[2] - other.four[1])
    turned = math.degrees(math.atan2(turn.imag, turn.real)) % 180.0
    return min(turned, 180.0 - turned) < 12.0 or off > 0.3
