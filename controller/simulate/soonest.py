"""The soonest that any test can find a missing card, if it may raise only so many false suspicions.

*What a test may know* here is more than a table does: the house's shuffle exactly, each tag's rate
exactly, how many cards every hand deals (also those still to come), and of a card the very place in
the deck at which it was last seen. What it does not use is what the sightings of other cards tell
of this one's place. In a perfect shuffle they tell nothing. After riffle, riffle, strip, riffle,
cut the five cards gathered nearest to it, seen again or not, add 0.05 to the 0.65 that the first
silent hand weighs (the logarithm of its likelihood), and from the second hand on nothing that
60,000 decks would show: the card then lies in the stub, whose order nobody sees. Over thirty hands
that is less than a tenth of one hand.

*The bound.* A card is seen, then unseen for 1, 2, 3, … hands, then seen again: a run. If it is
there, it stays unseen for k hands with probability p(k), which follows from all of the above. A
test ends a run with a suspicion after some number n of unseen hands, or never. It then raises a
false one in a share p(n) of such runs. A card removed at a moment drawn by lot is removed at age k
of a run with weight p(k), and is found within m hands if n - m <= k < n. So over all runs w and any
test n(w)

    found within m   =  E[ p(n-m) + … + p(n-1) ] / E[ length ]
    false per hand   =  cards * E[ p(n) ] / E[ length ]

The largest share found, under the constraint that the second line stays within the budget, is at
most the least over all prices of a false suspicion of what the best n(w), chosen run by run, earns
at that price (Lagrange; weak duality, so every price gives a valid bound). The smallest m at which
that share reaches one half is the smallest median that any test can have.

Nothing here is shared with the running test itself; the shuffles come in as orders of real decks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Chances = NDArray[np.float64]

RUNS = 2000
LONGEST = 120
ORDERS = 20_000
PRICES_LOG10 = (0.0, 12.0)


@dataclass(frozen=True, slots=True)
class TrueWorld:
    """dealt: how many cards a hand deals, and in which share of hands. shuffle: orders of the deck
    after a hand (cards dealt, number of orders, chance), a row each: row[new place] = old place.
    rates: as many tags' chances to be seen when dealt. cards: in the deck."""

    dealt: tuple[tuple[int, float], ...]
    shuffle: Callable[[int, int, np.random.Generator], NDArray[np.int64]]
    rates: Callable[[int, np.random.Generator], Chances]
    cards: int = 52


def soonest(world: TrueWorld, false_per_hand: float, seed: int = 7) -> int:
    """The smallest median of hands, from the first one without the card on, that any test can reach
    with at most that rate of false suspicions over the whole deck."""
    silence = unseen_chances(world, seed)
    length = float(silence.sum(axis=1).mean())
    allowed = false_per_hand * length / world.cards  # false suspicions a run
    summed = np.concatenate((np.zeros((len(silence), 1)), silence.cumsum(axis=1)), axis=1)
    false = silence[:, 1:]
    ends = np.arange(1, LONGEST)

    def enough(hands: int) -> bool:
        """Whether a test may find half of the missing cards within so many hands."""
        # found[:, n-1]: what a suspicion after n unseen hands finds within `hands`
        found = summed[:, ends] - summed[:, np.maximum(0, ends - hands)]
        return _least(lambda price: _earned(found, false, price) + price * allowed) >= length / 2

    hands = 1 + bisect_left(range(1, LONGEST), True, key=enough)
    if hands == LONGEST:
        raise ValueError(
            f"no test finds a missing card within {LONGEST} hands; allow more false suspicions"
        )
    return hands


def _least(bound: Callable[[float], float]) -> float:
    """The least of a bound over prices, by thirds: it is convex in the price."""
    low, high = PRICES_LOG10
    for _ in range(24):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if bound(10**a) <= bound(10**b):
            high = b
        else:
            low = a
    return bound(10 ** ((low + high) / 2))


def _earned(found: Chances, false: Chances, price: float) -> float:
    return float(np.maximum(0.0, (found - price * false).max(axis=1)).mean())


def unseen_chances(world: TrueWorld, seed: int = 7) -> Chances:
    """Of `RUNS` runs drawn by lot, a row each: p(0) = 1, p(1), … up to `LONGEST` hands."""
    chance = np.random.default_rng([seed, world.cards])
    counts = np.array([cards for cards, _ in world.dealt])
    shares = np.array([share for _, share in world.dealt])
    moves = [_moves(world, int(cards), chance) for cards in counts]
    place = np.arange(world.cards)
    # A run starts with a card that was dealt and seen: tags and hands weigh as they show cards.
    tags = world.rates(RUNS * 4, chance)
    tags = chance.choice(tags, RUNS, p=tags / tags.sum())
    first = chance.choice(len(counts), RUNS, p=shares * counts / (shares * counts).sum())
    last_seen = (chance.random(RUNS) * counts[first]).astype(np.int64)
    at = np.array([moves[kind][spot] for kind, spot in zip(first, last_seen, strict=True)])
    silence = np.ones((RUNS, LONGEST))
    for hand in range(1, LONGEST):
        kinds = chance.choice(len(counts), RUNS, p=shares)
        for kind, cards in enumerate(counts):
            rows = np.flatnonzero(kinds == kind)
            unread = np.where(place < cards, 1.0 - tags[rows][:, None], 1.0)
            left = at[rows] * unread
            silence[rows, hand] = silence[rows, hand - 1] * left.sum(axis=1)
            left /= left.sum(axis=1, keepdims=True)
            # Row by row: one product of all rows would wake threads that cost more than they do.
            at[rows] = (left[:, None, :] @ moves[kind])[:, 0]
    return silence


def _moves(world: TrueWorld, dealt: int, chance: np.random.Generator) -> Chances:
    """From old place (row) to new place (column), counted over many orders of a real deck."""
    moves = np.zeros((world.cards, world.cards))
    orders = world.shuffle(dealt, ORDERS, chance)
    for new in range(world.cards):
        moves[:, new] = np.bincount(orders[:, new], minlength=world.cards)
    return moves / ORDERS
