"""What a deck is made of, and what may be done with a house's decks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.integrity.decks import (
    Deck,
    DeckError,
    DeckStatus,
    DeckTag,
    added,
    deck_faults,
    enrolled,
    known_tags,
    name_faults,
    paired,
    ready,
    renamed,
    retired,
    used,
)
from controller.vault import Vault
from drivers.readings import Uid
from tests.controller.integrity.houses import deck


def test_a_deck_of_51_is_refused_and_the_missing_card_named() -> None:
    whole = deck("red-1")
    short = replace(whole, tags=tuple(t for t in whole.tags if t.face != "7d"))
    with pytest.raises(DeckError, match="51 of 52 cards; missing: seven of diamonds"):
        added((), short)


def test_every_fault_of_a_deck_is_named_at_once() -> None:
    whole = deck("red-1")
    first, second, *rest = whole.tags
    broken = replace(
        whole,
        back="",
        tags=(first, replace(first, face="Zz"), replace(second, reads=30), second, *rest[:-3]),
    )
    said = "\n".join(deck_faults(broken))
    for words in (
        "the back of a deck",
        "51 of 52 cards; missing: king of clubs",
        "1 of its cards have a face that no card has",
        "two of spades is in it more than once",
        "one tag stands for two",
        "read more often than it was looked at",
    ):
        assert words in said
    assert first.uid.hex() not in said


def test_a_card_of_another_deck_is_refused_with_that_decks_name_alone() -> None:
    red, blue = deck("red-1"), deck("blue-1", "blue")
    shared = red.tags[30]
    mixed = replace(blue, tags=(replace(blue.tags[0], uid=shared.uid), *blue.tags[1:]))
    with pytest.raises(DeckError) as refused:
        added((red,), mixed)
    assert str(refused.value) == "deck blue-1: holds cards that are registered in deck red-1"


def test_two_decks_of_one_name_are_refused() -> None:
    with pytest.raises(DeckError, match="there are two of this name"):
        added((deck("red-1"),), replace(deck("red-2"), name="red-1"))


def test_a_pair_has_two_backs() -> None:
    house = (deck("a", "Red"), deck("b", "red "), deck("c", "blue"))
    with pytest.raises(DeckError, match="DECK_SAME_BACK: decks a and b both have"):
        paired(house, "a", "b")
    pairs = {d.name: d.pair for d in paired(house, "a", "c")}
    assert pairs == {"a": "c", "b": None, "c": "a"}


def test_a_new_pair_leaves_the_old_partner_alone() -> None:
    house = paired((deck("a"), deck("b", "blue"), deck("c", "green")), "a", "b")
    assert {d.name: d.pair for d in paired(house, "a", "c")} == {"a": "c", "b": None, "c": "a"}


@pytest.mark.parametrize("other", ["a", "gone"])
def test_a_deck_pairs_with_another_one_that_is_there(other: str) -> None:
    with pytest.raises(DeckError, match="Next:"):
        paired((deck("a"),), "a", other)


def test_a_used_deck_keeps_its_pair_and_cannot_be_paired_anew() -> None:
    house = used(paired((deck("a"), deck("b", "blue"), deck("c", "green")), "a", "b"), "a")
    assert [(d.status.value, d.pair) for d in house] == [
        ("used", "b"),
        ("ready", "a"),
        ("ready", None),
    ]
    with pytest.raises(DeckError, match="deck a is used"):
        paired(house, "a", "c")


def test_a_retired_deck_is_not_enrolled_and_still_known_by_its_name() -> None:
    house = retired(used((deck("a"), deck("b", "blue")), "a"), "b")
    a, b = house
    assert enrolled(house) == (a,)
    assert b.status is DeckStatus.RETIRED
    vault = Vault(known_tags(house))
    assert vault.registered[a.tags[0].uid][0] == "a"
    assert vault.registered[b.tags[0].uid][0] == "b"


def test_a_retired_deck_frees_its_pair_and_may_come_back() -> None:
    house = retired(paired((deck("a"), deck("b", "blue")), "a", "b"), "a")
    assert [d.pair for d in house] == [None, None]
    with pytest.raises(DeckError, match="--undo"):
        used(house, "a")
    assert ready(house, "a")[0].status is DeckStatus.READY


def test_a_renamed_deck_stays_paired() -> None:
    house = renamed(paired((deck("a"), deck("b", "blue")), "a", "b"), "a", "red 7")
    assert [(d.name, d.pair) for d in added((), *house)] == [("red 7", "b"), ("b", "red 7")]


def test_an_unknown_name_is_answered_with_the_near_one() -> None:
    with pytest.raises(DeckError, match="did you mean blue-1"):
        retired((deck("blue-1"),), "bleu-1")


def test_nothing_prints_a_card_or_a_uid() -> None:
    tag = DeckTag(Uid(bytes.fromhex("e00401020304")), "As", 19, 20)
    shown = repr(Deck("red-1", "red", (tag,), DeckStatus.READY, None, "")) + repr(tag) + str(tag)
    assert "As" not in shown
    assert "e004" not in shown.casefold()


@pytest.mark.parametrize("name", ["../red", "a/b", "--back", ".red", "a\\b"])
def test_a_name_that_looks_like_a_path_or_an_option_is_refused(name: str) -> None:
    (fault,) = name_faults(name, "red")
    assert "begins with no" in fault
    assert name_faults("red-1", "red") == ()
