"""RDM6300 and ID-12LA: modules that speak of EM4100 tags (125 kHz) unasked, 9600 baud, one way.

``02 | 10 hex digits | 2 hex digits, their XOR | 03``, with CR LF before the 03 on an ID-12LA. The
ten digits are the tag: version byte and four bytes of number. Source: the modules' data sheets, and
public drivers. No command can be sent, so nothing is ever answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.readings import Uid
from drivers.rfid.stream import StreamDecoder

BAUD = 9600
STX = 0x02
ETX = b"\x03"
_DIGITS = 12
_HEX = frozenset(b"0123456789ABCDEFabcdef")


@dataclass(frozen=True, slots=True)
class TagHeard:
    """A tag before the antenna. uid: five bytes, version first."""

    uid: Uid

    def wire(self, *, line_end: bool = False) -> bytes:
        """As an RDM6300 says it, or with `line_end` an ID-12LA."""
        check = 0
        for byte in self.uid:
            check ^= byte
        digits = (bytes(self.uid) + bytes((check,))).hex().upper().encode()
        return bytes((STX,)) + digits + (b"\r\n" if line_end else b"") + ETX


class Damage(StrEnum):
    RUBBISH = "bytes that belong to no frame"
    FORM = "a frame with something other than twelve hex digits"
    CHECKSUM = "a frame whose checksum does not match"
    CUT = "a frame that was cut short"


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that were not a message. What they were is kept nowhere."""

    damage: Damage


def number(uid: Uid) -> int:
    """The decimal number that is printed on a tag, its last four bytes."""
    return int.from_bytes(uid[1:], "big")


class Em4100Decoder(StreamDecoder[TagHeard, BadFrame]):
    """Finds the tags in a stream, see `StreamDecoder`; holds at most 15 bytes."""

    def _cut(self) -> BadFrame:
        return BadFrame(Damage.CUT)

    def _scan(self, buf: bytes, out: list[TagHeard | BadFrame]) -> int:
        at, size = 0, len(buf)
        while at < size:
            start = buf.find(STX, at)
            end = size if start < 0 else start
            self._rubbish(out, BadFrame(Damage.RUBBISH), end - at)
            if start < 0:
                return size
            end = self._frame(buf, start, out)
            if end < 0:
                return start
            at = end
        return size

    def _frame(self, buf: bytes, at: int, out: list[TagHeard | BadFrame]) -> int:
        """Reads the frame that begins at `at`. Returns where to go on, or -1 if it is
        unfinished."""
        digits = buf[at + 1 : at + 1 + _DIGITS]
        tail = buf[at + 1 + _DIGITS : at + 4 + _DIGITS]
        if not _HEX.issuperset(digits):
            return self._bad(out, at, Damage.FORM)
        ends = (ETX, b"\r\n" + ETX)
        whole = next((end for end in ends if tail.startswith(end)), None)
        if whole is None:
            unfinished = any(end.startswith(tail) for end in ends)
            return -1 if unfinished else self._bad(out, at, Damage.FORM)
        told = bytes.fromhex(digits.decode())
        check = 0
        for byte in told:
            check ^= byte
        if check:
            return self._bad(out, at, Damage.CHECKSUM)
        self._found(out, TagHeard(Uid(told[:5])))
        return at + 1 + _DIGITS + len(whole)

    def _bad(self, out: list[TagHeard | BadFrame], at: int, damage: Damage) -> int:
        self._spoilt(out, BadFrame(damage))
        return at + 1
