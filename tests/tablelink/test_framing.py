"""Any bytes at all: the decoder never raises, never grows, is in step at the next zero, and takes
no damaged frame for another one."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelink.framing import ENCODED_MOST, MOST, Decoder, Frame, encode, stuffed, unstuffed
from tablelink.messages import (
    Ack,
    Analog,
    Hello,
    Identity,
    KeyMoved,
    Lamp,
    Lamps,
    Message,
    MisfitError,
    Ping,
    Pixels,
    SeatsChanged,
    Settings,
    Snapshot,
    Threshold,
)

U8, U16, U32 = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32))
SERIALS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=16)
LAMPS = st.builds(Lamp, U8, U8, U8, st.integers(0, 5))

MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(lambda a, b: Hello(min(a, b), max(a, b)), U8, U8),
    st.builds(Ping, U32),
    st.just(Ack()),
    st.builds(Lamps, st.integers(1, 255), st.lists(LAMPS, min_size=1, max_size=27).map(tuple)),
    st.builds(Pixels, st.integers(0, 15), st.binary(min_size=1, max_size=111)),
    st.builds(Settings, st.integers(1, 255), st.integers(1, 10_000), st.integers(1, 10_000), U8),
    st.builds(Threshold, st.integers(1, 11), st.integers(0, 2), U16, U16),
    st.builds(Identity, U8, U8, U8, U8, U8, U8, SERIALS, U8, U8, U8, U8, U8, U8, U16, U16),
    st.builds(SeatsChanged, U32, U16, U16),
    st.builds(KeyMoved, U32, st.integers(1, 8), st.integers(0, 1), U8),
    st.builds(
        *(Snapshot, U32, st.integers(0, 2), U16, U16, U16, U16, U16, U16),
        st.tuples(*[U8] * 8),
    ),
    st.builds(Analog, U32, st.tuples(*[U16] * 11)),
)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    message = draw(MESSAGES)
    seq = draw(st.integers(1, 255)) if message.NUMBERED else 0
    return Frame(message, draw(U16), seq, draw(U8))


def pieces(data: bytes, sizes: list[int]) -> list[bytes]:
    out = []
    while data:
        size = sizes.pop() if sizes else len(data)
        out.append(data[:size])
        data = data[size:]
    return out


@given(st.lists(frames(), max_size=6), st.lists(st.integers(1, 40)), st.booleans())
def test_frames_come_out_as_they_went_in(
    sent: list[Frame], sizes: list[int], zeros_shared: bool
) -> None:
    wire = b"".join(map(encode, sent))
    if zeros_shared:
        wire = wire.replace(b"\0\0", b"\0")
    decoder = Decoder()
    found = [item for piece in pieces(wire, sizes) for item in decoder.feed(piece)]
    assert found == sent


@given(st.binary(max_size=600), st.lists(st.integers(1, 60)), frames())
def test_rubbish_neither_raises_nor_costs_the_next_frame(
    rubbish: bytes, sizes: list[int], frame: Frame
) -> None:
    decoder = Decoder()
    for piece in pieces(rubbish, sizes):
        decoder.feed(piece)
    # The zero that begins the frame ends the rubbish.
    assert decoder.feed(encode(frame))[-1] == frame


@given(st.binary(max_size=2000), st.integers(1, 100))
def test_bytes_in_any_pieces_say_the_same(data: bytes, size: int) -> None:
    whole, apart = Decoder(), Decoder()
    in_pieces = [x for at in range(0, len(data), size) for x in apart.feed(data[at : at + size])]
    assert whole.feed(data) == in_pieces
    assert whole.counts == apart.counts


@given(frames(), st.data())
def test_a_damaged_frame_is_never_another_one(frame: Frame, data: st.DataObject) -> None:
    """Up to three bytes changed, lost or added: all of these a CRC-32 of so short a frame finds,
    unless COBS turns them into a larger difference, which it finds but once in 2³²."""
    wire = bytearray(encode(frame))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(wire) - 1))
        match data.draw(st.sampled_from(("change", "lose", "add"))):
            case "change":
                wire[at] ^= data.draw(st.integers(1, 255))
            case "lose":
                del wire[at]
            case _:
                wire.insert(at, data.draw(U8))
    found = Decoder().feed(b"\0" + bytes(wire) + b"\0")
    assert not [item for item in found if isinstance(item, Frame) and item != frame]


@given(st.binary(max_size=MOST))
def test_cobs_has_no_zeros_and_comes_back(raw: bytes) -> None:
    assert 0 not in stuffed(raw)
    assert len(stuffed(raw)) == len(raw) + 1
    assert unstuffed(stuffed(raw)) == raw


def test_cobs_examples_of_the_paper() -> None:
    """Cheshire and Baker (1999), section 2."""
    assert stuffed(bytes.fromhex("00")) == bytes.fromhex("0101")
    assert stuffed(bytes.fromhex("11220033")) == bytes.fromhex("0311220233")
    assert stuffed(bytes.fromhex("11000000")) == bytes.fromhex("0211010101")


def test_a_decoder_holds_no_more_than_a_frame() -> None:
    decoder = Decoder()
    for _ in range(10_000):
        assert decoder.feed(b"\x55" * 100) == []
    held = [value for value in vars(decoder).values() if isinstance(value, bytes)]
    assert sum(map(len, held)) <= ENCODED_MOST
    assert [str(item) for item in decoder.feed(b"\0")] == ["too-long"]
    assert decoder.counts.damaged == 1


def test_the_crc_is_that_of_zip() -> None:
    """The check value of the catalogue of CRC algorithms, CRC-32/ISO-HDLC."""
    assert zlib.crc32(b"123456789") == 0xCBF43926


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pixels(16, bytes(32)),
        lambda: Pixels(1, bytes(112)),
        lambda: Lamps(1, (Lamp(0, 0, 0, 6),)),
        lambda: Lamps(1, (Lamp(0, 0, 0),) * 28),
        lambda: Settings(key_hold_ms=0),
        lambda: Threshold(3, 3, leave=600, enter=400),
        lambda: Ping(2**32).body(),
        lambda: KeyMoved(0, 9, 1, 0),
        lambda: Hello(2, 1),
    ],
)
def test_what_could_not_be_read_cannot_be_made(make: object) -> None:
    with pytest.raises(MisfitError):
        make()  # type: ignore[operator]
