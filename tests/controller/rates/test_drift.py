"""Drifts are told within a stated time, and nearly never where there is none."""

from __future__ import annotations

import random

import pytest

from controller.rates.counts import Error, Portion
from controller.rates.drift import CAPITAL, Drift, allowed

HANDS = 240
"""Of a night."""


def hand(chance: random.Random, miss: float, looks: int = 30, bad: float = 0.0) -> Portion:
    """Looks at cards of one antenna in a hand. bad: share of hands in which a card lies so badly
    that every second look misses it."""
    rate = 0.5 if chance.random() < bad else miss
    return Portion(looks, sum(chance.random() < rate for _ in range(looks)))


def told_after(test: Drift, chance: random.Random, miss: float, hands: int) -> int | None:
    """After how many hands a drift is told; None: not within so many."""
    for n in range(1, hands + 1):
        test = test.hand(hand(chance, miss))
        if test.told:
            return n
    return None


@pytest.mark.parametrize("seed", range(8))
def test_an_antenna_that_misses_twice_as_often_is_told_within_two_nights(seed: int) -> None:
    after = told_after(Drift(Error.MISS, 0.05), random.Random(seed), 0.11, 2 * HANDS)
    assert after is not None


@pytest.mark.parametrize("seed", range(8))
def test_one_that_fails_is_told_within_the_hour(seed: int) -> None:
    after = told_after(Drift(Error.MISS, 0.05), random.Random(seed), 0.3, 30)
    assert after is not None


def test_it_is_found_as_soon_however_long_all_was_well() -> None:
    chance = random.Random(4)
    test = Drift(Error.MISS, 0.05)
    for _ in range(20 * HANDS):
        test = test.hand(hand(chance, 0.05))
    assert not test.told
    after = told_after(test, chance, 0.3, 30)
    assert after is not None


def test_hundreds_of_nights_at_the_measured_rate_tell_nothing_though_cards_lie_badly() -> None:
    """Misses that hang together within a hand are no more of a drift than single ones: the mean
    alone counts, 0.04 + 0.02 * 0.46 here."""
    chance = random.Random(5)
    test = Drift(Error.MISS, 0.05)
    for _ in range(300 * HANDS):
        test = test.hand(hand(chance, 0.04, looks=20, bad=0.02))
        assert not test.told


def test_the_capital_keeps_within_its_budget_at_the_very_edge() -> None:
    """At exactly what is allowed, capital is as many portions on average, so that it reaches A
    within N portions with a chance of N/A at most."""
    chance = random.Random(6)
    limit = allowed(Error.MISS, 0.05)
    highest = 0.0
    for _ in range(20):
        test = Drift(Error.MISS, 0.05)
        for _ in range(HANDS):
            test = test.hand(hand(chance, limit, looks=20))
            assert not test.told
            highest = max(highest, sum(test.capital) / 3)
    assert highest < CAPITAL / 1000


def test_what_is_well_again_is_told_and_judged_anew() -> None:
    chance = random.Random(7)
    test = Drift(Error.MISS, 0.05)
    while not test.told:
        test = test.hand(hand(chance, 0.4))
    for _ in range(100):
        test = test.hand(hand(chance, 0.4))
    assert test.told, "it is no better"
    hands = 0
    while test.told:
        test = test.hand(hand(chance, 0.04))
        hands += 1
    assert hands < 4 * HANDS
    assert told_after(test, chance, 0.4, 30) is not None


def test_small_hands_are_put_together() -> None:
    test = Drift(Error.MISS, 0.05)
    for _ in range(19):
        test = test.hand(Portion(1, 1))
    assert test.pending == Portion(19, 19)
    assert test.capital == (0.0, 0.0, 0.0)
    test = test.hand(Portion(1, 1))
    assert test.pending == Portion(0, 0)
    assert min(test.capital) > 1.0


def test_what_is_allowed_leaves_room_for_chance_and_for_a_sloppy_calibration() -> None:
    assert allowed(Error.MISS, 0.05) == pytest.approx(0.075)
    assert allowed(Error.MISS, 0.0) == pytest.approx(0.02)
    assert allowed(Error.CROSS, 0.02) == pytest.approx(0.03)
    assert allowed(Error.UNCLEAR, 0.8) == 0.9
