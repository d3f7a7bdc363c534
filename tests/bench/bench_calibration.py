"""Calibrating the sample table's antennas in virtual time: how near the fit comes to what was
planted, how long it takes, and which planted faults are found."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from calibration.antennas import AntennasProfile, Place
from calibration.antennas_capture import AntennaStep
from calibration.steps import Belongs, Fitted, Weight
from controller.calibrating.table_steps import places
from controller.config import load
from drivers.factory import FieldAntenna, Flaws, MarkedTable, Noise
from tests.calibration.hands import BUDGET, Eyes, Hand, Lamps

SEATS = 11
LOOK_S = 0.4 / 15
ACT_S = 4.0
"""From what is asked to the Enter key, of a person who stands at the table."""


def run(quick: bool = False) -> list[str]:
    table = places(load())
    tables = 3 if quick else 20
    return [
        _closeness(table, 0.05, 0.02, tables),
        _closeness(table, 0.15, 0.05, tables),
        *_found(table, 2 if quick else 10),
    ]


def _calibrated(
    table: tuple[Place, ...],
    seed: int,
    miss: float = 0.05,
    cross: float = 0.02,
    flaws: Flaws | None = None,
    own: Callable[[Place], dict[str, float]] = lambda place: {},
) -> tuple[Fitted[AntennasProfile], Eyes, Hand]:
    antennas = [
        FieldAntenna(p.antenna, p.zone, p.neighbours, p.max_stack, **own(p))  # type: ignore[arg-type]
        for p in table
    ]
    noise = Noise(miss=miss, cross=cross, corrupt=0.002, seed=seed)
    world = MarkedTable(antennas, noise, flaws)
    eyes, hand = Eyes(world, LOOK_S), Hand(world)
    step = AntennaStep(
        table, eyes, BUDGET, seats=SEATS, belongs=lambda: Belongs({}), lamps=Lamps(world)
    )
    samples = asyncio.run(step.capture(hand, None, lambda kept: None))
    return step.fit(samples), eyes, hand


def _closeness(table: tuple[Place, ...], miss: float, cross: float, tables: int) -> str:
    misses: list[float] = []
    crosses: list[float] = []
    held = looks = acts = wrong = 0
    for seed in range(tables):
        fitted, eyes, hand = _calibrated(table, seed, miss, cross)
        looks, acts = looks + eyes.looks, acts + len(hand.acts)
        wrong += bool(fitted.refused)
        assert fitted.profile is not None
        misses += [abs(a.miss - miss) for a in fitted.profile.antennas]
        crosses += [a.cross - cross for a in fitted.profile.antennas if a.antenna != 15]
        held += sum(a.miss_low <= miss <= a.miss_high for a in fitted.profile.antennas)
    n = len(misses)
    each = looks / tables
    minutes = (each * LOOK_S + acts / tables * ACT_S) / 60
    return (
        f"planted miss {miss:.0%}, cross {cross:.0%}, {tables} tables of {len(table)}: miss is"
        f" {100 * sum(misses) / n:.1f} points off on average, {100 * max(misses):.1f} at worst, its"
        f" interval holds it in {held / n:.0%}; cross {100 * sum(crosses) / len(crosses):+.1f} on"
        f" average, {100 * max(map(abs, crosses)):.1f} at worst; {each:.0f} looks, "
        f"{each * LOOK_S / 60:.1f} min, with {acts / tables:.0f} acts of {ACT_S:.0f} s"
        f" {minutes:.0f} min; refused by mistake {wrong}"
    )


def _found(table: tuple[Place, ...], times: int) -> list[str]:
    """Each fault at random antennas: named with its place, and nothing else refused."""
    seats = [p.antenna for p in table if p.zone.startswith("seat/")]
    lines = []
    for what in ("swapped", "dead", "overlap", "weak antenna", "weak card", "bad spot", "lamps"):
        found = other = 0
        for seed in range(times):
            chance = random.Random(f"{what} {seed}")
            a, b = chance.sample(seats, 2)
            c = min(a + 1, 11) if a < 11 else 10
            flaws, own, named = _planted(what, a, b, c)
            fitted, _, _ = _calibrated(table, seed, flaws=flaws, own=own)
            told = [r.text for r in fitted.remarks if r.weight is not Weight.GOOD]
            hits = [t for t in told if all(word in t for word in named)]
            found += bool(hits)
            other += len(told) - len(hits)
        lines.append(f"{what}: {found} of {times} found, {other} other remarks")
    return lines


def _planted(
    what: str, a: int, b: int, c: int
) -> tuple[Flaws, Callable[[Place], dict[str, float]], list[str]]:
    """Flaws, rates of an antenna's own, and words that a remark must have. c is beside a."""
    place = f"antenna {a} (seat {a})"
    plain: Callable[[Place], dict[str, float]] = lambda p: {}  # noqa: E731
    match what:
        case "swapped":
            return Flaws(wires={a: b, b: a}), plain, [place, f"antenna {b} ", "swapped"]
        case "dead":
            return Flaws(wires={a: 0}), plain, [f"seat {a} is not read", place]
        case "overlap":
            return (
                Flaws(),
                lambda p: {"cross": 0.5} if p.antenna in (a, c) else {},
                [f"ntenna {a} ", f"ntenna {c} ", "told apart"],
            )
        case "weak antenna":
            return (
                Flaws(),
                lambda p: {"miss": 0.35} if p.antenna == a else {},
                [place[1:], "reads a card in"],
            )
        case "weak card":
            return Flaws(weak_cards=(0.4, 0.0)), plain, ["first card's tag is weak"]
        case "bad spot":
            return Flaws(bad_spots={(a, 3): 0.5}), plain, [place[1:], "reads badly at"]
        case _:
            return Flaws(lamp_noise={a: 0.4}), plain, [place, "all lamps white"]
