"""Which finding meets which expectation."""

from __future__ import annotations

from dataclasses import replace

from controller.model.findings import (
    Finding,
    FindingChanged,
    FindingState,
    HandBegan,
    Judgement,
    Severity,
    Street,
    Verdict,
)
from controller.scenario.heard import Heard
from controller.scenario.lines import ExpectCannotTell, ExpectFinding

ORDER = Finding(
    id=1,
    code="HOLE_ORDER",
    codes=("HOLE_ORDER",),
    severity=Severity.NOTICE,
    state=FindingState.ASKING,
    clause="TDA-deal-clockwise",
    hand=1,
    street=Street.DEAL,
    seat=6,
    at=5.0,
)
COUNT = replace(
    ORDER,
    code="HOLE_COUNT",
    codes=("HOLE_ORDER", "HOLE_COUNT"),
    severity=Severity.MISDEAL,
    state=FindingState.OPEN,
    at=20.0,
)
OPEN_QUESTION = Verdict(
    at=5.0,
    hand=1,
    code="HOLE_ORDER",
    street=Street.DEAL,
    judgement=Judgement.CANNOT_TELL,
    reason="too close",
)


def heard(*findings: Finding) -> Heard:
    found = Heard()
    found.hear([HandBegan(at=0.0, hand=1, button=3, seats=(4, 6))])
    found.hear([FindingChanged(finding=f) for f in findings])
    return found


def test_a_finding_matches_by_any_code_it_has_borne() -> None:
    assert heard(ORDER, COUNT).claim(ExpectFinding(codes=("HOLE_ORDER",), seat=6), 30.0)
    assert heard(ORDER, COUNT).claim(ExpectFinding(codes=("HOLE_COUNT", "X"), seat=6), 30.0)
    assert not heard(ORDER, COUNT).claim(ExpectFinding(codes=("HOLE_COUNT",), seat=7), 30.0)


def test_a_claimed_finding_is_not_claimed_again_by_the_same_code() -> None:
    found = heard(ORDER)
    wanted = ExpectFinding(codes=("HOLE_ORDER",))
    assert found.claim(wanted, 30.0)
    assert not found.claim(wanted, 30.0)
    assert found.claim(wanted, 30.0, repeated=True)
    found.hear([HandBegan(at=40.0, hand=2, button=4, seats=(5, 6))])
    assert not found.claim(wanted, 50.0, repeated=True)


def test_a_claimed_finding_is_claimed_again_by_what_it_sharpened_to() -> None:
    found = heard(ORDER)
    assert found.claim(ExpectFinding(codes=("HOLE_ORDER",)), 30.0)
    found.hear([FindingChanged(finding=COUNT)])
    assert found.claim(ExpectFinding(codes=("HOLE_COUNT",)), 30.0)


def test_two_findings_meet_two_expectations() -> None:
    found = heard(ORDER, replace(ORDER, id=2))
    wanted = ExpectFinding(codes=("HOLE_ORDER",))
    assert [found.claim(wanted, 30.0) for _ in range(3)] == [True, True, False]


def test_within_asks_how_it_stood_then() -> None:
    corrected = replace(ORDER, state=FindingState.CORRECTED, at=25.0)
    wanted = ExpectFinding(codes=("HOLE_ORDER",), state="corrected")
    assert not heard(ORDER, corrected).claim(wanted, 10.0)
    assert heard(ORDER, corrected).claim(wanted, 26.0)
    assert not heard(ORDER).claim(ExpectFinding(codes=("HOLE_ORDER",)), 4.0)


def test_what_nobody_claimed_is_a_surprise_once() -> None:
    found = heard(ORDER)
    assert found.surprises(Severity.WARNING) == []
    assert found.surprises(Severity.NOTICE) == [ORDER]
    assert found.surprises(Severity.NOTICE) == []


def test_an_alarm_that_was_taken_back_is_still_a_surprise() -> None:
    found = heard(ORDER, COUNT, replace(COUNT, state=FindingState.CORRECTED))
    assert [f.code for f in found.surprises(Severity.WARNING)] == ["HOLE_COUNT"]


def test_a_remark_is_no_surprise() -> None:
    assert heard(replace(ORDER, severity=Severity.INFO)).surprises(Severity.NOTICE) == []


def test_cannot_tell_wants_an_open_verdict_and_no_alarm() -> None:
    wanted = ExpectCannotTell(codes=("HOLE_TWO_AT_ONCE",))
    asked = heard(ORDER)
    assert asked.undecided(wanted, [OPEN_QUESTION]) == OPEN_QUESTION
    assert heard(ORDER).undecided(wanted, []) is None
    order = ExpectCannotTell(codes=("HOLE_ORDER",))
    assert heard(ORDER, COUNT).undecided(order, [OPEN_QUESTION]) is None
    assert asked.undecided(order, [OPEN_QUESTION]) == OPEN_QUESTION
    assert asked.surprises(Severity.NOTICE) == []
    judged = replace(OPEN_QUESTION, judgement=Judgement.IN_ORDER)
    assert heard().undecided(order, [judged]) is None
