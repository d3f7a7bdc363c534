"""The certificate of a count: what was counted, who confirmed it, and where the journal stood then,
signed by the table. Pure.

Its file is one line of canonical JSON (sorted keys, no white space, ASCII only) and a line feed: an
object of `certificate`, `public_key` and `signature`, the latter two in lower-case hex. The
signature is Ed25519 (RFC 8032) over the line `burnturn certificate of a count`, a line feed, and
the canonical JSON of the object without its signature. There is exactly one way to write a
certificate, so that a change of any byte of the file is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from controller.journal.record import canonical
from controller.journal.store import Anchor, Head
from controller.model.cards import FACES
from controller.model.events import CountMeans

SCHEMA: Final = 1
CAMERA_SCHEMA: Final = 2
"""A certificate's fields, and the look of its page: whoever changes either makes a new schema and
keeps the old one, or certificates that were filed years ago are no longer true. 1: of a count of
tags. 2: says by what the deck was counted, by camera."""

ATTESTS: Final = (
    "The count attests which of the deck's 52 registered tags were read on the count antenna. It"
    " does not see a card without a tag: an untagged extra card in the deck is not noticed by it."
)
CAMERA_ATTESTS: Final = (
    "The count attests which of the 52 faces a camera saw in the deck, spread face up. It does not"
    " see which deck a face belongs to, nor a card that lies exactly under another; no card is"
    " called missing unless two spreads of the deck say so."
)
TEXT_LIMIT: Final = 60
"""Characters of a name on a certificate; longer ones are cut."""

_CONTEXT: Final = b"burnturn certificate of a count\n"
_SIZE_LIMIT = 65_536
_LONG_TEXT_LIMIT = 400
_NUMBER_LIMIT = 10**15


class Reason(StrEnum):
    """Why it was issued: after a count, or with the table's last count when the table closes."""

    COUNT = "count"
    CLOSING = "closing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountFacts:
    """What a count found.

    present: how many of the deck's registered cards were there. missing: faces of those that were
    not, in any order. duplicates: faces of which more than one card was there, likewise. extra:
    cards of another registered deck. foreign: tags of no registered deck. jokers: jokers among the
    cards. passes: how many times the deck was passed over the antenna, or spread before the camera.
    means: which of the two; by camera `foreign` are cards of another game or back. started_at,
    ended_at: wall time with its zone, as the table's clock said, `clock_trusted` or not.
    duration_s: by a clock that nobody can set. confirmed_by: who confirmed the result, "" if nobody
    did.

    Raises ValueError that names everything that does not fit together."""

    deck: str
    back: str
    present: int
    passes: int
    started_at: datetime
    ended_at: datetime
    clock_trusted: bool
    duration_s: float
    confirmed_by: str
    expected: int = 52
    missing: tuple[str, ...] = field(default=(), repr=False)
    duplicates: tuple[str, ...] = field(default=(), repr=False)
    extra: int = 0
    foreign: int = 0
    jokers: int = 0
    means: CountMeans = CountMeans.TAGS

    def __post_init__(self) -> None:
        faults = [
            f"{name} has no time zone"
            for name in ("started_at", "ended_at")
            if getattr(self, name).utcoffset() is None
        ]
        counted = {name: getattr(self, name) for name in _COUNTED}
        counted["missing"] = _in_order(self.missing)
        counted["duplicates"] = _in_order(self.duplicates)
        faults += _count_faults(counted)
        if faults:
            raise ValueError(f"these are no facts of a count: {'; '.join(faults)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a certificate says; `CountFacts` explains the count's part.

    issued, started, ended: wall time to the second with its offset from UTC, as in
    ``2026-11-30T19:04:10-05:00``. missing, duplicates: in the order of `FACES`, which is not the
    order of the deck. journal: where the table's journal stood when it was issued. build: which
    program issued it. attests: what a count can say and what not."""

    schema: int = SCHEMA
    reason: Reason
    table: str
    deck: str
    back: str
    issued: str
    started: str
    ended: str
    clock_trusted: bool
    duration_s: float
    expected: int
    present: int
    missing: tuple[str, ...] = field(repr=False)
    duplicates: tuple[str, ...] = field(repr=False)
    extra: int
    foreign: int
    jokers: int
    passes: int
    confirmed_by: str
    journal: Anchor
    build: str
    attests: str = ATTESTS
    means: CountMeans = CountMeans.TAGS

    @property
    def in_order(self) -> bool:
        """Whether every registered card was there, and nothing else."""
        odd = self.extra or self.foreign or self.jokers
        return not (self.missing or self.duplicates or odd)


@dataclass(frozen=True, slots=True)
class Signed:
    """A certificate with its signature. public_key: 32 bytes. signature: 64 bytes."""

    certificate: Certificate
    public_key: bytes
    signature: bytes

    @property
    def data(self) -> bytes:
        """The JSON file, to the byte."""
        said = _signed_object(self.certificate, self.public_key)
        return _line({**said, "signature": self.signature.hex()})


class Untrue(StrEnum):
    MALFORMED = "not a certificate"
    SCHEMA = "unknown schema"
    FORM = "not as it was written"
    SIGNATURE = "signature"
    KEY = "not the trusted key"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is false about a certificate, in words."""

    untrue: Untrue
    text: str

    def __str__(self) -> str:
        return f"{self.untrue}: {self.text}"


class CertificateError(ValueError):
    """A file cannot be read as a certificate. The message names every fault, one a line."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(map(str, faults)))


def certify(
    facts: CountFacts,
    anchor: Anchor,
    *,
    table: str,
    reason: Reason,
    build: str,
    issued_at: datetime,
) -> Certificate:
    """The certificate of that count, not yet signed.

    anchor: where the journal stands, read after the count's own records were committed. issued_at:
    wall time with a zone. Names are cut at `TEXT_LIMIT`, and what cannot be printed in them is
    written as an escape. Raises ValueError that names every fault."""
    by_camera = facts.means is CountMeans.CAMERA
    made = Certificate(
        schema=CAMERA_SCHEMA if by_camera else SCHEMA,
        attests=CAMERA_ATTESTS if by_camera else ATTESTS,
        means=facts.means,
        reason=Reason(reason),
        table=_printable(table),
        deck=_printable(facts.deck),
        back=_printable(facts.back),
        issued=_moment(issued_at),
        started=_moment(facts.started_at),
        ended=_moment(facts.ended_at),
        clock_trusted=facts.clock_trusted,
        duration_s=round(float(facts.duration_s), 1),
        expected=facts.expected,
        present=facts.present,
        missing=_in_order(facts.missing),
        duplicates=_in_order(facts.duplicates),
        extra=facts.extra,
        foreign=facts.foreign,
        jokers=facts.jokers,
        passes=facts.passes,
        confirmed_by=_printable(facts.confirmed_by),
        journal=anchor,
        build=_printable(build),
    )
    if faults := _field_faults(_fields(made)):
        raise ValueError(f"this cannot be certified: {'; '.join(faults)}")
    return made


def sign(certificate: Certificate, key: SigningKey) -> Signed:
    """With the table's signature. The same certificate and key give the same bytes."""
    public = bytes(key.verify_key)
    signature = key.sign(_message(_signed_object(certificate, public))).signature
    return Signed(certificate, public, bytes(signature))


def parse(data: bytes) -> Signed:
    """What the JSON file holds; whether it is true, `verify` says. Raises CertificateError."""
    found = _Reading(data)
    if found.signed is None:
        raise CertificateError(tuple(found.faults))
    return found.signed


def verify(data: bytes, trusted_key: bytes | None = None) -> tuple[Fault, ...]:
    """Everything that is false about that JSON file; () if it is true.

    trusted_key: the table's public key (32 bytes) as the house handed it over. Without one, a true
    certificate is one that nobody changed since some key signed it: look at which."""
    found = _Reading(data)
    faults = list(found.faults)
    if found.key and found.signature and not found.fits:
        text = (
            "it does not fit what is written here: something was changed after the table signed,"
            " or another key signed. Which field was changed cannot be known"
        )
        faults.append(Fault(Untrue.SIGNATURE, text))
    if found.key and trusted_key is not None and found.key != trusted_key:
        text = f"it bears the key {found.key.hex()}, trusted is {trusted_key.hex()}"
        faults.append(Fault(Untrue.KEY, text))
    return tuple(faults)


class _Reading:
    """A file taken apart, as far as it goes."""

    def __init__(self, data: bytes) -> None:
        self.faults: list[Fault] = []
        self.signed: Signed | None = None
        self.key = b""
        self.signature = b""
        self.fits = False
        said = self._object(data)
        if said is None:
            return
        self.key = self._hex(said, "public_key", 32)
        self.signature = self._hex(said, "signature", 64)
        if self.key and self.signature:
            self.fits = _fits(said, self.key, self.signature)
        self._read(said["certificate"])

    def _object(self, data: bytes) -> dict[str, Any] | None:
        try:
            if len(data) > _SIZE_LIMIT:
                raise ValueError(f"it is longer than {_SIZE_LIMIT} bytes")
            said = json.loads(data.decode("ascii"))
            line = _line(said)
        except (ValueError, RecursionError) as e:
            why = "it is no text of ASCII" if isinstance(e, UnicodeError) else _why(e)
            self._malformed(why)
            return None
        if not isinstance(said, dict) or said.keys() != _PARTS:
            self._malformed(f"it must hold {', '.join(sorted(_PARTS))}, and nothing else")
            return None
        if line != data:
            text = (
                "it says the same in another spelling (white space, order, numbers): the file was"
                " written anew by another program"
            )
            self.faults.append(Fault(Untrue.FORM, text))
        return said

    def _hex(self, said: Mapping[str, Any], name: str, size: int) -> bytes:
        text = said[name]
        if isinstance(text, str) and re.fullmatch(rf"[0-9a-f]{{{2 * size}}}", text):
            return bytes.fromhex(text)
        self._malformed(f"{name} must be {2 * size} hex digits in lower case")
        return b""

    def _read(self, fields: object) -> None:
        if not isinstance(fields, dict):
            self._malformed("certificate must be an object")
            return
        schema = fields.get("schema")
        if type(schema) is not int or schema not in (SCHEMA, CAMERA_SCHEMA):
            shown = schema if type(schema) is int else "which is no number"
            text = (
                f"its schema is {shown}; this program knows {SCHEMA} and {CAMERA_SCHEMA}."
                " Next: verify it with a newer burnturn"
            )
            self.faults.append(Fault(Untrue.SCHEMA, text))
            return
        faults = _field_faults(fields)
        for text in faults:
            self._malformed(text)
        if not faults and self.key and self.signature:
            self.signed = Signed(_certificate(fields), self.key, self.signature)

    def _malformed(self, text: str) -> None:
        self.faults.append(Fault(Untrue.MALFORMED, text))


_PARTS = {"certificate", "public_key", "signature"}


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is no JSON ({error.msg} at byte {error.pos})"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error) if str(error).startswith("it is longer") else "a number in it is none"


def _line(value: object) -> bytes:
    return f"{canonical(value)}\n".encode("ascii")


def _signed_object(certificate: Certificate, public_key: bytes) -> dict[str, Any]:
    return {"certificate": _fields(certificate), "public_key": public_key.hex()}


def _message(signed_object: Mapping[str, Any]) -> bytes:
    return _CONTEXT + canonical(dict(signed_object)).encode("ascii")


def _fits(said: Mapping[str, Any], key: bytes, signature: bytes) -> bool:
    message = _message({name: said[name] for name in ("certificate", "public_key")})
    try:
        VerifyKey(key).verify(message, signature)
    except (CryptoError, ValueError):
        return False
    return True


# ---- the fields, as JSON has them

_JOURNAL = {"seq", "hash", "first", "records"}


def _fields(c: Certificate) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(c, name) for name in _allowed(c.schema)}
    fields["missing"], fields["duplicates"] = list(c.missing), list(c.duplicates)
    fields["reason"] = str(c.reason)
    if "means" in fields:
        fields["means"] = str(c.means)
    fields["journal"] = {
        "seq": c.journal.head.seq,
        "hash": c.journal.head.hash,
        "first": c.journal.first,
        "records": c.journal.records,
    }
    return fields


def _certificate(fields: Mapping[str, Any]) -> Certificate:
    journal = fields["journal"]
    anchor = Anchor(Head(journal["seq"], journal["hash"]), journal["first"], journal["records"])
    taken = {
        **fields,
        "reason": Reason(fields["reason"]),
        "means": CountMeans(fields.get("means", CountMeans.TAGS)),
        "missing": tuple(fields["missing"]),
        "duplicates": tuple(fields["duplicates"]),
        "journal": anchor,
    }
    return Certificate(**taken)


def _is_text(value: object, least: int = 1, most: int = TEXT_LIMIT) -> bool:
    return isinstance(value, str) and value.isprintable() and least <= len(value) <= most


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value < _NUMBER_LIMIT


def _is_seconds(value: object) -> bool:
    return type(value) is float and 0 <= value < 1e9 and round(value, 1) == value


def _is_moment(value: object) -> bool:
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"
    if not isinstance(value, str) or not re.fullmatch(form, value, re.ASCII):
        return False
    try:
        return datetime.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _are_faces(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(f in FACES for f in value):
        return False
    return list(value) == sorted(set(value), key=FACES.index)


def _in_order(faces: Iterable[str]) -> tuple[str, ...]:
    """As decks are registered, which tells nothing of this deck's order; what is no card first."""
    return tuple(sorted(faces, key=lambda f: FACES.index(f) if f in FACES else -1))


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def _is_journal(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _JOURNAL
        and _is_number(value["seq"])
        and _is_number(value["records"])
        and _is_hash(value["hash"])
        and _is_hash(value["first"])
    )


_TEXT = f"a printable text of at most {TEXT_LIMIT} characters"
_NUMBER = "a whole number from 0 up"
_FACES_WORDS = "a list of different cards, ace to king in each suit"
_MOMENT = "a wall time with its offset, like 2026-11-30T19:04:10-05:00"

_ALLOWED: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "schema": (lambda v: v in (SCHEMA, CAMERA_SCHEMA), f"{SCHEMA} or {CAMERA_SCHEMA}"),
    "reason": (lambda v: v in list(Reason), " or ".join(Reason)),
    "table": (_is_text, _TEXT),
    "deck": (_is_text, _TEXT),
    "back": (lambda v: _is_text(v, 0), _TEXT),
    "issued": (_is_moment, _MOMENT),
    "started": (_is_moment, _MOMENT),
    "ended": (_is_moment, _MOMENT),
    "clock_trusted": (lambda v: isinstance(v, bool), "true or false"),
    "duration_s": (_is_seconds, "seconds with one decimal"),
    "expected": (_is_number, _NUMBER),
    "present": (_is_number, _NUMBER),
    "missing": (_are_faces, _FACES_WORDS),
    "duplicates": (_are_faces, _FACES_WORDS),
    "extra": (_is_number, _NUMBER),
    "foreign": (_is_number, _NUMBER),
    "jokers": (_is_number, _NUMBER),
    "passes": (_is_number, _NUMBER),
    "confirmed_by": (lambda v: _is_text(v, 0), _TEXT),
    "journal": (_is_journal, "seq, hash, first and records of a journal"),
    "build": (_is_text, _TEXT),
    "attests": (lambda v: _is_text(v, 1, _LONG_TEXT_LIMIT), "a printable text"),
}
_MEANS: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "means": (lambda v: v == CountMeans.CAMERA.value, CountMeans.CAMERA.value),
}
_COUNTED = ("expected", "present", "missing", "duplicates", "extra", "foreign", "jokers", "passes")


def _allowed(schema: object) -> dict[str, tuple[Callable[[object], bool], str]]:
    """What fields a certificate of that schema has, and what they may be."""
    return _ALLOWED | _MEANS if schema == CAMERA_SCHEMA else _ALLOWED


def _field_faults(fields: Mapping[str, Any]) -> list[str]:
    """Everything about the fields that cannot be; never repeats a value."""
    allowed_here = _allowed(fields.get("schema"))
    faults = [f"{name} is missing" for name in allowed_here if name not in fields]
    if unknown := fields.keys() - allowed_here.keys():
        count = len(unknown)
        faults.append(f"{count} field{'s' if count > 1 else ''} in it that a certificate has not")
    faults += [
        f"{name} must be {allowed}"
        for name, (check, allowed) in allowed_here.items()
        if name in fields and name not in _COUNTED and not check(fields[name])
    ]
    if all(name in fields for name in _COUNTED):
        faults += _count_faults(fields)
    return faults


def _count_faults(counted: Mapping[str, Any]) -> list[str]:
    faults = [
        f"{name} must be {_ALLOWED[name][1]}"
        for name in _COUNTED
        if not _ALLOWED[name][0](counted[name])
    ]
    if not faults and counted["present"] + len(counted["missing"]) != counted["expected"]:
        faults.append("present and missing cards must make up the expected ones")
    return faults


def _printable(text: str) -> str:
    """The text, with escapes for what would not show, cut at the limit."""
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
    return shown if len(shown) <= TEXT_LIMIT else f"{shown[: TEXT_LIMIT - 1]}…"


def _moment(at: datetime) -> str:
    if at.utcoffset() is None:
        raise ValueError("this cannot be certified: a time has no zone")
    return at.replace(microsecond=0).isoformat()
