"""The rim of `burnturn deck register`: the count antenna's reader, the keys, the screen."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.text import Text

from controller.config import Config
from controller.integrity.count_antenna import count_antenna, count_reader
from controller.integrity.decks import Deck
from controller.integrity.register import Key, Registration, Step, View
from controller.integrity.robot_hand import RobotHand
from drivers.contracts import TagReader
from drivers.factory import (
    desk_reader,
    emulated_readers,
    enable_lines,
    rf_permits,
    tag_reader,
)
from drivers.readings import Health, HealthState

KEYS = {"u": Key.UNDO, "j": Key.JOKER, "f": Key.FINISH, "a": Key.ABORT}
_HELP = "u undo   j it is a joker   f finish   a abort"
_WIDTH = 76


@dataclass(frozen=True, slots=True)
class Ended:
    """done: the registration, if it came to its end; else why it did not. strangers: tags that
    passed by and are none of its cards."""

    done: Registration | None
    why: str = ""
    strangers: int = 0


async def lay(
    config: Config, registration: Registration, house: Sequence[Deck], desk: str | None = None
) -> Ended:
    """Have a deck laid, at the table's readers or by a robot's hand at the simulated table; or on a
    desktop reader. desk: its PC/SC name.

    Raises:
        DriverError: a reader that no driver can serve.
    """
    reader, hand = _reader(config, house, desk)
    console = Console()
    seen: Callable[[View, str], None]
    with contextlib.ExitStack() as stack:
        if console.is_terminal and os.environ.get("TERM") != "dumb":
            live = stack.enter_context(Live(console=console, auto_refresh=False))
            seen = _Screen(live, registration.name)
        else:
            seen = _Lines()
        table = _Laying(registration, hand, seen)
        stack.enter_context(_keys(table.press))
        await table.run(reader)
    after = table.registration
    if after.step is Step.DONE:
        return Ended(after, strangers=after.view.strangers)
    return Ended(None, "aborted")


def _reader(
    config: Config, house: Sequence[Deck], desk: str | None
) -> tuple[TagReader, RobotHand | None]:
    if desk is not None:
        return desk_reader(desk, count_antenna(config.layout)), None
    spec = count_reader(config)
    clock = time.monotonic
    part = config.file.simulation
    if not config.simulated or part is None:
        permits = rf_permits(config.inputs)
        lines = enable_lines(config.inputs, spec.name, permits, clock=clock)
        return tag_reader([spec], permits=permits, companions=lines, clock=clock), None
    hand = RobotHand(config, house, seed=part.seed, origin_s=clock())
    emulated = emulated_readers([spec], hand, hand.look_s, clock=clock)
    return tag_reader([spec], emulated=emulated, clock=clock), hand


class _Laying:
    """A registration between its reader, its keys and its screen."""

    def __init__(
        self,
        registration: Registration,
        hand: RobotHand | None,
        show: Callable[[View, str], None],
    ) -> None:
        self.registration = registration
        self._hand = hand
        self._show = show
        self._trouble = ""
        self._shown: object = None
        self._over = asyncio.Event()

    def press(self, key: Key) -> None:
        self._go_on(self.registration.key(key))

    async def run(self, reader: TagReader) -> None:
        """Until the deck is laid and verified, or the person aborts."""
        self._go_on(self.registration)
        async with reader:
            reading = asyncio.create_task(self._read(reader))
            over = asyncio.create_task(self._over.wait())
            try:
                await asyncio.wait({reading, over}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (reading, over):
                    task.cancel()
                ends = await asyncio.gather(reading, over, return_exceptions=True)
            if isinstance(ends[0], Exception):
                raise ends[0]

    async def _read(self, reader: TagReader) -> None:
        async for reading in reader.readings():
            if isinstance(reading, Health):
                lost = reading.state is not HealthState.OK
                self._trouble = reading.reason if lost else ""
                self._go_on(self.registration)
                continue
            self._go_on(self.registration.poll(reading))
            if self._hand is not None:
                key = self._hand.act(self.registration.view, reading.ended)
                if key is not None:
                    self.press(key)

    def _go_on(self, after: Registration) -> None:
        self.registration = after
        view = after.view
        if (view, self._trouble) != self._shown:
            self._shown = (view, self._trouble)
            self._show(view, self._trouble)
        if after.over:
            self._over.set()


class _Screen:
    def __init__(self, live: Live, name: str) -> None:
        self._live = live
        self._name = name

    def __call__(self, view: View, trouble: str) -> None:
        self._live.update(self._drawn(view, trouble), refresh=True)

    def _drawn(self, view: View, trouble: str) -> RenderableType:
        ask = Text(view.ask.upper(), style="bold green" if view.step is Step.DONE else "bold")
        lines: list[RenderableType] = [ask, Text()]
        if view.total:
            lines.append(ProgressBar(view.total, view.done, width=_WIDTH - 6))
        rate = f"   last card read in {view.rate:.0%} of its looks" if view.rate is not None else ""
        lines.append(Text(f"{view.line}{rate}", style="dim"))
        lines.append(Text(trouble or view.said, style="red" if trouble else "yellow"))
        return Panel(
            Group(*lines),
            title=Text(f"deck {self._name}"),
            subtitle=_HELP,
            width=_WIDTH,
            padding=(1, 2),
        )


class _Lines:
    """What changes, a line each."""

    def __init__(self) -> None:
        self._said = ""
        self._asked = ("", "")

    def __call__(self, view: View, trouble: str) -> None:
        said = trouble or view.said
        if said and said != self._said:
            print(f"{view.line}: {said}", flush=True)
        self._said = said
        if view.away or (view.ask, view.line) == self._asked:
            return
        print(view.line if view.ask == self._asked[0] else f"{view.line}: {view.ask}", flush=True)
        self._asked = (view.ask, view.line)


@contextlib.contextmanager
def _keys(press: Callable[[Key], None]) -> Iterator[None]:
    """Single keys from the terminal, or letters from a pipe, while the block runs."""
    descriptor = sys.stdin.fileno()
    loop = asyncio.get_running_loop()

    def pressed() -> None:
        data = os.read(descriptor, 64)
        if not data:
            loop.remove_reader(descriptor)
        for letter in data.decode(errors="ignore").lower():
            if letter in KEYS:
                press(KEYS[letter])

    before = termios.tcgetattr(descriptor) if os.isatty(descriptor) else None
    if before is not None:
        tty.setcbreak(descriptor)
    try:
        with contextlib.suppress(PermissionError):  # a plain file: nobody presses keys there
            loop.add_reader(descriptor, pressed)
        yield
    finally:
        loop.remove_reader(descriptor)
        if before is not None:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
