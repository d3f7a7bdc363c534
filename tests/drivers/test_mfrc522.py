"""The MFRC522's conversation against an emulated chip: tags told apart bit by bit, and no UID that
its tag did not confirm."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.errors import (
    DeviceSilentError,
    DriverError,
    FirmwareUnknownError,
    MisconfiguredError,
)
from drivers.readings import Uid
from drivers.rfid.mfrc522 import spi_connector
from drivers.rfid.mfrc522_codec import (
    ANTENNA_ON,
    FIFO_SIZE,
    Air,
    Cmd,
    Err,
    Irq,
    Reg,
    check_byte,
    crc_a,
    reading,
    writing,
)
from drivers.rfid.mfrc522_session import (
    FIELD_ON_S,
    Mfrc522Session,
    Mfrc522Settings,
    Pause,
    Procedure,
)
from drivers.sim.mfrc522_emulator import Counting, Mfrc522Emulator, Mfrc522Fault, levels
from drivers.sim.pepper_rims import VirtualClock
from drivers.sim.spi_rims import VirtualSpi
from tests.drivers.still_field import StillField, uid_a

COUNTING: tuple[Counting, ...] = ("frame", "byte", "level")
four = st.binary(min_size=4, max_size=4).filter(lambda b: b[0] not in (0x88,))
seven = st.binary(min_size=7, max_size=7).filter(lambda b: b[0] != 0x88 and b[3] != 0x88)
ten = st.binary(min_size=10, max_size=10).filter(
    lambda b: b[0] != 0x88 and b[3] != 0x88 and b[6] != 0x88
)
of_one_deck = st.integers(0, 255).map(lambda n: bytes((0x04, 0xC5, 0xD7, 0x22, 0x31, n, 0x81)))
uids = st.one_of(four, seven, ten, of_one_deck).map(Uid)


class Bench:
    """One session over an emulated chip in virtual time."""

    def __init__(self, *lying: Uid, counting: Counting = "frame", version: int = 0x92) -> None:
        self.field = StillField((1,))
        self.field.lying[1] = lying
        self.clock = VirtualClock(10.0)
        self.chip = Mfrc522Emulator(self.field, 1, counting=counting, version=version)
        self.port = VirtualSpi(self.chip, self.clock)
        self.session = Mfrc522Session(Mfrc522Settings(most=16))
        self.transfers = 0

    def run(self, procedure: Procedure[Any], until: int | None = None) -> Any:
        """The procedure's value; or stop in the middle, after so many transfers."""
        told = b""
        step = next(procedure)
        try:
            while until is None or until > 0:
                if isinstance(step, Pause):
                    self.port.pause(step.seconds)
                    told = b""
                else:
                    self.transfers += 1
                    told = self.port.transfer(step)
                    until = None if until is None else until - 1
                step = procedure.send(told)
        except StopIteration as stop:
            return stop.value
        return None

    def look(self) -> Any:
        return self.run(self.session.poll())

    def read(self, register: int) -> int:
        return self.port.transfer(reading(register))[1]

    def write(self, register: int, *values: int) -> None:
        self.port.transfer(writing(register, values))


def opened(*lying: Uid, counting: Counting = "frame") -> Bench:
    bench = Bench(*lying, counting=counting)
    assert bench.run(bench.session.hello()) == "MFRC522 v2.0"
    return bench


@pytest.mark.parametrize(
    "uid", ["DEADBEEF", "04C63A63110189", "04C63A6311018922AB70"], ids=lambda u: f"{len(u) // 2}"
)
def test_a_tag_of_each_length_is_read(uid: str) -> None:
    bench = opened(Uid(bytes.fromhex(uid)))
    assert bench.look() == (Uid(bytes.fromhex(uid)),)
    assert bench.look() == (Uid(bytes.fromhex(uid)),)


def test_an_empty_field_is_empty_and_dark_afterwards() -> None:
    bench = opened()
    assert bench.look() == ()
    assert not bench.chip.ether.transmitting
    assert bench.run(bench.session.quiet())


@pytest.mark.parametrize("counting", COUNTING)
@settings(deadline=None)
@given(data=st.data())
def test_tags_are_told_apart_however_the_chip_counts_collisions(
    counting: Counting, data: st.DataObject
) -> None:
    lying = data.draw(st.lists(uids, max_size=6, unique=True))
    bench = opened(*lying, counting=counting)
    assert set(bench.look()) == set(lying)
    assert set(bench.look()) == set(lying)


def test_two_cards_of_a_deck_cost_one_collision() -> None:
    """Their UIDs differ in one byte of the second level; nothing else is asked twice."""
    a, b = Uid(bytes.fromhex("04C5D722310181")), Uid(bytes.fromhex("04C5D722310281"))
    bench = opened(a, b)
    assert set(bench.look()) == {a, b}
    assert bench.session.counts.collisions == 1


def test_a_tag_that_wakes_again_and_a_crowd_are_noise() -> None:
    one = uid_a(1)
    assert opened(one, one).look() == (one,)  # two of one UID never collide: a clone is unseen
    bench = opened(*(uid_a(1, card) for card in range(17)))
    assert bench.look() is None


def test_a_corrupt_look_is_noise_and_never_empty() -> None:
    bench = opened()
    bench.field.lying[1] = None
    assert bench.look() is None
    assert bench.session.counts.damaged


def test_a_ghost_is_what_the_chip_believes_and_a_shifted_uid_what_the_tag_says() -> None:
    """What is wrong in the air and confirmed by the tags is not for a driver to know."""
    ghost = Uid(bytes(x | y for x, y in zip(uid_a(1, 1), uid_a(1, 2), strict=True)))
    assert opened(ghost).look() == (ghost,)


@pytest.mark.parametrize(
    "fault", [Mfrc522Fault.SHIFTED, Mfrc522Fault.DEAD_LOW, Mfrc522Fault.DEAD_HIGH]
)
@settings(deadline=None, max_examples=60)
@given(at=st.integers(0, 400), lying=st.lists(uids, max_size=2, unique=True))
def test_a_bad_line_in_mid_look_names_nobody_who_is_not_there(
    fault: Mfrc522Fault, at: int, lying: list[Uid]
) -> None:
    """Whenever the line goes bad: what a look says afterwards is true, or it is noise."""
    bench = opened(*lying)
    procedure = bench.session.poll()
    step = next(procedure)
    found: Any = None
    try:
        for n in range(100_000):
            if n == at:
                bench.chip.arm(fault, bench.clock(), for_s=0.01)
            if isinstance(step, Pause):
                bench.port.pause(step.seconds)
                step = procedure.send(b"")
            else:
                step = procedure.send(bench.port.transfer(step))
    except StopIteration as stop:
        found = stop.value
    assert found is None or set(found) == set(lying)
    bench.port.pause(0.05)
    after = [bench.look() for _ in range(3)]
    assert set(after[-1]) == set(lying)


@settings(deadline=None, max_examples=60)
@given(at=st.integers(0, 300), lying=st.lists(uids, max_size=2, unique=True))
def test_a_chip_that_restarts_in_mid_look_is_set_up_again(at: int, lying: list[Uid]) -> None:
    bench = opened(*lying)
    bench.run(bench.session.poll(), until=at)
    bench.chip.arm(Mfrc522Fault.RESET)
    looks = [bench.look() for _ in range(3)]
    assert looks[0] is None or set(looks[0]) == set(lying)
    assert set(looks[-1]) == set(lying)


def test_lost_bits_between_chip_and_us_name_nobody() -> None:
    bench = opened(uid_a(1, 1))
    bench.chip.arm(Mfrc522Fault.BIT_FLIP, bench.clock(), for_s=0.2)
    while bench.clock() < 10.2:
        assert bench.look() is None
    assert bench.session.counts.damaged
    bench.clock.advance_to(11.0)
    assert bench.look() == (uid_a(1, 1),)


def test_a_hung_command_is_told_and_ends() -> None:
    bench = opened(uid_a(1, 1))
    bench.chip.arm(Mfrc522Fault.HUNG, bench.clock(), for_s=0.5)
    assert bench.look() is None
    assert (bench.session.counts.hung, bench.session.silent_polls) == (1, 1)
    bench.clock.advance_to(20.0)
    assert bench.look() == (uid_a(1, 1),)
    assert bench.session.silent_polls == 0


@pytest.mark.parametrize(
    ("version", "error", "word"),
    [
        (0x00, DeviceSilentError, "no chip answers"),
        (0xFF, DeviceSilentError, "3.3 V"),
        (0x49, FirmwareUnknownError, "share MISO"),
    ],
)
def test_what_is_no_mfrc522_is_refused_with_a_remedy(
    version: int, error: type[DriverError], word: str
) -> None:
    bench = Bench(version=version)
    with pytest.raises(error, match=word):
        bench.run(bench.session.hello())


def test_only_spi_devices_are_opened() -> None:
    for path in ("", "/dev/ttyUSB0"):
        with pytest.raises(MisconfiguredError, match=r"/dev/spidev0\.0"):
            spi_connector(path, "reader 1")


# ---- the chip itself


def transceive(bench: Bench, data: bytes, framing: int = 0) -> int:
    """Sends a frame as the data sheet says; gives the interrupts that came."""
    bench.write(Reg.COMMAND, Cmd.IDLE)
    bench.write(Reg.COM_IRQ, 0x7F)
    bench.write(Reg.FIFO_LEVEL, 0x80)
    bench.write(Reg.FIFO_DATA, *data)
    bench.write(Reg.COMMAND, Cmd.TRANSCEIVE)
    bench.write(Reg.BIT_FRAMING, framing | 0x80)
    bench.port.pause(0.05)
    return bench.read(Reg.COM_IRQ)


def lit(*lying: Uid, counting: Counting = "frame") -> Bench:
    bench = opened(*lying, counting=counting)
    bench.write(Reg.TX_CONTROL, ANTENNA_ON)
    bench.port.pause(FIELD_ON_S)
    return bench


def test_the_checksum_of_the_standard() -> None:
    """Vectors of ISO/IEC 14443-3, annex B, and the HLTA frame as every trace shows it."""
    assert crc_a(b"\x00\x00") == bytes.fromhex("A01E")
    assert crc_a(b"\x12\x34") == bytes.fromhex("26CF")
    assert crc_a(b"\x50\x00") == bytes.fromhex("57CD")


def test_the_coprocessor_agrees() -> None:
    bench = opened()
    bench.write(Reg.FIFO_LEVEL, 0x80)
    bench.write(Reg.FIFO_DATA, 0x12, 0x34)
    bench.write(Reg.DIV_IRQ, 0x04)
    bench.write(Reg.COMMAND, Cmd.CALC_CRC)
    assert bench.read(Reg.DIV_IRQ) & 0x04
    assert (bench.read(Reg.CRC_RESULT_L), bench.read(Reg.CRC_RESULT_H)) == (0x26, 0xCF)


def test_the_chip_s_own_checksums_are_sent_and_checked() -> None:
    uid = Uid(bytes.fromhex("DEADBEEF"))
    bench = lit(uid)
    assert transceive(bench, bytes((Air.REQA,)), framing=7) & Irq.RX
    bench.write(Reg.TX_MODE, 0x80)
    bench.write(Reg.RX_MODE, 0x80)
    ask = bytes((Air.SELECT_1, 0x70)) + uid + bytes((check_byte(uid),))
    assert transceive(bench, ask) & Irq.RX
    assert bench.read(Reg.ERROR) == 0
    assert bench.read(Reg.FIFO_LEVEL) == 1
    assert bench.read(Reg.FIFO_DATA) == 0x00


def test_an_overfull_fifo_is_told() -> None:
    bench = opened()
    bench.write(Reg.FIFO_LEVEL, 0x80)
    bench.write(Reg.FIFO_DATA, *bytes(FIFO_SIZE + 1))
    assert bench.read(Reg.FIFO_LEVEL) == FIFO_SIZE
    assert bench.read(Reg.ERROR) & Err.OVERFLOW


def test_nobody_answers_in_a_dark_field_and_the_timer_says_so() -> None:
    bench = opened(uid_a(1))
    assert transceive(bench, bytes((Air.REQA,)), framing=7) == Irq.TIMER


@pytest.mark.parametrize(("keep", "behind"), [(0x80, True), (0x00, False)])
def test_bits_behind_a_collision_are_kept_or_cleared(keep: int, behind: bool) -> None:
    a, b = Uid(bytes.fromhex("01FFFF77")), Uid(bytes.fromhex("03FFFF77"))
    bench = lit(a, b)
    bench.write(Reg.COLL, keep)
    transceive(bench, bytes((Air.REQA,)), framing=7)
    assert transceive(bench, bytes((Air.SELECT_1, 0x20))) & Irq.RX
    assert bench.read(Reg.ERROR) & Err.COLLISION
    assert bench.read(Reg.COLL) & 0x3F == 2
    assert bench.read(Reg.FIFO_DATA) & 0x01
    assert bool(bench.read(Reg.FIFO_DATA)) is behind


@pytest.mark.parametrize(("counting", "at"), [("frame", 2), ("byte", 4), ("level", 12)])
def test_alignment_and_the_collision_of_a_later_frame(
    counting: Literal["frame", "byte", "level"], at: int
) -> None:
    """Ten bits are known: one byte and two bits; the tags differ in bit twelve of the level."""
    a, b = Uid(bytes.fromhex("55030177")), Uid(bytes.fromhex("550B0177"))
    bench = lit(a, b, counting=counting)
    transceive(bench, bytes((Air.REQA,)), framing=7)
    ask = bytes((Air.SELECT_1, 0x32, 0x55, 0x03))
    assert transceive(bench, ask, framing=2 << 4 | 2) & Irq.RX
    assert bench.read(Reg.COLL) & 0x3F == at
    assert bench.read(Reg.FIFO_DATA) & 0x03 == 0  # what we know comes back as zeros


def test_a_cascade_tag_stands_for_what_is_still_to_come() -> None:
    seven = bytes.fromhex("04C63A63110189")
    assert levels(seven) == (bytes.fromhex("8804C63A"), bytes.fromhex("63110189"))
    assert len(levels(seven + bytes(3))) == 3
    with pytest.raises(ValueError, match="4, 7 or 10"):
        levels(bytes(8))
