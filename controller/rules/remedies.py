"""What to do about a finding: the usual remedy in a dealer's words, and the irregularities behind
it.

The irregularities are in ``data/irregularities.csv``, the advice in ``data/remedies.toml``. The
table advises, the floor rules. Where rulebooks differ, the profile's settings decide which one is
quoted (``correction_book``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from controller.model.findings import Severity, Street
from controller.rules.catalogue import CatalogueError, catalogue, read_table
from controller.rules.settings import Profile

COLUMNS = ("id", "condition", "sensed_by", "stage", "needs", "remedy", "severity", "sources")

NEEDS = ("zone", "button", "seat", "registry", "camera", "console", "count", "none")

HINGES: Mapping[str, str] = MappingProxyType(
    {"hand": "substantial action", "street": "any action on this street"}
)

DETAILS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "HOLE_COUNT": ("short", "button-short", "extra", "extra-2"),
        "HOLE_DEALT_OUT": ("absent",),
        "BOARD_COUNT": ("two", "four", "five", "extra"),
        "BTN_MISSING": ("opening",),
        "HOLE_EXPOSED": ("first", "two", "later", "boxed", "player"),
        "BOARD_FACE_DOWN": ("flop", "unturned"),
        "BURN_FACE_UP": ("after",),
    }
)


@dataclass(frozen=True, slots=True)
class Irregularity:
    """A case that the rulebooks know: when it arises, what may sense it (`needs`: zone, button,
    seat, registry, camera, console, count of the deck, none), and the accepted remedy with its
    sources."""

    id: str
    condition: str
    sensed_by: str
    stage: str
    needs: str
    remedy: str
    severity: Severity
    sources: str


@dataclass(frozen=True, slots=True)
class _Advice:
    code: str
    rows: tuple[str, ...]
    street: str = ""
    detail: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    hinge: str = "hand"
    text: str = ""
    before: str = ""
    after: str = ""

    def fits(self, profile: Profile, street: str, detail: str) -> bool:
        return (
            self.street in ("", street)
            and self.detail in ("", detail)
            and all(getattr(profile, name).value == value for name, value in self.where.items())
        )

    @property
    def closeness(self) -> tuple[int, int, int]:
        """How much it says about the case; a detail counts more than a street, a street more than a
        setting."""
        return (bool(self.detail), bool(self.street), len(self.where))

    def said(self, substantial_action: bool | None) -> str:
        if self.text:
            return self.text
        if self.hinge == "hand" and substantial_action is not None:
            return self.after if substantial_action else self.before
        turn = HINGES[self.hinge]
        return f"Before {turn}: {_lowered(self.before)} After it: {_lowered(self.after)}"


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


@cache
def irregularities() -> Mapping[str, Irregularity]:
    """Every irregularity by its id. Raises CatalogueError with all faults of the data at once."""
    faults = []
    found: dict[str, Irregularity] = {}
    for line, row in read_table("irregularities.csv", COLUMNS):
        where = f"irregularities.csv, line {line}, {row['id'] or 'no id'}"
        if row["id"] in found:
            faults.append(f"{where}: this id is there twice")
        if row["needs"] not in NEEDS:
            faults.append(f"{where}: needs {row['needs']!r}; allowed: {', '.join(NEEDS)}")
        if row["severity"] not in list(Severity):
            faults.append(f"{where}: severity {row['severity']!r}; allowed: {', '.join(Severity)}")
            continue
        words = {name: row[name] for name in COLUMNS if name != "severity"}
        found[row["id"]] = Irregularity(severity=Severity(row["severity"]), **words)
    if faults:
        raise CatalogueError("\n".join(faults))
    return MappingProxyType(found)


@cache
def _advice() -> Mapping[str, tuple[_Advice, ...]]:
    """Code → its entries, the closest first. Raises CatalogueError with all faults of the data at
    once."""
    text = files("controller.rules").joinpath("data", "remedies.toml").read_text(encoding="utf-8")
    faults: list[str] = []
    by_code: dict[str, list[_Advice]] = {}
    for number, raw in enumerate(tomllib.loads(text)["remedy"], start=1):
        where = f"remedies.toml, entry {number}, {raw.get('code', 'no code')}"
        if odd := set(raw) - set(_Advice.__dataclass_fields__):
            faults.append(f"{where}: {', '.join(sorted(odd))} is no part of an entry")
            continue
        advice = _Advice(**{**raw, "rows": tuple(raw.get("rows", ()))})
        faults += [f"{where}: {fault}" for fault in _faults(advice)]
        by_code.setdefault(advice.code, []).append(advice)
    if faults:
        raise CatalogueError("\n".join(faults))
    return MappingProxyType(
        {
            code: tuple(sorted(entries, key=lambda a: a.closeness, reverse=True))
            for code, entries in by_code.items()
        }
    )


def _faults(advice: _Advice) -> list[str]:
    faults = []
    if advice.code not in catalogue():
        faults.append("its code is no finding code")
    if bool(advice.text) == bool(advice.before and advice.after):
        faults.append("needs either text, or before and after")
    if advice.street not in ("", *Street):
        faults.append(f"street {advice.street!r}; allowed: {', '.join(Street)}")
    if advice.detail and advice.detail not in DETAILS.get(advice.code, ()):
        faults.append(f"detail {advice.detail!r} is none of {DETAILS.get(advice.code, ())}")
    if advice.hinge not in HINGES:
        faults.append(f"hinge {advice.hinge!r}; allowed: {', '.join(HINGES)}")
    faults += [f"{name} is no setting" for name in advice.where if name not in Profile.model_fields]
    faults += [f"{row} is no irregularity" for row in advice.rows if row not in irregularities()]
    return faults


def _chosen(profile: Profile, code: str, street: str, detail: str) -> _Advice | None:
    return next((a for a in _advice().get(code, ()) if a.fits(profile, street, detail)), None)


def remedy(
    profile: Profile,
    code: str,
    street: Street | str | None = None,
    detail: str = "",
    substantial_action: bool | None = None,
) -> str:
    """The usual remedy, one or two sentences.

    detail: one of `DETAILS` for the code, where it is known; any other is ignored.
    substantial_action: whether it has happened in this hand; None (unknown) states both cases.
    Remedies that turn on action on the street itself always state both, since nobody enters that
    here.
    """
    advice = _chosen(profile, code, str(street or ""), detail)
    if advice is None:
        entry = catalogue().get(code)
        return entry.correction if entry is not None else ""
    return advice.said(substantial_action)


def irregularities_for(
    code: str,
    street: Street | str | None = None,
    detail: str = "",
    profile: Profile | None = None,
) -> tuple[str, ...]:
    """Ids of the irregularities behind the remedy of a finding; without a profile, behind any
    profile's."""
    if profile is not None:
        advice = _chosen(profile, code, str(street or ""), detail)
        return advice.rows if advice is not None else ()
    entries = [
        a
        for a in _advice().get(code, ())
        if a.street in ("", str(street or a.street)) and a.detail in ("", detail or a.detail)
    ]
    return tuple(dict.fromkeys(row for a in entries for row in a.rows))


def hole_count_detail(seen: int, due: int, *, button: bool = False) -> str:
    """The `detail` of a HOLE_COUNT: how the seat's number of cards differs from the due one."""
    if seen < due:
        return "button-short" if button and seen == due - 1 else "short"
    return "extra" if seen == due + 1 else "extra-2"


def board_count_detail(street: Street | str, seen: int, due: int) -> str:
    """The `detail` of a BOARD_COUNT. seen, due: cards that this street brought, and that it should
    have."""
    if street == Street.FLOP:
        if seen == 0:
            return ""
        return "two" if seen < due else "four" if seen == due + 1 else "five"
    return "extra" if seen > due else ""
