"""Hole cards: their order, kept, violated or undecided, and how many a seat ends with."""

from __future__ import annotations

import pytest

from controller.model.events import CardGlimpsed
from controller.model.findings import FindingState, Judgement, Severity, Stage, Street
from controller.model.table import LayoutOptions, seat_zone
from controller.rules import engine
from tests.controller.rules.engine.told_table import ToldTable

STRICT = "nj-holdem"
"""A house in which the button receives last, always, and no card is burned before the deal."""


def test_a_deal_in_order_is_in_order_and_says_nothing() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    assert table.findings == []
    assert table.verdict("HOLE_ORDER").judgement is Judgement.IN_ORDER
    assert table.verdict("HOLE_COUNT").judgement is Judgement.IN_ORDER
    assert engine.progress(table.state).cards == ((1, 2), (2, 2), (3, 2), (4, 2))
    assert engine.progress(table.state).stage is Stage.PREFLOP


def test_the_place_that_is_due_next_follows_the_cards() -> None:
    table = ToldTable(seats=(2, 5, 9), button=(5,))
    table.key("new-hand")
    assert engine.progress(table.state).due[:3] == ("seat/9", "seat/2", "seat/5")
    table.seats(9)
    assert engine.progress(table.state).due[:3] == ("seat/2", "seat/5", "seat/9")
    table.seats(2, 5, 9, 2, 5)
    assert engine.progress(table.state).due == ("burn", "board")


def test_a_card_surely_before_its_turn_is_out_of_order() -> None:
    table = ToldTable()
    table.seats(1, 3, 2, 4)
    table.wait(1.0)
    found = table.only()
    assert (found.code, found.seat, found.street) == ("HOLE_ORDER", 2, Street.DEAL)
    assert found.severity is Severity.WARNING
    assert found.state is FindingState.OPEN
    table.seats(1, 2, 3, 4)
    assert table.only().code == "HOLE_ORDER"
    assert table.verdict("HOLE_ORDER").judgement is Judgement.VIOLATION


def test_cards_whose_times_overlap_are_not_told_apart() -> None:
    table = ToldTable()
    table.seats(1)
    table.seats(3, before_s=0.0)
    table.comes("seat/2", after_s=0.8)
    table.seats(4, 1, 2, 3, 4)
    assert table.findings == []
    assert table.verdict("HOLE_ORDER").judgement is Judgement.CANNOT_TELL
    assert table.verdict("HOLE_COUNT").judgement is Judgement.IN_ORDER


def test_the_intervals_decide_at_their_very_ends() -> None:
    def verdict(after_s: float) -> Judgement:
        table = ToldTable()
        table.seats(1, 2, before_s=0.125)
        table.seats(3, before_s=0.125)
        table.comes("seat/4", after_s=after_s, before_s=0.125)
        table.seats(1, 2, 3, 4)
        table.wait(3.0)
        assert table.findings == []
        return table.verdict("HOLE_ORDER").judgement

    assert verdict(0.625) is Judgement.IN_ORDER  # not before the moment in which seat 3's was seen
    assert verdict(0.6875) is Judgement.CANNOT_TELL


def test_a_card_that_came_no_sooner_than_the_next_ones_sight_is_out_of_order() -> None:
    def codes(after_s: float) -> list[str]:
        table = ToldTable()
        table.seats(1)
        table.seats(3, before_s=0.125)
        table.comes("seat/2", after_s=after_s, before_s=0.125)
        table.seats(4, 1, 2, 3, 4)
        table.wait(3.0)
        return table.codes

    assert codes(0.625) == ["HOLE_ORDER"]
    assert codes(0.6875) == []


def test_silence_counts_from_the_last_hole_card_not_from_the_end_of_the_deal() -> None:
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1, 3, 4)
    last_card_at = table.now - 0.1
    table.wait(8.0)
    (watch,) = engine.watches(table.state)
    assert watch.zone == "seat/2"
    assert watch.since <= last_card_at


def test_the_wrong_first_seat_is_one_finding_and_a_misdeal_where_it_is_read() -> None:
    table = ToldTable()
    table.key("new-hand")
    table.seats(2, 3, 4, 1, 2, 3, 4, 1)
    table.silence(times=3, pace_s=3.0)
    found = table.only()
    assert (found.code, found.seat) == ("HOLE_FIRST_SEAT", 1)
    assert found.state is FindingState.OPEN
    assert found.severity is Severity.WARNING  # no card at a place where none is due: no misdeal
    table.key("confirm")
    assert table.only().severity is Severity.MISDEAL
    assert table.only().by == "dealer"


def test_a_seat_passed_over_is_asked_about_then_told_by_its_number() -> None:
    table = ToldTable()
    table.seats(1, 2, 4, 1)
    assert table.findings == []
    table.silence("seat/3")
    found = table.only()
    assert (found.code, found.seat, found.state) == ("HOLE_ORDER", 3, FindingState.ASKING)
    assert found.severity is Severity.NOTICE
    assert found.board_text == "CHECK SEAT 3"
    table.seats(2, 3, 4)
    table.key("confirm")  # to the question
    table.wait(8.0)
    table.silence("seat/3", times=2, pace_s=4.0)
    found = table.only()
    assert found.codes == ("HOLE_ORDER", "HOLE_COUNT")
    assert found.seat == 3
    assert "1 card" in found.seen


def test_a_seat_with_no_card_at_all_was_dealt_out() -> None:
    table = ToldTable()
    table.seats(1, 2, 4, 1, 2, 4)
    table.wait(8.0)
    table.silence("seat/3", times=3, pace_s=4.0)
    found = table.only()
    assert (found.code, found.seat) == ("HOLE_DEALT_OUT", 3)
    assert found.severity is Severity.WARNING
    assert found.state is FindingState.OPEN


def test_a_missing_card_asks_then_warns_and_is_a_misdeal_only_when_confirmed() -> None:
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1, 3, 4)
    table.wait(8.0)
    table.silence("seat/2")
    asked = table.only()
    assert (asked.state, asked.severity) == (FindingState.ASKING, Severity.NOTICE)
    table.silence("seat/2", times=4, pace_s=4.0)
    warned = table.only()
    assert (warned.state, warned.severity) == (FindingState.OPEN, Severity.WARNING)
    table.wait(600.0)
    table.silence("seat/2", times=4)
    assert table.only().severity is Severity.WARNING
    table.floor("confirm", table.only().id)
    assert table.only().severity is Severity.MISDEAL
    assert table.only().by == "Ann"


def test_a_late_read_takes_the_question_back() -> None:
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1, 3, 4)
    table.wait(8.0)
    table.silence("seat/2")
    table.comes("seat/2", after_s=9.0)
    assert table.only().state is FindingState.CORRECTED
    assert table.only().severity is Severity.NOTICE
    assert engine.watches(table.state) == ()


def test_a_warning_that_a_read_disproves_is_corrected() -> None:
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1, 3, 4)
    table.wait(8.0)
    table.silence("seat/2", times=4, pace_s=4.0)
    assert table.only().state is FindingState.OPEN
    table.comes("seat/2", after_s=30.0)
    assert table.only().state is FindingState.CORRECTED


def test_two_cards_at_once() -> None:
    table = ToldTable(seats=(1, 2, 3, 4, 5), button=(5,))
    table.seats(1, 2, 2, 3, 4, 5, 1, 3, 4, 5)
    found = table.only()
    assert (found.code, found.seat) == ("HOLE_TWO_AT_ONCE", 2)
    assert found.state is FindingState.OPEN


def test_a_second_card_is_no_extra_card_while_the_deal_goes_on() -> None:
    table = ToldTable(seats=(1, 2, 3), button=(3,))
    table.seats(1, 1, 2, 3)
    assert "HOLE_COUNT" not in table.codes


@pytest.mark.parametrize(("profile", "codes"), [("tda", []), (STRICT, ["HOLE_LAST_NOT_BUTTON"])])
def test_two_consecutive_cards_on_the_button(profile: str, codes: list[str]) -> None:
    table = ToldTable(profile)
    table.seats(1, 2, 3, 4, 4, 1, 2, 3)
    table.wait(10.0)
    assert table.codes == codes
    if codes:
        assert table.only().severity is Severity.NOTICE
        assert table.only().seat == 4


def test_an_extra_card_alarms_by_its_read() -> None:
    table = ToldTable()
    cards = table.hole(1, 2, 3, 4)
    extra = table.seats(2)[0]
    assert table.findings == []
    assert table.verdict("HOLE_COUNT").judgement is not Judgement.VIOLATION
    table.dwell()
    found = table.only()
    assert (found.code, found.seat, found.severity) == ("HOLE_COUNT", 2, Severity.MISDEAL)
    assert found.seen == "3 cards"
    assert "burn" in found.remedy
    table.comes("burn", extra)
    assert table.only().state is FindingState.CORRECTED
    assert len(cards[2]) == 2


def test_the_extra_card_in_the_muck_leaves_the_hand_alive() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    extra = table.seats(2)[0]
    table.dwell()
    table.comes("muck", extra)
    assert table.only().state is FindingState.CORRECTED
    assert engine.progress(table.state).folded == ()
    table.flop()
    table.wait(3.0)
    assert len(table.findings) == 1


def test_two_extra_cards_have_another_remedy() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.seats(2, 2)
    table.dwell()
    assert table.only().seen == "4 cards"
    assert "two cards too many are a misdeal" in table.only().remedy


def test_the_extra_card_used_as_the_burn_serves_the_flop() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    extra = table.seats(2)[0]
    table.dwell()
    table.comes("burn", extra)
    table.wait(10.0)
    table.board(3)
    table.silence(times=2, pace_s=4.0)
    assert [f.state for f in table.findings] == [FindingState.CORRECTED]
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.IN_ORDER


def test_an_exposed_card_that_leaves_after_its_replacement_came_is_no_surplus() -> None:
    table = ToldTable()
    cards = table.hole(1, 2, 3, 4)
    table.seats(3)
    table.comes("burn", cards[3][1], pace_s=0.8)
    table.wait(10.0)
    table.board(3)
    table.silence(times=2, pace_s=4.0)
    assert table.findings == []
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.IN_ORDER


def test_the_replacement_of_an_exposed_card_makes_it_the_burn() -> None:
    table = ToldTable()
    cards = table.hole(1, 2, 3, 4)
    table.comes("burn", cards[3][1])
    table.seats(3)
    table.wait(10.0)
    table.board(3)
    table.silence(times=2, pace_s=4.0)
    assert table.findings == []
    assert engine.progress(table.state).folded == ()
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.IN_ORDER


def test_a_card_for_a_seat_without_a_hand() -> None:
    table = ToldTable()
    table.seats(1, 2)
    stray = table.comes("seat/7")
    found = table.only()
    assert (found.code, found.seat) == ("HOLE_TO_OUTSIDER", 7)
    table.comes("seat/3", stray)
    assert table.only().state is FindingState.CORRECTED


def test_the_remedy_for_a_swap_corrects_it() -> None:
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1)
    too_early = table.seats(3)[0]
    table.seats(3)  # what seat 2 was due has gone to seat 3, and its own card after it
    table.seats(4)
    table.wait(10.0)
    table.silence(times=2, pace_s=4.0)
    assert {f.seat for f in table.findings} == {2, 3}
    table.comes("seat/2", too_early)
    assert {f.state for f in table.findings} == {FindingState.CORRECTED}
    assert table.verdict("HOLE_COUNT").judgement is Judgement.VIOLATION  # and it is on record


def test_a_placement_seat_is_judged_by_its_number_only() -> None:
    table = ToldTable(options=LayoutOptions(placement_seats=frozenset({2})))
    table.seats(1, 3, 4, 1, 3, 4)
    table.silence(times=3)
    assert table.findings == []
    table.wait(5.0)
    table.seats(2, 2)
    assert table.findings == []
    assert table.verdict("HOLE_ORDER").judgement is Judgement.IN_ORDER


def test_a_placement_seat_that_stays_empty_is_asked_about_at_last() -> None:
    table = ToldTable(options=LayoutOptions(placement_seats=frozenset({2})))
    table.seats(1, 3, 4, 1, 3, 4)
    table.wait(10.0)
    table.silence()
    assert table.findings == []
    table.wait(20.0)
    assert (table.only().code, table.only().state) == ("HOLE_DEALT_OUT", FindingState.ASKING)


def test_omaha_deals_four_cards() -> None:
    table = ToldTable(game="omaha")
    table.hole(1, 2, 3, 4, passes=2)
    assert engine.progress(table.state).stage is Stage.DEAL
    table.hole(1, 2, 3, 4, passes=2)
    assert engine.progress(table.state).stage is Stage.PREFLOP
    assert table.findings == []
    table.seats(1)
    table.dwell()
    assert (table.only().code, table.only().seen) == ("HOLE_COUNT", "5 cards")


def test_heads_up_the_button_receives_last() -> None:
    table = ToldTable(seats=(3, 8), button=(3,))
    table.seats(8, 3, 8, 3)
    assert table.findings == []
    assert table.verdict("HOLE_ORDER").judgement is Judgement.IN_ORDER
    wrong = ToldTable(seats=(3, 8), button=(3,))
    wrong.key("new-hand")
    wrong.seats(3, 8, 3, 8)
    assert wrong.codes == ["HOLE_FIRST_SEAT"]


def test_without_a_button_only_counts_are_judged() -> None:
    table = ToldTable(button=None)
    table.key("new-hand")
    table.seats(2, 1, 4, 3, 1, 2, 3, 4)
    assert table.findings == []
    assert table.verdict("HOLE_ORDER").judgement is Judgement.CANNOT_TELL
    assert table.verdict("HOLE_COUNT").judgement is Judgement.IN_ORDER


def test_two_mistakes_at_two_seats_are_two_findings() -> None:
    table = ToldTable(seats=(1, 2, 3, 4, 5, 6), button=(6,))
    table.seats(1, 2, 3, 4, 5, 6, 1, 3, 5, 6)
    table.wait(8.0)
    table.silence(times=3, pace_s=4.0)
    assert {(f.code, f.seat) for f in table.findings} == {("HOLE_COUNT", 2), ("HOLE_COUNT", 4)}


def test_a_late_card_to_the_seat_that_was_asked_about_is_its_remedy() -> None:
    table = ToldTable()
    table.seats(1, 2, 4)
    table.silence("seat/3")
    assert table.only().state is FindingState.ASKING
    table.seats(1, 2, 3, 4)
    table.wait(4.0)
    table.seats(3)
    assert table.only().state is FindingState.CORRECTED
    assert table.only().severity.rank <= Severity.WARNING.rank


def test_a_card_asked_for_that_came_just_after_the_next_ones_was_dealt_too_late() -> None:
    table = ToldTable()
    table.seats(1, 3, before_s=0.125)
    table.silence("seat/2", pace_s=0.125)
    assert (table.only().code, table.only().seat, table.only().asking) == ("HOLE_ORDER", 2, True)
    table.comes("seat/2", after_s=0.25, before_s=0.125, pace_s=0.5)
    table.wait(2.0)
    assert table.only().alarming
    assert table.only().severity is Severity.WARNING
    table.seats(4, 1, 2, 3, 4)
    assert table.only().state is FindingState.OPEN


def test_a_second_card_that_changed_places_is_no_card_read_late() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4, passes=1)
    table.seats(1, 3, before_s=0.125)
    table.silence("seat/2", pace_s=0.125)
    table.comes("seat/2", after_s=0.25, before_s=0.125, pace_s=0.5)
    table.seats(4)
    table.wait(3.0)
    assert (table.only().code, table.only().seat) == ("HOLE_ORDER", 2)
    assert table.only().state is FindingState.OPEN


def test_a_card_that_comes_long_after_it_was_asked_for_may_only_have_been_unread() -> None:
    table = ToldTable()
    table.seats(1, 3)
    table.silence("seat/2")
    table.seats(4, 1)
    table.comes("seat/2", pace_s=1.0)
    table.seats(2, 3, 4)
    table.wait(3.0)
    assert [f.alarming for f in table.findings if f.seat == 2] == [False]


def test_a_card_glimpsed_at_the_seat_keeps_a_question_from_becoming_a_warning() -> None:
    table = ToldTable()
    table.seats(1, 3)
    table.silence("seat/2")
    assert table.only().asking
    table.silence("seat/2")
    table.tell(CardGlimpsed(at=table.now, zone=seat_zone(2)))
    table.seats(4)
    table.wait(20.0)
    assert [f.alarming for f in table.findings if f.seat == 2] == [False]
