"""Antennas measured at a simulated table, held against what was planted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from calibration.antennas import AntennaSamples, AntennasProfile, Place
from calibration.antennas_capture import AntennaStep, Looks
from calibration.profiles import AntennaProfile
from calibration.steps import Belongs, Fitted, Left, Weight
from drivers.factory import FieldAntenna, Flaws
from tests.calibration.hands import BUDGET, Eyes, Hand, Lamps, line, table_of

TABLE = Belongs({"antenna 1": "seat/1"})


def measured(
    places: Sequence[Place],
    *,
    looks: Looks | None = None,
    whole: bool = True,
    lamps: bool = True,
    hand: Hand | None = None,
    **table: object,
) -> tuple[Fitted[AntennasProfile], AntennaSamples, Hand]:
    world = table_of(places, **table)  # type: ignore[arg-type]
    step = AntennaStep(
        places,
        Eyes(world),
        BUDGET,
        seats=max(2, len(places)),
        belongs=lambda: TABLE,
        lamps=Lamps(world) if lamps else None,
        looks=looks,
        whole=whole,
    )
    person = hand or Hand(world)
    person._table = world
    samples = asyncio.run(step.capture(person, None, lambda kept: None))
    return step.fit(samples), samples, person


def texts(fitted: Fitted[AntennasProfile], weight: Weight) -> str:
    return "\n".join(r.text for r in fitted.remarks if r.weight is weight)


def test_healthy_table_is_measured_close_to_what_was_planted() -> None:
    fitted, samples, _ = measured(line(6), miss=0.05, cross=0.02)
    assert fitted.profile is not None
    assert not fitted.refused
    assert not texts(fitted, Weight.WARNING)
    for antenna in fitted.profile.antennas:
        assert abs(antenna.miss - 0.05) < 0.03
        assert abs(antenna.cross - 0.02) < 0.025
        assert set(antenna.neighbours) >= {
            n for n in (antenna.antenna - 1, antenna.antenna + 1) if 1 <= n <= 6
        }
        assert antenna.max_stack is None
        assert len(antenna.spots) == 5
    held = [a.miss_low <= 0.05 <= a.miss_high for a in fitted.profile.antennas]
    assert sum(held) >= 5  # each with 95 %
    assert samples.sweep_s == pytest.approx(6 * 0.02)


def test_certainty_ends_the_looking_early_and_never_before_it_is_there() -> None:
    sure, few, _ = measured(line(3), miss=0.0, cross=0.0, corrupt=0.0)
    unsure, many, _ = measured(line(3), miss=0.12, cross=0.0, corrupt=0.0)
    assert sure.profile is not None
    assert unsure.profile is not None
    for antenna in unsure.profile.antennas:
        half = (antenna.miss_high - antenna.miss_low) / 2
        assert half <= max(0.02, 0.3 * antenna.miss) + 0.01
    own = [s.of(1).heard_by(1).looks for s in (few, many)]
    assert own[0] < own[1] / 1.5


@pytest.mark.parametrize(
    ("wires", "named"),
    [
        ({2: 3, 3: 2}, ["antenna 2", "antenna 3", "are swapped"]),
        ({1: 4, 4: 1}, ["antenna 1", "antenna 4", "are swapped"]),
        ({1: 2, 2: 3, 3: 1}, ["wires of 3 antennas are mixed up"]),
    ],
)
def test_swapped_wires_are_named(wires: dict[int, int], named: list[str]) -> None:
    fitted, _, _ = measured(line(4), flaws=Flaws(wires=wires), looks=Looks(last=80))
    assert fitted.refused
    told = texts(fitted, Weight.REFUSED)
    assert len(fitted.refused) == 1
    assert all(word in told for word in named)


def test_dead_antenna_is_named_and_costs_no_further_spots() -> None:
    fitted, _, hand = measured(line(4), flaws=Flaws(wires={3: 0}))
    (remark,) = fitted.refused
    assert "card at seat 3 is not read there" in remark.text
    assert "reader 1, port 3" in remark.text
    laid = [a for a in hand.acts if a.task is not None and "seat 3" in a.ask]
    assert len(laid) == 2  # the middle, and once more because it was not read


def test_wire_that_leads_to_the_coil_of_another_is_named() -> None:
    """Both ports hang on the coil of seat 3: nobody reads a card at seat 2, both read one at 3."""
    fitted, _, _ = measured(line(4), flaws=Flaws(wires={2: 3}))
    told = texts(fitted, Weight.REFUSED)
    assert "seat 2 is not read there" in told
    assert "antenna 3 (seat 3)" in told
    assert "its wire leads there" in told


def test_overlapping_fields_cannot_be_told_apart() -> None:
    places = line(4)
    strong = FieldAntenna(2, "seat/2", (3,), 2, cross=0.93, port=2)
    other = FieldAntenna(3, "seat/3", (2,), 2, cross=0.93, port=3)
    fitted, _, _ = measured(places, a2=strong, a3=other)
    told = texts(fitted, Weight.REFUSED)
    assert "Antenna 2 (seat 2) and antenna 3 (seat 3) cannot be told apart" in told
    assert len(fitted.refused) == 1


def test_fields_that_overlap_a_little_are_warned_of() -> None:
    strong = FieldAntenna(2, "seat/2", (3,), 2, cross=0.15, port=2)
    fitted, _, _ = measured(line(4), a2=strong)
    assert not fitted.refused
    assert "are hard to tell apart" in texts(fitted, Weight.WARNING)
    assert fitted.profile is not None
    assert abs(fitted.profile.antennas[1].cross - 0.15) < 0.07


def test_field_that_reads_a_seat_it_is_no_neighbour_of_becomes_one() -> None:
    far = FieldAntenna(1, "seat/1", (2, 4), 2, cross=0.12, port=1)
    fitted, _, _ = measured(line(5), a1=far)
    assert fitted.profile is not None
    assert 4 in fitted.profile.antennas[0].neighbours
    assert 1 in fitted.profile.antennas[3].neighbours


def test_weak_first_card_is_told_from_weak_antennas() -> None:
    fitted, _, _ = measured(line(4), flaws=Flaws(weak_cards=(0.45, 0.0)))
    assert "The first card's tag is weak" in texts(fitted, Weight.REFUSED)
    assert len(fitted.remarks) == 2  # and the sweep's time: no antenna is blamed for the card


def test_weak_antenna_is_warned_of_alone() -> None:
    weak = FieldAntenna(3, "seat/3", (2, 4), 2, miss=0.35, port=3)
    fitted, _, _ = measured(line(5), a3=weak)
    assert not fitted.refused
    told = texts(fitted, Weight.WARNING)
    assert told.count("Antenna ") == 1
    assert "Antenna 3 (seat 3) reads a card in" in told


def test_antenna_that_misses_more_than_half_is_refused() -> None:
    deaf = FieldAntenna(3, "seat/3", (2, 4), 2, miss=0.7, port=3)
    fitted, _, _ = measured(line(5), a3=deaf)
    (remark,) = fitted.refused
    assert remark.text.startswith("Antenna 3 (seat 3)")


def test_bad_spot_is_named() -> None:
    fitted, _, _ = measured(line(3), flaws=Flaws(bad_spots={(2, 3): 0.6}))
    said = "Antenna 2 (seat 2) reads badly at a spot 2 cm from the middle, towards the middle of"
    assert said in texts(fitted, Weight.WARNING)


def test_two_cards_that_are_not_told_apart_limit_the_stack() -> None:
    single = FieldAntenna(2, "seat/2", (1, 3), 1, port=2)
    fitted, _, _ = measured(line(3), a2=single)
    assert fitted.profile is not None
    assert [a.max_stack for a in fitted.profile.antennas] == [None, 1, None]
    assert "does not tell two cards" in texts(fitted, Weight.WARNING)
    configured = AntennaProfile(2, 1, 2, max_stack=2)
    assert fitted.profile.antennas[1].applied(configured).max_stack == 1
    assert fitted.profile.antennas[0].applied(configured).max_stack == 2


def test_white_lamps_that_disturb_are_named_and_others_are_not() -> None:
    fitted, _, _ = measured(line(4), flaws=Flaws(lamp_noise={2: 0.4}))
    told = texts(fitted, Weight.WARNING)
    assert "With all lamps white antenna 2 (seat 2)" in told
    assert told.count("With all lamps white") == 1
    assert fitted.profile is not None
    loss = fitted.profile.antennas[1].lamps
    assert loss is not None
    assert abs(loss - 0.38) < 0.15


def test_without_lamps_nothing_is_said_of_them() -> None:
    fitted, samples, _ = measured(line(2), lamps=False)
    assert fitted.profile is not None
    assert {a.lamps for a in fitted.profile.antennas} == {None}
    assert not any(v.white for p in samples.placed for v in p.visits)


def test_card_left_on_the_table_is_asked_away() -> None:
    places = line(3)

    class Careless(Hand):
        async def does(self, act):  # type: ignore[no-untyped-def]
            answer = await super().does(act)
            if len(self.acts) == 1:
                assert self._table is not None
                self._table.lay(2, 0, 1)
            return answer

    fitted, samples, hand = measured(places, hand=Careless(), cross=0.0)
    assert "still read at seat 2" in hand.acts[1].ask
    assert not fitted.refused
    assert sum(h.strangers for h in samples.empty) == 0


def test_seats_numbered_against_the_deal_are_reordered() -> None:
    places = tuple(Place(n, f"seat/{z}", 1, n) for n, z in ((1, 2), (2, 1), (3, 3)))
    fitted, _, _ = measured(places)
    assert "the antennas are 2, 1, 3" in texts(fitted, Weight.WARNING)


def test_left_and_gone_on_with_measures_no_antenna_twice() -> None:
    places = line(4)
    world = table_of(places)
    kept: list[AntennaSamples] = []

    def step() -> AntennaStep:
        return AntennaStep(places, Eyes(world), BUDGET, seats=4, belongs=lambda: TABLE)

    first = Hand(world, leaves_at=9)
    with pytest.raises(Left):
        asyncio.run(step().capture(first, None, kept.append))
    done = [p.antenna for p in kept[-1].placed]
    assert done == [1]
    second = Hand(world)
    samples = asyncio.run(step().capture(second, kept[-1], kept.append))
    assert [p.antenna for p in samples.placed] == [1, 2, 3, 4]
    assert not any("seat 1." in act.ask for act in second.acts)
    assert samples.placed[0] == kept[-4].placed[0]
    assert samples.looks == kept[-1].looks + 8 * 4
    assert not step().fit(samples).refused


def test_antenna_left_out_makes_no_profile() -> None:
    fitted, _, _ = measured(line(3), hand=Hand(answers={"the mark at seat 2": "s"}))
    assert fitted.profile is None
    assert "Not measured: antenna 2" in texts(fitted, Weight.REFUSED)


def test_acts_say_how_far_it_has_come() -> None:
    _, _, hand = measured(line(3))
    done = [(a.done, a.of) for a in hand.acts]
    assert done == sorted(done)
    assert {of for _, of in done} == {3 * 6}
    assert done[-1] == (18, 18)


def test_samples_hold_no_identity() -> None:
    places = line(2)
    world = table_of(places)
    step = AntennaStep(places, Eyes(world), BUDGET, seats=2, belongs=lambda: TABLE)
    samples = asyncio.run(step.capture(Hand(world), None, lambda kept: None))
    text = repr(samples) + repr(step.fit(samples).remarks)
    uids = {card.uid.hex() for card in world._world.deck("red")}
    assert not any(uid in text.lower() for uid in uids)


def test_antenna_that_got_worse_since_the_last_time_is_told() -> None:
    first, _, _ = measured(line(3))
    worse = FieldAntenna(2, "seat/2", (1, 3), 2, miss=0.16, port=2)
    world = table_of(line(3), a2=worse, seed=2)
    step = AntennaStep(
        line(3), Eyes(world), BUDGET, seats=3, belongs=lambda: TABLE, before=first.profile
    )
    fitted = step.fit(asyncio.run(step.capture(Hand(world), None, lambda kept: None)))
    told = texts(fitted, Weight.WARNING)
    assert "Antenna 2 (seat 2) misses a card" in told
    assert told.count("the last time") == 1
