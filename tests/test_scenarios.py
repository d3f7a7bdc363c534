"""Every scenario of tests/scenarios, as it stands and some under noise; and that the rows it covers
are all there."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli.scenario import run_file
from controller.rules.clauses import clauses
from controller.scenario.language import read
from controller.scenario.runner import NoiseChoice

FOLDER = Path(__file__).parent / "scenarios"
FILES = sorted(FOLDER.rglob("*.deal"))
NOISY = [f for f in FILES if f.parent.name in {"legal", "presence", "twins"}]
TABLE_NOISE = NoiseChoice(miss=0.05, cross=0.02, sweep_s=0.4)

BETTING = {"DE-b15-3"}
"""Rows that need a turn to act: they come with the console."""


def name(file: Path) -> str:
    return file.relative_to(FOLDER).with_suffix("").as_posix()


@pytest.mark.parametrize("file", FILES, ids=name)
def test_the_table_says_what_the_scenario_expects(file: Path) -> None:
    result = run_file(file, None, [None])
    assert result.ok, "\n".join(
        [
            *result.faults,
            *(f"line {m.line}: {m.expected}: {m.why}" for _, m in result.missing),
            *(f"line {u.line}: unexpected {u.text}" for _, u in result.unexpected),
        ]
    )


@pytest.mark.parametrize("file", NOISY, ids=name)
def test_noise_makes_no_alarms(file: Path) -> None:
    result = run_file(file, TABLE_NOISE, [1, 2])
    assert result.ok, "\n".join(
        [
            *result.faults,
            *(f"seed {s}, line {m.line}: {m.expected}: {m.why}" for s, m in result.missing),
            *(f"seed {s}, line {u.line}: unexpected {u.text}" for s, u in result.unexpected),
        ]
    )


def test_a_scenario_stands_for_every_row_that_zones_button_and_seats_can_judge() -> None:
    covered = {
        row
        for file in FILES
        if (scenario := read(file.read_text()).scenario) is not None
        for row in scenario.covers
    }
    wanted = {
        row.id
        for row in clauses().values()
        if row.how == "sensor"
        and row.kind in {"deal-order", "burn", "button", "seat"}
        and "camera" not in row.needs
    }
    assert wanted - BETTING - covered == set()
    assert {c for c in covered if not c.startswith("IRR-")} <= set(clauses())
