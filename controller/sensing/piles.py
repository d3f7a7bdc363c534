"""What looks say of the cards that are settled at an antenna: which were named, and when a silence
means that one is gone."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log

from controller.sensing.tracks import Antenna, Tag
from drivers.readings import Uid

# Cards of a high pile that may have shown themselves at no look yet: a folded hand.
UNREAD_CARDS = 2
LONGEST_SILENCE = 40  # polls; no settled card needs more silences than this to be gone
_PRIOR_LOOKS = 8  # weight of the antenna's miss rate against a card's own record


def hear(antenna: Antenna, uids: Sequence[Uid], strangers: int) -> None:
    """Note which settled cards a clean look named, and what its silence about the others means.

    A look that names fewer cards than the antenna can tell apart had room for another one. A
    pile of more cards than that shows a few at each look, and a silence says next to nothing.
    """
    settled = antenna.settled
    antenna.squeeze = 0.0
    if not settled:
        antenna.silent = antenna.roomy = antenna.plain = 0
        antenna.barren = 0.0
        return
    stack = antenna.max_stack
    named, lying = len(uids) - strangers, len(settled)
    cards = lying + len(antenna.open)
    # A look that could tell each card says how well its tag is read; not one that names none of
    # several: they were taken up together, or the antenna failed.
    sharp = (
        (stack is None or (cards <= stack and lying + strangers <= stack))
        and not antenna.heap
        and (named > 0 or lying == 1)
    )
    if not sharp:
        antenna.blurred += 1
    if not antenna.silent and named == lying:
        return
    room = stack is None or len(uids) < stack
    # Whoever is missing from a full answer is the one too many.
    crowded = stack is not None and (cards > stack or not room)
    antenna.crowded = crowded
    antenna.roomy = antenna.roomy + 1 if room else 0
    antenna.plain = 0 if crowded else antenna.plain + 1
    doubt = 0.0
    if crowded and not antenna.keeps_heap:
        doubt = antenna.odds(max(cards, (stack or 0) + 1)).doubt
    elif crowded and antenna.changed:
        # A pile that shows the same cards again may hide the others for as long as it lies.
        doubt = antenna.odds(UNREAD_CARDS + max(cards, (stack or 0) + 1)).doubt
    silent = 0
    longest, deepest = 0, 0.0
    if stack is None or not crowded:
        antenna.barren = 0.0
    else:
        # A high pile shows some of its cards at nearly every look. Newcomers may take their
        # places in the answer, but hardly all of them.
        others = len(uids)
        none = ((others + 1) / (len(settled) + others)) ** stack if others else 0.0
        antenna.barren -= log(max(none, antenna.none))
    for uid, tag in settled.items():
        if uid in uids:
            antenna.barren = 0.0
            if sharp and named == 1 and lying > 1:
                # Had it been missed, too, this look would not count: so it counts for the others.
                tag.looked_from += 1
            if tag.silent:
                if not crowded:
                    tag.missed += tag.silent
                tag.silent = 0
                tag.doubt = 0.0
                tag.heard()
        else:
            if not tag.silent:
                tag.seen_until = antenna.last_ended
            tag.silent += 1
            tag.lapsing += sharp
            tag.doubt += doubt
            silent += 1
            if tag.silent > longest:
                longest = tag.silent
            if tag.doubt > deepest:
                deepest = tag.doubt
    antenna.silent = silent
    antenna.longest = longest
    antenna.deepest = deepest
    if not crowded:
        antenna.misses += silent
    if silent and strangers and len(settled) == stack:
        antenna.squeeze = _squeeze(antenna)


def is_gone(antenna: Antenna, tag: Tag, nats: float) -> bool:
    """Whether its silence is believed at these odds."""
    if antenna.crowded:
        if antenna.barren >= nats or tag.doubt >= nats:
            return True
        return min(tag.silent, antenna.roomy) >= antenna.roomy_need
    if tag.silent < antenna.plain_need:
        return False
    need = ceil(nats / -log(_own_miss(antenna, tag)))
    return min(tag.silent, antenna.plain) >= min(max(need, antenna.k), LONGEST_SILENCE)


def _squeeze(antenna: Antenna) -> float:
    """Extra weight of a newcomer read in the place of a settled card, where there are as many
    of those as the antenna can tell apart.

    One card more hides one of the others at every look; a card that is only read across hides
    none, and then the silence is a miss besides.
    """
    heard = 1.0
    for tag in antenna.settled.values():
        heard *= 1.0 - _own_miss(antenna, tag)
    return -log(1.0 - heard)


def _own_miss(antenna: Antenna, tag: Tag) -> float:
    """The settled card's own miss rate, from its record and its antenna's."""
    looks = max(antenna.polls - tag.tested - tag.silent, 0)
    rate = (tag.missed + antenna.miss * _PRIOR_LOOKS) / (looks + _PRIOR_LOOKS)
    return min(max(rate, antenna.miss), 0.7)
