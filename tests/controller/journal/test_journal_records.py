"""Every body that a journal can hold comes back from its JSON as it was."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.record import (
    GENESIS,
    HEALTH,
    TYPES,
    Body,
    Gap,
    RecordError,
    canonical,
    decode,
    encode,
    exported,
    hash_of,
    is_event,
    kind_of,
    link,
    own_hash,
    time_of,
    with_number,
    without_identity,
)
from controller.model.events import CardCame, FloorSaid, Tick, Token, numbered
from controller.model.table import seat_zone


def bodies() -> st.SearchStrategy[Body]:
    def of(kind: str) -> st.SearchStrategy[Body]:
        fields = {f.name: ... for f in dataclasses.fields(TYPES[kind]) if f.name != "kind"}
        return st.builds(TYPES[kind], **fields)

    # NaN equals nothing, itself included; no clock says it.
    return st.sampled_from(sorted(TYPES)).flatmap(of).filter(lambda b: '"nan"' not in encode(b))


@given(bodies())
@settings(deadline=None)
def test_a_body_comes_back_as_it_was(body: Body) -> None:
    text = encode(body)
    assert decode(kind_of(body), text) == body
    assert encode(decode(kind_of(body), text)) == text
    assert text.isascii()


@given(bodies(), st.integers(1, 10**9), st.floats(allow_nan=False, allow_infinity=False))
@settings(deadline=None)
def test_a_record_carries_its_body_time_and_hash(body: Body, seq: int, wall: float) -> None:
    if is_event(body):
        body = numbered(body, seq)
    record = link(GENESIS, seq, wall, body, "b", "p", None)
    assert hash_of(record) == record.hash
    assert record.mono == time_of(body)
    assert decode(record.kind, record.body) == with_number(body, seq)
    # What is exported is enough to check the chain elsewhere.
    row = json.loads(json.dumps(exported(record)))
    own = row.pop("hash")
    assert own_hash(**{**row, "body": canonical(row["body"]), "mono": float(row["mono"])}) == own


def test_minus_infinity_survives_and_is_no_word_of_the_floor() -> None:
    came = CardCame(at=1.0, token=Token(7), zone=seat_zone(2), after=-math.inf, before=1.0)
    back = decode("card-came", encode(came))
    assert isinstance(back, CardCame)
    assert back.after == -math.inf
    said = FloorSaid(at=1.0, word="rule", finding=None, text="-inf", by="Infinity")
    assert decode("floor-said", encode(said)) == said


def test_a_name_that_is_no_unicode_is_recorded_all_the_same() -> None:
    said = FloorSaid(at=1.0, word="confirm", finding=1, text="", by="J\udce9r\udcf4me")
    back = decode("floor-said", encode(said))
    assert isinstance(back, FloorSaid)
    assert back.by == "J\\udce9r\\udcf4me"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tick", "{"),
        ("tick", "[]"),
        ("tick", '{"at":1.0,"kind":"gap","lost":2}'),
        ("tick", '{"kind":"tick"}'),
        ("card-came", '{"kind":"card-came","at":"early"}'),
        ("card-eaten", "{}"),
        (HEALTH, '"reader"'),
    ],
)
def test_a_wrong_body_is_refused_without_repeating_it(kind: str, text: str) -> None:
    with pytest.raises(RecordError) as refused:
        decode(kind, text)
    assert "early" not in str(refused.value)


def test_an_event_keeps_the_number_it_was_judged_under() -> None:
    assert with_number(Tick(at=1.0), 5) == Tick(at=1.0, seq=5)
    with pytest.raises(ValueError, match="already bears number 4"):
        with_number(Tick(at=1.0, seq=4), 5)
    assert with_number(Gap(at=1.0, lost=3), 5) == Gap(at=1.0, lost=3)


def test_two_nights_that_differ_in_the_sealed_cards_agree_without_them() -> None:
    came = CardCame(at=1.0, token=Token(7), zone=seat_zone(2), after=0.0, before=1.0)
    one = link(GENESIS, 1, 9.0, came, "b", "p", b"sealed ace")
    other = link(GENESIS, 1, 9.0, came, "b", "p", b"sealed two")
    assert one.hash != other.hash
    assert without_identity(one) == without_identity(other)
    assert without_identity(link(GENESIS, 1, 9.0, came, "b", "p", None)) != without_identity(one)
