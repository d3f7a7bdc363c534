"""Pictures of a board view: 64×32 in colour, and 32×8 in one colour.

The pixel layouts are described in firmware-interface/README.md. Colour only repeats what a shape, a
word or a blink pattern says: a picture with every ink turned white still tells the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controller.outputs.board import BOARD_CARDS, BoardView, Level, Mark, Notice, SeatView
from controller.outputs.font import ARROW, CROSS, LARGE, SMALL, TICK, plain, wrapped
from controller.outputs.picture import Canvas, Ink, Picture

SLOW_S = 1.0  # one slow blink; a fast one takes a quarter of it
SCROLL_COLUMNS_PER_S = 14.0
PAGE_S = 1.6
TURN_S = 3.0  # how long each of two alternating lines stands

_LEVEL_INK = {
    Level.DUTY: Ink.TEXT,
    Level.FAULT: Ink.FAULT,
    Level.QUESTION: Ink.ASK,
    Level.ALARM: Ink.ALARM,
    Level.MUTE: Ink.ALARM,
}
_LEVEL_SIGN = {
    Level.DUTY: ARROW,
    Level.FAULT: CROSS,
    Level.QUESTION: "?",
    Level.ALARM: "!",
    Level.MUTE: "!",
}


def slow(now_s: float) -> bool:
    """Lit half of each second."""
    return now_s % SLOW_S < SLOW_S / 2


def fast(now_s: float) -> bool:
    """Lit half of each quarter second."""
    return now_s % (SLOW_S / 4) < SLOW_S / 8


def turn(now_s: float, turns: int) -> int:
    """Which of `turns` alternating contents is on."""
    return int(now_s / TURN_S) % turns


def page(text: str, columns: int, now_s: float) -> str:
    """The part of a text that a narrow line shows now: whole words, page after page."""
    pages = wrapped(text, SMALL, columns)
    return pages[int(now_s / PAGE_S) % len(pages)] if pages else ""


# ---- 64×32 in colour


def colour_64x32(view: BoardView) -> Picture:
    """Two-metre text above, seats below."""
    canvas = Canvas(64, 32)
    if view.notice is None or not _pressing(view.notice, view.now_s):
        _header(canvas, view)
        _next_line(canvas, view)
        _piles(canvas, view)
        _seats(canvas, view, _TALL)
    else:
        _notice_block(canvas, view.notice, view.now_s)
        _seats(canvas, view, _LOW)
    return canvas.picture()


def _pressing(notice: Notice, now_s: float) -> bool:
    """Whether the notice takes the board now; a fault, which may last all night, every other
    turn."""
    if notice.level is Level.FAULT:
        return turn(now_s, 2) == 0
    return notice.level is not Level.DUTY


def _header(canvas: Canvas, view: BoardView) -> None:
    """Rows 0 to 4: stage at the left, deck at the right, the button's seat between if it fits."""
    x = canvas.write(0, 0, view.stage, SMALL, Ink.TEXT)
    deck = view.deck.words
    width = SMALL.width(deck)
    ink = Ink.GOOD if deck.endswith("OK") else Ink.ASK if view.deck.cards is not None else Ink.FAINT
    canvas.write(64 - width, 0, deck, SMALL, ink)
    button = f"D{view.button}" if view.button else ""
    if button and x + 3 + SMALL.width(button) + 3 <= 64 - width:
        canvas.write(x + 3, 0, button, SMALL, Ink.DUE)


def _next_line(canvas: Canvas, view: BoardView) -> None:
    """Rows 6 to 12: where the next card goes, or the duty that waits."""
    notice = view.notice
    duty = plain(notice.text) if notice is not None and notice.level is Level.DUTY else ""
    if duty and (not view.next or turn(view.now_s, 2)):
        _running(canvas, 0, 6, duty, view.now_s, Ink.TEXT, large=True)
        return
    if view.next:
        x = canvas.write(1, 6, ARROW, LARGE, Ink.DUE)
        canvas.write(x + 2, 6, view.next, LARGE, Ink.DUE)
        return
    quiet = {"READY": f"HAND {view.hand}", "CLOSED": "", "WATCH": "WATCHING"}
    canvas.write(1, 6, quiet.get(view.stage, "BETTING"), LARGE, Ink.TEXT)


def _piles(canvas: Canvas, view: BoardView) -> None:
    """Rows 14 to 18: burn with its tick, five places of the board, their number; or blind zones."""
    if view.blind and int(view.now_s / TURN_S) % 4 in (1, 3):
        x = canvas.write(0, 14, f"{CROSS} ", SMALL, Ink.FAULT)
        _running(canvas, x, 14, f"NO READ {view.blind}", view.now_s, Ink.FAULT)
        return
    x = canvas.write(0, 14, "BURN", SMALL, Ink.TEXT) + 1
    if view.burned:
        canvas.write(x, 14, TICK, SMALL, Ink.GOOD)
    elif view.burn_due and slow(view.now_s):
        canvas.frame(x, 14, 5, 5, Ink.DUE)
    else:
        canvas.fill(x, 18, 5, 1, Ink.FAINT)
    for place in range(BOARD_CARDS):
        left = 27 + place * 5
        if place < view.board:
            canvas.fill(left, 14, 4, 5, Ink.TEXT)
        else:
            canvas.frame(left, 14, 4, 5, Ink.FAINT)
    number = f"{view.board}/{BOARD_CARDS}"
    canvas.write(64 - SMALL.width(number), 14, number, SMALL, Ink.TEXT)


def _notice_block(canvas: Canvas, notice: Notice, now_s: float) -> None:
    """Rows 0 to 20: the text in two large lines beside its sign; clause and remedy run below.

    The sign tells the levels apart without colour: a tall `!` flashing fast for an alarm, `?`
    blinking slowly for a question, `×` standing still for a fault.
    """
    ink = _LEVEL_INK[notice.level]
    if notice.level in (Level.ALARM, Level.MUTE):
        if fast(now_s):
            canvas.fill(1, 0, 3, 10, ink)
            canvas.fill(1, 12, 3, 3, ink)
    elif slow(now_s) or notice.level is Level.FAULT:
        canvas.write(0, 4, _LEVEL_SIGN[notice.level], LARGE, ink)
    lines = wrapped(plain(notice.text), LARGE, 64 - 7)
    pages = (len(lines) + 1) // 2
    first = 2 * (int(now_s / PAGE_S) % pages) if pages else 0
    for row, line in enumerate(lines[first : first + 2]):
        canvas.write(7, row * 8, line, LARGE, ink)
    more = f"+{notice.more}" if notice.more else ""
    edge = 64 - (SMALL.width(more) + 2 if more else 0)
    _running(canvas, 0, 16, plain(notice.detail), now_s, Ink.TEXT, right=edge)
    canvas.write(edge + 2, 16, more, SMALL, ink)


def _running(
    canvas: Canvas,
    x: int,
    y: int,
    text: str,
    now_s: float,
    ink: Ink,
    *,
    large: bool = False,
    right: int = 64,
) -> None:
    """A line that stands if it fits between x and `right`, and otherwise runs to the left."""
    face = LARGE if large else SMALL
    width = face.width(text)
    if width <= right - x:
        canvas.write(x, y, text, face, ink)
        return
    loop = width + 16
    shift = int(now_s * SCROLL_COLUMNS_PER_S) % loop
    canvas.write(x - shift, y, text, face, ink, left=x, right=right)
    canvas.write(x - shift + loop, y, text, face, ink, left=x, right=right)


@dataclass(frozen=True, slots=True)
class _SeatRows:
    """Where a seat's parts lie: pips as (top, height) from the bottom up."""

    sign: int
    signs: Mapping[Mark, tuple[tuple[int, int], ...]]
    pips: tuple[tuple[int, int], tuple[int, int]]
    number: int
    button: int


def _places(drawing: str) -> tuple[tuple[int, int], ...]:
    rows = drawing.split()
    return tuple(
        (x - 1, y) for y, row in enumerate(rows) for x, dot in enumerate(row) if dot == "#"
    )


_TALL = _SeatRows(
    sign=20,
    signs={
        Mark.ALARM: _places(".#. .#. .#. ... .#."),
        Mark.QUESTION: _places("##. ..# .#. ... .#."),
        Mark.BLIND: _places("... #.# .#. #.#"),
        Mark.FOLDED: _places("... ... ###"),
        Mark.ABSENT: _places("... .#. #.# .#."),
    },
    pips=((23, 2), (20, 2)),
    number=26,
    button=31,
)
_LOW = _SeatRows(
    sign=22,
    signs={
        Mark.ALARM: _places(".#. .#. ... .#."),
        Mark.QUESTION: _places("##. .## ... .#."),
        Mark.BLIND: _places("#.# .#. #.#"),
        Mark.FOLDED: _places("... ###"),
        Mark.ABSENT: _places(".#. #.# .#."),
    },
    pips=((24, 2), (22, 1)),
    number=27,
    button=26,
)


def _seats(canvas: Canvas, view: BoardView, rows: _SeatRows) -> None:
    """A column a seat, from the dealer's left to the dealer's right."""
    if not view.seats:
        return
    widths = [max(SMALL.width(str(s.seat)), 3) for s in view.seats]
    gap = min(5, max(1, (64 - sum(widths)) // max(1, len(widths) - 1)))
    grow = min(1, (gap - 1) // 2)
    x = max(0, (64 - sum(widths) - gap * (len(widths) - 1)) // 2)
    for seat, width in zip(view.seats, widths, strict=True):
        _seat(canvas, x - grow, width + 2 * grow, seat, view, rows)
        x += width + gap


def _seat(
    canvas: Canvas, x: int, width: int, seat: SeatView, view: BoardView, rows: _SeatRows
) -> None:
    number = str(seat.seat)
    ink = _MARK_INK[seat.mark]
    blink = fast if seat.mark is Mark.ALARM else slow
    pressed = seat.mark in (Mark.ALARM, Mark.QUESTION, Mark.DUE)
    if not pressed or blink(view.now_s):
        canvas.write(x + (width - SMALL.width(number)) // 2, rows.number, number, SMALL, ink)
    if seat.button:
        canvas.fill(x, rows.button, width, 1, Ink.TEXT)
    if seat.mark in rows.signs:
        canvas.dots(x + width // 2, rows.sign, rows.signs[seat.mark], ink)
    elif seat.mark is Mark.LIFTED:
        canvas.dots(x + width // 2, rows.pips[1][0], ((0, 0), (-1, 1), (1, 1)), ink)
        canvas.fill(x, sum(rows.pips[0]) - 1, width, 1, ink)
    elif seat.mark is not Mark.OUT:
        _pips(canvas, x, width, seat, view, rows)


def _pips(
    canvas: Canvas, x: int, width: int, seat: SeatView, view: BoardView, rows: _SeatRows
) -> None:
    """One block a card, two columns for four hole cards; a surplus card closes the gaps."""
    ink = _MARK_INK[seat.mark]
    columns = 1 if view.hole_cards <= 2 else 2
    cell = width if columns == 1 else width // 2
    for n in range(min(max(view.hole_cards, 0), 2 * columns)):
        column, level = n % columns, n // columns
        left = x + column * (width - cell)
        top, height = rows.pips[level]
        if n < seat.cards:
            canvas.fill(left, top, cell, height, ink)
        else:
            canvas.dot(left + cell // 2, top + height - 1, Ink.FAINT)
    if seat.cards > view.hole_cards:
        canvas.fill(x, rows.pips[1][0], width, sum(rows.pips[0]) - rows.pips[1][0], ink)


_MARK_INK = {
    Mark.OUT: Ink.FAINT,
    Mark.WAITING: Ink.TEXT,
    Mark.CARDS: Ink.GOOD,
    Mark.LIFTED: Ink.GOOD,
    Mark.FOLDED: Ink.FAINT,
    Mark.ABSENT: Ink.FAINT,
    Mark.DUE: Ink.DUE,
    Mark.BLIND: Ink.FAULT,
    Mark.QUESTION: Ink.ASK,
    Mark.ALARM: Ink.ALARM,
}

# ---- 32×8 in one colour

_WORDS_32 = {"PREFLOP": "PREFLP"}


def mono_32x8(view: BoardView) -> Picture:
    """Six characters, burn, board; two rows of seats below. A notice takes the whole text line."""
    canvas = Canvas(32, 8)
    notice = view.notice
    now = view.now_s
    duty = notice is not None and notice.level is Level.DUTY and not view.next and turn(now, 2)
    if notice is not None and (duty or _pressing(notice, now)):
        _mono_notice(canvas, notice, now)
    else:
        _mono_line(canvas, view)
    for seat in view.seats:
        _mono_seat(canvas, seat, view)
    return canvas.picture()


def _mono_line(canvas: Canvas, view: BoardView) -> None:
    place = view.next if SMALL.width(view.next) <= 24 else view.next.replace("SEAT", "ST")
    line = place or _WORDS_32.get(view.stage, view.stage)
    if view.blind and turn(view.now_s, 4) == 3:
        line = "BLIND"
    canvas.write(0, 0, line, SMALL, Ink.TEXT, right=24)
    if view.burned:
        canvas.fill(25, 1, 3, 3, Ink.GOOD)
    elif view.burn_due and slow(view.now_s):
        canvas.frame(25, 1, 3, 3, Ink.DUE)
    for card in range(min(view.board, BOARD_CARDS)):
        canvas.fill(30, 4 - card, 2, 1, Ink.TEXT)


def _mono_notice(canvas: Canvas, notice: Notice, now_s: float) -> None:
    ink = _LEVEL_INK[notice.level]
    pressing = notice.level in (Level.ALARM, Level.MUTE)
    lit = fast(now_s) if pressing else slow(now_s) or notice.level is Level.FAULT
    sign = _LEVEL_SIGN[notice.level]
    width = SMALL.width(sign)
    if lit:
        canvas.write(0, 0, sign, SMALL, ink)
    text = "NOT REC" if notice.level is Level.MUTE else plain(notice.text)
    canvas.write(width + 2, 0, page(text, 30 - width, now_s), SMALL, ink)


def _mono_seat(canvas: Canvas, seat: SeatView, view: BoardView) -> None:
    """Two by two lamps a seat in rows 6 and 7: the cards read, or a pattern."""
    x, y = 3 * (seat.seat - 1), 6
    now = view.now_s
    ink = _MARK_INK[seat.mark] if _MARK_INK[seat.mark] > Ink.FAINT else Ink.TEXT
    full = ((0, 0), (1, 0), (0, 1), (1, 1))
    match seat.mark:
        case Mark.ALARM:
            canvas.dots(x, y, full if fast(now) else (), ink)
        case Mark.QUESTION:
            canvas.dots(x, y, full if slow(now) else (), ink)
        case Mark.DUE:
            canvas.dots(x, y, ((0, 0), (1, 0)) if slow(now) else _mono_pips(seat, view), ink)
        case Mark.BLIND:
            canvas.dots(x, y, ((0, 0), (1, 1)), ink)
        case Mark.FOLDED | Mark.ABSENT:
            canvas.dots(x, y, ((0, 1), (1, 1)) if seat.mark is Mark.FOLDED else ((1, 0),), ink)
        case Mark.OUT:
            pass
        case _:
            canvas.dots(x, y, _mono_pips(seat, view), ink)


def _mono_pips(seat: SeatView, view: BoardView) -> tuple[tuple[int, int], ...]:
    """Lamps that the cards light: a column a card for two hole cards, a lamp a card for four."""
    if view.hole_cards <= 2:
        return tuple((c, r) for c in range(min(seat.cards, 2)) for r in (0, 1))
    return ((0, 1), (1, 1), (0, 0), (1, 0))[: seat.cards]
