"""Full-length nine-handed hands a second on one core: from polls, and from bytes over a pty."""

from __future__ import annotations

import os
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controller.simulate.deal import SimulatedTable
from controller.simulate.settings import Settings
from drivers.factory import PepperEmulator, VirtualReader, wire_polls
from drivers.readings import Poll, Reading

POLLS_GOAL = 40.0
WIRE_GOAL = 2.0


def run(quick: bool = False) -> list[str]:
    hands = 10 if quick else 60
    readings: list[Reading] = []
    simulated = SimulatedTable(Settings(), "bench", on_reading=readings.append)
    begun = time.process_time()
    seconds = 0.0
    for _ in range(hands):
        played = simulated.hand().played
        seconds += played.next_at - played.begun_at
    together = time.process_time() - begun
    polls = sum(isinstance(r, Poll) for r in readings)

    table = simulated.fresh_table()
    begun = time.process_time()
    for reading in readings:
        table.feed(reading)
    alone = time.process_time() - begun

    wire = _from_wire(1 if quick else 4)
    direct = _from_wire(1 if quick else 4, over_pty=False)
    return [
        f"a hand: {seconds / hands:.0f} s, {polls / hands:.0f} polls",
        f"from polls: {hands / alone:.1f} hands/s, {polls / alone:,.0f} polls/s "
        f"(goal ≥ {POLLS_GOAL:.0f} hands/s: {hands / alone / POLLS_GOAL:.2f} of it)",
        f"with the simulated cards and antennas: {hands / together:.1f} hands/s",
        f"from wire bytes over a pty, emulated readers included: {wire.hands / wire.cpu_s:.2f} "
        f"hands/s of {wire.seconds / wire.hands:.0f} s, {wire.polls / wire.hands:.0f} polls and "
        f"{wire.sent / wire.hands / 1000:.0f} kB each "
        f"(goal ≥ {WIRE_GOAL:.0f}: {wire.hands / wire.cpu_s / WIRE_GOAL:.2f} of it)",
        f"  {wire.system_s / wire.cpu_s:.0%} of that is the kernel's pseudo-terminal; the same "
        f"bytes handed over in memory: {direct.hands / direct.cpu_s:.2f} hands/s",
    ]


@dataclass(slots=True)
class _WireRun:
    hands: int = 0
    polls: int = 0
    seconds: float = 0.0
    cpu_s: float = 0.0
    system_s: float = 0.0
    sent: int = 0


class _PtyFarEnd:
    """An emulated reader at the far end of a pseudo-terminal; every byte passes the kernel."""

    def __init__(self, emulator: PepperEmulator, near: int, far: int) -> None:
        self._emulator = emulator
        self._near = near
        self._far = far
        self.sent = 0

    @property
    def wake_at(self) -> float:
        return self._emulator.wake_at

    def feed(self, data: bytes, now: float) -> bytes:
        os.write(self._near, data)
        return self._back(self._emulator.feed(os.read(self._far, 4096), now), len(data))

    def tick(self, now: float) -> bytes:
        return self._back(self._emulator.tick(now), 0)

    def _back(self, answer: bytes, heard: int) -> bytes:
        self.sent += heard + len(answer)
        if not answer:
            return b""
        os.write(self._far, answer)
        return os.read(self._near, 4096)


@contextmanager
def _pty_pair() -> Iterator[tuple[int, int]]:
    far, near = os.openpty()
    tty.setraw(near)
    try:
        yield near, far
    finally:
        os.close(near)
        os.close(far)


def _from_wire(hands: int, over_pty: bool = True) -> _WireRun:
    """Hands whose polls come from the bytes of two emulated readers."""
    simulated = SimulatedTable(Settings(), "bench wire")
    table, dealer, scheduler = simulated.table, simulated.dealer, simulated.scheduler
    antennas = simulated.layout.antennas
    cost = simulated.settings.sweep_s / len(antennas)
    result = _WireRun(hands=hands)
    with _pty_pair() as first, _pty_pair() as second:
        readers, ends = [], []
        for reader, (near, far) in ((1, first), (2, second)):
            ports = {a.antenna: a.profile.port for a in antennas if a.profile.reader == reader}
            emulator = PepperEmulator(
                simulated.world,
                {port: antenna for antenna, port in ports.items()},
                look_s=cost,
                name=f"reader {reader}",
            )
            if over_pty:
                ends.append(_PtyFarEnd(emulator, near, far))
                readers.append(VirtualReader(ends[-1], ports))
            else:
                readers.append(VirtualReader(emulator, ports))
        source = wire_polls(readers, scheduler, simulated.settings.sweep_s)
        begun, system = time.process_time(), os.times().system
        for _ in range(hands):
            played = simulated.robot.hand()
            result.seconds += played.next_at - played.begun_at
            for poll in source:
                for reading in dealer.due(poll.ended):
                    table.feed(reading)
                table.feed(poll)
                scheduler.focus(table.focus)
                result.polls += 1
                if poll.ended >= played.next_at:
                    break
        result.cpu_s = time.process_time() - begun
        result.system_s = os.times().system - system
        result.sent = sum(end.sent for end in ends)
    return result
