"""Scenario files: what is written reads back, every fault is named, no text is too odd."""

from __future__ import annotations

import dataclasses
import types
import typing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.model.findings import Street
from controller.scenario import lines
from controller.scenario.language import read
from controller.scenario.spelling import spell, write
from controller.scenario.words import CARD_PILES, COVER_PILES, DEAL_PILES, FROM_PILES, TO_PILES

seat = st.integers(1, 11)
any_seat = st.integers(1, 12)
seconds = st.sampled_from([0.1, 0.4, 0.45, 1.0, 1.5, 8.0, 61.0, 90.0, 3660.0, 10800.0, 0.123456])
seed = st.none() | st.integers(0, 10**9)
amount = st.integers(0, 10**9)
code = st.sampled_from(["BURN_MISSING", "HOLE_ORDER", "BTN_START", "X"])
row = st.sampled_from(["NJ-T-e10-1", "DE-a1-1", "TDA-34"])
face = st.builds(str.__add__, st.sampled_from("23456789TJQKA"), st.sampled_from("cdhs"))
text = st.text("abc XYZ09-#;|'", max_size=12)
seats = st.lists(any_seat, unique=True, min_size=1, max_size=12).map(lambda s: tuple(sorted(s)))


def places(piles: tuple[lines.PileName, ...]) -> st.SearchStrategy[lines.Place]:
    return st.one_of(st.builds(lines.SeatPlace, seat), *(st.just(lines.Pile(p)) for p in piles))


def cards(piles: tuple[lines.PileName, ...]) -> st.SearchStrategy[lines.CardAt]:
    return st.builds(lines.CardAt, places(piles), st.integers(1, 52)).map(
        lambda c: lines.CardAt(c.place) if c.place == lines.Pile("stub") else c
    )


codes = st.lists(code, min_size=1, max_size=3).map(tuple)
within = st.none() | seconds
up = st.none() | st.booleans()

MADE: dict[type, st.SearchStrategy[typing.Any]] = {
    lines.ProfileLine: st.builds(lines.ProfileLine, name=st.sampled_from(["tda", "../house.toml"])),
    lines.SeatsLine: st.builds(lines.SeatsLine, seats=seats),
    lines.AbsentLine: st.builds(lines.AbsentLine, seats=st.just(()) | seats),
    lines.ButtonLine: st.builds(
        lines.ButtonLine, seats=st.lists(seat, unique=True).map(lambda s: tuple(sorted(s)))
    ),
    lines.AntennasLine: st.builds(
        lines.AntennasLine,
        placement_seats=st.lists(seat, unique=True).map(lambda s: tuple(sorted(s))),
        max_stack=st.dictionaries(
            st.sampled_from(["seat", "burn", "board", "muck"]), st.integers(1, 52)
        ).map(lambda d: tuple(sorted(d.items()))),
        none=st.booleans(),
    ),
    lines.DecksLine: st.sampled_from(
        [
            lines.DecksLine(pairs=(("red",),)),
            lines.DecksLine(pairs=(("red", "blue"), ("green", "black"))),
        ]
    ),
    lines.DeckLine: st.builds(lines.DeckLine, deck=st.just("red"), seed=seed),
    lines.NoiseLine: st.builds(
        lines.NoiseLine,
        miss=st.sampled_from([0.0, 0.05, 0.001, 0.5]),
        cross=st.sampled_from([0.0, 0.02, 0.125]),
        sweep_s=st.sampled_from([0.2, 0.4, 1.2]),
        seed=st.integers(0, 10**9),
    ),
    lines.PaceLine: st.builds(lines.PaceLine, pace_s=st.sampled_from([0.45, 1.0])),
    lines.LevelLine: st.builds(lines.LevelLine, small=amount, big=amount).filter(
        lambda x: max(x.small, x.big) < 10**9
    ),
    lines.HoleAct: st.builds(lines.HoleAct, until_seat=st.none() | seat)
    | st.builds(lines.HoleAct, deal_pass=st.integers(1, 4)),
    lines.DealAct: st.builds(lines.DealAct, to=places(DEAL_PILES), face_up=up),
    lines.FoldAct: st.builds(lines.FoldAct, seat=seat, face_up=st.booleans()),
    lines.TurnDownAct: st.builds(lines.TurnDownAct, card=cards(CARD_PILES)),
    lines.FlashAct: st.builds(lines.FlashAct, card=cards((*CARD_PILES, "stub")), for_s=seconds),
    lines.CoverAct: st.builds(lines.CoverAct, place=st.none() | places(COVER_PILES), for_s=seconds),
    lines.SwappedTagsFault: st.builds(lines.SwappedTagsFault, faces=st.tuples(face, face)),
    lines.CameraFault: st.builds(lines.CameraFault, for_s=st.none() | seconds),
    lines.LiftAct: st.builds(lines.LiftAct, seat=seat, for_s=seconds),
    lines.ShowAct: st.builds(lines.ShowAct, seat=seat),
    lines.ExposeAct: st.builds(lines.ExposeAct, card=cards((*CARD_PILES, "stub"))),
    lines.MoveAct: st.builds(
        lines.MoveAct,
        card=cards(FROM_PILES),
        to=places(TO_PILES),
        stub_end=st.sampled_from(["top", "bottom"]),
    ).map(lambda m: m if m.to == lines.Pile("stub") else dataclasses.replace(m, stub_end=None)),
    lines.SwapAct: st.builds(
        lines.SwapAct, card=cards(()), by=st.sampled_from(["foreign", "joker"])
    )
    | st.builds(
        lines.SwapAct,
        card=cards(()),
        by=st.sampled_from(["duplicate of", "clone of"]),
        of=cards(CARD_PILES),
    )
    | st.builds(lines.SwapAct, card=cards(()), by=st.just("card of"), deck=st.just("red")),
    lines.ScrambleAct: st.builds(
        lines.ScrambleAct, place=places(CARD_PILES), first=st.just(1), last=st.integers(2, 52)
    ),
    lines.ShuffleAct: st.builds(lines.ShuffleAct, seed=seed),
    lines.ReshuffleStubAct: st.builds(lines.ReshuffleStubAct, seed=seed),
    lines.ChairAct: st.builds(lines.ChairAct, seat=any_seat, occupied=st.booleans()),
    lines.RegistryAct: st.builds(lines.RegistryAct, seat=any_seat),
    lines.ReaderFault: st.builds(
        lines.ReaderFault, reader=st.integers(1, 2), for_s=st.none() | seconds
    ),
    lines.AntennaFault: st.builds(
        lines.AntennaFault, antenna=st.integers(1, 14), for_s=st.none() | seconds
    ),
    lines.DeadTagFault: st.builds(lines.DeadTagFault, face=face),
    lines.UnreadFault: st.builds(
        lines.UnreadFault, card=cards(CARD_PILES), for_s=st.none() | seconds
    ),
    lines.ClockJumpAct: st.builds(lines.ClockJumpAct, by_s=seconds | seconds.map(lambda s: -s)),
    lines.WaitAct: st.builds(lines.WaitAct, for_s=seconds),
    lines.PlaceAct: st.builds(
        lines.PlaceAct, seat=seat, card=st.integers(1, 4), after_s=st.just(0.0) | seconds
    ),
    lines.PowerCutAct: st.builds(lines.PowerCutAct, for_s=st.just(0.0) | seconds),
    lines.PostAct: st.builds(lines.PostAct, seat=seat, amount=amount),
    lines.AnteAct: st.builds(lines.AnteAct, seat=seat, amount=amount),
    lines.StackAct: st.builds(lines.StackAct, seat=seat, amount=amount),
    lines.AwardAct: st.builds(lines.AwardAct, seat=seat, amount=amount),
    lines.PlayerAct: st.builds(
        lines.PlayerAct, seat=seat, word=st.sampled_from(["fold", "check", "call", "all-in"])
    )
    | st.builds(lines.PlayerAct, seat=seat, word=st.sampled_from(["bet", "raise"]), amount=amount),
    lines.RuleAct: st.builds(lines.RuleAct, code=code, ruling=text),
    lines.DismissAct: st.builds(lines.DismissAct, code=code),
    lines.AttestAct: st.builds(lines.AttestAct, row=st.none() | row),
    lines.CountDeckAct: st.builds(
        lines.CountDeckAct,
        minus=st.lists(face, max_size=3).map(tuple),
        plus=st.none() | st.sampled_from(["foreign", "joker"]) | face,
    ),
    lines.ExpectFinding: st.builds(
        lines.ExpectFinding,
        codes=codes,
        seat=st.none() | any_seat,
        street=st.none() | st.sampled_from(list(Street)),
        clause=st.none() | row,
        zone=st.none() | st.sampled_from(["seat/4", "seat/11", "board", "board/turn", "muck"]),
        within_s=within,
    ),
    lines.ExpectCannotTell: st.builds(
        lines.ExpectCannotTell,
        codes=codes,
        street=st.none() | st.sampled_from(list(Street)),
        within_s=within,
    ),
    lines.ExpectBoard: st.builds(lines.ExpectBoard, text=text, within_s=within),
}


def made(kind: type) -> st.SearchStrategy[typing.Any]:
    without_line = {
        f.name: st.from_type(typing.get_type_hints(kind)[f.name])
        for f in dataclasses.fields(kind)
        if f.name != "line"
    }
    return MADE[kind] if kind in MADE else st.builds(kind, **without_line)


KINDS: tuple[type, ...] = typing.get_args(lines.ScenarioLine)


def test_every_kind_of_line_is_made_by_this_test() -> None:
    assert isinstance(lines.ScenarioLine, types.UnionType)
    assert set(MADE) <= set(KINDS)
    assert len(KINDS) > 50


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_line_reads_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    line = data.draw(made(kind))
    around: list[lines.ScenarioLine] = []
    if kind is lines.PlaceAct:
        around = [lines.AntennasLine(placement_seats=(line.seat,))]
    if kind is lines.AntennasLine and line.none:
        around = [lines.SwitchLine(what="camera", on=True)]
    found = read("".join(spell(x) + "\n" for x in [*around, line]))
    assert found.faults == ()
    assert found.scenario is not None
    assert found.scenario.lines == (*around, line)
    assert found.scenario.lines[-1].line == len(around) + 1


@given(st.lists(st.sampled_from([k for k in KINDS if k in MADE]).flatmap(made), max_size=8))
@settings(max_examples=60, deadline=None)
def test_whatever_reads_without_fault_reads_back(made_lines: list[typing.Any]) -> None:
    text = write(lines.Scenario(tuple(made_lines)))
    found = read(text)
    assert (found.scenario is None) == bool(found.faults)
    if found.scenario is not None:
        assert read(write(found.scenario)).scenario == found.scenario


@given(st.text(st.sampled_from(list('seatbunhol 0123456789-,|;#"=%.xé\n\t')), max_size=80))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_the_reader_raise(text: str) -> None:
    found = read(text)
    rows = text.splitlines()
    for fault in found.faults:
        assert 1 <= fault.line <= len(rows)
        assert 1 <= fault.column <= len(rows[fault.line - 1]) + 1


VOCABULARY = """
seat seats hole until pass deal burn flop board card move -> swap of clone duplicate 3 99 1-9 4,4
expect none cannot-tell within 3s BURN_MISSING | ; street=flop state=open for key noise miss 5%
antennas board=one max-stack seat=2 fault reader lost dead tag 7c count deck
"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=5).map("\n".join))
@settings(max_examples=300, deadline=None)
def test_no_order_of_its_own_words_makes_the_reader_raise(text: str) -> None:
    read(text, {"BURN_MISSING"})


def test_every_fault_is_named_with_its_place() -> None:
    text = """profile nj-tournament
seats 1-13
button 3
hole untill seat 6
deal seat 0 | burn
expect BURN_MISING street=flap seat=44
wait 3
    lift 6 for 8 s
camera maybe
"""
    found = read(text, {"BURN_MISSING"})
    assert found.scenario is None
    assert [(f.line, f.column) for f in found.faults] == [
        (2, 9),
        (4, 6),
        (5, 11),
        (5, 13),
        (6, 8),
        (6, 27),
        (6, 37),
        (7, 6),
        (8, 16),
        (8, 18),
        (9, 8),
    ]
    told = [f.told("night.deal") for f in found.faults]
    assert told[0] == "night.deal:2:9: seat 13 is out of range; allowed: 1 to 12"
    assert "meant: BURN_MISSING?" in told[4]
    assert "deal, flop, turn, river" in told[5]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("burn\nprofile tda", 0, "profile"),
        ("burn\ncamera on", 2, "set-up line after the first act"),
        ("seats 1-9\nseats 1-8\nburn", 2, "already in line 1"),
        ("seats 1-3\nabsent 4", 2, "not registered"),
        ("deck blue seed 3", 1, "not enrolled"),
        ("place seat 4 card 1 after 5s", 1, "no placement antenna"),
        ("fault antenna 16 stuck", 1, "no antenna 16"),
        ("fault reader 3 lost", 1, "no reader 3"),
        ('rule BURN_MISSING "stands', 1, "never closed"),
        ("rule BURN_MISSING stands", 1, "quotation marks"),
        ("burnn", 1, "meant: burn?"),
        ("expect BURN_MISSING seat=4 seat=5", 1, "said twice"),
        ("move burn card 2 -> stub middle", 1, "end of the stub"),
        ("decks red blue green", 1, "3 decks"),
        ("noise miss 70%", 1, "out of range"),
        ("burn\nclock jump +438001h", 2, "no wall clock jumps by +438001h"),
        ("clock jump -999999999999h", 1, "no wall clock jumps by"),
        ("clock jump +" + "9" * 400 + "h", 1, "is no jump"),
        ("clock jump 2h", 1, "is no jump"),
        ("attest everything", 1, "no clause id"),
    ],
)
def test_a_fault_says_what_is_wrong(text: str, line: int, word: str) -> None:
    found = read(text)
    if line == 0:
        assert found.faults == ()  # the profile may change between hands
        return
    assert [f.line for f in found.faults] == [line]
    assert word in found.faults[0].message


def test_a_wall_clock_may_wake_in_1970_and_be_set_right() -> None:
    found = read("clock jump -438000h; clock jump +438000h; clock jump +0s")
    assert found.faults == ()
    assert found.scenario is not None
    assert [getattr(x, "by_s", None) for x in found.scenario.lines] == [-1576800000, 1576800000, 0]


def test_comments_semicolons_and_loose_commas_are_read() -> None:
    found = read(
        "# covers: NJ-T-e6-1, IRR-31\n"
        "post 4 small 50 ; post 5 big 100 # blinds\n"
        "\n"
        "expect BURN_MISSING | HOLE_ORDER seat=4, within 3s#now\n"
        'expect board "A # B ; C"\n'
        "act 5 raise 400 to\n"
    )
    assert found.scenario is not None
    assert found.scenario.covers == ("NJ-T-e6-1", "IRR-31")
    assert found.scenario.lines == (
        lines.PostAct(seat=4, blind="small", amount=50),
        lines.PostAct(seat=5, blind="big", amount=100),
        lines.ExpectFinding(codes=("BURN_MISSING", "HOLE_ORDER"), seat=4, within_s=3.0),
        lines.ExpectBoard(text="A # B ; C"),
        lines.PlayerAct(seat=5, word="raise", amount=400),
    )
    assert [line.line for line in found.scenario.lines] == [2, 2, 4, 5, 6]


def test_every_scenario_of_the_house_reads_without_a_fault() -> None:
    files = sorted((Path(__file__).parents[2] / "scenarios").rglob("*.deal"))
    assert files
    faulty = [f.told(str(file)) for file in files for f in read(file.read_text()).faults]
    assert faulty == []
