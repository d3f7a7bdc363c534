"""What the board's words become: readings that never say more than is known."""

from __future__ import annotations

from drivers.mcu_readings import PRESS_SHOWN_S, BoardReadings, fault_words
from drivers.readings import ButtonReading, HealthState, KeyPress, SeatReading
from tablelink.clock import Moment
from tablelink.messages import Fault, Identity, Snapshot
from tablelink.session import Buttons, Everything, Found, Key, Loss, Lost, PressesLost, Seats

IDENTITY = Identity(1, 1, 1, 2, 3, 1, "T", 11, 11, 8, 11, 32, 8, 0, 7)


def everything(occupied: int = 0, known: int = 0x7FF, buttons: int = 0) -> Everything:
    snapshot = Snapshot(0, 0, 0, occupied, known, buttons, 0, 0, (0,) * 8)
    return Everything(snapshot, Moment(10.0, 0.001))


def begun(**masks: int) -> BoardReadings:
    readings = BoardReadings("table board")
    readings.take(Found(IDENTITY, False), 10.0)
    readings.take(everything(**masks), 10.0)
    return readings


def test_only_what_changed_is_said() -> None:
    readings = begun(occupied=0b101)
    assert readings.take(Seats(0b100, 0x7FF, Moment(11.0, 0)), 11.1) == [
        SeatReading(1, False, 11.0)
    ]
    assert readings.take(Seats(0b100, 0x7FF, Moment(12.0, 0)), 12.1) == []
    assert readings.take(everything(occupied=0b100), 13.0) == []


def test_a_seat_that_becomes_unknown_is_neither_empty_nor_taken() -> None:
    readings = begun(occupied=0b10)
    assert readings.take(Seats(0, 0x7FD, Moment(11.0, 0)), 11.0) == [SeatReading(2, None, 11.0)]
    assert readings.take(Seats(0, 0x7FD, Moment(12.0, 0)), 12.0) == []
    assert readings.take(Seats(0, 0x7FF, Moment(13.0, 0)), 13.0) == [SeatReading(2, False, 13.0)]


def test_a_seat_without_a_sensor_is_never_mentioned() -> None:
    readings = BoardReadings("table board")
    readings.take(Found(IDENTITY, False), 10.0)
    said = readings.take(everything(known=0b11), 10.0)
    assert [r.seat for r in said if isinstance(r, SeatReading)] == [1, 2]
    lost = readings.take(Lost(Loss.SILENT), 11.0)
    assert lost == [
        SeatReading(1, None, 11.0),
        SeatReading(2, None, 11.0),
        ButtonReading(None, 11.0),
    ]
    assert not readings.known
    assert readings.take(Lost(Loss.SILENT), 12.0) == []


def test_no_button_and_two_are_states_and_unknown_is_another() -> None:
    readings = begun(buttons=0b1)
    assert readings.take(Buttons(0, Moment(11.0, 0)), 11.0) == [ButtonReading((), 11.0)]
    assert readings.take(Buttons(0b1001, Moment(12.0, 0)), 12.0) == [ButtonReading((1, 4), 12.0)]


def test_a_board_without_button_sensors_says_nothing_of_buttons() -> None:
    readings = BoardReadings("table board")
    bare = Identity(1, 1, 1, 0, 0, 1, "", 11, 0, 8, 0, 0, 0, 0, 7)
    readings.take(Found(bare, False), 10.0)
    said = [*readings.take(everything(), 10.0), *readings.take(Lost(Loss.SILENT), 11.0)]
    assert not [r for r in said if isinstance(r, ButtonReading)]


def test_times_never_run_backwards() -> None:
    readings = begun()
    readings.take(Key(1, True, Moment(20.0, 0)), 20.0)
    assert readings.take(Seats(1, 0x7FF, Moment(19.7, 0)), 20.1) == [SeatReading(1, True, 20.0)]


def test_a_release_is_no_press() -> None:
    readings = begun()
    assert readings.take(Key(1, True, Moment(20.0, 0)), 20.0) == [KeyPress("shuffled", 20.0)]
    assert readings.take(Key(1, False, Moment(20.1, 0)), 20.1) == []


def test_a_lost_press_is_shown_for_a_while() -> None:
    readings = begun()
    assert readings.take(PressesLost(6, 1), 30.0) == []
    state, words = readings.health(30.0)
    assert (state, words) == (
        HealthState.DEGRADED,
        "a press of confirm was lost: press it again",
    )
    assert readings.health(30.0 + PRESS_SHOWN_S) == (HealthState.OK, "it answers, firmware 1.2.3")


def test_faults_are_told_in_words_with_a_remedy() -> None:
    assert fault_words(0, ()) == ""
    assert "check its plug" in fault_words(Fault.SENSOR_CUT, (4, 9))
    assert "seat 4 and 9" in fault_words(Fault.SENSOR_CUT, (4, 9))
    assert fault_words(Fault.COPY_A_DAMAGED | Fault.COPY_B_DAMAGED, ()).count("mended") == 1
    for fault in Fault:
        assert fault_words(fault, ())
