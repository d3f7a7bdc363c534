"""Two emulated readers under the asyncio driver in virtual time: wire faults, loss and return, one
transmitter at a time, and no identity in any word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from drivers.errors import MisconfiguredError
from drivers.readings import Health, HealthState, Outcome, Poll
from drivers.rf import RfMutex, Transmitter
from drivers.rfid.pepper import PepperLink, PepperTable, PushPlan
from drivers.rfid.pepper_session import PepperSettings
from drivers.rfid.wires import Connect, Wire
from drivers.sim.pepper_emulator import Ether, PepperEmulator, WireFault
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sweep import SweepScheduler
from tests.drivers.still_field import StillField, uid

ALL = tuple(range(1, 17))
LOOK_S = 0.02


class Bench:
    """Antennas 1 to 8 on reader 1, 9 to 16 on reader 2, in virtual time."""

    def __init__(
        self,
        *,
        mutex: RfMutex | None = None,
        push: Sequence[PushPlan | None] = (None, None),
        firmware: Sequence[str] = ("2.56.2249", "2.56.2249"),
        per_reader: int = 8,
        port: Callable[[str, Connect], Connect] = lambda name, connect: connect,
    ) -> None:
        self.clock = VirtualClock(100.0)
        self.ether = Ether()
        numbers = [tuple(range(1 + 8 * r, 1 + 8 * r + per_reader)) for r in range(2)]
        self.field = StillField(numbers[0] + numbers[1])
        self.emulators = [
            PepperEmulator(
                self.field,
                {i + 1: antenna for i, antenna in enumerate(antennas)},
                look_s=LOOK_S,
                firmware=firmware[r],
                name=f"reader {r + 1}",
                ether=self.ether,
            )
            for r, antennas in enumerate(numbers)
        ]
        self.links = [
            PepperLink(
                f"reader {r + 1}",
                port(emulator.name, virtual_connect(emulator, self.clock, emulator.name)),
                {antenna: i + 1 for i, antenna in enumerate(numbers[r])},
                PepperSettings(where=f"reader {r + 1}", ports=tuple(range(1, per_reader + 1))),
                push=push[r],
                clock=self.clock,
            )
            for r, emulator in enumerate(self.emulators)
        ]
        self.table = PepperTable(
            self.links,
            SweepScheduler(numbers[0] + numbers[1]),
            mutex=mutex,
            clock=self.clock,
            sleep=self.clock.sleep,
        )
        self.read: list[Poll | Health] = []

    async def until(
        self, readings: AsyncIterator[Poll | Health], done: Callable[[Poll | Health], bool]
    ) -> list[Poll | Health]:
        """Readings up to and with the first that is `done`."""
        out = []
        async for reading in readings:
            out.append(reading)
            if done(reading):
                break
            assert len(out) < 5000, "what the test waits for never comes"
        self.read += out
        return out

    async def polls(self, readings: AsyncIterator[Poll | Health], count: int) -> list[Poll]:
        """The next so many polls; health on the way is kept in `read`."""
        out: list[Poll] = []

        def enough(reading: Poll | Health) -> bool:
            if isinstance(reading, Poll):
                out.append(reading)
            return len(out) >= count

        await self.until(readings, enough)
        return out

    def true(self, poll: Poll) -> bool:
        """A clean poll says exactly what lies there; noise says nothing."""
        if poll.outcome is Outcome.NOISE:
            return poll.uids == ()
        lying = self.field.lying[poll.antenna]
        return poll.uids == lying and (poll.outcome is Outcome.SEEN) == bool(lying)

    def health(self) -> list[tuple[str, HealthState, tuple[int, ...]]]:
        return [(h.device, h.state, h.antennas) for h in self.read if isinstance(h, Health)]


@asynccontextmanager
async def opened(bench: Bench) -> AsyncIterator[AsyncIterator[Poll | Health]]:
    async with bench.table:
        yield bench.table.readings()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not bench.ether.transmitting


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await test()

    asyncio.run(main())


def test_two_readers_are_swept_as_one_table() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            polls = await bench.polls(readings, 64)
        assert {p.antenna for p in polls} == set(ALL)
        assert all(bench.true(p) and p.outcome is not Outcome.NOISE for p in polls)
        assert [p.started for p in polls] == sorted(p.started for p in polls)
        assert all(a.ended <= b.started for a, b in pairwise(polls))
        assert [p.ended - p.started for p in polls] == pytest.approx([LOOK_S] * 64)
        assert all(p.complete for p in polls)
        looked = {(a, s): e for a, s, e in bench.field.looks}
        assert all((p.antenna, p.started) in looked for p in polls)
        assert set(bench.health()) == {
            ("reader 1", HealthState.OK, tuple(range(1, 9))),
            ("reader 2", HealthState.OK, tuple(range(9, 17))),
        }

    run(test)


def test_two_transmitters_are_never_on_together() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.polls(readings, 40)
            bench.table.focus((1, 9))
            await bench.polls(readings, 40)
        assert bench.ether.switches > 20
        assert bench.ether.overlaps == []

    run(test)


class Careless(RfMutex):
    """A mutex that forgets to switch the other one off."""

    @asynccontextmanager
    async def turn(self, who: Transmitter) -> AsyncIterator[None]:
        yield


def test_without_the_mutex_the_overlap_would_show() -> None:
    async def test() -> None:
        bench = Bench(mutex=Careless())
        async with opened(bench) as readings:
            await bench.polls(readings, 40)
        assert ("reader 2", "reader 1") in {(a, b) for a, b, _ in bench.ether.overlaps}

    run(test)


def test_focus_brings_more_looks() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            bench.table.focus((3, 12))
            polls = await bench.polls(readings, 80)
        assert sum(p.antenna in (3, 12) for p in polls) == 60

    run(test)


def test_while_the_reader_of_the_only_antenna_is_lost_the_others_are_looked_at() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            bench.table.only(3)
            await bench.polls(readings, 1)
            assert {p.antenna for p in await bench.polls(readings, 30)} == {3}
            bench.emulators[0].arm(WireFault.UNPLUGGED)
            await bench.until(readings, lambda r: isinstance(r, Health))
            without = await bench.polls(readings, 30)
            assert {p.antenna for p in without} == set(range(9, 17))
            bench.emulators[0].plug(bench.clock())
            await bench.until(readings, lambda r: isinstance(r, Health))
            await bench.polls(readings, 1)
            assert {p.antenna for p in await bench.polls(readings, 30)} == {3}

    run(test)


PASSING = [
    WireFault.LATE_ACK,
    WireFault.FOREIGN_ACK,
    WireFault.DOUBLE_ACK,
    WireFault.UNDELIMITED_JSON,
    WireFault.TRUNCATED_FRAME,
    WireFault.CORRUPT_FRAME,
    WireFault.NOISE_BURST,
    WireFault.REBOOT,
]


@pytest.mark.parametrize("fault", PASSING, ids=str)
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("before", range(5))
def test_a_wire_fault_is_noise_at_most_and_passes(
    fault: WireFault, times: int, before: int
) -> None:
    """Whatever the answer that it strikes: no clean poll ever says what does not lie there."""

    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.polls(readings, 20)
            bench.table.focus((5, 2))
            await bench.polls(readings, before)
            emulator, link = bench.emulators[0], bench.links[0]
            emulator.arm(fault, bench.clock(), times=times, delay_s=0.55, for_s=0.3)
            struck = await bench.polls(readings, 60)
            calm = await bench.polls(readings, 40)
        assert all(bench.true(p) for p in struck + calm)
        assert all(p.outcome is not Outcome.NOISE for p in calm)
        counts = link.counts
        seen = {
            WireFault.LATE_ACK: counts.silences and counts.late + counts.foreign,
            WireFault.FOREIGN_ACK: counts.foreign,
            WireFault.DOUBLE_ACK: counts.late,
            WireFault.UNDELIMITED_JSON: counts.unasked >= 3 * times,
            WireFault.TRUNCATED_FRAME: counts.damaged,
            WireFault.CORRUPT_FRAME: counts.damaged,
            WireFault.NOISE_BURST: counts.damaged,
            WireFault.REBOOT: counts.silences,
        }
        assert seen[fault], counts
        if fault in (WireFault.FOREIGN_ACK, WireFault.UNDELIMITED_JSON):
            assert all(p.outcome is not Outcome.NOISE for p in struck)
        assert all(state is HealthState.OK for _, state, _ in bench.health())
        assert bench.ether.overlaps == []

    run(test)


def test_a_corrupt_look_is_noise_and_never_empty() -> None:
    async def test() -> None:
        bench = Bench()
        bench.field.lying[4] = None
        async with opened(bench) as readings:
            polls = await bench.polls(readings, 64)
        assert [p.outcome for p in polls if p.antenna == 4] == [Outcome.NOISE] * 4
        assert all(p.outcome is not Outcome.NOISE for p in polls if p.antenna != 4)

    run(test)


def test_a_stuck_antenna_repeats_itself() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.polls(readings, 16)
            bench.emulators[0].arm(WireFault.STUCK_ANTENNA, port=5)
            bench.field.lying[5] = ()
            stuck = await bench.polls(readings, 16)
            bench.emulators[0].calm()
            free = await bench.polls(readings, 16)
        assert [p.uids for p in stuck if p.antenna == 5] == [(uid(5, 0), uid(5, 1))]
        assert [p.uids for p in free if p.antenna == 5] == [()]

    run(test)


def test_an_unplugged_reader_is_told_and_the_other_goes_on() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.polls(readings, 20)
            bench.emulators[0].arm(WireFault.UNPLUGGED)
            await bench.until(readings, lambda r: isinstance(r, Health))
            lost = bench.read[-1]
            assert isinstance(lost, Health)
            assert (lost.device, lost.state) == ("reader 1", HealthState.LOST)
            assert lost.antennas == tuple(range(1, 9))
            assert "cable" in lost.reason
            without = await bench.polls(readings, 40)
            assert {p.antenna for p in without} == set(range(9, 17))
            assert [h.state for h in bench.table.health] == [HealthState.LOST, HealthState.OK]
            bench.emulators[0].plug(bench.clock())
            await bench.until(readings, lambda r: isinstance(r, Health))
            assert bench.health()[-1] == ("reader 1", HealthState.OK, tuple(range(1, 9)))
            again = await bench.polls(readings, 32)
        assert {p.antenna for p in again} == set(ALL)
        assert all(bench.true(p) for p in without + again)

    run(test)


def test_a_reader_that_falls_silent_is_told_and_comes_back() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.polls(readings, 20)
            bench.emulators[1].arm(WireFault.LATE_ACK, times=10_000, delay_s=1e9)
            before = bench.clock()
            await bench.until(readings, lambda r: isinstance(r, Health))
            assert bench.health()[-1][:2] == ("reader 2", HealthState.LOST)
            assert bench.clock() - before < 5.0
            await bench.polls(readings, 50)
            bench.emulators[1].calm()
            await bench.until(readings, lambda r: isinstance(r, Health))
            assert bench.health()[-1][:2] == ("reader 2", HealthState.OK)
            assert {p.antenna for p in await bench.polls(readings, 32)} == set(ALL)

    run(test)


def test_readers_absent_at_the_start_are_told_and_awaited() -> None:
    async def test() -> None:
        bench = Bench()
        for emulator in bench.emulators:
            emulator.arm(WireFault.UNPLUGGED)
        async with opened(bench) as readings:
            await bench.until(readings, lambda _: len(bench.table.health) == 2)
            assert {h.state for h in bench.table.health} == {HealthState.LOST}
            waiting = asyncio.ensure_future(bench.polls(readings, 1))
            await bench.clock.sleep(60.0)
            assert not waiting.done()
            bench.emulators[1].plug(bench.clock())
            assert (await waiting)[0].antenna > 8

    run(test)


def test_the_pause_between_tries_grows_and_is_bounded() -> None:
    async def test() -> None:
        tries: list[float] = []

        def counted(name: str, connect: Connect) -> Connect:
            async def again() -> Wire:
                if name == "reader 1":
                    tries.append(bench.clock())
                return await connect()

            return again

        bench = Bench(port=counted)
        bench.emulators[0].arm(WireFault.UNPLUGGED)
        async with opened(bench) as readings:
            while bench.clock() < 130.0:
                await bench.polls(readings, 1)
        pauses = [b - a for a, b in pairwise(tries)]
        assert pauses[:5] == pytest.approx([0.25, 0.5, 1.0, 2.0, 5.0], abs=0.1)
        assert max(pauses) < 5.1

    run(test)


def test_unknown_firmware_is_told_with_its_remedy_and_the_other_goes_on() -> None:
    async def test() -> None:
        bench = Bench(firmware=("2.56.2249", "7.1.0"))
        async with opened(bench) as readings:
            polls = await bench.polls(readings, 30)
        assert {p.antenna for p in polls} == set(range(1, 9))
        (told,) = (h for h in bench.table.health if h.device == "reader 2")
        assert told.state is HealthState.LOST
        assert "'7.1.0'" in told.reason
        assert "accept_firmware" in told.reason

    run(test)


def test_json_reports_are_incomplete_polls_and_readers_take_turns() -> None:
    async def test() -> None:
        bench = Bench(push=(PushPlan("json"), PushPlan("json")))
        async with opened(bench) as readings:
            polls = await bench.polls(readings, 300)
        assert not any(p.complete for p in polls)
        assert all(p.outcome is Outcome.SEEN and len(p.uids) == 1 for p in polls)
        assert all(p.uids[0] in (bench.field.lying[p.antenna] or ()) for p in polls)
        assert {p.antenna for p in polls} == {a for a in ALL if a % 3}
        assert all(p.started < p.ended for p in polls)
        assert bench.ether.switches > 2
        assert bench.ether.overlaps == []

    run(test)


def test_a_polled_and_a_reporting_reader_share_the_table() -> None:
    async def test() -> None:
        bench = Bench(push=(None, PushPlan("json", dwell_s=0.2)))
        async with opened(bench) as readings:
            polls = await bench.polls(readings, 200)
        assert {p.complete for p in polls if p.antenna <= 8} == {True}
        assert {p.complete for p in polls if p.antenna > 8} == {False}
        assert bench.ether.overlaps == []

    run(test)


def test_binary_reports_need_a_reader_with_one_antenna() -> None:
    async def test() -> None:
        bench = Bench(push=(PushPlan("binary"), PushPlan("binary")), per_reader=1)
        bench.field.lying[9] = (uid(9),)
        async with opened(bench) as readings:
            polls = await bench.polls(readings, 20)
        assert {(p.antenna, p.uids) for p in polls} == {(1, (uid(1),)), (9, (uid(9),))}

    run(test)
    with pytest.raises(MisconfiguredError, match="do not say which antenna"):
        Bench(push=(PushPlan("binary"), None))


def test_a_reporting_reader_that_falls_silent_is_told() -> None:
    async def test() -> None:
        bench = Bench(push=(PushPlan("json"), None))
        async with opened(bench) as readings:
            await bench.polls(readings, 60)
            bench.emulators[0].arm(WireFault.UNPLUGGED)
            await bench.until(readings, lambda r: isinstance(r, Health))
            assert bench.health()[-1][:2] == ("reader 1", HealthState.LOST)

    run(test)


def test_a_reporting_reader_that_restarts_is_told_its_task_anew() -> None:
    async def test() -> None:
        bench = Bench(push=(PushPlan("json"), None))
        async with opened(bench) as readings:
            await bench.polls(readings, 60)
            bench.emulators[0].arm(WireFault.REBOOT, bench.clock())
            await bench.until(readings, lambda r: isinstance(r, Poll) and r.antenna > 8)
            await bench.until(readings, lambda r: isinstance(r, Poll) and r.antenna <= 8)
        assert all(state is HealthState.OK for _, state, _ in bench.health())
        assert bench.ether.overlaps == []

    run(test)


def test_a_programming_error_in_a_keeper_is_not_swallowed() -> None:
    async def test() -> None:
        async def broken() -> Wire:
            raise ZeroDivisionError

        bench = Bench(port=lambda name, connect: broken if name == "reader 1" else connect)
        async with bench.table:
            with pytest.raises(ZeroDivisionError):
                await bench.polls(bench.table.readings(), 1000)

    run(test)


@pytest.mark.parametrize(
    ("ports", "switching", "message"),
    [
        ({}, True, "need ports"),
        ({1: 1, 2: 1}, True, "each of its own"),
        ({1: 9}, True, "no antenna port 9"),
        ({1: 2}, False, "no antenna port 2"),
    ],
)
def test_ports_that_cannot_be_are_refused(
    ports: dict[int, int], switching: bool, message: str
) -> None:
    bench = Bench()
    connect = virtual_connect(bench.emulators[0], bench.clock, "reader 1")
    with pytest.raises(MisconfiguredError, match=message):
        PepperLink("reader 1", connect, ports, PepperSettings(switching=switching))


def test_sweep_and_readers_must_name_the_same_antennas() -> None:
    with pytest.raises(MisconfiguredError, match="same antennas"):
        PepperTable(Bench().links, SweepScheduler((1, 2, 3)))


def test_no_identity_in_any_word_of_a_bad_evening(capfd: pytest.CaptureFixture[str]) -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            for fault in PASSING:
                await bench.polls(readings, 30)
                for emulator in bench.emulators:
                    emulator.arm(fault, bench.clock(), times=2, delay_s=0.55, for_s=0.3)
            await bench.polls(readings, 60)
            bench.emulators[0].arm(WireFault.UNPLUGGED)
            await bench.polls(readings, 60)
        words = [
            bench.read,
            bench.table.health,
            bench.links[0].error,
            bench.links[0].counts,
            [vars(link) for link in bench.links],
            [vars(link.session) for link in bench.links],
        ]
        text = "".join(f"{w!r}{w}" for w in words)
        out, err = capfd.readouterr()
        for shown in (text, out, err):
            assert "E00401" not in shown.upper()
            assert "C5D7" not in shown.upper()
            assert "\\xc5\\xd7" not in shown
        assert "<uid>" in text

    run(test)
