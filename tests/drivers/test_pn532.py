"""The PN532's conversation and driver against an emulated chip: faults of the wire, two tags at
most, dark between looks, and no identity in any word."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any

import pytest

from drivers.errors import DeviceSilentError, FirmwareUnknownError, MisconfiguredError
from drivers.readings import Outcome, Poll
from drivers.rfid.pn532 import Pn532Link
from drivers.rfid.pn532_codec import (
    ACK,
    WAKE_UP,
    Done,
    FirmwareVersion,
    GetFirmwareVersion,
    InListPassiveTarget,
    MaxRetries,
    RfField,
    SamConfiguration,
    Target,
    Targets,
)
from drivers.rfid.pn532_session import Pn532Session, Pn532Settings
from drivers.sim.pepper_emulator import Ether
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sim.pn532_emulator import Pn532Emulator, Pn532Fault
from tests.drivers.still_field import StillField, uid, uid_a

LOOK_S = 0.02


class Bench:
    """One reader in virtual time; its antenna is number 5, with two tags."""

    def __init__(self, **emulated: Any) -> None:
        self.clock = VirtualClock(100.0)
        self.ether = Ether()
        self.field = StillField((5,), uid_a)
        self.chip = Pn532Emulator(self.field, 5, look_s=LOOK_S, ether=self.ether, **emulated)
        connect = virtual_connect(self.chip, self.clock, "reader 1")
        self.link = Pn532Link("reader 1", connect, 5, Pn532Settings(), clock=self.clock)

    async def looks(self, count: int) -> list[Poll]:
        return [await self.link.poll(5) for _ in range(count)]

    def true(self, poll: Poll) -> bool:
        if poll.outcome is Outcome.NOISE:
            return poll.uids == ()
        return poll.uids == (self.field.lying[5] or ())


def run(test: Callable[[Bench], Awaitable[None]], **emulated: Any) -> None:
    async def main() -> None:
        bench = Bench(**emulated)
        await bench.link.open()
        await test(bench)
        bench.link.close()

    asyncio.run(main())


def test_hello_rouses_the_chip_and_asks_in_a_fixed_order() -> None:
    session = Pn532Session()
    sent = [session.start(session.hello(), 0.0)]
    answers = (Done(0x14), Done(0x32), Done(0x32), FirmwareVersion(0x32, 1, 6, 7))
    sent += [session.feed(ACK + answer.wire(), 0.0) for answer in answers]
    assert sent == [
        ACK + WAKE_UP + SamConfiguration().wire(),
        MaxRetries(1).wire(),
        RfField(False).wire(),
        GetFirmwareVersion().wire(),
        b"",
    ]
    assert (session.result, session.deadline) == ("1.6", inf)


def test_a_look_lists_and_then_darkens() -> None:
    async def test(bench: Bench) -> None:
        (poll,) = await bench.looks(1)
        assert (poll.uids, poll.outcome, poll.complete) == (
            (uid_a(5, 0), uid_a(5, 1)),
            Outcome.SEEN,
            True,
        )
        assert poll.ended - poll.started == pytest.approx(LOOK_S)
        assert not bench.ether.transmitting
        bench.field.lying[5] = ()
        assert (await bench.looks(1))[0].outcome is Outcome.EMPTY

    run(test)


def test_a_third_tag_is_not_told_and_an_icode_is_not_seen() -> None:
    async def test(bench: Bench) -> None:
        bench.field.lying[5] = tuple(uid_a(5, card) for card in range(3))
        assert (await bench.looks(1))[0].uids == (uid_a(5, 0), uid_a(5, 1))
        bench.field.lying[5] = (uid(5),)
        assert (await bench.looks(1))[0].outcome is Outcome.EMPTY

    run(test)


def test_a_garbled_answer_looks_empty_to_this_chip() -> None:
    """Its limit, told in the driver's words; the miss rate of its antenna carries it."""

    async def test(bench: Bench) -> None:
        bench.field.lying[5] = None
        assert (await bench.looks(1))[0].outcome is Outcome.EMPTY

    run(test)


@pytest.mark.parametrize("fault", Pn532Fault, ids=str)
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("delay_s", [0.05, 0.3, 0.55])
def test_a_wire_fault_is_noise_at_most_and_passes(
    fault: Pn532Fault, times: int, delay_s: float
) -> None:
    async def test(bench: Bench) -> None:
        await bench.looks(3)
        bench.chip.arm(fault, bench.clock(), times=times, delay_s=delay_s, for_s=0.3)
        struck = await bench.looks(12)
        bench.field.lying[5] = (uid_a(5, 9),)
        calm = await bench.looks(6)
        assert all(bench.true(poll) for poll in calm)
        bench.field.lying[5] = (uid_a(5, 0), uid_a(5, 1))
        assert all(bench.true(poll) for poll in struck)
        assert all(poll.outcome is Outcome.SEEN for poll in calm)
        assert not bench.ether.transmitting
        counts = bench.link.session.counts
        seen = {
            Pn532Fault.LATE_ANSWER: counts.silences
            or delay_s < 0.1
            or (times == 1 and delay_s < 0.5),
            Pn532Fault.LOST_ACK: counts.unacked,
            Pn532Fault.DOUBLE_ANSWER: counts.late + counts.foreign,
            Pn532Fault.SYNTAX_ERROR: counts.refused,
            Pn532Fault.REBOOT: counts.silences,
            Pn532Fault.NACK: len(struck),
        }
        assert seen.get(fault, counts.damaged), counts

    run(test)


@pytest.mark.parametrize(
    ("firmware", "word"),
    [((0x07, 1, 6, 7), "no PN532"), ((0x32, 1, 6, 6), "ISO 14443 A")],
)
def test_another_chip_is_refused_with_a_remedy(
    firmware: tuple[int, int, int, int], word: str
) -> None:
    with pytest.raises(FirmwareUnknownError, match=word):
        run(lambda bench: asyncio.sleep(0), firmware=firmware)


def test_silence_at_the_start_is_told_with_what_to_check() -> None:
    async def main() -> None:
        bench = Bench()
        bench.chip.arm(Pn532Fault.NOISE_BURST, bench.clock(), for_s=1e9)
        with pytest.raises(DeviceSilentError, match="TX and RX crossed"):
            await bench.link.open()

    asyncio.run(main())


def test_a_sleeping_chip_hears_nothing_before_it_is_roused() -> None:
    asked = GetFirmwareVersion().wire()
    told = ACK + FirmwareVersion(0x32, 1, 6, 7).wire()
    chip = Pn532Emulator(StillField((5,)), 5)
    assert chip.feed(asked, 0.0) == b""
    assert chip.feed(bytes(10) + asked, 0.0) == told  # as other drivers do it
    chip = Pn532Emulator(StillField((5,)), 5)
    assert chip.feed(WAKE_UP + asked, 0.0) == told
    assert chip.feed(InListPassiveTarget(2).wire(), 0.0) == b""
    assert chip.feed(SamConfiguration().wire(), 0.0) == ACK + Done(0x14).wire()
    assert chip.feed(InListPassiveTarget(3).wire(), 0.0)[6:] == bytes.fromhex("0000FF01FF7F8100")


def test_an_answer_without_its_acknowledgement_is_not_believed() -> None:
    """It may be the late answer to something asked before."""
    session = Pn532Session()
    session.start(session.hello(), 0.0)
    for answer in (Done(0x14), Done(0x32), Done(0x32), FirmwareVersion(0x32, 1, 6, 7)):
        session.feed(ACK + answer.wire(), 0.0)
    session.start(session.poll(), 0.0)
    session.feed(Targets((Target(uid_a(5)),)).wire(), 0.0)
    while session.busy:
        session.tick(session.deadline)
    assert session.result is None
    assert session.counts.unacked == 1


def test_it_does_not_report_by_itself() -> None:
    with pytest.raises(MisconfiguredError, match="polled"):
        asyncio.run(Bench().link.listen(0.0))


def test_no_identity_in_any_word_of_a_bad_evening(capfd: pytest.CaptureFixture[str]) -> None:
    words: list[object] = []

    async def test(bench: Bench) -> None:
        for fault in Pn532Fault:
            bench.chip.arm(fault, bench.clock(), times=2, delay_s=0.3, for_s=0.2)
            words.extend(await bench.looks(8))
        words.extend([vars(bench.link), vars(bench.link.session), vars(bench.chip)])

    run(test)
    text = "".join(f"{w!r}{w}" for w in words)
    out, err = capfd.readouterr()
    for shown in (text, out, err):
        assert "C5D7" not in shown.upper()
        assert "\\xc5\\xd7" not in shown
    assert "<uid>" in text
