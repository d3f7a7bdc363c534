"""Which pictures of the lens board are worth keeping, and what is still missing. No I/O.

Somebody moves the board about with both hands; pictures are taken by themselves, where the board is
sharp, hardly moves, and shows something new.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import BoardView, find_board, sharpness
from calibration.camera.lens import (
    CELLS,
    FEWEST_CORNERS,
    bare_corners,
    coverage,
    same_view,
)

ENOUGH_VIEWS = 16
MOST_VIEWS = 40
ENOUGH_COVERED = 0.72
ENOUGH_TILTED = 3
"""Views tilted to either side, and as many to or fro."""
TILTED_DEG = 14.0
_SHARP = 0.10
"""About four pixels of blur."""
_STILL_SHARE = 0.004
"""Of the picture's width, from one picture to the next."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one picture brought. view: the board, if it was kept. words: why it was not, or what is
    missing now."""

    view: BoardView | None
    words: str


class Views:
    """The views kept so far. width_px, height_px: of the pictures."""

    def __init__(self, width_px: int, height_px: int, kept: Sequence[BoardView] = ()) -> None:
        self._size = (width_px, height_px)
        self._kept = list(kept)
        self._before: BoardView | None = None

    @property
    def kept(self) -> tuple[BoardView, ...]:
        return tuple(self._kept)

    @property
    def share(self) -> float:
        """How much of what is needed is there, 0 to 1."""
        width, height = self._size
        covered = coverage(self._kept, width, height)
        parts = (
            len(self._kept) / ENOUGH_VIEWS,
            float((covered > 0).mean()) / ENOUGH_COVERED,
            1 - len(bare_corners(covered)) / 4,
            *(n / ENOUGH_TILTED for n in self._tilted()),
        )
        return sum(min(p, 1.0) for p in parts) / len(parts)

    @property
    def enough(self) -> bool:
        return not self.missing or len(self._kept) >= MOST_VIEWS

    @property
    def missing(self) -> str:
        """What to do next, in words; "" if nothing is missing."""
        width, height = self._size
        covered = coverage(self._kept, width, height)
        bare = bare_corners(covered)
        aside, along = self._tilted()
        if bare:
            return f"hold it in the {bare[0]} corner of the picture"
        if aside < ENOUGH_TILTED:
            return "tilt it: its left side nearer to the camera, then its right side"
        if along < ENOUGH_TILTED:
            return "tilt it: its upper edge nearer to the camera, then its lower edge"
        if (covered > 0).mean() < ENOUGH_COVERED:
            return f"hold it {_barest(covered)}"
        if len(self._kept) < ENOUGH_VIEWS:
            return "go on moving it about, nearer and farther away"
        return ""

    def look(self, image: NDArray[np.uint8]) -> Look:
        """Take a picture, (H, W, 3) BGR, or say why not."""
        view = find_board(image)
        before, self._before = self._before, view
        if view is None:
            return Look(
                None, "the board is not in the picture: nearer, the printed side to the camera"
            )
        if len(view.numbers) < FEWEST_CORNERS:
            return Look(
                None,
                f"{len(view.numbers)} of its {marks.BOARD_CORNERS} corners show: more of it into"
                " the picture, fingers off the squares",
            )
        if sharpness(image, view) < _SHARP:
            return Look(None, "too blurred: slower, or more light")
        if before is None or _apart(before, view) > _STILL_SHARE * self._size[0]:
            return Look(None, "hold it still for a moment")
        if any(same_view(view, kept, self._size[0]) for kept in self._kept):
            return Look(None, self.missing)
        self._kept.append(view)
        return Look(view, self.missing)

    def _tilted(self) -> tuple[int, int]:
        tilts = [_tilt_deg(view, self._size) for view in self._kept]
        return (
            sum(abs(aside) >= TILTED_DEG for aside, _ in tilts),
            sum(abs(along) >= TILTED_DEG for _, along in tilts),
        )


def _apart(one: BoardView, other: BoardView) -> float:
    shared, a, b = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(shared) < 4:
        return math.inf
    return float(np.linalg.norm(one.corners_px[a] - other.corners_px[b], axis=1).mean())


def _tilt_deg(view: BoardView, size: tuple[int, int]) -> tuple[float, float]:
    """About how far the board is turned aside and along, in degrees, for a lens that sees 53°
    across; good enough to ask for more."""
    width, height = size
    lens = np.array([[width, 0, width / 2], [0, width, height / 2], [0, 0, 1.0]])
    found, _ = cv2.findHomography(view.corners_mm, view.corners_px, 0)
    if found is None:
        return 0.0, 0.0
    axes = np.linalg.inv(lens) @ np.asarray(found, dtype=np.float64)
    axes /= np.linalg.norm(axes[:, 0])
    normal = np.cross(axes[:, 0], axes[:, 1])
    normal /= np.linalg.norm(normal) or 1.0
    if normal[2] < 0:
        normal = -normal
    return (
        math.degrees(math.asin(float(np.clip(normal[0], -1, 1)))),
        math.degrees(math.asin(float(np.clip(normal[1], -1, 1)))),
    )


def _barest(covered: NDArray[np.int64]) -> str:
    """Where in the picture most is missing, in words."""
    columns, rows = CELLS
    bare = covered == 0
    thirds = {
        f"{high} {side}".strip(): bare[
            i * rows // 3 : (i + 1) * rows // 3, j * columns // 3 : (j + 1) * columns // 3
        ].sum()
        for i, high in enumerate(("at the upper", "in the middle", "at the lower"))
        for j, side in enumerate(("left", "edge", "right"))
    }
    return max(thirds, key=lambda name: thirds[name]).replace("middle edge", "middle")
