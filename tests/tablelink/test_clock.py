"""The board's clock on the host's: the truth lies within the stated error, over drift, delays, the
wrap and a restart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelink.clock import DRIFT, WRAP_S, BoardClock

START = 5000.0


class Board:
    """A clock that runs wrong by a constant part."""

    def __init__(self, drift: float = 0.0, started: float = START - 1.0, reads_us: int = 0) -> None:
        self.drift, self.started, self.reads_us = drift, started, reads_us

    def time_us(self, now: float) -> int:
        return (self.reads_us + int((now - self.started) * (1 + self.drift) * 1e6)) % 2**32


def exchange(clock: BoardClock, board: Board, at: float, out_s: float, back_s: float) -> bool:
    """Ask at `at`; the answer is made `out_s` later and heard `back_s` after that."""
    return clock.exchanged(at, board.time_us(at + out_s), at + out_s + back_s)


DELAYS = st.tuples(st.floats(0.0005, 0.05), st.floats(0.0005, 0.05))


@given(
    st.floats(-DRIFT * 0.99, DRIFT * 0.99),
    st.lists(DELAYS, min_size=1, max_size=40),
    st.integers(0, 2**32 - 1),
    st.floats(0.0, 2.0),
)
def test_the_truth_lies_within_the_stated_error(
    drift: float, delays: list[tuple[float, float]], reads_us: int, age_s: float
) -> None:
    board, clock = Board(drift, reads_us=reads_us), BoardClock()
    now = START
    for out_s, back_s in delays:
        assert not exchange(clock, board, now, out_s, back_s)
        now += out_s + back_s + 0.2
    happened = now - age_s if now - age_s > START else now
    moment = clock.moment(board.time_us(happened), now)
    assert abs(moment.at - happened) <= moment.error_s + 2e-6
    assert moment.at <= now


def test_the_error_is_half_the_shortest_round_trip() -> None:
    board, clock = Board(), BoardClock()
    for n, trip_s in enumerate((0.030, 0.004, 0.020)):
        exchange(clock, board, START + n * 0.2, trip_s / 2, trip_s / 2)
    now = START + 0.42
    assert clock.moment(board.time_us(now), now).error_s == pytest.approx(
        0.002 + DRIFT * 0.216, abs=2e-5
    )


def test_a_clock_that_wraps_goes_on() -> None:
    board, clock = Board(reads_us=2**32 - 1_500_000), BoardClock()
    before = START - 0.6  # 1.1 s before the wrap
    exchange(clock, board, START - 0.7, 0.001, 0.001)
    assert not exchange(clock, board, START + 0.9, 0.001, 0.001)
    now = START + 1.0
    assert board.time_us(now) < board.time_us(before)
    for happened in (before, START + 0.3, START + 0.6, now):
        assert clock.moment(board.time_us(happened), now).at == pytest.approx(happened, abs=0.01)


def test_hours_of_silence_do_not_lose_the_wraps() -> None:
    board, clock = Board(drift=0.003), BoardClock()
    exchange(clock, board, START, 0.001, 0.001)
    later = START + 9 * 3600.0
    assert later - START > 7 * WRAP_S
    assert not exchange(clock, board, later, 0.001, 0.001)
    assert clock.moment(board.time_us(later), later + 0.01).at == pytest.approx(later, abs=0.01)


def test_a_restart_shows_and_the_map_begins_anew() -> None:
    clock = BoardClock()
    board = Board(started=START - 900.0)
    for n in range(5):
        exchange(clock, board, START + n * 0.2, 0.001, 0.001)
    board = Board(started=START + 2.0)
    assert exchange(clock, board, START + 3.0, 0.001, 0.001)
    assert clock.moment(board.time_us(START + 2.5), START + 3.1).at == pytest.approx(
        START + 2.5, abs=0.01
    )


def test_before_the_first_exchange_no_moment_is_known() -> None:
    clock = BoardClock()
    assert not clock.known
    with pytest.raises(ValueError, match="not known yet"):
        clock.moment(0, START)


def test_nothing_has_happened_later_than_it_was_heard() -> None:
    board, clock = Board(), BoardClock()
    exchange(clock, board, START, 0.04, 0.0001)
    now = START + 0.0402
    assert clock.moment(board.time_us(now), now).at <= now
