"""Looks per second of each kind of reader in emulation, and what a round of a whole table takes.

Emulated time holds what the emulators model: bits on the air and transfers for an MFRC522, a stated
time for a PN532's inventory. The rest is this machine's own work.
"""

from __future__ import annotations

import asyncio
import os
import time
import tty
from collections.abc import Sequence
from typing import Any

from drivers.readings import Poll, Uid
from drivers.rfid.em4100_codec import Em4100Decoder, TagHeard
from drivers.rfid.llrp import LlrpLink
from drivers.rfid.mfrc522 import Mfrc522Link
from drivers.rfid.mfrc522_session import Mfrc522Settings
from drivers.rfid.pn532 import Pn532Link
from drivers.rfid.pn532_codec import Pn532Decoder, Target, Targets, read_reply
from drivers.rfid.pn532_session import Pn532Session, Pn532Settings
from drivers.rfid.table import ReaderLink, ReaderTable
from drivers.sim.mfrc522_emulator import Mfrc522Emulator
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sim.pn532_emulator import Pn532Emulator
from drivers.sim.spi_rims import VirtualSpi, spi_connect
from drivers.sweep import SweepScheduler

PN532_LOOK_S = 0.02
"""Assumed: two tries of an inventory; the chip's own time is not published."""


def uid(antenna: int, card: int) -> Uid:
    return Uid(bytes((0x04, 0x31, 0x5A, antenna, card, 0x2C, 0x81)))


class Lying:
    """Every antenna holds so many tags."""

    def __init__(self, tags: int) -> None:
        self._tags = tags

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...]:
        return tuple(uid(antenna, card) for card in range(self._tags))


def run(quick: bool = False) -> list[str]:
    count = 60 if quick else 400
    lines = [_pn532_pty(count * 5, tags) for tags in (0, 2)]
    lines += [_mfrc522(count, tags) for tags in (0, 1, 2)]
    lines += [_round(kinds, count) for kinds in (["pn532"] * 9, ["mfrc522"] * 9)]
    lines += [_decoding(), asyncio.run(_llrp(8 if quick else 40))]
    return lines


def _pn532_pty(count: int, tags: int) -> str:
    chip = Pn532Emulator(Lying(tags), 1)
    session = Pn532Session(Pn532Settings())
    master, slave = os.openpty()
    try:
        tty.setraw(slave)

        def exchange(procedure: Any) -> None:
            out = session.start(procedure, 0.0)
            while session.busy:
                os.write(slave, out)
                os.write(master, chip.feed(os.read(master, 512), 0.0))
                out = session.feed(os.read(slave, 512), 0.0)

        exchange(session.hello())
        begun = time.perf_counter()
        for _ in range(count):
            exchange(session.poll())
        took = time.perf_counter() - begun
    finally:
        os.close(master)
        os.close(slave)
    return f"PN532 over a pty, no air time, {tags} tags: {count / took:,.0f} looks/s"


def _mfrc522(count: int, tags: int) -> str:
    clock = VirtualClock()
    link = _link("mfrc522", 1, clock, Lying(tags))

    async def main() -> None:
        await link.open()
        for _ in range(count):
            assert len((await link.poll(1)).uids) == tags
        link.close()

    begun, computed = clock(), time.process_time()
    asyncio.run(main())
    took, used = clock() - begun, time.process_time() - computed
    return (
        f"MFRC522, {tags} tags: {took / count * 1e3:.1f} ms a look in emulated time, "
        f"{count / took:.0f} looks/s; {used / count * 1e3:.1f} ms of this processor with emulator"
    )


def _link(kind: str, antenna: int, clock: VirtualClock, field: Lying) -> ReaderLink:
    name = f"reader {antenna}"
    if kind == "pn532":
        chip = Pn532Emulator(field, antenna, look_s=PN532_LOOK_S)
        connect = virtual_connect(chip, clock, name)
        return Pn532Link(name, connect, antenna, Pn532Settings(), clock=clock)
    spi = spi_connect(VirtualSpi(Mfrc522Emulator(field, antenna), clock))
    return Mfrc522Link(name, spi, antenna, Mfrc522Settings(), clock=clock, threaded=False)


def _round(kinds: Sequence[str], count: int) -> str:
    """One round of all readers in turn, two tags at each seat, as the sweep's polls show it."""
    clock = VirtualClock()
    antennas = tuple(range(1, len(kinds) + 1))
    links = [_link(k, a, clock, Lying(2)) for k, a in zip(kinds, antennas, strict=True)]
    table = ReaderTable(links, SweepScheduler(antennas), clock=clock, sleep=clock.sleep)

    async def main() -> list[Poll]:
        polls: list[Poll] = []
        async with table:
            async for reading in table.readings():
                if isinstance(reading, Poll):
                    polls.append(reading)
                if len(polls) >= max(count, 3 * len(kinds)):
                    break
        return polls

    polls = asyncio.run(main())
    mine = [p.started for p in polls if p.antenna == 1]
    took = (mine[-1] - mine[0]) / (len(mine) - 1)
    return (
        f"{len(kinds)} {kinds[0]} at {len(kinds)} seats, 2 tags each: {took * 1e3:.0f} ms a round"
    )


def _decoding() -> str:
    answer = Targets((Target(uid(1, 1)), Target(uid(1, 2)))).wire() * 200
    report = TagHeard(Uid(bytes(5))).wire() * 200

    def megabytes_per_s(feed: Any, data: bytes) -> float:
        begun = time.perf_counter()
        for at in range(0, len(data), 64):
            feed(data[at : at + 64])
        return len(data) / (time.perf_counter() - begun) / 1e6

    pn532 = max(megabytes_per_s(Pn532Decoder(read_reply).feed, answer) for _ in range(5))
    em4100 = max(megabytes_per_s(Em4100Decoder().feed, report) for _ in range(5))
    return f"decoding, 64-byte portions: PN532 {pn532:.1f} MB/s, RDM6300 {em4100:.1f} MB/s"


async def _llrp(count: int) -> str:
    from llrpkit.emulator import EmulatedTag, LLRPEmulator

    tags = [EmulatedTag(epc=bytes(uid(1, c)) + bytes(5)) for c in range(3)]
    look_s = 0.05
    async with LLRPEmulator(tags=tags, reads_per_sec=1000.0) as emulator:
        link = LlrpLink("box", "127.0.0.1", emulator.port, {1: 1}, "box", look_s=look_s)
        await link.open()
        polls = [await link.poll(1) for _ in range(count)]
        closing = link.close()
        if closing is not None:
            await closing
    took = sum(p.ended - p.started for p in polls) / count
    return f"LLRP over TCP: a look takes {(took - look_s) * 1e3:.1f} ms longer than it lasts"
