"""Readers on a real USB port of the kernel: the reader contract, and cables pulled and put back at
every moment of a conversation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from drivers.contracts import TagReader
from drivers.errors import LinkLostError, PortUnavailableError
from drivers.factory import PepperEmulator, ReaderSpec, tag_reader
from drivers.readings import Health, HealthState, Poll
from drivers.rfid.wires import Wire, connector
from drivers.sim.pepper_rims import ServedByThread
from tests.drivers.contract import TagReaderContract
from tests.drivers.still_field import StillField
from tests.machines.kernel.devices import UsbSerial
from tests.machines.kernel.usb_readers import UsbRim

pytestmark = pytest.mark.kernel

ANTENNAS = {antenna: antenna for antenna in range(1, 9)}
PATIENCE_S = 60.0


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[UsbSerial]:
    """A plugged USB device with nobody at its far end."""
    with UsbSerial(tmp_path) as usb:
        usb.plug()
        yield usb


@pytest.fixture
def reader_on_usb(cable: UsbSerial) -> Iterator[UsbSerial]:
    """A plugged reader with eight antennas, served from a thread."""
    emulator = PepperEmulator(StillField(tuple(ANTENNAS)), ANTENNAS, look_s=0.005)
    with ServedByThread([UsbRim(emulator, cable)]):
        yield cable


def table_on(usb: UsbSerial) -> TagReader:
    return tag_reader(
        [ReaderSpec("reader 1", "pepper-c1-mux", ANTENNAS, str(usb.link))], backoff_s=(0.05,)
    )


class TestPepperOnUsb(TagReaderContract):
    @pytest.fixture(autouse=True)
    def on_usb(self, reader_on_usb: UsbSerial) -> None:
        self.usb = reader_on_usb

    def reader(self) -> TagReader:
        return table_on(self.usb)


class Watch:
    """Takes a table's readings in the background, so that the driver never waits for the test."""

    def __init__(self) -> None:
        self.polls: list[Poll] = []
        self.health: list[Health] = []
        self._came = asyncio.Event()

    async def watch(self, readings: AsyncIterator[Poll | Health]) -> None:
        async for reading in readings:
            if isinstance(reading, Health):
                self.health.append(reading)
            else:
                self.polls.append(reading)
            self._came.set()

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            self._came.clear()
            await self._came.wait()


@pytest.mark.parametrize("polls_before", [0, 1, 2, 3, 7, 20])
@pytest.mark.parametrize("notices", [True, False], ids=["noticed", "back-at-once"])
def test_a_cable_pulled_at_any_moment_and_put_back_is_recovered_without_restart(
    reader_on_usb: UsbSerial, polls_before: int, notices: bool
) -> None:
    async def main() -> None:
        watch, usb = Watch(), reader_on_usb
        async with asyncio.timeout(PATIENCE_S), table_on(usb) as table:
            watching = asyncio.create_task(watch.watch(table.readings()))
            for _ in range(2):
                seen = len(watch.polls)
                await watch.until(lambda n=seen: len(watch.polls) >= n + polls_before)  # type: ignore[misc]
                await asyncio.to_thread(usb.unplug)
                if notices:
                    await watch.until(lambda: latest(table) is HealthState.LOST)
                await asyncio.to_thread(usb.plug)
                plugged = time.monotonic()
                await watch.until(
                    lambda at=plugged: antennas_since(watch.polls, at) == set(ANTENNAS)  # type: ignore[misc]
                )
                assert latest(table) is HealthState.OK
            watching.cancel()
        assert {p.uids for p in watch.polls if p.antenna == 2} <= {StillField((2,)).lying[2], ()}

    asyncio.run(main())


def latest(table: TagReader) -> HealthState | None:
    return table.health[0].state if table.health else None


def antennas_since(polls: list[Poll], began: float) -> set[int]:
    """Antennas of whole looks that began after that time."""
    return {p.antenna for p in polls if p.started > began}


@pytest.mark.parametrize("act", ["read", "take", "write"])
def test_a_pulled_cable_is_loss_and_silence_is_not(cable: UsbSerial, act: str) -> None:
    async def use(wire: Wire) -> None:
        if act == "read":
            await wire.read(PATIENCE_S)
        elif act == "take":
            wire.take()
        else:
            wire.write(b"\xf5")

    async def main() -> None:
        wire = await connector(str(cable.link), "reader 1")()
        assert wire.take() == b""
        assert await wire.read(0.001) == b""
        await asyncio.to_thread(cable.unplug)
        with pytest.raises(LinkLostError):
            await use(wire)
        with pytest.raises(PortUnavailableError):
            await connector(str(cable.link), "reader 1")()
        wire.close()

    asyncio.run(main())


def test_a_reader_that_comes_and_goes_leaves_no_open_files(reader_on_usb: UsbSerial) -> None:
    async def once() -> None:
        watch = Watch()
        async with asyncio.timeout(PATIENCE_S), table_on(reader_on_usb) as table:
            watching = asyncio.create_task(watch.watch(table.readings()))
            await watch.until(lambda: len(watch.polls) > 3)
            await asyncio.to_thread(reader_on_usb.unplug)
            await watch.until(lambda: latest(table) is HealthState.LOST)
            await asyncio.to_thread(reader_on_usb.plug)
            watching.cancel()

    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    asyncio.run(once())
    before = open_files()
    for _ in range(3):
        asyncio.run(once())
    assert open_files() == before
