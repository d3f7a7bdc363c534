"""The simulated physical table: cards that lie somewhere, antennas with fields, and looks that go
wrong.

Everything runs in virtual time (monotonic seconds as floats) and is deterministic from its seeds. A
motion is scheduled for a moment; time moves forward only, with `World.look` or `World.advance`. No
random draw and no order depends on which card lies where: tags answer in the order in which they
landed, and two worlds that differ only in faces and UIDs give the same pattern of reads.

What is modelled, and from where: two cards in a stack are read well and a third is doubtful;
neighbouring antennas read each other's tags; two tags may merge into the bitwise OR of their UIDs
without any error (seen with ISO 15693 one-slot inventories); UIDs arrive shifted by a byte without
a CRC error; a corrupt answer is not an empty field.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, NamedTuple, Protocol

from drivers.readings import Health, HealthState, Outcome, Poll, Uid

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECKS = ("red", "blue", "green", "black")
JOKERS = ("joker1", "joker2")


class Card:
    """A card: an object that lies in one place. Its face is for tests and scenarios only; it prints
    as a mask.

    place: a zone ("seat/4", "board", ...), or "stub", "hand/4", "hand/dealer", "beside/4", "air",
    "table", "off-table", "tray:blue". face_up: what a camera would see; antennas do not. dead: its
    tag never answers.
    """

    __slots__ = ("_field", "_read", "_unread", "dead", "deck", "face", "face_up", "place", "uid")

    def __init__(self, uid: Uid, deck: str, face: str) -> None:
        self.uid = uid
        self.deck = deck
        self.face = face
        self.place = "nowhere"
        self.face_up = False
        self.dead = False
        self._unread = 0
        self._field: _Field | None = None
        self._read: float | None = None

    def __repr__(self) -> str:
        return f"<card of {self.deck}>"

    @property
    def unread(self) -> bool:
        """Whether a fault keeps it from being read just now (an edge of the field, a bent tag)."""
        return self._unread != 0


@dataclass(frozen=True, slots=True)
class FieldAntenna:
    """An antenna of the simulated table.

    place: the zone whose cards lie in its field. neighbours: antennas whose cards it may read by
    mistake. max_stack: how many tags it can tell apart at once (None: no limit). miss: share of
    looks that do not read a card lying in the field; cross: share of looks that read a given card
    on a neighbour; None takes the table's noise.
    """

    number: int
    place: str
    neighbours: tuple[int, ...] = ()
    max_stack: int | None = None
    miss: float | None = None
    cross: float | None = None
    reader: int = 1
    port: int = 1


@dataclass(frozen=True, slots=True)
class Noise:
    """How badly the table reads.

    miss: per look and card. cross: per look and card on a neighbouring antenna. sweep_s: one full
    round of all antennas. flight: chance that a look reads a card flying over just then (None: 0 on
    a table without misses and cross-reads, else 0.3). corrupt, ghost, shift: share of looks that
    end as noise, merge two tags, shift a UID. stack: a field with more cards than its limit reads
    some of them anew at each look ("iffy"), or the same ones until the stack changes ("sticky").
    """

    miss: float = 0.0
    cross: float = 0.0
    sweep_s: float = 0.4
    seed: int = 0
    flight: float | None = None
    corrupt: float = 0.0
    ghost: float = 0.0
    shift: float = 0.0
    stack: Literal["iffy", "sticky"] = "iffy"

    def __post_init__(self) -> None:
        for name in ("miss", "cross", "corrupt", "ghost", "shift"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"noise, {name} = {getattr(self, name)}; allowed 0 to 1")
        if self.corrupt + self.ghost + self.shift > 1.0:
            raise ValueError("noise, corrupt + ghost + shift is more than 1; lower one of them")
        if self.sweep_s <= 0.0:
            raise ValueError(f"noise, sweep_s = {self.sweep_s} s; it must be above 0")

    @property
    def flight_read(self) -> float:
        if self.flight is not None:
            return self.flight
        return 0.3 if self.miss or self.cross else 0.0


class _Field:
    """One antenna's field: the cards in it in the order in which they came, and its faults."""

    __slots__ = (
        "antenna",
        "cards",
        "chosen",
        "cross",
        "faults",
        "miss",
        "near",
        "stuck",
        "touches",
    )

    def __init__(self, antenna: FieldAntenna, noise: Noise, touches: tuple[int, ...]) -> None:
        self.antenna = antenna
        self.miss = noise.miss if antenna.miss is None else antenna.miss
        self.cross = noise.cross if antenna.cross is None else antenna.cross
        self.touches = touches
        self.near: tuple[_Field, ...] = ()
        self.cards: list[Card] = []
        self.chosen: tuple[int, ...] | None = None
        self.faults: dict[str, list[float]] = {}
        self.stuck: tuple[Uid, ...] | None = None

    def max_stack(self) -> int | None:
        crowd = self.faults.get("crowd") if self.faults else None
        return int(min(crowd)) if crowd else self.antenna.max_stack


class _View(NamedTuple):
    """What a look at one field gives, worked out once until a card moves.

    usual: below this draw the look gives `answer` (-1: never so simple). calm: share of looks
    without a corruption. entries: (uid, read usually?, chance of the contrary); within[i]: chance
    that neither a corruption nor the first i + 1 entries depart from the usual. pile: the cards of
    an overfull field.
    """

    usual: float
    answer: tuple[Uid, ...]
    calm: float
    entries: tuple[tuple[Uid, bool, float], ...]
    within: tuple[float, ...]
    pile: tuple[Uid, ...]


_Motion = tuple[float, int, Callable[..., None], tuple[object, ...]]


class World:
    """Cards, antennas and a timeline of motions.

    `look` is the readers' only way in. Motions: `move`, `fly`, `lift`, `rescan`, `flip`, or any
    function through `at`. Faults: `unread`, `kill`, and `afflict` for an antenna or a reader (see
    `drivers.sim.faults`).
    """

    def __init__(
        self,
        antennas: Sequence[FieldAntenna],
        noise: Noise | None = None,
        cards_seed: int = 0,
        *,
        short_tags: bool = False,
    ) -> None:
        """noise None: a perfect table. cards_seed: gives the tags their UIDs, and nothing else.
        short_tags: all decks have tags of ISO 14443 A, else only some have."""
        self._short_tags = short_tags
        self.antennas = tuple(antennas)
        self.noise = noise or Noise()
        self.cards_seed = cards_seed
        self.now = 0.0
        numbers = [a.number for a in self.antennas]
        if len(set(numbers)) != len(numbers):
            raise ValueError(f"antenna numbers {numbers} are not unique; number each antenna once")
        touches = {
            a.number: tuple(b.number for b in self.antennas if a.number in b.neighbours)
            for a in self.antennas
        }
        self._fields = {a.number: _Field(a, self.noise, touches[a.number]) for a in self.antennas}
        for field in self._fields.values():
            field.near = tuple(
                self._fields[n] for n in field.antenna.neighbours if n in self._fields
            )
        self._by_place = {f.antenna.place: f for f in self._fields.values()}
        self._views: dict[int, _View] = {}
        self._random = random.Random(f"looks {self.noise.seed}").random
        self._motions: list[_Motion] = []
        self._due = inf
        self._count = 0
        self.motions = 0
        """How many motions have taken place: whether anything may have changed."""
        self._lifted: dict[str, list[Card]] = {}
        self._decks: dict[str, tuple[Card, ...]] = {}
        self._minted = random.Random(f"odd cards {cards_seed}")
        self._covered: dict[str | None, int] = {}
        self._camera_faults: dict[str, int] = {}

    # -- cards -------------------------------------------------------------------------------------

    def deck(self, name: str) -> tuple[Card, ...]:
        """The 52 cards and two jokers of a deck, by suit and rank, jokers last; made when first
        asked for."""
        if name not in self._decks:
            if name not in DECKS:
                raise ValueError(f"deck {name}; known are {', '.join(DECKS)}")
            tags = random.Random(f"tags {name} {self.cards_seed}")
            faces = [r + s for s in SUITS for r in RANKS] + list(JOKERS)
            uids: dict[Uid, None] = {}
            while len(uids) < len(faces):
                short = self._short_tags or name in ("blue", "black")
                uids[_random_uid(tags, short=short)] = None
            self._decks[name] = tuple(
                Card(uid, name, face) for uid, face in zip(uids, faces, strict=True)
            )
            for card in self._decks[name]:
                self._put(card, f"tray:{name}")
        return self._decks[name]

    def card(self, deck: str, face: str) -> Card:
        """A card by its face ("7c", "joker1"), for scenarios and tests."""
        for card in self.deck(deck):
            if card.face == face:
                return card
        raise ValueError(f"deck {deck} has no such card; write a rank and a suit, such as 7c or Th")

    def foreign(self) -> Card:
        """A card that no deck knows."""
        return Card(_random_uid(self._minted, short=self._short_tags), "foreign", "foreign")

    def duplicate(self, card: Card) -> Card:
        """The same face under a tag of its own."""
        short = len(card.uid) == 7
        return Card(_random_uid(self._minted, short=short), card.deck, card.face)

    def clone(self, card: Card) -> Card:
        """The same face under the same UID: a copied tag."""
        return Card(card.uid, card.deck, card.face)

    def swap_tags(self, one: Card, other: Card) -> None:
        """The tags of two cards change places; neither lies in an antenna's field."""
        if any(card._field is not None for card in (one, other)):
            raise ValueError("tags are exchanged before their cards come to the table")
        one.uid, other.uid = other.uid, one.uid

    def lying(self, place: str) -> tuple[Card, ...]:
        """The cards in an antenna's zone at this moment, in order of landing."""
        field = self._by_place.get(place)
        return () if field is None else tuple(c for c in field.cards if c.place == place)

    def upon(self, place: str) -> tuple[Card, ...]:
        """The cards that lie in the zone or, in a wash, upon it, in order of landing."""
        field = self._by_place.get(place)
        return () if field is None else tuple(c for c in field.cards if c._read is None)

    def showing(self, place: str) -> tuple[Card, ...]:
        """Cards of the opened decks that show their faces in a place without an antenna."""
        return tuple(
            c
            for deck in self._decks.values()
            for c in deck
            if c.face_up and c.place == place and c._field is None
        )

    def has_antenna(self, place: str) -> bool:
        return place in self._by_place

    def antenna_at(self, place: str) -> int:
        """The number of the antenna that watches a place."""
        if place not in self._by_place:
            raise ValueError(f"no antenna at {place}; there are {', '.join(self._by_place)}")
        return self._by_place[place].antenna.number

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that have an antenna, clockwise."""
        return tuple(sorted(int(p[5:]) for p in self._by_place if p.startswith("seat/")))

    # -- the timeline ------------------------------------------------------------------------------

    def at(self, when: float, act: Callable[..., None], *args: object) -> None:
        """Have `act(*args)` happen at `when`; acts of one moment happen in the order in which they
        were given."""
        if when < self.now:
            raise ValueError(f"a motion for {when:.3f} s, but it is {self.now:.3f} s already")
        self._count += 1
        heapq.heappush(self._motions, (when, self._count, act, args))
        self._due = min(self._due, when)

    def move(self, card: Card, place: str, when: float, face_up: bool | None = None) -> None:
        """A card comes to lie at `place`."""
        self.at(when, self._put, card, place, None, None, face_up)

    def fly(self, card: Card, over: str, when: float) -> None:
        """A card is in the air, above the antenna of `over` if there is one, until its next
        motion."""
        self.at(when, self._put, card, "air", over, self.noise.flight_read)

    def lay_over(self, card: Card, place: str, over: str, when: float) -> None:
        """A card lies somewhere else than in a zone, but upon the antenna of `over` (as in a
        wash)."""
        self.at(when, self._put, card, place, over)

    def bring(self, card: Card, source: str, place: str, when: float) -> None:
        """A card is brought from `source` to `place`, unless it has gone elsewhere meanwhile."""
        self.at(when, self._bring, card, source, place)

    def lift(self, place: str, hand: str, when: float, for_s: float) -> None:
        """Whatever then lies at `place` is lifted, and put back after a time unless it was moved
        meanwhile."""
        self.at(when, self._lift, place, hand, for_s, False)

    def rescan(self, place: str, when: float, for_s: float = 0.8) -> None:
        """The dealer lifts the cards of a place and puts them back so that they read: ends `unread`
        there."""
        self.at(when, self._lift, place, "hand/dealer", for_s, True)

    def flip(self, card: Card, face_up: bool, when: float) -> None:
        self.at(when, self._flip, card, face_up)

    def advance(self, until: float) -> None:
        """Let time pass without a look."""
        motions = self._motions
        while motions and motions[0][0] <= until:
            when, _, act, args = heapq.heappop(motions)
            if when > self.now:
                self.now = when
            self.motions += 1
            act(*args)
        self._due = motions[0][0] if motions else inf
        if until > self.now:
            self.now = until

    # -- faults ------------------------------------------------------------------------------------

    def unread(self, card: Card, when: float, for_s: float | None = None) -> None:
        """From `when` on the card is not read: for a time, or (None) until a rescan or the
        gather."""
        self.at(when, self._hide, card, for_s)

    def kill(self, card: Card, when: float) -> None:
        """The card's tag dies."""
        self.at(when, self._kill, card)

    def afflict(
        self, fault: str, antenna: int, when: float, for_s: float | None = None, level: float = 1.0
    ) -> None:
        """Give an antenna a fault: lost, noise, stuck, ghost, shift (`level`: share of looks),
        crowd (`level`: the number of cards it can still tell apart). for_s None: for good."""
        if antenna not in self._fields:
            raise ValueError(self._unknown(antenna))
        self.at(when, self._afflict, fault, antenna, for_s, level)

    def lose_reader(self, reader: int, when: float, for_s: float | None = None) -> None:
        """A reader stops answering: every look of its antennas gives None, and `is_lost` says
        why."""
        antennas = [a.number for a in self.antennas if a.reader == reader]
        if not antennas:
            known = sorted({a.reader for a in self.antennas})
            raise ValueError(f"no reader {reader} at this table; there are {known}")
        for antenna in antennas:
            self.afflict("lost", antenna, when, for_s)

    def cover(self, place: str | None, when: float, for_s: float) -> None:
        """Something is between the camera and a place, or (None) right before its lens."""
        self.at(when, self._count_up, self._covered, place, 1)
        self.at(when + for_s, self._count_up, self._covered, place, -1)

    def covered(self, place: str) -> bool:
        """Whether the camera sees nothing of a place at this moment."""
        return bool(self._covered.get(place) or self._covered.get(None))

    def afflict_camera(self, fault: str, when: float, for_s: float | None = None) -> None:
        """Give the camera a fault: lost (it does not answer), blurred (nothing can be read). for_s
        None: for good."""
        if fault not in ("lost", "blurred"):
            raise ValueError(f"a camera has no fault {fault}; allowed lost, blurred")
        self.at(when, self._count_up, self._camera_faults, fault, 1)
        if for_s is not None:
            self.at(when + for_s, self._count_up, self._camera_faults, fault, -1)

    def camera_fault(self, fault: str) -> bool:
        """Whether the camera has that fault at this moment."""
        return bool(self._camera_faults.get(fault))

    def recover(self, card: Card) -> None:
        """The card reads again (from this very moment)."""
        if card._unread:
            card._unread = 0
            self._stir(card)

    def is_lost(self, antenna: int) -> bool:
        """Whether the antenna's reader does not answer at this moment."""
        return bool(self._fields[antenna].faults.get("lost"))

    # -- the look ----------------------------------------------------------------------------------

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        """The tags that answer one look of an antenna, in order of landing; None: the answer was
        corrupt.

        The look takes a snapshot at a random instant between its two times, so a card that lands
        meanwhile may be read or not.
        """
        # Called some forty times a virtual second and ten million times in a simulated night: one
        # draw decides the usual case, and everything else is left to `_unusual`.
        if self._due <= ended:
            self._elapse(started, ended)
        self.now = ended
        view = self._views.get(antenna)
        if view is None:
            view = self._see(antenna)
        draw = self._random()
        if draw < view[0]:
            return view[1]
        return self._unusual(antenna, view, draw)

    def _elapse(self, started: float, ended: float) -> None:
        self.advance(started)
        if self._due <= ended:
            self.advance(started + (ended - started) * self._random())

    def _see(self, antenna: int) -> _View:
        """Work out the view of a field as it is now."""
        field = self._fields.get(antenna)
        if field is None:
            raise ValueError(self._unknown(antenna))
        noise = self.noise
        cards = [c for c in field.cards if not (c.dead or c._unread)]
        pile: list[Card] = []
        limit = field.max_stack()
        if limit is not None and len(cards) > limit:
            pile = [c for c in cards if c._read is None]
            if len(pile) <= limit:
                pile = []
        miss, cross = field.miss, field.cross
        entries = [
            (c.uid, True, miss) if c._read is None else (c.uid, False, c._read)
            for c in cards
            if c._read is not None or not pile
        ]
        if cross:
            for near in field.near:
                for c in near.cards:
                    if c._read is None and not c.dead and not c._unread:
                        entries.append((c.uid, False, cross))  # noqa: PERF401
        if len({entry[0] for entry in entries}) < len(entries):
            entries = _once_each(entries)
        calm = share = 1.0 - noise.corrupt - noise.ghost - noise.shift
        within = []
        for entry in entries:
            share *= 1.0 - entry[2]
            within.append(share)
        simple = not pile and not field.faults
        view = _View(
            usual=share if simple else -1.0,
            answer=tuple([uid for uid, usually, _ in entries if usually]),
            calm=calm,
            entries=tuple(entries),
            within=tuple(within),
            pile=tuple([c.uid for c in pile]),
        )
        self._views[antenna] = view
        return view

    def _unusual(self, antenna: int, view: _View, draw: float) -> tuple[Uid, ...] | None:
        field = self._fields[antenna]
        faults = field.faults
        if faults:
            if "lost" in faults or "noise" in faults:
                return None
            if field.stuck is not None:
                return field.stuck
        answer = self._answer(field, view, draw)
        if faults and answer is not None:
            if "ghost" in faults and self._random() < max(faults["ghost"]):
                answer = self._ghost(answer)
            if "shift" in faults and self._random() < max(faults["shift"]):
                answer = self._shifted(answer)
            if "stuck" in faults:
                field.stuck = answer
        return answer

    def _answer(self, field: _Field, view: _View, draw: float) -> tuple[Uid, ...] | None:
        if draw >= view.calm:
            noise = self.noise
            kind = self._random() * (noise.corrupt + noise.ghost + noise.shift)
            if kind < noise.corrupt:
                return None
            answer = self._tags(field, view, self._random() * view.calm)
            return (
                self._ghost(answer) if kind < noise.corrupt + noise.ghost else self._shifted(answer)
            )
        return self._tags(field, view, draw)

    def _tags(self, field: _Field, view: _View, draw: float) -> tuple[Uid, ...]:
        """The tags read, from a draw between 0 and view.calm."""
        chance = self._random
        tags: list[Uid] = []
        if view.pile:
            miss = field.miss
            tags += [view.pile[i] for i in self._of_pile(field, len(view.pile)) if chance() >= miss]
        # The draw says which entry is the first to depart from the usual; those after it are drawn
        # freely.
        settled = True
        for i, (uid, usually, contrary) in enumerate(view.entries):
            if settled:
                departs = draw >= view.within[i]
                settled = not departs
            else:
                departs = chance() < contrary
            if usually is not departs:
                tags.append(uid)
        return tuple(tags)

    def _of_pile(self, field: _Field, cards: int) -> tuple[int, ...]:
        """Which cards of an overfull field can be told apart, by order of landing."""
        sticky = self.noise.stack == "sticky"
        if sticky and field.chosen is not None:
            return field.chosen
        limit = field.max_stack() or 0
        if limit == 2:  # the usual limit of a seat and of the muck
            one, two = int(self._random() * cards), int(self._random() * (cards - 1))
            found: tuple[int, ...] = (one, two + 1) if two >= one else (two, one)
        else:
            left = list(range(cards))
            found = tuple(sorted(left.pop(int(self._random() * len(left))) for _ in range(limit)))
        if sticky:
            field.chosen = found
        return found

    def _ghost(self, tags: tuple[Uid, ...]) -> tuple[Uid, ...]:
        """Two of the tags merge into one UID, their bitwise OR; tags of unlike kinds answer in
        unlike tongues and never merge."""
        if len(tags) < 2:
            return tags
        left = list(tags)
        one = left.pop(int(self._random() * len(left)))
        at = int(self._random() * len(left))
        if len(one) != len(left[at]):
            return tags
        left[at] = merged_uid(one, left[at])
        return tuple(left)

    def _shifted(self, tags: tuple[Uid, ...]) -> tuple[Uid, ...]:
        if not tags:
            return tags
        left = list(tags)
        at = int(self._random() * len(left))
        left[at] = shifted_uid(left[at])
        return tuple(left)

    # -- motions, when their moment has come -------------------------------------------------------

    def _put(
        self,
        card: Card,
        place: str,
        over: str | None = None,
        read: float | None = None,
        face_up: bool | None = None,
    ) -> None:
        self._stir(card)
        if card._field is not None:
            card._field.cards.remove(card)
        card.place = place
        card._field = field = self._by_place.get(over or place)
        card._read = read
        if face_up is not None:
            card.face_up = face_up
        if field is not None:
            field.cards.append(card)
            self._stir(card)

    def _stir(self, card: Card) -> None:
        """Something about a card's field has changed: it and its neighbours must be worked out
        again."""
        field = card._field
        if field is None or card._read == 0.0:
            return
        views = self._views
        views.pop(field.antenna.number, None)
        if card._read is None:  # a card in the air is too faint for the neighbours
            field.chosen = None
            for antenna in field.touches:
                views.pop(antenna, None)

    def _lift(self, place: str, hand: str, for_s: float, cure: bool) -> None:
        cards = self.lying(place)
        lifted = self._lifted.setdefault(place, [])
        if cure:
            for card in lifted:  # whoever holds them will put them back straight
                self.recover(card)
        lifted.extend(cards)
        for card in cards:
            self._put(card, hand)
        if cards:
            self.at(self.now + for_s, self._put_back, cards, hand, place, cure)

    def _put_back(self, cards: tuple[Card, ...], hand: str, place: str, cure: bool) -> None:
        lifted = self._lifted[place]
        for card in cards:
            lifted.remove(card)
            if cure:
                card._unread = 0
            if card.place == hand:
                self._put(card, place)

    def _count_up(self, counts: dict[str | None, int], key: str | None, by: int) -> None:
        counts[key] = counts.get(key, 0) + by

    def _bring(self, card: Card, source: str, place: str) -> None:
        if card.place == source:
            self._put(card, place)

    def _flip(self, card: Card, face_up: bool) -> None:
        card.face_up = face_up

    def _hide(self, card: Card, for_s: float | None) -> None:
        self._count += 1
        card._unread = mark = self._count
        self._stir(card)
        if for_s is not None:
            self.at(self.now + for_s, self._unhide, card, mark)

    def _unhide(self, card: Card, mark: int) -> None:
        if card._unread == mark:
            self.recover(card)

    def _kill(self, card: Card) -> None:
        card.dead = True
        self._stir(card)

    def _afflict(self, fault: str, antenna: int, for_s: float | None, level: float) -> None:
        field = self._fields[antenna]
        field.faults.setdefault(fault, []).append(level)
        field.chosen = None
        self._views.pop(antenna, None)
        if for_s is not None:
            self.at(self.now + for_s, self._relieve, fault, antenna, level)

    def _relieve(self, fault: str, antenna: int, level: float) -> None:
        field = self._fields[antenna]
        field.faults[fault].remove(level)
        if not field.faults[fault]:
            del field.faults[fault]
            if fault == "stuck":
                field.stuck = None
        field.chosen = None
        self._views.pop(antenna, None)

    def _unknown(self, antenna: int) -> str:
        return f"no antenna {antenna} at this table; there are {sorted(self._fields)}"


def _once_each(entries: list[tuple[Uid, bool, float]]) -> list[tuple[Uid, bool, float]]:
    """Two tags of one UID in a field answer as one."""
    first: dict[Uid, tuple[Uid, bool, float]] = {}
    for entry in entries:
        first.setdefault(entry[0], entry)
    return list(first.values())


def merged_uid(one: bytes, other: bytes) -> Uid:
    """The UID that a collision of two tags reads as: their bitwise OR."""
    width = max(len(one), len(other))
    both = int.from_bytes(one, "big") | int.from_bytes(other, "big")
    return Uid(both.to_bytes(width, "big"))


def shifted_uid(uid: bytes) -> Uid:
    """A UID read from one byte too early: the ISO 14443 cascade byte 88 before it, its last byte
    lost."""
    return Uid(b"\x88" + uid[:-1])


def _random_uid(source: random.Random, short: bool) -> Uid:
    """Seven bytes as in ISO 14443 (maker 04), or eight as in ISO 15693 (E0, maker 04); the rest is
    random."""
    return Uid((b"\x04" if short else b"\xe0\x04") + source.randbytes(6))


# -- the direct poll source: looks without a wire --------------------------------------------------


class Scheduler(Protocol):
    """Says which antenna is looked at next."""

    def next(self) -> int: ...


def polls(
    world: World, scheduler: Scheduler, sweep_s: float | None = None, start: float = 0.0
) -> Iterator[Poll | Health]:
    """Polls without a wire, for ever: poll n runs from start + n·c to start + (n + 1)·c, c =
    sweep_s / antennas.

    sweep_s None: the world's own. A look at a lost reader gives no poll; the reader's loss and its
    return are told once as Health (device "reader 1"), and told again once a round while no antenna
    answers at all, so that a consumer's time goes on.
    """
    cost = (world.noise.sweep_s if sweep_s is None else sweep_s) / len(world.antennas)
    of_reader = {a.number: a.reader for a in world.antennas}
    lost: dict[int, Health] = {}
    silent = 0
    n = 0
    ended = start
    look, following = world.look, scheduler.next
    seen, empty = Outcome.SEEN, Outcome.EMPTY
    # A named tuple's own constructor takes as long as the look.
    make = tuple.__new__
    while True:
        antenna = following()
        started = ended
        n += 1
        ended = start + n * cost
        uids = look(antenna, started, ended)
        if uids is None:
            if world.is_lost(antenna):
                reader = of_reader[antenna]
                silent += 1
                if reader not in lost or silent >= len(world.antennas):
                    lost[reader] = _health(world, reader, HealthState.LOST, ended)
                    silent = 0
                    yield lost[reader]
                continue
            silent = 0
            yield Poll(antenna, (), Outcome.NOISE, started, ended)
            continue
        if lost:
            silent = 0
            if lost.pop(of_reader[antenna], None) is not None:
                yield _health(world, of_reader[antenna], HealthState.OK, ended)
        yield make(Poll, (antenna, uids, seen if uids else empty, started, ended, True))


def _health(world: World, reader: int, state: HealthState, at: float) -> Health:
    antennas = tuple(a.number for a in world.antennas if a.reader == reader)
    reason = (
        f"reader {reader} does not answer; check its cable and power"
        if state is HealthState.LOST
        else f"reader {reader} answers again"
    )
    return Health(f"reader {reader}", state, reason, at, antennas)
