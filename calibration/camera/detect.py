"""Pictures → corners of the lens board and middles of stickers, in pixels. Pure.

OpenCV 4 gives numbers as (N, 1) and corners as (N, 1, 2), OpenCV 5 as (N,) and (N, 2); both are
taken here and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks

Points = NDArray[np.float64]
"""(N, 2): x and y."""

_REFINE_SHARE = 0.12
"""Of a sticker's side: how far around a corner its edges are followed."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The lens board in one picture. numbers: (N,) of its inner corners; corners_px: (N, 2)."""

    numbers: NDArray[np.int64]
    corners_px: Points

    @property
    def corners_mm(self) -> Points:
        """(N, 2): where those corners are on the board."""
        return np.asarray(marks.board_corners_mm(), dtype=np.float64)[self.numbers]


@dataclass(frozen=True, slots=True, eq=False)
class Sticker:
    """A sticker or place card in a picture. corners_px: (4, 2), from its own upper left clockwise
    as printed."""

    number: int
    corners_px: Points = field(repr=False)

    @property
    def middle_px(self) -> tuple[float, float]:
        """Where its diagonals cross, which perspective leaves in its middle."""
        a, b, c, d = self.corners_px
        crossed = np.linalg.solve(np.column_stack((c - a, b - d)), b - a)
        x, y = a + crossed[0] * (c - a)
        return float(x), float(y)

    @property
    def side_px(self) -> float:
        """The mean length of its sides."""
        return float(
            np.linalg.norm(np.roll(self.corners_px, -1, axis=0) - self.corners_px, axis=1).mean()
        )


def find_board(image: NDArray[np.uint8]) -> BoardView | None:
    """The lens board in a picture, (H, W, 3) or (H, W); None if fewer than four corners show."""
    corners, numbers, _, _ = _board_detector().detectBoard(_grey(image))
    if corners is None or numbers is None:
        return None
    found = np.ravel(numbers).astype(np.int64)
    if len(found) < 4:
        return None
    return BoardView(found, np.reshape(corners, (-1, 2)).astype(np.float64))


def find_stickers(image: NDArray[np.uint8]) -> Mapping[int, Sticker]:
    """Stickers and place cards in a picture, (H, W, 3) or (H, W), by number.

    A number that shows twice is left out: nobody can tell which of the two is meant.
    """
    grey = _grey(image)
    found: dict[int, list[Sticker]] = {}
    for sticker in _stickers(grey):
        found.setdefault(sticker.number, []).append(sticker)
    return {
        number: _refined(grey, each[0]) for number, each in sorted(found.items()) if len(each) == 1
    }


def doubled_stickers(image: NDArray[np.uint8]) -> tuple[int, ...]:
    """Numbers of stickers that a picture shows more than once."""
    numbers = [sticker.number for sticker in _stickers(_grey(image))]
    return tuple(sorted({n for n in numbers if numbers.count(n) > 1}))


def sharpness(image: NDArray[np.uint8], view: BoardView) -> float:
    """How sharp the board's squares are in a picture: the steepest step of an edge, as a share of
    the difference between black and white, per pixel; blur of s px gives about 0.4 / s."""
    grey = _grey(image).astype(np.float32)
    x, y = np.floor(view.corners_px.min(axis=0)).astype(int)
    right, low = np.ceil(view.corners_px.max(axis=0)).astype(int)
    part = grey[max(y, 0) : low + 1, max(x, 0) : right + 1]
    if min(part.shape) < 8:
        return 0.0
    across = cv2.Sobel(part, cv2.CV_32F, 1, 0, scale=1 / 8)
    down = cv2.Sobel(part, cv2.CV_32F, 0, 1, scale=1 / 8)
    dark, bright = np.percentile(part, (5, 95))
    steepest = float(np.percentile(np.hypot(across, down), 97))
    return steepest / max(float(bright - dark), 1.0)


@cache
def board_dictionary() -> cv2.aruco.Dictionary:
    """Of the lens board's marks."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


@cache
def sticker_dictionary() -> cv2.aruco.Dictionary:
    """Of stickers and place cards."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36H11)


@cache
def _board_detector() -> cv2.aruco.CharucoDetector:
    board = cv2.aruco.CharucoBoard(
        marks.BOARD_SQUARES, marks.SQUARE_MM, marks.BOARD_MARK_MM, board_dictionary()
    )
    return cv2.aruco.CharucoDetector(board)


@cache
def _sticker_detector() -> cv2.aruco.ArucoDetector:
    how = cv2.aruco.DetectorParameters()
    how.minMarkerPerimeterRate = 0.01  # a sticker may be 20 px of a large picture
    return cv2.aruco.ArucoDetector(sticker_dictionary(), how)


def _stickers(grey: NDArray[np.uint8]) -> Iterator[Sticker]:
    corners, numbers, _ = _sticker_detector().detectMarkers(grey)
    if numbers is None:
        return
    for number, four in zip(np.ravel(numbers), corners, strict=True):
        yield Sticker(int(number), np.reshape(four, (4, 2)).astype(np.float64))


def _refined(grey: NDArray[np.uint8], sticker: Sticker) -> Sticker:
    """Its corners to a fraction of a pixel, in a window as large as its white border allows."""
    half = max(2, math.floor(sticker.side_px * _REFINE_SHARE))
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 40, 0.005)
    start = sticker.corners_px.astype(np.float32).reshape(-1, 1, 2)
    fine = cv2.cornerSubPix(grey, start, (half, half), (-1, -1), stop)
    return Sticker(sticker.number, np.reshape(fine, (4, 2)).astype(np.float64))


def _grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if image.ndim == 2:
        return image
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
