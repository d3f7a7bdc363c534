"""What a camera has seen of a card's sides: when its face showed, and when it did not.

A side is known within intervals only. That a face showed for some time is proved by the latest
moment at which it can have begun to and the earliest at which it can have ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from controller.model.events import CardSide, LaidTogether
from controller.model.findings import Judgement
from controller.model.table import Zone
from controller.rules.engine.state import CardAt, RulesState, Seen, Side

EXPOSED_S = 0.5
"""A face that shows for less, a flutter or a picture misread, is not exposed."""
MOST_SIDES = 24  # of one card: somebody who plays with it is no matter of memory
MOST_BLOCKS = 4


@dataclass(frozen=True, slots=True)
class Spell:
    """A time in which a face showed.

    after, before: it began between the two. end_after, end_before: so did its end; inf while it
    goes on. first: no other side of the card had been seen before.
    """

    after: float
    before: float
    seq: int
    end_after: float = inf
    end_before: float = inf
    first: bool = False


def note(state: RulesState, event: CardSide) -> None:
    """Remembers what the event says. The same side of a card, told again, adds nothing."""
    side = Side(event.up, event.after, event.before, event.seq)
    if event.token is None:
        _note_unnamed(state, event.zone, side)
        return
    old = state.seen.cards.get(event.token, ())
    if not event.up and not now_up(old) and showing(of_zone(state, event.zone)):
        # The card had been turned up before, when nobody could tell which one it was.
        _note_unnamed(state, event.zone, side)
    state.seen = replace(state.seen, cards={**state.seen.cards, event.token: _changed(old, side)})


def _note_unnamed(state: RulesState, zone: Zone, side: Side) -> None:
    sides = sorted((*of_zone(state, zone), side), key=lambda s: s.before)
    state.seen = replace(state.seen, zones={**state.seen.zones, zone: tuple(sides[-MOST_SIDES:])})


def note_block(state: RulesState, event: LaidTogether) -> None:
    state.seen = replace(state.seen, blocks=(*state.seen.blocks, event)[-MOST_BLOCKS:])


def lose_sight(state: RulesState, zones: Iterable[Zone], at: float) -> None:
    """A device that watched these zones is lost: what lies in them may have been turned since."""
    gone, seen = set(zones), state.seen
    if not (seen.cards or seen.zones):
        return
    state.seen = Seen(
        {
            t: _unseen(sides, at) if (c := state.cards.get(t)) and c.zone in gone else sides
            for t, sides in seen.cards.items()
        },
        {z: _unseen(sides, at) if z in gone else sides for z, sides in seen.zones.items()},
        seen.blocks,
    )


def _changed(sides: tuple[Side, ...], new: Side) -> tuple[Side, ...]:
    earlier = tuple(s for s in sides if s.before <= new.before)
    later = sides[len(earlier) :]
    if earlier and earlier[-1].up is new.up:
        return sides
    if later and later[0].up is new.up:
        later = later[1:]
    return (*earlier, new, *later)[-MOST_SIDES:]


def _unseen(sides: tuple[Side, ...], at: float) -> tuple[Side, ...]:
    if not sides or sides[-1].up is None:
        return sides
    last = sides[-1]
    return (*sides, Side(None, last.before, max(at, last.before), last.seq))


def now_up(sides: Sequence[Side]) -> bool | None:
    """Whether the card lies face up, as far as is known."""
    return sides[-1].up if sides else None


def showing(sides: Sequence[Side]) -> int:
    """How many faces are to be seen in a zone whose cards cannot be told apart."""
    count = 0
    for side in sides:
        count = 0 if side.up is None else max(0, count + (1 if side.up else -1))
    return count


def of_zone(state: RulesState, zone: Zone) -> tuple[Side, ...]:
    """The sides that were seen in a zone in which any of several cards may be meant."""
    return state.seen.zones.get(zone, ())


def spells(sides: Sequence[Side], place: CardAt | None = None) -> Iterator[Spell]:
    """The times in which a face showed, the earliest first; of a zone whose cards cannot be told
    apart one for each face. place: where the card lies; if it was taken up, nobody has seen it
    since."""
    for i, side in enumerate(sides):
        if not side.up:
            continue
        spell = Spell(side.after, side.before, side.seq, first=i == 0)
        ended = next((s for s in sides[i + 1 :] if not s.up), None)
        if ended is not None:
            spell = replace(
                spell,
                end_after=ended.after,
                end_before=inf if ended.up is None else ended.before,
            )
        elif place is not None and place.lifted_since is not None:
            spell = replace(spell, end_after=place.lifted_since)
        yield spell


def showed(spell: Spell, for_s: float, since: float = -inf) -> bool:
    """Whether the face certainly showed for so long, counted from `since` at the earliest; a spell
    that goes on will have."""
    return spell.end_after - max(spell.before, since) >= for_s


def together(turned: Sequence[Spell], window_s: float) -> Judgement:
    """Whether all these faces were turned up within a window of each other."""
    if max(s.after for s in turned) - min(s.before for s in turned) > window_s:
        return Judgement.VIOLATION
    if max(s.before for s in turned) - min(s.after for s in turned) <= window_s:
        return Judgement.IN_ORDER
    return Judgement.CANNOT_TELL
