"""Burns and board cards: one burn a street; three, one and one."""

from __future__ import annotations

from controller.model.events import TableResumed, Token
from controller.model.findings import FindingState, Judgement, Severity, Stage, Street
from controller.model.table import LayoutOptions
from controller.rules import engine
from tests.controller.rules.engine.told_table import ToldTable


def dealt(profile: str = "tda", options: LayoutOptions | None = None) -> ToldTable:
    """A table at which the hole cards are dealt and the first betting round is over."""
    table = ToldTable(profile, options=options)
    if profile == "nj-tournament":
        table.burn()
    table.hole(1, 2, 3, 4)
    table.wait(10.0)
    return table


def settle(table: ToldTable) -> None:
    """The zones are silent for as long as anybody wants to know."""
    table.silence(times=4, pace_s=4.0)


def test_a_whole_hand_by_the_book_says_nothing() -> None:
    for profile in ("tda", "delaware", "nj-holdem", "nj-tournament", "north-dakota"):
        table = dealt(profile)
        table.flop()
        assert engine.progress(table.state).stage is Stage.FLOP
        table.street()
        assert engine.progress(table.state).stage is Stage.TURN
        table.street()
        settle(table)
        assert table.findings == [], profile
        progress = engine.progress(table.state)
        assert (progress.board, progress.stage) == (5, Stage.RIVER)
        for street in (Street.FLOP, Street.TURN, Street.RIVER):
            assert table.verdict("BURN_MISSING", street).judgement is Judgement.IN_ORDER
            assert table.verdict("BOARD_COUNT", street).judgement is Judgement.IN_ORDER


def test_a_missing_burn_asks_then_warns_and_never_more_by_silence() -> None:
    table = dealt()
    table.board(3)
    assert table.findings == []
    assert "burn" in {w.zone for w in engine.watches(table.state)}
    table.silence("burn")
    asked = table.only()
    assert (asked.code, asked.street, asked.state) == (
        "BURN_MISSING",
        Street.FLOP,
        FindingState.ASKING,
    )
    assert asked.board_text == "CHECK BURN"
    settle(table)
    assert table.only().state is FindingState.OPEN
    assert table.only().severity is Severity.WARNING
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.VIOLATION


def test_the_next_street_does_not_shift_by_a_missed_burn() -> None:
    table = dealt()
    table.board(3)
    settle(table)
    table.street()
    table.street()
    settle(table)
    assert table.only().street is Street.FLOP
    assert table.verdict("BURN_MISSING", Street.TURN).judgement is Judgement.IN_ORDER
    assert table.verdict("BURN_MISSING", Street.RIVER).judgement is Judgement.IN_ORDER


def test_each_street_has_its_own_missing_burn() -> None:
    table = dealt()
    table.flop()
    table.wait(10.0)
    table.board()
    settle(table)
    table.wait(10.0)
    table.board()
    settle(table)
    assert [(f.code, f.street) for f in table.findings] == [
        ("BURN_MISSING", Street.TURN),
        ("BURN_MISSING", Street.RIVER),
    ]


def test_a_burn_that_is_read_late_takes_the_question_back() -> None:
    table = dealt()
    table.board(3)
    table.silence("burn")
    table.burn(after_s=30.0)
    assert table.only().state is FindingState.CORRECTED
    assert table.only().severity is Severity.NOTICE


def test_a_burn_after_its_board_card_is_a_mistake_that_is_mended() -> None:
    table = dealt()
    table.board(3)
    table.burn()
    settle(table)
    found = table.only()
    assert (found.code, found.street, found.state) == (
        "BURN_MISSING",
        Street.FLOP,
        FindingState.CORRECTED,
    )
    table.street()
    settle(table)
    assert len(table.findings) == 1


def test_two_burns_for_one_street() -> None:
    table = dealt()
    table.burn()
    second = table.burn()
    table.wait(3.0)
    found = table.only()
    assert (found.code, found.street, found.severity) == (
        "BURN_EXTRA",
        Street.FLOP,
        Severity.WARNING,
    )
    table.leaves(second)
    table.wait(6.0)
    assert table.only().state is FindingState.CORRECTED


def test_a_card_put_back_on_the_stub_comes_from_the_deck_again() -> None:
    table = dealt()
    table.burn()
    second = table.burn()
    table.wait(3.0)
    table.leaves(second)
    table.wait(6.0)
    table.comes("board", second)
    table.board(2)
    settle(table)
    assert table.codes == ["BURN_EXTRA"]
    assert table.only().state is FindingState.CORRECTED


def test_a_burn_before_the_deal_where_the_house_has_none() -> None:
    table = ToldTable()
    table.burn()
    table.hole(1, 2, 3, 4)
    found = table.only()
    assert (found.code, found.street) == ("BURN_UNEXPECTED", Street.DEAL)


def test_a_house_that_burns_before_the_deal_asks_for_that_burn() -> None:
    right = ToldTable("nj-tournament")
    right.burn()
    right.hole(1, 2, 3, 4)
    settle(right)
    assert right.findings == []
    wrong = ToldTable("nj-tournament")
    wrong.hole(1, 2, 3, 4)
    settle(wrong)
    assert (wrong.only().code, wrong.only().street) == ("BURN_MISSING", Street.DEAL)
    assert wrong.only().clause.startswith("NJ-T")


def test_a_burn_in_the_muck_is_misplaced_or_lawful_as_the_house_has_it() -> None:
    strict = dealt("tda")
    strict.comes("muck")
    strict.board(3)
    settle(strict)
    assert (strict.only().code, strict.only().street) == ("BURN_MISPLACED", Street.FLOP)
    assert strict.only().severity is Severity.NOTICE
    free = dealt("north-dakota")
    free.comes("muck")
    free.board(3)
    settle(free)
    assert free.findings == []


def test_a_river_burn_found_in_the_muck_is_the_one_that_was_asked_for() -> None:
    table = dealt()
    table.flop()
    table.street()
    table.wait(10.0)
    table.board()
    table.silence(times=3, pace_s=1.0)
    asked = table.only()
    assert (asked.code, asked.street) == ("BURN_MISSING", Street.RIVER)
    table.comes("muck", after_s=20.0)
    settle(table)
    assert (table.only().id, table.only().codes) == (asked.id, ("BURN_MISSING", "BURN_MISPLACED"))


def test_a_turn_burn_shows_itself_in_a_high_muck_when_the_river_lies() -> None:
    table = dealt()
    table.flop()
    table.wait(10.0)
    table.board()
    settle(table)
    turned = table.now
    table.street()
    river = table.comes("muck", after_s=table.now - turned + 20.0)
    settle(table)
    found = table.only()
    assert (found.code, found.street, found.zone) == ("BURN_MISPLACED", Street.TURN, "muck")
    table.comes("burn", river)
    assert table.only().state is FindingState.CORRECTED


def test_a_card_that_came_to_the_muck_after_the_turn_was_not_its_burn() -> None:
    table = dealt()
    table.flop()
    table.wait(10.0)
    table.board()
    settle(table)
    table.street()
    table.comes("muck", after_s=1.0)
    settle(table)
    assert table.only().codes == ("BURN_MISSING",)


def test_a_misplaced_burn_that_goes_to_its_pile_is_corrected() -> None:
    table = dealt("tda")
    burn = table.comes("muck")
    table.board(3)
    table.comes("burn", burn)
    settle(table)
    assert table.only().state is FindingState.CORRECTED


def test_a_flop_of_two_is_asked_about_and_completed() -> None:
    table = dealt()
    table.burn()
    table.board(2)
    settle(table)
    found = table.only()
    assert (found.code, found.street, found.seen) == ("BOARD_COUNT", Street.FLOP, "2 cards")
    assert found.severity is Severity.WARNING
    table.board()
    assert table.only().state is FindingState.CORRECTED


def test_a_flop_of_four_is_told_by_its_read() -> None:
    table = dealt()
    table.burn()
    cards = table.board(4)
    table.wait(3.0)
    found = table.only()
    assert (found.code, found.street, found.state) == (
        "BOARD_COUNT",
        Street.FLOP,
        FindingState.OPEN,
    )
    assert found.seen == "4 cards"
    table.comes("burn", cards[3])
    assert table.only().state is FindingState.CORRECTED
    table.wait(10.0)
    table.board()  # that card was the turn's burn
    settle(table)
    assert len(table.findings) == 1
    assert engine.progress(table.state).stage is Stage.TURN


def test_two_turn_cards() -> None:
    table = dealt()
    table.flop()
    table.street()
    table.board()
    table.wait(3.0)
    assert (table.only().code, table.only().street) == ("BOARD_COUNT", Street.TURN)


def test_a_card_after_the_river() -> None:
    table = dealt()
    table.flop()
    table.street()
    table.street()
    table.wait(10.0)
    table.board()
    table.wait(3.0)
    assert table.only().code == "CARD_AFTER_RIVER"
    assert table.only().street is Street.RIVER


def test_a_board_card_dealt_to_the_burn_pile() -> None:
    table = dealt()
    table.burn()
    table.board(2)
    table.burn()
    settle(table)
    found = table.only()  # whichever it is called, one mistake is one finding
    assert found.code in ("BOARD_POSITION", "BOARD_COUNT")
    assert found.street is Street.FLOP


def test_a_board_card_at_a_seat() -> None:
    table = dealt()
    table.burn()
    table.board(2)
    stray = table.comes("seat/2")
    found = table.only()
    assert (found.code, found.seat) == ("BOARD_POSITION", 2)
    table.comes("board", stray)
    assert table.only().state is FindingState.CORRECTED


def test_a_board_of_three_antennas() -> None:
    table = dealt(options=LayoutOptions(board="three"))
    table.burn()
    for _ in range(3):
        table.comes("board/flop")
    table.wait(10.0)
    table.burn()
    table.comes("board/turn")
    table.wait(10.0)
    table.burn()
    table.comes("board/river")
    settle(table)
    assert table.findings == []
    assert engine.progress(table.state).board == 5


def test_the_scrambled_flop_gives_the_forgotten_burn() -> None:
    table = dealt()
    flop = table.board(3)
    settle(table)
    assert table.only().state is FindingState.OPEN
    table.comes("burn", flop[1], pace_s=4.0)
    assert table.only().state is FindingState.CORRECTED
    table.board()
    settle(table)
    assert len(table.findings) == 1
    table.street()
    settle(table)
    assert len(table.findings) == 1


def test_a_street_dealt_again_uses_its_burn_again() -> None:
    table = dealt()
    table.flop()
    early = table.street()
    table.leaves(early[0], pace_s=6.0)
    table.wait(15.0)
    table.board()
    settle(table)
    assert table.findings == []
    assert table.verdict("BURN_MISSING", Street.TURN).judgement is Judgement.IN_ORDER


def test_a_burn_that_may_lie_beside_the_board_cannot_be_told() -> None:
    table = dealt("forked-river")
    table.board(4)
    table.wait(4.0)
    settle(table)
    assert table.findings == []
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.CANNOT_TELL
    table.street()
    settle(table)
    assert table.findings == []  # that house lets it lie there


def test_a_burn_beside_the_board_is_misplaced_where_it_has_a_place() -> None:
    table = dealt("north-dakota")
    table.board(4)
    settle(table)
    assert table.findings == []
    table.street()
    assert table.codes == ["BURN_MISPLACED"]


def test_with_a_burn_in_its_pile_a_fourth_flop_card_is_too_many() -> None:
    table = dealt("forked-river")
    table.burn()
    table.board(4)
    table.wait(3.0)
    assert table.codes == ["BOARD_COUNT"]


def test_the_first_board_card_closes_the_deal() -> None:
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1, 2, 4)
    assert engine.progress(table.state).stage is Stage.DEAL
    table.board()
    assert engine.progress(table.state).stage is Stage.FLOP
    table.silence("seat/3")
    assert table.found("HOLE_COUNT").seat == 3


def test_a_shared_burn_and_muck_tells_by_where_the_card_came_from() -> None:
    table = dealt(options=LayoutOptions(burn="muck"))
    table.comes("muck")
    table.board(3)
    settle(table)
    assert table.findings == []
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.IN_ORDER


def test_a_shared_pile_says_nothing_of_a_burn_when_a_hole_card_was_never_read() -> None:
    table = ToldTable(options=LayoutOptions(burn="muck"))
    cards = table.hole(1, 2, 3)
    table.wait(10.0)
    table.fold(*cards[1])
    table.comes("muck")  # seat 4's unread card, or the burn
    table.board(3)
    settle(table)
    assert "BURN_MISSING" not in table.codes
    assert table.verdict("BURN_MISSING", Street.FLOP).judgement is Judgement.CANNOT_TELL


def test_no_burn_is_asked_for_while_the_table_is_taken_up() -> None:
    table = dealt()
    cards = [Token(n) for n in range(1, 9)]
    for card in cards[:6]:
        table.fold(card)
    table.board(3)  # everybody but one has folded: the rabbit is hunted
    settle(table)
    assert table.findings == []


def test_a_board_card_shown_when_the_hand_is_won_answers_the_question() -> None:
    table = ToldTable()
    given = table.hole(1, 2, 3, 4)
    table.wait(10.0)
    table.burn()
    table.board(2)
    table.silence("board", times=3, pace_s=2.0)
    assert table.found("BOARD_COUNT").alarming
    for seat in (1, 2, 3):
        table.fold(*given[seat])
    table.board(1)
    assert table.found("BOARD_COUNT").state is FindingState.CORRECTED


def test_an_exposed_card_shown_on_the_burn_pile_is_the_burn_that_was_asked_for() -> None:
    table = ToldTable()
    given = table.hole(1, 2, 3, 4)
    exposed = given[2][0]
    table.comes("burn", exposed)  # what replaced it is never read
    table.wait(10.0)
    table.board(3)
    table.silence("burn", "muck", times=2, pace_s=2.0)
    assert table.found("BURN_MISSING").alarming
    table.leaves(exposed)
    table.comes("burn", exposed)
    assert table.found("BURN_MISSING").state is FindingState.CORRECTED
    table.wait(10.0)
    table.board(1)
    table.silence("burn", "muck", times=2, pace_s=2.0)
    assert len([f for f in table.findings if f.alarming]) == 1  # it serves once


def test_nothing_falls_due_by_the_time_in_which_nobody_looked() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.wait(10.0)
    table.burn()
    table.board(2)
    table.silence("board")
    assert table.findings == []
    table.now += 60.0  # the power is off
    table.tell(TableResumed(at=table.now))
    for _ in range(3):
        table.named_anew("board")  # the third came while nobody looked
    table.named_anew("burn")
    table.wait(6.0)
    assert "BOARD_COUNT" not in table.codes
