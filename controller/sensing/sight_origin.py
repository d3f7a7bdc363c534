"""Which card is it that a camera sees where none lay before?

No camera can tell one back from another, so a card has its name from where it lay: one that is put
back is the one that was taken up there, one that comes to the muck while a single hand is gone is
of that hand, and one that comes while every card lies where it lay comes from the deck. Where more
than one account fits, nothing is said until only one is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot

from controller.model.table import BURN, MUCK, is_board, seat_of
from controller.sensing.sight_tracks import HIDING_MM, AreaTracks, Track

MOVED_S = 2.0  # from where a card was taken to where it is put down by the same hand
FOLDED_S = 3.0  # the same for a hand that is thrown into the muck
HELD_S = 6.5  # longer than most players look at their cards: cards gone for so long were folded
REPLACED_MM = 30.0  # a card of the board or a pile is put back no further from where it lay
LAID_ANEW_S = 6.0  # a card taken off the board or a pile is laid down elsewhere on it by then
BUSTLE_S = 5.0
STILL_S = 2.0  # no card lies still for so long in a wash
MOST_AT_ONCE = 5  # cards that are put down in one place in that time, at most
HELD_MOST_S = 60.0
TAKEN_UP_S = 12.0  # a card of the board or a pile that is put back is back by then
SURE_GONE_S = 1.5  # and by then, if nobody holds cards: the deck is being taken up
SURE_MISSING = 2  # clear pictures without a card after which it is not merely missed


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a newcomer comes from. was: the card that it is, and the area that has it; both None: a
    card from the deck."""

    was: Track | None = None
    area: AreaTracks | None = None


DECK = Origin()


def origin(card: Track, here: AreaTracks, areas: Sequence[AreaTracks], now: float) -> Origin | None:
    """Which card a newcomer is; None as long as nobody can say."""
    if card.face is not None and (known := _by_face(card, areas)) is not None:
        return known
    at_seat = seat_of(here.zone) is not None
    if not at_seat and (not here.clear or here.newcomers(now - BUSTLE_S) > MOST_AT_ONCE):
        return None  # hands move over it: a wash, a gather
    if not at_seat and now - card.came_before < STILL_S and not _in_hand(areas):
        return None  # nobody holds cards: the deck may be about to be washed there
    own = [t for t in here.missing if t is not card and t.came_before < card.came_before]
    if not at_seat:
        # Players put cards back where they like, dealers where they lay.
        near = [t for t in own if _apart_mm(t, card) <= REPLACED_MM]
        if not near and any(now - t.gone_at <= LAID_ANEW_S for t in own):
            return None
        own = near
    if own:
        gone = [t for t in own if t.missing >= SURE_MISSING]
        return Origin(min(gone, key=lambda t: _apart_mm(t, card)), here) if gone else None
    if here.zone == MUCK:
        return _in_muck(card, here, areas, now)
    return _moved(card, here, areas)


def forget_s(here: AreaTracks, areas: Iterable[AreaTracks]) -> float:
    """For how long a card that is gone from a place may yet be put back there."""
    if seat_of(here.zone) is not None:
        return HELD_MOST_S
    return TAKEN_UP_S if _in_hand(areas) else SURE_GONE_S


def _in_hand(areas: Iterable[AreaTracks]) -> bool:
    return any(seat_of(area.zone) is not None and area.lying for area in areas)


def _apart_mm(one: Track, other: Track) -> float:
    return hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)


def _by_face(card: Track, areas: Iterable[AreaTracks]) -> Origin | None:
    """A card whose face was read where it lay before, and that is gone from there."""
    for area in areas:
        for other in area.missing:
            if other is not card and other.face == card.face and other.missing >= SURE_MISSING:
                return Origin(other, area)
    return None


def _moved(card: Track, here: AreaTracks, areas: Iterable[AreaTracks]) -> Origin | None:
    """A card that the dealer, or a player, has just taken from another place; from the deck, if
    there is none.

    A player who looks takes up all cards, so a hand of which some still lie was not looked at, and
    a seat that has its cards is dealt no more. A card that lay face up before was not looked at
    either: it is put where it belongs.
    """
    others = sum(t is not card for t in here.lying)
    found: list[Origin] = []
    for area in areas:
        if area is here or area.zone == MUCK:
            continue
        lying = area.lying
        for t in area.missing:
            lately = 0.0 <= card.came_before - t.gone_at <= MOVED_S
            if not lately or t.uid is None:
                continue
            at_seat = seat_of(area.zone) is not None
            parted = (
                bool(lying)
                and seat_of(here.zone) is not None
                and others >= len(lying) + len(area.missing)
            )
            if not at_seat or t.up or parted:
                if t.missing < SURE_MISSING:
                    return None  # it may only have been missed
                found.append(Origin(t, area))
    return found[0] if len(found) == 1 else DECK


def _in_muck(
    card: Track, here: AreaTracks, areas: Iterable[AreaTracks], now: float
) -> Origin | None:
    if any(t is not card and _apart_mm(t, card) < HIDING_MM for t in here.tracks):
        return None  # it may have lain there, hidden, all the while
    lately: list[AreaTracks] = []
    for area in areas:
        if area is here or not (seat_of(area.zone) or is_board(area.zone) or area.zone == BURN):
            continue
        if not area.proves and area.tracks:
            return None  # nobody sees whether its cards still lie there
        gone = area.missing
        if not gone:
            continue
        if all(-0.5 <= card.came_before - t.gone_at <= FOLDED_S for t in gone):
            lately.append(area)
        else:
            return None  # somebody else holds cards, and may have thrown them in
    if not lately:
        return DECK if now - card.came_before >= SURE_MISSING * 0.1 else None
    if len(lately) > 1 or now - card.came_before < HELD_S:
        return None
    gone = [t for t in lately[0].missing if t.uid is not None]
    return Origin(gone[0], lately[0]) if gone else None
