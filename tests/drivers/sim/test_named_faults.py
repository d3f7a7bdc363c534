"""Every fault of the simulated table, armed by its name."""

from __future__ import annotations

import pytest

from drivers.readings import Uid
from drivers.sim.faults import Fault, FaultName, arm
from drivers.sim.world import Card, Noise, World, merged_uid, shifted_uid
from tests.drivers.sim.reference_tables import table


def seat_with_two(noise: Noise | None = None) -> tuple[World, Card, Card]:
    world = table(noise)
    one, two = world.deck("red")[:2]
    world.move(one, "seat/5", 0.0)
    world.move(two, "seat/5", 0.0)
    return world, one, two


def seen(world: World, antenna: int, begins: float, ends: float) -> list[tuple[Uid, ...] | None]:
    found = []
    at = begins
    while at < ends:
        found.append(world.look(antenna, at, at + 0.02))
        at += 0.02
    return found


def test_noise_burst_corrupts_every_answer_for_its_time() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.NOISE, antenna=5, for_s=3.0), 2.0)
    assert set(seen(world, 5, 1.0, 1.9)) == {(one.uid, two.uid)}
    assert set(seen(world, 5, 2.1, 4.9)) == {None}
    assert set(seen(world, 5, 5.1, 6.0)) == {(one.uid, two.uid)}


def test_stuck_antenna_repeats_its_look_when_the_cards_have_gone() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.STUCK, antenna=5, for_s=4.0), 1.0)
    assert set(seen(world, 5, 1.1, 2.0)) == {(one.uid, two.uid)}
    world.move(one, "muck", 2.5)
    world.move(two, "muck", 2.5)
    assert set(seen(world, 5, 3.0, 4.9)) == {(one.uid, two.uid)}
    assert set(seen(world, 5, 5.1, 6.0)) == {()}


def test_ghost_merges_two_present_tags_into_their_or() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.GHOST, antenna=5), 1.0)
    found = seen(world, 5, 1.1, 41.1)
    ghosts = found.count((merged_uid(one.uid, two.uid),))
    assert set(found) == {(one.uid, two.uid), (merged_uid(one.uid, two.uid),)}
    assert 850 < ghosts < 1150


def test_a_single_tag_cannot_become_a_ghost() -> None:
    world, one, two = seat_with_two()
    world.move(two, "off-table", 0.5)
    arm(world, Fault(FaultName.GHOST, antenna=5, level=1.0), 1.0)
    assert set(seen(world, 5, 1.1, 3.0)) == {(one.uid,)}


def test_shift_gives_a_uid_that_no_card_has() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.SHIFT, antenna=5, level=1.0), 1.0)
    assert set(seen(world, 5, 1.1, 3.0)) == {
        (shifted_uid(one.uid), two.uid),
        (one.uid, shifted_uid(two.uid)),
    }


def test_crowd_is_a_stack_that_reads_fewer_than_it_holds() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.CROWD, antenna=5, level=1, for_s=2.0), 1.0)
    assert set(seen(world, 5, 1.1, 2.9)) == {(one.uid,), (two.uid,)}
    assert set(seen(world, 5, 3.1, 4.0)) == {(one.uid, two.uid)}


def test_unread_for_a_time() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.UNREAD, card=one, for_s=2.0), 1.0)
    assert set(seen(world, 5, 1.1, 2.9)) == {(two.uid,)}
    assert set(seen(world, 5, 3.1, 4.0)) == {(one.uid, two.uid)}


def test_unread_for_the_hand_ends_with_a_rescan() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.UNREAD, card=two), 1.0)
    world.lift("seat/5", "hand/5", 10.0, 3.0)
    assert set(seen(world, 5, 20.0, 25.0)) == {(one.uid,)}
    world.rescan("seat/5", 30.0)
    assert set(seen(world, 5, 30.1, 30.7)) == {()}
    assert set(seen(world, 5, 31.0, 32.0)) == {(one.uid, two.uid)}


def test_a_rescan_also_puts_straight_what_the_player_holds_just_then() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.UNREAD, card=two), 1.0)
    world.lift("seat/5", "hand/5", 10.0, 5.0)
    world.rescan("seat/5", 12.0)
    assert set(seen(world, 5, 13.0, 14.9)) == {()}
    assert set(seen(world, 5, 15.1, 16.0)) == {(one.uid, two.uid)}


def test_a_later_unread_outlives_the_end_of_an_earlier_one() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.UNREAD, card=one, for_s=2.0), 1.0)
    arm(world, Fault(FaultName.UNREAD, card=one, for_s=5.0), 2.0)
    assert set(seen(world, 5, 3.5, 6.9)) == {(two.uid,)}
    assert set(seen(world, 5, 7.1, 8.0)) == {(one.uid, two.uid)}


def test_a_dead_tag_stays_dead_and_is_not_cross_read_either() -> None:
    world, one, two = seat_with_two(Noise(cross=0.2, seed=1))
    arm(world, Fault(FaultName.DEAD, card=one), 1.0)
    world.rescan("seat/5", 2.0)
    assert all(one.uid not in (s or ()) for s in seen(world, 5, 3.0, 20.0))
    near = seen(world, 6, 20.0, 40.0)
    assert all(one.uid not in (s or ()) for s in near)
    assert any(two.uid in (s or ()) for s in near)


def test_a_lost_reader_is_told_from_a_corrupt_answer() -> None:
    world, one, two = seat_with_two()
    arm(world, Fault(FaultName.LOST, reader=1, for_s=20.0), 1.0)
    assert set(seen(world, 5, 1.1, 2.0)) == {None}
    assert world.is_lost(5)
    assert not world.is_lost(9)
    assert set(seen(world, 5, 21.1, 22.0)) == {(one.uid, two.uid)}
    assert not world.is_lost(5)


@pytest.mark.parametrize("name", list(FaultName))
def test_a_fault_without_its_target_says_what_it_needs(name: FaultName) -> None:
    with pytest.raises(ValueError, match=f"fault {name} needs"):
        arm(table(), Fault(name), 1.0)


def test_unknown_targets_are_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="no antenna 40"):
        arm(table(), Fault(FaultName.NOISE, antenna=40), 1.0)
    with pytest.raises(ValueError, match="no reader 3"):
        arm(table(), Fault(FaultName.LOST, reader=3), 1.0)
