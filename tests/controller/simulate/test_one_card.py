"""Whether one card can explain where a tag was read."""

from __future__ import annotations

import random
from dataclasses import replace

from controller.simulate.one_card import CopyLay, copies_provable
from controller.simulate.provable import TrueNoise
from drivers.readings import Outcome, Poll, Uid

TAG = Uid(b"\x01\x02\x03\x04\x05\x06\x07")
NOISE = TrueNoise(miss=0.05, cross=0.02, neighbours={1: (2,), 2: (1,)})
LOOK_S = 0.05


def polls(lay: list[CopyLay], sweeps: int = 40, seed: int = 1, antennas: int = 4) -> list[Poll]:
    """Rounds of four antennas, of which 1 and 2 read across; what they would read of cards so
    lying."""
    chance = random.Random(seed)
    found = []
    for look in range(sweeps * antennas):
        antenna, at = look % antennas + 1, look * LOOK_S
        rates = [
            0.95
            if c.antenna == antenna
            else 0.02
            if antenna in NOISE.neighbours.get(c.antenna, ())
            else 0.0
            for c in lay
            if c.since <= at < c.until
        ]
        read = any(chance.random() < rate for rate in rates)
        outcome = Outcome.SEEN if read else Outcome.EMPTY
        found.append(Poll(antenna, (TAG,) if read else (), outcome, at, at + LOOK_S))
    return found


def proven(lay: list[CopyLay], **how: int) -> bool:
    return copies_provable(polls(lay, **how), TAG, lay, NOISE)


def test_two_cards_are_proven_far_apart_and_side_by_side() -> None:
    for places in ((1, 3), (1, 2)):
        lay = [CopyLay(place, -10.0) for place in places]
        assert all(proven(lay, seed=seed) for seed in range(10)), places


def test_one_card_is_never_proven_to_be_two() -> None:
    for lay in (
        [CopyLay(1, -10.0)],
        [CopyLay(1, -10.0, 3.0), CopyLay(3, 4.0)],
        [CopyLay(1, -10.0, 2.0), CopyLay(2, 3.0, 5.0), CopyLay(1, 6.0)],
    ):
        assert not any(proven(lay, seed=seed) for seed in range(20)), lay


def test_two_cards_that_are_never_read_at_one_time_are_not_proven() -> None:
    lay = [CopyLay(1, -10.0, 3.0), CopyLay(3, 4.5)]
    assert not any(proven(lay, seed=seed) for seed in range(20))


def test_a_copy_out_of_every_field_is_not_proven() -> None:
    lay = [CopyLay(1, -10.0), CopyLay(9, -10.0)]
    assert not proven(lay)


def test_a_copy_that_a_high_pile_hides_is_proven_by_none_of_its_silences() -> None:
    lay = [CopyLay(1, -10.0), CopyLay(3, -10.0)]
    noise = replace(NOISE, max_stack={3: 2})
    unread = polls([CopyLay(1, -10.0)])
    assert not copies_provable(unread, TAG, lay, noise, lambda antenna, at: 30)
    read = [*unread[:80], *polls(lay)[80:]]
    assert copies_provable(read, TAG, lay, noise, lambda antenna, at: 30)
