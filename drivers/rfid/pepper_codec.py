"""Eccel Pepper C1 and C1 MUX: bytes to messages and back. No ports, no clock.

A frame is ``F5 | LEN (2) | ~LEN (2) | PAYLOAD | CRC (2)``, numbers least significant byte first;
LEN counts payload and CRC; the CRC is CCITT-FALSE over the payload. Commands are ``code data``;
answers ``00 code data`` or ``FF code error``; unasked reports ``FE`` in a frame, or JSON objects in
bare UTF-8 between the frames, without a delimiter. The byte F5 occurs in no UTF-8 text, so it ends
whatever text it interrupts.
Source: the vendor's public Python package, its Home Assistant integration and its Arduino library.

UIDs travel in most of these bytes, so no message shows raw bytes in its repr.
"""

from __future__ import annotations

import json
import re
from binascii import crc_hqx
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from struct import Struct
from typing import ClassVar, Generic, TypeVar

from drivers.readings import Uid

STX = 0xF5
MAX_LEN = 1024
"""The longest LEN we believe; a longer one is rubbish that looks like a header."""
MAX_TEXT = 1024
"""The longest JSON object we wait for, bytes."""
MAX_UID = 16

_HEADER = Struct("<HH")
_CRC = Struct("<H")
_HEADS = [
    b"\xf5" + _HEADER.pack(size, size ^ 0xFFFF) if size > 2 else b"" for size in range(MAX_LEN + 1)
]


class Code(IntEnum):
    """Command codes that this project uses or emulates."""

    ACK = 0x00
    DUMMY = 0x01
    GET_TAG_COUNT = 0x02
    GET_UID = 0x03
    ACTIVATE_TAG = 0x04
    HALT = 0x05
    SET_POLLING = 0x06
    REBOOT = 0x0A
    GET_VERSION = 0x0B
    SET_ACTIVE_ANTENNA = 0x0F
    PROTO_CONFIG = 0x13
    LED = 0x14
    POLLING_SETUP = 0x16
    ASYNC = 0xFE
    ERROR = 0xFF


class PushFormat(IntEnum):
    """How a reader in polling mode reports a tag."""

    NONE = 0
    BINARY = 1
    TEXT = 2
    JSON = 3
    CUSTOM = 4


def frame(payload: bytes) -> bytes:
    """The payload (1 to 1,022 bytes) as it goes over the wire. Raises ValueError for another
    length."""
    size = len(payload) + 2
    if not 3 <= size <= MAX_LEN:
        raise ValueError(f"a Pepper frame carries 1 to {MAX_LEN - 2} bytes, not {len(payload)}")
    return _HEADS[size] + payload + _CRC.pack(crc_hqx(payload, 0xFFFF))


# ---- commands, host to reader ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dummy:
    """Asks for nothing but an answer."""

    code: ClassVar[int] = Code.DUMMY

    def wire(self) -> bytes:
        return frame(b"\x01")


@dataclass(frozen=True, slots=True)
class GetTagCount:
    """Switches the field on, takes one inventory, answers how many tags were told apart."""

    code: ClassVar[int] = Code.GET_TAG_COUNT

    def wire(self) -> bytes:
        return frame(b"\x02")


@dataclass(frozen=True, slots=True)
class GetUid:
    """The tag at this index (from 0) of the last inventory."""

    index: int
    code: ClassVar[int] = Code.GET_UID

    def wire(self) -> bytes:
        return frame(bytes((0x03, self.index)))


@dataclass(frozen=True, slots=True)
class ActivateTag:
    index: int
    code: ClassVar[int] = Code.ACTIVATE_TAG

    def wire(self) -> bytes:
        return frame(bytes((0x04, self.index)))


@dataclass(frozen=True, slots=True)
class Halt:
    """Halts the tag and switches the field off."""

    code: ClassVar[int] = Code.HALT

    def wire(self) -> bytes:
        return frame(b"\x05")


@dataclass(frozen=True, slots=True)
class SetPolling:
    """Starts or stops the reader's own polling, which pushes tags unasked."""

    on: bool
    code: ClassVar[int] = Code.SET_POLLING

    def wire(self) -> bytes:
        return frame(bytes((0x06, self.on)))


@dataclass(frozen=True, slots=True)
class Reboot:
    """Restarts the reader, which is deaf for a second."""

    code: ClassVar[int] = Code.REBOOT

    def wire(self) -> bytes:
        return frame(b"\x0a")


@dataclass(frozen=True, slots=True)
class GetVersion:
    code: ClassVar[int] = Code.GET_VERSION

    def wire(self) -> bytes:
        return frame(b"\x0b")


@dataclass(frozen=True, slots=True)
class SetActiveAntenna:
    """Switches a C1 MUX to the antenna at this port, 1 to 8."""

    port: int
    code: ClassVar[int] = Code.SET_ACTIVE_ANTENNA

    def wire(self) -> bytes:
        return frame(bytes((0x0F, self.port)))


@dataclass(frozen=True, slots=True)
class GetDeviceConfig:
    """Name and discovery switches of the reader."""

    code: ClassVar[int] = Code.PROTO_CONFIG

    def wire(self) -> bytes:
        return frame(b"\x13\x00")


@dataclass(frozen=True, slots=True)
class SetLed:
    """The reader's own lamp: colour 0-255 each, for this many milliseconds (0: stays)."""

    red: int
    green: int
    blue: int
    time_ms: int
    code: ClassVar[int] = Code.LED

    def wire(self) -> bytes:
        return frame(bytes((0x14, self.red, self.green, self.blue)) + _CRC.pack(self.time_ms))


@dataclass(frozen=True, slots=True)
class PollingTimeout:
    """Pause between two rounds of the reader's own polling, 0 to 65,535 ms."""

    timeout_ms: int
    code: ClassVar[int] = Code.POLLING_SETUP

    def wire(self) -> bytes:
        return frame(b"\x16\x03" + _CRC.pack(self.timeout_ms))


@dataclass(frozen=True, slots=True)
class PollingEvents:
    """How tags on the reader's own white list (`known`), or all others, are pushed."""

    known: bool
    format: int
    code: ClassVar[int] = Code.POLLING_SETUP

    def wire(self) -> bytes:
        return frame(bytes((0x16, 0x06, not self.known, self.format)))


@dataclass(frozen=True, slots=True)
class OtherCommand:
    """A command that this project does not use."""

    code: int
    data: bytes = field(repr=False)

    def wire(self) -> bytes:
        return frame(bytes((self.code,)) + self.data)


Command = (
    Dummy
    | GetTagCount
    | GetUid
    | ActivateTag
    | Halt
    | SetPolling
    | Reboot
    | GetVersion
    | SetActiveAntenna
    | GetDeviceConfig
    | SetLed
    | PollingTimeout
    | PollingEvents
    | OtherCommand
)

_PLAIN: dict[bytes, Command] = {
    b"\x01": Dummy(),
    b"\x02": GetTagCount(),
    b"\x05": Halt(),
    b"\x0a": Reboot(),
    b"\x0b": GetVersion(),
    b"\x13\x00": GetDeviceConfig(),
    b"\x06\x00": SetPolling(False),
    b"\x06\x01": SetPolling(True),
}


def read_command(payload: bytes) -> Command:
    """The command in a payload of at least one byte; `OtherCommand` for whatever does not have the
    known form."""
    plain = _PLAIN.get(payload)
    if plain is not None:
        return plain
    code, data = payload[0], payload[1:]
    if len(data) == 1:
        if code == Code.GET_UID:
            return GetUid(data[0])
        if code == Code.SET_ACTIVE_ANTENNA:
            return SetActiveAntenna(data[0])
        if code == Code.ACTIVATE_TAG:
            return ActivateTag(data[0])
    if code == Code.POLLING_SETUP and len(data) == 3:
        if data[0] == 0x03:
            return PollingTimeout(data[1] | data[2] << 8)
        if data[0] == 0x06 and data[1] < 2:
            return PollingEvents(known=data[1] == 0, format=data[2])
    if code == Code.LED and len(data) == 5:
        return SetLed(data[0], data[1], data[2], data[3] | data[4] << 8)
    return OtherCommand(code, data)


# ---- answers and reports, reader to host -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Done:
    """The command was carried out; nothing more to say."""

    command: int

    def wire(self) -> bytes:
        return frame(bytes((0x00, self.command)))


@dataclass(frozen=True, slots=True)
class TagCount:
    count: int
    command: ClassVar[int] = Code.GET_TAG_COUNT

    def wire(self) -> bytes:
        return frame(bytes((0x00, 0x02, self.count)))


@dataclass(frozen=True, slots=True)
class TagUid:
    """kind: the vendor's tag type (01 Ultralight, 21-28 ICODE, ...); param: SAK or DSFID; uid in
    wire order."""

    kind: int
    param: int
    uid: Uid
    command: ClassVar[int] = Code.GET_UID

    def wire(self) -> bytes:
        return frame(bytes((0x00, 0x03, self.kind, self.param)) + self.uid)


@dataclass(frozen=True, slots=True)
class Version:
    """Firmware, such as ``2.56.2249``."""

    text: str
    command: ClassVar[int] = Code.GET_VERSION

    def wire(self) -> bytes:
        return frame(b"\x00\x0b" + self.text.encode("ascii", "replace"))


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    mdns: bool
    udp: bool
    name: str
    command: ClassVar[int] = Code.PROTO_CONFIG

    def wire(self) -> bytes:
        name = self.name.encode()
        return frame(bytes((0x00, 0x13, 0x00, self.mdns, self.udp, len(name))) + name)


@dataclass(frozen=True, slots=True)
class Ack:
    """An answer of a form that this project does not know."""

    command: int
    data: bytes = field(repr=False)

    def wire(self) -> bytes:
        return frame(bytes((0x00, self.command)) + self.data)


@dataclass(frozen=True, slots=True)
class Failed:
    """The reader refused a command. `error` is opaque: the vendor's sources disagree on its byte
    order."""

    command: int
    error: bytes = field(repr=False)

    @property
    def shown(self) -> str:
        """The error code for a person: its first two bytes as they came, too few to be an
        identity."""
        return self.error[:2].hex() or "none"

    def wire(self) -> bytes:
        return frame(bytes((0xFF, self.command)) + self.error)


@dataclass(frozen=True, slots=True)
class UidPushed:
    """A tag reported unasked in a frame. It does not say which antenna."""

    kind: int
    param: int
    uid: Uid

    def wire(self) -> bytes:
        return frame(bytes((0xFE, 0x00, self.kind, self.param)) + self.uid)


@dataclass(frozen=True, slots=True)
class JsonPush:
    """A tag reported unasked as text. `antenna` is the reader's port, None where it was not
    said."""

    uid: Uid
    antenna: int | None = None
    kind_name: str = field(default="", repr=False)
    tag_index: int | None = None

    def wire(self) -> bytes:
        """The object without a delimiter, as the reader sends it."""
        body: dict[str, object] = {"type": "uid", "uid": self.uid.hex().upper()}
        if self.antenna is not None:
            body["antenna"] = self.antenna
        if self.kind_name:
            body["string"] = self.kind_name
        if self.tag_index is not None:
            body["tag_index"] = self.tag_index
        return json.dumps(body, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Notice:
    """A frame or object that reports something other than a tag."""

    kind: str


class Damage(StrEnum):
    """What was wrong with a stretch of bytes."""

    RUBBISH = "bytes that belong to no frame"
    HEADER = "a frame whose length does not match its complement"
    CRC = "a frame whose checksum does not match"
    EMPTY = "a frame without contents"
    CUT = "a frame or report that was cut short"
    TEXT = "a report that is not a JSON object"
    NO_UID = "a report of a tag without its identity"


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes that were not a message. What they were is kept nowhere."""

    damage: Damage


Answer = Done | TagCount | TagUid | Version | DeviceConfig | Ack | Failed
Push = UidPushed | JsonPush
Reply = Answer | Push | Notice | BadFrame


def read_reply(payload: bytes) -> Reply:
    """The reader's message in a payload of at least one byte. Never raises."""
    first = payload[0]
    if first == 0x00 and len(payload) >= 2:
        return _read_ack(payload)
    if first == Code.ERROR and len(payload) >= 2:
        return Failed(payload[1], payload[2:])
    if first == Code.ASYNC:
        if 5 <= len(payload) <= 4 + MAX_UID:
            return UidPushed(payload[2], payload[3], Uid(payload[4:]))
        return BadFrame(Damage.NO_UID)
    return Notice(f"frame {first:02X}")


def _read_ack(payload: bytes) -> Reply:
    command, size = payload[1], len(payload)
    if command == Code.GET_TAG_COUNT and size >= 3:
        return TagCount(payload[2])
    if command == Code.GET_UID and 5 <= size <= 4 + MAX_UID:
        return TagUid(payload[2], payload[3], Uid(payload[4:]))
    if command == Code.GET_VERSION and size >= 3:
        return Version(payload[2:].decode("ascii", "replace").rstrip("\x00"))
    if command == Code.PROTO_CONFIG and size >= 6 and payload[2] == 0 and size >= 6 + payload[5]:
        name = payload[6 : 6 + payload[5]].decode("utf-8", "replace")
        return DeviceConfig(bool(payload[3]), bool(payload[4]), name)
    if size == 2:
        return Done(command)
    return Ack(command, payload[2:])


def _read_text(text: bytes) -> Reply:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return BadFrame(Damage.TEXT)
    if not isinstance(body, dict):
        return BadFrame(Damage.TEXT)
    kind = body.get("type")
    if kind != "uid":
        plain = isinstance(kind, str) and kind.isalpha() and kind.isascii() and len(kind) <= 16
        return Notice(str(kind) if plain else "report")
    written = body.get("uid")
    try:
        uid = Uid(bytes.fromhex(re.sub("[: -]", "", written))) if isinstance(written, str) else None
    except ValueError:
        uid = None
    if not uid or len(uid) > MAX_UID:
        return BadFrame(Damage.NO_UID)
    antenna, index, name = body.get("antenna"), body.get("tag_index"), body.get("string")
    return JsonPush(
        uid,
        antenna if type(antenna) is int else None,
        name[:32] if isinstance(name, str) else "",
        index if type(index) is int else None,
    )


# ---- the stream --------------------------------------------------------------------------------

M = TypeVar("M")

_START = re.compile(rb"[\xf5{]")
_TEXT_TOKEN = re.compile(rb'"(?:[^"\\\xf5]|\\[^\xf5])*"?|[{}\xf5]', re.DOTALL)
_TEXT_OPENS = re.compile(rb"\{[ \t\r\n]*(.?)", re.DOTALL)
_SHORT = 24
_KEEP = 512
"""How many different short payloads keep their message, so that a table at rest builds none."""


class Decoder(Generic[M]):
    """Finds the messages in a stream of bytes that comes in any portions and may be damaged
    anywhere.

    read: payload to message (`read_reply` at the host, `read_command` at the reader).
    Never raises. Holds at most one unfinished frame or object. After damage it goes on at the next
    byte at which a frame or object can begin. The same bytes give the same messages however they
    are portioned. `skipped`: bytes that belonged to no message; `damaged`: stretches of bytes that
    were no frame and no object.
    """

    __slots__ = ("_frames", "_in_rubbish", "_known", "_read", "_rest", "damaged", "skipped")

    def __init__(self, read: Callable[[bytes], M]) -> None:
        self._read = read
        self._rest = b""
        self._known: dict[bytes, M] = {}
        self._frames: dict[bytes, M | Push | Notice | BadFrame] = {}
        self._in_rubbish = False
        self.skipped = 0
        self.damaged = 0

    @property
    def waiting(self) -> int:
        """Bytes held of an unfinished message."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[M | Push | Notice | BadFrame]:
        """The messages that these bytes complete, in order."""
        if self._rest:
            data = self._rest + data
        else:
            # In lock step a portion is one whole frame, mostly one that was checked before.
            message = self._frames.get(data)
            if message is not None:
                self._in_rubbish = False
                return [message]
        out: list[M | Push | Notice | BadFrame] = []
        end = self._scan(data, out)
        self._rest = data[end:]
        if len(out) == 1 and end == len(data) and end - 5 < _SHORT and self._is_frame(data):
            if len(self._frames) >= _KEEP:
                self._frames.clear()
            self._frames[data] = out[0]
        return out

    def _is_frame(self, data: bytes) -> bool:
        """Whether what has just been read without remainder is one frame and nothing around it."""
        return data[0] == STX and data[1] == len(data) - 5 and not self._in_rubbish

    def give_up(self) -> list[M | Push | Notice | BadFrame]:
        """No more bytes are coming for the unfinished message: drop its first byte, look behind
        it."""
        out: list[M | Push | Notice | BadFrame] = []
        while self._rest:
            rest, self._rest = self._rest, b""
            self._bad(out, Damage.CUT)
            self.skipped += 1
            self._rest = rest[1 + self._scan(rest[1:], out) :]
        return out

    def _bad(self, out: list[M | Push | Notice | BadFrame], damage: Damage) -> None:
        self.damaged += 1
        self._in_rubbish = True
        out.append(BadFrame(damage))

    def _scan(self, buf: bytes, out: list[M | Push | Notice | BadFrame]) -> int:
        """Appends what is complete in `buf`; returns where the unfinished rest begins."""
        known = self._known
        unpack = _HEADER.unpack_from
        crc_of = _CRC.unpack_from
        append = out.append
        at, size = 0, len(buf)
        while at < size:
            if buf[at] == STX:
                body = at + 5
                if body > size:
                    return at
                length, complement = unpack(buf, at + 1)
                if length ^ complement != 0xFFFF or not 2 < length <= MAX_LEN:
                    empty = length == 2 and length ^ complement == 0xFFFF
                    self._bad(out, Damage.EMPTY if empty else Damage.HEADER)
                    self.skipped += 1
                    at += 1
                    continue
                crc_at = at + 3 + length
                if crc_at + 2 > size:
                    return at
                payload = buf[body:crc_at]
                if crc_hqx(payload, 0xFFFF) != crc_of(buf, crc_at)[0]:
                    self._bad(out, Damage.CRC)
                    self.skipped += 1
                    at += 1
                    continue
                message = known.get(payload)
                if message is None:
                    message = self._read(payload)
                    if length < _SHORT:
                        if len(known) >= _KEEP:
                            known.clear()
                        known[payload] = message
                append(message)
                self._in_rubbish = False
                at = crc_at + 2
            elif buf[at] == 0x7B:
                end = self._text(buf, at, out)
                if end < 0:
                    return at
                at = end
            else:
                if not self._in_rubbish:
                    self._bad(out, Damage.RUBBISH)
                found = _START.search(buf, at)
                start = found.start() if found else size
                self.skipped += start - at
                at = start
        return size

    def _text(self, buf: bytes, at: int, out: list[M | Push | Notice | BadFrame]) -> int:
        """Reads the object that begins at `at`. Returns where to go on, or -1 if it is
        unfinished."""
        opening = _TEXT_OPENS.match(buf, at)
        first = opening[1] if opening else b""
        if first and first not in b'"}':
            if not self._in_rubbish:
                self._bad(out, Damage.RUBBISH)
            self.skipped += 1
            return at + 1
        depth = 0
        limit = at + MAX_TEXT
        for token in _TEXT_TOKEN.finditer(buf, at, min(len(buf), limit)):
            mark = token[0]
            if mark == b"{":
                depth += 1
            elif mark == b"}":
                depth -= 1
                if depth == 0:
                    return self._object(buf, at, token.end(), out)
            elif mark == b"\xf5":
                return self._cut(out, at)
        return self._cut(out, at) if len(buf) >= limit else -1

    def _object(
        self, buf: bytes, at: int, end: int, out: list[M | Push | Notice | BadFrame]
    ) -> int:
        message = _read_text(buf[at:end])
        if isinstance(message, BadFrame):
            self._bad(out, message.damage)
            self.skipped += end - at
        else:
            self._in_rubbish = False
            out.append(message)  # type: ignore[arg-type]
        return end

    def _cut(self, out: list[M | Push | Notice | BadFrame], at: int) -> int:
        self._bad(out, Damage.CUT)
        self.skipped += 1
        return at + 1
