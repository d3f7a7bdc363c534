"""Files that are written whole: there, or as they were, whatever the disk does."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from controller.files import (
    ExposedKeyError,
    New,
    beside,
    make_folder,
    place,
    read_key,
    remedy,
    replace,
)
from tests.disks import mounted, room_for


def there(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def ended_process() -> int:
    with subprocess.Popen(["true"]) as done:
        done.wait()
        return done.pid


def test_a_file_has_the_mode_that_is_asked_for_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        place(New(tmp_path / "a", b"1", 0o640), New(tmp_path / "b", b"2", 0o644))
        replace(tmp_path / "c", b"3", mode=0o600)
    finally:
        os.umask(before)
    assert [mode_of(tmp_path / name) for name in "abc"] == [0o640, 0o644, 0o600]
    assert there(tmp_path) == {"a": b"1", "b": b"2", "c": b"3"}


def test_new_files_overwrite_nothing_and_come_all_or_not(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        place(New(tmp_path / "a", b"new", 0o600), New(tmp_path / "b", b"new", 0o600))
    assert there(tmp_path) == {"b": b"old"}


def test_a_file_is_replaced_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o666)
    replace(path, b"new", mode=0o600)
    assert (path.read_bytes(), mode_of(path)) == (b"new", 0o600)


@pytest.mark.parametrize("size", [0, 10, 99])
def test_a_disk_that_becomes_full_leaves_all_as_it_was(tmp_path: Path, size: int) -> None:
    (tmp_path / "old").write_bytes(b"old")
    with room_for(size):
        with pytest.raises(OSError, match="File too large") as full:
            place(New(tmp_path / "a", b"1", 0o600), New(tmp_path / "b", b"x" * 100, 0o600))
        with pytest.raises(OSError, match="File too large"):
            replace(tmp_path / "old", b"x" * 100, mode=0o600)
    assert "make room" in remedy(full.value)
    assert there(tmp_path) == {"old": b"old"}


def test_a_full_and_a_read_only_disk_are_told_apart(tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=32k", "burnturn-test"):
        replace(tmp_path / "a", b"old", mode=0o600)
        with pytest.raises(OSError, match="No space left") as full:
            replace(tmp_path / "a", b"x" * 100_000, mode=0o600)
        assert there(tmp_path) == {"a": b"old"}
    with mounted(tmp_path, "-t", "tmpfs", "-o", "ro", "burnturn-test"):
        with pytest.raises(OSError, match="Read-only") as read_only:
            replace(tmp_path / "a", b"new", mode=0o600)
        with pytest.raises(OSError, match="Read-only"):
            make_folder(tmp_path / "b" / "c")
    assert remedy(full.value) == "Next: make room on that disk, then do it again"
    assert remedy(read_only.value, "run") == (
        "Next: that disk is read-only: mount it for writing, or run"
    )


def test_a_device_or_a_pipe_is_no_file_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="a device or a pipe"):
            replace(path, b"x", mode=0o600)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_link_stays_one_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link = tmp_path / "decks.box"
    link.symlink_to("disk/decks.box")
    for content in (b"one", b"two"):
        replace(link, content, mode=0o600)
        assert link.is_symlink()
        assert (tmp_path / "disk/decks.box").read_bytes() == content
    assert [p.name for p in (tmp_path / "disk").iterdir()] == ["decks.box"]


def test_an_error_in_the_block_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_bytes(b"old")

    def draw() -> None:
        with beside(path, mode=0o644, lasting=False) as aside:
            aside.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        draw()
    assert there(tmp_path) == {"picture": b"old"}


def test_what_a_killed_program_left_goes_with_the_next_file(tmp_path: Path) -> None:
    gone, living = ended_process(), os.getppid()
    kept = [f".a.{living}.beside", "a.1.beside", f".a.{gone}.besides", ".b.new"]
    for name in (f".other.{gone}.beside", f".a.{gone}.beside-wal", *kept):
        (tmp_path / name).write_bytes(b"half")
    replace(tmp_path / "a", b"whole", mode=0o600)
    assert sorted(there(tmp_path)) == sorted(["a", *kept])


def test_folders_are_made_down_to_the_last(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b" / "c")
    make_folder(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match=r"exists|Not a directory"):
        make_folder(tmp_path / "file")


@pytest.mark.parametrize("mode", [0o601, 0o602, 0o604, 0o610, 0o620, 0o640, 0o777])
def test_a_key_is_read_for_its_owner_alone(tmp_path: Path, mode: int) -> None:
    key = tmp_path / "own.key"
    replace(key, b"secret bytes", mode=mode)
    with pytest.raises(ExposedKeyError) as refused:
        read_key(key, 100).closed("make another")
    assert f'(mode {mode:o}). Next: chmod 600 "{key}"' in str(refused.value)
    assert "secret" not in str(refused.value) + repr(read_key(key, 100))
    for closed in (0o600, 0o400):
        key.chmod(closed)
        assert read_key(key, 6).closed("make another") == b"secret"
