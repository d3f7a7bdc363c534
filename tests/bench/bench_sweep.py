"""What poll direction and focus bring: how often two cards dealt in the wrong order to neighbouring
seats can be proved, without misses, from the looks alone. And what a choice of the sweep costs."""

from __future__ import annotations

import random
import time

from drivers.factory import SweepScheduler
from drivers.sweep import Order

ANTENNAS = tuple(range(1, 16))
SEATS = 9
PACE_S = 0.45
JITTER = 0.4
"""A dealer's pace varies by this share."""
SWEEP_S = 0.4


def run(quick: bool = False) -> list[str]:
    deals = 200 if quick else 2_000
    ways: tuple[tuple[str, Order, bool], ...] = (
        ("with the deal", "with", False),
        ("against it", "against", False),
        ("with it and focused", "with", True),
        ("against it and focused", "against", True),
    )
    lines = [
        f"adjacent swaps provable, {SWEEP_S * 1000:.0f} ms sweep, {PACE_S * 1000:.0f} ms "
        f"pace ± {JITTER:.0%}, no misses: "
        + ", ".join(
            f"{label} {_provable(order, focused, deals):.0%}" for label, order, focused in ways
        )
    ]
    for label, focus in (("a plain round", ()), ("three in focus", (3, 4, 5))):
        scheduler = SweepScheduler(ANTENNAS)
        scheduler.focus(focus)
        count = 100_000 if quick else 1_000_000
        begun = time.perf_counter()
        for _ in range(count):
            scheduler.next()
        each = (time.perf_counter() - begun) / count
        lines.append(f"next antenna, {label}: {each * 1e6:.2f} µs (goal ≤ 1)")
    return lines


def _provable(order: Order, focused: bool, deals: int) -> float:
    """Share of swapped pairs whose two intervals are apart in the wrong order."""
    chance = random.Random(3)
    scheduler = SweepScheduler(ANTENNAS, order)
    cost = SWEEP_S / len(ANTENNAS)
    looks = 0
    proved = 0
    for _ in range(deals):
        first = chance.randrange(1, SEATS)
        seats = list(range(1, SEATS + 1))
        seats[first - 1], seats[first] = seats[first], seats[first - 1]
        begun = looks * cost + chance.random()
        landed: dict[int, float] = {}
        at = begun
        for seat in seats:
            landed[seat] = at
            at += PACE_S * chance.uniform(1 - JITTER, 1 + JITTER)
        after: dict[int, float] = {}
        before: dict[int, float] = {}
        while len(before) < SEATS:
            if focused:
                due = [seat for seat in range(1, SEATS + 1) if seat not in before]
                scheduler.focus(due[:3])
            antenna = scheduler.next()
            started, looks = looks * cost, looks + 1
            if antenna in landed and antenna not in before:
                if landed[antenna] <= started:
                    before[antenna] = looks * cost
                else:
                    after[antenna] = started
        scheduler.focus()
        # Seat `first` was due before its neighbour, and was seen empty after that one was seen.
        proved += after.get(first, begun) >= before[first + 1]
    return proved / deals
