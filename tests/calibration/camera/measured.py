"""A small camera over a table, its views and its stickers, rendered once for all tests."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from calibration.camera.detect import BoardView, Sticker, find_board, find_stickers
from calibration.camera.geometry import Points, distorted, through
from calibration.camera.lens import LensFit, fit_lens
from tests.calibration.camera.rendered import (
    Image,
    Lens,
    Place,
    above,
    board_picture,
    stuck_down,
    table_picture,
    views_over_the_picture,
)

SMALL = Lens(960, 540, 700.0, (489.0, 262.0))
OVER = above(1000.0, (0.0, -60.0), (0.0, 10.0))


@cache
def views() -> tuple[BoardView, ...]:
    """The lens board in eighteen pictures of the small camera."""
    found = [
        find_board(board_picture(SMALL, place, seed=i))
        for i, place in enumerate(views_over_the_picture(SMALL))
    ]
    return tuple(view for view in found if view is not None)


@cache
def lens() -> LensFit:
    """The small camera's lens as fitted to them."""
    return fit_lens(views(), SMALL.width, SMALL.height)


@cache
def table(seed: int = 0) -> Image:
    """The table with its eight stickers."""
    return table_picture(SMALL, OVER, stuck_down(), seed=seed)


@cache
def stickers() -> Mapping[int, Sticker]:
    """The stickers found in it."""
    return find_stickers(table())


def seen_at(places_mm: object, lens: Lens = SMALL, place: Place = OVER) -> Points:
    """Where places of the table lie in the picture by the camera's own, true geometry."""
    straight = through(place.homography(lens), np.asarray(places_mm, dtype=float))
    return distorted(straight, lens.matrix, lens.distortion)
