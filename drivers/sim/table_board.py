"""The board under the table as a twin without I/O: the far end of the table link.

It keeps PROTOCOL.md as the firmware does: sessions, numbers, debouncing, lamps, memory, restarts.
Its contacts are ideal (they change when they are told to), its clock may run fast or slow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf

from tablelink.delivery import BOARD_WINDOW, Delivery, Line
from tablelink.framing import BadFrame, Decoder, Frame, Malformed, Received, encode
from tablelink.messages import (
    COUNTS_LIMIT,
    SEATS,
    Again,
    Analog,
    AnalogPlease,
    Booted,
    ButtonsChanged,
    Fault,
    FaultsChanged,
    Flag,
    Hello,
    Identity,
    Keep,
    Kept,
    KeptSaid,
    KeyMoved,
    Lamp,
    Lamps,
    Message,
    Misfit,
    Ping,
    Pixels,
    Pong,
    Refused,
    SeatsChanged,
    Sensor,
    Settings,
    Snapshot,
    SnapshotPlease,
    Threshold,
    Why,
)

QUEUE = 16
BOOTED_S = 0.5
CONTROLLER_LOST_S = 1.5
SESSION_OVER_S = 10.0
CUT_S = 2.0

DARK = Lamp(0, 0, 0, 0)
_ALARM = Lamp(255, 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a board's memory keeps over a restart."""

    serial: str = ""
    settings: Settings | None = None
    thresholds: tuple[Threshold, ...] = ()


@dataclass(slots=True)
class Memory:
    """The board's memory: everything twice, so that a write broken off costs nothing. None is a
    damaged copy."""

    a: Remembered | None = field(default_factory=Remembered)
    b: Remembered | None = field(default_factory=Remembered)

    def load(self) -> tuple[Remembered, Fault]:
        """What it holds, and what was wrong with it; heals the copy that is damaged."""
        faults = Fault(0)
        if self.a is None and self.b is None:
            faults, kept = Fault.MEMORY_LOST, Remembered()
        elif self.a is None:
            faults, kept = Fault.COPY_A_DAMAGED, self.b or Remembered()
        else:
            kept = self.a
            if self.b is None:
                faults = Fault.COPY_B_DAMAGED
        self.store(kept)
        return kept, faults

    def store(self, kept: Remembered) -> None:
        self.a = self.b = kept


@dataclass(slots=True)
class _Contact:
    """A two-state input: what it reads since when, and what it has held long enough to be."""

    reads: bool = False
    since: float = -inf
    is_: bool = False

    def set(self, value: bool, now: float) -> None:
        if value != self.reads:
            self.reads, self.since = value, now

    def certain_at(self, hold_ms: int) -> float:
        return self.since + hold_ms / 1000 if self.reads != self.is_ else inf


@dataclass(slots=True)
class _Seat:
    """A chair's sensor. closed: its contact, if digital. level: ADC counts, if analogue."""

    threshold: Threshold
    contact: _Contact = field(default_factory=_Contact)
    closed: bool = False
    level: int = 300
    level_since: float = -inf
    cut: bool = False
    held: bool = False  # it has read the same for its whole hold time once

    @property
    def known(self) -> bool:
        return self.threshold.sensor != Sensor.NONE and self.held and not self.cut

    @property
    def between(self) -> bool:
        """An analogue reading that says neither occupied nor empty."""
        t = self.threshold
        span = sorted((t.leave, t.enter))
        return t.sensor >= Sensor.HIGH_IS_OCCUPIED and span[0] < self.level < span[1]

    def reading(self) -> bool:
        t = self.threshold
        if t.sensor == Sensor.CLOSED_IS_OCCUPIED:
            return self.closed
        if t.sensor == Sensor.OPEN_IS_OCCUPIED:
            return not self.closed
        if t.sensor == Sensor.HIGH_IS_OCCUPIED:
            return self.level > t.leave if self.contact.reads else self.level >= t.enter
        if t.sensor == Sensor.LOW_IS_OCCUPIED:
            return self.level < t.leave if self.contact.reads else self.level <= t.enter
        return False

    def at_end(self) -> bool:
        analogue = self.threshold.sensor in (Sensor.HIGH_IS_OCCUPIED, Sensor.LOW_IS_OCCUPIED)
        return analogue and self.level in (0, COUNTS_LIMIT)


@dataclass(frozen=True, slots=True)
class Build:
    """What a board is made of. boot_s: its boot loader's pause, which begins anew with each byte
    that it hears. drift: how much its clock runs fast, as a part."""

    seats: int = SEATS
    button_sensors: int = 11
    keys: int = 8
    lamps: int = 11
    columns: int = 32
    rows: int = 8
    lowest: int = 1
    highest: int = 1
    firmware: tuple[int, int, int] = (1, 0, 0)
    sensor: Sensor = Sensor.CLOSED_IS_OCCUPIED
    boot_s: float = 0.0
    drift: float = 0.0
    clock_starts_us: int = 0


class BoardTwin:
    """One board. Feed it bytes and time, move its contacts, look at its lamps.

    memory: survives restarts. baud: of its line; None for one that takes no time.
    """

    def __init__(
        self,
        serial: str = "TABLE-01",
        *,
        build: Build | None = None,
        memory: Memory | None = None,
        baud: int | None = 115_200,
        now: float = 0.0,
    ) -> None:
        self.build = build or Build()
        self.memory = memory or Memory(Remembered(serial), Remembered(serial))
        self.plugged = True
        self.malformed = 0
        self.damaged = 0
        self.foreign = 0
        self.reset_cause = 1
        self._baud = baud
        self._delivery: Delivery | None = None
        self._queue: deque[Message] = deque()
        self._out: list[bytes] = []
        self._booted_at = self._analog_at = self._analog_period_s = inf
        self._next: tuple[float, str, int] | None = None
        self._keys = [_Contact() for _ in range(self.build.keys)]
        self._buttons = [_Contact() for _ in range(self.build.button_sensors)]
        self._seats = [
            _Seat(Threshold(n, self.build.sensor, *self._span()))
            for n in range(1, self.build.seats + 1)
        ]
        self.restart(now)

    def _span(self) -> tuple[int, int]:
        spans = {Sensor.HIGH_IS_OCCUPIED: (400, 600), Sensor.LOW_IS_OCCUPIED: (600, 400)}
        return spans.get(self.build.sensor, (0, 0))

    # -- what people and power do ------------------------------------------------------------------

    def restart(self, now: float, cause: int = 1) -> None:
        """Power on, reset pin (2), brown-out (4) or watchdog (8)."""
        self._next = None
        self.reset_cause = cause
        self._started = self._ready_at = now
        if cause & 3:
            self._ready_at += self.build.boot_s
        self._remembered, self._faults = self.memory.load()
        if cause & 8:
            self._faults |= Fault.WATCHDOG
        self.settings = self._remembered.settings or Settings()
        for threshold in self._remembered.thresholds:
            self._seats[threshold.seat - 1].threshold = threshold
        self._presses = [0] * self.build.keys
        self._since = 0
        self._decoder = Decoder()
        self._line = Line(self._baud)
        self._end_session(self._ready_at)
        self._forget_pictures()
        self._heard_at = self._ready_at
        for contact in (*self._keys, *self._buttons):
            contact.is_ = contact.reads
        for seat in self._seats:
            self._read_anew(seat, now)

    def hang(self, until: float) -> None:
        """It hears nothing and says nothing until then; what its contacts do, it finds out
        after."""
        self._ready_at = until

    def unplug(self) -> None:
        """Pull the cable, and with it the power."""
        self.plugged = False

    def plug(self, now: float = 0.0) -> None:
        """Put it back."""
        self.plugged = True
        self.restart(now)

    def press(self, key: int, now: float) -> None:
        self._next = None
        self._keys[key - 1].set(True, now)

    def release(self, key: int, now: float) -> None:
        self._next = None
        self._keys[key - 1].set(False, now)

    def lay_button(self, sensor: int, there: bool, now: float) -> None:
        self._next = None
        self._buttons[sensor - 1].set(there, now)

    def sit(self, seat: int, occupied: bool, now: float) -> None:
        """Somebody sits down or stands up; what its sensor reads follows from what it is."""
        s = self._seats[seat - 1]
        sensor = s.threshold.sensor
        s.closed = occupied is (sensor != Sensor.OPEN_IS_OCCUPIED)
        low = sensor == Sensor.LOW_IS_OCCUPIED
        self.level(seat, 700 if occupied is not low else 300, now)

    def level(self, seat: int, counts: int, now: float) -> None:
        """What an analogue seat sensor gives; 0 and 1023 are a cut wire's."""
        self._next = None
        s = self._seats[seat - 1]
        if counts != s.level:
            s.level, s.level_since = counts, now
        s.contact.set(s.reading(), now)

    # -- what can be seen --------------------------------------------------------------------------

    def no_controller(self, now: float) -> bool:
        """The LED board says NO CTRL, the first lamp blinks slowly in red."""
        return now >= self._heard_at + CONTROLLER_LOST_S

    def lamps(self, now: float) -> tuple[Lamp, ...]:
        """Colour and pattern of each lamp."""
        if self.no_controller(now):
            return (_ALARM, *[DARK] * (self.build.lamps - 1))
        return tuple(self._lamps)

    def pixels(self, now: float) -> bytes | None:
        """The picture on the LED board; None while it says NO CTRL."""
        return None if self.no_controller(now) else self._pixels

    @property
    def session(self) -> int:
        """The number of the session, 0 without one."""
        return self._delivery.session if self._delivery is not None else 0

    def presses(self, key: int) -> int:
        return self._presses[key - 1]

    def threshold(self, seat: int) -> Threshold:
        return self._seats[seat - 1].threshold

    def time_us(self, now: float) -> int:
        """The board's clock."""
        passed = max(0.0, now - self._started) * (1 + self.build.drift)
        return (self.build.clock_starts_us + round(passed * 1e6)) % 2**32

    # -- bytes and time ----------------------------------------------------------------------------

    def feed(self, data: bytes, now: float) -> bytes:
        """Bytes from the host; what the board sends at once."""
        if now < self._ready_at:
            self._ready_at = max(self._ready_at, now + self.build.boot_s)
            self._heard_at = self._booted_at = self._ready_at
            return b""
        self._settle(now)
        for item in self._decoder.feed(data):
            self._take(item, now)
        return self._outgoing(now)

    def tick(self, now: float) -> bytes:
        """What the board sends although no byte came."""
        if now < self._ready_at:
            return b""
        self._settle(now)
        return self._outgoing(now)

    @property
    def wake_at(self) -> float:
        """When `tick` has something to do; `inf`: never."""
        at = self._next_input()[0]
        if self._delivery is None:
            return max(self._ready_at, min(at, self._booted_at))
        sends = self._delivery.line_at if self._queue and not self._delivery.full else inf
        over = self._delivery.oldest_since + SESSION_OVER_S
        return max(self._ready_at, min(at, self._delivery.due, sends, over, self._analog_at))

    def _outgoing(self, now: float) -> bytes:
        if self._delivery is None:
            if now >= self._booted_at:
                self._booted_at = now + BOOTED_S
                b = self.build
                booted = Booted(b.lowest, b.highest, *b.firmware, self.reset_cause)
                self._out.append(encode(Frame(booted, 0, 0, 0)))
        else:
            if now >= self._delivery.oldest_since + SESSION_OVER_S:
                self._end_session(now)
                return self._outgoing(now)
            if now >= self._analog_at:
                self._analog_at = now + self._analog_period_s
                levels = [s.level for s in self._seats] + [0] * (SEATS - len(self._seats))
                self._delivery.send(Analog(self.time_us(now), tuple(levels)), now)
            self._delivery.tick(now)
            while self._queue and self._delivery.room(now):
                self._delivery.send(self._queue.popleft(), now)
            self._out.append(self._delivery.take_out(now))
        out, self._out = b"".join(self._out), []
        return out

    # -- inputs ------------------------------------------------------------------------------------

    def _seat_at(self, seat: _Seat) -> float:
        if seat.threshold.sensor == Sensor.NONE:
            return inf
        cut_at = seat.level_since + CUT_S if seat.at_end() and not seat.cut else inf
        hold_ms = self.settings.seat_hold_ms
        if seat.held or seat.between:
            return min(cut_at, seat.contact.certain_at(hold_ms))
        return min(cut_at, seat.contact.since + hold_ms / 1000)

    def _settle(self, now: float) -> None:
        """Take up every contact that has held its new value long enough, in the order of time."""
        while True:
            at, what, n = self._next_input()
            if at > now:
                return
            self._next = None
            if what == "key":
                self._key_moved(n, now)
            elif what == "b":
                self._buttons[n].is_ = self._buttons[n].reads
                time = self.time_us(self._buttons[n].since)
                self._say(ButtonsChanged(time, self._sensed()), now)
            else:
                self._seat_moved(self._seats[n], now)

    def _next_input(self) -> tuple[float, str, int]:
        """When the next input will have changed for certain, and which it is."""
        if self._next is None:
            s = self.settings
            due: list[tuple[float, str, int]] = [(inf, "", 0)]
            due += [(c.certain_at(s.key_hold_ms), "key", n) for n, c in enumerate(self._keys)]
            due += [(c.certain_at(s.button_hold_ms), "b", n) for n, c in enumerate(self._buttons)]
            due += [(self._seat_at(seat), "seat", n) for n, seat in enumerate(self._seats)]
            self._next = min(due)
        return self._next

    def _key_moved(self, n: int, now: float) -> None:
        contact = self._keys[n]
        contact.is_ = contact.reads
        if contact.is_:
            self._presses[n] = (self._presses[n] + 1) % 256
        time = self.time_us(contact.since)
        self._say(KeyMoved(time, n + 1, int(contact.is_), self._presses[n]), now)

    def _seat_moved(self, seat: _Seat, now: float) -> None:
        if seat.at_end() and not seat.cut and now >= seat.level_since + CUT_S:
            seat.cut = True
            self._seats_say(seat.level_since + CUT_S, now)
            self._fault(now)
            return
        seat.contact.is_ = seat.contact.reads
        seat.held = True
        if seat.cut and not seat.at_end():
            seat.cut = False
            self._fault(now)
        self._seats_say(seat.contact.since, now)

    def _seats_say(self, since: float, now: float) -> None:
        self._say(SeatsChanged(self.time_us(since), self._occupied(), self._known()), now)

    def _fault(self, now: float) -> None:
        self._faults &= ~Fault.SENSOR_CUT
        if any(s.cut for s in self._seats):
            self._faults |= Fault.SENSOR_CUT
        self._say(FaultsChanged(self.time_us(now), int(self._faults)), now)

    def _read_anew(self, seat: _Seat, now: float) -> None:
        """At the start, and when a sensor is another one, nothing is known of the seat before it
        has read the same for its hold time."""
        self._next = None
        seat.cut = seat.held = False
        seat.contact = _Contact()
        value = seat.reading()
        seat.contact = _Contact(value, now, value)

    def _occupied(self) -> int:
        return _mask(s.known and s.contact.is_ for s in self._seats)

    def _known(self) -> int:
        return _mask(s.known for s in self._seats)

    def _sensed(self) -> int:
        return _mask(c.is_ for c in self._buttons)

    # -- sessions ----------------------------------------------------------------------------------

    def _end_session(self, booted_at: float) -> None:
        self._delivery = None
        self._queue.clear()
        self._out.clear()
        self._booted_at = booted_at
        self._analog_at = self._analog_period_s = inf

    def _forget_pictures(self) -> None:
        self._lamps = [DARK] * self.build.lamps
        self._pixels = bytes(self.build.columns * self.build.rows // 8)

    def _take(self, item: Received, now: float) -> None:
        if isinstance(item, BadFrame):
            self.damaged += 1
            if self._delivery is not None:
                self._delivery.complain(now)
            return
        if isinstance(item, Frame) and isinstance(item.message, Hello):
            if item.session:
                self._hello(item.message, item.session, now)
            return
        if self._delivery is None or item.session != self._delivery.session:
            self.foreign += 1
            return
        self._heard_at = now
        self._delivery.acknowledged(item.ack)
        if isinstance(item, Malformed):
            self.malformed += 1
        elif isinstance(item.message, Ping):
            self._delivery.send(Pong(item.message.token, self.time_us(now)), now)
        elif isinstance(item.message, Again):
            self._delivery.asked_again(now)
        if item.seq and self._delivery.arrived(item.seq, now):
            if isinstance(item, Malformed):
                self._refuse(item.kind, item.reason, item.detail, now)
            else:
                self._obey(item.message, now)

    def _hello(self, hello: Hello, session: int, now: float) -> None:
        b = self.build
        speaks = max(hello.lowest, b.lowest) <= min(hello.highest, b.highest)
        new = speaks and session != self.session
        if new:
            self._end_session(inf)
            self._delivery = Delivery(session, BOARD_WINDOW, self._line)
            self._since = self._since or session
            self._heard_at = now
            self._forget_pictures()
        flags = Flag(0)
        if b.sensor in (Sensor.HIGH_IS_OCCUPIED, Sensor.LOW_IS_OCCUPIED):
            flags |= Flag.ANALOG_SEATS
        flags |= Flag.LED_BOARD if b.columns else Flag(0)
        flags |= Flag.LAMPS if b.lamps else Flag(0)
        flags |= Flag.THRESHOLDS_KEPT if self._remembered.thresholds else Flag(0)
        flags |= Flag.SERIAL_KEPT if self._remembered.serial else Flag(0)
        identity = Identity(
            *(b.lowest, b.highest, *b.firmware, self.reset_cause, self._remembered.serial),
            *(b.seats, b.button_sensors, b.keys, b.lamps, b.columns, b.rows),
            flags=int(flags),
            since=self._since,
        )
        self._out.append(encode(Frame(identity, session, 0, 0)))
        self._line.sends(len(self._out[-1]), now)
        if new:
            self._snapshot(Why.START, 0, now)

    def _obey(self, message: Message, now: float) -> None:
        if isinstance(message, SnapshotPlease):
            self._snapshot(Why.ASKED, 0, now)
        elif isinstance(message, Lamps):
            if message.first - 1 + len(message.lamps) > self.build.lamps:
                self._refuse(message.KIND, Misfit.OUT_OF_RANGE, 0, now)
                return
            at = message.first - 1
            self._lamps[at : at + len(message.lamps)] = message.lamps
        elif isinstance(message, Pixels):
            if len(message.pixels) != len(self._pixels):
                self._refuse(message.KIND, Misfit.WRONG_LENGTH, 1 + len(self._pixels), now)
                return
            self._pixels = message.pixels
        elif isinstance(message, Settings):
            self.settings = message
            self._next = None
        elif isinstance(message, Threshold):
            self._set_threshold(message, now)
        elif isinstance(message, Keep):
            self._keep(message, now)
        elif isinstance(message, AnalogPlease):
            self._analog_period_s = message.period_ms / 1000 if message.period_ms else inf
            self._analog_at = now + self._analog_period_s
        else:  # a kind that only a board sends
            self._refuse(message.KIND, Misfit.UNKNOWN_KIND, 0, now)

    def _set_threshold(self, threshold: Threshold, now: float) -> None:
        if threshold.seat > self.build.seats:
            self._refuse(threshold.KIND, Misfit.OUT_OF_RANGE, 0, now)
            return
        before = self._occupied(), self._known()
        seat = self._seats[threshold.seat - 1]
        seat.threshold = threshold
        self._read_anew(seat, now)
        if (self._occupied(), self._known()) != before:
            self._seats_say(now, now)

    def _keep(self, keep: Keep, now: float) -> None:
        if keep.what == Kept.SERIAL:
            self._remembered = replace(self._remembered, serial=keep.serial)
        else:
            thresholds = tuple(s.threshold for s in self._seats)
            self._remembered = replace(
                self._remembered, settings=self.settings, thresholds=thresholds
            )
        self.memory.store(self._remembered)
        self._say(KeptSaid(keep.what, 0), now)

    def _refuse(self, kind: int, reason: Misfit, detail: int, now: float) -> None:
        self._say(Refused(kind, reason, min(detail, 255)), now)

    def _snapshot(self, why: Why, lost: int, now: float) -> None:
        keys = _mask(c.is_ for c in self._keys)
        presses = (*self._presses, *[0] * (8 - len(self._presses)))
        masks = (self._occupied(), self._known(), self._sensed(), keys, int(self._faults))
        self._say(Snapshot(self.time_us(now), why, min(lost, 65535), *masks, presses), now)

    def _say(self, message: Message, now: float) -> None:
        """Into the queue; if it is full, everything there gives way to one snapshot."""
        if self._delivery is None:
            return
        if len(self._queue) < QUEUE:
            self._queue.append(message)
            return
        dropped = [*self._queue, message]
        self._queue.clear()
        gaps = [m for m in dropped if isinstance(m, Snapshot) and m.reason == Why.GAP]
        self._snapshot(Why.GAP, len(dropped) - len(gaps) + sum(m.lost for m in gaps), now)


def _mask(bits: Iterable[bool]) -> int:
    return sum(1 << n for n, bit in enumerate(bits) if bit)
