"""A host session and a board joined by bad wires, in virtual time, with a witness who knows what
really happened.

The far end is anything with the board's seam (`FarEnd`): the twin, or the firmware in an emulator.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from tablelink.messages import Lamp, Lamps, Pixels, Settings, Why
from tablelink.session import (
    Buttons,
    Event,
    Everything,
    Found,
    HostSession,
    Key,
    Lost,
    PressesLost,
    Seats,
)

BYTE_S = 10 / 115_200


def lamp_of(number: int) -> Lamp:
    """A lamp with a picture's number in it."""
    return Lamp(number & 255, number >> 8 & 255, number >> 16 & 255, number % 6)


class FarEnd(Protocol):
    """A board: bytes and time in, bytes out; contacts to move; a picture to look at."""

    @property
    def wake_at(self) -> float: ...

    def feed(self, data: bytes, now: float) -> bytes: ...

    def tick(self, now: float) -> bytes: ...

    def press(self, key: int, now: float) -> None: ...

    def release(self, key: int, now: float) -> None: ...

    def lay_button(self, sensor: int, there: bool, now: float) -> None: ...

    def sit(self, seat: int, occupied: bool, now: float) -> None: ...

    def pixels(self, now: float) -> bytes | None: ...

    def lamps(self, now: float) -> tuple[Lamp, ...]: ...


@dataclass(frozen=True, slots=True)
class Faults:
    """Chances. of a byte: to be changed, lost, or doubled. of a write: to be lost whole, to come
    twice, to be broken in two with a pause of up to `pause_s` between (what follows waits and comes
    merged)."""

    changed: float = 0.0
    lost: float = 0.0
    doubled: float = 0.0
    write_lost: float = 0.0
    write_twice: float = 0.0
    split: float = 0.0
    pause_s: float = 0.005
    latency_s: float = 0.001

    @property
    def of_byte(self) -> float:
        return self.changed + self.lost + self.doubled


CLEAN = Faults()
BAD = Faults(
    changed=0.01, lost=0.0005, doubled=0.0005, write_lost=0.002, write_twice=0.002, split=0.1
)


class Wire:
    """One direction. Keeps the order of bytes and the pace of the line: byte_s a byte."""

    def __init__(self, faults: Faults, rng: random.Random, byte_s: float = BYTE_S) -> None:
        self.faults = faults
        self._byte_s = byte_s
        self._rng = rng
        self._coming: deque[tuple[float, bytes]] = deque()
        self._free_at = 0.0
        self._arrives_at = 0.0
        self._good = self._until_next()

    def _until_next(self) -> int:
        """How many bytes are good before the next that is not."""
        rate = self.faults.of_byte
        return int(self._rng.expovariate(rate)) if rate else 2**62

    def write(self, data: bytes, now: float) -> None:
        faults, rng = self.faults, self._rng
        start = max(now, self._free_at)
        self._free_at = start + len(data) * self._byte_s
        if faults.write_lost and rng.random() < faults.write_lost:
            return
        data = self._worn(data)
        if faults.write_twice and rng.random() < faults.write_twice:
            data += data
        if faults.split and len(data) > 1 and rng.random() < faults.split:
            cut = rng.randrange(1, len(data))
            self._put(data[:cut], self._free_at)
            self._put(data[cut:], self._free_at + rng.random() * faults.pause_s)
        else:
            self._put(data, self._free_at)

    def _put(self, data: bytes, at: float) -> None:
        self._arrives_at = max(self._arrives_at, at + self.faults.latency_s)
        self._coming.append((self._arrives_at, data))

    def _worn(self, data: bytes) -> bytes:
        if len(data) <= self._good:
            self._good -= len(data)
            return data
        rng, faults = self._rng, self.faults
        out = bytearray()
        for byte in data:
            if self._good:
                self._good -= 1
                out.append(byte)
                continue
            self._good = self._until_next()
            dice = rng.random() * faults.of_byte
            if dice < faults.changed:
                out.append(byte ^ rng.randrange(1, 256))
            elif dice < faults.changed + faults.doubled:
                out += bytes((byte, byte))
        return bytes(out)

    @property
    def next_at(self) -> float:
        return self._coming[0][0] if self._coming else inf

    def take(self, now: float) -> bytes:
        out = b""
        while self._coming and self._coming[0][0] <= now:
            out += self._coming.popleft()[1]
        return out


@dataclass(slots=True)
class Figures:
    """What the witness found. delays_s: from the moment a change was certain until the host had
    it. wrong: what the host was told and never was, or out of order, or twice."""

    changes: int = 0
    pictures: int = 0
    lamps: int = 0
    delivered: int = 0
    noticed: int = 0
    unnoticed: int = 0
    wrong: list[str] = field(default_factory=list)
    sessions: int = 0
    losses: int = 0
    clock_worst_s: float = 0.0
    clock_outside: int = 0
    delays_s: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def messages(self) -> int:
        """Numbered messages that were taken and told apart."""
        return self.delivered + self.pictures + self.lamps


@dataclass(slots=True)
class _Change:
    value: bool
    edge_at: float
    certain_at: float


HOLDS = Settings(key_hold_ms=5, button_hold_ms=5, seat_hold_ms=5)
EVERY_SEAT = 0x7FF
_PIXELS = 32


class BadLine:
    """Both ends, the wires between, the people at the table and the witness.

    changes_hz: how many contacts move a second; pictures_hz: how many pictures the host shows.
    byte_s: 0 for a far end that keeps the pace of the line itself. sampled_s: how often it looks at
    its contacts, if it does not see them at once: what moves meanwhile moves together.
    """

    def __init__(
        self,
        far: FarEnd,
        faults: Faults = BAD,
        seed: int = 0,
        changes_hz: float = 60.0,
        pictures_hz: float = 15.0,
        byte_s: float = BYTE_S,
        sampled_s: float = 0.0,
    ) -> None:
        self.rng = random.Random(seed)
        self.far = far
        self.host = HostSession(lambda: self.rng.randrange(1, 65536))
        self.down = Wire(faults, self.rng, byte_s)  # host to board
        self.up = Wire(faults, self.rng, byte_s)
        self.figures = Figures()
        self.now = 0.0
        self._changes_hz, self._pictures_hz = changes_hz, pictures_hz
        self._sampled_s = sampled_s
        self._people: list[tuple[float, int, str]] = []
        self._steps = 0
        self._now_is = {("key", n): False for n in range(1, 9)}
        self._now_is |= {("seat", n): False for n in range(1, 12)}
        self._now_is |= {("button", n): False for n in range(1, 12)}
        self._busy_until = dict.fromkeys(self._now_is, 0.0)
        self._expected: dict[tuple[str, int], deque[_Change]] = {k: deque() for k in self._now_is}
        self._host_is = dict.fromkeys(self._now_is, False)
        self._up_since = inf
        self._known = 0
        self._shown = self._lit = self._seen = self._presses_lost = 0
        self._pictures: dict[int, bytes] = {0: bytes(_PIXELS)}
        self.host.opened(0.0)
        self.host.settle(HOLDS, 0.0)

    # -- the loop ----------------------------------------------------------------------------------

    def run_until(self, until: float) -> None:
        """Let virtual time pass."""
        while True:
            far, host = self.far, self.host
            people = self._people[0][0] if self._people else inf
            at = min(host.deadline, far.wake_at, self.down.next_at, self.up.next_at, people)
            if at > until:
                self.now = until
                self.figures.seconds = until
                return
            self.now = now = max(self.now, at)
            if people <= now:
                heapq.heappop(self._people)
                self._act()
            if self.down.next_at <= now:
                self._from_far(far.feed(self.down.take(now), now))
            if far.wake_at <= now:
                self._from_far(far.tick(now))
            if self.up.next_at <= now:
                self._told(host.feed(self.up.take(now), now))
            if host.deadline <= now:
                self._told(host.tick(now))
            self._from_host()
            self._look()

    def _from_far(self, data: bytes) -> None:
        if data:
            self.up.write(data, self.now)

    def _from_host(self) -> None:
        data = self.host.outgoing(self.now)
        if data:
            self.down.write(data, self.now)

    # -- people ------------------------------------------------------------------------------------

    def busy(self, seconds: float) -> None:
        """Contacts move and pictures change for so long from now on, once the session is up."""
        while self._up_since == inf or self._known != EVERY_SEAT:
            self.run_until(self.now + 0.1)
        self.run_until(self.now + 0.5)  # hold times have arrived, too
        end = self.now + seconds
        at = self.now
        while at < end:
            at += self.rng.expovariate(self._changes_hz)
            heapq.heappush(self._people, (at, self._steps, "change"))
            self._steps += 1
        at = self.now
        while at < end:
            at += self.rng.expovariate(self._pictures_hz)
            heapq.heappush(self._people, (at, self._steps, "picture"))
            self._steps += 1
        self.run_until(end)

    def _act(self) -> None:
        # Which of both follows from the rates, so that it need not be remembered.
        whole = self._changes_hz + self._pictures_hz
        if self.rng.random() * whole < self._changes_hz:
            self._move()
        else:
            self.show()

    def _move(self) -> None:
        free = [k for k, until in self._busy_until.items() if until <= self.now]
        if free:
            self.move(*self.rng.choice(free))

    def move(self, what: str, n: int) -> None:
        """Move a contact; what it does is expected at the host."""
        value = not self._now_is[what, n]
        self._now_is[what, n] = value
        if what == "key":
            (self.far.press if value else self.far.release)(n, self.now)
        elif what == "seat":
            self.far.sit(n, value, self.now)
        else:
            self.far.lay_button(n, value, self.now)
        self.figures.changes += 1
        self._expected[what, n].append(_Change(value, self.now, self.now + 0.005))
        self._busy_until[what, n] = self.now + 0.012

    def show(self) -> None:
        """Show another picture, with its number in it."""
        self._shown += 1
        picture = self._shown.to_bytes(4, "big") + self.rng.randbytes(_PIXELS - 4)
        self._pictures[self._shown] = picture
        self.host.show_pixels(Pixels(self._shown % 16, picture), self.now)
        self.host.show_lamps(Lamps(1, (lamp_of(self._shown),) * 11), self.now)

    # -- the witness -------------------------------------------------------------------------------

    def _look(self) -> None:
        """What lamps and LED board show must be what was sent, and nothing that is older than the
        last."""
        self._look_at_lamps()
        picture = self.far.pixels(self.now)
        if picture is None or not any(picture):
            return
        number = int.from_bytes(picture[:4], "big")
        if number == self._seen:
            return
        if self._pictures.get(number) != picture or number < self._seen:
            self.figures.wrong.append(f"picture {number} at {self.now:.3f}")
            return
        self.figures.pictures += 1
        for old in range(self._seen, number):
            self._pictures.pop(old, None)
        self._seen = number

    def _look_at_lamps(self) -> None:
        row = set(self.far.lamps(self.now))
        if row == {lamp_of(self._lit)} or self.far.pixels(self.now) is None:
            return
        (lamp, *others) = row
        if others or not any(lamp[:3]):  # dark: a session began
            if others:
                self.figures.wrong.append(f"lamps of two pictures at {self.now:.3f}")
            return
        number = lamp.red | lamp.green << 8 | lamp.blue << 16
        if lamp != lamp_of(number) or not self._lit < number <= self._shown:
            self.figures.wrong.append(f"lamps {number} at {self.now:.3f}")
            return
        self.figures.lamps += 1
        self._lit = number

    def _told(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, Found):
                self.figures.sessions += 1
                if self._up_since == inf:
                    self._up_since = self.now
            elif isinstance(event, Lost):
                self.figures.losses += 1
            elif isinstance(event, Key):
                self._changed("key", event.key, event.pressed, event.moment)
            elif isinstance(event, Seats):
                if event.known == self._known:
                    self._mask("seat", event.occupied, event.moment)
                self._known = event.known
            elif isinstance(event, Buttons):
                self._mask("button", event.sensed, event.moment)
            elif isinstance(event, PressesLost):
                self._presses_lost += event.presses
            elif isinstance(event, Everything):
                self._everything(event)

    def _mask(self, what: str, mask: int, moment: tuple[float, float]) -> None:
        was = [(k, v) for k, v in self._host_is.items() if k[0] == what]
        moved = [n for (_, n), v in was if v is not bool(mask >> (n - 1) & 1)]
        if len(moved) != 1 and not (moved and self._sampled_s):
            self.figures.wrong.append(f"{len(moved)} {what}s moved at once at {self.now:.3f}")
        for n in moved:
            self._changed(what, n, bool(mask >> (n - 1) & 1), moment)

    def _changed(self, what: str, n: int, value: bool, moment: tuple[float, float]) -> None:
        waits = self._expected[what, n]
        if not waits or waits[0].value is not value:
            self.figures.wrong.append(f"{what} {n} {value} at {self.now:.3f}")
            return
        change = waits.popleft()
        self._host_is[what, n] = value
        self.figures.delivered += 1
        self.figures.delays_s.append(self.now - change.certain_at)
        off = abs(moment[0] - change.edge_at)
        self.figures.clock_worst_s = max(self.figures.clock_worst_s, off)
        if off > moment[1] + self._sampled_s + 1e-6:
            self.figures.clock_outside += 1

    def _everything(self, event: Everything) -> None:
        """All states anew: what had changed before it and was not told is lost. The host knows it
        from the count, or because a session began."""
        snapshot, (at, error_s) = event.snapshot, event.moment
        self._known = snapshot.known
        masks = {"seat": snapshot.occupied, "button": snapshot.buttons, "key": snapshot.keys}
        lost = presses = 0
        for (what, n), waits in self._expected.items():
            value = bool(masks[what] >> (n - 1) & 1)
            is_ = self._host_is[what, n]
            while waits and (
                waits[0].certain_at + self._sampled_s < at - error_s
                or (is_ is not value and waits[0].certain_at <= at + error_s)
            ):
                change = waits.popleft()
                is_ = change.value
                lost += 1
                presses += what == "key" and change.value
            self._host_is[what, n] = value
            if is_ is not value:
                self.figures.wrong.append(f"{what} {n} in the snapshot at {self.now:.3f}")
        self.figures.noticed += lost if snapshot.reason == Why.START else min(lost, snapshot.lost)
        if presses != self._presses_lost:
            self.figures.wrong.append(
                f"{self._presses_lost} presses called lost, not {presses}, at {self.now:.3f}"
            )
        self._presses_lost = 0

    def finish(self) -> Figures:
        """Let everything arrive, and count what did not."""
        self.run_until(self.now + 3.0)
        figures = self.figures
        waiting = sum(len(waits) for waits in self._expected.values())
        figures.unnoticed = figures.changes - figures.delivered - figures.noticed
        if self._presses_lost or (waiting and not figures.unnoticed):
            figures.wrong.append(f"{waiting} changes never came")
        if {self._seen, self._lit} != {self._shown}:
            figures.wrong.append(f"picture {self._seen} is shown, not {self._shown}")
        return figures
