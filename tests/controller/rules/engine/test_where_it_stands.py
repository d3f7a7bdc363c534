"""An opening that says where the table stands: the rules go on from it as from all that was told
before."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import (
    ReaderLost,
    SoFar,
    TableOpened,
    numbered,
)
from controller.model.findings import HandBegan
from controller.model.table import BURN
from controller.rules import engine
from controller.rules.engine import RulesState
from tests.controller.rules.engine.told_table import ToldTable, opened, without_book


def clean_hand(table: ToldTable, *order: int) -> None:
    table.key("new-hand")
    table.hole(*order)
    table.flop()
    table.street()
    table.street()
    table.dwell()
    table.key("end-hand")


def where_it_stands(table: ToldTable) -> TableOpened:
    so_far = engine.so_far(table.state)
    assert so_far is not None
    state = table.state
    return numbered(
        replace(
            opened(button=state.buttons, opening=state.opening, at=table.now),
            so_far=so_far,
            layout=table.events[0].layout if isinstance(table.events[0], TableOpened) else "",
        ),
        len(table.events) + 1,
    )


def known(state: RulesState) -> RulesState:
    # Of the readings of the button the last one alone counts between hands.
    return replace(without_book(state), button_log=())


def test_the_rules_go_on_alike_from_all_that_was_told_and_from_where_it_stands() -> None:
    table = ToldTable()
    clean_hand(table, 1, 2, 3, 4)
    table.button(1)
    clean_hand(table, 2, 3, 4, 1)
    assert table.codes == []
    opening = where_it_stands(table)
    assert opening.so_far is not None
    assert (opening.so_far.hands, opening.so_far.last_button) == (2, 1)

    told, said = engine.step(table.state, opening)
    anew, said_anew = engine.step(engine.closed(), opening)
    assert said == said_anew == ()
    assert known(told) == known(anew) == known(table.state)


def test_a_card_that_still_lies_is_told_after_it() -> None:
    table = ToldTable()
    clean_hand(table, 1, 2, 3, 4)
    table.carried("seat/2")
    opening = where_it_stands(table)
    state, _ = engine.step(engine.closed(), opening)
    state, _ = engine.step(state, table.events[-1])
    assert known(state) == known(table.state)


def test_the_next_hand_bears_the_next_number_and_the_button_goes_on() -> None:
    table = ToldTable(button=None)
    clean_hand(table, 1, 2, 3, 4)
    before = table.state
    table.state = engine.closed()
    table.state, _ = engine.step(
        table.state,
        replace(
            opened(button=None),
            so_far=SoFar(
                hands=before.hands,
                findings=7,
                last_button=3,
                last_seats=(1, 2, 3, 4),
                ended_at=before.ended_at,
            ),
        ),
    )
    table.wait(60.0)
    table.hole(1, 2, 3, 4)
    began = [w for w in table.said if isinstance(w, HandBegan)][-1]
    assert (began.hand, began.button) == (before.hands + 1, 4)
    assert table.state.next_finding == 8


def test_where_something_is_open_it_does_not_stand_anywhere() -> None:
    assert engine.so_far(engine.closed()) is None
    table = ToldTable()
    assert engine.so_far(table.state) is not None
    table.hole(1, 2, 3, 4)
    assert engine.so_far(table.state) is None  # a hand is on
    table.key("end-hand")
    table.tell(ReaderLost(at=table.now, device="reader 2", zones=(BURN,), reason="no answer"))
    assert engine.so_far(table.state) is None  # a reader is lost


def test_a_hand_that_left_a_finding_can_still_be_ruled_on() -> None:
    table = ToldTable()
    table.key("new-hand")
    table.hole(2, 3, 4, 1)
    table.flop()
    table.dwell()
    table.key("end-hand")
    assert table.codes == ["HOLE_FIRST_SEAT"]
    assert engine.so_far(table.state) is None
    table.button(1)
    clean_hand(table, 2, 3, 4, 1)
    assert engine.so_far(table.state) is not None


def test_in_the_middle_of_a_hand_it_counts_for_nothing() -> None:
    table = ToldTable()
    so_far = engine.so_far(table.state)
    table.hole(1, 2, 3, 4)
    before = table.state.hands
    table.tell(replace(opened(at=table.now), so_far=so_far))
    assert table.state.hands == before
    assert [e.reason for e in table.ended] == ["key"]
