"""Pairs of shapes, and the patches cut around them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from controller.vision import glyphs

Image = NDArray[np.uint8]


def card_with(turn: float, height: float = 20.0) -> tuple[Image, NDArray[np.float64]]:
    """Light ground with an E above a dot, turned; and the middles of both."""
    image = np.full((240, 240, 3), 235, np.uint8)
    h = int(height)
    for y in (0, h // 2, h):
        cv2.rectangle(image, (114, 90 + y), (126, 92 + y), (20, 20, 20), -1)
    cv2.rectangle(image, (113, 90), (116, 92 + h), (20, 20, 20), -1)
    cv2.circle(image, (120, 90 + h + 14), 7, (20, 20, 200), -1)
    move = cv2.getRotationMatrix2D((120, 120), turn, 1.0)
    turned = cv2.warpAffine(image, move, (240, 240), borderValue=(235, 235, 235))
    middles = np.array([[118.5, 91 + h / 2, 1], [120, 90 + h + 14, 1]]) @ move.T
    return turned.astype(np.uint8), middles.astype(np.float64)


def found(image: Image, middles: NDArray[np.float64]) -> bool:
    """Whether a pair is the rank and the suit, in this order."""
    rank, suit = glyphs.pairs(glyphs.shapes(image))
    near = np.hypot(*(rank - middles[0]).T) < 4
    return bool((near & (np.hypot(*(suit - middles[1]).T) < 4)).any())


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 360))
def test_an_index_is_found_whichever_way_it_stands(turn: float) -> None:
    image, middles = card_with(turn)
    assert found(image, middles)


@pytest.mark.parametrize("turn", [0.0, 37.0, 90.0, 200.0, 315.0])
def test_a_patch_stands_upright_whichever_way_the_card_lies(turn: float) -> None:
    straight, middles = card_with(0.0)
    turned, there = card_with(turn)
    cut = [
        glyphs.patches(image, at[:1].astype(np.float32), at[1:].astype(np.float32))[0]
        for image, at in ((straight, middles), (turned, there))
    ]
    assert np.abs(cut[0].astype(int) - cut[1].astype(int)).mean() < 6
    assert tuple(cut[1][43, 16]) == pytest.approx((20, 20, 200), abs=12)  # the suit's middle


def test_a_rank_grown_together_with_its_suit_is_cut_in_two() -> None:
    image, middles = card_with(0.0)
    cv2.line(image, (119, 108), (119, 120), (20, 20, 20), 3)
    assert found(image, middles)


@pytest.mark.parametrize("shade", [60, 110, 235])
def test_light_ground_may_be_dim(shade: int) -> None:
    image, middles = card_with(20.0)
    dim = (image.astype(np.float32) * (shade / 235)).astype(np.uint8)
    assert found(dim, middles)


def test_every_second_pixel_of_a_patch_is_the_same_patch() -> None:
    image, middles = card_with(33.0)
    rank, suit = middles[:1].astype(np.float32), middles[1:].astype(np.float32)
    whole = glyphs.patches(image, rank, suit)
    np.testing.assert_array_equal(glyphs.patches(image, rank, suit, 2), whole[:, ::2, ::2])


def test_pairs_are_bounded_however_busy_the_picture_is() -> None:
    noise = np.random.default_rng(1).integers(0, 2, (150, 150, 1), np.uint8) * 255
    busy = cv2.resize(np.repeat(noise, 3, 2), (900, 900), interpolation=cv2.INTER_NEAREST)
    shown = glyphs.shapes(busy.astype(np.uint8))
    rank, _ = glyphs.pairs(shown, 500)
    assert len(rank) <= 500 + 2 * 125


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (3, 2), (17, 900)])
def test_a_sliver_of_an_image_has_nothing_to_find(size: tuple[int, int]) -> None:
    image = np.full((*size, 3), 200, np.uint8)
    rank, suit = glyphs.pairs(glyphs.shapes(image))
    assert len(rank) == len(suit) == 0
