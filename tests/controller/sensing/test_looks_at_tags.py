"""How well each tag is read, counted where it lies: against a table whose tags are as good as said,
and against looks written out by hand."""

from __future__ import annotations

import math

import pytest

from controller.model.table import LayoutOptions, reference_layout
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.readings import Outcome, Poll, Uid

LAYOUT = reference_layout(LayoutOptions(seats=4, max_stack={"seat": 2, "board": 5, "muck": 2}))
SEAT, OTHER = 1, 3
A, B, C = (Uid(bytes((0xE0, 4, n, 9))) for n in range(3))
LOOK_S = 0.05


class Looked:
    """Sensing that is given looks one after the other, and an empty look elsewhere between them."""

    def __init__(self) -> None:
        self.sensing = Sensing(LAYOUT, Vault(dict.fromkeys((A, B, C), ("red", "As"))))
        self.now = 0.0

    def look(self, *uids: Uid, times: int = 1, antenna: int = SEAT) -> None:
        for _ in range(times):
            outcome = Outcome.SEEN if uids else Outcome.EMPTY
            self.sensing.poll(Poll(antenna, uids, outcome, self.now, self.now + LOOK_S))
            self.now += 0.4


def settled(*uids: Uid) -> Looked:
    table = Looked()
    table.look(*uids, times=30)
    assert len(table.sensing.settled()) == 1
    table.sensing.looked()  # all but the last one
    return table


def test_reads_and_misses_of_a_card_that_lies() -> None:
    table = settled(A)
    for _ in range(10):
        table.look(A, times=3)
        table.look()
    table.look(A)
    assert table.sensing.looked() == {A: (41, 31)}


def test_each_look_counts_once_however_often_it_is_asked() -> None:
    whole, parts = settled(A), settled(A)
    found = [0, 0]
    for n in range(40):
        for table in (whole, parts):
            if n % 5 == 4:
                table.look()
            else:
                table.look(A)
        for uid, looks in parts.sensing.looked().items():
            assert uid == A
            found = [a + b for a, b in zip(found, looks, strict=True)]
    assert whole.sensing.looked() == {A: tuple(found)}
    assert tuple(found) == (39, 32)  # the last silence may be the card's leaving


def test_the_silence_after_which_a_card_is_gone_is_none_of_its_looks() -> None:
    table = settled(A)
    table.look(A, times=20)
    table.look(times=60)
    assert table.sensing.settled() == {}
    assert table.sensing.looked() == {A: (20, 20)}


def test_cards_taken_up_together_are_not_missed() -> None:
    table = settled(A, B)
    table.look(A, B, times=5)
    table.look(times=2)  # a player looks at both
    table.look(A, B, times=5)
    assert table.sensing.looked() == {A: (10, 10), B: (10, 10)}


def test_more_cards_than_the_antenna_can_tell_apart_say_nothing_of_a_tag() -> None:
    table = settled(A, B)
    table.look(C, A, times=40)
    for _ in range(40):
        table.look(A, C)
        table.look(B, C)
    assert sum(map(len, table.sensing.settled().values())) == 3
    before = table.sensing.looked()
    for _ in range(20):
        table.look(A, B)
        table.look(C, A)
    assert all(looks <= 42 for looks, _ in before.values())
    assert table.sensing.looked() == {}


def test_a_reader_that_was_lost_has_missed_nothing() -> None:
    table = settled(A)
    table.look(A, times=5)
    table.look(times=2)
    table.sensing.reader_lost([SEAT])
    table.sensing.reader_back([SEAT])
    table.look(A, times=5)
    assert table.sensing.looked() == {A: (10, 10)}


def test_a_corrupt_look_is_none() -> None:
    table = settled(A)
    table.look(A, times=5)
    table.sensing.poll(Poll(SEAT, (), Outcome.NOISE, table.now, table.now + LOOK_S))
    table.look(A, times=5)
    assert table.sensing.looked() == {A: (10, 10)}


def test_a_stranger_is_not_counted() -> None:
    table = Looked()
    stranger = Uid(bytes((0xE0, 4, 99, 9)))
    table.look(stranger, times=60)
    assert table.sensing.settled()
    assert table.sensing.looked() == {}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_twin_reads_each_tag_as_often_as_it_is_good(seed: int) -> None:
    """A night at the simulated table: what is counted is what its readers missed, though cards are
    dealt, taken up, folded and gathered meanwhile."""
    from controller.simulated_field import field_antennas
    from drivers.factory import Dealer, DealScript, Noise, Robot, SweepScheduler, World, polls

    seats = tuple(range(1, 10))
    layout = reference_layout(
        LayoutOptions(max_stack={"seat": 2, "burn": 4, "board": 5, "muck": 2}, miss_rate=0.08)
    )
    world = World(field_antennas(layout), Noise(miss=0.08, cross=0.02, seed=seed), cards_seed=seed)
    dealer = Dealer(world, seats, button=9, deck_seed=seed, seed=seed)
    robot = Robot(dealer, DealScript(seats), seed=seed)
    cards = {c.uid: (c.deck, c.face) for c in world.deck("red")}
    sensing = Sensing(layout, Vault(cards))
    source = polls(world, SweepScheduler([a.antenna for a in layout.antennas]))
    for _ in range(25):
        played = robot.hand(None)
        for reading in source:
            if isinstance(reading, Poll):
                sensing.poll(reading)
                dealer.due(reading.ended)
                if reading.ended > played.next_at:
                    break
        sensing.renew(played.next_at)
    found = sensing.looked()
    looks = sum(n for n, _ in found.values())
    reads = sum(n for _, n in found.values())
    assert len(found) == 52
    assert looks > 20_000
    error = 4 * math.sqrt(0.08 * 0.92 / looks)
    assert reads / looks == pytest.approx(0.92, abs=error + 0.01)
