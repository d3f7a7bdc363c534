"""The file of rates: whole or not at all, and never in the way."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from controller.rates.book import RateBook, RatesFileError, rates_file, read, spelled
from controller.rates.counts import Error, Portion, Sense
from controller.rates.nights import Nights

MISS = Sense("antenna 3", Error.MISS)
BOARD = Sense("camera 1, board", Error.UNREAD)


class Wall:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        self.now += 60.0
        return self.now


def hand_after_hand(book: RateBook, hands: int, wrong: int = 1) -> None:
    for _ in range(hands):
        book.hand({MISS: Portion(20, wrong), BOARD: Portion(5, 0)})


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    async def main() -> Nights:
        book = RateBook(tmp_path / "j.rates", {MISS: 0.05}, wall=Wall())
        hand_after_hand(book, 5)
        await book.close()
        return book.nights

    nights = asyncio.run(main())
    assert read(tmp_path / "j.rates") == nights
    assert nights.nights[0].hands == 5
    assert nights.nights[0].tallies[BOARD].tried == 25


def test_a_night_goes_on_after_a_kill_and_a_drift_is_remembered(tmp_path: Path) -> None:
    wall, notes = Wall(), list[str]()

    def start(again: bool) -> RateBook:
        return RateBook(tmp_path / "f", {MISS: 0.05}, again=again, note=notes.append, wall=wall)

    async def main() -> None:
        killed = start(again=False)
        hand_after_hand(killed, 40, wrong=15)
        assert len(notes) == 1
        killed._executor.shutdown(wait=True)  # whatever was being written is; the rest is lost
        kept = read(tmp_path / "f").nights[0].hands
        assert 1 <= kept <= 40
        files = read(tmp_path / "f")
        again = start(again=True)
        assert again.nights.nights[0].hands == kept
        assert (len(notes) == 2) == bool(files.trouble())
        hand_after_hand(again, 40, wrong=15)
        await again.close()
        nights = read(tmp_path / "f")
        assert [n.hands for n in nights.nights] == [kept + 40]
        assert nights.trouble()
        fresh = start(again=False)
        assert notes[-1].startswith("antenna 3 misses cards"), "what is still so is said again"
        await fresh.close()

    asyncio.run(main())


WHOLE = (
    b'{"version":1,"nights":[{"began":1764547200.5,"last":1764547300.0,"hands":99,'
    b'"tallies":{"antenna 3: miss":[3,100,7,4000,300,30]}}],'
    b'"drifts":{"antenna 3: miss":[0.05,[1.25,1.0,1.0],[0,0],false,0.0]}}'
)


def test_the_whole_file_of_the_next_test_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(WHOLE)
    assert read(tmp_path / "f").nights[0].hands == 99


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f")
    with pytest.raises(RatesFileError, match="no file of rates"):
        read(tmp_path / "f")


WELL = [0.05, [0, 0, 0], [0, 0], False, 0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"version":2,"nights":[],"drifts":{}}',
        b'{"version":1,"nights":[{}],"drifts":{}}',
        b'{"version":1,"nights":[],"drifts":{"antenna 3: sulks":[0,[],[],false,0]}}',
        b'{"version":1,"nights":[],"drifts":{"antenna 3: miss":[0.05,[1],[0,0],false,0]}}',
        *(
            json.dumps({"version": 1, "nights": [], "drifts": {f"{what}: miss": WELL}}).encode()
            for what in ("antenna", "antenna \u00b2", "antenna 1[/]", "\x1b[31mantenna 1", "", "x")
        ),
        b"\xff\xfe",
        b"[" * 100_000,
        *(
            WHOLE.replace(good, bad)
            for good in (b"1764547200.5", b"99", b"[3,100,7,4000,300,30]", b"0.05", b"1.25")
            for bad in (b"Infinity", b"-7", b"NaN", b"1e999", b'"x"', b"null", b"[]")
        ),
        WHOLE.replace(b"[3,100", b"[0,100"),
        WHOLE.replace(b"100,7", b"1e40,7"),
    ],
)
def test_a_damaged_file_is_said_and_put_aside(tmp_path: Path, content: bytes) -> None:
    path, notes = tmp_path / "j.rates", list[str]()
    path.write_bytes(content)
    with pytest.raises(RatesFileError, match="move it away"):
        read(path)

    async def main() -> None:
        book = RateBook(path, {MISS: 0.05}, note=notes.append)
        hand_after_hand(book, 1)
        await book.close()

    asyncio.run(main())
    assert len(notes) == 1
    assert "j.rates.unread" in notes[0]
    assert (tmp_path / "j.rates.unread").read_bytes() == content
    assert read(path).nights[0].hands == 1


def test_a_disk_that_takes_nothing_is_said_once_and_the_table_goes_on(tmp_path: Path) -> None:
    notes = list[str]()

    async def main() -> None:
        book = RateBook(tmp_path / "gone" / "j.rates", {MISS: 0.05}, note=notes.append)
        hand_after_hand(book, 5)
        await book.close()

    asyncio.run(main())
    assert len(notes) == 1
    assert "cannot be written (No such file or directory)" in notes[0]


def test_no_file_is_no_night(tmp_path: Path) -> None:
    assert read(tmp_path / "none") == Nights()
    assert rates_file(Path("/a/burnturn.journal")) == Path("/a/burnturn.journal.rates")


def test_the_file_is_counts_alone(tmp_path: Path) -> None:
    nights, _ = Nights().begun(1.0).referred({MISS: 0.05}).hand({MISS: Portion(20, 1)}, 2.0)
    content = json.loads(spelled(nights))
    assert content["nights"] == [
        {
            "began": 1.0,
            "last": 2.0,
            "hands": 1,
            "tallies": {"antenna 3: miss": [1, 20, 1, 400, 20, 1]},
        }
    ]
