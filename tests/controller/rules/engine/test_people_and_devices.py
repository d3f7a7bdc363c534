"""What people say to the rules; readers that are lost, and a process that starts again."""

from __future__ import annotations

from controller.model.events import (
    ButtonSeen,
    ReaderBack,
    ReaderLost,
    SeatRegistered,
    SeatSeen,
    SeatStatus,
    SubstantialAction,
)
from controller.model.findings import FindingState, Severity, Stage, Street
from controller.model.table import Zone
from controller.rules import engine
from tests.controller.rules.engine.told_table import ToldTable


def short_seat() -> ToldTable:
    """Seat 2 is a card short, and asked about."""
    table = ToldTable()
    table.seats(1, 2, 3, 4, 1, 3, 4)
    table.wait(8.0)
    table.silence("seat/2")
    assert table.only().asking
    return table


def test_a_ruling_settles_for_good() -> None:
    table = short_seat()
    table.floor("rule", table.only().id, "hand is dead")
    assert table.only().state is FindingState.RULED
    assert (table.only().ruling, table.only().by) == ("hand is dead", "Ann")
    table.silence(times=4, pace_s=4.0)
    table.key("confirm")
    table.key("end-hand")
    assert table.only().state is FindingState.RULED


def test_a_dismissed_question_is_not_asked_again() -> None:
    table = short_seat()
    table.floor("dismiss", table.only().id, "wrong-reading")
    assert table.only().state is FindingState.DISMISSED
    table.flop()
    table.silence(times=4, pace_s=4.0)
    assert len(table.findings) == 1


def test_a_word_without_a_number_is_on_the_latest() -> None:
    table = short_seat()
    table.board(3)
    table.silence("burn")
    table.floor("dismiss")
    assert table.found("BURN_MISSING").state is FindingState.DISMISSED
    assert table.found("HOLE_COUNT").asking


def test_a_word_on_nothing_does_nothing() -> None:
    table = ToldTable()
    table.floor("rule", 7, "stands")
    table.floor("dismiss")
    table.floor("confirm", 3)
    table.key("confirm")
    assert table.findings == []


def test_quiet_takes_what_stands_off_the_board_but_not_off_the_record() -> None:
    table = short_seat()
    table.key("quiet")
    assert engine.progress(table.state).findings == ()
    assert table.only().asking
    table.board(3)
    table.silence("burn")
    assert [f.code for f in engine.progress(table.state).findings] == ["BURN_MISSING"]


def test_the_gravest_is_shown_first() -> None:
    table = short_seat()
    table.seats(1)
    table.dwell()
    assert [f.severity for f in engine.progress(table.state).findings] == [
        Severity.MISDEAL,
        Severity.NOTICE,
    ]


def test_substantial_action_changes_the_remedy() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.seats(2)
    table.dwell()
    both = table.only().remedy
    assert "Before" in both
    assert "After" in both
    table.tell(SubstantialAction(at=table.now, happened=True, by="Ann"))
    after = table.only().remedy
    table.tell(SubstantialAction(at=table.now, happened=False, by="Ann"))
    before = table.only().remedy
    assert len({both, after, before}) == 3
    assert "dead" in after
    assert "Before" not in before
    assert "After" not in after


def test_substantial_action_that_is_known_before_the_mistake_holds_for_it() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.tell(SubstantialAction(at=table.now, happened=True, by="Ann"))
    table.seats(2)
    table.dwell()
    assert "Before" not in table.only().remedy
    assert "dead" in table.only().remedy


def test_the_shuffled_key_says_that_what_lies_about_is_no_deal() -> None:
    table = ToldTable()
    left = table.comes("seat/3")
    table.key("shuffled")
    table.wait(20.0)
    assert table.began == []
    table.hole(1, 2, 3, 4)
    assert table.findings == []
    table.leaves(left)
    assert table.findings == []


# --- devices --------------------------------------------------------------------------------------


def lost(table: ToldTable, device: str = "reader 1", reason: str = "unplugged") -> None:
    zones = (Zone("seat/1"), Zone("seat/2"))
    table.tell(ReaderLost(at=table.now, device=device, zones=zones, reason=reason))


def test_a_lost_reader_is_a_finding_until_it_is_back() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    lost(table)
    lost(table)
    assert table.only().code == "READER_LOST"
    assert "reader 1" in table.only().seen
    assert engine.progress(table.state).blind == ("seat/1", "seat/2")
    assert engine.progress(table.state).cards == ((1, 2), (2, 2), (3, 2), (4, 2))
    table.tell(ReaderBack(at=table.now, device="reader 1", zones=()))
    assert table.only().state is FindingState.CORRECTED
    assert engine.progress(table.state).blind == ()


def test_a_lost_reader_is_no_fold_and_outlives_the_hand() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    lost(table)
    assert engine.progress(table.state).folded == ()
    table.key("end-hand")
    assert table.only().state is FindingState.OPEN
    assert [f.code for f in engine.progress(table.state).findings] == ["READER_LOST"]


def test_after_a_restart_the_hand_goes_on_by_positions() -> None:
    table = ToldTable()
    table.hole(1, 2, 3, 4)
    table.flop()
    table.restarted()
    for zone in ("seat/1", "seat/2", "seat/3", "seat/4"):
        table.named_anew(zone)
        table.named_anew(zone)
    for zone in ("burn", "board", "board", "board"):
        table.named_anew(zone)
    assert table.ended == []
    assert table.findings == []
    progress = engine.progress(table.state)
    assert (progress.stage, progress.board) == (Stage.FLOP, 3)
    assert progress.cards == ((1, 2), (2, 2), (3, 2), (4, 2))
    table.street()
    table.silence(times=2, pace_s=4.0)
    assert table.findings == []
    assert engine.progress(table.state).stage is Stage.TURN


def test_after_a_restart_a_question_is_asked_anew_and_answered() -> None:
    table = short_seat()
    table.restarted()
    for seat in (1, 1, 2, 3, 3, 4, 4):
        table.named_anew(f"seat/{seat}")
    assert table.only().asking
    table.comes("seat/2", after_s=0.3)
    assert table.only().state is FindingState.CORRECTED


def test_a_restart_between_hands_begins_none() -> None:
    table = ToldTable()
    table.restarted()
    table.named_anew("seat/1")
    table.named_anew("seat/2")
    table.wait(30.0)
    assert table.began == []


# --- seats ----------------------------------------------------------------------------------------


def test_an_absent_players_hand_is_dead_where_the_house_says_so() -> None:
    table = ToldTable("north-dakota", absent=(3,))
    table.hole(1, 2, 3, 4)
    found = table.only()
    assert (found.code, found.seat, found.severity) == ("SEAT_ABSENT_DEAD", 3, Severity.NOTICE)
    assert found.clause == "ND-11-2"
    assert engine.progress(table.state).folded == (3,)


def test_who_comes_back_in_time_plays() -> None:
    table = ToldTable("north-dakota", absent=(3,))
    table.seats(1, 2, 3, 4)
    table.tell(SeatSeen(at=table.now, seat=3, occupied=True))
    table.seats(1, 2, 3, 4)
    assert table.findings == []


def test_an_absent_player_is_dealt_in_and_lives_where_the_house_is_silent() -> None:
    table = ToldTable("nj-tournament", absent=(3,))
    table.burn()
    table.hole(1, 2, 3, 4)
    table.wait(10.0)
    assert table.findings == []


def test_a_seat_sensor_that_no_longer_answers_accuses_nobody() -> None:
    table = ToldTable("north-dakota")
    table.tell(SeatSeen(at=table.now, seat=3, occupied=False))
    table.tell(SeatSeen(at=table.now, seat=3, occupied=None))
    table.hole(1, 2, 3, 4)
    assert table.findings == []
    assert engine.progress(table.state).absent == ()


def test_a_seat_that_is_told_anew_counts_again() -> None:
    table = ToldTable("north-dakota")
    table.tell(SeatSeen(at=table.now, seat=3, occupied=None))
    table.tell(SeatSeen(at=table.now, seat=3, occupied=False))
    table.hole(1, 2, 3, 4)
    assert (table.only().code, table.only().seat) == ("SEAT_ABSENT_DEAD", 3)


def test_a_seat_that_is_lost_from_sight_settles_no_question_about_it() -> None:
    table = ToldTable()
    table.tell(SeatSeen(at=table.now, seat=8, occupied=True))
    table.tell(SeatSeen(at=table.now, seat=8, occupied=None))
    assert table.only().state is not FindingState.CORRECTED


def test_a_button_sensor_that_no_longer_answers_misses_no_button() -> None:
    table = ToldTable("nj-tournament", opening=False)
    table.tell(ButtonSeen(at=table.now, seats=None))
    table.burn()
    table.hole(1, 2, 3, 4)
    table.tell(ButtonSeen(at=table.now, seats=None))
    table.wait(10.0)
    assert not [f for f in table.findings if f.code.startswith("BTN_")]
    table.tell(ButtonSeen(at=table.now, seats=(4,)))
    table.wait(10.0)
    assert not [f for f in table.findings if f.code.startswith("BTN_")]


def test_somebody_at_a_seat_that_nobody_was_given() -> None:
    table = ToldTable()
    table.tell(SeatSeen(at=table.now, seat=8, occupied=True))
    assert (table.only().code, table.only().seat) == ("SEAT_UNASSIGNED", 8)
    table.tell(SeatRegistered(at=table.now, seat=8, status=SeatStatus.IN, by="Ann"))
    assert table.only().state is FindingState.CORRECTED


def test_more_players_than_the_house_allows() -> None:
    table = ToldTable(seats=tuple(range(1, 12)), button=(1,))
    assert table.findings == []
    table.tell(SeatRegistered(at=table.now, seat=12, status=SeatStatus.IN, by="Ann"))
    assert table.only().code == "SEAT_OVER_MAX"
    table.tell(SeatRegistered(at=table.now, seat=12, status=SeatStatus.OUT, by="Ann"))
    assert table.only().state is FindingState.CORRECTED


def test_clauses_are_the_houses_own() -> None:
    for profile, start in (("tda", "TDA"), ("delaware", "DE-"), ("north-dakota", "ND-")):
        table = ToldTable(profile)
        table.hole(1, 2, 3, 4)
        table.wait(10.0)
        table.board(3)
        table.silence(times=4, pace_s=4.0)
        assert table.only().clause.startswith(start)
        assert table.only().street is Street.FLOP
