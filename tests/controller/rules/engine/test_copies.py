"""A copied tag: one finding for one mistake, whatever it was called first and whatever follows."""

from __future__ import annotations

import pytest

from controller.model.events import TagFault, TagVerdict, Token
from controller.model.findings import FindingState, Judgement, Severity, Street
from controller.model.table import Zone
from tests.controller.rules.engine.told_table import ToldTable


def dealt() -> tuple[ToldTable, dict[int, list[Token]]]:
    table = ToldTable("tda")
    cards = table.hole(1, 2, 3, 4)
    table.wait(10.0)
    return table, cards


def clone(table: ToldTable, card: Token, zone: str) -> None:
    table.tell(TagVerdict(at=table.now, token=card, zone=Zone(zone), fault=TagFault.CLONE))


def test_both_places_are_named_and_the_seat_at_which_the_card_is_not_due() -> None:
    table, cards = dealt()
    clone(table, cards[1][0], "seat/3")
    found = table.only()
    assert (found.code, found.seat, found.severity) == ("DECK_CLONE", 3, Severity.SECURITY)
    assert found.seen == "one tag at once at seat/3 and seat/1"
    clone(table, cards[1][0], "seat/3")
    assert len(table.findings) == 1


def test_a_card_called_at_the_wrong_seat_is_known_better() -> None:
    table, cards = dealt()
    table.comes("seat/3", cards[1][0])
    table.wait(3.0)
    mismatch = table.only()
    assert mismatch.code == "CARD_SEAT_MISMATCH"
    clone(table, cards[1][0], "seat/1")
    found = table.only()
    assert found.codes == ("CARD_SEAT_MISMATCH", "DECK_CLONE")
    assert (found.id, found.seat, found.severity) == (mismatch.id, 3, Severity.SECURITY)
    table.comes("seat/1", cards[1][0])
    table.comes("seat/3", cards[1][0])
    table.wait(5.0)
    assert table.only().state is FindingState.OPEN


def test_a_folded_card_that_is_read_on_the_board_is_known_better() -> None:
    table, cards = dealt()
    flop = table.flop()
    table.fold(*cards[1])
    table.comes("board", cards[1][0])
    table.wait(4.0)
    assert table.only().code == "BOARD_MUCK_MIX"
    clone(table, cards[1][0], "muck")
    assert table.only().code == "DECK_CLONE"
    assert table.only().zone == "board"
    assert table.where[flop[0]] == "board"


def test_one_of_two_cards_in_the_muck_puts_nothing_right() -> None:
    table, cards = dealt()
    table.flop()
    clone(table, cards[1][0], "seat/3")
    table.fold(*cards[1])
    table.comes("seat/3", cards[1][0])
    table.wait(6.0)
    assert table.only().state is FindingState.OPEN
    table.leaves(cards[1][0])
    table.wait(6.0)
    assert table.only().state is FindingState.OPEN


def test_a_seat_that_a_copy_was_dealt_to_is_not_short() -> None:
    table = ToldTable("tda")
    cards = table.hole(1, 2, 3, 4, passes=1)
    table.seats(1, 2)
    table.seats(4)
    table.wait(2.0)
    table.silence("seat/3", times=2, pace_s=5.0)
    asked = table.only()
    assert asked.seat == 3
    clone(table, cards[1][0], "seat/3")
    table.silence(times=4, pace_s=4.0)
    table.flop()
    table.silence(times=4, pace_s=4.0)
    assert [f.state for f in table.findings] == [FindingState.CORRECTED, FindingState.OPEN]
    assert table.found("DECK_CLONE").seat == 3
    assert table.verdict("HOLE_COUNT").judgement is Judgement.IN_ORDER


@pytest.mark.parametrize("late", [False, True])
def test_a_flop_with_a_copy_in_it_has_its_three_cards(late: bool) -> None:
    table, cards = dealt()
    table.burn()
    table.board(2)
    if late:
        table.silence(times=3, pace_s=2.0)
        assert table.only().code == "BOARD_COUNT"
    clone(table, cards[1][0], "board")
    table.silence(times=4, pace_s=4.0)
    table.street()
    table.silence(times=4, pace_s=4.0)
    standing = [f.code for f in table.findings if f.state is FindingState.OPEN]
    assert standing == ["DECK_CLONE"]
    assert len(table.findings) == 1 + late
    if not late:
        assert table.verdict("BOARD_COUNT", Street.FLOP).judgement is Judgement.IN_ORDER


def test_a_copy_may_be_the_burn() -> None:
    table, cards = dealt()
    clone(table, cards[1][0], "burn")
    table.board(3)
    table.silence(times=4, pace_s=4.0)
    assert table.codes == ["DECK_CLONE"]
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.IN_ORDER
