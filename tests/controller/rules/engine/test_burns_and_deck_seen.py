"""What a camera sees of burns, of the deck in the dealer's hand, and of tags that lie."""

from __future__ import annotations

import pytest

from controller.model.events import TagFault, TagVerdict
from controller.model.findings import FindingState, Severity, Street
from controller.model.table import Zone
from tests.controller.rules.engine.told_table import ToldTable


def watched(profile: str = "tda") -> ToldTable:
    table = ToldTable(profile, camera=True)
    if profile == "nj-tournament":
        table.burn()
    table.hole(1, 2, 3, 4)
    return table


@pytest.mark.parametrize(
    ("profile", "clause"),
    [("nj-tournament", "NJ-T-a-burn"), ("delaware", "TDA-burn-face-down")],
)
def test_a_burn_lies_face_up(profile: str, clause: str) -> None:
    table = watched(profile)
    table.wait(8.0)
    burn = table.burn()
    table.up(burn)
    table.wait(1.0)
    found = table.only()
    assert (found.code, found.clause, found.street) == ("BURN_FACE_UP", clause, Street.FLOP)
    assert (found.severity, found.board_text) == (Severity.WARNING, "BURN FACE DOWN")
    table.down(burn)
    assert table.only().state is FindingState.CORRECTED
    table.wait(10.0)
    assert table.codes == ["BURN_FACE_UP"]


def test_a_burn_turned_over_twice_is_two_mistakes() -> None:
    table = watched()
    table.wait(8.0)
    burn = table.burn()
    for _ in range(2):
        table.up(burn)
        table.wait(1.0)
        table.down(burn)
    assert table.codes == ["BURN_FACE_UP", "BURN_FACE_UP"]


def test_a_burn_that_no_camera_can_name() -> None:
    table = watched()
    table.wait(8.0)
    table.burn()
    table.side(None, True, "burn")
    table.wait(1.0)
    assert (table.only().code, table.only().zone) == ("BURN_FACE_UP", "burn")
    table.side(None, False, "burn")
    assert table.only().state is FindingState.CORRECTED


def test_a_flop_card_that_serves_as_the_burn_has_been_seen_already() -> None:
    """IRR-31: the burn was forgotten, and one of the three is the burn."""
    table = watched()
    table.wait(8.0)
    cards = table.board(3)
    table.up(*cards)
    table.silence("burn", times=3, pace_s=1.0)
    assert "BURN_MISSING" in table.codes
    table.comes("burn", cards[0])
    table.wait(1.0)
    table.up(table.comes("board"))
    table.wait(10.0)
    found = table.only()
    assert (found.code, found.state) == ("BURN_MISSING", FindingState.CORRECTED)


def test_a_burn_shown_after_the_hand() -> None:
    """IRR-35."""
    table = watched()
    cards = table.where.copy()
    table.flop()
    burn = next(t for t, z in table.where.items() if z == "burn")
    table.fold(*[t for t, z in cards.items() if z in ("seat/1", "seat/2", "seat/3")])
    table.wait(3.0)
    table.up(burn)
    table.wait(3.0)
    found = table.only()
    assert found.code == "BURN_FACE_UP"
    assert "after the hand" in found.remedy.lower() or "after the hand" in found.seen


def test_burns_that_are_taken_up_with_the_board_may_turn_over() -> None:
    table = watched()
    cards = table.where.copy()
    board = table.flop()
    burn = next(t for t, z in table.where.items() if z == "burn")
    table.fold(*[t for t, z in cards.items() if z in ("seat/1", "seat/2", "seat/3")])
    for card in board:
        table.leaves(card, pace_s=0.2)
    table.up(burn)
    table.wait(0.4)
    table.leaves(burn)
    table.wait(30.0)
    assert table.codes == []


@pytest.mark.parametrize(
    ("profile", "clause"), [("delaware", "DE-a2-2"), ("tda", "TDA-deck-guarded")]
)
def test_the_deck_shows_a_face(profile: str, clause: str) -> None:
    table = watched(profile)
    table.wait(3.0)
    table.side(None, True, "stub")
    table.wait(1.0)
    found = table.only()
    assert (found.code, found.clause, found.seat) == ("DECK_EXPOSED", clause, None)
    assert (found.severity, found.board_text) == (Severity.WARNING, "PROTECT DECK")
    table.side(None, False, "stub")
    assert table.only().state is FindingState.CORRECTED


def test_a_flash_of_the_deck_that_is_too_short_or_between_hands_says_nothing() -> None:
    table = ToldTable(camera=True)
    table.side(None, True, "stub")
    table.wait(20.0)
    table.side(None, False, "stub")
    table.hole(1, 2, 3, 4)
    table.wait(1.0)
    table.side(None, True, "stub")
    table.side(None, False, "stub", pace_s=0.3)
    table.wait(5.0)
    assert table.codes == []


def test_a_deck_that_lies_face_up_as_the_deal_begins_is_said_once() -> None:
    table = ToldTable(camera=True)
    table.side(None, True, "stub")
    table.wait(20.0)
    table.hole(1, 2, 3, 4)
    table.wait(5.0)
    assert table.codes == ["DECK_EXPOSED"]


def test_a_face_beside_all_zones_in_the_deal() -> None:
    """Row DE-a2-2: an off-deal face-up card."""
    table = ToldTable("delaware", camera=True)
    table.seats(1, 2, 3)
    table.side(None, True, "table")
    table.wait(2.0)
    assert (table.only().code, table.only().zone) == ("DECK_EXPOSED", "table")


def test_a_scrap_card_set_aside_and_a_player_s_own_cards_are_not_the_deck_s() -> None:
    table = watched()
    table.side(None, True, "stub")
    table.wait(1.0)
    table.side(None, False, "stub")
    table.side(None, True, "table")
    table.wait(5.0)
    assert table.codes == ["DECK_EXPOSED"]
    other = watched()
    other.leaves(next(iter(other.where)))
    other.side(None, True, "table")
    other.wait(5.0)
    assert other.codes == []


def test_a_tag_that_says_another_card_than_its_face() -> None:
    table = watched()
    card = next(t for t, z in table.where.items() if z == "seat/3")
    table.wait(1.0)
    table.tell(TagVerdict(at=table.now, token=card, zone=Zone("seat/3"), fault=TagFault.OTHER_FACE))
    found = table.only()
    assert (found.code, found.severity, found.seat) == ("FACE_OTHER", Severity.SECURITY, 3)
    assert found.board_text == "TAG IS NOT FACE"
    assert found.clause
    table.leaves(card)
    table.wait(6.0)
    assert table.only().state is FindingState.CORRECTED


def test_such_a_tag_where_no_camera_is_says_nothing() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    card = next(iter(table.where))
    table.tell(TagVerdict(at=table.now, token=card, zone=Zone("seat/1"), fault=TagFault.OTHER_FACE))
    assert table.codes == []
