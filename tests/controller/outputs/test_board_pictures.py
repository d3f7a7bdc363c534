"""The pictures: legible without colour, within their frame, and changing with time alone."""

import dataclasses
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from controller.model.findings import Finding, FindingState, Progress, Severity, Stage
from controller.model.table import BOARD, BURN, seat_zone
from controller.outputs import png
from controller.outputs.board import BoardView, DeckView, Level, Mark, Notice, SeatView, frame
from controller.outputs.font import LARGE, SMALL, plain, wrapped
from controller.outputs.lamps import Blink, Lamp, for_seats, lamps
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.outputs.picture import RGB, Canvas, Ink, Picture
from drivers.contracts import LampPattern, SeatLamp

BASE = Progress(
    stage=Stage.PREFLOP,
    hand=3,
    button=2,
    game="holdem",
    profile="tda",
    hole_cards=2,
    seats=tuple(range(1, 10)),
    cards=tuple((s, 2) for s in range(1, 10)),
    due=(BURN, BOARD),
)


def at(progress: Progress = BASE, now_s: float = 0.0, **more: object) -> BoardView:
    recording = bool(more.pop("recording", True))
    return frame(progress, DeckView(), recording, now_s, seats=9)


def noticed(level: Level, now_s: float = 0.0) -> BoardView:
    return dataclasses.replace(at(now_s=now_s), notice=Notice(level, "CHECK SEAT 6", seat=6))


def film(view: BoardView, seconds: float = 8.0) -> tuple[str, ...]:
    """What a colour-blind eye sees in some seconds, eight frames a second."""
    frames = (dataclasses.replace(view, now_s=n / 8) for n in range(int(seconds * 8)))
    return tuple(colour_64x32(f).text().replace(".", "#") for f in frames)


def small_film(view: BoardView) -> tuple[bytes, ...]:
    frames = (dataclasses.replace(view, now_s=n / 8) for n in range(64))
    return tuple(mono_32x8(f).bits() for f in frames)


def test_every_letter_and_digit_has_a_drawing_of_its_own_in_both_faces() -> None:
    for face in (SMALL, LARGE):
        glyphs = [face.glyphs[c] for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?!"]
        alike = len(glyphs) - len(set(glyphs))
        assert alike <= 2, "in five rows O and 0, S and 5 may look alike; nothing else"
        for _, lit in glyphs:
            assert lit
            assert all(0 <= y < face.height for _, y in lit)


def test_unknown_characters_show_as_a_box() -> None:
    assert SMALL.glyph("☃") == SMALL.glyph("\0")
    assert plain("Burn — “now”") == 'BURN - "NOW"'


def test_a_number_stays_with_its_word() -> None:
    assert wrapped("CHECK SEAT 6", LARGE, 57) == ("CHECK", "SEAT 6")


@given(st.text(max_size=40), st.integers(6, 64))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = wrapped(text, SMALL, width)
    assert all(SMALL.width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_colour_alone_never_carries_the_level_of_a_notice() -> None:
    films = [film(noticed(level)) for level in Level]
    films[-1] = film(at(recording=False))
    assert len(set(films)) == len(films)
    small = [small_film(noticed(level)) for level in (Level.FAULT, Level.QUESTION, Level.ALARM)]
    assert len(set(small)) == len(small)


def test_a_fault_that_lasts_leaves_the_deal_on_the_board_every_other_turn() -> None:
    for draw in (colour_64x32, mono_32x8):
        fault = [draw(noticed(Level.FAULT, now_s=t)).inks for t in (0.5, 3.5)]
        plain_view = [draw(at(now_s=t)).inks for t in (0.5, 3.5)]
        assert fault[0] != plain_view[0]
        assert fault[1] == plain_view[1]


def test_colour_alone_never_carries_the_mark_of_a_seat() -> None:
    def with_mark(mark: Mark) -> BoardView:
        cards = 2 if mark in (Mark.CARDS, Mark.LIFTED) else 0
        return dataclasses.replace(at(), seats=(SeatView(1, mark, cards),), next="SEAT 1")

    seen = {film(with_mark(mark)) for mark in Mark}
    assert len(seen) == len(Mark)
    small = {small_film(with_mark(mark)) for mark in Mark if mark is not Mark.WAITING}
    # one lamp too few to tell a lifted card from a lying one
    assert len(small) == len(Mark) - 2


def test_counts_can_be_told_apart_for_two_and_four_hole_cards() -> None:
    for hole_cards in (2, 4):
        view = dataclasses.replace(at(), hole_cards=hole_cards)
        for draw in (colour_64x32, mono_32x8):
            shown = {
                draw(dataclasses.replace(view, seats=(SeatView(1, Mark.CARDS, cards),))).bits()
                for cards in range(hole_cards + 1)
            }
            assert len(shown) == hole_cards + 1


def test_a_surplus_card_shows_on_the_colour_board() -> None:
    two, three = (
        colour_64x32(dataclasses.replace(at(), seats=(SeatView(1, Mark.CARDS, n),))).text()
        for n in (2, 3)
    )
    assert two != three


def test_eleven_seats_fit_both_boards() -> None:
    seats = tuple(SeatView(s, Mark.CARDS, 4) for s in range(1, 12))
    view = dataclasses.replace(at(), hole_cards=4, seats=seats)
    without = dataclasses.replace(view, seats=seats[:10])
    assert colour_64x32(view).bits() != colour_64x32(without).bits()
    last_columns = [mono_32x8(view).at(x, 7) for x in (30, 31)]
    assert last_columns == [Ink.GOOD, Ink.GOOD]


def test_long_text_runs_and_comes_round() -> None:
    detail = "TDA-RP-5 · Before substantial action the flop is dealt again by the floor."
    view = dataclasses.replace(at(), notice=Notice(Level.ALARM, "BURN MISSING", detail))
    frames = film(view, 60.0)
    assert len(set(frames)) > 100
    width = SMALL.width(plain(detail)) + 16
    again = dataclasses.replace(view, now_s=width / 14 * 7)
    start = dataclasses.replace(view, now_s=0.0)
    rows = slice(16 * 64, 21 * 64)
    assert colour_64x32(again).inks[rows] == colour_64x32(start).inks[rows]


@given(
    st.sampled_from(Stage),
    st.integers(0, 11),
    st.lists(st.tuples(st.integers(1, 11), st.integers(0, 6)), max_size=11),
    st.integers(0, 9),
    st.floats(0, 1e6),
    st.text(max_size=16),
    st.sampled_from([2, 4]),
)
def test_every_progress_can_be_drawn(
    stage: Stage,
    button: int,
    cards: list[tuple[int, int]],
    board: int,
    now_s: float,
    text: str,
    hole_cards: int,
) -> None:
    finding = Finding(
        id=1,
        code="HOLE_COUNT",
        codes=("HOLE_COUNT",),
        severity=Severity.WARNING,
        state=FindingState.OPEN,
        clause="",
        hand=1,
        street=None,
        board_text=text,
    )
    for findings in ((), (finding,)):
        progress = dataclasses.replace(
            BASE,
            stage=stage,
            button=button or None,
            cards=tuple(cards),
            board=board,
            hole_cards=hole_cards,
            due=(seat_zone(button),) if button else (),
            findings=findings,
        )
        view = at(progress, now_s)
        assert len(colour_64x32(view).inks) == 64 * 32
        assert len(mono_32x8(view).bits()) == 32
        assert len(lamps(view)) == len(view.seats)


def test_bits_are_packed_from_the_left_and_leave_faint_dark() -> None:
    picture = Picture(10, 1, bytes([2, 0, 1, 0, 0, 0, 0, 7, 0, 3]))
    assert picture.bits() == bytes([0b10000001, 0b01000000])
    assert picture.rgb()[:3] == bytes((255, 250, 235))


def test_writing_outside_the_canvas_is_cut_off() -> None:
    canvas = Canvas(4, 4)
    canvas.write(-3, -2, "WWWW", LARGE, Ink.TEXT)
    canvas.fill(-5, -5, 2, 20, Ink.ALARM)
    canvas.dot(4, 4, Ink.TEXT)
    assert len(canvas.picture().inks) == 16


def test_lamps_tell_states_by_pattern() -> None:
    seats = tuple(SeatView(n, mark, 2) for n, mark in enumerate(Mark, start=1))
    shown = {
        s.mark: lamp
        for s, lamp in zip(seats, lamps(dataclasses.replace(at(), seats=seats)), strict=True)
    }
    pressing = [shown[m].blink for m in (Mark.DUE, Mark.QUESTION, Mark.ALARM, Mark.CARDS)]
    assert pressing == [Blink.SLOW, Blink.DOUBLE, Blink.FAST, Blink.STEADY]
    fast = Lamp(1, Ink.ALARM, Blink.FAST)
    assert [fast.lit(t) for t in (0.0, 0.13, 0.26, 0.38)] == [True, False, True, False]
    assert lamps(at(recording=False)) == ()


def test_a_lamp_that_blinks_by_itself_is_told_colour_and_pattern() -> None:
    row = (
        Lamp(2, Ink.ALARM, Blink.FAST),
        Lamp(3, Ink.OFF, Blink.OFF),
        Lamp(11, Ink.GOOD, Blink.GAP),
    )
    assert for_seats(row) == {
        2: SeatLamp(*RGB[Ink.ALARM], LampPattern.FAST),
        11: SeatLamp(*RGB[Ink.GOOD], LampPattern.GAP),
    }
    for blink in Blink:
        assert len(for_seats([Lamp(1, Ink.TEXT, blink)])) == (blink is not Blink.OFF)


def test_the_png_shows_the_board(tmp_path: Path) -> None:
    from PIL import Image

    view = at()
    png.save(tmp_path / "board.png", colour_64x32(view), pitch=4, lamps=lamps(view))
    png.save(tmp_path / "small.png", mono_32x8(view), pitch=4, one_colour=(255, 0, 0))
    with Image.open(tmp_path / "board.png") as image:
        assert image.size == (66 * 4, 34 * 4 + 16)
        assert max(image.tobytes()) > 200
