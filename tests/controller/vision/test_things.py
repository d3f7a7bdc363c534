"""What lies on the felt at a glance, and which parts of a map are worth reading."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from controller.vision.things import GLANCE_PX_PER_MM, Box, boxes, things
from drivers.camera.frame import Image

FINER = 3  # a map has so many times the pixels of a glance
SHAPE = (200, 300)
ALL = np.ones(SHAPE, np.bool_)
CARD = (round(63 * GLANCE_PX_PER_MM), round(88 * GLANCE_PX_PER_MM))


def felt(noise: float = 2.0) -> Image:
    grain = np.random.default_rng(1).normal(0.0, noise, (*SHAPE, 3))
    return np.asarray(np.clip(grain + np.array((50, 90, 40)), 0, 255), np.uint8)


def with_card(image: Image, left: int, top: int, ink: tuple[int, int, int]) -> Image:
    out = image.copy()
    out[top : top + CARD[1], left : left + CARD[0]] = ink
    return out


def found(image: Image, own: NDArray[np.bool_] | None = None) -> tuple[Box, ...]:
    odd = np.zeros(SHAPE, np.bool_)
    seen = things(image, odd)
    return boxes(seen, ALL if own is None else own, (SHAPE[0] * FINER, SHAPE[1] * FINER, 3))


def test_bare_felt_is_not_worth_reading_however_its_light_falls() -> None:
    light = np.linspace(0.6, 1.2, SHAPE[1])[None, :, None]
    assert found(np.clip(felt() * light, 0, 255).astype(np.uint8)) == ()


@pytest.mark.parametrize("ink", [(245, 245, 245), (40, 30, 170), (140, 60, 30), (30, 30, 30)])
def test_a_card_of_any_colour_is_in_a_box_with_felt_around_it(ink: tuple[int, int, int]) -> None:
    (box,) = found(with_card(felt(), 100, 60, ink))
    assert box.left < 100 * FINER - 20
    assert box.top < 60 * FINER - 20
    assert box.right > (100 + CARD[0]) * FINER + 20
    assert box.bottom > (60 + CARD[1]) * FINER + 20


def test_two_cards_apart_are_two_boxes_and_side_by_side_one() -> None:
    white = (245, 245, 245)
    assert len(found(with_card(with_card(felt(), 30, 20, white), 230, 130, white))) == 2
    assert len(found(with_card(with_card(felt(), 100, 60, white), 134, 60, white))) == 1


def test_a_grain_of_dust_is_nothing_and_another_areas_card_is_left_to_it() -> None:
    dusty = felt()
    dusty[50:52, 50:52] = 255
    assert found(dusty) == ()
    left = ALL.copy()
    left[:, 150:] = False
    card = with_card(felt(), 160, 60, (245, 245, 245))
    assert found(card, left) == ()
    assert len(found(card, ~left)) == 1


def test_an_area_full_of_things_is_read_as_a_whole() -> None:
    full = felt()
    full[10:190, 10:290] = (245, 245, 245)
    assert found(full) == (Box(0, 0, SHAPE[1] * FINER, SHAPE[0] * FINER),)


@given(
    st.lists(st.tuples(st.integers(0, 260), st.integers(0, 150)), max_size=12),
    st.integers(0, 3),
)
def test_every_thing_is_in_exactly_one_box(at: list[tuple[int, int]], finer: int) -> None:
    seen = np.zeros(SHAPE, np.bool_)
    for left, top in at:
        seen[top : top + CARD[1], left : left + CARD[0]] = True
    shape = (SHAPE[0] * (finer + 1), SHAPE[1] * (finer + 1), 3)
    covered = np.zeros(shape[:2], np.uint8)
    for box in boxes(seen, ALL, shape):
        covered[box.slices()] += 1
    assert covered.max(initial=0) <= 1
    enlarged = cv2.resize(seen.astype(np.uint8), shape[1::-1], interpolation=cv2.INTER_NEAREST)
    assert (covered[enlarged > 0] == 1).all()


def test_boxes_are_the_same_but_for_a_pixel_or_two() -> None:
    box = Box(10, 20, 110, 220)
    assert box.near(Box(12, 18, 111, 220), 2)
    assert not box.near(Box(13, 20, 110, 220), 2)
