"""The table board's driver with the board's twin at the other end: in virtual time, and over a
pseudo-terminal where only a real port shows what happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from drivers.contracts import LampPattern, LedBoard, SeatLamp, SeatLamps
from drivers.errors import MisconfiguredError, PortUnavailableError
from drivers.factory import table_board
from drivers.mcu import FoundPort, OnePort, TableBoard, packed
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, Reading, SeatReading
from drivers.rfid.wires import Wire, open_serial
from drivers.sim.pepper_rims import PtyRim, ServedByLoop, VirtualClock, virtual_connect
from drivers.sim.table_board import BoardTwin, Build, Memory, Remembered
from tablelink.capture import CaptureFile, portions
from tablelink.dump import dumped
from tablelink.messages import Lamp, Sensor, Settings, Threshold

START = 100.0


def named(serial: str) -> Memory:
    return Memory(Remembered(serial), Remembered(serial))


class Bench:
    """Boards on ports of their own, and the driver, in virtual time."""

    def __init__(self, *boards: BoardTwin, **options: object) -> None:
        self.clock = VirtualClock(START)
        self.boards = boards or (BoardTwin(now=START),)
        self.board = self.boards[0]
        self.paths = {f"/dev/ttyACM{n}": board for n, board in enumerate(self.boards)}
        self.opened: list[str] = []
        self.driver = TableBoard(
            FoundPort(lambda: tuple(self.paths), self._open),
            clock=self.clock,
            sleep=self.clock.sleep,
            **options,  # type: ignore[arg-type]
        )
        self.read: list[Reading] = []

    async def _open(self, path: str) -> Wire:
        self.opened.append(path)
        return await virtual_connect(self.paths[path], self.clock, f"table board on {path}")()

    async def until(
        self, readings: AsyncIterator[Reading], done: Callable[[Reading], bool]
    ) -> list[Reading]:
        out: list[Reading] = []
        async for reading in readings:
            out.append(reading)
            self.read.append(reading)
            if done(reading):
                return out
            assert len(out) < 500, "what the test waits for never comes"
        raise AssertionError

    async def state(self, readings: AsyncIterator[Reading], state: HealthState) -> list[Reading]:
        return await self.until(readings, lambda r: isinstance(r, Health) and r.state is state)

    async def passes(self, seconds: float) -> None:
        """Let virtual time pass."""
        await self.clock.sleep(seconds)

    def now(self) -> float:
        return self.clock()


@asynccontextmanager
async def opened(bench: Bench) -> AsyncIterator[AsyncIterator[Reading]]:
    async with bench.driver:
        yield bench.driver.readings()
    assert asyncio.all_tasks() == {asyncio.current_task()}


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(30):
            await test()

    asyncio.run(main())


def seats(readings: Sequence[Reading]) -> dict[int, bool | None]:
    return {r.seat: r.occupied for r in readings if isinstance(r, SeatReading)}


def test_everything_is_told_at_the_start_and_every_change_after_it() -> None:
    async def test() -> None:
        bench = Bench()
        bench.board.sit(3, True, START)
        bench.board.lay_button(5, True, START)
        bench.board.restart(START)
        async with opened(bench) as readings:
            first = await bench.until(
                readings, lambda r: isinstance(r, SeatReading) and r.seat == 11
            )
            assert seats(first) == {n: n == 3 for n in range(1, 12)}
            assert [r.seats for r in first if isinstance(r, ButtonReading)] == [(5,)]
            at = bench.now()
            bench.board.press(5, at)
            (*_, press) = await bench.until(readings, lambda r: isinstance(r, KeyPress))
            assert isinstance(press, KeyPress)
            assert press.key == "count"
            assert press.at == pytest.approx(at, abs=0.02)
            bench.board.sit(3, False, bench.now())
            (*_, seat) = await bench.until(readings, lambda r: isinstance(r, SeatReading))
            assert (seat.seat, seat.occupied) == (3, False)  # type: ignore[union-attr]
        times = [r.at for r in bench.read if not isinstance(r, Health)]  # type: ignore[union-attr]
        assert all(a <= b for a, b in pairwise(times))

    run(test)


def test_a_lost_board_never_reads_as_empty_seats() -> None:
    async def test() -> None:
        bench = Bench()
        bench.board.sit(3, True, START)
        bench.board.lay_button(5, True, START)
        async with opened(bench) as readings:
            await bench.until(readings, lambda r: isinstance(r, ButtonReading) and r.seats == (5,))
            await bench.passes(1.0)
            bench.board.unplug()
            lost = await bench.state(readings, HealthState.LOST)
            assert seats(lost) == dict.fromkeys(range(1, 12))
            assert [r.seats for r in lost if isinstance(r, ButtonReading)] == [None]
            assert False not in seats(lost).values()
            bench.board.sit(3, False, bench.now())
            bench.board.sit(8, True, bench.now())
            bench.board.plug(bench.now())
            back = await bench.until(
                readings, lambda r: isinstance(r, SeatReading) and r.seat == 11
            )
            assert seats(back) == {n: n == 8 for n in range(1, 12)}
        states = [h.state for h in bench.read if isinstance(h, Health)]
        assert states == [HealthState.OK, HealthState.LOST, HealthState.OK]

    run(test)


def test_a_board_that_hangs_is_lost_within_its_second_and_comes_back() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.state(readings, HealthState.OK)
            at = bench.now()
            bench.board.hang(at + 4.0)
            (*_, lost) = await bench.state(readings, HealthState.LOST)
            assert isinstance(lost, Health)
            assert lost.at - at <= 1.1
            assert "Check its USB cable" in lost.reason
            assert "are not watched" in lost.reason
            await bench.state(readings, HealthState.OK)

    run(test)


def test_an_absent_board_does_not_fail_to_open() -> None:
    async def test() -> None:
        bench = Bench()
        bench.paths.clear()
        async with opened(bench) as readings:
            (lost,) = await bench.state(readings, HealthState.LOST)
            assert isinstance(lost, Health)
            assert "no board is plugged in. Plug its USB cable in." in lost.reason
            assert lost.device == "table board"
            await bench.driver.lamps.light({1: SeatLamp(0, 255, 0)})
            await bench.passes(20.0)
            bench.paths["/dev/ttyACM0"] = bench.board
            await bench.state(readings, HealthState.OK)
            await bench.passes(0.5)
            assert bench.board.lamps(bench.now())[0] == Lamp(0, 255, 0, 0)
        assert [r.state for r in bench.read if isinstance(r, Health)] == [
            HealthState.LOST,
            HealthState.OK,
        ]

    run(test)


def test_the_right_one_of_two_boards_is_found() -> None:
    async def test() -> None:
        wrong = BoardTwin(memory=named("TABLE-02"), now=START)
        right = BoardTwin(memory=named("TABLE-01"), now=START)
        bench = Bench(wrong, right, serial="TABLE-01")
        async with opened(bench) as readings:
            (*_, ok) = await bench.state(readings, HealthState.OK)
            assert bench.opened == ["/dev/ttyACM0", "/dev/ttyACM1"]
            assert isinstance(ok, Health)
            assert bench.now() - START < 5.0
            assert bench.driver.identity is not None
            assert bench.driver.identity.serial == "TABLE-01"

    run(test)


def test_a_swapped_board_is_said_plainly_and_nothing_of_it_is_believed() -> None:
    async def test() -> None:
        bench = Bench(BoardTwin(memory=named("TABLE-02"), now=START), serial="TABLE-01")
        bench.board.sit(3, True, START)
        async with opened(bench) as readings:
            (*before, lost) = await bench.state(readings, HealthState.LOST)
            assert before == []
            assert isinstance(lost, Health)
            assert "this is TABLE-02, not TABLE-01" in lost.reason
            assert "table.toml" in lost.reason
            await bench.passes(30.0)
            # A board that will not become the right one is not reset over and over.
            assert len(bench.opened) <= 8

    run(test)


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (
            Build(lowest=0, highest=0, firmware=(0, 9, 1)),
            "its firmware is too old (firmware 0.9.1, protocol 0 to 0). "
            "Update it: make flash PORT=/dev/ttyACM0.",
        ),
        (
            Build(lowest=2, highest=3, firmware=(2, 0, 0)),
            "its firmware is newer than this program (firmware 2.0.0, protocol 2 to 3). "
            "Update burnturn",
        ),
    ],
)
def test_another_protocol_is_refused_with_the_side_that_is_too_old(build: Build, told: str) -> None:
    async def test() -> None:
        bench = Bench(BoardTwin(build=build, now=START))
        async with opened(bench) as readings:
            (lost,) = await bench.state(readings, HealthState.LOST)
            assert isinstance(lost, Health)
            assert told in lost.reason

    run(test)


def test_a_port_without_a_board_is_said_and_given_up() -> None:
    async def test() -> None:
        silent = BoardTwin(now=1e9)  # it is never ready
        bench = Bench(silent)
        async with opened(bench) as readings:
            (lost,) = await bench.state(readings, HealthState.LOST)
            assert isinstance(lost, Health)
            assert "no table board answers" in lost.reason
            assert "make flash PORT=/dev/ttyACM0" in lost.reason

    run(test)


def test_lamps_blink_by_themselves_and_the_picture_is_packed() -> None:
    async def test() -> None:
        bench = Bench()
        lamps: SeatLamps = bench.driver.lamps
        board: LedBoard = bench.driver.pixels
        async with opened(bench) as readings:
            await bench.state(readings, HealthState.OK)
            lit = {4: SeatLamp(0, 0, 255, LampPattern.SLOW), 11: SeatLamp(9, 9, 9, LampPattern.GAP)}
            await lamps.light(lit)
            picture = bytearray(32 * 8 * 3)
            picture[0] = 255  # row 0, leftmost
            picture[(32 * 7 + 31) * 3 + 2] = 255  # row 7, rightmost
            await board.show(bytes(picture))
            await bench.passes(0.2)
            row = bench.board.lamps(bench.now())
            assert row[3] == Lamp(0, 0, 255, 1)
            assert row[10] == Lamp(9, 9, 9, 5)
            assert {row[n] for n in range(11) if n not in (3, 10)} == {Lamp(0, 0, 0, 0)}
            assert bench.board.pixels(bench.now()) == b"\x80" + bytes(30) + b"\x01"
            await lamps.light({})
            await bench.driver.lamps.show(bytes([1, 2, 3] * 11))
            await bench.passes(0.2)
            assert set(bench.board.lamps(bench.now())) == {Lamp(1, 2, 3, 0)}
            with pytest.raises(ValueError, match="seat 12"):
                await lamps.light({12: SeatLamp(1, 1, 1)})
            with pytest.raises(ValueError, match="32×8"):
                await board.show(b"")

    run(test)


def test_every_pattern_of_the_contract_is_one_of_the_links() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.state(readings, HealthState.OK)
            for n, pattern in enumerate(LampPattern):
                await bench.driver.lamps.light({1: SeatLamp(1, 1, 1, pattern)})
                await bench.passes(0.1)
                assert bench.board.lamps(bench.now())[0].pattern == n

    run(test)


def test_settings_and_thresholds_are_told_at_every_start() -> None:
    async def test() -> None:
        settings = Settings(key_hold_ms=9, lamp_brightness=40)
        bench = Bench(settings=settings, thresholds=(Threshold(7, Sensor.NONE),))
        async with opened(bench) as readings:
            await bench.state(readings, HealthState.OK)
            await bench.passes(0.5)
            assert bench.board.settings == settings
            bench.board.restart(bench.now(), cause=8)
            await bench.state(readings, HealthState.LOST)
            (*_, bad) = await bench.state(readings, HealthState.DEGRADED)
            assert isinstance(bad, Health)
            assert "restarted itself" in bad.reason
            await bench.passes(0.5)
            assert bench.board.settings == settings
            assert bench.board.threshold(7).sensor == Sensor.NONE

    run(test)


def test_a_cut_sensor_is_named_and_its_seat_unknown() -> None:
    async def test() -> None:
        build = Build(sensor=Sensor.HIGH_IS_OCCUPIED)
        bench = Bench(BoardTwin(build=build, now=START))
        async with opened(bench) as readings:
            await bench.until(readings, lambda r: isinstance(r, SeatReading) and r.seat == 11)
            bench.board.level(6, 1023, bench.now())
            told = await bench.state(readings, HealthState.DEGRADED)
            assert seats(told)[6] is None
            assert isinstance(told[-1], Health)
            assert "the sensor at seat 6 reads as cut" in told[-1].reason
            bench.board.level(6, 100, bench.now())
            back = await bench.state(readings, HealthState.OK)
            assert seats(back) == {6: False}

    run(test)


def test_a_press_that_nobody_timed_is_asked_for_again_and_not_acted_on() -> None:
    async def test() -> None:
        bench = Bench()
        async with opened(bench) as readings:
            await bench.state(readings, HealthState.OK)
            bench.board.hang(bench.now() + 2.5)
            await bench.state(readings, HealthState.LOST)
            bench.board.press(4, bench.now())
            await bench.passes(1.0)
            told = await bench.state(readings, HealthState.DEGRADED)
            assert isinstance(told[-1], Health)
            assert "a press of misdeal was lost: press it again" in told[-1].reason
            await bench.state(readings, HealthState.OK)
        assert not [r for r in bench.read if isinstance(r, KeyPress)]

    run(test)


def test_keys_are_called_as_the_house_calls_them() -> None:
    async def test() -> None:
        bench = Bench(keys=("quiet", "", "turned"))
        async with opened(bench) as readings:
            await bench.state(readings, HealthState.OK)
            for key in (2, 4, 1):
                bench.board.press(key, bench.now())
                await bench.passes(0.1)
            (*_, press) = await bench.until(readings, lambda r: isinstance(r, KeyPress))
            assert isinstance(press, KeyPress)
            assert press.key == "quiet"
        assert len([r for r in bench.read if isinstance(r, KeyPress)]) == 1

    run(test)


def test_only_seats_with_a_sensor_are_told() -> None:
    async def test() -> None:
        bench = Bench(seats=(2, 4))
        async with opened(bench) as readings:
            told = await bench.until(readings, lambda r: isinstance(r, SeatReading) and r.seat == 4)
            assert seats(told) == {2: False, 4: False}

    run(test)


def test_what_is_said_on_the_line_is_recorded(tmp_path: Path) -> None:
    async def test() -> None:
        with CaptureFile(tmp_path / "line.txt") as capture:
            bench = Bench(capture=capture)
            async with opened(bench) as readings:
                await bench.state(readings, HealthState.OK)
                bench.board.press(1, bench.now())
                await bench.until(readings, lambda r: isinstance(r, KeyPress))

    run(test)
    lines = (tmp_path / "line.txt").read_text().splitlines(keepends=True)
    text = "\n".join(dumped(portions(lines, "line.txt")))
    for kind in ("BOOTED", "HELLO", "IDENTITY", "SNAPSHOT", "PING", "PONG", "KEY", "ACK"):
        assert kind in text
    assert "damaged" not in text


def test_packing_is_row_by_row_leftmost_highest() -> None:
    bright, faint = [0, 0, 200], [58, 62, 72]
    assert packed(bytes(bright + faint * 7 + bright * 8)) == b"\x80\xff"


def test_the_factory_refuses_an_address_that_is_none() -> None:
    with pytest.raises(MisconfiguredError, match="table board"):
        table_board("ftp://somewhere")


# -- over a real port ------------------------------------------------------------------------------


def test_over_a_pseudo_terminal_presses_come_in_time_and_the_plug_may_be_pulled() -> None:
    async def test() -> None:
        board = BoardTwin(now=time.monotonic())
        rim = PtyRim(board)
        served = ServedByLoop((rim,))
        driver = TableBoard(
            OnePort(lambda: open_serial(rim.address, "table board"), rim.address),
            backoff_s=(0.02,),
        )
        async with served, driver:
            readings = driver.readings()

            async def until(done: Callable[[Reading], bool]) -> Reading:
                async for reading in readings:
                    if done(reading):
                        return reading
                raise AssertionError

            await until(lambda r: isinstance(r, SeatReading) and r.seat == 11)
            pressed_at = time.monotonic()
            board.press(6, pressed_at)
            served._arm()
            press = await until(lambda r: isinstance(r, KeyPress))
            assert isinstance(press, KeyPress)
            assert press.key == "confirm"
            assert pressed_at - 0.1 < press.at <= time.monotonic()
            served.unplug(rim)
            await until(lambda r: isinstance(r, Health) and r.state is HealthState.LOST)
            served.plug(rim)
            await until(lambda r: isinstance(r, Health) and r.state is HealthState.OK)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(test)


def test_a_port_that_is_not_there_is_reported() -> None:
    async def test() -> None:
        driver = table_board("/dev/ttyNoSuchPort")
        async with driver:
            async for reading in driver.readings():
                assert isinstance(reading, Health)
                assert reading.state is HealthState.LOST
                assert "/dev/ttyNoSuchPort cannot be opened" in reading.reason
                break

    run(test)


def test_nothing_is_left_open_when_opening_fails() -> None:
    async def test() -> None:
        async def refuses(path: str) -> Wire:
            raise PortUnavailableError("it cannot be opened", path, "Check it.")

        clock = VirtualClock(START)
        driver = TableBoard(
            FoundPort(lambda: ("/dev/a", "/dev/b"), refuses), clock=clock, sleep=clock.sleep
        )
        async with driver:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.2):
                    async for reading in driver.readings():
                        assert isinstance(reading, Health)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert [h.state for h in driver.health] == [HealthState.LOST]

    run(test)
