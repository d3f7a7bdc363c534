"""Cards in a heap: a wash or a gather passes over an antenna, and nothing settles there meanwhile.

A card that lies is named by nearly every look, a heap or a wash names ever new ones: more
newcomers, each read twice within a few seconds, than the antenna could hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from controller.sensing.tracks import Antenna, Run, Tag
from drivers.readings import Uid

HEAP_WINDOW_S = 5.0  # newcomers read twice within this time are counted together
HEAP_MOST_READS = 160  # at the closest look in those seconds
MOST_AT_ONCE = 3  # other newcomers of one zone within those seconds in a lawful deal
BUSTLE_S = 2.5  # how long a card must have been read where there are more


def crowd(
    antenna: Antenna, others: Sequence[Tag], tags: Mapping[Uid, Tag], started: float
) -> list[Tag]:
    """Take note of the newcomers that a look named; returns those of the last seconds that were
    read too often to lie on a neighbour, where they are enough to matter.
    """
    newcomers = antenna.newcomers
    for tag in others:
        reads = newcomers.setdefault(tag.uid, [])
        reads.append(started)
        if len(reads) > HEAP_MOST_READS:
            del reads[0]
    enough = ceil(antenna.crowding_reads(started, HEAP_WINDOW_S))
    if len(newcomers) <= antenna.heap_limit and not antenna.heap:
        return []
    horizon = started - HEAP_WINDOW_S
    for uid in [u for u, reads in newcomers.items() if reads[-1] < horizon]:
        if uid not in antenna.open:
            del newcomers[uid]
    return [t for u in newcomers if (t := _crowds(antenna, u, tags, horizon, enough))]


def is_heap(antenna: Antenna, crowd: Sequence[Tag], now: float) -> bool:
    """Whether the crowd is a heap, or still one."""
    if not antenna.heap:
        return len(crowd) > antenna.heap_limit
    return len(crowd) > antenna.heap_limit // 2 and not _lies_still(antenna, crowd, now)


def bustles(tag: Tag, run: Run, tags: Mapping[Uid, Tag]) -> bool:
    """Whether more cards than a street has have come to this antenna or over it just now: then
    a card must lie longer than the hand of one who washes the deck lets it.
    """
    antenna = run.antenna
    if run.last_ended - run.first_started >= BUSTLE_S or at_ease(antenna, tag):
        return False
    horizon = run.last_ended - HEAP_WINDOW_S
    passing = sum(
        1
        for uid in antenna.newcomers
        if uid != tag.uid and _crowds(antenna, uid, tags, horizon, 2) is not None
    )
    fresh = sum(1 for t in antenna.settled.values() if t.settled_at >= horizon)
    return passing + fresh > MOST_AT_ONCE


def at_ease(antenna: Antenna, tag: Tag) -> bool:
    """Whether a newcomer's arrival is no sign of a heap: folded cards come to the muck."""
    return antenna.keeps_heap and tag.source is not None


def _lies_still(antenna: Antenna, crowd: Sequence[Tag], now: float) -> bool:
    """Whether what is left of a heap is a few cards that lie: the look had room for another
    one, and none of them was new there lately.
    """
    stack = antenna.max_stack
    if len(crowd) > antenna.heap_limit or (stack is not None and len(antenna.answer) >= stack):
        return False
    newcomers = antenna.newcomers
    return all(newcomers[tag.uid][0] < now - BUSTLE_S for tag in crowd)


def _crowds(
    antenna: Antenna, uid: Uid, tags: Mapping[Uid, Tag], horizon: float, enough: int
) -> Tag | None:
    """The tag, if it was read here often enough lately to be part of a heap."""
    reads = antenna.newcomers[uid]
    if len(reads) < enough or reads[-enough] < horizon:
        return None
    tag = tags.get(uid)
    if tag is None or at_ease(antenna, tag):
        return None
    if tag.home is not None and not tag.runs:
        return None  # it lies on a neighbour and is read across
    return tag
