"""A whole deck in a box under an UHF antenna: every look names all of it, for seconds, and then the
box is empty. The count takes that as a pass."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from controller.integrity.count import Counting, CountStage
from drivers.readings import Uid
from tests.controller.integrity import passed_deck
from tests.controller.integrity.passed_deck import ANTENNA, RED, Look, Table

DECK = tuple(Uid(bytes(4) + tag) for tag in RED)  # EPC of 96 bits
CARDS = dict(zip(DECK, RED.values(), strict=True))


def counting() -> Counting:
    return Counting.of(CARDS, "red", ANTENNA)


def in_the_box(cards: Sequence[Uid]) -> list[Look]:
    box: list[Look] = [cards] * 12
    return box + [()] * 20


@pytest.fixture(autouse=True)
def uhf_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passed_deck, "LOOK_S", 0.25)


def test_a_whole_deck_is_counted_in_one_laying() -> None:
    table = Table(counting()).feed(in_the_box(DECK))
    assert table.stage is CountStage.READY
    assert table.counting.result is not None
    assert table.counting.result.complete


def test_a_missing_card_is_named_after_the_second() -> None:
    table = Table(counting()).feed(in_the_box(DECK[1:]))
    assert table.stage is CountStage.ASKING
    table.feed(in_the_box(DECK[1:]))
    assert table.counting.result is not None
    assert "the ace of spades is missing" in table.counting.result.sentence
