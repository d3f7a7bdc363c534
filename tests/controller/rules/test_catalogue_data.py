"""The catalogue of findings: shipped data, and what the board says."""

from __future__ import annotations

import pytest

from controller.model.findings import Severity, Street
from controller.model.table import BOARD, BURN, seat_zone
from controller.rules.catalogue import (
    BOARD_CHARACTERS,
    board_text,
    catalogue,
    default_severities,
    entry,
    question_text,
)


def test_every_code_has_what_the_rules_need_of_it() -> None:
    assert len(catalogue()) == 137
    assert set(default_severities()) == set(catalogue())
    assert entry("HOLE_FIRST_SEAT").severity is Severity.MISDEAL
    assert entry("DECK_FOREIGN").severity is Severity.SECURITY
    assert entry("HOLE_DEALT_OUT").needs == {"zone", "registry"}


def test_an_unknown_code_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="BURN_MISING is no finding code"):
        entry("BURN_MISING")


@pytest.mark.parametrize("code", sorted(catalogue()))
@pytest.mark.parametrize("asking", [False, True])
def test_no_text_is_too_long_for_the_board(code: str, asking: bool) -> None:
    for seat in (None, 1, 11):
        for street in (None, *Street):
            text = board_text(code, seat=seat, street=street, seen=11, due=5, asking=asking)
            assert len(text) <= BOARD_CHARACTERS
            assert "{" not in text


def test_the_board_says_which_seat_and_which_street() -> None:
    assert board_text("HOLE_FIRST_SEAT", seat=4) == "FIRST: SEAT 4"
    assert board_text("BURN_MISSING", street=Street.FLOP) == "NO BURN: FLOP"
    assert board_text("BURN_MISSING") == "NO BURN"
    assert board_text("BOARD_COUNT", street="flop", seen=4, due=3) == "4 CARDS, NEED 3"


def test_a_silence_is_a_question() -> None:
    assert board_text("HOLE_COUNT", seat=6, asking=True) == "CHECK SEAT 6"
    assert question_text(zone=seat_zone(6)) == "CHECK SEAT 6"
    assert question_text(zone=BURN) == "CHECK BURN"
    assert question_text(zone=BOARD) == "CHECK BOARD"
    assert question_text() == "CHECK TABLE"
