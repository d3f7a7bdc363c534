"""What lines say about the table."""

from __future__ import annotations

from drivers.gpio.lines import ButtonSpot, Chair, Edge, InputLine, Key
from drivers.gpio.switches import CHATTER_EDGES, STUCK_S, Switches
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading

CONFIRM = InputLine(17, Key("confirm"), hold_s=0.02)
SEAT_3 = InputLine(5, Chair(3), active="high", bias="down", hold_s=1.0)
SPOT_1 = InputLine(6, ButtonSpot(1), hold_s=0.3)
SPOT_2 = InputLine(7, ButtonSpot(2), hold_s=0.3)


def test_opening_says_where_everything_stands_by_each_lines_active_level() -> None:
    switches = Switches((CONFIRM, SEAT_3, SPOT_1, SPOT_2), (True, True, True, False), 5.0)
    assert switches.first() == [SeatReading(3, True, 5.0), ButtonReading((2,), 5.0)]


def test_without_a_button_switch_nothing_is_said_of_the_button() -> None:
    assert Switches((CONFIRM,), (True,), 0.0).first() == []


def test_a_key_is_told_when_it_goes_down_and_not_when_it_is_let_go() -> None:
    switches = Switches((CONFIRM,), (True,), 0.0)
    assert switches.edge(Edge(0, False, 1.0)) == []
    assert switches.settle(1.02) == [KeyPress("confirm", 1.02)]
    assert switches.edge(Edge(0, True, 1.5)) == []
    assert switches.settle(9.0) == []


def test_a_key_that_is_down_at_opening_was_not_pressed() -> None:
    switches = Switches((CONFIRM,), (False,), 0.0)
    assert switches.first() == []
    assert switches.settle(1.0) == []
    switches.edge(Edge(0, True, 2.0))
    switches.edge(Edge(0, False, 3.0))
    assert switches.settle(4.0) == [KeyPress("confirm", 3.02)]


def test_each_kind_of_switch_holds_as_long_as_it_is_told_to() -> None:
    switches = Switches((CONFIRM, SEAT_3, SPOT_1), (True, False, True), 0.0)
    for place, high in ((0, False), (1, True), (2, False)):
        switches.edge(Edge(place, high, 1.0))
    assert switches.settle(1.5) == [KeyPress("confirm", 1.02), ButtonReading((1,), 1.3)]
    assert switches.due == 2.0
    assert switches.settle(2.0) == [SeatReading(3, True, 2.0)]


def test_a_button_on_its_way_is_at_no_spot_and_two_spots_are_told_as_two() -> None:
    switches = Switches((SPOT_1, SPOT_2), (False, True), 0.0)
    switches.edge(Edge(0, True, 1.0))
    assert switches.settle(2.0) == [ButtonReading((), 1.3)]
    switches.edge(Edge(1, False, 3.0))
    assert switches.settle(4.0) == [ButtonReading((2,), 3.3)]
    switches.edge(Edge(0, False, 5.0))
    assert switches.settle(6.0) == [ButtonReading((1, 2), 5.3)]


def test_either_of_two_switches_of_a_chair_suffices() -> None:
    twin = InputLine(8, Chair(3), active="high", bias="down", hold_s=1.0)
    switches = Switches((SEAT_3, twin), (False, True), 0.0)
    assert switches.first() == [SeatReading(3, True, 0.0)]
    switches.edge(Edge(0, True, 1.0))
    assert switches.settle(2.0) == []
    switches.edge(Edge(1, False, 3.0))
    assert switches.settle(4.0) == []
    switches.edge(Edge(0, False, 5.0))
    assert switches.settle(6.0) == [SeatReading(3, False, 6.0)]


def test_an_edge_that_got_lost_is_made_up_for_by_a_look() -> None:
    switches = Switches((SEAT_3,), (False,), 0.0)
    assert switches.look((True,), 10.0) == []
    assert switches.settle(11.0) == [SeatReading(3, True, 11.0)]


def test_a_key_that_stays_down_is_reported_with_what_to_look_for_and_taken_back() -> None:
    switches = Switches((CONFIRM,), (False,), 0.0)  # as with "active" the wrong way round
    assert switches.due == STUCK_S
    (said,) = switches.settle(STUCK_S)
    assert isinstance(said, Health)
    assert said.state is HealthState.DEGRADED
    assert "line 17" in said.reason
    assert '"active"' in said.reason
    assert switches.due is None
    switches.edge(Edge(0, True, 40.0))
    (said,) = switches.settle(41.0)
    assert isinstance(said, Health)
    assert said.state is HealthState.OK


def test_a_line_that_floats_is_reported_once_and_taken_back_when_it_is_quiet() -> None:
    switches = Switches((SEAT_3,), (False,), 0.0)
    said = [
        s
        for n in range(1, 3 * CHATTER_EDGES)
        for s in switches.edge(Edge(0, n % 2 == 1, 1.0 + n / 1000))
    ]
    (health,) = said
    assert isinstance(health, Health)
    assert health.state is HealthState.DEGRADED
    assert "line 5" in health.reason
    assert "bias" in health.reason
    assert switches.look((True,), 2.0) == []
    (back,) = switches.look((True,), 9.0)[-1:]
    assert isinstance(back, Health)
    assert back.state is HealthState.OK


def test_times_do_not_run_backwards_where_a_line_is_handed_over_late() -> None:
    switches = Switches((CONFIRM, InputLine(4, Key("count"), hold_s=0.02)), (True, True), 0.0)
    switches.edge(Edge(0, False, 1.00))
    switches.edge(Edge(1, False, 1.01))
    assert switches.edge(Edge(1, True, 1.50)) == [KeyPress("count", 1.03)]
    assert switches.settle(1.6) == [KeyPress("confirm", 1.03)]
