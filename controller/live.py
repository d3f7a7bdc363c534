"""The live screen of a running table, and the keys of the simulated one."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import sys
import termios
import tty
from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from controller.app import FRAMES_PER_S, Daemon
from controller.camera_source import CameraSource
from controller.model.events import KeyPressed
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.outputs.terminal import screen
from controller.robot_table import RobotTable
from controller.rules.profile import load, names

STATUS_S = 1.0  # a screen on which nothing changes is drawn this often
CHOICE = 26  # columns for one mistake in the menu
MENU_KEYS = "abcdefghijklmnopqrstuvwxyz0123456789"


class LiveScreen:
    """Shows a daemon's table until it stops. robots: the simulated table, if it is one."""

    def __init__(
        self,
        daemon: Daemon,
        robots: RobotTable | None,
        console: Console,
        cameras: Sequence[CameraSource] = (),
    ) -> None:
        self._cameras = tuple(cameras)
        self._daemon, self._robots, self._console = daemon, robots, console
        self._menu: tuple[str, ...] | None = None
        self._note = ""
        self._tasks: set[asyncio.Task[bool]] = set()

    async def run(self) -> None:
        """Draw for ever."""
        with self._keys(), Live(console=self._console, screen=True, auto_refresh=False) as live:
            drawn: object = None
            drawn_at = -math.inf
            while True:
                looks, now = self._looks(), self._daemon.clock()
                if looks != drawn or now - drawn_at >= STATUS_S:
                    drawn, drawn_at = looks, now
                    live.update(self.draw(), refresh=True)
                await asyncio.sleep(1 / FRAMES_PER_S)

    def _looks(self) -> object:
        """All that must be seen at once when it changes; the rest of the status can wait."""
        daemon, robots = self._daemon, self._robots
        view = daemon.view()
        return (
            colour_64x32(view),
            mono_32x8(view),
            daemon.shown,
            daemon.recording.ok,
            (robots.paused, robots.told) if robots is not None else (),
            self._menu,
            self._note,
            self._console.size,
        )

    def draw(self) -> RenderableType:
        """The screen as it is now."""
        daemon = self._daemon
        view = daemon.view()
        width, height = self._console.size
        return screen(
            view,
            daemon.shown.progress,
            colour_64x32(view),
            mono_32x8(view),
            daemon.shown.findings,
            self._status(),
            self._help(),
            None if self._menu is None else self._mistakes(self._menu, width),
            width,
            height,
        )

    def _status(self) -> Iterator[str]:
        """The most pressing first: a small terminal cuts the rest off."""
        daemon, robots = self._daemon, self._robots
        state = daemon.recording
        if not state.ok:
            yield state.reason
        if robots is not None and robots.paused:
            yield "PAUSED"
        if self._note:
            yield self._note
        if robots is not None and (told := robots.told):
            yield f"the robot erred: {told}"
        if state.ok:
            yield "recording"
        readers = [h for h in daemon.health if h.device.startswith("reader")]
        if readers:
            lost = sum(h.state != "ok" for h in readers)
            yield f"readers {len(readers) - lost} of {len(readers)}"
        yield from (camera.looks for camera in self._cameras)
        for board in (h for h in daemon.health if h.device == "table board"):
            runs = robots.under if robots is not None else ""
            yield f"table board {board.state}" + (f": {runs}" if runs else "")
        if (count := daemon.counting) is not None:
            self._note = ""
            yield f"{count.text}: {count.why}" if count.why else count.text
        if daemon.certificates:
            yield f"certificate {daemon.certificates[-1].name}"
        yield f"{daemon.readings_seen} readings"
        if daemon.delays:
            latest = daemon.delays[-1]
            yield f"board {latest.work_s * 1000:.1f} ms + commit {latest.commit_s * 1000:.1f} ms"

    def _help(self) -> str:
        if self._robots is None:
            return "d count the deck   c confirm   q quit"
        return (
            "space pause   n next hand   m make a mistake   p profile   d count the deck   "
            "c confirm   q quit"
        )

    def _mistakes(self, kinds: tuple[str, ...], width: int) -> Text:
        lines = [f"{key}  {kind}" for key, kind in zip(MENU_KEYS, kinds, strict=False)]
        columns = max(1, (width - 4) // CHOICE)
        rows = -(-len(lines) // columns)
        text = Text("A mistake in the next hand (any other key: none)\n", style="bold")
        for row in range(rows):
            text.append(
                "".join(f"{line:<{CHOICE}}" for line in lines[row::rows]) + "\n", style="none"
            )
        return text

    # -- keys --------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _keys(self) -> Iterator[None]:
        """Single keys from the terminal while the block runs."""
        descriptor = sys.stdin.fileno()
        if not os.isatty(descriptor):
            yield
            return
        before = termios.tcgetattr(descriptor)
        loop = asyncio.get_running_loop()
        tty.setcbreak(descriptor)
        loop.add_reader(descriptor, self._pressed, descriptor)
        try:
            yield
        finally:
            loop.remove_reader(descriptor)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

    def _pressed(self, descriptor: int) -> None:
        for key in os.read(descriptor, 64).decode(errors="ignore"):
            self.press(key)

    def press(self, key: str) -> None:
        """One key of the table's terminal."""
        robots = self._robots
        if self._menu is not None and robots is not None:
            kinds, self._menu = self._menu, None
            place = MENU_KEYS.find(key)
            if 0 <= place < len(kinds):
                robots.err(kinds[place])
                self._note = f"next hand: {kinds[place]}"
            return
        match key:
            case "q":
                self._daemon.stop("key q")
            case "c":
                self._say("confirm")
            case "d" if robots is not None:
                robots.count()
                self._note = "the deck is counted after this hand"
            case "d":
                self._say("count")
            case " " if robots is not None:
                robots.pause()
            case "n" if robots is not None:
                robots.next_hand()
                self._note = ""
            case "m" if robots is not None:
                self._menu = robots.mistakes()
            case "p" if robots is not None:
                self._next_profile(robots)

    def _say(self, key: str) -> None:
        said = KeyPressed(at=self._daemon.clock(), key=key)
        task = asyncio.get_running_loop().create_task(self._daemon.tell(said))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _next_profile(self, robots: RobotTable) -> None:
        game = self._daemon.config.file.table.game
        fit = [name for name in names() if load(name).allows(game)]
        here = self._daemon.profile.name
        following = fit[(fit.index(here) + 1) % len(fit)] if here in fit else fit[0]
        profile = load(following)
        self._daemon.change_profile(profile)
        robots.deal_by(profile, game)
        self._note = f"from the next hand on: {following}"
