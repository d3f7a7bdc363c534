"""Flat printed things under a simulated camera: each ray through its lens, to where it meets the
sheet. For calibration, where a tenth of a pixel counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.frame import Image

Matrix = NDArray[np.float64]

_FINER = 2
"""Rays a pixel, each way."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera's lens: size of its pictures, focal length and middle in pixels, and OpenCV's k1,
    k2, p1, p2, k3."""

    width: int = 1280
    height: int = 720
    focal: float = 950.0
    middle: tuple[float, float] = (652.0, 349.0)
    distortion: tuple[float, float, float, float, float] = (-0.16, 0.05, 0.0008, -0.0005, 0.0)

    @property
    def rows(
        self,
    ) -> tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]:
        """The camera matrix."""
        cx, cy = self.middle
        return ((self.focal, 0.0, cx), (0.0, self.focal, cy), (0.0, 0.0, 1.0))

    @property
    def matrix(self) -> Matrix:
        return np.array(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """How a flat thing lies before a camera. turn: (3, 3), its axes in the camera's (x right, y
    down, z away). at: (3,), its origin in the camera's, millimetres."""

    turn: Matrix = field(repr=False)
    at: Matrix = field(repr=False)

    def homography(self, lens: Lens) -> Matrix:
        """From the thing's millimetres to undistorted pixels."""
        h = lens.matrix @ np.column_stack((self.turn[:, 0], self.turn[:, 1], self.at))
        return np.asarray(h / h[2, 2])


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Something printed. image: (H, W, 3) BGR. origin_px: of its millimetres, in the image. y_up:
    its y runs up the image, as a table's does, not down."""

    image: Image = field(repr=False)
    px_per_mm: float
    origin_px: tuple[float, float]
    y_up: bool = False

    @property
    def to_image(self) -> Matrix:
        """From its millimetres to pixels of the image."""
        k, (x, y) = self.px_per_mm, self.origin_px
        return np.array([[k, 0, x], [0, -k if self.y_up else k, y], [0, 0, 1.0]])


def above(
    height_mm: float = 1150.0,
    over: tuple[float, float] = (0.0, 20.0),
    look: tuple[float, float] = (0.0, -20.0),
    turned_deg: float = 1.0,
) -> Stance:
    """A table (`drivers.table_plan`) under a camera that hangs at that height over the place `over`
    and looks at the place `look`, the dealer at the picture's lower edge."""
    eye = np.array([*over, height_mm])
    forward = np.array([*look, 0.0]) - eye
    forward /= np.linalg.norm(forward)
    c, s = math.cos(math.radians(turned_deg)), math.sin(math.radians(turned_deg))
    right = np.cross(forward, (-s, c, 0.0))
    right /= np.linalg.norm(right)
    turn = np.vstack((right, np.cross(forward, right), forward))
    return Stance(turn, -turn @ eye)


def held(
    sheet_mm: tuple[float, float],
    x: float,
    y: float,
    distance_mm: float,
    tilt: tuple[float, float],
    roll_deg: float,
    lens: Lens,
) -> Stance:
    """A sheet of that size held before a camera: its middle at that share of the picture (0 to 1),
    at that distance, tilted about the camera's x and y by degrees."""
    turn, _ = cv2.Rodrigues(np.array([0.0, 0.0, math.radians(roll_deg)]))
    for axis, degrees in enumerate(tilt):
        vector = np.zeros(3)
        vector[axis] = math.radians(degrees)
        turn = cv2.Rodrigues(vector)[0] @ turn
    ray = np.linalg.inv(lens.matrix) @ (x * lens.width, y * lens.height, 1.0)
    half = np.array([sheet_mm[0] / 2, sheet_mm[1] / 2, 0.0])
    return Stance(np.asarray(turn), ray * distance_mm - turn @ half)


def moved_about(sheet_mm: tuple[float, float], lens: Lens, seed: int = 0) -> list[Stance]:
    """Eighteen ways in which a person holds a sheet: everywhere, and tilted to each side."""
    chance = np.random.default_rng(seed)
    near = sheet_mm[0] / lens.width * lens.focal / 0.42  # it takes two fifths of the picture
    spots = [(x, y) for y in (0.24, 0.5, 0.76) for x in (0.22, 0.5, 0.78)] * 2
    tilts = [(0, 0), (28, 0), (-28, 0), (0, 28), (0, -28), (20, 20), (-20, 20), (20, -20)]
    return [
        held(
            sheet_mm,
            x + chance.normal(0, 0.02),
            y + chance.normal(0, 0.02),
            near * chance.uniform(0.9, 1.2),
            tuple(t + chance.normal(0, 4) for t in tilts[i % len(tilts)]),  # type: ignore[arg-type]
            chance.normal(0, 8),
            lens,
        )
        for i, (x, y) in enumerate(spots)
    ]


def laid_over(picture: Image, sheet: Sheet, lens: Lens, stance: Stance) -> Image:
    """The picture of a camera with that lens, with the sheet before whatever it shows."""
    flat = _straight_rays(lens) @ (sheet.to_image @ np.linalg.inv(stance.homography(lens))).T
    at = (flat[..., :2] / flat[..., 2:]).astype(np.float32)
    size = (lens.width, lens.height)
    seen = cv2.remap(
        sheet.image, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    height, width = sheet.image.shape[:2]
    inside = (np.abs(at - ((width - 1) / 2, (height - 1) / 2)) <= (width / 2, height / 2)).all(-1)
    share = cv2.resize(inside.astype(np.float32), size, interpolation=cv2.INTER_AREA)[..., None]
    small = cv2.resize(seen, size, interpolation=cv2.INTER_AREA)
    return np.asarray(small * share + picture * (1 - share) + 0.5, dtype=np.uint8)


def taken(picture: Image, blur_px: float, noise: float, seed: int) -> Image:
    """The picture as a sensor gives it: a little soft, with grain (standard deviation)."""
    soft = cv2.GaussianBlur(picture, (0, 0), blur_px) if blur_px else picture
    if not noise:
        return np.asarray(soft, dtype=np.uint8)
    grain = np.random.default_rng(seed).normal(0, noise, picture.shape)
    return np.clip(soft + grain, 0, 255).astype(np.uint8)


def laid_around(sheets: Iterable[tuple[Sheet, float, float, float]], base: Sheet) -> Sheet:
    """A table's sheet with others laid on it, each with its middle at x, y millimetres and turned
    by degrees."""
    image = base.image.copy()
    for sheet, x, y, turned in sheets:
        _lay(image, base, sheet, x, y, turned)
    return Sheet(image, base.px_per_mm, base.origin_px, base.y_up)


def _lay(image: Image, base: Sheet, sheet: Sheet, x: float, y: float, turned: float) -> None:
    c, s = math.cos(math.radians(turned)), math.sin(math.radians(turned))
    k = base.px_per_mm / sheet.px_per_mm
    height, width = sheet.image.shape[:2]
    to = np.array([[k * c, k * s, 0.0], [-k * s, k * c, 0.0]])
    there = (base.to_image @ (x, y, 1.0))[:2]
    to[:, 2] = there - to[:, :2] @ ((width - 1) / 2, (height - 1) / 2)
    size = (image.shape[1], image.shape[0])
    soft = cv2.GaussianBlur(sheet.image, (0, 0), max(0.4 / k, 0.3))
    laid = cv2.warpAffine(soft, to, size, flags=cv2.INTER_AREA)
    where = cv2.warpAffine(
        np.full((height, width), 255, np.uint8), to, size, flags=cv2.INTER_NEAREST
    )
    image[where > 0] = laid[where > 0]


@lru_cache(maxsize=4)
def _straight_rays(lens: Lens) -> Matrix:
    """(2H, 2W, 3): for each part of a pixel its undistorted place."""
    across = (np.arange(lens.width * _FINER) + 0.5) / _FINER - 0.5
    down = (np.arange(lens.height * _FINER) + 0.5) / _FINER - 0.5
    grid = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 1, 2)
    stop = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 100, 1e-9)
    bends, eye = np.array(lens.distortion), np.eye(3)
    finely = getattr(cv2, "undistortPointsIter", None)  # OpenCV 4; 5 has one function for both
    if finely is not None:
        out = finely(grid, lens.matrix, bends, eye, lens.matrix, stop)
    else:
        out = cv2.undistortPoints(grid, lens.matrix, bends, R=eye, P=lens.matrix, criteria=stop)
    straight = np.reshape(out, (lens.height * _FINER, lens.width * _FINER, 2))
    return np.concatenate((straight, np.ones_like(straight[..., :1])), axis=-1)
