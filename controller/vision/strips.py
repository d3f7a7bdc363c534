"""Cards that lie face down among those of a spread, of which only a strip shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from controller.vision.agree import IndexRead
from controller.vision.picture import Point
from controller.vision.rows import EDGE_SIZES, evened, rows_of, sampled

Image = NDArray[np.uint8]

_DOWN = np.linspace(-1.1, 8.6, 64)  # from a card's top to its bottom, in sizes of an index
_TOP = np.linspace(-1.2, -0.75, 12)  # above the frame of a court card, which is busy as well
_WIDER = 1.25  # than the usual step: a card lies between
_INK = 0.74  # darker than this share of a card's white
_MIDDLE = 3.7  # of a card, below its index


def back_strips(
    image: Image, indices: Sequence[IndexRead], known: Sequence[Point] = ()
) -> list[Point]:
    """One place for each back of which a strip shows between two faces of a row.

    indices: of the faces. known: backs that have been found already. A face's strip is white ground
    for the most part, from top to bottom; a strip that is not is a back's.
    """
    found: list[Point] = []
    rows = [evened(row.marks) for row in rows_of(indices)]
    pairs = [pair for row in rows for pair in pairwise(row)]
    steps = [one.to(other)[0] / one.size_px for one, other in pairs]
    least = _WIDER * float(np.median(steps)) if steps else 0.0
    for one, following in pairs:
        place = _strip(image, one, following, least)
        if place is None:
            continue
        if all(math.dist(place, k) > 6 * one.size_px for k in (*known, *found)):
            found.append(place)
    return found


def _strip(image: Image, one: IndexRead, following: IndexRead, least: float) -> Point | None:
    """The middle of a back's strip between two indices at least so far apart, if one is there."""
    far = one.to(following)[0] / one.size_px
    if far < least:
        return None
    right = np.arange(0.6, far - EDGE_SIZES - 0.1, 0.1)
    if len(right) < 5:
        return None
    around = sampled(image, one, np.linspace(-0.7, 0.7, 20), np.linspace(-1.0, 1.0, 30))
    white = float(np.percentile(around, 90))
    dark = sampled(image, one, right, _DOWN) < _INK * white
    third = len(_DOWN) // 3
    thirds = [dark[n * third : (n + 1) * third].mean(0) for n in range(3)]
    top = sampled(image, one, right, _TOP) < _INK * white
    ink = (np.min(thirds, axis=0) > 0.22) & (dark.mean(0) > 0.36) & (top.mean(0) > 0.15)
    if ink.sum() < 5:
        return None
    at, down = float(right[ink].mean()), _MIDDLE
    up = math.radians(one.angle_deg)
    x = one.x_px + one.size_px * (at * math.sin(up) - down * math.cos(up))
    y = one.y_px + one.size_px * (at * math.cos(up) + down * math.sin(up))
    return (float(x), float(y))
