"""Where a hand begins and ends, and whether the button lies where it must."""

from __future__ import annotations

import pytest

from controller.model.events import SeatRegistered, SeatStatus, Token
from controller.model.findings import FindingState, Severity, Stage
from controller.model.table import LayoutOptions
from controller.rules import engine
from tests.controller.rules.engine.told_table import ToldTable

FULL = LayoutOptions(seats=4)
"""A table with no more places than players."""


def gather(table: ToldTable) -> None:
    """The dealer takes up every card that lies."""
    table.wait(20.0)
    for card in list(table.where):
        if card in table.where:
            table.leaves(card, pace_s=0.3)


def one_hand(table: ToldTable, *order: int) -> None:
    table.key("new-hand")
    table.hole(*order)
    table.flop()
    gather(table)


def test_the_card_that_is_due_first_begins_a_hand() -> None:
    table = ToldTable()
    assert engine.progress(table.state).stage is Stage.BETWEEN
    table.seats(1)
    assert [(b.hand, b.button, set(b.seats)) for b in table.began] == [(1, 4, {1, 2, 3, 4})]


def test_a_single_card_elsewhere_begins_none_at_once() -> None:
    table = ToldTable()
    table.seats(3)
    assert table.began == []
    table.leaves(Token(1), pace_s=1.0)
    table.wait(30.0)
    assert table.began == []


def test_a_lone_card_that_stays_at_a_wrong_seat_is_a_deal_begun_there() -> None:
    table = ToldTable()
    table.seats(3)
    table.wait(3.0)
    assert len(table.began) == 1
    table.seats(4, 1, 2, 3, 4, 1, 2)
    assert table.codes == ["HOLE_FIRST_SEAT"]


def test_a_lone_card_soon_after_a_hand_may_be_one_of_its_cards() -> None:
    table = ToldTable()
    one_hand(table, 1, 2, 3, 4)
    assert len(table.ended) == 1
    table.seats(3)
    table.wait(5.0)
    assert len(table.began) == 1


def test_two_cards_at_two_seats_begin_a_hand() -> None:
    table = ToldTable()
    table.seats(2, 3)
    assert len(table.began) == 1


def test_a_wash_begins_no_hand() -> None:
    table = ToldTable()
    for zone in ("board", "muck", "board", "burn", "count", "burn"):
        table.comes(zone)
    table.wait(30.0)
    assert table.began == []
    assert table.findings == []


def test_a_card_on_the_burn_pile_begins_no_hand_while_others_lie_about() -> None:
    for elsewhere in ("muck", "board", "burn"):
        table = ToldTable("nj-tournament")
        table.comes(elsewhere)
        table.burn()
        table.wait(30.0)
        assert table.began == [], elsewhere


def test_a_card_that_lay_there_from_the_start_begins_nothing() -> None:
    table = ToldTable()
    table.named_anew("seat/1")
    table.carried("seat/2")
    table.wait(30.0)
    assert table.began == []


def test_a_gather_ends_the_hand_and_one_forgotten_card_does_not_matter() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.flop()
    table.wait(20.0)
    lying = list(table.where)
    for card in lying[:-2]:
        table.leaves(card, pace_s=0.3)
    assert table.ended == []
    table.leaves(lying[-2])
    assert [e.reason for e in table.ended] == ["gather"]
    assert engine.progress(table.state).stage is Stage.BETWEEN


def test_lifted_cards_alone_end_a_hand_only_after_the_grace() -> None:
    table = ToldTable()
    cards = table.hole(1, 2, 3, 4)
    for seat in (1, 2, 3, 4):
        for card in cards[seat]:
            table.leaves(card, pace_s=0.2)
    table.wait(15.0)
    assert table.ended == []
    table.wait(10.0)
    assert [e.reason for e in table.ended] == ["gather"]


def test_keys_begin_and_end_hands() -> None:
    table = ToldTable()
    table.key("new-hand")
    table.seats(1, 2)
    table.key("end-hand")
    assert [e.reason for e in table.ended] == ["key"]
    table.key("new-hand")
    table.seats(1)
    table.key("new-hand")
    assert [b.hand for b in table.began] == [1, 2, 3]


def test_questions_close_with_the_hand() -> None:
    table = ToldTable()
    table.seats(1, 2, 4)
    table.silence("seat/3")
    table.key("end-hand")
    assert table.only().state is FindingState.CLOSED
    assert engine.deadline(table.state) is None
    assert engine.watches(table.state) == ()


def test_with_one_player_no_hand_begins() -> None:
    table = ToldTable(seats=(2,), button=(2,))
    table.seats(2, 2)
    table.key("new-hand")
    assert table.began == []


@pytest.mark.parametrize(
    ("second", "code", "seat"),
    [
        (1, None, None),
        (4, "BTN_NOT_MOVED", 1),
        (2, "BTN_SKIPPED", 1),
    ],
)
def test_the_button_moves_to_the_next_player(
    second: int, code: str | None, seat: int | None
) -> None:
    table = ToldTable(options=FULL)
    one_hand(table, 1, 2, 3, 4)
    table.button(second)
    table.wait(20.0)
    table.key("new-hand")
    if code is None:
        assert table.findings == []
    else:
        assert (table.only().code, table.only().seat) == (code, seat)
        assert table.only().severity is Severity.WARNING


def test_a_button_put_right_before_the_cards_is_corrected() -> None:
    table = ToldTable(options=FULL)
    one_hand(table, 1, 2, 3, 4)
    table.button(2)
    table.key("new-hand")
    assert table.only().code == "BTN_SKIPPED"
    table.button(1)
    assert table.only().state is FindingState.CORRECTED
    assert engine.progress(table.state).button == 1


def test_a_button_that_moves_while_cards_are_out() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.button(2)
    assert (table.only().code, table.only().seat) == ("BTN_MOVED_MIDHAND", 4)
    table.button(4)
    assert table.only().state is FindingState.CORRECTED
    table.button()
    assert len(table.findings) == 1  # lifted for a moment


def test_no_button_and_two_buttons() -> None:
    none = ToldTable(button=())
    none.key("new-hand")
    assert none.codes == ["BTN_MISSING"]
    none.button(4)
    assert none.only().state is FindingState.CORRECTED
    two = ToldTable(button=(2, 4))
    two.key("new-hand")
    assert two.codes == ["BTN_DUPLICATE"]


def test_the_opening_button_where_the_house_fixes_it() -> None:
    wrong = ToldTable("nj-tournament", button=(4,), opening=True)
    wrong.confirmed("NJ-T-a-equip-2", "NJ-T-b-1")
    wrong.key("new-hand")
    assert (wrong.only().code, wrong.only().seat) == ("BTN_START", 1)
    right = ToldTable("nj-tournament", button=(1,), opening=True)
    right.confirmed("NJ-T-a-equip-2", "NJ-T-b-1")
    right.key("new-hand")
    assert right.findings == []
    later = ToldTable("nj-tournament", button=(4,))
    later.key("new-hand")
    assert later.findings == []


def test_a_missing_button_breaks_another_clause_at_the_opening() -> None:
    table = ToldTable("nj-tournament", button=(), opening=True, options=FULL)
    table.confirmed("NJ-T-a-equip-2", "NJ-T-b-1")
    table.key("new-hand")
    assert table.only().clause == "NJ-T-e2-2"
    table.burn()
    table.hole(2, 3, 4, 1)  # the house's opening button is at seat 1
    table.key("end-hand")
    table.wait(30.0)
    table.confirmed()
    table.key("new-hand")
    assert [f.clause for f in table.findings] == ["NJ-T-e2-2", "NJ-T-a-button"]


def test_an_empty_button_seat_is_dealt_around() -> None:
    table = ToldTable(button=(4,))
    table.tell(SeatRegistered(at=table.now, seat=4, status=SeatStatus.OUT, by="floor"))
    table.hole(1, 2, 3)
    assert table.findings == []
    assert engine.progress(table.state).stage is Stage.PREFLOP


def test_who_sits_out_is_dealt_no_card() -> None:
    table = ToldTable()
    table.tell(SeatRegistered(at=table.now, seat=2, status=SeatStatus.SIT_OUT, by="floor"))
    table.hole(1, 3, 4)
    assert table.findings == []
    table.seats(2)
    assert table.codes == ["HOLE_TO_OUTSIDER"]


def test_a_redeal_repeats_button_and_seats() -> None:
    table = ToldTable()
    table.key("new-hand")
    table.seats(2, 3, 4, 1)
    table.wait(1.0)
    table.key("misdeal")
    assert table.only().state is FindingState.CORRECTED
    assert [e.reason for e in table.ended] == ["misdeal"]
    table.wait(30.0)
    table.key("new-hand")
    table.hole(1, 2, 3, 4)
    assert len(table.findings) == 1
    assert table.began[1].button == table.began[0].button == 4


def test_a_redeal_with_another_button_or_other_seats_is_not_exact() -> None:
    table = ToldTable()
    table.key("new-hand")
    table.seats(2, 3, 4, 1)
    table.wait(1.0)
    table.key("misdeal")
    table.button(1)
    table.tell(SeatRegistered(at=table.now, seat=3, status=SeatStatus.OUT, by="floor"))
    table.wait(30.0)
    table.key("new-hand")
    found = table.found("REDEAL_NOT_EXACT")
    assert "button at seat 1, was 4" in found.seen
    assert "3" in found.seen


def test_after_a_redeal_the_button_moves_on_as_usual() -> None:
    table = ToldTable(options=FULL)
    table.key("new-hand")
    table.seats(2, 3, 4, 1)
    table.wait(1.0)
    table.key("misdeal")
    table.wait(30.0)
    one_hand(table, 1, 2, 3, 4)
    table.button(1)
    table.wait(30.0)
    one_hand(table, 2, 3, 4, 1)
    assert table.codes == ["HOLE_FIRST_SEAT"]


def test_a_first_burn_taken_up_again_began_no_hand() -> None:
    table = ToldTable("nj-tournament")
    burn = table.burn()
    table.leaves(burn, pace_s=1.0)
    table.wait(30.0)
    assert table.began == []
    assert table.findings == []


def test_a_half_empty_table_has_its_button_clockwise_past_the_empty_places() -> None:
    table = ToldTable()  # seats 1 to 4 of 11
    one_hand(table, 1, 2, 3, 4)
    table.button(1)
    table.wait(20.0)
    table.key("new-hand")
    assert table.findings == []


def test_a_card_put_back_between_hands_is_one_card() -> None:
    table = ToldTable()
    card = table.seats(3)[0]
    table.leaves(card, pace_s=0.3)
    table.comes("seat/3", card, pace_s=0.3)
    table.wait(4.0)
    table.seats(1)
    assert engine.progress(table.state).cards == ((1, 1), (3, 1))
    hand = table.state.hand
    assert hand is not None
    assert len({f.token for f in hand.fills.values()}) == len(hand.fills)


def test_a_burn_too_many_that_wanders_to_a_seat_counts_no_more_than_once() -> None:
    table = ToldTable(button=None)
    table.key("new-hand")
    card = table.comes("burn")
    del table.where[card]  # sensing takes it for a card of the deck again
    table.comes("seat/1", card)
    hand = table.state.hand
    assert hand is not None
    fills = [f.token for f in hand.fills.values()]
    assert (*fills, *hand.extra_burns).count(card) <= 1


def test_the_word_that_the_deck_is_shuffled_ends_a_hand_that_is_over() -> None:
    table = ToldTable()
    given = table.hole(1, 2, 3, 4)
    table.wait(10.0)
    for seat in (1, 2, 3):
        table.fold(*given[seat])  # in a pile too high to be read, they seem to lie for ever
    table.key("shuffled")
    assert [e.reason for e in table.ended] == ["gather"]


def test_the_same_word_while_the_hand_is_played_ends_nothing() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.key("shuffled")
    assert table.ended == []
