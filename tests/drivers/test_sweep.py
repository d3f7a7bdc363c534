"""The sweep: every antenna in turn, those in focus more often, nobody starved, always the same."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.sweep import Order, SweepScheduler

ALL = tuple(range(1, 16))


def visits(scheduler: SweepScheduler, count: int) -> list[int]:
    return [scheduler.next() for _ in range(count)]


@pytest.mark.parametrize(("order", "first"), [("with", [1, 2, 3]), ("against", [15, 14, 13])])
def test_without_focus_it_is_a_plain_round(order: Order, first: list[int]) -> None:
    scheduler = SweepScheduler(ALL, order)
    seen = visits(scheduler, 45)
    assert seen[:3] == first
    assert seen[:15] == seen[15:30] == seen[30:]
    assert sorted(seen[:15]) == list(ALL)


def test_focused_antennas_get_three_visits_in_four() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((4, 5, 6))
    seen = visits(scheduler, 400)
    assert Counter(a in (4, 5, 6) for a in seen) == {True: 300, False: 100}
    assert [a for a in seen if a not in (4, 5, 6)][:5] == [15, 14, 13, 12, 11]


def test_the_first_in_focus_leads_most_of_all_when_it_is_new_there() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((4, 5, 6))
    focused = [a for a in visits(scheduler, 400) if a in (4, 5, 6)]
    assert focused[:9] == [4, 4, 6, 4, 4, 5, 4, 4, 6]
    assert Counter(focused[9:]) == {4: 146, 5: 73, 6: 72}
    scheduler.focus((5, 4, 6))
    assert Counter(a for a in visits(scheduler, 12) if a in (4, 5, 6)) == {5: 6, 4: 2, 6: 1}


@pytest.mark.parametrize(("order", "others"), [("with", [3, 5, 6]), ("against", [6, 5, 3])])
def test_the_others_take_turns_in_the_order_of_the_round(order: Order, others: list[int]) -> None:
    scheduler = SweepScheduler(ALL, order)
    scheduler.focus((4, 6, 3, 5))
    assert [a for a in visits(scheduler, 40) if a in (3, 5, 6)][:6] == others * 2


def test_a_focus_that_shrinks_card_by_card_goes_on_where_it_was() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((2, 3, 4, 5, 6))
    assert visits(scheduler, 7) == [2, 2, 6, 15, 2, 2, 5]
    scheduler.focus((2, 3, 4, 5))
    assert [a for a in visits(scheduler, 8) if a in (3, 4, 5)] == [4, 3]


def test_one_in_focus_gets_all_its_visits() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((8,))
    assert Counter(visits(scheduler, 60))[8] == 45


def test_focus_can_be_ended_and_ignores_strangers() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((99,))
    assert not scheduler.focused
    scheduler.focus((2, 99, 7))
    assert scheduler.focused == (7, 2)
    scheduler.focus(())
    assert sorted(visits(scheduler, 15)) == list(ALL)


def test_focus_on_everything_or_with_no_share_is_a_plain_round() -> None:
    cases: list[tuple[SweepScheduler, tuple[int, ...]]] = [
        (SweepScheduler(ALL), ALL),
        (SweepScheduler(ALL, focus_share=0.0), (1, 2)),
        (SweepScheduler((7,)), (7,)),
    ]
    for scheduler, wanted in cases:
        scheduler.focus(wanted)
        assert len(set(Counter(visits(scheduler, 30)).values())) == 1
        assert len(scheduler.focused) == 0


def _first_few(antennas: list[int]) -> st.SearchStrategy[list[int]]:
    return st.integers(0, len(antennas)).map(lambda n: antennas[:n])


@given(
    st.sampled_from(["with", "against"]),
    st.floats(0, 0.99),
    st.lists(
        st.tuples(st.permutations(range(1, 16)).flatmap(_first_few), st.integers(1, 9)),
        min_size=1,
        max_size=40,
    ),
)
def test_no_antenna_is_starved_however_the_focus_moves(
    order: Order, share: float, moves: list[tuple[list[int], int]]
) -> None:
    scheduler, twin = SweepScheduler(ALL, order, share), SweepScheduler(ALL, order, share)
    bound = scheduler.longest_gap
    last = dict.fromkeys(ALL, 0)
    count = 0
    for focus, stay in moves * (1 + 2 * bound // sum(s for _, s in moves)):
        scheduler.focus(focus)
        twin.focus(focus)
        for _ in range(stay):
            count += 1
            antenna = scheduler.next()
            assert antenna == twin.next()
            last[antenna] = count
            assert all(count - seen <= bound for seen in last.values())


@pytest.mark.parametrize(
    ("antennas", "order", "share"),
    [((), "with", 0.5), ((1, 1), "with", 0.5), ((1,), "up", 0.5), ((1,), "with", 1.0)],
)
def test_what_cannot_be_swept_is_refused(
    antennas: tuple[int, ...], order: Order, share: float
) -> None:
    with pytest.raises(ValueError, match=r"antennas|order|focus_share"):
        SweepScheduler(antennas, order, share)


def test_an_antenna_can_be_visited_alone_and_the_round_goes_on_where_it_stopped() -> None:
    scheduler, other = SweepScheduler(ALL), SweepScheduler(ALL)
    for each in (scheduler, other):
        each.focus((4, 5, 6))
        visits(each, 37)
    scheduler.only(15)
    assert scheduler.alone == 15
    assert visits(scheduler, 100) == [15] * 100
    scheduler.only(None)
    assert scheduler.focused == other.focused
    assert visits(scheduler, 200) == visits(other, 200)


def test_an_antenna_that_is_not_ours_cannot_be_visited_alone() -> None:
    with pytest.raises(ValueError, match="antenna 99"):
        SweepScheduler(ALL).only(99)
