"""Sums add up whatever the order of the blocks, and the JSON holds what is promised."""

import json
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from controller.model.findings import Severity, Street
from controller.simulate.judge import Answer, LegalOutcome, Mistake, MistakeOutcome
from controller.simulate.report import Totals, for_people, percentile


def mistake_outcome(answer: Answer, delay_s: float | None, provable: bool = True) -> MistakeOutcome:
    return MistakeOutcome(
        mistake=Mistake("burn-missing", ("BURN_MISSING",), (), Street.FLOP, 0.0),
        answer=answer,
        delay_s=delay_s,
        late=False,
        extra=0,
        called_in_order=False,
        provable=provable,
    )


def legal_outcome(*alarms: Severity, questions: int = 0) -> LegalOutcome:
    return LegalOutcome(
        alarms=alarms,
        questions=questions,
        standing=0,
        cannot_tell=("HOLE_ORDER deal",) * bool(questions),
    )


def totals(outcomes: list[MistakeOutcome | LegalOutcome]) -> Totals:
    t = Totals()
    for o in outcomes:
        t.add_hand(polls=4000, seconds=110.0)
        if isinstance(o, LegalOutcome):
            t.add_legal(o)
        else:
            t.add_mistake(o)
    return t


outcomes = st.lists(
    st.one_of(
        st.builds(mistake_outcome, st.sampled_from(Answer), st.floats(0, 9)),
        st.builds(legal_outcome, st.sampled_from(Severity), questions=st.integers(0, 2)),
    ),
    max_size=12,
)


@given(first=outcomes, second=outcomes)
def test_blocks_add_up_in_any_order(
    first: list[MistakeOutcome | LegalOutcome], second: list[MistakeOutcome | LegalOutcome]
) -> None:
    there, back = totals(first), totals(second)
    there.merge(totals(second))
    back.merge(totals(first))
    whole = totals(first + second)
    assert there.as_json() == back.as_json() == whole.as_json()


def test_every_planted_mistake_has_one_answer() -> None:
    t = totals([mistake_outcome(a, 1.0) for a in Answer])
    (kind,) = json.loads(json.dumps(t.as_json()))["kinds"]
    assert kind["planted"] == 5 == sum(kind[a.value] for a in Answer)
    assert (kind["code"], kind["kind"]) == ("BURN_MISSING", "burn-missing")
    assert (kind["provable"], kind["provable_shown"]) == (5, 2)


def test_false_alarms_are_told_by_severity() -> None:
    t = totals([legal_outcome(Severity.WARNING), legal_outcome(Severity.FOULED, questions=1)])
    told = json.loads(json.dumps(t.as_json()))
    assert told["false_alarms"] == 2
    assert told["false_alarms_by_severity"] == {
        "warning": 1,
        "misdeal": 0,
        "fouled": 1,
        "security": 0,
    }
    assert told["cannot_tell_questions"] == {"HOLE_ORDER deal": 1}
    assert (told["questions"], told["cannot_tell_hands"], told["hand_s"]) == (1, 1, 110.0)


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([float(n) for n in range(1, 101)], 95) == 95.0
    assert percentile([], 95) is None


def test_the_tables_for_people_name_the_kinds() -> None:
    out = StringIO()
    t = totals([mistake_outcome(Answer.CAUGHT, 1.0), legal_outcome()])
    Console(file=out, width=80).print(for_people(t, "nine seats", wall_s=2.0))
    assert "burn-missing" in out.getvalue()
    assert "100.0" in out.getvalue()
