"""A count at the table: which deck it is of, which looks belong to it, what it tells the rules. By
tags the deck passes over an antenna; by camera it lies spread, and stills are looked at.

Pure: time is in the readings and the words. The order in which cards pass is never kept.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from controller.integrity.count import Counting, CountResult, CountStage
from controller.integrity.passing import FOREIGN_READS, CountFigures
from controller.integrity.spread_count import SpreadCount
from controller.model.events import DeckCounted
from controller.model.table import COUNT, Layout
from controller.vision.spread import SpreadSeen
from drivers.readings import Poll, Uid

WAITING = "COUNT"
UNKNOWN = "UNKNOWN DECK"
ALONE_S = 3.0  # so long after another card of the house came, its antenna alone is looked at
ANOTHER_S = 5.0  # a tag that was not read for so long comes as another one
IDLE_S = 60.0  # a pass in which no card comes for so long was begun by mistake, or left
SPREAD_IDLE_S = 180.0  # likewise, where no spread deck is seen for so long
DECIDED_BY = 3  # tags of one deck, or of none, that say which deck is being counted
_FIRST_KEPT = 4096  # looks from before the deck is known: a pass has less than half as many
_STRANGERS_KEPT = 256  # a telephone may have another UID at each look


@dataclass(frozen=True, slots=True)
class CountShown:
    """What the board shows of a count under way. cards: how many it has seen. text: at most 16
    characters. why: what the dealer is asked to do, "" if nothing."""

    cards: int
    text: str
    why: str = ""


class TableCount:
    """The counts of one table, one at a time.

    layout: names the count antenna (the burn's where the table has none of its own) and how well it
    reads.
    """

    def __init__(self, layout: Layout) -> None:
        zone = COUNT if COUNT in layout.by_zone else layout.burn_zone
        place = layout.by_zone.get(zone)
        if place is not None and place.camera is not None:
            place = None  # a camera reads no tags
        self.antenna = place.antenna if place is not None else None
        self._figures = CountFigures()
        if place is not None:
            profile = place.profile
            self._figures = CountFigures(miss=min(profile.miss_rate, 0.5), cross=profile.cross_rate)
        self._cards: Mapping[Uid, tuple[str, str]] = {}
        self._counting: Counting | SpreadCount | None = None
        self._waiting_since: float | None = None
        self._first: deque[Poll] = deque(maxlen=_FIRST_KEPT)
        self._seen_at: dict[Uid, float] = {}
        self._strangers: Counter[Uid] = Counter()
        self._card_at = 0.0  # when another tag came
        self._own_at = -inf  # when another card of the house came
        self._at = 0.0  # of the latest look
        self._passed = False  # whether a card has come since the count began
        self._gave_up_spread = False
        self.running = False  # asked at every look, so no property

    def __repr__(self) -> str:
        return f"<counts at antenna {self.antenna}: {self._counting or 'none'}>"

    @property
    def alone(self) -> bool:
        """Whether cards are passing, and the antenna alone is to be looked at. Not before the first
        has come, nor when no other one comes: somebody may have begun a deal instead, and whatever
        lies on the antenna must not blind the table.
        """
        counting = self._counting
        passing = self._waiting_since is not None or (
            isinstance(counting, Counting) and counting.stage is CountStage.PASSING
        )
        return passing and self._passed and self._at - self._own_at <= ALONE_S

    @property
    def by_camera(self) -> bool:
        """Whether the count that is on looks at a spread deck."""
        return isinstance(self._counting, SpreadCount)

    @property
    def wants_still(self) -> bool:
        """Whether a still of the spread deck is to be looked at."""
        return self.by_camera and self.result is None

    @property
    def shown(self) -> CountShown | None:
        """What the board shows; None while no count is on."""
        if self._counting is not None:
            c = self._counting
            return CountShown(c.live, c.board_text, c.why)
        if self._waiting_since is None:
            return None
        if self._of_no_deck:
            why = "These cards are of no registered deck. Take one of the house's, or register it."
            return CountShown(0, UNKNOWN, why)
        return CountShown(0, WAITING)

    @property
    def gave_up(self) -> str:
        """Why the count was given up, in words for the record."""
        if self._gave_up_spread:
            return "no spread deck was seen"
        return "cards of no registered deck passed" if self._of_no_deck else "no card came"

    @property
    def _of_no_deck(self) -> bool:
        return sum(reads >= FOREIGN_READS for reads in self._strangers.values()) >= DECIDED_BY

    @property
    def result(self) -> CountResult | None:
        """What waits for the dealer's word."""
        return self._counting.result if self._counting is not None else None

    def start(self, cards: Mapping[Uid, tuple[str, str]], deck: str | None, at: float) -> None:
        """Begin, or begin anew if a count is on. cards: deck and face of every registered tag.
        deck: the one in play; None: the first cards say which. Raises ValueError, with what to do,
        where nothing can be counted.
        """
        if self.antenna is None:
            raise ValueError("this table has no antenna to count at; name one in table.toml")
        if not cards:
            raise ValueError("no deck is registered; burnturn deck register NAME --back COLOUR")
        self.stop()
        self._strangers.clear()
        self._cards, self._card_at, self._at = cards, at, at
        self.running = True
        if deck is None:
            self._waiting_since = at
        else:
            self._begin(deck, at)

    def start_spread(self, deck: str, at: float) -> None:
        """Begin to count that deck by camera, or begin anew."""
        self.stop()
        self._strangers.clear()
        self._cards, self._card_at, self._at = {}, at, at
        self._gave_up_spread = False
        self._counting = SpreadCount(deck).start(at)
        self.running = True

    def spread(self, still: SpreadSeen, at: float) -> None:
        """A still of the table. A count for which no spread is seen any more is given up."""
        if not isinstance(self._counting, SpreadCount):
            return
        self._counting = self._counting.seen(still, at)
        if still.is_spread:
            self._card_at = at
        elif at - self._card_at > SPREAD_IDLE_S and self.result is None:
            self.stop()
            self._gave_up_spread = True

    def stop(self) -> None:
        """Nothing of an unfinished count is kept."""
        self._counting, self._waiting_since = None, None
        self._first.clear()
        self._seen_at.clear()
        self._own_at = -inf
        self._passed = False
        self.running = False

    def poll(self, poll: Poll) -> None:
        """A look of any antenna. A count that lies idle is given up."""
        self._at = poll.ended
        if self.by_camera:
            return
        if poll.antenna == self.antenna and poll.uids:
            self._came(poll)
        if poll.ended - self._card_at > IDLE_S and self.result is None:
            self.stop()
            return
        if self._waiting_since is not None:
            self._wait(poll, self._waiting_since)
        elif isinstance(self._counting, Counting):
            ours = poll.antenna == self.antenna
            counting = self._counting
            self._counting = counting.poll(poll) if ours else counting.tick(poll.ended)

    def confirm(self, at: float, by: str) -> DeckCounted | None:
        """The dealer's word: the last card has passed, or the result is right. The completed count,
        if it is one by that."""
        if self._counting is None:
            return None
        self._counting = self._counting.confirm(at, by)
        if self._counting.stage is not CountStage.DONE:
            return None
        result = self._counting.result
        self.stop()
        return None if result is None else _told(result, at, by)

    def _came(self, poll: Poll) -> None:
        """Tags at the antenna: whether they are others than those that lie there."""
        self._passed = True
        for uid in poll.uids:
            if poll.ended - self._seen_at.get(uid, -inf) > ANOTHER_S:
                self._card_at = poll.ended
                if uid in self._cards:
                    self._own_at = poll.ended
            if uid in self._cards or len(self._seen_at) < len(self._cards) + _STRANGERS_KEPT:
                self._seen_at[uid] = poll.ended

    def _begin(self, deck: str, at: float) -> None:
        assert self.antenna is not None
        counting = Counting.of(self._cards, deck, self.antenna, self._figures)
        self._counting = counting.start(at)

    def _wait(self, poll: Poll, since: float) -> None:
        if poll.antenna != self.antenna or not poll.uids:
            return
        self._first.append(poll)
        for uid in poll.uids:
            known = uid in self._strangers or len(self._strangers) < _STRANGERS_KEPT
            if uid not in self._cards and known:
                self._strangers[uid] += 1
        decks = Counter(self._cards[uid][0] for uid in self._seen_at if uid in self._cards)
        if not decks or max(decks.values()) < DECIDED_BY:
            return
        first = tuple(self._first)
        self._first.clear()
        self._waiting_since = None
        self._begin(decks.most_common(1)[0][0], since)
        for early in first:
            self.poll(early)


def _told(result: CountResult, at: float, by: str) -> DeckCounted:
    return DeckCounted(
        at=at,
        deck=result.deck,
        expected=result.expected,
        present=result.present,
        missing=result.missing,
        duplicated=result.duplicates,
        other_deck=len(result.extra),
        foreign=result.foreign,
        jokers=result.jokers,
        passes=result.passes,
        duration_s=result.duration_s,
        by=by,
        means=result.means,
    )
