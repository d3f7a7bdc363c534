"""The view model: what is shown, what is pressed, and what is kept back."""

import dataclasses
from dataclasses import replace

from controller.model.findings import (
    Duty,
    DutyKind,
    Finding,
    FindingState,
    Progress,
    Severity,
    Stage,
    Street,
)
from controller.model.table import BOARD, BURN, MUCK, Zone, seat_zone
from controller.outputs.board import (
    BoardView,
    DeckCondition,
    DeckView,
    Level,
    Mark,
    deck_view,
    due_words,
    frame,
    zones_in_words,
)

DEAL = Progress(
    stage=Stage.DEAL,
    hand=12,
    button=7,
    game="holdem",
    profile="tda",
    hole_cards=2,
    seats=(1, 2, 3, 5, 6, 7, 8, 9),
    due=(seat_zone(5), seat_zone(6)),
    cards=((1, 2), (2, 2), (5, 1)),
    lifted=(2,),
    absent=(9,),
)
ALARM = Finding(
    id=3,
    code="BURN_MISSING",
    codes=("BURN_MISSING",),
    severity=Severity.WARNING,
    state=FindingState.OPEN,
    clause="NJ-T-e10-1",
    hand=12,
    street=Street.FLOP,
    board_text="BURN MISSING",
    remedy="Burn the top card.",
)
QUESTION = dataclasses.replace(
    ALARM, id=4, severity=Severity.NOTICE, state=FindingState.ASKING, seat=6, board_text="CHECK 6"
)


def view(progress: Progress = DEAL, now_s: float = 0.0, recording: bool = True) -> BoardView:
    return frame(progress, DeckView(), recording, now_s, seats=9)


def marks(shown: BoardView) -> dict[int, Mark]:
    return {s.seat: s.mark for s in shown.seats}


def test_the_deal_shows_the_next_seat_and_counts_by_seat() -> None:
    shown = view()
    assert (shown.stage, shown.next, shown.button) == ("DEAL", "SEAT 5", 7)
    assert {s.seat: s.cards for s in shown.seats if s.cards} == {1: 2, 2: 2, 5: 1}
    assert marks(shown) == {
        1: Mark.CARDS,
        2: Mark.LIFTED,
        3: Mark.WAITING,
        4: Mark.OUT,
        5: Mark.DUE,
        6: Mark.WAITING,
        7: Mark.WAITING,
        8: Mark.WAITING,
        9: Mark.ABSENT,
    }


def test_due_board_cards_are_called_by_their_street_and_a_shared_pile_by_its_act() -> None:
    assert [due_words(BOARD, n) for n in (0, 3, 4)] == ["FLOP", "TURN", "RIVER"]
    assert due_words(BURN, 0) == due_words(MUCK, 3) == "BURN"
    assert due_words(Zone("board/turn"), 3) == "TURN"


def test_an_alarm_stands_before_a_question_and_the_rest_is_counted() -> None:
    shown = view(dataclasses.replace(DEAL, findings=(QUESTION, ALARM)))
    assert shown.notice is not None
    assert (shown.notice.level, shown.notice.text, shown.notice.more) == (
        Level.ALARM,
        "BURN MISSING",
        1,
    )
    assert "NJ-T-e10-1" in shown.notice.detail
    assert "Burn the top card." in shown.notice.detail
    assert marks(shown)[6] is Mark.QUESTION


def test_a_question_stands_before_a_reader_fault() -> None:
    progress = dataclasses.replace(DEAL, findings=(QUESTION,))
    shown = frame(progress, DeckView(), True, 0.0, health=["Reader 1 lost"])
    assert shown.notice is not None
    assert shown.notice.level is Level.QUESTION
    shown = frame(DEAL, DeckView(), True, 0.0, health=["Reader 1 lost"])
    assert shown.notice is not None
    assert shown.notice.level is Level.FAULT


def test_a_lost_reader_is_a_fault_and_hides_no_alarm() -> None:
    lost = dataclasses.replace(
        ALARM, id=7, code="READER_LOST", seen="reader 1: no answer", board_text="READER LOST"
    )
    shown = view(dataclasses.replace(DEAL, findings=(lost,)))
    assert shown.notice is not None
    assert (shown.notice.level, shown.notice.detail) == (Level.FAULT, "reader 1: no answer")
    shown = view(dataclasses.replace(DEAL, findings=(lost, QUESTION)))
    assert shown.notice is not None
    assert shown.notice.level is Level.QUESTION


def test_watch_mode_alarms_nothing() -> None:
    shown = view(dataclasses.replace(DEAL, findings=(ALARM, QUESTION), watch_only=True))
    assert shown.notice is None
    assert shown.stage == "WATCH"
    assert not {Mark.ALARM, Mark.QUESTION} & set(marks(shown).values())


def test_not_recording_shows_health_and_neither_counts_nor_verdicts() -> None:
    progress = dataclasses.replace(DEAL, findings=(ALARM,), board=3, burned=True)
    shown = frame(progress, DeckView(), False, 0.0, health=["Reader 1 lost"])
    assert shown.notice is not None
    assert shown.notice.text == "NOT RECORDING"
    assert "Reader 1 lost" in shown.notice.detail
    assert "BURN" not in shown.notice.detail
    assert shown.seats == ()
    assert (shown.next, shown.board, shown.burned) == ("", 0, False)


def test_a_blind_seat_is_never_an_empty_one() -> None:
    shown = view(dataclasses.replace(DEAL, blind=(seat_zone(3), seat_zone(4), BOARD)))
    assert marks(shown)[3] is Mark.BLIND
    assert shown.blind == "3-4 BOARD"


def test_zones_in_words_joins_runs() -> None:
    zones = [seat_zone(s) for s in (1, 2, 3, 5, 10, 11)] + [MUCK, BURN]
    assert zones_in_words(zones) == "1-3,5,10-11 BURN MUCK"
    assert zones_in_words(()) == ""


def test_the_deck_line_says_what_the_count_found_and_when_the_next_is_due() -> None:
    assert DeckView().words == "DECK ?"
    assert DeckView(DeckCondition.GOOD, 52).words == "52 OK"
    assert DeckView(DeckCondition.COUNT_SOON, 52, 270.9).words == "COUNT 4:30"
    assert DeckView(DeckCondition.COUNT_SOON, 52, -3.0).words == "COUNT 0:00"
    assert DeckView(DeckCondition.SHORT, 49).words == "DECK 49"


def test_time_changes_nothing_but_the_phase() -> None:
    assert dataclasses.replace(view(now_s=7.3), now_s=0.0) == view(now_s=0.0)


def test_the_deck_says_what_it_asks_for_and_when() -> None:
    count = Duty(DutyKind.COUNT, due_at=3600.0, ask_at=3300.0)
    change = Duty(DutyKind.CHANGE, due_at=7200.0, ask_at=6900.0)
    hand = replace(DEAL, deck="red", counted=52, duties=(count, change), findings=())
    between = replace(hand, stage=Stage.BETWEEN)
    assert deck_view(hand, 3299.0).words == "52 OK"
    assert deck_view(hand, 3300.0).words == "COUNT 5:00"
    assert deck_view(between, 3300.0).words == "COUNT"
    assert deck_view(hand, 3600.0).words == "COUNT"
    later = replace(between, duties=(change,))
    assert deck_view(later, 6899.0).words == "52 OK"
    assert deck_view(later, 6900.0).words == "NEW DECK"
    assert deck_view(replace(between, duties=(replace(count, deferred="x"),)), 3400.0).words == (
        "52 OK"
    )
    assert deck_view(hand, 0.0, 37, "AGAIN 37/52").words == "AGAIN 37/52"
    assert deck_view(DEAL, 0.0).words == "DECK ?"
