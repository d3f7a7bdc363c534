"""Between a camera's pixels and the table's millimetres. Pure, and without OpenCV.

The lens model is OpenCV's with five coefficients (Brown, 1971). Points are (N, 2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.camera_profile import CameraProfile, Row

Points = NDArray[np.float64]
Matrix = NDArray[np.float64]

_ROUNDS = 25
_NEAR = 1e-9


def undistorted(points_px: ArrayLike, matrix: ArrayLike, distortion: Sequence[float]) -> Points:
    """Where points of a picture would lie had the lens no distortion, in pixels of the same matrix
    (Newton's method); nan for those that no ray through such a lens reaches."""
    m = np.asarray(matrix, dtype=np.float64)
    seen = (_points(points_px) - m[:2, 2]) / (m[0, 0], m[1, 1])
    straight = seen.copy()
    with np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            straight = straight - _newton(straight, _bent(straight, distortion) - seen, distortion)
        off = np.abs(_bent(straight, distortion) - seen).max(axis=1, initial=0.0)
    straight[~(off < _NEAR)] = np.nan
    return np.asarray(straight * (m[0, 0], m[1, 1]) + m[:2, 2])


def distorted(points_px: ArrayLike, matrix: ArrayLike, distortion: Sequence[float]) -> Points:
    """The way back from `undistorted`: where such points lie in the picture."""
    m = np.asarray(matrix, dtype=np.float64)
    straight = (_points(points_px) - m[:2, 2]) / (m[0, 0], m[1, 1])
    return np.asarray(_bent(straight, distortion) * (m[0, 0], m[1, 1]) + m[:2, 2])


def through(homography: ArrayLike, points: ArrayLike) -> Points:
    """Points through a 3x3 homography; nan for those behind the camera or at its horizon."""
    h = np.asarray(homography, dtype=np.float64)
    at = _points(points)
    out = np.column_stack((at, np.ones(len(at)))) @ h.T
    depth = out[:, 2:] * np.sign(h[2, 2] or 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(depth > 1e-12, out[:, :2] / out[:, 2:], np.nan))


def table_to_picture(profile: CameraProfile, points_mm: ArrayLike) -> Points:
    """Where places of the table lie in the camera's pictures, in pixels, distortion and all."""
    straight = through(profile.table_to_picture, points_mm)
    return distorted(straight, profile.matrix, profile.distortion)


def picture_to_table(profile: CameraProfile, points_px: ArrayLike) -> Points:
    """Which places of the table lie at those pixels, in millimetres."""
    back = np.linalg.inv(np.asarray(profile.table_to_picture))
    return through(back / back[2, 2], undistorted(points_px, profile.matrix, profile.distortion))


def scale_at(homography: ArrayLike, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Pixels per millimetre at a place, in the direction that shows most and in the one that shows
    least."""
    h = np.asarray(homography, dtype=np.float64)
    u, v, w = h @ (x_mm, y_mm, 1.0)
    slopes = (h[:2, :2] * w - np.outer((u, v), h[2, :2])) / w**2
    most, least = np.linalg.svd(slopes, compute_uv=False)
    return float(most), float(least)


def rows(m: ArrayLike) -> tuple[Row, Row, Row]:
    """A 3x3 matrix as a profile holds it."""
    a, b, c = (tuple(float(x) for x in row) for row in np.asarray(m, dtype=np.float64))
    return a, b, c  # type: ignore[return-value]


def _bent(at: Points, distortion: Sequence[float]) -> Points:
    k1, k2, p1, p2, k3 = distortion
    x, y = at[:, 0], at[:, 1]
    r2 = x * x + y * y
    out = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.column_stack(
        (
            x * out + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
            y * out + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
        )
    )


def _newton(at: Points, off: Points, distortion: Sequence[float]) -> Points:
    """The step that takes `off` away, to first order."""
    k1, k2, p1, p2, k3 = distortion
    x, y = at[:, 0], at[:, 1]
    r2 = x * x + y * y
    out = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    grows = 2.0 * (k1 + r2 * (2 * k2 + r2 * 3 * k3))
    xx = out + x * x * grows + 2 * p1 * y + 6 * p2 * x
    yy = out + y * y * grows + 6 * p1 * y + 2 * p2 * x
    xy = x * y * grows + 2 * p1 * x + 2 * p2 * y
    room = xx * yy - xy * xy
    return np.column_stack(
        ((yy * off[:, 0] - xy * off[:, 1]) / room, (xx * off[:, 1] - xy * off[:, 0]) / room)
    )


def _points(points: ArrayLike) -> Points:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)
