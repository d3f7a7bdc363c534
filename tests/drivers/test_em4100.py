"""RDM6300 and ID-12LA: known bytes, every kind of damage, and what a report proves."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import LinkLostError, MisconfiguredError
from drivers.readings import Outcome, Poll, Uid
from drivers.rfid.em4100 import AGE_S, Em4100Link
from drivers.rfid.em4100_codec import BadFrame, Damage, Em4100Decoder, TagHeard, number
from drivers.sim.em4100_emulator import PERIOD_S, Em4100Emulator, Em4100Fault
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from tests.drivers import streams
from tests.drivers.still_field import StillField, uid_em

KNOWN = Uid(bytes.fromhex("0A00A1B2C3"))
tags = st.binary(min_size=5, max_size=5).map(lambda b: TagHeard(Uid(b)))
wires = st.builds(lambda tag, line: tag.wire(line_end=line), tags, st.booleans())
rubbish = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from([b"\x02", b"\x03", b"0", b"A", b"\r\n", b"\x020A00"])).map(b"".join),
    st.builds(lambda wire, n: wire[:n], wires, st.integers(0, 15)),
    st.builds(
        lambda wire, at, bit: bytes(b ^ (1 << bit if i == at else 0) for i, b in enumerate(wire)),
        wires,
        st.integers(0, 15),
        st.integers(0, 7),
    ),
)


def test_both_modules_bytes_are_known() -> None:
    tag = TagHeard(KNOWN)
    assert tag.wire() == b"\x020A00A1B2C3DA\x03"
    assert tag.wire(line_end=True) == b"\x020A00A1B2C3DA\r\n\x03"
    assert Em4100Decoder().feed(tag.wire() + tag.wire(line_end=True)) == [tag, tag]
    assert Em4100Decoder().feed(b"\x020a00a1b2c3da\x03") == [tag]
    assert number(KNOWN) == 0x00A1B2C3


@pytest.mark.parametrize(
    ("wire", "damage"),
    [
        (b"\x020A00A1B2C3DB\x03", Damage.CHECKSUM),
        (b"\x020A00A1B2C3DX\x03", Damage.FORM),
        (b"\x020A00A1B2C3DA\x04", Damage.FORM),
        (b"hello", Damage.RUBBISH),
    ],
)
def test_damage_is_named_and_passed_over(wire: bytes, damage: Damage) -> None:
    found = Em4100Decoder().feed(wire + TagHeard(KNOWN).wire())
    assert (found[0], found[-1]) == (BadFrame(damage), TagHeard(KNOWN))


@given(st.lists(tags, max_size=6), st.booleans(), st.lists(st.integers(0, 9), max_size=40))
def test_every_report_reads_back_however_it_is_delivered(
    heard: list[TagHeard], line_end: bool, portions: list[int]
) -> None:
    wire = b"".join(tag.wire(line_end=line_end) for tag in heard)
    assert streams.reads_the_same_in_any_portions(Em4100Decoder, wire, portions) == heard


@given(st.lists(rubbish | wires, max_size=10), st.lists(st.integers(0, 9), max_size=60))
def test_damaged_streams_read_the_same_in_any_portions(
    parts: list[bytes], portions: list[int]
) -> None:
    streams.reads_the_same_in_any_portions(Em4100Decoder, b"".join(parts), portions)


@given(st.binary(max_size=200))
def test_no_bytes_make_the_decoder_raise_or_hoard(data: bytes) -> None:
    streams.never_raises_or_hoards(Em4100Decoder, data, 16)


@given(rubbish, st.lists(tags, min_size=1, max_size=3))
def test_after_any_rubbish_and_a_silence_every_report_is_found(
    junk: bytes, heard: list[TagHeard]
) -> None:
    wire = b"".join(tag.wire() for tag in heard)
    streams.finds_all_after_rubbish_and_a_silence(Em4100Decoder, junk, wire, list(heard))


@given(rubbish)
def test_after_any_rubbish_reports_are_found_without_a_silence_too(junk: bytes) -> None:
    streams.finds_the_last_after_rubbish(Em4100Decoder, junk, TagHeard(KNOWN).wire(), 16)


class Bench:
    def __init__(self, *, repeats: bool = True) -> None:
        self.clock = VirtualClock(100.0)
        self.field = StillField((4,), uid_em)
        self.module = Em4100Emulator(self.field, 4, repeats=repeats)
        connect = virtual_connect(self.module, self.clock, "puck")
        self.link = Em4100Link("puck", connect, 4, clock=self.clock)

    async def hear(self, for_s: float) -> list[Poll]:
        until, out = self.clock() + for_s, []
        while self.clock() < until:
            out += await self.link.listen(min(until, self.clock() + 0.25))
        return out


@pytest.mark.parametrize(("repeats", "reports"), [(True, 20), (False, 1)])
def test_a_module_repeats_a_tag_or_says_it_once(repeats: bool, reports: int) -> None:
    async def main() -> None:
        bench = Bench(repeats=repeats)
        bench.field.lying[4] = (uid_em(4),)
        await bench.link.open()
        polls = await bench.hear(20 * PERIOD_S + 0.01)
        assert abs(len(polls) - reports) <= 1
        for poll in polls:
            assert (poll.antenna, poll.uids, poll.outcome) == (4, (uid_em(4),), Outcome.SEEN)
            assert not poll.complete
            assert poll.ended - poll.started == pytest.approx(AGE_S)

    asyncio.run(main())


def test_silence_and_two_tags_say_nothing() -> None:
    async def main() -> None:
        bench = Bench()
        await bench.link.open()
        for lying in ((), (uid_em(4), uid_em(5))):
            bench.field.lying[4] = lying
            assert await bench.hear(1.0) == []
        bench.field.lying[4] = (uid_em(4),)
        bench.module.arm(Em4100Fault.CORRUPT_FRAME, times=2)
        bench.module.arm(Em4100Fault.TRUNCATED_FRAME, times=2)
        bench.module.arm(Em4100Fault.NOISE_BURST, bench.clock(), for_s=0.5)
        polls = await bench.hear(3.0)
        assert 15 < len(polls) < 30
        assert {p.uids for p in polls} == {(uid_em(4),)}
        assert bench.link.damaged >= 4

    asyncio.run(main())


def test_only_the_port_can_be_lost() -> None:
    async def main() -> None:
        bench = Bench()
        await bench.link.open()
        await bench.link.quiet()
        with pytest.raises(MisconfiguredError, match="cannot be asked"):
            await bench.link.poll(4)
        bench.module.unplug()
        with pytest.raises(LinkLostError):
            await bench.hear(1.0)
        assert not bench.link.up
        bench.link.close()
        assert await bench.link.listen(0.0) == []

    asyncio.run(main())


def test_no_message_shows_an_identity() -> None:
    assert "C3" not in f"{TagHeard(KNOWN)!r}{TagHeard(KNOWN)}".upper()
