"""Frames of the link in a stream of bytes: COBS between zeros, a CRC, a bound (PROTOCOL.md,
"Frames").

COBS: S. Cheshire and M. Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions on
Networking 7(2), 1999. Frames are short here, so that one overhead byte is enough.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import StrEnum
from zlib import crc32

from tablelink.messages import Kind, Message, Misfit, MisfitError, read

LEAST = 9
MOST = 121
ENCODED_MOST = MOST + 1

_HEAD = struct.Struct("<BHBB")
_CRC = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole frame. seq: 0 for a message that is not numbered. ack: the last number taken."""

    message: Message
    session: int
    seq: int
    ack: int

    def __str__(self) -> str:
        head = f"{self.message.KIND.name} session={self.session} seq={self.seq} ack={self.ack}"
        return f"{head} {self.message.fields_text()}".rstrip()


@dataclass(frozen=True, slots=True)
class Malformed:
    """A whole frame whose body does not fit its kind."""

    kind: int
    session: int
    seq: int
    ack: int
    reason: Misfit
    detail: int

    def __str__(self) -> str:
        return (
            f"malformed kind={self.kind} session={self.session} seq={self.seq} "
            f"reason={int(self.reason)} detail={self.detail}"
        )


class Damage(StrEnum):
    TOO_LONG = "too-long"
    BAD_COBS = "bad-cobs"
    TOO_SHORT = "too-short"
    BAD_CRC = "bad-crc"


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes between two zeros that are no frame. length: how many, at most ENCODED_MOST + 1."""

    damage: Damage
    length: int

    def __str__(self) -> str:
        return str(self.damage)


Received = Frame | Malformed | BadFrame


def encode(frame: Frame) -> bytes:
    """A frame on the wire, with both its zeros. Raises MisfitError."""
    raw = _HEAD.pack(frame.message.KIND, frame.session, frame.seq, frame.ack)
    raw += frame.message.body()
    raw += _CRC.pack(crc32(raw))
    return b"\0" + stuffed(raw) + b"\0"


def stuffed(raw: bytes) -> bytes:
    """COBS of fewer than 254 bytes."""
    return b"".join(bytes((len(part) + 1,)) + part for part in raw.split(b"\0"))


def unstuffed(data: bytes) -> bytes | None:
    """The bytes that COBS made `data` of; None if it is none. `data` has no zeros."""
    parts = []
    at, end = 0, len(data)
    while at < end:
        code = data[at]
        if at + code > end:
            return None
        parts.append(data[at + 1 : at + code])
        at += code
    return b"\0".join(parts)


def opened(data: bytes) -> Received:
    """What lay between two zeros."""
    if len(data) > ENCODED_MOST:
        return BadFrame(Damage.TOO_LONG, ENCODED_MOST + 1)
    raw = unstuffed(data)
    if raw is None:
        return BadFrame(Damage.BAD_COBS, len(data))
    if len(raw) < LEAST:
        return BadFrame(Damage.TOO_SHORT, len(data))
    if crc32(raw[:-4]) != _CRC.unpack_from(raw, len(raw) - 4)[0]:
        return BadFrame(Damage.BAD_CRC, len(data))
    kind, session, seq, ack = _HEAD.unpack_from(raw)
    try:
        return Frame(read(kind, seq, raw[_HEAD.size : -4]), session, seq, ack)
    except MisfitError as error:
        return Malformed(kind, session, seq, ack, error.reason, error.detail)


@dataclass(slots=True)
class FrameCounts:
    """What a decoder has met."""

    frames: int = 0
    malformed: int = 0
    damaged: int = 0


class Decoder:
    """Bytes as they come, in any portions, to frames. Never raises; holds at most one frame."""

    def __init__(self) -> None:
        self.counts = FrameCounts()
        self._held = b""
        self._overflowed = False

    def feed(self, data: bytes) -> list[Received]:
        """What became whole, or was found damaged, by these bytes, in their order."""
        found: list[Received] = []
        *ended, rest = data.split(b"\0")
        for part in ended:
            whole = self._held + part
            if self._overflowed:
                self._add(found, BadFrame(Damage.TOO_LONG, ENCODED_MOST + 1))
            elif whole:
                self._add(found, opened(whole))
            self._held, self._overflowed = b"", False
        if not self._overflowed:
            self._held += rest
            if len(self._held) > ENCODED_MOST:
                self._held, self._overflowed = b"", True
        return found

    def _add(self, found: list[Received], item: Received) -> None:
        found.append(item)
        if type(item) is Frame:
            self.counts.frames += 1
        elif type(item) is Malformed:
            self.counts.malformed += 1
        else:
            self.counts.damaged += 1


def kind_name(kind: int) -> str:
    """A kind's name, or its number as hex."""
    try:
        return Kind(kind).name
    except ValueError:
        return f"{kind:02X}"
