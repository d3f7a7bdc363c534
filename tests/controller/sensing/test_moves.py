"""Settled cards: what moves them, what does not, and one UID in two places."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from controller.model.events import CardCame, CardLeft, TableEvent, TagFault, TagVerdict
from tests.controller.sensing.polled_table import STACKS, PolledTable, tag


def moves(events: Iterable[TableEvent]) -> list[tuple[str | None, str]]:
    return [(e.source, e.zone) for e in events if isinstance(e, CardCame)]


def verdicts(events: Iterable[TableEvent]) -> list[TagVerdict]:
    return [e for e in events if isinstance(e, TagVerdict)]


def seated(*numbers: int) -> PolledTable:
    table = PolledTable()
    table.sweep(6)
    table.lay("seat/2", *(tag(n) for n in numbers))
    table.sweep(8)
    table.events.clear()
    return table


def test_cross_reads_of_a_lying_card_move_nothing_and_are_counted() -> None:
    table = seated(1, 2)
    for _ in range(40):
        table.sweep(1, seat3=[tag(1)])
        table.sweep(2)
    assert table.events == []
    assert table.sensing.figures()[2].cross_reads == 40


def test_two_cross_reads_while_home_misses_move_nothing() -> None:
    table = seated(1, 2)
    table.sweep(2, seat2=[tag(2)], seat3=[tag(1)])
    table.sweep(6)
    assert table.events == []


def test_a_card_pushed_to_the_neighbour_moves() -> None:
    table = seated(1, 2)
    table.sweep(1)
    left = table.now
    table.take(tag(1))
    table.lay("seat/3", tag(1))
    events = table.sweep(8)
    assert moves(events) == [("seat/2", "seat/3")]
    card = events[0]
    assert isinstance(card, CardCame)
    assert card.before == pytest.approx(left + 3 * 0.05)
    assert card.after < left
    assert card.at - left < 7 * table.sweep_s
    assert len(events) == 1  # moved, so it has not left


def test_a_lone_cross_read_long_before_does_not_date_the_move() -> None:
    table = seated(1, 2)
    table.sweep(1, seat3=[tag(1)])
    table.sweep(10)
    left = table.now
    table.take(tag(1))
    table.lay("seat/3", tag(1))
    card = next(e for e in table.sweep(8) if isinstance(e, CardCame))
    assert card.before > left


def test_a_fold_is_told_with_its_source() -> None:
    table = seated(1, 2)
    table.take(tag(1), tag(2))
    table.sweep(2)
    table.lay("muck", tag(1), tag(2))
    assert moves(table.sweep(10)) == [("seat/2", "muck")] * 2


def test_a_peek_is_left_and_came_back_never_a_move() -> None:
    table = seated(1, 2)
    gone = table.now
    table.take(tag(1), tag(2))
    events = table.sweep(12)
    assert [e.kind for e in events] == ["card-left"] * 2
    first = events[0]
    assert isinstance(first, CardLeft)
    assert first.zone == "seat/2"
    assert first.after <= gone
    assert first.before >= gone + 3 * table.sweep_s  # never on fewer than k silences
    table.lay("seat/2", tag(1), tag(2))
    assert moves(table.sweep(8)) == [("seat/2", "seat/2")] * 2


def test_noise_and_a_lost_reader_take_no_card_away() -> None:
    table = seated(1, 2)
    for _ in range(60):
        table.look("seat/2", noise=True)
    table.sensing.reader_lost([2])
    table.sensing.reader_back([2])
    assert table.sweep(3, seat2=[]) == []
    assert table.sweep(20) == []


def test_a_silence_before_a_gap_does_not_add_up_with_one_after() -> None:
    table = seated(1, 2)
    table.sweep(4, seat2=[])
    table.sensing.reader_lost([2])
    table.sensing.reader_back([2])
    assert table.sweep(3, seat2=[]) == []


def test_a_pile_too_high_to_read_loses_no_card_by_silence() -> None:
    table = PolledTable(max_stack=STACKS, seed=3)
    table.sweep(6)
    for n in range(0, 12, 2):
        table.lay("seat/1", tag(n), tag(n + 1))
        table.sweep(8)
        table.take(tag(n), tag(n + 1))
        table.lay("muck", tag(n), tag(n + 1))
        table.sweep(60)
    assert len(table.settled()["muck"]) == 12
    table.events.clear()
    table.sweep(300)
    assert [e for e in table.events if isinstance(e, CardLeft)] == []
    table.lying["muck"].clear()
    table.sweep(20)
    assert table.settled() == {}


def test_a_card_taken_out_of_a_high_pile_is_found_at_the_seat() -> None:
    table = PolledTable(max_stack=STACKS, seed=4)
    table.sweep(6)
    for n in range(0, 6, 2):
        table.lay("seat/1", tag(n), tag(n + 1))
        table.sweep(8)
        table.take(tag(n), tag(n + 1))
        table.lay("muck", tag(n), tag(n + 1))
        table.sweep(60)
    table.take(tag(4))
    table.lay("seat/3", tag(4))
    assert moves(table.sweep(12)) == [("muck", "seat/3")]


def test_one_uid_far_apart_is_a_clone_told_once() -> None:
    table = seated(1, 2)
    table.lay("board", tag(1), tag(3))
    table.sweep(40, seat2=[tag(1), tag(2)])
    told = verdicts(table.events)
    assert [(v.fault, v.zone, v.token) for v in told] == [
        (TagFault.CLONE, "board", table.token(tag(1)))
    ]
    assert moves(table.events) == [(None, "board")]  # the honest card beside it


def test_a_copy_of_a_card_that_lies_alone_takes_longer() -> None:
    table = seated(1)
    table.sweep(8, board=[tag(1)])
    assert verdicts(table.events) == []
    table.sweep(8, board=[tag(1)])
    assert [v.fault for v in verdicts(table.events)] == [TagFault.CLONE]


def test_a_card_exchanged_for_another_is_gone_before_the_other_has_come() -> None:
    for stacks in (None, STACKS):
        table = PolledTable(max_stack=stacks)
        table.sweep(6)
        table.lay("seat/2", tag(1), tag(2))
        table.sweep(8)
        table.events.clear()
        table.take(tag(1))
        table.lay("seat/2", tag(3))
        table.sweep(24)
        assert [e.kind for e in table.events] == ["card-left", "card-came"]


def test_one_uid_on_neighbours_is_read_across() -> None:
    table = seated(1, 2)
    table.sweep(60, seat3=[tag(1)])
    assert verdicts(table.events) == []
    assert moves(table.events) == []


def test_an_antenna_that_repeats_itself_makes_no_clones() -> None:
    table = seated(1, 2)
    frozen = tuple(table.lying["seat/2"])
    table.take(tag(1), tag(2))
    table.lay("muck", tag(1), tag(2))
    table.sweep(30, seat2=frozen)
    assert verdicts(table.events) == []
    assert table.sensing.figures()[1].stuck
    assert moves(table.events) == [("seat/2", "muck")] * 2
    table.sweep(3)
    assert not table.sensing.figures()[1].stuck


def test_a_heap_over_the_board_settles_hardly_any_card() -> None:
    table = PolledTable(max_stack=STACKS, seed=9)
    table.sweep(6)
    table.lay("board", *(tag(n) for n in range(30)))
    table.sweep(60)
    assert table.sensing.unsettled_zones() == ("board",)
    assert len(moves(table.events)) <= 2
    table.lying["board"].clear()
    table.sweep(30)
    assert table.sensing.unsettled_zones() == ()
    assert table.settled() == {}
    table.events.clear()
    table.lay("board", tag(1), tag(2), tag(3))
    table.sweep(8)
    assert moves(table.events) == [(None, "board")] * 3  # what lay in the heap came from the deck


def test_what_settled_in_a_wash_is_no_source_for_the_next_deal() -> None:
    table = PolledTable(max_stack=STACKS, seed=9)
    table.lay("board", tag(50))
    table.sweep(8)
    table.lay("board", *(tag(n) for n in range(30)))
    table.sweep(20)
    table.lying["board"].clear()
    table.sweep(30)
    washed = {e.token for e in table.events if isinstance(e, CardCame)}
    table.events.clear()
    table.lay("seat/1", tag(50))
    table.sweep(8)
    assert moves(table.events) == [(None, "seat/1")]
    assert not washed & {e.token for e in table.events if isinstance(e, CardCame)}
    table.sweep(120)  # the wash is long over: from here on the card is like any other
    table.take(tag(50))
    table.sweep(8)
    table.lay("seat/1", tag(50))
    assert moves(table.sweep(8)) == [("seat/1", "seat/1")]


def test_a_close_look_is_asked_for_where_it_decides_something() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(6)
    table.lay("board", tag(1), tag(2), tag(3))
    table.sweep(1)
    assert table.sensing.sensed().undecided == ("board",)
    table.sweep(8)
    assert table.sensing.sensed().undecided == ()
    table.lying["board"].clear()
    table.sweep(3)
    assert table.sensing.sensed().undecided == ("board",)  # are they gone?
    table.sweep(8)
    assert table.sensing.sensed().undecided == ()


def test_a_heap_of_which_a_few_cards_are_left_is_one_no_more() -> None:
    table = PolledTable(max_stack=STACKS, seed=9)
    table.sweep(6)
    table.lay("burn", *(tag(n) for n in range(12)))
    table.sweep(10)
    assert table.sensing.unsettled_zones() == ("burn",)
    table.lying["burn"] = [tag(1), tag(2), tag(3)]
    table.sweep(20)
    assert table.sensing.unsettled_zones() == ()
    assert len(table.settled()["burn"]) == 3


def test_cards_read_across_at_a_close_look_are_no_heap() -> None:
    table = PolledTable(max_stack={**STACKS, "muck": 20})
    table.lay("burn", tag(1), tag(2))
    table.sweep(40)
    unsettled = [tag(n) for n in range(10, 15)]  # in the muck just now, and read across at times
    for n in range(100):
        table.look("burn", [tag(1), tag(2), unsettled[n // 10 % 5]] if n % 10 < 2 else None)
        assert table.sensing.unsettled_zones() == ()


def test_no_close_look_is_asked_for_at_a_wash() -> None:
    table = PolledTable(max_stack=STACKS, seed=9)
    table.sweep(6)
    table.lay("board", *(tag(n) for n in range(10, 40)))
    table.sweep(30)
    assert "board" not in table.sensing.sensed().undecided


def test_a_fold_that_slides_over_the_next_seat_is_no_move_to_it() -> None:
    table = seated(1, 2)
    table.take(tag(1), tag(2))
    for _ in range(9):  # 0.45 s of close looks
        table.look("seat/1", [tag(1), tag(2)])
    table.lay("muck", tag(1), tag(2))
    table.sweep(16)
    assert [m for m in moves(table.events) if m[1] != "muck"] == []
    assert moves(table.events) == [("seat/2", "muck")] * 2


def test_a_card_taken_back_just_after_its_replacement_came() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(6)
    table.lay("seat/2", tag(1), tag(2))
    table.sweep(8)
    table.events.clear()
    table.lay("seat/2", tag(3))
    table.look("seat/2", [tag(1), tag(3)])
    table.take(tag(1))
    table.sweep(24)
    assert [e.kind for e in table.events] == ["card-left", "card-came"]
