"""What a silence proves: the answers to the rules' watches."""

from __future__ import annotations

from controller.model.events import StillEmpty, TableEvent
from controller.sensing.tracks import Antenna


def answer(antenna: Antenna, started: float, ended: float, new: bool = True) -> list[TableEvent]:
    """Answer the watch kept on this zone once enough clean polls have shown nothing new."""
    asked = antenna.asked
    if asked is None or started < asked.watch.since:
        return []
    asked.counted += new
    wanted = antenna.k * (asked.level + 1)
    if antenna.under_way_s and ended < asked.watch.since + antenna.under_way_s * (asked.level + 1):
        return []
    if (
        asked.counted < wanted
        or antenna.open
        or antenna.heap
        or antenna.lost
        or antenna.contradicted_at > asked.watch.since
    ):
        return []
    if antenna.last_came > asked.watch.since:
        antenna.watching = False  # a card came after all
        return []
    asked.counted = clean_polls(antenna, asked.watch.since)
    if asked.counted < wanted:
        return []
    asked.level += 1
    antenna.watching = asked.level < 2
    return [
        StillEmpty(
            at=ended,
            zone=antenna.zone,
            since=asked.watch.since,
            until=antenna.last_ended,
            clean_polls=asked.counted,
            level=asked.level,
        )
    ]


def clean_polls(antenna: Antenna, since: float) -> int:
    """Remembered clean polls begun at or after `since` that named no card still unexplained."""
    named = {s for reads in antenna.newcomers.values() for s in reads}
    return sum(1 for s in antenna.looks if s >= since and s not in named)
