"""Cards read in drawn photographs, at a scale that the reader finds itself."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from controller.vision import glyphs
from controller.vision.indices import find_indices
from controller.vision.net import GlyphNet, Named
from controller.vision.picture import Picture
from controller.vision.reader import CardReader
from controller.vision.training import decks
from drivers.readings import Side
from tests.controller.vision.drawn import (
    Image,
    Laid,
    Shot,
    back,
    deck,
    face,
    other_game,
    photograph,
    ribbon,
)
from tests.controller.vision.indices_drawn import font

BOARD = ("As", "Td", "7c", "Kh", "2s")


@cache
def reader() -> CardReader:
    return CardReader(GlyphNet.load())


class Asked:
    """The network, which keeps how many patches it was asked to sift and, each time, to name."""

    def __init__(self) -> None:
        self._net = GlyphNet.load()
        self.sifted, self.looks = 0, list[int]()

    def sift(self, ink: Image) -> NDArray[np.float32]:
        self.sifted += len(ink)
        return self._net.sift(ink)

    def look(self, patches: Image) -> Named:
        self.looks.append(len(patches))
        return self._net.look(patches)


def faces(picture: Picture) -> Counter[str]:
    return Counter(s.face.code for s in picture.sightings if s.face is not None)


def board(shot: Shot, turned: float = 0.0, apart_mm: float = 70.0) -> Image:
    """Five cards beside each other."""
    laid = [Laid(face(code), 60 + apart_mm * n, 75, turned) for n, code in enumerate(BOARD)]
    return photograph(laid, 120 + 4 * apart_mm, 150, shot)


@pytest.mark.parametrize("px_per_mm", [2.2, 4.0, 8.0])
@pytest.mark.parametrize("known", [True, False])
def test_a_board_is_read_at_any_scale(px_per_mm: float, known: bool) -> None:
    picture = reader().read(board(Shot(px_per_mm)), px_per_mm if known else None)
    assert picture.quality.good
    assert faces(picture) == Counter(BOARD)


@pytest.mark.parametrize("turned", [90.0, 180.0, 213.0])
def test_a_card_may_lie_any_way(turned: float) -> None:
    picture = reader().read(board(Shot(4.0), turned, apart_mm=112.0))
    assert faces(picture) == Counter(BOARD)
    for sighting in picture.sightings:  # drawn turned clockwise, told anticlockwise
        off = (sighting.angle_deg - (90.0 - turned)) % 180.0
        assert min(off, 180.0 - off) < 4


def test_both_indices_of_a_card_are_one_card_in_its_middle() -> None:
    picture = reader().read(board(Shot(4.0)))
    assert len(picture.sightings) == 5
    by_place = sorted(picture.sightings, key=lambda s: s.x_px)
    for n, sighting in enumerate(by_place):
        assert math.dist((sighting.x_px, sighting.y_px), (4 * (60 + 70 * n), 300)) < 10
        assert not sighting.corner
        assert sighting.side is Side.UP


def test_a_card_with_four_indices_is_one_card() -> None:
    usual = decks.design(np.random.default_rng(2), [font()])
    four = replace(usual, four=True, rank_mm=6.0, suit_mm=4.5)
    cards = [decks.draw(four, code[0], code[1]).face for code in BOARD]
    laid = [Laid(card, 60 + 70.0 * n, 75, 8.0 * n) for n, card in enumerate(cards)]
    picture = reader().read(photograph(laid, 400, 150))
    assert len(picture.sightings) == 5
    assert faces(picture) == Counter(BOARD)


def test_what_several_kinds_of_ink_show_alike_is_looked_at_once() -> None:
    image, net = board(Shot(4.0)), Asked()
    rank, _ = glyphs.pairs(glyphs.shapes(image))
    indices = find_indices(image, net, 4.0).reads
    assert {read.face for read in indices} >= set(BOARD)
    assert net.sifted < len(rank) / 2
    assert sum(net.looks) < 3 * len(indices)


@pytest.mark.parametrize("whole", [True, False])
def test_only_what_no_other_corner_confirms_is_looked_at_again(whole: bool) -> None:
    image, net = board(Shot(4.0)), Asked()
    upper = image if whole else image[: 4 * 75]
    indices = [r for r in find_indices(upper, net, 4.0).reads if r.face in BOARD]
    assert len(indices) == (10 if whole else 5)
    assert (sum(net.looks[1:]) < 2 * 5) is whole  # twice more, askew


def test_the_same_card_twice_is_two_cards() -> None:
    laid = [Laid(face(code), 60 + 70.0 * n, 75) for n, code in enumerate(("9d", "9d", "4c"))]
    assert faces(reader().read(photograph(laid, 260, 150))) == Counter({"9d": 2, "4c": 1})


def test_every_card_of_a_spread_has_an_index_to_read() -> None:
    codes = deck(3)
    laid, width, height = ribbon([face(code) for code in codes], rows=2)
    found = reader().indices(photograph(laid, width, height, Shot(3.2)))
    named = {r.face for r in found.reads if r.confidence >= 0.5}
    assert named <= set(codes)
    assert len(named) >= 51
    assert found.size_px == pytest.approx(3.2 * 8, rel=0.3)


def test_a_back_is_a_card_without_a_face() -> None:
    laid = [Laid(face("As"), 60, 75), Laid(back(), 150, 75)]
    picture = reader().read(photograph(laid, 220, 150))
    assert sorted(s.side for s in picture.sightings) == [Side.DOWN, Side.UP]
    assert faces(picture) == Counter(["As"])


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((480, 640, 3), np.uint8),
        np.full((480, 640, 3), 255, np.uint8),
        np.zeros((1, 1, 3), np.uint8),
        np.full((3, 900, 3), 128, np.uint8),
        np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8),
    ],
    ids=["black", "white", "a pixel", "a sliver", "noise"],
)
def test_rubbish_names_no_card(image: Image) -> None:
    assert not faces(reader().read(image))


def test_cards_of_another_game_are_none_of_ours() -> None:
    laid = [Laid(other_game(n), 60 + 70.0 * n, 75) for n in range(5)]
    assert not faces(reader().read(photograph(laid, 400, 150)))


def test_what_is_out_of_focus_is_not_guessed_at() -> None:
    picture = reader().read(board(Shot(4.0, blur_px=9)))
    assert not faces(picture)
    assert not picture.quality.good
    assert "sharp" in picture.quality.reason


def test_no_sighting_prints_its_card() -> None:
    told = repr(reader().read(board(Shot(4.0))))
    assert "<face>" in told
    assert not any(code in told for code in BOARD)
