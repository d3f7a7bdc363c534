"""One transmitter at a time, whoever they are."""

from __future__ import annotations

import asyncio

from drivers.rf import RfMutex, RfPermits, RfTurns


def test_only_a_change_of_hands_needs_quiet() -> None:
    turns: RfTurns[str] = RfTurns()
    assert turns.must_quiet("a") is None
    turns.take("a")
    assert turns.must_quiet("a") is None
    assert turns.must_quiet("b") == "a"
    turns.gone("b")
    assert turns.must_quiet("b") == "a"
    turns.gone("a")
    assert turns.must_quiet("b") is None


class Lamp:
    """A transmitter that notes when it is on, and takes a while to go off."""

    def __init__(self, log: list[str], name: str) -> None:
        self._log, self.name = log, name

    async def quiet(self) -> None:
        await asyncio.sleep(0)
        self._log.append(f"{self.name} off")

    async def send(self, mutex: RfMutex) -> None:
        async with mutex.turn(self):
            self._log.append(f"{self.name} on")
            await asyncio.sleep(0)
            self._log.append(f"{self.name} done")


def test_those_who_wait_send_one_after_another() -> None:
    log: list[str] = []

    async def main() -> None:
        mutex, a, b = RfMutex(), Lamp(log, "a"), Lamp(log, "b")
        await asyncio.gather(a.send(mutex), b.send(mutex), b.send(mutex), a.send(mutex))

    asyncio.run(main())
    assert log == [
        "a on", "a done", "a off",
        "b on", "b done", "b on", "b done", "b off",
        "a on", "a done",
    ]  # fmt: skip


def test_a_lost_one_is_not_waited_for() -> None:
    log: list[str] = []

    async def main() -> None:
        mutex, a, b = RfMutex(), Lamp(log, "a"), Lamp(log, "b")
        await a.send(mutex)
        mutex.gone(a)
        await b.send(mutex)

    asyncio.run(main())
    assert "a off" not in log


class EnableLines:
    """The readers' enable lines; `broken`: none of them can be driven."""

    def __init__(self, log: list[str]) -> None:
        self._log = log
        self.broken = False

    def drive(self, reader: str, on: bool) -> bool:
        if not self.broken:
            self._log.append(f"{reader} line {'on' if on else 'off'}")
        return not self.broken


def permits(log: list[str]) -> RfPermits:
    async def sleep(seconds: float) -> None:
        log.append(f"{seconds:g} s")

    return RfPermits(("a", "b"), 0.01, sleep=sleep)


def test_an_enable_line_is_on_only_from_its_readers_turn_to_the_next_ones() -> None:
    log: list[str] = []

    async def main() -> None:
        allowed = permits(log)
        allowed.attach(EnableLines(log).drive)
        mutex = RfMutex(allowed)
        a, b, c = Lamp(log, "a"), Lamp(log, "b"), Lamp(log, "c")
        for one in (a, a, b, c, b):
            await one.send(mutex)
        mutex.gone(b)

    asyncio.run(main())
    assert log == [
        "a line on", "0.01 s", "a on", "a done", "a on", "a done", "a off", "a line off",
        "b line on", "0.01 s", "b on", "b done", "b off", "b line off",
        "c on", "c done", "c off",
        "b line on", "0.01 s", "b on", "b done", "b line off",
    ]  # fmt: skip


def test_a_line_that_was_lost_permits_nothing_until_it_was_switched_on_anew() -> None:
    log: list[str] = []

    async def main() -> None:
        lines, allowed = EnableLines(log), permits(log)
        await allowed.permit("a")
        assert not allowed.permitted("a"), "nobody drives the line"
        assert allowed.permitted("c"), "it has none"
        allowed.attach(lines.drive)
        assert not allowed.permitted("a")
        await allowed.permit("a")
        assert allowed.permitted("a")
        allowed.detach()
        assert not allowed.permitted("a")
        lines.broken = True
        allowed.attach(lines.drive)
        await allowed.permit("a")
        assert not allowed.permitted("a")
        lines.broken = False
        await allowed.permit("a")
        assert allowed.permitted("a")

    asyncio.run(main())


def test_lines_that_are_lost_while_they_settle_permit_nothing() -> None:
    async def main() -> None:
        async def sleep(_: float) -> None:
            allowed.detach()

        allowed = RfPermits(("a",), sleep=sleep)
        allowed.attach(lambda reader, on: True)
        await allowed.permit("a")
        assert not allowed.permitted("a")

    asyncio.run(main())
