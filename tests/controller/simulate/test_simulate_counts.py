"""Counts over emulated bytes: right verdicts, repeats when asked, the same however many jobs."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from typer.testing import CliRunner

from controller.cli.simulate import app
from controller.simulate.counts import (
    CLEAN,
    KINDS,
    CountSettings,
    SimulatedCount,
    kind_of,
    simulate_counts,
)
from controller.simulate.settings import SettingsError


def test_half_of_the_decks_are_clean_and_the_kinds_take_turns() -> None:
    kinds = Counter(kind_of(number) for number in range(120))
    assert kinds.pop(CLEAN) == 60
    assert kinds == dict.fromkeys(KINDS, 10)


@pytest.mark.parametrize("number", range(12))
def test_the_verdict_is_what_the_pack_held(number: int) -> None:
    count = SimulatedCount(CountSettings(seed=3), number)
    outcome = count.run()
    assert not outcome.wrong
    assert count.counting.result is not None
    assert (outcome.kind == "missing") <= (outcome.asked > 0)
    assert outcome.dealer_s <= (120 if outcome.asked else 45)


def test_a_clumsy_dealer_is_asked_to_repeat_and_the_verdicts_stay_right() -> None:
    totals = simulate_counts(CountSettings(counts=20, two_at_once=0.3, seed=2))
    assert totals.wrong == 0
    assert totals.asked_on_doubt >= 3


def test_worse_antennas_ask_rather_than_err() -> None:
    assert simulate_counts(CountSettings(counts=12, miss=0.2, cross=0.05, seed=4)).wrong == 0


def test_only_the_count_antenna_is_looked_at() -> None:
    count = SimulatedCount(CountSettings(), 0)
    assert {count.scheduler.next() for _ in range(50)} == {count.counting.antenna}
    count.scheduler.only(None)
    assert len({count.scheduler.next() for _ in range(50)}) == len(count.layout.antennas)


def test_the_number_of_jobs_does_not_matter() -> None:
    settings = CountSettings(counts=20, seed=5)
    assert simulate_counts(settings, 1).as_json() == simulate_counts(settings, 2).as_json()


def test_every_fault_of_the_settings_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as told:
        CountSettings(counts=0, miss=0.9, two_at_once=0.8, sweep_s=9)
    for option in ("--counts", "--miss", "--two-at-once", "--sweep"):
        assert option in str(told.value)


class TestCommand:
    runner = CliRunner()

    def test_json(self) -> None:
        result = self.runner.invoke(app, ["--counts", "4", "--jobs", "1", "--json"])
        assert result.exit_code == 0, result.output
        told = json.loads(result.output)
        assert (told["counts"], told["wrong_verdicts"]) == (4, 0)
        assert {"asked_to_repeat", "median_s", "p95_s", "by_kind"} <= told.keys()
        assert told["by_kind"]["missing"]["asked_to_repeat"] == 1
        assert told["median_s"] < 60

    def test_a_table_for_people(self) -> None:
        result = self.runner.invoke(app, ["--counts", "2", "--jobs", "1"])
        assert result.exit_code == 0, result.output
        assert "clean" in result.output
        assert "Asked to repeat although all 52 cards were there" in result.output

    def test_all_faults_at_once(self) -> None:
        result = self.runner.invoke(app, ["--counts", "0", "--miss", "x", "--two-at-once", "y"])
        assert result.exit_code == 2
        for option in ("--counts", "--miss", "--two-at-once"):
            assert option in result.output
