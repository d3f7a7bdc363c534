"""The reader contract, held by emulated readers over a pseudo-terminal and over TCP, in virtual
time, and by whatever hardware the environment names."""

from __future__ import annotations

import asyncio
import os

import pytest

from drivers.contracts import TagReader
from drivers.errors import MisconfiguredError, UnknownDriverError
from drivers.factory import DRIVERS, ReaderSpec, emulated_readers, tag_reader
from drivers.readings import Health, HealthState, Poll
from drivers.rfid.airs import Together
from drivers.rfid.pepper import PepperLink, PepperTable
from drivers.rfid.pepper_session import PepperSettings
from drivers.sim.pepper_emulator import PepperEmulator
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sweep import SweepScheduler
from tests.drivers.contract import PATIENCE_S, TagReaderContract, take
from tests.drivers.still_field import StillField, uid_a

ALL = tuple(range(1, 17))
SPECS = (
    ReaderSpec("reader 1", "simulated", {a: a for a in range(1, 9)}),
    ReaderSpec("reader 2", "simulated", {a: a - 8 for a in range(9, 17)}),
)


class TestEmulatedOverPty(TagReaderContract):
    def reader(self) -> TagReader:
        return tag_reader(SPECS, emulated=emulated_readers(SPECS, StillField(ALL), 0.0005))


class TestEmulatedOverTcp(TagReaderContract):
    def reader(self) -> TagReader:
        emulated = emulated_readers(SPECS, StillField(ALL), 0.0005, kind="tcp")
        return tag_reader(SPECS, emulated=emulated)


MIXED = (
    ReaderSpec("reader 1", "simulated", {1: 1}, model="pn532"),
    ReaderSpec("reader 2", "simulated", {2: 1}, model="pn532"),
    ReaderSpec("reader 3", "simulated", {a: a - 2 for a in range(3, 9)}),
)


class TestEmulatedPn532sAndAPepper(TagReaderContract):
    def reader(self) -> TagReader:
        field = StillField(tuple(range(1, 9)), uid_a)
        return tag_reader(MIXED, emulated=emulated_readers(MIXED, field, 0.0005))


class TestEmulatedInVirtualTime(TagReaderContract):
    def reader(self) -> TagReader:
        clock = VirtualClock()
        ports = {a: a for a in range(1, 9)}
        emulator = PepperEmulator(StillField(ALL), ports, look_s=0.025)
        link = PepperLink(
            "reader 1",
            virtual_connect(emulator, clock, "reader 1"),
            ports,
            PepperSettings(),
            clock=clock,
        )
        scheduler = SweepScheduler(tuple(ports))
        return PepperTable([link], scheduler, clock=clock, sleep=clock.sleep)


HARDWARE = "BURNTURN_BENCH_READER"


@pytest.mark.bench
@pytest.mark.skipif(
    HARDWARE not in os.environ, reason=f"{HARDWARE} names no reader, such as /dev/ttyUSB0"
)
class TestRealPepperMux(TagReaderContract):
    """Set BURNTURN_BENCH_READER to the port of a Pepper C1 MUX with eight antennas."""

    def reader(self) -> TagReader:
        ports = {a: a for a in range(1, 9)}
        return tag_reader([ReaderSpec("bench", "pepper-c1-mux", ports, os.environ[HARDWARE])])


@pytest.mark.parametrize("kind", ["pty", "tcp"])
def test_a_cable_pulled_and_put_back_on_a_real_port(kind: str) -> None:
    async def main() -> None:
        emulated = emulated_readers(
            SPECS, StillField(ALL), 0.0005, kind="pty" if kind == "pty" else "tcp"
        )
        table = tag_reader(SPECS, emulated=emulated, backoff_s=(0.01,))
        async with asyncio.timeout(PATIENCE_S), table as reader:
            readings = reader.readings()
            await take(readings, 40)
            emulated.unplug("reader 2")
            lost = await until_health(readings)
            assert (lost.device, lost.state) == ("reader 2", HealthState.LOST)
            without, _ = await take(readings, 40)
            assert {p.antenna for p in without} == set(range(1, 9))
            emulated.plug("reader 2")
            back = await until_health(readings)
            assert (back.device, back.state) == ("reader 2", HealthState.OK)
            again, _ = await take(readings, 64)
            assert {p.antenna for p in again} == set(ALL)

    async def until_health(readings: object) -> Health:
        async for reading in readings:  # type: ignore[attr-defined]
            if isinstance(reading, Health):
                return reading
        raise AssertionError

    asyncio.run(main())


def test_the_first_look_comes_within_two_seconds_though_a_reader_is_absent() -> None:
    async def main() -> Poll:
        specs = (*SPECS[:1], ReaderSpec("reader 2", "pepper-c1-mux", {9: 1}, "/dev/no-such-port"))
        emulated = emulated_readers(specs, StillField(ALL), 0.0005)
        async with asyncio.timeout(2.0), tag_reader(specs, emulated=emulated) as reader:
            polls, _ = await take(reader.readings(), 1)
            return polls[0]

    assert asyncio.run(main()).antenna <= 8


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ([], "no reader"),
        ([ReaderSpec("reader 1", "pepper-c1", {})], "no antenna"),
        ([ReaderSpec("r", "pepper-c1", {1: 1}, "/dev/x")] * 2, "antenna 1 is on two readers"),
        ([ReaderSpec("r", "pepper-c1", {1: 1}, "")], "its port is empty"),
        ([ReaderSpec("r", "pepper-c1", {1: 1}, "http://10.0.0.1")], "no address of a reader"),
        ([ReaderSpec("r", "pepper-c1", {1: 1}, "tcp://h:99999")], "no address of a reader"),
        ([ReaderSpec("r", "pepper-c1", {1: 2}, "/dev/x")], "no antenna port 2"),
        ([ReaderSpec("r", "simulated", {1: 1})], "no simulated table"),
        (
            [ReaderSpec("r", "pepper-c1-mux", {1: 1, 2: 2}, "/dev/x", "binary")],
            "do not say which antenna",
        ),
        ([ReaderSpec("r", "pn532", {1: 1, 2: 2}, "/dev/x")], "pn532 has one antenna"),
        ([ReaderSpec("r", "pn532", {1: 1}, "/dev/x", "json")], "pn532 has no mode json"),
        ([ReaderSpec("r", "mfrc522", {1: 1}, "/dev/ttyUSB0")], "no SPI device"),
        ([ReaderSpec("r", "llrp", {1: 9}, "tcp://h")], "ports 1 to 8"),
        ([ReaderSpec("r", "llrp", {1: 1}, "/dev/x")], "no address of a reader"),
    ],
)
def test_what_cannot_be_built_is_refused(specs: list[ReaderSpec], message: str) -> None:
    with pytest.raises(MisconfiguredError, match=message):
        tag_reader(specs)


def test_an_unknown_driver_names_the_known_ones() -> None:
    known = "pepper-c1, pepper-c1-mux, pn532, mfrc522, llrp, simulated"
    with pytest.raises(UnknownDriverError, match=known):
        tag_reader([ReaderSpec("reader 1", "peper", {1: 1})])
    assert ", ".join(DRIVERS) == known


@pytest.mark.parametrize("driver", [d for d in DRIVERS if d != "simulated"])
def test_every_driver_builds_and_an_absent_device_is_told_as_lost(driver: str) -> None:
    """Nothing is attached here, so each says what it misses and what to do."""
    port = {"mfrc522": "/dev/spidev9.9", "llrp": "tcp://127.0.0.1:9"}.get(driver, "/dev/no-such")

    async def main() -> Health:
        async with tag_reader([ReaderSpec("reader 1", driver, {1: 1}, port)]) as reader:
            async with asyncio.timeout(PATIENCE_S):
                async for reading in reader.readings():
                    if isinstance(reading, Health):
                        return reading
        raise AssertionError

    told = asyncio.run(main())
    assert (told.device, told.state, told.antennas) == ("reader 1", HealthState.LOST, (1,))
    assert f"reader 1 on {port}: " in told.reason


def test_readers_of_different_airs_work_side_by_side() -> None:
    specs = (SPECS[0], ReaderSpec("reader 2", "llrp", {9: 1}, "tcp://127.0.0.1:9"))
    reader = tag_reader(specs, emulated=emulated_readers(specs, StillField(ALL), 0.0005))
    assert isinstance(reader, Together)
    assert reader.antennas == tuple(range(1, 10))


def test_a_model_that_is_not_simulated_is_refused_with_those_that_are() -> None:
    spec = ReaderSpec("reader 1", "simulated", {1: 1}, model="mfrc522")
    with pytest.raises(UnknownDriverError, match="Choose one of pepper-c1-mux, pn532"):
        tag_reader([spec], emulated=emulated_readers([], StillField((1,)), 0.001))
