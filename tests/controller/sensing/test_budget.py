"""Thresholds follow from the false-alarm budget."""

from __future__ import annotations

import math

import pytest

from controller.sensing import FalseAlarmBudget


@pytest.mark.parametrize(("miss", "k"), [(0.005, 2), (0.02, 3), (0.05, 4), (0.10, 5), (0.20, 7)])
def test_k_is_the_smallest_that_the_budget_allows(miss: float, k: int) -> None:
    budget = FalseAlarmBudget()
    assert budget.silences(miss) == k
    assert budget.order_pairs * miss ** (k + 1) <= budget.per_hand
    assert budget.order_pairs * miss**k > budget.per_hand


def test_an_antenna_measured_as_perfect_is_not_trusted_to_be() -> None:
    assert FalseAlarmBudget().silences(0.0) == FalseAlarmBudget().silences(0.005)


def test_a_stricter_budget_asks_for_more() -> None:
    usual, strict = FalseAlarmBudget(), FalseAlarmBudget(per_hand=1e-6)
    assert strict.silences(0.05) > usual.silences(0.05)
    assert strict.place_nats > usual.place_nats
    assert strict.move_nats > usual.move_nats


def test_shares_add_up_to_less_than_the_budget() -> None:
    budget = FalseAlarmBudget()
    place = 2 * budget.arrivals * math.exp(-budget.place_nats)
    move = budget.looks * math.exp(-budget.move_nats)
    assert place + move < budget.per_hand


@pytest.mark.parametrize(
    ("name", "value"), [("per_hand", 0.0), ("per_hand", 2.0), ("left_error", -1.0), ("looks", 0)]
)
def test_a_senseless_budget_is_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        FalseAlarmBudget(**{name: value})  # type: ignore[arg-type]
