"""The live screen and its keys, without a terminal."""

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Self

from rich.console import Console

from controller.app import Daemon
from controller.config import read, sample_text
from controller.live import LiveScreen
from controller.robot_table import RobotTable
from controller.sources import Together
from controller.taking_up import TableClock
from drivers.contracts import Inputs
from drivers.readings import Health, HealthState


class Seat:
    """Somebody at the terminal of a simulated table."""

    def __init__(
        self, folder: Path, width: int = 150, height: int = 50, inputs: tuple[Inputs, ...] = ()
    ) -> None:
        text = sample_text().replace('socket = ""', 'socket = "s"')
        config = read(text, "table.toml", folder)
        clock = TableClock()
        self.robots = RobotTable(config, clock)
        self.ready = asyncio.Event()
        self.daemon = Daemon(
            config,
            Together(self.robots, inputs),
            clock,
            decks=self.robots.decks,
            on_ready=self.ready.set,
        )
        self.page = io.StringIO()
        self.console = Console(width=width, height=height, file=self.page, color_system=None)
        self.screen = LiveScreen(self.daemon, self.robots, self.console)

    def sees(self) -> str:
        self.page.seek(0)
        self.page.truncate()
        self.console.print(self.screen.draw())
        return self.page.getvalue()


def at_table(
    folder: Path,
    course: Callable[[Seat], Awaitable[None] | None],
    inputs: tuple[Inputs, ...] = (),
    **size: int,
) -> None:
    async def run() -> None:
        seat = Seat(folder, inputs=inputs, **size)
        watching = asyncio.create_task(seat.daemon.run())
        try:
            await seat.ready.wait()
            done = course(seat)
            if done is not None:
                await done
        finally:
            seat.daemon.stop()
            await watching

    asyncio.run(run())


class Board:
    """A table board that says once how it is."""

    name = "table board"
    health: tuple[Health, ...] = ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def readings(self) -> AsyncIterator[Health]:
        yield Health("table board", HealthState.OK, "it answers, firmware 1.0.0", 0.0)
        await asyncio.Event().wait()


def test_the_screen_says_how_the_table_board_is(tmp_path: Path) -> None:
    async def course(seat: Seat) -> None:
        while "table board" not in seat.sees():  # noqa: ASYNC110  until readings were taken
            await asyncio.sleep(0.05)
        assert "table board ok" in seat.sees()

    at_table(tmp_path, course, (Board(),))


def test_the_screen_names_table_readers_journal_and_keys(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        shown = seat.sees()
        for word in ("holdem · tda", "board", "findings", "readings", "recording", "space pause"):
            assert word in shown

    at_table(tmp_path, course)


def test_space_pauses_and_goes_on(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        seat.screen.press(" ")
        assert seat.robots.paused
        assert "PAUSED" in seat.sees()
        seat.screen.press(" ")
        assert "PAUSED" not in seat.sees()

    at_table(tmp_path, course)


def test_a_mistake_is_chosen_from_the_menu(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        seat.screen.press("m")
        shown = seat.sees()
        for kind in seat.robots.mistakes():
            assert kind in shown
        seat.screen.press("b")
        shown = seat.sees()
        assert f"next hand: {seat.robots.mistakes()[1]}" in shown
        assert "any other key" not in shown

    at_table(tmp_path, course)


def test_any_other_key_leaves_the_menu(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        seat.screen.press("m")
        seat.screen.press("\x1b")
        assert "next hand:" not in seat.sees()

    at_table(tmp_path, course)


def test_p_goes_by_the_next_profile(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        seat.screen.press("p")
        assert "from the next hand on: delaware" in seat.sees()
        assert seat.daemon.profile.name == "delaware"

    at_table(tmp_path, course)


def test_q_ends_the_daemon(tmp_path: Path) -> None:
    async def run() -> None:
        seat = Seat(tmp_path)
        watching = asyncio.create_task(seat.daemon.run())
        await seat.ready.wait()
        seat.screen.press("q")
        async with asyncio.timeout(10):
            await watching

    asyncio.run(run())


def test_a_small_terminal_shows_the_board_and_leaves_out_the_plan(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        shown = seat.sees()
        assert "dealer" not in shown
        assert "▀" in shown
        assert max(map(len, shown.splitlines())) <= 80

    at_table(tmp_path, course, width=80, height=24)


def test_a_small_terminal_shows_what_was_found_and_what_to_do(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        seat.screen.press("m")
        menu = seat.sees()
        assert all(kind in menu for kind in seat.robots.mistakes())
        assert len(menu.splitlines()) <= 24
        seat.screen.press("b")
        lines = seat.sees().splitlines()
        assert len(lines) <= 24
        assert any(line.startswith("next hand: ") for line in lines)  # not cut off
        assert any("findings" in line for line in lines)

    at_table(tmp_path, course, width=80, height=24)


def test_a_tiny_terminal_shows_the_small_board(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        lines = seat.sees().splitlines()
        assert len(lines) <= 10
        assert max(map(len, lines)) <= 40

    at_table(tmp_path, course, width=40, height=10)


class Camera:
    looks = "camera 1 sees 12 of 13, not seat/4"


def test_each_camera_says_what_it_sees(tmp_path: Path) -> None:
    def course(seat: Seat) -> None:
        seat.screen = LiveScreen(seat.daemon, seat.robots, seat.console, (Camera(),))  # type: ignore[arg-type]
        assert Camera.looks in seat.sees()

    at_table(tmp_path, course)
