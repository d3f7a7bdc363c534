"""Decks of invented tags, and the looks of an antenna that they are passed over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controller.integrity.count import Counting, CountStage
from controller.model.cards import FACES
from drivers.readings import Outcome, Poll, Uid

ANTENNA = 15
LOOK_S = 0.025


def tag(deck: int, number: int) -> Uid:
    """Tags whose UIDs have nothing to do with each other."""
    mixed = (deck * 1_000_003 + number * 2_654_435_761 + 12_345) % (1 << 48)
    mixed = (mixed * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 48)
    return Uid(b"\xe0\x04" + mixed.to_bytes(6, "big"))


RED = {tag(1, i): ("red", face) for i, face in enumerate(FACES)}
BLUE = {tag(2, i): ("blue", face) for i, face in enumerate(FACES)}
JOKER = tag(1, 90)
SECOND_ACE = tag(1, 91)  # registered when the ace's tag was thought to be dead
CARDS: Mapping[Uid, tuple[str, str]] = {
    **RED,
    **BLUE,
    JOKER: ("red", "joker"),
    SECOND_ACE: ("red", "As"),
}
UID_OF = {face: uid for uid, (_, face) in RED.items()}
BLUE_UID_OF = {face: uid for uid, (_, face) in BLUE.items()}
STRANGER = tag(9, 1)

Look = Sequence[Uid] | None
"""The tags of one look; None: noise."""


def over(*uids: Uid, looks: int = 12) -> list[Look]:
    """These lie over the antenna together, and then the antenna is free for a while."""
    lying: list[Look] = [uids] * looks
    return lying + [()] * 8


def deck(but: Iterable[str] = (), order: Sequence[str] = FACES) -> list[Look]:
    """A pass of the red deck, card by card."""
    left_out = set(but)
    return [look for face in order if face not in left_out for look in over(UID_OF[face])]


def rest(seconds: float) -> list[Look]:
    """Nothing is over the antenna."""
    return [()] * round(seconds / LOOK_S)


class Table:
    """A count that is fed looks, one after another."""

    def __init__(self, counting: Counting | None = None) -> None:
        self.at = 100.0
        self.counting = (counting or Counting.of(CARDS, "red", ANTENNA)).start(self.at)
        self.stages = [self.counting.stage]

    def feed(self, looks: Iterable[Look]) -> Table:
        for uids in looks:
            clean = Outcome.SEEN if uids else Outcome.EMPTY
            outcome = Outcome.NOISE if uids is None else clean
            ended = self.at + LOOK_S
            poll = Poll(ANTENNA, tuple(uids or ()), outcome, self.at, ended)
            self.counting = self.counting.poll(poll)
            self.at = ended
            if self.counting.stage is not self.stages[-1]:
                self.stages.append(self.counting.stage)
        return self

    def confirm(self) -> Table:
        self.counting = self.counting.confirm(self.at, "dealer")
        self.stages.append(self.counting.stage)
        return self

    @property
    def stage(self) -> CountStage:
        return self.counting.stage
