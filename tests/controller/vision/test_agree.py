"""What two readers saw, joined to one sighting a card."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from controller.model.cards import FACES, RANKS, SUITS
from controller.vision.agree import (
    PARTNER,
    Corners,
    IndexRead,
    OutlineRead,
    distinct,
    joined,
    partners,
)
from controller.vision.picture import PipsRead, Point
from drivers.readings import Face, Side

PX = 4.0  # a millimetre
SIZE = 7.5 * PX


def index(
    code: str, x: float = 300.0, y: float = 200.0, sure: float = 0.97, turned: float = 90.0
) -> IndexRead:
    rank, suit = np.zeros(14, np.float32), np.zeros(5, np.float32)
    each = math.sqrt(sure)
    rank[RANKS.index(code[0])], suit[SUITS.index(code[1])] = each, each
    rank[-1], suit[-1] = 1 - each, 1 - each
    return IndexRead(x, y, turned, SIZE, rank, suit)


def other(read: IndexRead, code: str | None = None, sure: float = 0.97) -> IndexRead:
    """The other index of the same card."""
    x, y = read.x_px + PARTNER[0] * PX, read.y_px + PARTNER[1] * PX
    return index(code or read.face, x, y, sure, 270.0)


def outline(read: IndexRead, *reads: IndexRead, side: Side = Side.UP) -> OutlineRead:
    """Of the card whose upper left index that is."""
    x, y = read.x_px - 6.2 * PX, read.y_px - 12.5 * PX
    four: tuple[Point, Point, Point, Point] = (
        (x, y),
        (x + 63 * PX, y),
        (x + 63 * PX, y + 88 * PX),
        (x, y + 88 * PX),
    )
    return OutlineRead(four, True, reads, side, 0.9)


def test_likelihoods_name_each_face() -> None:
    for code in FACES:
        assert FACES[int(index(code).likelihoods.argmax())] == code == index(code).face


def test_two_corners_are_one_card() -> None:
    one = index("7c", sure=0.7)
    assert partners(one, other(one))
    (card,) = joined([one, other(one, sure=0.6)])
    assert (card.face, card.corner) == (Face("7c"), False)
    assert card.confidence == pytest.approx(1 - 0.3 * 0.4, abs=0.01)
    assert math.dist((card.x_px, card.y_px), (300 + 25.3 * PX, 200 + 31.5 * PX)) < 1


def test_one_doubtful_corner_asks() -> None:
    (card,) = joined([index("7c", sure=0.7)])
    assert (card.face, card.corner, card.side) == (None, True, Side.UP)
    (sure,) = joined([index("7c", sure=0.97)])
    assert sure.face == Face("7c")
    assert joined([index("7c", sure=0.97)], alone=1.1)[0].face is None


def test_two_readers_are_enough() -> None:
    one = index("7c", sure=0.7)
    (card,) = joined([one], [outline(one, index("7c", 302, 201, 0.6))])
    assert card.face == Face("7c")
    assert card.outline is not None


@pytest.mark.parametrize("two", [True, False])
def test_readings_that_contradict_each_other_make_a_card_without_a_face(two: bool) -> None:
    one = index("5c", sure=0.99)
    against = other(one, "3c", 0.9) if two else index("3c", 302, 201, 0.9)
    (card,) = joined([one], [outline(one, against)])
    assert (card.side, card.face) == (Side.UP, None)
    assert card.confidence >= 0.9  # of the side: both say that it lies face up


def test_two_cards_of_one_face_that_are_no_partners_stay_two() -> None:
    cards = joined([index("7c"), index("7c", 300 + 100 * PX, 200)])
    assert len(cards) == 2


def test_an_index_is_read_once() -> None:
    assert len(distinct([index("7c", sure=0.8), index("7h", 305, 203, 0.5)])) == 1


def test_a_back_is_a_card_that_lies_face_down() -> None:
    (card,) = joined([], [outline(index("7c"), side=Side.DOWN)])
    assert (card.side, card.face) == (Side.DOWN, None)


def test_an_outline_around_other_cards_indices_is_none() -> None:
    """Steps in the edge of a spread make shapes of a card's form."""
    inside = [index(code, 300 + 25 * PX * n, 300) for n, code in enumerate(("7c", "Qs"))]
    made_up = replace(outline(index("As", 300, 200)), indices=(), side=Side.DOWN)
    cards = joined(inside, [made_up])
    assert {c.face.code for c in cards if c.face} == {"7c", "Qs"}
    assert all(c.side is Side.UP for c in cards)


def test_a_frame_printed_on_a_face_is_no_second_card() -> None:
    one = index("Kh")
    frame = OutlineRead(
        ((320.0, 215.0), (480.0, 215.0), (480.0, 440.0), (320.0, 440.0)), False, (), Side.DOWN, 0.8
    )
    assert [c.face for c in joined([one, other(one)], [frame])] == [Face("Kh")]


def test_an_outline_put_together_askew_is_still_the_cards() -> None:
    """Of a card with four indices whose edges were partly guessed."""
    one, two = index("3s"), other(index("3s"))
    right = index("3s", two.x_px, one.y_px)
    left = index("3s", one.x_px, two.y_px, turned=270.0)
    straight = outline(one, one, right, two, left)
    a, b, c, d = straight.outline
    askew = replace(straight, whole=False, outline=(a, (b[0] + 12 * PX, b[1]), c, d))
    assert [s.face for s in joined([one, right, two, left], [askew])] == [Face("3s")]


def test_an_outline_that_holds_another_cards_index_costs_neither_card() -> None:
    lower = index("6c")
    upper = index("8c", 300 + 20 * PX, 200 + 25 * PX)
    around = replace(outline(lower, lower, other(lower)), whole=False)
    cards = joined([lower, other(lower), upper], [around])
    assert {c.face.code for c in cards if c.face} == {"6c", "8c"}


def leaning(read: IndexRead, code: str, share: float) -> IndexRead:
    """The same reading, which leaves another rank and suit so much."""
    rank, suit = read.rank.copy(), read.suit.copy()
    rank[-1] = suit[-1] = 0.0
    if code[0] != read.face[0]:
        rank[RANKS.index(code[0])] = share
    if code[1] != read.face[1]:
        suit[SUITS.index(code[1])] = share
    return replace(read, rank=rank / rank.sum(), suit=suit / suit.sum())


def both(code: str, left: str, share: float, sure: float = 0.99) -> list[IndexRead]:
    one = index(code, sure=sure)
    return [leaning(r, left, share) for r in (one, other(one, sure=sure))]


@pytest.mark.parametrize(
    ("code", "left", "share", "pips", "told"),
    [
        ("6h", "5h", 0.03, PipsRead(5), "5h"),  # they left it open
        ("6h", "5h", 1e-3, PipsRead(5), None),  # nearly not
        ("6h", "5h", 1e-6, PipsRead(5), None),  # not at all
        ("6h", "5h", 0.03, PipsRead(6), "6h"),
        ("6h", "5h", 0.03, None, "6h"),  # nothing was counted
        ("Kh", "5h", 1e-6, PipsRead(5), None),  # a court has none
        ("7c", "7s", 0.15, PipsRead(7, "s"), "7s"),
        ("7c", "7s", 1e-3, PipsRead(7, "s"), None),
        ("7c", "7s", 0.15, PipsRead(7, "c"), "7c"),
        ("7c", "7s", 0.15, PipsRead(7), "7c"),
        ("7h", "7d", 0.15, PipsRead(7, "s"), "7h"),  # black says nothing of red suits
    ],
)
def test_both_corners_are_one_witness_and_the_pips_are_another(
    code: str, left: str, share: float, pips: PipsRead | None, told: str | None
) -> None:
    (card,) = joined(both(code, left, share), pips=lambda _: pips)
    assert card.face == (Face(told) if told else None)
    assert card.side is Side.UP


def test_pips_make_one_unsure_corner_of_a_whole_card_enough() -> None:
    one = leaning(index("8d", sure=0.98), "3d", 0.5)
    around = outline(one)
    assert joined([one], [around])[0].face is None
    assert joined([one], [around], pips=lambda _: PipsRead(8))[0].face == Face("8d")
    assert joined([one], [replace(around, whole=False)], pips=lambda _: PipsRead(8))[0].face is None


@pytest.mark.parametrize("turned", [0.0, 67.0, 200.0])
def test_pips_are_looked_for_where_both_indices_say_the_card_is(turned: float) -> None:
    by, at = math.radians(turned), list[Corners]()

    def placed(read: IndexRead) -> IndexRead:
        x = read.x_px * math.cos(by) + read.y_px * math.sin(by)
        y = read.y_px * math.cos(by) - read.x_px * math.sin(by)
        return replace(read, x_px=x, y_px=y, angle_deg=read.angle_deg + turned)

    one = index("8d")
    joined([placed(one), placed(other(one))], pips=at.append)
    wanted = [placed(replace(one, x_px=x, y_px=y)) for x, y in outline(one).outline]
    (found,) = at
    for turn in (0, 2):
        if math.dist(found[turn], (wanted[0].x_px, wanted[0].y_px)) < PX:
            for n, corner in enumerate(wanted):
                assert math.dist(found[(n + turn) % 4], (corner.x_px, corner.y_px)) < PX
            break
    else:
        raise AssertionError


def test_nothing_prints_a_card() -> None:
    one = index("7c")
    shown = repr((one, outline(one, one), joined([one])))
    assert "7c" not in shown
