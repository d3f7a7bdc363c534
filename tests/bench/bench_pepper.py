"""Pepper decoding beside the vendor's parser on the same bytes, and polls over a real
pseudo-terminal in lock step with the emulated reader in the same process."""

from __future__ import annotations

import os
import random
import time
import tty
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Protocol

from pepper_c1.protocol import FrameParser

from drivers.factory import Ether, PepperEmulator, SweepScheduler, VirtualReader, wire_polls
from drivers.readings import Uid
from drivers.rfid.pepper_codec import Decoder, Done, Reply, TagCount, TagUid, read_reply
from drivers.rfid.pepper_session import PepperSession, PepperSettings, Procedure

DECODE_GOAL = 5.0
POLLS_GOAL = 8_000
PORTION = 64
"""Bytes that a serial port hands over at once."""

CARDS = [Uid(b"\xe0\x04" + random.Random(i).randbytes(6)) for i in range(52)]


class Fed(Protocol):
    def feed(self, data: bytes) -> Sequence[object]: ...


def run(quick: bool = False) -> list[str]:
    wire = _traffic(60_000 if quick else 400_000)
    lines = []
    for label, size in ((f"{PORTION}-byte portions", PORTION), ("4-KiB portions", 4096)):
        portions = [wire[at : at + size] for at in range(0, len(wire), size)]
        ours = _megabytes_per_s(lambda: Decoder[Reply](read_reply), portions)
        theirs = _megabytes_per_s(FrameParser, portions)
        lines.append(
            f"decoding, {label}: {ours:.1f} MB/s to messages; the vendor's parser {theirs:.2f} "
            f"MB/s to payloads: {ours / theirs:.1f} times (goal ≥ {DECODE_GOAL:.0f})"
        )
    count = 1_500 if quick else 12_000
    for label, tags in (
        ("no card", (0,)),
        ("a card on every fourth antenna", (0, 0, 0, 1)),
        ("two cards on each", (2,)),
    ):
        by_wall, by_processor = _pty_polls_per_s(count, tags)
        lines.append(
            f"lock step over a pty, {label}: {by_wall:,.0f} polls/s "
            f"(goal ≥ {POLLS_GOAL:,}: {by_wall / POLLS_GOAL:.2f} of it), "
            f"{by_processor:,.0f} per second of processor time"
        )
    lines.append(
        f"in virtual time, two readers, no port: {_virtual_polls_per_s(count):,.0f} polls/s"
    )
    return lines


def _traffic(size: int) -> bytes:
    """What a table's reader sends: switched, counted, named."""
    chance = random.Random(1)
    parts: list[bytes] = []
    total = 0
    while total < size:
        count = chance.choice((0, 0, 1, 2, 2))
        look = [Done(0x0F).wire(), TagCount(count).wire()]
        look += [TagUid(0x22, 0, chance.choice(CARDS)).wire() for _ in range(count)]
        parts += look
        total += sum(map(len, look))
    return b"".join(parts)


def _megabytes_per_s(parser: Callable[[], Fed], portions: list[bytes]) -> float:
    """The best of three runs over the same bytes."""
    best = 0.0
    for _ in range(3):
        feed = parser().feed
        begun = time.perf_counter()
        found = sum(len(feed(portion)) for portion in portions)
        took = time.perf_counter() - begun
        assert found
        best = max(best, sum(map(len, portions)) / took / 1e6)
    return best


class _Lying:
    """A field in which nothing moves: antenna n holds as many tags as its turn in `tags` says."""

    def __init__(self, tags: Sequence[int]) -> None:
        self._at = {a: tuple(CARDS[2 * a : 2 * a + tags[a % len(tags)]]) for a in range(1, 17)}

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        return self._at[antenna]


def _pty_polls_per_s(count: int, tags: Sequence[int]) -> tuple[float, float]:
    """Polls per second by the wall clock, and per second that this process computed."""
    emulator = PepperEmulator(_Lying(tags), {port: port for port in range(1, 9)})
    session = PepperSession(PepperSettings())
    master, slave = os.openpty()
    try:
        tty.setraw(slave)

        def exchange(procedure: Procedure[Any]) -> None:
            out = session.start(procedure, 0.0)
            while session.busy:
                os.write(slave, out)
                os.write(master, emulator.feed(os.read(master, 256), 0.0))
                out = session.feed(os.read(slave, 256), 0.0)

        exchange(session.hello())
        begun, computed = time.perf_counter(), time.process_time()
        for n in range(count):
            exchange(session.poll(n % 8 + 1))
        took = time.perf_counter() - begun
        return count / took, count / (time.process_time() - computed)
    finally:
        os.close(master)
        os.close(slave)


def _virtual_polls_per_s(count: int) -> float:
    ether, field, cost = Ether(), _Lying((0, 0, 0, 1)), 0.025
    readers = []
    for reader in range(2):
        ports = {port + 8 * reader: port for port in range(1, 9)}
        emulator = PepperEmulator(
            field,
            {port: antenna for antenna, port in ports.items()},
            look_s=cost,
            name=f"reader {reader + 1}",
            ether=ether,
        )
        readers.append(VirtualReader(emulator, ports))
    source = wire_polls(readers, SweepScheduler(range(1, 17)), 16 * cost)
    begun = time.perf_counter()
    assert sum(1 for _ in islice(source, count)) == count
    return count / (time.perf_counter() - begun)
