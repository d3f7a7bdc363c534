"""Chains through grids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.leds.grid import CORNERS, WIRINGS, Corner, Wiring, along_chain


@pytest.mark.parametrize(
    ("wiring", "corner", "chain"),
    [
        ("rows", "top-left", (0, 1, 2, 3, 4, 5)),
        ("rows-zigzag", "top-left", (0, 1, 2, 5, 4, 3)),
        ("columns", "top-left", (0, 3, 1, 4, 2, 5)),
        ("columns-zigzag", "top-left", (0, 3, 4, 1, 2, 5)),
        ("rows", "bottom-right", (5, 4, 3, 2, 1, 0)),
        ("columns-zigzag", "top-right", (2, 5, 4, 1, 0, 3)),
        ("rows-zigzag", "bottom-left", (3, 4, 5, 2, 1, 0)),
    ],
)
def test_a_chain_of_three_by_two(wiring: Wiring, corner: Corner, chain: tuple[int, ...]) -> None:
    assert along_chain(3, 2, wiring, corner) == chain


@given(st.integers(1, 64), st.integers(1, 32), st.sampled_from(WIRINGS), st.sampled_from(CORNERS))
def test_every_lamp_hangs_on_it_once(
    width: int, height: int, wiring: Wiring, corner: Corner
) -> None:
    assert sorted(along_chain(width, height, wiring, corner)) == list(range(width * height))
