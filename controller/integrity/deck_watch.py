"""The running test at the table: told of every hand, it says when the deck should be counted.

It stands beside the vault and knows tags; what leaves it names no card, except to the floor while
no hand is on.
"""

from __future__ import annotations

from collections.abc import Collection

from controller.integrity.suspect import Budget, Watchlist, WatchlistError
from controller.integrity.wear import shown_share
from controller.model.cards import is_joker
from controller.model.events import DeckSuspected
from controller.vault import Vault
from drivers.readings import Uid


class DeckWatch:
    """Which cards of the deck in play have stayed unseen, hand after hand.

    read_rate: share of looks in which a tag of this house is read. budget: how many false
    suspicions the house accepts; None: one in 1,000 nights of 240 hands.
    """

    def __init__(self, vault: Vault, read_rate: float = 0.95, budget: Budget | None = None) -> None:
        self._vault = vault
        self._shown = shown_share(read_rate)
        self._budget = budget
        self._deck: str | None = None
        self._list: Watchlist | None = None
        self._said = False

    def __repr__(self) -> str:
        return f"<watch over deck {self._deck}>"

    def began(self) -> None:
        """A hand has begun: from here to its end no card is named."""
        if self._list is not None:
            self._list.began()

    def ended(
        self, deck: str | None, seen: Collection[Uid], dealt: int, players: int, at: float
    ) -> list[DeckSuspected]:
        """A hand of that deck is over. seen: tags that settled on the table in it. dealt: cards
        that left the stub, as far as the plan knows. A suspicion is told once, and taken back
        (0 hands) when every suspected card has been seen again."""
        if deck is None:
            return []
        if deck != self._deck:
            self._begin(deck)
        assert self._list is not None
        self._list.hand(seen, dealt, players=players)
        open_ones = self._list.open
        if bool(open_ones) == self._said:
            return []
        self._said = bool(open_ones)
        hands = max((s.unseen_hands for s in open_ones), default=0)
        return [DeckSuspected(at=at, deck=deck, hands=hands)]

    def counted(self) -> None:
        """A count has been confirmed: every run begins anew."""
        self._said = False
        if self._list is not None:
            self._list.counted()

    def suspects(self) -> tuple[str, ...]:
        """Faces of the cards that have stayed unseen too long; none while a hand is on."""
        if self._list is None:
            return ()
        try:
            return tuple(self._list.which(s) for s in self._list.open)
        except WatchlistError:
            return ()

    def _begin(self, deck: str) -> None:
        faces = {
            uid: face
            for uid, (its, face) in self._vault.registered.items()
            if its == deck and not is_joker(face)
        }
        self._deck, self._said = deck, False
        self._list = Watchlist(dict.fromkeys(faces, self._shown), budget=self._budget, faces=faces)
