"""Pictures of flat things under a camera of known lens and place, ray by ray: what the calibration
is held against. Independent of its geometry: the lens is undone by OpenCV's own tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import board_dictionary, sticker_dictionary
from calibration.camera.sheets import cells

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]

_FELT = (70, 95, 40)
_SHEET_PX_MM = 8.0
_TABLE_PX_MM = 3.0
_FINER = 2


@dataclass(frozen=True)
class Lens:
    """A camera's lens: size of its pictures, focal length and middle in pixels, distortion."""

    width: int = 1280
    height: int = 720
    focal: float = 950.0
    middle: tuple[float, float] = (652.0, 349.0)
    distortion: tuple[float, float, float, float, float] = (-0.16, 0.05, 0.0008, -0.0005, 0.0)

    @property
    def matrix(self) -> Matrix:
        cx, cy = self.middle
        return np.array([[self.focal, 0, cx], [0, self.focal, cy], [0, 0, 1.0]])

    @property
    def rows(self) -> tuple[tuple[float, float, float], ...]:
        return tuple(tuple(float(x) for x in row) for row in self.matrix)  # type: ignore[misc]


@dataclass(frozen=True)
class Place:
    """Where a camera is to a flat thing. turn: its axes in the camera's; at: its origin in the
    camera's, millimetres."""

    turn: Matrix = field(repr=False)
    at: Matrix = field(repr=False)

    def homography(self, lens: Lens) -> Matrix:
        """From the thing's millimetres to undistorted pixels."""
        h = lens.matrix @ np.column_stack((self.turn[:, 0], self.turn[:, 1], self.at))
        return np.asarray(h / h[2, 2])


def above(
    height_mm: float = 1150.0,
    over: tuple[float, float] = (0.0, 20.0),
    look: tuple[float, float] = (0.0, -20.0),
    turned_deg: float = 1.0,
) -> Place:
    """A camera over the table (x right, y away from the dealer) at that height over `over`, looking
    at the place `look`, the dealer at the picture's lower edge."""
    eye = np.array([*over, height_mm])
    forward = np.array([*look, 0.0]) - eye
    forward /= np.linalg.norm(forward)
    c, s = math.cos(math.radians(turned_deg)), math.sin(math.radians(turned_deg))
    right = np.cross(forward, (-s, c, 0.0))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    turn = np.vstack((right, down, forward))
    return Place(turn, -turn @ eye)


def held(
    x: float, y: float, distance_mm: float, tilt: tuple[float, float], roll_deg: float, lens: Lens
) -> Place:
    """The lens board held before the camera: its middle at that share of the picture (0 to 1), at
    that distance, tilted about its own x and y by degrees."""
    turn, _ = cv2.Rodrigues(np.array([0.0, 0.0, math.radians(roll_deg)]))
    for axis, degrees in enumerate(tilt):
        vector = np.zeros(3)
        vector[axis] = math.radians(degrees)
        turn = cv2.Rodrigues(vector)[0] @ turn
    ray = np.linalg.inv(lens.matrix) @ (x * lens.width, y * lens.height, 1.0)
    across, down = marks.BOARD_SQUARES
    half = np.array([across * marks.SQUARE_MM / 2, down * marks.SQUARE_MM / 2, 0.0])
    return Place(np.asarray(turn), ray * distance_mm - turn @ half)


def views_over_the_picture(lens: Lens, seed: int = 0) -> list[Place]:
    """Eighteen ways in which a person holds the board: everywhere, and tilted to each side."""
    chance = np.random.default_rng(seed)
    near = 245 / lens.width * lens.focal / 0.42  # the board takes two fifths of the picture
    spots = [(x, y) for y in (0.24, 0.5, 0.76) for x in (0.22, 0.5, 0.78)] * 2
    tilts = [(0, 0), (28, 0), (-28, 0), (0, 28), (0, -28), (20, 20), (-20, 20), (20, -20)]
    return [
        held(
            x + chance.normal(0, 0.02),
            y + chance.normal(0, 0.02),
            near * chance.uniform(0.9, 1.2),
            tuple(t + chance.normal(0, 4) for t in tilts[i % len(tilts)]),  # type: ignore[arg-type]
            chance.normal(0, 8),
            lens,
        )
        for i, (x, y) in enumerate(spots)
    ]


def photographed(
    sheet: Image,
    px_per_mm: float,
    origin_px: tuple[float, float],
    lens: Lens,
    place: Place,
    *,
    y_up: bool = False,
    blur_px: float = 0.6,
    noise: float = 2.5,
    seed: int = 0,
    ground: Image | None = None,
) -> Image:
    """The sheet as that camera sees it, (H, W, 3). origin_px: of the sheet's millimetres; their y
    runs down the sheet unless y_up. ground: what shows around it."""
    to_sheet = np.array([[px_per_mm, 0, origin_px[0]], [0, px_per_mm, origin_px[1]], [0, 0, 1.0]])
    if y_up:
        to_sheet[1, 1] *= -1
    pixels = _straight_pixels(lens)
    flat = pixels @ (to_sheet @ np.linalg.inv(place.homography(lens))).T
    at = (flat[..., :2] / flat[..., 2:]).astype(np.float32)
    fine = cv2.remap(
        sheet,
        at[..., 0],
        at[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=_FELT,
    )
    if ground is not None:
        h, w = sheet.shape[:2]
        inside = (at[..., 0] >= 0) & (at[..., 0] < w) & (at[..., 1] >= 0) & (at[..., 1] < h)
        fine[~inside] = cv2.resize(ground, (fine.shape[1], fine.shape[0]))[~inside]
    seen = cv2.resize(fine, (lens.width, lens.height), interpolation=cv2.INTER_AREA)
    if blur_px:
        seen = cv2.GaussianBlur(seen, (0, 0), blur_px)
    grain = np.random.default_rng(seed).normal(0, noise, seen.shape) if noise else 0.0
    return np.clip(seen + grain, 0, 255).astype(np.uint8)


def board_picture(lens: Lens, place: Place, **how: float | int) -> Image:
    """The lens board as that camera sees it."""
    edge = 10 * _SHEET_PX_MM
    return photographed(
        _board_sheet(),
        _SHEET_PX_MM,
        (edge - 0.5, edge - 0.5),
        lens,
        place,
        **how,  # type: ignore[arg-type]
    )


def table_picture(
    lens: Lens,
    place: Place,
    stickers: Mapping[int, tuple[float, float, float]],
    **how: float | int,
) -> Image:
    """A table's felt with stickers as that camera sees it. stickers: x, y in millimetres and the
    turn in degrees, by number."""
    sheet, origin = _table_sheet(tuple(sorted((n, *at) for n, at in stickers.items())))
    return photographed(
        sheet,
        _TABLE_PX_MM,
        origin,
        lens,
        place,
        y_up=True,
        **how,  # type: ignore[arg-type]
    )


def stuck_down(
    places: Mapping[int, tuple[float, float]] = marks.STICKERS, err_mm: float = 0.0, seed: int = 0
) -> dict[int, tuple[float, float, float]]:
    """Stickers as a hand sticks them: about there, and a little crooked."""
    chance = np.random.default_rng(seed)
    return {
        n: (x + chance.normal(0, err_mm), y + chance.normal(0, err_mm), chance.normal(0, 6))
        for n, (x, y) in places.items()
    }


@lru_cache(maxsize=4)
def _straight_pixels(lens: Lens) -> Matrix:
    """(2H, 2W, 3): for each half pixel of the picture its undistorted place."""
    at = (np.arange(lens.width * _FINER) + 0.5) / _FINER - 0.5
    down = (np.arange(lens.height * _FINER) + 0.5) / _FINER - 0.5
    grid = np.stack(np.meshgrid(at, down), axis=-1).reshape(-1, 1, 2)
    stop = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 100, 1e-9)
    undo = getattr(cv2, "undistortPointsIter", None)
    k = np.array(lens.distortion)
    if undo is not None:
        out = undo(grid, lens.matrix, k, np.eye(3), lens.matrix, stop)
    else:
        out = cv2.undistortPoints(grid, lens.matrix, k, R=np.eye(3), P=lens.matrix, criteria=stop)
    out = np.reshape(out, (lens.height * _FINER, lens.width * _FINER, 2))
    return np.concatenate((out, np.ones_like(out[..., :1])), axis=-1)


@lru_cache(maxsize=1)
def _board_sheet() -> Image:
    k = _SHEET_PX_MM
    columns, rows = marks.BOARD_SQUARES
    edge, side = int(10 * k), int(marks.SQUARE_MM * k)
    sheet = np.full((rows * side + 2 * edge, columns * side + 2 * edge), 245, dtype=np.uint8)
    inset, mark = int((marks.SQUARE_MM - marks.BOARD_MARK_MM) / 2 * k), int(marks.BOARD_MARK_MM * k)
    number = 0
    for row in range(rows):
        for column in range(columns):
            y, x = edge + row * side, edge + column * side
            if (row + column) % 2 == 0:
                sheet[y : y + side, x : x + side] = 20
                continue
            black = cells(board_dictionary(), number)
            sheet[y + inset : y + inset + mark, x + inset : x + inset + mark] = _inked(black, mark)
            number += 1
    return np.asarray(cv2.cvtColor(sheet, cv2.COLOR_GRAY2BGR), dtype=np.uint8)


@lru_cache(maxsize=2)
def _table_sheet(
    stickers: tuple[tuple[int, float, float, float], ...],
) -> tuple[Image, tuple[float, float]]:
    k = _TABLE_PX_MM
    half_w, half_h = 1200, 600
    sheet = np.full((int(2 * half_h * k), int(2 * half_w * k), 3), _FELT, dtype=np.uint8)
    origin = (half_w * k - 0.5, half_h * k - 0.5)
    for number, x, y, turned in stickers:
        _stick(sheet, origin, number, x, y, turned)
    return sheet, origin


def _stick(
    sheet: Image, origin: tuple[float, float], number: int, x: float, y: float, turned: float
) -> None:
    side = int((marks.STICKER_MM + 2 * marks.QUIET_MM) * 10)
    card = np.full((side, side), 245, dtype=np.uint8)
    edge, ink = int(marks.QUIET_MM * 10), int(marks.STICKER_MM * 10)
    card[edge : edge + ink, edge : edge + ink] = _inked(cells(sticker_dictionary(), number), ink)
    c, s = math.cos(math.radians(turned)), math.sin(math.radians(turned))
    k = _TABLE_PX_MM / 10
    middle = (side - 1) / 2
    # card's right is (c, s) on the table, its up (-s, c); the sheet's y runs down
    to = np.array([[k * c, k * s, 0.0], [-k * s, k * c, 0.0]])
    there = np.add(origin, (_TABLE_PX_MM * x, -_TABLE_PX_MM * y))
    to[:, 2] = there - to[:, :2] @ (middle, middle)
    size = (sheet.shape[1], sheet.shape[0])
    soft = cv2.GaussianBlur(card, (0, 0), 1.2)
    laid = cv2.warpAffine(soft, to, size, flags=cv2.INTER_AREA, borderValue=0)
    where = cv2.warpAffine(np.full_like(card, 255), to, size, flags=cv2.INTER_NEAREST)
    sheet[where > 0] = laid[where > 0][:, None]


def _inked(black: NDArray[np.bool_], side: int) -> Image:
    small = np.where(black, 20, 245).astype(np.uint8)
    return np.asarray(cv2.resize(small, (side, side), interpolation=cv2.INTER_NEAREST), np.uint8)
