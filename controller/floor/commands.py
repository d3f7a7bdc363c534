"""What the floor may say, as lines of JSON, and what becomes of it at the table. Pure: no socket,
no clock.

A request is one line: an object with `do`, `by` and the command's own fields. The answer is one
line: `ok`, `text` for a person, and for `status` also `data`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from controller.model.cards import face_name
from controller.model.events import (
    Attested,
    ButtonDeclared,
    DutyDeferred,
    FloorSaid,
    KeyPressed,
    SeatRegistered,
    SeatStatus,
    SubstantialAction,
    TableEvent,
)
from controller.model.findings import Duty, DutyKind, Finding, FindingState, Progress, Stage
from controller.outputs.board import due_words, zones_in_words

LINE_LIMIT = 4096
TEXT_LIMIT = 200
NAME_LIMIT = 40
WRONG_READING = "wrong-reading"

Word = Literal[
    "seat",
    "button",
    "rule",
    "dismiss",
    "confirm",
    "quiet",
    "action",
    "attest",
    "defer",
    "count",
    "status",
]
WORDS: tuple[Word, ...] = get_args(Word)


class FloorError(Exception):
    """The table cannot do what the floor said; the text says what, where and what next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing that the floor says. finding: a number, or a code that is open once, or ""."""

    do: Word
    by: str
    seat: int = 0
    status: str = ""
    finding: str = ""
    text: str = ""
    happened: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    ok: bool
    text: str
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the floor's commands are checked against. seats: chairs. registry: every seat's status,
    as last said. findings: all that the floor may still speak to. to_attest: rows that somebody has
    to confirm here. decks: names of those at the table. counting: what the count under way says.
    has_camera: whether a spread deck can be looked at. suspects: cards that have stayed unseen too
    long, named only while no hand is on. trouble: why the journal is not recording. health: a line
    for each device in trouble.
    """

    seats: int
    registry: tuple[tuple[int, SeatStatus], ...]
    progress: Progress
    findings: tuple[Finding, ...]
    to_attest: tuple[str, ...] = ()
    decks: tuple[str, ...] = ()
    counting: str = ""
    has_camera: bool = False
    suspects: tuple[str, ...] = ()
    recording: bool = True
    trouble: str = ""
    health: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


# ---- lines


def request_line(command: Command) -> bytes:
    """The command as one line; what is not said is left out."""
    said = {
        "do": command.do,
        "by": command.by,
        "seat": command.seat or None,
        "status": command.status or None,
        "finding": command.finding or None,
        "text": command.text or None,
        "happened": command.happened if command.do == "action" else None,
    }
    body = {name: value for name, value in said.items() if value is not None}
    return json.dumps(body, ensure_ascii=False).encode() + b"\n"


def read_request(line: bytes) -> Command:
    """The command of one line.

    Raises:
        FloorError: it is none, with the fields that are wrong and what they may be.
    """
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        raise FloorError("the request is no line of JSON; use `burnturn table`") from None
    if not isinstance(body, dict):
        raise FloorError("the request is no JSON object; use `burnturn table`")
    faults: list[str] = []

    def text(name: str, limit: int) -> str:
        value = body.pop(name, "")
        if not isinstance(value, str) or len(value) > limit or not value.isprintable():
            faults.append(f"{name}: at most {limit} printable characters")
            return ""
        return value.strip()

    do = body.pop("do", None)
    if do not in WORDS:
        faults.append(f"do = {_shown(do)}; allowed: {', '.join(WORDS)}")
        do = "status"
    by = text("by", NAME_LIMIT)
    if not by and not any(f.startswith("by:") for f in faults):
        faults.append("by: who says so, at most 40 characters")
    seat = body.pop("seat", 0)
    if type(seat) is not int:
        faults.append(f"seat = {_shown(seat)}; a whole number")
        seat = 0
    happened = body.pop("happened", False)
    if not isinstance(happened, bool):
        faults.append(f"happened = {_shown(happened)}; allowed: true, false")
        happened = False
    command = Command(
        do=do,
        by=by,
        seat=seat,
        status=text("status", 10),
        finding=text("finding", 40),
        text=text("text", TEXT_LIMIT),
        happened=happened,
    )
    faults += [f"{_shown(name)}: no such field" for name in body]
    if faults:
        raise FloorError("; ".join(faults))
    return command


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:40]


def answer_line(answer: Answer) -> bytes:
    body: dict[str, object] = {"ok": answer.ok, "text": answer.text}
    if answer.data:
        body["data"] = answer.data
    return json.dumps(body, ensure_ascii=False).encode() + b"\n"


def read_answer(line: bytes) -> Answer:
    """The answer of one line.

    Raises:
        FloorError: it is none.
    """
    try:
        body = json.loads(line)
        return Answer(bool(body["ok"]), str(body["text"]), dict(body.get("data") or {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FloorError(
            "the daemon's answer cannot be read; is it another version? Restart it"
        ) from None


# ---- meaning


def decide(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    """What the command does at this table: the event to journal and judge (None: nothing changes),
    and the answer.

    Raises:
        FloorError: it cannot be done, with what could.
    """
    return _DEEDS[command.do](command, desk, at)


def _seat(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    seat = _chair(command, desk)
    allowed = [s.value for s in SeatStatus]
    if command.status not in allowed:
        raise FloorError(f"seat {seat} {command.status!r}: allowed are {', '.join(allowed)}")
    status = SeatStatus(command.status)
    before = dict(desk.registry).get(seat, SeatStatus.OUT)
    if status is before:
        return None, Answer(True, f"seat {seat} is {status.value} already")
    event = SeatRegistered(at=at, seat=seat, status=status, by=command.by)
    return event, Answer(True, f"seat {seat}: {before.value} → {status.value}")


def _button(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    seat = _chair(command, desk)
    return ButtonDeclared(at=at, seat=seat, by=command.by), Answer(True, f"button at seat {seat}")


def _chair(command: Command, desk: Desk) -> int:
    if not 1 <= command.seat <= desk.seats:
        raise FloorError(f"seat {command.seat}: this table has seats 1 to {desk.seats}")
    return command.seat


def _rule(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    finding = _finding(command.finding, desk)
    if not command.text:
        raise FloorError(f'a ruling needs its words: rule {finding.id} "the flop stands"')
    event = _said(command, "rule", finding, command.text, at)
    return event, Answer(True, f"{_named(finding)}: ruled “{command.text}”")


def _dismiss(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    finding = _finding(command.finding, desk)
    if command.text != WRONG_READING:
        raise FloorError(
            f'a finding is dismissed as {WRONG_READING}; for anything else: rule {finding.id} "…"'
        )
    event = _said(command, "dismiss", finding, command.text, at)
    return event, Answer(True, f"{_named(finding)}: dismissed, wrong reading")


def _confirm(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    if command.finding:
        finding = _finding(command.finding, desk)
        event = _said(command, "confirm", finding, command.text, at)
        return event, Answer(True, f"{_named(finding)}: confirmed")
    word = KeyPressed(at=at, key="confirm", by=command.by)
    if desk.counting:
        return word, Answer(True, f"the word on the count is given ({desk.counting})")
    asked = [f for f in desk.findings if f.state is FindingState.ASKING]
    if not asked:
        raise FloorError("nothing waits for a word here: no question is asked, no count is on")
    return word, Answer(True, f"{_named(asked[-1])}: confirmed")


def _quiet(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    return KeyPressed(at=at, key="quiet", by=command.by), Answer(True, "the deal is closed")


def _action(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    word = "has" if command.happened else "has not"
    event = SubstantialAction(at=at, happened=command.happened, by=command.by)
    return event, Answer(True, f"substantial action {word} taken place in this hand")


def _attest(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    rows = ", ".join(desk.to_attest) or "none"
    if command.text not in desk.to_attest:
        raise FloorError(f"{command.text or '(no row)'}: to be confirmed here are {rows}, or all")
    event = Attested(at=at, row=command.text, by=command.by)
    return event, Answer(True, f"{command.text}: confirmed by {command.by}")


def _defer(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    if command.status not in tuple(DutyKind):
        raise FloorError(f"defer {command.status!r}: allowed are {', '.join(DutyKind)}")
    duty = DutyKind(command.status)
    if duty not in {d.kind for d in desk.progress.duties}:
        raise FloorError(f"{duty}: this table has no such duty of its deck now; see status")
    if not command.text:
        raise FloorError(f'putting it off needs its reason: defer {duty} "final table, two left"')
    event = DutyDeferred(at=at, duty=duty, reason=command.text, by=command.by)
    return event, Answer(True, f"{duty} of the deck put off: {command.text}; the limit stays")


def _count(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    if command.status not in ("", "camera"):
        raise FloorError(f"count {command.status!r}: allowed is camera, or nothing for the tags")
    if desk.progress.stage is not Stage.BETWEEN:
        raise FloorError("the deck is counted between hands; say it again when the hand is over")
    if command.status == "camera":
        if not desk.has_camera:
            raise FloorError("this table has no camera; name one in table.toml, then start anew")
        text = (
            "spread the deck face up under the camera, in two rows with every corner index"
            " showing; then: burnturn table confirm"
        )
        return KeyPressed(at=at, key="count-camera", by=command.by), Answer(True, text)
    if not desk.decks:
        raise FloorError(
            "no deck is registered here; burnturn deck register NAME --back COLOUR, then start anew"
        )
    text = "pass the deck over the count antenna, card by card; then: burnturn table confirm"
    return KeyPressed(at=at, key="count", by=command.by), Answer(True, text)


def _said(
    command: Command,
    word: Literal["rule", "dismiss", "confirm"],
    finding: Finding,
    text: str,
    at: float,
) -> FloorSaid:
    return FloorSaid(at=at, word=word, finding=finding.id, text=text, by=command.by)


_SETTLED = (FindingState.RULED, FindingState.DISMISSED)


def _finding(reference: str, desk: Desk) -> Finding:
    """The finding of that number, or the only unsettled one of that code."""
    free = [f for f in desk.findings if f.state not in _SETTLED]
    wanted = reference.upper()
    fits = [f for f in free if str(f.id) == reference] or [f for f in free if f.code == wanted]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise FloorError(f"{wanted} stands more than once; say which: {_listed(fits)}")
    settled = next((f for f in desk.findings if str(f.id) == reference), None)
    if settled is not None:
        by = f" by {settled.by}" if settled.by else ""
        raise FloorError(f"{_named(settled)} is {settled.state.value} already{by}")
    known = f"open are: {_listed(free)}" if free else "none is open"
    raise FloorError(f"no finding {reference or '(none named)'}; {known}")


def _listed(findings: Sequence[Finding]) -> str:
    return ", ".join(_named(f) for f in findings)


def _named(finding: Finding) -> str:
    where = [f"hand {finding.hand}"]
    if finding.street is not None:
        where.append(finding.street.value)
    if finding.seat is not None:
        where.append(f"seat {finding.seat}")
    return f"{finding.id} {finding.code} ({', '.join(where)})"


def _status(command: Command, desk: Desk, at: float) -> tuple[TableEvent | None, Answer]:
    progress = desk.progress
    registry = dict(desk.registry)
    by_status = {
        status: [s for s in range(1, desk.seats + 1) if registry.get(s, SeatStatus.OUT) is status]
        for status in SeatStatus
    }
    lines = [
        f"hand {progress.hand}, {progress.stage.value}, {progress.game}, profile "
        f"{progress.profile}{', watching only' if progress.watch_only else ''}",
        f"button: {f'seat {progress.button}' if progress.button else 'unknown'}",
    ]
    lines += [
        f"{status.value}: {', '.join(str(s) for s in seats) or '–'}"
        for status, seats in by_status.items()
    ]
    if progress.deck is not None:
        lines.append(f"deck: {progress.deck}" + _counted(progress))
    lines += [_duty_line(duty, at) for duty in progress.duties]
    lines += [f"count: {desk.counting}"] if desk.counting else []
    if desk.suspects:
        names = ", ".join(face_name(face) for face in desk.suspects)
        lines.append(f"not seen for long: {names}; count the deck")
    if progress.due:
        lines.append(f"next card: {due_words(progress.due[0], progress.board).lower()}")
    if progress.blind:
        lines.append(f"not read: {zones_in_words(progress.blind)}")
    lines += [f"trouble: {line}" for line in desk.health]
    lines += [f"note: {line}" for line in desk.notes]
    if not desk.recording:
        lines.append(f"NOT RECORDING: {desk.trouble or 'the journal cannot be written'}")
    open_ones = [f for f in desk.findings if f.state in (FindingState.ASKING, FindingState.OPEN)]
    lines.append(f"findings open: {len(open_ones)}")
    lines += [
        f"  {_named(f)} {f.severity.value}, {f.state.value}, clause {f.clause or '–'}"
        + (f"\n      usual remedy: {f.remedy}" if f.remedy else "")
        for f in open_ones
    ]
    data: dict[str, object] = {
        "hand": progress.hand,
        "stage": progress.stage.value,
        "game": progress.game,
        "profile": progress.profile,
        "button": progress.button,
        "watch": progress.watch_only,
        "recording": desk.recording,
        "seats": {str(s): registry.get(s, SeatStatus.OUT).value for s in range(1, desk.seats + 1)},
        "due": list(progress.due),
        "blind": list(progress.blind),
        "deck": progress.deck,
        "counted": progress.counted,
        "duties": [
            {
                "duty": d.kind.value,
                "due_in_s": round(d.due_at - at, 1),
                "asked": at >= d.ask_at,
                "deferred": d.deferred,
                "age_known": d.age_known,
            }
            for d in progress.duties
        ],
        "to_attest": list(desk.to_attest),
        "counting": desk.counting,
        "camera": desk.has_camera,
        "suspects": list(desk.suspects),
        "health": list(desk.health),
        "notes": list(desk.notes),
        "findings": [
            {
                "id": f.id,
                "code": f.code,
                "severity": f.severity.value,
                "state": f.state.value,
                "clause": f.clause,
                "hand": f.hand,
                "street": f.street.value if f.street else None,
                "seat": f.seat,
                "expected": f.expected,
                "seen": f.seen,
                "remedy": f.remedy,
            }
            for f in open_ones
        ],
    }
    return None, Answer(True, "\n".join(lines), data)


def _counted(progress: Progress) -> str:
    return "" if progress.counted is None else f", {progress.counted} cards at the last count"


def _duty_line(duty: Duty, at: float) -> str:
    left_s = duty.due_at - at
    when = f"due in {left_s / 60:.0f} min" if left_s >= 0 else f"{-left_s / 60:.0f} min overdue"
    if not duty.age_known:
        when = "due now: nobody knows for how long the deck has been in play"
    why = f" (put off: {duty.deferred})" if duty.deferred else ""
    return f"deck {duty.kind.value}: {when}{why}"


_DEEDS: Mapping[str, Callable[[Command, Desk, float], tuple[TableEvent | None, Answer]]] = {
    "seat": _seat,
    "button": _button,
    "rule": _rule,
    "dismiss": _dismiss,
    "confirm": _confirm,
    "quiet": _quiet,
    "action": _action,
    "attest": _attest,
    "defer": _defer,
    "count": _count,
    "status": _status,
}
