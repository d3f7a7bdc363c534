"""`burnturn certificate …` and `burnturn journal verify --against`: what they say."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from controller.cli.certificate import app as certificates
from controller.cli.journal import app as journals
from controller.config import load, sample_text
from controller.integrity.certificate import certify, sign
from controller.integrity.filing import Kind, files_of, save
from controller.integrity.signing import fingerprint, table_key
from controller.journal.reader import JournalFile
from controller.journal.record import GENESIS, Gap, hash_of
from controller.journal.resume import begin
from controller.journal.store import Anchor, Head
from controller.journal.writer import Journal
from tests.controller.integrity.counted import (
    COMPLETE,
    ISSUED,
    KEY,
    OTHER_KEY,
    PUBLIC,
    SHORT,
    certified,
    signed,
)
from tests.controller.journal import night

COUNTED = 30
"""The journal's newest record when the certificate was made; ten more came after it."""


def run(*words: object) -> Result:
    return CliRunner().invoke(certificates, [str(w) for w in words])


def journal_run(*words: object) -> Result:
    return CliRunner().invoke(journals, [str(w) for w in words])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A journal, and a certificate that was made when three quarters of it were written."""
    folder = tmp_path_factory.mktemp("night")
    path = folder / "night.db"
    with Journal(path, build="b", wall=lambda: 1.7e9) as journal:
        begin(journal, 0.0, boot="boot")
        for n in range(COUNTED - 1):
            journal.stage(night.happening(n))
        journal.commit()
        with JournalFile(path) as beside:
            anchor = beside.anchor()
        for n in range(COUNTED - 1, COUNTED + 9):
            journal.stage(night.happening(n))
        journal.commit()
    made = save(certified(anchor=anchor), KEY, folder)[Kind.JSON]
    return path, made


@pytest.fixture
def journal(kept: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(kept[0], tmp_path))


@pytest.fixture
def certificate(kept: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(kept[1], tmp_path))


def attempt(path: Path, *orders: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for sql in orders:
            db.execute(sql)


def relink(path: Path, first: int) -> None:
    """Make the chain fit again from that record on, as somebody would who controls the machine."""
    with JournalFile(path) as file:
        records = list(file.records())
    prev = records[first - 2].hash if first > 1 else GENESIS
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for record in records[first - 1 :]:
            own = hash_of(replace(record, prev=prev))
            db.execute(
                "UPDATE records SET prev = ?, hash = ? WHERE seq = ?", (prev, own, record.seq)
            )
            prev = own


# ---- certificate verify


@pytest.mark.parametrize("kind", list(Kind))
def test_a_true_certificate_is_said_to_be_true(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "a file of any name"
    path.write_bytes(files_of(signed(SHORT))[kind])
    done = run("verify", path, "--key", PUBLIC.hex())
    assert done.exit_code == 0
    assert "card room, table 7, deck red" in done.output
    assert "50 of 52" in done.output
    assert "Missing: ace of spades" in done.output
    assert "the one given with --key" in done.output
    assert done.output.endswith("the certificate is true\n")
    told = json.loads(run("verify", path, "--json").output)
    assert (told["true"], told["kind"], told["key_compared"]) == (True, kind, False)
    assert told["certificate"]["missing"] == ["As", "Td"]
    assert told["certificate"]["public_key"] == PUBLIC.hex()


def test_without_a_key_it_says_that_nothing_was_compared(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(sign(certified(), OTHER_KEY).data)
    done = run("verify", path)
    assert done.exit_code == 0
    assert "not compared with anything" in done.output
    refused = run("verify", path, "--key", PUBLIC.hex())
    assert refused.exit_code == 1
    assert "not the trusted key" in refused.output
    assert refused.output.endswith("FALSE\n")


def test_a_false_certificate_is_said_to_be_false_and_in_what(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(signed(SHORT).data.replace(b'"present":50', b'"present":51'))
    done = run("verify", path)
    assert done.exit_code == 1
    assert "must make up the expected ones" in done.output
    assert "signature: it does not fit" in done.output
    told = json.loads(run("verify", path, "--json").output)
    assert (told["true"], told["certificate"]) == (False, None)
    assert {f["untrue"] for f in told["faults"]} == {"not a certificate", "signature"}


@pytest.mark.parametrize("words", [("absent.json",), ("c.json", "--key", "12")])
def test_what_cannot_be_looked_at_is_neither(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "c.json").write_bytes(signed().data)
    done = run("verify", tmp_path / words[0], *words[1:])
    assert done.exit_code == 2
    assert "Next: give" in done.output


def test_show_prints_what_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "c.html"
    path.write_bytes(files_of(signed(SHORT))[Kind.HTML])
    done = run("show", path)
    assert done.exit_code == 0
    for words in ("50 of 52", "seven of clubs", "19:03:20 (UTC-05:00)", "untagged extra card"):
        assert words in done.output
    path.write_bytes(path.read_bytes() + b" ")
    done = run("show", path)
    assert done.exit_code == 1
    assert "page: it is not the page" in done.output
    assert json.loads(run("show", path, "--json").output)["true"] is False


# ---- certificate key


def test_the_tables_key_is_shown_by_its_public_half(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(sample_text())
    done = CliRunner().invoke(certificates, ["key", "--config", str(config)])
    key = table_key(load(config).certificate_key)
    assert not key.made
    assert done.stdout == f"{key.public.hex()}\n"
    assert "made just now" in done.stderr
    assert str(key.path) in done.stderr
    secret = key.path.read_text().partition(":")[2].strip()
    again = run("key", "--config", config, "--json")
    assert json.loads(again.output) == {
        "public_key": key.public.hex(),
        "fingerprint": fingerprint(key.public),
        "private_file": str(key.path),
        "made_now": False,
    }
    assert secret not in done.output + again.output
    made = tmp_path / "c.json"
    made.write_bytes(sign(certified(), key.signing).data)
    public = tmp_path / "public"
    public.write_text(done.stdout)
    assert run("verify", made, "--key", public).exit_code == 0


def test_a_key_that_cannot_be_made_ends_in_words(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(sample_text().replace('"table-signing.key"', '"/proc/nowhere/a.key"'))
    done = run("key", "--config", config)
    assert done.exit_code == 2
    assert "or let `key` below [certificates]" in done.output
    missing = run("key", "--config", tmp_path / "absent.toml")
    assert missing.exit_code == 2


# ---- the journal, with and without a certificate


def test_a_certificate_anchors_the_journal_up_to_its_head(journal: Path, certificate: Path) -> None:
    done = journal_run("verify", journal, "--against", certificate, "--key", PUBLIC.hex())
    assert done.exit_code == 0
    assert f"anchored by what was kept outside: records 1 to {COUNTED}" in done.output
    assert f"not anchored: records {COUNTED + 1} to {COUNTED + 10}" in done.output
    told = json.loads(journal_run("verify", journal, "--against", certificate, "--json").output)
    assert (told["ok"], told["anchored"]) == (True, COUNTED)
    assert told["false_certificates"] == {}
    other = run("verify", certificate, "--journal", journal)
    assert other.exit_code == 0
    assert f"vouches for the journal's records 1 to {COUNTED}" in other.output
    assert f"not anchored by this certificate: records {COUNTED + 1} to" in other.output
    told = json.loads(run("verify", certificate, "--journal", journal, "--json").output)
    assert (told["true"], told["journal"]["anchored"]) == (True, COUNTED)


CHANGE = "UPDATE records SET body = replace(body, '\"at\":', '\"at\":1') WHERE seq = 12"
SWAP = (
    "UPDATE records SET seq = -1 WHERE seq = 12",
    "UPDATE records SET seq = 12 WHERE seq = 13",
    "UPDATE records SET seq = 13 WHERE seq = -1",
)
DELETE = "DELETE FROM records WHERE seq = 12"
SLIP_IN = (
    "INSERT INTO records SELECT 41, mono, wall, kind, body, schema, build, profile, sealed, prev,"
    " hash FROM records WHERE seq = 12"
)


@pytest.mark.parametrize(
    ("orders", "named"),
    [
        ((CHANGE,), "record 12: changed"),
        ((DELETE,), "record 12: missing"),
        (SWAP, "record 12: moved"),
        ((SLIP_IN,), "record 41: moved"),
    ],
)
@pytest.mark.parametrize("against", [False, True])
def test_what_breaks_the_chain_is_named_with_and_without_a_certificate(
    journal: Path, certificate: Path, orders: tuple[str, ...], named: str, against: bool
) -> None:
    attempt(journal, *orders)
    done = journal_run("verify", journal, *(("--against", certificate) if against else ()))
    assert done.exit_code == 1
    assert named in done.output
    if against:
        other = run("verify", certificate, "--journal", journal)
        assert other.exit_code == 1
        assert f"journal, {named}" in other.output
        assert "JOURNAL is not the one" in other.output


@pytest.mark.parametrize("first", [1, 12, COUNTED])
def test_a_chain_that_was_forged_to_its_end_breaks_on_the_certificate(
    journal: Path, certificate: Path, first: int
) -> None:
    attempt(journal, f"UPDATE records SET wall = wall + 1 WHERE seq = {first}")
    relink(journal, first)
    assert journal_run("verify", journal).exit_code == 0
    done = journal_run("verify", journal, "--against", certificate)
    assert done.exit_code == 1
    assert f"record {COUNTED}: head not met" in done.output
    assert ("record 1: head not met" in done.output) == (first == 1)
    assert "anchored by what was kept outside" not in done.output
    other = run("verify", certificate, "--journal", journal)
    assert other.exit_code == 1
    assert f"journal, record {COUNTED}: head not met" in other.output


def test_a_record_that_was_forged_after_the_certificate_is_not_anchored_and_said_so(
    journal: Path, certificate: Path
) -> None:
    attempt(journal, f"UPDATE records SET wall = wall + 1 WHERE seq = {COUNTED + 1}")
    relink(journal, COUNTED + 1)
    done = journal_run("verify", journal, "--against", certificate)
    assert done.exit_code == 0
    assert f"not anchored: records {COUNTED + 1} to {COUNTED + 10}" in done.output


def test_a_tail_cut_below_the_certificate_is_found(journal: Path, certificate: Path) -> None:
    attempt(journal, f"DELETE FROM records WHERE seq >= {COUNTED}")
    assert journal_run("verify", journal).exit_code == 0
    done = journal_run("verify", journal, "--against", certificate)
    assert done.exit_code == 1
    assert f"record {COUNTED}: head not met" in done.output


def test_another_journal_is_told_from_this_one(tmp_path: Path, certificate: Path) -> None:
    path = tmp_path / "other.db"
    with Journal(path, build="b") as journal:
        begin(journal, 0.0, boot="another")
        for n in range(COUNTED + 5):
            journal.stage(night.happening(n))
        journal.commit()
    done = journal_run("verify", path, "--against", certificate)
    assert done.exit_code == 1
    assert "this is another journal" in done.output


def test_a_false_certificate_vouches_for_nothing(journal: Path, certificate: Path) -> None:
    wrong_key = OTHER_KEY.verify_key.encode().hex()
    done = journal_run("verify", journal, "--against", certificate, "--key", wrong_key)
    assert done.exit_code == 1
    assert "not the trusted key" in done.output
    assert f"not anchored: records 1 to {COUNTED + 10}" in done.output
    told = json.loads(
        journal_run(
            "verify", journal, "--against", certificate, "--key", wrong_key, "--json"
        ).output
    )
    assert (told["ok"], told["anchored"], told["faults"]) == (False, 0, [])
    assert list(told["false_certificates"]) == [str(certificate)]
    refused = run("verify", certificate, "--key", wrong_key, "--journal", journal)
    assert refused.exit_code == 1
    assert "the journal was not looked at" in refused.output


def test_the_number_of_records_must_be_the_certified_one(tmp_path: Path) -> None:
    path, made = tmp_path / "gap.db", tmp_path / "c.json"
    with Journal(path, build="b") as journal:
        begin(journal, 0.0, boot="boot")
        journal.stage(Gap(at=1.0, lost=4))
        head = journal.commit()
    with JournalFile(path) as file:
        anchor = file.anchor()
    assert anchor.head == head
    assert anchor.records < 5
    for records, code in ((anchor.records, 0), (anchor.records + 1, 1)):
        facts = anchor._replace(records=records)
        made.write_bytes(sign(certified(anchor=facts), KEY).data)
        done = journal_run("verify", path, "--against", made)
        assert done.exit_code == code
    assert f"the certificate counts {anchor.records + 1}" in done.output


def test_a_certificate_of_an_empty_journal_anchors_nothing_and_is_no_fault(tmp_path: Path) -> None:
    path, made = tmp_path / "empty.db", tmp_path / "c.json"
    with Journal(path, build="b"):
        pass
    with JournalFile(path) as file:
        anchor = file.anchor()
    assert anchor == Anchor(Head(0, "0" * 64), "0" * 64, 0)
    later = ISSUED + timedelta(hours=1)
    issued = certify(
        COMPLETE, anchor, table="t", reason=certified().reason, build="b", issued_at=later
    )
    made.write_bytes(sign(issued, KEY).data)
    assert journal_run("verify", path, "--against", made).exit_code == 0


def test_what_is_no_certificate_cannot_be_held_against_a_journal(
    journal: Path, tmp_path: Path
) -> None:
    done = journal_run("verify", journal, "--against", tmp_path / "absent")
    assert done.exit_code == 2
    assert "Next: give the JSON, HTML or PDF file" in done.output
    rubbish = tmp_path / "rubbish"
    rubbish.write_text("rubbish")
    done = journal_run("verify", journal, "--against", rubbish)
    assert done.exit_code == 1
    assert "vouches for nothing here" in done.output
    assert done.output.rstrip().endswith("what was given against it is not true")
