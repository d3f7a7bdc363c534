"""The simulated board hangs, in every way that it can, and helps itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablelink.messages import Booted, Fault, Identity, Snapshot
from tablelink.session import Found
from tests.firmware.simulated import Conversation, Mouth, SimulatedTable

# Data memory addresses: ATmega2560 data sheet, "Register Summary".
TIMSK1, ADCSRA, ADEN = 0x6F, 0x7A, 0x80

POWER_ON, RESET_PIN, WATCHDOG = 1, 2, 8


def clock_stops(table: SimulatedTable) -> None:
    table.poke(TIMSK1, 0)


def converter_stops(table: SimulatedTable) -> None:
    table.poke(ADCSRA, table.peek(ADCSRA) & ~ADEN)


@pytest.mark.parametrize("breaks", [SimulatedTable.hang, clock_stops, converter_stops])
def test_what_stands_still_is_restarted(
    mouth: Mouth, breaks: Callable[[SimulatedTable], None]
) -> None:
    mouth.run(2.0)
    assert mouth.table.restarts == 0
    breaks(mouth.table)
    broken = mouth.table.now
    mouth.run(1.5)
    assert mouth.table.restarts == 1
    assert mouth.table.started - broken < 1.3
    assert mouth.messages(Booted)[-1].reset_cause == WATCHDOG
    mouth.hello()
    mouth.run(0.05)
    assert Fault(mouth.messages(Snapshot)[-1].faults) == Fault.WATCHDOG
    mouth.run(2.0)
    assert mouth.table.restarts == 1


def test_causes_of_a_start(mouth: Mouth) -> None:
    assert mouth.messages(Identity)[-1].reset_cause == POWER_ON
    mouth.table.reset()
    mouth.run(0.05)
    assert mouth.messages(Booted)[-1].reset_cause == RESET_PIN
    assert Fault(mouth.messages(Snapshot)[-1].faults) == Fault(0)


def test_the_host_finds_a_board_again_that_was_restarted(conversation: Conversation) -> None:
    conversation.table.hang()
    events = conversation.run(3.0)
    found = [event for event in events if isinstance(event, Found)]
    assert len(found) == 1
    assert found[0].restarted
    assert found[0].identity.reset_cause == WATCHDOG
