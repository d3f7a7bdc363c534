"""The lens fit: against a camera that is known, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.camera.detect import BoardView, find_board
from calibration.camera.geometry import distorted, through
from calibration.camera.lens import FEWEST_VIEWS, LensFit, fit_lens
from calibration.camera.marks import board_corners_mm
from tests.calibration.camera import measured
from tests.calibration.camera.measured import SMALL
from tests.calibration.camera.rendered import (
    Lens,
    Place,
    board_picture,
    held,
    views_over_the_picture,
)


def seen(place: Place, lens: Lens = SMALL, noise_px: float = 0.05, seed: int = 0) -> BoardView:
    """The board as an exact camera sees it, without a picture: corners outside are left out."""
    at = distorted(
        through(place.homography(lens), board_corners_mm()), lens.matrix, lens.distortion
    )
    at += np.random.default_rng(seed).normal(0, noise_px, at.shape)
    shown = ((at > 2) & (at < (lens.width - 2, lens.height - 2))).all(axis=1)
    return BoardView(np.flatnonzero(shown), at[shown])


def everywhere(lens: Lens = SMALL, noise_px: float = 0.05) -> list[BoardView]:
    return [
        seen(place, lens, noise_px, seed) for seed, place in enumerate(views_over_the_picture(lens))
    ]


def fit(views: list[BoardView], lens: Lens = SMALL) -> LensFit:
    return fit_lens(views, lens.width, lens.height)


def test_a_rendered_camera_is_found_as_it_is() -> None:
    lens = measured.lens()
    assert lens.faults == ()
    assert lens.rms_px < 0.25
    assert lens.matrix[0][0] == pytest.approx(SMALL.focal, rel=0.004)
    assert (lens.matrix[0][2], lens.matrix[1][2]) == pytest.approx(SMALL.middle, abs=4)
    grid = [(x, y) for x in range(20, SMALL.width, 100) for y in range(20, SMALL.height, 100)]
    rays = (np.array(grid) - SMALL.middle) / SMALL.focal
    there = distorted(rays * SMALL.focal + SMALL.middle, SMALL.matrix, SMALL.distortion)
    m = np.array(lens.matrix)
    here = distorted(rays * (m[0, 0], m[1, 1]) + m[:2, 2], m, lens.distortion)
    shift = there - here  # a little turn of the whole camera looks like a shift
    assert np.abs(shift - shift.mean(axis=0)).max() < 1.5


def test_few_views_are_refused() -> None:
    lens = fit(everywhere()[: FEWEST_VIEWS - 3])
    assert any("7 good views, 10 needed" in f for f in lens.faults)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_next_to_no_views_are_refused_and_nothing_breaks(count: int) -> None:
    lens = fit(everywhere()[:count])
    assert lens.faults == (f"{count} good views, 10 needed: take more, each from elsewhere",)
    assert math.isnan(lens.rms_px)


def test_views_all_from_one_angle_are_refused_though_they_fit() -> None:
    spots = [(x, y) for x in (0.2, 0.4, 0.6, 0.8) for y in (0.25, 0.5, 0.75)]
    flat = [seen(held(x, y, 400 + 9 * i, (2, 1), 3, SMALL)) for i, (x, y) in enumerate(spots)]
    lens = fit(flat)
    assert lens.rms_px < 0.5
    assert any("from nearly the same angle" in f and "tilt the board" in f for f in lens.faults)


def test_a_corner_of_the_picture_that_was_never_covered_is_named() -> None:
    kept = []
    for view in everywhere():
        inside = ~((view.corners_px[:, 0] > 700) & (view.corners_px[:, 1] < 190))
        kept.append(BoardView(view.numbers[inside], view.corners_px[inside]))
    lens = fit(kept)
    assert any("the upper right corner of the picture" in f for f in lens.faults)


def test_views_in_the_middle_alone_are_refused() -> None:
    tilts = [(0, 0), (30, 0), (-30, 0), (0, 30), (0, -30), (20, 20), (-20, -20)]
    middle = [
        seen(held(0.5 + 0.03 * i % 0.1, 0.5, 600 + 12 * i, tilts[i % 7], 5, SMALL))
        for i in range(14)
    ]
    lens = fit(middle)
    assert any("of the picture, 60% needed" in f for f in lens.faults)


def test_a_bent_board_makes_a_large_residual_and_is_refused() -> None:
    bent = []
    for view in everywhere():
        bow = 4.0 * np.sin(view.corners_mm[:, 0] / 245 * np.pi)
        bent.append(replace(view, corners_px=view.corners_px + np.column_stack((bow, -bow))))
    lens = fit(bent)
    assert any("(rms)" in f and "flat" in f for f in lens.faults)


def test_a_bad_view_among_good_ones_is_left_out_and_named() -> None:
    views = everywhere()
    shaken = views[5].corners_px + np.random.default_rng(3).normal(
        0, 3.0, views[5].corners_px.shape
    )
    views[5] = replace(views[5], corners_px=shaken)
    lens = fit(views)
    assert lens.faults == ()
    assert [i for i, v in enumerate(lens.views) if v.rejected] == [5]
    assert "blurred" in lens.views[5].rejected
    assert lens.matrix[0][0] == pytest.approx(SMALL.focal, rel=0.004)


def test_the_same_view_twice_counts_once() -> None:
    views = everywhere()
    lens = fit([*views, views[0], views[1]])
    assert [v.rejected for v in lens.views[-2:]] == ["the same as one before"] * 2


def test_views_with_few_corners_or_all_in_a_line_are_left_out() -> None:
    views = everywhere()
    few = BoardView(views[4].numbers[:5], views[4].corners_px[:5])
    lens = fit([*views, few])
    assert "5 of 24 corners" in lens.views[-1].rejected


def test_a_wide_lens_gets_its_third_bend() -> None:
    wide = Lens(960, 540, 480.0, (470.0, 275.0), (-0.25, 0.12, 0.0, 0.0, 0.05))
    lens = fit(everywhere(wide), wide)
    assert lens.faults == ()
    assert lens.distortion[4] != 0.0


def test_rubbish_is_refused_and_nothing_breaks() -> None:
    chance = np.random.default_rng(1)
    rubbish = [
        BoardView(np.arange(24), chance.uniform(0, 500, (24, 2))) for _ in range(FEWEST_VIEWS + 2)
    ]
    assert fit(rubbish).faults


def test_blur_and_darkness_still_give_corners_or_none() -> None:
    place = held(0.5, 0.5, 420, (15, 10), 0, SMALL)
    soft = find_board(board_picture(SMALL, place, blur_px=2.0, noise=8.0))
    assert soft is not None
    true = seen(place, noise_px=0.0)
    off = soft.corners_px - true.corners_px[np.searchsorted(true.numbers, soft.numbers)]
    assert np.median(np.abs(off)) < 0.5
    assert np.abs(off).max() < 1.5
    assert find_board(np.zeros((540, 960, 3), dtype=np.uint8)) is None
    assert find_board(np.full((1, 1, 3), 255, dtype=np.uint8)) is None
