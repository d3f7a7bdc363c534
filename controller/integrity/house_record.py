"""What a table learns over nights, of the house's shuffle and of its tags, and what it knows since
the last hand: values, and how they are spelled for the disk.

The spelling's length tells how many tags and nights there are and nothing of the cards: numbers
have a fixed width, and every tag has room for all the nights that are kept.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.integrity.shuffles import (
    AGES,
    DECK,
    FIT_HANDS,
    Returns,
    RoutineError,
    Shuffle,
    fit,
    routine,
)
from controller.integrity.watched import Stand
from controller.integrity.wear import NIGHTS_KEPT, NightLooks, Wear
from drivers.readings import Uid

REFIT_HANDS: Final = 60
"""So many more hands are counted before the house's shuffle is fitted again."""
FEWEST_HANDS: Final = 60
"""A night of fewer is added to the next one: what a few hands add would tell whose cards they
showed."""
LONGEST_NIGHT_S: Final = 86_400.0
"""A table that never stops has a night each day."""

_DIGITS = 10
_BELIEF_CHARACTERS = 400
_LOOKS = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class Belief:
    """What was fitted: the shuffle, whether it explains the counts, and to how many hands' it was
    fitted."""

    shuffle: Shuffle
    explained: bool
    hands: int


@dataclass(frozen=True, slots=True, repr=False)
class Tonight:
    """What a night has added so far. number: of the night, from 1. began_at: journal's seconds.
    returns: by hole cards a player. looks: by tag."""

    number: int = 1
    began_at: float = 0.0
    hands: int = 0
    returns: Mapping[int, Returns] = field(default_factory=dict)
    looks: Mapping[Uid, NightLooks] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<night {self.number}, {self.hands} hands>"

    def hand(self, looks: Mapping[Uid, tuple[int, int]]) -> Tonight:
        """One more hand, with what was looked at in it."""
        grown = dict(self.looks)
        for uid, (looked, read) in looks.items():
            before = grown.get(uid, NightLooks(0, 0))
            grown[uid] = NightLooks(before.looks + looked, before.reads + read)
        return replace(self, hands=self.hands + 1, looks=grown)

    def is_over(self, at: float, stopped: bool) -> bool:
        """Whether it is to be added to the record: with a clean stop, or after a day."""
        if self.hands < FEWEST_HANDS:
            return False
        return stopped or at - self.began_at >= LONGEST_NIGHT_S


@dataclass(frozen=True, slots=True, repr=False)
class HouseRecord:
    """Nights that are over. nights: how many. returns, beliefs: by hole cards a player, as another
    game deals other hands. looks: each tag's nights, oldest first."""

    nights: int = 0
    returns: Mapping[int, Returns] = field(default_factory=dict)
    beliefs: Mapping[int, Belief] = field(default_factory=dict)
    looks: Mapping[Uid, tuple[NightLooks, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<record of {self.nights} nights, {len(self.looks)} tags>"

    def night(self, tonight: Tonight, known: Mapping[Uid, str]) -> HouseRecord:
        """The record with one more night. known: the deck of every tag that the house still
        knows."""
        if tonight.number <= self.nights:
            return self  # it is in here already: a power cut came before anybody was told
        before = Wear({uid: nights for uid, nights in self.looks.items() if uid in known})
        after = before.night({u: n for u, n in tonight.looks.items() if u in known})
        return replace(
            self,
            nights=tonight.number,
            returns=summed(self.returns, tonight.returns),
            looks={uid: after.nights.get(uid, ()) for uid in _whole_decks(after.nights, known)},
        )

    def wear(self, tags: Iterable[Uid]) -> Wear:
        """The wear of one deck: of those tags."""
        return Wear({uid: nights for uid in tags if (nights := self.looks.get(uid))})

    def believed(self, usual: Shuffle) -> Shuffle:
        """The house's own shuffle, or the usual one as long as nothing is fitted."""
        belief = self.beliefs.get(usual.hole)
        return usual if belief is None else belief.shuffle

    def fitted(self, tonight: Tonight, usual: Shuffle) -> HouseRecord:
        """The record with the shuffle fitted anew, where enough hands more were counted; else
        itself. Takes seconds where it is fitted."""
        counted = summed(self.returns, tonight.returns).get(usual.hole, Returns())
        belief = self.beliefs.get(usual.hole)
        if counted.hands < (FIT_HANDS if belief is None else belief.hands + REFIT_HANDS):
            return self
        found = fit(counted, usual)
        new = Belief(found.shuffle, bool(found.explained), counted.hands)
        return replace(self, beliefs={**self.beliefs, usual.hole: new})


@dataclass(frozen=True, slots=True, repr=False)
class Kept:
    """What is kept after each hand and each count: where the table stood, the night so far, and the
    watch list of the deck in play as `Watchlist.save` gives it (empty: none yet)."""

    stand: Stand
    tonight: Tonight
    watch: bytes

    def __repr__(self) -> str:
        return f"<kept after hand {self.stand.hand}>"


def summed(one: Mapping[int, Returns], other: Mapping[int, Returns]) -> dict[int, Returns]:
    """Returns of the same games added up."""
    games = sorted(one.keys() | other.keys())
    return {g: one.get(g, Returns()) + other.get(g, Returns()) for g in games}


def _whole_decks(some: Iterable[Uid], known: Mapping[Uid, str]) -> set[Uid]:
    """Every tag of the decks of which some are meant."""
    decks = {known[uid] for uid in some if uid in known}
    return {uid for uid, deck in known.items() if deck in decks}


# ---- spelling


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


_Numbers = Annotated[str, Field(pattern=rf"^\d{{{_DIGITS}}}( \d{{{_DIGITS}}})*$")]
_Hole = Annotated[str, Field(pattern=r"^[1-9]$")]
_UidText = Annotated[str, Field(pattern=r"^([0-9a-f]{2}){1,16}$")]


class _Returns(_Strict):
    waited: _Numbers
    again: _Numbers
    dealt: _Numbers
    seen: _Numbers


class _Belief(_Strict):
    parts: list[tuple[float, str]]
    players: int
    explained: bool
    hands: int


class _Record(_Strict):
    nights: _Numbers
    returns: dict[_Hole, _Returns]
    beliefs: dict[_Hole, str]
    looks: dict[_UidText, Annotated[str, Field(pattern=r"^([0-9a-f]{16})*$")]]


class _Stand(_Strict):
    deck: str | None
    hand: int
    ended_at: float | None
    counted_at: float | None


class _Kept(_Strict):
    stand: _Stand
    number: int
    began_at: float
    hands: int
    returns: dict[_Hole, _Returns]
    looks: dict[_UidText, _Numbers]


def spell_record(record: HouseRecord) -> bytes:
    """The record as bytes. Every tag takes the room of `NIGHTS_KEPT` nights."""
    return json.dumps(
        {
            "nights": _figures(record.nights),
            "returns": _returns_told(record.returns),
            "beliefs": {str(hole): _belief_told(b) for hole, b in record.beliefs.items()},
            "looks": {uid.hex(): _nights_told(record.looks[uid]) for uid in sorted(record.looks)},
        }
    ).encode()


def read_record(spelled: bytes) -> HouseRecord:
    """Raises ValueError, without what was read, for anything else."""
    try:
        told = _Record.model_validate_json(spelled)
        return HouseRecord(
            nights=_numbers(told.nights, 1)[0],
            returns=_returns(told.returns),
            beliefs={int(hole): _belief(text, int(hole)) for hole, text in told.beliefs.items()},
            looks={
                Uid(bytes.fromhex(uid)): _nights(bytes.fromhex(text))
                for uid, text in told.looks.items()
            },
        )
    except (ValidationError, ValueError, RoutineError):
        raise ValueError("not a record as this build keeps it") from None


def spell_kept(kept: Kept, known: Mapping[Uid, str]) -> bytes:
    """What is kept as bytes. known: the deck of every tag of the house; each tag of a deck that was
    on the table tonight takes the same room."""
    night, stand = kept.tonight, kept.stand
    none = NightLooks(0, 0)
    looks = {uid: night.looks.get(uid, none) for uid in sorted(_whole_decks(night.looks, known))}
    head = {
        "stand": {
            "deck": stand.deck,
            "hand": stand.hand,
            "ended_at": stand.ended_at if stand.ended_at > float("-inf") else None,
            "counted_at": stand.counted_at,
        },
        "number": night.number,
        "began_at": night.began_at,
        "hands": night.hands,
        "returns": _returns_told(night.returns),
        "looks": {uid.hex(): _figures(n.looks, n.reads) for uid, n in looks.items()},
    }
    return json.dumps(head).encode() + b"\n" + kept.watch


def read_kept(spelled: bytes) -> Kept:
    """Raises ValueError, without what was read, for anything else."""
    head, _, watch = spelled.partition(b"\n")
    try:
        told = _Kept.model_validate_json(head)
        looks = {Uid(bytes.fromhex(u)): NightLooks(*_numbers(n, 2)) for u, n in told.looks.items()}
        s = told.stand
        ended_at = float("-inf") if s.ended_at is None else s.ended_at
        return Kept(
            Stand(s.deck, s.hand, ended_at, s.counted_at),
            Tonight(
                told.number,
                told.began_at,
                told.hands,
                _returns(told.returns),
                {uid: n for uid, n in looks.items() if n.looks},
            ),
            watch,
        )
    except (ValidationError, ValueError):
        raise ValueError("not what this build keeps of a night") from None


def _figures(*numbers: int) -> str:
    most = 10**_DIGITS - 1
    return " ".join(f"{min(n, most):0{_DIGITS}d}" for n in numbers)


def _numbers(text: str, count: int) -> tuple[int, ...]:
    found = tuple(map(int, text.split(" ")))
    if len(found) != count:
        raise ValueError(f"{len(found)} numbers; allowed {count}")
    return found


def _returns_told(returns: Mapping[int, Returns]) -> dict[str, dict[str, str]]:
    return {
        str(hole): {
            "waited": _figures(*r.waited),
            "again": _figures(*r.again),
            "dealt": _figures(*(dict(r.dealt).get(cards, 0) for cards in range(DECK + 1))),
            "seen": _figures(r.seen),
        }
        for hole, r in sorted(returns.items())
    }


def _returns(told: Mapping[str, _Returns]) -> dict[int, Returns]:
    return {
        int(hole): Returns(
            _numbers(r.waited, AGES),
            _numbers(r.again, AGES),
            tuple((n, hands) for n, hands in enumerate(_numbers(r.dealt, DECK + 1)) if hands),
            _numbers(r.seen, 1)[0],
        )
        for hole, r in told.items()
    }


def _belief_told(belief: Belief) -> str:
    told = {
        "parts": [[share, str(its)] for share, its in belief.shuffle.parts],
        "players": belief.shuffle.players,
        "explained": belief.explained,
        "hands": belief.hands,
    }
    return json.dumps(told).ljust(_BELIEF_CHARACTERS)


def _belief(text: str, hole: int) -> Belief:
    told = _Belief.model_validate_json(text)
    parts = tuple((share, routine(spelled)) for share, spelled in told.parts)
    return Belief(Shuffle(parts, told.players, hole), told.explained, told.hands)


def _nights_told(nights: tuple[NightLooks, ...]) -> str:
    """Oldest first, behind as many nights without a look as are missing."""
    empty = (NightLooks(0, 0),) * (NIGHTS_KEPT - len(nights))
    return b"".join(_LOOKS.pack(n.looks, n.reads) for n in (*empty, *nights)).hex()


def _nights(packed: bytes) -> tuple[NightLooks, ...]:
    found = (NightLooks(*pair) for pair in _LOOKS.iter_unpack(packed))
    return tuple(n for n in found if n.looks)
