"""What the simulated board keeps without power, and what becomes of it when the power goes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablelink.messages import (
    Fault,
    Flag,
    Identity,
    Keep,
    Kept,
    KeptSaid,
    KeyMoved,
    Sensor,
    Settings,
    Snapshot,
    Threshold,
)
from tests.firmware.simulated import Mouth, SimulatedTable

NewTable = Callable[..., SimulatedTable]
COPY_B = 256
RECORD_BYTES = 85


def in_session(table: SimulatedTable, session: int = 1) -> Mouth:
    mouth = Mouth(table, session)
    mouth.run(0.005)
    mouth.hello()
    mouth.run(0.015)
    return mouth


def serial_after_start(table: SimulatedTable) -> tuple[str, Fault]:
    mouth = in_session(table)
    return mouth.messages(Identity)[-1].serial, Fault(mouth.messages(Snapshot)[-1].faults)


def keep_serial(mouth: Mouth, serial: str) -> None:
    mouth.say(Keep(Kept.SERIAL, serial))
    mouth.run(0.45, step_s=0.005)
    assert mouth.messages(KeptSaid)[-1] == KeptSaid(Kept.SERIAL, 0)


@pytest.fixture
def memory(new_table: NewTable) -> bytes:
    """Copy A holds TABLE-1, copy B TABLE-2."""
    mouth = in_session(new_table())
    keep_serial(mouth, "TABLE-1")
    keep_serial(mouth, "TABLE-2")
    return mouth.table.memory


def test_settings_thresholds_and_serial_number_are_there_again(new_table: NewTable) -> None:
    mouth = in_session(new_table())
    mouth.say(Settings(key_hold_ms=40))
    mouth.say(Threshold(4, Sensor.LOW_IS_OCCUPIED, leave=700, enter=400))
    mouth.run(0.02)
    mouth.say(Keep(Kept.SETTINGS))
    mouth.run(0.4)
    assert mouth.messages(KeptSaid)[-1] == KeptSaid(Kept.SETTINGS, 0)
    keep_serial(mouth, "T-17/SOUTH")
    later = in_session(new_table(mouth.table.memory))
    identity = later.messages(Identity)[-1]
    assert identity.serial == "T-17/SOUTH"
    assert Flag(identity.flags) == (
        Flag.ANALOG_SEATS | Flag.LED_BOARD | Flag.LAMPS | Flag.THRESHOLDS_KEPT | Flag.SERIAL_KEPT
    )
    later.table.key(2, True)
    later.run(0.035)
    assert not later.messages(KeyMoved)
    later.run(0.02)
    assert later.messages(KeyMoved), "a press is held for 40 ms, as was kept"


def test_a_new_chip_is_blank_and_not_damaged(new_table: NewTable) -> None:
    assert serial_after_start(new_table()) == ("", Fault(0))


@pytest.mark.parametrize("torn", ["whole", "erased", "old"])
def test_the_power_may_go_at_every_byte(new_table: NewTable, memory: bytes, torn: str) -> None:
    """Of the byte that is being written the cell keeps its old value, is erased, or holds the new
    one; nothing after it is written."""
    serial = "SOUTH-17/BLUE"
    done = in_session(new_table(memory))
    keep_serial(done, serial)
    final = done.table.memory

    writing = in_session(new_table(memory))
    writing.say(Keep(Kept.SERIAL, serial))
    cuts, before = 0, memory
    while writing.table.run_to_write(cuts + 1, at_most_s=0.05):
        cuts += 1
        at = writing.table.written_address
        writing.table.run(1e-6)
        after = writing.table.memory
        cell = {"whole": after[at], "erased": 0xFF, "old": before[at]}[torn]
        cells = after[:at] + bytes([cell]) + after[at + 1 :]
        before = after
        table = new_table(cells)
        if cells == final:
            assert serial_after_start(table) == (serial, Fault(0))
        else:
            found, faults = serial_after_start(table)
            assert (cuts, found) == (cuts, "TABLE-2")
            assert faults == (Fault(0) if cells == memory else Fault.COPY_A_DAMAGED)
        table.close()
    assert cuts == done.table.memory_writes
    assert cuts >= 15


def test_any_damaged_byte_costs_one_copy_and_is_mended(new_table: NewTable, memory: bytes) -> None:
    for at in (0, 1, 3, 4, 19, 20, 26, 80, RECORD_BYTES - 1):
        for copy, serial, fault in (
            (0, "TABLE-2", Fault.COPY_A_DAMAGED),
            (COPY_B, "TABLE-1", Fault.COPY_B_DAMAGED),
        ):
            cells = bytearray(memory)
            cells[copy + at] ^= 0x40
            table = new_table(bytes(cells))
            assert serial_after_start(table) == (serial, fault)
            table.run(0.4)
            assert serial_after_start(new_table(table.memory)) == (serial, Fault(0))


def test_both_copies_damaged_are_told(new_table: NewTable, memory: bytes) -> None:
    cells = bytearray(memory)
    cells[7] ^= 1
    cells[COPY_B + 7] ^= 1
    assert serial_after_start(new_table(bytes(cells))) == ("", Fault.MEMORY_LOST)
