"""Where looks would decide something: what sensing tells the sweep by way of the rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from controller.model.findings import Sensed
from controller.model.table import Zone
from controller.sensing.heaps import HEAP_WINDOW_S, MOST_AT_ONCE
from controller.sensing.tracks import Antenna, Tag
from drivers.readings import Uid

DEALT_S = 0.45  # from one dealt card to the next


def take_stock(antennas: Collection[Antenna], tags: Mapping[Uid, Tag], look_s: float) -> Sensed:
    """Where looks would decide something (see `Sensing.sensed`). look_s: how long one takes."""
    k = max((a.k for a in antennas if a.is_seat), default=0)
    close = 2 * k * look_s <= DEALT_S
    undecided: dict[Zone, None] = {}
    arriving: list[tuple[float, Zone]] = []
    for antenna in antennas:
        if antenna.quiet or not _undecided(antenna, tags):
            continue
        undecided[antenna.zone] = None
        runs = [t.runs[antenna.number] for t in antenna.open.values() if _leads(t, antenna)]
        if runs:
            arriving.append((min(run.first_started for run in runs), antenna.zone))
        if antenna.keeps_heap and antenna.open and antenna.crowded:
            undecided.update((n.zone, None) for n in antenna.neighbours)
        for tag in antenna.open.values():
            home = tag.home
            if home is not None and _home_tells(tag, home, antenna):
                undecided[home.zone] = None
    if not arriving:
        return Sensed(tuple(undecided), close=close)
    arriving.sort()
    last = arriving[-1][0]
    return Sensed(
        tuple(undecided),
        tuple(zone for _, zone in arriving),
        frozenset(
            a.zone for a in antennas if not a.open and len(a.looks) >= a.k and a.looks[-a.k] > last
        ),
    )


def _home_tells(tag: Tag, home: Antenna, antenna: Antenna) -> bool:
    """Whether looks at a settled card's home would decide if it lies at the antenna: where a read
    is rare, far away, and next door once the home has gone on reading it.

    Of a card that slides over the seat next door in a fold, silence only says that it is gone.
    """
    if antenna.keeps_heap:
        return antenna.crowded
    return home.number not in antenna.near or tag.runs[antenna.number].home_heard


def _undecided(antenna: Antenna, tags: Mapping[Uid, Tag]) -> bool:
    if antenna.heap:
        return False
    if antenna.open:
        return not _passed_over(antenna, tags)
    if antenna.is_seat or not antenna.silent:
        return False
    return antenna.barren > 0.0 or (antenna.plain > 1 and antenna.longest > 1)


def _passed_over(antenna: Antenna, tags: Mapping[Uid, Tag]) -> bool:
    newcomers = antenna.newcomers
    if len(newcomers) <= MOST_AT_ONCE:
        return False
    horizon = antenna.last_ended - HEAP_WINDOW_S
    recent = [u for u, reads in newcomers.items() if len(reads) > 1 and reads[-1] >= horizon]
    found = (tags.get(uid) for uid in recent)
    return sum(1 for t in found if t is not None and t.source is None) > MOST_AT_ONCE


def _leads(tag: Tag, antenna: Antenna) -> bool:
    """Whether the unsettled tag's best claim is to this antenna."""
    if tag.home is not None:
        return False
    own = tag.runs[antenna.number]
    return all(
        (run.reads, -run.first_started) <= (own.reads, -own.first_started)
        for run in tag.runs.values()
    )
