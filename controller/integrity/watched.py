"""What the table tells whoever watches its deck from hand to hand. Values, and no arithmetic: it is
loaded where no deck is known, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from controller.model.events import DeckSuspected
from drivers.readings import Uid


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a table stands between two hands, as the journal says it: the deck in play, the number
    of the last hand and when it ended, and when that deck was last counted (journal's seconds)."""

    deck: str | None
    hand: int
    ended_at: float
    counted_at: float | None


@dataclass(frozen=True, slots=True)
class HandOver:
    """A hand that is over.

    seen: tags that settled on the table in it. dealt: cards that left the stub, as far as the plan
    knows. players: dealt in; hole: cards for each of them. looks: of each enrolled tag, sharp looks
    at it since the hand before, and how many read it.
    """

    stand: Stand
    seen: frozenset[Uid]
    dealt: int
    players: int
    hole: int = 2
    looks: Mapping[Uid, tuple[int, int]] = field(default_factory=dict, repr=False)


class HandWatch(Protocol):
    """Told of every hand; says when the deck should be counted, as soon as it has worked it out."""

    def began(self) -> None:
        """A hand has begun: from here to its end no card is named."""

    def ended(self, hand: HandOver) -> None: ...

    def counted(self, stand: Stand) -> None:
        """A count of the deck in play has been confirmed: every run begins anew."""

    def found(self) -> list[DeckSuspected]:
        """What has been worked out since this was last asked."""

    def suspects(self) -> tuple[str, ...]:
        """Faces of the cards that have stayed unseen too long; none while a hand is on."""
