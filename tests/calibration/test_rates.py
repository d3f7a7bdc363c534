"""Intervals hold what they promise, and tests of two shares do not cry wolf."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.rates import Rate, certain, interval, worse_by_chance

looks = st.integers(1, 400)


@given(n=looks, data=st.data())
def test_interval_holds_what_was_seen_and_lies_between_none_and_all(
    n: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, n))
    low, high = interval(hits, n)
    assert 0.0 <= low <= hits / n <= high <= 1.0
    assert (low == 0.0) is (hits == 0)
    assert (high == 1.0) is (hits == n)


@given(n=st.integers(1, 60), p=st.floats(0.001, 0.999))
def test_interval_holds_the_truth_at_least_as_often_as_promised(n: int, p: float) -> None:
    """Summed over every outcome, so nothing is left to chance."""
    covered = math.fsum(
        math.comb(n, k) * p**k * (1 - p) ** (n - k)
        for k in range(n + 1)
        if (b := interval(k, n))[0] <= p <= b[1]
    )
    assert covered >= 0.95 - 1e-9


@given(n=st.integers(2, 200), data=st.data())
def test_more_hits_move_the_interval_up(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n - 1))
    (low, high), (more_low, more_high) = interval(hits, n), interval(hits + 1, n)
    assert low <= more_low
    assert high <= more_high


@given(hits=st.integers(0, 50), more=st.integers(1, 50), times=st.integers(2, 5))
def test_more_looks_of_the_same_share_are_more_certain(hits: int, more: int, times: int) -> None:
    few, many = Rate(hits, hits + more), Rate(hits * times, (hits + more) * times)
    assert many.half_width < few.half_width
    assert not certain(few, 0.02) or certain(many, 0.02)


@given(a=st.integers(1, 60), b=st.integers(1, 60), data=st.data())
def test_chance_of_a_lower_share_is_a_probability_and_falls_with_it(
    a: int, b: int, data: st.DataObject
) -> None:
    before = Rate(data.draw(st.integers(0, a)), a)
    hits = data.draw(st.integers(0, b - 1))
    worse, better = (worse_by_chance(before, Rate(h, b)) for h in (hits, hits + 1))
    assert 0.0 <= worse <= 1.0 + 1e-12
    assert worse_by_chance(Rate(a, a), Rate(b, b)) == 1.0
    same = math.isclose(before.share, 0.0)
    assert same or worse <= better + before.share


def test_known_values() -> None:
    """Clopper and Pearson's for 10 of 100, and Fisher's tea: 3 of 4 cups against 1 of 4."""
    assert interval(10, 100) == pytest.approx((0.0490, 0.1762), abs=1e-4)
    assert interval(0, 60)[1] == pytest.approx(1 - 0.025 ** (1 / 60), abs=1e-9)
    assert worse_by_chance(Rate(3, 4), Rate(1, 4)) == pytest.approx(17 / 70)


def test_nothing_measured_is_nothing_known() -> None:
    assert Rate(0, 0).interval == (0.0, 1.0)
    assert not certain(Rate(0, 0), 1.0)
    assert worse_by_chance(Rate(0, 0), Rate(0, 9)) == 1.0


def test_more_hits_than_looks_are_refused() -> None:
    with pytest.raises(ValueError, match="4 hits in 3 looks"):
        Rate(4, 3)
