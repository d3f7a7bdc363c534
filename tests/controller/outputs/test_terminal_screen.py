"""The live screen, drawn into a recording console."""

import dataclasses
import io
import re

from rich.console import Console

from controller.model.findings import Finding, FindingState, Progress, Severity, Stage, Street
from controller.model.table import BURN
from controller.outputs.board import DeckView, frame
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.outputs.picture import Ink
from controller.outputs.terminal import (
    BoardPicture,
    findings_lines,
    findings_table,
    screen,
    table_plan,
)

FINDING = Finding(
    id=9,
    code="BURN_MISSING",
    codes=("BURN_MISSING",),
    severity=Severity.WARNING,
    state=FindingState.OPEN,
    clause="NJ-T-e10-1",
    hand=4,
    street=Street.FLOP,
    expected="burn before the flop",
    seen="flop without a burn",
    remedy="Burn, then deal the flop again.",
)
PROGRESS = Progress(
    stage=Stage.FLOP,
    hand=4,
    button=3,
    game="omaha",
    profile="nj-tournament",
    hole_cards=4,
    seats=(1, 2, 3, 4),
    cards=((1, 4), (2, 3), (3, 4), (4, 4)),
    folded=(4,),
    due=(BURN,),
    board=3,
    findings=(FINDING,),
)


def text_of(*renderables: object) -> str:
    page = io.StringIO()
    console = Console(width=150, file=page, color_system=None)
    for renderable in renderables:
        console.print(renderable)
    return page.getvalue()


def test_two_lamps_to_a_character() -> None:
    picture = colour_64x32(frame(PROGRESS, DeckView(), True, 0.0))
    page = io.StringIO()
    console = Console(width=150, file=page, force_terminal=True, color_system="truecolor")
    console.print(BoardPicture(picture))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", page.getvalue()).splitlines()
    assert lines[:16] == ["▀" * 64] * 16


def test_without_colour_the_lamps_are_drawn() -> None:
    picture = colour_64x32(frame(PROGRESS, DeckView(), True, 0.0))
    drawn = text_of(BoardPicture(picture)).splitlines()
    lit = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    for y in range(32):
        for x in range(64):
            assert bool(lit[drawn[y // 2][x]][y % 2]) == (picture.at(x, y) > Ink.FAINT)


def test_the_plan_shows_counts_button_and_piles() -> None:
    plan = table_plan(frame(PROGRESS, DeckView(), True, 0.0)).plain
    assert "board ▮ ▮ ▮ ▯ ▯ 3/5" in plan
    assert "burn due" in plan
    assert "2 ▮▮▮▯" in plan
    assert "3Ⓓ" in plan
    assert "4 folded" in plan


def test_seats_run_clockwise_from_the_dealers_left() -> None:
    lines = table_plan(frame(PROGRESS, DeckView(), True, 0.0)).plain.splitlines()
    where = {
        seat: (row, line.index(f"{seat} "))
        for seat in (1, 2, 4)
        for row, line in enumerate(lines)
        if f"{seat} ▮" in line or f"{seat} folded" in line
    }
    middle = len(max(lines, key=len)) / 2
    assert where[1][1] < middle < where[4][1]
    assert where[2][0] < where[1][0]


def test_the_list_names_clause_expected_seen_and_remedy() -> None:
    shown = " ".join(text_of(findings_table([FINDING])).split())
    for word in ("BURN_MISSING", "warning, open", "NJ-T-e10-1", "hand 4", "Burn, then deal"):
        assert word in shown


def test_a_ruling_takes_the_place_of_the_remedy() -> None:
    ruled = dataclasses.replace(FINDING, state=FindingState.RULED, ruling="stands", by="anna")
    assert "stands (anna)" in text_of(findings_table([ruled]))


def test_brackets_in_peoples_words_are_no_markup() -> None:
    word = "it [/stands] [red]"
    ruled = dataclasses.replace(FINDING, ruling=word, by="[/Ann]", clause_note=word)
    progress = dataclasses.replace(PROGRESS, profile="[/house]")
    view = frame(progress, DeckView(), True, 0.0)
    pictures = colour_64x32(view), mono_32x8(view)
    for width, height in ((200, 50), (100, 50), (80, 24)):
        page = io.StringIO()
        console = Console(width=width, file=page, color_system=None)
        found = [ruled] if width == 80 else [ruled, FINDING]
        console.print(screen(view, progress, *pictures, found, [], width=width, height=height))
        shown = page.getvalue()
        assert "[/Ann]" in shown
        assert "[/house]" in shown
        assert "[/stands]" in shown


def test_the_screen_holds_all_parts() -> None:
    view = frame(PROGRESS, DeckView(), True, 0.0)
    shown = text_of(
        screen(
            view,
            PROGRESS,
            colour_64x32(view),
            mono_32x8(view),
            PROGRESS.findings,
            ["readers 2 of 2", "sweep 400 ms"],
            "q quit",
        )
    )
    for word in ("hand 4 · omaha · nj-tournament", "readers 2 of 2", "q quit", "BURN_MISSING"):
        assert word in shown


def test_what_stands_is_not_pushed_out_by_what_is_settled() -> None:
    settled = [
        dataclasses.replace(FINDING, id=n, code="HOLE_ORDER", state=FindingState.CORRECTED)
        for n in range(10, 20)
    ]
    for shown in (findings_table([FINDING, *settled]), findings_lines([FINDING, *settled])):
        assert "BURN_MISSING" in text_of(shown)


def test_a_small_terminal_has_room_for_a_finding_and_its_remedy() -> None:
    page = io.StringIO()
    console = Console(width=80, file=page, color_system=None)
    view = frame(PROGRESS, DeckView(), True, 0.0)
    pictures = colour_64x32(view), mono_32x8(view)
    found = PROGRESS.findings
    console.print(screen(view, PROGRESS, *pictures, found, [], "q", width=80, height=24))
    shown = page.getvalue()
    assert len(shown.splitlines()) <= 24
    assert "BURN_MISSING warning, open · hand 4, flop" in shown
    assert "Burn, then deal the flop again." in shown


def test_a_table_that_only_watches_lists_no_finding() -> None:
    watching = dataclasses.replace(PROGRESS, watch_only=True)
    view = frame(watching, DeckView(), True, 0.0)
    pictures = colour_64x32(view), mono_32x8(view)
    for height in (24, 50):
        shown = text_of(screen(view, watching, *pictures, PROGRESS.findings, [], height=height))
        assert "BURN_MISSING" not in shown
        assert "watching only" in shown
