"""Every scenario of tests/scenarios, as it stands and some under noise; and that the rows it covers
are all there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.cli.scenario import FileResult, run_file
from controller.rules.catalogue import entry
from controller.rules.clauses import clauses
from controller.scenario.language import read
from controller.scenario.lines import ExpectFinding
from controller.scenario.runner import CameraChoice, NoiseChoice

FOLDER = Path(__file__).parent / "scenarios"
FILES = sorted(FOLDER.rglob("*.deal"))
INPUTS = re.compile(r"^(key|button|seat|absent|in|out|sit-out|power-cut)\b", re.MULTILINE)
WIRED = [f for f in FILES if len(INPUTS.findall(f.read_text())) > 1]
"""Scenarios in which more is told of button, chairs and keys than where the button lies first."""
NOISY = [f for f in FILES if f.parent.name in {"legal", "presence", "twins"}]
TABLE_NOISE = NoiseChoice(miss=0.05, cross=0.02, sweep_s=0.4)

LEGAL = [f for f in FILES if f.parent.name == "legal" and "camera" not in f.stem]
"""Written for antennas; what of them a camera sees otherwise is in the two tables below."""
IN_PLAIN_SIGHT = {
    "delaware-absent-dealt": "the flop lies face down and is never turned",
    "delaware-whole-hand": "the flop lies face down and is never turned",
    "exposed-card-replaced-and-burned": "the exposed card lies face up among the burns",
    "nj-tournament-exposed-card-replaced": "the exposed card lies face up among the burns",
    "forked-river-burn-beside-the-flop": "the burn beside the flop lies face up",
    "forked-river-burn-under-the-turn": "the burn under the turn lies face up",
}
OF_SIDES = {"BOARD_FACE_DOWN", "BURN_FACE_UP", "HOLE_EXPOSED"}
NAMELESS = {
    "forgotten-card-at-gathering": "a card put at a seat from the deck is a card dealt there",
}

BETTING = {"DE-b15-3"}
"""Rows that need a turn to act: they come with the console."""

REMEDIES = {f"IRR-{n:02}" for n in (*range(1, 10), 11, 12, *range(13, 21), 24, *range(26, 36))} | {
    f"IRR-{n}" for n in (36, 37, 38, 39, 40, 43, 45, 46, 62, 66, 67, 68, 71, 73)
}
"""Irregularities that zones or a camera can see and that have a remedy which the dealer can carry
out."""

RULED = {"IRR-12", "IRR-27", "IRR-28", "IRR-29", "IRR-30", "IRR-33", "IRR-45", "IRR-46"}
"""What only a console sees (early streets), what stands by ruling, what voids the hand."""


def name(file: Path) -> str:
    return file.relative_to(FOLDER).with_suffix("").as_posix()


@pytest.mark.parametrize("file", FILES, ids=name)
def test_the_table_says_what_the_scenario_expects(file: Path) -> None:
    result = run_file(file, None, [None])
    assert result.ok, told(result)


@pytest.mark.parametrize("file", LEGAL, ids=name)
@pytest.mark.parametrize("camera", ["alone", "both"])
def test_what_is_legal_is_so_under_a_camera(file: Path, camera: CameraChoice) -> None:
    if camera == "alone" and file.stem in NAMELESS:
        pytest.skip(NAMELESS[file.stem])
    result = run_file(file, None, [None], camera=camera)
    if file.stem in IN_PLAIN_SIGHT:
        seen = bool(result.unexpected) or camera == "both"
        assert seen, "nothing of it is seen: take it from the table above"
        assert {u.code for _, u in result.unexpected} <= OF_SIDES, told(result)
        return
    assert result.ok, told(result)


@pytest.mark.parametrize("file", WIRED, ids=name)
def test_the_table_says_it_too_by_the_bytes_of_a_table_board(file: Path) -> None:
    result = run_file(file, None, [None], wired=True)
    assert result.ok, told(result)


def told(result: FileResult) -> str:
    return "\n".join(
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


def test_a_scenario_stands_for_every_row_that_zones_button_seats_and_faces_can_judge() -> None:
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
    wanted |= {
        row.id
        for row in clauses().values()
        if row.needs == "camera" and not all("console" in entry(c).needs for c in row.codes)
    }
    assert wanted - BETTING - covered == set()
    assert {c for c in covered if not c.startswith("IRR-")} <= set(clauses())


def test_every_remedy_is_carried_out_to_the_end() -> None:
    shown: set[str] = set()
    corrected: set[str] = set()
    for file in (FOLDER / "remedies").glob("*.deal"):
        scenario = read(file.read_text()).scenario
        assert scenario is not None
        shown.update(scenario.covers)
        if any(isinstance(x, ExpectFinding) and x.state == "corrected" for x in scenario.lines):
            corrected.update(scenario.covers)
    assert REMEDIES - shown == set()
    assert REMEDIES - RULED - corrected == set()
