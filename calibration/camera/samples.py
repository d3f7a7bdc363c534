"""What was measured of a camera, and what a house says beside it. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from calibration.camera.detect import BoardView
from calibration.camera.geometry import Points
from drivers.table_plan import Area

Corner = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BoardSample:
    """A view of the lens board. numbers, corners_px: of its inner corners, in the same order."""

    numbers: tuple[int, ...]
    corners_px: tuple[Corner, ...] = field(repr=False)

    @classmethod
    def of(cls, view: BoardView) -> BoardSample:
        return cls(
            tuple(int(n) for n in view.numbers),
            tuple((float(x), float(y)) for x, y in view.corners_px),
        )

    @property
    def view(self) -> BoardView:
        return BoardView(np.array(self.numbers), np.array(self.corners_px))


@dataclass(frozen=True, slots=True)
class CameraSamples:
    """What was measured of a camera, as JSON can keep it.

    width_px, height_px: of its pictures; 0 before the first one. device: what it calls itself.
    views: of the lens board. stickers, cards: corners (4 of them) by number, each the mean of
    several pictures. wobble_px: how far the stickers went about between those pictures. by_plan:
    somebody said that the areas are as on the plan. picture: the table, a JPEG as base64, in which
    no card can be read (`calibration.camera.faceless`).
    """

    width_px: int = 0
    height_px: int = 0
    device: str = ""
    views: tuple[BoardSample, ...] = ()
    stickers: Mapping[int, tuple[Corner, ...]] = field(default_factory=dict)
    wobble_px: float = 0.0
    cards: Mapping[int, tuple[Corner, ...]] = field(default_factory=dict)
    by_plan: bool = False
    picture: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Said:
    """What a house says instead of letting it be measured.

    stickers: places of stickers that are not where the plan has them, by number, millimetres.
    points: places of the table and where they are in the picture: x_mm, y_mm, x_px, y_px. areas:
    by zone, instead of those of the plan.
    """

    stickers: Mapping[int, Corner] = field(default_factory=dict)
    points: tuple[tuple[float, float, float, float], ...] = ()
    areas: Mapping[str, Area] = field(default_factory=dict)


def corners(samples: Mapping[int, tuple[Corner, ...]]) -> dict[int, Points]:
    """Corners by number as arrays (4, 2)."""
    return {number: np.array(four, dtype=np.float64) for number, four in samples.items()}
