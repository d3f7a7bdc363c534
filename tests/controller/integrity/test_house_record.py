"""What is learned over nights: added up once, spelled at one length, read back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.integrity.house_record import (
    FEWEST_HANDS,
    LONGEST_NIGHT_S,
    Belief,
    HouseRecord,
    Kept,
    Tonight,
    read_kept,
    read_record,
    spell_kept,
    spell_record,
)
from controller.integrity.shuffles import AGES, DECK, ROUTINES, Returns, Shuffle
from controller.integrity.watched import Stand
from controller.integrity.wear import NIGHTS_KEPT, NightLooks
from drivers.readings import Uid

TAGS = tuple(Uid(bytes((0xE0, 4, n, 1))) for n in range(6))
RED = dict.fromkeys(TAGS, "red")
HOUSE = RED | {Uid(bytes((0xE0, 4, n, 2))): "blue" for n in range(6)}
COUNTS = st.integers(0, 10**7)
SECONDS = st.floats(0, 1e9, allow_nan=False)


@st.composite
def looks(draw: st.DrawFn) -> NightLooks:
    looked = draw(st.integers(1, 10**6))
    return NightLooks(looked, draw(st.integers(0, looked)))


@st.composite
def returns(draw: st.DrawFn) -> Returns:
    waited = draw(st.lists(COUNTS, min_size=AGES, max_size=AGES))
    dealt = draw(st.dictionaries(st.integers(0, DECK), st.integers(1, 10**6), max_size=9))
    return Returns(
        tuple(waited),
        tuple(draw(st.integers(0, w)) for w in waited),
        tuple(sorted(dealt.items())),
        draw(COUNTS),
    )


@st.composite
def beliefs(draw: st.DrawFn, hole: int) -> Belief:
    one, other = draw(st.sampled_from([*ROUTINES.values()])), ROUTINES["one-riffle"]
    share = draw(st.sampled_from([0.25, 0.5, 0.75, 1.0]))
    parts = ((1.0, one),) if share == 1.0 else ((1 - share, one), (share, other))
    players = draw(st.integers(2, 11))
    return Belief(Shuffle(parts, players, hole), draw(st.booleans()), draw(COUNTS))


GAMES = st.fixed_dictionaries({}, optional={2: returns(), 4: returns()})
RECORDS = st.builds(
    HouseRecord,
    nights=COUNTS,
    returns=GAMES,
    beliefs=st.fixed_dictionaries({}, optional={2: beliefs(2), 4: beliefs(4)}),
    looks=st.fixed_dictionaries(
        dict.fromkeys(TAGS, st.lists(looks(), max_size=NIGHTS_KEPT).map(tuple))
    ),
)
NIGHTS = st.builds(
    Tonight,
    number=COUNTS,
    began_at=SECONDS,
    hands=COUNTS,
    returns=GAMES,
    looks=st.fixed_dictionaries({}, optional=dict.fromkeys(TAGS, looks())),
)
STANDS = st.builds(
    Stand,
    deck=st.none() | st.text(max_size=40),
    hand=COUNTS,
    ended_at=SECONDS | st.just(float("-inf")),
    counted_at=st.none() | SECONDS,
)


@given(RECORDS)
@settings(deadline=None)
def test_a_record_reads_back_as_it_was(record: HouseRecord) -> None:
    assert read_record(spell_record(record)) == record


@given(STANDS, NIGHTS, st.binary(max_size=200))
@settings(deadline=None)
def test_what_is_kept_reads_back_as_it_was(stand: Stand, night: Tonight, watch: bytes) -> None:
    kept = Kept(stand, night, watch)
    assert read_kept(spell_kept(kept, HOUSE)) == kept


@given(RECORDS, RECORDS)
@settings(deadline=None)
def test_the_length_of_a_record_tells_nothing_of_the_cards(
    one: HouseRecord, other: HouseRecord
) -> None:
    if one.returns.keys() == other.returns.keys() and one.beliefs.keys() == other.beliefs.keys():
        assert len(spell_record(one)) == len(spell_record(other))


@given(STANDS, NIGHTS, NIGHTS)
def test_the_length_of_what_is_kept_tells_nothing_of_the_cards(
    stand: Stand, one: Tonight, other: Tonight
) -> None:
    other = Tonight(one.number, one.began_at, one.hands, one.returns, other.looks)
    spelled = [spell_kept(Kept(stand, night, b"w"), HOUSE) for night in (one, other)]
    if bool(one.looks) == bool(other.looks):
        assert len(spelled[0]) == len(spelled[1])


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_anything_else_is_refused_and_not_repeated(spelled: bytes) -> None:
    for read in (read_record, read_kept):
        with pytest.raises(ValueError, match="this build keeps"):
            read(spelled)


def test_a_night_is_added_once() -> None:
    night = Tonight(1, hands=80, looks={TAGS[0]: NightLooks(300, 280)}, returns={2: some(80)})
    once = HouseRecord().night(night, HOUSE)
    assert set(once.looks) == set(TAGS), "the whole deck, and no other"
    assert once.night(night, HOUSE) is once
    twice = once.night(Tonight(2, hands=80, looks={TAGS[0]: NightLooks(9, 9)}), HOUSE)
    assert twice.looks[TAGS[0]] == (NightLooks(300, 280), NightLooks(9, 9))
    assert twice.returns[2].hands == 80


def test_a_tag_that_the_house_knows_no_more_is_forgotten() -> None:
    night = Tonight(1, hands=80, looks=dict.fromkeys(TAGS, NightLooks(300, 280)))
    after = HouseRecord().night(night, RED)
    after = after.night(Tonight(2, hands=80), dict.fromkeys(TAGS[1:], "red"))
    assert set(after.looks) == set(TAGS[1:])


def test_a_night_ends_with_a_stop_or_a_day_and_never_with_a_few_hands() -> None:
    begun, enough = 1000.0, FEWEST_HANDS
    whole, short = Tonight(1, begun, enough), Tonight(1, begun, enough - 1)
    assert whole.is_over(begun + 60.0, stopped=True)
    assert not whole.is_over(begun + LONGEST_NIGHT_S - 1.0, stopped=False)
    assert whole.is_over(begun + LONGEST_NIGHT_S, stopped=False)
    assert not short.is_over(begun + 2 * LONGEST_NIGHT_S, stopped=True)


def some(hands: int) -> Returns:
    return Returns(dealt=((22, hands),), seen=20 * hands)
