"""Simulated nights: the running test keeps its budget and comes close to the best there is."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from controller.cli.main import main
from controller.integrity.suspect import Budget
from controller.simulate.nights import (
    HANDS_PER_NIGHT,
    NightSettings,
    false_suspicions,
    hands_to_suspicion,
    simulate_nights,
    world,
)
from controller.simulate.settings import SettingsError
from controller.simulate.soonest import TrueWorld, soonest, unseen_chances


@pytest.mark.parametrize("shuffle", ["uniform", "house"])
def test_a_card_gone_is_suspected_within_1_3_of_the_best_and_none_that_is_there(
    shuffle: str,
) -> None:
    told: list[int] = []
    totals = simulate_nights(NightSettings(nights=40, shuffle=shuffle), told.append)
    assert totals.false_suspicions == 0
    assert sum(map(math.isfinite, totals.hands_to_suspicion)) == 40
    assert 1 <= totals.ratio <= 1.3
    assert sum(told) == 80


@pytest.mark.parametrize("shuffle", ["uniform", "house", "house-stub-over"])
def test_the_budget_is_kept_with_room_and_not_left_unused(shuffle: str) -> None:
    """A budget so large that false suspicions can be counted: one a night."""
    settings = NightSettings(nights=60, shuffle=shuffle, budget=Budget(1, 1, HANDS_PER_NIGHT))
    assert 1 <= false_suspicions(settings) <= 30


def test_a_shuffle_that_is_hardly_one_is_why_routines_are_fitted() -> None:
    """Believing one riffle to be a perfect shuffle breaks the budget; believing what is true keeps
    it."""
    budget = Budget(1, 1, HANDS_PER_NIGHT)
    false = {}
    for believed in ("uniform", "one-riffle"):
        settings = NightSettings(nights=30, shuffle="one-riffle", believed=believed, budget=budget)
        false[believed] = false_suspicions(settings)
    assert false["uniform"] > 30 >= false["one-riffle"]


def test_equal_settings_give_equal_nights() -> None:
    one, other, third = (
        hands_to_suspicion(NightSettings(nights=3, seed=seed)) for seed in (1, 1, 2)
    )
    assert one == other != third


def test_every_fault_of_the_settings_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as e:
        NightSettings(nights=0, shuffle="rifle", miss=0.9, seats=1)
    assert len(e.value.faults) == 4


# -- the best there is


def perfect(dealt: int, cards: int = 52) -> TrueWorld:
    return TrueWorld(
        dealt=((dealt, 1.0),),
        shuffle=lambda _, rows, chance: np.argsort(chance.random((rows, cards)), axis=1),
        rates=lambda rows, _: np.ones(rows),
        cards=cards,
    )


def test_the_bound_is_that_of_runs_worked_out_by_hand() -> None:
    """A perfect shuffle, 26 of 52 dealt, all seen: each further hand halves a run, and half of the
    cards are removed at age 0. To find half of them within m hands is cheapest by ending all runs
    after m + 1: 52 cards, one run in two hands, 2**-(m+1) of them in a false suspicion."""
    for hands in (9, 14, 20):
        rate = 52 / 2 * 2.0 ** -(hands + 1)
        assert soonest(perfect(26), rate * 1.15) == hands
        assert soonest(perfect(26), rate / 1.15) == hands + 1


def test_a_smaller_budget_takes_longer_and_a_larger_one_less() -> None:
    found = [soonest(world(NightSettings()), b) for b in (1e-3, 1e-5, 1e-7)]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_silences_in_a_perfect_shuffle_are_powers() -> None:
    silence = unseen_chances(perfect(13))
    assert silence[:, :20] == pytest.approx(
        np.tile(0.75 ** np.arange(20), (len(silence), 1)), rel=0.2
    )
    assert silence[:, :20].mean(axis=0) == pytest.approx(0.75 ** np.arange(20), rel=0.02)


# -- the command


def test_the_command_measures_nights_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["simulate", "--nights", "4", "--shuffle", "uniform", "--json"])
    assert not end.value.code
    found = json.loads(capsys.readouterr().out)
    assert (found["nights"], found["hands"], found["false_suspicions"]) == (4, 960, 0)
    assert found["ratio"] == pytest.approx(
        found["median_hands_to_suspicion"] / found["best_possible_hands"], abs=0.001
    )


def test_the_command_prints_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["simulate", "--nights", "2"])
    assert not end.value.code
    assert "median hands to suspicion" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nights", "0", "--hands", "3"], ["--nights 0", "--hands: not with --nights"]),
        (["--nights", "3", "--shuffle", "rifle"], ["meant: riffle?"]),
        (["--shuffle", "house", "--hands", "3"], ["--shuffle: only with --nights"]),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: list[str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["simulate", *words])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert all(part in error for part in said)
