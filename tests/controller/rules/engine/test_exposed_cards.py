"""Hole cards that show their faces: dealt so, shown by a player, folded so."""

from __future__ import annotations

import pytest

from controller.model.events import ReaderBack, ReaderLost, Token
from controller.model.findings import FindingState, Severity, Street
from tests.controller.rules.engine.told_table import ToldTable

SEATS = (1, 2, 3, 4)


def watched(profile: str = "tda", **how: object) -> ToldTable:
    return ToldTable(profile, camera=True, **how)  # type: ignore[arg-type]


def dealt(table: ToldTable) -> dict[int, list[Token]]:
    """The hole cards, each seen to lie face down."""
    given: dict[int, list[Token]] = {s: [] for s in SEATS}
    for _ in range(2):
        for seat in SEATS:
            given[seat] += table.seats(seat, pace_s=0.4)
            table.down(given[seat][-1])
    return given


def test_cards_that_lie_face_down_say_nothing() -> None:
    table = watched()
    dealt(table)
    table.wait(30.0)
    assert table.codes == []


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        ("nj-tournament", "NJ-T-e6-4"),
        ("delaware", "DE-a3-2"),
        ("nj-holdem", "NJ-H-e-3"),
        ("forked-river", "RFR-deal-1b"),
        ("north-dakota", "ND-5a-2"),
        ("tda", "TDA-deal-face-down"),
    ],
)
def test_a_card_dealt_face_up_breaks_the_documents_clause(profile: str, clause: str) -> None:
    table = watched(profile)
    if profile == "nj-tournament":
        table.burn()
    first = table.comes("seat/1")
    table.up(first)
    table.seats(2, 3)
    found = table.only()
    assert (found.code, found.seat, found.clause) == ("HOLE_EXPOSED", 1, clause)
    assert found.severity is Severity.MISDEAL
    assert "isdeal: the first or second card" in found.remedy
    assert found.board_text == "EXPOSED SEAT 1"


def test_omaha_has_its_own_clause() -> None:
    table = watched("north-dakota", game="omaha")
    table.up(table.comes("seat/1"))
    table.wait(1.0)
    assert table.only().clause == "ND-6a-2"


def test_the_second_card_is_a_misdeal_and_the_third_is_replaced() -> None:
    second, third = watched(), watched()
    second.up(second.seats(1, 2)[-1])
    third.up(third.seats(1, 2, 3)[-1])
    for table in (second, third):
        table.wait(1.0)
    assert second.only().severity is Severity.MISDEAL
    assert third.only().severity is Severity.WARNING
    assert "use it as the burn" in third.only().remedy


def test_two_exposed_cards_are_a_misdeal() -> None:
    table = watched()
    cards = table.seats(1, 2, 3, 4)
    table.up(cards[-1])
    table.wait(1.0)
    table.up(table.comes("seat/1"))
    table.wait(1.0)
    later, two = table.findings
    assert (later.seat, later.severity) == (4, Severity.WARNING)
    assert (two.seat, two.severity) == (1, Severity.MISDEAL)
    assert "two cards" in two.remedy
    table.key("misdeal")
    assert {f.state for f in table.findings} == {FindingState.CORRECTED}


def test_the_replaced_card_is_the_burn_and_raises_nothing_new() -> None:
    """IRR-14, Robert's Rules: the exposed card lies face up on the deck, and on the burn pile."""
    table = watched()
    cards = {s: [table.comes(f"seat/{s}")] for s in SEATS}
    table.up(cards[4][0])
    for seat in SEATS:
        cards[seat].append(table.comes(f"seat/{seat}"))
    table.wait(1.0)
    table.leaves(cards[4][0])
    table.side(None, True, "stub")
    table.wait(2.0)
    table.comes("seat/4")
    table.side(None, False, "stub")
    table.comes("burn", cards[4][0])
    table.wait(8.0)
    table.board(3)
    table.dwell()
    found = table.only()
    assert (found.code, found.state) == ("HOLE_EXPOSED", FindingState.CORRECTED)
    assert found.severity is Severity.WARNING


def test_confirming_it_makes_a_later_card_no_misdeal() -> None:
    table = watched()
    table.up(table.seats(1, 2, 3)[-1])
    table.wait(1.0)
    table.key("confirm")
    assert table.only().severity is Severity.WARNING


def test_a_flutter_is_no_exposure() -> None:
    table = watched()
    card = table.comes("seat/1")
    table.up(card)
    table.down(card, pace_s=0.3)
    table.wait(5.0)
    assert table.codes == []


def test_whether_it_showed_long_enough_cannot_be_told_while_a_hand_hides_it() -> None:
    """Seen up once, and down five seconds later: nobody saw it in between."""
    table = watched()
    card = table.comes("seat/1")
    table.side(card, True, goes_on=False)
    table.wait(5.0)
    table.side(card, False, sure_s=5.0)
    table.wait(5.0)
    assert table.codes == []


def test_what_showed_when_the_camera_was_lost_may_have_been_turned_since() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.up(cards[1][0])
    table.wait(0.3)
    table.hidden()
    table.tell(ReaderLost(at=table.now, device="camera 1", zones=(), reason=""))
    table.wait(5.0)
    table.tell(ReaderBack(at=table.now, device="camera 1", zones=()))
    table.wait(5.0)
    assert "HOLE_EXPOSED" not in table.codes


def test_a_player_shows_a_card_on_the_turn() -> None:
    """NJ-T-e8-1: seat 5's example, here seat 3."""
    table = watched("nj-tournament")
    table.burn()
    cards = dealt(table)
    table.flop()
    table.street()
    table.wait(4.0)
    table.up(cards[3][0])
    table.wait(3.0)
    found = table.only()
    assert (found.code, found.seat, found.clause) == ("HOLE_EXPOSED", 3, "NJ-T-e8-1")
    assert (found.severity, found.street) == (Severity.WARNING, Street.TURN)
    assert "plays" in found.remedy
    table.down(cards[3][0])
    assert table.only().state is FindingState.CORRECTED


def test_one_player_who_shows_both_cards_is_one_finding() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.up(cards[2][0])
    table.wait(3.0)
    table.up(cards[2][1])
    table.wait(30.0)
    assert table.only().seat == 2


def test_at_the_showdown_hands_are_shown() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.street()
    table.street()
    table.wait(8.0)
    table.up(*cards[2], *cards[4])
    table.wait(5.0)
    table.fold(*cards[4])
    table.up(*cards[4])
    table.wait(20.0)
    assert table.codes == []


def test_a_hand_shown_as_the_river_comes_cannot_be_told_from_a_showdown() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.street()
    table.wait(8.0)
    table.burn()
    table.up(cards[2][0])
    table.board(1)
    table.wait(20.0)
    assert table.codes == []


def test_all_in_hands_are_tabled_before_the_river() -> None:
    table = watched()
    cards = dealt(table)
    table.fold(*cards[1], *cards[3])
    table.flop()
    table.wait(5.0)
    table.up(*cards[2])
    table.wait(3.0)
    table.up(*cards[4])
    table.wait(60.0)
    assert table.codes == []
    table.street()
    table.street()
    table.wait(20.0)
    assert table.codes == []


def test_a_slow_all_in_is_asked_about_and_taken_back() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.up(*cards[2])
    table.wait(6.0)
    asked = table.only()
    assert (asked.code, asked.state, asked.board_text) == (
        "HOLE_EXPOSED",
        FindingState.ASKING,
        "CHECK SEAT 2",
    )
    table.up(*cards[4])
    table.wait(60.0)
    assert table.only().state is FindingState.CORRECTED
    assert not table.only().stood


def test_a_single_tabled_hand_becomes_a_warning() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.up(*cards[2])
    table.wait(25.0)
    assert (table.only().state, table.only().severity) == (FindingState.OPEN, Severity.WARNING)


def test_the_last_player_left_may_show() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.fold(*cards[1], *cards[2], *cards[3])
    table.up(*cards[4])
    table.wait(10.0)
    assert table.codes == []


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        ("nj-tournament", "NJ-T-j6"),
        ("forked-river", "RFR-r1-9"),
        ("delaware", "TDA-card-fold-down"),
    ],
)
def test_a_folded_card_shows_its_face(profile: str, clause: str) -> None:
    table = watched(profile)
    if profile == "nj-tournament":
        table.burn()
    cards = dealt(table)
    table.flop()
    if profile == "delaware":
        table.wait(0.2)
    table.fold(*cards[2])
    table.up(cards[2][0])
    table.wait(2.0)
    found = table.found("FOLD_REVEALED")
    assert (found.seat, found.clause, found.severity) == (2, clause, Severity.WARNING)
    assert found.board_text == "FOLDED CARD SEEN"
    table.down(cards[2][0])
    assert table.found("FOLD_REVEALED").state is FindingState.CORRECTED


def test_a_hand_shown_and_then_folded_as_it_lies_is_one_finding() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.up(cards[2][0])
    table.wait(3.0)
    table.fold(*cards[2])
    table.wait(3.0)
    found = table.only()
    assert found.codes == ("HOLE_EXPOSED", "FOLD_REVEALED")
    assert found.seat == 2


def test_what_was_folded_after_the_river_may_have_been_shown_down() -> None:
    table = watched()
    cards = dealt(table)
    table.flop()
    table.street()
    table.street()
    table.wait(5.0)
    table.fold(*cards[3])
    table.up(*cards[3])
    table.wait(10.0)
    assert table.codes == []


def test_a_card_that_lay_face_up_in_the_deck_is_scrap() -> None:
    """IRR-18, and a second one IRR-19."""
    table = watched()
    table.seats(1, 2, 3)
    table.side(None, True, "stub")
    card = table.comes("seat/4", pace_s=0.4)
    table.up(card)
    table.side(None, False, "stub")
    table.wait(1.0)
    boxed = table.only()
    assert (boxed.code, boxed.seat, boxed.severity) == ("HOLE_EXPOSED", 4, Severity.WARNING)
    assert "scrap" in boxed.remedy
    table.leaves(card)
    table.wait(1.0)
    table.comes("seat/4")
    table.seats(1)
    table.wait(3.0)
    assert [f.code for f in table.findings if f.state is not FindingState.CORRECTED] == []


def test_without_a_camera_no_side_is_heard() -> None:
    table = ToldTable()
    table.up(table.comes("seat/1"), *table.seats(2, 3))
    table.side(None, True, "stub")
    table.wait(20.0)
    assert table.codes == []
