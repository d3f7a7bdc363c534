"""The running test at the table: told of every hand, it says when the deck should be counted, and
remembers from night to night how the house shuffles and how well each tag is read.

It stands beside the vault and knows tags; what leaves it names no card, except to the floor while
no hand is on. It takes its time: `controller/watching.py` keeps it off the loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Protocol, TypeGuard

from controller.integrity.house_record import HouseRecord, Kept, Tonight, summed
from controller.integrity.shuffles import DECK, ReturnCounter, Returns, Shuffle
from controller.integrity.suspect import Budget, Watchlist, WatchlistError
from controller.integrity.watched import HandOver, Stand
from controller.integrity.wear import Wear, shown_share
from controller.model.cards import is_joker
from controller.model.events import DeckSuspected
from controller.vault import Vault
from drivers.readings import Uid


class Memory(Protocol):
    """Where it keeps what it knows. `HouseMemory` is one. notes: lines for people."""

    notes: deque[str]

    def load(self) -> tuple[HouseRecord, Kept | None]: ...

    def keep(self, kept: Kept) -> bool: ...

    def keep_record(self, record: HouseRecord) -> bool: ...


class NoMemory:
    """Keeps nothing."""

    def __init__(self) -> None:
        self.notes: deque[str] = deque()

    def load(self) -> tuple[HouseRecord, Kept | None]:
        return HouseRecord(), None

    def keep(self, kept: Kept) -> bool:
        return True

    def keep_record(self, record: HouseRecord) -> bool:
        return True


class DeckWatch:
    """Which cards of the deck in play have stayed unseen, hand after hand.

    read_rate: share of looks in which a tag of this house is read, as long as its own record does
    not say. budget: how many false suspicions the house accepts; None: one in 1,000 nights of 240
    hands. usual: the shuffle that is believed until the house's own is fitted. memory: where it is
    kept; None: nowhere.
    """

    def __init__(
        self,
        vault: Vault,
        read_rate: float = 0.95,
        budget: Budget | None = None,
        *,
        usual: Shuffle | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._vault = vault
        self._read_rate = read_rate
        self._budget = budget
        self._usual = usual or Shuffle.of()
        self._memory = memory or NoMemory()
        self._record, self._kept = self._memory.load()
        kept = self._kept.tonight if self._kept is not None else Tonight()
        fresh = kept.number > self._record.nights
        self._night = kept if fresh else Tonight(self._record.nights + 1, kept.began_at)
        self._counter = ReturnCounter()
        self._game = self._usual.hole
        self._stand: Stand | None = None
        self._deck: str | None = None
        self._list: Watchlist | None = None
        self._said = False
        self._torn = False
        self._worn: dict[str, int] | None = None

    def __repr__(self) -> str:
        return f"<watch over deck {self._deck}>"

    # -- what happens at the table -----------------------------------------------------------------

    def resume(self, stand: Stand, suspected: bool, in_hand: bool) -> list[DeckSuspected]:
        """The table goes on after a restart. stand: where the journal says that it stands.
        suspected: whether the rules have a suspicion open. in_hand: whether a hand is on, part of
        which nobody saw.

        What was kept is taken up if it was kept at this very stand: the same hand was the last one,
        and the same count. Else every run begins anew, and suspects nothing.
        """
        self._torn = in_hand
        kept, self._kept = self._kept, None
        if kept is None or kept.stand != stand or not kept.watch or not self._knows(stand.deck):
            return []
        self._begin(stand.deck)
        assert self._list is not None
        try:
            self._list.restore(kept.watch)
        except WatchlistError:
            self._memory.notes.append(
                f"deck {stand.deck}: has other tags than when its running test was kept; the test"
                " begins anew. Next: count the deck"
            )
            return []
        if in_hand:
            self._list.began()
        self._stand, self._said = stand, suspected
        return self._news(stand.ended_at)

    def began(self) -> None:
        """A hand has begun: from here to its end no card is named."""
        if self._list is not None:
            self._list.began()

    def ended(self, hand: HandOver) -> list[DeckSuspected]:
        """A hand is over. A suspicion is told once, and taken back (0 hands) when every suspected
        card has been seen again."""
        deck, at = hand.stand.deck, hand.stand.ended_at
        torn, self._torn = self._torn, False
        if self._night.is_over(at, stopped=False):
            self._night_over(at)
        if not self._night.hands:
            self._night = Tonight(self._night.number, at)
        self._night = self._night.hand(hand.looks)
        self._stand = hand.stand
        if not self._knows(deck):
            return []
        if deck != self._deck:
            self._begin(deck)
        assert self._list is not None
        self._count_returns(hand, torn)
        self._list.hand(hand.seen, hand.dealt, players=hand.players)
        return self._news(at)

    def counted(self, stand: Stand) -> None:
        """A count of the deck in play has been confirmed: every run begins anew."""
        self._stand = stand
        self._said = False
        self._counter.counted()
        if stand.deck != self._deck and self._knows(stand.deck):
            self._begin(stand.deck)
        elif self._list is not None:
            self._list.counted()

    # -- what takes longer, and nobody waits for ---------------------------------------------------

    def prepare(self) -> None:
        """Work out the table's usual hands beforehand: seconds on a small machine."""
        self._record.believed(self._usual_here()).prepare(self._usual.players)

    def keep(self) -> None:
        """Put on the disk where it stands."""
        if self._stand is not None:
            watch = self._list.save() if self._list is not None else b""
            self._memory.keep(Kept(self._stand, self._tonight(), watch))

    def learn(self) -> None:
        """Fit the house's shuffle, where enough hands more have been counted, and go by it."""
        record = self._record.fitted(self._tonight(), self._usual_here())
        if record is not self._record:
            self._record = record
            self._memory.keep_record(record)
            self._believe()

    def close(self, at: float) -> None:
        """The table is stopped cleanly: its night is over if it was one."""
        if self._night.is_over(at, stopped=True):
            self._night_over(at)
        self.keep()

    # -- what is known -----------------------------------------------------------------------------

    def suspects(self) -> tuple[str, ...]:
        """Faces of the cards that have stayed unseen too long; none while a hand is on."""
        if self._list is None:
            return ()
        try:
            return tuple(self._list.which(s) for s in self._list.open)
        except WatchlistError:
            return ()

    def worn(self) -> dict[str, int]:
        """Decks with tags that are wearing out, and how many; as of the last night that is over."""
        if self._worn is None:
            decks = sorted({deck for deck, _ in self._vault.registered.values()})
            found = {deck: len(self._wear(deck).weak()) for deck in decks}
            self._worn = {deck: count for deck, count in found.items() if count}
        return self._worn

    # -- inside ------------------------------------------------------------------------------------

    def _knows(self, deck: str | None) -> TypeGuard[str]:
        return deck is not None and bool(self._faces(deck))

    def _begin(self, deck: str) -> None:
        """That deck is in play from now on, and its runs begin."""
        faces = self._faces(deck)
        self._deck, self._said = deck, False
        self._counter.counted()
        if self._list is None:
            self._list = Watchlist(self._rates(deck), budget=self._budget, faces=faces)
        else:
            self._list.deck_changed(self._rates(deck), faces)
        self._believe()

    def _news(self, at: float) -> list[DeckSuspected]:
        assert self._list is not None
        assert self._deck is not None
        open_ones = self._list.open
        if bool(open_ones) == self._said:
            return []
        self._said = bool(open_ones)
        hands = max((s.unseen_hands for s in open_ones), default=0)
        return [DeckSuspected(at=at, deck=self._deck, hands=hands)]

    def _count_returns(self, hand: HandOver, torn: bool) -> None:
        """How often cards come back. A hand of which a restart hid a part says nothing of it."""
        if hand.hole != self._game:
            self._settle_returns()
            self._game = hand.hole
            self._believe()
        if torn:
            self._counter.counted()
            return
        faces = self._faces(hand.stand.deck or "")
        seen = [uid for uid in hand.seen if uid in faces]
        self._counter.hand(seen, min(DECK, max(hand.dealt, len(seen))))

    def _settle_returns(self) -> None:
        """What the counter has counted is the night's now."""
        self._night = self._tonight()
        self._counter = ReturnCounter()

    def _tonight(self) -> Tonight:
        counted = self._counter.returns
        if not counted.hands:
            return self._night
        night = self._night
        returns = summed(night.returns, {self._game: counted})
        return Tonight(night.number, night.began_at, night.hands, returns, night.looks)

    def _night_over(self, at: float) -> None:
        self._settle_returns()
        record = self._record.night(self._night, self._vault.deck_of)
        if self._memory.keep_record(record):
            self._record = record
            self._night = Tonight(record.nights + 1, at)
            self._worn = None
            if self._list is not None and self._deck is not None:
                self._list.rated(self._rates(self._deck))

    def _believe(self) -> None:
        if self._list is not None:
            self._list.believe(self._record.believed(self._usual_here()))

    def _usual_here(self) -> Shuffle:
        """The usual shuffle, where the present game is dealt."""
        usual = self._usual
        return Shuffle(usual.parts, usual.players, self._game)

    def _faces(self, deck: str) -> dict[Uid, str]:
        return {
            uid: face
            for uid, (its, face) in self._vault.registered.items()
            if its == deck and not is_joker(face)
        }

    def _wear(self, deck: str) -> Wear:
        return self._record.wear(self._faces(deck))

    def _rates(self, deck: str) -> Mapping[Uid, float]:
        """The chance of each tag to be seen where it is dealt."""
        wear = self._wear(deck)
        return {
            uid: shown_share(wear.read_rate(uid) if wear.nights else self._read_rate)
            for uid in self._faces(deck)
        }


def returns_of(record: HouseRecord, kept: Kept | None, hole: int) -> Returns:
    """How often cards came back in that game: in nights that are over, and since."""
    night = kept.tonight if kept is not None else Tonight(0)
    tonight = night.returns if night.number > record.nights else {}
    return summed(record.returns, tonight).get(hole, Returns())
