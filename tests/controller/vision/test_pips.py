"""Pips counted on drawn cards laid straight, and what they do to a face that the corners name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import cv2
import numpy as np
import pytest

from controller.model.cards import RANKS, SUITS
from controller.vision.net import GlyphNet, Named
from controller.vision.pips import PIPS_PX_MM, read_pips
from controller.vision.quads import straight
from controller.vision.reader import CardReader
from controller.vision.training import decks
from drivers.sim.camera_art import DeckStyle, card_back, card_face
from tests.controller.vision.drawn import (
    Image,
    Laid,
    Shot,
    back,
    face,
    other_game,
    photograph,
)
from tests.controller.vision.indices_drawn import font

NUMBERS = {rank: n for n, rank in enumerate("A23456789T", 1)}
FOUR_COLOURS = DeckStyle(index_mm=7.5, four_colour=True)


def _trained(code: str, seed: int = 2) -> Image:
    return decks.draw(decks.design(np.random.default_rng(seed), [font()]), code[0], code[1]).face


def _simulated(code: str) -> Image:
    return card_face(code, 8.0, FOUR_COLOURS)


ART: dict[str, Callable[[str], Image]] = {
    "drawn": face,
    "trained": _trained,
    "simulated": _simulated,
}


def count_pips(card: Image, px_per_mm: float = PIPS_PX_MM) -> int | None:
    shown = read_pips(card, px_per_mm)
    return None if shown is None else shown.number


def _laid(art: Image, px_per_mm: float = PIPS_PX_MM) -> Image:
    size = (round(63 * px_per_mm), round(88 * px_per_mm))
    return cv2.resize(art, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


@pytest.mark.parametrize("art", ART)
@pytest.mark.parametrize("rank", NUMBERS)
def test_a_number_card_shows_its_number_either_end_up(art: str, rank: str) -> None:
    for suit in SUITS:
        card = _laid(ART[art](rank + suit))
        assert count_pips(card) == NUMBERS[rank]
        assert count_pips(np.ascontiguousarray(card[::-1, ::-1])) == NUMBERS[rank]


@pytest.mark.parametrize("art", ART)
def test_clubs_are_told_from_spades_either_end_up(art: str) -> None:
    for rank in "23456789T":
        for suit in "cs":
            card = _laid(ART[art](rank + suit))
            for turned in (card, np.ascontiguousarray(card[::-1, ::-1])):
                shown = read_pips(turned)
                assert shown is not None
                assert shown.black == suit


def test_nothing_prints_the_pips() -> None:
    assert repr(read_pips(_laid(face("7c")))) == "<pips>"


def test_the_scale_may_be_another() -> None:
    for px_per_mm in (2.0, 4.0):
        for code in ("9s", "7h", "Ad"):
            assert count_pips(_laid(face(code), px_per_mm), px_per_mm) == NUMBERS[code[0]]


@pytest.mark.parametrize("art", ART)
def test_a_court_card_shows_none(art: str) -> None:
    for rank in "JQK":
        for suit in SUITS:
            assert count_pips(_laid(ART[art](rank + suit))) is None


def test_what_is_no_card_of_ours_shows_none() -> None:
    rng = np.random.default_rng(1)
    shape = _laid(face("As")).shape
    for image in (
        _laid(back()),
        _laid(card_back("red", 8.0)),
        _laid(face("joker")),
        _laid(card_face("joker1", 8.0)),
        _laid(other_game(5)),
        np.full(shape, 245, np.uint8),
        np.zeros(shape, np.uint8),
        rng.integers(0, 256, shape, np.uint8),
    ):
        assert count_pips(image) is None


def _covered(code: str) -> Iterator[Image]:
    """With a dark, a coloured and a light thing on one of its pips or beside it, a shine that
    bleaches some, and half of it under another card."""
    for ink in ((40, 40, 40), (40, 40, 200), (170, 175, 180)):
        card = _laid(face(code)).copy()
        cv2.circle(card, (79, 52), 22, ink, -1)
        yield card
    shine = _laid(face(code)).astype(np.float32)
    shine[:110] = 255 - (255 - shine[:110]) * 0.2
    yield shine.astype(np.uint8)
    half = _laid(face(code)).copy()
    half[:, 90:] = _laid(back())[:, :68]
    yield half


@pytest.mark.parametrize("code", ["2s", "3h", "5c", "7d", "8s", "9h", "Tc"])
def test_a_covered_card_is_never_taken_for_another(code: str) -> None:
    assert {count_pips(card) for card in _covered(code)} <= {None, NUMBERS[code[0]]}
    assert [count_pips(card) for card in _covered(code)].count(None) >= 4


def test_what_is_out_of_focus_shows_none() -> None:
    for code in ("5h", "8c", "Ts"):
        assert count_pips(cv2.GaussianBlur(_laid(face(code)), (0, 0), 12).astype(np.uint8)) is None


def _shot(art: Image, rng: np.random.Generator) -> Image:
    """A card photographed small, at a slant and in poor light, then laid straight by corners that
    are nearly right."""
    px = rng.uniform(1.6, 3.0)
    size = np.array([63.0, 88.0]) * px
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * size + rng.normal(
        0, 0.015 * size, (4, 2)
    )
    turn = rng.uniform(0, 2 * np.pi)
    by = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = (corners - size / 2) @ by + 0.75 * size[1]
    h, w = art.shape[:2]
    flat = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, corners.astype(np.float32))
    side = round(1.5 * size[1])
    ground = np.full((side, side, 3), (60, 105, 35), np.uint8)
    soft = cv2.GaussianBlur(art, (0, 0), 0.4 * w / size[0])
    how = {"flags": cv2.INTER_LINEAR, "borderMode": cv2.BORDER_TRANSPARENT}
    image = cv2.warpPerspective(soft, matrix, (side, side), ground, **how)
    image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.2)).astype(np.float32)
    light = np.linspace(1.0, rng.uniform(0.7, 1.0), side)[None, :, None] * rng.uniform(0.5, 1.0)
    seen = np.clip(image * light + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)
    guessed = corners + rng.normal(0, 0.4 * px, corners.shape)
    return straight(seen, guessed.astype(np.float32), PIPS_PX_MM)


def test_poor_pictures_are_counted_rightly_or_not_at_all() -> None:
    rng = np.random.default_rng(5)
    told = Counter[str]()
    for art in ART.values():
        for rank in RANKS:
            for suit in SUITS:
                number = count_pips(_shot(art(rank + suit), rng))
                assert number in (None, NUMBERS.get(rank))
                told[rank] += number is not None
    assert all(told[rank] >= 10 for rank in NUMBERS)  # of 12


class Mistaken:
    """The network, which takes every 5 for a 6 and is as sure of it as it is told."""

    def __init__(self, sure: float) -> None:
        self._net, self._sure = GlyphNet.load(), sure

    def sift(self, ink: Image) -> np.ndarray:
        return self._net.sift(ink)

    def look(self, patches: Image) -> Named:
        named = self._net.look(patches)
        rank = named.rank.copy()
        fives = rank.argmax(axis=1) == RANKS.index("5")
        rank[fives, RANKS.index("6")] = self._sure * rank[fives, RANKS.index("5")]
        rank[fives, RANKS.index("5")] *= 1.0 - self._sure
        return Named(rank, named.suit, named.features)

    def name(self, patches: Image) -> tuple[np.ndarray, np.ndarray]:
        named = self.look(patches)
        return named.rank, named.suit


@cache
def _table() -> Image:
    codes = ("5h", "6h", "5c", "Kd", "Ts")
    laid = [Laid(face(code), 60 + 80.0 * n, 75, 9.0 * n) for n, code in enumerate(codes)]
    return photograph(laid, 440, 150, Shot(3.0))


@pytest.mark.parametrize(("sure", "fives"), [(0.97, {"5h", "5c"}), (0.99999, set[str]())])
def test_pips_overrule_corners_that_leave_a_doubt_and_refuse_those_that_leave_none(
    sure: float, fives: set[str]
) -> None:
    picture = CardReader(Mistaken(sure)).read(_table(), 3.0)
    faces = sorted(s.face.code for s in picture.sightings if s.face is not None)
    assert faces == sorted({"6h", "Kd", "Ts"} | fives)
    assert len(picture.sightings) == 5  # the others ask


def test_a_card_whose_pips_are_hidden_is_named_by_its_corners() -> None:
    laid = [Laid(face("8c"), 60, 75), Laid(face("3d"), 140, 75)]
    image = photograph(laid, 200, 150, Shot(3.0))
    for x in (60, 140):
        cv2.circle(image, (3 * x, 3 * 75), 45, (40, 40, 190), -1)
    picture = CardReader(GlyphNet.load()).read(image, 3.0)
    assert {s.face.code for s in picture.sightings if s.face is not None} == {"8c", "3d"}
