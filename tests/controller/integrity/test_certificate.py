"""A certificate: what is in it comes back, and any other byte than the one written is found."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from controller.integrity.certificate import (
    ATTESTS,
    CAMERA_ATTESTS,
    CertificateError,
    CountFacts,
    Reason,
    Untrue,
    certify,
    parse,
    sign,
    verify,
)
from controller.journal.store import Anchor, Head
from controller.model.cards import FACES
from controller.model.events import CountMeans
from tests.controller.integrity.counted import (
    ANCHOR,
    COMPLETE,
    ENDED,
    KEY,
    OTHER_KEY,
    PUBLIC,
    SHORT,
    STARTED,
    certified,
    signed,
)

hashes = st.binary(min_size=32, max_size=32).map(bytes.hex)
numbers = st.integers(0, 10**9)
moments = st.datetimes(
    min_value=datetime(2000, 1, 2),
    max_value=datetime(2100, 1, 1),
    timezones=st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m))),
)
faces = st.sets(st.sampled_from(FACES))


@st.composite
def facts(draw: st.DrawFn) -> CountFacts:
    missing = draw(faces)
    return CountFacts(
        deck=draw(st.text(min_size=1)),
        back=draw(st.text()),
        present=52 - len(missing),
        passes=draw(numbers),
        started_at=draw(moments),
        ended_at=draw(moments),
        clock_trusted=draw(st.booleans()),
        duration_s=draw(st.floats(0, 1e6)),
        confirmed_by=draw(st.text()),
        missing=tuple(draw(st.permutations(sorted(missing)))),
        duplicates=tuple(draw(faces)),
        extra=draw(numbers),
        foreign=draw(numbers),
        jokers=draw(numbers),
    )


def kinds(data: bytes, key: bytes | None = None) -> set[Untrue]:
    return {fault.untrue for fault in verify(data, key)}


def spelled(data: bytes, **fields: Any) -> bytes:
    """The file with other fields in the certificate, written as burnturn would."""
    said = json.loads(data)
    said["certificate"].update(fields)
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"


@given(
    facts=facts(),
    table=st.text(min_size=1),
    reason=st.sampled_from(Reason),
    anchor=st.builds(Anchor, st.builds(Head, numbers, hashes), hashes, numbers),
    seed=st.binary(min_size=32, max_size=32),
    issued_at=moments,
)
def test_what_is_signed_comes_back_and_is_true(
    facts: CountFacts,
    table: str,
    reason: Reason,
    anchor: Anchor,
    seed: bytes,
    issued_at: datetime,
) -> None:
    made = certify(facts, anchor, table=table, reason=reason, build="b", issued_at=issued_at)
    key = SigningKey(seed)
    written = sign(made, key)
    assert parse(written.data) == written
    assert verify(written.data, bytes(key.verify_key)) == ()
    assert written.certificate == made
    assert set(made.missing) == set(facts.missing)
    assert sign(made, key).data == written.data


def test_it_holds_what_was_counted_and_where_the_journal_stood() -> None:
    made = certified(SHORT)
    assert (made.present, made.missing, made.duplicates) == (50, ("As", "Td"), ("7c",))
    assert (made.extra, made.foreign, made.jokers, made.passes) == (2, 1, 1, 2)
    assert (made.started, made.ended) == ("2026-11-30T19:03:20-05:00", "2026-11-30T19:04:02-05:00")
    assert made.duration_s == 41.7
    assert made.journal == ANCHOR
    assert made.attests == ATTESTS
    assert "untagged extra card" in ATTESTS


@pytest.mark.parametrize(
    "odd",
    [
        {"missing": ("As",), "present": 51},
        {"duplicates": ("As",)},
        {"extra": 1},
        {"foreign": 1},
        {"jokers": 1},
    ],
)
def test_a_deck_is_in_order_only_if_nothing_is_odd(odd: dict[str, Any]) -> None:
    assert certified(COMPLETE).in_order
    assert not certified(replace(COMPLETE, **odd)).in_order


def test_facts_that_do_not_fit_together_are_all_named() -> None:
    with pytest.raises(ValueError) as refused:
        replace(COMPLETE, started_at=STARTED.replace(tzinfo=None), missing=("XX",), jokers=-1)
    for word in ("started_at has no time zone", "missing must be", "jokers must be"):
        assert word in str(refused.value)
    assert "XX" not in str(refused.value)
    with pytest.raises(ValueError, match="make up the expected"):
        replace(COMPLETE, missing=("As",))
    with pytest.raises(ValueError, match="duration_s must be"):
        certified(replace(COMPLETE, duration_s=float("nan")))
    with pytest.raises(ValueError, match="no zone"):
        certified(issued_at=ENDED.replace(tzinfo=None))


def test_names_are_made_fit_to_be_printed() -> None:
    made = certified(table="a\nb\u202ec\ud800", build="x" * 500)
    assert made.table == r"a\nb\u202ec\ud800"
    assert made.build == "x" * 59 + "…"


def test_no_repr_names_a_card() -> None:
    written = signed(SHORT)
    for shown in (repr(SHORT), repr(written), repr(written.certificate)):
        assert "As" not in shown
        assert "7c" not in shown


def test_every_bit_of_the_file_counts() -> None:
    data = signed(SHORT).data
    for place in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            assert verify(bytes(changed)), f"byte {place}, bit {bit}"


@given(place=st.integers(0, len(signed(SHORT).data) - 1), byte=st.integers(0, 255))
def test_any_other_byte_is_found(place: int, byte: int) -> None:
    data = signed(SHORT).data
    changed = data[:place] + bytes([byte]) + data[place + 1 :]
    assert bool(verify(changed)) == (changed != data)


@given(place=st.integers(0, len(signed(SHORT).data)), slipped=st.sampled_from(b" \t\n\r\0,0"))
def test_a_byte_slipped_in_or_left_out_is_found(place: int, slipped: int) -> None:
    data = signed(SHORT).data
    assert verify(data[:place] + bytes([slipped]) + data[place:])
    assert bool(verify(data[:place])) == (place < len(data))
    assert bool(verify(data[place:])) == (place > 0)


@given(rubbish=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_rubbish_is_called_malformed(rubbish: bytes) -> None:
    assert kinds(rubbish) == {Untrue.MALFORMED}
    with pytest.raises(CertificateError, match="not a certificate"):
        parse(rubbish)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 60_000,
        b"1" * 60_000,
        b"1e999",
        b"NaN",
        b'{"a":' * 10_000,
        b" " * 70_000,
        b"null",
        b'{"certificate":1,"public_key":2,"signature":3}\n',
        b'{"certificate":null,"public_key":"","signature":[]}\n',
    ],
)
def test_what_breaks_readers_of_json_is_called_malformed(data: bytes) -> None:
    assert kinds(data) == {Untrue.MALFORMED}


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda said: json.dumps(said, sort_keys=True, indent=1),
        lambda said: json.dumps(said, sort_keys=True, separators=(",", ":")),
        lambda said: json.dumps(dict(reversed(said.items())), separators=(",", ":")) + "\n",
    ],
)
def test_the_same_in_another_spelling_is_refused_and_called_so(rewrite: Any) -> None:
    data = rewrite(json.loads(signed().data)).encode()
    assert kinds(data) == {Untrue.FORM}
    assert "another spelling" in str(verify(data)[0])


def test_a_field_that_comes_twice_is_refused() -> None:
    data = signed().data.replace(b'"present":52', b'"present":51,"present":52')
    assert kinds(data) == {Untrue.FORM}


def test_a_changed_field_breaks_the_signature_and_nobody_says_which() -> None:
    forged = spelled(signed(SHORT).data, present=52, missing=[])
    (fault,) = verify(forged, PUBLIC)
    assert fault.untrue is Untrue.SIGNATURE
    assert "Which field was changed cannot be known" in fault.text


def test_another_key_is_named_even_where_its_signature_is_good() -> None:
    data = sign(certified(), OTHER_KEY).data
    assert verify(data) == ()
    (fault,) = verify(data, PUBLIC)
    assert fault.untrue is Untrue.KEY
    assert PUBLIC.hex() in fault.text
    assert bytes(OTHER_KEY.verify_key).hex() in fault.text


def test_a_key_put_in_anothers_place_breaks_the_signature() -> None:
    said = json.loads(sign(certified(), OTHER_KEY).data)
    said["public_key"] = PUBLIC.hex()
    data = json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    assert kinds(data, PUBLIC) == {Untrue.SIGNATURE}


@pytest.mark.parametrize("key", ["00" * 32, "01" + "00" * 31, "ff" * 32])
def test_a_key_that_fits_every_signature_is_refused(key: str) -> None:
    """Points of small order, for which a signature of nothing would do."""
    said = json.loads(signed().data)
    said["public_key"], said["signature"] = key, "01" + "00" * 63
    data = json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    assert Untrue.SIGNATURE in kinds(data)


@pytest.mark.parametrize("schema", [3, 0, "1", True, None, 1.0])
def test_a_schema_of_another_time_is_named(schema: object) -> None:
    data = spelled(signed().data, schema=schema)
    assert Untrue.SCHEMA in kinds(data)
    with pytest.raises(CertificateError, match="newer burnturn"):
        parse(data)


def test_everything_that_is_false_is_named_at_once() -> None:
    data = spelled(signed().data, passes=-1, started="yesterday", colour="red", jokers=True)
    found = "\n".join(map(str, verify(data, bytes(OTHER_KEY.verify_key))))
    for word in ("passes must be", "started must be", "1 field in it", "jokers must be"):
        assert word in found
    assert "signature:" in found
    assert "not the trusted key:" in found


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("reason", "whim"),
        ("table", ""),
        ("table", "x" * 61),
        ("table", "a\u202eb"),
        ("issued", "2026-11-30T19:04:10"),
        ("issued", "2026-13-30T19:04:10-05:00"),
        ("clock_trusted", 1),
        ("duration_s", 41),
        ("duration_s", 41.74),
        ("missing", ["Td", "As"]),
        ("missing", ["As", "As"]),
        ("duplicates", ["joker"]),
        ("missing", [["As"]]),
        ("present", 53),
        ("present", 10**40),
        ("journal", {"seq": 1}),
        ("journal", {"seq": 1, "hash": "A" * 64, "first": "0" * 64, "records": 1}),
    ],
)
def test_a_field_that_cannot_be_is_refused_even_if_it_was_signed(field: str, wrong: object) -> None:
    said = json.loads(spelled(signed().data, **{field: wrong}))
    del said["signature"]
    text = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    said["signature"] = KEY.sign(b"burnturn certificate of a count\n" + text).signature.hex()
    data = json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    assert kinds(data) == {Untrue.MALFORMED}


def test_a_count_by_camera_has_a_schema_of_its_own_and_says_so() -> None:
    facts = replace(SHORT, extra=0, means=CountMeans.CAMERA)
    made = certified(facts)
    assert (made.schema, made.means, made.attests) == (2, CountMeans.CAMERA, CAMERA_ATTESTS)
    data = sign(made, KEY).data
    assert verify(data, PUBLIC) == ()
    assert parse(data).certificate == made
    assert certified(SHORT).schema == 1
    assert b"means" not in signed(SHORT).data


def test_a_schema_has_its_own_fields() -> None:
    with_means = spelled(signed().data, means="camera")
    assert Untrue.MALFORMED in kinds(with_means)
    by_camera = sign(certified(replace(COMPLETE, means=CountMeans.CAMERA)), KEY).data
    assert Untrue.MALFORMED in kinds(spelled(by_camera, means="tags"))
    assert Untrue.MALFORMED in kinds(spelled(by_camera, schema=1))
