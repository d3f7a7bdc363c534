"""Pixels and millimetres, held against OpenCV's own projection."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera.geometry import distorted, scale_at, through, undistorted
from tests.calibration.camera.measured import OVER, SMALL

SHARE = st.floats(0.0, 1.0)


@given(SHARE, SHARE, st.floats(-0.25, 0.1), st.floats(0.0, 0.06), st.floats(-0.002, 0.002))
def test_a_pixel_comes_back_through_the_lens(
    x: float, y: float, k1: float, k2: float, p: float
) -> None:
    lens = (SMALL.matrix, (k1, k2, p, -p, 0.0))
    at = np.array([[x * SMALL.width, y * SMALL.height]])
    straight = undistorted(at, *lens)
    if np.isfinite(straight).all():
        assert distorted(straight, *lens) == pytest.approx(at, abs=0.01)
    else:
        assert reach(k1, k2) < np.hypot(*(at[0] - SMALL.middle)) / SMALL.focal + 0.02


def reach(k1: float, k2: float) -> float:
    """How far from its middle such a lens draws anything, as a share of its focal length."""
    r = np.linspace(0.0, 3.0, 3001)
    bent = r * (1 + k1 * r**2 + k2 * r**4)
    turns = np.flatnonzero(np.diff(bent) <= 0)
    return float(bent[turns[0]] if len(turns) else bent[-1])


def test_a_pixel_that_no_ray_reaches_is_nowhere() -> None:
    lens = (SMALL.matrix, (-0.25, 0.0, 0.0, 0.0, 0.0))
    edge, middle = undistorted([(0.0, 0.0), SMALL.middle], *lens)
    assert np.isnan(edge).all()
    assert middle == pytest.approx(SMALL.middle)


@given(st.floats(-500, 500), st.floats(-300, 300))
def test_a_place_lands_where_opencv_projects_it(x: float, y: float) -> None:
    turn, _ = cv2.Rodrigues(OVER.turn)
    expected, _ = cv2.projectPoints(
        np.array([[x, y, 0.0]]), turn, OVER.at, SMALL.matrix, np.array(SMALL.distortion)
    )
    straight = through(OVER.homography(SMALL), [(x, y)])
    assert distorted(straight, SMALL.matrix, SMALL.distortion) == pytest.approx(
        expected.reshape(1, 2), abs=1e-6
    )


def test_scale_is_what_a_millimetre_measures() -> None:
    h = OVER.homography(SMALL)
    most, least = scale_at(h, 200.0, 100.0)
    round_about = [(200 + np.cos(a), 100 + np.sin(a)) for a in np.linspace(0, 2 * np.pi, 721)]
    lengths = np.linalg.norm(through(h, round_about) - through(h, [(200.0, 100.0)]), axis=1)
    assert (lengths.max(), lengths.min()) == pytest.approx((most, least), rel=0.01)


def test_what_lies_behind_the_camera_is_nowhere() -> None:
    horizon = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, -0.001, 1.0]])
    seen = through(horizon, [(0.0, 0.0), (0.0, 2000.0)])
    assert np.isfinite(seen[0]).all()
    assert np.isnan(seen[1]).all()
