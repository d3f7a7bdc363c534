"""A journal record: what happened, when, under which build and profile, chained to the record
before it. Pure.

The chain: `hash` is the SHA-256 of the canonical JSON array of every other field, in the order of
`CHAINED`, the previous record's hash among them. A sealed blob lies beside the records; its own
SHA-256 is one of the fields. Canonical JSON here: sorted keys, no white space, ASCII only. Numbers
that JSON cannot write are the strings "inf", "-inf" and "nan"; the field's type says which of the
two is meant."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, TypeAlias, TypeGuard, get_args

from controller.model.events import TableEvent, TableOpened, numbered
from controller.model.findings import FindingChanged, Said, VerdictChanged
from drivers.readings import Health

SCHEMA = 1
GENESIS = "0" * 64
"""`prev` of a journal's first record."""
CHAINED = (
    "seq",
    "mono",
    "wall",
    "kind",
    "body",
    "schema",
    "build",
    "profile",
    "sealed",
    "prev",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The program began to write here. boot: the operating system's boot id, "" where it has none.
    offset_s: what to add to that boot's monotonic clock for the times of this journal."""

    at: float
    boot: str = ""
    offset_s: float = 0.0
    kind: Literal["start"] = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The program ended on purpose. Without it before the next start, it was killed or the power
    went."""

    at: float
    reason: str
    kind: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The rules' state was rebuilt from the events `since` (a journal number) up to here; the hand
    `hand` goes on by positions (None: no hand was on). Tokens are new from here: that a card in a
    zone is the card that lay there before is an assumption, not an observation. away_s: wall
    seconds since the last record, None if the clock is not to be trusted."""

    at: float
    since: int
    hand: int | None
    away_s: float | None = None
    note: str = "card identities before and after this record are not connected"
    kind: Literal["resume"] = "resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockChanged:
    """The wall clock moved by `step_s` against the monotonic one, or became (un)trusted."""

    at: float
    step_s: float
    trusted: bool
    kind: Literal["clock"] = "clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildChanged:
    """This journal is continued by another build than the one that wrote the record before."""

    at: float
    before: str
    now: str
    kind: Literal["build"] = "build"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """`lost` records, numbered from this record's own number on, could not be kept while recording
    was impossible."""

    at: float
    lost: int
    kind: Literal["gap"] = "gap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Recording works again. It did not from `since` to `at`; `waited` records were kept in memory
    meanwhile."""

    at: float
    since: float
    waited: int
    reason: str
    kind: Literal["outage"] = "outage"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFiled:
    """A certificate of a count was signed and put into the file `name` beside its other two.
    sha256: of its signed JSON, lower-case hex. count: number of the count's record (0: an older
    build's, of the last count before)."""

    at: float
    name: str
    sha256: str
    count: int = 0
    kind: Literal["certificate"] = "certificate"


Note = Started | Stopped | Resumed | ClockChanged | BuildChanged | Gap | Outage | CertificateFiled
Body: TypeAlias = TableEvent | Said | Note | Health

HEALTH = "health"


def _kind_of(of: type[Any]) -> str:
    if of is Health:
        return HEALTH
    return str(next(f.default for f in dataclasses.fields(of) if f.name == "kind"))


EVENT_TYPES: dict[str, type[Any]] = {_kind_of(t): t for t in get_args(TableEvent)}
SAID_TYPES: dict[str, type[Any]] = {_kind_of(t): t for t in get_args(Said)}
NOTE_TYPES: dict[str, type[Any]] = {_kind_of(t): t for t in get_args(Note)}
TYPES: dict[str, type[Any]] = EVENT_TYPES | SAID_TYPES | NOTE_TYPES | {HEALTH: Health}
_EVENTS = get_args(TableEvent)
_SAID = get_args(Said)


class RecordError(ValueError):
    """A record's body is not what its kind and schema say."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the journal.

    seq: 1 and up, without holes (a `gap` record stands for several numbers). mono: the body's own
    time, monotonic seconds. wall: seconds since 1970, UTC, when it was numbered. body: canonical
    JSON. build: who wrote it. profile: first 16 hex digits of the SHA-256 of the profile in force,
    "" before one is. sealed: SHA-256 of the sealed blob that belongs to it. prev, hash: the chain.
    Hashes are lower-case hex."""

    seq: int
    mono: float
    wall: float
    kind: str
    body: str
    schema: int
    build: str
    profile: str
    sealed: str | None
    prev: str
    hash: str


def canonical(value: object) -> str:
    """Canonical JSON of plain values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def plain(value: Any) -> Any:
    """Dataclasses, enums, tuples and odd numbers as what JSON has."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        # Lone surrogates (a name typed on a terminal in another encoding) cannot be written as
        # UTF-8.
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(float(value))
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise TypeError(
        f"a journal body holds a {type(value).__name__}; write it as a number, a text or a tuple"
    )


def is_event(body: Body) -> TypeGuard[TableEvent]:
    return isinstance(body, _EVENTS)


def is_said(body: Body) -> TypeGuard[Said]:
    return isinstance(body, _SAID)


def kind_of(body: Body) -> str:
    return HEALTH if isinstance(body, Health) else body.kind


def time_of(body: Body) -> float:
    """The monotonic second at which the body says that it happened."""
    if isinstance(body, FindingChanged):
        return body.finding.at
    if isinstance(body, VerdictChanged):
        return body.verdict.at
    return body.at


def with_number(body: Body, seq: int) -> Body:
    """Events carry their own number; everything else is as it was."""
    if not is_event(body) or body.seq == seq:
        return body
    if body.seq:
        raise ValueError(f"event {body.kind} already bears number {body.seq}, and now gets {seq}")
    return numbered(body, seq)


def encode(body: Body) -> str:
    """The body as canonical JSON. Never fails for a body of the types above."""
    return canonical(plain(body))


@functools.cache
def _adapter(kind: str) -> Any:
    # Reading only; a process that merely writes never loads pydantic.
    from pydantic import TypeAdapter

    return TypeAdapter(TYPES[kind])


def decode(kind: str, text: str) -> Body:
    """The body again. Raises RecordError for an unknown kind or a body that is not of that kind;
    the message never repeats the body."""
    if kind not in TYPES:
        raise RecordError(f"kind {kind!r} is unknown to this build")
    try:
        body: Body = _adapter(kind).validate_json(text)
    except ValueError as e:
        raise RecordError(f"the body is not a {kind} as this build knows it") from e
    return body


def body_of(record: Record) -> Body:
    return decode(record.kind, record.body)


def numbers_taken(kind: str, text: str) -> int:
    """How many sequence numbers the record stands for: one, or as many as a gap lost."""
    if kind != "gap":
        return 1
    gap = decode(kind, text)
    assert isinstance(gap, Gap)
    if gap.lost < 1:
        raise RecordError("a gap that lost nothing")
    return gap.lost


def profile_hash(event: TableOpened) -> str:
    """Which profile is in force, as the records that follow name it."""
    return hashlib.sha256(event.profile.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def blob_hash(blob: bytes) -> str:
    return hashlib.sha256(blob).hexdigest()


def own_hash(
    *,
    seq: int,
    mono: float,
    wall: float,
    kind: str,
    body: str,
    schema: int,
    build: str,
    profile: str,
    sealed: str | None,
    prev: str,
) -> str:
    """SHA-256 over every other field of the record, in the order of `CHAINED`, as lower-case
    hex."""
    row = [seq, plain(mono), plain(wall), kind, body, schema, build, profile, sealed, prev]
    return hashlib.sha256(canonical(row).encode("ascii")).hexdigest()


def link(
    prev: str, seq: int, wall: float, body: Body, build: str, profile: str, blob: bytes | None
) -> Record:
    """The record of `body` that follows the record whose hash is `prev`."""
    # As the database gives a REAL back: a float, and zero without a sign.
    mono, wall = time_of(body) + 0.0, wall + 0.0
    kind, text = kind_of(body), encode(with_number(body, seq))
    sealed = None if blob is None else blob_hash(blob)
    own = own_hash(
        seq=seq,
        mono=mono,
        wall=wall,
        kind=kind,
        body=text,
        schema=SCHEMA,
        build=build,
        profile=profile,
        sealed=sealed,
        prev=prev,
    )
    return Record(
        seq=seq,
        mono=mono,
        wall=wall,
        kind=kind,
        body=text,
        schema=SCHEMA,
        build=build,
        profile=profile,
        sealed=sealed,
        prev=prev,
        hash=own,
    )


def hash_of(record: Record) -> str:
    """What the record's hash ought to be."""
    return own_hash(**{name: getattr(record, name) for name in CHAINED})


def exported(record: Record) -> dict[str, Any]:
    """The record as one JSON object, its body opened up. The body's canonical JSON is again what
    the chain covers. Raises RecordError if the body is no JSON (a damaged file)."""
    row: dict[str, Any] = {
        f.name: plain(getattr(record, f.name)) for f in dataclasses.fields(record)
    }
    try:
        row["body"] = json.loads(record.body)
    except ValueError as e:
        raise RecordError(f"record {record.seq}: the body is no JSON") from e
    return row


def without_identity(record: Record) -> dict[str, Any]:
    """What of an exported record may not depend on which card was dealt: all but the hash of the
    sealed blob, and the chain that hangs on it. Two nights that differ only in the cards agree in
    this."""
    row = exported(record)
    row["sealed"] = record.sealed is not None
    del row["prev"], row["hash"]
    return row
