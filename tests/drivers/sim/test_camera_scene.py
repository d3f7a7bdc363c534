"""The drawn table: cards are where they were laid, through lens and slant; hands hide them."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np
import pytest

from controller.cameras import true_profile
from controller.vision.rectify import Window
from drivers.camera.frame import Image
from drivers.sim.camera_flat import Lens
from drivers.sim.camera_scene import Light, SceneCamera, TableScene
from drivers.sim.placed import SPREAD_STEP_MM, PlacedCard, spread_out
from drivers.table_plan import CARD_MM, table_plan

SEATS = 9
PLAIN = Light(slope=0.0, noise=0.0, blur_px=0.3)


@cache
def camera() -> SceneCamera:
    return SceneCamera(TableScene(SEATS, chips=False))


def lies_at(name: str, card: PlacedCard) -> tuple[float, float, float]:
    """x, y in millimetres and angle of a card in the picture of an area: of all that the picture
    with it has and the one without it has not."""
    plan = table_plan(SEATS)
    window = Window(true_profile(1, SEATS), plan[name].corners_mm, 3.0)
    with_it, without = (window.cut(camera().shot(c, (), PLAIN)) for c in ([card], []))
    changed = cv2.absdiff(with_it, without).max(axis=2) > 70  # its shadow changes less
    y, x = np.nonzero(changed)
    rect = cv2.minAreaRect(np.column_stack([x, y]).astype(np.float32))
    corners = cv2.boxPoints(rect)
    sides = [corners[1] - corners[0], corners[2] - corners[1]]
    long = max(sides, key=lambda s: float(np.hypot(*s)))
    angle = math.degrees(math.atan2(-long[1], long[0])) % 180.0
    return *window.to_mm(*rect[0]), angle


@pytest.mark.parametrize("angle", [90.0, 63.0, 0.0])
@pytest.mark.parametrize("name", ["board", "seat/1", "seat/5", "seat/9", "muck"])
def test_a_card_is_found_where_it_lies(name: str, angle: float) -> None:
    area = table_plan(SEATS)[name]
    x, y = area.x_mm + 7.0, area.y_mm - 5.0
    seen_x, seen_y, seen_angle = lies_at(name, PlacedCard(x, y, angle, "As", False))
    assert math.dist((x, y), (seen_x, seen_y)) < 1.0
    off = (seen_angle - angle) % 180.0
    assert min(off, 180.0 - off) < 1.5


def test_places_go_there_and_back() -> None:
    window = Window(true_profile(1, SEATS), table_plan(SEATS)["board"].corners_mm, 2.5)
    for x, y in ((0.0, 0.0), (-150.0, 30.0), (80.5, -41.25)):
        assert window.to_mm(*window.to_px(x, y)) == pytest.approx((x, y))
    assert window.holds(0.0, 0.0)
    assert not window.holds(0.0, 90.0)  # in the margin


def test_a_later_card_lies_on_an_earlier_one() -> None:
    under = PlacedCard(0.0, 0.0, 90.0, "As", True)
    over = PlacedCard(0.0, 0.0, 90.0, "Kd", True)
    both = camera().shot([under, over], (), PLAIN)
    alone = camera().shot([over], (), PLAIN)
    assert mean_difference(both, alone) < 0.05
    assert mean_difference(both, camera().shot([over, under], (), PLAIN)) > 0.05


def test_a_hand_hides_a_card() -> None:
    card = PlacedCard(0.0, 0.0, 90.0, "As", True)
    window = Window(true_profile(1, SEATS), ((-10, -10), (10, -10), (10, 10), (-10, 10)), 2.0)
    palm = (slice(110, 130), slice(110, 130))  # over the middle of the area
    bare, shown = (window.cut(camera().shot(c, (), PLAIN))[palm] for c in ([], [card]))
    hidden, without = (window.cut(camera().shot(c, {"board"}, PLAIN))[palm] for c in ([card], []))
    assert mean_difference(shown, bare) > 20
    assert mean_difference(hidden, without) < 1


def test_the_same_seed_gives_the_same_picture_and_another_one_other_grain() -> None:
    card = [PlacedCard(10.0, 0.0, 80.0, "7h", True)]
    first = camera().shot(card, seed=3)
    again = SceneCamera(TableScene(SEATS, chips=False)).shot(card, seed=3)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, camera().shot(card, seed=4))


def test_light_is_what_it_says() -> None:
    usual = camera().shot([], (), PLAIN)
    dark = camera().shot([], (), Light(exposure=20.0, noise=0.0))
    assert dark.mean() < 0.2 * usual.mean()
    sloped = camera().shot([], (), Light(slope=0.5, noise=0.0))
    left, right = sloped[:, :300].mean(), sloped[:, -300:].mean()
    assert right > 1.2 * left
    assert sharpness(camera().shot([], (), Light(blur_px=7.0, noise=0.0))) < 0.3 * sharpness(usual)


def test_another_lens_gives_pictures_of_its_size() -> None:
    small = SceneCamera(TableScene(6, px_per_mm=1.0), Lens(640, 360, 420.0, (320.0, 180.0)))
    assert small.shot([]).shape == (360, 640, 3)


def test_a_card_prints_as_a_mask() -> None:
    assert "As" not in repr(PlacedCard(0.0, 0.0, 90.0, "As", True))
    assert "As" not in f"{[PlacedCard(0.0, 0.0, 90.0, 'As', True)]}"


def test_a_spread_deck_shows_every_cards_index_and_no_card_is_off_the_table() -> None:
    laid = spread_out([(str(n), "red") for n in range(52)])
    assert [c.face for c in laid] == [str(n) for n in range(52)]
    assert all(c.up for c in laid)
    rows = {c.y_mm for c in laid}
    assert len(rows) == 2
    assert max(rows) - min(rows) > CARD_MM[1]
    for row in rows:
        across = [c.x_mm for c in laid if c.y_mm == row]
        steps = np.diff(across)
        assert np.allclose(steps, SPREAD_STEP_MM)
        assert across[0] == pytest.approx(-across[-1])


def mean_difference(one: Image, other: Image) -> float:
    return float(np.abs(one.astype(float) - other.astype(float)).mean())


def sharpness(image: Image) -> float:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return float(np.abs(cv2.Laplacian(grey, cv2.CV_32F)).mean())
