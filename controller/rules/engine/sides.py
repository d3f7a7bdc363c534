"""What a camera has seen of a card's sides: when its face showed, and when it did not.

A side is known within intervals only. That a face showed for some time is proved by the latest
moment at which it can have begun to and the earliest at which it can have ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from controller.model.events import CardSide, LaidTogether, ReaderLost
from controller.model.findings import Judgement
from controller.model.table import Zone
from controller.rules.engine.state import CardAt, RulesState, Seen, Side

EXPOSED_S = 0.5
"""A face that shows for less, a flutter or a picture misread, is not exposed."""
CAMERA = "camera"  # how a camera's name begins
MOST_SIDES = 24  # of one card: somebody who plays with it is no matter of memory
MOST_BLOCKS = 4


@dataclass(frozen=True, slots=True)
class Spell:
    """A time in which a face showed.

    after, before: it began between the two. until: it has been seen up to then, and the end is not
    known to be sooner. end_before: by then it had ended; inf while it goes on, as far as anybody
    knows. first: no other side of the card had been seen before.
    """

    after: float
    before: float
    seq: int
    until: float
    end_before: float = inf
    first: bool = False


def note(state: RulesState, event: CardSide) -> None:
    """Remembers what the event says. The same side of a card, told again, says how long it was
    seen."""
    side = Side(event.up, event.after, event.before, event.seq, max(event.at, event.before))
    if event.token is None:
        _note_unnamed(state, event.zone, side)
        return
    old = state.seen.cards.get(event.token, ())
    again = old and not old[-1].up and old[-1].before < event.before
    if not event.up and again and showing(of_zone(state, event.zone)):
        # The card had been turned up before, when nobody could tell which one it was.
        _note_unnamed(state, event.zone, side)
    state.seen = replace(state.seen, cards={**state.seen.cards, event.token: _changed(old, side)})


def _note_unnamed(state: RulesState, zone: Zone, side: Side) -> None:
    old = of_zone(state, zone)
    same = [s for s in old if (s.up, s.after, s.before) == (side.up, side.after, side.before)]
    # One of those that were told of it goes on to be seen; which of them makes no difference.
    seen = min(same, key=lambda s: s.until, default=None)
    if seen is not None and seen.until < side.until:
        i = old.index(seen)
        sides = [*old[:i], replace(seen, until=side.until), *old[i + 1 :]]
    else:
        sides = sorted((*old, side), key=lambda s: s.before)
    state.seen = replace(state.seen, zones={**state.seen.zones, zone: tuple(sides[-MOST_SIDES:])})


def note_block(state: RulesState, event: LaidTogether) -> None:
    state.seen = replace(state.seen, blocks=(*state.seen.blocks, event)[-MOST_BLOCKS:])


def lose_sight(state: RulesState, event: ReaderLost) -> None:
    """A device that watches is lost: what lies there may have been turned since. A camera that
    stands beside antennas has no zones of its own; it watches them all."""
    gone, seen, at = set(event.zones), state.seen, event.at
    all_of_them = not gone and event.device.startswith(CAMERA)
    if not (seen.cards or seen.zones):
        return

    def unseen(zone: Zone | None, sides: tuple[Side, ...]) -> tuple[Side, ...]:
        return _unseen(sides, at) if all_of_them or zone in gone else sides

    places = {t: c.zone for t, c in state.cards.items()}
    state.seen = Seen(
        {t: unseen(places.get(t), sides) for t, sides in seen.cards.items()},
        {z: unseen(z, sides) for z, sides in seen.zones.items()},
        seen.blocks,
    )


def _changed(sides: tuple[Side, ...], new: Side) -> tuple[Side, ...]:
    earlier = tuple(s for s in sides if s.before <= new.before)
    later = sides[len(earlier) :]
    if earlier and earlier[-1].up is new.up:
        same = replace(earlier[-1], until=max(earlier[-1].until, new.until))
        return (*earlier[:-1], same, *later)
    if later and later[0].up is new.up:
        later = later[1:]
    return (*earlier, new, *later)[-MOST_SIDES:]


def _unseen(sides: tuple[Side, ...], at: float) -> tuple[Side, ...]:
    if not sides or sides[-1].up is None:
        return sides
    last = sides[-1]
    return (*sides, Side(None, last.until, max(at, last.until), last.seq, last.until))


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
        spell = Spell(side.after, side.before, side.seq, side.until, first=i == 0)
        ended = next((s for s in sides[i + 1 :] if not s.up), None)
        if ended is not None:
            spell = replace(
                spell,
                until=max(spell.until, ended.after) if ended.up is False else spell.until,
                end_before=inf if ended.up is None else ended.before,
            )
        if place is not None and place.lifted_since is not None:
            spell = replace(spell, until=min(spell.until, place.lifted_since))
        yield spell


def showed(spell: Spell, for_s: float, since: float = -inf) -> bool:
    """Whether the face was seen for so long, counted from `since` at the earliest."""
    return spell.until - max(spell.before, since) >= for_s


def together(turned: Sequence[Spell], window_s: float) -> Judgement:
    """Whether all these faces were turned up within a window of each other."""
    if max(s.after for s in turned) - min(s.before for s in turned) > window_s:
        return Judgement.VIOLATION
    if max(s.before for s in turned) - min(s.after for s in turned) <= window_s:
        return Judgement.IN_ORDER
    return Judgement.CANNOT_TELL
