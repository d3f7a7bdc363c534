"""Pictures of the printed marks under a camera of known lens and place: what the calibration is
held against. The lens is undone by OpenCV's own tables, not by ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from calibration.camera import marks
from calibration.camera.drawn import BOARD_EDGE_MM, board_image, sticker_image
from drivers.camera.frame import Image
from drivers.sim.camera_flat import (
    Lens,
    Sheet,
    Stance,
    above,
    laid_around,
    laid_over,
    moved_about,
    taken,
)
from drivers.sim.camera_flat import held as held_sheet

__all__ = ["Image", "Lens", "Place", "above", "held", "views_over_the_picture"]

Place = Stance
_FELT = (70, 95, 40)
_BOARD_MM = (
    marks.BOARD_SQUARES[0] * marks.SQUARE_MM,
    marks.BOARD_SQUARES[1] * marks.SQUARE_MM,
)


def held(
    x: float, y: float, distance_mm: float, tilt: tuple[float, float], roll_deg: float, lens: Lens
) -> Stance:
    """The lens board held before the camera."""
    return held_sheet(_BOARD_MM, x, y, distance_mm, tilt, roll_deg, lens)


def views_over_the_picture(lens: Lens, seed: int = 0) -> list[Stance]:
    """Eighteen ways in which a person holds the lens board."""
    return moved_about(_BOARD_MM, lens, seed)


def board_picture(
    lens: Lens, place: Stance, *, blur_px: float = 0.6, noise: float = 2.5, seed: int = 0
) -> Image:
    """The lens board as that camera sees it."""
    return taken(laid_over(_felt(lens), board_sheet(), lens, place), blur_px, noise, seed)


def table_picture(
    lens: Lens,
    place: Stance,
    stickers: Mapping[int, tuple[float, float, float]],
    *,
    blur_px: float = 0.6,
    noise: float = 2.5,
    seed: int = 0,
) -> Image:
    """A table's felt with stickers as that camera sees it. stickers: x, y in millimetres and the
    turn in degrees, by number."""
    sheet = _table_sheet(tuple(sorted((n, *at) for n, at in stickers.items())))
    return taken(laid_over(_felt(lens), sheet, lens, place), blur_px, noise, seed)


def stuck_down(
    places: Mapping[int, tuple[float, float]] = marks.STICKERS, err_mm: float = 0.0, seed: int = 0
) -> dict[int, tuple[float, float, float]]:
    """Stickers as a hand sticks them: about there, and a little crooked."""
    chance = np.random.default_rng(seed)
    return {
        n: (x + chance.normal(0, err_mm), y + chance.normal(0, err_mm), chance.normal(0, 6))
        for n, (x, y) in places.items()
    }


@lru_cache(maxsize=1)
def board_sheet() -> Sheet:
    edge = 8 * BOARD_EDGE_MM - 0.5
    return Sheet(board_image(8), 8.0, (edge, edge))


@lru_cache(maxsize=2)
def _table_sheet(stickers: tuple[tuple[int, float, float, float], ...]) -> Sheet:
    felt = np.full((3600, 7200, 3), _FELT, dtype=np.uint8)
    base = Sheet(felt, 3.0, (3599.5, 1799.5), y_up=True)
    return laid_around(
        ((Sheet(sticker_image(n), 10.0, (0.0, 0.0)), x, y, a) for n, x, y, a in stickers), base
    )


def _felt(lens: Lens) -> Image:
    return np.full((lens.height, lens.width, 3), _FELT, dtype=np.uint8)
