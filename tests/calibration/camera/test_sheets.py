"""The sheets as a printer gets them: rendered by another program and measured."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np
import pypdfium2 as pdfium
import pytest
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import find_board, find_stickers
from calibration.camera.sheets import SIZE_MM, Paper, sheets_pdf
from drivers.table_plan import Area, table_plan

DPI = 200
PX_MM = DPI / 25.4


@cache
def pages(paper: Paper, seats: int) -> tuple[NDArray[np.uint8], ...]:
    document = pdfium.PdfDocument(sheets_pdf(paper, seats))
    return tuple(
        np.asarray(page.render(scale=DPI / 72).to_numpy()[..., :3], dtype=np.uint8)
        for page in document
    )


@pytest.mark.parametrize("paper", Paper)
def test_each_page_has_the_papers_size(paper: Paper) -> None:
    document = pdfium.PdfDocument(sheets_pdf(paper, 9))
    for page in document:
        size_mm = sorted(side / 72 * 25.4 for side in page.get_size())
        assert size_mm == pytest.approx(sorted(SIZE_MM[paper]), abs=0.05)


@pytest.mark.parametrize("paper", Paper)
def test_the_lens_board_is_true_to_a_tenth_of_a_millimetre(paper: Paper) -> None:
    view = find_board(pages(paper, 9)[0])
    assert view is not None
    assert sorted(view.numbers) == list(range(marks.BOARD_CORNERS))
    on_paper = (view.corners_px - view.corners_px[0]) / PX_MM
    on_board = view.corners_mm - view.corners_mm[0]
    assert on_paper == pytest.approx(on_board, abs=0.1)


@pytest.mark.parametrize("paper", Paper)
@pytest.mark.parametrize("seats", [2, 11])
def test_every_sticker_and_place_card_is_there_once_at_its_size(paper: Paper, seats: int) -> None:
    found: dict[int, float] = {}
    for page in pages(paper, seats)[1:]:
        for number, sticker in find_stickers(page).items():
            assert number not in found
            found[number] = sticker.side_px / PX_MM
    assert set(found) == {*range(1, 13), *marks.place_cards(seats)}
    for side_mm in found.values():
        assert side_mm == pytest.approx(marks.STICKER_MM, abs=0.15)


@pytest.mark.parametrize("paper", Paper)
def test_each_page_has_a_ruler_of_100_mm(paper: Paper) -> None:
    for page in pages(paper, 9):
        assert ruler_mm(page) == pytest.approx(100.0, abs=0.3)


@pytest.mark.parametrize("paper", Paper)
def test_nothing_is_printed_where_printers_cannot(paper: Paper) -> None:
    edge = int(5 * PX_MM)
    for page in pages(paper, 11):
        inside = page[edge:-edge, edge:-edge]
        assert (page < 128).sum() == (inside < 128).sum()


def test_no_sticker_lies_on_an_area_at_any_table() -> None:
    for seats in range(2, 12):
        for zone, area in table_plan(seats).items():
            for number, (x, y) in marks.STICKERS.items():
                crossing = zone != "table" and overlap(sticker_square(x, y), area)
                assert not crossing, f"sticker {number} on {zone} of {seats} seats"


def test_marks_of_different_kinds_have_different_numbers() -> None:
    cards = marks.place_cards(11)
    assert len(set(cards.values())) == 16
    assert not set(cards) & set(marks.STICKER_NUMBERS)
    assert set(marks.STICKERS) <= set(marks.STICKER_NUMBERS)


def test_the_sheets_of_an_impossible_table_are_refused() -> None:
    with pytest.raises(ValueError, match="12 seats"):
        sheets_pdf(Paper.A4, 12)


def sticker_square(x_mm: float, y_mm: float) -> Area:
    """A sticker as an area of the table: its black and the white around."""
    side = marks.STICKER_MM + 2 * marks.QUIET_MM
    return Area(x_mm, y_mm, side, side)


def overlap(one: Area, other: Area) -> bool:
    """Whether two rectangles of the table touch (separating axes)."""
    for area in (one, other):
        for turn in (0.0, 90.0):
            angle = math.radians(area.angle_deg + turn)
            along = [
                [x * math.cos(angle) + y * math.sin(angle) for x, y in a.corners_mm]
                for a in (one, other)
            ]
            if max(along[0]) <= min(along[1]) or max(along[1]) <= min(along[0]):
                return False
    return True


def ruler_mm(page: NDArray[np.uint8]) -> float:
    """The length of the longest thin dark line in the lower 25 mm of a page, millimetres."""
    low = cv2.cvtColor(page, cv2.COLOR_BGR2GRAY)[-int(25 * PX_MM) :, : int(130 * PX_MM)]
    widths = []
    for row in low < 160:
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
        widths += [end - begin for begin, end in zip(edges[::2], edges[1::2], strict=True)]
    return float(max(widths)) / PX_MM
