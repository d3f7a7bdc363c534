"""What somebody types of stickers, points and areas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera.said import SaidError, said_of
from drivers.table_plan import Area, table_plan


def test_all_three_are_read() -> None:
    said = said_of(
        9,
        ["9=-100,240.5"],
        ["-176,56=512,430"],
        ["board=1,2", "seat/3=-800,180,200,140", "muck=-300,-200,190,150,-10"],
    )
    assert said.stickers == {9: (-100.0, 240.5)}
    assert said.points == ((-176.0, 56.0, 512.0, 430.0),)
    plan = table_plan(9)
    assert said.areas["board"] == Area(1.0, 2.0, plan["board"].width_mm, plan["board"].height_mm)
    assert said.areas["seat/3"] == Area(-800.0, 180.0, 200.0, 140.0, plan["seat/3"].angle_deg)
    assert said.areas["muck"] == Area(-300.0, -200.0, 190.0, 150.0, 350.0)


@pytest.mark.parametrize(
    ("stickers", "points", "areas", "why"),
    [
        (["9"], [], [], "must read --sticker NUMBER=X,Y"),
        (["99=1,2"], [], [], "there is no sticker '99'; allowed 1 to 24"),
        (["²=1,2"], [], [], "there is no sticker"),
        (["1=1"], [], [], "must read --sticker"),
        (["1=nan,2"], [], [], "must read --sticker"),
        (["1=9000,0"], [], [], "is not on a table; allowed -3000 to 3000"),
        ([], ["1,2=3"], [], "must read --point"),
        ([], ["1,2=-3,4"], [], "pixels are counted from 0"),
        ([], [], ["seat/10=1,2"], "there is no place 'seat/10'; allowed board, burn"),
        ([], [], ["table=1,2"], "there is no place 'table'"),
        ([], [], ["board=1,2,3"], "must read --area"),
        ([], [], ["board=1,2,3,4"], "3 x 4 mm; allowed 20 to 3000"),
    ],
)
def test_what_cannot_be_understood_is_answered_with_what_can(
    stickers: list[str], points: list[str], areas: list[str], why: str
) -> None:
    with pytest.raises(SaidError) as caught:
        said_of(9, stickers, points, areas)
    assert why in str(caught.value)


@given(st.text(max_size=30), st.integers(0, 2))
def test_rubbish_is_answered_with_itself_and_breaks_nothing(text: str, option: int) -> None:
    values = [[text + "?"] if n == option else [] for n in range(3)]
    with pytest.raises(SaidError) as caught:
        said_of(9, *values)
    assert text in str(caught.value)
