"""The rows of the rule documents, in our own words: what each clause asks, and how a table can
tell.

The data are in ``data/clauses.csv``. Rows of the five documents carry the document's prefix
(``NJ-T``, ``DE``, ``NJ-H``, ``RFR``, ``ND``); rows with the prefix ``TDA`` are the standard
practice that all of them presuppose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from controller.rules.catalogue import CatalogueError, catalogue, read_table

COLUMNS = (
    *("id", "document", "clause", "paraphrase", "kind", "how", "needs"),
    *("codes", "parameter", "violation", "example"),
)

DOCUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "NJ-T": "NJ tournament",
        "DE": "Delaware",
        "NJ-H": "NJ hold'em rounds",
        "RFR": "Forked River",
        "ND": "North Dakota",
        "TDA": "standard practice",
    }
)
STANDARD = "TDA"

HOWS = ("sensor", "engine", "clock", "posted", "attested", "human")
NEEDS = (
    *("zone", "button", "seat", "registry", "config", "controller"),
    *("camera", "console", "clock", "sign", "attest", "none"),
)
DEALING_KINDS = ("deal-order", "burn", "button", "seat")
ZONE_NEEDS = ("zone", "button", "seat", "registry")


@dataclass(frozen=True, slots=True)
class Clause:
    """One row. `needs` is the least that must be there to tell whether it is kept: zone (antennas),
    button, seat (sensors), registry, config (a profile check), controller (the table's own
    conduct), camera (faces), console (money or whose turn it is), clock, sign, attest (somebody's
    word), none (outside the table)."""

    id: str
    document: str
    clause: str
    paraphrase: str
    kind: str
    how: str
    needs: str
    codes: tuple[str, ...]
    parameter: str
    violation: str
    example: str

    @property
    def prefix(self) -> str:
        """The document's short name: ``NJ-T``, ``DE``, …"""
        return prefix_of(self.id) or ""


def prefix_of(clause_id: str) -> str | None:
    """The short name of the document that a row id belongs to; None if it belongs to none."""
    return next((p for p in DOCUMENTS if clause_id.startswith(p + "-")), None)


def _faults(line: int, row: dict[str, str], seen: set[str]) -> list[str]:
    where = f"clauses.csv, line {line}, {row['id'] or 'no id'}"
    faults = []
    prefix = prefix_of(row["id"])
    if prefix is None:
        faults.append(f"{where}: the id belongs to no document; known: {', '.join(DOCUMENTS)}")
    elif row["document"] != DOCUMENTS[prefix]:
        faults.append(f"{where}: document {row['document']!r}; needed {DOCUMENTS[prefix]!r}")
    if row["id"] in seen:
        faults.append(f"{where}: this id is there twice")
    if row["how"] not in HOWS:
        faults.append(f"{where}: how {row['how']!r}; allowed: {', '.join(HOWS)}")
    if row["needs"] not in NEEDS:
        faults.append(f"{where}: needs {row['needs']!r}; allowed: {', '.join(NEEDS)}")
    if not row["paraphrase"]:
        faults.append(f"{where}: says not what is asked")
    faults += [
        f"{where}: {code} is no finding code"
        for code in row["codes"].split()
        if code not in catalogue()
    ]
    return faults


@cache
def clauses() -> Mapping[str, Clause]:
    """Every row by its id, in the order of the documents. Raises CatalogueError with all faults at
    once."""
    rows = read_table("clauses.csv", COLUMNS)
    faults: list[str] = []
    seen: set[str] = set()
    for line, row in rows:
        faults += _faults(line, row, seen)
        seen.add(row["id"])
    if faults:
        raise CatalogueError("\n".join(faults))
    return MappingProxyType(
        {
            row["id"]: Clause(
                **{c: row[c] for c in COLUMNS if c != "codes"}, codes=tuple(row["codes"].split())
            )
            for _, row in rows
        }
    )


def rows_of(prefix: str) -> tuple[Clause, ...]:
    """The rows of one document, by its short name."""
    return tuple(c for c in clauses().values() if c.prefix == prefix)


def exclusion(row: Clause) -> str | None:
    """Why a row of dealing cannot be told from zones, button, seats and registry alone; None if it
    can be."""
    if row.needs == "camera":
        return "faces: only a camera sees which way up a card lies, or how three cards were laid"
    if row.needs == "console":
        return "money or whose turn it is: only entries on a console tell"
    if row.needs not in ZONE_NEEDS:
        return f"needs {row.needs}"
    return None


def zone_checkable_rows() -> tuple[Clause, ...]:
    """The rows of the five documents on dealing, burning, button and seats that a table checks with
    its antennas, its button and seat sensors and its register alone: neither a face nor a turn to
    act is needed.

    `exclusion` says of each other sensor row of those kinds why it is not among them.
    """
    return tuple(
        row
        for row in clauses().values()
        if row.prefix != STANDARD
        and row.how == "sensor"
        and row.kind in DEALING_KINDS
        and exclusion(row) is None
    )
