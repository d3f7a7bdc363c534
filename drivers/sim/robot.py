"""A dealer robot: deals hand after hand at a dealer's pace, legal ones and ones with a planted
mistake.

A hand is scheduled whole on the world's timeline when it is asked for; the caller then polls up to
`next_at` and asks for the next one. Times of a full-length hand: 0.45 s a card, 8 to 25 s of
betting a street with folds and peeks, a showdown, a gather of 20 to 40 s, wash and shuffle of 20 to
30 s. All draws come from the robot's and the dealer's own seeds and never from a face or a UID.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drivers.sim.acts import Dealer, Pick
from drivers.sim.mistakes import (
    MISTAKES,
    STRANGERS,
    STREETS,
    TAGS_ALONE,
    DealScript,
    Planted,
    Row,
    board_row,
    hole_row,
    swappable,
    with_burns,
)

QUIET_S = 5.0
"""After this long without a card an eye sees that a count which is short will stay short."""

SURVIVORS = (2, 2, 2, 3, 3, 3, 4, 4)
"""How many of a full table see the flop, when anybody does."""


@dataclass(frozen=True, slots=True)
class Oddities:
    """Chances, per legal hand, of things that are unusual and lawful.

    exposed_card: a hole card flashes in the deal, is replaced, and serves as the flop's burn.
    forgotten_card: a card stays behind at the gathering and is found after the shuffle.
    absent_player: dealt in, chair empty, folded at their turn. button_twice: the button gets its
    last two cards one after the other (a notice under some documents). early_peek: a player lifts
    the first card while the deal still goes on.
    """

    exposed_card: float = 0.01
    forgotten_card: float = 0.01
    absent_player: float = 0.02
    button_twice: float = 0.002
    early_peek: float = 0.02

    @staticmethod
    def none() -> Oddities:
        return Oddities(0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class StreetPlayed:
    """first_at: its first card (burn, board or hole) lies. done_at: its last one. ended_at: the
    next street's first card lies, or the gather begins."""

    street: str
    first_at: float
    done_at: float
    ended_at: float


@dataclass(frozen=True, slots=True)
class HandPlayed:
    """One hand as it was (or will be) played; monotonic seconds.

    order: seats in deal order. streets: in order, those reached. gather_at: the gather begins;
    ended_at: the deck is in the dealer's hand; next_at: shuffled, and ready for the next hand.
    oddities: names of `Oddities` that took place. unread: the zone of the card that could not be
    read, if one was asked for.
    """

    number: int
    button: int
    order: tuple[int, ...]
    begun_at: float
    streets: tuple[StreetPlayed, ...]
    gather_at: float
    ended_at: float
    next_at: float
    planted: Planted | None = None
    oddities: tuple[str, ...] = ()
    unread: str | None = None

    def street(self, name: str) -> StreetPlayed | None:
        return next((s for s in self.streets if s.street == name), None)


@dataclass(slots=True)
class _Course:
    """The decisions about one hand, and what has come of them so far."""

    order: tuple[int, ...]
    button: int
    mistake: str | None
    street: str | None
    odd: frozenset[str]
    unread_street: str | None
    unread_card: int
    absent: int | None = None
    exposed_is_burn: bool = False
    unread: str | None = None
    planted: Planted | None = None

    def mistake_in(self, street: str, group: str) -> str | None:
        """The mistake to make on this street, if it is of that group."""
        if self.mistake is None or self.street != street or MISTAKES[self.mistake].group != group:
            return None
        return self.mistake

    def plant(self, seat: int | None, street: str, at: float, seats: tuple[int, ...] = ()) -> None:
        kind = self.mistake or ""
        self.planted = Planted(kind, MISTAKES[kind].codes, seat, street, at, seats)


class Robot:
    """Deals hands through a `Dealer`.

    script: what is legal (settable between hands). oddities: lawful rarities in hands without a
    planted mistake. keys: which keys the dealer presses, of new-hand, end-hand, shuffled, turned.
    seen: a camera sees which way up cards lie. tagged: antennas read them. Mistakes that nothing at
    the table can show are not made.
    seed: for everything that the robot decides. The button starts at the dealer's button seat, else
    at the last seat of the script, and moves on by one seat due cards after every hand.
    """

    def __init__(
        self,
        dealer: Dealer,
        script: DealScript,
        *,
        oddities: Oddities | None = None,
        keys: Sequence[str] = ("shuffled",),
        seen: bool = False,
        tagged: bool = True,
        seed: int = 0,
    ) -> None:
        self.dealer = dealer
        self.script = script
        self.oddities = oddities or Oddities()
        self.keys = frozenset(keys)
        self.seen = seen
        self.tagged = tagged
        self.hands = 0
        self._chance = random.Random(f"robot {seed}")

    # -- what can go wrong here

    def possible(self) -> tuple[tuple[str, str], ...]:
        """Every mistake that can be planted in the next hand at this table, as (kind, street)."""
        return tuple(
            (m.kind, street)
            for m in MISTAKES.values()
            for street in m.streets
            if self._can(m.kind, street)
        )

    def _can(self, kind: str, street: str) -> bool:
        world, script = self.dealer.world, self.script
        n, burns = len(script.seats), script.burns_before(street)
        if MISTAKES[kind].extra and script.cards >= 52:
            return False
        if (MISTAKES[kind].group == "face" and not self.seen) or (
            kind in TAGS_ALONE and not self.tagged
        ):
            return False
        match kind:
            case "card-exposed":
                return script.burns_before("flop") == 1
            case "burn-face-up":
                return burns > 0
            case "board-face-down":
                return street != "flop" or not self.dealer.flop_face_down
            case "flop-face-up":
                return self.dealer.flop_face_down
            case "seat-skipped" | "seat-dealt-out" | "muck-retrieved":
                return n >= 3
            case "adjacent-swap":
                return bool(swappable(script))
            case "two-at-once":
                return n >= 3 and script.hole_cards > script.cards_per_pass
            case "outsider":
                return bool(self._outsiders())
            case "burn-missing" | "burn-double":
                return burns > 0
            case "burn-unexpected":
                return burns == 0
            case "burn-misplaced":
                return burns > 0 and world.has_antenna("burn")
            case "board-misplaced":
                return world.has_antenna("board/flop")
            case "button-skipped" | "button-backward":
                return n >= 3 and self.hands > 0
            case "button-not-moved":
                return self.hands > 0
        return True

    def _outsiders(self) -> tuple[int, ...]:
        return tuple(s for s in self.dealer.world.seats if s not in self.script.seats)

    # -- one hand

    def hand(
        self, mistake: str | None = None, street: str | None = None, unread: bool = False
    ) -> HandPlayed:
        """Schedule the next hand, from the dealer's cursor on.

        mistake: a kind of `MISTAKES` to plant; street: where, if it can be on several (None: by
        chance). unread: one card of the hand, hole, burn or board, cannot be read until the dealer
        lays it anew (`Dealer.rescan`) or gathers.
        """
        d, chance, script = self.dealer, self._chance, self.script
        if script.cards > 52:
            raise ValueError(
                f"{len(script.seats)} seats of {script.hole_cards} cards need {script.cards} cards;"
                " take fewer seats or burns"
            )
        d.seats, d.hole_cards, d.cards_per_pass = (
            script.seats,
            script.hole_cards,
            script.cards_per_pass,
        )
        street = self._street_for(mistake, street)
        d.wait(chance.uniform(0.5, 1.5))
        begun = d.at
        button, named = self._move_button(mistake)
        unread_street, unread_card = self._hidden() if unread else (None, 0)
        h = _Course(
            script.order(button),
            button,
            mistake,
            street,
            self._odd(mistake),
            unread_street,
            unread_card,
        )
        if "absent_player" in h.odd:
            h.absent = chance.choice(h.order)
            d.seat(h.absent, False)
        if "new-hand" in self.keys:
            d.key("new-hand")
        d.wait(chance.uniform(1.0, 3.0))

        before, played = h.order, list[StreetPlayed]()
        for name, after in zip(STREETS, self._who_stays(h), strict=False):
            first, done = self._deal_street(name, h)
            if h.mistake_in(name, "button"):
                self._plant_button(h, named, first)
            self._bet(name, before, after, h)
            played.append(StreetPlayed(name, first, done, d.at))
            before = after
        return self._finish(begun, before, played, h)

    def _street_for(self, mistake: str | None, street: str | None) -> str | None:
        if mistake is None:
            return None
        if mistake not in MISTAKES:
            raise ValueError(f"no mistake {mistake}; the robot knows {', '.join(MISTAKES)}")
        streets = [s for k, s in self.possible() if k == mistake and street in (None, s)]
        if not streets:
            where = f"on the {street}" if street else "on any street"
            raise ValueError(f"{mistake} cannot happen {where} at this table under this script")
        return self._chance.choice(streets)

    def _hidden(self) -> tuple[str, int]:
        """A card of the hand that will not be read: its street, and its number there from 0."""
        script = self.script
        hole = len(script.seats) * script.hole_cards
        cards = [("deal", i) for i in range(hole + script.burns_before("deal"))]
        for street, board in (("flop", 3), ("turn", 1), ("river", 1)):
            cards += [(street, i) for i in range(board + script.burns_before(street))]
        return self._chance.choice(cards)

    def _odd(self, mistake: str | None) -> frozenset[str]:
        if mistake is not None:
            return frozenset()
        names = ("exposed_card", "forgotten_card", "absent_player", "button_twice", "early_peek")
        drawn = {name: self._chance.random() < getattr(self.oddities, name) for name in names}
        drawn["exposed_card"] &= self.script.burns_before("flop") == 1
        drawn["button_twice"] &= self.script.cards_per_pass == 1 and self.script.hole_cards > 1
        return frozenset(name for name, happens in drawn.items() if happens)

    # -- the button

    def _move_button(self, mistake: str | None) -> tuple[int, tuple[int, ...]]:
        """Put the button where this hand has it; gives its seat, and the seats that a mistake in it
        may name, the one due first."""
        d, script = self.dealer, self.script
        lies = d.button_seat
        if lies is None or self.hands == 0:
            due = lies = script.seats[-1] if lies is None else lies
        else:
            due = script.order(lies)[0]
        button = due
        match mistake:
            case "button-not-moved":
                button = lies
            case "button-skipped":
                button = script.order(due)[0]
            case "button-backward":
                button = script.order(lies)[-2 if lies in script.seats else -1]
        match mistake:
            case "button-missing":
                d.button()
            case "button-duplicate":
                d.button(due, script.order(due)[0])
            case "button-not-moved":
                pass
            case _:
                d.button(button)
        d.button_seat = button
        return button, tuple(dict.fromkeys((due, button, lies)))

    def _plant_button(self, h: _Course, named: tuple[int, ...], at: float) -> None:
        """A mistake in the button is complete when the first card of the hand lies."""
        one = h.mistake not in ("button-missing", "button-duplicate")
        h.plant(named[0] if one else None, "deal", at, named)

    # -- dealing

    def _deal_street(self, street: str, h: _Course) -> tuple[float, float]:
        """Burn and deal one street; gives when its first and its last card lie."""
        d = self.dealer
        row = self._row(street, h)
        exposed = None
        face = h.mistake_in(street, "face")
        if street == "deal" and ("exposed_card" in h.odd or face == "card-exposed"):
            # Not one of the first two cards off the deck: that would be a misdeal.
            burned = row.zones.count("burn") if face else 0
            exposed = self._chance.randrange(2 + burned, len(row.zones))
        wrong = self._wrong_side(row, face)
        landed: list[float] = []
        for i, zone in enumerate(row.zones):
            leaves = d.at
            face_up = face != "board-face-down" if i == wrong else None
            landed.append(d.deal(zone, None if street == "deal" else street, face_up))
            if i == wrong:
                h.plant(None, street, landed[-1])
            card = d.pile("board" if zone.startswith("board") else zone)[-1]
            if i == exposed:
                d.world.flip(card, True, landed[-1])
                if face is not None:
                    h.plant(int(zone[5:]), street, landed[-1], (int(zone[5:]),))
            if street == h.unread_street and i == min(h.unread_card, len(row.zones) - 1):
                d.world.unread(card, leaves)
                h.unread = zone
            if zone == "burn":
                d.wait(0.3)
        if street == "deal":
            self._players_take(row, landed, h)
        if street == "flop" and d.flop_face_down:
            d.turn_up("flop")
            if "turned" in self.keys:
                d.key("turned")
        if row.short:
            h.plant(row.seat, street, landed[-1] + QUIET_S, row.seats)
        elif row.evident is not None:
            h.plant(row.seat, street, landed[row.evident], row.seats)
        done = landed[-1] if exposed is None else self._replace_exposed(row, exposed, h)
        return landed[0], done

    def _wrong_side(self, row: Row, face: str | None) -> int | None:
        """Which card of a street is dealt the wrong way up, if one is."""
        if face in (None, "card-exposed"):
            return None
        burns = [i for i, zone in enumerate(row.zones) if zone == "burn"]
        others = [i for i in range(len(row.zones)) if i not in burns]
        return self._chance.choice(burns if face == "burn-face-up" else others)

    def _row(self, street: str, h: _Course) -> Row:
        burns = self.script.burns_before(street)
        if street == "deal":
            hole = h.mistake_in(street, "hole")
            row = hole_row(self.script, h.button, hole, self._outsiders(), self._chance)
            if "button_twice" in h.odd:
                zones = list(row.zones)
                zones.append(zones.pop(len(zones) - len(h.order) - 1))
                row = Row(tuple(zones))
        else:
            zone = self.dealer.place_of("board", street)
            row = board_row(zone, street, h.mistake_in(street, "board"))
            if street == "flop" and h.exposed_is_burn:
                burns = 0
        return with_burns(row, burns, h.mistake_in(street, "burn"))

    def _players_take(self, row: Row, landed: Sequence[float], h: _Course) -> None:
        """Players at placement antennas bring their cards there; a hasty one lifts a card in the
        deal."""
        d, chance = self.dealer, self._chance
        for seat in sorted(d.placement_seats):
            for n in range(len(d.pile(f"seat/{seat}"))):
                d.place(seat, n + 1, chance.uniform(1.0, 6.0))
        if "early_peek" in h.odd:
            first = chance.randrange(row.zones.count("burn"), len(h.order))
            seat = int(row.zones[first][5:])
            d.world.lift(f"seat/{seat}", f"hand/{seat}", landed[first] + 1.5, 2.0)

    def _replace_exposed(self, row: Row, exposed: int, h: _Course) -> float:
        """The exposed card goes to the burn pile and its seat gets the next card, one or the other
        first."""
        d, chance = self.dealer, self._chance
        zone = row.zones[exposed]
        card = Pick(zone, row.zones[: exposed + 1].count(zone))
        seat = int(zone[5:])
        h.exposed_is_burn = True
        d.wait(chance.uniform(0.5, 2.0))
        d.turn_down(card)  # a burn lies face down
        if chance.random() < 0.5:
            d.move(card, "burn")
            done = d.deal(zone)
        else:
            d.deal(zone)
            d.wait(0.3)
            done = d.move(card, "burn")
        if seat in d.placement_seats:
            d.place(seat, len(d.pile(zone)), chance.uniform(1.0, 4.0))
        return done

    # -- betting

    def _who_stays(self, h: _Course) -> list[tuple[int, ...]]:
        """Who is in the hand after the betting of each street that is dealt.

        Of nine, two to four see the flop, and some hands end before it. A mistake's street is
        reached, and that of the card which is not read.
        """
        chance = self._chance
        needed = max(STREETS.index(s or "deal") for s in (h.street, h.unread_street))
        if h.mistake is not None and MISTAKES[h.mistake].group == "betting":
            # Once a single player is left the hand is over, and no card on the table is a mistake.
            needed = max(needed, STREETS.index(h.street or "deal") + 1)
        now = [s for s in h.order if s != h.absent]
        stays: list[tuple[int, ...]] = []
        for i in range(len(STREETS)):
            if i > 0:
                keep = sum(chance.random() < 0.75 for _ in now)
            elif chance.random() < 0.12:
                keep = 1
            else:
                most = chance.randint(1, len(h.order)) if len(h.order) <= 4 else len(h.order)
                keep = min(chance.choice(SURVIVORS), most)
            keep = min(len(now), max(keep, 2 if i < needed else 1))
            if h.mistake == "muck-retrieved":
                keep = min(keep, len(h.order) - 1)
            kept = set(chance.sample(range(len(now)), keep))
            now = [s for n, s in enumerate(now) if n in kept]
            stays.append(tuple(now))
            if keep == 1:
                break
        return stays

    def _bet(
        self, street: str, before: tuple[int, ...], after: tuple[int, ...], h: _Course
    ) -> None:
        """A betting round: peeks beside it, folds in order of action, and a mistake in its
        course."""
        d, chance = self.dealer, self._chance
        preflop = street == "deal"
        d.wait(max(0.0, d.landed_at + 0.3 - d.at))
        begins = d.at
        length = min(25.0, chance.uniform(8.0, 16.0) + (0.9 * len(before) if preflop else 0.0))
        for seat in before:
            peeks = chance.random() < (0.7 if preflop else 0.15)
            for_s, after_s = chance.uniform(2.0, 6.0), chance.uniform(0.5, 0.6 * length)
            if peeks and seat != h.absent:
                d.lift(seat, for_s, after_s)
        acting = before[2:] + before[:2] if preflop and len(before) > 2 else before
        folds = [s for s in acting if s not in after]
        for seat, moment in zip(
            folds, sorted(chance.uniform(1.5, length - 1.0) for _ in folds), strict=True
        ):
            d.wait(max(0.0, begins + moment - d.at))
            d.fold(seat)
        if h.mistake_in(street, "betting"):
            d.wait(chance.uniform(0.5, 2.0))
            self._err_in_betting(street, after, folds, h)
        d.wait(max(chance.uniform(0.5, 1.5), begins + length - d.at))

    def _err_in_betting(
        self, street: str, live: tuple[int, ...], folded: Sequence[int], h: _Course
    ) -> None:
        d, chance = self.dealer, self._chance
        seat = chance.choice(live)
        n = chance.randint(1, len(d.pile(f"seat/{seat}")))
        match h.mistake:
            case "river-extra":
                h.plant(None, street, d.deal("board", "river"))
            case "card-seat-mismatch":
                other = chance.choice([s for s in live if s != seat] or list(folded))
                at = d.move(Pick(f"seat/{seat}", n), f"seat/{other}")
                h.plant(other, street, at, (other, seat))
            case "muck-retrieved":
                to = folded[-1] if folded else seat
                at = d.move(Pick("muck", len(d.pile("muck"))), f"seat/{to}")
                h.plant(to, street, at, (to,))
            case "board-mucked":
                h.plant(None, street, d.move(Pick("board", len(d.pile("board"))), "muck"))
            case "button-moved-midhand":
                to = self.script.order(h.button)[0]
                d.button(to)
                d.button_seat = h.button
                h.plant(None, street, d.at, tuple(dict.fromkeys((h.button, to))))
            case "card-clone":
                # The copied card is in two places, and nobody can say which of them is the copy.
                others = [s for s in h.order if s != seat and d.pile(f"seat/{s}")]
                of = Pick(f"seat/{others[0]}") if others else Pick("muck")
                at = d.swap(seat, n, "clone", of=of)
                h.plant(seat, street, at, (seat, *others[:1]))
            case _:
                h.plant(seat, street, self._stranger(seat, n, h), (seat,))

    def _stranger(self, seat: int, n: int, h: _Course) -> float:
        d = self.dealer
        match h.mistake:
            case "card-foreign":
                return d.swap(seat, n, "foreign")
            case "card-joker":
                return d.swap(seat, n, "joker")
        return d.swap(seat, n, "card", deck="blue" if d.deck_name != "blue" else "red")

    # -- the end of a hand

    def _finish(
        self, begun: float, live: tuple[int, ...], played: list[StreetPlayed], h: _Course
    ) -> HandPlayed:
        d, chance = self.dealer, self._chance
        if len(live) > 1:
            for seat in live:
                d.show(seat)
            d.wait(chance.uniform(3.0, 8.0))
        elif chance.random() < 0.7:
            d.fold(live[0])
        gather_at = d.at
        forgotten = self._forgotten() if "forgotten_card" in h.odd else None
        ended_at = d.gather(() if forgotten is None else (forgotten,))
        if "end-hand" in self.keys:
            d.key("end-hand")
        if h.absent is not None:
            d.seat(h.absent, True)
        if h.mistake in STRANGERS:
            d.restore()
        d.shuffle(chance.getrandbits(32), chance.uniform(20.0, 30.0))
        if forgotten is not None:
            d.pick_up(Pick(forgotten.pile))
            d.reshuffle_stub(chance.getrandbits(32))
        if "shuffled" in self.keys:
            d.key("shuffled")
        self.hands += 1
        ends = [s.first_at for s in played[1:]] + [gather_at]
        streets = tuple(replace(s, ended_at=e) for s, e in zip(played, ends, strict=True))
        return HandPlayed(
            number=self.hands,
            button=h.button,
            order=h.order,
            begun_at=begun,
            streets=streets,
            gather_at=gather_at,
            ended_at=ended_at,
            next_at=d.at,
            planted=_settled(h.planted, streets),
            oddities=tuple(sorted(h.odd)),
            unread=h.unread,
        )

    def _forgotten(self) -> Pick:
        """A card that stays behind: of a hand still at a seat, of the board, or of the burn pile;
        if there is none, one of the muck."""
        d = self.dealer
        piles = [f"seat/{s}" for s in self.script.seats] + ["board", "burn"]
        picks = [Pick(p, n + 1) for p in piles for n in range(len(d.pile(p)))]
        return self._chance.choice(picks or [Pick("muck")])


def _settled(planted: Planted | None, streets: Sequence[StreetPlayed]) -> Planted | None:
    """A count that stays short is evident no later than when the dealer goes on."""
    if planted is None:
        return None
    later = [s.first_at for s in streets if STREETS.index(s.street) > STREETS.index(planted.street)]
    return replace(planted, evident_at=min([planted.evident_at, *later]))
