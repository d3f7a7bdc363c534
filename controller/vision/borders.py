"""Outlines of which every side is accounted for: it is to be seen in the picture, or lies under a
card that is.

A black-and-white map bounds what lies together, not single cards: of a fan it shows the whole, and
an outline that is completed from a part of it may reach out onto the felt, or bound a card twice.
The scale is known, so a side says where its card would lie; whether it does lie there, its other
sides must show. And a card that shows no side which is not another card's already is no card.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.piles import has_cards_size, lies_face_down, uppermost
from controller.vision.quads import WORK_SCALE, Quad
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

STEP_MM: Final = 1.2
"""From one place of a side that is looked at to the next."""

REACH_MM: Final = 2.0
"""A side may lie so far beside where an outline has it."""

ALONG_MM: Final = 8.0
"""What goes on for so long is an edge; a pattern's lines, which cross, are none."""

CONTRAST: Final = 3.5
"""Of 255: the least step in brightness, within two pixels, that is an edge."""

ALIKE: Final = 0.85
"""And of its places so many are lighter on the same side: of a pattern's they are not."""

MISSING: Final = 0.14
"""Of an outline, this share may be seen nowhere: an edge may be too faint here and there."""

GAP_MM: Final = 10.0
"""And in no place more than so much of it."""

OWN_MM: Final = 48.0
"""So much of a card's border must be no other card's."""

ON_TOP: Final = 0.4
"""Of a pile's uppermost card so much of the border shows: white rims lie on white."""

MOSTLY: Final = 0.6
"""Of an outline that a map shows so much must be seen, where no card accounts for the rest."""

STRONG: Final = 0.35
"""A side of a card's own is at least so strong as those of one that lies free: the lines of a
back's pattern are weaker than its rim."""

ABOVE_MM: Final = 45.0
"""A card of whose border so much is seen within another's does not lie under that one."""

APART_MM: Final = 4.0
"""Sides of two cards that are nearer are not told from each other."""

ONE_MM: Final = 9.0
"""Cards that lie the same way with their middles so near are taken for one."""

_CORNER_MM = 4.0  # a card's corner is round, and a line ends there
_LEAST_MM = 9.0  # what is shorter is no part of a side
_MOST_LINES = 60
_SQUARE_DEG = 8.0
_MEET_MM = 7.0  # lines end no further from the corner where they would meet
_OFF = 0.06  # a whole side's length is known so well
_SAME_MM = 1.2
_SAME_DEG = 1.2
_ONE_DEG = 12.0
_UNDER_MM = 1.0
_FRAME = 1.05


@dataclass(frozen=True, eq=False)
class _Tried:
    """An outline with the places along its border, (n, 2), which of them are edges, and how
    strong."""

    quad: Quad
    places: Floats
    seen: NDArray[np.bool_]
    steps: Floats

    @property
    def share(self) -> float:
        return float(self.seen.mean())


def bordered(image: Image, found: Sequence[Quad], px_per_mm: float) -> list[Quad]:
    """Of outlines that were found in an image (h, w, 3), and of those that straight lines in it
    suggest, the ones that are cards'. px_per_mm: the image's scale. Whole ones come first."""
    scale = min(1.0, WORK_SCALE / px_per_mm)
    small = image
    if scale != 1.0:
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
    k = px_per_mm * scale
    as_found = [replace(q, corners=q.corners * scale) for q in found]
    lines = _lines(small, k)
    on_top: dict[Quad, Quad] = {}
    for quad in as_found:
        top = _on_top(small, quad, lines, k)
        if top is not None and not any(_one(top, other, k) for other in on_top.values()):
            on_top[quad] = top
    known = [on_top.get(q) or _sized(q, k) for q in as_found]
    tried = _tried(small, [*known, *_suggested(lines, k, known, small.shape)], k)
    kept = _accepted(tried, k, list(on_top.values()))
    # White on white shows no side: there an outline stays what it was.
    mostly = [t.quad for t in tried[: len(known)] if t.share >= MOSTLY]
    kept += [q for q in mostly if not any(_holds(other, q.middle) for other in kept)]
    cards = [replace(q, corners=q.corners / scale) for q in kept]
    return sorted(cards, key=lambda q: not q.whole)


def _sized(quad: Quad, k: float) -> Quad:
    """An outline of the size that cards have. A smaller one is a frame that is printed on a back,
    where the back's white rim runs into the next card's."""
    by = CARD_MM[1] * k / quad.height
    if by < _FRAME:
        return quad
    middle = quad.corners.mean(0)
    grown = middle + (quad.corners - middle) * by
    return replace(quad, corners=grown.astype(np.float32))


def _on_top(
    image: Image, quad: Quad, lines: Iterable[tuple[complex, complex]], k: float
) -> Quad | None:
    """The uppermost card of what that outline bounds, if it is a pile's and a back lies on it."""
    if not quad.whole or has_cards_size(quad, k):
        return None
    _, b, c, _ = quad.four
    ways = [c - b]
    for one, other in lines:
        if _holds(quad, one) and _holds(quad, other):
            way = _along(c - b, other - one)
            if way is not None and all(_apart_deg(way, w) >= _SAME_DEG for w in ways):
                ways.append(way)
    tried = _tried(image, uppermost(image, quad, k, ways), k)
    best = max(tried, key=lambda t: float(t.steps.mean()), default=None)
    if best is None or best.share < ON_TOP or not lies_face_down(image, best.quad):
        return None
    return best.quad


# ---- lines and the cards that they suggest (points are complex numbers here: x + y j)


def _lines(image: Image, k: float) -> list[tuple[complex, complex]]:
    """Straight lines of some length, the longest first."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    lowest = cv2.min(cv2.min(image[..., 0], image[..., 1]), image[..., 2])
    found: list[tuple[complex, complex]] = []
    for channel in (lowest, lab[..., 1]):
        calm = cv2.GaussianBlur(np.ascontiguousarray(channel), (0, 0), 0.7).astype(np.uint8)
        lines = cv2.createLineSegmentDetector().detect(calm)[0]
        if lines is not None:
            ends = np.asarray(lines, np.float64).reshape(-1, 4).tolist()
            found += [(complex(a, b), complex(c, d)) for a, b, c, d in ends]
    long = [line for line in found if abs(line[1] - line[0]) >= _LEAST_MM * k]
    return sorted(long, key=lambda line: -abs(line[1] - line[0]))[:_MOST_LINES]


def _suggested(
    lines: Sequence[tuple[complex, complex]],
    k: float,
    known: Sequence[Quad],
    shape: tuple[int, ...],
) -> list[Quad]:
    """Where cards would lie that have these lines as sides."""
    out: list[Quad] = []
    for quad in (*_by_corners(lines, k), *_by_sides(lines, k)):
        low, high = quad.corners.min(0), quad.corners.max(0)
        inside = low.min() > 1 and high[0] < shape[1] - 2 and high[1] < shape[0] - 2
        if inside and not any(_alike(quad, other, k) for other in (*known, *out)):
            out.append(quad)
    return out


def _by_sides(lines: Iterable[tuple[complex, complex]], k: float) -> Iterable[Quad]:
    """A line as long as a card's side: the card lies on one side of it or on the other."""
    for a, b in lines:
        length, along = abs(b - a), (b - a) / abs(b - a)
        for own, other in (CARD_MM, CARD_MM[::-1]):
            straight = own - 2 * _CORNER_MM
            if straight * (1 - _OFF) * k < length < own * (1 + _OFF) * k:
                middle = (a + b) / 2
                for inward in (1j * along, -1j * along):
                    corner = middle - along * own * k / 2
                    yield _laid(corner, along * own * k, inward * other * k)


def _by_corners(lines: Sequence[tuple[complex, complex]], k: float) -> Iterable[Quad]:
    """Two lines that end where they would meet at a right angle: a card lies between them, either
    way."""
    for n, one in enumerate(lines):
        for other in lines[n + 1 :]:
            met = _corner(one, other, k)
            if met is None:
                continue
            at, along, aside = met
            turned = 1j * along if (aside / along).imag > 0 else -1j * along
            for own, across in (CARD_MM, CARD_MM[::-1]):
                yield _laid(at, along * own * k, turned * across * k)


def _corner(
    one: tuple[complex, complex], other: tuple[complex, complex], k: float
) -> tuple[complex, complex, complex] | None:
    """Where two lines meet, and the ways in which they go from there."""
    u, v = one[1] - one[0], other[1] - other[0]
    cross = (u.conjugate() * v).imag
    if abs(cross) < math.cos(math.radians(_SQUARE_DEG)) * abs(u) * abs(v):
        return None
    away = other[0] - one[0]
    at = one[0] + u * (away.conjugate() * v).imag / cross
    ways = []
    for a, b in (one, other):
        near, far = (a, b) if abs(a - at) <= abs(b - at) else (b, a)
        if abs(near - at) > _MEET_MM * k or abs(far - at) > (1 + _OFF) * CARD_MM[1] * k:
            return None
        if ((near - at) / (far - at)).real < -0.05:
            return None  # one goes on beyond the other
        ways.append((far - at) / abs(far - at))
    return at, ways[0], ways[1]


def _laid(corner: complex, along: complex, inward: complex) -> Quad:
    """A card by one corner and two sides: clockwise as one looks, a short side first."""
    if (along.conjugate() * inward).imag < 0:
        along, inward = inward, along
    four = [corner, corner + along, corner + along + inward, corner + inward]
    if abs(along) > abs(inward):
        four = [*four[1:], four[0]]
    return Quad(np.array([(p.real, p.imag) for p in four], np.float32), False, 1)


def _alike(one: Quad, other: Quad, k: float) -> bool:
    return abs(one.middle - other.middle) <= _SAME_MM * k and _turned_deg(one, other) < _SAME_DEG


def _one(one: Quad, other: Quad, k: float) -> bool:
    """Whether two outlines are taken to be of one card."""
    return abs(one.middle - other.middle) <= ONE_MM * k and _turned_deg(one, other) < _ONE_DEG


def _holds(quad: Quad, place: complex) -> bool:
    ring = np.ascontiguousarray(quad.corners.reshape(-1, 1, 2), np.float32)
    return cv2.pointPolygonTest(ring, (place.real, place.imag), False) >= 0


def _along(way: complex, line: complex) -> complex | None:
    """The way nearest to one in which a card points, one of whose sides that line is; None: it is
    none's."""
    turned = line / way
    quarters = round(math.degrees(math.atan2(turned.imag, turned.real)) / 90.0)
    turned *= (-1j) ** quarters
    own = way * turned / abs(turned)
    return own if _apart_deg(own, way) < _ONE_DEG else None


def _apart_deg(one: complex, other: complex) -> float:
    """The angle between two ways."""
    turn = one / other
    return abs(math.degrees(math.atan2(turn.imag, turn.real)))


def _turned_deg(one: Quad, other: Quad) -> float:
    turn = (one.four[2] - one.four[1]) / (other.four[2] - other.four[1])
    turned = math.degrees(math.atan2(turn.imag, turn.real)) % 180.0
    return min(turned, 180.0 - turned)


# ---- what of their borders is to be seen


def _tried(image: Image, quads: Sequence[Quad], k: float) -> list[_Tried]:
    if not quads:
        return []
    reach = max(2, round(REACH_MM * k))
    across = np.arange(-reach - 1, reach + 2, dtype=np.float32)
    places = [_places(quad, k) for quad in quads]
    counts = [[len(p) for p, _ in four] for four in places]
    at = np.concatenate([p for four in places for p, _ in four])
    normal = np.concatenate([np.broadcast_to(n, p.shape) for four in places for p, n in four])
    spots = (at[:, None] + normal[:, None] * across[None, :, None]).astype(np.float32)
    calm = cv2.GaussianBlur(image, (0, 0), 0.6)
    shades = cv2.remap(
        calm, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    out: list[tuple[Quad, Floats, list[Floats]]] = []
    begin = 0
    for quad, four, sides in zip(quads, counts, places, strict=True):
        ways = [_edges(shades[b : b + n]) for b, n in zip(_starts(begin, four), four, strict=True)]
        begin += sum(four)
        border = np.concatenate([p for p, _ in sides])
        out.append((quad, border, ways))
    lighter = _lighter_within(out)
    return [
        _Tried(
            _whole_or_not(quad, seen), border, np.concatenate(seen), np.abs(np.concatenate(ways))
        )
        for quad, border, ways in out
        for seen in ([way > 0 if lighter else way < 0 for way in ways],)
    ]


def _lighter_within(tried: Iterable[tuple[Quad, Floats, Sequence[Floats]]]) -> bool:
    """Whether cards are lighter than what is around them, as their white rims mostly are: else
    every frame that is printed on one, and the end of its shadow, would be a card's side too."""
    sure = [ways for quad, _, ways in tried if quad.whole and quad.votes > 1]
    return sum(float(np.sign(way).sum()) for ways in sure for way in ways) >= 0


def _places(quad: Quad, k: float) -> list[tuple[Floats, Floats]]:
    """For each side the places along it, (n, 2), and the direction away from the card."""
    sides = []
    for a, b in zip(quad.corners, np.roll(quad.corners, -1, 0), strict=True):
        length = float(np.hypot(*(b - a)))
        rim = min(0.2, _CORNER_MM * k / max(length, 1.0))
        count = max(3, round(length * (1 - 2 * rim) / (STEP_MM * k)))
        share = np.linspace(rim, 1 - rim, count, dtype=np.float32)[:, None]
        away = np.array([(b - a)[1], -(b - a)[0]], np.float32) / max(length, 1.0)
        sides.append(((a + (b - a) * share).astype(np.float32), away))
    return sides


def _starts(begin: int, counts: Sequence[int]) -> list[int]:
    return [begin + sum(counts[:n]) for n in range(len(counts))]


def _edges(shades: Floats) -> Floats:
    """How strong an edge there is along a side: above 0 where it is lighter within, below where it
    is without, 0 where there is none. shades (n, across, 3), from within to without."""
    n = len(shades)
    steps = (shades[:, :-2] - shades[:, 2:]).reshape(n, -1)
    run = round(ALONG_MM / STEP_MM) | 1

    def evenly(values: Floats) -> Floats:
        calm = cv2.blur(values, (1, run), borderType=cv2.BORDER_REPLICATE)
        return np.asarray(calm.reshape(n, -1), np.float32)

    mean, lighter = evenly(steps), evenly((steps > 0).astype(np.float32))
    down = np.where(lighter >= ALIKE, mean, 0.0).max(axis=1)
    up = np.where(lighter <= 1 - ALIKE, -mean, 0.0).max(axis=1)
    step = np.where(down >= up, down, -up)
    return np.where(np.abs(step) >= CONTRAST, step, 0.0).astype(np.float32)


def _whole_or_not(quad: Quad, seen: Sequence[NDArray[np.bool_]]) -> Quad:
    """Lines suggest where a card lies; whether all of it is to be seen, its sides say."""
    if quad.whole or quad.votes > 1:
        return quad
    whole = all(side.mean() >= 1 - MISSING for side in seen)
    return replace(quad, whole=whole, votes=2 if whole else 1)


# ---- one outline after the other


def _accepted(tried: Sequence[_Tried], k: float, on_top: Sequence[Quad]) -> list[Quad]:
    """As few cards as account for the sides that are to be seen. Whole ones first, then those with
    most of their own: what lies under them is excused. on_top: known to lie on all others."""
    top = [t for t in tried if t.quad in on_top]
    left = sorted(tried, key=lambda t: (-t.quad.whole, -t.share, -t.quad.votes))
    sure = [t.steps for t in left if t.quad.whole and t.seen.any()]
    beside = _Beside(k, STRONG * max((float(np.median(steps)) for steps in sure), default=0.0))
    while True:
        kept = _sound(left, beside, top)
        own = {t: beside.own_mm(t, kept) for t in kept if t not in top}
        least = min(own, key=lambda t: own[t], default=None)
        if least is None or own[least] >= OWN_MM:
            return [t.quad for t in kept]
        left = [t for t in left if t is not least]


def _sound(tried: Sequence[_Tried], beside: _Beside, top: Sequence[_Tried]) -> list[_Tried]:
    """Outlines of which no side is missing, each with sides of its own. top: known to be cards."""
    kept = list(top)
    left = [t for t in tried if t not in kept]
    while True:
        fit = (t for t in left if not any(_one(t.quad, other.quad, beside.k) for other in kept))
        fit = (t for t in fit if beside.own_mm(t, kept) >= OWN_MM and beside.accounts_for(t, kept))
        best = next(fit, None)
        if best is None:
            return kept
        if not best.quad.whole:
            best = max((best, *fit), key=lambda t: beside.own_mm(t, kept))
        left.remove(best)
        kept.append(best)


class _Beside:
    """How outlines lie to each other, worked out once."""

    def __init__(self, k: float, strong: float) -> None:
        self.k = k
        self._strong = strong
        self._far: dict[tuple[_Tried, _Tried], Floats] = {}

    def far_mm(self, one: _Tried, other: _Tried) -> Floats:
        """How far out of the other's outline each place of one's border is; below 0 within it."""
        far = self._far.get((one, other))
        if far is None:
            a = other.quad.corners
            side = np.roll(a, -1, 0) - a
            away = np.column_stack([side[:, 1], -side[:, 0]]) / np.hypot(*side.T)[:, None]
            outside = ((one.places[:, None] - a) * away).sum(axis=2)
            far = np.asarray(outside.max(axis=1) / self.k, np.float32)
            self._far[one, other] = far
        return far

    def accounts_for(self, one: _Tried, above: Iterable[_Tried]) -> bool:
        """Whether a border is seen, or lies under other cards, but for what may be too faint."""
        lost = ~one.seen
        for other in above:
            far = self.far_mm(one, other)
            if float((one.seen & (far < -APART_MM)).sum()) * STEP_MM < ABOVE_MM:
                lost = lost & (far >= _UNDER_MM)
        return float(lost.mean()) <= MISSING and _longest(lost) * STEP_MM <= GAP_MM

    def own_mm(self, one: _Tried, kept: Iterable[_Tried]) -> float:
        """So much of what is seen of a border is no other outline's."""
        own = one.seen & (one.steps >= self._strong)
        for other in kept:
            if other is not one:
                own = own & (np.abs(self.far_mm(one, other)) >= APART_MM)
        return float(own.sum()) * STEP_MM


def _longest(true: NDArray[np.bool_]) -> int:
    """Of the runs in a row."""
    longest = run = 0
    for each in true.tolist():
        run = run + 1 if each else 0
        longest = max(longest, run)
    return longest
