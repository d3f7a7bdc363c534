"""The messages of the link: one frozen value each, and its body as bytes (PROTOCOL.md, "Kinds").

A message checks itself when it is made, by the same limits whether it was read or is to be sent.
"""

from __future__ import annotations

import string
import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import ClassVar, NamedTuple, Self

LOWEST = HIGHEST = 1
"""Versions of the protocol that this package speaks."""

BODY_LIMIT = 112
SERIAL_BYTES = 16
SEATS = 11
KEYS = 8
COUNTS_LIMIT = 1023

_VISIBLE = frozenset(string.printable) - frozenset(string.whitespace)


class Kind(IntEnum):
    HELLO = 0x01
    PING = 0x02
    SNAPSHOT_PLEASE = 0x03
    LAMPS = 0x04
    PIXELS = 0x05
    SETTINGS = 0x06
    THRESHOLD = 0x07
    KEEP = 0x08
    ANALOG_PLEASE = 0x09
    ACK = 0x10
    AGAIN = 0x11
    IDENTITY = 0x81
    PONG = 0x82
    BOOTED = 0x83
    SEATS = 0x84
    BUTTONS = 0x85
    KEY = 0x86
    FAULT = 0x87
    SNAPSHOT = 0x88
    ANALOG = 0x89
    KEPT = 0x8A
    REFUSED = 0x8B


class Misfit(IntEnum):
    """Why a body does not fit, as REFUSED says it."""

    UNKNOWN_KIND = 1
    WRONG_LENGTH = 2
    OUT_OF_RANGE = 3


class MisfitError(ValueError):
    """A body that does not fit its kind. detail: where in the body, see PROTOCOL.md, REFUSED."""

    def __init__(self, reason: Misfit, detail: int, what: str) -> None:
        super().__init__(what)
        self.reason = reason
        self.detail = detail


class Pattern(IntEnum):
    """How a lamp at a seat is lit; the board keeps the time."""

    STEADY = 0
    SLOW = 1
    FAST = 2
    DOUBLE = 3
    WINK = 4
    GAP = 5


class Lamp(NamedTuple):
    """Colour, 0 to 255 each, and pattern of one lamp."""

    red: int
    green: int
    blue: int
    pattern: int = Pattern.STEADY


class Sensor(IntEnum):
    """What a seat's sensor is; analogue ones have a threshold."""

    NONE = 0
    CLOSED_IS_OCCUPIED = 1
    OPEN_IS_OCCUPIED = 2
    HIGH_IS_OCCUPIED = 3
    LOW_IS_OCCUPIED = 4


class Kept(IntEnum):
    """What the board's memory is told to keep."""

    SETTINGS = 1
    SERIAL = 2


class Why(IntEnum):
    """Why a snapshot was sent."""

    START = 0
    ASKED = 1
    GAP = 2


class Flag(IntFlag):
    """What a board has."""

    ANALOG_SEATS = 1
    LED_BOARD = 2
    LAMPS = 4
    THRESHOLDS_KEPT = 8
    SERIAL_KEPT = 16


class Fault(IntFlag):
    COPY_A_DAMAGED = 1
    COPY_B_DAMAGED = 2
    MEMORY_LOST = 4
    SENSOR_CUT = 8
    BYTES_LOST = 16
    WATCHDOG = 32


class Field(NamedTuple):
    """A limited field: its name, its place in the body, the least and the greatest value."""

    name: str
    place: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Message:
    """A message whose body is a row of whole numbers. Making one that is out of range raises
    MisfitError."""

    KIND: ClassVar[Kind]
    NUMBERED: ClassVar[bool] = False
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")
    LIMITS: ClassVar[tuple[Field, ...]] = ()

    def __post_init__(self) -> None:
        for name, place, least, most in self.LIMITS:
            if not least <= getattr(self, name) <= most:
                raise out_of_range(self.KIND, name, place)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The fields' names, in order."""
        found: tuple[str, ...] = cls.__match_args__
        return found

    def body(self) -> bytes:
        """Raises MisfitError for a number that its field cannot hold."""
        values = [getattr(self, name) for name in self.names()]
        try:
            return self.LAYOUT.pack(*values)
        except struct.error as error:
            raise MisfitError(Misfit.OUT_OF_RANGE, 0, f"{self.KIND.name}: {error}") from None

    @classmethod
    def read(cls, body: bytes) -> Self:
        """Raises MisfitError."""
        need(cls.KIND, body, cls.LAYOUT.size)
        return cls(*cls.LAYOUT.unpack_from(body))

    def fields_text(self) -> str:
        """The fields as vectors.txt has them: name=value, with blanks between."""
        return " ".join(f"{name}={_text(name, getattr(self, name))}" for name in self.names())


def out_of_range(kind: Kind, name: str, place: int) -> MisfitError:
    return MisfitError(Misfit.OUT_OF_RANGE, place, f"{kind.name}: {name} is out of range")


def need(kind: Kind, body: bytes, size: int) -> None:
    if len(body) < size:
        raise MisfitError(
            Misfit.WRONG_LENGTH, len(body), f"{kind.name}: {len(body)} of {size} bytes"
        )


def _text(name: str, value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str):
        return value or "-"
    if isinstance(value, tuple):
        if name == "lamps":
            return b"".join(map(bytes, value)).hex()
        return ",".join(map(str, value))
    return str(int(value))  # type: ignore[call-overload]


def serial_bytes(serial: str) -> bytes:
    return serial.encode("ascii").ljust(SERIAL_BYTES, b"\0")


def serial_text(kind: Kind, raw: bytes, place: int) -> str:
    """Raises MisfitError, with the place in the body of the first byte that is wrong."""
    text, _, filling = raw.partition(b"\0")
    wrong = [n for n, byte in enumerate(text) if chr(byte) not in _VISIBLE]
    wrong += [len(text) + 1 + n for n, byte in enumerate(filling) if byte]
    if wrong:
        raise out_of_range(kind, "serial", place + wrong[0])
    return text.decode("ascii")


def check_serial(kind: Kind, serial: str, place: int) -> None:
    """Raises MisfitError."""
    if len(serial) > SERIAL_BYTES or not _VISIBLE.issuperset(serial):
        raise out_of_range(kind, "serial", place)


# -- from the host ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello(Message):
    lowest: int = LOWEST
    highest: int = HIGHEST

    KIND: ClassVar[Kind] = Kind.HELLO
    SIGN: ClassVar[bytes] = b"BT"

    def __post_init__(self) -> None:
        if self.lowest > self.highest:
            raise out_of_range(self.KIND, "highest", 3)

    def body(self) -> bytes:
        return self.SIGN + bytes((self.lowest, self.highest))

    @classmethod
    def read(cls, body: bytes) -> Self:
        need(cls.KIND, body, 4)
        for place, byte in enumerate(cls.SIGN):
            if body[place] != byte:
                raise out_of_range(cls.KIND, "sign", place)
        return cls(body[2], body[3])


@dataclass(frozen=True, slots=True)
class Ping(Message):
    token: int

    KIND: ClassVar[Kind] = Kind.PING
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class SnapshotPlease(Message):
    KIND: ClassVar[Kind] = Kind.SNAPSHOT_PLEASE
    NUMBERED: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Lamps(Message):
    """Lamps in a row, from that of seat `first` on; the others stay as they are."""

    first: int
    lamps: tuple[Lamp, ...]

    KIND: ClassVar[Kind] = Kind.LAMPS
    NUMBERED: ClassVar[bool] = True

    def __post_init__(self) -> None:
        size = 1 + 4 * len(self.lamps)
        if not self.lamps or size > BODY_LIMIT:
            raise MisfitError(Misfit.WRONG_LENGTH, size, f"LAMPS: {len(self.lamps)} lamps")
        if self.first < 1:
            raise out_of_range(self.KIND, "first", 0)
        for n, lamp in enumerate(self.lamps):
            if not 0 <= lamp.pattern <= Pattern.GAP:
                raise out_of_range(self.KIND, "pattern", 4 + 4 * n)

    def body(self) -> bytes:
        return bytes((self.first,)) + b"".join(map(bytes, self.lamps))

    @classmethod
    def read(cls, body: bytes) -> Self:
        if len(body) < 5 or (len(body) - 1) % 4:
            raise MisfitError(Misfit.WRONG_LENGTH, len(body), f"LAMPS: {len(body)} bytes")
        return cls(body[0], tuple(Lamp(*body[n : n + 4]) for n in range(1, len(body), 4)))


@dataclass(frozen=True, slots=True)
class Pixels(Message):
    """brightness: 0 to 15. pixels: row by row, leftmost lamp in the highest bit."""

    brightness: int
    pixels: bytes

    KIND: ClassVar[Kind] = Kind.PIXELS
    NUMBERED: ClassVar[bool] = True
    LIMITS: ClassVar[tuple[Field, ...]] = (Field("brightness", 0, 0, 15),)

    def __post_init__(self) -> None:
        size = 1 + len(self.pixels)
        if not 1 < size <= BODY_LIMIT:
            raise MisfitError(Misfit.WRONG_LENGTH, size, f"PIXELS: {len(self.pixels)} bytes")
        Message.__post_init__(self)

    def body(self) -> bytes:
        return bytes((self.brightness,)) + self.pixels

    @classmethod
    def read(cls, body: bytes) -> Self:
        need(cls.KIND, body, 2)
        return cls(body[0], body[1:])


@dataclass(frozen=True, slots=True)
class Settings(Message):
    """How long a changed contact must hold, and how bright the lamps are, 0 to 255."""

    key_hold_ms: int = 5
    button_hold_ms: int = 200
    seat_hold_ms: int = 300
    lamp_brightness: int = 255

    KIND: ClassVar[Kind] = Kind.SETTINGS
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BHHB")
    LIMITS: ClassVar[tuple[Field, ...]] = (
        Field("key_hold_ms", 0, 1, 255),
        Field("button_hold_ms", 1, 1, 10_000),
        Field("seat_hold_ms", 3, 1, 10_000),
    )


@dataclass(frozen=True, slots=True)
class Threshold(Message):
    """What a seat's sensor is. leave, enter: ADC counts, for analogue ones."""

    seat: int
    sensor: int
    leave: int = 0
    enter: int = 0

    KIND: ClassVar[Kind] = Kind.THRESHOLD
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBHH")
    LIMITS: ClassVar[tuple[Field, ...]] = (
        Field("seat", 0, 1, SEATS),
        Field("sensor", 1, 0, Sensor.LOW_IS_OCCUPIED),
    )
    COUNTS: ClassVar[tuple[Field, ...]] = (
        Field("leave", 2, 0, COUNTS_LIMIT),
        Field("enter", 4, 0, COUNTS_LIMIT),
    )

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        if self.sensor < Sensor.HIGH_IS_OCCUPIED:
            return
        for name, place, least, most in self.COUNTS:
            if not least <= getattr(self, name) <= most:
                raise out_of_range(self.KIND, name, place)
        high = self.sensor == Sensor.HIGH_IS_OCCUPIED
        if self.leave == self.enter or (self.leave < self.enter) is not high:
            raise out_of_range(self.KIND, "leave", 2)


@dataclass(frozen=True, slots=True)
class Keep(Message):
    """what: see `Kept`. serial: up to 16 visible ASCII characters, with SERIAL; none take it
    away."""

    what: int
    serial: str = ""

    KIND: ClassVar[Kind] = Kind.KEEP
    NUMBERED: ClassVar[bool] = True
    LIMITS: ClassVar[tuple[Field, ...]] = (Field("what", 0, Kept.SETTINGS, Kept.SERIAL),)

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        check_serial(self.KIND, self.serial, 1)

    def body(self) -> bytes:
        return bytes((self.what,)) + (
            serial_bytes(self.serial) if self.what == Kept.SERIAL else b""
        )

    @classmethod
    def read(cls, body: bytes) -> Self:
        need(cls.KIND, body, 1)
        if body[0] != Kept.SERIAL:
            return cls(body[0])
        need(cls.KIND, body, 1 + SERIAL_BYTES)
        return cls(body[0], serial_text(cls.KIND, body[1 : 1 + SERIAL_BYTES], 1))

    def fields_text(self) -> str:
        serial = f" serial={self.serial or '-'}" if self.what == Kept.SERIAL else ""
        return f"what={int(self.what)}{serial}"


@dataclass(frozen=True, slots=True)
class AnalogPlease(Message):
    """Send ANALOG every so many milliseconds; 0: no more."""

    period_ms: int

    KIND: ClassVar[Kind] = Kind.ANALOG_PLEASE
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<H")

    def __post_init__(self) -> None:
        if 0 < self.period_ms < 20:
            raise out_of_range(self.KIND, "period_ms", 0)


# -- from either -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ack(Message):
    KIND: ClassVar[Kind] = Kind.ACK


@dataclass(frozen=True, slots=True)
class Again(Message):
    KIND: ClassVar[Kind] = Kind.AGAIN


# -- from the board --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Identity(Message):
    """Who the board is, what it has, and the first session since its start (`since`)."""

    lowest: int
    highest: int
    major: int
    minor: int
    patch: int
    reset_cause: int
    serial: str
    seats: int
    button_sensors: int
    keys: int
    lamps: int
    columns: int
    rows: int
    flags: int
    since: int

    KIND: ClassVar[Kind] = Kind.IDENTITY
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<6B16s6BHH")

    def __post_init__(self) -> None:
        check_serial(self.KIND, self.serial, 6)

    def body(self) -> bytes:
        values = [getattr(self, name) for name in self.names()]
        values[6] = serial_bytes(self.serial)
        return self.LAYOUT.pack(*values)

    @classmethod
    def read(cls, body: bytes) -> Self:
        need(cls.KIND, body, cls.LAYOUT.size)
        values = list(cls.LAYOUT.unpack_from(body))
        values[6] = serial_text(cls.KIND, values[6], 6)
        return cls(*values)


@dataclass(frozen=True, slots=True)
class Pong(Message):
    """time: the board's microseconds, as in every message that has it."""

    token: int
    time: int

    KIND: ClassVar[Kind] = Kind.PONG
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class Booted(Message):
    lowest: int
    highest: int
    major: int
    minor: int
    patch: int
    reset_cause: int

    KIND: ClassVar[Kind] = Kind.BOOTED
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<6B")


@dataclass(frozen=True, slots=True)
class SeatsChanged(Message):
    time: int
    occupied: int
    known: int

    KIND: ClassVar[Kind] = Kind.SEATS
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IHH")


@dataclass(frozen=True, slots=True)
class ButtonsChanged(Message):
    time: int
    sensed: int

    KIND: ClassVar[Kind] = Kind.BUTTONS
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IH")


@dataclass(frozen=True, slots=True)
class KeyMoved(Message):
    """presses: how often this key was pressed since the board's start, modulo 256."""

    time: int
    key: int
    pressed: int
    presses: int

    KIND: ClassVar[Kind] = Kind.KEY
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IBBB")
    LIMITS: ClassVar[tuple[Field, ...]] = (Field("key", 4, 1, KEYS), Field("pressed", 5, 0, 1))


@dataclass(frozen=True, slots=True)
class FaultsChanged(Message):
    time: int
    faults: int

    KIND: ClassVar[Kind] = Kind.FAULT
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IH")


@dataclass(frozen=True, slots=True)
class Snapshot(Message):
    """Everything as it is. lost: changes dropped before it, with reason GAP."""

    time: int
    reason: int
    lost: int
    occupied: int
    known: int
    buttons: int
    keys: int
    faults: int
    presses: tuple[int, ...]

    KIND: ClassVar[Kind] = Kind.SNAPSHOT
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IB6H8B")
    LIMITS: ClassVar[tuple[Field, ...]] = (Field("reason", 4, 0, Why.GAP),)

    def body(self) -> bytes:
        plain = (self.time, self.reason, self.lost, self.occupied, self.known)
        return self.LAYOUT.pack(*plain, self.buttons, self.keys, self.faults, *self.presses)

    @classmethod
    def read(cls, body: bytes) -> Self:
        need(cls.KIND, body, cls.LAYOUT.size)
        values = cls.LAYOUT.unpack_from(body)
        time, reason, lost, occupied, known, buttons, keys, faults, *presses = values
        return cls(time, reason, lost, occupied, known, buttons, keys, faults, tuple(presses))


@dataclass(frozen=True, slots=True)
class Analog(Message):
    """counts: what the ADC reads at each seat, 0 to 1023."""

    time: int
    counts: tuple[int, ...]

    KIND: ClassVar[Kind] = Kind.ANALOG
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<I11H")

    def body(self) -> bytes:
        return self.LAYOUT.pack(self.time, *self.counts)

    @classmethod
    def read(cls, body: bytes) -> Self:
        need(cls.KIND, body, cls.LAYOUT.size)
        values = cls.LAYOUT.unpack_from(body)
        return cls(values[0], values[1:])


@dataclass(frozen=True, slots=True)
class KeptSaid(Message):
    """result: 0 done, 1 the memory does not hold it."""

    what: int
    result: int

    KIND: ClassVar[Kind] = Kind.KEPT
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB")
    LIMITS: ClassVar[tuple[Field, ...]] = (
        Field("what", 0, Kept.SETTINGS, Kept.SERIAL),
        Field("result", 1, 0, 1),
    )


@dataclass(frozen=True, slots=True)
class Refused(Message):
    kind: int
    reason: int
    detail: int

    KIND: ClassVar[Kind] = Kind.REFUSED
    NUMBERED: ClassVar[bool] = True
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBB")
    LIMITS: ClassVar[tuple[Field, ...]] = (
        Field("reason", 1, Misfit.UNKNOWN_KIND, Misfit.OUT_OF_RANGE),
    )


OF_KIND: dict[int, type[Message]] = {
    cls.KIND: cls
    for cls in (
        *(Hello, Ping, SnapshotPlease, Lamps, Pixels, Settings, Threshold, Keep, AnalogPlease),
        *(Ack, Again),
        *(Identity, Pong, Booted, SeatsChanged, ButtonsChanged, KeyMoved, FaultsChanged),
        *(Snapshot, Analog, KeptSaid, Refused),
    )
}


def read(kind: int, seq: int, body: bytes) -> Message:
    """The message of a body.

    Raises:
        MisfitError: an unknown kind, a number where none belongs or none where one does, a body
            that does not fit.
    """
    cls = OF_KIND.get(kind)
    if cls is None:
        raise MisfitError(Misfit.UNKNOWN_KIND, 0, f"kind {kind}")
    if cls.NUMBERED is (seq == 0):
        raise out_of_range(cls.KIND, "seq", 0)
    return cls.read(body)
