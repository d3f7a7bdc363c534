"""Shuffles: the acts are what they claim, the chain follows from them, a fit errs on the safe
side."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.integrity.shuffles import (
    AGES,
    FIT_HANDS,
    ROUTINES,
    SAMPLES,
    Act,
    ReturnCounter,
    Returns,
    Routine,
    RoutineError,
    Shuffle,
    fit,
    gather_matrix,
    gathered,
    players_in,
    routine,
    shuffle_matrix,
    shuffled,
    stripped,
)

ACTS = st.lists(st.sampled_from(list(Act)), max_size=5)


@given(ACTS, st.integers(2, 60), st.integers(0, 2**32))
def test_whatever_a_routine_does_no_card_is_lost_or_doubled(
    acts: list[Act], cards: int, seed: int
) -> None:
    places = shuffled(acts, 3, cards, np.random.default_rng(seed))
    assert (np.sort(places, axis=1) == np.arange(cards)).all()


@given(
    st.integers(2, 11), st.integers(0, 52), st.integers(1, 4), st.booleans(), st.integers(0, 2**32)
)
def test_the_gathering_returns_every_card_and_keeps_the_stub_in_order(
    players: int, dealt: int, hole: int, over: bool, seed: int
) -> None:
    (row,) = gathered(
        np.array([dealt]),
        players,
        52,
        np.random.default_rng(seed),
        hole=hole,
        stub="over" if over else "under",
    )
    assert sorted(row) == list(range(52))
    stub = list(range(dealt, 52))
    assert list(row[: 52 - dealt] if over else row[dealt:]) == stub


def test_a_riffle_is_the_one_of_gilbert_shannon_and_reeds() -> None:
    cards = 6
    exact = np.zeros((cards, cards))
    # Every row of coins is equally likely: heads fall from the upper packet, tails from the lower.
    for coins in product((0, 1), repeat=cards):
        upper, lower = iter(range(coins.count(0))), iter(range(coins.count(0), cards))
        for new, coin in enumerate(coins):
            exact[next(lower if coin else upper), new] += 1 / 2**cards
    found = shuffle_matrix((Act.RIFFLE,), cards)
    assert found == pytest.approx(exact, abs=4.5 * 0.5 / SAMPLES**0.5)


@given(st.integers(0, 2**32))
def test_a_strip_changes_the_order_of_packets_and_not_within_them(seed: int) -> None:
    (row,) = stripped(1, 52, np.random.default_rng(seed)).tolist()
    packets: list[list[int]] = [[row[0]]]
    for card in row[1:]:
        if card == packets[-1][-1] + 1:
            packets[-1].append(card)
        else:
            packets.append([card])
    assert [c for packet in reversed(packets) for c in packet] == list(range(52))


def test_folded_hands_lie_together_below_the_board_and_above_the_stub() -> None:
    rows = gathered(np.full(50, 26), 9, 52, np.random.default_rng(1))
    for row in rows.tolist():
        at = {card: place for place, card in enumerate(row)}
        for seat in range(9):
            assert abs(at[seat] - at[seat + 9]) == 1
        board = [19, 20, 21, 23, 25]
        assert [at[c] for c in board] == list(range(2, 7))  # under the winner's hand, in order
        assert [at[burn] for burn in (18, 22, 24)] == [23, 24, 25]


def test_a_step_moves_chances_and_makes_none() -> None:
    for text in ("house", "uniform", "riffle stub-over"):
        for dealt in (0, 18, 26, 52):
            step = Shuffle.of(text).step(dealt)
            assert step.sum(axis=1) == pytest.approx(np.ones(52))
            assert step.sum(axis=0) == pytest.approx(np.ones(52))


def test_a_step_is_the_gathering_followed_by_the_routine() -> None:
    """Against decks that are gathered and shuffled in one go."""
    house, rows = ROUTINES["two-riffles"], 40_000
    chance = np.random.default_rng(9)
    order = np.take_along_axis(
        gathered(np.full(rows, 24), 9, 52, chance), shuffled(house.acts, rows, 52, chance), axis=1
    )
    counted = np.array([np.bincount(order[:, new], minlength=52) for new in range(52)]).T / rows
    assert Shuffle(((1.0, house),)).step(24) == pytest.approx(counted, abs=0.008)


def test_shares_of_two_routines_blend_their_steps() -> None:
    one, other = ROUTINES["one-riffle"], ROUTINES["uniform"]
    blend = Shuffle(((0.25, one), (0.75, other)))
    apart = 0.25 * Shuffle(((1.0, one),)).step(22) + 0.75 / 52
    assert blend.step(22) == pytest.approx(apart)
    with pytest.raises(ValueError, match="1 together"):
        Shuffle(((0.5, one), (0.6, other)))


def test_the_stub_can_be_laid_on_top() -> None:
    under, over = gather_matrix(24, 9), gather_matrix(24, 9, stub="over")
    assert under[51, 51] == 1
    assert over[24, 0] == 1


@pytest.mark.parametrize(
    ("dealt", "players"), [(18, 9), (22, 9), (26, 9), (20, 8), (14, 7), (2, 9), (25, 9)]
)
def test_the_players_follow_from_the_cards_dealt(dealt: int, players: int) -> None:
    assert players_in(dealt, usual=9 if players > 7 else 7) == players


def test_a_routine_is_read_by_name_or_act_by_act() -> None:
    assert routine("house") == routine("riffle riffle strip riffle cut")
    assert routine("riffle cut stub-over") == Routine((Act.RIFFLE, Act.CUT), "over")
    assert routine(str(ROUTINES["house-stub-over"])) == ROUTINES["house-stub-over"]


def test_every_word_that_is_no_act_is_named() -> None:
    with pytest.raises(RoutineError, match=r"'rifle' \(meant: riffle\?\).*'box'"):
        routine("rifle cut box")
    with pytest.raises(RoutineError, match="nothing"):
        routine("  ")


# -- the fit


def played(house: Routine, hands: int, seed: int = 3, shown: float = 0.95) -> ReturnCounter:
    chance, counter = np.random.default_rng(seed), ReturnCounter()
    deck = np.arange(52)
    for _ in range(hands):
        dealt = 18 + int(chance.choice((0, 4, 6, 8)))
        counter.hand(deck[:dealt][chance.random(dealt) < shown].tolist(), dealt)
        order = gathered(np.array([dealt]), 9, 52, chance, stub=house.stub)[0]
        deck = deck[order][shuffled(house.acts, 1, 52, chance)[0]]
    return counter


def long_silence(shuffle: Shuffle, hands: int = 30) -> float:
    """The chance to stay out of the top 22 places for so long."""
    at, step = np.full(52, 1 / 52), shuffle.step(22)
    for _ in range(hands):
        at[:22] = 0
        at = at @ step
    return float(at.sum())


@pytest.mark.parametrize("name", list(ROUTINES))
def test_a_fit_never_expects_shorter_silences_than_the_house_gives(name: str) -> None:
    found = fit(played(ROUTINES[name], 480).returns)
    assert found.explained
    true = long_silence(Shuffle.of(name))
    assert true * 0.9 <= long_silence(found.shuffle) <= true * 20


def test_before_a_nights_worth_of_hands_nothing_is_fitted() -> None:
    usual = Shuffle.of("no-cut")
    found = fit(played(ROUTINES["one-riffle"], FIT_HANDS - 1).returns, usual)
    assert (found.shuffle, found.explained) == (usual, None)


def test_counts_that_no_shuffle_explains_give_the_longest_silences_of_all() -> None:
    stuck = ReturnCounter()
    for hand in range(FIT_HANDS):  # the same cards hand after hand, and then the others
        stuck.hand(range(22) if hand // 20 % 2 else range(22, 44), 22)
    found = fit(stuck.returns)
    assert found.explained is False
    assert long_silence(found.shuffle) == max(long_silence(Shuffle.of(n)) for n in ROUTINES)


def test_returns_are_counts_by_how_long_ago() -> None:
    counter = ReturnCounter()
    for seen in ((1, 2), (2, 3), (1, 2)):
        counter.hand(seen, 3)
    found = counter.returns
    # Card 2 twice after one hand, 1 not, 3 not; card 1 after two hands.
    assert found.waited[:2] == (4, 1)
    assert found.again[:2] == (2, 1)
    assert (found.hands, found.seen, found.seen_share) == (3, 6, 6 / 9)
    assert found + Returns() == found
    assert (found + found).dealt == ((3, 6),)
    assert len(found.waited) == AGES


def test_a_count_ends_every_wait() -> None:
    counter = ReturnCounter()
    counter.hand((1, 2), 2)
    counter.counted()
    counter.hand((1, 3), 2)
    assert sum(counter.returns.waited) == 0
    assert repr(counter) == "<returns over 2 hands>"
