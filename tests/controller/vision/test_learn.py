"""An odd deck, learned from one spread: its courts are named B, D and R."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from controller.model.cards import FACES
from controller.vision.deck_look import DeckLook, DeckLookError
from controller.vision.learn import NEW_DECK, learn
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.training import decks
from tests.controller.vision.drawn import Image, Laid, Shot, deck, photograph, ribbon
from tests.controller.vision.indices_drawn import font


@cache
def net() -> GlyphNet:
    return GlyphNet.load()


@cache
def odd() -> decks.Design:
    usual = decks.design(np.random.default_rng(2), [font()])
    return replace(usual, letters={"J": "B", "Q": "D", "K": "R"})


@cache
def card(face: str) -> Image:
    return decks.draw(odd(), face[0], face[1]).face


def spread(faces: list[str], rows: int = 2, seed: int = 1) -> Image:
    laid, width, height = ribbon([card(face) for face in faces], rows=rows, seed=seed)
    return photograph(laid, width, height, Shot(4.0, seed=seed))


@cache
def look() -> DeckLook:
    return learn(spread(list(NEW_DECK)), net(), NEW_DECK)


def named(reader: CardReader, image: Image) -> set[str]:
    return {r.face for r in reader.indices(image).reads if r.confidence >= 0.8}


@pytest.mark.parametrize("places", [(0, 12), (5, 6), (4, 20, 33)])
def test_cards_that_changed_places_are_not_learned_for_one_another(places: tuple[int, ...]) -> None:
    faces = list(NEW_DECK)
    lie = [NEW_DECK[n] for n in (*places[1:], places[0])]
    for place, face in zip(places, lie, strict=True):
        faces[place] = face
    with pytest.raises(DeckLookError, match="lie in one another") as no:
        learn(spread(faces), net(), NEW_DECK)
    assert no.value.cards
    assert set(no.value.cards) <= set(lie)
    assert not any(face in str(no.value) for face in lie)


def test_a_deck_that_was_learned_is_read_and_was_not_before() -> None:
    faces = deck(9)
    image = spread(faces, seed=7)
    before = named(CardReader(net()), image)
    assert not any(face[0] in "JQ" for face in before)
    assert named(CardReader(net(), look()), image) >= set(faces) - {faces[0], faces[26]}


def test_single_cards_are_read_by_what_was_learned() -> None:
    faces = ("Js", "Qd", "Kh", "7c", "Td")
    laid = [Laid(card(face), 60 + 70.0 * n, 75, 12.0 * n) for n, face in enumerate(faces)]
    picture = CardReader(net(), look()).read(photograph(laid, 400, 150, Shot(4.0, seed=5)))
    got = Counter(s.face.code for s in picture.sightings if s.face is not None)
    assert got == Counter(faces)


def test_it_comes_back_from_its_file_as_it_was() -> None:
    again = DeckLook.from_text(look().text())
    np.testing.assert_allclose(again.means, look().means, atol=1e-4)
    assert again.reach == pytest.approx(look().reach, abs=1e-4)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"cards": 1}', '{"cards": {}, "reach": NaN}', "[" * 5000]
)
def test_no_look_in_a_file_is_said_so(text: str) -> None:
    with pytest.raises(DeckLookError, match="Next: learn it again"):
        DeckLook.from_text(text)


def test_a_look_of_other_numbers_is_refused() -> None:
    with pytest.raises(DeckLookError, match="learn it again"):
        DeckLook.from_text(look().text().replace('"reach": ', '"reach": -'))


@pytest.mark.parametrize("value", ["Infinity", "-Infinity", "NaN", "1e-38", "1e38", "0", "null"])
def test_a_look_that_nobody_can_reckon_with_is_refused(value: str) -> None:
    told = json.loads(look().text())
    for where in ("stray", "cards"):
        row = told[where] if where == "stray" else told[where]["As"]
        text = json.dumps(told)
        number = json.dumps(row[0])
        spoilt = text.replace(
            f"[{number}, {json.dumps(row[1])}", f"[{value}, {json.dumps(row[1])}", 1
        )
        assert spoilt != text
        if (where, value) in (("cards", "0"), ("cards", "1e-38")):
            continue
        with pytest.raises(DeckLookError, match="learn it again"):
            DeckLook.from_text(spoilt)


def test_an_odd_deck_without_its_order_is_refused_with_the_way_out() -> None:
    with pytest.raises(DeckLookError, match="--in-order"):
        learn(spread(deck(4)), net())


def test_an_order_in_which_the_cards_do_not_lie_is_refused() -> None:
    with pytest.raises(DeckLookError, match="do not lie in the order"):
        learn(spread(deck(4)), net(), NEW_DECK)


def test_a_card_too_few_is_counted() -> None:
    with pytest.raises(DeckLookError, match="51 cards are seen in 2 rows, not 52"):
        learn(spread([face for face in FACES if face != "9d"]), net(), NEW_DECK)


def test_a_picture_of_no_cards_teaches_nothing() -> None:
    felt = photograph([], 400, 200, Shot(3.0))
    with pytest.raises(DeckLookError, match=r"Next: spread|cannot be read"):
        learn(felt, net())
