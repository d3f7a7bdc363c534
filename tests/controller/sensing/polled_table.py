"""A table of four seats, polled by hand."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence

from controller.model.events import TableEvent, Token
from controller.model.table import Layout, LayoutOptions, Zone, reference_layout
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.readings import Outcome, Poll, Uid

POLL_S = 0.05
STACKS = {"seat": 2, "burn": 4, "board": 5, "muck": 2}


def tag(n: int) -> Uid:
    """The n-th tag of an enrolled deck: random bits, so that no two make a third."""
    return Uid(random.Random(f"tag {n}").randbytes(7))


class PolledTable:
    """Zones hold what a test says; every look names it, unless the test says otherwise."""

    def __init__(
        self,
        *,
        seats: int = 4,
        miss: float = 0.05,
        cross: float = 0.02,
        max_stack: Mapping[str, int] | None = None,
        decks: Mapping[Uid, tuple[str, str]] | None = None,
        seed: int | None = None,
    ) -> None:
        self.layout: Layout = reference_layout(
            LayoutOptions(seats=seats, miss_rate=miss, cross_rate=cross, max_stack=max_stack)
        )
        self.vault = Vault(decks, source=itertools.count(100).__next__)
        self.sensing = Sensing(self.layout, self.vault)
        self.lying: dict[str, list[Uid]] = {a.zone: [] for a in self.layout.antennas}
        self.now = 0.0
        self.events: list[TableEvent] = []
        self._chance = random.Random(seed) if seed is not None else None

    def lay(self, zone: str, *cards: Uid) -> None:
        self.lying[zone].extend(cards)

    def take(self, *cards: Uid) -> None:
        for cards_here in self.lying.values():
            for card in cards:
                if card in cards_here:
                    cards_here.remove(card)

    def look(
        self,
        zone: str,
        named: Sequence[Uid] | None = None,
        *,
        noise: bool = False,
        complete: bool = True,
    ) -> list[TableEvent]:
        """One poll of the zone's antenna; named None: what lies there, as well as it reads."""
        place = self.layout.by_zone[Zone(zone)]
        started, self.now = self.now, self.now + POLL_S
        uids = tuple(self._read(zone) if named is None else named)
        outcome = Outcome.NOISE if noise else Outcome.SEEN if uids else Outcome.EMPTY
        poll = Poll(place.antenna, () if noise else uids, outcome, started, self.now, complete)
        events = self.sensing.poll(poll)
        self.events += events
        return events

    def sweep(self, rounds: int = 1, **named: Sequence[Uid]) -> list[TableEvent]:
        """Rounds of all antennas. named: answers that differ from what lies there, by zone with
        the slash left out (seat4=...)."""
        events: list[TableEvent] = []
        for _ in range(rounds):
            for place in self.layout.antennas:
                answer = named.get(place.zone.replace("/", ""))
                events += self.look(place.zone, answer)
        return events

    @property
    def sweep_s(self) -> float:
        return POLL_S * len(self.layout.antennas)

    def token(self, card: Uid) -> Token:
        return self.vault.token(card)

    def settled(self) -> dict[str, tuple[Token, ...]]:
        return {str(zone): tokens for zone, tokens in self.sensing.settled().items()}

    def _read(self, zone: str) -> Iterable[Uid]:
        cards = self.lying[zone]
        chance = self._chance
        if chance is None:
            return cards
        profile = self.layout.by_zone[Zone(zone)].profile
        if profile.max_stack is not None and len(cards) > profile.max_stack:
            keep = sorted(chance.sample(range(len(cards)), profile.max_stack))
            cards = [cards[i] for i in keep]
        read = [c for c in cards if chance.random() >= profile.miss_rate]
        for n in profile.neighbours:
            near = self.lying[self.layout.by_antenna[n].zone]
            read += [c for c in near if chance.random() < profile.cross_rate]
        return read
