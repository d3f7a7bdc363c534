"""Host and board over bad wires in virtual time: what is told is true, once and in order, and what
is lost is known to be lost. `python -m tests.bench link` does the same a million times."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from drivers.sim.table_board import BoardTwin, Build
from tests.tablelink.bad_wires import BAD, CLEAN, BadLine, Faults, Figures

RECOVERY_S = 0.200


def ran(faults: Faults, seed: int, seconds: float, **rates: float) -> Figures:
    line = BadLine(BoardTwin(build=Build(drift=0.002)), faults, seed, **rates)
    line.busy(seconds)
    return line.finish()


def sound(figures: Figures) -> None:
    assert figures.wrong == []
    assert figures.unnoticed == 0
    assert figures.clock_outside == 0
    assert figures.delivered + figures.noticed == figures.changes


def test_good_wires_cost_milliseconds() -> None:
    figures = ran(CLEAN, 1, 20.0)
    sound(figures)
    assert (figures.losses, figures.noticed, figures.sessions) == (0, 0, 1)
    assert figures.delivered > 1000
    assert max(figures.delays_s) < 0.010


@pytest.mark.parametrize("seed", range(6))
def test_one_byte_in_a_hundred_wrong_costs_no_message(seed: int) -> None:
    figures = ran(BAD, seed, 40.0)
    sound(figures)
    assert (figures.losses, figures.noticed) == (0, 0)
    assert max(figures.delays_s) < RECOVERY_S


@pytest.mark.parametrize("changes_hz", [150.0, 400.0])
def test_more_than_the_line_carries_is_lost_with_its_count(changes_hz: float) -> None:
    figures = ran(BAD, 3, 20.0, changes_hz=changes_hz)
    sound(figures)
    assert figures.noticed > 0
    assert figures.delivered > 1000


def test_a_line_that_carries_almost_nothing_tells_nothing_wrong() -> None:
    faults = Faults(changed=0.06, lost=0.01, doubled=0.01, write_lost=0.3, split=0.5, pause_s=0.2)
    figures = ran(faults, 5, 60.0, changes_hz=5.0, pictures_hz=1.0)
    assert figures.losses > 0
    assert [w for w in figures.wrong if "shown, not" not in w and "never came" not in w] == []


@settings(
    max_examples=25, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)  # shrinking minutes of traffic would take hours
@given(
    st.builds(
        Faults,
        changed=st.floats(0.0, 0.02),
        lost=st.floats(0.0, 0.003),
        doubled=st.floats(0.0, 0.003),
        write_lost=st.floats(0.0, 0.05),
        write_twice=st.floats(0.0, 0.1),
        split=st.floats(0.0, 1.0),
        pause_s=st.floats(0.0, 0.02),
        latency_s=st.floats(0.0, 0.016),
    ),
    st.integers(0, 2**32),
)
def test_any_wires_tell_nothing_wrong(faults: Faults, seed: int) -> None:
    sound(ran(faults, seed, 4.0, changes_hz=40.0, pictures_hz=10.0))


@pytest.mark.parametrize("start_us", [2**32 - 5_000_000, 2**32 - 1])
def test_the_boards_clock_may_wrap_meanwhile(start_us: int) -> None:
    build = Build(drift=-0.004, clock_starts_us=start_us)
    line = BadLine(BoardTwin(build=build), BAD, 9)
    line.busy(20.0)
    figures = line.finish()
    sound(figures)
    assert figures.clock_worst_s < 0.02
