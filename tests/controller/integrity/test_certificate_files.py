"""The files of a certificate: all three, whole, under a name of their own, or none."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from controller.integrity.certificate import Reason
from controller.integrity.filing import FilingError, Kind, checked, files_of, read, save
from tests.controller.integrity.counted import COMPLETE, KEY, PUBLIC, certified, signed
from tests.disks import mounted, room_for


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_three_files_are_named_after_time_deck_and_reason(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "certificates"
    paths = save(certified(), KEY, folder)
    assert names(folder) == [
        "2026-11-30T19-04-10-red-count.html",
        "2026-11-30T19-04-10-red-count.json",
        "2026-11-30T19-04-10-red-count.pdf",
    ]
    for kind in Kind:
        found = checked(read(paths[kind]), PUBLIC)
        assert (found.kind, found.faults, found.signed) == (kind, (), signed())
        assert stat.S_IMODE(paths[kind].stat().st_mode) & 0o007 == 0


def test_a_deck_of_any_name_makes_a_file_of_a_plain_one(tmp_path: Path) -> None:
    for deck in ("../../etc/Red & Blue", "卓", "-"):
        made = certified(replace(COMPLETE, deck=deck), reason=Reason.CLOSING)
        for path in save(made, KEY, tmp_path).values():
            assert path.parent == tmp_path
    assert {n.partition("10-")[2] for n in names(tmp_path) if n.endswith(".pdf")} == {
        "etc-red-blue-closing.pdf",
        "deck-closing.pdf",
        "deck-closing-2.pdf",
    }


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    taken = tmp_path / "2026-11-30T19-04-10-red-count.html"
    taken.write_text("an older one")
    first, second = (save(certified(), KEY, tmp_path)[Kind.PDF].name for _ in range(2))
    assert first == "2026-11-30T19-04-10-red-count-2.pdf"
    assert second == "2026-11-30T19-04-10-red-count-3.pdf"
    assert taken.read_text() == "an older one"
    assert len(names(tmp_path)) == 7


@pytest.mark.parametrize("size", [0, 500, 10_000, 20_000])
def test_a_disk_that_becomes_full_leaves_nothing_half_written(tmp_path: Path, size: int) -> None:
    with room_for(size), pytest.raises(FilingError, match="Next: make room on that disk"):
        save(certified(), KEY, tmp_path)
    assert names(tmp_path) == []
    save(certified(), KEY, tmp_path)
    assert len(names(tmp_path)) == 3


def test_a_full_disk(tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=32k", "burnturn-test"):
        with pytest.raises(FilingError, match=r"No space left.*Next: make room on that disk"):
            save(certified(), KEY, tmp_path)
        assert names(tmp_path) == []


def test_a_read_only_disk(tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=1m,ro", "burnturn-test"):
        with pytest.raises(FilingError, match=r"Read-only.*`folder` below \[certificates\]"):
            save(certified(), KEY, tmp_path)
        assert names(tmp_path) == []


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        with pytest.raises(FilingError, match="or let `folder`"):
            save(certified(), KEY, folder)


def test_what_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(bytes(1_000_001))
    for path in (tmp_path, tmp_path / "absent", large, Path("\0")):
        with pytest.raises(FilingError, match="Next: give the JSON, HTML or PDF file"):
            read(path)


def test_every_file_holds_the_whole_certificate() -> None:
    made = signed()
    for data in files_of(made).values():
        assert checked(data).signed == made
