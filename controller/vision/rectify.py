"""Parts of a camera's picture, laid out as a map of the table: x to the right, y up, so many pixels
a millimetre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera_profile import CameraProfile
from drivers.camera.frame import Image

MARGIN_MM = 50.0
"""Around an area, so that a card whose middle lies at its border is seen whole."""


_ALL = slice(None)


class Window:
    """An area as a camera with this profile sees it.

    corners_mm: of its polygon on the table. px_per_mm: of the map; a finer one than the picture
    itself shows nothing more. enlarged: of how many of its pixels one of the picture's is made.
    """

    def __init__(
        self,
        profile: CameraProfile,
        corners_mm: Sequence[tuple[float, float]],
        px_per_mm: float,
        enlarged: float = 1.0,
    ) -> None:
        self.enlarged = enlarged
        self.corners_mm = tuple(corners_mm)
        corners = np.array(corners_mm, np.float64)
        self._left, self._bottom = corners.min(axis=0) - MARGIN_MM
        self._right, self._top = corners.max(axis=0) + MARGIN_MM
        self._polygon = corners.astype(np.float32)
        self.px_per_mm = px_per_mm
        width = max(16, round((self._right - self._left) * px_per_mm))
        height = max(16, round((self._top - self._bottom) * px_per_mm))
        self._maps = _maps(profile, self._left, self._top, width, height, px_per_mm)
        inside = np.zeros((height, width), np.uint8)
        drawn = np.array([self.to_px(x, y) for x, y in corners])
        cv2.fillConvexPoly(inside, np.round(drawn).astype(np.int32), (255,))
        self.inside: NDArray[np.bool_] = inside > 0
        """(H, W): which pixels of the map are in the area, not in the margin."""

    def cut(self, picture: Image, rows: slice = _ALL, columns: slice = _ALL) -> Image:
        """The map (H, W, 3) of a picture of the profile's size, or some of its rows and columns."""
        across, down = (part[rows, columns] for part in self._maps)
        return np.asarray(
            cv2.remap(picture, across, down, cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT),
            np.uint8,
        )

    def to_px(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Where a place on the table is in the map."""
        return (x_mm - self._left) * self.px_per_mm, (self._top - y_mm) * self.px_per_mm

    def to_mm(self, x_px: float, y_px: float) -> tuple[float, float]:
        """What place on the table a pixel of the map is."""
        return self._left + x_px / self.px_per_mm, self._top - y_px / self.px_per_mm

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether a place on the table is in the area itself."""
        return cv2.pointPolygonTest(self._polygon, (float(x_mm), float(y_mm)), False) >= 0


def smaller(profile: CameraProfile, factor: float) -> CameraProfile:
    """The profile of the same camera's pictures, made smaller by that factor."""
    width, height = round(profile.width_px * factor), round(profile.height_px * factor)
    by = np.diag([width / profile.width_px, height / profile.height_px, 1.0])
    move = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])  # pixels have middles
    scaled = np.linalg.inv(move) @ by @ move
    rows = [scaled @ np.array(m) for m in (profile.matrix, profile.table_to_picture)]
    matrix, plane = (tuple((float(a), float(b), float(c)) for a, b, c in r) for r in rows)
    return replace(
        profile,
        width_px=width,
        height_px=height,
        matrix=(matrix[0], matrix[1], matrix[2]),
        table_to_picture=(plane[0], plane[1], plane[2]),
        px_per_mm=profile.px_per_mm * factor,
    )


def native_px_per_mm(profile: CameraProfile, x_mm: float, y_mm: float) -> float:
    """How finely the camera sees that place: the coarser of the two directions."""
    h = np.array(profile.table_to_picture)
    ends = np.array([[x_mm, y_mm, 1.0], [x_mm + 1.0, y_mm, 1.0], [x_mm, y_mm + 1.0, 1.0]]) @ h.T
    at = ends[:, :2] / ends[:, 2:]
    return float(min(np.hypot(*(at[1] - at[0])), np.hypot(*(at[2] - at[0]))))


_COARSE = 16  # pixels; a lens bends so smoothly that what lies between is drawn from these


def _maps(
    profile: CameraProfile, left: float, top: float, width: int, height: int, px_per_mm: float
) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """For each pixel of the map the place in the picture, lens and all, as `cv2.remap` takes it."""
    across = np.arange(-_COARSE, width + 2 * _COARSE, _COARSE, dtype=float)
    down = np.arange(-_COARSE, height + 2 * _COARSE, _COARSE, dtype=float)
    xs, ys = np.meshgrid(left + across / px_per_mm, top - down / px_per_mm)
    places = np.stack([xs, ys, np.ones_like(xs)], axis=-1).reshape(-1, 3)
    at = places @ np.array(profile.table_to_picture).T
    straight = at[:, :2] / at[:, 2:]
    matrix = np.array(profile.matrix)
    rays = (straight - matrix[:2, 2]) / np.array([matrix[0, 0], matrix[1, 1]])
    in_space = np.column_stack([rays, np.ones(len(rays))]).reshape(-1, 1, 3)
    none = np.zeros(3)
    bent, _ = cv2.projectPoints(in_space, none, none, matrix, np.array(profile.distortion))
    grid = bent.reshape(len(down), len(across), 2).astype(np.float32)
    between = np.meshgrid(
        np.arange(width, dtype=np.float32) / _COARSE + 1,
        np.arange(height, dtype=np.float32) / _COARSE + 1,
    )
    # Not cubic: OpenCV's bends a straight line by half a pixel between the places it goes through.
    both = cv2.remap(grid, between[0], between[1], cv2.INTER_LINEAR)
    fixed, fraction = cv2.convertMaps(both[..., 0], both[..., 1], cv2.CV_16SC2)
    return np.asarray(fixed, np.int16), np.asarray(fraction, np.uint16)
