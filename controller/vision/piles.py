"""The uppermost card of a pile, if it lies face down.

Where cards lie on one another, each a few millimetres beside the next, white rim lies on white rim:
a black-and-white map bounds the pile, which is a little larger than a card, and the sides of the
uppermost hardly show. But a back is the same turned half round, and the rest of a pile is not: so
its middle is where the picture is most like itself turned, whatever sticks out around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.backs import SURE_BACK, back_likelihood
from controller.vision.quads import Quad, straight
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

OFF_MM: Final = 1.2
"""An outline that is larger than a card by more than that is a pile's; one that is so much smaller
is what is printed on a back, where white rims run into each other."""

ASIDE_MM: Final = 9
"""From a pile's middle to its uppermost card's, across or down."""

ALIKE: Final = 0.7
"""Of 1: so like itself turned half round is a back about its middle."""

_PX_MM = 3.0  # at which a back is judged; its middle is looked for at one pixel a millimetre
_EDGE_MM = 2  # what a rim is, or blurs into it
_CALM_MM = 0.8  # no pattern's finest lines
_SLOPE_MM = 25  # and not the light's slope


def has_cards_size(quad: Quad, px_per_mm: float) -> bool:
    a, b, c, d = quad.four
    sizes = (abs(b - a) + abs(c - d)) / 2 / px_per_mm, quad.height / px_per_mm
    return all(abs(own - mm) <= OFF_MM for own, mm in zip(sizes, CARD_MM, strict=True))


def uppermost(
    image: Image, pile: Quad, px_per_mm: float, ways: Iterable[complex]
) -> Sequence[Quad]:
    """Where the uppermost card of a pile with that outline may lie: one outline for each of the
    ways in which its long side may point; none, if no back can lie there."""
    middle = middle_of_back(image, pile, px_per_mm)
    if middle is None:
        return ()
    return [_laid(pile, middle, way / abs(way), px_per_mm) for way in ways]


def lies_face_down(image: Image, quad: Quad) -> bool:
    """Whether what an outline bounds is a back beyond doubt."""
    return back_likelihood(straight(image, quad.corners, _PX_MM), _PX_MM) >= SURE_BACK


def _laid(pile: Quad, middle: complex, way: complex, px_per_mm: float) -> Quad:
    long, short = (mm / 2 * px_per_mm * way for mm in (CARD_MM[1], CARD_MM[0]))
    short *= 1j  # x to the right, y down: clockwise
    four = (middle - long + short, middle - long - short, middle + long - short)
    corners = [(p.real, p.imag) for p in (*four, middle + long + short)]
    return replace(pile, corners=np.array(corners, np.float32))


def middle_of_back(image: Image, pile: Quad, px_per_mm: float) -> complex | None:
    """About which place, not far from an outline's middle, a card's width and height are alike
    when they are turned half round; None: about none."""
    a, b, c, d = pile.four
    way = (c - b + d - a) / abs(c - b + d - a)
    wide, high = (int(mm / 2) - _EDGE_MM for mm in CARD_MM)
    x, y = wide + ASIDE_MM, high + ASIDE_MM
    # The long side points down in what is cut out, a pixel to the millimetre.
    down, right = way * px_per_mm, way * -1j * px_per_mm
    origin = pile.middle - x * right - y * down
    matrix = np.array(
        [[right.real, down.real, origin.real], [right.imag, down.imag, origin.imag]], np.float32
    )
    cut = cv2.warpAffine(
        image,
        matrix,
        (2 * x + 1, 2 * y + 1),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.uint8)
    grey = cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY).astype(np.float32)
    calm = cv2.GaussianBlur(grey, (0, 0), _CALM_MM) - cv2.blur(grey, (_SLOPE_MM, _SLOPE_MM))
    alike = np.array(
        [
            [_halves(calm[v - high : v + high + 1, u - wide : u + wide + 1]) for u in _aside(x)]
            for v in _aside(y)
        ]
    )
    v, u = (int(n) for n in np.unravel_index(int(alike.argmax()), alike.shape))
    if alike[v, u] < ALIKE:
        return None
    across = u - ASIDE_MM + _between(alike[v], u)
    return pile.middle + across * right + (v - ASIDE_MM + _between(alike[:, u], v)) * down


def _aside(middle: int) -> range:
    return range(middle - ASIDE_MM, middle + ASIDE_MM + 1)


def _halves(part: Floats) -> float:
    """How alike a part of a picture is to itself turned half round, -1 to 1."""
    flat = np.ascontiguousarray(part).ravel()
    half = flat.size // 2
    size = float(flat @ flat)
    return 2 * float(flat[:half] @ flat[: -half - 1 : -1]) / size if size > 4.0 * flat.size else 0.0


def _between(values: NDArray[np.float64], n: int) -> float:
    """How far beside the highest of some values their peak is."""
    if not 0 < n < len(values) - 1:
        return 0.0
    before, at, after = (float(v) for v in values[n - 1 : n + 2])
    bend = before - 2 * at + after
    return 0.5 * (before - after) / bend if bend < 0 else 0.0
