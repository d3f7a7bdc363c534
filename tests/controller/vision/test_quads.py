"""Card outlines, on felt of any colour, whole and covered."""

from __future__ import annotations

import numpy as np
import pytest

from controller.vision.quads import Quad, quads
from tests.controller.vision.drawn import Laid, Shot, back, face, photograph

SHOT = Shot(px_per_mm=4.0)
PLACES = ((60, 75, 12), (160, 75, -40), (260, 75, 90))


def _at(found: list[Quad], x_mm: float, y_mm: float, off_mm: float = 2.0) -> list[Quad]:
    there = complex(x_mm, y_mm) * SHOT.px_per_mm
    return [q for q in found if abs(q.middle - there) < off_mm * SHOT.px_per_mm]


@pytest.mark.parametrize(
    "felt", [(60, 105, 35), (120, 60, 30), (40, 30, 120), (30, 30, 30), (150, 170, 180)]
)
@pytest.mark.parametrize("known", [True, False])
def test_cards_are_outlined_on_any_felt(felt: tuple[int, int, int], known: bool) -> None:
    shows = (face("As"), face("Qd"), back())
    laid = [Laid(s, *p) for s, p in zip(shows, PLACES, strict=True)]
    shot = Shot(px_per_mm=4.0, felt=felt)
    found = quads(photograph(laid, 340, 150, shot), 4.0 if known else None)
    for x, y, _ in PLACES:
        (quad,) = _at(found, x, y)
        assert quad.whole
        assert abs(quad.height / 4.0 - 88) < 2.5


def test_a_card_seen_at_a_slant_is_outlined() -> None:
    laid = [Laid(face("9s"), 80, 75, 5), Laid(face("2h"), 190, 75, -20)]
    found = quads(photograph(laid, 270, 150, Shot(px_per_mm=4.0, slant=0.06)))
    assert len([q for q in found if q.whole]) == 2


def test_a_covered_card_is_made_whole_from_the_corners_that_it_shows() -> None:
    laid = [Laid(face("5c"), 80, 75, 0), Laid(face("8d"), 122, 100, 18)]
    found = quads(photograph(laid, 220, 180, SHOT), 4.0)
    (over,) = _at(found, 122, 100)
    assert over.whole
    (under,) = _at(found, 80, 75, 3.0)
    assert not under.whole


def test_felt_chips_and_a_phone_are_no_cards() -> None:
    import cv2

    image = photograph([], 300, 200, SHOT)
    for x in range(100, 1100, 170):
        cv2.circle(image, (x, 300), 78, (40, 40, 200), -1)
        cv2.circle(image, (x, 300), 50, (240, 240, 240), 6)
    cv2.rectangle(image, (200, 480), (200 + 580, 480 + 280), (25, 22, 20), -1)
    assert quads(image, 4.0) == []


def test_an_empty_picture_has_none() -> None:
    assert quads(np.full((200, 300, 3), 90, np.uint8)) == []
