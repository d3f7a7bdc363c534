"""The dealer button as a puck: where it lies, where it was, and when that it is gone is known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from drivers.errors import UnknownDriverError
from drivers.factory import PuckSpec, button_pucks
from drivers.readings import ButtonReading, Health, HealthState
from drivers.rfid.airs import Together
from drivers.rfid.em4100 import Em4100Link
from drivers.rfid.em4100_codec import number
from drivers.rfid.pucks import GONE_S, ButtonPucks, PuckPlaces
from drivers.rfid.table import ReaderTable
from drivers.sim.em4100_emulator import Em4100Emulator
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sweep import SweepScheduler
from tests.drivers.still_field import StillField, uid_em

BUTTON, OTHER = uid_em(1), uid_em(2)
ALL_REPEAT = {1: True, 2: True, 3: True}


def test_the_button_is_where_its_tag_is_heard() -> None:
    places = PuckPlaces(ALL_REPEAT, every=True)
    assert places.tick(0.0) is None
    assert places.hear(2, BUTTON, 1.0) == ButtonReading((2,), 1.0)
    assert places.hear(2, BUTTON, 1.1) is None
    assert places.hear(3, BUTTON, 1.2) == ButtonReading((3,), 1.2)
    assert places.hear(1, OTHER, 1.3) == ButtonReading((1, 3), 1.3)


def test_that_it_is_gone_is_known_only_where_every_seat_would_say_so() -> None:
    for repeating, every, known in (
        (ALL_REPEAT, True, True),
        (ALL_REPEAT, False, False),
        (ALL_REPEAT | {3: False}, True, False),
    ):
        places = PuckPlaces(repeating, every=every)
        places.hear(2, BUTTON, 1.0)
        assert places.tick(1.0 + GONE_S) is None
        change = places.tick(1.1 + GONE_S)
        assert change == (ButtonReading((), 1.1 + GONE_S) if known else None)


def test_silence_of_a_lost_module_proves_nothing() -> None:
    places = PuckPlaces(ALL_REPEAT, every=True)
    places.hear(2, BUTTON, 1.0)
    places.lost(2)
    assert places.tick(100.0) is None
    places.back(2, 100.0)
    assert places.tick(100.0 + GONE_S) is None
    assert places.tick(100.1 + GONE_S) == ButtonReading((), 100.1 + GONE_S)


def test_a_dealer_s_badge_is_no_button() -> None:
    places = PuckPlaces(ALL_REPEAT, every=True, tags=[number(BUTTON)])
    assert places.hear(2, OTHER, 1.0) is None
    assert places.hear(2, BUTTON, 1.1) == ButtonReading((2,), 1.1)


class Bench:
    """A module under each of two seats, in virtual time."""

    def __init__(self) -> None:
        self.clock = VirtualClock(100.0)
        self.field = StillField((1, 2), uid_em)
        self.field.lying = {1: (), 2: ()}
        self.modules = {seat: Em4100Emulator(self.field, seat) for seat in (1, 2)}
        tables = [
            ReaderTable(
                [
                    Em4100Link(
                        f"button reader at seat {seat}",
                        virtual_connect(module, self.clock, f"seat {seat}"),
                        seat,
                        clock=self.clock,
                    )
                ],
                SweepScheduler((seat,)),
                clock=self.clock,
                sleep=self.clock.sleep,
            )
            for seat, module in self.modules.items()
        ]
        self.device = ButtonPucks(
            Together(tables),
            PuckPlaces({1: True, 2: True}, every=True),
            clock=self.clock,
            sleep=self.clock.sleep,
        )


def test_a_button_is_carried_round_and_a_cable_is_pulled() -> None:
    async def main() -> None:
        bench = Bench()
        async with asyncio.timeout(30), bench.device as device:
            readings = device.readings()

            async def until(wanted: Callable[[ButtonReading | Health], bool]) -> None:
                async for reading in readings:
                    if isinstance(reading, Health):
                        assert reading.antennas == ()
                    if wanted(reading):
                        return

            def at(*seats: int) -> Callable[[ButtonReading | Health], bool]:
                return lambda r: isinstance(r, ButtonReading) and r.seats == seats

            bench.field.lying[1] = (BUTTON,)
            await until(at(1))
            bench.field.lying[1] = ()
            await until(at())
            bench.field.lying[2] = (BUTTON,)
            await until(at(2))
            bench.modules[2].unplug()
            await until(lambda r: isinstance(r, Health) and r.state is HealthState.LOST)
            lost = [h for h in device.health if h.state is HealthState.LOST]
            assert [h.device for h in lost] == ["button reader at seat 2"]
            bench.field.lying[2] = ()
            bench.field.lying[1] = (BUTTON,)
            await until(at(1))
            bench.modules[2].plug(bench.clock())
            await until(
                lambda r: (
                    isinstance(r, Health)
                    and r.device == "button reader at seat 2"
                    and r.state is HealthState.OK
                )
            )
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_an_unknown_module_names_the_known_ones() -> None:
    with pytest.raises(UnknownDriverError, match="rdm6300, id12la"):
        button_pucks([PuckSpec(1, "rdm", "/dev/x")], seats=9)


def test_modules_that_are_not_there_are_told() -> None:
    async def main() -> list[str]:
        specs = [PuckSpec(seat, "id12la", f"/dev/no-such-{seat}") for seat in (1, 2)]
        told: dict[str, str] = {}
        async with asyncio.timeout(30), button_pucks(specs, seats=2) as device:
            async for reading in device.readings():
                if isinstance(reading, Health):
                    told[reading.device] = reading.reason
                if len(told) == 2:
                    break
        return sorted(told)

    assert asyncio.run(main()) == ["button reader at seat 1", "button reader at seat 2"]
