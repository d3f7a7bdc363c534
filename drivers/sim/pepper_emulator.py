"""A Pepper C1 or C1 MUX without hardware: bytes in, bytes out, time as an argument.

It answers as the reader does, refuses what the reader refuses, and has wire faults by name. What
lies on the antennas is asked of a `FieldModel`. The rims in `pepper_rims` serve it on a
pseudo-terminal and over TCP.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import cycle
from math import inf
from typing import Protocol

from drivers.readings import Uid
from drivers.rfid import pepper_codec as codec
from drivers.rfid.pepper_codec import Code, Command, Decoder, PushFormat

REBOOT_S = 1.0
"""A restarting reader hears and says nothing for this long."""


class FieldModel(Protocol):
    """What the antennas of a table can read."""

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        """One look of an antenna between two times, seconds; the tags in order of answering, or
        None if the answer was corrupt. Times never go back."""
        ...


class WireFault(StrEnum):
    """What can go wrong between a healthy antenna and us."""

    LATE_ACK = "late ack"
    FOREIGN_ACK = "foreign ack"
    DOUBLE_ACK = "double ack"
    UNDELIMITED_JSON = "undelimited json"
    TRUNCATED_FRAME = "truncated frame"
    CORRUPT_FRAME = "corrupt frame"
    NOISE_BURST = "noise burst"
    REBOOT = "reader reboot"
    STUCK_ANTENNA = "stuck antenna"
    UNPLUGGED = "unplugged port"


class Ether:
    """Who transmits when; shared by the emulated readers of one table. Remembers every overlap."""

    def __init__(self) -> None:
        self.transmitting: set[str] = set()
        self.overlaps: list[tuple[str, str, float]] = []
        self.switches = 0

    def on(self, reader: str, at: float) -> None:
        if reader not in self.transmitting:
            self.switches += 1
            self.overlaps += [(other, reader, at) for other in sorted(self.transmitting)]
            self.transmitting.add(reader)

    def off(self, reader: str) -> None:
        self.transmitting.discard(reader)


class PepperEmulator:
    """One emulated reader.

    field: what the antennas read. antennas: port (1 to 8) to the antenna's number at the table.
    mux: False for a plain C1, which refuses to switch. look_s: how long an inventory takes; the
    answer leaves, and the look ends, at the first `tick` or `feed` that late. ether: shared record
    of transmissions. seed: for the rubbish of a noise burst.
    """

    def __init__(
        self,
        field: FieldModel,
        antennas: Mapping[int, int],
        *,
        mux: bool = True,
        firmware: str = "2.56.2249",
        look_s: float = 0.0,
        name: str = "reader 1",
        ether: Ether | None = None,
        seed: int = 0,
    ) -> None:
        self.name = name
        self.firmware = firmware
        self.look_s = look_s
        self.plugged = True
        self.looks = 0
        self.commands = 0
        self.ether = ether or Ether()
        self._field = field
        self._antennas = dict(antennas)
        self._mux = mux
        self._random = random.Random(seed)
        self._frames: dict[object, bytes] = {}
        self._stuck: dict[int, tuple[Uid, ...] | None] = {}
        self._last: dict[int, tuple[Uid, ...] | None] = {}
        self._upset: deque[Callable[[bytes, float], bytes]] = deque()
        self._noisy_until = -inf
        self._deaf_until = -inf
        self._noise_kinds = cycle((self._refused_look, self._damaged_look, self._headless_look))
        self._power_up()

    def _power_up(self) -> None:
        """The state after a restart."""
        self._decoder: Decoder[Command] = Decoder(codec.read_command)
        self._waiting: deque[Command] = deque()
        self._later: list[tuple[float, bytes]] = []
        self._port = 1
        self._found: tuple[Uid, ...] = ()
        self._look_from: float | None = None
        self._look_due = inf
        self._polling = False
        self._push_due = inf
        self._push_port = 0
        self._pause_s = 0.1
        self._format: dict[bool, int] = {False: PushFormat.NONE, True: PushFormat.NONE}
        self.ether.off(self.name)

    # -- the wire ----------------------------------------------------------------------------------

    @property
    def wake_at(self) -> float:
        """When `tick` has something to do even if no byte comes; `inf`: never."""
        if not self.plugged:
            return inf
        due = min(self._look_due, self._push_due)
        if self._later:
            due = min(due, *(at for at, _ in self._later))
        return max(due, self._deaf_until)

    def feed(self, data: bytes, now: float) -> bytes:
        """Bytes from the host; gives what the reader sends by now."""
        if not self.plugged or now < self._deaf_until:
            return b""
        out = self.tick(now) if self._later or now >= self._look_due else b""
        for message in self._decoder.feed(data):
            if not isinstance(message, (codec.BadFrame, codec.Notice, codec.JsonPush)):
                self._waiting.append(message)  # type: ignore[arg-type]
        return out + self._work(now) if self._waiting else out

    def tick(self, now: float) -> bytes:
        """The time; gives what the reader sends by now."""
        if not self.plugged or now < self._deaf_until:
            return b""
        out = b""
        if self._later:
            out = b"".join(data for due, data in self._later if due <= now)
            self._later = [entry for entry in self._later if entry[0] > now]
        if now >= self._look_due:
            out += self._finish_look(now)
        if now >= self._push_due:
            out += self._push(now)
        return out + self._work(now)

    def _work(self, now: float) -> bytes:
        waiting = self._waiting
        out = b""
        while waiting and self._look_from is None and now >= self._deaf_until:
            self.commands += 1
            answer = self._obey(waiting.popleft(), now)
            out += self._sent(answer, now) if answer else b""
        return out

    def _sent(self, answer: bytes, now: float) -> bytes:
        """The answer as the wire delivers it."""
        if self._upset:
            answer = self._upset.popleft()(answer, now)
        if now < self._noisy_until:
            return self._random.randbytes(self._random.randint(1, 24))
        return answer

    # -- commands ----------------------------------------------------------------------------------

    def _obey(self, command: Command, now: float) -> bytes:
        match command:
            case codec.GetTagCount():
                return self._start_look(now)
            case codec.GetUid(index):
                return self._tell_uid(index)
            case codec.SetActiveAntenna(port):
                return self._switch(port)
            case codec.Halt():
                self.ether.off(self.name)
                self._found = ()
            case codec.GetVersion():
                return codec.Version(self.firmware).wire()
            case codec.GetDeviceConfig():
                return codec.DeviceConfig(True, False, self.name).wire()
            case codec.SetPolling(on):
                self._polling = on
                self._push_due = now + self._pause_s if on else inf
                if on:
                    self.ether.on(self.name, now)
            case codec.PollingTimeout(timeout_ms):
                self._pause_s = max(timeout_ms, 1) / 1000
            case codec.PollingEvents(known, form):
                if form not in (PushFormat.NONE, PushFormat.BINARY, PushFormat.JSON):
                    return self._refuse(command.code)
                self._format[known] = form
            case codec.Reboot():
                self._restart(now)
                return self._done(Code.REBOOT)
            case codec.ActivateTag(index):
                if index >= len(self._found):
                    return self._refuse(command.code)
            case codec.Dummy() | codec.SetLed():
                pass
            case _:
                return self._refuse(command.code)
        return self._done(command.code)

    def _done(self, code: int) -> bytes:
        wire = self._frames.get(code)
        if wire is None:
            wire = self._frames[code] = codec.Done(code).wire()
        return wire

    def _refuse(self, code: int) -> bytes:
        return codec.Failed(code, b"\x01\x10").wire()

    def _switch(self, port: int) -> bytes:
        if not self._mux or not 1 <= port <= 8:
            return self._refuse(Code.SET_ACTIVE_ANTENNA)
        self._port = port
        self._found = ()
        return self._done(Code.SET_ACTIVE_ANTENNA)

    def _start_look(self, now: float) -> bytes:
        if self._polling:
            return self._refuse(Code.GET_TAG_COUNT)
        self.ether.on(self.name, now)
        self._look_from = now
        self._look_due = now + self.look_s
        # The look takes no time: it ends where it began. Else it ends at a later tick.
        return self._finish_look(now, sent=False) if self.look_s <= 0 else b""

    def _finish_look(self, now: float, sent: bool = True) -> bytes:
        started = self._look_from
        assert started is not None
        self._look_from, self._look_due = None, inf
        uids = self._look(self._port, started, now)
        if uids is None:
            self._found = ()
            answer = next(self._noise_kinds)()
        else:
            self._found = uids
            count = (Code.GET_TAG_COUNT, len(uids))
            wire = self._frames.get(count)
            if wire is None:
                wire = self._frames[count] = codec.TagCount(len(uids)).wire()
            answer = wire
        return self._sent(answer, now) if sent else answer

    def _look(self, port: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        self.looks += 1
        if port in self._stuck:
            return self._stuck[port]
        antenna = self._antennas.get(port)
        uids = () if antenna is None else self._field.look(antenna, started, ended)
        self._last[port] = uids
        return uids

    def _tell_uid(self, index: int) -> bytes:
        if index >= len(self._found):
            return self._refuse(Code.GET_UID)
        uid = self._found[index]
        wire = self._frames.get(uid)
        if wire is None:
            if len(self._frames) > 1024:
                self._frames.clear()
            kind, param, _ = _tag_kind(uid)
            wire = self._frames[uid] = codec.TagUid(kind, param, uid).wire()
        return wire

    def _refused_look(self) -> bytes:
        return codec.Failed(Code.GET_TAG_COUNT, b"\x02\x20").wire()

    def _damaged_look(self) -> bytes:
        wire = codec.TagCount(1).wire()
        return wire[:-1] + bytes((wire[-1] ^ 0x10,))

    def _headless_look(self) -> bytes:
        wire = codec.TagCount(1).wire()
        return wire[:3] + bytes((wire[3] ^ 0x40,)) + wire[4:]

    def _push(self, now: float) -> bytes:
        """One round of the reader's own polling over its ports, pushed in the format that was set
        up."""
        self._push_due = now + self._pause_s
        out = b""
        for port in sorted(self._antennas) if self._mux else [1]:
            for index, uid in enumerate(self._look(port, now, now) or ()):
                kind, param, name = _tag_kind(uid)
                form = self._format[False]
                if form == PushFormat.BINARY:
                    out += codec.UidPushed(kind, param, uid).wire()
                elif form == PushFormat.JSON:
                    out += codec.JsonPush(uid, port, name, index).wire()
        return out

    # -- faults ------------------------------------------------------------------------------------

    def arm(
        self,
        fault: WireFault,
        now: float = 0.0,
        *,
        times: int = 1,
        delay_s: float = 0.3,
        for_s: float = 1.0,
        port: int = 1,
    ) -> None:
        """Let a fault happen: to the next `times` answers (late by `delay_s`), or from now for
        `for_s` (noise burst), or to the antenna at `port` until `calm` (stuck), or until `plug`
        (unplugged)."""
        upset: dict[WireFault, Callable[[bytes, float], bytes]] = {
            WireFault.LATE_ACK: lambda wire, at: self._late(wire, at + delay_s),
            WireFault.FOREIGN_ACK: lambda wire, _: codec.Ack(0x93, bytes(8)).wire() + wire,
            WireFault.DOUBLE_ACK: lambda wire, _: wire + wire,
            WireFault.UNDELIMITED_JSON: lambda wire, _: _STRAY_JSON * 2 + wire + _STRAY_JSON,
            WireFault.TRUNCATED_FRAME: lambda wire, _: wire[: len(wire) - 3],
            WireFault.CORRUPT_FRAME: lambda wire, _: wire[:-3] + bytes((wire[-3] ^ 1,)) + wire[-2:],
        }
        if fault in upset:
            self._upset.extend([upset[fault]] * times)
        elif fault is WireFault.NOISE_BURST:
            self._noisy_until = now + for_s
        elif fault is WireFault.REBOOT:
            self._restart(now)
        elif fault is WireFault.STUCK_ANTENNA:
            self._stuck[port] = self._last.get(port, ())
        elif fault is WireFault.UNPLUGGED:
            self.plugged = False
            self._power_up()

    def calm(self) -> None:
        """End every fault that lasts, except that an unplugged reader stays unplugged."""
        self._stuck.clear()
        self._upset.clear()
        self._noisy_until = -inf

    def unplug(self) -> None:
        """Pull its plug: `unplugged port`."""
        self.arm(WireFault.UNPLUGGED)

    def plug(self, now: float = 0.0) -> None:
        """Power again after `unplugged port`: the reader starts as after a restart."""
        self.plugged = True
        self._restart(now)

    def _late(self, wire: bytes, due: float) -> bytes:
        self._later.append((due, wire))
        return b""

    def _restart(self, now: float) -> None:
        self._power_up()
        self._deaf_until = now + REBOOT_S


_STRAY_JSON = codec.JsonPush(Uid(bytes.fromhex("E004015000000000")), 1, "ICODE SLI", 0).wire()

_KINDS = {8: (0x22, 0x00, "ICODE SLIX"), 7: (0x01, 0x00, "Ultralight"), 4: (0x03, 0x08, "Classic")}


def _tag_kind(uid: bytes) -> tuple[int, int, str]:
    """The reader's type number, parameter and name for a tag with such a UID."""
    return _KINDS.get(len(uid), (0x0D, 0x20, "DESFire"))
