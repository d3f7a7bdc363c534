"""The PN532 codec against known bytes, and against every kind of damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.readings import Uid
from drivers.rfid.pn532_codec import (
    ACK,
    MAX_EXTENDED,
    NACK,
    WAKE_UP,
    Acked,
    BadFrame,
    Command,
    Damage,
    Done,
    FirmwareVersion,
    GetFirmwareVersion,
    Heard,
    InListPassiveTarget,
    MaxRetries,
    Nacked,
    OtherAnswer,
    OtherCommand,
    Pn532Decoder,
    Refused,
    Reply,
    RfField,
    SamConfiguration,
    Target,
    Targets,
    frame,
    read_command,
    read_reply,
)
from tests.drivers import streams

MOST = MAX_EXTENDED + 8


def at_host() -> Pn532Decoder[Reply]:
    return Pn532Decoder(read_reply)


def at_chip() -> Pn532Decoder[Heard]:
    return Pn532Decoder(read_command)


byte = st.integers(0, 255)
uids = st.one_of(
    st.binary(min_size=4, max_size=4).filter(lambda b: b[0] != 0x88),
    st.binary(min_size=7, max_size=7),
    st.binary(min_size=10, max_size=10),
).map(Uid)
targets = st.one_of(
    st.builds(Target, uids, st.integers(0, 0xFFFF), byte.map(lambda b: b & ~0x20)),
    st.builds(
        Target,
        uids,
        st.just(0x0344),
        st.just(0x20),
        st.binary(max_size=12).map(lambda b: bytes((len(b) + 1,)) + b),
    ),
)
replies: st.SearchStrategy[Reply] = st.one_of(
    st.sampled_from([Acked(), Nacked(), Refused(), Done(0x14), Done(0x32)]),
    st.builds(FirmwareVersion, byte, byte, byte, byte),
    st.builds(Targets, st.lists(targets, max_size=2).map(tuple)),
    st.builds(OtherAnswer, st.sampled_from([0x40, 0x60]), st.binary(min_size=1, max_size=40)),
)
commands: st.SearchStrategy[Command] = st.one_of(
    st.sampled_from([GetFirmwareVersion(), SamConfiguration()]),
    st.builds(RfField, st.booleans()),
    st.builds(MaxRetries, byte),
    st.builds(InListPassiveTarget, byte),
    st.builds(OtherCommand, st.sampled_from([0x00, 0x40, 0x60]), st.binary(max_size=9)),
)


def wire_of(message: Reply) -> bytes:
    assert not isinstance(message, BadFrame)
    return message.wire()


wires = replies.map(wire_of)
rubbish = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([b"\x00", b"\xff", b"\x00\xff", b"\x00\xff\xff\xff\x01\x00\xff", b"\x7f"])
    ).map(b"".join),
    st.builds(lambda wire, n: wire[:n], wires, st.integers(0, 20)),
    st.builds(
        lambda wire, at, bit: bytes(b ^ (1 << bit if i == at else 0) for i, b in enumerate(wire)),
        wires,
        st.integers(0, 15),
        st.integers(0, 7),
    ),
)


@pytest.mark.parametrize(
    ("command", "wire"),
    [
        (GetFirmwareVersion(), "0000FF02FED4022A00"),
        (SamConfiguration(), "0000FF05FBD4140100001700"),
        (InListPassiveTarget(2), "0000FF04FCD44A0200E000"),
    ],
)
def test_known_commands_have_their_known_bytes(command: Command, wire: str) -> None:
    assert command.wire().hex().upper() == wire
    assert at_chip().feed(bytes.fromhex(wire)) == [command]


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ("0000FF00FF00", Acked()),
        ("0000FFFF0000", Nacked()),
        ("0000FF01FF7F8100", Refused()),
        ("0000FF02FED5151600", Done(0x14)),
        ("0000FF06FAD50332010607E800", FirmwareVersion(0x32, 1, 6, 7)),
    ],
)
def test_known_answers_are_read(wire: str, message: Reply) -> None:
    assert at_host().feed(bytes.fromhex(wire)) == [message]


def test_a_target_s_answer_begins_with_its_number() -> None:
    """Bytes of a public report of an NTAG, which took the number for an unknown byte."""
    told = frame(bytes.fromhex("D54B01" + "0100440007" + "04C63A63110189"))
    (answer,) = at_host().feed(told)
    assert isinstance(answer, Targets)
    (target,) = answer.found
    assert (target.uid, target.sens_res, target.sel_res) == (
        Uid(bytes.fromhex("04C63A63110189")),
        0x0044,
        0x00,
    )


@pytest.mark.parametrize(
    "told",
    [
        "03" + "0100040004DEADBEEF" * 3,  # more than the chip can tell apart
        "01",  # promised and not told
        "01" + "0200040004DEADBEEF",  # the second one where the first is due
        "01" + "0100440005DEADBEEF11",  # a UID of five bytes
        "01" + "01004400048804C63A",  # the beginning of a longer UID
        "01" + "0100040004DEADBEEF" + "00",  # more than was promised
        "01" + "0103442007" + "04C63A63110189" + "0575",  # an answer to select that was cut
    ],
)
def test_an_inventory_that_cannot_be_is_damage(told: str) -> None:
    assert at_host().feed(frame(bytes.fromhex("D54B" + told))) == [BadFrame(Damage.TARGETS)]


@given(commands)
def test_every_command_reads_back_as_itself(command: Command) -> None:
    assert at_chip().feed(WAKE_UP + command.wire()) == [command]


@given(st.lists(replies, max_size=10), st.data())
def test_every_reply_reads_back_however_it_is_delivered(
    messages: list[Reply], data: st.DataObject
) -> None:
    portions = data.draw(st.lists(st.integers(0, 9), max_size=40))
    wire = b"".join(map(wire_of, messages))
    assert streams.reads_the_same_in_any_portions(at_host, wire, portions) == messages


@given(st.lists(rubbish | wires, max_size=10), st.lists(st.integers(0, 9), max_size=60))
def test_damaged_streams_read_the_same_in_any_portions(
    parts: list[bytes], portions: list[int]
) -> None:
    streams.reads_the_same_in_any_portions(at_host, b"".join(parts), portions)


@given(st.binary(max_size=700))
def test_no_bytes_make_the_decoder_raise_or_hoard(data: bytes) -> None:
    streams.never_raises_or_hoards(at_host, data, MOST)
    streams.never_raises_or_hoards(at_chip, data, MOST)


@given(rubbish, st.lists(replies, min_size=1, max_size=4))
def test_after_any_rubbish_and_a_silence_every_frame_is_found(
    junk: bytes, messages: list[Reply]
) -> None:
    wire = b"".join(map(wire_of, messages))
    streams.finds_all_after_rubbish_and_a_silence(at_host, junk, wire, messages)


@given(rubbish)
def test_after_any_rubbish_frames_are_found_without_a_silence_too(junk: bytes) -> None:
    wire = FirmwareVersion(0x32, 1, 6, 7).wire()
    streams.finds_the_last_after_rubbish(at_host, junk, wire, MOST)


def test_an_extended_frame_is_refused_whole() -> None:
    body = b"\xd5\x41\x00" + ACK + bytes(250)
    size = bytes((len(body) >> 8, len(body) & 0xFF))
    head = b"\x00\x00\xff\xff\xff" + size + bytes((-sum(size) & 0xFF,))
    wire = head + body + bytes((-sum(body) & 0xFF, 0))
    found = at_host().feed(wire + Done(0x14).wire())
    assert found == [BadFrame(Damage.EXTENDED), Done(0x14)]
    too_long = b"\x00\x00\xff\xff\xff\xff\xff\x02"
    assert at_host().feed(too_long + ACK)[-1] == Acked()


def test_the_zero_behind_a_frame_is_no_unfinished_frame() -> None:
    decoder = at_host()
    decoder.feed(Done(0x14).wire())
    assert decoder.give_up() == []
    assert decoder.damaged == 0


def test_frames_of_no_or_too_much_content_are_refused() -> None:
    for size in (0, 255):
        with pytest.raises(ValueError, match="carries 1 to 254"):
            frame(bytes(size))
    assert NACK not in frame(b"\xd4\x02")


def test_no_message_shows_an_identity() -> None:
    uid = bytes.fromhex("04C4A1B2D3F495")
    for shown in (
        Targets((Target(Uid(uid), ats=uid),)),
        OtherAnswer(0x40, uid),
        OtherCommand(0x40, uid),
    ):
        text = f"{shown} {shown!r}"
        assert uid.hex()[2:8] not in text.lower()
        assert repr(uid)[2:-1] not in text
