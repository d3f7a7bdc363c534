"""Profile files: a house's rules of dealing as TOML, each value with the clause that sets it.

Six profiles ship with the table (`names`); a house writes its own, whole or ``based_on`` another.
`load` refuses a faulty file; `check` names every fault of it at once, with line and column, in a
person's words.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from controller.model.findings import Severity
from controller.rules.catalogue import catalogue, default_severities
from controller.rules.clauses import DOCUMENTS, STANDARD, clauses, prefix_of
from controller.rules.settings import (
    DECK,
    Dealing,
    Profile,
    Setting,
    from_json,
    setting_behind,
)

__all__ = [
    "Dealing",
    "Fault",
    "Profile",
    "ProfileError",
    "Setting",
    "check",
    "from_json",
    "load",
    "names",
    "remarks",
    "setting_behind",
]

DEFAULT = "tda"
HOUSE = "HOUSE"

INCOMPLETE = "PROFILE_INCOMPLETE"
CONFLICT = "PROFILE_CONFLICT"
EDITION_MISSING = "PROFILE_EDITION_MISSING"

# Seconds are the table's own reading of a document; no clause states them.
_TABLE_CHOICES = frozenset({"hole_lift_grace_s", "deal_quiet_s", "flop_turn_window_ms"})

_FILE_KEYS = ("based_on", "overlays")
_UNSILENCEABLE = (Severity.FOULED, Severity.SECURITY)

Raw = dict[str, Any]
KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """Something wrong in a profile file, or, as a `remark`, something lawful that the house should
    know.

    line, column: counted from 1; line 1 where the fault is of the file as a whole.
    """

    line: int
    column: int
    message: str
    remark: bool = False
    code: str = ""


class ProfileError(ValueError):
    """A profile that cannot be used. The message names every fault; `faults` holds them one by
    one."""

    def __init__(self, source: str, faults: Iterable[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        super().__init__(
            "\n".join(
                f"{source}, line {f.line}, column {f.column}: {f.message}" for f in self.faults
            )
        )


@cache
def names() -> tuple[str, ...]:
    """The profiles that ship with the table, the default first."""
    shipped = files("controller.rules").joinpath("profiles").iterdir()
    found = sorted(p.name.removesuffix(".toml") for p in shipped if p.name.endswith(".toml"))
    return (DEFAULT, *(n for n in found if n != DEFAULT))


def load(name_or_path: str | Path) -> Profile:
    """A profile by its shipped name or from a file.

    ``name+overlay`` puts one of the profile's overlays in force (``forked-river+nj-tournament``).
    Raises ProfileError with every fault of the file, or with the known names if there is no such
    profile.
    """
    if isinstance(name_or_path, str) and not _looks_like_file(name_or_path):
        return _load_shipped(name_or_path)
    path = Path(name_or_path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(str(path), [_whole(f"cannot be read: {_reason(error)}")]) from error
    return _build(path.name, text)


def check(path: str | Path) -> list[Fault]:
    """Every fault and remark of a profile file at once, by line. An empty list: nothing to say."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return [_whole(f"cannot be read: {_reason(error)}")]
    return sorted(_Reading(text).faults)


def remarks(profile: Profile) -> list[str]:
    """What is lawful in a profile but tight: line-ups that leave no card to replace one."""
    found = []
    for game in profile.games.value:
        seats = profile.for_game(game).max_seats.value
        if profile.cards_needed(game, seats) == DECK:
            found.append(
                f"{game} with {seats} seats takes all {DECK} cards: none is left to replace an "
                f"exposed one; {seats - 1} seats leave "
                f"{DECK - profile.cards_needed(game, seats - 1)}"
            )
    return found


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is not UTF-8; save the file as UTF-8"
    return error.strerror or type(error).__name__


def _looks_like_file(name: str) -> bool:
    return name.endswith(".toml") or "/" in name or "\\" in name


@cache
def _load_shipped(name: str) -> Profile:
    plain, _, overlay = name.partition("+")
    if plain not in names():
        near = difflib.get_close_matches(plain, names(), 1)
        hint = f", did you mean {near[0]}" if near else ""
        raise ProfileError(
            name,
            [_whole(f"no such profile{hint}; known: {', '.join(names())}, or the path of a file")],
        )
    return _build(name, _shipped_text(plain), overlay)


@cache
def _shipped_text(name: str) -> str:
    file = files("controller.rules").joinpath("profiles", f"{name}.toml")
    return file.read_text(encoding="utf-8")


@cache
def _values_by_clause() -> Mapping[tuple[str, str], tuple[Any, ...]]:
    """(setting, clause) → the values that the shipped profiles give it under that clause."""
    values: dict[tuple[str, str], tuple[Any, ...]] = {}
    for shipped in names():
        raw = tomllib.loads(_shipped_text(shipped))
        for path, setting in _citations(raw):
            key = (path[-1], setting["clause"])
            if setting["value"] not in values.get(key, ()):
                values[key] = (*values.get(key, ()), setting["value"])
    return values


def _build(source: str, text: str, overlay: str = "") -> Profile:
    reading = _Reading(text, overlay)
    faults = sorted(f for f in reading.faults if not f.remark)
    if faults or reading.profile is None:
        raise ProfileError(source, faults)
    return reading.profile


def _whole(message: str) -> Fault:
    return Fault(1, 1, message)


class _Positions:
    """Where each key of a TOML text stands: path of keys → line and column."""

    _HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
    _WORD = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
    _KEY = re.compile(rf"\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*=")
    _INNER = re.compile(r"""[{,]\s*((?:[A-Za-z0-9_-]+|"[^"]*"))\s*=""")

    def __init__(self, text: str) -> None:
        self._at: dict[KeyPath, tuple[int, int]] = {}
        table: KeyPath = ()
        for number, line in enumerate(text.splitlines(), start=1):
            if header := self._HEADER.match(line):
                table = self._split(header[1])
                self._note(table, number, header.start(1))
            elif key := self._KEY.match(line):
                path = table + self._split(key[1])
                self._note(path, number, key.start(1))
                for inner in self._INNER.finditer(line, key.end()):
                    self._note(path + self._split(inner[1]), number, inner.start(1))

    def _note(self, path: KeyPath, line: int, start: int) -> None:
        self._at.setdefault(path, (line, start + 1))

    @staticmethod
    def _split(key: str) -> KeyPath:
        return tuple(part.strip().strip("\"'") for part in key.split("."))

    def of(self, path: KeyPath) -> tuple[int, int]:
        """The position of the key, or of the innermost table around it that is written out."""
        for length in range(len(path), 0, -1):
            if (found := self._at.get(path[:length])) is not None:
                return found
        return 1, 1


def allowed_words(owner: type[BaseModel], name: str) -> str:
    """What a setting may be, in words: ``true or false``, ``2 to 11``, ``strict or
    lawful-double``."""
    schema = _schema(owner)
    return _schema_words(schema["properties"][name], schema.get("$defs", {}))


@cache
def _schema(owner: type[BaseModel]) -> Mapping[str, Any]:
    return owner.model_json_schema()


def _schema_words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _schema_words(defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "anyOf" in schema:
        return _schema_words(schema["anyOf"][0], defs)
    if "value" in schema.get("properties", {}):
        return _schema_words(schema["properties"]["value"], defs)
    if "const" in schema:
        return _shown(schema["const"])
    if "enum" in schema:
        return " or ".join(map(_shown, schema["enum"]))
    if "minimum" in schema:
        low, high = schema["minimum"], schema["maximum"]
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"
    if schema.get("type") == "array":
        return (
            f"a list of {_schema_words(schema['items'], defs)}" if "items" in schema else "a list"
        )
    return {"boolean": "true or false", "string": "text", "object": "a table"}.get(
        schema.get("type", ""), "a value"
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


class _Reading:
    """One reading of a profile's text: the profile if it can be made, and every fault."""

    def __init__(self, text: str, overlay: str = "") -> None:
        self.faults: list[Fault] = []
        self.profile: Profile | None = None
        self._positions = _Positions(text)
        try:
            own: Raw = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.faults.append(_toml_fault(error, text))
            return
        except RecursionError:
            self.faults.append(Fault(1, 1, "no TOML that can be read: it is nested too deeply"))
            return
        self._own = own
        whole = self._completed(own)
        self._severities(own)
        self._documents(own)
        self._cited(own, whole)
        self._contradicted(own)
        whole = self._overlaid(whole, overlay or str(whole.get("overlay", "")))
        self._validated({k: v for k, v in whole.items() if k not in _FILE_KEYS})
        if self.profile is not None:
            self._agreed(self.profile)

    def _fault(self, path: KeyPath, message: str, *, remark: bool = False, code: str = "") -> None:
        line, column = self._positions.of(path)
        fault = Fault(line, column, message, remark, code)
        if fault not in self.faults:
            self.faults.append(fault)

    def _completed(self, own: Raw) -> Raw:
        """The file's own words over those of the profile that it is based on."""
        base_name = own.get("based_on")
        if base_name is None:
            return dict(own)
        if base_name not in names():
            self._fault(
                ("based_on",), f"based_on = {_shown(base_name)}; allowed: {', '.join(names())}"
            )
            base_name = DEFAULT
        base: dict[str, Any] = tomllib.loads(_shipped_text(str(base_name)))
        whole: dict[str, Any] = {**base, **own}
        for table in ("severities", "game", "house_rows", "overlays"):
            if isinstance(base.get(table), dict) and isinstance(own.get(table), dict):
                whole[table] = base[table] | own[table]
        return whole

    def _overlaid(self, whole: Raw, overlay: str) -> Raw:
        if not overlay:
            return whole
        overlays = whole.get("overlays", {})
        if not isinstance(overlays, dict) or overlay not in overlays:
            known = ", ".join(overlays) if isinstance(overlays, dict) and overlays else "none"
            self._fault(
                ("overlay",), f"overlay {_shown(overlay)} is not there; known here: {known}"
            )
            return whole
        return {**whole, **overlays[overlay], "overlay": overlay}

    def _severities(self, own: Raw) -> None:
        table = own.get("severities", {})
        if not isinstance(table, dict):
            return
        for code, word in table.items():
            path = ("severities", code)
            if code not in catalogue():
                self._fault(path, f"{code} is no finding code{_near(code, catalogue())}")
            elif (
                isinstance(word, str)
                and word in list(Severity)
                and default_severities()[code] in _UNSILENCEABLE
                and Severity(word).rank < Severity.WARNING.rank
            ):
                self._fault(
                    path,
                    f"{code} is {default_severities()[code]} and may not be silenced; allowed: "
                    + ", ".join(s for s in Severity if s.rank >= Severity.WARNING.rank),
                )

    def _documents(self, own: Raw) -> None:
        for document in _strings(own.get("documents")):
            if document not in DOCUMENTS:
                self._fault(
                    ("documents",),
                    f"document {_shown(document)} is unknown; allowed: {', '.join(DOCUMENTS)}",
                )
        for row in _strings(own.get("house_rows")):
            if not row.startswith(f"{HOUSE}-"):
                self._fault(("house_rows", row), f"{row}: the house's own rows begin with {HOUSE}-")

    def _cited(self, own: Raw, whole: Raw) -> None:
        documents = {*_strings(whole.get("documents")), STANDARD}
        house = set(_strings(whole.get("house_rows")))
        for path, setting in _citations(own):
            clause = setting["clause"]
            where = path[-1] if len(path) == 1 else " of ".join(reversed(path))
            at = (*path, "clause")
            if clause in house:
                continue
            prefix = prefix_of(clause)
            if clause not in clauses():
                self._fault(
                    at,
                    f"{where}: clause {_shown(clause)} is unknown"
                    + _near(clause, [*clauses(), *house]),
                )
            elif prefix not in documents:
                self._fault(
                    at,
                    f"{where}: clause {clause} is of {DOCUMENTS[prefix or STANDARD]}, which this "
                    f"profile does not go by; allowed: rows of {', '.join(sorted(documents))}, "
                    "or add it to documents",
                )

    def _contradicted(self, own: Raw) -> None:
        """A value that is not the one its clause sets, and a value that departs from the document
        it is based on."""
        base = own.get("based_on")
        for path, setting in _citations(own):
            name, clause = path[-1], setting["clause"]
            if name not in _TABLE_CHOICES and prefix_of(clause) != STANDARD:
                ruled = _values_by_clause().get((name, clause), ())
                value = setting.get("value")
                if ruled and value is not None and value not in ruled:
                    self._fault(
                        (*path, "value"),
                        f"{name}: value {_shown(value)} contradicts {clause}, which sets "
                        f"{' or '.join(map(_shown, ruled))}; a house that departs from it cites a "
                        f"row of its own ({HOUSE}-…)",
                        code=CONFLICT,
                    )
        if base in names() and base != DEFAULT:
            self._departures(own, tomllib.loads(_shipped_text(str(base))))

    def _departures(self, own: Raw, base: Raw) -> None:
        for name, setting in base.items():
            if not isinstance(setting, dict) or name not in own or name in _TABLE_CHOICES:
                continue
            mine, clause = own[name], setting.get("clause", "")
            if not isinstance(mine, dict) or prefix_of(clause) in (None, STANDARD):
                continue
            cited = str(mine.get("clause"))
            elsewhere = prefix_of(cited) == STANDARD or cited in _strings(own.get("house_rows"))
            if elsewhere and mine.get("value") != setting["value"]:
                self._fault(
                    (name,),
                    f"{name}: departs from {clause}, which sets {_shown(setting['value'])}",
                    remark=True,
                    code=CONFLICT,
                )

    def _validated(self, whole: Raw) -> None:
        try:
            self.profile = Profile.model_validate(whole)
        except ValidationError as error:
            for detail in error.errors():
                path, message = _in_words(detail)
                code = INCOMPLETE if detail["type"] == "missing" else ""
                self._fault(path, message, code=code)

    def _agreed(self, profile: Profile) -> None:
        """What each value allows alone but not together."""
        if not profile.games.value or len(set(profile.games.value)) < len(profile.games.value):
            self._fault(("games", "value"), "games: name one game or more, each once")
        for game in profile.games.value:
            own = profile.for_game(game)
            seats = own.max_seats.value
            if (needed := profile.cards_needed(game, seats)) > DECK:
                most = next(s for s in range(seats, 0, -1) if profile.cards_needed(game, s) <= DECK)
                self._fault(
                    ("max_seats", "value"),
                    f"{game} with {seats} seats takes {needed} cards of {DECK}; allowed: at most "
                    f"{most} seats",
                )
            if own.hole_passes.value != own.hole_cards.value:
                self._fault(
                    ("hole_passes", "value"),
                    f"{game}: {own.hole_passes.value} passes do not bring {own.hole_cards.value} "
                    "hole cards",
                )
        if not profile.edition:
            self._fault(
                ("edition",),
                "edition is not given; the sign will say that it is unknown",
                remark=True,
                code=EDITION_MISSING,
            )
        for message in remarks(profile):
            self._fault(("max_seats", "value"), message, remark=True)
        at_board = {"beside-board", "under-board"} & set(profile.burn_place.value)
        if not profile.burn_place.value:
            self._fault(("burn_place", "value"), "burn_place: name one place or more")
        if bool(at_board) != (profile.burn_at_board.value == "allowed"):
            self._fault(
                ("burn_at_board", "value"),
                'burn_at_board is "allowed" exactly where burn_place names "beside-board" or '
                '"under-board"',
            )


def _toml_fault(error: tomllib.TOMLDecodeError, text: str) -> Fault:
    message = str(error)
    if found := re.search(r"\(at line (\d+), column (\d+)\)", message):
        return Fault(int(found[1]), int(found[2]), f"no TOML: {message[: found.start()].strip()}")
    return Fault(max(1, text.count("\n")), 1, f"no TOML: {message}")


def _near(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), 3, 0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _strings(value: object) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list | dict) else []


def _citations(raw: Raw, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Raw]]:
    """Every part of a file that cites a clause, with the path of keys to it."""
    for key, value in raw.items():
        if isinstance(value, dict):
            if isinstance(value.get("clause"), str):
                yield (*path, key), value
            else:
                yield from _citations(value, (*path, key))


def _in_words(detail: ErrorDetails) -> tuple[KeyPath, str]:
    """A fault that pydantic found, in a person's words: what, where, what is allowed."""
    path = tuple(str(part) for part in detail["loc"] if part != "[key]")
    if path[:1] == ("severities",):
        return (
            path,
            f"{path[-1]}: severity {_shown(detail['input'])}; allowed: {', '.join(Severity)}",
        )
    owner: type[BaseModel] = Profile
    names_here = path
    if path[:1] == ("game",) and len(path) > 2:
        owner, names_here = Dealing, path[2:]
    known = owner.model_fields
    if path[:1] == ("game",) and len(path) == 2:
        return path, f'game "{path[1]}" is unknown; allowed: holdem, omaha, omaha8'
    name = names_here[0]
    what = name if owner is Profile else f"{name} of {path[1]}"
    if name not in known:
        return path, f"{what} is no key of a profile{_near(name, (*known, *_FILE_KEYS))}"
    allowed = allowed_words(owner, name)
    form = f'{{ value = {allowed}, clause = "…" }}' if _is_setting(owner, name) else allowed
    if detail["type"] == "missing":
        if len(names_here) == 1:
            return path, f"{what} is missing; needed: {name} = {form}"
        return path, f"{what} has no {names_here[-1]}; needed: {form}"
    if detail["type"] == "extra_forbidden":
        return path, f"{what} has no part called {names_here[-1]}; allowed: value, clause, note"
    if len(names_here) == 1:
        return path, f"{what} = {_shown(detail['input'])}; needed: {form}"
    if names_here[1] in ("clause", "note"):
        return path, f"{what}: {names_here[1]} is text, not {_shown(detail['input'])}"
    return path[: 2 + len(path) - len(names_here)], (
        f"{what}: value {_shown(detail['input'])}; allowed: {allowed}"
    )


def _is_setting(owner: type[BaseModel], name: str) -> bool:
    return "$ref" in str(_schema(owner)["properties"][name])
