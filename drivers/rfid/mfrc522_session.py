"""The conversation with one MFRC522: register accesses in order, ISO 14443 A told in them. No I/O.

A procedure is a generator: it yields SPI transfers and is sent what came back, or yields a `Pause`.
Whoever holds the port drives it (`drivers.rfid.mfrc522`, or a test in virtual time).

A look switches the field on, then selects and halts one tag after another until nobody answers, and
switches it off, which wakes all of them for the next look. Where two tags' bits collide, the branch
with a 1 is followed, then that with a 0. Two traps are met by never believing the chip alone: a UID
counts only if its tag answered to exactly that UID in SELECT (so bits lost or shifted between chip
and us name nobody), and checksums are computed here, behind the SPI lines, not in the chip.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeVar

from drivers.errors import DeviceSilentError, FirmwareUnknownError
from drivers.readings import Uid
from drivers.rfid.mfrc522_codec import (
    ANTENNA_OFF,
    ANTENNA_ON,
    BIT_S,
    CASCADE_TAG,
    COLL_POS_INVALID,
    FIFO_SIZE,
    FLUSH,
    SAK_CASCADE,
    START_SEND,
    TICK_S,
    Air,
    Cmd,
    Err,
    Irq,
    Reg,
    check_byte,
    crc_a,
    reading,
    writing,
)

T = TypeVar("T")

FIELD_ON_S = 0.005
"""A tag may take this long to wake in a field (ISO/IEC 14443-3, 6.2.1)."""
RESET_S = 0.05
DEAD_S = 0.03
"""A chip that does not answer is given this long, so that a passing disturbance loses nobody."""
ANSWER_S = 0.0011
"""The chip gives up waiting for a tag: one answers within 0.1 ms, and HLTA by 1 ms of silence."""
IRQ_READS = 60
POLL_S = 0.0001
"""The interrupt register is read so often and so many times; then the chip counts as hung."""
VERSIONS = {
    0x12: "a copy of an MFRC522",
    0x88: "FM17522 (a clone)",
    0x89: "FM17522E (a clone)",
    0x90: "MFRC522 v0.0",
    0x91: "MFRC522 v1.0",
    0x92: "MFRC522 v2.0",
    0xB2: "FM17522 (a clone)",
}
_T_MODE = 0x80
_T_PRESCALER = 0xA9
_TICKS = round(ANSWER_S / TICK_S)
_OURS = ((Reg.T_MODE, _T_MODE), (Reg.T_RELOAD_L, _TICKS & 0xFF), (Reg.MODE, 0x3D))
_ANY_IRQ = int(Irq.RX | Irq.IDLE | Irq.TIMER)
_DAMAGE = int(Err.OVERFLOW | Err.PARITY | Err.PROTOCOL)
_GAINS = {18: 0x00, 23: 0x10, 33: 0x40, 38: 0x50, 43: 0x60, 48: 0x70}


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait that many seconds."""

    seconds: float


Procedure = Generator[bytes | Pause, bytes, T]


@dataclass(frozen=True, slots=True)
class Mfrc522Settings:
    """How to talk to one chip. gain_db: of its receiver, one of 18, 23, 33, 38, 43, 48; a high gain
    is a calibration value, not "better". most: tags told apart before a look counts as noise.
    retries: how often an empty field is asked once more."""

    where: str = "reader"
    gain_db: int = 33
    most: int = 8
    retries: int = 1


@dataclass(slots=True)
class Mfrc522Counts:
    """What went wrong since the port was opened. restarts: the chip lost its settings. hung:
    commands that never ended. collisions: bits at which tags collided, the normal way to tell them
    apart. damaged: answers with a wrong checksum, parity or length. unconfirmed: UIDs to which no
    tag answered."""

    restarts: int = 0
    hung: int = 0
    collisions: int = 0
    damaged: int = 0
    unconfirmed: int = 0


class How(Enum):
    """How an exchange with the tags ended."""

    WHOLE = "whole"
    NOBODY = "nobody"
    COLLIDED = "collided"
    DAMAGED = "damaged"


class Heard(NamedTuple):
    """data: what the tags sent, filled up with zeros below `RxAlign`. bits: how many of the last
    byte count, 0: all. at: where the first collision was, as the chip counts; 0: it does not
    say."""

    how: How
    data: bytes = b""
    bits: int = 0
    at: int = 0


class _HungError(Exception):
    """The chip does not carry commands out."""


class Mfrc522Session:
    """One chip's conversation. version: what it says it is. silent_polls: looks in a row in which
    the chip itself did not answer."""

    def __init__(self, settings: Mfrc522Settings | None = None) -> None:
        self.settings = settings or Mfrc522Settings()
        self.counts = Mfrc522Counts()
        self.version = ""
        self.silent_polls = 0
        self._chip = -1

    def hello(self) -> Procedure[str]:
        """Reset the chip and set it up, field off; gives what it is. Raises DeviceSilentError,
        FirmwareUnknownError."""
        chip = yield from _read(Reg.VERSION)
        if chip in (0x00, 0xFF):
            raise DeviceSilentError(
                "no chip answers on its SPI bus",
                self.settings.where,
                "Check its power (3.3 V), that RST is high, MISO, MOSI, SCK and SDA (chip select), "
                "and that SPI is switched on (raspi-config).",
            )
        if chip not in VERSIONS:
            raise FirmwareUnknownError(
                f"its version register says {chip:02X}h, which no MFRC522 says",
                self.settings.where,
                "Shorten its wires and give it the bus alone: readers that share MISO disturb "
                "each other.",
            )
        self._chip = chip
        self.version = VERSIONS[chip]
        yield from self._set_up()
        return self.version

    def _set_up(self) -> Procedure[None]:
        yield writing(Reg.COMMAND, (Cmd.SOFT_RESET,))
        yield Pause(RESET_S)
        for register, value in (
            (Reg.TX_MODE, 0x00),
            (Reg.RX_MODE, 0x00),
            (Reg.MOD_WIDTH, 0x26),
            (Reg.T_MODE, _T_MODE),
            (Reg.T_PRESCALER, _T_PRESCALER),
            (Reg.T_RELOAD_H, _TICKS >> 8),
            (Reg.T_RELOAD_L, _TICKS & 0xFF),
            (Reg.TX_ASK, 0x40),
            (Reg.MODE, 0x3D),
            (Reg.COLL, 0x00),
            (Reg.RF_CFG, _GAINS[self.settings.gain_db]),
            (Reg.TX_CONTROL, ANTENNA_OFF),
        ):
            yield writing(register, (value,))

    def poll(self) -> Procedure[tuple[Uid, ...] | None]:
        """One look: the tags in the order in which they were told apart, or None if anything was
        not clean. The field is off afterwards."""
        if not (yield from self._alive()):
            self.silent_polls += 1
            yield Pause(DEAD_S)
            return None
        self.silent_polls = 0
        yield writing(Reg.TX_CONTROL, (ANTENNA_ON,))
        yield Pause(FIELD_ON_S)
        try:
            found = yield from self._tags()
        except _HungError:
            self.counts.hung += 1
            self.silent_polls += 1
            found = None
        yield writing(Reg.TX_CONTROL, (ANTENNA_OFF,))
        # What lay on the lines in between was as good as what lies there now.
        return found if (yield from self._alive()) else None

    def quiet(self) -> Procedure[bool]:
        """Field off."""
        yield writing(Reg.TX_CONTROL, (ANTENNA_OFF,))
        return (yield from _read(Reg.TX_CONTROL)) & 0x03 == 0

    def _alive(self) -> Procedure[bool]:
        """The chip says what it said at first, and still has its settings or has them again."""
        if (yield from _read(Reg.VERSION)) != self._chip:
            return False
        for register, value in _OURS:
            if (yield from _read(register)) != value:
                self.counts.restarts += 1
                yield from self._set_up()
                return False
        return True

    # -- ISO 14443 A -------------------------------------------------------------------------------

    def _tags(self) -> Procedure[tuple[Uid, ...] | None]:
        found: list[Uid] = []
        asked_again = 0
        while True:
            heard = yield from self._exchange(bytes((Air.REQA,)), last_bits=7)
            if heard.how is How.NOBODY:
                if found or asked_again >= self.settings.retries:
                    return tuple(found)
                asked_again += 1
                continue
            if heard.how is How.DAMAGED:
                self.counts.damaged += 1
                return None
            uid = yield from self._select()
            if uid is None or uid in found or len(found) >= self.settings.most:
                return None
            found.append(uid)
            halt = bytes((Air.HLTA, 0x00))
            yield from self._exchange(halt + crc_a(halt))

    def _select(self) -> Procedure[Uid | None]:
        """Tells one tag apart from the others and selects it, level by level."""
        uid = b""
        for level in (Air.SELECT_1, Air.SELECT_2, Air.SELECT_3):
            four = yield from self._tell_apart(level)
            if four is None:
                return None
            ask = bytes((level, 0x70)) + four + bytes((check_byte(four),))
            heard = yield from self._exchange(ask + crc_a(ask))
            if heard.how is How.NOBODY:
                self.counts.unconfirmed += 1
                return None
            sak = heard.data[:1]
            if heard.how is not How.WHOLE or heard.bits or heard.data != sak + crc_a(sak):
                self.counts.damaged += 1
                return None
            goes_on = bool(sak[0] & SAK_CASCADE)
            if goes_on != (four[0] == CASCADE_TAG):
                return None
            uid += four[1:] if goes_on else four
            if not goes_on:
                return Uid(uid)
        return None

    def _tell_apart(self, level: int) -> Procedure[bytes | None]:
        """The four bytes of one tag at this level. `known` bits of them are settled so far, the
        last of them maybe by our choice."""
        bits, known = 0, 0
        chosen = False  # the last known bit is a 1 of our choice; a 0 is still to be tried
        for _ in range(64):
            whole, odd = divmod(known, 8)
            sent = bits.to_bytes(5, "little")[: whole + bool(odd)]
            ask = bytes((level, 0x20 + (whole << 4) + odd)) + sent
            heard = yield from self._exchange(ask, last_bits=odd, align=odd)
            if heard.how is How.NOBODY and chosen:
                bits, chosen = bits & ~(1 << (known - 1)), False
                continue
            if heard.how not in (How.WHOLE, How.COLLIDED):
                self.counts.damaged += heard.how is How.DAMAGED
                return None
            told = int.from_bytes(bytes(whole) + heard.data, "little")
            mask = (1 << known) - 1
            if heard.how is How.WHOLE:
                if len(heard.data) + whole == 5 and not heard.bits:
                    five = (told & ~mask | bits).to_bytes(5, "little")
                    if five[4] == check_byte(five):
                        return five[:4]
                self.counts.damaged += 1
                return None
            self.counts.collisions += 1
            at = _settled_to(heard.at, known)
            if at is None:
                return None
            before = (1 << (at - 1)) - 1
            bits = (told & ~mask | bits) & before | 1 << (at - 1)
            known, chosen = at, True
        return None

    def _exchange(self, data: bytes, last_bits: int = 0, align: int = 0) -> Procedure[Heard]:
        """Send a frame, of whose last byte `last_bits` count (0: all), and hear the tags. Raises
        _HungError."""
        framing = align << 4 | last_bits
        yield writing(Reg.COMMAND, (Cmd.IDLE,))
        yield writing(Reg.COM_IRQ, (0x7F,))
        yield writing(Reg.FIFO_LEVEL, (FLUSH,))
        yield writing(Reg.FIFO_DATA, data)
        yield writing(Reg.BIT_FRAMING, (framing,))
        yield writing(Reg.COMMAND, (Cmd.TRANSCEIVE,))
        yield writing(Reg.BIT_FRAMING, (framing | START_SEND,))
        yield Pause(9 * len(data) * BIT_S)
        for _ in range(IRQ_READS):
            irq = yield from _read(Reg.COM_IRQ)
            if irq & _ANY_IRQ:
                break
            yield Pause(POLL_S)
        else:
            raise _HungError
        if not irq & ~Irq.TIMER & _ANY_IRQ:
            return Heard(How.NOBODY)
        error = yield from _read(Reg.ERROR)
        count = yield from _read(Reg.FIFO_LEVEL)
        if count > FIFO_SIZE or error & _DAMAGE:
            return Heard(How.DAMAGED)
        told = (yield reading(Reg.FIFO_DATA, count))[1:] if count else b""
        bits = (yield from _read(Reg.CONTROL)) & 0x07
        if error & Err.COLLISION:
            coll = yield from _read(Reg.COLL)
            at = 0 if coll & COLL_POS_INVALID else (coll & 0x1F) or 32
            return Heard(How.COLLIDED, told, bits, at)
        return Heard(How.WHOLE, told, bits) if told else Heard(How.DAMAGED)


def _read(register: int) -> Procedure[int]:
    told = yield reading(register)
    return told[1] if len(told) > 1 else 0xFF


def _settled_to(at: int, known: int) -> int | None:
    """The earliest bit of the level, from 1, at which the collision can have been. The data sheet
    counts "in a received frame"; chips and their clones differ in whether the bits that we sent
    count along. The earliest reading is safe: bits before it are as received, and if the collision
    was later, one branch is empty and the other goes on."""
    counted = (at, known // 8 * 8 + at, known + at)
    later = [position for position in counted if known < position <= 32]
    return min(later, default=None) if at else None
