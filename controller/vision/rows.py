"""Rows of a spread: indices that stand side by side, and what lies between them. Lengths are in
sizes of an index (from its rank's middle to its suit's), as seen with it upright."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.vision.agree import INDEX_MM, IndexRead
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

INDEX_SIZE_MM: Final = 7.5
"""The usual size of an index; decks print 6 to 9."""

EDGE_SIZES: Final = INDEX_MM[0] / INDEX_SIZE_MM
"""From an index's middle to its card's left edge."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Indices that stand side by side, from the first to the last. steps: in index sizes."""

    marks: tuple[IndexRead, ...]
    steps: tuple[float, ...]


def evened(marks: Sequence[IndexRead]) -> list[IndexRead]:
    """The indices of a row, each standing and as large as those around it do: one alone is askew by
    its letters, a ten by a digit."""
    out = []
    for n, mark in enumerate(marks):
        around = marks[max(0, n - 3) : n + 4]
        off = [(m.angle_deg - mark.angle_deg + 180.0) % 360.0 - 180.0 for m in around]
        angle = (mark.angle_deg + float(np.median(off))) % 360.0
        size = float(np.median([m.size_px for m in around]))
        out.append(replace(mark, angle_deg=angle, size_px=size))
    return out


def rows_of(marks: Sequence[IndexRead]) -> list[Row]:
    """The rows in which they stand."""
    after = [next_in_row(mark, marks) for mark in marks]
    followed = {id(mark) for mark in after if mark is not None}
    rows = []
    for mark in marks:
        if id(mark) in followed:
            continue
        row, steps = [mark], []
        while (following := after[_at(marks, row[-1])]) is not None and len(row) <= len(marks):
            steps.append(row[-1].to(following)[0] / row[-1].size_px)
            row.append(following)
        rows.append(Row(tuple(row), tuple(steps)))
    return rows


def _at(marks: Sequence[IndexRead], mark: IndexRead) -> int:
    return next(n for n, m in enumerate(marks) if m is mark)


def next_in_row(mark: IndexRead, marks: Sequence[IndexRead]) -> IndexRead | None:
    """The nearest index to the right in the same row, on a card that could overlap this one."""
    reach = CARD_MM[0] / INDEX_SIZE_MM
    found = []
    for other in marks:
        right, down = (v / mark.size_px for v in mark.to(other))
        turned = abs((other.angle_deg - mark.angle_deg + 180.0) % 360.0 - 180.0)
        beside = 0.4 < right < reach and abs(down) < min(3.0, 0.7 + 0.3 * right)
        if other is not mark and beside and turned < 25.0:
            found.append((right, other))
    return min(found, key=lambda f: f[0])[1] if found else None


def inked(mark: IndexRead, ink: Floats, left: float, right: float) -> bool:
    """Whether a shape like an index's stands in line with a mark, so many sizes right of it."""
    up = math.radians(mark.angle_deg)
    dx, dy = ink[:, 0] - mark.x_px, ink[:, 1] - mark.y_px
    across = (dx * math.sin(up) + dy * math.cos(up)) / mark.size_px
    down = (dy * math.sin(up) - dx * math.cos(up)) / mark.size_px
    size = ink[:, 2] / mark.size_px
    like = (across > left) & (across < right) & (np.abs(down) < 1.1) & (size > 0.45) & (size < 1.4)
    return bool(like.any())


def sampled(
    image: Image, mark: IndexRead, across: NDArray[np.float64], down: NDArray[np.float64]
) -> Image:
    """(down, across): the lowest of the three colours at places given in sizes of a mark, right of
    it and below it; what lies outside the picture is as its border is."""
    up = math.radians(mark.angle_deg)
    a, d = across[None, :] * mark.size_px, down[:, None] * mark.size_px
    x = np.rint(mark.x_px + a * math.sin(up) - d * math.cos(up)).astype(int)
    y = np.rint(mark.y_px + a * math.cos(up) + d * math.sin(up)).astype(int)
    inside = image[y.clip(0, image.shape[0] - 1), x.clip(0, image.shape[1] - 1)]
    return np.asarray(inside.min(2), np.uint8)
