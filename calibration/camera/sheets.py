"""The sheets to print: lens board, stickers, place cards and the plan, as a PDF at true size.

Everything is drawn as outlines in millimetres; nothing is a picture with a resolution. Each page
bears a ruler, for printers like to shrink.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import board_dictionary, sticker_dictionary
from drivers.table_plan import TABLE_MM, table_plan

_INCH_MM = 25.4
_POINT_MM = 25.4 / 72
_MARGIN_MM = 10.0
_RULER_MM = 100.0
_LABEL_MM = 1.5  # more room below a sticker than around it
_NEARER = "towards the dealer"
_BLACK = "black"
_FAINT = "#999999"


class Paper(StrEnum):
    A4 = "a4"
    LETTER = "letter"


SIZE_MM: Mapping[Paper, tuple[float, float]] = {
    Paper.A4: (210.0, 297.0),
    Paper.LETTER: (215.9, 279.4),
}
"""Width and height, upright."""


def sheets_pdf(paper: Paper, seats: int) -> bytes:
    """All sheets of a table with that many seats. The same bytes for the same release of
    matplotlib. Raises ModuleNotFoundError without matplotlib (extra `calibration`), and ValueError
    for a number of seats that no table has."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import PdfPages

    plan = table_plan(seats)
    out = io.BytesIO()
    with (
        rc_context({"pdf.fonttype": 42, "pdf.compression": 6}),
        PdfPages(
            out, metadata={"Title": "burnturn: calibration sheets", "CreationDate": None}
        ) as pdf,
    ):
        for page in _pages(paper, seats, plan):
            pdf.savefig(page)
    return out.getvalue()


def _pages(paper: Paper, seats: int, plan: Mapping[str, Any]) -> Iterator[Any]:
    yield _lens_board(paper)
    yield from _cards(
        paper,
        {n: f"sticker {n}" for n in range(1, 13)},
        "Stickers",
        "Cut out along the dashes and stick down where the plan on the last page says, number"
        " towards the dealer.\nThey stay. 9 to 12 are spare, for places of your own.",
    )
    yield from _cards(
        paper,
        {n: zone.replace("/", " ") for n, zone in marks.place_cards(seats).items()},
        "Place cards",
        "For one picture only: lay each where the cards of that place will lie, its name to whoever"
        " gets them,\nthe dealer's places to the dealer.",
    )
    yield _plan(paper, plan)


def _lens_board(paper: Paper) -> Any:
    page = _Page(paper, upright=False)
    across, down = (n * marks.SQUARE_MM for n in marks.BOARD_SQUARES)
    left = (page.width_mm - across) / 2
    low = page.height_mm - _MARGIN_MM - down + 2.0
    columns, rows = marks.BOARD_SQUARES
    side = marks.SQUARE_MM
    black = [
        (left + column * side, low + (rows - 1 - row) * side, side, side)
        for row in range(rows)
        for column in range(columns)
        if (row + column) % 2 == 0
    ]
    page.boxes(black)
    white = [(row, c) for row in range(rows) for c in range(columns) if (row + c) % 2]
    inset = (side - marks.BOARD_MARK_MM) / 2
    for number, (row, column) in enumerate(white):
        page.mark(
            cells(board_dictionary(), number),
            left + column * side + inset,
            low + (rows - 1 - row) * side + inset,
            marks.BOARD_MARK_MM,
        )
    page.ruler(_MARGIN_MM + 2)
    page.text(
        page.width_mm / 2 + 5,
        low - 5,
        "burnturn lens board. Print at 100 %, glue it flat on a stiff board.",
        size=9,
    )
    return page.figure


def _cards(paper: Paper, cards: Mapping[int, str], title: str, note: str) -> Iterator[Any]:
    wide = marks.STICKER_MM + 2 * marks.QUIET_MM
    high = wide + _LABEL_MM
    size = SIZE_MM[paper]
    columns = int((size[0] - 2 * _MARGIN_MM + 4) // wide)
    rows = int((size[1] - 2 * _MARGIN_MM - 26) // high)
    numbers = list(cards)
    for first in range(0, len(numbers), columns * rows):
        page = _Page(paper)
        page.title(title, note)
        for place, number in enumerate(numbers[first : first + columns * rows]):
            row, column = divmod(place, columns)
            left = (page.width_mm - columns * wide) / 2 + column * wide
            top = page.height_mm - _MARGIN_MM - 16 - row * high
            page.card(number, cards[number], left, top - high, wide, high)
        page.ruler(_MARGIN_MM)
        yield page.figure


def _plan(paper: Paper, plan: Mapping[str, Any]) -> Any:
    page = _Page(paper, upright=False)
    page.title(
        "Where the stickers go",
        "Seen from the dealer, who sits below. Measured from the middle of the five board cards to"
        " the middle of each sticker.\nOther places do as well: measure them, and name them with"
        " --sticker. This drawing is not at true size.",
    )
    scale = (page.width_mm - 2 * _MARGIN_MM) / (TABLE_MM[0] + 40)
    x0, y0 = page.width_mm / 2, page.height_mm / 2 + 12
    page.table(plan, scale, x0, y0)
    for number, (x, y) in marks.STICKERS.items():
        page.boxes([(x0 + x * scale - 2.2, y0 + y * scale - 2.2, 4.4, 4.4)])
        page.text(x0 + x * scale, y0 + y * scale, str(number), size=9, colour="white", middle=True)
    lines = [
        f"{n}:  {_way(x, 'right', 'left')},  {_way(y, 'away from the dealer', _NEARER)}"
        for n, (x, y) in marks.STICKERS.items()
    ]
    for column in range(2):
        text = "\n".join(lines[column * 4 : column * 4 + 4])
        page.text(30 + column * 120, 44, text, size=10)
    page.ruler(_MARGIN_MM)
    return page.figure


def _way(mm: float, forth: str, back: str) -> str:
    return f"{abs(mm):.0f} mm {forth if mm > 0 else back}" if mm else "on the middle line"


def cells(dictionary: cv2.aruco.Dictionary, number: int) -> NDArray[np.bool_]:
    """The black cells of a mark, its border with it; row 0 is its upper edge."""
    side = dictionary.markerSize + 2
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, number, side) < 128, dtype=np.bool_)


@dataclass(slots=True)
class _Page:
    """A page whose x and y are millimetres from its lower left corner."""

    paper: Paper
    upright: bool = True

    figure: Any = None
    _axes: Any = None

    def __post_init__(self) -> None:
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(self.width_mm / _INCH_MM, self.height_mm / _INCH_MM))
        self._axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._axes.set_xlim(0, self.width_mm)
        self._axes.set_ylim(0, self.height_mm)
        self._axes.set_axis_off()

    @property
    def width_mm(self) -> float:
        return SIZE_MM[self.paper][0 if self.upright else 1]

    @property
    def height_mm(self) -> float:
        return SIZE_MM[self.paper][1 if self.upright else 0]

    def boxes(self, boxes: Sequence[tuple[float, float, float, float]]) -> None:
        """Black boxes (left, low, width, height) as one outline: no seams between neighbours."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points, codes = [], []
        for x, y, w, h in boxes:
            points += [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]
            codes += [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
        self._axes.add_patch(PathPatch(Path(points, codes), facecolor=_BLACK, linewidth=0))

    def mark(self, black: NDArray[np.bool_], left: float, low: float, side: float) -> None:
        """A mark with its black cells, a row's neighbours as one box."""
        cell = side / len(black)
        boxes = []
        for row, line in enumerate(black):
            edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
            for begin, end in zip(edges[::2], edges[1::2], strict=True):
                y = low + side - (row + 1) * cell
                boxes.append((left + begin * cell, y, (end - begin) * cell, cell))
        self.boxes(boxes)

    def card(self, number: int, name: str, left: float, low: float, w: float, h: float) -> None:
        """A sticker or place card with its name below and dashes to cut along."""
        from matplotlib.patches import Rectangle

        cut = Rectangle((left, low), w, h, fill=False, edgecolor=_FAINT, lw=0.4, linestyle="--")
        self._axes.add_patch(cut)
        self.mark(
            cells(sticker_dictionary(), number),
            left + marks.QUIET_MM,
            low + h - marks.QUIET_MM - marks.STICKER_MM,
            marks.STICKER_MM,
        )
        self.text(left + w / 2, low + 3.2, name, size=9, middle=True)

    def table(self, plan: Mapping[str, Any], scale: float, x0: float, y0: float) -> None:
        """The table seen from above: its rim and its areas."""
        from matplotlib.patches import Ellipse, Polygon

        whole = plan["table"]
        rim = Ellipse(
            (x0 + whole.x_mm * scale, y0 + whole.y_mm * scale),
            whole.width_mm * scale,
            whole.height_mm * scale,
            fill=False,
            edgecolor=_BLACK,
            lw=1,
        )
        self._axes.add_patch(rim)
        for zone, area in plan.items():
            if zone == "table":
                continue
            corners = [(x0 + x * scale, y0 + y * scale) for x, y in area.corners_mm]
            self._axes.add_patch(Polygon(corners, fill=False, edgecolor=_FAINT, lw=0.7))
            name = zone.removeprefix("seat/")
            at = (x0 + area.x_mm * scale, y0 + area.y_mm * scale)
            self.text(*at, name, size=8, colour="#666666", middle=True)

    def title(self, title: str, note: str) -> None:
        """A headline and what to do, at the top of the page."""
        self.text(_MARGIN_MM + 2, self.height_mm - _MARGIN_MM, title, size=14)
        self.text(_MARGIN_MM + 2, self.height_mm - _MARGIN_MM - 7.5, note, size=8.5)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        colour: str = _BLACK,
        middle: bool = False,
    ) -> None:
        """Words at a place; size in points. middle: around the place, else to its right."""
        ways = {"ha": "center", "va": "center"} if middle else {"ha": "left", "va": "center"}
        self._axes.text(x, y, text, fontsize=size, color=colour, linespacing=1.3, **ways)

    def ruler(self, low: float) -> None:
        """A line of 100 mm with a tick each millimetre, and what it is for."""
        left = _MARGIN_MM + 2
        width = 0.2
        boxes = [(left, low, _RULER_MM, width)]
        for mm in range(int(_RULER_MM) + 1):
            high = 4.0 if mm % 10 == 0 else 2.8 if mm % 5 == 0 else 1.6
            boxes.append((left + mm - width / 2, low, width, high))
        self.boxes(boxes)
        self.text(
            left + _RULER_MM + 3,
            low + 1.6,
            "This line is 100 mm. If yours is not, print again at 100 %,\nwithout “fit to page”.",
            size=8,
        )
