"""Lamps lit one after the other, over the table board's own driver."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from calibration.lamps import (
    CalibratedLamps,
    CalibratedRow,
    LampSamples,
    LampsProfile,
    LampStep,
    Seen,
)
from calibration.steps import Belongs, Fitted, Weight
from drivers.contracts import LampPattern, SeatLamp
from drivers.factory import Flaws
from tests.calibration.boards import AtBoard, at_board

GREEN = SeatLamp(0, 200, 0, LampPattern.FAST)


def lit(flaws: Flaws | None = None, **world: object) -> tuple[Fitted[LampsProfile], AtBoard]:
    found: list[tuple[Fitted[LampsProfile], AtBoard]] = []

    async def run(table: AtBoard) -> None:
        step = LampStep(11, 11, Settled(table), belongs=lambda: Belongs({}))
        samples = await step.capture(table.hand, None, lambda kept: None)
        found.append((step.fit(samples), table))

    at_board(run, flaws=flaws, **world)
    return found[0]


class Settled:
    """The board's lamps, once they are lit."""

    def __init__(self, table: AtBoard) -> None:
        self._table = table

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        await self._table.board.lamps.light(lamps)
        await self._table.clock.sleep(0.3)


def test_lamps_in_order_are_accepted_as_they_are() -> None:
    fit, _ = lit()
    assert fit.profile is not None
    assert fit.profile.lamp_of == tuple((n, n) for n in range(1, 12))
    assert fit.profile.brightness == 0.4
    assert [r.weight for r in fit.remarks] == [Weight.GOOD]


@pytest.mark.parametrize("likes", [0.08, 0.27, 1.0])
def test_brightness_is_what_the_person_likes(likes: float) -> None:
    fit, _ = lit(likes=likes)
    assert fit.profile is not None
    assert fit.profile.brightness == likes


def test_swapped_lamps_are_named_and_lit_right_from_then_on() -> None:
    fit, _ = lit(Flaws(lamp_wires={4: 5, 5: 4}))
    assert fit.profile is not None
    assert "the lamp of seat 4 and the lamp of seat 5 are swapped" in fit.remarks[0].text
    profile = fit.profile

    async def run(table: AtBoard) -> None:
        lamps = CalibratedLamps(table.board.lamps, profile)
        for seat in range(1, 12):
            await lamps.light({seat: GREEN})
            await table.clock.sleep(0.3)
            assert table.chairs.lit(table.clock()) == (seat,)

    at_board(run, flaws=Flaws(lamp_wires={4: 5, 5: 4}))


def test_dark_lamp_is_named_and_the_others_are_used() -> None:
    fit, _ = lit(Flaws(lamp_wires={6: 0}))
    assert fit.profile is not None
    assert 6 not in dict(fit.profile.lamp_of)
    assert "Lamp 6: stays dark" in fit.remarks[0].text


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ((1, 1, 3), "Lamps 1 and 2 were both seen at seat 1"),
        ((1, -1, 3), "Lamp 2: lights at several seats"),
        ((0, 0, 0), "No lamp was seen at all"),
    ],
)
def test_contradictions_are_refused(seen: tuple[int, ...], said: str) -> None:
    step = LampStep(3, 3, None, belongs=lambda: Belongs({}))  # type: ignore[arg-type]
    samples = LampSamples(3, tuple(Seen(n, s) for n, s in enumerate(seen, 1)), 0.4)
    fit = step.fit(samples)
    assert fit.profile is None
    assert any(said in r.text for r in fit.refused)


def test_dimmed_lamp_that_was_lit_stays_lit() -> None:
    lamps = LampsProfile(((1, 2), (2, 1)), 0.08).lit({1: SeatLamp(0, 3, 255), 2: GREEN})
    assert lamps == {2: SeatLamp(0, 1, 20), 1: SeatLamp(0, 16, 0, LampPattern.FAST)}


def test_row_of_lamps_is_told_by_seat() -> None:
    class Strip:
        width, height = 3, 1
        health = ()

        def __init__(self) -> None:
            self.shown = b""

        async def show(self, pixels: bytes) -> None:
            self.shown = pixels

        async def __aenter__(self) -> Strip:
            return self

        async def __aexit__(self, *_: object) -> None: ...

    async def run() -> None:
        strip = Strip()
        async with CalibratedRow(strip, LampsProfile(((1, 3), (2, 2), (3, 1)), 0.5)) as row:
            await row.show(bytes([100, 0, 0, 0, 100, 0, 0, 0, 100]))
            assert strip.shown == bytes([0, 0, 50, 0, 50, 0, 50, 0, 0])
            with pytest.raises(ValueError, match="3 lamps take 3 each"):
                await row.show(b"123")

    asyncio.run(run())
