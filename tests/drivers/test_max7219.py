"""MAX7219 chains in all their wirings, read back by their twin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.leds.max7219 import FIRSTS, LIT_FROM, TURNS, Encoder, First, Turn
from tests.drivers.led_chips import Max7219Chain


def as_hung(
    chain: Max7219Chain, modules: int, first: First, turn: Turn, mirrored: bool
) -> list[bool]:
    """What a person sees in front of the board, lamp by lamp."""
    seen = [[False] * (8 * modules) for _ in range(8)]
    for module in range(modules):
        place = module if first == "left" else modules - 1 - module
        for row in range(8):
            for column in range(8):
                x, y = (7 - column if mirrored else column), row
                x, y = {0: (x, y), 90: (7 - y, x), 180: (7 - x, 7 - y), 270: (y, 7 - x)}[turn]
                seen[y][8 * place + x] = chain.lamp(module, column, row)
    return [lamp for line in seen for lamp in line]


def fed(encoder: Encoder, pixels: bytes, modules: int) -> Max7219Chain:
    chain = Max7219Chain(modules)
    for transfer in (*encoder.setup(), *encoder.rows(pixels)):
        chain.feed(transfer)
    return chain


@given(
    st.integers(1, 6),
    st.sampled_from(FIRSTS),
    st.sampled_from(TURNS),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_a_chain_shows_the_picture_however_it_is_wired(
    modules: int, first: First, turn: Turn, mirrored: bool, draw: object
) -> None:
    lit = [bool(draw.getrandbits(1)) for _ in range(64 * modules)]  # type: ignore[attr-defined]
    pixels = b"".join(b"\x28\xdc\x5a" if on else b"\x3a\x3e\x48" for on in lit)
    encoder = Encoder(modules, first=first, turn=turn, mirrored=mirrored)
    assert as_hung(fed(encoder, pixels, modules), modules, first, turn, mirrored) == lit


def test_the_top_left_lamp_of_four_modules_as_bytes() -> None:
    pixels = b"\xff\xff\xff" + bytes(3 * 255)
    top = Encoder(4, first="right").rows(pixels)[0]
    assert top.hex(" ") == "01 80 01 00 01 00 01 00"  # farthest module first: the left one
    assert Encoder(4, first="left").rows(pixels)[0].hex(" ") == "01 00 01 00 01 00 01 80"


def test_setup_wakes_a_module_from_any_state_at_its_brightness() -> None:
    encoder = Encoder(4, intensity=7)
    chain = fed(encoder, b"\xff" * 768, 4)
    chain.brown_out(2)
    chain.registers[1][15] = 1
    for transfer in encoder.setup():
        chain.feed(transfer)
    assert all(m | {} == chain.registers[0] for m in chain.registers)
    assert chain.registers[0][10] == 7
    assert all(chain.lamp(m, x, y) for m in range(4) for x in range(8) for y in range(8))


def test_dark_switches_every_lamp_off() -> None:
    encoder = Encoder(2)
    chain = fed(encoder, b"\xff" * 384, 2)
    for transfer in encoder.dark():
        chain.feed(transfer)
    assert not any(chain.lamp(m, x, y) for m in range(2) for x in range(8) for y in range(8))


@pytest.mark.parametrize(("value", "lit"), [(LIT_FROM, True), (LIT_FROM - 1, False)])
def test_context_is_dark_where_there_is_one_colour(value: int, lit: bool) -> None:
    chain = fed(Encoder(1), bytes((0, value, 0)) + bytes(3 * 63), 1)
    assert chain.lamp(0, 0, 0) is lit
