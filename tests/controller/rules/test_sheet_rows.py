"""The compliance sheet: states, what shows them, and the shipped coverage."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType

import pytest
from typer.testing import CliRunner

from controller.cli.profile import app
from controller.rules.clauses import clauses, rows_of
from controller.rules.profile import load, names
from controller.rules.sheet import (
    Coverage,
    RowState,
    checkout,
    scan,
    sheet,
    shipped_coverage,
)

NOTHING = Coverage(MappingProxyType({}), frozenset())


def test_the_shipped_coverage_is_not_stale() -> None:
    """If it is: python -m controller.rules.sheet --write-coverage."""
    root = checkout()
    assert root is not None
    assert shipped_coverage().to_json() == scan(root).to_json()


@pytest.mark.parametrize("name", names())
def test_the_sheet_has_every_row_of_the_document_and_those_it_falls_back_on(name: str) -> None:
    profile = load(name)
    listed = [line.row.id for line in sheet(profile).rows]
    assert len(listed) == len(set(listed))
    assert {row.id for row in rows_of((*profile.documents, "TDA")[0])} <= set(listed)
    assert set(profile.cited_rows) <= set(listed)


def test_nothing_is_dealt_with_while_nothing_shows_it() -> None:
    states = {line.state for line in sheet(load("delaware"), NOTHING).rows}
    assert states == {RowState.OUTSIDE, RowState.NOT_YET}


def test_a_row_is_checked_only_if_it_is_raised_and_shown() -> None:
    def state(shown: dict[str, tuple[str, ...]], codes: set[str], row: str) -> RowState:
        made = sheet(load("nj-tournament"), Coverage(MappingProxyType(shown), frozenset(codes)))
        return next(line.state for line in made.rows if line.row.id == row)

    shown: dict[str, tuple[str, ...]] = dict.fromkeys(clauses(), ("a.deal",))
    assert state(shown, {"BURN_MISSING"}, "NJ-T-e10-1") is RowState.CHECKED
    assert state(shown, {"HOLE_ORDER"}, "NJ-T-e10-1") is RowState.NOT_YET
    assert state({}, {"BURN_MISSING"}, "NJ-T-e10-1") is RowState.NOT_YET
    assert state(shown, set(), "NJ-T-e7") is RowState.CHECKED  # a permission: nothing to raise
    assert state(shown, {"BURN_FACE_UP"}, "NJ-T-a-burn") is RowState.CHECKED  # with a camera
    assert state(shown, {"BURN_EXTRA"}, "NJ-T-a-burn") is RowState.NOT_YET
    assert state(shown, {"SHOW_ORDER"}, "NJ-T-e16ii-1") is RowState.NOT_YET  # and a console
    assert state(shown, {"BLIND_MISSING"}, "NJ-T-a-bb-3") is RowState.NOT_YET  # console
    assert state(shown, set(), "NJ-T-e0") is RowState.COMPUTED
    assert state(shown, set(), "NJ-T-j5") is RowState.OUTSIDE


def test_the_sheet_says_what_takes_a_camera_and_what_a_console() -> None:
    def line(profile: str, row: str) -> tuple[RowState, str]:
        found = next(x for x in sheet(load(profile)).rows if x.row.id == row)
        return found.state, found.reason

    assert line("delaware", "DE-a4-4") == (RowState.CHECKED, "FLOP_TURN_SPLIT with a camera")
    assert line("nj-tournament", "NJ-T-e10-2") == (
        RowState.CHECKED,
        "BOARD_FACE_DOWN with a camera",
    )
    assert line("forked-river", "RFR-r1-9") == (
        RowState.CHECKED,
        "FOLD_REVEALED with a camera; without FOLD_MISMATCH yet",
    )
    shown_down = (RowState.NOT_YET, "needs money or turns to be entered")
    for profile, row in (
        ("nj-tournament", "NJ-T-e16-0"),
        ("nj-tournament", "NJ-T-e16ii-1"),
        ("nj-tournament", "NJ-T-e16ii-2"),
        ("delaware", "DE-a2-7"),
        ("delaware", "DE-a6-6"),
        ("delaware", "DE-a7-1"),
        ("nj-holdem", "NJ-H-j-1"),
        ("forked-river", "RFR-river-3"),
        ("north-dakota", "ND-6c-6"),
        ("north-dakota", "ND-6c-8"),
    ):
        assert line(profile, row) == shown_down, row


def test_every_row_that_a_camera_alone_can_tell_is_dealt_with() -> None:
    """The rest of them need turns or money besides."""
    states = {x.row.id: x for name in names() for x in sheet(load(name)).rows}
    for row in clauses().values():
        if row.needs == "camera" and row.id in states:
            line = states[row.id]
            waits = "money or turns" in line.reason
            assert waits or line.state is RowState.CHECKED, (row.id, line.reason)
            assert not waits or all(c.startswith(("SHOW_", "HAND_OVER")) for c in row.codes)


def test_a_house_row_is_listed_with_what_it_sets(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(
        'name = "house"\ntitle = "House"\nbased_on = "tda"\n'
        'hole_lift_grace_s = { value = 40, clause = "HOUSE-grace" }\n'
        '[house_rows]\nHOUSE-grace = "Forty seconds for a look."\n'
    )
    lines = {x.row.id: x for x in sheet(load(tmp_path / "house.toml")).rows}
    assert lines["HOUSE-grace"].row.paraphrase == "Forty seconds for a look."
    assert lines["HOUSE-grace"].settings == ("hole_lift_grace_s = 40.0",)


def test_the_scan_reads_scenarios_and_leaves_samples_out(tmp_path: Path) -> None:
    scenarios = tmp_path / "tests" / "scenarios" / "burn"
    rules = tmp_path / "tests" / "controller" / "rules"
    engine = tmp_path / "controller" / "rules" / "engine"
    for folder in (scenarios, rules, engine):
        folder.mkdir(parents=True)
    (scenarios / "no_burn.deal").write_text("expect BURN_MISSING clause=NJ-T-e10-1  # DE-a4-1.\n")
    (rules / "test_deal.py").write_text('"""NJ-T-e12-1."""\n')
    (rules / "test_remedies_x.py").write_text('"""NJ-T-e5-2."""\n')
    (rules / "test_sheet_x.py").write_text('"""NJ-T-e14-1."""\n')
    (rules / "test_profile_x.py").write_text('"""NJ-T-e5-1, NJ-T-e0."""\n')
    (engine / "deal.py").write_text('CODE = "BURN_MISSING"\n# BURN_EXTRA\n')
    (engine / "wording.py").write_text('{"BURN_UNEXPECTED": "NO BURN YET"}\n')
    found = scan(tmp_path)
    assert dict(found.shown_by) == {
        "NJ-T-e10-1": ("tests/scenarios/burn/no_burn.deal",),
        "DE-a4-1": ("tests/scenarios/burn/no_burn.deal",),
        "NJ-T-e12-1": ("tests/controller/rules/test_deal.py",),
        "NJ-T-e0": ("tests/controller/rules/test_profile_x.py",),
    }
    assert found.codes == {"BURN_MISSING"}
    assert Coverage.from_json(found.to_json()).to_json() == found.to_json()


def test_the_command_prints_the_sheet_as_json() -> None:
    answer = CliRunner().invoke(app, ["sheet", "north-dakota", "--json"])
    assert answer.exit_code == 0
    made = json.loads(answer.stdout)
    assert made["profile"] == "north-dakota"
    row = next(r for r in made["rows"] if r["id"] == "ND-5c")
    assert {"id", "clause", "how", "state", "shown_by"} <= set(row)
    assert row["how"] == "sensor"
    assert {r["state"] for r in made["rows"]} <= set(RowState)


def test_the_command_prints_the_sheet_for_people() -> None:
    answer = CliRunner().invoke(app, ["sheet", "nj-holdem"])
    assert answer.exit_code == 0
    assert "NJ-H-c2ii" in answer.stdout


def test_the_command_lists_and_checks(tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert "tda (default)" in run(app, ["list"]).stdout
    listed = json.loads(run(app, ["list", "--json"]).stdout)["profiles"]
    assert [p["name"] for p in listed] == list(names())
    good = tmp_path / "good.toml"
    good.write_text('name = "g"\ntitle = "G"\nbased_on = "nj-tournament"\n')
    assert run(app, ["check", str(good)]).exit_code == 0
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "b"\ntitle = "B"\nbased_on = "nj-tournament"\nx = 1\n')
    answer = run(app, ["check", str(bad)])
    assert answer.exit_code == 1
    assert f"{bad}:4:1: x is no key of a profile" in answer.stdout
    assert json.loads(run(app, ["check", str(bad), "--json"]).stdout)["ok"] is False
    assert run(app, ["sheet", "no-such"]).exit_code == 2
