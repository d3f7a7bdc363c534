"""Between two counts: which card has stayed unseen for longer than chance allows?

Every hand shows some of the deck's cards. For each card the watch list keeps

* where in the deck the card may lie if it is there at all, as 52 chances, and
* how likely it was, being there, to stay unseen since it was last seen.

A hand of D cards shows what lay in the top D places, each with the chance that its tag is read. So
after a hand in which the card was not seen the chances are weighed with "not seen" place by place,
their sum is the likelihood of this hand's silence, and the gathering and the shuffle move them on
(`Shuffle.step`). That is an exact forward filter; a card seen starts anew, spread over the top D
places.

Under a perfect shuffle and equal tags the likelihood of one hand's silence is 1 - s/n, where s
cards of n were seen: how many were seen is what counts, not how many ought to have been. The filter
keeps to that: each tag's rate is scaled to the number seen, so a hand that half the antennas slept
through proves half as much.

*The threshold.* A run of silence starts whenever a card is seen. If a run ends in a suspicion once
its likelihood is at most a, a card that is there raises one in at most a share a of its runs (the
likelihood is the share). Each hand may spend `Budget.per_hand` on the runs that start in it: s
runs, so a = per_hand / s. The sum over all hands is the budget, whatever the numbers seen. It is
kept with room: `ROOM` of it is spent, as shuffles and read rates are estimates and a run of thirty
hands multiplies their errors.

This is the CUSUM test of Page (1954) for "gone since some hand": the likelihood ratio of gone to
there, at its largest over the moment of the removal, is one over the likelihood of the run.

The list knows UIDs: nothing here prints one, and `which` alone names a card, between hands.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.integrity.shuffles import Chances, Shuffle
from drivers.readings import Uid

ROOM: Final = 0.25
"""Share of the budget that the threshold spends."""

_MAGIC = b"burnturn watch list 2\n"
_HEAD = struct.Struct("<32sIQ?")  # the deck's tags, how many, suspicions raised, a hand was on
_SUREST = 0.999  # no dealt card is surer to be seen than this, however well the hand was read
_SMALLEST = 1e-300


class WatchlistError(ValueError):
    """A saved state that cannot be taken up, or a question that cannot be answered now; the text
    says what and what to do next, and names no card."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many false suspicions a house accepts, over all cards of the deck."""

    false_suspicions: float = 1.0
    nights: float = 1000.0
    hands_per_night: float = 240.0

    def __post_init__(self) -> None:
        if min(self.false_suspicions, self.nights, self.hands_per_night) <= 0:
            raise ValueError(
                f"budget of {self.false_suspicions} false suspicions in {self.nights} nights of "
                f"{self.hands_per_night} hands: allowed above 0"
            )

    @property
    def per_hand(self) -> float:
        return self.false_suspicions / (self.nights * self.hands_per_night)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A registered card may be gone, or its tag dead: count the deck. It names no card.

    number: from 1, in the order raised since the list was made. unseen_hands: how many hands in a
    row. chance: how likely such a silence is if the card is there.
    """

    number: int
    unseen_hands: int
    chance: float


class Watchlist:
    """The running test over one deck.

    tags: of every registered card, the chance that it is seen in a hand in which it is dealt
    (`wear.shown_share` makes it of a tag's read rate); above 0 to 1. shuffle: what is believed of
    the house's shuffle. budget: see `Budget`. faces: for `which`; may be left out.

    The list begins as after a count: every card is there. Raises ValueError for a rate out of
    range or an empty deck.
    """

    _uids: tuple[Uid, ...]
    _row: dict[Uid, int]
    _faces: dict[Uid, str]
    _rates: Chances
    _places: Chances  # a row a card: where it may lie before the next hand
    _log_chance: Chances  # of the silence since it was last seen
    _log_limit: Chances
    _unseen: NDArray[np.int64]
    _number: NDArray[np.int64]  # of the open suspicion, 0 for none
    _open: dict[int, Suspicion]

    def __init__(
        self,
        tags: Mapping[Uid, float],
        shuffle: Shuffle | None = None,
        budget: Budget | None = None,
        *,
        faces: Mapping[Uid, str] | None = None,
    ) -> None:
        self._shuffle = shuffle or Shuffle.of()
        self._budget = budget or Budget()
        self._raised = 0
        self._live = False
        self._take(tags, faces or {})

    def __repr__(self) -> str:
        return f"<watch list of {len(self._uids)} cards, {len(self._open)} suspected>"

    # -- what happens at the table

    def began(self) -> None:
        """A hand has begun: until it is over, no card is named."""
        self._live = True

    def hand(
        self, seen: Collection[Uid], dealt: int, *, players: int | None = None
    ) -> list[Suspicion]:
        """A hand is over; returns the suspicions that are new.

        seen: tags that settled anywhere on the table in it; those of no card of this deck do not
        matter. dealt: how many cards left the stub, seen or not (at least as many as seen).
        players: how many were dealt in, where known; else it follows from `dealt`.

        A card is suspected once; being seen again takes that back.
        """
        self._live = False
        n = len(self._uids)
        rows = np.fromiter({self._row[u] for u in seen if u in self._row}, dtype=np.int64)
        dealt = min(n, max(dealt, len(rows)))
        silent = 1.0 - self._seen_if_dealt(len(rows), dealt)
        self._unseen += 1
        # Everybody's silence first; the rows of those who were seen are written over.
        self._places[:, :dealt] *= silent[:, None]
        likely = np.maximum(self._places.sum(axis=1), _SMALLEST)
        self._places /= likely[:, None]
        self._log_chance += np.log(likely)
        if len(rows):
            self._places[rows] = 0.0
            self._places[rows, :dealt] = 1.0 / dealt
            self._start(rows)
        self._places = self._places @ self._shuffle.step(dealt, n, players)
        over = (self._log_chance <= self._log_limit) & (self._unseen > 0)
        due = np.flatnonzero(over & (self._number == 0))
        return [self._raise(int(row)) for row in due]

    def counted(self) -> None:
        """A count has confirmed every card: all runs start anew, all suspicions are answered."""
        self._live = False
        n = len(self._uids)
        self._places = np.full((n, n), 1.0 / n)
        self._start(np.arange(n))

    def deck_changed(self, tags: Mapping[Uid, float], faces: Mapping[Uid, str]) -> None:
        """Another deck is in play, and begins as after a count. Raises ValueError as at the
        start."""
        self._live = False
        self._take(tags, faces)

    def believe(self, shuffle: Shuffle) -> None:
        """Go on with another belief of how the house shuffles; runs go on as they are."""
        self._shuffle = shuffle

    def rated(self, tags: Mapping[Uid, float]) -> None:
        """Go on with other chances of the same tags; runs go on as they are. Raises ValueError for
        a chance out of range, or if a tag is missing."""
        _check(tags)
        if missing := len(set(self._uids) - set(tags)):
            raise ValueError(f"watch list, {missing} tags without a chance to be seen")
        self._rates = np.array([tags[u] for u in self._uids], dtype=np.float64)

    # -- what is known

    @property
    def open(self) -> tuple[Suspicion, ...]:
        """Suspicions that nothing has answered yet, in the order raised."""
        return tuple(sorted(self._open.values(), key=lambda s: s.number))

    def which(self, suspicion: Suspicion) -> str:
        """The face of a suspected card, for the floor between hands. Raises WatchlistError while a
        hand is live, and for a suspicion that is answered."""
        if self._live:
            raise WatchlistError("a hand is being played; a suspected card is named after it")
        row = next((r for r, s in self._open.items() if s.number == suspicion.number), None)
        if row is None:
            raise WatchlistError(
                f"suspicion {suspicion.number} is answered: the card was seen again, or counted"
            )
        face = self._faces.get(self._uids[row])
        if face is None:
            raise WatchlistError("the list was not given the faces of this deck; count it instead")
        return face

    def save(self) -> bytes:
        """The state, to be encrypted by whoever keeps it: it says which cards were not seen. Its
        length tells how many cards the deck has, and nothing else."""
        n = len(self._uids)
        head = _HEAD.pack(self._digest(), n, self._raised, self._live)
        said = np.zeros((2, n))
        for row, suspicion in self._open.items():
            said[:, row] = suspicion.unseen_hands, suspicion.chance
        whole = head + b"".join(
            a.astype("<f8").tobytes()
            for a in (
                self._places,
                self._log_chance,
                self._log_limit,
                self._unseen,
                self._number,
                said,
            )
        )
        return _MAGIC + hashlib.sha256(whole).digest() + whole

    def restore(self, state: bytes) -> None:
        """Take up a saved state of the same deck. Raises WatchlistError, and then changes
        nothing."""
        at = len(_MAGIC) + 32
        if (
            not state.startswith(_MAGIC)
            or hashlib.sha256(state[at:]).digest() != state[at - 32 : at]
        ):
            raise WatchlistError("the saved watch list is damaged; count the deck to begin anew")
        digest, n, raised, live = _HEAD.unpack_from(state, at)
        if digest != self._digest():
            raise WatchlistError(
                "the saved watch list is of another deck; count the deck to begin anew"
            )
        numbers = np.frombuffer(state, dtype="<f8", offset=at + _HEAD.size).astype(np.float64)
        rows = numbers[n * n :].reshape(6, n).copy()
        self._places = numbers[: n * n].reshape(n, n).copy()
        self._log_chance, self._log_limit = rows[0], rows[1]
        self._unseen, self._number = rows[2].astype(np.int64), rows[3].astype(np.int64)
        self._raised, self._live = raised, live
        self._open = {
            int(row): Suspicion(int(self._number[row]), int(rows[4, row]), float(rows[5, row]))
            for row in np.flatnonzero(self._number)
        }

    # -- within

    def _take(self, tags: Mapping[Uid, float], faces: Mapping[Uid, str]) -> None:
        _check(tags)
        self._uids = tuple(sorted(Uid(u) for u in tags))
        self._row = {uid: row for row, uid in enumerate(self._uids)}
        self._faces = {Uid(u): face for u, face in faces.items()}
        self._rates = np.array([tags[u] for u in self._uids], dtype=np.float64)
        n = len(self._uids)
        self._unseen = np.zeros(n, dtype=np.int64)
        self._number = np.zeros(n, dtype=np.int64)
        self._log_chance = np.zeros(n)
        self._log_limit = np.zeros(n)
        self._open = {}
        self.counted()

    def _start(self, rows: NDArray[np.int64]) -> None:
        """Runs of silence start, and share what one hand may spend."""
        self._log_chance[rows] = 0.0
        self._log_limit[rows] = math.log(ROOM * self._budget.per_hand / len(rows))
        self._unseen[rows] = 0
        for row in rows[self._number[rows] > 0]:
            del self._open[int(row)]
        self._number[rows] = 0

    def _raise(self, row: int) -> Suspicion:
        self._raised += 1
        chance = math.exp(self._log_chance[row])
        suspicion = Suspicion(self._raised, int(self._unseen[row]), chance)
        self._open[row] = suspicion
        self._number[row] = suspicion.number
        return suspicion

    def _seen_if_dealt(self, seen: int, dealt: int) -> Chances:
        """Each tag's chance to be seen if dealt, given how many of the dealt cards were.

        Equal tags: that share. Unequal ones keep their order: all are scaled down, or their misses
        are, so that the mean is that share.
        """
        if not dealt:
            return np.zeros(len(self._rates))
        share, usual = seen / dealt, float(self._rates.mean())
        if share <= usual:
            scaled = self._rates * (share / usual)
        else:
            scaled = 1.0 - (1.0 - self._rates) * ((1.0 - share) / (1.0 - usual))
        return np.minimum(scaled, _SUREST)

    def _digest(self) -> bytes:
        joined = b"".join(bytes((len(u),)) + u for u in self._uids)
        return hashlib.sha256(joined).digest()


def _check(tags: Mapping[Uid, float]) -> None:
    bad = sorted({rate for rate in tags.values() if not 0 < rate <= 1})
    if bad or not tags:
        what = f"seen shares {bad}: allowed above 0 to 1" if bad else "a deck without a card"
        raise ValueError(f"watch list, {what}")
