"""Looks: what is read, how often, in which order, and what time does to it."""

from __future__ import annotations

import itertools
from math import sqrt

import pytest

from drivers.readings import Health, HealthState, Outcome, Poll, Uid
from drivers.sim.world import Card, FieldAntenna, Noise, World, merged_uid, polls, shifted_uid
from tests.drivers.sim.reference_tables import Round, table

LOOKS = 20_000


def lay(world: World, place: str, cards: int, start: int = 0) -> list[Card]:
    laid = list(world.deck("red")[start : start + cards])
    for card in laid:
        world.move(card, place, world.now)
    return laid


def looks(world: World, place: str, count: int = LOOKS, at: float = 1.0) -> list[tuple[Uid, ...]]:
    antenna = world.antenna_at(place)
    found = []
    for n in range(count):
        seen = world.look(antenna, at + n * 0.02, at + (n + 1) * 0.02)
        assert seen is not None
        found.append(seen)
    return found


def close(share: float, expected: float, count: int = LOOKS) -> bool:
    """Within four and a half standard deviations."""
    return abs(share - expected) < 4.5 * sqrt(expected * (1 - expected) / count) + 1e-12


def test_a_perfect_table_reads_every_card_in_order_of_landing() -> None:
    world = table()
    red = world.deck("red")
    world.move(red[30], "board", 0.2)
    world.move(red[3], "board", 0.1)
    world.move(red[17], "board", 0.3)
    assert set(looks(world, "board", 50)) == {(red[3].uid, red[30].uid, red[17].uid)}
    assert set(looks(world, "burn", 50, 3.0)) == {()}


def test_a_card_put_back_answers_last() -> None:
    world = table()
    one, two = lay(world, "seat/4", 2)
    world.move(one, "hand/4", 1.0)
    world.move(one, "seat/4", 2.0)
    assert looks(world, "seat/4", 1, 3.0) == [(two.uid, one.uid)]


def test_misses_come_at_the_stated_rate_and_independently() -> None:
    world = table(Noise(miss=0.05, seed=3))
    one, two = lay(world, "seat/4", 2)
    seen = looks(world, "seat/4")
    assert close(sum(one.uid in s for s in seen) / LOOKS, 0.95)
    assert close(sum(two.uid in s for s in seen) / LOOKS, 0.95)
    assert close(sum(not s for s in seen) / LOOKS, 0.0025)
    missed = [one.uid not in s for s in seen]
    pairs = sum(a and b for a, b in itertools.pairwise(missed))
    assert close(pairs / LOOKS, 0.0025)


def test_cross_reads_come_per_card_on_a_neighbour_and_from_nowhere_else() -> None:
    world = table(Noise(cross=0.02, seed=5))
    own = lay(world, "seat/4", 1)
    near = lay(world, "seat/5", 2, 1)
    lay(world, "seat/7", 2, 3)
    seen = looks(world, "seat/4")
    assert all(s[0] == own[0].uid for s in seen)
    for card in near:
        assert close(sum(card.uid in s for s in seen) / LOOKS, 0.02)
    assert close(sum(len(s) == 3 for s in seen) / LOOKS, 0.0004)
    assert {uid for s in seen for uid in s} == {c.uid for c in own + near}


def test_an_antenna_has_its_own_rates_where_it_states_them() -> None:
    world = World(
        [
            FieldAntenna(1, "seat/1", (2,), miss=0.2),
            FieldAntenna(2, "seat/2", (1,), cross=0.0),
        ],
        Noise(miss=0.0, cross=0.1, seed=2),
    )
    one = lay(world, "seat/1", 1)[0]
    assert close(sum(one.uid in s for s in looks(world, "seat/1")) / LOOKS, 0.8)
    assert set(looks(world, "seat/2", 500, 1000.0)) == {()}


def test_an_overfull_field_reads_as_many_as_its_limit_anew_each_time() -> None:
    world = table(Noise(seed=1))
    laid = lay(world, "muck", 6)
    seen = looks(world, "muck")
    assert {len(s) for s in seen} == {2}
    for card in laid:
        assert close(sum(card.uid in s for s in seen) / LOOKS, 2 / 6)
    order = [c.uid for c in laid]
    assert all(order.index(a) < order.index(b) for a, b in seen)


def test_an_overfull_field_misses_among_those_it_can_tell_apart() -> None:
    world = table(Noise(miss=0.1, seed=1))
    lay(world, "board", 8)
    seen = looks(world, "board")
    assert close(sum(len(s) for s in seen) / (5 * LOOKS), 0.9, 5 * LOOKS)


def test_a_sticky_stack_reads_the_same_ones_until_it_changes() -> None:
    world = table(Noise(stack="sticky", seed=1))
    lay(world, "muck", 6)
    assert len(set(looks(world, "muck", 200))) == 1
    found = set()
    for n in range(30):
        lay(world, "muck", 1, 10 + n)
        found.update(looks(world, "muck", 2, world.now))
    assert len(found) > 10


def test_a_card_that_lands_during_a_look_may_be_read_or_not() -> None:
    read = 0
    for seed in range(400):
        world = table(Noise(seed=seed))
        world.move(world.deck("red")[0], "burn", 1.005)
        read += world.look(world.antenna_at("burn"), 1.0, 1.02) != ()
        assert world.look(world.antenna_at("burn"), 1.02, 1.04) != ()
    assert 250 < read < 350


def test_a_flying_card_is_read_at_the_stated_chance() -> None:
    world = table(Noise(flight=0.3, seed=9))
    card = world.deck("red")[0]
    world.fly(card, "board", 0.5)
    seen = looks(world, "board")
    assert close(sum(s == (card.uid,) for s in seen) / LOOKS, 0.3)
    assert Noise().flight_read == 0.0
    assert Noise(miss=0.05).flight_read > 0.0


def test_corruption_ghosts_and_shifts_come_at_their_rates() -> None:
    world = table(Noise(corrupt=0.01, ghost=0.02, shift=0.03, seed=4))
    one, two = lay(world, "seat/4", 2)
    ghost = merged_uid(one.uid, two.uid)
    shifted = {shifted_uid(one.uid), shifted_uid(two.uid)}
    seen = [world.look(4, 1 + n * 0.02, 1 + (n + 1) * 0.02) for n in range(LOOKS)]
    assert close(sum(s is None for s in seen) / LOOKS, 0.01)
    assert close(sum(s == (ghost,) for s in seen) / LOOKS, 0.02)
    assert close(sum(bool(shifted & set(s or ())) for s in seen) / LOOKS, 0.03)
    assert close(sum(s == (one.uid, two.uid) for s in seen) / LOOKS, 0.94)


def test_the_merged_uid_is_the_one_that_a_real_reader_gave() -> None:
    one, two = bytes.fromhex("E00259C186C95D5F"), bytes.fromhex("E00259C186C95830")
    assert merged_uid(one, two) == bytes.fromhex("E00259C186C95D7F")


def test_time_does_not_run_backwards() -> None:
    world = table()
    world.advance(5.0)
    with pytest.raises(ValueError, match="already"):
        world.move(world.deck("red")[0], "burn", 4.9)


def test_decks_have_tags_of_their_own_and_print_as_masks() -> None:
    world = table()
    cards = [c for name in ("red", "blue", "green", "black") for c in world.deck(name)]
    assert len({c.uid for c in cards}) == 4 * 54
    assert {len(c.uid) for c in cards} == {7, 8}
    card = world.card("red", "7c")
    assert card.uid.hex() not in repr(card)
    assert "7c" not in repr(card)
    assert world.duplicate(card).uid != card.uid == world.clone(card).uid
    assert world.foreign().uid not in {c.uid for c in cards}


def test_polls_follow_one_another_without_a_gap_and_name_their_outcome() -> None:
    world = table(Noise(sweep_s=0.4))
    lay(world, "board", 1)
    found = list(itertools.islice(polls(world, Round(world), start=2.0), 3000))
    cost = 0.4 / len(world.antennas)
    for n, poll in enumerate(found):
        assert isinstance(poll, Poll)
        assert (poll.started, poll.ended) == (2.0 + n * cost, 2.0 + (n + 1) * cost)
        seen = poll.antenna == world.antenna_at("board")
        assert poll.outcome is (Outcome.SEEN if seen else Outcome.EMPTY)
        assert poll.complete


def test_a_lost_reader_gives_health_and_no_poll() -> None:
    world = table()
    world.lose_reader(1, 1.0, 2.0)
    found = list(itertools.islice(polls(world, Round(world)), 300))
    health = [h for h in found if isinstance(h, Health)]
    assert [h.state for h in health] == [HealthState.LOST, HealthState.OK]
    assert 1.0 <= health[0].at < 1.5
    assert 3.0 <= health[1].at < 3.5
    assert health[0].antennas == (1, 2, 3, 4, 5, 6, 7, 8)
    between = [p.antenna for p in found if isinstance(p, Poll) and 1.03 < p.started < 2.97]
    assert between
    assert min(between) > 8


def test_with_every_reader_lost_time_still_goes_on() -> None:
    world = table()
    world.lose_reader(1, 0.0)
    world.lose_reader(2, 0.0)
    found = list(itertools.islice(polls(world, Round(world)), 20))
    assert all(isinstance(h, Health) and h.state is HealthState.LOST for h in found)
    assert isinstance(found[-1], Health)
    assert found[-1].at > 5.0


def test_tags_of_unlike_kinds_never_merge() -> None:
    world = table(Noise())
    short, long = world.deck("blue")[0], world.deck("red")[0]
    assert len(short.uid) != len(long.uid)
    for card in (short, long):
        world.move(card, "board", 0.0)
    board = world.antenna_at("board")
    world.afflict("ghost", board, 0.0, level=1.0)
    assert {world.look(board, n, n + 0.1) for n in range(1, 50)} == {(short.uid, long.uid)}
