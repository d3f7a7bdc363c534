"""What a tally makes of its portions."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from controller.rates.counts import Portion, Tally

PORTIONS = st.lists(
    st.integers(0, 200).flatmap(
        lambda tried: st.tuples(st.just(tried), st.integers(0, tried)).map(lambda p: Portion(*p))
    ),
    max_size=20,
)


def tally(portions: list[Portion]) -> Tally:
    total = Tally()
    for portion in portions:
        total = total.plus(portion)
    return total


@given(PORTIONS, PORTIONS)
def test_nights_join_to_what_one_long_night_would_be(a: list[Portion], b: list[Portion]) -> None:
    assert tally(a).joined(tally(b)) == tally(a + b)


@given(PORTIONS)
def test_a_rate_lies_in_its_interval(portions: list[Portion]) -> None:
    total = tally(portions)
    assert (total.rate is None) == (total.interval is None) == (total.tried == 0)
    if total.rate is not None and total.interval is not None:
        low, high = total.interval
        assert 0.0 <= low <= total.rate <= high <= 1.0


def covered(bad: float, miss: float, nights: int) -> float:
    """Share of nights whose interval has the true rate in it. bad: share of hands that miss every
    second look."""
    chance = random.Random(1)
    true = bad * 0.5 + (1 - bad) * miss
    found = 0
    for _ in range(nights):
        total = Tally()
        for _ in range(120):
            rate = 0.5 if chance.random() < bad else miss
            total = total.plus(Portion(20, sum(chance.random() < rate for _ in range(20))))
        low, high = total.interval or (0.0, 1.0)
        found += low <= true <= high
    return found / nights


def test_an_interval_has_the_true_rate_in_it_as_often_as_it_says() -> None:
    assert 0.92 < covered(0.0, 0.05, 300) <= 1.0


def test_it_is_wider_where_errors_come_together() -> None:
    assert covered(0.05, 0.03, 300) > 0.88


def test_more_errors_than_tries_have_an_interval() -> None:
    tally = Tally().plus(Portion(100, 250)).plus(Portion(100, 300))
    assert tally.interval is not None
    low, high = tally.interval
    assert 0.0 <= low <= 1.0
    assert high == 1.0
