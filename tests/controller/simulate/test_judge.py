"""Findings made by hand, held against a mistake or against a legal hand."""

from collections.abc import Sequence

import pytest

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
from controller.simulate.judge import Answer, HandLog, Mistake, judge_legal, judge_mistake

SKIPPED = Mistake(
    kind="seat-skipped",
    codes=("HOLE_ORDER", "HOLE_COUNT"),
    seats=(6,),
    street=Street.DEAL,
    evident_at=10.0,
)


def finding(
    at: float,
    code: str = "HOLE_ORDER",
    *,
    state: FindingState = FindingState.OPEN,
    severity: Severity = Severity.WARNING,
    seat: int | None = 6,
    street: Street = Street.DEAL,
    number: int = 1,
    before: tuple[str, ...] = (),
) -> tuple[float, Said]:
    return at, FindingChanged(
        finding=Finding(
            id=number,
            code=code,
            codes=(*before, code),
            severity=severity,
            state=state,
            clause="TDA-1",
            hand=1,
            street=street,
            seat=seat,
            at=at,
        )
    )


def verdict(judgement: Judgement, code: str = "HOLE_ORDER") -> Verdict:
    return Verdict(at=12.0, hand=1, code=code, street=Street.DEAL, judgement=judgement)


def log(
    *said: tuple[float, Said],
    mistake: Mistake | None = None,
    in_time: Sequence[Verdict] = (),
    at_end: Sequence[Verdict] = (),
) -> HandLog:
    return HandLog(
        began=0.0,
        ended=100.0,
        polls=4000,
        said=said,
        mistake=mistake,
        decide_by=30.0,
        in_time=tuple(in_time),
        at_end=tuple(at_end),
    )


class TestMistake:
    def test_an_alarm_by_the_streets_end_is_caught(self) -> None:
        outcome = judge_mistake(log(finding(11.5), mistake=SKIPPED))
        assert outcome.answer is Answer.CAUGHT
        assert outcome.delay_s == pytest.approx(1.5)
        assert not outcome.late

    def test_the_delay_runs_to_the_question_not_to_the_alarm(self) -> None:
        asked = finding(11.0, state=FindingState.ASKING, severity=Severity.NOTICE)
        outcome = judge_mistake(log(asked, finding(14.0), mistake=SKIPPED))
        assert outcome.answer is Answer.CAUGHT
        assert outcome.delay_s == pytest.approx(1.0)

    def test_a_question_that_was_never_sharpened_is_asked(self) -> None:
        asked = finding(11.0, state=FindingState.ASKING, severity=Severity.NOTICE)
        assert judge_mistake(log(asked, mistake=SKIPPED)).answer is Answer.ASKED

    def test_any_code_that_it_has_borne_counts(self) -> None:
        sharpened = finding(12.0, "HOLE_DEALT_OUT", before=("HOLE_ORDER",))
        assert judge_mistake(log(sharpened, mistake=SKIPPED)).answer is Answer.CAUGHT

    @pytest.mark.parametrize(
        "said",
        [
            finding(11.0, "BURN_MISSING"),
            finding(11.0, seat=7),
            finding(11.0, street=Street.FLOP),
        ],
        ids=["code", "seat", "street"],
    )
    def test_wrong_code_seat_or_street_is_another(self, said: tuple[float, Said]) -> None:
        assert judge_mistake(log(said, mistake=SKIPPED)).answer is Answer.OTHER

    def test_too_late_is_not_caught(self) -> None:
        outcome = judge_mistake(log(finding(31.0), mistake=SKIPPED))
        assert outcome.answer is Answer.MISSED
        assert outcome.late

    def test_undecided_is_no_miss(self) -> None:
        undecided = [verdict(Judgement.CANNOT_TELL)]
        assert judge_mistake(log(mistake=SKIPPED, in_time=undecided)).answer is Answer.CANNOT_TELL
        assert judge_mistake(log(mistake=SKIPPED, at_end=undecided)).answer is Answer.MISSED

    def test_silence_is_a_miss_without_a_delay(self) -> None:
        outcome = judge_mistake(log(mistake=SKIPPED))
        assert outcome.answer is Answer.MISSED
        assert outcome.delay_s is None

    def test_a_false_proof_is_told(self) -> None:
        proof = [verdict(Judgement.IN_ORDER)]
        assert judge_mistake(log(mistake=SKIPPED, in_time=proof)).called_in_order
        assert judge_mistake(log(mistake=SKIPPED, at_end=proof)).called_in_order
        other = [verdict(Judgement.IN_ORDER, code="BURN_MISSING")]
        assert not judge_mistake(log(mistake=SKIPPED, at_end=other)).called_in_order

    def test_a_second_alarm_beside_the_right_one_is_extra(self) -> None:
        both = log(finding(11.0), finding(12.0, "BURN_MISSING", number=2), mistake=SKIPPED)
        assert judge_mistake(both).extra == 1


class TestLegalHand:
    def test_nothing_said_is_nothing_counted(self) -> None:
        outcome = judge_legal(log())
        assert (outcome.alarms, outcome.questions, outcome.standing) == ((), 0, 0)
        assert not outcome.cannot_tell

    def test_notices_are_no_alarms(self) -> None:
        assert judge_legal(log(finding(5.0, severity=Severity.NOTICE))).alarms == ()

    def test_one_finding_in_many_versions_is_one_alarm_of_its_worst_severity(self) -> None:
        worse = finding(6.0, "HOLE_COUNT", severity=Severity.MISDEAL, before=("HOLE_ORDER",))
        assert judge_legal(log(finding(5.0), worse)).alarms == (Severity.MISDEAL,)

    def test_a_question_answered_by_the_card_alarms_nobody(self) -> None:
        said = (
            finding(5.0, state=FindingState.ASKING, severity=Severity.NOTICE),
            finding(8.0, state=FindingState.CORRECTED, severity=Severity.NOTICE),
        )
        outcome = judge_legal(log(*said))
        assert (outcome.alarms, outcome.questions) == ((), 1)

    def test_an_alarm_stands_until_it_is_settled_not_until_the_hands_end_closes_it(self) -> None:
        over = (90.0, HandEnded(at=90.0, hand=1, reason="gather"))
        closed = finding(90.0, state=FindingState.CLOSED)
        corrected = finding(8.0, state=FindingState.CORRECTED)
        folded = finding(20.0, state=FindingState.CLOSED)
        assert judge_legal(log(finding(5.0), closed, over)).standing == 1
        assert judge_legal(log(finding(5.0), corrected, over)).standing == 0
        assert judge_legal(log(finding(5.0), folded, over)).standing == 0

    def test_what_is_undecided_at_the_end_cannot_be_told(self) -> None:
        undecided = [verdict(Judgement.CANNOT_TELL)]
        decided = [verdict(Judgement.IN_ORDER)]
        assert judge_legal(log(at_end=undecided)).cannot_tell
        assert not judge_legal(log(in_time=undecided, at_end=decided)).cannot_tell
