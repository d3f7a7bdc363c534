"""How a house shuffles, and what that makes of one card's place in the deck from hand to hand.

Places of a deck count from 0 at the top. A routine is a row of acts:

* riffle: the deck is parted about the middle and the halves fall together (Gilbert, Shannon, Reeds:
  every way of falling together is equally likely);
* strip: packets of about eight cards are pulled off the top and laid one on the other;
* cut: the deck is parted near the middle and the halves change places;
* wash: the cards are stirred face down on the table; taken as perfect.

What precedes the routine matters as much: the gathering lays together what was seen. Taken here,
from the top: the winner's cards, the board, hands lost at showdown, then the muck with late folds
above early ones, then the burns, and the stub below all that ("under") or above it ("over").

One card's places are a Markov chain: gathering and shuffling do not look at faces, so the next
place depends on the present one and on chance alone. Its matrices are estimated from
`SAMPLES` shuffles with a fixed seed, gathering and routine apart, and multiplied, as they are
independent.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import product
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
"""One row a deck; row[new place] is the place from which the card there came."""
Chances = NDArray[np.float64]
Stub = Literal["under", "over"]

DECK: Final = 52
SAMPLES: Final = 20_000
BURN_AT: Final = (0, 4, 6)
"""Which of the cards after the hole cards are burns: burn, flop, burn, turn, burn, river."""
STREETS_CARDS: Final = (0, 4, 6, 8)
MOST_PLAYERS: Final = 11

_SEED = 52_1955
_STRIP_CARDS = 8
_CUT_SPREAD = 6.0
_CUT_LEAST = 5
_LATE_FOLDS = 0.2


class RoutineError(ValueError):
    """A routine that cannot be read; the text names every fault and what is allowed."""


class Act(StrEnum):
    RIFFLE = "riffle"
    STRIP = "strip"
    CUT = "cut"
    WASH = "wash"


@dataclass(frozen=True, slots=True)
class Routine:
    """A house's shuffle: acts in order, and where the stub comes to lie when cards are gathered."""

    acts: tuple[Act, ...]
    stub: Stub = "under"

    @property
    def perfect(self) -> bool:
        """Whether every order of the deck is equally likely after it."""
        return Act.WASH in self.acts

    def __str__(self) -> str:
        return " ".join(self.acts) + ("" if self.stub == "under" or self.perfect else " stub-over")


def _spelled(text: str, stub: Stub = "under") -> Routine:
    return Routine(tuple(Act(word) for word in text.split()), stub)


ROUTINES: Final[Mapping[str, Routine]] = {
    "uniform": _spelled("wash"),
    "house": _spelled("riffle riffle strip riffle cut"),
    "house-stub-over": _spelled("riffle riffle strip riffle cut", "over"),
    "no-cut": _spelled("riffle riffle strip riffle"),
    "three-riffles": _spelled("riffle riffle riffle"),
    "short": _spelled("riffle strip riffle cut"),
    "two-riffles": _spelled("riffle riffle"),
    "hurried": _spelled("riffle riffle cut"),
    "one-riffle": _spelled("riffle"),
}
"""Routines by name. "house" is what most card rooms prescribe."""


def routine(text: str) -> Routine:
    """A routine by name ("house"), or spelled out: "riffle strip riffle cut", with "stub-over" at
    its end where the stub is laid on the gathered cards. Raises RoutineError."""
    words = text.split()
    if len(words) == 1 and words[0] in ROUTINES:
        return ROUTINES[words[0]]
    stub: Stub = "under"
    if words and words[-1] == "stub-over":
        stub, words = "over", words[:-1]
    known = [*ROUTINES, *Act] if len(words) == 1 else [*Act]
    faults = []
    for word in dict.fromkeys(words):
        if word not in tuple(Act):
            meant = difflib.get_close_matches(word, known, n=1)
            faults.append(f"{word!r}{f' (meant: {meant[0]}?)' if meant else ''}")
    if faults or not words:
        what = ", ".join(faults) if faults else "nothing"
        raise RoutineError(
            f"shuffle {text!r}, {what}: allowed a name ({', '.join(ROUTINES)}) or a row of "
            f"{', '.join(Act)}, with stub-over at the end if the stub is laid on top"
        )
    return Routine(tuple(Act(word) for word in words), stub)


# -- the acts, on many decks at once


def riffled(rows: int, cards: int, chance: np.random.Generator) -> Places:
    """One riffle. Each place falls from the lower or the upper half by a fair coin: this is the
    Gilbert-Shannon-Reeds riffle read from its result."""
    lower = chance.integers(0, 2, (rows, cards))
    below = lower.cumsum(axis=1)
    upper = (cards - below[:, -1])[:, None]
    places: Places = np.where(lower == 1, upper + below - 1, np.arange(cards) - below)
    return places


def stripped(rows: int, cards: int, chance: np.random.Generator) -> Places:
    """One strip: packets change their order, cards within a packet keep it."""
    ends = chance.random((rows, cards)) < 1 / _STRIP_CARDS
    ends[:, 0] = False
    packet = ends.cumsum(axis=1)
    return np.argsort(np.arange(cards) - packet * cards, axis=1)


def cut(rows: int, cards: int, chance: np.random.Generator) -> Places:
    """One cut, about the middle, and never of fewer than five cards in a whole deck."""
    least = min(_CUT_LEAST, cards // 2)
    at = np.rint(chance.normal(cards / 2, _CUT_SPREAD, rows)).clip(least, cards - least)
    places: Places = (np.arange(cards) + at.astype(np.int64)[:, None]) % cards
    return places


def washed(rows: int, cards: int, chance: np.random.Generator) -> Places:
    """One wash: any order."""
    return np.argsort(chance.random((rows, cards)), axis=1)


_ACTS: Mapping[Act, Callable[[int, int, np.random.Generator], Places]] = {
    Act.RIFFLE: riffled,
    Act.STRIP: stripped,
    Act.CUT: cut,
    Act.WASH: washed,
}


def shuffled(acts: Sequence[Act], rows: int, cards: int, chance: np.random.Generator) -> Places:
    """A whole routine on `rows` decks."""
    places = np.tile(np.arange(cards), (rows, 1))
    for act in acts:
        places = np.take_along_axis(places, _ACTS[act](rows, cards, chance), axis=1)
    return places


def players_in(dealt: int, usual: int, hole: int = 2) -> int:
    """How many players a hand of `dealt` cards had: the number nearest to the usual one that a
    whole street explains, of two the smaller; the usual one if none does."""
    fitting = [
        (dealt - board) // hole
        for board in STREETS_CARDS
        if (dealt - board) % hole == 0 and 2 <= (dealt - board) // hole <= MOST_PLAYERS
    ]
    return min(fitting, key=lambda n: (abs(n - usual), n), default=usual)


def gathered(
    dealt: NDArray[np.int64],
    players: int,
    cards: int,
    chance: np.random.Generator,
    *,
    hole: int = 2,
    stub: Stub = "under",
) -> Places:
    """The gathering after a hand, one row a deck of which the top `dealt[row]` cards were dealt.

    Hole cards went round `players` seats from the small blind on. A hand that ended before the flop
    has one hand left in it, else two to four.
    """
    rows = len(dealt)
    place = np.arange(cards)
    on_seats = hole * players
    # A seat's lateness: 0..1 in the order of action before the flop, 1..2 for a fold on a later
    # street, from 3 on for who was still in the hand, the winner last.
    acts_at = (np.arange(players) - 2) % players / players
    lateness = np.tile(acts_at, (rows, 1))
    board = dealt > on_seats
    later = (chance.random((rows, players)) < _LATE_FOLDS) & board[:, None]
    lateness += later * (1 + chance.random((rows, players)) - lateness)
    standing = np.where(board, chance.integers(2, 5, rows), 1).clip(max=players)
    rank = np.argsort(np.argsort(chance.random((rows, players)), axis=1), axis=1)
    lateness = np.where(rank < standing[:, None], 3.0 + rank / players, lateness)
    winner = rank == 0
    # Keys from the top: winner 0, board 1, then hands by how late they were folded, burns, stub.
    hand_key = np.where(winner, 0.0, 10.0 - lateness)
    key = np.empty((rows, cards))
    for at in range(cards):
        if at < on_seats:
            key[:, at] = hand_key[:, at % players]
        elif at - on_seats in BURN_AT:
            key[:, at] = 20.0
        else:
            key[:, at] = 1.0
    key[place[None, :] >= dealt[:, None]] = 30.0 if stub == "under" else -1.0
    # Which of a hand's cards lies above the other is chance; the stub, burns and board stay in
    # order.
    own = place[None, :] < np.minimum(dealt, on_seats)[:, None]
    key += np.where(own, chance.random((rows, cards)), place / cards) * 1e-3
    return np.argsort(key, axis=1, kind="stable")


def matrix(places: Places) -> Chances:
    """From many shuffles: the chance that a card at place i (row) comes to place j (column)."""
    rows, cards = places.shape
    counts = np.empty((cards, cards))
    for new in range(cards):
        counts[:, new] = np.bincount(places[:, new], minlength=cards)
    chances: Chances = counts / rows
    return chances


@lru_cache(maxsize=64)
def shuffle_matrix(acts: tuple[Act, ...], cards: int = DECK) -> Chances:
    """What a routine does to one card's place; exact for a perfect one."""
    if Act.WASH in acts:
        return _kept(np.full((cards, cards), 1 / cards))
    chance = np.random.default_rng([_SEED, cards, *(list(Act).index(act) for act in acts)])
    return _kept(matrix(shuffled(acts, SAMPLES, cards, chance)))


@lru_cache(maxsize=256)
def gather_matrix(
    dealt: int, players: int, hole: int = 2, stub: Stub = "under", cards: int = DECK
) -> Chances:
    """What the gathering does to one card's place."""
    chance = np.random.default_rng([_SEED, cards, dealt, players, hole, stub == "over"])
    decks = np.full(SAMPLES, dealt)
    return _kept(matrix(gathered(decks, players, cards, chance, hole=hole, stub=stub)))


def _kept(m: Chances) -> Chances:
    m.setflags(write=False)
    return m


@dataclass(frozen=True, slots=True)
class Shuffle:
    """What is believed of a house's shuffle: one routine, or shares of hands shuffled by several.

    parts: share and routine; the shares add up to 1. players: the usual number at the table; hole:
    cards a player.
    """

    parts: tuple[tuple[float, Routine], ...]
    players: int = 9
    hole: int = 2

    def __post_init__(self) -> None:
        shares = [share for share, _ in self.parts]
        if not shares or min(shares) < 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-9):
            raise ValueError(f"shares of shuffles {shares}: allowed 0 and up, 1 together")

    @classmethod
    def of(cls, text: str = "house", *, players: int = 9, hole: int = 2) -> Shuffle:
        """The shuffle of one routine, by name or spelled out. Raises RoutineError."""
        return cls(((1.0, routine(text)),), players, hole)

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0][1])
        return ", ".join(f"{share:.0%} {r}" for share, r in self.parts)

    def prepare(self, players: int | None = None) -> None:
        """Work out the steps of a table's usual hands beforehand: up to a few seconds on a small
        machine, and nothing is asked of the caller."""
        for board in STREETS_CARDS:
            self.step(self.hole * (players or self.players) + board, DECK, players)

    def step(self, dealt: int, cards: int = DECK, players: int | None = None) -> Chances:
        """The chance that a card at place i before a hand of `dealt` cards is at place j before the
        next. players: those dealt in, where it is known. Cached: do not write to it."""
        if not 0 <= dealt <= cards:
            raise ValueError(f"{dealt} cards dealt: allowed 0 to {cards}")
        seats = players or players_in(dealt, self.players, self.hole)
        return _step(self, dealt, cards, seats)


@lru_cache(maxsize=512)
def _step(shuffle: Shuffle, dealt: int, cards: int, players: int) -> Chances:
    whole = np.zeros((cards, cards))
    for share, r in shuffle.parts:
        if r.perfect:
            whole += share / cards
        elif share:
            before = gather_matrix(dealt, players, shuffle.hole, r.stub, cards)
            whole += share * (before @ shuffle_matrix(r.acts, cards))
    return _kept(whole)


# -- fitting a house's own shuffle

AGES: Final = 12
"""Hands since a card was last seen are told apart up to this many; longer ones are one group."""
FIT_HANDS: Final = 240
"""With fewer hands than a night's, nothing is fitted."""
_AS_GOOD = 10.0
_TAIL_HANDS = 40


@dataclass(frozen=True, slots=True)
class Returns:
    """How often cards come back: counts only, no card is in it.

    waited[n]: how often a card last seen n+1 hands ago was due to be seen or not; again[n]: how
    often it then was. The last entry holds all longer waits. dealt: hands by how many cards they
    dealt. seen: all cards seen in them, together.
    """

    waited: tuple[int, ...] = (0,) * AGES
    again: tuple[int, ...] = (0,) * AGES
    dealt: tuple[tuple[int, int], ...] = ()
    seen: int = 0

    @property
    def hands(self) -> int:
        return sum(hands for _, hands in self.dealt)

    @property
    def seen_share(self) -> float:
        """Share of the dealt cards that were seen."""
        out = sum(cards * hands for cards, hands in self.dealt)
        return min(1.0, self.seen / out) if out else 0.0

    def __add__(self, other: Returns) -> Returns:
        dealt = dict(self.dealt)
        for cards, hands in other.dealt:
            dealt[cards] = dealt.get(cards, 0) + hands
        return Returns(
            tuple(a + b for a, b in zip(self.waited, other.waited, strict=True)),
            tuple(a + b for a, b in zip(self.again, other.again, strict=True)),
            tuple(sorted(dealt.items())),
            self.seen + other.seen,
        )


class ReturnCounter:
    """Counts returns, hand by hand. A card is any handle that stays the same from hand to hand;
    handles stay in memory and leave only as counts. `counted` starts all waits anew."""

    def __init__(self) -> None:
        self._ago: dict[Hashable, int] = {}
        self._waited = [0] * AGES
        self._again = [0] * AGES
        self._dealt: dict[int, int] = {}
        self._seen = 0

    def __repr__(self) -> str:
        return f"<returns over {sum(self._dealt.values())} hands>"

    def hand(self, seen: Collection[Hashable], dealt: int) -> None:
        here = set(seen)
        for card, ago in self._ago.items():
            self._waited[min(ago, AGES - 1)] += 1
            if card in here:
                self._again[min(ago, AGES - 1)] += 1
            self._ago[card] = ago + 1
        self._ago.update(dict.fromkeys(here, 0))
        dealt = max(dealt, len(here))
        self._dealt[dealt] = self._dealt.get(dealt, 0) + 1
        self._seen += len(here)

    def counted(self) -> None:
        self._ago.clear()

    @property
    def returns(self) -> Returns:
        return Returns(
            tuple(self._waited), tuple(self._again), tuple(sorted(self._dealt.items())), self._seen
        )


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted shuffle. explained: whether it accounts for what was counted; None: too few hands,
    and `shuffle` is the one that was given."""

    shuffle: Shuffle
    explained: bool | None


def fit(returns: Returns, usual: Shuffle | None = None) -> Fit:
    """The shuffle that a house's own hands show, on the safe side.

    Every routine of `ROUTINES`, and shares of it with a hurried one, is asked how often cards
    should have come back after each wait. Of all that explain the counts about as well as the best
    one does, the one with the longest unseen runs is taken: a longer run is then needed for a
    suspicion, never a shorter one than the house's shuffle gives. If none explains them, the one
    with the longest runs of all is taken.
    """
    usual = usual or Shuffle.of()
    if returns.hands < FIT_HANDS:
        return Fit(usual, None)
    candidates = _candidates(usual.players, usual.hole)
    curves = [_curve(c, returns) for c in candidates]
    badness = [_badness(returns, comes_back) for comes_back, _ in curves]
    best = min(badness)
    explained = best <= AGES + 5 * math.sqrt(2 * AGES)
    close = [i for i, b in enumerate(badness) if not explained or b <= best + _AS_GOOD]
    chosen = max(close, key=lambda i: curves[i][1])
    return Fit(candidates[chosen], explained)


@lru_cache(maxsize=8)
def _candidates(players: int, hole: int) -> tuple[Shuffle, ...]:
    plain = [Shuffle(((1.0, r),), players, hole) for r in ROUTINES.values()]
    hurried = ROUTINES["one-riffle"]
    mixed = [
        Shuffle(((1 - share, r), (share, hurried)), players, hole)
        for r, share in product(ROUTINES.values(), (0.25, 0.5, 0.75))
        if r != hurried
    ]
    return (*plain, *mixed)


def _curve(shuffle: Shuffle, returns: Returns) -> tuple[Chances, float]:
    """The chance to be seen after each wait, and how likely a very long unseen run is."""
    place = np.arange(DECK)
    unseen = np.zeros((DECK, DECK))
    at = np.zeros(DECK)
    for dealt, hands in returns.dealt:
        share = hands / returns.hands
        after = share * shuffle.step(min(dealt, DECK))
        missed = np.where(place < dealt, 1 - returns.seen_share, 1.0)
        unseen += missed[:, None] * after
        at += (place < dealt) @ after
    at /= at.sum()
    comes_back, mass = [], 1.0
    waiting = []
    for _ in range(_TAIL_HANDS):
        at = at @ unseen
        left = float(at.sum())
        comes_back.append(1 - left)
        waiting.append(mass)
        mass *= left
        at /= left
    curve = np.array(comes_back[:AGES])
    old, weight = np.array(comes_back[AGES - 1 :]), np.array(waiting[AGES - 1 :])
    curve[-1] = (old * weight).sum() / weight.sum()
    return curve, math.log(mass)


def comes_back(shuffle: Shuffle, returns: Returns) -> tuple[float, ...]:
    """Of a shuffle: the chance that a card is seen again in the hand after each wait of `Returns`,
    in hands like those counted."""
    curve, _ = _curve(shuffle, returns)
    return tuple(map(float, curve))


def _badness(returns: Returns, comes_back: Chances) -> float:
    """Pearson's sum of squares of the counts about what is expected."""
    waited = np.array(returns.waited, dtype=float)
    expected = waited * comes_back
    spread = np.maximum(expected * (1 - comes_back), 1.0)
    return float((((np.array(returns.again) - expected) ** 2) / spread).sum())
