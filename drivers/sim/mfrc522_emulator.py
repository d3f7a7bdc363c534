"""An MFRC522 without hardware: SPI transfers in and out at register level, time as an argument, and
tags of ISO 14443 A in its field that answer bit by bit and collide.

Modelled: the registers that a reader of UIDs uses, the FIFO with its overflow, the CRC coprocessor,
bit framing and alignment, the timer, the interrupt bits, collisions with their position, and reset.
Not modelled: analogue behaviour, other protocols, power-down. A tag is what the ISO standard says:
idle, ready at a level, active, or halted, and forgets it all without a field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Literal

from drivers.readings import Uid
from drivers.rfid.mfrc522_codec import (
    BIT_S,
    CASCADE_TAG,
    COLL_POS_INVALID,
    FIFO_SIZE,
    FLUSH,
    SAK_CASCADE,
    START_SEND,
    Air,
    Cmd,
    Err,
    Irq,
    Reg,
    check_byte,
    crc_a,
)
from drivers.sim.pepper_emulator import Ether, FieldModel

Counting = Literal["frame", "byte", "level"]
"""What a collision's position counts from: the first received bit, the byte that `RxAlign` opens,
or the first bit of the cascade level."""

ANSWER_AFTER_S = 91e-6
_DEFAULTS: dict[int, int] = {
    Reg.COMMAND: 0x20,
    Reg.COM_IRQ: 0x14,
    Reg.COLL: 0x80,
    Reg.CONTROL: 0x10,
    Reg.MODE: 0x3F,
    Reg.TX_CONTROL: 0x80,
    Reg.CRC_RESULT_H: 0xFF,
    Reg.CRC_RESULT_L: 0xFF,
    Reg.MOD_WIDTH: 0x26,
    Reg.RF_CFG: 0x48,
}
_PRESETS = (0x0000, 0x6363, 0xA671, 0xFFFF)
_LEVELS = (Air.SELECT_1, Air.SELECT_2, Air.SELECT_3)
_CRC_ON = 0x80


class Mfrc522Fault(StrEnum):
    """What can go wrong between a healthy field and us. SHIFTED: every byte read comes a bit late,
    as on a shared MISO line. DEAD_LOW, DEAD_HIGH: the line is stuck. HUNG: commands never end.
    RESET: a dip of the supply; settings are gone. BIT_FLIP: a bit of a tag's answer is lost on the
    way from the chip."""

    SHIFTED = "shifted bits"
    DEAD_LOW = "line stuck low"
    DEAD_HIGH = "line stuck high"
    HUNG = "hung command"
    RESET = "chip reset"
    BIT_FLIP = "bit flip"


def levels(uid: bytes) -> tuple[bytes, ...]:
    """The four bytes of a UID (4, 7 or 10 bytes) at each cascade level."""
    tag = bytes((CASCADE_TAG,))
    if len(uid) == 4:
        return (uid,)
    if len(uid) == 7:
        return (tag + uid[:3], uid[3:])
    if len(uid) == 10:
        return (tag + uid[:3], tag + uid[3:6], uid[6:])
    raise ValueError(f"a UID of ISO 14443 A has 4, 7 or 10 bytes, not {len(uid)}")


class _Tag:
    """One tag in the field."""

    def __init__(self, uid: Uid) -> None:
        self._levels = levels(uid)
        self._atqa = {4: b"\x04\x00", 7: b"\x44\x00", 10: b"\x84\x00"}[len(uid)]
        self._state: Literal["idle", "ready", "active", "halt"] = "idle"
        self._home: Literal["idle", "halt"] = "idle"
        self._level = 0

    def hear(self, data: bytes, bits: int) -> list[int] | None:
        """A frame, of whose last byte `bits` count (0: all). Gives the bits of the answer."""
        if bits == 7 and len(data) == 1:
            return self._request(data[0])
        if self._state == "ready" and len(data) >= 2 and data[0] == _LEVELS[self._level]:
            return self._at_level(data, bits)
        if self._state == "active" and data == _HALT:
            self._state, self._home = "halt", "halt"
            return None
        if self._state in ("ready", "active"):
            self._state = self._home
        return None

    def _request(self, command: int) -> list[int] | None:
        woken = command == Air.WUPA and self._state == "halt"
        if not woken and (self._state != "idle" or command not in (Air.REQA, Air.WUPA)):
            if self._state in ("ready", "active"):
                self._state = self._home
            return None
        self._state, self._level = "ready", 0
        return _bits(self._atqa)

    def _at_level(self, data: bytes, bits: int) -> list[int] | None:
        four = self._levels[self._level]
        whole = four + bytes((check_byte(four),))
        nvb = data[1]
        if nvb == 0x70:
            if bits or data[2:7] != whole or data[7:] != crc_a(data[:7]):
                self._state = self._home
                return None
            last = self._level == len(self._levels) - 1
            self._level += not last
            if last:
                self._state = "active"
            sak = bytes((0x00 if last else SAK_CASCADE,))
            return _bits(sak + crc_a(sak))
        known = (nvb >> 4) * 8 + (nvb & 0x07) - 16
        if nvb & 0x07 != bits or not 0 <= known < 32:
            return None
        mine = _bits(whole)
        return mine[known:] if _bits(data[2:])[:known] == mine[:known] else None


_HALT = bytes((Air.HLTA, 0x00)) + crc_a(bytes((Air.HLTA, 0x00)))


def _bits(data: bytes) -> list[int]:
    """Least significant bit first, as on the air."""
    return [byte >> i & 1 for byte in data for i in range(8)]


def _bytes(bits: Sequence[int]) -> bytes:
    return bytes(
        sum(bit << i for i, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8)
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the receiver makes of all tags together."""

    bits: tuple[int, ...]
    collision: int
    error: Err


def _together(answers: Sequence[Sequence[int]], keep: bool) -> _Answer:
    """All answers at once. The first bit in which they differ is the collision (from 1; 0: none);
    what comes behind it is one tag over the other, or zeros unless `keep`."""
    longest = max(map(len, answers))
    collision = 0
    out: list[int] = []
    for i in range(longest):
        here = [answer[i] for answer in answers if i < len(answer)]
        if not collision and (len(set(here)) > 1 or len(here) < len(answers)):
            collision = i + 1
        out.append(max(here) if not collision or keep else 0)
    return _Answer(tuple(out), collision, Err.COLLISION if collision else Err(0))


class Mfrc522Emulator:
    """One emulated chip. field: what its antenna, of this number at the table, reads; it is asked
    once each time that the transmitter goes on and speaks. counting: how this chip counts a
    collision. version: its version register."""

    def __init__(
        self,
        field: FieldModel,
        antenna: int,
        *,
        version: int = 0x92,
        counting: Counting = "frame",
        name: str = "reader 1",
        ether: Ether | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self.plugged = True
        self.looks = 0
        self.ether = ether or Ether()
        self._field = field
        self._antenna = antenna
        self._counting: Counting = counting
        self._faults: dict[Mfrc522Fault, float] = {}
        self._power_up()

    def _power_up(self) -> None:
        self._regs = dict(_DEFAULTS)
        self._fifo = bytearray()
        self._tags: list[_Tag] | None = None
        self._corrupt = False
        self._on_since = 0.0
        self._due: tuple[float, _Answer | None, int] | None = None
        self.ether.off(self.name)

    # -- the bus -----------------------------------------------------------------------------------

    def transfer(self, data: bytes, now: float) -> bytes:
        """One transfer with the chip selected: as many bytes back as go in."""
        told = self._access(data, now) if self.plugged else bytes(len(data))
        if now < self._faults.get(Mfrc522Fault.SHIFTED, -inf):
            return (int.from_bytes(told, "big") >> 1).to_bytes(len(told), "big")
        if now < self._faults.get(Mfrc522Fault.DEAD_LOW, -inf):
            return bytes(len(told))
        if now < self._faults.get(Mfrc522Fault.DEAD_HIGH, -inf):
            return b"\xff" * len(told)
        return told

    def _access(self, data: bytes, now: float) -> bytes:
        self._go_on(now)
        if not data:
            return b""
        if not data[0] & 0x80:
            for value in data[1:]:
                self._write(data[0] >> 1, value, now)
            return bytes(len(data))
        return bytes((0, *(self._read(address >> 1 & 0x3F, now) for address in data[:-1])))

    def _read(self, register: int, now: float) -> int:
        match register:
            case Reg.FIFO_DATA:
                value = self._fifo.pop(0) if self._fifo else 0
                if len(self._fifo) == 2 and now < self._faults.get(Mfrc522Fault.BIT_FLIP, -inf):
                    value ^= 0x04
                return value
            case Reg.FIFO_LEVEL:
                return len(self._fifo)
            case Reg.VERSION:
                return self.version
            case _:
                return self._regs.get(register, 0)

    def _write(self, register: int, value: int, now: float) -> None:
        match register:
            case Reg.FIFO_DATA:
                if len(self._fifo) < FIFO_SIZE:
                    self._fifo.append(value)
                else:
                    self._regs[Reg.ERROR] = self._regs.get(Reg.ERROR, 0) | Err.OVERFLOW
            case Reg.FIFO_LEVEL:
                if value & FLUSH:
                    self._fifo.clear()
                    self._regs[Reg.ERROR] = self._regs.get(Reg.ERROR, 0) & ~Err.OVERFLOW
            case Reg.COM_IRQ | Reg.DIV_IRQ:
                before = self._regs.get(register, 0)
                self._regs[register] = before | value & 0x7F if value & 0x80 else before & ~value
            case Reg.COMMAND:
                self._command(value & 0x0F, now)
            case Reg.BIT_FRAMING:
                self._regs[register] = value & ~START_SEND
                if value & START_SEND and self._regs[Reg.COMMAND] == Cmd.TRANSCEIVE:
                    self._send(now)
            case Reg.TX_CONTROL:
                self._transmit(value, now)
            case Reg.COLL:
                self._regs[register] = self._regs.get(register, 0) & 0x7F | value & 0x80
            case Reg.VERSION | Reg.ERROR | Reg.CRC_RESULT_H | Reg.CRC_RESULT_L | Reg.CONTROL:
                pass  # read only
            case _:
                self._regs[register] = value

    # -- commands ----------------------------------------------------------------------------------

    def _command(self, command: int, now: float) -> None:
        self._due = None
        if command == Cmd.SOFT_RESET:
            self._power_up()
            return
        self._regs[Reg.COMMAND] = command
        if command == Cmd.CALC_CRC:
            crc = self._crc(bytes(self._fifo), self._regs[Reg.MODE])
            self._fifo.clear()
            self._regs[Reg.CRC_RESULT_L], self._regs[Reg.CRC_RESULT_H] = crc
            self._regs[Reg.DIV_IRQ] = self._regs.get(Reg.DIV_IRQ, 0) | 0x04

    def _crc(self, data: bytes, mode: int) -> bytes:
        """The coprocessor's: polynomial 1021h reflected, preset by `ModeReg`."""
        crc = _PRESETS[mode & 0x03]
        for byte in data:
            crc ^= byte
            for _ in range(8):
                crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
        return bytes((crc & 0xFF, crc >> 8))

    def _transmit(self, value: int, now: float) -> None:
        before, self._regs[Reg.TX_CONTROL] = self._regs[Reg.TX_CONTROL], value
        if value & 0x03 and not before & 0x03:
            self._on_since = now
            self._tags = None
            self.ether.on(self.name, now)
        elif not value & 0x03:
            self._tags = None
            self.ether.off(self.name)

    def _send(self, now: float) -> None:
        data = bytes(self._fifo)
        self._fifo.clear()
        last_bits = self._regs[Reg.BIT_FRAMING] & 0x07
        if self._regs.get(Reg.TX_MODE, 0) & _CRC_ON:
            data += self._crc(data, 0x01)
        sent_bits = 9 * len(data) - (9 - last_bits if last_bits else 0)
        over = now + sent_bits * BIT_S
        self._regs[Reg.ERROR] = 0
        if now < self._faults.get(Mfrc522Fault.HUNG, -inf):
            self._due = (inf, None, 0)
            return
        known = max(0, 8 * (len(data) - 2) - (8 - last_bits if last_bits else 0))
        answer = self._air(data, last_bits, now)
        if answer is None:
            self._due = (over + self._timeout_s(), None, known)
        else:
            took = ANSWER_AFTER_S + len(answer.bits) * 9 / 8 * BIT_S
            self._due = (over + took, answer, known)

    def _timeout_s(self) -> float:
        if not self._regs.get(Reg.T_MODE, 0) & 0x80:
            return inf
        prescaler = (self._regs[Reg.T_MODE] & 0x0F) << 8 | self._regs.get(Reg.T_PRESCALER, 0)
        reload = self._regs.get(Reg.T_RELOAD_H, 0) << 8 | self._regs.get(Reg.T_RELOAD_L, 0)
        return (2 * prescaler + 1) / 13.56e6 * (reload + 1)

    def _air(self, data: bytes, bits: int, now: float) -> _Answer | None:
        """What comes back from the field."""
        if not self._regs[Reg.TX_CONTROL] & 0x03:
            return None
        answers = [told for tag in self._in_field(now) if (told := tag.hear(data, bits))]
        if self._corrupt:
            return _Answer((1, 0, 1, 1, 0), 0, Err.PROTOCOL | Err.PARITY)
        return _together(answers, bool(self._regs[Reg.COLL] & 0x80)) if answers else None

    def _in_field(self, now: float) -> Iterator[_Tag]:
        if self._tags is None:
            self.looks += 1
            found = self._field.look(self._antenna, self._on_since, now)
            self._corrupt = found is None
            self._tags = [_Tag(uid) for uid in found or () if len(uid) in (4, 7, 10)]
        return iter(self._tags)

    def _go_on(self, now: float) -> None:
        """What has ended by now."""
        if self._due is None or now < self._due[0]:
            return
        (_, answer, known), self._due = self._due, None
        irq = self._regs.get(Reg.COM_IRQ, 0)
        if answer is None:
            self._regs[Reg.COM_IRQ] = irq | Irq.TIMER
            return
        self._regs[Reg.COM_IRQ] = irq | Irq.RX
        align = self._regs[Reg.BIT_FRAMING] >> 4 & 0x07
        bits = [0] * align + list(answer.bits)
        data = _bytes(bits)
        error = answer.error
        if self._regs.get(Reg.RX_MODE, 0) & _CRC_ON:
            body, check = data[:-2], data[-2:]
            error |= Err.CRC if check != self._crc(body, 0x01) else Err(0)
            data = body
        self._regs[Reg.ERROR] = int(error)
        self._fifo[:] = data[:FIFO_SIZE]
        self._regs[Reg.CONTROL] = len(bits) % 8
        self._tell_collision(answer.collision, align, known)

    def _tell_collision(self, collision: int, align: int, known: int) -> None:
        keep = self._regs[Reg.COLL] & 0x80
        from_where = {"frame": 0, "byte": align, "level": known}[self._counting]
        at = collision + from_where
        invalid = not collision or at > 32
        self._regs[Reg.COLL] = keep | (COLL_POS_INVALID if invalid else at & 0x1F)

    # -- faults ------------------------------------------------------------------------------------

    def arm(self, fault: Mfrc522Fault, now: float = 0.0, *, for_s: float = 1.0) -> None:
        """Let a fault happen from now for `for_s`; a reset, at once."""
        if fault is Mfrc522Fault.RESET:
            self._power_up()
        else:
            self._faults[fault] = now + for_s

    def calm(self) -> None:
        """End every fault that lasts."""
        self._faults.clear()

    def unplug(self) -> None:
        """Take the power away; the bus reads zeros."""
        self.plugged = False
        self._power_up()

    def plug(self, now: float = 0.0) -> None:
        """Power again; the chip starts with its defaults."""
        self.plugged = True
        self._power_up()
