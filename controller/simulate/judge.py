"""What the table said of one simulated hand, held against what really happened in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from controller.model.findings import (
    Finding,
    FindingChanged,
    FindingState,
    HandEnded,
    Judgement,
    Said,
    Severity,
    Street,
    Verdict,
)


class Answer(StrEnum):
    """What the table had made of a planted mistake by the street's end; every mistake is one of
    these."""

    CAUGHT = "caught"
    ASKED = "asked"
    CANNOT_TELL = "cannot_tell"
    MISSED = "missed"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A planted mistake.

    kind: the robot's name for it. codes: the finding codes that name it rightly, the first that of
    the report. seats: those that may be named with equal right; () where none is meant. street:
    None where it has none. evident_at: when it was complete to an eye.
    """

    kind: str
    codes: tuple[str, ...]
    seats: tuple[int, ...]
    street: Street | None
    evident_at: float


@dataclass(frozen=True, slots=True)
class HandLog:
    """One physical hand: what was planted, and what was said while it lasted.

    said: with the moment at which each thing was shown, in that order. decide_by: the end of the
    mistake's street, when the next street's first card was dealt; the hand's end for the last.
    in_time, at_end: the table's verdicts at that moment, and when the gather began. Monotonic
    seconds.
    """

    began: float
    ended: float
    polls: int
    said: tuple[tuple[float, Said], ...]
    mistake: Mistake | None = None
    decide_by: float = 0.0
    in_time: tuple[Verdict, ...] = ()
    at_end: tuple[Verdict, ...] = ()
    provable: bool = False


@dataclass(frozen=True, slots=True)
class MistakeOutcome:
    """How one planted mistake was met. delay_s: from `evident_at` to the first showing of the
    finding, as a question or an alarm. late: the right finding came, but after the street's end.
    extra: other findings that alarmed in the hand. called_in_order: the table said that all was
    well."""

    mistake: Mistake
    answer: Answer
    delay_s: float | None
    late: bool
    extra: int
    called_in_order: bool
    provable: bool


@dataclass(frozen=True, slots=True)
class LegalOutcome:
    """What was said of a legal hand. alarms: severities of the findings that alarmed; questions:
    how many were asked. standing: alarms still standing at its end. cannot_tell: the
    questions that stayed undecided."""

    alarms: tuple[Severity, ...]
    questions: int
    standing: int
    cannot_tell: tuple[str, ...]
    codes: tuple[str, ...] = ()


@dataclass(slots=True)
class _History:
    """Every version of one finding with the moment that it was shown."""

    versions: list[tuple[float, Finding]] = field(default_factory=list)

    @property
    def last(self) -> Finding:
        return self.versions[-1][1]

    def was(self, state: FindingState, by: float) -> bool:
        return any(f.state is state for at, f in self.versions if at <= by)

    def alarmed(self, by: float) -> bool:
        return any(f.alarming for at, f in self.versions if at <= by)

    def standing(self, before: float) -> bool:
        """Whether it still alarmed at that moment."""
        earlier = [f for at, f in self.versions if at < before]
        return bool(earlier) and earlier[-1].alarming


def judge_legal(log: HandLog) -> LegalOutcome:
    """What was said of a hand in which nothing was wrong."""
    histories = _histories(log.said)
    alarmed = [h for h in histories if h.alarmed(by=float("inf"))]
    worst = [max((f.severity for _, f in h.versions), key=lambda s: s.rank) for h in alarmed]
    return LegalOutcome(
        alarms=tuple(worst),
        questions=sum(h.was(FindingState.ASKING, by=float("inf")) for h in histories),
        standing=sum(h.standing(_closing(log.said)) for h in alarmed),
        cannot_tell=tuple(
            f"{v.code} {v.street}" for v in log.at_end if v.judgement is Judgement.CANNOT_TELL
        ),
        codes=tuple(h.last.code for h in alarmed),
    )


def _closing(said: Iterable[tuple[float, Said]]) -> float:
    """When the table called the hand over, which closes whatever still stands."""
    return max((at for at, thing in said if isinstance(thing, HandEnded)), default=float("inf"))


def judge_mistake(log: HandLog) -> MistakeOutcome:
    """How the planted mistake of a hand was met. The hand must have one."""
    mistake = log.mistake
    assert mistake is not None, "judge_mistake needs a hand with a mistake"
    histories = _histories(log.said)
    right = [h for h in histories if any(_names(f, mistake) for _, f in h.versions)]
    wrong = [h for h in histories if h not in right]
    shown = [at for h in right for at, f in h.versions if _names(f, mistake)]
    answer = _answer(right, wrong, log.in_time, mistake, log.decide_by)
    return MistakeOutcome(
        mistake=mistake,
        answer=answer,
        delay_s=min(shown) - mistake.evident_at if shown else None,
        late=bool(shown) and answer not in (Answer.CAUGHT, Answer.ASKED),
        extra=sum(h.alarmed(by=float("inf")) for h in wrong),
        called_in_order=any(
            v.judgement is Judgement.IN_ORDER and _concerns(v, mistake)
            for v in (*log.in_time, *log.at_end)
        ),
        provable=log.provable,
    )


def _answer(
    right: Sequence[_History],
    wrong: Sequence[_History],
    verdicts: Sequence[Verdict],
    mistake: Mistake,
    by: float,
) -> Answer:
    if any(h.was(FindingState.OPEN, by) for h in right):
        return Answer.CAUGHT
    if any(h.was(FindingState.ASKING, by) for h in right):
        return Answer.ASKED
    if any(h.alarmed(by) or h.was(FindingState.ASKING, by) for h in wrong):
        return Answer.OTHER
    undecided = (v for v in verdicts if v.judgement is Judgement.CANNOT_TELL)
    if any(_concerns(v, mistake) for v in undecided):
        return Answer.CANNOT_TELL
    return Answer.MISSED


def _names(finding: Finding, mistake: Mistake) -> bool:
    """Whether a finding says what was wrong, at which seat and on which street."""
    return (
        any(code in mistake.codes for code in finding.codes)
        and (not mistake.seats or finding.seat in mistake.seats)
        and (mistake.street is None or finding.street == mistake.street)
    )


QUESTION_OF: Mapping[str, str] = {
    "HOLE_FIRST_SEAT": "HOLE_ORDER",
    "HOLE_TWO_AT_ONCE": "HOLE_ORDER",
    "HOLE_LAST_NOT_BUTTON": "HOLE_ORDER",
    "HOLE_DEALT_OUT": "HOLE_COUNT",
    "BOARD_FACE_UP_EARLY": "FLOP_TURN_SPLIT",
    "BURN_EXTRA": "BURN_MISSING",
    "BURN_UNEXPECTED": "BURN_MISSING",
    "BURN_MISPLACED": "BURN_MISSING",
    "BOARD_POSITION": "BOARD_COUNT",
    "CARD_AFTER_RIVER": "BOARD_COUNT",
}
"""A verdict answers one question under the code of its usual violation; other violations of it."""


def _concerns(verdict: Verdict, mistake: Mistake) -> bool:
    questions = {QUESTION_OF.get(code, code) for code in mistake.codes}
    return QUESTION_OF.get(verdict.code, verdict.code) in questions and mistake.street in (
        None,
        verdict.street,
    )


def _histories(said: Iterable[tuple[float, Said]]) -> list[_History]:
    found: dict[int, _History] = {}
    for at, thing in said:
        if isinstance(thing, FindingChanged):
            found.setdefault(thing.finding.id, _History()).versions.append((at, thing.finding))
    return list(found.values())
