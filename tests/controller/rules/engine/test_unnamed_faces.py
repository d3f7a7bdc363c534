"""Faces that a camera sees but cannot name to a card, and what may be said of them."""

from __future__ import annotations

from controller.model.events import Token
from controller.model.findings import FindingState, Judgement, Severity, Street
from tests.controller.rules.engine.told_table import ToldTable


def watched(profile: str = "tda") -> ToldTable:
    table = ToldTable(profile, camera=True)
    table.hole(1, 2, 3, 4)
    return table


def flop_down(table: ToldTable) -> list[Token]:
    table.wait(8.0)
    table.burn()
    cards = table.board(3)
    table.down(*cards, pace_s=0.0)
    table.wait(0.5)
    return cards


def test_one_of_a_seat_s_two_cards_shows_its_face() -> None:
    table = watched()
    table.wait(6.0)
    table.side(None, True, "seat/3")
    table.wait(3.0)
    found = table.only()
    assert (found.code, found.seat, found.severity) == ("HOLE_EXPOSED", 3, Severity.WARNING)
    table.side(None, False, "seat/3")
    assert table.only().state is FindingState.CORRECTED


def test_of_two_cards_that_may_be_meant_the_mildest_case_counts() -> None:
    """Seat 1 has the first card of the deal and a later one; one of them has just landed."""
    table = ToldTable(camera=True)
    table.seats(1, 2, 3, 4, 1)
    table.side(None, True, "seat/1")
    table.wait(1.0)
    assert table.only().severity is Severity.WARNING


def test_two_hands_tabled_without_names_are_an_all_in() -> None:
    table = watched()
    table.wait(6.0)
    for seat in (2, 4):
        for _ in range(2):
            table.side(None, True, f"seat/{seat}")
    table.wait(60.0)
    assert table.codes == []


def test_a_card_told_down_by_name_was_the_one_that_showed() -> None:
    table = watched()
    cards = [t for t, z in table.where.items() if z == "seat/3"]
    table.down(*cards)
    table.wait(6.0)
    table.side(None, True, "seat/3")
    table.wait(3.0)
    table.down(cards[0])
    assert table.only().state is FindingState.CORRECTED


def test_the_only_folded_hand_is_the_one_that_shows() -> None:
    table = watched()
    cards = [t for t, z in table.where.items() if z == "seat/2"]
    table.flop()
    table.fold(*cards)
    table.side(None, True, "muck")
    table.wait(1.0)
    found = table.only()
    assert (found.code, found.seat) == ("FOLD_REVEALED", 2)
    table.side(None, False, "muck")
    assert table.only().state is FindingState.CORRECTED


def test_of_two_folded_hands_nobody_can_say_which() -> None:
    table = watched()
    where = table.where.copy()
    table.flop()
    for seat in (2, 3):
        table.fold(*[t for t, z in where.items() if z == f"seat/{seat}"])
    table.wait(5.0)
    table.side(None, True, "muck")
    table.wait(1.0)
    assert (table.only().code, table.only().seat) == ("FOLD_REVEALED", None)


def test_a_flop_turned_without_names_is_judged_by_the_same_window() -> None:
    for apart_s, codes in ((0.4, []), (1.5, ["FLOP_TURN_SPLIT"])):
        table = watched("delaware")
        flop_down(table)
        table.side(None, True, "board")
        table.side(None, True, "board")
        table.side(None, True, "board", pace_s=apart_s)
        table.wait(20.0)
        assert table.codes == codes, apart_s


def test_faces_without_names_answer_for_cards_that_lay_face_down() -> None:
    table = watched("delaware")
    flop_down(table)
    for _ in range(3):
        table.side(None, True, "board")
    table.hidden()
    table.wait(30.0)
    assert table.codes == []


def test_a_face_up_before_three_are_down_without_a_name() -> None:
    table = watched("delaware")
    table.wait(8.0)
    table.burn()
    table.board(1)
    table.side(None, True, "board")
    table.wait(0.5)
    table.board(2)
    table.wait(0.5)
    assert table.codes == ["BOARD_FACE_UP_EARLY"]


def test_verdicts_of_faces() -> None:
    table = watched("delaware")
    for token in list(table.where):
        table.down(token, pace_s=0.0)
    assert table.verdict("HOLE_EXPOSED").judgement is Judgement.IN_ORDER
    cards = flop_down(table)
    turned = table.verdict("FLOP_TURN_SPLIT", Street.FLOP)
    assert turned.judgement is Judgement.CANNOT_TELL
    assert turned.reason == "not every card was seen to be turned"
    burn = table.verdict("BURN_FACE_UP", Street.FLOP)
    assert burn.judgement is Judgement.CANNOT_TELL
    assert "has not been seen" in burn.reason
    table.up(*cards, pace_s=0.05)
    assert table.verdict("FLOP_TURN_SPLIT", Street.FLOP).judgement is Judgement.IN_ORDER
    assert table.verdict("BOARD_FACE_DOWN", Street.FLOP).judgement is Judgement.IN_ORDER
    late = watched("delaware")
    cards = flop_down(late)
    late.up(*cards[:2], pace_s=0.0)
    late.up(cards[2], pace_s=1.06)
    undecided = late.verdict("FLOP_TURN_SPLIT", Street.FLOP)
    assert undecided.judgement is Judgement.CANNOT_TELL
    assert "too far apart" in undecided.reason
    split = watched("delaware")
    cards = flop_down(split)
    split.up(*cards[:2])
    split.up(cards[2], pace_s=1.5)
    assert split.verdict("FLOP_TURN_SPLIT", Street.FLOP).judgement is Judgement.VIOLATION
