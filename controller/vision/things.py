"""What lies on the felt of an area, found at a glance: naming cards costs a hundred times what it
costs to see that there is nothing to be named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.frame import Image

Mask = NDArray[np.bool_]

GLANCE_PX_PER_MM = 0.5
"""Of the small picture that is glanced at: a card has 31 pixels across."""

_MARGIN_MM = 36.0  # around a thing: the reader tells cards from felt, and so must see some
_LEAST_MM = 14.0  # what is smaller along both sides is no card
_NEAR_MM = 10.0  # parts of one thing are no further apart
_OURS = 0.3  # of a thing is in an area, if the middle of a card may be
_EDGES = (16, 40)  # of Canny's two steps, of 255
_WHOLE = 0.6  # with more of an area to be read than this, all of it is


class Box(NamedTuple):
    """A part of a map in pixels; right and bottom are not in it."""

    left: int
    top: int
    right: int
    bottom: int

    def slices(self, by: float = 1.0) -> tuple[slice, slice]:
        """Its rows and columns, in a map so many times as large."""
        return (
            slice(int(self.top * by), math.ceil(self.bottom * by)),
            slice(int(self.left * by), math.ceil(self.right * by)),
        )

    def near(self, other: Box, px: float) -> bool:
        """Whether both are the same but for so many pixels on each side."""
        return all(abs(a - b) <= px for a, b in zip(self, other, strict=True))


def things(small: Image, odd: Mask) -> Mask:
    """Where something lies. small: an area with `GLANCE_PX_PER_MM`. odd: which of its pixels have
    another colour than the felt."""
    calm = cv2.GaussianBlur(small, (0, 0), 0.8).astype(np.uint8)
    edges = np.zeros(small.shape[:2], np.uint8)
    for channel in range(3):  # a card may be as light as the felt, and a back as red
        edges |= cv2.Canny(np.ascontiguousarray(calm[..., channel]), *_EDGES).astype(np.uint8)
    found = (edges > 0) | odd
    reach = max(1, round(_NEAR_MM * GLANCE_PX_PER_MM))
    closed = cv2.morphologyEx(
        found.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8)
    )
    return np.asarray(closed > 0)


def boxes(found: Mask, own: Mask, shape: Sequence[int]) -> tuple[Box, ...]:
    """What of an area's map of that shape (height, width, ...) is to be read; none: nothing lies
    there. They do not overlap. found: where things lie. own: which pixels are the area's own; a
    thing that lies mostly beside it is another one's."""
    height, width = shape[:2]
    by = height / found.shape[0], width / found.shape[1]
    margin, least = (round(mm * GLANCE_PX_PER_MM) for mm in (_MARGIN_MM, _LEAST_MM))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        found.astype(np.uint8), connectivity=8
    )
    ours = np.bincount(labels[own], minlength=count)
    apart: list[Box] = []
    for n, (left, top, wide, high, size) in enumerate(stats.tolist()):
        if n == 0 or ours[n] < _OURS * size or (wide < least and high < least):
            continue
        box = Box(
            max(0, int((left - margin) * by[1])),
            max(0, int((top - margin) * by[0])),
            min(width, int((left + wide + margin) * by[1]) + 1),
            min(height, int((top + high + margin) * by[0]) + 1),
        )
        apart = _joined(apart, box)
    if sum(_size(box) for box in apart) > _WHOLE * height * width:
        return (Box(0, 0, width, height),)
    return tuple(sorted(apart))


def _joined(apart: list[Box], box: Box) -> list[Box]:
    """The boxes with one more, joined to those that it touches."""
    while True:
        touched = [b for b in apart if _touch(b, box)]
        if not touched:
            return [*apart, box]
        apart = [b for b in apart if b not in touched]
        both = (*touched, box)
        box = Box(
            min(b.left for b in both),
            min(b.top for b in both),
            max(b.right for b in both),
            max(b.bottom for b in both),
        )


def _touch(one: Box, other: Box) -> bool:
    return (
        one.left < other.right
        and other.left < one.right
        and one.top < other.bottom
        and other.top < one.bottom
    )


def _size(box: Box) -> int:
    return (box.right - box.left) * (box.bottom - box.top)
