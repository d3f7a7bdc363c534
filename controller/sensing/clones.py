"""One UID in two places: a copied tag, told from a card that is read across, carried, or hidden.

A card that lies at its home is read elsewhere by chance only. Each time that it is read elsewhere
and then at home again is a turn.

* Far apart a single turn is a stray read of probability `odds.FAR`, or a card that was carried
  there and back between two looks. Once it goes on, only two cards explain it.
* On neighbours a turn is a cross-read, and a card on the edge between two fields is read by both as
  if it were two. Seats alone are weighed, against an edge that is read in half of the looks, and
  only where the cards themselves say more: the neighbour has a card of its own, and one fewer than
  the home. Either it lost that one when the reads began, and a copy was put in its place, or the
  copy was dealt to it, and without it the neighbour is short.
"""

from __future__ import annotations

from math import log

from controller.sensing.tracks import Antenna, Beside, Tag

TURNS = 4  # times a tag was read far away and then again at home
WINDOW_S = 30.0
# The same while the home's answer has not changed since the first: beside cards that are read
# nowhere else, and for a card alone.
TURNS_BESIDE = 6
TURNS_ALONE = 12
EDGE = 0.5  # share of looks that read a card lying on the edge of a field
LATE_S = 2.0  # a card exchanged for a copy is last read so shortly after the copy's first read


def is_cloned(tag: Tag, antenna: Antenna, ended: float, nats: float) -> bool:
    """Whether the tag is a clone, now that it was read at `antenna` and then again at its home, or
    is believed to have moved there.

    nats: log odds at which two cards are believed on neighbours. A home that only repeats its last
    answer is marked as stuck instead.
    """
    home = tag.home
    if home is None or tag.cloned:
        return False
    if antenna.number in home.near:
        return home.is_seat and antenna.is_seat and _copied_beside(tag, home, antenna, nats)
    return _goes_on(tag, home, antenna, ended)


def _goes_on(tag: Tag, home: Antenna, antenna: Antenna, ended: float) -> bool:
    turns = tag.flips.setdefault(antenna.number, [])
    turns.append(ended)
    while turns[0] < ended - WINDOW_S:
        del turns[0]
    if len(turns) < TURNS:
        return False
    if home.changed_at >= turns[0]:
        return True
    # An answer that never changes may be an antenna that repeats its last look; if every card in it
    # is read elsewhere, it is.
    alone = len(home.settled) == 1
    if not alone and all(t.runs or _turned_since(t, turns[0]) for t in home.settled.values()):
        home.stuck = True
        home.refresh()
        return False
    return len(turns) >= (TURNS_ALONE if alone else TURNS_BESIDE)


def _turned_since(tag: Tag, since: float) -> bool:
    return any(turns and turns[-1] >= since for turns in tag.flips.values())


def _copied_beside(tag: Tag, home: Antenna, antenna: Antenna, nats: float) -> bool:
    reads = tag.reads.get(antenna.number)
    if not reads:
        return False
    seen = tag.beside.get(antenna.number)
    if seen is None:
        seen = tag.beside[antenna.number] = Beside(tag, home, antenna, reads[-1])
    here = _edge_odds(antenna, antenna.polls - seen.polls, seen.reads)
    looks = home.polls - seen.home_polls
    there = _edge_odds(home, looks, looks + seen.home_missed - tag.missed - tag.silent)
    odds = min(here, there)
    if odds < 0.0:
        # Read across, as neighbours do: whatever comes later begins anew.
        del tag.beside[antenna.number]
        return False
    return odds >= nats and _lacks_one(antenna, home, seen.since)


def _edge_odds(antenna: Antenna, looks: int, reads: int) -> float:
    """Log odds that a card read so often lies in the middle of the field, not on its edge."""
    reads = min(reads, looks)
    return reads * log((1.0 - antenna.miss) / EDGE) + (looks - reads) * log(
        antenna.miss / (1.0 - EDGE)
    )


def _lacks_one(antenna: Antenna, home: Antenna, since: float) -> bool:
    """Whether the zone has cards of its own, but one of them has been gone since the copy is read,
    or it never had as many as the home.
    """
    lying = [t for t in antenna.settled.values() if not t.silent]
    gone = [t for t in antenna.settled.values() if t.silent] + list(antenna.lifted.values())
    if not lying:
        return False
    if len(lying) + len(gone) < len(home.settled) + len(home.lifted):
        return True
    return any(since - WINDOW_S <= t.seen_until <= since + LATE_S for t in gone)
