"""Newcomers: when a card is said to have come, where, and between which times."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import pytest

from controller.model.events import CardCame, CardCarried, TableEvent, TagFault, TagVerdict
from controller.model.table import Zone
from drivers.readings import Outcome, Poll, Uid
from tests.controller.sensing.polled_table import STACKS, PolledTable, tag


def came(events: Iterable[TableEvent]) -> list[CardCame]:
    return [e for e in events if isinstance(e, CardCame)]


def test_one_sight_settles_nothing() -> None:
    table = PolledTable()
    table.sweep(3)
    assert table.look("seat/2", [tag(1)]) == []
    assert table.sensing.sensed().undecided == ("seat/2",)
    assert table.sweep(6) == []
    assert table.sensing.sensed().undecided == ()


def test_a_card_settles_within_a_few_sweeps() -> None:
    table = PolledTable()
    table.sweep(8)
    landed = table.now
    table.lay("seat/2", tag(1))
    events = table.sweep(5)
    assert len(events) == 1
    card = came(events)[0]
    assert card.zone == "seat/2"
    assert card.source is None
    assert card.token == table.token(tag(1))
    # Seat 2 is the second of eight antennas: its first look begins one poll after the landing.
    assert card.before == pytest.approx(landed + 2 * 0.05)
    # k = 4: the fourth-last silent look of seat 2 began four sweeps before the first sight.
    assert card.after == pytest.approx(landed + 0.05 - 4 * table.sweep_s)
    assert card.at <= landed + 4 * table.sweep_s


def test_without_enough_history_the_arrival_has_no_lower_bound() -> None:
    table = PolledTable()
    table.sweep(3)  # k is 4
    table.lay("seat/1", tag(1))
    assert came(table.sweep(6))[0].after == -inf


def test_a_missed_first_look_stays_inside_the_interval() -> None:
    table = PolledTable()
    table.sweep(8)
    landed = table.now
    table.lay("seat/3", tag(1))
    table.sweep(2, seat3=[])  # two misses
    card = came(table.sweep(6))[0]
    assert card.after <= landed <= card.before


def test_an_early_sight_that_two_misses_follow_widens_the_interval() -> None:
    table = PolledTable()
    table.sweep(8)
    landed = table.now
    table.lay("seat/3", tag(1))
    table.sweep(1)
    table.sweep(3, seat3=[])
    card = came(table.sweep(8))[0]
    assert card.after <= landed - 3 * table.sweep_s


@pytest.mark.parametrize(("read", "missed"), [(1, 4), (2, 4), (2, 7)])
def test_k_misses_in_a_row_after_its_first_sights_leave_a_card_where_it_lay(
    read: int, missed: int
) -> None:
    """Silence proves an empty place before anything was read there; between two sights of the same
    card as many misses may fall at many moments, and a wrong date accuses the dealer."""
    table = PolledTable()
    table.sweep(8)
    landed = table.now
    table.lay("seat/3", tag(1))
    table.sweep(read)
    table.sweep(missed, seat3=[])
    assert came(table.events) == []
    card = came(table.sweep(12))[0]
    assert card.after <= landed


def test_a_card_in_flight_settles_where_it_lands() -> None:
    table = PolledTable()
    table.sweep(6)
    table.look("seat/3", [tag(1)])
    table.look("seat/3", [tag(1)])
    table.lay("seat/4", tag(1))
    cards = came(table.sweep(8))
    assert [(c.zone, c.source) for c in cards] == [("seat/4", None)]


def test_cross_reads_of_a_new_card_do_not_win() -> None:
    table = PolledTable()
    table.sweep(6)
    table.lay("seat/2", tag(1))
    table.sweep(1, seat2=[], seat3=[tag(1)])  # missed at home, read at the neighbour
    table.sweep(1, seat3=[tag(1)])
    cards = came(table.sweep(8))
    assert [c.zone for c in cards] == ["seat/2"]


def test_a_card_read_by_three_in_ten_looks_settles() -> None:
    table = PolledTable()
    table.sweep(6)
    for i in range(120):
        table.sweep(1, seat4=[tag(1)] if (i * 7) % 10 < 4 else [])
    assert [c.zone for c in came(table.events)][:1] == ["seat/4"]


def test_three_flop_cards_settle_in_the_order_of_their_sight() -> None:
    table = PolledTable()
    table.sweep(6)
    for n in (3, 1, 2):
        table.lay("board", tag(n))
        table.sweep(1)
    cards = came(table.sweep(8))
    assert [c.token for c in cards] == [table.token(tag(n)) for n in (3, 1, 2)]
    assert [c.before for c in cards] == sorted(c.before for c in cards)


def test_sixteen_folded_cards_settle_where_no_limit_is_known() -> None:
    table = PolledTable()
    table.sweep(6)
    for n in range(0, 16, 2):
        table.lay("seat/1", tag(n), tag(n + 1))
        table.sweep(6)
        table.take(tag(n), tag(n + 1))
        table.lay("muck", tag(n), tag(n + 1))
        table.sweep(6)
    assert len(table.settled()["muck"]) == 16
    assert all(c.source == "seat/1" for c in came(table.events) if c.zone == "muck")


def test_a_third_card_at_a_seat_that_reads_two() -> None:
    table = PolledTable(max_stack=STACKS, seed=5)
    table.sweep(6)
    for n in range(3):
        table.lay("seat/2", tag(n))
        table.sweep(8)
    table.sweep(25)
    assert len(table.settled()["seat/2"]) == 3
    third = came(table.events)[2]
    assert third.after < came(table.events)[1].before  # silence at a full stack dates nothing


def test_a_corrupt_answer_is_no_look() -> None:
    table = PolledTable()
    table.sweep(8)
    landed = table.now
    table.lay("seat/2", tag(1))
    for _ in range(6):
        table.look("seat/2", noise=True)
    card = came(table.sweep(8))[0]
    assert card.after < landed - 3 * table.sweep_s


def test_pushed_reads_prove_presence_and_no_absence() -> None:
    table = PolledTable()
    table.sweep(6)
    table.lay("seat/2", tag(1))
    table.sweep(6)
    assert list(table.settled()) == ["seat/2"]
    for _ in range(50):
        for zone in table.lying:
            table.look(zone, [], complete=False)
    assert list(table.settled()) == ["seat/2"]
    for _ in range(30):
        table.look("seat/4", [tag(2)], complete=False)
    assert table.settled()["seat/4"] == (table.token(tag(2)),)


def test_renewal_gives_new_tokens_to_what_still_lies() -> None:
    table = PolledTable()
    table.lay("seat/2", tag(1))
    table.lay("board", tag(2), tag(3))
    table.sweep(8)
    old = {c.token for c in came(table.events)}
    carried = table.sensing.renew(table.now)
    assert [c.zone for c in carried] == ["seat/2", "board", "board"]
    assert all(isinstance(c, CardCarried) and c.at == table.now for c in carried)
    assert not old & {c.token for c in carried}
    table.take(tag(1))
    table.sweep(12)
    table.lay("seat/4", tag(1))
    last = came(table.sweep(8))[-1]
    assert (last.zone, last.source) == ("seat/4", None)  # it comes from the deck again


# -- tags --------------------------------------------------------------------------------------


RED = {tag(n): ("red", f"card {n}") for n in range(20)}
BLUE = {tag(n): ("blue", f"card {n}") for n in range(20, 40)}
DECKS = RED | BLUE | {tag(40): ("red", "joker")}


def test_a_foreign_card_is_told_only_after_many_reads() -> None:
    table = PolledTable(decks=DECKS)
    table.sweep(6)
    stranger = tag(99)
    table.lay("seat/2", stranger)
    assert table.sweep(4) == []
    events = table.sweep(4)
    assert [e.kind for e in events] == ["card-came", "tag-verdict"]
    verdict = events[1]
    assert isinstance(verdict, TagVerdict)
    assert (verdict.fault, verdict.zone) == (TagFault.FOREIGN, "seat/2")
    assert verdict.token == came(events)[0].token
    assert table.sweep(20) == []


def test_jokers_and_cards_of_the_other_deck() -> None:
    table = PolledTable(decks=DECKS)
    table.lay("seat/1", tag(1), tag(2))
    table.lay("seat/2", tag(25), tag(3))
    table.sweep(10)
    table.lay("board", tag(40))
    table.sweep(10)
    verdicts = [e for e in table.events if isinstance(e, TagVerdict)]
    assert [(v.fault, v.zone) for v in verdicts] == [
        (TagFault.OTHER_DECK, "seat/2"),
        (TagFault.JOKER, "board"),
    ]


@pytest.mark.parametrize("enrolled", [True, False])
def test_ghosts_are_counted_and_never_come(enrolled: bool) -> None:
    table = PolledTable(decks=DECKS if enrolled else None)
    table.lay("seat/2", tag(1), tag(2))
    table.sweep(8)
    ghost = Uid(bytes(a | b for a, b in zip(tag(1), tag(2), strict=True)))
    for _ in range(30):
        assert table.look("seat/2", [ghost]) == []
    assert table.settled()["seat/2"] == (table.token(tag(1)), table.token(tag(2)))
    assert table.sensing.figures()[1].ghosts == 30


def test_rubbish_read_once_or_twice_never_comes() -> None:
    table = PolledTable(decks=DECKS)
    table.lay("seat/2", tag(1))
    table.sweep(8)
    quiet = len(table.events)
    slipped = Uid(b"\x88" + tag(1)[:-1])
    for odd in (slipped, tag(77), Uid(b"\x01\x02\x03")):
        table.look("seat/2", [odd])
        table.look("seat/2", [tag(1), odd])
        table.sweep(6)
    assert len(table.events) == quiet


def test_a_poll_of_an_antenna_that_the_layout_lacks_is_counted() -> None:
    table = PolledTable()
    assert table.sensing.poll(Poll(77, (tag(1),), Outcome.SEEN, 0.0, 0.1)) == []
    assert table.sensing.unknown_antennas == 1


def test_a_cross_read_next_door_does_not_date_an_arrival_later() -> None:
    table = PolledTable()
    table.sweep(6)
    table.lay("seat/2", tag(1))
    table.look("seat/2")
    first_seen = table.now
    table.look("seat/3", [tag(1)])  # read across
    table.sweep(8)
    came = [e for e in table.events if isinstance(e, CardCame)]
    assert [(e.zone, e.before) for e in came] == [("seat/2", first_seen)]


def test_a_card_beside_that_is_read_across_first_is_not_dated_too_soon() -> None:
    table = PolledTable()
    table.sweep(6)
    table.lay("seat/3", tag(1))
    table.look("seat/2", [tag(1)])  # read across
    table.look("seat/3")
    seen = table.now
    table.sweep(12)
    came = [e for e in table.events if isinstance(e, CardCame)]
    assert [(e.zone, e.before) for e in came] == [("seat/3", seen)]


def test_what_was_often_read_and_then_fell_silent_does_not_settle_when_the_wash_is_over() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(6)
    stirred = [tag(n) for n in range(5)]  # no heap yet, but more than a street has
    for k in range(24):
        table.look("board", stirred if k < 4 else stirred[:3])
    table.sweep(16)
    table.look("board", [tag(20)])  # another flies past
    table.sweep(3)
    assert came(table.events) == []


def test_sensing_names_the_places_to_which_cards_are_coming_in_their_order() -> None:
    table = PolledTable()
    table.sweep(6)
    table.look("seat/3", [tag(3)])
    table.look("seat/2", [tag(2)])
    table.look("seat/1", [tag(2)])  # read across from seat 2, which was read earlier
    sensed = table.sensing.sensed()
    assert sensed.arriving == ("seat/3", "seat/2")
    assert "seat/1" in sensed.undecided
    assert sensed.searched == frozenset()
    for _ in range(table.sensing.silences(Zone("seat/4"))):
        assert "seat/4" not in table.sensing.sensed().searched
        table.look("seat/4", [])
    table.look("seat/3", [tag(3)])
    assert table.sensing.sensed().searched == {"seat/4"}


def test_a_card_in_its_home_that_is_read_across_is_not_arriving() -> None:
    table = PolledTable()
    table.lay("seat/2", tag(2))
    table.sweep(8)
    table.look("seat/3", [tag(2)])
    table.look("seat/2", [])
    assert table.sensing.sensed().undecided
    assert table.sensing.sensed().arriving == ()


def test_a_card_glimpsed_before_a_look_at_it_is_dated_from_its_first_sight() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(12)
    table.lay("seat/2", tag(1))
    table.look("seat/2")
    seen = table.now
    table.take(tag(1))  # the player looks at it for some seconds
    table.sweep(12)
    table.lay("seat/2", tag(1))
    table.sweep(8)
    (card,) = came(table.events)
    assert card.after < seen < card.before


def test_what_flew_past_the_board_before_is_not_dated_from_there() -> None:
    table = PolledTable(max_stack=STACKS)
    table.sweep(12)
    table.look("board", [tag(1)])
    seen = table.now
    table.sweep(12)
    table.lay("board", tag(1))
    table.sweep(8)
    (card,) = came(table.events)
    assert card.after > seen
