"""The dealer's and the players' physical acts, each a set of motions on the world's timeline.

The dealer has a time cursor `at`: an act schedules its motions from there on and moves the cursor
to the moment at which the dealer is free again. Acts that run beside what follows (a peek, a late
card, a rescan at a stated time) leave it where it is. `piles` is the plan: where every card will
lie once all acts so far are done, in order of arrival, so that "seat 4 card 1" has a meaning before
the motion has happened.

Nothing here looks at a face or a UID, except where the caller names a card by its face.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from drivers.readings import ButtonReading, KeyPress, SeatReading
from drivers.sim.pass_over import PassOver
from drivers.sim.world import DECKS, Card, World

Swap = Literal["foreign", "joker", "card", "duplicate", "clone"]
Stranger = Literal["foreign", "joker", "card", "duplicate", "clone", "untagged"]
Input = ButtonReading | SeatReading | KeyPress


@dataclass(frozen=True, slots=True)
class Pick:
    """A card by its place in the plan: pile ("seat/4", "board", "burn", "muck", "off-table") and
    number in order of arrival, 1 and up. For the stub, card 1 is the top card."""

    pile: str
    card: int = 1


class Dealer:
    """The dealer's hands, and the players' as far as they touch cards.

    world: the table. seats: those due cards, clockwise (settable between hands). pace_s: between
    two dealt cards. hole_cards, cards_per_pass: 2 and 1 in hold'em. button: seat of the dealer
    button, None before it is placed. deck: name of the deck in play, in the order of deck_seed.
    placement_seats: where a dealt card lies beside the antenna until `place`. flop_face_down: the
    flop lies face down until `turn_up`. seed: for flight times, wash and gather.
    """

    def __init__(
        self,
        world: World,
        seats: Sequence[int],
        *,
        pace_s: float = 0.45,
        hole_cards: int = 2,
        cards_per_pass: int = 1,
        button: int | None = None,
        deck: str = "red",
        deck_seed: int = 0,
        placement_seats: Sequence[int] = (),
        flop_face_down: bool = False,
        seed: int = 0,
    ) -> None:
        self.world = world
        self.seats = tuple(seats)
        self.pace_s = pace_s
        self.hole_cards = hole_cards
        self.cards_per_pass = cards_per_pass
        self.button_seat = button
        self.placement_seats = frozenset(placement_seats)
        self.flop_face_down = flop_face_down
        self.at = world.now
        self.landed_at = world.now
        self.piles: dict[str, list[Card]] = {}
        self.deck_name = deck
        self._chance = random.Random(f"dealer {seed}")
        # Of its own, so that a count in a night changes nothing in the hands after it.
        self._count_chance = random.Random(f"dealer's count {seed}")
        self._slot = 0
        self._slots: tuple[int, ...] | None = None
        self._inputs: list[tuple[float, int, Input]] = []
        self._given = 0
        self._opened: set[str] = set()
        self._last_seat = max(world.seats, default=1)
        self._take_up(deck, deck_seed)
        world.advance(world.now)  # the deck is in the hand before anything is looked at

    # -- the plan ----------------------------------------------------------------------------------

    def pile(self, name: str) -> list[Card]:
        return self.piles.setdefault(name, [])

    def card(self, pick: Pick) -> Card:
        cards = self.pile(pick.pile)
        if not 1 <= pick.card <= len(cards):
            raise ValueError(
                f"{pick.pile} has no card {pick.card}; at this point there are {len(cards)} cards"
            )
        return cards[-pick.card] if pick.pile == "stub" else cards[pick.card - 1]

    def deal_order(self) -> tuple[int, ...]:
        """The seats due cards, from the one left of the button round to the button."""
        if self.button_seat is None:
            return self.seats
        behind = [s for s in self.seats if s <= self.button_seat]
        return tuple(s for s in self.seats if s > self.button_seat) + tuple(behind)

    def place_of(self, pile: str, street: str | None = None) -> str:
        """Where the cards of a pile lie: the burn pile shares the muck's antenna at some tables,
        and the board may have one antenna a street."""
        if pile == "burn" and not self.world.has_antenna("burn"):
            return "muck"
        if pile == "board" and not self.world.has_antenna("board"):
            return f"board/{street or self._street_of(len(self.pile('board')))}"
        return pile

    # -- dealing -----------------------------------------------------------------------------------

    def deal(self, zone: str, street: str | None = None, face_up: bool | None = None) -> float:
        """One card from the stub to a zone; gives the time at which it lies there.

        zone: "seat/4", "burn", "board", "board/flop", ..., "muck", "count", "off-table". face_up
        None: as the house deals it there.
        """
        pile, place = self._target(zone, street)
        card = self._from_stub()
        self.pile(pile).append(card)
        if pile.startswith("seat/"):
            self._pass_slot(int(pile[5:]))
        if face_up is None:
            face_up = pile == "board" and not self._flop_is_down(place)
        return self._pitch(card, place, face_up=face_up)

    def burn(self, face_up: bool | None = None) -> float:
        return self.deal("burn", face_up=face_up)

    def flop(self, cards: int = 3, face_up: bool | None = None, block: bool = False) -> float:
        """block: the cards are laid down together, as one."""
        return self._street("flop", cards, face_up, block)

    def turn(self, cards: int = 1, face_up: bool | None = None, block: bool = False) -> float:
        return self._street("turn", cards, face_up, block)

    def river(self, cards: int = 1, face_up: bool | None = None, block: bool = False) -> float:
        return self._street("river", cards, face_up, block)

    def hole(
        self,
        until: int | None = None,
        only_pass: int | None = None,
        order: Sequence[int] | None = None,
    ) -> float:
        """Hole cards: all that are still due, in order; gives the time at which the last one lies.

        The deal is a row of slots (pass by pass, from left of the button). A card dealt with `deal`
        to a seat of the deal takes the dealer on to the slot after that seat's next one, so that
        `hole(until=5)`, `deal("seat/7")`, `hole()` passes over seat 6 once. until: stop after that
        seat's next slot. only_pass: deal the slots of that pass that are still ahead. order:
        instead of the row, one card to each of these seats.
        """
        if order is not None:
            for seat in order:
                self.deal(f"seat/{seat}")
            return self.landed_at
        slots = self._row()
        per_pass = max(1, len(slots) * self.cards_per_pass // max(1, self.hole_cards))
        end = len(slots)
        if only_pass is not None:
            end = min(end, only_pass * per_pass)
            self._slot = max(self._slot, (only_pass - 1) * per_pass)
        while self._slot < end:
            seat = slots[self._slot]
            self.deal(f"seat/{seat}")
            if seat == until:
                break
        return self.landed_at

    def new_deal(self) -> None:
        """The next hole card is the first of a deal again (after a misdeal; `gather` does it by
        itself)."""
        self._slots, self._slot = None, 0

    def place(self, seat: int, card: int, after_s: float = 0.0) -> float:
        """A card lying beside a placement antenna is brought onto it, beside what follows."""
        self._begin()
        lands = max(self.at, self.landed_at) + after_s
        brought = self.card(Pick(f"seat/{seat}", card))
        self.world.bring(brought, f"beside/{seat}", f"seat/{seat}", lands)
        return lands

    # -- players -----------------------------------------------------------------------------------

    def fold(self, seat: int, face_up: bool = False) -> float:
        """The seat's cards slide into the muck together; gives the time at which they lie there."""
        self._begin()
        cards = self.pile(f"seat/{seat}")
        lands = self.at + self._chance.uniform(0.7, 1.1)
        for i, card in enumerate(cards):
            self._carry(card, f"seat/{seat}", "muck", self.at, lands + 0.01 * i, face_up)
        self.pile("muck").extend(cards)
        cards.clear()
        self.at = self.landed_at = lands + 0.1
        return lands

    muck = fold

    def lift(self, seat: int, for_s: float, after_s: float = 0.0) -> None:
        """A player lifts the cards to look, beside what follows; they come back unless they moved
        meanwhile."""
        self._begin()
        self.world.lift(f"seat/{seat}", f"hand/{seat}", self.at + after_s, for_s)

    def show(self, seat: int) -> None:
        """A player tables the hand."""
        self._begin()
        for card in self.pile(f"seat/{seat}"):
            self.world.flip(card, True, self.at)

    def expose(self, pick: Pick) -> None:
        """A card shows its face."""
        self._begin()
        self.world.flip(self.card(pick), True, self.at)

    def turn_down(self, pick: Pick) -> None:
        """A card's face is hidden again."""
        self._begin()
        self.world.flip(self.card(pick), False, self.at)

    def flash(self, pick: Pick, for_s: float) -> None:
        """A card shows its face for a moment, beside what follows. Of the stub: the top card."""
        self._begin()
        card = self.card(pick)
        self.world.flip(card, True, self.at)
        self.world.flip(card, False, self.at + for_s)

    def turn_up(self, street: str) -> None:
        """The board cards of a street are turned face up."""
        self._begin()
        first = {"flop": 0, "turn": 3, "river": 4}[street]
        last = {"flop": 3, "turn": 4, "river": None}[street]
        for card in self.pile("board")[first:last]:
            self.world.flip(card, True, self.at)
        self.at += 0.4

    # -- any card anywhere -------------------------------------------------------------------------

    def move(
        self, source: Pick, target: str, top: bool = False, street: str | None = None
    ) -> float:
        """A card is taken from one pile to another; gives the time at which it lies there.

        target: a zone, "stub" (to the bottom, or with `top` on top of it) or "off-table".
        """
        self._begin()
        card = self.card(source)
        lies_at = self._lies_at(source.pile, source.card - 1)
        self.pile(source.pile).remove(card)
        pile, place = self._target(target, street)
        lands = self.at + self._chance.uniform(0.5, 0.8)
        self._carry(card, lies_at, place, self.at, lands)
        if target == "stub" and not top:
            self.pile("stub").insert(0, card)
        else:
            self.pile(pile).append(card)
        self.at = self.landed_at = lands
        return lands

    def swap(
        self, seat: int, card: int, kind: Swap, of: Pick | None = None, deck: str | None = None
    ) -> float:
        """A card of a seat is exchanged for another one; the old one goes off the table.

        kind: foreign, joker, card (any of another `deck`), duplicate (the same card as `of` under
        its own tag) or clone (of `of`, the UID too).
        """
        self._begin()
        new = self._substitute(kind, of, deck)
        old = self.card(Pick(f"seat/{seat}", card))
        self.pile(f"seat/{seat}").remove(old)
        self.pile("off-table").append(old)
        self.pile(f"seat/{seat}").append(new)
        self.world.move(old, "off-table", self.at)
        self.world.move(new, f"seat/{seat}", self.at + 0.6)
        self.at = self.landed_at = self.at + 0.8
        return self.landed_at

    def scramble(self, pile: str, first: int, last: int) -> float:
        """Cards of a pile, `first` to `last` in order of arrival, are mixed face down and laid out
        again."""
        self._begin()
        cards = [self.card(Pick(pile, n)) for n in range(first, last + 1)]
        places = [self.place_of(pile, self._street_of(n - 1)) for n in range(first, last + 1)]
        mixed = self._chance.sample(cards, len(cards))
        for card in cards:
            self.world.move(card, "hand/dealer", self.at, face_up=False)
        for i, (card, place) in enumerate(zip(mixed, places, strict=True)):
            self.world.move(card, place, self.at + 1.5 + 0.3 * i, face_up=pile == "board")
        self.pile(pile)[first - 1 : last] = mixed
        self.at = self.landed_at = self.at + 1.5 + 0.3 * len(mixed)
        return self.landed_at

    def rescan(self, zone: str, at: float | None = None) -> None:
        """The dealer lifts a zone's cards and puts them back so that they read. at None: as the
        next act; otherwise at that time (not before the world's), beside whatever else is going
        on."""
        if at is None:
            self._begin()
            self.world.rescan(self.place_of(zone), self.at)
            self.at += 1.2
        else:
            self.world.rescan(self.place_of(zone), max(at, self.world.now))

    # -- between hands -----------------------------------------------------------------------------

    def gather(self, forget: Sequence[Pick] = (), duration_s: float | None = None) -> float:
        """Every card of the table is collected, 20 to 40 s, over the antennas; the end of the
        physical hand.

        The hands go into the heap at the muck first, then board and burns, and the heap is squared
        up. forget: cards that stay where they lie. Gives the time at which the deck is in the
        dealer's hand.
        """
        self._begin()
        kept = [self.card(pick) for pick in forget]
        duration = self._chance.uniform(20.0, 40.0) if duration_s is None else duration_s
        seats = [p for p in self.piles if p.startswith("seat/") and self.piles[p]]
        seats.sort(key=lambda p: int(p[5:]))
        rows = [*seats, "board", "burn"]
        step = 0.75 * duration / max(1, len(rows))
        heap = [c for c in (*self.pile("muck"), *self.pile("count")) if c not in kept]
        for i, pile in enumerate(rows):
            leaves = self.at + step * i + self._chance.uniform(0.0, 0.3 * step)
            going = [c for c in self.pile(pile) if c not in kept]
            for n, card in enumerate(going):
                lands = leaves + min(1.0, 0.6 * step) + 0.02 * n
                self._carry(card, self._lies_at(pile, n), "muck", leaves, lands)
            heap.extend(going)
        end = self.at + duration
        for card in heap:
            squared = end - self._chance.uniform(0.0, 0.1 * duration)
            self.world.at(squared, self._collect, card)
        for name in [*rows, "muck", "count"]:
            self.piles[name] = [c for c in self.pile(name) if c in kept]
        self.pile("stub")[:0] = heap
        self.at = self.landed_at = end
        self.new_deal()
        return end

    def shuffle(self, seed: int, duration_s: float = 25.0, wash: bool = True) -> float:
        """Wash, riffles and cut: the stub in a new order. In the wash the cards lie spread over the
        table's centre, some of them upon the board's, the burn's and the muck's antennas. Gives the
        time of its end."""
        self._begin()
        spread = 0.45 * duration_s if wash else 0.0
        if wash:
            self._wash(list(self.pile("stub")), self.at, self.at + spread)
        self._reorder(seed, self.at + spread)
        self.at += duration_s
        return self.at

    def reshuffle_stub(self, seed: int, duration_s: float = 8.0) -> float:
        """The stub alone is shuffled in the hand, in the middle of a hand."""
        self._begin()
        self._reorder(seed, self.at + 1.0)
        self.at += duration_s
        return self.at

    def deck(self, name: str, seed: int) -> float:
        """The stub goes to its tray and the other deck is picked up, in the order of `seed`."""
        self._begin()
        tray = f"tray:{self.deck_name}"
        for card in self.pile("stub"):
            self.world.move(card, tray, self.at + 1.0, face_up=False)
        self.pile(tray).extend(self.pile("stub"))
        self.pile("stub").clear()
        self.at += 4.0
        self._take_up(name, seed)
        return self.at

    def restore(self) -> None:
        """Between hands the deck in play is made its own 52 cards again: strangers in the stub go
        off the table, and cards taken away come back. For the robot after a planted stranger; costs
        no time."""
        own = set(self.world.deck(self.deck_name)[:52])
        stub = self.pile("stub")
        strangers = [c for c in stub if c not in own]
        back = [c for c in self.pile("off-table") if c in own]
        for card in strangers:
            known = card.deck in DECKS and card in self.world.deck(card.deck)
            self.world.move(card, f"tray:{card.deck}" if known else "off-table", self.at)
        for card in back:
            self.world.at(self.at, self._collect, card)
        stub[:] = [c for c in stub if c in own] + back
        jokers = [c for c in strangers if c.face.startswith("joker") and c.deck == self.deck_name]
        self._jokers(self.deck_name).extend(jokers)
        for card in strangers:
            if card.deck in DECKS and card.deck != self.deck_name:
                self._tray(card.deck).append(card)
        self.piles["off-table"] = []

    def pick_up(self, pick: Pick) -> float:
        """A forgotten card goes back into the deck."""
        card = self.card(pick)
        lands = self.move(pick, "stub")
        self.world.at(lands, self.world.recover, card)
        return lands

    # -- the count ---------------------------------------------------------------------------------

    @property
    def count_place(self) -> str:
        """Where the deck is passed over: the count antenna, or the burn's where they are one."""
        return "count" if self.world.has_antenna("count") else self.place_of("burn")

    def count(
        self,
        how: PassOver | None = None,
        *,
        minus: Sequence[str] = (),
        plus: Sequence[tuple[Stranger, str]] = (),
    ) -> float:
        """The stub is passed card by card over the count antenna and squared up again; gives the
        time at which the dealer holds it.

        how: the dealer's hand (default: `PassOver()`); asked to repeat, call it again with
        `how.careful`. minus: faces that are taken out before. plus: strangers that are slipped in
        before, as `slip_in` takes them. The pass turns the order of the stub round.
        """
        for face in minus:
            self.take_out(face)
        for kind, of in plus:
            self.slip_in(kind, of)
        self._begin()
        chance, stub = self._count_chance, self.pile("stub")
        start = self.at + chance.uniform(0.6, 1.2)
        stub.reverse()
        ends = (how or PassOver()).schedule(self.world, stub, self.count_place, start, chance)
        ends += chance.uniform(0.8, 1.6)
        for card in stub:
            self.world.move(card, "stub", ends, face_up=False)
        self.at = self.landed_at = ends
        return ends

    def take_out(self, face: str, to: str = "off-table") -> Card:
        """A card of the stub leaves it, unseen: off the table, or to a zone (`to`) and its pile."""
        self._begin()
        stub = self.pile("stub")
        card = next((c for c in stub if c.face == face and c.deck == self.deck_name), None)
        if card is None:
            raise ValueError(f"the stub has no {face} of deck {self.deck_name} to take out")
        stub.remove(card)
        pile, place = self._target(to, None)
        self.pile(pile).append(card)
        self.world.move(card, place, self.at)
        return card

    def slip_in(self, kind: Stranger, of: str = "") -> Card:
        """A card that does not belong comes into the stub, anywhere in it.

        kind: foreign, joker, card (of the deck named `of`), duplicate or clone (of the face `of`),
        untagged (a card that no antenna reads).
        """
        self._begin()
        if kind == "untagged":
            card = self.world.foreign()
            card.dead = True
        elif kind in ("duplicate", "clone"):
            copy = self.world.duplicate if kind == "duplicate" else self.world.clone
            card = copy(self.world.card(self.deck_name, of))
        else:
            card = self._substitute(kind, None, of or None)
        stub = self.pile("stub")
        stub.insert(self._count_chance.randrange(len(stub) + 1), card)
        self.world.move(card, "stub", self.at, face_up=False)
        return card

    # -- button, chairs, keys ----------------------------------------------------------------------

    def button(self, *seats: int) -> None:
        """The dealer button is put at a seat; no seat: it is taken away; two: there are two of
        them."""
        self._begin()
        if seats:
            self.button_seat = seats[0]
        self._give(ButtonReading(tuple(sorted(seats)), self.at))

    def seat(self, seat: int, occupied: bool) -> None:
        """A player takes or leaves a chair."""
        self._begin()
        self._give(SeatReading(seat, occupied, self.at))

    def key(self, key: str) -> None:
        self._begin()
        self._give(KeyPress(key, self.at))

    def wait(self, for_s: float) -> None:
        self._begin()
        self.at += for_s

    def due(self, until: float) -> list[Input]:
        """The readings of button, chairs and keys up to a time, in order of time; each is given
        once."""
        found = []
        while self._inputs and self._inputs[0][0] <= until:
            found.append(heapq.heappop(self._inputs)[2])
        return found

    @property
    def next_due(self) -> float | None:
        """The time of the next reading of button, chairs and keys, if there is one."""
        return self._inputs[0][0] if self._inputs else None

    # -- inside ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.at = max(self.at, self.world.now)

    def _give(self, reading: Input) -> None:
        self._given += 1
        heapq.heappush(self._inputs, (reading.at, self._given, reading))

    def _row(self) -> tuple[int, ...]:
        """The slots of the deal that is going on, fixed when its first card is dealt."""
        if self._slots is None:
            passes = range(0, self.hole_cards, self.cards_per_pass)
            self._slots = tuple(
                seat
                for first in passes
                for seat in self.deal_order()
                for _ in range(min(self.cards_per_pass, self.hole_cards - first))
            )
            self._slot = 0
        return self._slots

    def _pass_slot(self, seat: int) -> None:
        slots = self._row()
        if seat in slots[self._slot :]:
            self._slot = slots.index(seat, self._slot) + 1

    def _street(self, street: str, cards: int, face_up: bool | None, block: bool) -> float:
        laid_at = self.at
        for left in reversed(range(cards)):
            self.deal("board", street, face_up)
            if block and left:
                self.at = laid_at
        return self.landed_at

    def _target(self, zone: str, street: str | None) -> tuple[str, str]:
        """The pile that a zone's word means, and where its next card lies."""
        if not zone.startswith("board"):
            return zone, self.place_of(zone)
        if self.world.has_antenna(zone):
            return "board", zone
        return "board", self.place_of("board", zone[6:] or street)

    def _street_of(self, lying: int) -> str:
        return "flop" if lying < 3 else "turn" if lying == 3 else "river"

    def _flop_is_down(self, place: str) -> bool:
        return self.flop_face_down and (
            place == "board/flop" or (place == "board" and len(self.pile("board")) <= 3)
        )

    def _lies_at(self, pile: str, n: int) -> str:
        return self.place_of(pile, self._street_of(n))

    def _from_stub(self) -> Card:
        self._begin()
        stub = self.pile("stub")
        if not stub:
            raise ValueError("the stub is empty: no card is left to deal; gather and shuffle first")
        return stub.pop()

    def _pitch(self, card: Card, place: str, face_up: bool) -> float:
        """A card leaves the stub at the cursor, crosses what lies in its way and slides to rest."""
        seat = int(place[5:]) if place.startswith("seat/") else None
        far = 0.0 if seat is None else min(seat, self._last_seat + 1 - seat) / (self._last_seat / 2)
        flight = 0.15 + 0.12 * min(1.0, far) + self._chance.uniform(0.0, 0.03)
        lands = self.at + flight
        target = f"beside/{seat}" if seat in self.placement_seats else place
        self._carry(card, "stub", target, self.at, lands, face_up=face_up, way=self._way(place))
        self.at += self.pace_s
        self.landed_at = lands
        return lands

    def _carry(
        self,
        card: Card,
        source: str,
        target: str,
        leaves: float,
        lands: float,
        face_up: bool | None = None,
        way: tuple[str, ...] | None = None,
    ) -> None:
        """A card goes through the air from one place to another, over the antennas in its way."""
        if way is None:
            way = (*reversed(self._way(source)), *self._way(target))
        over = [p for p in dict.fromkeys(way) if p not in (source, target)]
        step = (lands - leaves) / (len(over) + 1)
        self.world.move(card, "air", leaves)
        for i, place in enumerate(over):
            self.world.fly(card, place, leaves + step * (i + 0.5))
        self.world.move(card, target, lands, face_up)

    def _way(self, place: str) -> tuple[str, ...]:
        """The antennas between the dealer and a place: near seats are reached over the seat before
        them, far ones over the burn pile and the board."""
        if not place.startswith("seat/"):
            return ()
        seat, last = int(place[5:]), self._last_seat
        if seat <= 3:
            way: tuple[str, ...] = (f"seat/{seat - 1}",)
        elif seat >= last - 2:
            way = (f"seat/{seat + 1}",)
        else:
            way = (self.place_of("burn"), self.place_of("board", "flop"))
        return tuple(p for p in way if self.world.has_antenna(p))

    def _collect(self, card: Card) -> None:
        self.world.recover(card)
        self.world.move(card, "stub", self.world.now, face_up=False)

    def _wash(self, deck: Sequence[Card], begins: float, ends: float) -> None:
        """The deck is spread and stirred: at every moment some cards lie upon the centre's
        antennas."""
        for card in deck:
            self.world.move(card, "table", begins, face_up=False)
        board, burn, muck = self.place_of("board", "flop"), self.place_of("burn"), "muck"
        chance = self._chance
        at, upon = begins, list[Card]()
        while at < ends - 0.5 and deck:
            for card in upon:
                self.world.move(card, "table", at)
            spots = [board] * chance.randint(3, 8) + [muck] * chance.randint(0, 3)
            if burn != muck:
                spots += [burn] * chance.randint(0, 3)
            upon = [deck[i] for i in chance.sample(range(len(deck)), min(len(spots), len(deck)))]
            for card, spot in zip(upon, spots, strict=False):
                self.world.lay_over(card, "table", spot, at)
            at += chance.uniform(0.6, 1.6)

    def _reorder(self, seed: int, when: float) -> None:
        """The stub in an order that depends on its present one and the seed alone, at `when` in the
        hand."""
        # By position, never by face: two nights whose decks differ only in the first order stay
        # twins for good.
        stub = self.pile("stub")
        stub[:] = random.Random(f"order {seed}").sample(stub, len(stub))
        for card in stub:
            self.world.move(card, "stub", when, face_up=False)

    def _take_up(self, name: str, seed: int) -> None:
        tray = self._tray(name)
        self.pile("stub").extend(tray)
        tray.clear()
        self.deck_name = name
        self._reorder(seed, self.at)
        self.new_deal()

    def _substitute(self, kind: Swap, of: Pick | None, deck: str | None) -> Card:
        if kind == "foreign":
            return self.world.foreign()
        if kind == "joker":
            jokers = self._jokers(self.deck_name)
            if not jokers:
                raise ValueError(f"both jokers of deck {self.deck_name} are in play already")
            return jokers.pop()
        if kind == "card":
            if deck is None or deck == self.deck_name:
                raise ValueError(f"name a deck other than {self.deck_name}, the one in play")
            tray = self._tray(deck)
            return tray.pop(self._chance.randrange(len(tray)))
        if of is None:
            raise ValueError(f"a {kind} needs the card that it copies, such as board card 1")
        copy = self.world.duplicate if kind == "duplicate" else self.world.clone
        return copy(self.card(of))

    def _tray(self, deck: str) -> list[Card]:
        """A deck's cards in its tray; a deck not seen before comes complete."""
        if deck not in self._opened:
            self._opened.add(deck)
            self.pile(f"tray:{deck}").extend(self.world.deck(deck)[:52])
        return self.pile(f"tray:{deck}")

    def _jokers(self, deck: str) -> list[Card]:
        name = f"jokers:{deck}"
        if name not in self.piles:
            self.piles[name] = [*reversed(self.world.deck(deck)[52:])]
        return self.piles[name]
