"""NXP PN532 over its serial port (HSU): bytes to messages and back. No ports, no clock.

A frame is ``00 | 00 FF | LEN LCS | TFI data | DCS | 00``; LEN counts TFI and data, LEN + LCS and
the sum of TFI to DCS are 0 modulo 256. TFI is D4 to the chip, D5 from it; an answer bears its
command's code plus one. ``00 FF 00 FF`` acknowledges, ``00 FF FF 00`` asks again, TFI 7F is a
syntax error. Frames of more than 255 bytes have ``FF FF`` for LEN and LCS and a longer header;
nothing that we ask is answered by one, so they are told as damage, whole.
Source: PN532 user manual (UM0701-02, chapters 6 and 7); vectors from public drivers' tests.

UIDs travel in these bytes, so no message shows raw bytes in its repr.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import ClassVar, Generic, TypeVar

from drivers.readings import Uid
from drivers.rfid.stream import StreamDecoder

TO_CHIP = 0xD4
FROM_CHIP = 0xD5
ERROR = 0x7F
MAX_EXTENDED = 265
"""The longest extended frame that is waited for; a longer one is rubbish that looks like a
header."""
MAX_TARGETS = 2
"""The chip tells two tags apart and no more, whatever lies there."""
UID_SIZES = (4, 7, 10)
CASCADE_TAG = 0x88
"""First byte of a piece of a longer UID; no whole UID of four bytes begins with it."""

ACK = bytes.fromhex("0000FF00FF00")
NACK = bytes.fromhex("0000FFFF0000")
WAKE_UP = b"\x55\x55" + bytes(14)
"""Rouses a chip that sleeps since power-on; long enough for its oscillator to start."""

_START = b"\x00\xff"
_FILLING = b"\x00\x55"


class Code(IntEnum):
    GET_FIRMWARE_VERSION = 0x02
    SAM_CONFIGURATION = 0x14
    RF_CONFIGURATION = 0x32
    IN_LIST_PASSIVE_TARGET = 0x4A


def frame(payload: bytes) -> bytes:
    """TFI and data (1 to 254 bytes) as they go over the wire. Raises ValueError for another
    length."""
    size = len(payload)
    if not 1 <= size <= 254:
        raise ValueError(f"a PN532 frame carries 1 to 254 bytes, not {size}")
    return (
        b"\x00\x00\xff"
        + bytes((size, -size & 0xFF))
        + payload
        + bytes((-sum(payload) & 0xFF, 0x00))
    )


# ---- commands, host to chip ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GetFirmwareVersion:
    code: ClassVar[int] = Code.GET_FIRMWARE_VERSION

    def wire(self) -> bytes:
        return frame(b"\xd4\x02")


@dataclass(frozen=True, slots=True)
class SamConfiguration:
    """Normal mode, no secure access module; also what ends the sleep after power-on."""

    code: ClassVar[int] = Code.SAM_CONFIGURATION

    def wire(self) -> bytes:
        return frame(b"\xd4\x14\x01\x00\x00")


@dataclass(frozen=True, slots=True)
class RfField:
    """Switches the field. Off also releases every tag that was selected."""

    on: bool
    code: ClassVar[int] = Code.RF_CONFIGURATION

    def wire(self) -> bytes:
        return frame(bytes((TO_CHIP, 0x32, 0x01, self.on)))


@dataclass(frozen=True, slots=True)
class MaxRetries:
    """How often an inventory that finds nothing tries again, 0 to 254; 255 would wait for ever."""

    activation: int
    code: ClassVar[int] = Code.RF_CONFIGURATION

    def wire(self) -> bytes:
        return frame(bytes((TO_CHIP, 0x32, 0x05, 0x01, 0x00, self.activation)))


@dataclass(frozen=True, slots=True)
class InListPassiveTarget:
    """Switches the field on and lists up to `most` (1 or 2) tags of ISO 14443 A at 106 kbit/s."""

    most: int = MAX_TARGETS
    code: ClassVar[int] = Code.IN_LIST_PASSIVE_TARGET

    def wire(self) -> bytes:
        return frame(bytes((TO_CHIP, 0x4A, self.most, 0x00)))


@dataclass(frozen=True, slots=True)
class OtherCommand:
    """A command that this project does not use."""

    code: int
    data: bytes = field(repr=False)

    def wire(self) -> bytes:
        return frame(bytes((TO_CHIP, self.code)) + self.data)


Command = (
    GetFirmwareVersion
    | SamConfiguration
    | RfField
    | MaxRetries
    | InListPassiveTarget
    | OtherCommand
)


# ---- answers, chip to host ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Acked:
    """The chip has taken the command, or the host aborts the one under way."""

    def wire(self) -> bytes:
        return ACK


@dataclass(frozen=True, slots=True)
class Nacked:
    """Please send again."""

    def wire(self) -> bytes:
        return NACK


@dataclass(frozen=True, slots=True)
class Refused:
    """The chip does not understand the command."""

    def wire(self) -> bytes:
        return frame(bytes((ERROR,)))


@dataclass(frozen=True, slots=True)
class Done:
    """The command was carried out; nothing more to say."""

    command: int

    def wire(self) -> bytes:
        return frame(bytes((FROM_CHIP, self.command + 1)))


@dataclass(frozen=True, slots=True)
class FirmwareVersion:
    """ic: 32h for a PN532. version, revision: the firmware's. support: bit 0 ISO 14443 A."""

    ic: int
    version: int
    revision: int
    support: int
    command: ClassVar[int] = Code.GET_FIRMWARE_VERSION

    def wire(self) -> bytes:
        told = (self.ic, self.version, self.revision, self.support)
        return frame(bytes((FROM_CHIP, 0x03, *told)))


@dataclass(frozen=True, slots=True)
class Target:
    """One tag. sens_res, sel_res: its ATQA and SAK. ats: its answer to select, if it gives one."""

    uid: Uid
    sens_res: int = 0x0044
    sel_res: int = 0x00
    ats: bytes = field(default=b"", repr=False)

    def wire(self, number: int) -> bytes:
        return (
            bytes((number, self.sens_res >> 8, self.sens_res & 0xFF, self.sel_res, len(self.uid)))
            + self.uid
            + self.ats
        )


@dataclass(frozen=True, slots=True)
class Targets:
    """The tags of an inventory."""

    found: tuple[Target, ...]
    command: ClassVar[int] = Code.IN_LIST_PASSIVE_TARGET

    def wire(self) -> bytes:
        told = b"".join(target.wire(i + 1) for i, target in enumerate(self.found))
        return frame(bytes((FROM_CHIP, 0x4B, len(self.found))) + told)


@dataclass(frozen=True, slots=True)
class OtherAnswer:
    """An answer of a form that this project does not know."""

    command: int
    data: bytes = field(repr=False)

    def wire(self) -> bytes:
        return frame(bytes((FROM_CHIP, self.command + 1 & 0xFF)) + self.data)


class Damage(StrEnum):
    """What was wrong with a stretch of bytes."""

    RUBBISH = "bytes that belong to no frame"
    HEADER = "a frame whose length does not match its complement"
    CHECKSUM = "a frame whose checksum does not match"
    EXTENDED = "a frame longer than anything that was asked"
    CUT = "a frame that was cut short"
    FOREIGN = "a frame that does not come from the chip"
    TARGETS = "an inventory whose tags cannot be told apart"


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that were not a message. What they were is kept nowhere."""

    damage: Damage


Answer = Done | FirmwareVersion | Targets | OtherAnswer | Refused
Reply = Answer | Acked | Nacked | BadFrame
Heard = Command | Acked | Nacked | BadFrame


def read_reply(payload: bytes) -> Reply:
    """The chip's message in TFI and data, at least one byte. Never raises."""
    if payload[0] == ERROR:
        return Refused()
    if payload[0] != FROM_CHIP or len(payload) < 2:
        return BadFrame(Damage.FOREIGN)
    command, data = payload[1] - 1 & 0xFF, payload[2:]
    if command == Code.IN_LIST_PASSIVE_TARGET:
        return _read_targets(data)
    if command == Code.GET_FIRMWARE_VERSION and len(data) == 4:
        return FirmwareVersion(*data)
    return OtherAnswer(command, data) if data else Done(command)


def _read_targets(data: bytes) -> Reply:
    bad = BadFrame(Damage.TARGETS)
    if not data or data[0] > MAX_TARGETS:
        return bad
    found: list[Target] = []
    at = 1
    for number in range(1, data[0] + 1):
        head = data[at : at + 5]
        if len(head) < 5 or head[0] != number:
            return bad
        sel_res, size = head[3], head[4]
        uid = Uid(data[at + 5 : at + 5 + size])
        if len(uid) != size or size not in UID_SIZES:
            return bad
        if size == 4 and uid[0] == CASCADE_TAG:
            return bad
        at += 5 + size
        ats = b""
        if sel_res & 0x20 and at < len(data):
            ats = data[at : at + data[at]]
            if not ats or len(ats) != data[at]:
                return bad
            at += len(ats)
        found.append(Target(uid, head[1] << 8 | head[2], sel_res, ats))
    return Targets(tuple(found)) if at == len(data) else bad


def read_command(payload: bytes) -> Heard:
    """The host's message in TFI and data; `OtherCommand` for whatever does not have the known
    form."""
    if payload[0] != TO_CHIP or len(payload) < 2:
        return BadFrame(Damage.FOREIGN)
    code, data = payload[1], payload[2:]
    if code == Code.GET_FIRMWARE_VERSION and not data:
        return GetFirmwareVersion()
    if code == Code.SAM_CONFIGURATION and data == b"\x01\x00\x00":
        return SamConfiguration()
    if code == Code.RF_CONFIGURATION and len(data) == 2 and data[0] == 0x01 and data[1] < 2:
        return RfField(bool(data[1]))
    if code == Code.RF_CONFIGURATION and len(data) == 4 and data[:3] == b"\x05\x01\x00":
        return MaxRetries(data[3])
    if code == Code.IN_LIST_PASSIVE_TARGET and len(data) == 2 and data[1] == 0x00:
        return InListPassiveTarget(data[0])
    return OtherCommand(code, data)


# ---- the stream ---------------------------------------------------------------------------------

M = TypeVar("M")


class Pn532Decoder(StreamDecoder[M | Acked | Nacked | BadFrame, BadFrame], Generic[M]):
    """Finds the frames in a stream, see `StreamDecoder`. read: TFI and data to message
    (`read_reply` at the host, `read_command` at the chip)."""

    def __init__(self, read: Callable[[bytes], M]) -> None:
        super().__init__()
        self._read = read

    def give_up(self) -> list[M | Acked | Nacked | BadFrame]:
        if not self._rest.strip(_FILLING):
            self._rest = b""  # a frame's last zero, which might have begun the next one
        return super().give_up()

    def _cut(self) -> BadFrame:
        return BadFrame(Damage.CUT)

    def _scan(self, buf: bytes, out: list[M | Acked | Nacked | BadFrame]) -> int:
        at, size = 0, len(buf)
        while at < size:
            start = buf.find(_START, at)
            if start < 0:
                end = size - 1 if buf[-1] == 0x00 else size
                self._between(out, buf[at:end])
                return end
            self._between(out, buf[at:start])
            end = self._frame(buf, start, out)
            if end < 0:
                return start
            at = end
        return size

    def _between(self, out: list[M | Acked | Nacked | BadFrame], junk: bytes) -> None:
        """Zeros and wake-up bytes may stand between frames; anything else is rubbish."""
        self._rubbish(out, BadFrame(Damage.RUBBISH), len(junk.translate(None, _FILLING)))

    def _frame(self, buf: bytes, at: int, out: list[M | Acked | Nacked | BadFrame]) -> int:
        """Reads the frame that begins at `at`. Returns where to go on, or -1 if it is
        unfinished."""
        if len(buf) < at + 4:
            return -1
        length, complement = buf[at + 2], buf[at + 3]
        if (length, complement) == (0x00, 0xFF):
            self._found(out, Acked())
            return at + 4
        if (length, complement) == (0xFF, 0x00):
            self._found(out, Nacked())
            return at + 4
        if (length, complement) == (0xFF, 0xFF):
            return self._extended(buf, at, out)
        if length == 0 or (length + complement) & 0xFF:
            self._spoilt(out, BadFrame(Damage.HEADER))
            return at + 1
        end = at + 4 + length
        if len(buf) <= end:
            return -1
        if sum(buf[at + 4 : end + 1]) & 0xFF:
            self._spoilt(out, BadFrame(Damage.CHECKSUM))
            return at + 1
        message = self._read(buf[at + 4 : end])
        if isinstance(message, BadFrame):
            self._spoilt(out, message, length + 5)
        else:
            self._found(out, message)
        return end + 1

    def _extended(self, buf: bytes, at: int, out: list[M | Acked | Nacked | BadFrame]) -> int:
        if len(buf) < at + 7:
            return -1
        length = buf[at + 4] << 8 | buf[at + 5]
        if sum(buf[at + 4 : at + 7]) & 0xFF or not 1 <= length <= MAX_EXTENDED:
            self._spoilt(out, BadFrame(Damage.HEADER))
            return at + 1
        end = at + 7 + length
        if len(buf) <= end:
            return -1
        if sum(buf[at + 7 : end + 1]) & 0xFF:
            self._spoilt(out, BadFrame(Damage.CHECKSUM))
            return at + 1
        self._spoilt(out, BadFrame(Damage.EXTENDED), end + 1 - at)
        return end + 1
