"""Nights as they are kept, judged and told of."""

from __future__ import annotations

import random

import pytest

from controller.rates.counts import Error, Portion, Sense, Tally
from controller.rates.nights import KEPT, SAME_NIGHT_S, Nights

DAY_S = 86_400.0
MISS = Sense("antenna 3", Error.MISS)
NOISE = Sense("antenna 3", Error.NOISE)
UNCLEAR = Sense("camera 1, board", Error.UNCLEAR)
OPEN = Sense("the table", Error.UNDECIDED)


def night(
    nights: Nights, rates: dict[Sense, float], hands: int = 60, seed: int = 1
) -> tuple[Nights, list[str]]:
    """One night more, a day later, in which each sense errs at that rate."""
    chance = random.Random(seed)
    at = (nights.nights[-1].began if nights.nights else 0.0) + DAY_S
    nights = nights.begun(at).referred({MISS: 0.05})
    told: list[str] = []
    for hand in range(hands):
        counted = {
            sense: Portion(100, sum(chance.random() < rate for _ in range(100)))
            for sense, rate in rates.items()
        }
        nights, new = nights.hand(counted, at + 60.0 * hand)
        told += new
    return nights, told


def test_a_kill_goes_on_with_the_night_and_a_stop_begins_another() -> None:
    nights, _ = night(Nights(), {MISS: 0.05}, hands=2)
    last = nights.nights[-1].last
    assert len(nights.begun(last + 60.0, again=True).nights) == 1
    assert len(nights.begun(last + 60.0).nights) == 2
    assert len(nights.begun(last + SAME_NIGHT_S, again=True).nights) == 2
    assert len(nights.begun(last - 1.0, again=True).nights) == 2, "a clock that was set back"


def test_nights_without_a_hand_are_not_kept_and_old_ones_go() -> None:
    nights = Nights()
    for _ in range(KEPT + 5):
        nights, _ = night(nights, {MISS: 0.05}, hands=1)
        nights = nights.begun(nights.nights[-1].last + 1.0)
    assert len(nights.nights) <= KEPT
    assert all(n.hands for n in nights.nights[:-1])


def test_a_drift_is_told_once_with_its_rates_and_what_to_do_and_again_when_it_is_over() -> None:
    nights, told = night(Nights(), {MISS: 0.05})
    assert told == []
    nights, told = night(nights, {MISS: 0.3}, seed=2)
    assert len(told) == 1
    assert told[0].startswith("antenna 3 misses cards that lie there too often, ")
    assert "5.0% of its looks is usual. Next: see what lies under it" in told[0]
    assert nights.trouble()[0].startswith("antenna 3 misses cards")
    nights, told = night(nights, {MISS: 0.3}, seed=3)
    assert told == []
    assert nights.trouble()
    nights, told = night(nights, {MISS: 0.04}, hands=600, seed=4)
    assert [text.split(":")[0] for text in told] == ["antenna 3 is as it should be again"]
    assert nights.trouble() == ()


def test_what_was_calibrated_anew_is_judged_anew() -> None:
    nights, _ = night(Nights(), {MISS: 0.3})
    assert nights.trouble()
    assert nights.referred({MISS: 0.05}).trouble()
    assert nights.referred({MISS: 0.28}).trouble() == ()


@pytest.mark.parametrize(("sense", "usual"), [(NOISE, 0.02), (UNCLEAR, 0.03), (OPEN, 0.1)])
def test_what_nobody_measured_is_judged_by_the_first_three_nights(
    sense: Sense, usual: float
) -> None:
    nights = Nights()
    for seed in range(3):
        nights, told = night(nights, {sense: usual}, seed=seed)
        assert told == []
    nights, told = night(nights, {sense: usual}, hands=600, seed=5)
    assert told == []
    reference = nights.drifts[sense].reference
    assert reference == pytest.approx(usual, abs=0.02)
    nights, told = night(nights, {sense: 0.5}, seed=6)
    assert len(told) == 1
    assert nights.drifts[sense].reference == reference, "a drift does not become what is usual"


def test_without_three_nights_nothing_is_judged() -> None:
    nights, _ = night(Nights(), {NOISE: 0.01})
    nights, told = night(nights, {NOISE: 0.5}, seed=2)
    assert told == []
    assert NOISE not in nights.drifts


def test_each_night_has_its_own_tally() -> None:
    nights, _ = night(Nights(), {MISS: 0.0}, hands=3)
    nights, _ = night(nights, {MISS: 1.0}, hands=2, seed=2)
    assert [n.tallies[MISS].rounded[:3] for n in nights.nights] == [(3, 300, 0), (2, 200, 200)]
    assert Tally(*nights.nights[0].tallies[MISS].rounded) == nights.nights[0].tallies[MISS]


def test_hundreds_of_nights_of_a_whole_table_tell_nothing() -> None:
    """Sixteen antennas with all their errors and a camera, at their rates: 0 drifts."""
    rates = {
        Sense(f"antenna {n}", error): rate
        for n in range(1, 17)
        for error, rate in ((Error.MISS, 0.05), (Error.CROSS, 0.02), (Error.NOISE, 0.002))
    }
    measured = {s: r for s, r in rates.items() if s.error is not Error.NOISE}
    rates[UNCLEAR], rates[OPEN] = 0.01, 0.05
    chance, told, nights = random.Random(9), 0, Nights()
    for number in range(40):
        nights = nights.begun(number * DAY_S).referred(measured)
        for hand in range(60):
            counted = {
                sense: Portion(60, _binomial(chance, 60, rate)) for sense, rate in rates.items()
            }
            nights, new = nights.hand(counted, number * DAY_S + hand)
            told += len(new)
    assert told == 0
    assert len(nights.drifts) == len(rates)


def _binomial(chance: random.Random, tries: int, rate: float) -> int:
    """By inversion, which is quick for small rates."""
    draw, wrong, each = chance.random(), 0, (1 - rate) ** tries
    total = each
    while draw > total and wrong < tries:
        each *= (tries - wrong) / (wrong + 1) * rate / (1 - rate)
        wrong += 1
        total += each
    return wrong
