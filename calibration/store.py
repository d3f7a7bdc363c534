"""The folder of a table's calibrations: a file a kind, the ones before it dated beside it.

    antennas.json                       in force
    antennas-20261130T225340Z.json      the one before, by the time at which it was made
    antennas-20261204T090000Z.html      the page of a calibration
    antennas.draft.json                 one that was left half-way

A file says what it belongs to and bears a hash of its content, so one of another table and a
damaged one are told apart from a good one before anything goes by them. Each is written whole or
not at all (`Files`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter, ValidationError

from calibration.report import Page, html
from calibration.steps import Belongs, Remark

P = TypeVar("P")

VERSION = 1
DRAFT_LASTS = timedelta(hours=24)
_LIMIT = 20_000_000  # bytes
_MODE = 0o644


class StoreError(Exception):
    """A calibration that cannot be used, or not be saved. The text says what, where, what next."""


class DamagedError(StoreError):
    """The file is not whole, or not what was written."""


class ForeignError(StoreError):
    """It belongs to another table, reader or place. differences: what differs, in words."""

    def __init__(self, text: str, differences: Sequence[str]) -> None:
        super().__init__(text)
        self.differences = tuple(differences)


class Files(Protocol):
    """How files are written whole or not at all, as `controller.files` does it. All raise
    OSError."""

    def replace(self, path: Path, content: bytes, *, mode: int) -> None: ...

    def make_folder(self, folder: Path) -> None: ...


class Made(BaseModel):
    """How a calibration came about. at: UTC. by: who did it. deck: whose cards were used, "" none.
    program: version of burnturn. table, devices: see `Belongs`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: AwareDatetime
    by: str
    deck: str = ""
    program: str = ""
    table: dict[str, str] = {}
    devices: dict[str, str] = {}

    def age(self, now: datetime) -> timedelta:
        """How old it is; a clock that runs behind makes it new, not younger than that."""
        return max(now - self.at, timedelta(0))


class _File(BaseModel):
    """A whole file, but for its hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    kind: str
    made: Made
    values: Any


@dataclass(frozen=True, slots=True)
class Saved(Generic[P]):
    """A profile as it lies in the folder."""

    profile: P
    made: Made
    file: Path


class ProfileStore:
    """The calibrations of one table. folder: made when something is saved. program: the version of
    burnturn that writes."""

    def __init__(self, folder: Path, files: Files, program: str = "") -> None:
        self.folder = folder
        self.program = program
        self._files = files

    def path(self, kind: str) -> Path:
        """The file of the calibration in force."""
        return self.folder / f"{kind}.json"

    def made(self, belongs: Belongs, *, by: str, at: datetime) -> Made:
        return Made(
            at=at.astimezone(UTC).replace(microsecond=0),
            by=by,
            deck=belongs.deck,
            program=self.program,
            table=dict(belongs.table),
            devices=dict(belongs.devices),
        )

    # -- profiles ----------------------------------------------------------------------------------

    def load(
        self, kind: str, profile: type[P], table: Mapping[str, str] | None = None
    ) -> Saved[P] | None:
        """The calibration in force; None: there is none. table: what it must belong to (`Belongs`);
        None: whatever it belongs to.

        Raises DamagedError, ForeignError, or StoreError if it cannot be read.
        """
        path = self.path(kind)
        again = f"burnturn calibrate {command(kind)}"
        remedy = f"Next: {again}, or put the one before back ({kind}-*.json beside it)."
        raw = self._read(path)
        if raw is None:
            return None
        file = _opened(raw, path, kind, remedy)
        try:
            values = TypeAdapter(profile).validate_python(file.values)
        except ValidationError as error:
            what = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise DamagedError(
                f"{path}: holds what no {kind} calibration does ({what}). {remedy}"
            ) from None
        if table is not None and (differs := differences(file.made.table, table)):
            raise ForeignError(
                f"{path}: was made for another table: {'; '.join(differs)}. Next: {again} at this"
                " table; or, if the table.toml is wrong, correct it; or move the file away to run"
                " by the table.toml alone.",
                differs,
            )
        return Saved(values, file.made, path)

    def save(self, kind: str, profile: object, made: Made) -> Path:
        """Put it in force; the one before stays beside it, by its date. Raises StoreError."""
        path = self.path(kind)
        try:
            self._files.make_folder(self.folder)
            self._keep_before(path, kind)
            self._files.replace(path, _closed(kind, profile, made), mode=_MODE)
        except OSError as error:
            raise self._unwritten(path, error) from error
        return path

    def before(self, kind: str) -> tuple[Path, ...]:
        """The calibrations before the one in force, oldest first."""
        return tuple(sorted(self.folder.glob(f"{kind}-[0-9]*Z*.json")))

    def save_page(self, kind: str, page: Page, remarks: Sequence[Remark], made: Made) -> Path:
        """Write a calibration's report. Raises StoreError."""
        path = self.folder / f"{kind}-{stamp(made.at)}.html"
        told = {
            "made": f"{made.at:%Y-%m-%d %H:%M} UTC",
            "by": made.by,
            "cards": made.deck,
            "program": f"burnturn {made.program}" if made.program else "",
            **made.devices,
        }
        content = html(page, remarks, {k: v for k, v in told.items() if v}).encode()
        try:
            self._files.make_folder(self.folder)
            self._files.replace(path, content, mode=_MODE)
        except OSError as error:
            raise self._unwritten(path, error) from error
        return path

    # -- what was left half-way --------------------------------------------------------------------

    def keep_draft(
        self, kind: str, samples: object, table: Mapping[str, str], now: datetime
    ) -> None:
        """Keep what was measured so far. Raises StoreError."""
        made = Made(at=now.astimezone(UTC), by="", table=dict(table))
        path = self._draft(kind)
        try:
            self._files.make_folder(self.folder)
            self._files.replace(path, _closed(kind, samples, made), mode=_MODE)
        except OSError as error:
            raise self._unwritten(path, error) from error

    def draft(
        self, kind: str, samples: type[P], table: Mapping[str, str], now: datetime
    ) -> P | None:
        """What an earlier try has kept, if it is of this table, whole, and of today."""
        path = self._draft(kind)
        with contextlib.suppress(StoreError, ValidationError):
            raw = self._read(path)
            if raw is None:
                return None
            file = _opened(raw, path, kind, "")
            if differences(file.made.table, table) or file.made.age(now) > DRAFT_LASTS:
                return None
            return TypeAdapter(samples).validate_python(file.values)
        return None

    def drop_draft(self, kind: str) -> None:
        with contextlib.suppress(OSError):
            self._draft(kind).unlink()

    # -- inside ------------------------------------------------------------------------------------

    def _draft(self, kind: str) -> Path:
        return self.folder / f"{kind}.draft.json"

    def _read(self, path: Path) -> bytes | None:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):  # nothing ever comes from a pipe
                    raise StoreError(f"{path}: is no file. Next: move it away.")
                return file.read(_LIMIT + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be read ({error.strerror}). Next: see that this user may read it,"
                " or move it away."
            ) from error

    def _keep_before(self, path: Path, kind: str) -> None:
        before = self._read(path)
        if before is None:
            return
        try:
            at = _opened(before, path, kind, "").made.at
        except StoreError:  # damaged: kept all the same, for whoever wants to look at it
            at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        backup = self.folder / f"{kind}-{stamp(at)}.json"
        number = 1
        while backup.exists() and backup.read_bytes() != before:
            number += 1
            backup = self.folder / f"{kind}-{stamp(at)}-{number}.json"
        self._files.replace(backup, before, mode=_MODE)

    def _unwritten(self, path: Path, error: OSError) -> StoreError:
        return StoreError(
            f"{path}: cannot be written ({error.strerror}). Nothing is changed. Next: see that this"
            " user may write in that folder and that its disk has room, then do it again."
        )


def stamp(at: datetime) -> str:
    """A time as it stands in a file's name."""
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def command(kind: str) -> str:
    """The words after `burnturn calibrate` that make it: "camera" for "camera-1", "camera --camera
    2" for "camera-2"."""
    word, _, number = kind.partition("-")
    return f"{word} --{word} {number}" if number not in ("", "1") else word


def differences(then: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """What differs between what a calibration belongs to and a table, in words. Of what either
    side leaves empty nobody knows, so it does not differ."""
    found = []
    for name in sorted({*then, *now}, key=_in_order):
        was, is_ = then.get(name), now.get(name)
        if was == is_ or "" in (was, is_):
            continue
        if was is None:
            found.append(f"{name} ({is_}) is not in it")
        elif is_ is None:
            found.append(f"{name} ({was}) is not at this table")
        else:
            found.append(f"{name} was {was} and is {is_}")
    return tuple(found)


def _in_order(name: str) -> tuple[str, int]:
    word, _, number = name.rpartition(" ")
    return (word, int(number)) if number.isdigit() else (name, 0)


def _closed(kind: str, values: object, made: Made) -> bytes:
    """A file's content."""
    body = {
        "version": VERSION,
        "kind": kind,
        "made": made.model_dump(mode="json"),
        "values": TypeAdapter(type(values)).dump_python(values, mode="json"),
    }
    return (json.dumps({**body, "sha256": _hash(body)}, indent=1) + "\n").encode()


def _hash(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _opened(raw: bytes, path: Path, kind: str, remedy: str) -> _File:
    """A file, if it is whole and of that kind. Raises DamagedError, StoreError."""
    damaged = DamagedError(f"{path}: is damaged or was changed by hand. {remedy}")
    if len(raw) > _LIMIT:
        raise damaged
    try:
        body = json.loads(raw)
        said = body.pop("sha256")
        version = body["version"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise damaged from None
    if type(version) is int and version > VERSION:
        raise StoreError(f"{path}: was made by a newer burnturn. Next: update this one. {remedy}")
    if type(version) is not int or version < 1 or said != _hash(body):
        raise damaged
    try:
        file = _File.model_validate(body)
    except ValidationError:
        raise damaged from None
    if file.kind != kind:
        raise ForeignError(
            f"{path}: holds a calibration of {file.kind}, not of {kind}. {remedy}",
            [f"it is one of {file.kind}"],
        )
    return file
