"""What the hardware says, before anybody knows about cards. Times are monotonic seconds.

A reading is a value: it can be recorded, replayed and compared. UIDs identify cards to whoever
holds a deck's map, so nothing here ever prints one (`Uid` masks itself).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Uid(bytes):
    """A tag's unique identifier, most significant byte first. Prints as a mask; use `.hex()` at the
    one place that must write it (the wire, the sealed journal)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<uid>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format("<uid>", spec)


class Outcome(StrEnum):
    """How one look of one antenna ended. Only `SEEN` and `EMPTY` are clean; `NOISE` proves
    nothing."""

    SEEN = "seen"
    EMPTY = "empty"
    NOISE = "noise"


class Poll(NamedTuple):
    """One look of one antenna.

    antenna: number of the antenna at this table, 1 to 16 and more.
    uids: tags that answered, in the reader's order.
    started, ended: monotonic seconds; every tag named was in the field at some moment between them.
    complete: False for a reader that pushes single tags; such a poll says nothing of tags it does
    not name.
    """

    antenna: int
    uids: tuple[Uid, ...]
    outcome: Outcome
    started: float
    ended: float
    complete: bool = True


class HealthState(StrEnum):
    OK = "ok"
    LOST = "lost"
    DEGRADED = "degraded"


@dataclass(frozen=True, slots=True)
class Health:
    """A change in a device's state. `reason` says what, where and what to do next, in a dealer's
    words."""

    device: str
    state: HealthState
    reason: str
    at: float
    antennas: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ButtonReading:
    """Every seat at which a dealer button is sensed; none and two are states of their own. None:
    nobody can tell any more."""

    seats: tuple[int, ...] | None
    at: float


@dataclass(frozen=True, slots=True)
class SeatReading:
    """Whether somebody sits there. None: nobody can tell any more (a lost board is no empty
    seat)."""

    seat: int
    occupied: bool | None
    at: float


@dataclass(frozen=True, slots=True)
class KeyPress:
    """A dealer's key: shuffled, new-hand, end-hand, misdeal, count, confirm, deck-change, turned,
    quiet."""

    key: str
    at: float


class Face:
    """A card's face as a camera read it. Prints as a mask; `code` ("As", "Td", "joker") is for the
    one place that must compare it or, once the rules made it public, show it.

    A value, and no dataclass: those give their fields away to `dataclasses.asdict` and `pprint`.
    """

    __slots__ = ("_code",)
    __match_args__ = ("code",)

    def __init__(self, code: str) -> None:
        self._code = code

    @property
    def code(self) -> str:
        return self._code

    def __eq__(self, other: object) -> bool:
        return self._code == other._code if isinstance(other, Face) else NotImplemented

    def __hash__(self) -> int:
        return hash((Face, self._code))

    def __repr__(self) -> str:
        return "<face>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format("<face>", spec)


class Side(StrEnum):
    """Which way up a card lies."""

    UP = "up"
    DOWN = "down"
    UNSURE = "unsure"


class SeenCard(NamedTuple):
    """A card in a picture.

    x_mm, y_mm: its middle on the table (`drivers.table_plan`). angle_deg: anticlockwise from the
    line across the table to the card's long side, 0 to 180. side: which way up. face: only where
    the reader accepted it. confidence: of side and face together, 0 to 1.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    side: Side
    face: Face | None = None
    confidence: float = 1.0


class AreaSight(NamedTuple):
    """What one area of the table showed in one picture.

    area: its name on the table, as a zone's: "seat/4", "board", "burn", "muck", "stub", "table".
    cards: those that lie in it, in no order. clear: nothing hides any of it, and it is sharp and
    lit well enough. whole: nothing looks like a card that was not made out.
    """

    area: str
    cards: tuple[SeenCard, ...]
    clear: bool = True
    whole: bool = True

    @property
    def proves(self) -> bool:
        """Whether no other cards lie there than those that it names."""
        return self.clear and self.whole


class Sight(NamedTuple):
    """One picture of one camera, as read.

    camera: its number at this table. started, ended: monotonic seconds of the exposure. areas:
    those that were looked at; the others are not spoken of.
    """

    camera: int
    started: float
    ended: float
    areas: tuple[AreaSight, ...]


Reading = Poll | Sight | Health | ButtonReading | SeatReading | KeyPress


def camera_name(camera: int) -> str:
    """What a camera is called as a device, as in `Health.device`."""
    return f"camera {camera}"
