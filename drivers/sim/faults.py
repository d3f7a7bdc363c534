"""The simulated table's faults by name, as a scenario writes them and a test arms them.

Wire faults (late answers, truncated frames, reboots) belong to the emulated reader; these are the
air's and the cards'. A missed read, a cross-read and the rates of ghosts and shifts are part of
`Noise`; here are the ones that strike one antenna, one reader or one card at a stated time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.sim.world import Card, World


class FaultName(StrEnum):
    """LOST: a reader is silent. STUCK: an antenna repeats its last look. NOISE: its answers are
    corrupt. GHOST: two tags in it merge. SHIFT: a UID of it arrives shifted. CROWD: it tells fewer
    cards apart than usual (a full stack). UNREAD: a card is not read for a time or for the whole
    hand. DEAD: a card's tag has died."""

    LOST = "lost"
    STUCK = "stuck"
    NOISE = "noise"
    GHOST = "ghost"
    SHIFT = "shift"
    CROWD = "crowd"
    UNREAD = "unread"
    DEAD = "dead"


DEFAULT_LEVEL = {FaultName.GHOST: 0.5, FaultName.SHIFT: 0.5, FaultName.CROWD: 1.0}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault and its target: `reader` for LOST, `card` for UNREAD and DEAD, `antenna` for all
    others.

    for_s None: for good (UNREAD: until the cards are put straight or gathered). level: share of
    looks (GHOST, SHIFT) or the number of cards still told apart (CROWD); None takes the default.
    """

    name: FaultName
    antenna: int | None = None
    reader: int | None = None
    card: Card | None = None
    for_s: float | None = None
    level: float | None = None


def arm(world: World, fault: Fault, when: float) -> None:
    """Let the fault strike at `when`."""
    if fault.name is FaultName.LOST:
        if fault.reader is None:
            raise ValueError("fault lost needs a reader, such as reader 1")
        world.lose_reader(fault.reader, when, fault.for_s)
        return
    if fault.name in (FaultName.UNREAD, FaultName.DEAD):
        if fault.card is None:
            raise ValueError(f"fault {fault.name} needs a card")
        if fault.name is FaultName.UNREAD:
            world.unread(fault.card, when, fault.for_s)
        else:
            world.kill(fault.card, when)
        return
    if fault.antenna is None:
        raise ValueError(f"fault {fault.name} needs an antenna, such as antenna 5")
    level = DEFAULT_LEVEL.get(fault.name, 1.0) if fault.level is None else fault.level
    world.afflict(str(fault.name), fault.antenna, when, fault.for_s, level)
