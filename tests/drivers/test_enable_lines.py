"""Enable lines follow the reader whose turn it is, from the sweep down to the levels; and what is
told when the chip that drives them vanishes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from drivers.contracts import TagReader
from drivers.gpio.inputs import GpioInputs
from drivers.gpio.lines import ButtonSpot, Chair, InputLine, OutputLine
from drivers.readings import (
    ButtonReading,
    Health,
    HealthState,
    Outcome,
    Poll,
    SeatReading,
    Uid,
)
from drivers.rf import RfMutex, RfPermits
from drivers.rfid.mfrc522 import Mfrc522Link
from drivers.rfid.mfrc522_session import Mfrc522Settings
from drivers.rfid.pn532 import Pn532Link
from drivers.rfid.pn532_session import Pn532Settings
from drivers.rfid.table import FORBIDDEN, ReaderLink, ReaderTable
from drivers.sim.mfrc522_emulator import Mfrc522Emulator
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sim.pn532_emulator import Pn532Emulator
from drivers.sim.spi_rims import VirtualSpi, spi_connect
from drivers.sweep import SweepScheduler
from tests.drivers.line_twin import LineTwin
from tests.drivers.still_field import StillField, uid_a

PATIENCE_S = 30.0
SETTLE_S = 0.02
OUTPUTS = (OutputLine(22, "reader 1"), OutputLine(23, "reader 2", "low"), OutputLine(24))
INPUTS = (InputLine(5, Chair(3), hold_s=0.01), InputLine(6, ButtonSpot(4), hold_s=0.01))


class FieldBehindLines(StillField):
    """Readers 1 and 2 hear their tags only while their enable lines are on; the third has none."""

    def __init__(self, lines: LineTwin, clock: VirtualClock) -> None:
        super().__init__((1, 2, 3), uid_a)
        self.lying = {a: (uid_a(a),) for a in (1, 2, 3)}
        self._lines, self._clock = lines, clock
        self.on_at_looks: list[tuple[int, frozenset[int]]] = []

    @property
    def on(self) -> frozenset[int]:
        high = self._lines.high
        on = {1: high.get(22, False), 2: not high.get(23, True)}
        return frozenset(antenna for antenna in (1, 2) if on[antenna])

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        self.on_at_looks.append((antenna, self.on))
        return super().look(antenna, started, ended) if antenna in {*self.on, 3} else ()


class Bench:
    """Two PN532 and an MFRC522 in one air, two of them behind enable lines."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.lines = LineTwin()
        self.waits: list[float] = []
        self.permits = RfPermits(("reader 1", "reader 2"), SETTLE_S, sleep=self._wait)
        self.field = FieldBehindLines(self.lines, self.clock)
        self.inputs = GpioInputs(
            self.lines, INPUTS, OUTPUTS, permits=self.permits, backoff_s=(0.001,), look_s=0.005
        )

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        await self.clock.sleep(seconds)

    def readers(self) -> TagReader:
        clock = self.clock
        links: list[ReaderLink] = [
            Pn532Link(
                f"reader {a}",
                virtual_connect(Pn532Emulator(self.field, a, look_s=0.02), clock, f"reader {a}"),
                a,
                Pn532Settings(),
                clock=clock,
            )
            for a in (1, 2)
        ]
        spi = spi_connect(VirtualSpi(Mfrc522Emulator(self.field, 3), clock))
        links.append(
            Mfrc522Link("reader 3", spi, 3, Mfrc522Settings(), clock=clock, threaded=False)
        )
        return ReaderTable(
            links,
            SweepScheduler((1, 2, 3)),
            mutex=RfMutex(self.permits),
            clock=clock,
            sleep=clock.sleep,
        )


async def polls(readings: AsyncIterator[Poll | Health], count: int) -> list[Poll]:
    taken: list[Poll] = []
    async for reading in readings:
        if isinstance(reading, Poll):
            taken.append(reading)
        if len(taken) == count:
            break
    return taken


def test_each_line_is_on_for_its_readers_looks_and_for_nobody_elses() -> None:
    bench = Bench()

    async def main() -> None:
        async with asyncio.timeout(PATIENCE_S), bench.readers() as readers, bench.inputs:
            assert bench.lines.high[24], "a line of no reader is on while the table is watched"
            for poll in await polls(readers.readings(), 30):
                assert poll.outcome is Outcome.SEEN
                assert poll.complete
        assert bench.lines.high == {22: False, 23: True, 24: False}

    asyncio.run(main())
    looks = bench.field.on_at_looks
    assert {a for a, _ in looks} == {1, 2, 3}
    assert all(on == ({a} if a != 3 else frozenset()) for a, on in looks)
    turns = sum(a != b for (a, _), (b, _) in zip([(0, 0), *looks], looks, strict=False) if b != 3)
    assert bench.waits == [SETTLE_S] * turns


def test_one_reader_alone_keeps_its_line_on() -> None:
    bench = Bench()

    async def main() -> None:
        async with asyncio.timeout(PATIENCE_S), bench.readers() as readers, bench.inputs:
            readers.only(1)
            await polls(readers.readings(), 20)

    asyncio.run(main())
    assert bench.waits == [SETTLE_S]


def test_a_lost_line_makes_its_reader_blind_and_no_silence_counts() -> None:
    bench = Bench()

    async def main() -> None:
        async with asyncio.timeout(PATIENCE_S), bench.readers() as readers, bench.inputs:
            readings = readers.readings()
            await polls(readings, 9)
            bench.lines.pull()
            blind = await polls(readings, 12)
            assert {p.outcome for p in blind if p.antenna in (1, 2)} == {Outcome.NOISE}
            assert {p.outcome for p in blind if p.antenna == 3} == {Outcome.SEEN}
            states = {h.device: (h.state, h.reason) for h in readers.health}
            assert states["reader 1"] == states["reader 2"] == (HealthState.LOST, FORBIDDEN)
            assert states["reader 3"][0] is HealthState.OK

            bench.lines.pull(gone=False)
            said = bench.inputs.readings()
            states_of_lines: list[HealthState] = []
            while states_of_lines[-1:] != [HealthState.OK] or len(states_of_lines) < 3:
                if isinstance(reading := await anext(said), Health):
                    states_of_lines.append(reading.state)
            back = await polls(readings, 12)
            assert {p.outcome for p in back} == {Outcome.SEEN}
            assert {h.state for h in readers.health} == {HealthState.OK}

    asyncio.run(main())


def test_lost_chairs_and_a_lost_button_are_told_as_unknown_once_and_then_as_they_are() -> None:
    bench = Bench()

    async def until_health(said: list[object], state: HealthState) -> None:
        async for reading in bench.inputs.readings():
            said.append(reading)
            if isinstance(reading, Health) and reading.state is state:
                return

    def told(said: list[object]) -> list[object]:
        return [
            r.occupied if isinstance(r, SeatReading) else r.seats
            for r in said
            if isinstance(r, (SeatReading, ButtonReading))
        ]

    async def main() -> None:
        bench.lines.high[5] = False
        async with asyncio.timeout(PATIENCE_S), bench.inputs:
            said: list[object] = []
            await until_health(said, HealthState.OK)
            bench.lines.pull()
            await until_health(said, HealthState.LOST)
            assert told(said) == [True, ()]
            bench.lines.high[6] = False
            bench.lines.pull(gone=False)
            said.clear()
            await until_health(said, HealthState.OK)
            assert told(said) == [None, None]
            said.clear()
            bench.lines.pull()
            await until_health(said, HealthState.LOST)
            assert told(said) == [True, (4,)]

    asyncio.run(main())


def test_lines_that_are_absent_from_the_start_are_unknown_too() -> None:
    bench = Bench()

    async def main() -> None:
        bench.lines.pull()
        async with asyncio.timeout(PATIENCE_S), bench.inputs:
            readings = bench.inputs.readings()
            first = [await anext(readings) for _ in range(3)]
            assert isinstance(first[0], Health)
            assert first[0].state is HealthState.LOST
            assert isinstance(first[1], SeatReading)
            assert (first[1].seat, first[1].occupied) == (3, None)
            assert isinstance(first[2], ButtonReading)
            assert first[2].seats is None

    asyncio.run(main())
