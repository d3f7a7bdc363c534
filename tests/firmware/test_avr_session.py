"""The controller's side of the link against the simulated board's own bytes: good wires, bad wires,
and none for a while."""

from __future__ import annotations

import pytest

from tablelink.messages import Keep, Kept, KeptSaid, Lamp, Lamps, Pixels, Sensor, Threshold
from tablelink.session import (
    Answer,
    Buttons,
    Event,
    Everything,
    Faults,
    Found,
    Key,
    Lost,
    Phase,
    PressesLost,
    Seats,
)
from tests.firmware.simulated import Conversation, Mouth, SimulatedTable
from tests.tablelink.bad_wires import BAD, CLEAN, BadLine, Figures, lamp_of
from tests.tablelink.bad_wires import Faults as WireFaults

STEP_S = 0.00025
SAMPLED_S = 0.0013
"""Every millisecond, and a turn of the main loop."""
ROWS = 8


class FarChip:
    """The simulated board as the far end of bad wires. Its UART keeps the pace of the line."""

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._wake_at = 0.0
        self._rows: list[bytes] = []
        self._shown: bytes | None = None
        self._lit: tuple[Lamp, ...] = (Lamp(0, 0, 0),) * 11
        table.run(0.001)

    @property
    def wake_at(self) -> float:
        return self._wake_at

    def feed(self, data: bytes, now: float) -> bytes:
        out = self.tick(now)
        self._table.line_in(data)
        return out

    def tick(self, now: float) -> bytes:
        self._table.run_until(now)
        self._wake_at = now + STEP_S
        return bytes(sent.byte for sent in self._table.line_out())

    def press(self, key: int, now: float) -> None:
        self._table.run_until(now)
        self._table.key(key, True)

    def release(self, key: int, now: float) -> None:
        self._table.run_until(now)
        self._table.key(key, False)

    def lay_button(self, sensor: int, there: bool, now: float) -> None:
        self._table.run_until(now)
        self._table.button(sensor, there)

    def sit(self, seat: int, occupied: bool, now: float) -> None:
        self._table.run_until(now)
        self._table.seat(seat, occupied)

    def pixels(self, now: float) -> bytes | None:
        """The last picture of which all rows were sent, one after the other."""
        for _, command in self._table.latched():
            row = command[0]
            if row <= ROWS:
                self._rows = [*self._rows, command[1::2]] if row == len(self._rows) + 1 else []
                self._rows = self._rows or ([command[1::2]] if row == 1 else [])
            if len(self._rows) == ROWS:
                self._shown = b"".join(self._rows)
                self._rows = []
        return self._shown

    def lamps(self, now: float) -> tuple[Lamp, ...]:
        """The last colours that were lit, with the pattern that belongs to them: what shows is dark
        now and then."""
        lit = self._table.lamps()
        if any(lit[0]):
            self._lit = tuple(lamp_of(int.from_bytes(bytes(rgb), "little")) for rgb in lit)
        return self._lit


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def test_a_session_from_the_first_byte(table: SimulatedTable) -> None:
    conversation = Conversation(table)
    events = conversation.run(0.5)
    assert kinds(events)[:2] == [Found, Everything]
    (found,) = [event for event in events if isinstance(event, Found)]
    identity = found.identity
    assert (identity.major, identity.minor, identity.patch) == (1, 0, 0)
    assert (identity.seats, identity.button_sensors, identity.keys, identity.lamps) == (
        11,
        11,
        8,
        11,
    )
    assert (identity.columns, identity.rows) == (32, 8)
    assert conversation.host.phase is Phase.UP


def test_everything_that_moves_is_told_once(conversation: Conversation) -> None:
    table = conversation.table
    for sensor in (2, 9):
        table.button(sensor, True)
    table.seat(11, True)
    table.key(8, True)
    events = conversation.run(0.4)
    assert kinds(events) == [Key, Buttons, Seats]
    assert isinstance(events[1], Buttons)
    assert events[1].sensed == 1 << 1 | 1 << 8
    conversation.run(3.0)
    assert (
        len(conversation.events) == 2 + 1 + 3
    )  # found, everything, seats that have settled, these
    assert conversation.host.counts.sent_again == 0
    assert conversation.host.counts.damaged == 0


def test_wishes_are_carried_out(conversation: Conversation) -> None:
    host, table = conversation.host, conversation.table
    host.show_lamps(Lamps(1, (Lamp(0, 0, 255),) * 11), table.now)
    host.show_pixels(Pixels(5, b"\xa5" * 32), table.now)
    host.threshold(Threshold(3, Sensor.HIGH_IS_OCCUPIED, 300, 500), table.now)
    assert host.tell(Keep(Kept.SERIAL, "TABLE-3"), table.now)
    events = conversation.run(0.5)
    assert Answer(KeptSaid(Kept.SERIAL, 0)) in events
    picture = table.picture()
    assert picture is not None
    assert picture.rows == b"\xa5" * 32
    assert {lamp[:2] for lamp in table.lamps()} == {(0, 0)}
    assert table.lamps()[10][2] > 0


def test_a_cable_out_for_three_seconds(conversation: Conversation) -> None:
    """The controller's cable is pulled and put back; a press meanwhile is known to be lost."""
    table, host = conversation.table, conversation.host
    host.show_pixels(Pixels(5, b"\x0f" * 32), table.now)
    conversation.run(0.1)
    before = len(conversation.events)
    conversation.pause(0.5)
    table.key(5, True)
    conversation.pause(2.5)
    picture = table.picture()
    assert picture is not None
    assert picture.rows != b"\x0f" * 32
    conversation.run(3.0)
    events = [event for _, event in conversation.events[before:]]
    assert kinds(events)[:3] == [Lost, Found, PressesLost]
    assert any(isinstance(e, Found) and not e.restarted for e in events)
    assert any(isinstance(e, PressesLost) and e.key == 5 for e in events)
    assert [e.snapshot.keys for e in events if isinstance(e, Everything)] == [1 << 4]
    picture = table.picture()
    assert picture is not None
    assert picture.rows == b"\x0f" * 32


def test_an_analogue_sensor_that_is_cut_is_a_fault(mouth: Mouth) -> None:
    conversation = Conversation(mouth.table)
    conversation.run(2.5)
    host, table = conversation.host, conversation.table
    table.seat_counts(6, 600)
    host.threshold(Threshold(6, Sensor.HIGH_IS_OCCUPIED, 300, 500), table.now)
    conversation.run(0.5)
    table.seat_counts(6, 0)
    events = conversation.run(2.5)
    assert [e.faults for e in events if isinstance(e, Faults)] == [8]
    (last,) = [e for e in events if isinstance(e, Seats)][-1:]
    assert last.known == 0x7FF & ~(1 << 5)
    assert last.occupied == 0


def over(table: SimulatedTable, faults: WireFaults, seed: int, seconds: float) -> Figures:
    line = BadLine(FarChip(table), faults, seed, byte_s=0.0, sampled_s=SAMPLED_S)
    line.busy(seconds)
    figures = line.finish()
    assert figures.wrong == []
    assert figures.unnoticed == 0
    assert figures.clock_outside == 0
    return figures


def test_good_wires(table: SimulatedTable) -> None:
    figures = over(table, CLEAN, 1, 3.0)
    assert (figures.losses, figures.noticed, figures.sessions) == (0, 0, 1)
    assert figures.delivered > 120
    assert table.overruns == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_one_byte_in_a_hundred_wrong_costs_no_message(table: SimulatedTable, seed: int) -> None:
    figures = over(table, BAD, seed, 8.0)
    assert (figures.losses, figures.noticed) == (0, 0)
    assert figures.delivered > 350
    assert max(figures.delays_s) < 0.200
    assert table.overruns == 0
