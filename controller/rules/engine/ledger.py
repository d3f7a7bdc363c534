"""Opening, sharpening and settling findings. One mistake, one finding."""

from __future__ import annotations

from dataclasses import replace

from controller.model.findings import (
    Finding,
    FindingChanged,
    FindingState,
    Said,
    Severity,
    Street,
)
from controller.model.table import Zone
from controller.rules.catalogue import board_text
from controller.rules.engine.state import RulesState

LOSSES = frozenset({"READER_LOST", "SENSORS_LOST"})
"""Faults of the table itself, until the device is back."""
SETTLED = (
    FindingState.CORRECTED,
    FindingState.RULED,
    FindingState.DISMISSED,
    FindingState.CLOSED,
)


def about_the_card(code: str) -> bool:
    """Whether what is wrong is the card itself, wherever it lies."""
    return code.startswith("DECK_") or code == "FACE_OTHER"


def gravest(state: RulesState, number: int, code: str) -> Severity:
    """The severity that a finding of this code may come to have."""
    assert state.book is not None
    full = state.book.severity(code)
    ceiling = state.hand.ceilings.get(number) if state.hand is not None else None
    return full if ceiling is None else min(full, ceiling, key=lambda s: s.rank)


def severity_of(
    state: RulesState,
    number: int,
    code: str,
    *,
    asking: bool,
    positive: bool,
    confirmed: bool = False,
) -> Severity:
    """A question is a notice; what rests on a silence is a warning at most until somebody confirms
    it."""
    full = gravest(state, number, code)
    if confirmed or (positive and not asking):
        return full
    ceiling = Severity.NOTICE if asking else Severity.WARNING
    return min(full, ceiling, key=lambda s: s.rank)


def open_finding(
    state: RulesState,
    said: list[Said],
    code: str,
    *,
    at: float,
    street: Street | None,
    seat: int | None = None,
    zone: Zone | None = None,
    expected: str = "",
    seen: str = "",
    evidence: tuple[int, ...] = (),
    asking: bool = False,
    positive: bool = True,
    evident: float | None = None,
    counts: tuple[int, int] | None = None,
    detail: str = "",
    clause: str = "",
    at_most: Severity | None = None,
) -> int:
    """A new finding; returns its id. `positive`: it rests on a read, not on a silence. `counts`:
    cards seen and due, where the finding is about a number; `detail` narrows clause and remedy;
    `clause` names the row itself where several have this code; `at_most`: this case of the code
    is no graver, whoever confirms it."""
    book = state.book
    assert book is not None
    note = ""
    if not clause:
        clause, note = book.clause(code, street, detail)
    number = state.next_finding
    state.next_finding += 1
    hand = state.hand
    if at_most is not None and hand is not None:
        hand.ceilings[number] = at_most
    finding = Finding(
        id=number,
        code=code,
        codes=(code,),
        severity=severity_of(state, number, code, asking=asking, positive=positive),
        state=FindingState.ASKING if asking else FindingState.OPEN,
        stood=not asking,
        clause=clause,
        clause_note=note,
        hand=hand.number if hand else state.hands,
        street=street,
        seat=seat,
        zone=zone,
        expected=expected,
        seen=seen,
        board_text=_board_text(code, seat, street, zone, asking, counts),
        remedy=book.remedy(code, street, detail, hand.substantial_action if hand else None),
        evidence=tuple(e for e in evidence if e),
        first_at=at,
        at=at,
        delay_s=max(0.0, at - evident) if evident is not None else 0.0,
    )
    put(state, said, finding)
    return number


def _board_text(
    code: str,
    seat: int | None,
    street: Street | None,
    zone: Zone | None,
    asking: bool,
    counts: tuple[int, int] | None,
) -> str:
    seen, due = counts or ("?", "?")
    return board_text(code, seat=seat, street=street, zone=zone, seen=seen, due=due, asking=asking)


def put(state: RulesState, said: list[Said], finding: Finding) -> None:
    state.findings[finding.id] = finding
    said.append(FindingChanged(finding=finding))


def sharpen(
    state: RulesState,
    said: list[Said],
    number: int,
    *,
    at: float,
    code: str | None = None,
    seat: int | None = None,
    zone: Zone | None = None,
    asking: bool | None = None,
    positive: bool = False,
    confirmed: bool = False,
    expected: str | None = None,
    seen: str | None = None,
    evidence: tuple[int, ...] = (),
    counts: tuple[int, int] | None = None,
    detail: str = "",
) -> None:
    """The same mistake, known better: another code, a question become an alarm, more evidence."""
    old = state.findings.get(number)
    if old is None or old.state in (
        FindingState.RULED,
        FindingState.DISMISSED,
        FindingState.CLOSED,
    ):
        return
    book = state.book
    assert book is not None
    new_code = code or old.code
    is_asking = old.asking if asking is None else asking
    clause, note = book.clause(new_code, old.street, detail)
    if new_code == old.code and not detail:
        clause, note = old.clause, old.clause_note
    severity = severity_of(
        state, number, new_code, asking=is_asking, positive=positive, confirmed=confirmed
    )
    if (
        new_code == old.code
        and old.state is FindingState.OPEN
        and severity.rank < old.severity.rank
    ):
        severity = old.severity
    new_seat = seat if seat is not None else old.seat
    hand = state.hand
    new = replace(
        old,
        code=new_code,
        codes=old.codes if new_code in old.codes else (*old.codes, new_code),
        severity=severity,
        state=FindingState.ASKING if is_asking else FindingState.OPEN,
        stood=old.stood or not is_asking,
        clause=clause,
        clause_note=note,
        seat=new_seat,
        zone=zone if zone is not None else old.zone,
        expected=old.expected if expected is None else expected,
        seen=old.seen if seen is None else seen,
        board_text=(
            old.board_text
            if new_code == old.code and is_asking == old.asking and counts is None
            else _board_text(new_code, new_seat, old.street, old.zone, is_asking, counts)
        ),
        remedy=(
            old.remedy
            if new_code == old.code and not detail
            else book.remedy(
                new_code, old.street, detail, hand.substantial_action if hand else None
            )
        ),
        evidence=tuple(dict.fromkeys([*old.evidence, *(e for e in evidence if e)])),
        at=at,
    )
    if replace(new, at=old.at) != old:
        put(state, said, new)


def settle(
    state: RulesState,
    said: list[Said],
    number: int,
    new_state: FindingState,
    *,
    at: float,
    by: str = "",
    ruling: str = "",
    seen: str | None = None,
) -> None:
    old = state.findings.get(number)
    if old is None or old.state in (
        FindingState.RULED,
        FindingState.DISMISSED,
        FindingState.CLOSED,
    ):
        return
    if old.state is new_state:
        return
    put(
        state,
        said,
        replace(
            old,
            state=new_state,
            at=at,
            by=by or old.by,
            ruling=ruling or old.ruling,
            seen=old.seen if seen is None else seen,
        ),
    )


def standing(
    state: RulesState, code: str | None = None, street: Street | None = None
) -> list[Finding]:
    """Findings of the present hand that ask or alarm, oldest first."""
    hand = state.hand
    number = hand.number if hand else state.hands
    return [
        f
        for f in state.findings.values()
        if f.state in (FindingState.ASKING, FindingState.OPEN)
        and f.hand == number
        and (code is None or code in f.codes)
        and (street is None or f.street is street)
    ]
