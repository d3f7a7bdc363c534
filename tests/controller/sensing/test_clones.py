"""A copied tag, and what must never pass for one: cross-reads, cards carried, folded and passed
over."""

from __future__ import annotations

import random

import pytest

from controller.model.events import CardCame, TagFault, TagVerdict
from drivers.readings import Uid
from tests.controller.sensing.polled_table import STACKS, PolledTable, tag


def told(table: PolledTable) -> list[tuple[TagFault, str]]:
    return [(e.fault, str(e.zone)) for e in table.events if isinstance(e, TagVerdict)]


def moves(table: PolledTable) -> list[tuple[str | None, str]]:
    return [(e.source, str(e.zone)) for e in table.events if isinstance(e, CardCame)]


def seated(*, seed: int | None = None, max_stack: dict[str, int] | None = None) -> PolledTable:
    """Cards 1 and 2 at seat 2, 3 and 4 at seat 3, 5 and 6 at seat 4; seats next to each other read
    across."""
    table = PolledTable(seed=seed, max_stack=max_stack)
    table.sweep(6)
    for seat in (2, 3, 4):
        table.lay(f"seat/{seat}", tag(2 * seat - 3), tag(2 * seat - 2))
    table.sweep(12)
    table.events.clear()
    return table


def exchange(table: PolledTable, zone: str, old: Uid, new: Uid) -> None:
    table.lying[zone].remove(old)
    table.lying[zone].append(new)


def test_a_copy_that_is_looked_at_closely_has_not_moved_while_its_home_reads_on() -> None:
    table = seated()
    exchange(table, "seat/4", tag(6), tag(1))
    for _ in range(8):
        for _ in range(25):
            table.look("seat/4")
        table.look("seat/2")
    assert told(table) == [(TagFault.CLONE, "seat/4")]
    assert ("seat/2", "seat/4") not in moves(table)


@pytest.mark.parametrize("seed", range(5))
def test_copies_are_told_apart_from_moves_however_the_looks_are_shared_out(seed: int) -> None:
    table = seated(seed=seed, max_stack=STACKS)
    exchange(table, "seat/4", tag(6), tag(1))
    chance = random.Random(seed)
    for _ in range(400):
        table.look(chance.choice(("seat/4", "seat/4", "seat/4", "seat/4", "seat/2")))
    assert told(table) == [(TagFault.CLONE, "seat/4")]
    assert ("seat/2", "seat/4") not in moves(table)


def test_a_card_that_goes_to_and_fro_between_two_places_is_two_cards() -> None:
    table = seated()
    for turn in range(6):
        where = "seat/4" if turn % 2 == 0 else "seat/2"
        table.take(tag(1))
        table.lay(where, tag(1))
        table.sweep(7)
    assert len(told(table)) == 1


def test_a_card_handed_over_and_back_is_one_card() -> None:
    table = seated()
    for where in ("seat/4", "seat/2"):
        table.take(tag(1))
        table.sweep(3)
        table.lay(where, tag(1))
        table.sweep(30)
    assert told(table) == []
    assert moves(table) == [("seat/2", "seat/4"), ("seat/4", "seat/2")]


def test_the_other_copy_stays_when_one_is_taken_away() -> None:
    table = seated()
    exchange(table, "seat/4", tag(6), tag(1))
    table.sweep(20)
    table.lying["seat/2"].remove(tag(1))
    table.sweep(20)
    assert len(told(table)) == 1
    assert moves(table) == [("seat/2", "seat/4")]


@pytest.mark.parametrize("seed", range(5))
def test_a_copy_in_the_place_of_a_neighbours_card(seed: int) -> None:
    table = seated(seed=seed, max_stack=STACKS)
    exchange(table, "seat/3", tag(4), tag(1))
    table.sweep(60)
    assert told(table) == [(TagFault.CLONE, "seat/3")]
    assert [m for m in moves(table) if m == ("seat/2", "seat/3")] == []


@pytest.mark.parametrize("seed", range(5))
def test_a_copy_dealt_to_a_neighbour_that_is_short_without_it(seed: int) -> None:
    table = PolledTable(seed=seed, max_stack=STACKS)
    table.sweep(6)
    table.lay("seat/2", tag(1), tag(2))
    table.lay("seat/3", tag(3))
    table.sweep(12)
    table.lay("seat/3", tag(1))
    table.sweep(60)
    assert told(table) == [(TagFault.CLONE, "seat/3")]


def test_a_card_on_the_edge_of_two_fields_is_one_card() -> None:
    for reads_across in (1.0, 0.8, 0.5, 0.2):
        table = seated()
        chance = random.Random(1)
        for _ in range(200):
            edge = [tag(1)] if chance.random() < reads_across else []
            table.sweep(1, seat3=[tag(3), tag(4), *edge])
        assert told(table) == [], reads_across
        assert moves(table) == [], reads_across


def test_a_card_read_across_by_halves_is_one_card_though_the_neighbour_lost_one() -> None:
    table = seated()
    table.take(tag(4))
    chance = random.Random(1)
    for _ in range(200):
        edge = [tag(1)] if chance.random() < 0.6 else []
        table.sweep(1, seat3=[tag(3), *edge])
    assert told(table) == []


def test_piles_before_the_dealer_may_touch_each_other() -> None:
    table = PolledTable()
    table.sweep(6)
    table.lay("burn", tag(1), tag(2))
    table.lay("muck", tag(3), tag(4))
    table.sweep(10)
    table.take(tag(4))
    table.sweep(120, muck=[tag(3), tag(1)])
    assert told(table) == []


@pytest.mark.parametrize("seed", range(5))
def test_a_muck_carried_over_a_seat_leaves_no_clones(seed: int) -> None:
    table = seated(seed=seed, max_stack=STACKS)
    for seat in (2, 4):
        cards = list(table.lying[f"seat/{seat}"])
        table.take(*cards)
        table.lay("muck", *cards)
        table.sweep(40)
    pile, table.lying["muck"] = table.lying["muck"], []
    chance = random.Random(seed)
    for _ in range(24):
        table.look("seat/3", [*table.lying["seat/3"], *chance.sample(pile, 1)])
        table.look("muck")
    table.lying["muck"] = pile
    table.sweep(60)
    assert told(table) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_of_a_folded_card(seed: int) -> None:
    table = seated(seed=seed, max_stack=STACKS)
    cards = [tag(1), tag(2)]
    table.take(*cards)
    table.lay("muck", *cards)
    table.sweep(30)
    exchange(table, "seat/4", tag(6), tag(1))
    table.sweep(40)
    assert [fault for fault, _ in told(table)] == [TagFault.CLONE]


def test_a_home_far_away_is_looked_at_as_closely_as_the_new_place() -> None:
    table = seated()
    table.look("seat/2", [tag(2)])
    table.look("seat/4", [tag(5), tag(6), tag(1)])
    assert set(table.sensing.sensed().undecided) == {"seat/2", "seat/4"}


def test_a_home_next_door_is_looked_at_closely_once_it_reads_on() -> None:
    table = seated()
    table.look("seat/2", [tag(2)])
    table.look("seat/3", [tag(3), tag(4), tag(1)])
    assert table.sensing.sensed().undecided == ("seat/3",)  # a fold may slide over it
    table.look("seat/3", [tag(3), tag(4), tag(1)])
    table.look("seat/2")
    table.look("seat/3", [tag(3), tag(4), tag(1)])
    assert set(table.sensing.sensed().undecided) == {"seat/2", "seat/3"}
