"""Seats, zones and the layout of a table: which antenna, or which camera, watches which zone.

Seats are numbered 1..N clockwise as seen from above; seat 1 is at the dealer's left hand. A zone is
named by the table's own words: ``seat/4``, ``board`` (or ``board/flop``, ``board/turn``,
``board/river``), ``burn``, ``muck``,
``count``, ``stub``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NewType

from calibration.profiles import AntennaProfile, symmetric_neighbours

Zone = NewType("Zone", str)

BOARD = Zone("board")
BOARD_FLOP = Zone("board/flop")
BOARD_TURN = Zone("board/turn")
BOARD_RIVER = Zone("board/river")
BURN = Zone("burn")
MUCK = Zone("muck")
COUNT = Zone("count")
STUB = Zone("stub")
TABLE = Zone("table")
"""Anywhere on the table; only a camera sees it, and what lies there is in no zone."""

MAX_SEATS = 11


def seat_zone(seat: int) -> Zone:
    return Zone(f"seat/{seat}")


def seat_of(zone: Zone) -> int | None:
    """The seat number of a seat zone, else None."""
    return int(zone[5:]) if zone.startswith("seat/") else None


def is_board(zone: Zone) -> bool:
    return zone == "board" or zone.startswith("board/")


class Arrival(StrEnum):
    """What a card's first sight at a zone says. LANDING: the antenna covers where a dealt card
    lands, so the time of arrival is the time of dealing. PLACEMENT: the player brings the card;
    only presence and count are judged."""

    LANDING = "landing"
    PLACEMENT = "placement"


@dataclass(frozen=True, slots=True)
class AntennaPlace:
    """An antenna, the zone it watches, and what arrival there means.

    camera: the camera that watches the zone in the place of an antenna; the profile then says how
    well that camera sees, and its number is no antenna's.
    """

    profile: AntennaProfile
    zone: Zone
    arrival: Arrival = Arrival.LANDING
    camera: int | None = None

    @property
    def antenna(self) -> int:
        return self.profile.antenna


@dataclass(frozen=True, slots=True)
class AreaPlace:
    """A part of the table that a camera looks at, by the name of its zone."""

    zone: Zone
    camera: int = 1


@dataclass(frozen=True)
class Layout:
    """A table's antennas. One antenna watches one zone; a zone may be watched by one antenna only.

    `burn_is_muck`: the burn and muck piles share the antenna of zone ``muck``; there is then no
    ``burn`` zone and a card there is told apart by where it came from. `count_is_burn`: the deck
    count passes over the burn antenna. `areas`: what cameras look at, beside the antennas or in
    their place.
    """

    seats: int
    antennas: tuple[AntennaPlace, ...]
    burn_is_muck: bool = False
    count_is_burn: bool = False
    areas: tuple[AreaPlace, ...] = ()

    @cached_property
    def by_antenna(self) -> Mapping[int, AntennaPlace]:
        return {a.antenna: a for a in self.antennas}

    @cached_property
    def by_zone(self) -> Mapping[Zone, AntennaPlace]:
        return {a.zone: a for a in self.antennas}

    @property
    def camera_alone(self) -> bool:
        """Whether no antenna is at the table, and cameras see its cards."""
        return bool(self.antennas) and all(a.camera is not None for a in self.antennas)

    @property
    def burn_zone(self) -> Zone:
        """Where a burn card is expected to be read."""
        return MUCK if self.burn_is_muck else BURN

    @cached_property
    def board_zones(self) -> tuple[Zone, ...]:
        return tuple(a.zone for a in self.antennas if is_board(a.zone))

    def board_zone(self, street: str) -> Zone:
        """The zone in which that street's board cards land (street: flop, turn or river)."""
        own = Zone(f"board/{street}")
        return own if own in self.by_zone else BOARD


REFERENCE_MAX_STACK: Mapping[str, int] = {"seat": 2, "burn": 4, "board": 5, "muck": 2}


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """How a table departs from the reference: the words of a scenario's ``antennas`` line."""

    seats: int = MAX_SEATS
    board: str = "one"  # one | three
    burn: str = "own"  # own | muck
    stub: str = "none"  # none | own
    count: str = "own"  # own | burn
    placement_seats: frozenset[int] = frozenset()
    max_stack: Mapping[str, int] | None = None  # by seat, burn, board, muck; None: no limits
    miss_rate: float = 0.05
    cross_rate: float = 0.02
    camera: str = "none"  # none | beside | alone
    camera_miss: float = 0.005
    extra: Mapping[str, str] = field(default_factory=dict)


def reference_layout(options: LayoutOptions | None = None) -> Layout:
    """The reference table, or a variant of it, on 8-antenna readers or under one camera.

    Antenna n watches seat n for the seats; board, burn, muck, count and stub follow. Neighbours are
    seats next to each other along the rail, and board-burn, burn-muck (board-muck where burn and
    muck share an antenna): the three piles that lie before the dealer.
    """
    o = options or LayoutOptions()
    zones = [seat_zone(s) for s in range(1, o.seats + 1)]
    alone = o.camera == "alone"
    one_board = o.board == "one" or alone
    zones += [BOARD] if one_board else [BOARD_FLOP, BOARD_TURN, BOARD_RIVER]
    if o.burn == "own":
        zones.append(BURN)
    zones.append(MUCK)
    if o.count == "own" and not alone:
        zones.append(COUNT)
    if o.stub == "own" and not alone:
        zones.append(STUB)
    number = {z: i for i, z in enumerate(zones, start=1)}
    pairs = [(number[seat_zone(s)], number[seat_zone(s + 1)]) for s in range(1, o.seats)]
    boards = [number[z] for z in zones if is_board(z)]
    pairs += list(itertools.pairwise(boards))
    first_board = boards[0]
    if o.burn == "own":
        pairs += [(first_board, number[BURN]), (number[BURN], number[MUCK])]
    else:
        pairs += [(first_board, number[MUCK])]
    neighbours = symmetric_neighbours(tuple(pairs))
    limits = o.max_stack or {}

    def place(zone: Zone) -> AntennaPlace:
        n = number[zone]
        kind = zone.split("/")[0]
        placement = kind == "seat" and seat_of(zone) in o.placement_seats
        return AntennaPlace(
            profile=AntennaProfile(
                antenna=n,
                reader=(n - 1) // 8 + 1,
                port=(n - 1) % 8 + 1,
                neighbours=() if alone else neighbours.get(n, ()),
                miss_rate=o.camera_miss if alone else o.miss_rate,
                cross_rate=0.0 if alone else o.cross_rate,
                max_stack=None if alone else limits.get(kind),
            ),
            zone=zone,
            arrival=Arrival.PLACEMENT if placement else Arrival.LANDING,
            camera=1 if alone else None,
        )

    return Layout(
        seats=o.seats,
        antennas=tuple(place(z) for z in zones),
        burn_is_muck=o.burn == "muck",
        count_is_burn=o.count == "burn",
        areas=() if o.camera == "none" else camera_areas(o.seats, o.burn == "own"),
    )


def camera_areas(seats: int, burn: bool = True) -> tuple[AreaPlace, ...]:
    """What one camera above the table looks at."""
    zones = [*(seat_zone(s) for s in range(1, seats + 1)), BOARD, MUCK, STUB, TABLE]
    return tuple(AreaPlace(z) for z in (*zones, *([BURN] if burn else [])))
