"""The drawn table: what it draws anew, and how straight its lens draws."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from drivers.sim.camera import hung_over, true_view
from drivers.sim.camera_flat import Lens, above
from drivers.sim.camera_scene import HANGS, VIEW, Light, SceneCamera, TableScene, _rays
from drivers.sim.placed import PlacedCard
from drivers.table_plan import table_plan

SMALL = Lens(576, 324, 375.0, (289.0, 160.0), (-0.06, 0.015, 0.0004, -0.0003, 0.0))


def camera() -> SceneCamera:
    return SceneCamera(TableScene(6, px_per_mm=1.0), SMALL, above(1300.0))


def test_what_is_drawn_anew_is_as_if_all_had_been() -> None:
    over = camera()
    one = PlacedCard(20.0, 30.0, 75.0, "As", True)
    two = PlacedCard(50.0, 40.0, 10.0, "7d", False)
    far = PlacedCard(-300.0, -100.0, 90.0, "Kd", True)
    steps: list[tuple[tuple[PlacedCard, ...], tuple[str, ...]]] = [
        ((), ()),
        ((one,), ()),
        ((one, two), ("seat/2",)),
        ((two, one), ("board",)),  # now the other lies uppermost
        ((one, far), ()),
        ((far,), ()),
        ((), ()),
    ]
    for n, (cards, hands) in enumerate(steps):
        again = over.shot(cards, hands, seed=n)
        assert np.array_equal(again, camera().shot(cards, hands, seed=n)), n


def test_another_light_is_seen_everywhere() -> None:
    over = camera()
    over.shot(())
    dark = Light(exposure=90.0)
    assert np.array_equal(over.shot((), light=dark), camera().shot((), light=dark))


def test_a_picture_may_be_written_to() -> None:
    over = camera()
    plain = Light(noise=0.0)
    over.shot((), light=plain)[:] = 0
    assert over.shot((), light=plain).max() > 0


def test_the_lens_bends_nothing_that_it_should_not() -> None:
    """Between the places at which it is worked out too: edges of cards waved by a pixel."""
    x, y = np.meshgrid(np.arange(0, VIEW.width, 7), np.arange(0, VIEW.height, 7))
    pixels = np.stack([x, y], -1).reshape(-1, 1, 2).astype(float)
    exact = cv2.undistortPoints(
        pixels, VIEW.matrix, np.array(VIEW.distortion), R=np.eye(3), P=VIEW.matrix
    )
    drawn = _rays(VIEW)[y, x][..., :2].reshape(-1, 2)
    assert np.abs(drawn - exact.reshape(-1, 2)).max() < 0.05


@pytest.mark.parametrize("areas", [("board", "burn", "muck"), ("seat/1",), ("board",)])
def test_a_camera_hangs_over_all_that_it_looks_at(areas: tuple[str, ...]) -> None:
    view = true_view(stance=hung_over(areas, 9))
    plan = table_plan(9)
    for name in areas:
        for x, y in plan[name].corners_mm:
            across, down, w = np.array(view.table_to_picture) @ (x, y, 1.0)
            assert 0 < across / w < view.width_px
            assert 0 < down / w < view.height_px


def test_a_camera_that_looks_at_all_hangs_in_the_lamp() -> None:
    assert hung_over((), 9) is HANGS
    assert hung_over(tuple(table_plan(9)), 9) is HANGS
