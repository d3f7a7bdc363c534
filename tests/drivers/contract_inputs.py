"""What every `Inputs` device must do, whatever is behind it: one suite for emulated hardware and,
marked `bench`, for real. Subclass it, name the class Test..., and give a table.

On a bench a person moves the switches when `Switchboard` asks for it.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import pairwise
from typing import Protocol, TypeVar

from drivers.contracts import Inputs
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading

PATIENCE_S = 60.0
"""Far more than any of this takes; a device that stays silent fails instead of hanging."""

Reading = ButtonReading | SeatReading | KeyPress | Health
R = TypeVar("R", bound=ButtonReading | SeatReading | KeyPress | Health)


class Switchboard(Protocol):
    """The hands at the table. Nothing is pressed, nobody sits and no button lies at first."""

    @property
    def keys(self) -> tuple[str, ...]:
        """At least two, among them "confirm"."""
        ...

    @property
    def seats(self) -> tuple[int, ...]:
        """Those whose chair is watched; at least two."""
        ...

    @property
    def spots(self) -> tuple[int, ...]:
        """Seats at which the dealer button is sensed; at least two."""
        ...

    def press(self, key: str) -> None: ...

    def let_go(self, key: str) -> None: ...

    def sit(self, seat: int, there: bool) -> None: ...

    def lay(self, *spots: int) -> None:
        """The dealer button lies there, and nowhere else."""
        ...

    def unplug(self) -> None: ...

    def plug(self) -> None:
        """The device can be opened, once more if it was before."""
        ...


class Heard:
    """Readings as they came, one kind at a time."""

    def __init__(self, readings: AsyncIterator[Reading]) -> None:
        self._readings = readings
        self.all: list[Reading] = []

    async def until(self, kind: type[R], fits: Callable[[R], bool] = lambda r: True) -> R:
        """The next reading of that kind that fits."""
        async for reading in self._readings:
            self.all.append(reading)
            if isinstance(reading, kind) and fits(reading):
                return reading
        raise AssertionError("readings have ended")


class InputsContract(ABC):
    @abstractmethod
    def table(self) -> AbstractAsyncContextManager[tuple[Inputs, Switchboard]]:
        """A closed device and the switches that it watches."""

    def test_it_begins_with_where_everything_stands(self) -> None:
        async def first(heard: Heard, switches: Switchboard) -> None:
            ok = await heard.until(Health)
            assert ok.state is HealthState.OK
            await heard.until(ButtonReading, lambda b: b.seats == (switches.spots[1],))
            seats = {s.seat: s.occupied for s in heard.all if isinstance(s, SeatReading)}
            there = switches.seats[0]
            while len(seats) < len(switches.seats):
                seat = await heard.until(SeatReading)
                seats[seat.seat] = seat.occupied
            assert seats == {s: s == there for s in switches.seats}
            assert not any(isinstance(r, KeyPress) for r in heard.all)

        def before(switches: Switchboard) -> None:
            switches.sit(switches.seats[0], True)
            switches.lay(switches.spots[1])
            switches.press(switches.keys[0])  # held down while it starts: no press

        self._run(first, before)

    def test_every_press_of_a_key_is_told_once(self) -> None:
        async def presses(heard: Heard, switches: Switchboard) -> None:
            await heard.until(Health)
            for key in (*switches.keys, *switches.keys[::-1]):
                switches.press(key)
                assert (await heard.until(KeyPress)).key == key
                await self._let_go(heard, switches, key)

        self._run(presses)

    def test_a_player_sits_down_and_gets_up(self) -> None:
        async def sits(heard: Heard, switches: Switchboard) -> None:
            await heard.until(Health)
            seat = switches.seats[-1]
            switches.sit(seat, True)
            taken = await heard.until(SeatReading, lambda s: s.seat == seat and s.occupied is True)
            switches.sit(seat, False)
            left = await heard.until(SeatReading, lambda s: s.seat == seat)
            assert left.occupied is False
            assert left.at > taken.at

        self._run(sits)

    def test_the_button_moves_and_two_are_told_as_two(self) -> None:
        async def moves(heard: Heard, switches: Switchboard) -> None:
            a, b = switches.spots[:2]
            await heard.until(ButtonReading, lambda r: r.seats == ())
            for spots in ((a,), (b,), (a, b), ()):
                switches.lay(*spots)
                await heard.until(ButtonReading, lambda r, s=spots: r.seats == s)  # type: ignore[misc]

        self._run(moves)

    def test_an_unplugged_device_is_reported_and_says_everything_anew_when_it_is_back(
        self,
    ) -> None:
        async def lost(heard: Heard, switches: Switchboard) -> None:
            await heard.until(ButtonReading)
            known = {r.seat for r in heard.all if isinstance(r, SeatReading)}
            before = len(heard.all)
            switches.unplug()
            gone = await heard.until(Health)
            assert gone.state is HealthState.LOST
            assert gone.reason
            switches.sit(switches.seats[1], True)
            switches.plug()
            back = await heard.until(Health)
            assert (back.state, back.device) == (HealthState.OK, gone.device), back.reason
            while_gone = heard.all[before:]
            unknown = {
                r.seat for r in while_gone if isinstance(r, SeatReading) and r.occupied is None
            }
            assert unknown >= known, "a seat that nobody watches was left as it had been"
            assert any(isinstance(r, ButtonReading) and r.seats is None for r in while_gone)
            seat = switches.seats[1]
            await heard.until(SeatReading, lambda s: s.seat == seat and s.occupied is True)

        self._run(lost)

    def test_a_device_that_is_absent_opens_all_the_same(self) -> None:
        async def absent(heard: Heard, switches: Switchboard) -> None:
            assert (await heard.until(Health)).state is HealthState.LOST
            switches.plug()
            assert (await heard.until(Health)).state is HealthState.OK

        self._run(absent, lambda switches: switches.unplug())

    def test_times_never_run_backwards(self) -> None:
        async def hands(heard: Heard, switches: Switchboard) -> None:
            await heard.until(ButtonReading)
            for seat in switches.seats:
                switches.sit(seat, True)
                switches.press("confirm")
                await heard.until(KeyPress)
                await self._let_go(heard, switches, "confirm")
            assert all(a.at <= b.at for a, b in pairwise(heard.all))

        self._run(hands)

    def test_it_leaves_nothing_running_and_opens_again(self) -> None:
        async def twice() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (inputs, switches):
                for _ in range(2):
                    switches.plug()
                    async with inputs:
                        ok = await Heard(inputs.readings()).until(Health)
                        assert ok.state is HealthState.OK
                    assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(twice())

    # ---- inside

    async def _let_go(self, heard: Heard, switches: Switchboard, key: str) -> None:
        """Let go of it, and wait until the device must have seen that: a button that comes and goes
        at a spot takes longer to settle."""
        switches.let_go(key)
        for spots in (switches.spots[:1], ()):
            switches.lay(*spots)
            await heard.until(ButtonReading, lambda b, s=spots: b.seats == s)  # type: ignore[misc]

    def _run(
        self,
        body: Callable[[Heard, Switchboard], Coroutine[None, None, None]],
        before: Callable[[Switchboard], None] = lambda switches: None,
    ) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self._opened(before) as (inputs, switches):
                await body(Heard(inputs.readings()), switches)

        asyncio.run(main())

    @asynccontextmanager
    async def _opened(
        self, before: Callable[[Switchboard], None]
    ) -> AsyncIterator[tuple[Inputs, Switchboard]]:
        async with self.table() as (inputs, switches):
            before(switches)
            async with inputs:
                yield inputs, switches
