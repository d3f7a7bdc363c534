"""WS2812 frames, read back by the chain's twin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.leds.ws2812 import (
    ORDERS,
    RESET_BYTES,
    SPEED_HZ,
    ColourOrder,
    Encoder,
    frame_bytes,
    levels,
)
from tests.drivers.led_chips import Ws2812Chain


def shown(pixels: bytes, encoder: Encoder, lamps: int, order: str = "grb") -> bytes:
    chain = Ws2812Chain(lamps, order)
    chain.feed(encoder.frame(pixels))
    return b"".join(bytes(c) for c in chain.colours)


@given(st.binary(min_size=33, max_size=33), st.sampled_from(ORDERS))
def test_lamps_show_the_picture_in_any_colour_order(pixels: bytes, order: ColourOrder) -> None:
    assert shown(pixels, Encoder(range(11), order=order), 11, order) == pixels


def test_bits_on_the_wire_are_as_the_datasheet_has_them() -> None:
    frame = Encoder(range(1)).frame(b"\x0f\x80\x00")
    assert frame[RESET_BYTES:-RESET_BYTES].hex(" ") == "d2 49 24 92 4d b6 92 49 24"
    assert RESET_BYTES * 8 / SPEED_HZ >= 280e-6


def test_lamps_of_one_seat_show_alike() -> None:
    encoder = Encoder((0, 0, 1, 1))
    assert shown(b"\x01\x02\x03\x04\x05\x06", encoder, 4) == (
        b"\x01\x02\x03" * 2 + b"\x04\x05\x06" * 2
    )


@given(st.binary(min_size=3, max_size=3), st.floats(0.01, 1.0), st.sampled_from([1.0, 2.2, 2.8]))
def test_no_lamp_is_brighter_than_the_limit_nor_dark_that_should_be_lit(
    pixels: bytes, brightness: float, gamma: float
) -> None:
    got = shown(pixels, Encoder((0,), brightness=brightness, gamma=gamma), 1)
    assert all(g <= max(1, round(255 * brightness)) for g in got)
    assert [bool(g) for g in got] == [bool(p) for p in pixels]


@pytest.mark.parametrize("gamma", [1.0, 2.2])
def test_levels_rise_and_end_at_the_limit(gamma: float) -> None:
    table = levels(0.5, gamma)
    assert list(table) == sorted(table)
    assert (table[0], table[255]) == (0, 128)
    assert levels(0.0, gamma) == bytes(256)


@pytest.mark.parametrize("lamps", [1, 11, 256])
def test_a_frame_is_as_long_as_it_says_and_long_enough_for_dma(lamps: int) -> None:
    encoder = Encoder(range(lamps))
    assert len(encoder.frame(bytes(3 * lamps))) == encoder.frame_bytes == frame_bytes(lamps)
    assert encoder.frame_bytes >= 96


def test_the_twin_refuses_what_no_lamp_would_understand() -> None:
    chain = Ws2812Chain(1)
    with pytest.raises(AssertionError):
        chain.feed(bytes(90) + b"\xff" * 9 + bytes(90))
    with pytest.raises(AssertionError):
        chain.feed(b"\x92\x49\x24" * 3 + bytes(90))
