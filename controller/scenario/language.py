"""Reading and writing scenario files.

`read` names every fault of a file, with line and column and what is allowed there; it never stops
at the first. `write` (in spelling) gives the text back: ``read(write(s)).scenario == s``. The words
are one table, `words.WORDS`, from a line's first word to the function that reads the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import get_args

from controller.model.table import (
    Layout,
    LayoutOptions,
    reference_layout,
)
from controller.scenario import lines
from controller.scenario.reader import (
    Fault,
    Lost,
    Words,
    near,
    spell_seats,
    split,
)
from controller.scenario.words import WORDS


@dataclass(frozen=True, slots=True)
class Read:
    """What a file says; `scenario` is None where it has faults."""

    scenario: lines.Scenario | None
    faults: tuple[Fault, ...]


def read(text: str, codes: Collection[str] = ()) -> Read:
    """Read a whole file. codes: the findings that there are (empty: not checked). Never raises."""
    faults: list[Fault] = []
    found: list[tuple[lines.ScenarioLine, int]] = []
    covers: tuple[str, ...] = ()
    for number, raw in enumerate(text.splitlines(), start=1):
        if m := re.match(r"\s*#\s*covers:\s*(.*)", raw):
            covers += tuple(part for part in re.split(r"[,\s]+", m.group(1)) if part)
        for words in _statements(raw, number, faults, codes):
            column = words.column
            try:
                line = _statement(words)
            except Lost:
                continue
            found.append((line, column))
    _check_file(found, faults)
    scenario = lines.Scenario(tuple(line for line, _ in found), covers)
    return Read(None if faults else scenario, tuple(sorted(faults)))


def _statements(raw: str, number: int, faults: list[Fault], codes: Collection[str]) -> list[Words]:
    """The acts of one line; several may stand on it, with semicolons between."""
    words = split(raw)
    for word in words:
        if word.text == '"':
            faults.append(Fault(number, word.column, "a quotation mark is never closed", '"text"'))
            return []
    parts: list[Words] = []
    start = 0
    for i in range(len(words) + 1):
        if i < len(words) and words[i].text != ";":
            continue
        end = words[i].column if i < len(words) else len(raw.rstrip()) + 1
        if i > start:
            parts.append(Words(words[start:i], number, end, faults, codes))
        start = i + 1
    return parts


def _statement(words: Words) -> lines.ScenarioLine:
    column = words.column
    first = words.take("a line's first word").text
    rest = WORDS.get(first)
    if rest is None:
        raise words.lost(
            f"no line begins with '{first}'{near(first, list(WORDS))}", ", ".join(WORDS), column
        )
    line = rest(words)
    words.done()
    return line


# The file as a whole


def layout_of(
    antennas: lines.AntennasLine, miss: float, cross: float, camera: bool = False
) -> Layout:
    """The table that a file stands at: the reference table, changed as its `antennas` and `camera`
    lines say."""
    return reference_layout(
        LayoutOptions(
            board=antennas.board,
            burn=antennas.burn,
            stub=antennas.stub,
            count=antennas.count,
            placement_seats=frozenset(antennas.placement_seats),
            max_stack=dict(antennas.max_stack) or None,
            miss_rate=miss,
            cross_rate=cross,
            camera="none" if not camera else "alone" if antennas.none else "beside",
        )
    )


def _check_file(found: list[tuple[lines.ScenarioLine, int]], faults: list[Fault]) -> None:
    """What only the lines together can get wrong."""
    playing = False
    once: dict[tuple[type, object], int] = {}
    decks: Collection[str] = ("red",)
    seats: Collection[int] | None = None
    absent: list[tuple[lines.AbsentLine, int]] = []
    layout = layout_of(lines.AntennasLine(), 0.0, 0.0)
    for line, column in found:
        note = partial(_note, faults, line.line, column)
        if isinstance(line, SET_UP):
            repeatable = isinstance(line, lines.REPEATABLE)
            key = (type(line), line.what if isinstance(line, lines.SwitchLine) else None)
            if playing and not repeatable:
                note("a set-up line after the first act", "set-up lines before all acts")
            elif not playing and key in once and not isinstance(line, lines.ButtonLine):
                note(f"this is said already in line {once[key]}", "once before the first act")
            once.setdefault(key, line.line)
        else:
            playing = True
        match line:
            case lines.DecksLine(pairs=pairs):
                decks = [name for pair in pairs for name in pair]
            case lines.DeckLine(deck=name) | lines.SwapAct(deck=str(name)) if name not in decks:
                note(f"deck {name} is not enrolled", ", ".join(decks))
            case lines.SeatsLine(seats=now) if seats is None:
                seats = now
            case lines.AbsentLine() if not playing:
                absent.append((line, column))
            case lines.AntennasLine():
                layout = layout_of(line, 0.0, 0.0)
                if line.none and not any(
                    isinstance(x, lines.SwitchLine) and x.what == "camera" and x.on
                    for x, _ in found
                ):
                    note("a table without antennas needs a camera", "camera on")
            case lines.PlaceAct(seat=seat) if seat not in _placement(layout):
                note(
                    f"seat {seat} has no placement antenna", "a seat of 'antennas seat N=placement'"
                )
            case lines.AntennaFault(antenna=n) if n not in layout.by_antenna:
                note(f"there is no antenna {n}", f"1 to {max(layout.by_antenna)}")
            case lines.ReaderFault(reader=n) if n not in {
                a.profile.reader for a in layout.antennas
            }:
                note(
                    f"there is no reader {n}",
                    f"1 to {max(a.profile.reader for a in layout.antennas)}",
                )
    for line_, column in absent:
        for seat in line_.seats:
            if seats is not None and seat not in seats:
                _note(
                    faults,
                    line_.line,
                    column,
                    f"seat {seat} is absent but not registered",
                    spell_seats(sorted(seats)),
                )


SET_UP = get_args(lines.SetUp)


def _note(faults: list[Fault], line: int, column: int, message: str, allowed: str) -> None:
    faults.append(Fault(line, column, message, allowed))


def _placement(layout: Layout) -> set[int]:
    return {
        int(a.zone[5:])
        for a in layout.antennas
        if a.zone.startswith("seat/") and a.arrival == "placement"
    }
