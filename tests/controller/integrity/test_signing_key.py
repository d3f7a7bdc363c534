"""The table's signing key: made once, for its owner alone, never overwritten, never shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from controller.integrity.signing import (
    SigningKeyError,
    fingerprint,
    grouped,
    table_key,
    trusted_key,
)


def test_it_is_made_at_its_first_use_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "table.key"
    first, again = table_key(path), table_key(path)
    assert (first.made, again.made) == (True, False)
    assert first.public == again.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["table.key"]
    assert table_key(tmp_path / "other.key").public != first.public


def test_neither_a_repr_nor_an_error_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    key = table_key(path)
    secret = path.read_text().strip().partition(":")[2]
    assert secret not in repr(key)
    assert bytes(key.signing).hex() not in repr(key)
    path.write_text(path.read_text()[:-4])
    with pytest.raises(SigningKeyError, match="damaged") as refused:
        table_key(path)
    assert secret[:20] not in str(refused.value)


@pytest.mark.parametrize(
    "content", [b"", b"rubbish", b"\xff\xfe", b"burnturn-table-signing-1:AA=="]
)
def test_a_damaged_file_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SigningKeyError, match="Next: put a copy of it back"):
        table_key(path)
    assert path.read_bytes() == content


def test_a_key_that_others_can_read_does_not_sign(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    table_key(path)
    path.chmod(0o640)
    with pytest.raises(SigningKeyError, match=r"mode 640.*chmod 600"):
        table_key(path)


def test_a_place_where_no_key_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "table.key", Path("/proc/nowhere/table.key"), tmp_path):
        with pytest.raises(SigningKeyError, match=r"\[certificates\] in table.toml"):
            table_key(path)


def test_a_public_key_is_read_as_it_is_printed(tmp_path: Path) -> None:
    public = table_key(tmp_path / "table.key").public
    file = tmp_path / "public.txt"
    file.write_text(f"{public.hex()}\n")
    shown = (public.hex(), public.hex().upper(), grouped(public.hex()), str(file))
    assert {trusted_key(text) for text in shown} == {public}
    assert len(fingerprint(public)) == 39


def test_what_is_no_public_key_is_refused_in_words(tmp_path: Path) -> None:
    private = tmp_path / "table.key"
    table_key(private)
    with pytest.raises(SigningKeyError, match="private half") as refused:
        trusted_key(str(private))
    assert private.read_text().partition(":")[2].strip() not in str(refused.value)
    (tmp_path / "rubbish").write_bytes(b"\xff" * 100)
    (tmp_path / "short").write_text("abcd")
    for text in ("", "abcd", "\0", str(tmp_path), str(tmp_path / "rubbish"), "x" * 5000):
        with pytest.raises(SigningKeyError, match="Next: give what"):
            trusted_key(text)
    with pytest.raises(SigningKeyError, match="holds no public key"):
        trusted_key(str(tmp_path / "short"))
