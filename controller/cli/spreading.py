"""`burnturn deck count --camera`: of photographs, or at the running table."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from controller.floor.client import operator, say
from controller.floor.commands import Command
from controller.integrity.spread_count import SpreadCount
from controller.model.cards import FACES

if TYPE_CHECKING:
    from controller.vision.spread_reader import SpreadReader

WHOLE, NOT_WHOLE, UNKNOWN = 0, 1, 2
"""Exit codes: the deck is whole; it is not; the pictures do not suffice to say."""

ASKED_EVERY_S = 0.5
_RESULT = "DECK "  # how the board's text of a result begins


def of_photos(
    files: Sequence[Path],
    reader: SpreadReader,
    named: bool,
    as_json: bool,
    say_: Callable[[str], None],
) -> int:
    """Count the deck that photographs show, each of them the whole deck, spread anew where more
    than one is needed. named: whether cards may be named now. Returns the exit code.

    Raises:
        PictureFileError: a file is no picture, with what to do.
    """
    from controller.vision.load import load

    count = SpreadCount("deck").start(0.0)
    for file in files:
        if count.result is not None:
            break
        count = count.seen(reader.look(load(file)), 0.0)
        if count.why and not as_json:
            say_(f"{file}: {count.why}")
    code = _code(count)
    if as_json:
        say_(json.dumps(_told(count, named)))
    elif count.result is None:
        say_(f"no count comes of this yet: {count.live} of {len(FACES)} cards are seen for sure")
    else:
        say_(count.result.sentence if named else count.result.board_text)
    return code


def _code(count: SpreadCount) -> int:
    if count.result is None:
        return UNKNOWN
    return WHOLE if count.result.complete else NOT_WHOLE


def _told(count: SpreadCount, named: bool) -> dict[str, object]:
    found = count.result
    out: dict[str, object] = {
        "settled": found is not None,
        "seen": count.live,
        "expected": len(FACES),
        "pictures": count.stills,
        "spreads": count.spreads,
        "ask": count.why,
    }
    if found is not None:
        out |= {
            "complete": found.complete,
            "jokers": found.jokers,
            "foreign": found.foreign,
            "missing": list(found.missing) if named else len(found.missing),
            "doubled": list(found.duplicates) if named else len(found.duplicates),
        }
    return out


def at_the_table(socket: Path, say_: Callable[[str], None]) -> int:
    """Have the running daemon count the deck that lies spread under its camera: tell what it asks
    for, and confirm the result for the dealer. Returns the exit code.

    Raises:
        FloorError: nobody answers, or the table cannot count now.
    """
    by = operator()
    begun = say(socket, Command(do="count", status="camera", by=by))
    if not begun.ok:
        say_(begun.text)
        return UNKNOWN
    say_(begun.text)
    told = ""
    while True:
        counting = str(say(socket, Command(do="status", by=by)).data.get("counting", ""))
        if not counting:
            say_("the count has ended; see burnturn table status")
            return UNKNOWN
        if counting != told:
            say_(counting)
            told = counting
        if counting.startswith(_RESULT):
            return _confirmed(socket, by, counting, say_)
        time.sleep(ASKED_EVERY_S)


def _confirmed(socket: Path, by: str, result: str, say_: Callable[[str], None]) -> int:
    if not sys.stdin.isatty():
        say_("Next: burnturn table confirm, or the table's key")
        return UNKNOWN
    if not typer.confirm(f"{result}: is that right?", default=True):
        say_("not confirmed. Next: spread the deck anew and count again")
        return UNKNOWN
    answer = say(socket, Command(do="confirm", by=by))
    say_(answer.text)
    return WHOLE if result == f"{_RESULT}{len(FACES)}/{len(FACES)}" else NOT_WHOLE
