"""The live screen: the board by half blocks, the plan of the table, and the findings.

Everything is made from a board view and the progress that it came from, so the terminal shows no
more than the board may. Needs rich; nothing else of the daemon does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.panel import Panel
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from controller.model.findings import Finding, FindingState, Progress, Severity
from controller.outputs.board import BOARD_CARDS, BoardView, Mark, SeatView
from controller.outputs.font import ARROW, CROSS, TICK
from controller.outputs.picture import RGB, Ink, Picture

_UNLIT = (22, 23, 26)
_HALF = "▀"


class BoardPicture:
    """A picture as half blocks: one character for two lamps, one above the other."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        picture, w = self.picture, self.picture.width
        if console.no_color or console.color_system is None:
            yield from self._without_colour()
            return
        for top in range(0, picture.height, 2):
            upper = picture.inks[top * w : (top + 1) * w]
            lower = picture.inks[(top + 1) * w : (top + 2) * w] or bytes(w)
            start = 0
            for x in range(1, w + 1):
                if x == w or (upper[x], lower[x]) != (upper[start], lower[start]):
                    yield Segment(_HALF * (x - start), _pair_style(upper[start], lower[start]))
                    start = x
            yield Segment.line()

    def _without_colour(self) -> Iterator[Segment]:
        picture, w = self.picture, self.picture.width
        lit = bytes(ink > Ink.FAINT for ink in picture.inks) + bytes(w)
        for top in range(0, picture.height, 2):
            upper, lower = lit[top * w : (top + 1) * w], lit[(top + 1) * w : (top + 2) * w]
            yield Segment("".join(" ▀▄█"[a + 2 * b] for a, b in zip(upper, lower, strict=True)))
            yield Segment.line()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self.picture.width, self.picture.width)


_styles: dict[tuple[int, int], Style] = {}


def _pair_style(upper: int, lower: int) -> Style:
    style = _styles.get((upper, lower))
    if style is None:
        style = Style(color=_colour(upper), bgcolor=_colour(lower))
        _styles[upper, lower] = style
    return style


def _colour(ink: int) -> str:
    r, g, b = RGB[ink] if ink else _UNLIT
    return f"#{r:02x}{g:02x}{b:02x}"


# ---- the plan of the table

WIDE = 132  # columns for board and plan side by side
TALL = 36  # rows for the small board below the large one
ROOMY = 30  # rows for frames
LOW = 22  # rows for the large board
_PLAN_WIDTH, _PLAN_HEIGHT = 58, 17

_SIGN = {
    Mark.OUT: ("·", "bright_black"),
    Mark.WAITING: ("", "white"),
    Mark.CARDS: ("", "green"),
    Mark.LIFTED: ("in hand", "green"),
    Mark.FOLDED: ("folded", "bright_black"),
    Mark.ABSENT: ("absent", "bright_black"),
    Mark.DUE: (ARROW, "bold bright_blue"),
    Mark.BLIND: (f"{CROSS} blind", "magenta"),
    Mark.QUESTION: ("?", "bold yellow"),
    Mark.ALARM: ("!", "bold red"),
}


class _Sheet:
    """Characters with styles on a grid."""

    def __init__(self, width: int, height: int) -> None:
        self._cells = [[(" ", "") for _ in range(width)] for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str = "") -> None:
        row = self._cells[y]
        for n, character in enumerate(text):
            if 0 <= x + n < len(row):
                row[x + n] = (character, style)

    def centred(self, x: float, y: int, text: str, style: str = "") -> None:
        self.put(round(x - len(text) / 2), y, text, style)

    def text(self) -> Text:
        text = Text(no_wrap=True)
        for row in self._cells:
            for character, style in row:
                text.append(character, style or None)
            text.append("\n")
        text.right_crop(1)
        return text


def table_plan(view: BoardView) -> Text:
    """The table from above, the dealer at the bottom: counts, button, piles; never a value."""
    sheet = _Sheet(_PLAN_WIDTH, _PLAN_HEIGHT)
    middle_x, middle_y = _PLAN_WIDTH / 2, (_PLAN_HEIGHT - 1) / 2
    for step in range(240):
        angle = 2 * math.pi * step / 240
        x, y = middle_x + 18.5 * math.cos(angle), middle_y + 4.6 * math.sin(angle)
        sheet.put(round(x), round(y), "·", "bright_black")
    sheet.centred(middle_x, _PLAN_HEIGHT - 1, "dealer", "bright_black")
    places = len(view.seats)
    for seat in view.seats:
        # from the dealer's left over the far side to the dealer's right: clockwise from above
        angle = math.pi * (0.5 + 2 * seat.seat / (places + 1))
        x, y = middle_x + 24 * math.cos(angle), middle_y + 7 * math.sin(angle)
        _plan_seat(sheet, x, round(y), seat, view)
    cards = " ".join("▮" * view.board + "▯" * (BOARD_CARDS - view.board))
    sheet.centred(middle_x, round(middle_y) - 1, f"board {cards} {view.board}/5", "white")
    burn = TICK if view.burned else "due" if view.burn_due else "–"
    style = "green" if view.burned else "bright_blue" if view.burn_due else "bright_black"
    sheet.centred(middle_x, round(middle_y) + 1, f"burn {burn}", style)
    return sheet.text()


def _plan_seat(sheet: _Sheet, x: float, y: int, seat: SeatView, view: BoardView) -> None:
    word, style = _SIGN[seat.mark]
    if seat.mark in (Mark.OUT, Mark.FOLDED, Mark.ABSENT):
        pips = ""
    else:
        pips = "▮" * seat.cards + "▯" * max(0, view.hole_cards - seat.cards)
    button = "Ⓓ" if seat.button else ""
    label = " ".join(part for part in (f"{seat.seat}{button}", pips, word) if part)
    sheet.centred(min(max(x, len(label) / 2), _PLAN_WIDTH - len(label) / 2), y, label, style)


# ---- findings

_GRAVITY = {
    Severity.INFO: "bright_black",
    Severity.NOTICE: "yellow",
    Severity.WARNING: "bold dark_orange",
    Severity.MISDEAL: "bold red",
    Severity.FOULED: "bold red",
    Severity.SECURITY: "bold magenta",
}


def _first(findings: Sequence[Finding], limit: int) -> list[Finding]:
    """Those that stand before those that are settled, the newest first."""
    return sorted(findings, key=lambda f: (not _settled(f), f.first_at, f.id), reverse=True)[:limit]


def _settled(finding: Finding) -> bool:
    return finding.state in (FindingState.CORRECTED, FindingState.DISMISSED, FindingState.CLOSED)


def _style(finding: Finding) -> str:
    return "bright_black" if _settled(finding) else _GRAVITY[finding.severity]


def _to_do(finding: Finding) -> str:
    return f"{finding.ruling} ({finding.by})" if finding.ruling else finding.remedy


def findings_table(findings: Sequence[Finding], limit: int = 6, none: str = "none") -> Table:
    """Findings with what was expected, what was seen, which clause, what to do: those that stand
    first, then the newest. none: what to say where there is no finding.
    """
    table = Table(expand=True, box=None, pad_edge=False, header_style="bright_black")
    for name, ratio in (("", 1), ("finding", 6), ("where", 3), ("expected → seen", 7)):
        table.add_column(name, ratio=ratio)
    table.add_column("clause", ratio=4)
    table.add_column("usual remedy", ratio=9)
    if not findings:
        table = Table.grid()
        table.add_row(Text(none, style="bright_black"))
        return table
    for f in _first(findings, limit):
        note = f" ({f.clause_note})" if f.clause_note else ""
        words = (_where(f), _both(f.expected, f.seen), f.clause + note, _to_do(f))
        table.add_row(
            str(f.id),
            Text.assemble((f.code, _style(f)), f" {f.severity.value}, {f.state.value}"),
            *map(Text, words),  # a ruling with brackets in it is no markup
        )
    return table


def findings_lines(findings: Sequence[Finding], limit: int = 3, none: str = "none") -> Text:
    """The same for a small terminal: a line on each finding, and what to do below it."""
    text = Text()
    for f in _first(findings, limit):
        text.append(f"{f.id} {f.code}", _style(f))
        parts = (f"{f.severity.value}, {f.state.value}", _where(f), _both(f.expected, f.seen))
        text.append(" " + " · ".join(p for p in parts if p) + "\n")
        if to_do := _to_do(f):
            text.append(f"  {ARROW} {to_do}\n", "bright_black" if _settled(f) else None)
    return text if findings else Text(f"findings: {none}", style="bright_black")


def _where(finding: Finding) -> str:
    parts = [f"hand {finding.hand}"]
    if finding.street is not None:
        parts.append(finding.street.value)
    if finding.seat is not None:
        parts.append(f"seat {finding.seat}")
    elif finding.zone is not None:
        parts.append(finding.zone)
    return ", ".join(parts)


def _both(expected: str, seen: str) -> str:
    return f"{expected} {ARROW} {seen}" if expected and seen else expected or seen


# ---- the screen


def screen(
    view: BoardView,
    progress: Progress,
    picture: Picture,
    small: Picture | None,
    findings: Sequence[Finding],
    status: Iterable[str],
    keys: str = "",
    menu: RenderableType | None = None,
    width: int = WIDE,
    height: int = TALL,
) -> Group:
    """The whole live screen. status: lines on readers, journal and sweep. menu: shown in place of
    the findings. width, height: the columns and rows there are. Below `WIDE` the plan of the table
    is left out, below `TALL` the small board; below `ROOMY` the frames, and below `LOW` the small
    board stands for the large one (small None: never). A table that only watches lists no findings.
    """
    title = f"hand {progress.hand} · {progress.game} · {progress.profile}"
    none = "none"
    if progress.watch_only:
        findings, none = (), "watching only: what is found goes to the journal and is not shown"
    state = Text(" · ".join(status), style="bright_black", no_wrap=True, overflow="ellipsis")
    help_ = Text(keys, style="bold", no_wrap=True, overflow="ellipsis")
    if height < ROOMY or width < picture.width + 4:
        large = small is None or (height >= LOW and width >= picture.width)
        board = BoardPicture(picture if small is None or large else _one_colour(small))
        head = Text(title, style="bright_black", no_wrap=True, overflow="ellipsis")
        if menu is not None:
            return Group(head, menu)
        return Group(head, board, state, help_, findings_lines(findings, none=none))
    boards: list[RenderableType] = [BoardPicture(picture)]
    if small is not None and height >= TALL:
        boards += [Text(""), BoardPicture(_one_colour(small))]
    wide = width >= WIDE
    name = "board" if wide else f"board · {title}"
    left = Panel(Group(*boards), title=Text(name), border_style="bright_black", padding=(0, 1))
    top = Table.grid(padding=(0, 1))
    if wide:
        plan = Panel(
            table_plan(view), title=Text(title), border_style="bright_black", padding=(0, 1)
        )
        top.add_row(left, plan)
    else:
        top.add_row(left)
    below: RenderableType = menu if menu is not None else findings_table(findings, none=none)
    if menu is None and not wide:
        below = findings_lines(findings, none=none)
    return Group(
        top,
        state,
        help_,
        Panel(below, title="findings" if menu is None else None, border_style="bright_black"),
    )


def _one_colour(picture: Picture) -> Picture:
    inks = bytes(Ink.ALARM if ink > Ink.FAINT else Ink.OFF for ink in picture.inks)
    return Picture(picture.width, picture.height, inks)
