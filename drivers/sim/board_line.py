"""Button, chairs and keys of a simulated table through the table board's bytes, in virtual time.

A contact is moved where the dealer or a player would move it; what comes out is what the host makes
of the board's bytes, later by debouncing, line and cable. The far end is anything with the board's
seam: the twin, or the firmware itself.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from math import inf
from typing import Protocol

from drivers.mcu_readings import BoardReadings, Said
from drivers.readings import ButtonReading, KeyPress, SeatReading
from drivers.sim.table_board import BoardTwin
from tablelink.messages import KEYS, SEATS
from tablelink.session import BAUD, HostSession, Phase

PRESS_S = 0.08
"""How long a finger stays on a key."""
BETWEEN_S = 0.05
"""Between two presses of one key."""
REACH_S = 0.3
"""From putting the button down to a finger on a key: one hand does both."""
LATENCY_S = 0.001
"""Of the cable and its converter, each way."""
LEAD_IN_S = 5.0
"""So long before its first moment the board is switched on and spoken to."""

Input = ButtonReading | SeatReading | KeyPress


class FarEnd(Protocol):
    """A board: bytes and time in, bytes out; contacts to move."""

    @property
    def wake_at(self) -> float: ...

    def feed(self, data: bytes, now: float) -> bytes: ...

    def tick(self, now: float) -> bytes: ...

    def press(self, key: int, now: float) -> None: ...

    def release(self, key: int, now: float) -> None: ...

    def lay_button(self, sensor: int, there: bool, now: float) -> None: ...

    def sit(self, seat: int, occupied: bool, now: float) -> None: ...


class _Way:
    """One direction of the line: bytes arrive at the line's pace, in order."""

    def __init__(self) -> None:
        self._coming: deque[tuple[float, bytes]] = deque()
        self._free_at = -inf

    def write(self, data: bytes, now: float) -> None:
        if data:
            self._free_at = max(now, self._free_at) + len(data) * 10 / BAUD
            self._coming.append((self._free_at + LATENCY_S, data))

    @property
    def next_at(self) -> float:
        return self._coming[0][0] if self._coming else inf

    def take(self, now: float) -> bytes:
        out = b""
        while self._coming and self._coming[0][0] <= now:
            out += self._coming.popleft()[1]
        return out


class BoardLine:
    """A table board, its line and the host's side of it.

    keys: names of the board's keys in its order. occupied, buttons: seats whose chair is taken, and
    where a dealer button lies, when the board is switched on, `LEAD_IN_S` before `start`. far: the
    board, new at that time; None for a twin. seed: of the session's numbers. A chair beyond the
    board's sensors says nothing. Raises ValueError for more keys than a board has.
    """

    def __init__(
        self,
        keys: Sequence[str],
        occupied: Collection[int] = (),
        buttons: Collection[int] = (),
        *,
        start: float = 0.0,
        far: FarEnd | None = None,
        seed: int = 0,
    ) -> None:
        if len(keys) > KEYS:
            raise ValueError(f"{len(keys)} keys; a table board has {KEYS}")
        begin = start - LEAD_IN_S
        self.far: FarEnd = far or BoardTwin(now=begin)
        self._keys = tuple(keys)
        self._random = random.Random(f"table board {seed}")
        self._acts: list[tuple[float, int, str, int, bool]] = []
        self._given = 0
        self._free_at = dict.fromkeys(self._keys, -inf)
        self._buttons: frozenset[int] = frozenset()
        self._laid_at = -inf
        self._now = begin
        self._lay(buttons, begin)
        for seat in occupied:
            self._move(SeatReading(seat, True, begin))
        self._connect()
        self._said = self._run(start)

    def _connect(self) -> None:
        """The host opens the port."""
        self._host = HostSession(lambda: self._random.randrange(1, 1 << 16))
        self._readings = BoardReadings("table board", self._keys)
        self._down, self._up = _Way(), _Way()
        self._host.opened(self._now)

    def restart_host(self, inputs: Iterable[Input], at: float) -> None:
        """The host is switched off now and on again at `at`; the board stays on, and its contacts
        are moved meanwhile."""
        for reading in inputs:
            self._move(reading)
        self._run_far(at)
        self._connect()

    @property
    def up(self) -> bool:
        """Whether the host speaks with the board."""
        return self._host.phase is Phase.UP

    def due(self, inputs: Iterable[Input], until: float) -> list[Said]:
        """Move the contacts that these say, and give what the host hears up to a time."""
        for reading in inputs:
            self._move(reading)
        said, self._said = self._said, []
        return said + self._run(until)

    # -- contacts ----------------------------------------------------------------------------------

    def _move(self, reading: Input) -> None:
        at = max(reading.at, self._now)
        match reading:
            case SeatReading(seat=seat, occupied=occupied) if seat <= SEATS:
                self._plan(at, "sit", seat, bool(occupied))
            case ButtonReading(seats=seats):
                self._lay(seats or (), at)
            case KeyPress(key=key):
                at = max(at, self._free_at[key], self._laid_at + REACH_S)
                self._free_at[key] = at + PRESS_S + BETWEEN_S
                number = self._keys.index(key) + 1
                self._plan(at, "key", number, True)
                self._plan(at + PRESS_S, "key", number, False)

    def _lay(self, seats: Collection[int], at: float) -> None:
        there = frozenset(seats)
        self._laid_at = at
        for seat in sorted(there ^ self._buttons):
            self._plan(at, "button", seat, seat in there)
        self._buttons = there

    def _plan(self, at: float, what: str, number: int, on: bool) -> None:
        self._given += 1
        heapq.heappush(self._acts, (at, self._given, what, number, on))

    def _act(self) -> None:
        at, _, what, number, on = heapq.heappop(self._acts)
        if what == "sit":
            self.far.sit(number, on, at)
        elif what == "button":
            self.far.lay_button(number, on, at)
        else:
            (self.far.press if on else self.far.release)(number, at)

    # -- time --------------------------------------------------------------------------------------

    def _run(self, until: float) -> list[Said]:
        """Everything that happens up to a time, in its order."""
        said: list[Said] = []
        far, host = self.far, self._host
        while True:
            acts_at = self._acts[0][0] if self._acts else inf
            at = min(host.deadline, far.wake_at, self._down.next_at, self._up.next_at, acts_at)
            if at > until:
                self._now = max(self._now, until)
                return said
            self._now = now = max(self._now, at)
            if acts_at <= now:
                self._act()
            if self._down.next_at <= now:
                self._up.write(far.feed(self._down.take(now), now), now)
            if far.wake_at <= now:
                self._up.write(far.tick(now), now)
            events = host.feed(self._up.take(now), now) if self._up.next_at <= now else ()
            if host.deadline <= now:
                events += host.tick(now)
            self._down.write(host.outgoing(now), now)
            said += [word for event in events for word in self._readings.take(event, now)]

    def _run_far(self, until: float) -> None:
        """The board alone; nobody hears it."""
        while min(self.far.wake_at, self._acts[0][0] if self._acts else inf) <= until:
            acts_at = self._acts[0][0] if self._acts else inf
            self._now = max(self._now, min(self.far.wake_at, acts_at))
            if acts_at <= self._now:
                self._act()
            if self.far.wake_at <= self._now:
                self.far.tick(self._now)
        self._now = max(self._now, until)
