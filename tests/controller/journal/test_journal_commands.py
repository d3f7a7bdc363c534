"""`burnturn journal …`: what it prints, and how it exits."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from controller.cli.journal import app
from controller.journal.resume import begin
from controller.journal.writer import Journal
from controller.keys import KeyPair, new_pair, public_key, seal
from controller.model.events import CardCame, Token
from controller.model.table import seat_zone
from controller.vault import Vault
from drivers.readings import Uid
from tests.controller.journal import night


@pytest.fixture
def keys(tmp_path: Path) -> KeyPair:
    return new_pair(tmp_path / "keys")


@pytest.fixture
def path(tmp_path: Path, keys: KeyPair) -> Path:
    """A journal of nine records, the sixth and seventh with a sealed card."""
    path = tmp_path / "night.db"
    with Journal(path, build="b", wall=lambda: 1.7e9) as journal:
        begin(journal, 0.0, boot="boot")
        for n in range(4):
            journal.stage(night.happening(n))
        for n, card in enumerate((b'{"card":"7c"}', b'{"card":"10d"}')):
            came = CardCame(
                at=4.0 + n, token=Token(n), zone=seat_zone(n + 1), after=0.0, before=4.0
            )
            journal.stage(came, sealed=seal(public_key(keys.public_text), card.ljust(64)))
        journal.stage(night.happening(5))
        journal.stage(night.happening(7))
        journal.commit()
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(w) for w in words])


def tampered(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(sql)


def test_head_and_verify_against_it(path: Path) -> None:
    head = run("head", path).output.strip()
    assert json.loads(run("head", path, "--json").output) == {
        "seq": 9,
        "hash": head.partition(":")[2],
    }
    plain = run("verify", path)
    assert plain.exit_code == 0
    assert "not anchored: records 1 to 9" in plain.output
    anchored = run("verify", path, "--head", head)
    assert anchored.exit_code == 0
    assert "anchored to the end" in anchored.output
    told = json.loads(run("verify", path, "--json", "--head", head).output)
    assert (told["ok"], told["records"], told["anchored"], told["faults"]) == (True, 9, 9, [])


def test_verify_names_what_is_wrong(path: Path) -> None:
    head = run("head", path).output.strip()
    tampered(path, "DELETE FROM records WHERE seq = 4")
    tampered(path, "UPDATE records SET body = replace(body, '4', '5') WHERE seq = 6")
    done = run("verify", path, "--head", head)
    assert done.exit_code == 1
    assert "record 4: missing" in done.output
    assert "record 6: changed" in done.output
    told = json.loads(run("verify", path, "--json").output)
    assert [(f["seq"], f["wrong"]) for f in told["faults"]][:2] == [(4, "missing"), (6, "changed")]


def test_a_replay_of_a_journal_that_is_not_whole_proves_nothing(path: Path) -> None:
    tampered(path, "DELETE FROM records WHERE seq = 4")
    found = run("replay", path)
    assert found.exit_code == 1
    assert "the journal is not whole" in found.output
    assert "bit for bit" not in found.output
    told = json.loads(run("replay", path, "--json").output)
    assert told["chain_faults"]


def test_a_cut_tail_is_found_by_the_head_kept_outside(path: Path) -> None:
    head = run("head", path).output.strip()
    tampered(path, "DELETE FROM records WHERE seq = 9")
    assert run("verify", path).exit_code == 0
    done = run("verify", path, "--head", head)
    assert done.exit_code == 1
    assert "record 9: head not met" in done.output


@pytest.mark.parametrize("command", ["verify", "head", "export", "replay"])
def test_a_file_that_is_not_there(tmp_path: Path, command: str) -> None:
    done = run(command, tmp_path / "no.db")
    assert done.exit_code == 2
    assert "no.db: no such file. Next:" in done.output


def test_a_head_that_is_none(path: Path) -> None:
    done = run("verify", path, "--head", "9:abc")
    assert done.exit_code == 2
    assert "64 hex digits" in done.output


def test_export_is_json_lines_without_sealed_blobs(path: Path) -> None:
    lines = [json.loads(line) for line in run("export", path).output.splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, 10))
    assert lines[4]["body"]["after"] == "-inf"
    assert all("blob" not in line for line in lines)
    later = [
        json.loads(s) for s in run("export", path, "--since", 6, "--sealed").output.splitlines()
    ]
    assert ["blob" in line for line in later] == [True, True, False, False]
    assert '"card"' not in run("export", path, "--sealed").output


def test_unseal_is_for_the_regulator(path: Path, keys: KeyPair, tmp_path: Path) -> None:
    done = run("unseal", path, "--key", keys.private)
    assert done.exit_code == 0
    assert "FOR THE REGULATOR" in run("unseal", "--help").output
    assert "never on the table" in done.output
    assert 'card-came\tseat/1\t{"card":"7c"}' in done.output
    told = [
        json.loads(s)
        for s in run("unseal", path, "--key", keys.private, "--json").output.splitlines()
    ]
    assert [t["identity"] for t in told] == ['{"card":"7c"}', '{"card":"10d"}']
    other = new_pair(tmp_path / "other")
    refused = run("unseal", path, "--key", other.private)
    assert refused.exit_code == 1
    assert "another key" in refused.output
    assert "7c" not in refused.output
    public = run("unseal", path, "--key", keys.public)
    assert public.exit_code == 2
    assert "public half" in public.output


def test_what_the_vault_sealed_is_told_by_face_and_tag(tmp_path: Path, keys: KeyPair) -> None:
    path = tmp_path / "vault.db"
    uid = Uid(bytes.fromhex("e0040150aa10ff12"))
    key = bytes(public_key(keys.public_text))
    vault = Vault({uid: ("red", "Td")}, public_key=key)
    token = vault.token(uid)
    with Journal(path, build="b") as journal:
        came = CardCame(at=1.0, token=token, zone=seat_zone(4), after=0.0, before=1.0)
        journal.stage(came, sealed=vault.sealed(token))
        journal.commit()
    done = run("unseal", path, "--key", keys.private)
    assert "seat/4\tTd of red, uid e0040150aa10ff12" in done.output
    for command in (("export", path, "--sealed"), ("verify", path)):
        assert "e0040150aa10ff12" not in run(*command).output


def test_a_blob_sealed_afresh_is_not_taken_for_the_journaled_one(path: Path, keys: KeyPair) -> None:
    forged = seal(public_key(keys.public_text), b'{"card":"Ac"}')
    tampered(path, f"UPDATE sealed SET blob = x'{forged.hex()}' WHERE seq = 6")
    done = run("unseal", path, "--key", keys.private)
    assert done.exit_code == 1
    assert "proves nothing" in done.output


def test_a_body_that_is_no_json_ends_the_export_in_words(path: Path) -> None:
    tampered(path, "UPDATE records SET body = '{\"at\":' WHERE seq = 3")
    result = run("export", path)
    assert result.exit_code == 2
    assert "record 3: the body is no JSON" in result.output
    assert "journal verify" in result.output


def test_a_table_that_is_gone_is_damage_and_no_fault_of_the_cable(path: Path) -> None:
    tampered(path, "DROP TABLE records")
    result = run("head", path)
    assert result.exit_code == 2
    assert "damaged (no such table: records)" in result.output
