"""The Pepper codec against known bytes, and against every kind of damage."""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.readings import Uid
from drivers.rfid.pepper_codec import (
    MAX_LEN,
    MAX_TEXT,
    Ack,
    ActivateTag,
    BadFrame,
    Command,
    Damage,
    Decoder,
    DeviceConfig,
    Done,
    Dummy,
    Failed,
    GetDeviceConfig,
    GetTagCount,
    GetUid,
    GetVersion,
    Halt,
    JsonPush,
    Notice,
    OtherCommand,
    PollingEvents,
    PollingTimeout,
    Reboot,
    Reply,
    SetActiveAntenna,
    SetLed,
    SetPolling,
    TagCount,
    TagUid,
    UidPushed,
    Version,
    frame,
    read_command,
    read_reply,
)

UID = Uid(bytes.fromhex("E00401509A8B7C6D"))
PUSH_TEXT = (
    b'{"type":"uid","uid":"E00401509A8B7C6D","antenna":3,"string":"ICODE SLIX","tag_index":1,'
    b'"uptime_ms":12345,"known_tag":false,"memory":{"blocks":["{","}\\""]},"device_name":"T\xc3\xa4"}'
)

byte = st.integers(0, 255)
uids = st.binary(min_size=4, max_size=10).map(Uid)
commands: st.SearchStrategy[Command] = st.one_of(
    st.sampled_from([Dummy(), GetTagCount(), Halt(), Reboot(), GetVersion(), GetDeviceConfig()]),
    st.builds(GetUid, byte),
    st.builds(ActivateTag, byte),
    st.builds(SetActiveAntenna, byte),
    st.builds(SetPolling, st.booleans()),
    st.builds(SetLed, byte, byte, byte, st.integers(0, 65535)),
    st.builds(PollingTimeout, st.integers(0, 65535)),
    st.builds(PollingEvents, st.booleans(), byte),
    st.builds(OtherCommand, st.sampled_from([0x07, 0x0D, 0x0E, 0x90, 0xF0]), st.binary(max_size=9)),
)
ascii_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20)
framed: st.SearchStrategy[Reply] = st.one_of(
    st.builds(Done, st.sampled_from([1, 5, 6, 0x0A, 0x0F, 0x16])),
    st.builds(TagCount, byte),
    st.builds(TagUid, byte, byte, uids),
    st.builds(Version, ascii_text),
    st.builds(DeviceConfig, st.booleans(), st.booleans(), ascii_text),
    st.builds(Ack, st.sampled_from([0x90, 0x93]), st.binary(min_size=1, max_size=40)),
    st.builds(Failed, byte, st.binary(max_size=4)),
    st.builds(UidPushed, byte, byte, uids),
)
replies: st.SearchStrategy[Reply] = st.one_of(
    framed,
    st.builds(
        JsonPush, uids, st.none() | st.integers(1, 8), ascii_text, st.none() | st.integers(0, 9)
    ),
)


def wire_of(message: Reply) -> bytes:
    assert not isinstance(message, (BadFrame, Notice))
    return message.wire()


def decoded(data: bytes, portions: Sequence[int] = ()) -> tuple[list[Reply], Decoder[Reply]]:
    """The messages of `data`, fed in portions of the given sizes and then the rest."""
    decoder: Decoder[Reply] = Decoder(read_reply)
    out: list[Reply] = []
    at = 0
    for size in portions:
        out += decoder.feed(data[at : at + size])
        at += size
    return out + decoder.feed(data[at:]), decoder


@pytest.mark.parametrize(
    ("command", "wire"),
    [
        (Dummy(), "F50300FCFF01D1F1"),
        (GetTagCount(), "F50300FCFF02B2C1"),
        (GetVersion(), "F50300FCFF0B9B50"),
        (SetActiveAntenna(1), "F50400FBFF0F01101D"),
        (SetPolling(True), "F50400FBFF060188A7"),
    ],
)
def test_known_commands_have_their_known_bytes(command: Command, wire: str) -> None:
    assert command.wire().hex().upper() == wire
    assert read_command(bytes.fromhex(wire)[5:-2]) == command


def test_the_checksum_is_ccitt_false() -> None:
    assert crc_hqx(b"123456789", 0xFFFF) == 0x29B1
    assert frame(b"123456789")[-2:] == b"\xb1\x29"


@given(commands)
def test_every_command_reads_back_as_itself(command: Command) -> None:
    decoder: Decoder[Command] = Decoder(read_command)
    assert decoder.feed(command.wire()) == [command]
    assert decoder.waiting == 0


@given(st.lists(replies, max_size=12), st.data())
def test_every_reply_reads_back_however_it_is_delivered(
    messages: list[Reply], data: st.DataObject
) -> None:
    wire = b"".join(map(wire_of, messages))
    whole, _ = decoded(wire)
    bytewise, _ = decoded(wire, [1] * len(wire))
    growing, _ = decoded(wire, range(1, len(wire) + 1))
    portions = data.draw(st.lists(st.integers(0, 9), max_size=40))
    assert whole == bytewise == growing == decoded(wire, portions)[0] == messages


wires = framed.map(wire_of)
rubbish = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from([b"\xf5", b"{", b'"', b"}", b"\\", b"\x03\x00\xfc\xff", b"\x00"])).map(
        b"".join
    ),
    st.builds(lambda wire, n: wire[:n], wires, st.integers(0, 20)),
    st.builds(
        lambda wire, at, bit: bytes(b ^ (1 << bit if i == at else 0) for i, b in enumerate(wire)),
        wires,
        st.integers(0, 15),
        st.integers(0, 7),
    ),
)


@given(st.lists(rubbish | wires, max_size=10), st.data())
def test_damaged_streams_read_the_same_in_any_portions(
    parts: list[bytes], data: st.DataObject
) -> None:
    wire = b"".join(parts)
    whole, first = decoded(wire)
    bytewise, second = decoded(wire, [1] * len(wire))
    portions, third = decoded(wire, data.draw(st.lists(st.integers(0, 9), max_size=60)))
    assert whole == bytewise == portions
    assert first.skipped == second.skipped == third.skipped
    assert first.waiting == second.waiting == third.waiting


@given(st.lists(rubbish | wires, max_size=8))
def test_portions_that_come_again_read_the_same(parts: list[bytes]) -> None:
    """A frame that was checked once is known by its bytes; what surrounds it still counts."""
    decoder: Decoder[Reply] = Decoder(read_reply)
    found = [m for part in parts * 3 for m in decoder.feed(part)]
    whole, other = decoded(b"".join(parts * 3))
    assert found == whole
    assert (decoder.skipped, decoder.waiting) == (other.skipped, other.waiting)


@given(st.binary(max_size=400))
def test_no_bytes_make_the_decoder_raise_or_hoard(data: bytes) -> None:
    for read in (read_reply, read_command):
        decoder: Decoder[object] = Decoder(read)
        decoder.feed(data)
        assert decoder.waiting <= MAX_LEN + 5
        decoder.give_up()
        assert decoder.waiting == 0


@given(rubbish, st.lists(framed, min_size=1, max_size=4))
def test_after_any_rubbish_and_a_silence_every_frame_is_found(
    junk: bytes, messages: list[Reply]
) -> None:
    wire = b"".join(map(wire_of, messages))
    decoder: Decoder[Reply] = Decoder(read_reply)
    found = decoder.feed(junk + wire) + decoder.give_up()
    assert [m for m in found if not isinstance(m, BadFrame)][-len(messages) :] == messages


@given(rubbish)
def test_after_any_rubbish_frames_are_found_without_a_silence_too(junk: bytes) -> None:
    """A damaged length may swallow what follows, but never more than the longest frame."""
    wire = Version("2.56.2249").wire()
    found, decoder = decoded(junk + wire * (MAX_LEN // len(wire) + 2))
    assert found[-1] == Version("2.56.2249")
    assert decoder.waiting == 0


def test_bytes_without_an_end_are_not_hoarded() -> None:
    decoder: Decoder[Reply] = Decoder(read_reply)
    for _ in range(100):
        decoder.feed(b'{"uid": "' + b"0" * 100)
        assert decoder.waiting <= MAX_TEXT
        decoder.feed(b"\xf5\x00\x04\xff\xfb" + bytes(90))
        assert decoder.waiting <= MAX_LEN + 5


def test_json_reports_stand_between_frames_without_a_delimiter() -> None:
    push = JsonPush(UID, 3, "ICODE SLIX", 1)
    wire = PUSH_TEXT * 2 + TagCount(2).wire() + PUSH_TEXT + b"\r\n" + Done(6).wire()
    for portions in ([], [1] * len(wire), [len(PUSH_TEXT) - 1, 3]):
        found, decoder = decoded(wire, portions)
        assert found == [
            push,
            push,
            TagCount(2),
            push,
            BadFrame(Damage.RUBBISH),
            Done(6),
        ]
        assert decoder.skipped == 2


def test_a_frame_that_cuts_a_json_report_is_read() -> None:
    found, _ = decoded(PUSH_TEXT[:40] + TagCount(1).wire())
    assert TagCount(1) in found
    assert BadFrame(Damage.CUT) in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"type":"uid"}', BadFrame(Damage.NO_UID)),
        (b'{"type":"uid","uid":"E0 zz"}', BadFrame(Damage.NO_UID)),
        (b'{"type":"uid","uid":"E0:04:01:50"}', JsonPush(Uid(bytes.fromhex("E0040150")))),
        (b'{"type":"boot","uid":"E0040150"}', Notice("boot")),
        (b'{"type":"E0040150"}', Notice("report")),
        (b'{"a" 1}', BadFrame(Damage.TEXT)),
        (b'{"\xff":1}', BadFrame(Damage.TEXT)),
        (b'{"x":' + b"[" * 900 + b"}", BadFrame(Damage.TEXT)),
    ],
)
def test_odd_json_reports(text: bytes, message: Reply) -> None:
    assert decoded(text)[0] == [message]


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ("0002", Done(2)),
        ("000300", Ack(3, b"\x00")),
        ("FE00", BadFrame(Damage.NO_UID)),
        ("00", Notice("frame 00")),
        ("77", Notice("frame 77")),
        ("0013000000FF41", Ack(0x13, bytes.fromhex("000000FF41"))),
    ],
)
def test_answers_of_an_unknown_form_keep_their_place(payload: str, message: Reply) -> None:
    assert decoded(frame(bytes.fromhex(payload)))[0] == [message]


def test_frames_of_no_or_too_much_content_are_refused() -> None:
    for size in (0, MAX_LEN - 1):
        with pytest.raises(ValueError, match="carries 1 to"):
            frame(bytes(size))
    assert decoded(b"\xf5\x02\x00\xfd\xff\xff\xff")[0][0] == BadFrame(Damage.EMPTY)


def test_no_message_shows_an_identity() -> None:
    uid = bytes.fromhex("E0C4A1B2D3F49586")
    for shown in (
        TagUid(0x22, 0, Uid(uid)),
        UidPushed(0x22, 0, Uid(uid)),
        JsonPush(Uid(uid), 1, uid.hex()),
        Ack(3, uid),
        Failed(3, uid),
        OtherCommand(0x92, uid),
    ):
        text = f"{shown} {shown!r} {[shown]}"
        assert uid.hex() not in text.lower()
        assert uid.hex()[4:10] not in text.lower()
        assert repr(uid)[2:-1] not in text
