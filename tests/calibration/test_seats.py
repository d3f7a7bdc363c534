"""Seat sensors calibrated through the table board's own driver and its twin."""

from __future__ import annotations

from typing import Literal

import pytest

from calibration.seats import Level, Moment, SeatFit, SeatSamples, SeatsProfile, SeatStep
from calibration.steps import Belongs, Fitted, Left, Weight
from drivers.factory import Flaws
from drivers.sim.table_board import Build
from tablelink.messages import Sensor, Threshold
from tests.calibration.boards import AtBoard, at_board

ANALOGUE = Build(seats=5, sensor=Sensor.HIGH_IS_OCCUPIED)
CONTACTS = Build(seats=5)
CLOSED: dict[int, Literal["closed", "open"]] = dict.fromkeys(range(1, 6), "closed")


def fitted(build: Build, flaws: Flaws | None = None, **chairs: object) -> Fitted[SeatsProfile]:
    found: list[Fitted[SeatsProfile]] = []

    async def run(table: AtBoard) -> None:
        step = SeatStep(
            range(1, 6), table.ears, belongs=lambda: Belongs({}), contacts=CLOSED, watch_s=1.0
        )
        samples = await step.capture(table.hand, None, lambda kept: None)
        found.append(step.fit(samples))

    at_board(run, build=build, flaws=flaws, **chairs)
    return found[0]


def refused(fit: Fitted[SeatsProfile]) -> str:
    assert fit.profile is None
    return "\n".join(r.text for r in fit.refused)


def test_analogue_sensors_get_thresholds_between_their_levels() -> None:
    fit = fitted(ANALOGUE, levels=(210, 690), noise=6)
    assert not fit.refused
    assert fit.profile is not None
    for seat in fit.profile.seats:
        assert seat.sensor == "high"
        assert abs(seat.empty - 210) <= 6
        assert abs(seat.occupied - 690) <= 6
        assert 216 < seat.leave < seat.enter < 684
        assert abs(seat.leave - 372) < 12  # a third of the way
        assert abs(seat.enter - 528) < 12
        assert seat.noise <= 12


def test_sensors_that_fall_when_somebody_sits_are_low_ones() -> None:
    fit = fitted(ANALOGUE, levels=(800, 250), noise=6)
    assert fit.profile is not None
    for seat in fit.profile.seats:
        assert seat.sensor == "low"
        assert 250 < seat.enter < seat.leave < 800


def test_fitted_thresholds_make_the_board_tell_who_sits() -> None:
    """What the calibration proposes works on the board it was made at, whose own did not."""
    fit = fitted(ANALOGUE, levels=(90, 330), noise=10)
    assert fit.profile is not None

    async def run(table: AtBoard) -> None:
        assert fit.profile is not None
        table.chairs.sit(3, table.clock())
        await table.ears.settle(2.0)
        assert table.ears.occupied.get(3) is not True
        for s in fit.profile.seats:
            sensor = Sensor.HIGH_IS_OCCUPIED
            table.board.wish(Threshold(s.seat, sensor, s.leave, s.enter))
        await table.ears.settle(2.0)
        said = {s: table.ears.occupied[s] for s in range(1, 6)}
        assert said == {1: False, 2: False, 3: True, 4: False, 5: False}

    at_board(run, build=ANALOGUE, levels=(90, 330), noise=10)


@pytest.mark.parametrize("build", [ANALOGUE, CONTACTS])
def test_swapped_wires_are_named(build: Build) -> None:
    said = refused(fitted(build, Flaws(seat_wires={2: 4, 4: 2})))
    assert "the sensor of seat 2 and the sensor of seat 4 are swapped" in said
    assert said.count("Wires:") == 1
    assert "\n" not in said


@pytest.mark.parametrize("build", [ANALOGUE, CONTACTS])
def test_dead_sensor_is_named(build: Build) -> None:
    said = refused(fitted(build, Flaws(seat_wires={3: 0})))
    assert "sensor of seat 3 does not feel" in said
    assert "\n" not in said


def test_sensor_that_always_says_occupied_is_named() -> None:
    said = refused(fitted(CONTACTS, Flaws(stuck_seats=(5,))))
    assert "at seat 5 says occupied whoever sits" in said


def test_three_wires_that_go_round_are_named() -> None:
    said = refused(fitted(CONTACTS, Flaws(seat_wires={1: 2, 2: 3, 3: 1})))
    assert "3 wires are mixed up" in said


@pytest.mark.parametrize("level", [0, 1023])
def test_cut_wire_is_named(level: int) -> None:
    said = refused(fitted(ANALOGUE, levels=(level, level), noise=0))
    assert "reads as cut" in said


def test_sensor_that_hardly_tells_is_refused_with_its_figures() -> None:
    said = refused(fitted(ANALOGUE, levels=(300, 350), noise=20))
    assert "hardly tells" in said


def test_contact_the_other_way_round_is_told_to_the_board() -> None:
    """Seat 2 says occupied but while somebody sits there: open is occupied, not closed."""
    sat = (None, 1, 2, 3, None)
    moments = tuple(
        Moment(s, occupied=tuple(n for n in (1, 2, 3) if (n == s) is not (n == 2))) for s in sat
    )
    step = SeatStep((1, 2, 3), None, belongs=lambda: Belongs({}), contacts=CLOSED)  # type: ignore[arg-type]
    fit = step.fit(SeatSamples((1, 2, 3), (), moments))
    assert fit.profile is not None
    assert [s.sensor for s in fit.profile.seats] == ["closed", "open", "closed"]
    (warning,) = [r.text for r in fit.remarks if r.weight is Weight.WARNING]
    assert "at seat 2 is the other way round" in warning


def test_sensor_that_does_not_come_back_is_warned_of() -> None:
    def level(seat: int, middle: int) -> Level:
        return Level(seat, middle - 3, middle, middle + 3)

    moments = (
        Moment(None, (level(1, 200),)),
        Moment(1, (level(1, 700),)),
        Moment(None, (level(1, 380),)),
    )
    step = SeatStep((1,), None, belongs=lambda: Belongs({}))  # type: ignore[arg-type]
    fit = step.fit(SeatSamples((1,), (1,), moments))
    assert fit.profile is not None
    assert fit.profile.seats[0].drift == 180
    assert "came back 180 counts" in fit.remarks[0].text


def test_left_and_gone_on_with() -> None:
    async def run(table: AtBoard) -> None:
        kept: list[SeatSamples] = []
        step = SeatStep(range(1, 6), table.ears, belongs=lambda: Belongs({}), contacts=CLOSED)
        table.hand._leaves_at = 3
        with pytest.raises(Left):
            await step.capture(table.hand, None, kept.append)
        assert len(kept[-1].moments) == 3
        table.hand._leaves_at = None
        table.hand.acts.clear()
        samples = await step.capture(table.hand, kept[-1], kept.append)
        assert len(table.hand.acts) == 4
        assert step.fit(samples).profile is not None

    at_board(run, build=CONTACTS)


def test_sensor_that_drifted_since_the_last_time_is_told() -> None:
    before = SeatsProfile((SeatFit(1, "high", empty=200, occupied=700),))
    sat = (None, 1, None)
    moments = tuple(
        Moment(s, (Level(1, m - 3, m, m + 3),)) for s, m in zip(sat, (340, 800, 341), strict=True)
    )
    step = SeatStep((1,), None, belongs=lambda: Belongs({}), before=before)  # type: ignore[arg-type]
    fit = step.fit(SeatSamples((1,), (1,), moments))
    (told,) = [r.text for r in fit.remarks if "since" in r.text]
    assert "+140 counts" in told
