"""The compliance sheet: clause by clause, how this table deals with a profile's document, and what
shows it.

A row counts as dealt with only if the rules can raise one of its findings and a scenario or a test
of the rules names it. Both are looked up in the sources when the table runs from a checkout, and
are shipped with the package as ``data/coverage.json``; ``python -m controller.rules.sheet
--write-coverage`` writes that file anew.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from controller.rules.catalogue import catalogue
from controller.rules.clauses import ZONE_NEEDS, Clause, clauses, rows_of
from controller.rules.profile import DEFAULT, load
from controller.rules.settings import Profile, Setting

COVERAGE_FILE = "coverage.json"


class RowState(StrEnum):
    """How the table deals with a row: by its sensors, by reckoning, by its clocks, on its sign, by
    somebody's word; not at all, since it lies outside the table; or not yet."""

    CHECKED = "checked"
    COMPUTED = "computed"
    TIMED = "timed"
    POSTED = "posted"
    ATTESTED = "attested"
    OUTSIDE = "outside"
    NOT_YET = "not yet"


_STATE_OF_HOW: Mapping[str, RowState] = MappingProxyType(
    {
        "sensor": RowState.CHECKED,
        "engine": RowState.COMPUTED,
        "clock": RowState.TIMED,
        "posted": RowState.POSTED,
        "attested": RowState.ATTESTED,
        "human": RowState.OUTSIDE,
    }
)

_SENSED = frozenset({*ZONE_NEEDS, "camera"})
_BUILT_NEEDS = frozenset({*_SENSED, "config", "controller", "clock", "attest"})

_NEVER_BUILT_YET: Mapping[str, str] = MappingProxyType(
    {
        "console": "needs money or turns to be entered",
        "sign": "needs the table's sign",
    }
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the sources show. shown_by: row id → scenarios and tests that name it, as paths in the
    checkout. codes: finding codes that the rules can raise."""

    shown_by: Mapping[str, tuple[str, ...]]
    codes: frozenset[str]

    def to_json(self) -> str:
        rows = {row: list(paths) for row, paths in sorted(self.shown_by.items())}
        return json.dumps({"codes": sorted(self.codes), "rows": rows}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Coverage:
        raw = json.loads(text)
        rows = {row: tuple(paths) for row, paths in raw["rows"].items()}
        return cls(MappingProxyType(rows), frozenset(raw["codes"]))


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of the sheet. settings: the profile's settings that cite the row, as ``name =
    value``. reason: why it is outside or not yet dealt with, else ""."""

    row: Clause
    state: RowState
    shown_by: tuple[str, ...]
    settings: tuple[str, ...]
    reason: str

    def as_dict(self) -> dict[str, object]:
        return {
            "id": self.row.id,
            "clause": self.row.clause,
            "how": self.row.how,
            "state": str(self.state),
            "shown_by": list(self.shown_by),
            "document": self.row.document,
            "kind": self.row.kind,
            "needs": self.row.needs,
            "codes": list(self.row.codes),
            "says": self.row.paraphrase,
            "settings": list(self.settings),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Sheet:
    profile: Profile
    rows: tuple[SheetRow, ...]

    def counts(self) -> dict[str, int]:
        """State → number of rows, every state named."""
        return {str(s): sum(r.state is s for r in self.rows) for s in RowState}

    def as_dict(self) -> dict[str, object]:
        return {
            "profile": self.profile.name,
            "title": self.profile.title,
            "edition": self.profile.edition,
            "states": self.counts(),
            "rows": [r.as_dict() for r in self.rows],
        }


def sheet(profile: Profile, coverage: Coverage | None = None) -> Sheet:
    """The sheet of a profile: every row of its own document, then the rows of standard practice, of
    other documents and of the house that its settings cite."""
    known = coverage if coverage is not None else current_coverage()
    cited = _cited_by(profile)
    own = profile.documents[0] if profile.documents else "TDA"
    listed = {row.id: row for row in rows_of(own)}
    for row_id in cited:
        if row_id not in listed:
            listed[row_id] = clauses().get(row_id) or _house_row(profile, row_id)
    return Sheet(profile, tuple(_line(row, cited, known) for row in listed.values()))


def _line(row: Clause, cited: Mapping[str, tuple[str, ...]], known: Coverage) -> SheetRow:
    shown = known.shown_by.get(row.id, ())
    state, reason = _state(row, shown, known.codes)
    return SheetRow(row, state, shown, cited.get(row.id, ()), reason)


def _state(row: Clause, shown: tuple[str, ...], codes: frozenset[str]) -> tuple[RowState, str]:
    if row.how == "human":
        return RowState.OUTSIDE, row.violation.removeprefix("Outside: ")
    if row.needs == "camera" and row.codes and all(map(_needs_console, row.codes)):
        return RowState.NOT_YET, _NEVER_BUILT_YET["console"]
    if row.needs not in _BUILT_NEEDS and not _told_without(row, codes):
        return RowState.NOT_YET, _NEVER_BUILT_YET[row.needs]
    if row.needs in _SENSED and row.codes and not codes.intersection(row.codes):
        return RowState.NOT_YET, f"the rules do not raise {' or '.join(row.codes)} yet"
    if not shown:
        return RowState.NOT_YET, "no scenario or test shows it yet"
    return _STATE_OF_HOW[row.how], _left_out(row, codes)


def _told_without(row: Clause, codes: frozenset[str]) -> bool:
    """Whether a row that asks for a console is told without one: by the register of decks, or, as
    far as a face goes, by a camera."""
    raised = codes.intersection(row.codes)
    seen = any(_needs_camera(c) and not _needs_console(c) for c in raised)
    return row.needs == "console" and (seen or (row.kind == "deck" and bool(raised)))


def _needs_console(code: str) -> bool:
    return "console" in catalogue()[code].needs


def _needs_camera(code: str) -> bool:
    return "camera" in catalogue()[code].needs


def _left_out(row: Clause, codes: frozenset[str]) -> str:
    """What of a row is not dealt with yet although the row as a whole is, and what takes a
    camera."""
    sensed = row.needs in _SENSED or (row.needs == "console" and row.kind != "deck")
    missing = [c for c in row.codes if sensed and c not in codes]
    seen = [c for c in row.codes if _needs_camera(c) and c in codes]
    said = [f"{', '.join(seen)} with a camera"] if seen else []
    said += [f"without {', '.join(missing)} yet"] if missing else []
    return "; ".join(said)


def _cited_by(profile: Profile) -> dict[str, tuple[str, ...]]:
    """Row id → the settings that cite it."""
    cited: dict[str, tuple[str, ...]] = {}
    for name, setting in _settings(profile):
        word = f"{name} = {_shown(setting.value)}"
        cited[setting.clause] = (*cited.get(setting.clause, ()), word)
    return cited


def _settings(profile: Profile) -> Iterator[tuple[str, Setting[object]]]:
    for source, prefix in ((profile, ""), *((d, f"{g}: ") for g, d in profile.game.items())):
        for name in type(source).model_fields:
            if isinstance(setting := getattr(source, name), Setting):
                yield prefix + name, setting


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _house_row(profile: Profile, row_id: str) -> Clause:
    """A clause of the house's own, checked like standard practice's row for that setting."""
    name = next(n.split(": ")[-1] for n, s in _settings(profile) if s.clause == row_id)
    standard = clauses()[getattr(load(DEFAULT), name).clause]
    return Clause(
        id=row_id,
        document="the house",
        clause=row_id,
        paraphrase=profile.house_rows.get(row_id, ""),
        kind=standard.kind,
        how=standard.how,
        needs=standard.needs,
        codes=standard.codes,
        parameter=name,
        violation=standard.violation,
        example="",
    )


def checkout() -> Path | None:
    """The root of the checkout that this code runs from; None if it is installed."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "tests").is_dir() else None


@cache
def current_coverage() -> Coverage:
    """What the sources show: scanned in a checkout, else as it was when the package was made."""
    root = checkout()
    return scan(root) if root is not None else shipped_coverage()


def shipped_coverage() -> Coverage:
    file = files("controller.rules").joinpath("data", COVERAGE_FILE)
    return Coverage.from_json(file.read_text(encoding="utf-8"))


def scan(root: Path) -> Coverage:
    """Reads the scenarios, the tests and the rules of a checkout."""
    shown: dict[str, list[str]] = {}
    for path in _witnesses(root):
        for row_id in _rows_named(path):
            shown.setdefault(row_id, []).append(path.relative_to(root).as_posix())
    return Coverage(
        MappingProxyType({row: tuple(paths) for row, paths in shown.items()}),
        frozenset(_codes_raised(root / "controller" / "rules" / "engine")),
    )


def _witnesses(root: Path) -> Iterator[Path]:
    """Scenarios, and tests of the rules and of what runs them. Tests of outputs or of this sheet
    use row ids as mere samples, and show nothing."""
    yield from sorted((root / "tests" / "scenarios").rglob("*.deal"))
    tests = root / "tests" / "controller"
    samples = re.compile(r"test_(catalogue|clauses|sheet)")
    for path in sorted((*tests.glob("*.py"), *(tests / "rules").rglob("*.py"))):
        if not samples.match(path.name):
            yield path


def _rows_named(path: Path) -> list[str]:
    words = set(re.findall(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+", path.read_text(encoding="utf-8")))
    named = [row_id for row_id in clauses() if row_id in words]
    if path.name.startswith(("test_profile", "test_remedies")):
        # They show how profiles are read and used, not that a deal is judged by these rows.
        return [row_id for row_id in named if clauses()[row_id].needs == "config"]
    return named


def _codes_raised(engine: Path) -> Iterator[str]:
    for path in engine.rglob("*.py"):
        if path.name == "wording.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in catalogue():
                yield str(node.value)


def write_coverage() -> Path:
    """Writes ``data/coverage.json`` anew. Raises FileNotFoundError outside a checkout."""
    root = checkout()
    if root is None:
        raise FileNotFoundError("coverage is scanned in a checkout; this is an installed package")
    path = root / "controller" / "rules" / "data" / COVERAGE_FILE
    path.write_text(scan(root).to_json(), encoding="utf-8")
    return path


def main(arguments: list[str]) -> int:
    if arguments != ["--write-coverage"]:
        print("usage: python -m controller.rules.sheet --write-coverage", file=sys.stderr)
        return 2
    print(write_coverage())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
