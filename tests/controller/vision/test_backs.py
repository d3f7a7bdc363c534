"""Cards that lie face down, and what must not pass for them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.vision.backs import BackPattern, back_likelihood, is_foreign, learn_back
from controller.vision.outlines import BACK_FROM
from tests.controller.vision.drawn import (
    ART_PX_MM,
    Image,
    Laid,
    Shot,
    back,
    face,
    other_game,
    photograph,
)

RED, BLUE = back((30, 30, 160)), back((150, 30, 30))


def likely(card: Image, learnt: BackPattern | None = None) -> float:
    return back_likelihood(card, ART_PX_MM, learnt)


@pytest.mark.parametrize("card", [RED, BLUE, back((40, 90, 20), 2.0), back((60, 60, 60), 6.0)])
def test_a_back_is_one_without_being_learnt(card: Image) -> None:
    assert likely(card) >= BACK_FROM


@pytest.mark.parametrize("code", ["As", "2h", "Td", "9c", "Jh", "Qs", "Kd", "joker"])
def test_a_face_is_none(code: str) -> None:
    assert likely(face(code)) < BACK_FROM
    assert likely(face(code), BackPattern.learnt([BLUE], ART_PX_MM)) < BACK_FROM


def _paper() -> Image:
    card = np.full_like(BLUE, 245)
    for y in range(60, 640, 40):
        cv2.line(card, (60, y), (440 - y % 90, y), (70, 70, 70), 4)
    return card


def _phone() -> Image:
    card = np.full_like(BLUE, 20)
    cv2.rectangle(card, (0, 0), (503, 703), (60, 60, 60), 10)
    cv2.ellipse(card, (200, 200), (190, 90), 40, 0, 360, (70, 65, 60), -1)
    return card


def _felt() -> Image:
    return photograph([], 63, 88, Shot(px_per_mm=ART_PX_MM))


@pytest.mark.parametrize("what", [_paper(), _phone(), _felt(), other_game(3), other_game(8)])
def test_papers_phones_felt_and_other_games_are_none(what: Image) -> None:
    assert likely(what) < BACK_FROM


def test_a_learnt_back_tells_the_house_s_from_another(tmp_path: Path) -> None:
    seen = photograph([Laid(BLUE, 80, 75, 20)], 160, 150, Shot(px_per_mm=5))
    learnt = learn_back(seen)
    file = tmp_path / "back.json"
    file.write_text(learnt.text, encoding="ascii")
    again = BackPattern.read(file)
    assert likely(BLUE, again) > 0.8
    assert not is_foreign(BLUE, ART_PX_MM, again)
    assert is_foreign(RED, ART_PX_MM, again)
    assert likely(RED, again) >= BACK_FROM  # it lies face down all the same


def test_only_backs_can_be_learnt() -> None:
    with pytest.raises(ValueError, match="no card was seen"):
        learn_back(photograph([], 160, 150, Shot(px_per_mm=4)))
    with pytest.raises(ValueError, match="no card's back"):
        learn_back(photograph([Laid(face("2c"), 80, 75)], 160, 150, Shot(px_per_mm=4)))
    two = [Laid(RED, 60, 75), Laid(BLUE, 150, 75)]
    with pytest.raises(ValueError, match="different backs"):
        learn_back(photograph(two, 220, 150, Shot(px_per_mm=4)))


def test_a_file_that_is_no_back_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "back.json"
    file.write_text('{"colours": [[1]], "busy": 1}', encoding="ascii")
    with pytest.raises(ValueError, match="learn it again"):
        BackPattern.read(file)
