"""The file of the house's decks: whatever happens to it, a clear word and nothing lost."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.integrity.box import BoxError, DeckBox, exported, imported, write_export
from controller.integrity.decks import DeckError, added, paired, renamed, retired
from tests.controller.integrity.houses import deck
from tests.disks import room_for

PHRASE = "four words of a house"


@pytest.fixture
def box(tmp_path: Path) -> DeckBox:
    return DeckBox(tmp_path / "decks.box", tmp_path / "keys" / "decks.key")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's right to write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(65534)
    except OSError:
        pytest.skip("there is no other user in this namespace")
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_house_without_a_file_has_no_decks(box: DeckBox) -> None:
    assert box.load() == ()
    assert not box.key.exists(), "looking makes nothing"


def test_what_is_kept_comes_back_and_only_the_owner_may_read_it(box: DeckBox) -> None:
    house = paired((deck("red-1"), deck("blue-1", "blue")), "red-1", "blue-1")
    assert box.change(lambda before: added(before, *house)) == house
    assert DeckBox(box.file, box.key).load() == house
    for path in (box.file, box.key):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert box.key.stat().st_size == 32


def test_the_file_shows_neither_uid_nor_face_nor_name(box: DeckBox) -> None:
    red = deck("red-1")
    box.change(lambda before: added(before, red))
    content = box.file.read_bytes()
    assert bytes(red.tags[0].uid) not in content
    assert red.tags[0].uid.hex().encode() not in content
    assert b"red-1" not in content


def test_the_version_before_stays_beside_it(box: DeckBox) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    box.change(lambda before: added(before, deck("blue-1", "blue")))
    assert [d.name for d in DeckBox(box.backup, box.key).load()] == ["red-1"]


@pytest.mark.parametrize("damage", ["cut", "empty", "a byte", "another file", "its head"])
def test_a_damaged_file_is_named_and_the_way_back_works(box: DeckBox, damage: str) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    box.change(lambda before: added(before, deck("blue-1", "blue")))
    content = box.file.read_bytes()
    spoilt = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "a byte": content[:900] + bytes((content[900] ^ 1,)) + content[901:],
        "another file": b"[table]\nname = 1\n",
        "its head": content[:4] + b"!" + content[5:],
    }[damage]
    box.file.write_bytes(spoilt)
    with pytest.raises(BoxError) as told:
        box.load()
    assert str(box.file) in str(told.value)
    with pytest.raises(BoxError):
        box.change(lambda before: before)
    assert box.file.read_bytes() == spoilt, "a change of a damaged file changes nothing"
    way_back = str(told.value).rpartition("Next: cp ")[2].split()
    shutil.copy(*way_back)
    assert [d.name for d in box.load()] == ["red-1"]


def test_a_damaged_file_without_a_version_before_says_so(box: DeckBox) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    box.file.write_bytes(box.file.read_bytes()[:-1])
    with pytest.raises(BoxError, match=r"is damaged\. Next: put a copy of the file back"):
        box.load()


def test_a_file_that_is_gone_is_not_taken_for_a_house_without_decks(box: DeckBox) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    box.change(lambda before: added(before, deck("blue-1", "blue")))
    box.file.unlink()
    with pytest.raises(BoxError, match="is not there, but the version before"):
        box.change(lambda before: added(before, deck("green-1", "green")))
    assert box.backup.exists()


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (b"x" * 32, "encrypted to another key than"),
        (b"x" * 31, "has 31 bytes, not 32"),
        (None, "the key of the decks is not there"),
    ],
)
def test_another_key_is_told_from_damage_and_none_is_made_anew(
    box: DeckBox, key: bytes | None, words: str
) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    own = box.key.read_bytes()
    box.key.unlink()
    if key is not None:
        box.key.write_bytes(key)
        box.key.chmod(0o600)
    with pytest.raises(BoxError, match=words) as told:
        box.change(lambda before: added(before, deck("blue-1", "blue")))
    assert own.hex() not in str(told.value)
    assert (box.key.read_bytes() if key is not None else None) == key
    box.key.write_bytes(own)
    box.key.chmod(0o600)
    assert [d.name for d in box.load()] == ["red-1"]


def test_a_full_disk_loses_nothing(box: DeckBox) -> None:
    house = box.change(lambda before: added(before, deck("red-1")))
    with room_for(4000), pytest.raises(BoxError, match=r"Next: make room on that disk") as told:
        box.change(lambda before: added(before, deck("blue-1", "blue")))
    assert "nothing was changed" in str(told.value)
    assert box.load() == house
    left = sorted(p.name for p in box.file.parent.iterdir())
    assert left == [".decks.box.lock", "decks.box", "keys"]
    assert len(box.change(lambda before: added(before, deck("blue-1", "blue")))) == 2


def test_a_full_disk_is_told_before_the_first_card(box: DeckBox) -> None:
    with room_for(100), pytest.raises(BoxError, match="make room"):
        box.prepare()
    assert not box.file.exists()


def test_a_folder_that_cannot_be_written_is_told_before_the_first_card() -> None:
    folder = Path(tempfile.mkdtemp(prefix="decks-"))  # pytest's own are closed to others
    try:
        folder.chmod(0o555)
        box = DeckBox(folder / "decks.box", folder / "decks.key")
        with as_nobody():
            assert box.load() == ()
            with pytest.raises(BoxError, match=r"Permission denied.*nothing was changed") as told:
                box.prepare()
        assert "Next: see that this user may write in that folder" in str(told.value)
        assert list(folder.iterdir()) == []
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_refused_change_leaves_the_file_as_it_was(box: DeckBox) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    content = box.file.read_bytes()
    with pytest.raises(DeckError):
        box.change(lambda before: added(before, deck("red-1")))
    assert box.file.read_bytes() == content


def test_what_a_power_cut_left_beside_it_does_not_matter(box: DeckBox) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    left = box.file.parent / ".decks.box.999999999.beside"
    left.write_bytes(b"half of")
    assert len(box.change(lambda before: added(before, deck("blue-1", "blue")))) == 2
    assert not left.exists()


def test_a_full_disk_leaves_the_version_before_the_last_change(box: DeckBox) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    box.change(lambda before: added(before, deck("blue-1", "blue")))
    with room_for(7000), pytest.raises(BoxError, match="make room"):
        box.change(lambda before: added(before, deck("green-1", "green")))
    assert [d.name for d in DeckBox(box.backup, box.key).load()] == ["red-1"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_that_others_may_read_opens_nothing(box: DeckBox, mode: int) -> None:
    box.change(lambda before: added(before, deck("red-1")))
    box.key.chmod(mode)
    for act in (box.load, box.prepare, lambda: box.change(lambda before: before)):
        with pytest.raises(BoxError, match=rf'mode {mode:o}\)\. Next: chmod 600 "{box.key}"'):
            act()
    box.key.chmod(0o600)
    assert [d.name for d in box.load()] == ["red-1"]


def test_decks_move_to_another_table(box: DeckBox, tmp_path: Path) -> None:
    house = paired((deck("red-1"), deck("blue-1", "blue")), "red-1", "blue-1")
    file = tmp_path / "decks.move"
    write_export(file, exported(house, PHRASE))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"red-1" not in file.read_bytes()
    assert imported(file, PHRASE) == house
    with pytest.raises(BoxError, match="another passphrase, or the file is damaged"):
        imported(file, PHRASE + "!")
    with pytest.raises(BoxError, match="is there already"):
        write_export(file, b"")
    box.change(lambda before: added(before, *imported(file, PHRASE)))
    with pytest.raises(DeckError, match="there are two of this name"):
        box.change(lambda before: added(before, *imported(file, PHRASE)))
    with pytest.raises(DeckError) as refused:
        box.change(lambda before: added(before, *renamed(house, "red-1", "red-2")[:1]))
    assert "deck red-2: holds cards that are registered in deck red-1" in str(refused.value)


def test_half_a_pair_moves_alone(tmp_path: Path) -> None:
    house = paired((deck("red-1"), deck("blue-1", "blue")), "red-1", "blue-1")
    file = tmp_path / "decks.move"
    write_export(file, exported(house[:1], PHRASE))
    assert [d.pair for d in imported(file, PHRASE)] == [None]
    assert house[0].pair == "blue-1"


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(BoxError, match="has 5 characters"):
        exported((deck("red-1"),), "12345")


def test_a_box_is_no_export_and_an_export_no_box(box: DeckBox, tmp_path: Path) -> None:
    box.change(lambda before: retired(added(before, deck("red-1")), "red-1"))
    with pytest.raises(BoxError, match="is no export of decks"):
        imported(box.file, PHRASE)
    box.file.write_bytes(exported((deck("red-1"),), PHRASE))
    with pytest.raises(BoxError, match="is an export of decks"):
        box.load()
