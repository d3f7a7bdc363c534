"""The regulator's key pair: made once, never overwritten, opened by the private half alone."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.public import PrivateKey
from typer.testing import CliRunner

from controller.cli.keys import app
from controller.keys import (
    PRIVATE_NAME,
    PUBLIC_NAME,
    RegulatorKeyError,
    new_pair,
    private_key,
    public_key,
    seal,
    unseal,
)
from tests.disks import mounted, room_for


@given(plain=st.binary(max_size=200))
@settings(deadline=None)
def test_what_is_sealed_opens_with_the_private_half_alone(plain: bytes) -> None:
    key, other = PrivateKey.generate(), PrivateKey.generate()
    blob = seal(key.public_key, plain)
    assert unseal(key, blob) == plain
    assert len(blob) == len(plain) + 48
    assert blob != seal(key.public_key, plain)
    with pytest.raises(RegulatorKeyError, match="another key"):
        unseal(other, blob)
    with pytest.raises(RegulatorKeyError, match="changed since"):
        unseal(key, blob[:-1] + bytes([blob[-1] ^ 1]))
    with pytest.raises(RegulatorKeyError):
        unseal(key, b"short")


def test_a_pair_fits_and_the_private_half_is_for_its_owner(tmp_path: Path) -> None:
    pair = new_pair(tmp_path / "new" / "keys")
    assert stat.S_IMODE(pair.private.stat().st_mode) == 0o600
    assert pair.public.read_text().strip() == pair.public_text
    assert unseal(private_key(pair.private), seal(public_key(pair.public_text), b"7c")) == b"7c"


@pytest.mark.parametrize("there", [PRIVATE_NAME, PUBLIC_NAME])
def test_nothing_is_overwritten(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("an old key")
    with pytest.raises(RegulatorKeyError, match="is not overwritten"):
        new_pair(tmp_path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(there, "an old key")]


def test_a_private_half_that_others_may_read_opens_nothing(tmp_path: Path) -> None:
    pair = new_pair(tmp_path)
    pair.private.chmod(0o644)
    with pytest.raises(RegulatorKeyError, match=r"mode 644\)\. Next: chmod 600") as refused:
        private_key(pair.private)
    pair.private.chmod(0o600)
    assert pair.private.read_text().strip() not in str(refused.value)
    assert private_key(pair.private)


def test_a_full_disk_leaves_no_half_of_a_pair(tmp_path: Path) -> None:
    with room_for(40), pytest.raises(RegulatorKeyError, match="Next: make room on that disk"):
        new_pair(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_or_rights_to_write(tmp_path: Path) -> None:
    with (
        mounted(tmp_path, "-t", "tmpfs", "-o", "size=1m,ro", "burnturn-test"),
        pytest.raises(RegulatorKeyError, match="that disk is read-only"),
    ):
        new_pair(tmp_path / "keys")


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RegulatorKeyError, match="or name another folder"):
        new_pair(tmp_path / "file" / "keys")


def test_the_wrong_half_and_rubbish_are_told_apart(tmp_path: Path) -> None:
    pair = new_pair(tmp_path)
    private_text = pair.private.read_text()
    with pytest.raises(RegulatorKeyError, match=r"the private half.*must not be on the table"):
        public_key(private_text)
    with pytest.raises(RegulatorKeyError, match="the public half"):
        private_key(pair.public)
    for text in ("", "burnturn-public-1:", "burnturn-public-1:AAAA", "rubbish", "é"):
        with pytest.raises(RegulatorKeyError, match="not a burnturn key") as refused:
            public_key(text)
        assert "AAAA" not in str(refused.value)
    (tmp_path / "rubbish").write_bytes(b"\xff\xfe")
    (tmp_path / "rubbish").chmod(0o600)
    for name in ("rubbish", "absent"):
        with pytest.raises(RegulatorKeyError, match="keys new"):
            private_key(tmp_path / name)


def test_the_command_says_where_each_half_goes(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["new", str(tmp_path / "keys")])
    assert done.exit_code == 0
    private = tmp_path / "keys" / PRIVATE_NAME
    assert (tmp_path / "keys" / PUBLIC_NAME).read_text().strip() in done.output
    assert private.read_text().strip() not in done.output
    assert "never be on the table's machine" in done.output
    assert "regulator" in done.output
    again = CliRunner().invoke(app, ["new", str(tmp_path / "keys"), "--json"])
    assert again.exit_code == 2
    assert "not overwritten" in again.output
    other = CliRunner().invoke(app, ["new", str(tmp_path / "other"), "--json"])
    told = json.loads(other.output)
    assert public_key(told["public_key"])
    assert Path(told["private_file"]).exists()
