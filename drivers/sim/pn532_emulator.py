"""A PN532 without hardware: bytes in, bytes out, time as an argument.

It sleeps until it is roused, acknowledges what it takes, drops a running command when another
comes, lists two tags of ISO 14443 A at most, and has wire faults by name. What lies on its antenna
is asked of a `FieldModel`; a look that the field calls corrupt comes back as no tag at all, as the
chip does it.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from math import inf

from drivers.readings import Uid
from drivers.rfid import pn532_codec as codec
from drivers.rfid.pn532_codec import Command, Pn532Decoder, Target
from drivers.sim.pepper_emulator import Ether, FieldModel

BOOT_S = 0.05
"""A chip that gets power hears nothing for this long, and sleeps then."""


class Pn532Fault(StrEnum):
    """What can go wrong between a healthy antenna and us. LOST_ACK: the acknowledgement is missing.
    EXTENDED: a long frame that nobody asked for comes first."""

    LATE_ANSWER = "late answer"
    LOST_ACK = "lost ack"
    DOUBLE_ANSWER = "double answer"
    NACK = "nack"
    SYNTAX_ERROR = "syntax error"
    EXTENDED = "extended frame"
    TRUNCATED_FRAME = "truncated frame"
    CORRUPT_FRAME = "corrupt frame"
    NOISE_BURST = "noise burst"
    REBOOT = "reader reboot"


class Pn532Emulator:
    """One emulated reader. field: what its antenna, of this number at the table, reads. look_s: how
    long an inventory takes. ether: shared record of transmissions. seed: for the rubbish of a noise
    burst."""

    def __init__(
        self,
        field: FieldModel,
        antenna: int,
        *,
        look_s: float = 0.0,
        firmware: tuple[int, int, int, int] = (0x32, 1, 6, 7),
        name: str = "reader 1",
        ether: Ether | None = None,
        seed: int = 0,
    ) -> None:
        self.name = name
        self.look_s = look_s
        self.firmware = firmware
        self.plugged = True
        self.looks = 0
        self.ether = ether or Ether()
        self._field = field
        self._antenna = antenna
        self._random = random.Random(seed)
        self._upset: deque[Callable[[bytes, float], bytes]] = deque()
        self._lost_acks = 0
        self._noisy_until = -inf
        self._deaf_until = -inf
        self._power_up()

    def _power_up(self) -> None:
        self._decoder: Pn532Decoder[codec.Heard] = Pn532Decoder(codec.read_command)
        self._awake = self._normal = False
        self._tail = b""
        self._later: list[tuple[float, bytes]] = []
        self._look: tuple[float, int] | None = None
        self.ether.off(self.name)

    # -- the wire ----------------------------------------------------------------------------------

    @property
    def wake_at(self) -> float:
        if not self.plugged:
            return inf
        due = min((at for at, _ in self._later), default=inf)
        if self._look is not None:
            due = min(due, self._look[0] + self.look_s)
        return max(due, self._deaf_until)

    def feed(self, data: bytes, now: float) -> bytes:
        """Bytes from the host; gives what the chip sends by now."""
        if not self.plugged or now < self._deaf_until:
            return b""
        out = self.tick(now)
        if not self._awake:
            data = self._tail + data
            self._tail = data[-4:]
            rouse = next((data.index(call) for call in _CALLS if call in data), None)
            if rouse is None:
                return out
            self._awake = True
            data = data[rouse:]
        for message in self._decoder.feed(data):
            if isinstance(message, codec.Acked):
                self._look = None  # the host aborts
            elif not isinstance(message, (codec.Nacked, codec.BadFrame)):
                out += self._obey(message, now)
        return out

    def tick(self, now: float) -> bytes:
        """The time; gives what the chip sends by now."""
        if not self.plugged or now < self._deaf_until:
            return b""
        out = b"".join(data for due, data in self._later if due <= now)
        self._later = [entry for entry in self._later if entry[0] > now]
        if self._look is not None and now >= self._look[0] + self.look_s:
            out += self._sent(self._listed(now), now)
        return out

    def _obey(self, command: Command, now: float) -> bytes:
        if not self._normal and not isinstance(
            command, (codec.SamConfiguration, codec.GetFirmwareVersion)
        ):
            return b""
        self._look = None
        ack = self._noise(now) or codec.ACK
        if self._lost_acks:
            self._lost_acks -= 1
            ack = b""
        match command:
            case codec.InListPassiveTarget(most):
                if not 1 <= most <= codec.MAX_TARGETS:
                    return ack + self._sent(codec.Refused().wire(), now)
                self.ether.on(self.name, now)
                self._look = (now, most)
                if self.look_s > 0:
                    return ack
                return ack + self._sent(self._listed(now), now)
            case codec.SamConfiguration():
                self._normal = True
            case codec.GetFirmwareVersion():
                return ack + self._sent(codec.FirmwareVersion(*self.firmware).wire(), now)
            case codec.RfField(on):
                (self.ether.on(self.name, now) if on else self.ether.off(self.name))
            case codec.MaxRetries():
                pass
            case _:
                return ack + self._sent(codec.Refused().wire(), now)
        return ack + self._sent(codec.Done(command.code).wire(), now)

    def _listed(self, now: float) -> bytes:
        assert self._look is not None
        (started, most), self._look = self._look, None
        self.looks += 1
        uids = self._field.look(self._antenna, started, now) or ()
        return codec.Targets(tuple(map(_target, [u for u in uids if _type_a(u)][:most]))).wire()

    def _sent(self, answer: bytes, now: float) -> bytes:
        """The answer as the wire delivers it."""
        if self._upset:
            answer = self._upset.popleft()(answer, now)
        return self._noise(now) or answer

    def _noise(self, now: float) -> bytes:
        if now >= self._noisy_until:
            return b""
        return self._random.randbytes(self._random.randint(1, 24))

    # -- faults ------------------------------------------------------------------------------------

    def arm(
        self,
        fault: Pn532Fault,
        now: float = 0.0,
        *,
        times: int = 1,
        delay_s: float = 0.3,
        for_s: float = 1.0,
    ) -> None:
        """Let a fault happen: to the next `times` answers (late by `delay_s`), or from now for
        `for_s` (noise burst)."""
        upset: dict[Pn532Fault, Callable[[bytes, float], bytes]] = {
            Pn532Fault.LATE_ANSWER: lambda wire, at: self._late(wire, at + delay_s),
            Pn532Fault.DOUBLE_ANSWER: lambda wire, _: wire + wire,
            Pn532Fault.NACK: lambda wire, _: codec.NACK,
            Pn532Fault.SYNTAX_ERROR: lambda wire, _: codec.Refused().wire(),
            Pn532Fault.EXTENDED: lambda wire, _: _LONG + wire,
            Pn532Fault.TRUNCATED_FRAME: lambda wire, _: wire[: len(wire) - 3],
            Pn532Fault.CORRUPT_FRAME: lambda wire, _: (
                wire[:-3] + bytes((wire[-3] ^ 1,)) + wire[-2:]
            ),
        }
        if fault in upset:
            self._upset.extend([upset[fault]] * times)
        elif fault is Pn532Fault.LOST_ACK:
            self._lost_acks += times
        elif fault is Pn532Fault.NOISE_BURST:
            self._noisy_until = now + for_s
        elif fault is Pn532Fault.REBOOT:
            self._restart(now)

    def calm(self) -> None:
        """End every fault that lasts."""
        self._upset.clear()
        self._lost_acks = 0
        self._noisy_until = -inf

    def unplug(self) -> None:
        """Pull the cable, which is the power too."""
        self.plugged = False
        self._power_up()

    def plug(self, now: float = 0.0) -> None:
        """Put it back; the chip sleeps until it is roused."""
        self.plugged = True
        self._restart(now)

    def _late(self, wire: bytes, due: float) -> bytes:
        self._later.append((due, wire))
        return b""

    def _restart(self, now: float) -> None:
        self._power_up()
        self._deaf_until = now + BOOT_S


_CALLS = (b"\x55\x55\x00", bytes(5))
"""What rouses the chip: the call of the manual, or zeros for long enough."""
_BODY = bytes((codec.FROM_CHIP, 0x41, 0x00)) + bytes(257)
_SIZE = bytes((len(_BODY) >> 8, len(_BODY) & 0xFF))
_LONG = (
    b"\x00\x00\xff\xff\xff"
    + _SIZE
    + bytes((-sum(_SIZE) & 0xFF,))
    + _BODY
    + bytes((-sum(_BODY) & 0xFF, 0))
)


def _type_a(uid: Uid) -> bool:
    return len(uid) in codec.UID_SIZES


def _target(uid: Uid) -> Target:
    sens_res = {4: 0x0004, 7: 0x0044, 10: 0x0084}[len(uid)]
    return Target(uid, sens_res, 0x00)
