"""The two files beside the decks' box: whole or not there, opaque, and never in anybody's way."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.integrity.box import BoxError, DeckBox
from controller.integrity.deck_watch import DeckWatch
from controller.integrity.house_record import HouseRecord, Tonight
from controller.integrity.memory import HouseMemory, MemoryFileError
from controller.integrity.wear import NightLooks
from controller.model.cards import FACES
from controller.vault import Vault
from drivers.readings import Uid
from tests.controller.integrity.hands_over import over
from tests.controller.integrity.houses import deck

CARDS = {Uid(bytes((0xE0, n, 9, 9))): face for n, face in enumerate(FACES)}
VAULT = Vault({uid: ("red", face) for uid, face in CARDS.items()})


@pytest.fixture
def box(tmp_path: Path) -> DeckBox:
    return DeckBox(tmp_path / "decks.box", tmp_path / "decks.key")


def memory(box: DeckBox) -> HouseMemory:
    return HouseMemory(box, VAULT.deck_of)


def hands(watch: DeckWatch, first: int, count: int) -> None:
    """So many hands; each shows twenty cards, every one of them read in nine of ten looks."""
    uids = list(CARDS)
    for n in range(first, first + count):
        seen = [uids[(7 * n + i) % 52] for i in range(20)]
        looks = dict.fromkeys(seen, (10, 9))
        watch.ended(over("red", seen, 100.0 * n, hand=n, looks=looks))
        watch.keep()


def known(box: DeckBox) -> tuple[int, int, int]:
    """Nights over, hands whose returns are known, looks that are known: in both files together."""
    watch = DeckWatch(VAULT, memory=memory(box))
    record, night = watch._record, watch._night
    counted = [r.hands for r in (*record.returns.values(), *night.returns.values())]
    looked = sum(n.looks for nights in record.looks.values() for n in nights)
    return record.nights, sum(counted), looked + sum(n.looks for n in night.looks.values())


class CutError(Exception):
    """The power is cut."""


@pytest.mark.parametrize("step", ["open", "write", "rename"])
@pytest.mark.parametrize("at", range(4))
def test_whenever_the_power_is_cut_a_night_counts_once(
    box: DeckBox, monkeypatch: pytest.MonkeyPatch, step: str, at: int
) -> None:
    """The end of a night writes the record, and then what is known of the next night: the cut comes
    at any step of the n-th file written from there on."""
    watch = DeckWatch(VAULT, memory=memory(box))
    hands(watch, 1, 70)
    assert known(box) == (0, 70, 70 * 200)

    left = [at]
    real = Path.write_bytes, Path.replace

    def counted() -> bool:
        left[0] -= 1
        return left[0] < 0

    def write(path: Path, content: bytes) -> int:
        if step != "rename" and counted():
            if step == "write":
                real[0](path, content[: len(content) // 2])
            raise CutError
        return real[0](path, content)

    def rename(path: Path, target: Path) -> Path:
        if step == "rename" and counted():
            raise CutError
        return real[1](path, target)

    monkeypatch.setattr(Path, "write_bytes", write)
    monkeypatch.setattr(Path, "replace", rename)
    try:
        watch.close(7100.0)
        hands(watch, 71, 2)
    except CutError:
        pass
    monkeypatch.undo()

    after = memory(box)
    _, counted_hands, looked = known(box)
    assert after.notes == memory(box).notes
    assert not list(box.file.parent.glob("*.unread"))
    assert counted_hands in (70, 71, 72)
    assert looked == 200 * counted_hands


def test_the_files_show_neither_tags_nor_counts(box: DeckBox) -> None:
    watch = DeckWatch(VAULT, memory=memory(box))
    hands(watch, 1, 60)
    watch.close(6100.0)
    for path in (memory(box).record_file, memory(box).tonight_file):
        content = path.read_bytes()
        assert path.stat().st_mode & 0o777 == 0o600
        assert b"looks" not in content
        assert b"waited" not in content
        for uid in CARDS:
            assert bytes(uid) not in content
            assert uid.hex().encode() not in content


def test_no_key_is_made_beside_decks_that_need_another(box: DeckBox) -> None:
    box.change(lambda _: (deck("red"),))
    box.key.unlink()
    kept = memory(box)
    assert not kept.keep_record(HouseRecord(1))
    assert not box.key.exists()
    (note,) = kept.notes
    assert str(box.key) in note


def test_reading_makes_nothing(box: DeckBox) -> None:
    assert memory(box).load() == (HouseRecord(), None)
    assert list(box.file.parent.iterdir()) == []
    memory(box).keep_record(HouseRecord(1))
    box.key.unlink()
    with pytest.raises(MemoryFileError, match="which is gone"):
        memory(box).record()
    assert not box.key.exists()


def test_the_decks_key_opens_them_and_is_the_boxs_own(box: DeckBox) -> None:
    memory(box).keep_record(HouseRecord(2, looks={u: (NightLooks(5, 4),) for u in CARDS}))
    box.change(lambda _: (deck("red"),))
    assert memory(box).record().nights == 2
    assert [d.name for d in box.load()] == ["red"]
    box.key.write_bytes(b"short")
    with pytest.raises(MemoryFileError, match="no key of decks"):
        memory(box).record()
    with pytest.raises(BoxError):
        box.house_key()


def test_a_disk_that_works_again_is_noted(box: DeckBox, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    kept = memory(box)
    kept.keep_record(HouseRecord(1))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        for n in (2, 3):
            assert not kept.keep_record(HouseRecord(n))
    assert kept.keep_record(HouseRecord(4))
    assert ["cannot be written" in n for n in kept.notes] == [True, False]
    assert kept.record().nights == 4


def test_a_night_that_cannot_be_kept_is_added_later(
    box: DeckBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = DeckWatch(VAULT, memory=memory(box))
    hands(watch, 1, 60)
    with monkeypatch.context() as patch:
        patch.setattr(HouseMemory, "keep_record", lambda self, record: False)
        watch.close(6100.0)
    assert known(box) == (0, 60, 60 * 200)
    again = DeckWatch(VAULT, memory=memory(box))
    again.close(6200.0)
    assert known(box) == (1, 60, 60 * 200)
    assert isinstance(again._night, Tonight)
