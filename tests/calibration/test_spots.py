"""Spots of every zone lie on its mark, the middle first."""

from __future__ import annotations

import pytest

from calibration.spots import place_words, spots
from drivers.table_plan import CARD_MM, table_plan

ZONES = [*(f"seat/{n}" for n in range(1, 10)), "board", "burn", "muck", "count", "stub"]


@pytest.mark.parametrize("zone", ZONES)
def test_card_at_every_spot_lies_on_its_mark(zone: str) -> None:
    area = table_plan(9)[zone]
    found = spots(zone, 9)
    assert len(found) == len({s.words for s in found}) == 5
    assert (found[0].across_mm, found[0].up_mm) == (0.0, 0.0)
    assert (found[0].x_mm, found[0].y_mm) == pytest.approx((area.x_mm, area.y_mm))
    for spot in found:
        across, up = CARD_MM[0] / 2, CARD_MM[1] / 2
        assert area.holds(spot.x_mm, spot.y_mm)
        assert abs(spot.across_mm) + across <= area.width_mm / 2 + 1
        assert abs(spot.up_mm) + up <= area.height_mm / 2 + 1


@pytest.mark.parametrize("zone", ["board/flop", "board/turn", "board/river"])
def test_parts_of_the_board_have_spots_of_their_own(zone: str) -> None:
    own = [s.x_mm for s in spots(zone, 9)]
    others = [
        s.x_mm
        for z in ("board/flop", "board/turn", "board/river")
        if z != zone
        for s in spots(z, 9)
    ]
    assert not set(own) & set(others)


def test_towards_the_player_is_outwards() -> None:
    middle, back = spots("seat/3", 9)[0], spots("seat/3", 9)[4]
    assert "towards the player" in back.words
    assert back.x_mm**2 + back.y_mm**2 > middle.x_mm**2 + middle.y_mm**2


def test_words_are_the_tables_own() -> None:
    assert place_words("seat/4") == "seat 4"
    assert place_words("burn") == "the burn pile"


def test_zone_that_no_table_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no table has a zone attic"):
        spots("attic", 9)
