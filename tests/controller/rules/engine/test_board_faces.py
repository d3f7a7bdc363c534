"""Which way up the board lies: face up in most houses, and face down first in Delaware."""

from __future__ import annotations

import pytest

from controller.model.events import Token
from controller.model.findings import FindingState, Severity, Street
from tests.controller.rules.engine.told_table import ToldTable


def watched(profile: str = "tda", camera: bool = True, game: str = "holdem") -> ToldTable:
    table = ToldTable(profile, game, camera=camera)
    if profile == "nj-tournament":
        table.burn()
    table.hole(1, 2, 3, 4, passes=4 if game == "omaha" else 2)
    table.wait(8.0)
    table.burn()
    return table


def flop_down(table: ToldTable) -> list[Token]:
    """Three cards one by one, each seen face down."""
    cards = []
    for _ in range(3):
        cards.append(table.comes("board"))
        table.down(cards[-1], pace_s=0.05)
    return cards


def test_board_cards_that_lie_face_up() -> None:
    table = watched()
    table.up(*table.board(3))
    for _ in range(2):
        table.up(*table.street())
    table.wait(30.0)
    assert table.codes == []


@pytest.mark.parametrize(
    ("profile", "game", "clause"),
    [
        ("nj-tournament", "holdem", "NJ-T-e10-2"),
        ("nj-holdem", "holdem", "NJ-H-g-2"),
        ("forked-river", "holdem", "RFR-flop-4"),
        ("north-dakota", "holdem", "ND-5b-2"),
        ("tda", "holdem", "TDA-board-face-up"),
        ("delaware", "holdem", "DE-a4-4"),
    ],
)
def test_a_flop_that_stays_down_is_asked_about_and_then_said(
    profile: str, game: str, clause: str
) -> None:
    table = watched(profile, game=game)
    cards = flop_down(table)
    table.wait(4.0)
    asked = table.only()
    assert (asked.code, asked.state) == ("BOARD_FACE_DOWN", FindingState.ASKING)
    assert (asked.clause, asked.street) == (clause, Street.FLOP)
    assert (asked.board_text, asked.severity) == ("CHECK BOARD", Severity.NOTICE)
    table.wait(6.0)
    assert (table.only().state, table.only().severity) == (FindingState.OPEN, Severity.WARNING)
    assert table.only().board_text == "TURN CARD UP"
    table.up(*cards, pace_s=0.1)
    table.wait(20.0)
    assert table.only().state is FindingState.CORRECTED


@pytest.mark.parametrize(
    ("profile", "game", "clause"),
    [
        ("nj-tournament", "holdem", "NJ-T-a-board-1"),
        ("delaware", "holdem", "DE-a6-2"),
        ("nj-holdem", "holdem", "NJ-H-h-3"),
        ("forked-river", "holdem", "RFR-turn-1c"),
        ("north-dakota", "holdem", "ND-5c"),
        ("north-dakota", "omaha", "ND-6c-2"),
    ],
)
def test_a_turn_card_that_stays_down(profile: str, game: str, clause: str) -> None:
    table = watched(profile, game=game)
    cards = flop_down(table)
    table.up(*cards)
    turn = table.street()[0]
    table.down(turn)
    table.wait(4.0)
    found = table.only()
    assert (found.code, found.clause, found.street) == ("BOARD_FACE_DOWN", clause, Street.TURN)
    table.up(turn)
    assert table.only().state is FindingState.CORRECTED
    assert not table.only().stood


def test_a_flop_laid_down_and_turned_at_once_says_nothing_in_any_house() -> None:
    for profile in ("tda", "delaware"):
        table = watched(profile)
        table.wait(0.5)
        cards = flop_down(table)
        table.wait(1.0)
        table.up(*cards)
        table.wait(20.0)
        assert table.codes == [], profile


def test_the_first_flop_card_is_dealt_face_up() -> None:
    """DE-a4-3."""
    table = watched("delaware")
    first = table.comes("board")
    table.up(first)
    rest = []
    for _ in range(2):
        rest.append(table.comes("board"))
        table.down(rest[-1], pace_s=0.05)
    found = table.only()
    assert (found.code, found.clause) == ("BOARD_FACE_UP_EARLY", "DE-a4-3")
    assert (found.severity, found.board_text) == (Severity.WARNING, "FLOP FACE DOWN")
    table.up(*rest)
    assert table.only().state is FindingState.CORRECTED
    table.wait(20.0)
    assert table.codes == ["BOARD_FACE_UP_EARLY"]


def test_a_whole_flop_dealt_face_up_is_one_finding() -> None:
    table = watched("delaware")
    for _ in range(3):
        table.up(table.comes("board"), pace_s=0.05)
    table.wait(20.0)
    assert table.codes == ["BOARD_FACE_UP_EARLY"]


def test_a_card_turned_with_fewer_than_three_down() -> None:
    """DE-a4-4: turned with fewer than three down."""
    table = watched("delaware")
    first = table.comes("board")
    table.down(first, pace_s=0.05)
    table.up(first)
    rest = []
    for _ in range(2):
        rest.append(table.comes("board"))
        table.down(rest[-1], pace_s=0.05)
    table.up(*rest)
    table.wait(20.0)
    assert (table.only().code, table.only().clause) == ("FLOP_TURN_SPLIT", "DE-a4-4")


@pytest.mark.parametrize(
    ("apart_s", "codes"), [(0.9, []), (1.0, []), (1.09, []), (1.11, ["FLOP_TURN_SPLIT"])]
)
def test_how_far_apart_flop_cards_may_be_turned(apart_s: float, codes: list[str]) -> None:
    """The intervals decide: pictures 0.1 s apart prove 1.11 s to be more than a second, and 1.09 s
    cannot be told from it."""
    table = watched("delaware")
    cards = flop_down(table)
    table.wait(1.0)
    table.up(*cards[:2], pace_s=0.0)
    table.up(cards[2], pace_s=apart_s)
    table.wait(20.0)
    assert table.codes == codes


def test_a_third_card_two_seconds_later() -> None:
    """DE-a4-4's example."""
    table = watched("delaware")
    cards = flop_down(table)
    table.wait(1.0)
    table.up(*cards[:2])
    table.up(cards[2], pace_s=2.0)
    table.wait(20.0)
    found = table.only()
    assert (found.code, found.clause) == ("FLOP_TURN_SPLIT", "DE-a4-4")
    assert found.board_text == "TURN 3 TOGETHER"
    assert len(found.evidence) == 3  # the three turnings


def test_a_third_card_turned_when_it_had_been_asked_for_is_the_same_finding() -> None:
    table = watched("delaware")
    cards = flop_down(table)
    table.up(*cards[:2])
    table.wait(5.0)
    table.up(cards[2])
    table.wait(20.0)
    assert table.only().codes == ("BOARD_FACE_DOWN", "FLOP_TURN_SPLIT")


def test_a_hand_over_the_board_while_it_is_turned() -> None:
    """One face is seen, a hand hides the board, and then all three are seen: nobody can tell."""
    table = watched("delaware")
    cards = flop_down(table)
    table.wait(0.5)
    table.up(cards[0])
    table.wait(1.5)
    table.up(*cards[1:], pace_s=0.0, sure_s=1.6)
    table.wait(20.0)
    assert table.codes == []


def test_the_key_answers_a_question_and_no_more() -> None:
    table = watched("delaware")
    flop_down(table)
    table.wait(4.0)
    assert table.only().asking
    table.key("turned")
    assert (table.only().state, table.only().stood) == (FindingState.CORRECTED, False)
    insisted = watched("delaware")
    flop_down(insisted)
    insisted.wait(10.0)
    insisted.key("turned")
    assert insisted.only().state is FindingState.OPEN


def test_the_key_where_there_is_no_camera_is_the_dealers_word() -> None:
    table = watched("delaware", camera=False)
    table.board(3)
    table.key("turned")
    table.wait(20.0)
    assert table.codes == []


def test_the_flop_laid_as_one_block() -> None:
    """DE-a4-2."""
    table = watched("delaware")
    table.laid_together(3, within_s=0.2)
    cards = [table.comes("board", pace_s=0.0) for _ in range(3)]
    table.up(*cards)
    table.wait(5.0)
    found = table.only()
    assert (found.code, found.clause) == ("FLOP_NOT_SINGLE", "DE-a4-2")
    assert (found.severity, found.board_text) == (Severity.NOTICE, "")


def test_a_block_between_two_pictures_far_apart_may_have_been_single_cards() -> None:
    table = watched("delaware")
    table.laid_together(3, within_s=1.4)
    table.up(*[table.comes("board", pace_s=0.0) for _ in range(3)])
    table.wait(5.0)
    assert table.codes == []


def test_elsewhere_a_flop_may_be_laid_as_one() -> None:
    """TDA-board-laid."""
    table = watched("tda")
    table.laid_together(3)
    table.up(*[table.comes("board", pace_s=0.0) for _ in range(3)])
    table.wait(5.0)
    assert table.codes == []


def test_a_flop_that_is_put_right_may_lie_any_way_up() -> None:
    """IRR-36: the four cards are turned down and scrambled."""
    table = watched("tda")
    cards = table.board(4)
    table.up(*cards)
    table.wait(3.0)
    assert table.codes == ["BOARD_COUNT"]
    table.down(*cards)
    table.wait(6.0)
    table.comes("burn", cards[1])
    table.up(cards[0], cards[2], cards[3])
    table.wait(20.0)
    assert table.only().state is FindingState.CORRECTED


def test_faces_without_a_camera_say_nothing() -> None:
    table = watched("delaware", camera=False)
    cards = table.board(3)
    table.up(cards[0])
    table.down(cards[1])
    table.laid_together()
    table.wait(20.0)
    assert table.codes == []
