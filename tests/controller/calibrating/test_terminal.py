"""A person at the terminal, through a pipe."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from rich.console import Console

from calibration.steps import Act, Left, News, Remark, Weight
from controller.calibrating.terminal import WIDTH, Answers, Terminal

T = TypeVar("T")
ACT = Act("Lay one card there.", 3, 12, {"": "it lies there", "s": "leave it out"})


def at(
    typed: str,
    do: Callable[[Terminal], Awaitable[T]],
    *,
    screen: bool = False,
    yes: bool = False,
    width: int = 100,
) -> tuple[T, str]:
    """What it gives, and what was shown."""
    reads, writes = os.pipe()
    os.write(writes, typed.encode())
    os.close(writes)
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=screen, color_system=None)
    times = iter(range(1000))

    async def go() -> T:
        return await do(Terminal(console, Answers(reads), yes=yes, clock=lambda: next(times)))

    try:
        return asyncio.run(go()), out.getvalue()
    finally:
        os.close(reads)


@pytest.mark.parametrize(("typed", "answer"), [("\n", ""), ("s\n", "s"), (" S \n", "s")])
def test_answer_is_one_that_the_act_allows(typed: str, answer: str) -> None:
    said, shown = at(typed, lambda t: t.does(ACT))
    assert said == answer
    assert "3 of 12" in shown
    assert "Lay one card there." in shown
    assert "Enter it lies there" in shown
    assert "q leave, and go on later" in shown


def test_what_is_no_answer_is_asked_again() -> None:
    said, shown = at("what?\n12\n7\n", lambda t: t.does(Act("Which?", number=(1, 11))))
    assert said == "7"
    assert shown.count("is no answer here") == 2
    assert "1 to 11" in shown


@pytest.mark.parametrize("typed", ["q\n", "Q\n", ""])
def test_q_and_the_end_of_what_is_typed_leave(typed: str) -> None:
    with pytest.raises(Left):
        at(typed, lambda t: t.does(ACT))


def test_rubbish_is_no_answer_and_no_crash() -> None:
    said, shown = at("\x00\x1b[2J[bold]" + "x" * 5000 + "\n\n", lambda t: t.does(ACT))
    assert said == ""
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) < 120


def test_long_acts_are_broken_into_lines() -> None:
    act = Act("Lay both cards, one on the other, on the middle of the mark. " * 3)
    _, shown = at("\n", lambda t: t.does(act))
    assert all(len(line) <= WIDTH for line in shown.splitlines() if "Lay" in line)


async def _judged(t: Terminal, weight: Weight) -> bool:
    remarks = (Remark(Weight.GOOD, "fine"), Remark(weight, "look. Next: do."))
    return await t.judges("seats", remarks, Path("/r/seats.html"))


@pytest.mark.parametrize(
    ("typed", "weight", "yes", "accepted"),
    [
        ("y\n", Weight.WARNING, False, True),
        ("n\n", Weight.GOOD, False, False),
        ("", Weight.WARNING, True, True),
        ("", Weight.REFUSED, True, False),
        ("y\n", Weight.REFUSED, False, False),
    ],
)
def test_person_judges_what_may_be_judged(
    typed: str, weight: Weight, yes: bool, accepted: bool
) -> None:
    said, shown = at(typed, lambda t: _judged(t, weight), yes=yes)
    assert said is accepted
    assert "/r/seats.html" in shown
    assert shown.index("fine") < shown.index("look.")
    assert ("nothing is changed" in shown) is (weight is Weight.REFUSED)


async def _looking(t: Terminal) -> None:
    for n in range(5):
        t.hears(News("looking at antenna 3", n / 4))
    t.hears(News("It is sensed at seat 4."))


def test_progress_is_drawn_in_place_and_gives_way() -> None:
    _, shown = at("", _looking, screen=True)
    assert shown.count("looking at antenna 3") == 5
    assert shown.count("\n") == 1
    assert "\r\x1b[K  It is sensed" in shown
    _, plain = at("", _looking)
    assert plain == "  It is sensed at seat 4.\n"


@pytest.mark.parametrize("width", [40, 30])
def test_a_narrow_terminal_is_written_within_its_width(width: int) -> None:
    """A bar that ran over the line's end would leave a line behind at every look."""

    async def all_of_it(t: Terminal) -> None:
        t.heading("Antennas", "step 1 of 4")
        t.prose("You lay a card on five spots of every mark, and a second card on it.")
        t.asked(Act("Lay one card there, face down, on the middle of the mark.", 3, 12))
        t.hears(News("looking at antenna 3, which reads a card in half of its looks", 0.5))
        t.hears(News("looking at antenna 3, which reads a card in half of its looks", 0.9))

    _, shown = at("", all_of_it, screen=True, width=width)
    assert "looking at" in shown
    assert "12" in shown
    assert max(len(line) for line in shown.replace("\r\x1b[K", "\n").splitlines()) <= width


def test_a_terminal_that_is_closed_leaves() -> None:
    master, slave = pty.openpty()
    os.close(master)
    try:
        assert asyncio.run(Answers(slave).next()) is None
    finally:
        os.close(slave)


def test_a_line_without_an_end_takes_no_memory() -> None:
    reads, writes = os.pipe()

    async def main() -> str | None:
        answers = Answers(reads)
        asking = asyncio.create_task(answers.next())
        for _ in range(100):
            os.write(writes, b"x" * 4096)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        os.write(writes, b"\nq\n")
        first = await asking
        assert first == "x" * 200
        return await answers.next()

    tracemalloc.start()
    try:
        assert asyncio.run(asyncio.wait_for(main(), 60.0)) == "q"
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()
        os.close(reads)
        os.close(writes)
