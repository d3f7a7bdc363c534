"""What the floor may say, what it is answered, and what becomes of it."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.floor.commands import (
    WORDS,
    Command,
    Desk,
    FloorError,
    Word,
    answer_line,
    decide,
    read_answer,
    read_request,
    request_line,
)
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
from controller.model.findings import (
    Duty,
    DutyKind,
    Finding,
    FindingState,
    Progress,
    Severity,
    Stage,
    Street,
)
from controller.model.table import seat_zone

OPEN = Finding(
    id=3,
    code="BURN_MISSING",
    codes=("BURN_MISSING",),
    severity=Severity.WARNING,
    state=FindingState.OPEN,
    clause="NJ-T-e10-1",
    hand=4,
    street=Street.FLOP,
    remedy="Burn, then deal the flop again.",
)
ASKED = dataclasses.replace(
    OPEN, id=5, code="HOLE_COUNT", state=FindingState.ASKING, seat=6, street=Street.DEAL
)
RULED = dataclasses.replace(OPEN, id=2, state=FindingState.RULED, by="ben", ruling="stands")
DESK = Desk(
    seats=9,
    registry=((4, SeatStatus.IN), (5, SeatStatus.SIT_OUT)),
    progress=Progress(
        stage=Stage.FLOP, hand=4, button=3, game="holdem", profile="tda", hole_cards=2
    ),
    findings=(RULED, OPEN, ASKED),
)


def said(do: Word, **fields: object) -> TableEvent | None:
    return decide(Command(do=do, by="anna", **fields), DESK, 7.5)[0]  # type: ignore[arg-type]


def refusal(do: Word, desk: Desk = DESK, **fields: object) -> str:
    with pytest.raises(FloorError) as caught:
        decide(Command(do=do, by="anna", **fields), desk, 7.5)  # type: ignore[arg-type]
    return str(caught.value)


def test_each_word_becomes_its_event() -> None:
    assert said("seat", seat=4, status="out") == SeatRegistered(
        at=7.5, seat=4, status=SeatStatus.OUT, by="anna"
    )
    assert said("seat", seat=9, status="sit-out") == SeatRegistered(
        at=7.5, seat=9, status=SeatStatus.SIT_OUT, by="anna"
    )
    assert said("button", seat=4) == ButtonDeclared(at=7.5, seat=4, by="anna")
    assert said("rule", finding="3", text="stands") == FloorSaid(
        at=7.5, word="rule", finding=3, text="stands", by="anna"
    )
    assert said("dismiss", finding="5", text="wrong-reading") == FloorSaid(
        at=7.5, word="dismiss", finding=5, text="wrong-reading", by="anna"
    )
    assert said("confirm") == KeyPressed(at=7.5, key="confirm", by="anna")
    assert said("confirm", finding="5") == FloorSaid(
        at=7.5, word="confirm", finding=5, text="", by="anna"
    )
    assert said("quiet") == KeyPressed(at=7.5, key="quiet", by="anna")
    assert said("action", happened=True) == SubstantialAction(at=7.5, happened=True, by="anna")
    assert said("status") is None


def test_a_seat_that_is_so_already_changes_nothing() -> None:
    assert said("seat", seat=4, status="in") is None
    assert said("seat", seat=8, status="out") is None


def test_a_code_will_do_for_a_number_while_it_is_open_once() -> None:
    event = said("rule", finding="burn_missing", text="stands")
    assert isinstance(event, FloorSaid)
    assert event.finding == 3
    twice = dataclasses.replace(DESK, findings=(OPEN, dataclasses.replace(OPEN, id=8)))
    assert "say which: 3 BURN_MISSING (hand 4, flop), 8 BURN_MISSING" in refusal(
        "rule", twice, finding="BURN_MISSING", text="x"
    )


def test_refusals_say_what_would_do() -> None:
    assert refusal("seat", seat=10, status="in") == "seat 10: this table has seats 1 to 9"
    assert "allowed are in, sit-out, out" in refusal("seat", seat=4, status="gone")
    assert "seats 1 to 9" in refusal("button", seat=0)
    unknown = refusal("rule", finding="77", text="x")
    assert "no finding 77" in unknown
    assert "3 BURN_MISSING (hand 4, flop), 5 HOLE_COUNT (hand 4, deal, seat 6)" in unknown
    assert "2 BURN_MISSING (hand 4, flop) is ruled already by ben" in refusal(
        "rule", finding="2", text="x"
    )
    assert "wrong-reading" in refusal("dismiss", finding="3", text="because")
    assert "needs its words" in refusal("rule", finding="3")
    empty = dataclasses.replace(DESK, findings=())
    assert refusal("confirm", empty, finding="1") == "no finding 1; none is open"


def test_status_tells_the_registry_the_trouble_and_what_is_open() -> None:
    desk = dataclasses.replace(
        DESK,
        recording=False,
        trouble="disk full: free space there",
        health=("Reader 1 lost: check its cable",),
        progress=dataclasses.replace(
            DESK.progress, blind=(seat_zone(1), seat_zone(2)), due=(seat_zone(7),)
        ),
    )
    answer = decide(Command(do="status", by="anna"), desk, 0.0)[1]
    for words in (
        "hand 4, flop, holdem, profile tda",
        "in: 4",
        "sit-out: 5",
        "not read: 1-2",
        "next card: seat 7",
        "Reader 1 lost",
        "NOT RECORDING: disk full: free space there",
        "findings open: 2",
        "Burn, then deal the flop again.",
    ):
        assert words in answer.text
    assert answer.data["recording"] is False
    assert json.loads(answer_line(answer))["data"]["seats"]["4"] == "in"


names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
commands = st.builds(
    Command,
    do=st.sampled_from(WORDS),
    by=names,
    seat=st.integers(0, 99),
    status=st.sampled_from(["", "in", "out"]),
    finding=st.sampled_from(["", "3", "BURN_MISSING"]),
    text=names,
    happened=st.booleans(),
)


@given(commands)
def test_what_is_written_is_read(command: Command) -> None:
    back = read_request(request_line(command))
    if command.do != "action":
        command = dataclasses.replace(command, happened=False)
    assert back == command


@given(st.binary(max_size=200) | st.from_regex(rb'\{"do": ?"[a-z]+".{0,60}\}'))
def test_rubbish_is_refused_in_words_and_never_fails(line: bytes) -> None:
    try:
        said_word = read_request(line).do
    except FloorError:
        return
    assert said_word in WORDS


def test_every_fault_of_a_request_is_named_at_once() -> None:
    with pytest.raises(FloorError) as caught:
        read_request(b'{"do": "jump", "seat": "four", "colour": 1}')
    words = str(caught.value)
    for part in ('do = "jump"; allowed: seat', "by: who", 'seat = "four"', '"colour": no such'):
        assert part in words


def test_an_answer_of_another_version_is_named() -> None:
    with pytest.raises(FloorError, match="another version"):
        read_answer(b"[]\n")


def test_a_point_of_the_opening_is_confirmed_by_its_row() -> None:
    desk = dataclasses.replace(DESK, to_attest=("DE-a1-1", "DE-a1-4"))
    event, answer = decide(Command(do="attest", by="anna", text="DE-a1-4"), desk, 7.5)
    assert event == Attested(at=7.5, row="DE-a1-4", by="anna")
    assert "anna" in answer.text
    assert "DE-a1-1, DE-a1-4" in refusal("attest", desk, text="DE-a1-2")
    assert "none" in refusal("attest", text="DE-a1-4")


def test_a_duty_is_put_off_only_with_a_reason() -> None:
    duties = tuple(Duty(kind, due_at=99.0, ask_at=9.0) for kind in DutyKind)
    desk = dataclasses.replace(DESK, progress=dataclasses.replace(DESK.progress, duties=duties))
    event, _ = decide(Command(do="defer", by="anna", status="count", text="final table"), desk, 7.5)
    assert event == DutyDeferred(at=7.5, duty=DutyKind.COUNT, reason="final table", by="anna")
    assert "reason" in refusal("defer", desk, status="change")
    assert "no such duty" in refusal("defer", status="change", text="x")
    assert "count, change" in refusal("defer", status="shuffle", text="x")


def test_status_tells_the_deck_and_what_it_asks_for() -> None:
    progress = dataclasses.replace(
        DESK.progress,
        deck="red",
        counted=52,
        duties=(
            Duty(DutyKind.COUNT, due_at=607.5, ask_at=307.5, deferred="heads-up"),
            Duty(DutyKind.CHANGE, due_at=-112.5, ask_at=-412.5),
        ),
    )
    desk = dataclasses.replace(DESK, progress=progress)
    _, answer = decide(Command(do="status", by="anna"), desk, 7.5)
    assert "deck: red, 52 cards at the last count" in answer.text
    assert "deck count: due in 10 min (put off: heads-up)" in answer.text
    assert "deck change: 2 min overdue" in answer.text
    assert answer.data["deck"] == "red"


def test_a_word_for_which_nothing_waits_is_refused() -> None:
    idle = dataclasses.replace(DESK, findings=(OPEN,))
    assert "nothing waits" in refusal("confirm", idle)
    counting = dataclasses.replace(idle, counting="DECK 52/52")
    _, answer = decide(Command(do="confirm", by="anna"), counting, 7.5)
    assert "DECK 52/52" in answer.text
