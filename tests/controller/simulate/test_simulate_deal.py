"""Simulated hands: the same whoever deals them, and as the settings say."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from controller.cli.simulate import app
from controller.model.events import CardCame, TableEvent
from controller.simulate.deal import (
    HandDealt,
    SimulatedTable,
    decide_by,
    error_of,
    mistake_kinds,
)
from controller.simulate.run import BLOCK_HANDS, blocks, simulate
from controller.simulate.settings import Settings
from controller.simulate.trace import timeline, traced

CLEAN = Settings(miss=0.0, cross=0.0, max_stack={})


def planted(settings: Settings, kind: str, seed: str = "planted") -> HandDealt:
    table = SimulatedTable(settings, f"{seed} {kind}")
    while kind not in table.possible():
        table.hand()
    return table.hand(kind)


def test_blocks_hold_every_hand_once() -> None:
    hands = [k for b in blocks(Settings(hands=45)) for k in range(b.first, b.last)]
    assert hands == list(range(45))
    assert max(len(b) for b in blocks(Settings(hands=45))) == BLOCK_HANDS


def test_error_hands_lie_evenly_and_the_kinds_take_turns() -> None:
    settings = Settings(hands=12, errors=("a", "b", "c"), error_share=0.5)
    assert [error_of(settings, k) for k in range(8)] == [None, "a", None, "b", None, "c", None, "a"]
    assert sum(error_of(settings, k) is not None for k in range(12)) == settings.error_hands
    every = replace(settings, error_share=1.0)
    assert [error_of(every, k) for k in range(4)] == ["a", "b", "c", "a"]


def test_a_profile_decides_which_mistakes_there_are() -> None:
    assert "burn-missing" in mistake_kinds(Settings())
    assert "outsider" in mistake_kinds(Settings(seats=9))
    assert "outsider" not in mistake_kinds(Settings(seats=11))


@pytest.mark.slow
def test_the_number_of_jobs_does_not_matter() -> None:
    settings = Settings(hands=2 * BLOCK_HANDS, errors=("seat-skipped",), seats=4)
    assert simulate(settings, jobs=1).as_json() == simulate(settings, jobs=2).as_json()


def test_another_seed_deals_other_hands() -> None:
    one, other = (SimulatedTable(Settings(), seed).hand().played for seed in ("1", "2"))
    assert one.streets != other.streets


@pytest.mark.parametrize(
    "kind",
    [
        "wrong-first-seat",
        "seat-skipped",
        "count-short",
        "count-extra",
        "two-at-once",
        "outsider",
        "burn-missing",
        "burn-double",
        "board-four-flop",
        "board-two-flop",
    ],
)
def test_at_a_table_that_reads_perfectly_the_mistake_is_provable(kind: str) -> None:
    dealt = planted(CLEAN, kind)
    assert dealt.log.mistake is not None
    assert dealt.log.mistake.kind == kind
    assert dealt.log.provable


def test_a_street_ends_with_the_next_ones_first_card() -> None:
    played = planted(CLEAN, "burn-missing").played
    assert played.planted is not None
    names = [s.street for s in played.streets]
    later = played.streets[names.index(played.planted.street) + 1 :]
    assert decide_by(played) == (later[0].first_at if later else played.ended_at)


def test_in_a_burst_one_card_is_unread() -> None:
    dealt = SimulatedTable(Settings(burst=True), "burst").hand()
    assert dealt.played.unread is not None
    assert SimulatedTable(Settings(), "burst").hand().played.unread is None


def test_a_fresh_table_fed_the_same_readings_says_the_same() -> None:
    readings: list[object] = []
    first: list[TableEvent] = []
    table = SimulatedTable(Settings(), "again", on_event=first.append, on_reading=readings.append)
    table.hand()
    again: list[TableEvent] = []
    fresh = table.fresh_table(again.append)
    for reading in readings:
        fresh.feed(reading)  # type: ignore[arg-type]
    assert again == first
    assert any(isinstance(e, CardCame) for e in first)


def test_the_timeline_of_a_hand_shows_no_identity() -> None:
    dealt, events = traced(Settings(hands=20), 1, "seat-skipped")
    text = "\n".join(timeline(dealt, events))
    assert "planted seat-skipped" in text
    tokens = {e.token for e in events if isinstance(e, CardCame)}
    assert tokens
    assert not any(str(token) in text for token in tokens)
    assert dealt.played.number == 2


class TestCommand:
    runner = CliRunner()

    def test_json(self) -> None:
        asked = ["--hands", "4", "--errors", "burn-missing", "--jobs", "1", "--json"]
        result = self.runner.invoke(app, asked)
        assert result.exit_code == 0, result.output
        told = json.loads(result.output)
        assert told["legal_hands"] == 2
        (kind,) = told["kinds"]
        assert (kind["kind"], kind["planted"]) == ("burn-missing", 2)
        assert {"false_alarms", "questions", "cannot_tell_hands"} <= told.keys()
        assert {"caught", "asked", "missed", "other", "provable", "delay_p95_s"} <= kind.keys()

    def test_all_faults_at_once(self) -> None:
        asked = ["--seats", "40", "--miss", "five", "--sweep", "fast", "--hands", "0"]
        result = self.runner.invoke(app, asked)
        assert result.exit_code == 2
        for option in ("--seats", "--miss", "--sweep", "--hands"):
            assert option in result.output

    def test_an_unknown_mistake_is_named_with_those_that_there_are(self) -> None:
        result = self.runner.invoke(app, ["--hands", "1", "--errors", "burnt"])
        assert result.exit_code == 2
        assert "seat-skipped" in result.output

    def test_an_unknown_profile(self) -> None:
        result = self.runner.invoke(app, ["--profile", "vegas", "--hands", "1"])
        assert result.exit_code == 2
        assert "vegas" in result.output
