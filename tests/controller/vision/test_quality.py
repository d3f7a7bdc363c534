"""Whether a picture is fit to be read: "I cannot see", and why."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from controller.vision.picture import Quality
from controller.vision.quality import judge, judge_area
from tests.controller.vision.drawn import Image, Laid, Shot, face, photograph


@cache
def table(px_per_mm: float = 4.0, light: float = 0.85) -> Image:
    laid = [Laid(face(code), 60 + 75 * n, 75, 8 * n) for n, code in enumerate(("As", "Td", "7c"))]
    return photograph(laid, 290, 150, Shot(px_per_mm=px_per_mm, light=light))


def blurred(image: Image, width: int, height: int) -> Image:
    return np.asarray(cv2.blur(image, (width, height)), np.uint8)


@pytest.mark.parametrize("px_per_mm", [2.5, 4.0, 8.0])
def test_a_sharp_table_is_good(px_per_mm: float) -> None:
    for scale in (None, px_per_mm):
        assert judge(table(px_per_mm), scale) == Quality(
            True, "", *_numbers(judge(table(px_per_mm), scale))
        )


def _numbers(quality: Quality) -> tuple[float, float, float]:
    return quality.sharpness, quality.exposure, quality.burnt


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_which_way_up_does_not_matter(turn: int) -> None:
    assert judge(np.ascontiguousarray(np.rot90(table(), turn))).good


@pytest.mark.parametrize(
    ("image", "why"),
    [
        (np.zeros((300, 400, 3), np.uint8), "too dark"),
        (np.full((300, 400, 3), 255, np.uint8), "too bright"),
        (np.full((1, 1, 3), 90, np.uint8), "too small: 1 x 1"),
        (np.full((300, 400, 3), (60, 105, 35), np.uint8), "covers the lens"),
    ],
)
def test_what_shows_nothing_says_why(image: Image, why: str) -> None:
    quality = judge(image)
    assert not quality.good
    assert why in quality.reason


def test_a_hand_over_the_lens_is_told() -> None:
    rng = np.random.default_rng(2)
    skin = np.full((480, 640, 3), (70, 90, 150), np.float32)
    glow = cv2.GaussianBlur(rng.normal(0, 400, (480, 640)).astype(np.float32), (0, 0), 60)
    noisy = skin + glow[..., None] + rng.normal(0, 3, skin.shape)
    assert "covers the lens" in judge(np.clip(noisy, 0, 255).astype(np.uint8)).reason


@pytest.mark.parametrize(("width", "height"), [(13, 13), (15, 1), (1, 15)])
def test_blur_is_told_in_whatever_direction(width: int, height: int) -> None:
    assert "not sharp" in judge(blurred(table(), width, height)).reason


def test_blur_is_measured_against_the_strokes_of_an_index() -> None:
    """What blurs an index away at a small scale leaves it readable at a large one."""
    assert not judge(blurred(table(2.5), 7, 7), 2.5).good
    assert judge(blurred(table(8.0), 7, 7), 8.0).good


def test_a_dim_table_is_good_while_it_can_be_read() -> None:
    assert judge(table(light=0.3)).good
    assert "too dark" in judge(table(light=0.08)).reason


def test_an_area_of_plain_felt_is_as_good_as_its_picture() -> None:
    felt = photograph([], 100, 80)
    whole = judge(table())
    assert judge_area(felt, whole).good
    assert not judge_area(felt, Quality(False, "not sharp: focus", 0.2)).good
    assert not judge_area(blurred(table(), 15, 1), whole).good
