"""What a silence proves, and when it is said."""

from __future__ import annotations

import pytest

from controller.model.events import CardGlimpsed, StillEmpty
from controller.model.findings import Watch
from controller.model.table import Zone
from tests.controller.sensing.polled_table import STACKS, PolledTable, tag

SEAT_2 = Zone("seat/2")
K = 4  # of an antenna that misses 5 %


def silences(table: PolledTable) -> list[StillEmpty]:
    return [e for e in table.events if isinstance(e, StillEmpty)]


def test_k_and_twice_k_polls_and_no_more() -> None:
    table = PolledTable()
    table.sensing.watch((Watch(SEAT_2, 0.0),))
    for _ in range(40):
        table.look("seat/2", [])
    told = silences(table)
    assert [(s.level, s.clean_polls, s.since, s.zone) for s in told] == [
        (1, K, 0.0, SEAT_2),
        (2, 2 * K, 0.0, SEAT_2),
    ]
    assert [s.at for s in told] == pytest.approx([K * 0.05, 2 * K * 0.05])
    assert told[0].until == told[0].at


def test_polls_of_the_past_count() -> None:
    table = PolledTable()
    for _ in range(K):
        table.look("seat/2", [])
    table.sensing.watch((Watch(SEAT_2, 0.05),))
    assert table.events == []
    table.look("seat/2", [])  # three of the past, begun at 0.05 or later, and this one
    assert [(s.level, s.clean_polls) for s in silences(table)] == [(1, K)]


def test_a_long_past_answers_level_by_level() -> None:
    table = PolledTable()
    for _ in range(30):
        table.look("seat/2", [])
    table.sensing.watch((Watch(SEAT_2, 0.0),))
    table.look("seat/2", [])
    table.look("seat/2", [])
    table.look("seat/2", [])
    assert [s.level for s in silences(table)] == [1, 2]


def test_only_polls_begun_since_count() -> None:
    table = PolledTable()
    table.sensing.watch((Watch(SEAT_2, 0.26),))
    for _ in range(6 + K - 1):
        table.look("seat/2", [])
    assert silences(table) == []
    table.look("seat/2", [])
    assert len(silences(table)) == 1


def test_corrupt_and_pushed_polls_prove_nothing() -> None:
    table = PolledTable()
    table.sensing.watch((Watch(SEAT_2, 0.0),))
    for _ in range(20):
        table.look("seat/2", noise=True)
        table.look("seat/2", [], complete=False)
    assert silences(table) == []


def test_the_same_watch_again_is_the_same_question() -> None:
    table = PolledTable()
    for _ in range(20):
        table.sensing.watch((Watch(SEAT_2, 0.0),))
        table.look("seat/2", [])
    assert [s.level for s in silences(table)] == [1, 2]


def test_a_dropped_watch_says_nothing() -> None:
    table = PolledTable()
    table.sensing.watch((Watch(SEAT_2, 0.0),))
    table.look("seat/2", [])
    table.sensing.watch(())
    for _ in range(20):
        table.look("seat/2", [])
    assert silences(table) == []


def test_nothing_is_said_while_a_newcomer_is_undecided() -> None:
    table = PolledTable()
    table.sweep(6)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.lay("seat/2", tag(1))
    table.sweep(2)
    assert table.sensing.sensed().undecided == (SEAT_2,)
    table.sweep(20)
    assert [e.kind for e in table.events] == ["card-came"]


def test_a_passing_card_delays_the_answer_only() -> None:
    table = PolledTable()
    table.sweep(6)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.look("seat/2", [tag(1)])
    table.sweep(3)
    assert silences(table) == []
    table.sweep(6)
    assert [s.level for s in silences(table)] == [1, 2]


def test_polls_that_named_a_card_settled_elsewhere_count_again() -> None:
    table = PolledTable()
    table.sweep(6)
    since = table.now
    for _ in range(2):
        table.sweep(1, seat2=[tag(1)], seat3=[tag(1)])
    table.lay("seat/3", tag(1))
    while not table.settled():
        table.sweep(1)
    seen = sum(1 for e in table.events if e.kind == "card-came")
    assert seen == 1
    polls = round((table.now - since) / table.sweep_s)
    table.sensing.watch((Watch(SEAT_2, since),))
    table.look("seat/1", [])
    told = silences(table)
    assert [(s.zone, s.clean_polls) for s in told] == [(SEAT_2, polls)]
    assert since < told[0].until < table.now


def test_a_full_antenna_proves_nothing() -> None:
    table = PolledTable(max_stack=STACKS)
    table.lay("seat/2", tag(1), tag(2))
    table.sweep(8)
    table.sensing.watch((Watch(SEAT_2, table.now), Watch(Zone("seat/3"), table.now)))
    table.sweep(20)
    assert {s.zone for s in silences(table)} == {"seat/3"}


def test_one_card_below_the_limit_still_lets_silence_speak() -> None:
    table = PolledTable(max_stack=STACKS)
    table.lay("seat/2", tag(1))
    table.sweep(8)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.sweep(20)
    assert [s.level for s in silences(table)] == [1, 2]


def test_a_watch_is_answered_once_a_card_came_after_it() -> None:
    table = PolledTable()
    table.sweep(6)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.lay("seat/2", tag(1))
    table.sweep(30)
    assert silences(table) == []


def test_a_seat_whose_cards_are_in_hand_proves_nothing() -> None:
    table = PolledTable()
    table.lay("seat/2", tag(1))
    table.sweep(8)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.take(tag(1))
    table.sweep(60)
    assert [e.kind for e in table.events] == ["card-came", "card-left"]
    table.lay("seat/2", tag(1))
    table.sweep(16)
    assert [s.level for s in silences(table)] == [1, 2]


def test_an_empty_seat_after_the_hand_was_folded_proves_something_again() -> None:
    table = PolledTable()
    table.lay("seat/2", tag(1))
    table.sweep(8)
    table.take(tag(1))
    table.sweep(8)
    table.lay("muck", tag(1))
    table.sweep(8)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.sweep(12)
    assert [s.level for s in silences(table)] == [1, 2]


def test_a_lifted_card_put_back_is_no_newcomer() -> None:
    table = PolledTable()
    table.lay("seat/2", tag(1))
    table.sweep(8)
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.take(tag(1))
    table.sweep(2)
    table.lay("seat/2", tag(1))
    table.sweep(14)
    assert [s.level for s in silences(table)] == [1, 2]


def test_a_lost_reader_is_no_empty_seat() -> None:
    table = PolledTable()
    table.sensing.watch((Watch(SEAT_2, 0.0),))
    table.sensing.reader_lost([2])
    for _ in range(20):
        table.look("seat/1", [])
    assert silences(table) == []


def test_a_newcomer_of_a_lost_reader_is_no_open_question() -> None:
    table = PolledTable()
    table.sweep(6)
    table.look("seat/2", [tag(1)])
    table.sensing.reader_lost([2])
    assert table.sensing.sensed().undecided == ()
    table.sensing.reader_back([2])
    table.lay("seat/2", tag(1))
    table.sweep(8)
    assert list(table.settled()) == ["seat/2"]


def test_a_card_taken_up_before_it_was_settled_is_not_missing() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(6)
    table.lay("seat/2", tag(1))
    table.look("seat/2")
    for zone in ("seat/4", "muck", "burn", "count", "seat/4", "muck", "burn", "count"):
        table.look(zone)  # longer than a flight takes
    table.look("seat/2")
    assert table.settled() == {}
    table.take(tag(1))  # the player looks at it
    since = table.now
    table.sensing.watch((Watch(SEAT_2, since), Watch(Zone("seat/3"), since)))
    table.sweep(20)
    assert {s.zone for s in silences(table)} == {"seat/3"}
    assert [e.zone for e in table.events if isinstance(e, CardGlimpsed)] == [SEAT_2]
    table.lay("seat/2", tag(1))
    table.sweep(8)
    assert list(table.settled()) == ["seat/2"]


def test_a_card_that_only_flew_past_leaves_the_seat_to_its_silence() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(6)
    table.look("seat/2", [tag(1)])
    table.look("seat/2", [tag(1)])
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.sweep(20)
    assert {s.zone for s in silences(table)} == {"seat/2"}


def test_a_card_folded_before_it_was_settled_is_not_missing() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(6)
    table.lay("seat/2", tag(1))
    table.look("seat/2")
    for zone in ("seat/4", "muck", "burn", "count", "seat/4", "muck", "burn", "count"):
        table.look(zone)
    table.look("seat/2")
    table.take(tag(1))
    table.lay("muck", tag(1))
    table.sensing.watch((Watch(SEAT_2, table.now),))
    table.sweep(20)
    assert list(table.settled()) == ["muck"]
    assert silences(table) == []
