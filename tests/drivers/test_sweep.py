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


def test_focused_antennas_get_three_visits_in_four_against_the_deal() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((4, 5, 6))
    seen = visits(scheduler, 400)
    assert Counter(a in (4, 5, 6) for a in seen) == {True: 300, False: 100}
    assert [a for a in seen if a in (4, 5, 6)][:6] == [6, 5, 4, 6, 5, 4]
    assert [a for a in seen if a not in (4, 5, 6)][:5] == [15, 14, 13, 12, 11]


def test_with_the_deal_the_focus_ascends() -> None:
    scheduler = SweepScheduler(ALL, "with")
    scheduler.focus((6, 4))
    assert [a for a in visits(scheduler, 8) if a in (4, 6)] == [4, 6, 4, 6, 4, 6]


def test_a_focus_that_shrinks_card_by_card_goes_on_where_it_was() -> None:
    scheduler = SweepScheduler(ALL)
    scheduler.focus((3, 4, 5, 6))
    assert visits(scheduler, 2) == [6, 5]
    scheduler.focus((4, 5, 6))
    assert scheduler.next() == 4


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


@given(
    st.sampled_from(["with", "against"]),
    st.floats(0, 0.99),
    st.lists(st.tuples(st.sets(st.integers(1, 15)), st.integers(1, 9)), min_size=1, max_size=40),
)
def test_no_antenna_is_starved_however_the_focus_moves(
    order: Order, share: float, moves: list[tuple[set[int], int]]
) -> None:
    scheduler, twin = SweepScheduler(ALL, order, share), SweepScheduler(ALL, order, share)
    bound = scheduler.longest_gap
    last = dict.fromkeys(ALL, 0)
    count = 0
    for focus, stay in moves * (1 + 2 * bound // sum(s for _, s in moves)):
        scheduler.focus(tuple(focus))
        twin.focus(tuple(sorted(focus, reverse=True)))
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
