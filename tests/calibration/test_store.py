"""The folder of calibrations: whole or not at all, and nobody else's."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import controller.files
from calibration.report import Page
from calibration.steps import Belongs, Remark, Weight
from calibration.store import (
    DamagedError,
    ForeignError,
    ProfileStore,
    StoreError,
    differences,
)

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
TABLE = {"antenna 1": "seat/1 on reader 1, port 1", "reader 1": "A50285BI"}


@dataclass(frozen=True)
class Profile:
    rate: float
    seats: tuple[int, ...] = ()


def store(folder: Path, files: object = controller.files) -> ProfileStore:
    return ProfileStore(folder / "calibration", files, "1.2.3")  # type: ignore[arg-type]


def save(kept: ProfileStore, rate: float, at: datetime = NOON, **table: str) -> Path:
    made = kept.made(Belongs({**TABLE, **table}, {"reader 1": "firmware 2"}), by="Anna", at=at)
    return kept.save("antennas", Profile(rate, (1, 2)), made)


def test_saved_profile_comes_back_with_when_who_and_what(tmp_path: Path) -> None:
    kept = store(tmp_path)
    assert kept.load("antennas", Profile) is None
    save(kept, 0.05)
    found = kept.load("antennas", Profile, TABLE)
    assert found is not None
    assert found.profile == Profile(0.05, (1, 2))
    made = found.made
    assert (made.at, made.by, made.program) == (NOON, "Anna", "1.2.3")
    assert made.devices == {"reader 1": "firmware 2"}
    assert made.age(NOON + timedelta(days=3)) == timedelta(days=3)
    assert made.age(NOON - timedelta(days=3)) == timedelta(0)


def test_one_before_stays_beside_it_by_its_date(tmp_path: Path) -> None:
    kept = store(tmp_path)
    for n in range(3):
        save(kept, n / 10, NOON + timedelta(days=n))
    before = kept.before("antennas")
    assert [p.name for p in before] == [
        "antennas-20261201T120000Z.json",
        "antennas-20261202T120000Z.json",
    ]
    before[0].rename(kept.path("antennas"))  # put back by hand
    found = kept.load("antennas", Profile, TABLE)
    assert found is not None
    assert found.profile.rate == 0.0


def test_two_of_one_second_are_both_kept(tmp_path: Path) -> None:
    kept = store(tmp_path)
    for n in range(3):
        save(kept, n / 10)
    assert len(kept.before("antennas")) == 2


class CutFiles:
    """A power cut at the write number `at`: nothing of it and nothing after it reaches the disk."""

    def __init__(self, at: int) -> None:
        self.at = at

    def make_folder(self, folder: Path) -> None:
        controller.files.make_folder(folder)

    def replace(self, path: Path, content: bytes, *, mode: int) -> None:
        self.at -= 1
        if self.at < 0:
            raise OSError(28, "No space left on device")
        controller.files.replace(path, content, mode=mode)


@pytest.mark.parametrize("at", [0, 1])
def test_cut_while_saving_leaves_the_one_before_in_force(tmp_path: Path, at: int) -> None:
    save(store(tmp_path), 0.05)
    with pytest.raises(StoreError, match="Nothing is changed"):
        save(store(tmp_path, CutFiles(at)), 0.5, NOON + timedelta(days=1))
    found = store(tmp_path).load("antennas", Profile, TABLE)
    assert found is not None
    assert found.profile.rate == 0.05


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 0.99])
def test_part_of_a_file_is_damaged(tmp_path: Path, share: float) -> None:
    path = save(store(tmp_path), 0.05)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(DamagedError, match="burnturn calibrate antennas"):
        store(tmp_path).load("antennas", Profile)


def test_changed_by_hand_is_damaged(tmp_path: Path) -> None:
    path = save(store(tmp_path), 0.05)
    path.write_text(path.read_text().replace("0.05", "0.01"))
    with pytest.raises(DamagedError, match="changed by hand"):
        store(tmp_path).load("antennas", Profile)


@pytest.mark.parametrize(
    "rubbish",
    [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"sha256": 3, "version": []}'],
)
def test_rubbish_is_damaged_and_gives_way_to_a_new_one(tmp_path: Path, rubbish: bytes) -> None:
    kept = store(tmp_path)
    path = save(kept, 0.05)
    path.write_bytes(rubbish)
    with pytest.raises(DamagedError):
        kept.load("antennas", Profile)
    save(kept, 0.07)
    assert kept.load("antennas", Profile) is not None
    assert any(p.read_bytes() == rubbish for p in kept.before("antennas"))


def test_what_is_no_file_is_said_and_not_waited_for(tmp_path: Path) -> None:
    kept = store(tmp_path)
    kept.folder.mkdir()
    os.mkfifo(kept.path("antennas"))
    with pytest.raises(StoreError, match=r"antennas\.json: is no file"):
        kept.load("antennas", Profile)
    os.mkfifo(kept.folder / "antennas.draft.json")
    assert kept.draft("antennas", Profile, TABLE, NOON) is None
    kept.path("seats").mkdir()
    with pytest.raises(StoreError, match=r"seats\.json: cannot be read"):
        kept.load("seats", Profile)


def test_time_without_its_zone_is_damage(tmp_path: Path) -> None:
    kept = store(tmp_path)
    body = json.loads(save(kept, 0.1).read_text())
    del body["sha256"]
    body["made"]["at"] = "2026-12-01T12:00:00"
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    body["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    kept.path("antennas").write_text(json.dumps(body))
    with pytest.raises(DamagedError):
        kept.load("antennas", Profile, TABLE)


def test_other_values_than_the_kind_has_are_damaged(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Other:
        width: int

    save(store(tmp_path), 0.05)
    with pytest.raises(DamagedError, match="width"):
        store(tmp_path).load("antennas", Other)


def test_one_of_another_reader_is_foreign_and_says_what_differs(tmp_path: Path) -> None:
    save(store(tmp_path), 0.05)
    there = {**TABLE, "reader 1": "A9XX", "antenna 2": "seat/2"}
    with pytest.raises(ForeignError) as error:
        store(tmp_path).load("antennas", Profile, there)
    assert error.value.differences == (
        "antenna 2 (seat/2) is not in it",
        "reader 1 was A50285BI and is A9XX",
    )
    assert "burnturn calibrate antennas" in str(error.value)


def test_what_nobody_knows_does_not_differ() -> None:
    assert differences({"reader 1": ""}, {"reader 1": "A9"}) == ()
    assert differences({"reader 1": "A9"}, {"reader 1": ""}) == ()


def test_file_of_another_kind_is_foreign(tmp_path: Path) -> None:
    kept = store(tmp_path)
    save(kept, 0.05).rename(kept.path("seats"))
    with pytest.raises(ForeignError, match="of antennas, not of seats"):
        kept.load("seats", Profile)


def test_file_of_a_newer_program_says_so(tmp_path: Path) -> None:
    path = save(store(tmp_path), 0.05)
    body = json.loads(path.read_text())
    path.write_text(json.dumps({**body, "version": 2}))
    with pytest.raises(StoreError, match="newer burnturn"):
        store(tmp_path).load("antennas", Profile)


@pytest.mark.parametrize("version", [True, 0, -1, 1.0, "1", None])
def test_file_of_a_version_that_never_was_is_damaged(tmp_path: Path, version: object) -> None:
    path = save(store(tmp_path), 0.05)
    body = {**json.loads(path.read_text()), "version": version}
    del body["sha256"]
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    path.write_text(json.dumps({**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}))
    with pytest.raises(DamagedError):
        store(tmp_path).load("antennas", Profile)


def test_draft_is_of_this_table_and_of_today(tmp_path: Path) -> None:
    kept = store(tmp_path)
    kept.keep_draft("antennas", Profile(0.5), TABLE, NOON)
    later = NOON + timedelta(hours=1)
    assert kept.draft("antennas", Profile, TABLE, later) == Profile(0.5)
    assert kept.draft("antennas", Profile, {**TABLE, "reader 1": "other"}, later) is None
    assert kept.draft("antennas", Profile, TABLE, NOON + timedelta(days=2)) is None
    assert kept.load("antennas", Profile) is None
    (kept.folder / "antennas.draft.json").write_text("{")
    assert kept.draft("antennas", Profile, TABLE, later) is None
    kept.drop_draft("antennas")
    kept.drop_draft("antennas")


def test_page_is_whole_and_tells_everything_once(tmp_path: Path) -> None:
    kept = store(tmp_path)
    made = kept.made(Belongs(TABLE, {"reader 1": "firmware <2>"}), by="Anna & Bo", at=NOON)
    remarks = [Remark(Weight.GOOD, "fine"), Remark(Weight.REFUSED, "wire <1> is cut")]
    path = kept.save_page("antennas", Page("Antennas", "15 & more"), remarks, made)
    text = path.read_text()
    assert "wire &lt;1&gt; is cut" in text
    assert text.index("is cut") < text.index("fine")
    assert "Anna &amp; Bo" in text
    assert "firmware &lt;2&gt;" in text
    assert "http" not in text
