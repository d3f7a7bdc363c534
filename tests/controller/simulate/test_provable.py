"""Hand-made polls: what a legal dealing can explain, and what it cannot."""

import math
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.simulate.provable import Dealt, TrueNoise, log_ratio, provable
from drivers.readings import Outcome, Poll, Uid

SEATS = (1, 2, 3)
BURN = 8
NOISE = TrueNoise(miss=0.05, cross=0.02, neighbours={1: (2,), 2: (1, 3), 3: (2,)})


def uid(number: int) -> Uid:
    return Uid(bytes([4, 0, 0, 0, 0, 0, number]))


def sweep(
    landed: Mapping[int, Sequence[tuple[int, float]]],
    *,
    until: float,
    antennas: Sequence[int] = (*SEATS, BURN),
    sweep_s: float = 0.4,
    missed: Sequence[tuple[int, int]] = (),
    miss: float = 0.0,
    max_stack: int = 99,
    seed: int = 1,
) -> list[Poll]:
    """Rounds over the antennas: landed gives, by antenna, (card, landing time); missed names
    (card, how many of the first reads of it fail)."""
    rng = random.Random(seed)
    left = dict(missed)
    cost = sweep_s / len(antennas)
    polls = []
    for n in range(int(until / cost)):
        antenna, started = antennas[n % len(antennas)], n * cost
        there = [c for c, at in landed.get(antenna, ()) if at <= started]
        if len(there) > max_stack:
            there = rng.sample(there, max_stack)
        read = []
        for c in there:
            if left.get(c, 0) > 0:
                left[c] -= 1
            elif rng.random() >= miss:
                read.append(uid(c))
        polls.append(
            Poll(
                antenna,
                tuple(read),
                Outcome.SEEN if read else Outcome.EMPTY,
                started,
                started + cost,
            )
        )
    return polls


def dealt(*cards: tuple[int, int]) -> list[Dealt]:
    return [Dealt(uid(card), antenna) for card, antenna in cards]


class TestOrder:
    def test_two_cards_a_second_apart_in_the_wrong_order_are_provable(self) -> None:
        polls = sweep({2: [(20, 1.0)], 1: [(10, 3.0)], 3: [(30, 4.0)]}, until=6)
        cards = dealt((20, 2), (10, 1), (30, 3))
        assert provable(polls, cards, SEATS, NOISE, since=0, until=6)

    def test_the_same_cards_in_the_right_order_have_the_ratio_one(self) -> None:
        polls = sweep({1: [(10, 1.0)], 2: [(20, 2.0)], 3: [(30, 3.0)]}, until=6)
        cards = dealt((10, 1), (20, 2), (30, 3))
        assert log_ratio(polls, cards, SEATS, NOISE, since=0, until=6) == pytest.approx(0)

    def test_a_swap_within_one_sweep_is_not_provable(self) -> None:
        polls = sweep({2: [(20, 1.00)], 1: [(10, 1.15)], 3: [(30, 2.0)]}, until=6)
        cards = dealt((20, 2), (10, 1), (30, 3))
        assert not provable(polls, cards, SEATS, NOISE, since=0, until=6)

    def test_one_missed_read_excuses_a_swap_and_five_do_not(self) -> None:
        # Seat 1 is silent for n sweeps after seat 2's card was read: n misses, says a legal story.
        ratios = []
        for sweeps in (1, 5):
            late = 1.0 + 0.4 * sweeps
            polls = sweep({2: [(20, 1.0)], 1: [(10, late)]}, until=6, antennas=(1, 2, 3, BURN))
            cards = dealt((20, 2), (10, 1))
            ratios.append(log_ratio(polls, cards, (1, 2), NOISE, since=0, until=6))
        assert ratios[0] > math.log(1e-4) > ratios[1]

    def test_missed_first_reads_of_a_legal_dealing_prove_nothing(self) -> None:
        landed = {1: [(10, 1.0)], 2: [(20, 1.5)], 3: [(30, 2.0)]}
        polls = sweep(landed, until=6, missed=[(10, 6)])
        cards = dealt((10, 1), (20, 2), (30, 3))
        assert not provable(polls, cards, SEATS, NOISE, since=0, until=6)

    def test_a_neighbours_read_tells_that_the_card_had_landed(self) -> None:
        # Antenna 1 misses its card for five sweeps, but antenna 2 reads it across in between, which
        # it does not do in flight at this table.
        still = TrueNoise(miss=0.05, cross=0.02, neighbours=NOISE.neighbours, flight=0.0)
        quiet = sweep({1: [(10, 1.0)], 3: [(30, 1.6)]}, until=6, missed=[(10, 6)])
        crossed = [
            p._replace(uids=(uid(10),), outcome=Outcome.SEEN)
            if p.antenna == 2 and 1.0 < p.started < 2.0
            else p
            for p in quiet
        ]
        cards = dealt((30, 3), (10, 1))
        assert provable(quiet, cards, (1, 3), still, since=0, until=6)
        assert not provable(crossed, cards, (1, 3), still, since=0, until=6)

    def test_a_swap_at_a_table_without_misses_needs_one_silent_look(self) -> None:
        clean = TrueNoise(miss=0.0, cross=0.0, flight=0.0)
        polls = sweep({2: [(20, 1.02)], 1: [(10, 1.47)]}, until=6, antennas=(3, 2, 1, BURN))
        cards = dealt((20, 2), (10, 1))
        assert provable(polls, cards, (1, 2), clean, since=0, until=6)

    def test_noise_is_not_silence(self) -> None:
        polls = [
            p._replace(outcome=Outcome.NOISE) if p.antenna == 1 and p.started < 3.4 else p
            for p in sweep({2: [(20, 1.0)], 1: [(10, 3.0)]}, until=6)
        ]
        assert not provable(polls, dealt((20, 2), (10, 1)), (1, 2), NOISE, since=0, until=6)


class TestCount:
    def test_a_seat_that_never_got_its_second_card(self) -> None:
        polls = sweep({1: [(10, 1.0), (11, 3.0)], 2: [(20, 2.0)]}, until=12)
        cards = dealt((10, 1), (20, 2), (11, 1))
        assert provable(polls, cards, (1, 2, 1, 2), NOISE, since=0, until=12)

    def test_a_card_that_may_still_come_is_not_missing(self) -> None:
        polls = sweep({1: [(10, 1.0), (11, 3.0)], 2: [(20, 2.0)]}, until=8)
        cards = dealt((10, 1), (20, 2), (11, 1))
        assert not provable(polls, cards, (1, 2, 1, 2), NOISE, since=0, until=8)
        assert provable(polls, cards, (1, 2, 1, 2), NOISE, since=0, until=8, pause_s=2)

    def test_a_full_antenna_proves_nothing_by_silence(self) -> None:
        full = TrueNoise(miss=0.05, cross=0.02, max_stack={BURN: 2})
        polls = sweep({BURN: [(80, 1.0), (81, 2.0)]}, until=20)
        cards = dealt((80, BURN), (81, BURN))
        plan = (BURN, BURN, BURN)
        assert provable(polls, cards, plan, NOISE, since=0, until=20)
        assert not provable(polls, cards, plan, full, since=0, until=20)

    def test_cards_that_are_lifted_hide_what_lies_under_them(self) -> None:
        polls = sweep({1: [(10, 1.0)], 2: [(20, 2.0), (21, 3.0)]}, until=12)
        lifted = [
            Dealt(uid(10), 1, away=((3.2, 11.8),)),
            Dealt(uid(20), 2),
            Dealt(uid(21), 2),
        ]
        plan = (1, 2, 1, 2)
        assert not provable(polls, lifted, plan, NOISE, since=0, until=12)
        there = dealt((10, 1), (20, 2), (21, 2))
        assert provable(polls, there, plan, NOISE, since=0, until=12)

    def test_a_dead_tag_excuses_a_missing_card(self) -> None:
        polls = sweep({1: [(10, 1.0)]}, until=30)
        dead = TrueNoise(miss=0.05, cross=0.02, unread=0.01)
        assert provable(polls, dealt((10, 1)), (1, 1), NOISE, since=0, until=30)
        assert not provable(polls, dealt((10, 1)), (1, 1), dead, since=0, until=30)

    def test_a_surplus_card_read_again_and_again_is_no_cross_read(self) -> None:
        polls = sweep({1: [(10, 1.0), (11, 2.0), (12, 3.0)]}, until=8)
        cards = dealt((10, 1), (11, 1), (12, 1))
        assert provable(polls, cards, (1, 1), NOISE, since=0, until=8)

    def test_a_single_read_may_be_a_cross_read(self) -> None:
        polls = sweep({1: [(10, 1.0), (11, 2.0), (12, 7.65)]}, until=8)
        cards = dealt((10, 1), (11, 1), (12, 1))
        assert not provable(polls, cards, (1, 1), NOISE, since=0, until=8)

    def test_reads_within_one_flight_may_be_a_card_on_its_way_elsewhere(self) -> None:
        for lies_s, proved in ((0.9, False), (3.0, True)):
            gone = 1.0 + lies_s
            polls = [
                p if p.started < gone else p._replace(uids=(), outcome=Outcome.EMPTY)
                for p in sweep({3: [(30, 1.0)]}, until=6)
            ]
            card = [Dealt(uid(30), 3, until=gone)]
            assert provable(polls, card, (), NOISE, since=0, until=6) is proved

    def test_an_empty_plan_asks_whether_the_card_was_ever_there(self) -> None:
        polls = sweep({3: [(30, 1.0)]}, until=4)
        assert provable(polls, dealt((30, 3)), (), NOISE, since=0, until=4)
        assert not provable(polls, dealt((30, 2)), (), NOISE, since=0, until=4)

    def test_a_burn_left_out_before_the_flop(self) -> None:
        board = 9
        polls = sweep(
            {board: [(90, 5.0), (91, 5.5), (92, 6.0)]}, until=20, antennas=(*SEATS, BURN, board)
        )
        cards = dealt((90, board), (91, board), (92, board))
        plan = (BURN, board, board, board)
        assert provable(polls, cards, plan, NOISE, since=0, until=20)

    def test_a_burn_after_the_flop_does_not_stand_in_for_the_one_before_it(self) -> None:
        board = 9
        polls = sweep(
            {board: [(90, 2.0), (91, 2.5), (92, 3.0)], BURN: [(80, 9.0)]},
            until=20,
            antennas=(*SEATS, BURN, board),
        )
        cards = dealt((90, board), (91, board), (92, board), (80, BURN))
        plan = (BURN, board, board, board)
        assert provable(polls, cards, plan, NOISE, since=0, until=20)


@given(
    times=st.lists(st.floats(0.5, 8.0), min_size=3, max_size=9),
    seed=st.integers(0, 10**6),
    miss=st.sampled_from((0.0, 0.05, 0.2)),
)
def test_no_hand_dealt_by_the_plan_is_ever_provably_wrong(
    times: list[float], seed: int, miss: float
) -> None:
    times.sort()
    landed: dict[int, list[tuple[int, float]]] = {}
    cards, plan = [], []
    for n, at in enumerate(times):
        antenna = SEATS[n % len(SEATS)]
        landed.setdefault(antenna, []).append((n, at))
        cards.append(Dealt(uid(n), antenna))
        plan.append(antenna)
    polls = sweep(landed, until=9, miss=miss, max_stack=2, seed=seed)
    noise = TrueNoise(miss=miss, cross=0.0, max_stack={1: 2, 2: 2, 3: 2})
    assert log_ratio(polls, cards, plan, noise, since=0, until=9) >= -1e-9


def test_no_card_is_named_in_what_is_printed() -> None:
    assert "0400" not in repr(Dealt(uid(1), 1))
    assert uid(1).hex() not in repr(Dealt(uid(1), 1))
