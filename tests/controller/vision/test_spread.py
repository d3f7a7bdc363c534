"""The deck by one spread: what one still shows, by readings that are made up and by the network on
drawn photographs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from controller.model.cards import FACES, RANKS, SUITS
from controller.vision.agree import IndexRead
from controller.vision.net import GlyphNet
from controller.vision.picture import Quality
from controller.vision.spread import Doubt, SpreadSeen, spread_seen
from controller.vision.spread_reader import SpreadReader
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
from tests.controller.vision.test_agree import SIZE, index, other

WHITE = np.full((900, 2200, 3), 225, np.uint8)
NO_INK = np.zeros((0, 3), np.float32)


def rows(codes: Iterable[str], sure: float = 0.98, per_row: int = 26) -> list[IndexRead]:
    """Indices as of a deck in rows, the last card of each row whole."""
    codes, out = list(codes), []
    for n, code in enumerate(codes):
        row, place = divmod(n, per_row)
        read = index(code, 100.0 + 68 * place, 150.0 + 420 * row, sure)
        out.append(read)
        if place == per_row - 1 or n == len(codes) - 1:
            out.append(other(read, sure=sure))
    return out


def seen(reads: Iterable[IndexRead], ink: np.ndarray = NO_INK) -> SpreadSeen:
    return spread_seen(list(reads), WHITE, Quality(), ink)


def doubts(still: SpreadSeen) -> Counter[Doubt]:
    return Counter(spot.doubt for spot in still.spots)


def confused(code: str, with_: str, share: float, place: IndexRead) -> IndexRead:
    """A reading between two faces of one suit."""
    rank = np.zeros(14, np.float32)
    rank[RANKS.index(code[0])], rank[RANKS.index(with_[0])] = share, 1 - share
    suit = np.zeros(5, np.float32)
    suit[SUITS.index(code[1])] = 1.0
    return replace(place, rank=rank, suit=suit)


def test_a_whole_deck_is_seen_without_a_doubt() -> None:
    still = seen(rows(FACES))
    assert still.faces == set(FACES)
    assert (still.spots, still.doubled, still.is_spread) == ((), (), True)


def test_all_the_others_decide_a_doubtful_reading() -> None:
    reads = rows(FACES)
    five, three = FACES.index("5c"), FACES.index("3c")
    reads[five + 1] = confused("3c", "5c", 0.52, reads[five + 1])  # one more: a row's end before it
    assert reads[three + 1].face == "3c"
    still = seen(reads)
    assert still.faces == set(FACES)
    assert still.spots == ()


def test_the_second_of_two_alike_does_not_pass_for_the_missing_card() -> None:
    reads = rows(FACES, 0.99)
    five, six = FACES.index("5s"), FACES.index("6s")
    reads[five] = confused("6s", "5s", 0.6, reads[five])
    reads[six] = confused("6s", "5s", 0.6, reads[six])
    still = seen(reads)
    assert "5s" not in still.faces
    assert doubts(still)[Doubt.UNSURE] >= 1


def test_a_face_that_may_be_the_missing_one_is_a_doubt() -> None:
    codes = [f for f in FACES if f != "5c"]
    reads = rows(codes)
    at = next(n for n, r in enumerate(reads) if r.face == "3c")
    reads[at] = confused("3c", "5c", 0.7, reads[at])
    still = seen(reads)
    assert doubts(still) == {Doubt.UNSURE: 1}
    assert not still.faces & {"3c", "5c"}


def test_a_face_is_doubled_only_where_both_are_sure() -> None:
    codes = ["Qh" if f == "7c" else f for f in FACES]
    still = seen(rows(codes, 0.99))
    assert (still.doubled, still.spots) == (("Qh",), ())
    assert "7c" not in still.faces
    unsure = rows(codes, 0.99)
    at = [n for n, r in enumerate(unsure) if r.face == "Qh"][1]
    unsure[at] = index("Qh", unsure[at].x_px, unsure[at].y_px, 0.8)
    still = seen(unsure)
    assert still.doubled == ()
    assert doubts(still) == {Doubt.UNSURE: 1}


def test_a_card_with_an_index_in_each_corner_is_one_card() -> None:
    reads = rows(FACES, 0.99)
    below = [
        index(r.face, r.x_px, r.y_px + 63 * 4.0, 0.99, 270.0) for r in reads if r.angle_deg == 90
    ]
    assert seen([*reads, *below]).doubled == ()


def test_a_gap_with_ink_in_it_may_hide_a_card_and_a_plain_one_does_not() -> None:
    reads = [r for r in rows(FACES) if r.face != FACES[9]]
    x, y = 100.0 + 68 * 9, 150.0
    hidden = np.array([[x, y - 12, 28], [x, y + 14, 24]], np.float32)
    assert doubts(seen(reads, hidden)) == {Doubt.GAP: 1}
    assert doubts(seen(reads)) == {}


def test_glare_in_a_gap_may_hide_a_card() -> None:
    reads = [r for r in rows(FACES) if r.face != FACES[9]]
    burnt = WHITE.copy()
    burnt[100:220, 650:780] = 255
    still = spread_seen(reads, burnt, Quality(), NO_INK)
    assert doubts(still) == {Doubt.GAP: 1}


def test_a_row_ends_with_a_card_that_shows_both_indices() -> None:
    reads = rows(FACES)
    assert reads[26].angle_deg == 270.0
    assert doubts(seen([*reads[:26], *reads[27:]])) == {Doubt.END: 1}
    blurred = other(reads[25], "Qs", 0.25)  # it shows, and nobody can name it
    assert doubts(seen([*reads[:26], blurred, *reads[27:]])) == {}


def test_what_stands_before_a_row_unread_is_a_doubt() -> None:
    ink = np.array([[100.0 - 68, 150 - 12, 28]], np.float32)
    assert doubts(seen(rows(FACES), ink)) == {Doubt.UNREAD: 1}


def test_a_spread_that_goes_on_outside_is_told() -> None:
    moved = [replace(r, x_px=r.x_px - 85) for r in rows(FACES)]
    assert doubts(seen(moved)) == {Doubt.CUT: 2}


def test_a_picture_that_cannot_be_read_shows_nothing() -> None:
    still = spread_seen(rows(FACES), WHITE, Quality(False, "too dark"), NO_INK)
    assert (still.faces, still.is_spread) == (frozenset(), False)


def test_it_prints_no_card() -> None:
    assert "7c" not in repr(seen(rows(FACES)))
    assert SIZE == 30.0


# ---- by the network, on drawn photographs


@cache
def reader() -> SpreadReader:
    return SpreadReader(GlyphNet.load())


def look(shown: list[Image], px_per_mm: float = 4.5, seed: int = 1) -> SpreadSeen:
    laid, width, height = ribbon(shown, seed=seed)
    return reader().look(photograph(laid, width, height, Shot(px_per_mm, seed=seed)))


def test_a_deck_is_read_from_one_still() -> None:
    still = look([face(code) for code in deck(3)])
    assert still.faces == set(FACES)
    assert (still.doubled, still.jokers, still.backs) == ((), 0, 0)


def test_a_deck_without_a_card_shows_51_and_never_that_one() -> None:
    still = look([face(code) for code in deck(5, without=["7c"])])
    assert "7c" not in still.faces
    assert len(still.faces) + doubts(still)[Doubt.UNSURE] >= 51
    assert still.doubled == ()


def test_a_card_that_lies_face_down_is_found_in_the_row_and_at_its_end() -> None:
    for place in (20, 51):
        shown = [face(code) for code in deck(8, without=["7c"])]
        shown.insert(place, back())
        still = look(shown)
        assert still.backs == 1
        assert "7c" not in still.faces


def test_a_joker_is_told_by_the_word_in_its_corner() -> None:
    still = look([face(code) for code in deck(7, extra=["joker"])])
    assert still.jokers == 1
    assert still.doubled == ()


@pytest.mark.parametrize("px_per_mm", [4.5])
def test_cards_of_another_game_are_none_of_the_52(px_per_mm: float) -> None:
    laid = [Laid(other_game(n), 60 + 80 * n, 75, 7 * n) for n in range(8)]
    still = reader().look(photograph(laid, 700, 150, Shot(px_per_mm)))
    assert still.faces == frozenset()


def test_two_decks_show_most_faces_twice_and_make_no_whole_deck_of_it() -> None:
    still = look([face(code) for code in deck(2)[:30] + deck(2)[:30]])
    assert len(still.faces) <= 30
    assert len(still.doubled) > 15


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((600, 800, 3), np.uint8),
        np.full((600, 800, 3), 255, np.uint8),
        np.zeros((1, 1, 3), np.uint8),
        np.random.default_rng(1).integers(0, 256, (500, 700, 3)).astype(np.uint8),
        photograph([], 200, 150),
    ],
)
def test_rubbish_shows_no_card(image: Image) -> None:
    still = reader().look(image)
    assert (still.faces, still.doubled, still.jokers, still.foreign) == (frozenset(), (), 0, 0)


def test_upside_down_shows_the_same() -> None:
    laid, width, height = ribbon([face(code) for code in deck(3)[:16]], rows=1)
    image = photograph(laid, width, height, Shot(4.5))
    turned = reader().look(np.ascontiguousarray(image[::-1, ::-1]))
    assert turned.faces == reader().look(image).faces
    assert len(turned.faces) >= 12
