"""The reader contract, held by every emulated reader there is, and by whatever hardware the
environment names. `test_tag_readers` has the Peppers'."""

from __future__ import annotations

import os
import socket
from typing import Any, Self

import pytest

from drivers.contracts import TagReader
from drivers.factory import ReaderSpec, tag_reader
from drivers.readings import Uid
from drivers.rfid.airs import Together
from drivers.rfid.em4100 import Em4100Link
from drivers.rfid.llrp import LlrpLink
from drivers.rfid.mfrc522 import Mfrc522Link
from drivers.rfid.mfrc522_session import Mfrc522Settings
from drivers.rfid.pn532 import Pn532Link
from drivers.rfid.pn532_session import Pn532Settings
from drivers.rfid.table import ReaderLink, ReaderTable
from drivers.rfid.wires import Connect, connector
from drivers.sim.em4100_emulator import Em4100Emulator
from drivers.sim.mfrc522_emulator import Mfrc522Emulator
from drivers.sim.pepper_rims import (
    PtyRim,
    Rim,
    ServedByLoop,
    TcpRim,
    VirtualClock,
    virtual_connect,
)
from drivers.sim.pn532_emulator import Pn532Emulator
from drivers.sim.spi_rims import TimedSpi, VirtualSpi, spi_connect
from drivers.sweep import SweepScheduler
from tests.drivers.contract import TagReaderContract
from tests.drivers.still_field import StillField, uid_a, uid_em

ALL = (1, 2, 3)
FIELD = StillField(ALL, uid_a)


class TestPn532InVirtualTime(TagReaderContract):
    def reader(self) -> TagReader:
        clock = VirtualClock()
        links = [
            Pn532Link(
                f"reader {a}",
                virtual_connect(Pn532Emulator(FIELD, a, look_s=0.02), clock, f"reader {a}"),
                a,
                Pn532Settings(),
                clock=clock,
            )
            for a in ALL
        ]
        return ReaderTable(links, SweepScheduler(ALL), clock=clock, sleep=clock.sleep)


class Served:
    """Emulated readers on real ports, from when it is opened on."""

    def __init__(self, rim_of: type[PtyRim] | type[TcpRim]) -> None:
        self._rim_of = rim_of
        self._rims: dict[int, Rim] = {}
        self._served = ServedByLoop(())

    async def __aenter__(self) -> Self:
        self._rims = {a: self._rim_of(Pn532Emulator(FIELD, a, look_s=0.001)) for a in ALL}
        self._served = ServedByLoop(tuple(self._rims.values()))
        await self._served.__aenter__()
        return self

    async def __aexit__(self, *ends: Any) -> None:
        await self._served.__aexit__(*ends)

    def connect(self, antenna: int) -> Connect:
        return lambda: connector(self._rims[antenna].address, f"reader {antenna}")()


def served_pn532s(rim_of: type[PtyRim] | type[TcpRim]) -> TagReader:
    served = Served(rim_of)
    links = [Pn532Link(f"reader {a}", served.connect(a), a, Pn532Settings()) for a in ALL]
    return ReaderTable(links, SweepScheduler(ALL), companions=[served])


class TestPn532OverPty(TagReaderContract):
    def reader(self) -> TagReader:
        return served_pn532s(PtyRim)


class TestPn532OverTcp(TagReaderContract):
    def reader(self) -> TagReader:
        return served_pn532s(TcpRim)


class TestMfrc522InVirtualTime(TagReaderContract):
    def reader(self) -> TagReader:
        clock = VirtualClock()
        links = [
            Mfrc522Link(
                f"reader {a}",
                spi_connect(VirtualSpi(Mfrc522Emulator(FIELD, a), clock)),
                a,
                Mfrc522Settings(),
                clock=clock,
                threaded=False,
            )
            for a in ALL
        ]
        return ReaderTable(links, SweepScheduler(ALL), clock=clock, sleep=clock.sleep)


class TestMfrc522InItsThread(TagReaderContract):
    def reader(self) -> TagReader:
        links = [
            Mfrc522Link(
                f"reader {a}",
                spi_connect(TimedSpi(Mfrc522Emulator(FIELD, a))),
                a,
                Mfrc522Settings(),
            )
            for a in ALL
        ]
        return ReaderTable(links, SweepScheduler(ALL))


class TestLlrpOverTcp(TagReaderContract):
    def reader(self) -> TagReader:
        emulator = pytest.importorskip("llrpkit.emulator", reason="the extra llrp is not installed")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        tags = [
            emulator.EmulatedTag(epc=bytes(uid_a(a, card)) + bytes(5), antennas=(a,))
            for a in ALL
            for card in range(a % 3)
        ]
        far_end = emulator.LLRPEmulator(port=port, tags=tags, reads_per_sec=1000.0)
        link = LlrpLink("box", "127.0.0.1", port, {a: a for a in ALL}, "box", look_s=0.02)
        return ReaderTable([link], SweepScheduler(ALL), companions=[far_end])


class TestEm4100SideBySide(TagReaderContract):
    complete = False
    in_turn = False
    steered = False

    def reader(self) -> TagReader:
        clock = VirtualClock(1.0)
        field = StillField(ALL, uid_em)
        field.lying = {a: (uid_em(a),) for a in ALL}
        tables = [
            ReaderTable(
                [
                    Em4100Link(
                        f"puck {a}",
                        virtual_connect(Em4100Emulator(field, a), clock, f"puck {a}"),
                        a,
                        clock=clock,
                    )
                ],
                SweepScheduler((a,)),
                clock=clock,
                sleep=clock.sleep,
            )
            for a in ALL
        ]
        return Together(tables)


class TestTwoAirs(TagReaderContract):
    """A PN532 and an MFRC522 in turn, and something else beside them."""

    in_turn = False
    steered = False

    def reader(self) -> TagReader:
        clock = VirtualClock()

        def pn532(a: int) -> Pn532Link:
            emulator = Pn532Emulator(FIELD, a, look_s=0.02)
            connect = virtual_connect(emulator, clock, f"reader {a}")
            return Pn532Link(f"reader {a}", connect, a, Pn532Settings(), clock=clock)

        spi = spi_connect(VirtualSpi(Mfrc522Emulator(FIELD, 2), clock))
        both: list[ReaderLink] = [
            pn532(1),
            Mfrc522Link("reader 2", spi, 2, Mfrc522Settings(), clock=clock, threaded=False),
        ]
        return Together(
            [
                ReaderTable(both, SweepScheduler((1, 2)), clock=clock, sleep=clock.sleep),
                ReaderTable([pn532(3)], SweepScheduler((3,)), clock=clock, sleep=clock.sleep),
            ]
        )


def specs_of_the_bench(driver: str) -> list[ReaderSpec]:
    """Ports of real readers of this driver, from the environment; at least two antennas."""
    name = f"BURNTURN_BENCH_{driver.upper()}"
    ports = [port for port in os.environ.get(name, "").split(",") if port]
    if not ports:
        pytest.skip(f"{name} names no readers; give their ports, with commas between them")
    if driver == "llrp":
        return [ReaderSpec("bench", driver, {1: 1, 2: 2}, ports[0])]
    return [ReaderSpec(f"bench {i}", driver, {i: 1}, p) for i, p in enumerate(ports, start=1)]


@pytest.mark.bench
class TestRealPn532s(TagReaderContract):
    """BURNTURN_BENCH_PN532=/dev/ttyUSB0,/dev/ttyUSB1"""

    def reader(self) -> TagReader:
        return tag_reader(specs_of_the_bench("pn532"))


@pytest.mark.bench
class TestRealMfrc522s(TagReaderContract):
    """BURNTURN_BENCH_MFRC522=/dev/spidev0.0,/dev/spidev0.1"""

    def reader(self) -> TagReader:
        return tag_reader(specs_of_the_bench("mfrc522"))


@pytest.mark.bench
class TestRealLlrp(TagReaderContract):
    """BURNTURN_BENCH_LLRP=tcp://192.168.1.50, with antennas 1 and 2 connected"""

    def reader(self) -> TagReader:
        return tag_reader(specs_of_the_bench("llrp"))


def test_the_tags_of_the_suite_are_such_as_the_readers_know() -> None:
    assert all(isinstance(uid, Uid) for uids in FIELD.lying.values() for uid in uids or ())
    assert {len(uid_a(1)), len(uid_em(1))} == {7, 5}
