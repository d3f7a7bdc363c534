"""The deck in play: its hours, its counts, what is confirmed of it, and how it goes on after a
restart."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.model.events import (
    Attested,
    DeckAtTable,
    DeckCounted,
    DeckInPlay,
    DeckSuspected,
    DutyDeferred,
    TableResumed,
)
from controller.model.findings import DutyKind, FindingState, Severity
from controller.rules import engine
from tests.controller.rules.engine.told_table import ToldTable, opened

RED, BLUE = DeckAtTable(name="red", back="red"), DeckAtTable(name="blue", back="blue")
MINUTE_S = 60.0
CHANGES = ("DECK_CHANGE_DUE", "DECK_SET_REPLACE_DUE")


def playing(profile: str = "delaware", deck: str = "red") -> ToldTable:
    table = ToldTable(profile, decks=(RED, BLUE))
    table.tell(DeckInPlay(at=table.now, deck=deck))
    return table


def counted(table: ToldTable, present: int = 52, **what: object) -> None:
    table.tell(
        DeckCounted(
            at=table.now,
            deck="red",
            expected=52,
            present=present,
            by="Ann",
            **what,  # type: ignore[arg-type]
        )
    )


def test_the_hour_starts_when_the_deck_comes_into_play() -> None:
    table = playing()
    table.wait(60 * MINUTE_S - 1.0)
    assert table.findings == []
    table.wait(2.0)
    due = table.only()
    assert (due.code, due.severity, due.clause) == ("DECK_COUNT_DUE", Severity.NOTICE, "DE-b8-1")
    assert due.first_at - 100.0 == 60 * MINUTE_S


def test_the_hour_starts_anew_with_every_completed_count() -> None:
    table = playing()
    table.wait(50 * MINUTE_S)
    counted(table)
    table.wait(59 * MINUTE_S)
    assert table.findings == []
    table.wait(2 * MINUTE_S)
    assert table.only().code == "DECK_COUNT_DUE"
    counted(table)
    assert table.only().state is FindingState.CORRECTED


def test_a_hand_that_begins_overdue_makes_it_a_warning_and_says_by_how_much() -> None:
    table = playing()
    table.wait(61 * MINUTE_S)
    assert table.only().severity is Severity.NOTICE
    table.hole(1, 2, 3, 4)
    late = table.only()
    assert late.severity is Severity.WARNING
    assert late.seen.startswith("hand 1 began 6")  # some sixty seconds past the limit
    table.key("end-hand")
    assert table.only().state is FindingState.OPEN
    table.wait(100.0)
    table.button(1)
    table.hole(2, 3, 4, 1)
    assert table.only().seen.startswith("hand 2 began 1")


def test_a_duty_that_the_floor_has_ruled_on_is_not_said_again_until_it_was_done() -> None:
    table = playing()
    table.wait(61 * MINUTE_S)
    table.floor("rule", table.only().id, "the tournament ends in ten minutes")
    table.hole(1, 2, 3, 4)
    table.key("end-hand")
    table.button(1)
    table.hole(2, 3, 4, 1)
    assert table.only().state is FindingState.RULED


def test_a_reason_to_put_it_off_stands_beside_the_duty() -> None:
    table = playing()
    table.wait(56 * MINUTE_S)
    table.tell(DutyDeferred(at=table.now, duty=DutyKind.COUNT, reason="heads-up", by="Ann"))
    (count,) = [d for d in engine.progress(table.state).duties if d.kind is DutyKind.COUNT]
    assert count.deferred == "heads-up"
    table.wait(5 * MINUTE_S)
    table.tell(DutyDeferred(at=table.now, duty=DutyKind.COUNT, reason="last hand", by="Ann"))
    assert (table.only().ruling, table.only().by) == ("last hand", "Ann")
    assert table.only().state is FindingState.OPEN


def test_it_is_asked_for_so_early_that_no_hand_carries_past_the_limit() -> None:
    table = playing()
    for order in ((1, 2, 3, 4), (2, 3, 4, 1)):
        table.hole(*order)
        table.wait(10 * MINUTE_S)  # long hands
        table.key("end-hand")
    (count,) = [d for d in engine.progress(table.state).duties if d.kind is DutyKind.COUNT]
    assert count.due_at == 100.0 + 60 * MINUTE_S
    assert 10 * MINUTE_S < count.due_at - count.ask_at < 11 * MINUTE_S
    quick = playing()
    (count,) = [d for d in engine.progress(quick.state).duties if d.kind is DutyKind.COUNT]
    assert count.due_at - count.ask_at == 5 * MINUTE_S


def test_another_deck_begins_its_own_hours() -> None:
    table = playing()
    table.wait(121 * MINUTE_S)
    assert sorted(table.codes) == ["DECK_CHANGE_DUE", "DECK_COUNT_DUE"]
    table.tell(DeckInPlay(at=table.now, deck="blue", by="Ann"))
    assert {f.state for f in table.findings} == {FindingState.CORRECTED}
    table.wait(59 * MINUTE_S)
    assert len(table.findings) == 2
    table.wait(2 * MINUTE_S)
    assert [f.code for f in table.findings if f.alarming or f.state is FindingState.OPEN] == [
        "DECK_COUNT_DUE"
    ]


def test_where_both_decks_are_used_up_a_change_asks_for_new_ones() -> None:
    table = playing()
    table.tell(DeckInPlay(at=table.now, deck="blue"))
    table.wait(121 * MINUTE_S)
    assert "DECK_SET_REPLACE_DUE" in table.codes


def test_a_house_that_times_no_change_hears_of_none() -> None:
    table = playing("tda")
    table.wait(300 * MINUTE_S)
    assert table.codes == ["DECK_COUNT_DUE"]


def test_without_a_registered_deck_there_are_no_hours() -> None:
    table = ToldTable("delaware")
    table.wait(300 * MINUTE_S)
    assert table.findings == []
    assert engine.progress(table.state).duties == ()


def test_a_missing_and_a_doubled_card_are_two_findings_with_names() -> None:
    table = playing()
    counted(table, 50, missing=("7c", "2d"), duplicated=("As",))
    short, double = table.found("DECK_SHORT"), table.found("DECK_DUPLICATE")
    assert short.seen == "50 of 52; missing: seven of clubs, two of diamonds"
    assert short.severity is Severity.FOULED
    assert "DECK_EXTRA" in double.codes
    assert double.seen == "twice: ace of spades"
    counted(table)
    assert {f.state for f in table.findings} == {FindingState.CORRECTED}


def test_what_is_no_card_of_the_deck_is_told_by_its_kind() -> None:
    table = playing()
    counted(table, foreign=1, other_deck=2, jokers=1)
    assert [f.codes for f in table.findings] == [
        ("DECK_EXTRA", "DECK_FOREIGN"),
        ("DECK_EXTRA", "DECK_MIXED"),
        ("DECK_EXTRA", "DECK_JOKER"),
    ]


def test_a_count_of_the_spare_deck_says_nothing_of_the_one_in_play() -> None:
    table = playing(deck="blue")
    table.wait(50 * MINUTE_S)
    counted(table, 51, missing=("7c",))
    table.wait(11 * MINUTE_S)
    assert table.codes == ["DECK_COUNT_DUE"]


def test_a_suspicion_is_said_once_until_the_deck_was_counted() -> None:
    table = playing()
    for hands in (40, 41):
        table.tell(DeckSuspected(at=table.now, deck="red", hands=hands))
    assert (table.only().code, table.only().severity) == ("DECK_SUSPECT", Severity.NOTICE)
    counted(table)
    assert table.only().state is FindingState.CORRECTED
    table.tell(DeckSuspected(at=table.now, deck="red", hands=50))
    assert len(table.findings) == 2


def test_decks_of_one_back_are_no_pair() -> None:
    """DE-b6-2."""
    table = ToldTable("delaware", opening=True, decks=(RED, DeckAtTable(name="second", back="Red")))
    assert table.only().code == "DECK_SAME_BACK"


def test_what_was_confirmed_is_not_asked_again_and_what_was_not_is_named() -> None:
    table = ToldTable("delaware", opening=True, decks=(RED, BLUE))
    table.tell(Attested(at=table.now, row="DE-a1-1", by="Ann"))
    table.tell(Attested(at=table.now, row="DE-a1-4", by="Ann"))
    table.hole(1, 2, 3, 4)
    assert (table.only().code, table.only().clause) == ("ATTEST_MISSING", "DE-a1-7")
    table.key("end-hand")
    table.button(1)
    table.hole(2, 3, 4, 1)
    assert len(table.findings) == 1


def test_after_a_start_without_a_trusted_clock_a_count_comes_first() -> None:
    table = playing("tda")
    table.wait(5 * MINUTE_S)
    table.tell(TableResumed(at=table.now, away_known=False))
    assert table.only().code == "DECK_COUNT_DUE"
    (count,) = engine.progress(table.state).duties
    assert not count.age_known
    table.hole(1, 2, 3, 4)
    assert table.only().seen == "hand 1 began before the count"
    counted(table)
    table.wait(59 * MINUTE_S)
    assert table.only().state is FindingState.CORRECTED


def test_of_a_past_that_nobody_knows_the_first_deck_in_play_is_counted_first() -> None:
    table = ToldTable("tda", decks=(RED, BLUE))
    table.tell(TableResumed(at=table.now, away_known=False))
    assert table.findings == []
    table.tell(DeckInPlay(at=table.now, deck="red"))
    table.wait(1.0)
    assert table.only().code == "DECK_COUNT_DUE"
    assert not engine.progress(table.state).duties[0].age_known
    table.tell(DeckInPlay(at=table.now, deck="blue", by="Ann"))  # from its box
    assert table.only().state is FindingState.CORRECTED
    assert engine.progress(table.state).duties[0].age_known


@given(
    st.lists(st.floats(20.0, 900.0), min_size=1, max_size=40),
    st.sets(st.integers(0, 39), max_size=6),
    st.sets(st.integers(0, 39), max_size=6),
)
def test_every_duty_fires_within_a_second_and_no_hand_begins_unremarked(
    hands_s: list[float], counts: set[int], cuts: set[int]
) -> None:
    table = playing("delaware")
    base = {"count": table.now, "change": table.now}
    for n, length in enumerate(hands_s):
        if n in counts:
            counted(table)
            base["count"] = table.now
        if n in cuts:
            table.now += 37.0
            table.tell(TableResumed(at=table.now))
        late = {
            "DECK_COUNT_DUE": table.now - base["count"] > 60 * MINUTE_S,
            "DECK_CHANGE_DUE": table.now - base["change"] > 120 * MINUTE_S,
        }
        table.key("new-hand", pace_s=0.0)
        for code, is_late in late.items():
            found = [f for f in table.findings if f.code == code and f.state is FindingState.OPEN]
            assert len(found) == is_late
            assert all(f.severity is Severity.WARNING for f in found)
        table.wait(length)
        table.key("end-hand", pace_s=0.0)
    for f in table.findings:
        assert f.delay_s <= 38.0 if cuts else f.delay_s <= 1.0


def test_it_goes_on_from_where_it_stands() -> None:
    table = playing()
    table.wait(30 * MINUTE_S)
    counted(table)
    table.tell(DeckInPlay(at=table.now, deck="blue"))
    table.tell(Attested(at=table.now, row="DE-a1-1", by="Ann"))
    so_far = engine.so_far(table.state)
    assert so_far is not None
    fresh = engine.closed()
    event = opened("delaware", decks=(RED, BLUE), at=table.now)
    fresh, _ = engine.step(fresh, replace(event, so_far=so_far))
    assert fresh.deck == table.state.deck


def test_the_deck_is_told_of_in_a_hand_as_between_two() -> None:
    table = playing()
    counted(table)
    before = engine.progress(table.state)
    table.hole(1, 2, 3, 4)
    during = engine.progress(table.state)
    assert during.cards
    assert (during.deck, during.counted) == (before.deck, before.counted) == ("red", 52)
    assert during.duties == before.duties != ()


def test_a_deck_used_up_on_an_earlier_night_comes_back() -> None:
    table = ToldTable("delaware", decks=(replace(RED, used=True), BLUE))
    table.tell(DeckInPlay(at=table.now, deck="red"))
    assert (table.only().code, table.only().seen) == ("DECK_RETURNED", "the red deck again")
    lawful = ToldTable("tda", decks=(replace(RED, used=True), BLUE))
    lawful.tell(DeckInPlay(at=lawful.now, deck="red"))
    assert lawful.findings == []


def test_a_retired_deck_that_comes_back_is_called_so_in_every_house() -> None:
    table = ToldTable("tda", decks=(RED, BLUE))
    table.tell(DeckInPlay(at=table.now, deck="old-green"))
    assert table.only().code == "DECK_RETURNED"
    assert table.only().seen == "the old-green deck, which is retired"


@pytest.mark.parametrize("seed", range(4))
def test_in_a_week_of_nights_every_duty_is_said_within_a_second_of_its_time(seed: int) -> None:
    """Eight hours a night, hands of random length, power cuts, counts and changes now and then."""
    chance = random.Random(seed)
    table = playing("delaware")
    other = {"red": "blue", "blue": "red"}
    down: list[tuple[float, float]] = []

    def off(for_s: float) -> None:
        down.append((table.now, table.now + for_s))
        table.now += for_s
        table.tell(TableResumed(at=table.now, cards_known=True))

    for _ in range(7):
        closes = table.now + 8 * 60 * MINUTE_S
        while table.now < closes:
            table.key("new-hand", pace_s=0.0)
            table.wait(chance.uniform(40.0, 300.0))
            table.key("end-hand", pace_s=0.0)
            table.wait(chance.uniform(5.0, 30.0))
            progress = engine.progress(table.state)
            asked = [d.kind for d in progress.duties if table.now >= d.ask_at]
            assert progress.deck is not None
            if chance.random() < 0.02:
                off(chance.uniform(5.0, 900.0))
            elif DutyKind.CHANGE in asked and chance.random() < 0.3:
                deck = other[progress.deck]
                table.tell(DeckInPlay(at=table.now, deck=deck, by="Ann"))
            elif DutyKind.COUNT in asked and chance.random() < 0.3:
                deck = progress.deck
                done = DeckCounted(at=table.now, deck=deck, expected=52, present=52, by="Ann")
                table.tell(done)
        off(16 * 60 * MINUTE_S)
    timed = [f for f in table.findings if {"DECK_COUNT_DUE", *CHANGES} & set(f.codes)]
    assert timed
    for f in timed:
        if f.code == "DECK_SET_REPLACE_DUE" and "DECK_RETURNED" in f.codes:
            continue  # a used deck came back, which no clock says
        limit = f.first_at - f.delay_s
        back = next((end for start, end in down if start <= limit < end), limit)
        assert f.first_at - back <= 1.0


def test_a_table_opened_anew_keeps_its_decks_and_forgets_its_hands() -> None:
    table = ToldTable("delaware", opening=True, decks=(RED,))
    table.tell(Attested(at=table.now, row="DE-a1-1", by="Ann"))
    table.tell(DeckInPlay(at=table.now, deck="red"))
    table.tell(DeckCounted(at=table.now, deck="red", expected=52, present=51, missing=("7c",)))
    table.key("new-hand")
    table.hole(1, 2, 3, 4)
    table.key("end-hand")
    before = table.state
    assert before.last_button is not None
    assert before.deck.attested
    table.wait(30 * MINUTE_S)
    again = opened("delaware", opening=True, decks=(RED,), at=table.now)
    table.tell(replace(again, anew=True))
    after = table.state
    assert (after.last_button, after.redeal, after.deck.attested) == (None, None, frozenset())
    assert after.opening
    assert (after.deck.name, after.deck.since) == (before.deck.name, before.deck.since)
    assert (after.deck.counted_at, after.deck.present) == (before.deck.counted_at, 51)
    assert after.hands == before.hands
    standing = [f.code for f in table.findings if f.state is FindingState.OPEN]
    assert standing.count("SPARE_DECK_MISSING") == 1
    assert standing.count("DECK_SHORT") == 1
    (count,) = [d for d in engine.progress(after).duties if d.kind is DutyKind.COUNT]
    assert before.deck.counted_at is not None
    assert count.due_at == before.deck.counted_at + 60 * MINUTE_S
