"""What the LED board says: a view model made from the rules' progress, before any pixel.

Places, counts and words only. Nothing here knows a card, so neither content nor timing can depend
on one: a view is a function of progress, deck state, health and the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from controller.model.findings import DutyKind, Finding, Progress, Stage
from controller.model.table import Zone, is_board, seat_of

BOARD_CARDS = 5
READER_LOST = "READER_LOST"
LOSSES = frozenset({READER_LOST, "SENSORS_LOST"})  # faults of the table, not of the deal


class Mark(StrEnum):
    """What a seat shows, gravest last; each has a shape, a blink and a colour of its own."""

    OUT = "out"  # not dealt in
    WAITING = "waiting"  # dealt in, no card read yet
    CARDS = "cards"
    LIFTED = "lifted"
    FOLDED = "folded"
    ABSENT = "absent"
    DUE = "due"
    BLIND = "blind"
    QUESTION = "question"
    ALARM = "alarm"


class Level(StrEnum):
    """How a notice presses. FAULT: hardware. MUTE: the table records nothing and judges nothing."""

    DUTY = "duty"
    FAULT = "fault"
    QUESTION = "question"
    ALARM = "alarm"
    MUTE = "mute"


class DeckCondition(StrEnum):
    UNKNOWN = "unknown"  # no count yet
    GOOD = "good"
    COUNT_SOON = "count-soon"
    COUNT_DUE = "count-due"
    COUNTING = "counting"
    SUSPECT = "suspect"
    SHORT = "short"
    CHANGE_DUE = "change-due"


@dataclass(frozen=True, slots=True)
class DeckView:
    """The deck as far as a player may know: what the last count found, when the next is due.

    cards: result of the last count, or the cards counted so far; None before the first.
    next_count_s: seconds until the count is due, negative when overdue; None where no count is
    asked for. text: a count's own words, while it goes on.
    """

    condition: DeckCondition = DeckCondition.UNKNOWN
    cards: int | None = None
    next_count_s: float | None = None
    text: str = ""

    @property
    def words(self) -> str:
        if self.text:
            return self.text
        match self.condition:
            case DeckCondition.UNKNOWN:
                return "DECK ?"
            case DeckCondition.GOOD:
                return f"{self.cards} OK"
            case DeckCondition.COUNT_SOON:
                left = max(0, int(self.next_count_s or 0))
                return f"COUNT {left // 60}:{left % 60:02}"
            case DeckCondition.COUNT_DUE:
                return "COUNT"
            case DeckCondition.COUNTING:
                return f"COUNT {self.cards or 0}"
            case DeckCondition.SUSPECT:
                return "CHECK DECK"
            case DeckCondition.SHORT:
                return f"DECK {self.cards}"
            case DeckCondition.CHANGE_DUE:
                return "NEW DECK"


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat. cards: settled cards read there, never which."""

    seat: int
    mark: Mark
    cards: int = 0
    button: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that the board presses. text: a few words. detail: clause and usual remedy."""

    level: Level
    text: str
    detail: str = ""
    seat: int | None = None
    more: int = 0  # further findings that wait behind this one


@dataclass(frozen=True, slots=True)
class BoardView:
    """Everything that any board shows at one moment; `now_s` drives blinking and scrolling only."""

    stage: str
    hand: int
    button: int | None
    next: str  # where the next card goes, in words; "" where none is due
    burn_due: bool
    burned: bool
    board: int
    hole_cards: int
    seats: tuple[SeatView, ...]
    deck: DeckView
    notice: Notice | None
    blind: str  # zones without a reader, in words
    watch: bool
    now_s: float


_STAGES = {
    Stage.CLOSED: "CLOSED",
    Stage.BETWEEN: "READY",
    Stage.DEAL: "DEAL",
    Stage.PREFLOP: "PREFLOP",
    Stage.FLOP: "FLOP",
    Stage.TURN: "TURN",
    Stage.RIVER: "RIVER",
}


def deck_view(
    progress: Progress, now_s: float, counted: int | None = None, text: str = ""
) -> DeckView:
    """The deck's part of the board. counted, text: cards that the count under way has seen so far,
    and what it says of itself."""
    if counted is not None:
        return DeckView(DeckCondition.COUNTING, counted, text=text)
    codes = {code for f in progress.findings for code in f.codes}
    cards = progress.counted
    if codes & {"DECK_SHORT", "DECK_EXTRA"}:
        return DeckView(DeckCondition.SHORT, cards)
    if codes & {"DECK_CHANGE_DUE", "DECK_SET_REPLACE_DUE"}:
        return DeckView(DeckCondition.CHANGE_DUE, cards)
    between = progress.stage is Stage.BETWEEN
    for duty in progress.duties:
        left_s = duty.due_at - now_s
        asked = now_s >= duty.ask_at and not duty.deferred
        if duty.kind is DutyKind.COUNT and (left_s <= 0 or (asked and between)):
            return DeckView(DeckCondition.COUNT_DUE, cards, left_s)
        if duty.kind is DutyKind.COUNT and asked:
            return DeckView(DeckCondition.COUNT_SOON, cards, left_s)
        if duty.kind is DutyKind.CHANGE and asked and between:
            return DeckView(DeckCondition.CHANGE_DUE, cards)
    if "DECK_SUSPECT" in codes:
        return DeckView(DeckCondition.SUSPECT, cards)
    if cards is not None:
        return DeckView(DeckCondition.GOOD, cards)
    return DeckView()


def frame(
    progress: Progress,
    deck: DeckView,
    recording: bool,
    now_s: float,
    *,
    seats: int = 0,
    health: Sequence[str] = (),
) -> BoardView:
    """What the board shows now.

    recording: whether the journal takes what is seen; if not, the board says so and shows health
    instead of counts and verdicts. seats: chairs at the table (0: as many as the hand needs).
    health: one line for each device that is lost or failing.
    """
    if not recording:
        return _mute(progress, deck, now_s, health)
    findings = () if progress.watch_only else progress.findings
    due = progress.due
    return BoardView(
        stage="WATCH" if progress.watch_only else _STAGES[progress.stage],
        hand=progress.hand,
        button=progress.button,
        next=due_words(due[0], progress.board) if due else "",
        burn_due=bool(due) and due[0] in ("burn", "muck"),
        burned=progress.burned,
        board=progress.board,
        hole_cards=progress.hole_cards,
        seats=_seat_views(progress, findings, seats),
        deck=deck,
        notice=_notice(findings, health),
        blind=zones_in_words(progress.blind),
        watch=progress.watch_only,
        now_s=now_s,
    )


def _mute(progress: Progress, deck: DeckView, now_s: float, health: Sequence[str]) -> BoardView:
    """The board while the journal cannot be written: nothing seen since, nothing judged."""
    blind = zones_in_words(progress.blind)
    lines = [*health] or ([f"blind: {blind}"] if blind else ["readers ok"])
    detail = "Journal cannot be written. " + ". ".join(lines)
    return BoardView(
        stage="",
        hand=progress.hand,
        button=None,
        next="",
        burn_due=False,
        burned=False,
        board=0,
        hole_cards=progress.hole_cards,
        seats=(),
        deck=deck,
        notice=Notice(Level.MUTE, "NOT RECORDING", detail),
        blind=blind,
        watch=progress.watch_only,
        now_s=now_s,
    )


def due_words(zone: Zone, board_cards: int) -> str:
    """Where a card goes, as the dealer would say it."""
    seat = seat_of(zone)
    if seat is not None:
        return f"SEAT {seat}"
    if is_board(zone):
        return "FLOP" if board_cards < 3 else "TURN" if board_cards == 3 else "RIVER"
    return "BURN" if zone in ("burn", "muck") else zone.upper()


def zones_in_words(zones: Iterable[Zone]) -> str:
    """`1-8 BOARD` for the seats 1 to 8 and the board; "" for none."""
    seats = sorted(s for z in zones if (s := seat_of(z)) is not None)
    runs: list[list[int]] = []
    for seat in seats:
        if runs and runs[-1][-1] == seat - 1:
            runs[-1].append(seat)
        else:
            runs.append([seat])
    words = (
        [",".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs)] if runs else []
    )
    words += sorted({z.upper().replace("/", " ") for z in zones if seat_of(z) is None})
    return " ".join(words)


def _seat_views(
    progress: Progress, findings: tuple[Finding, ...], chairs: int
) -> tuple[SeatView, ...]:
    cards = dict(progress.cards)
    last = max((chairs, progress.button or 0, *progress.seats, *cards), default=0)
    due_seats = [s for z in progress.due if (s := seat_of(z)) is not None]
    next_is_seat = bool(progress.due) and seat_of(progress.due[0]) is not None
    blind = {seat_of(z) for z in progress.blind}
    alarmed = {f.seat for f in findings if f.alarming}
    asked = {f.seat for f in findings if f.asking}

    def mark(seat: int) -> Mark:
        if seat in alarmed:
            return Mark.ALARM
        if seat in asked:
            return Mark.QUESTION
        if seat in blind:
            return Mark.BLIND
        if next_is_seat and due_seats[0] == seat:
            return Mark.DUE
        if seat in progress.folded:
            return Mark.FOLDED
        if seat in progress.lifted:
            return Mark.LIFTED
        if cards.get(seat):
            return Mark.CARDS
        if seat in progress.absent and seat in progress.seats:
            return Mark.ABSENT
        return Mark.WAITING if seat in progress.seats else Mark.OUT

    return tuple(
        SeatView(s, mark(s), cards.get(s, 0), s == progress.button) for s in range(1, last + 1)
    )


def _notice(findings: tuple[Finding, ...], health: Sequence[str]) -> Notice | None:
    """The one thing to press: the gravest alarm, else a question, a fault, a notice. A finding
    without a text for the board is none of the board's business."""
    lost = [f for f in findings if f.code in LOSSES]
    dealing = [f for f in findings if f.code not in LOSSES and f.board_text]
    alarms = [f for f in dealing if f.alarming]
    asked = [f for f in dealing if f.asking]
    others = [f for f in dealing if not f.alarming and not f.asking]
    waiting = len(dealing) - 1
    if alarms:
        return _of_finding(alarms[0], Level.ALARM, waiting)
    if asked:
        return _of_finding(asked[0], Level.QUESTION, waiting)
    if health or lost:
        detail = ". ".join(health) or lost[0].seen
        reader = any(f.code == READER_LOST for f in lost)
        reader = reader or any(line.startswith("reader") for line in health)
        text = "READER FAULT" if reader else "DEVICE FAULT"
        return Notice(Level.FAULT, text, detail, more=len(others))
    if others:
        return _of_finding(others[0], Level.DUTY, waiting)
    return None


def _of_finding(finding: Finding, level: Level, more: int) -> Notice:
    detail = " · ".join(part for part in (finding.clause, finding.remedy) if part)
    return Notice(level, finding.board_text, detail, finding.seat, more)
