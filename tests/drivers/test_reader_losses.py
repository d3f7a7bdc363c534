"""Cables pulled and put back at any moment, readers that restart in the middle of a look, cables
exchanged: told plainly, recovered without a restart, and never a clean look that is not true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.readings import Health, HealthState, Outcome, Poll
from drivers.rfid.mfrc522 import Mfrc522Link
from drivers.rfid.mfrc522_session import Mfrc522Settings
from drivers.rfid.pepper import PepperLink
from drivers.rfid.pepper_session import PepperSettings
from drivers.rfid.pn532 import Pn532Link
from drivers.rfid.pn532_session import Pn532Settings
from drivers.rfid.table import ReaderLink, ReaderTable
from drivers.rfid.wires import of_serial
from drivers.sim.mfrc522_emulator import Mfrc522Emulator, Mfrc522Fault
from drivers.sim.pepper_emulator import Ether, PepperEmulator, WireFault
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sim.pn532_emulator import Pn532Emulator, Pn532Fault
from drivers.sim.spi_rims import VirtualSpi, spi_connect
from drivers.sweep import SweepScheduler
from tests.drivers.still_field import StillField, uid_a

LOOK_S = 0.02


Trouble = tuple[float, int, str]
"""After so many seconds, to reader 0 or 1: unplug, plug or restart."""


class Powered(Protocol):
    def unplug(self) -> None: ...

    def plug(self, now: float = 0.0) -> None: ...


@dataclass(frozen=True)
class Far:
    """An emulated reader as a person at the table can treat it."""

    power: Powered
    restart: Callable[[float], None]


class Bench:
    """Two readers, of the kinds named, with antennas 1 and 2, in virtual time."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self.clock = VirtualClock(100.0)
        self.ether = Ether()
        self.field = StillField((1, 2), uid_a)
        self.far: list[Far] = []
        links = [self._link(kind, antenna) for antenna, kind in enumerate(kinds, start=1)]
        self.table = ReaderTable(
            links, SweepScheduler((1, 2)), clock=self.clock, sleep=self.clock.sleep
        )
        self.read: list[Poll | Health] = []

    def _link(self, kind: str, antenna: int) -> ReaderLink:
        name, clock, ether = f"reader {antenna}", self.clock, self.ether
        if kind == "mfrc522":
            chip = Mfrc522Emulator(self.field, antenna, name=name, ether=ether)
            self.far.append(Far(chip, lambda now: chip.arm(Mfrc522Fault.RESET, now)))
            return Mfrc522Link(
                name,
                spi_connect(VirtualSpi(chip, clock)),
                antenna,
                Mfrc522Settings(where=name),
                clock=clock,
                threaded=False,
            )
        if kind == "pn532":
            pn532 = Pn532Emulator(self.field, antenna, look_s=LOOK_S, name=name, ether=ether)
            self.far.append(Far(pn532, lambda now: pn532.arm(Pn532Fault.REBOOT, now)))
            connect = virtual_connect(pn532, clock, name)
            return Pn532Link(name, connect, antenna, Pn532Settings(where=name), clock=clock)
        pepper = PepperEmulator(self.field, {1: antenna}, look_s=LOOK_S, name=name, ether=ether)
        self.far.append(Far(pepper, lambda now: pepper.arm(WireFault.REBOOT, now)))
        return PepperLink(
            name,
            virtual_connect(pepper, clock, name),
            {antenna: 1},
            PepperSettings(where=name, ports=(1,)),
            clock=clock,
        )

    async def until(
        self, readings: AsyncIterator[Poll | Health], done: Callable[[Poll | Health], bool]
    ) -> Poll | Health:
        async for reading in readings:
            self.read.append(reading)
            assert len(self.read) < 5_000, "what the test waits for never comes"
            if done(reading):
                return reading
        raise AssertionError

    async def evening(self, troubles: Sequence[Trouble]) -> int:
        """Read while cables are treated so, until both readers have been well for a while; gives
        how many readings there were before that."""

        async def trouble() -> None:
            for pause_s, which, what in troubles:
                await self.clock.sleep(pause_s)
                far = self.far[which]
                if what == "unplug":
                    far.power.unplug()
                elif what == "plug":
                    far.power.plug(self.clock())
                else:
                    far.restart(self.clock())
            for far in self.far:
                far.power.plug(self.clock())

        async with self.table:
            readings = self.table.readings()
            at_work = asyncio.create_task(trouble())
            await self.until(readings, lambda _: at_work.done())
            healed_at = self.clock()
            await self.until(
                readings,
                lambda _: (
                    self.clock() > healed_at + 0.2
                    and all(h.state is HealthState.OK for h in self.table.health)
                ),
            )
            await self.until(readings, lambda r: isinstance(r, Poll) and r.antenna == 1)
            await self.until(readings, lambda r: isinstance(r, Poll) and r.antenna == 2)
            late = len(self.read)
            await self.until(readings, lambda _: len(self.read) > late + 40)
        return late

    def true(self, reading: Poll | Health) -> bool:
        """A clean look says exactly what lies there."""
        if isinstance(reading, Health) or reading.outcome is Outcome.NOISE:
            return True
        lying = self.field.lying[reading.antenna] or ()
        return set(reading.uids) == set(lying)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(60):
            await test()

    asyncio.run(main())


PAIRS = [("pepper", "pepper"), ("pn532", "pn532"), ("mfrc522", "mfrc522"), ("pepper", "pn532")]
PAIRS += [("pn532", "mfrc522")]
troubles = st.lists(
    st.tuples(
        st.floats(0.0, 0.4), st.integers(0, 1), st.sampled_from(["unplug", "plug", "restart"])
    ),
    max_size=8,
)


@pytest.mark.parametrize("kinds", PAIRS, ids="+".join)
@settings(deadline=None, max_examples=15)
@given(troubles=troubles)
def test_whatever_happens_to_cables_no_clean_look_is_untrue(
    kinds: tuple[str, str], troubles: list[Trouble]
) -> None:
    async def test() -> None:
        bench = Bench(kinds)
        late = await bench.evening(troubles)
        assert all(bench.true(reading) for reading in bench.read)
        calm = [r for r in bench.read[late:] if isinstance(r, Poll)]
        assert {(p.antenna, p.outcome is Outcome.NOISE) for p in calm} == {(1, False), (2, False)}
        assert [h.state for h in bench.table.health] == [HealthState.OK] * 2
        assert bench.ether.overlaps == []
        assert not bench.ether.transmitting

    run(test)


@pytest.mark.parametrize("kinds", PAIRS, ids="+".join)
def test_a_pulled_cable_is_told_with_its_antenna_and_the_other_reader_goes_on(
    kinds: tuple[str, str],
) -> None:
    async def test() -> None:
        bench = Bench(kinds)
        async with bench.table:
            readings = bench.table.readings()
            await bench.until(readings, lambda _: len(bench.read) > 20)
            pulled_at = bench.clock()
            bench.far[1].power.unplug()
            lost = await bench.until(readings, lambda r: isinstance(r, Health))
            assert isinstance(lost, Health)
            assert (lost.device, lost.state, lost.antennas) == ("reader 2", HealthState.LOST, (2,))
            assert bench.clock() - pulled_at < 3.0
            late = len(bench.read)
            await bench.until(readings, lambda _: len(bench.read) > late + 20)
            assert {r.antenna for r in bench.read[late:] if isinstance(r, Poll)} == {1}
            bench.far[1].power.plug(bench.clock())
            back = await bench.until(readings, lambda r: isinstance(r, Health))
            assert isinstance(back, Health)
            assert (back.device, back.state) == ("reader 2", HealthState.OK)
            await bench.until(readings, lambda r: isinstance(r, Poll) and r.antenna == 2)

    run(test)


def test_exchanged_cables_are_told_by_their_serial_numbers_and_healed_by_putting_them_back() -> (
    None
):
    """Both readers answer on each other's port; without the check every card would seem to have
    changed its seat."""

    async def test() -> None:
        clock = VirtualClock(100.0)
        field = StillField((1, 2), uid_a)
        readers = {
            serial: Pn532Emulator(field, antenna, look_s=LOOK_S)
            for antenna, serial in ((1, "A1"), (2, "B2"))
        }
        plugged = {"/dev/ttyUSB0": "A1", "/dev/ttyUSB1": "B2"}

        def link(antenna: int, path: str, serial: str) -> Pn532Link:
            name = f"reader {antenna}"

            async def connect() -> object:
                return await virtual_connect(readers[plugged[path]], clock, name)()

            checked = of_serial(connect, path, serial, name, plugged.get)  # type: ignore[arg-type]
            return Pn532Link(name, checked, antenna, Pn532Settings(where=name), clock=clock)

        links = [link(1, "/dev/ttyUSB0", "A1"), link(2, "/dev/ttyUSB1", "B2")]
        table = ReaderTable(links, SweepScheduler((1, 2)), clock=clock, sleep=clock.sleep)
        polls: list[Poll] = []

        async def take(count: int) -> None:
            async for reading in readings:
                polls.extend([reading] if isinstance(reading, Poll) else [])
                count -= 1
                if not count:
                    break

        async def swap() -> None:
            for reader in readers.values():
                reader.unplug()
            await clock.sleep(0.1)
            plugged.update({"/dev/ttyUSB0": plugged["/dev/ttyUSB1"], "/dev/ttyUSB1": "A1"})
            if plugged["/dev/ttyUSB0"] == "A1":
                plugged["/dev/ttyUSB1"] = "B2"
            for reader in readers.values():
                reader.plug(clock())

        async def told_of(state: HealthState, word: str) -> None:
            """The kernel is asked in a thread, which knows no virtual time."""
            while not all(h.state is state and word in h.reason for h in table.health):
                await clock.sleep(1.0)
                await asyncio.sleep(0.001)

        async with table:
            readings = table.readings()
            await take(10)
            waiting = asyncio.create_task(take(10_000))
            await swap()
            await told_of(HealthState.LOST, "instead of")
            told = {h.device: h for h in table.health}
            assert "serial number B2 instead of A1" in told["reader 1"].reason
            assert "serial number A1 instead of B2" in told["reader 2"].reason
            assert "by-id" in told["reader 1"].reason
            count = len(polls)
            await clock.sleep(5.0)
            assert len(polls) == count
            await swap()
            await told_of(HealthState.OK, "firmware")
            await clock.sleep(1.0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        assert len(polls) > count
        assert all(set(p.uids) == set(field.lying[p.antenna] or ()) for p in polls)

    run(test)
