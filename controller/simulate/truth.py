"""What physically happened in a hand, taken from the simulated table, and the question to
`provable`.

A card's stays are sampled at every poll: where it lay, from when to when, where it came from, and
when it was lifted meanwhile. Only the order of the stays and their ends are used for the oracle,
never the moment of landing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from controller.model.table import Layout
from controller.simulate.one_card import CopyLay, copies_provable
from controller.simulate.provable import Dealt, TrueNoise, provable
from drivers.factory import Card, DealScript, HandPlayed
from drivers.readings import Poll, Uid

STREETS = ("deal", "flop", "turn", "river")
BOARD_CARDS: Mapping[str, int] = {"flop": 3, "turn": 1, "river": 1}

IN_THE_BETTING = frozenset(
    {
        "card-seat-mismatch",
        "muck-retrieved",
        "board-mucked",
        "card-foreign",
        "card-joker",
        "card-other-deck",
        "card-clone",
        "button-moved-midhand",
    }
)
"""Mistakes that are made after a street was dealt; the hand's end is early enough to find them."""

POLL_S = 0.2
"""A stay is noted within this time of its beginning, and no street begins so soon after another."""

MOMENT_S = 1.5
"""A moved card lies within this time of when its mistake was complete."""


@dataclass(slots=True)
class Stay:
    """A card's stay in one place. source: the place it was last settled in. away: stretches in
    which it was lifted and then put back. until: when it left for good."""

    card: Card
    place: str
    since: float
    source: str
    away: list[tuple[float, float]] = field(default_factory=list)
    until: float = inf
    _lifted_at: float | None = None

    def lift(self, at: float) -> None:
        self._lifted_at = at

    def put_back(self, at: float) -> None:
        if self._lifted_at is not None:
            self.away.append((self._lifted_at, at))
            self._lifted_at = None

    def lying(self) -> list[tuple[float, float]]:
        """The stretches in which it lay there."""
        found, since = [], self.since
        for gone, back in self.away:
            found.append((since, gone))
            since = back
        return [*found, (since, self.until)]

    def end(self, at: float) -> None:
        self.until = at if self._lifted_at is None else self._lifted_at


class Stays:
    """Watches cards move. `places`: those with an antenna; a card counts as settled there, or in
    the stub."""

    def __init__(self, cards: Sequence[Card], places: frozenset[str]) -> None:
        self._cards = list(cards)
        self._places = places
        self._seen = [c.place for c in self._cards]
        self._settled = list(self._seen)
        self._open: dict[int, Stay] = {}
        self.all: list[Stay] = []

    def add(self, cards: Sequence[Card]) -> None:
        """Watch further cards (of another deck, or of none)."""
        known = {id(c) for c in self._cards}
        for card in cards:
            if id(card) not in known:
                self._cards.append(card)
                self._seen.append("nowhere")
                self._settled.append("nowhere")

    def forget(self) -> None:
        """A new hand begins."""
        self.all.clear()
        self._open.clear()

    def sample(self, at: float) -> None:
        """Note where the cards are now."""
        for i, card in enumerate(self._cards):
            place = card.place
            if place != self._seen[i]:
                self._seen[i] = place
                self._moved(i, place, at)

    def _moved(self, i: int, place: str, at: float) -> None:
        stay = self._open.get(i)
        if stay is not None:
            if place.startswith("hand/"):
                stay.lift(at)
                return
            if place == stay.place:
                stay.put_back(at)
                return
            stay.end(at)
            del self._open[i]
        if place in self._places:
            self._open[i] = fresh = Stay(self._cards[i], place, at, self._settled[i])
            self.all.append(fresh)
        if place in self._places or place == "stub":
            self._settled[i] = place


def plan_of(script: DealScript, street: str, button: int) -> list[str]:
    """Where the cards of a street go, in the order that the rules ask for ("board" for any board
    antenna)."""
    burns = ["burn"] * script.burns.get(street, 0)
    if street != "deal":
        return burns + ["board"] * BOARD_CARDS[street]
    seats = sorted(script.seats)
    order = [s for s in seats if s > button] + [s for s in seats if s <= button]
    plan = burns
    for dealt in range(0, script.hole_cards, script.cards_per_pass):
        each = min(script.cards_per_pass, script.hole_cards - dealt)
        plan += [f"seat/{s}" for s in order for _ in range(each)]
    return plan


def is_provable(
    hand: HandPlayed,
    script: DealScript,
    stays: Sequence[Stay],
    polls: Sequence[Poll],
    layout: Layout,
    noise: TrueNoise,
) -> bool:
    """Whether the hand's planted mistake could be proved from its polls by the end of its street.
    Mistakes with the button are always: its sensor has no noise."""
    planted = hand.planted
    assert planted is not None, "is_provable needs a hand with a mistake"
    if planted.kind.startswith("button"):
        return True
    number = {str(a.zone): a.antenna for a in layout.antennas}
    if planted.kind == "card-clone":
        return _are_two(hand, stays, polls, number, noise)
    if planted.kind in IN_THE_BETTING:
        moved = [
            s for s in stays if abs(s.since - planted.evident_at) < MOMENT_S and s.source != "stub"
        ]
        if planted.kind == "muck-retrieved":
            # A card that nobody saw in the muck has not come back from it.
            mucked = {
                id(s.card)
                for s in stays
                if s.place == "muck" and _was_there(s, hand, polls, number, noise)
            }
            moved = [s for s in moved if id(s.card) in mucked]
        return any(_was_there(s, hand, polls, number, noise) for s in moved)
    street = hand.street(planted.street)
    assert street is not None, "a mistake's street is played"
    earlier = [s.done_at + POLL_S for s in hand.streets if s.done_at < street.first_at]
    since, until = max(earlier, default=hand.begun_at), street.ended_at
    here = [s for s in stays if since <= s.since < until]
    dealt = [s for s in here if s.source == "stub"]
    held: dict[int, int] = {}
    for s in stays:
        if s.since < since < s.until:
            held[number[s.place]] = held.get(number[s.place], 0) + 1
    plan = [
        number[_zone(place, planted.street, layout)]
        for place in plan_of(script, planted.street, hand.button)
    ]
    return provable(
        polls, [_dealt(s, number) for s in dealt], plan, noise, since=since, until=until, held=held
    )


def _was_there(
    stay: Stay,
    hand: HandPlayed,
    polls: Sequence[Poll],
    number: Mapping[str, int],
    noise: TrueNoise,
) -> bool:
    """Whether the polls prove that the card lay there at all."""
    return provable(
        polls,
        [_dealt(stay, number)],
        (),
        noise,
        since=stay.since - MOMENT_S,
        until=min(stay.until, hand.gather_at),
    )


def _are_two(
    hand: HandPlayed,
    stays: Sequence[Stay],
    polls: Sequence[Poll],
    number: Mapping[str, int],
    noise: TrueNoise,
) -> bool:
    """Whether the polls prove that one tag is two cards."""
    cards: dict[Uid, set[int]] = {}
    for s in stays:
        cards.setdefault(s.card.uid, set()).add(id(s.card))
    tag = next((uid for uid, found in cards.items() if len(found) > 1), None)
    if tag is None:
        return False  # one of the two was never on an antenna
    lay = [
        CopyLay(number[s.place], since, until)
        for s in stays
        if s.card.uid == tag
        for since, until in s.lying()
    ]

    def cards_at(antenna: int, at: float) -> int:
        return sum(number[s.place] == antenna and s.since <= at < s.until for s in stays)

    evident = hand.planted.evident_at if hand.planted is not None else hand.begun_at
    heard = [p for p in polls if evident - MOMENT_S < p.started and p.ended < hand.gather_at]
    return copies_provable(heard, tag, lay, noise, cards_at)


def _zone(place: str, street: str, layout: Layout) -> str:
    if place == "board":
        return str(layout.board_zone(street))
    return str(layout.burn_zone) if place == "burn" else place


def _dealt(stay: Stay, number: Mapping[str, int]) -> Dealt:
    return Dealt(
        stay.card.uid,
        number[stay.place],
        tuple(stay.away),
        stay.until,
        otherwise=number.get(stay.source),
    )
