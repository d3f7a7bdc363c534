"""The page: the same as HTML and as PDF, the same everywhere, and nobody else's."""

from __future__ import annotations

import hashlib
import html
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.integrity.certificate import Reason, Signed, Untrue, sign
from controller.integrity.filing import Checked, Kind, checked, files_of
from controller.integrity.page import html_of, page_of, qr_rows
from controller.integrity.page_pdf import pdf_of, room_left
from controller.model.cards import FACES
from controller.model.events import CountMeans
from tests.controller.integrity.counted import (
    COMPLETE,
    ENDED,
    KEY,
    OTHER_KEY,
    PUBLIC,
    SHORT,
    certified,
    signed,
)

FILES = files_of(signed(SHORT))


def words_of(kind: Kind, data: bytes) -> str:
    """What a person reads on the page, as one line."""
    if kind is Kind.HTML:
        body = data.decode().partition("<body>")[2].partition("<details>")[0]
        text = html.unescape(re.sub(r"<[^>]+>", " ", body))
    else:
        shown = re.findall(rb"\((.*)\) Tj ET", data)
        text = " ".join(re.sub(rb"\\(.)", rb"\1", s).decode("cp1252") for s in shown)
    return " ".join(text.split())


@pytest.mark.parametrize("kind", [Kind.HTML, Kind.PDF])
@pytest.mark.parametrize("facts", [COMPLETE, SHORT])
def test_both_pages_say_everything_that_the_certificate_says(kind: Kind, facts: object) -> None:
    made = signed(SHORT if facts is SHORT else COMPLETE, table="Rook & Co (upstairs) \\ <7>")
    words = words_of(kind, files_of(made)[kind])
    page = page_of(made)
    for row in (*page.count, *page.journal, *page.signature):
        assert f"{row.name} {row.value}" in words
    for said in (page.verdict, *page.found, page.attests, page.journal_proves, *page.how):
        assert said in words
    assert page.signature_proves in words


def test_the_result_is_told_in_plain_words() -> None:
    assert page_of(signed()).found == (
        "Every registered card of the deck was there, and nothing else.",
    )
    page = page_of(signed(SHORT))
    assert page.verdict == "50 of 52"
    assert page.found == (
        "Missing: ace of spades, ten of diamonds.",
        "More than once in the deck: seven of clubs.",
        "2 cards of another registered deck.",
        "1 tag of no registered deck.",
        "1 joker among the cards.",
    )
    rows = {row.name: row.value for row in page.count}
    assert rows["Counted from"] == "30 November 2026, 19:03:20 (UTC-05:00)"
    assert rows["Confirmed by"] == "nobody"


def test_the_page_says_what_the_clock_was_worth() -> None:
    def clock(facts: object) -> str:
        assert isinstance(facts, type(COMPLETE))
        return {row.name: row.value for row in page_of(signed(facts)).count}["Clock"]

    assert clock(COMPLETE) == "set and trusted"
    assert "may be wrong" in clock(replace(COMPLETE, clock_trusted=False))
    assert "was moved" in clock(replace(COMPLETE, ended_at=ENDED - timedelta(hours=2)))


def test_the_page_says_where_the_key_lives_and_what_that_proves() -> None:
    proves = page_of(signed()).signature_proves
    for words in ("on the table's own machine", "could sign anything", "handed to the regulator"):
        assert words in proves


def test_the_html_page_needs_nothing_and_runs_nothing() -> None:
    text = FILES[Kind.HTML].decode().lower()
    assert not re.search(r"<(script|link|img|iframe|object|embed)\b", text)
    assert not re.search(r"\b(src|href|url|on\w+)\s*[=(]", text)
    assert "default-src 'none'" in text


def test_a_name_cannot_break_out_of_the_page() -> None:
    made = signed(table="</pre><script>alert(1)</script>", issued_at=ENDED)
    data = html_of(made)
    assert b"<script" not in data
    assert checked(data).signed == made
    assert checked(pdf_of(signed(table=") Tj ET endstream endobj"))).faults == ()


def test_letters_that_the_pdf_has_not_are_told_by_number() -> None:
    made = signed(table="Zürich – 卓 7")
    assert "Zürich – [U+5353] 7" in words_of(Kind.PDF, pdf_of(made))
    assert "Zürich – 卓 7" in words_of(Kind.HTML, html_of(made))


def test_the_longest_certificate_fits_on_one_page() -> None:
    everything = replace(
        COMPLETE,
        deck="W" * 60,
        back="卓" * 60,
        present=0,
        missing=FACES,
        duplicates=FACES,
        extra=10**14,
        foreign=10**14,
        jokers=10**14,
        passes=10**14,
        duration_s=9e8,
        confirmed_by="卓" * 60,
    )
    made = signed(everything, table="卓" * 60, build="W" * 60, reason=Reason.CLOSING)
    assert room_left(made) > 10
    assert checked(pdf_of(made)).faults == ()


def test_the_code_on_both_pages_is_the_one_of_head_and_signature() -> None:
    made = signed()
    c = made.certificate
    page = page_of(made)
    due = f"BURNTURN:1:{c.journal.head.seq}:{c.journal.head.hash}:{made.signature.hex()}"
    assert page.qr == due.upper()
    size = len(qr_rows(page.qr))
    dark = {(x, y) for y, row in enumerate(qr_rows(page.qr)) for x in range(size) if row[x]}
    drawn = set()
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1", html_of(made).decode()):
        drawn |= {(int(x) + i, int(y)) for i in range(int(length))}
    assert drawn == dark
    boxes = [
        tuple(map(float, found))
        for found in re.findall(rb"^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re$", pdf_of(made), re.M)
    ]
    module = boxes[0][3]
    left, top = min(b[0] for b in boxes), max(b[1] for b in boxes)
    printed = set()
    for x, y, width, _ in boxes:
        column, row = round((x - left) / module), round((top - y) / module)
        printed |= {(column + i, row) for i in range(round(width / module))}
    assert printed == dark


def test_the_look_of_a_schema_stays_as_it_is() -> None:
    """Certificates that were filed are compared with pages made anew: a change of the look needs a
    schema of its own, beside which the old one goes on."""
    digests = {kind: hashlib.sha256(data).hexdigest()[:16] for kind, data in FILES.items()}
    assert digests == {
        Kind.JSON: "11df69c8e1f585fa",
        Kind.HTML: "def99ebffd3bb407",
        Kind.PDF: "13cbc29fb02a9724",
    }


@pytest.mark.parametrize("kind", list(Kind))
def test_each_of_the_three_files_is_true(kind: Kind) -> None:
    assert checked(FILES[kind], PUBLIC) == Checked(kind, signed(SHORT), ())


@pytest.mark.parametrize("kind", list(Kind))
def test_each_of_the_three_files_is_asked_for_its_key(kind: Kind) -> None:
    data = files_of(sign(certified(), OTHER_KEY))[kind]
    assert [f.untrue for f in checked(data, PUBLIC).faults] == [Untrue.KEY]


@pytest.mark.parametrize(("kind", "step"), [(Kind.HTML, 41), (Kind.PDF, 67)])
def test_a_flipped_bit_anywhere_on_a_page_is_found(kind: Kind, step: int) -> None:
    data = FILES[kind]
    for place in range(0, len(data), step):
        changed = bytearray(data)
        changed[place] ^= 1 << (place % 8)
        assert checked(bytes(changed)).faults, f"byte {place}"


@given(
    kind=st.sampled_from([Kind.HTML, Kind.PDF]),
    where=st.floats(0, 1, exclude_max=True),
    length=st.integers(0, 40),
    put=st.binary(max_size=40),
)
@settings(max_examples=150)
def test_anything_put_in_anythings_place_is_found(
    kind: Kind, where: float, length: int, put: bytes
) -> None:
    data = FILES[kind]
    start = int(where * len(data))
    changed = data[:start] + put + data[start + length :]
    assert bool(checked(changed).faults) == (changed != data)


def forged(made: Signed, kind: Kind, old: bytes, new: bytes) -> Checked:
    data = files_of(made)[kind]
    assert old in data
    return checked(data.replace(old, new, 1), PUBLIC)


@pytest.mark.parametrize("kind", [Kind.HTML, Kind.PDF])
def test_a_forged_page_over_a_true_certificate_is_called_so(kind: Kind) -> None:
    found = forged(signed(SHORT), kind, b"50 of 52", b"52 of 52")
    (fault,) = found.faults
    assert fault.untrue is Untrue.PAGE
    assert "52 of 52" in fault.text
    assert "50 of 52" in fault.text
    assert "in it, which is true" in fault.text
    assert found.signed == signed(SHORT)


def test_something_added_after_a_page_is_found() -> None:
    for kind in (Kind.HTML, Kind.PDF):
        (fault,) = checked(FILES[kind] + b"more\n").faults
        assert fault.untrue is Untrue.PAGE


def test_a_page_whose_certificate_was_changed_too_breaks_the_signature() -> None:
    made = signed(SHORT)
    lie = replace(made.certificate, present=52, missing=(), duplicates=())
    for kind, data in files_of(replace(made, certificate=lie)).items():
        found = checked(data, PUBLIC)
        assert [f.untrue for f in found.faults] == [Untrue.SIGNATURE], kind


def test_a_page_without_a_certificate_in_it_is_none() -> None:
    for data, kind in ((b"<!DOCTYPE html>", Kind.HTML), (b"%PDF-1.7", Kind.PDF)):
        found = checked(data)
        assert (found.kind, found.signed) == (kind, None)
        assert [f.untrue for f in found.faults] == [Untrue.MALFORMED]


def test_what_a_forged_page_holds_does_not_reach_the_terminal_raw() -> None:
    found = forged(signed(SHORT), Kind.HTML, b"50 of 52", b"\x1b]0;mine\x07\xff")
    assert "\x1b" not in str(found.faults)
    assert str(found.faults[-1]).isprintable()


def test_the_page_of_a_count_by_camera_says_by_what_it_was_counted() -> None:
    facts = replace(SHORT, extra=0, means=CountMeans.CAMERA)
    files = files_of(sign(certified(facts), KEY))
    for kind in (Kind.HTML, Kind.PDF):
        assert checked(files[kind]).faults == ()
        words = words_of(kind, files[kind])
        assert "by camera, 2 spreads of the deck" in words
        assert "1 card of another game or with another back" in words
        assert "tag" not in words.replace("antenna", "").partition("Confirmed by")[0]
