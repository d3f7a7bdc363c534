"""A person at the terminal: what is asked, how far it has come, what came of it."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from calibration.steps import Act, Left, News, Remark, Weight

WIDTH = 78
"""Of what is written; a narrower terminal makes it less."""
LEAVE = "q"
_NARROWEST = 24
_SIGNS = {
    Weight.GOOD: ("✓", "green"),
    Weight.WARNING: ("!", "yellow"),
    Weight.REFUSED: ("✗", "red"),
}
_OFTEN_S = 0.1
_LONG = 200  # characters of an answer
_LONGEST = 4096  # bytes of a line without an end; more is no answer either


class Answers:
    """Lines that somebody types, or that come from a pipe; None at their end."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._ended = False

    async def next(self) -> str | None:
        """The next line, without its end."""
        while b"\n" not in self._rest and not self._ended:
            data = await self._read()
            self._ended = not data
            self._rest = (self._rest + data)[:_LONGEST] if b"\n" not in data else self._rest + data
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace").strip()[:_LONG]

    async def _read(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            source = sys.stdin.fileno() if self._descriptor is None else self._descriptor
        except (OSError, ValueError, AttributeError):  # started without a terminal or a pipe
            return b""
        try:
            loop.add_reader(source, ready.set)
        except PermissionError:  # a plain file is always ready
            return os.read(source, 4096)
        try:
            await ready.wait()
            return os.read(source, 4096)
        except OSError:  # the terminal was closed
            return b""
        finally:
            loop.remove_reader(source)


class Terminal:
    """Asks and shows. yes: whatever may be accepted is accepted unasked. clock: monotonic
    seconds."""

    def __init__(
        self,
        console: Console,
        answers: Answers,
        *,
        yes: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._answers = answers
        self._yes = yes
        self._clock = clock
        self._drawn_at = float("-inf")
        self._bar = False
        self._width = max(_NARROWEST, min(WIDTH, console.width - 2))

    # -- a Person ----------------------------------------------------------------------------------

    async def does(self, act: Act) -> str:
        self.asked(act)
        self._offer(act)
        while True:
            said = await self._answer()
            if act.allows(said):
                return said
            seen = "".join(c for c in said[:20] if c.isprintable())
            self._say(f"  [yellow]{escape(seen)} is no answer here.[/]")
            self._offer(act)

    def hears(self, news: News) -> None:
        if news.share is None:
            self.line(f"  [yellow]{escape(news.text)}[/]")
            return
        now = self._clock()
        if not self._console.is_terminal or (now - self._drawn_at < _OFTEN_S and news.share < 1.0):
            return
        self._drawn_at = now
        done = round(self._bar_width * min(news.share, 1.0))
        bar = "█" * done + "░" * (self._bar_width - done)
        text = news.text[: self._width - self._bar_width - 4]
        # Written past rich, which would count the line's width anew at every look.
        self._console.file.write(f"\r\x1b[K  {bar} {text}")
        self._console.file.flush()
        self._bar = True

    async def judges(self, kind: str, remarks: Sequence[Remark], page: Path) -> bool:
        self.line("")
        order = [Weight.GOOD, Weight.WARNING, Weight.REFUSED]
        for remark in sorted(remarks, key=lambda r: order.index(r.weight)):
            sign, colour = _SIGNS[remark.weight]
            text = textwrap.fill(remark.text, self._width, initial_indent=f"  {sign} ",
                                 subsequent_indent="    ", break_on_hyphens=False)  # fmt: skip
            self._say(f"[{colour}]{escape(text)}[/]")
        self._say(f"  Report: {escape(str(page))}")
        if any(r.weight is Weight.REFUSED for r in remarks):
            self._say("  [bold red]Not usable:[/] nothing is changed. See to the above, then"
                      f" calibrate {escape(kind)} again.")  # fmt: skip
            return False
        if self._yes:
            self._say("  Accepted (--yes).")
            return True
        return await self.asks("Accept this calibration, and save it?")

    # -- a Watcher ---------------------------------------------------------------------------------

    def asked(self, act: Act) -> None:
        self.line("")
        if act.of:
            done = round(self._bar_width * act.done / act.of)
            bar = "━" * done + "[dim]" + "━" * (self._bar_width - done) + "[/]"
            self._say(f"  [cyan]{bar}[/] {act.done} of {act.of}")
        text = textwrap.fill(act.ask, self._width, initial_indent="  ", subsequent_indent="  ")
        self._say(f"[bold]{escape(text)}[/]")

    def answered(self, act: Act, answer: str) -> None:
        what = act.answers.get(answer, answer)
        self._say(f"  [dim]» {escape(what)}[/]")

    # -- more --------------------------------------------------------------------------------------

    @property
    def _bar_width(self) -> int:
        return min(30, self._width // 2)

    async def asks(self, question: str, otherwise: str = "no") -> bool:
        """Yes or no. Raises Left."""
        act = Act(question, answers={"y": "yes", "n": otherwise})
        return await self.does(act) == "y"

    def heading(self, text: str, more: str = "") -> None:
        self.line("")
        rule = "─" * max(2, self._width - len(text) - len(more) - 3)
        self._say(f"[bold cyan]{escape(text)}[/] [dim]{rule} {escape(more)}[/]")

    def prose(self, text: str) -> None:
        self._say(escape(textwrap.fill(text, self._width - 2, initial_indent="  ",
                                       subsequent_indent="  ")))  # fmt: skip

    def line(self, markup: str) -> None:
        """A line that stays; a bar that was being drawn gives way."""
        if self._bar:
            self._console.file.write("\r\x1b[K")
            self._bar = False
        self._say(markup)

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Leaves the screen whole, however the block ends."""
        try:
            yield
        finally:
            if self._bar:
                self._console.file.write("\r\x1b[K")
                with suppress(OSError):
                    self._console.file.flush()

    def _offer(self, act: Act) -> None:
        parts = []
        if act.number is not None:
            parts.append(f"[bold]{act.number[0]} to {act.number[1]}[/]")
        for answer, what in act.answers.items():
            key = "Enter" if answer == "" else answer
            parts.append(f"[bold]{escape(key)}[/] {escape(what)}")
        parts.append(f"[bold]{LEAVE}[/] leave, and go on later")
        self._say("  " + "   ".join(parts))

    async def _answer(self) -> str:
        self._console.print("  > ", end="", soft_wrap=True)
        self._console.file.flush()
        said = await self._answers.next()
        if said is None or said.lower() == LEAVE:
            raise Left
        if not self._console.is_terminal:
            self._console.print("")
        return said.lower()

    def _say(self, markup: str) -> None:
        self._console.print(markup, soft_wrap=True, highlight=False)
