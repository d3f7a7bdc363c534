"""Whole nights of dealt hands, to measure the running test between counts.

No polls are simulated here: a night is a deck of 52 cards, gathered and shuffled hand after hand as
a house does it, and of the cards dealt some that are not seen. Each tag has its own rate. A folded
card was seen while it lay at its seat, so that where a card ends does not matter.

Clean nights say how often a card that is there is suspected. In as many other nights a card drawn
by lot is gone before a hand drawn by lot, and the hands are counted until something is suspected;
that it is the right card is not asked, as any suspicion brings a count. Nobody counts meanwhile.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from controller.integrity.shuffles import (
    DECK,
    Places,
    Routine,
    RoutineError,
    Shuffle,
    gathered,
    routine,
    shuffled,
)
from controller.integrity.suspect import Budget, Watchlist
from controller.simulate.settings import SettingsError
from controller.simulate.soonest import TrueWorld, soonest
from drivers.readings import Uid

HANDS_PER_NIGHT: Final = 240
"""Eight hours of thirty hands."""
ENDINGS: Final = ((0, 0.25), (4, 0.20), (6, 0.15), (8, 0.40))
"""Cards beyond the hole cards, and the share of hands that end with them: before the flop, on the
flop, on the turn, on the river."""
GIVEN_UP: Final = 240
"""After so many hands a card that is gone counts as not found."""
NIGHTS_AT_ONCE: Final = 250
MOST_NIGHTS: Final = 100_000
RATE_SPREAD: Final = 0.25
"""How much tags differ: standard deviation of a tag's misses, as a share of the mean miss."""


@dataclass(frozen=True, slots=True)
class NightSettings:
    """One measurement. Raises SettingsError.

    shuffle: how the simulated house shuffles, a routine's name or acts. miss: the share of dealt
    cards that a hand does not show. believed: what the running test believes of the shuffle.
    """

    nights: int = 1000
    shuffle: str = "house"
    miss: float = 0.05
    seats: int = 9
    seed: int = 1
    believed: str = "house"
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        faults = []
        if not 1 <= self.nights <= MOST_NIGHTS:
            faults.append(f"--nights {self.nights}: allowed 1 to {MOST_NIGHTS}")
        if not 2 <= self.seats <= 11:
            faults.append(f"--seats {self.seats}: allowed 2 to 11")
        if not 0 <= self.miss <= 0.5:
            faults.append(f"--miss {self.miss:.0%}: allowed 0 % to 50 %")
        for name in dict.fromkeys((self.shuffle, self.believed)):
            try:
                routine(name)
            except RoutineError as e:
                faults.append(f"--shuffle: {e}")
        if faults:
            raise SettingsError(faults)


@dataclass(frozen=True, slots=True)
class NightTotals:
    """What came of it. hands_to_suspicion: of each night with a card gone, from its first hand
    without the card on; infinite where it was not found. best: see `soonest`."""

    settings: NightSettings
    clean_hands: int
    false_suspicions: int
    hands_to_suspicion: tuple[float, ...]
    best: int

    @property
    def median(self) -> float:
        return statistics.median(self.hands_to_suspicion)

    @property
    def allowed(self) -> float:
        """False suspicions that the budget allows in the clean hands."""
        return self.settings.budget.per_hand * self.clean_hands

    @property
    def ratio(self) -> float:
        return self.median / self.best

    def as_json(self) -> dict[str, object]:
        s = self.settings
        found = [h for h in self.hands_to_suspicion if math.isfinite(h)]
        median = self.median if math.isfinite(self.median) else None
        return {
            "nights": s.nights,
            "hands": self.clean_hands,
            "shuffle": str(routine(s.shuffle)),
            "believed_shuffle": str(routine(s.believed)),
            "players": s.seats,
            "miss": s.miss,
            "seed": s.seed,
            "hands_ending": {
                name: share
                for name, (_, share) in zip(
                    ("preflop", "flop", "turn", "river"), ENDINGS, strict=True
                )
            },
            "budget_false_suspicions": self.allowed,
            "false_suspicions": self.false_suspicions,
            "removed": len(self.hands_to_suspicion),
            "found": len(found),
            "median_hands_to_suspicion": median,
            "longest_hands_to_suspicion": max(found, default=None),
            "best_possible_hands": self.best,
            "ratio": None if median is None else round(self.ratio, 3),
        }


def simulate_nights(
    settings: NightSettings, on_nights: Callable[[int], object] = lambda nights: None
) -> NightTotals:
    """Deal the clean nights and as many with a card gone. on_nights: told how many are newly done,
    of both kinds together."""
    false = false_suspicions(settings, on_nights)
    delays = hands_to_suspicion(settings, on_nights)
    best = soonest(world(settings), settings.budget.per_hand)
    return NightTotals(settings, settings.nights * HANDS_PER_NIGHT, false, delays, best)


def false_suspicions(
    settings: NightSettings, on_nights: Callable[[int], object] = lambda nights: None
) -> int:
    """How many suspicions clean nights bring; after each a count finds every card."""
    false = 0
    for first, rows in _blocks(settings.nights):
        false += _clean(settings, rows, np.random.default_rng([settings.seed, 0, first]))
        on_nights(rows)
    return false


def hands_to_suspicion(
    settings: NightSettings, on_nights: Callable[[int], object] = lambda nights: None
) -> tuple[float, ...]:
    """In as many nights with a card gone, how many hands from the first one without it on it takes
    to be suspected; infinite where it was not, within `GIVEN_UP` hands."""
    delays: list[float] = []
    for first, rows in _blocks(settings.nights):
        delays += _removed(settings, rows, np.random.default_rng([settings.seed, 1, first]))
        on_nights(rows)
    return tuple(delays)


def _blocks(nights: int) -> list[tuple[int, int]]:
    return [(n, min(NIGHTS_AT_ONCE, nights - n)) for n in range(0, nights, NIGHTS_AT_ONCE)]


def for_people(totals: NightTotals, took_s: float) -> RenderableType:
    """The measurement as a table."""
    s = totals.settings
    grid = Grid(
        title=f"{s.nights} clean nights and {s.nights} with a card gone: shuffle "
        f"{routine(s.shuffle)}, {s.seats} players, miss {s.miss:.0%}, seed {s.seed}",
        title_justify="left",
        show_header=False,
    )
    median = f"{totals.median:g}" if math.isfinite(totals.median) else "not found"
    found = sum(map(math.isfinite, totals.hands_to_suspicion))
    for name, value in (
        ("clean hands", f"{totals.clean_hands:,}"),
        ("false suspicions", str(totals.false_suspicions)),
        ("false suspicions that the budget allows", f"{totals.allowed:.2g}"),
        ("cards gone, and found", f"{len(totals.hands_to_suspicion)}, {found}"),
        ("median hands to suspicion", median),
        ("the best that any test can do", str(totals.best)),
        ("ratio", f"{totals.ratio:.2f}" if math.isfinite(totals.median) else "–"),
    ):
        grid.add_row(name, value)
    return Group(grid, Text(f"{took_s:.0f} s"))


def world(settings: NightSettings) -> TrueWorld:
    """The simulated house, as whoever knows everything about it would describe it."""
    house = routine(settings.shuffle)

    def shuffle(dealt: int, rows: int, chance: np.random.Generator) -> Places:
        return _next_order(house, settings.seats, np.full(rows, dealt), DECK, chance)

    return TrueWorld(
        dealt=tuple((2 * settings.seats + board, share) for board, share in ENDINGS),
        shuffle=shuffle,
        rates=lambda rows, chance: _rates(settings.miss, rows, chance),
        cards=DECK,
    )


def _rates(miss: float, rows: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """Each tag's chance to be seen in a hand in which it is dealt."""
    if not miss:
        return np.ones(rows)
    misses = chance.normal(miss, RATE_SPREAD * miss, rows)
    return 1.0 - misses.clip(miss / 10, min(1.0, 2 * miss) - 1e-9)


def _next_order(
    house: Routine, seats: int, dealt: NDArray[np.int64], cards: int, chance: np.random.Generator
) -> Places:
    rows = len(dealt)
    order = gathered(dealt, seats, cards, chance, stub=house.stub)
    return np.take_along_axis(order, shuffled(house.acts, rows, cards, chance), axis=1)


class _Tables:
    """Tables that play side by side, each with a deck, its tags' rates and its watch list."""

    def __init__(self, settings: NightSettings, rows: int, chance: np.random.Generator) -> None:
        self.chance = chance
        self.settings = settings
        self.house = routine(settings.shuffle)
        self.uids = [Uid(bytes((0xE0, 0x04, 0, card))) for card in range(DECK)]
        self.rates = _rates(settings.miss, rows * DECK, chance).reshape(rows, DECK)
        self.decks = np.argsort(chance.random((rows, DECK)), axis=1)
        believed = Shuffle.of(settings.believed, players=settings.seats)
        self.lists = [
            Watchlist(dict(zip(self.uids, rates, strict=True)), believed, settings.budget)
            for rates in self.rates.tolist()
        ]
        self.gone = np.full(rows, -1)

    def hand(self, playing: NDArray[np.int64]) -> list[tuple[int, int]]:
        """One hand at the tables given; those at which something is newly suspected, and how many
        cards."""
        found: list[tuple[int, int]] = []
        for cards in (DECK, DECK - 1):
            tables = playing[(self.gone[playing] >= 0) == (cards < DECK)]
            if len(tables):
                found += self._hand(tables, cards)
        return found

    def _hand(self, tables: NDArray[np.int64], cards: int) -> list[tuple[int, int]]:
        decks = self.decks[tables, :cards]
        seats = self.settings.seats
        ending = self.chance.choice(len(ENDINGS), len(tables), p=[share for _, share in ENDINGS])
        dealt = 2 * seats + np.array([board for board, _ in ENDINGS])[ending]
        rates = np.take_along_axis(self.rates[tables], decks, axis=1)
        shown = (np.arange(cards) < dealt[:, None]) & (self.chance.random(rates.shape) < rates)
        found = []
        for i, table in enumerate(tables.tolist()):
            seen = [self.uids[card] for card in decks[i, shown[i]].tolist()]
            new = self.lists[table].hand(seen, int(dealt[i]), players=seats)
            if new:
                found.append((table, len(new)))
        order = _next_order(self.house, seats, dealt, cards, self.chance)
        self.decks[tables, :cards] = np.take_along_axis(decks, order, axis=1)
        return found

    def remove(self, table: int, card: int) -> None:
        deck = self.decks[table]
        self.decks[table] = np.append(deck[deck != card], card)
        self.gone[table] = card


def _clean(settings: NightSettings, rows: int, chance: np.random.Generator) -> int:
    tables, false = _Tables(settings, rows, chance), 0
    for _ in range(HANDS_PER_NIGHT):
        for table, suspected in tables.hand(np.arange(rows)):
            false += suspected
            tables.lists[table].counted()
    return false


def _removed(settings: NightSettings, rows: int, chance: np.random.Generator) -> list[float]:
    tables = _Tables(settings, rows, chance)
    at = chance.integers(0, HANDS_PER_NIGHT, rows)
    card = chance.integers(0, DECK, rows)
    delays = np.full(rows, math.inf)
    for hand in range(HANDS_PER_NIGHT + GIVEN_UP):
        for table in np.flatnonzero(at == hand).tolist():
            tables.remove(table, int(card[table]))
        playing = np.flatnonzero(np.isinf(delays) & (hand < at + GIVEN_UP))
        if not len(playing):
            break
        for table, _ in tables.hand(playing):
            if tables.gone[table] >= 0:
                delays[table] = hand - at[table] + 1
            else:
                tables.lists[table].counted()
    return [float(d) for d in delays]
