"""Polls from wire bytes in virtual time: what the readers' bytes say, without waiting for a clock.

Every look costs sweep_s / number of antennas, so poll n runs from ``start + n * cost`` to
``start + (n + 1) * cost``, to the last bit as in a source without a wire; the two can be compared
poll by poll.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, Protocol

from drivers.readings import Outcome, Poll, Uid
from drivers.rf import RfTurns
from drivers.rfid.pepper_session import PepperSession, PepperSettings, Procedure


class FarEnd(Protocol):
    """A reader as its bytes show it."""

    @property
    def wake_at(self) -> float:
        """When `tick` has something to say although no byte comes; `inf`: never."""
        ...

    def feed(self, data: bytes, now: float) -> bytes: ...

    def tick(self, now: float) -> bytes: ...


class VirtualReader:
    """One reader at the other end of a wire that takes no time.

    ports: antenna number at the table to the reader's port.
    """

    def __init__(
        self, far_end: FarEnd, ports: Mapping[int, int], settings: PepperSettings | None = None
    ) -> None:
        self.ports = dict(ports)
        self.session = PepperSession(
            settings or PepperSettings(ports=tuple(sorted(set(ports.values()))))
        )
        self._far_end = far_end
        self._now = -inf

    def run(self, procedure: Procedure[Any], started: float, ended: float) -> Any:
        """The procedure's value. Begins at `started`; what the reader works on is done at `ended`,
        and silence is waited out from there."""
        session, far_end = self.session, self._far_end
        now = self._now = max(started, self._now)
        out = session.start(procedure, now)
        while session.busy:
            heard = far_end.feed(out, now) if out else b""
            out = b""
            if not heard:
                wake = far_end.wake_at
                now = max(now, ended if wake <= ended else min(wake, session.deadline))
                heard = far_end.tick(now)
            if heard:
                out = session.feed(heard, now)
            elif now >= session.deadline or far_end.wake_at > session.deadline:
                now = max(now, session.deadline)
                out = session.tick(now)
        self._now = now
        return session.result

    def poll(self, antenna: int, started: float, ended: float) -> Poll:
        """One look of one of this reader's antennas."""
        uids: tuple[Uid, ...] | None = self.run(
            self.session.poll(self.ports[antenna]), started, ended
        )
        if uids is None:
            return Poll(antenna, (), Outcome.NOISE, started, ended)
        return Poll(antenna, uids, Outcome.SEEN if uids else Outcome.EMPTY, started, ended)


class Scheduler(Protocol):
    def next(self) -> int: ...


def wire_polls(
    readers: Sequence[VirtualReader],
    scheduler: Scheduler,
    sweep_s: float,
    start: float = 0.0,
) -> Iterator[Poll]:
    """Polls of all antennas of all readers, for ever; one transmitter at a time.

    The scheduler's focus may be changed between two polls. Raises DriverError if a reader cannot be
    set up.
    """
    of_antenna = {antenna: reader for reader in readers for antenna in reader.ports}
    cost = sweep_s / len(of_antenna)
    turns: RfTurns[VirtualReader] = RfTurns()
    for reader in readers:
        reader.run(reader.session.hello(), start, start)
    n = 0
    ended = start
    while True:
        antenna = scheduler.next()
        reader = of_antenna[antenna]
        started = ended
        n += 1
        ended = start + n * cost
        other = turns.must_quiet(reader)
        if other is not None:
            other.run(other.session.quiet(), started, started)
        turns.take(reader)
        yield reader.poll(antenna, started, ended)
