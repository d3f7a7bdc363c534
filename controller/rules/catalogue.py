"""The catalogue of findings: every code that the table knows, what it takes to see it, and how the
board says it.

The data are in ``data/findings.csv``; one row a code.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from controller.model.findings import Severity, Street
from controller.model.table import Zone, is_board, seat_of

BOARD_CHARACTERS = 16

COLUMNS = ("code", "severity", "needs", "notices", "board", "shows", "correction")

NEEDS = frozenset(
    {
        *("zone", "button", "seat", "registry", "controller", "camera"),
        *("console", "clock", "sign", "config", "event"),
    }
)

_CODE = re.compile(r"[A-Z]+(?:_[A-Z]+)*")
_WIDEST = {"seat": 11, "street": "RIVER", "seen": 11, "due": 5}


class CatalogueError(ValueError):
    """The shipped rule data is faulty; the message names every fault, with file and line."""


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One kind of finding.

    needs: what must be there to see it, joined by ``+`` in the data (zone, button, seat, registry,
    camera, console, clock, sign, config, controller, event). notices: what it means. board: the
    text for the LED board, with ``{seat}``, ``{street}``, ``{seen}`` and ``{due}`` to be filled in,
    at most 16 characters when filled; "" where the board has nothing to say. shows: what else the
    table does. correction: the usual correction, in short.
    """

    code: str
    severity: Severity
    needs: frozenset[str]
    notices: str
    board: str
    shows: str
    correction: str


def read_table(name: str, columns: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a shipped table with their line numbers.

    Raises CatalogueError if the columns are not `columns`.
    """
    text = files("controller.rules").joinpath("data", name).read_text(encoding="utf-8")
    reader = csv.DictReader(text.splitlines(), strict=True)
    if tuple(reader.fieldnames or ()) != columns:
        raise CatalogueError(f"{name}, line 1: columns are {reader.fieldnames}; needed {columns}")
    return [(reader.line_num, row) for row in reader]


def _faults(line: int, row: dict[str, str], seen: set[str]) -> list[str]:
    where = f"findings.csv, line {line}, {row['code'] or 'no code'}"
    faults = []
    if not _CODE.fullmatch(row["code"] or ""):
        faults.append(f"{where}: a code is words in capitals joined by _")
    if row["code"] in seen:
        faults.append(f"{where}: this code is there twice")
    if row["severity"] not in list(Severity):
        faults.append(f"{where}: severity {row['severity']!r}; allowed: {', '.join(Severity)}")
    if odd := set(row["needs"].split("+")) - NEEDS:
        faults.append(f"{where}: needs {sorted(odd)}; allowed: {', '.join(sorted(NEEDS))}")
    if not row["notices"]:
        faults.append(f"{where}: says not what it notices")
    try:
        widest = row["board"].format(**_WIDEST)
    except (KeyError, IndexError, ValueError):
        faults.append(f"{where}: board text {row['board']!r}; it may name {', '.join(_WIDEST)}")
    else:
        if len(widest) > BOARD_CHARACTERS:
            faults.append(f"{where}: board text {widest!r} is over {BOARD_CHARACTERS} characters")
    return faults


@cache
def catalogue() -> Mapping[str, FindingCode]:
    """Every code with its entry. Raises CatalogueError with all faults of the data at once."""
    rows = read_table("findings.csv", COLUMNS)
    faults: list[str] = []
    seen: set[str] = set()
    for line, row in rows:
        faults += _faults(line, row, seen)
        seen.add(row["code"])
    if faults:
        raise CatalogueError("\n".join(faults))
    return MappingProxyType(
        {
            row["code"]: FindingCode(
                code=row["code"],
                severity=Severity(row["severity"]),
                needs=frozenset(row["needs"].split("+")),
                notices=row["notices"],
                board=row["board"],
                shows=row["shows"],
                correction=row["correction"],
            )
            for _, row in rows
        }
    )


@cache
def default_severities() -> Mapping[str, Severity]:
    """Code → severity, before a profile raises or lowers it."""
    return MappingProxyType({code: entry.severity for code, entry in catalogue().items()})


def entry(code: str) -> FindingCode:
    """The entry of a code. Raises KeyError that says so if there is none."""
    try:
        return catalogue()[code]
    except KeyError:
        raise KeyError(f"{code} is no finding code; they are in rules/data/findings.csv") from None


def board_text(
    code: str,
    *,
    seat: int | None = None,
    street: Street | str | None = None,
    zone: Zone | None = None,
    seen: int | str = "?",
    due: int | str = "?",
    asking: bool = False,
) -> str:
    """What the LED board says of a finding, at most 16 characters; a question while it is only
    `asking`.

    seen, due: counts, for the codes that tell them. An unknown seat shows as ``?``.
    """
    if asking:
        return question_text(seat=seat, zone=zone)
    text = entry(code).board
    if street is None:
        text = text.replace(": {street}", "")
    filled = text.format(
        seat="?" if seat is None else seat, street=str(street or "").upper(), seen=seen, due=due
    )
    return filled[:BOARD_CHARACTERS]


def question_text(*, seat: int | None = None, zone: Zone | None = None) -> str:
    """The question on the board while only a silence speaks: ``CHECK SEAT 6``, ``CHECK BURN``,
    ``CHECK BOARD``."""
    if zone is not None and (there := seat_of(zone)) is not None:
        seat = there
        zone = None
    if zone is not None:
        return "CHECK BOARD" if is_board(zone) else f"CHECK {zone.upper()}"
    return "CHECK TABLE" if seat is None else f"CHECK SEAT {seat}"
