"""Since when a card can have lain where it has settled."""

from __future__ import annotations

from math import inf

from controller.sensing.tracks import Antenna, Run, Tag

GLANCE_S = 12.0  # longer than a player looks at the cards before they lie again


def latest_absence(antenna: Antenna, tag: Tag, run: Run) -> float:
    """Start of the k-th last clean poll, with room, before the card's first sight in this stay.

    Earlier reads here belong to the same stay unless a longer silence parts them from it: more
    than k looks after a single read, as of a card in flight, and twice k after several. That
    k looks in a row miss a lying card is as rare as the budget allows only before its first
    read; after it there are many places in which such a gap may fall. At a seat a card from
    the deck may besides have been taken up before it was settled: whatever was read of it
    there in the time of a glance belongs to its stay.
    """
    looks = antenna.looks
    first = run.first_started
    earlier = [r for r in tag.reads.get(antenna.number, ()) if r < first]
    if antenna.is_seat and tag.source is None:
        glance = [r for r in earlier if r >= first - GLANCE_S]
        if glance:
            first = glance[0]
            earlier = [r for r in earlier if r < first]
    while earlier:
        needed = antenna.k + 1 if len(earlier) == 1 else 2 * antenna.k
        if sum(1 for s in looks if earlier[-1] < s < first) >= needed:
            break
        first = earlier.pop()
    silent = [s for s in looks if s < first]
    after = silent[-antenna.k] if len(silent) >= antenna.k else -inf
    if tag.source is antenna and tag.home is None:
        after = max(after, min(tag.seen_until, run.first_started))
    return after
