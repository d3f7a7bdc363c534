"""One transmitter at a time, whoever they are."""

from __future__ import annotations

import asyncio

from drivers.rf import RfMutex, RfTurns


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
        self._log, self._name = log, name

    async def quiet(self) -> None:
        await asyncio.sleep(0)
        self._log.append(f"{self._name} off")

    async def send(self, mutex: RfMutex) -> None:
        async with mutex.turn(self):
            self._log.append(f"{self._name} on")
            await asyncio.sleep(0)
            self._log.append(f"{self._name} done")


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
