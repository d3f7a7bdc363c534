"""What a camera above the simulated table sees: the world's cards as `Sight`s, without a picture.

A model of the reader (`SightRates`), fast enough for thousands of hands. No random draw depends on
which card lies where, so two worlds that differ only in faces give the same sights but for the
faces in them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection
from math import inf
from typing import NamedTuple

from drivers.readings import (
    AreaSight,
    Face,
    Health,
    HealthState,
    SeenCard,
    Side,
    Sight,
    Uid,
    camera_name,
)
from drivers.sim.placed import PlacedCard
from drivers.sim.sight_rates import SightRates, TrueArea, TrueCard
from drivers.sim.world import RANKS, SUITS, Card, World
from drivers.table_plan import CARD_MM, Area, slot_mm, table_plan

HIDING_MM = 15.0
"""A card whose middle is nearer than this to that of one laid on it cannot be told from it."""

COVERING_MM = 0.5 * CARD_MM[0]
"""One whose middle is nearer than this covers more than half of it."""

WASH_HIDDEN = 0.6  # share of pictures in which the hands that wash the deck hide an area
_WASH_MM = 45.0  # how far from the middle of an area cards lie in a wash
_FACES = [rank + suit for suit in SUITS for rank in RANKS]
_BOARD_SLOTS = {"board": 0, "board/flop": 0, "board/turn": 3, "board/river": 4}


class _Spot:
    """Where a card lies, for as long as it lies there."""

    __slots__ = ("angle_deg", "misread", "since", "slot", "x_mm", "y_mm")

    def __init__(self, slot: int, x_mm: float, y_mm: float, angle_deg: float, since: float) -> None:
        self.slot = slot
        self.x_mm, self.y_mm, self.angle_deg = x_mm, y_mm, angle_deg
        self.since = since
        self.misread: tuple[float, float] | None = None  # drawn for its stay: whether, and as what


class _View(NamedTuple):
    """A card as it lies, and the side and face that pictures usually show of it. noticed: how often
    it leaves its area open if it is missed."""

    spot: _Spot
    up: bool
    code: str
    side: Side
    face: str | None
    noticed: float = 0.0

    def __repr__(self) -> str:
        return "<view of a card>"


class _Area:
    """One area and the cards in it, as of the last picture."""

    __slots__ = (
        "came_at",
        "cards",
        "clear_at",
        "departures",
        "false",
        "fresh",
        "name",
        "places",
        "plan",
        "reading",
        "sight",
        "spots",
        "until",
        "usual",
        "views",
        "washed",
        "within",
    )

    def __init__(self, name: str, plan: Area, places: tuple[str, ...]) -> None:
        self.name = name
        self.plan = plan
        self.places = places
        self.cards: list[tuple[Card, bool]] = []
        self.spots: dict[Card, _Spot] = {}
        self.clear_at = -inf  # a hand hides it until then
        self.washed = False
        self.fresh = True  # whether what follows is to be worked out anew
        self.reading = AreaSight(name, ())  # what was read last,
        self.until = -inf  # and when it is read anew
        self.came_at = -inf  # since when the same cards lie there
        self.sight = AreaSight(name, ())  # what most pictures show, and which share of them does
        self.usual = 0.0
        self.views: list[_View] = []
        self.false: tuple[SeenCard, ...] = ()  # seen there for as long as nothing moves
        self.departures: list[tuple[int, str, float]] = []  # of which view, how, how often
        self.within: list[float] = []  # share of pictures with no departure up to each


class CameraModel:
    """The pictures of one camera, in the world's virtual time.

    areas: what it looks at, by name; None: all of the table's plan. rates: how well. start: of the
    first picture. Pictures follow each other without end; `due` is when the next one begins.
    """

    def __init__(
        self,
        world: World,
        seats: int,
        rates: SightRates | None = None,
        *,
        areas: Collection[str] | None = None,
        camera: int = 1,
        seed: int = 0,
        start: float = 0.0,
    ) -> None:
        self.rates = rates or SightRates()
        self.camera = camera
        self.due = start
        self._world = world
        self._chance = random.Random(f"camera {camera} {seed}")
        plan = table_plan(seats)
        wanted = [name for name in plan if (areas is None or name in areas) and name != "count"]
        self._areas = [_Area(name, plan[name], self._places(name)) for name in wanted]
        self._motions = -1
        self._told: HealthState | None = None

    def __repr__(self) -> str:
        return f"<model of camera {self.camera}>"

    def _places(self, area: str) -> tuple[str, ...]:
        if area == "board":
            return tuple(_BOARD_SLOTS)
        return (area,)

    def look(self) -> Sight | Health:
        """The next picture, read; or that the camera is lost, or back."""
        rates, world = self.rates, self._world
        started = self.due
        ended = started + rates.exposure_s
        self.due = started + rates.frame_s
        world.advance(max(world.now, started + rates.exposure_s * self._chance.random()))
        if world.camera_fault("lost"):
            self._told = HealthState.LOST
            return self._health(HealthState.LOST, ended)
        if self._told is HealthState.LOST:
            self._told = None
            self.due = ended
            return self._health(HealthState.OK, ended)
        if world.motions != self._motions:
            self._motions = world.motions
            for area in self._areas:
                self._note(area, ended)
        blurred = world.camera_fault("blurred")
        seen = tuple([self._see(area, ended, blurred) for area in self._areas])
        return Sight(self.camera, started, ended, seen)

    def again(self, areas: Collection[str]) -> Sight:
        """Another picture of these areas at the same moment."""
        now = self._world.now
        mine = [area for area in self._areas if area.name in areas]
        for area in mine:
            area.until = -inf
        return Sight(self.camera, now, now, tuple([self._see(area, now, False) for area in mine]))

    def truth(self) -> tuple[TrueArea, ...]:
        """What really lies in the areas at this moment, for a fit."""
        now = self._world.now
        return tuple(
            TrueArea(
                a.name,
                tuple(
                    self._truth(a, card, s, up)
                    for card, up in a.cards
                    if (s := a.spots.get(card)) is not None
                ),
                now >= a.clear_at and not a.washed and not self._world.covered(a.name),
            )
            for a in self._areas
        )

    def lying(self, now: float) -> tuple[tuple[PlacedCard, ...], frozenset[str]]:
        """Every card that a camera could see at this moment, the lower ones first, and the areas
        that a hand is over; for whoever draws a picture of it. `now`: not before the last one.
        """
        world = self._world
        world.advance(max(world.now, now))
        if world.motions != self._motions:
            self._motions = world.motions
            for area in self._areas:
                self._note(area, now)
        cards = tuple(
            PlacedCard(spot.x_mm, spot.y_mm, spot.angle_deg, card.face, up, card.deck)
            for area in self._areas
            for card, up in area.cards
            if (spot := area.spots.get(card)) is not None
        )
        hands = frozenset(a.name for a in self._areas if now < a.clear_at or world.covered(a.name))
        return cards, hands

    def true_uids(self) -> dict[str, list[tuple[float, float, Uid]]]:
        """Which tag really lies where in each area, for whoever judges a simulation."""
        return {
            a.name: [
                (s.x_mm, s.y_mm, card.uid)
                for card, _ in a.cards
                if (s := a.spots.get(card)) is not None
            ]
            for a in self._areas
        }

    def _health(self, state: HealthState, at: float) -> Health:
        name = camera_name(self.camera)
        reason = (
            f"{name} gives no pictures; check its cable and power"
            if state is HealthState.LOST
            else f"{name} gives pictures again"
        )
        return Health(name, state, reason, at)

    # -- what lies there ---------------------------------------------------------------------------

    def _note(self, area: _Area, now: float) -> None:
        """Take note of what has changed in an area."""
        found = self._lying(area)
        cards = [(card, card.face_up) for card in found]
        if cards == area.cards:
            return
        before = {card for card, _ in area.cards}
        after = set(found)
        area.cards = cards
        area.fresh = True
        area.washed = any(card.place == "table" for card in found) and area.name != "table"
        for card in before - after:
            area.spots.pop(card, None)
        for card in found:
            if card not in area.spots:
                area.spots[card] = self._put(area, card, now)
        if before == after or self._only_dealt(area, before, after):
            return
        area.clear_at = max(area.clear_at, now + self.rates.hand_s * self._chance.random())

    def _only_dealt(self, area: _Area, before: set[Card], after: set[Card]) -> bool:
        """Whether a card was pitched to a seat: no hand comes near it."""
        return area.name.startswith("seat/") and before < after

    def _lying(self, area: _Area) -> list[Card]:
        world = self._world
        if area.name in ("stub", "table"):
            return list(world.showing(area.name))
        return [card for place in area.places for card in world.upon(place)]

    def _put(self, area: _Area, card: Card, now: float) -> _Spot:
        chance, rates = self._chance, self.rates
        if card.place == "table" or area.name in ("stub", "table"):
            across, up = (chance.uniform(-_WASH_MM, _WASH_MM) for _ in range(2))
            x, y = area.plan.at(across, up)
            return _Spot(-1, x, y, chance.uniform(0.0, 180.0), now)
        taken = {spot.slot for spot in area.spots.values()}
        slot = _BOARD_SLOTS.get(card.place, 0)
        while slot in taken:
            slot += 1
        x, y, angle = slot_mm(area.plan, area.name, slot)
        x += chance.gauss(0.0, rates.place_mm) if rates.place_mm else 0.0
        y += chance.gauss(0.0, rates.place_mm) if rates.place_mm else 0.0
        return _Spot(slot, x, y, angle, now)

    def _truth(self, area: _Area, card: Card, spot: _Spot, up: bool) -> TrueCard:
        upon_mm, _ = self._upon(area, card)
        return TrueCard(
            spot.x_mm,
            spot.y_mm,
            up,
            card.face,
            upon_mm < HIDING_MM,
            self._world.now - spot.since,
            upon_mm < COVERING_MM,
        )

    def _upon(self, area: _Area, card: Card) -> tuple[float, bool]:
        """How near the middle of the nearest card that was laid on it is, and whether that one lies
        face up; infinitely far where there is none."""
        cards = [c for c, _ in area.cards]
        spot = area.spots[card]
        later = [
            (math.hypot(o.x_mm - spot.x_mm, o.y_mm - spot.y_mm), up)
            for other, up in area.cards[cards.index(card) + 1 :]
            if (o := area.spots.get(other)) is not None
        ]
        return min(later, default=(math.inf, False))

    # -- what is seen of it ------------------------------------------------------------------------

    def _see(self, area: _Area, now: float, blurred: bool) -> AreaSight:
        if blurred or self._world.covered(area.name) or now < area.clear_at:
            area.until = -inf
            return AreaSight(area.name, (), False)
        if area.washed:
            if self._chance.random() < WASH_HIDDEN:
                return AreaSight(area.name, (), False)
            self._work_out(area, now)
            return area.sight._replace(clear=False)
        if area.fresh:
            self._work_out(area, now)
            area.until, area.came_at = -inf, now
        if now >= area.until:
            area.reading = self._read(area)
            area.until = now + self.rates.again_s
            if now >= area.came_at + self.rates.open_s:
                area.reading = area.reading._replace(whole=True)
        return area.reading

    def _read(self, area: _Area) -> AreaSight:
        """As for a look of an antenna, one draw decides the usual case."""
        draw = self._chance.random()
        if draw < area.usual:
            return area.sight
        unclear = _passing(self.rates.unclear, self.rates.unclear_lasts)
        if draw >= 1.0 - unclear:
            return AreaSight(area.name, (), False)
        cards, whole = self._unusual(area, draw / (1.0 - unclear))
        return AreaSight(area.name, cards, area.sight.clear, area.sight.whole and whole)

    def _work_out(self, area: _Area, now: float) -> None:
        """What a picture usually shows of the area as it is, how often it does, and what may depart
        from that. What errs as long as nothing moves is a part of the usual."""
        rates, chance = self.rates, self._chance.random
        cards: list[SeenCard] = []
        departures: list[tuple[int, str, float]] = []
        area.views = []
        area.fresh = False
        whole = chance() >= rates.doubted * rates.doubted_lasts
        mixed = len({up for _, up in area.cards}) > 1
        for card, up in area.cards:
            spot = area.spots[card]
            if now < spot.since + rates.blur_s:
                area.fresh = True
                continue
            n = len(area.views)
            view = self._usual(spot, up, card.face)
            upon_mm, upon_up = self._upon(area, card)
            missed = rates.missed_up if up else rates.missed_down
            if upon_mm < COVERING_MM:
                missed = rates.missed_mixed if mixed else rates.missed_covered
            misses = chance() < missed * rates.missed_lasts
            noticed = rates.noticed_covered if upon_mm < COVERING_MM else rates.noticed
            view = view._replace(noticed=noticed)
            notices = chance() < noticed
            if upon_mm < HIDING_MM:
                # What shows in its place is mostly the one that lies on it.
                side = Side.UP if upon_up else Side.DOWN
                area.views.append(view._replace(up=upon_up, side=side, face=None))
                departures.append((n, "shown", rates.hidden_seen))
                continue
            if misses:
                whole = whole and not notices
                continue
            area.views.append(view)
            departures.append((n, "missed", _passing(missed, rates.missed_lasts)))
            departures.append((n, "side", _passing(rates.side_errs, rates.side_lasts)))
            if up:
                departures.append((n, "face", _passing(rates.face_errs, rates.face_lasts)))
            cards.append(_seen(view))
        false = rates.false_down + rates.false_up
        departures.append((-1, "false", _passing(false, rates.false_lasts)))
        area.false = (self._false(area),) if chance() < false * rates.false_lasts else ()
        cards += area.false
        departures.append((-1, "doubted", _passing(rates.doubted, rates.doubted_lasts)))
        clear = chance() >= rates.unclear * rates.unclear_lasts
        area.sight = AreaSight(area.name, tuple(cards), clear, whole)
        area.departures = departures
        share = 1.0
        area.within = [share := share * (1.0 - d[2]) for d in departures]
        area.usual = share * (1.0 - _passing(rates.unclear, rates.unclear_lasts))

    def _usual(self, spot: _Spot, up: bool, code: str) -> _View:
        """What pictures usually show of a card: what it is, but for errors that last."""
        rates, chance = self.rates, self._chance.random
        side, draw = Side.UP if up else Side.DOWN, chance()
        if draw < rates.side_errs * rates.side_lasts:
            side = self._other_side(up, draw / rates.side_lasts)
        if spot.misread is None:
            spot.misread = (chance(), chance())
        face = code if up else None
        if face is not None and spot.misread[0] < rates.face_errs * rates.face_lasts:
            face = self._other_face(code, spot.misread[0] / rates.face_lasts, spot.misread[1])
        return _View(spot, up, code, side, face)

    def _other_side(self, up: bool, draw: float) -> Side:
        """What is told instead of a card's side. draw: from 0 to `side_errs`."""
        if draw < self.rates.side_unsure:
            return Side.UNSURE
        return Side.DOWN if up else Side.UP

    def _other_face(self, code: str, draw: float, which: float) -> str | None:
        """What is told instead of a card's face. draw: from 0 to `face_errs`; which: 0 to 1."""
        if draw >= self.rates.face_wrong or code not in _FACES:
            return None
        return _FACES[(_FACES.index(code) + 1 + int(which * 51)) % 52]

    def _unusual(self, area: _Area, draw: float) -> tuple[tuple[SeenCard, ...], bool]:
        """A picture in which something departs from the usual, and whether it is whole: the draw
        says what is the first to depart, and those after it are drawn freely."""
        chance = self._chance.random
        first = next((i for i, w in enumerate(area.within) if draw >= w), 0)
        departs = {
            (d[0], d[1])
            for i, d in enumerate(area.departures)
            if i == first or (i > first and chance() < d[2])
        }
        hidden = {d[0] for d in area.departures if d[1] == "shown"}
        found = [
            self._view(view, {kind for n, kind in departs if n == at})
            for at, view in enumerate(area.views)
            if ((at, "shown") in departs if at in hidden else (at, "missed") not in departs)
        ]
        found += area.false
        if (-1, "false") in departs:
            found.append(self._false(area))
        missed = [n for n in range(len(area.views)) if (n, "missed") in departs]
        noticed = sum(chance() < area.views[n].noticed for n in missed)
        return tuple(found), not noticed and (-1, "doubted") not in departs

    def _view(self, view: _View, departs: set[str]) -> SeenCard:
        rates, chance = self.rates, self._chance.random
        kind, which = chance(), chance()
        if "side" in departs:
            view = view._replace(side=self._other_side(view.up, kind * rates.side_errs))
        if view.up and "face" in departs:
            face = self._other_face(view.code, kind * rates.face_errs, which)
            view = view._replace(face=face)
        shake, gauss = rates.shake_mm, self._chance.gauss
        seen = _seen(view)
        return seen._replace(x_mm=seen.x_mm + gauss(0.0, shake), y_mm=seen.y_mm + gauss(0.0, shake))

    def _false(self, area: _Area) -> SeenCard:
        """A card that is not there."""
        rates, chance = self.rates, self._chance
        x, y = area.plan.at(
            chance.uniform(-0.4, 0.4) * area.plan.width_mm,
            chance.uniform(-0.4, 0.4) * area.plan.height_mm,
        )
        up = chance.random() * (rates.false_down + rates.false_up) < rates.false_up
        return SeenCard(x, y, chance.uniform(0.0, 180.0), Side.UP if up else Side.DOWN)


def _passing(rate: float, lasts: float) -> float:
    """How often a picture errs for once, where that share of its errors lasts."""
    return rate * (1.0 - lasts) / (1.0 - rate * lasts) if rate < 1.0 else 1.0 - lasts


def _seen(view: _View) -> SeenCard:
    spot, up = view.spot, view.side is Side.UP
    face = _face(view.face) if up else None
    return SeenCard(spot.x_mm, spot.y_mm, spot.angle_deg, view.side, face)


def _face(face: str | None) -> Face | None:
    """The printed face; jokers of a deck are not told apart."""
    if face is None or face == "foreign":
        return None
    return Face("joker" if face.startswith("joker") else face)
