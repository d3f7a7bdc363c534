"""Keys, buttons and seats of the simulated board: wiring, debouncing, the moment of the edge."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from drivers.sim.firmware_build import sources
from tablelink.messages import (
    Analog,
    AnalogPlease,
    ButtonsChanged,
    KeyMoved,
    SeatsChanged,
    Sensor,
    Settings,
    Threshold,
)
from tablelink.session import Key
from tests.firmware.simulated import Conversation, Mouth, SimulatedTable

PORTF, PORTK = 0x31, 0x108
"""Data memory addresses of the seats' ports (ATmega2560 data sheet, "Register Summary")."""


def wiring() -> list[tuple[str, int, str, int]]:
    """README's table of contacts: part, number, port, bit."""
    row = re.compile(r"^\| (key|button|seat) (\d+) \| \S+ \| P([A-L])([0-7]) \|", re.MULTILINE)
    found = row.findall((sources() / "README.md").read_text())
    return [(part, int(number), port, int(bit)) for part, number, port, bit in found]


def test_contacts_are_wired_as_the_readme_says(mouth: Mouth) -> None:
    assert len(wiring()) == 8 + 11 + 11
    mouth.say(Settings(key_hold_ms=1, button_hold_ms=1, seat_hold_ms=1))
    mouth.run(0.02)
    for part, number, port, bit in wiring():
        mouth.table.contact(port, bit, True)
        heard = [h.frame.message for h in mouth.run(0.012)]
        mouth.table.contact(port, bit, False)
        mouth.run(0.012)
        assert len(heard) == 1, (part, number)
        (said,) = heard
        if part == "key":
            assert isinstance(said, KeyMoved)
            assert (said.key, said.pressed) == (number, 1)
        elif part == "button":
            assert isinstance(said, ButtonsChanged)
            assert said.sensed == 1 << (number - 1)
        else:
            assert isinstance(said, SeatsChanged)
            assert said.occupied == 1 << (number - 1)


@pytest.mark.parametrize("offset_us", [0, 130, 500, 870])
def test_a_press_carries_the_moment_of_its_edge(conversation: Conversation, offset_us: int) -> None:
    conversation.run(2 + offset_us / 1e6)
    pressed = conversation.table.now
    conversation.table.key(6, True)
    (said,) = conversation.run(0.02)
    assert isinstance(said, Key)
    assert (said.key, said.pressed) == (6, True)
    at, error_s = said.moment
    # Sampled every millisecond: known at the next sample, which may be late by a turn of the loop.
    assert -error_s <= at - pressed <= 0.0013 + error_s
    assert error_s < 0.003
    assert conversation.events[-1][0] - pressed <= 0.010


def test_a_bouncing_key_is_one_press(mouth: Mouth) -> None:
    for bounce_us in (300, 900, 2100, 4900, 100, 3300, 4800):
        mouth.table.key(1, True)
        mouth.run(bounce_us / 1e6, step_s=bounce_us / 1e6)
        mouth.table.key(1, False)
        mouth.run(0.0011)
    assert not mouth.messages(KeyMoved)
    mouth.table.key(1, True)
    mouth.run(0.02)
    assert [(k.key, k.pressed, k.presses) for k in mouth.messages(KeyMoved)] == [(1, 1, 1)]


def test_hold_times_of_buttons_and_seats(mouth: Mouth) -> None:
    mouth.table.button(4, True)
    mouth.table.seat(7, True)
    mouth.run(0.19)
    assert not mouth.messages(ButtonsChanged)
    mouth.run(0.02)
    assert [b.sensed for b in mouth.messages(ButtonsChanged)] == [1 << 3]
    seats = len(mouth.messages(SeatsChanged))
    mouth.run(0.08)
    assert len(mouth.messages(SeatsChanged)) == seats
    mouth.run(0.02)
    assert mouth.messages(SeatsChanged)[-1].occupied == 1 << 6


def test_eight_keys_and_eleven_buttons_at_once(mouth: Mouth) -> None:
    mouth.say(Settings(button_hold_ms=5))
    mouth.run(0.01)
    for key in range(1, 9):
        mouth.table.key(key, True)
    for sensor in range(1, 12):
        mouth.table.button(sensor, True)
    mouth.run(0.1)
    assert [k.key for k in mouth.messages(KeyMoved)] == list(range(1, 9))
    assert [b.sensed for b in mouth.messages(ButtonsChanged)] == [0x7FF]


def test_every_channel_of_the_converter_is_its_own_seat(mouth: Mouth) -> None:
    counts = [37 + 90 * seat for seat in range(11)]
    for seat, count in enumerate(counts, start=1):
        mouth.table.seat_counts(seat, count)
    mouth.say(AnalogPlease(20))
    mouth.run(0.1)
    said = mouth.messages(Analog)
    assert len(said) in (4, 5)
    assert list(said[-1].counts) == counts


def test_analogue_seats_have_hysteresis_and_no_pull_up(mouth: Mouth) -> None:
    table = mouth.table
    for seat in range(1, 12):
        table.seat_counts(seat, 100)
        mouth.say(Threshold(seat, Sensor.HIGH_IS_OCCUPIED, leave=300, enter=500))
        mouth.run(0.01)
    assert table.peek(PORTF) == 0
    assert table.peek(PORTK) & 0x07 == 0
    mouth.run(0.5)
    assert mouth.messages(SeatsChanged)[-1].known == 0x7FF
    for seat, counts, occupied in ((11, 499, 0), (11, 501, 1), (11, 302, 1), (11, 299, 0)):
        table.seat_counts(seat, counts)
        mouth.run(0.4)
        said = mouth.messages(SeatsChanged)[-1]
        assert said.occupied == occupied << (seat - 1), counts
    mouth.say(Threshold(2, Sensor.CLOSED_IS_OCCUPIED, leave=0, enter=0))
    mouth.run(0.02)
    assert table.peek(PORTF) == 1 << 1


def test_a_run_is_the_same_to_the_cycle(new_table: Callable[[], SimulatedTable]) -> None:
    runs = []
    for _ in range(2):
        mouth = Mouth(new_table())
        mouth.run(0.1)
        mouth.hello()
        mouth.table.key(3, True)
        mouth.run(0.1)
        runs.append([(h.at, h.frame) for h in mouth.heard])
    assert runs[0] == runs[1]
