"""The daemon counts what its senses get wrong; `burnturn rates`, doctor and simulate go by it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from controller.app import Daemon
from controller.cli.main import main
from controller.config import Config, sample_text
from controller.rates.book import rates_file, read, spelled
from controller.rates.counts import Error, Portion, Sense
from controller.rates.nights import Nights
from controller.rates.senses import measured
from controller.taking_up import take_up
from tests.controller.test_app_daemon import Script, config_in, night

MISS = Sense("antenna 3", Error.MISS)


class FellError(Exception):
    """The daemon falls: nothing after it is done in order."""


def spend(config: Config, hands: int, falls: bool = False) -> list[str]:
    """Some hands at the table; the notes that the floor got."""
    notes: list[str] = []

    async def main() -> None:
        def then() -> None:
            if falls:
                raise FellError

        resumption, clock = take_up(config.journal, lambda warning: None)
        source = Script(night(config, *[None] * hands), then)
        daemon = Daemon(config, source, clock, resumption=resumption, on_note=notes.append)
        source.daemon = daemon
        try:
            async with asyncio.timeout(120):
                await daemon.run()
        except FellError:
            assert falls

    asyncio.run(main())
    return notes


def test_a_night_is_counted_hand_by_hand_and_a_fall_ends_it_not(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    assert spend(config, 2, falls=True) == []
    first = read(rates_file(config.journal))
    assert [n.hands for n in first.nights] in ([1], [2])
    antennas = {s.what for s in first.nights[0].tallies}
    assert {"antenna 1", "antenna 12", "antenna 13", "the table"} <= antennas
    miss = first.nights[0].tallies[Sense("antenna 13", Error.MISS)]
    assert miss.tried > 50
    spend(config, 1)
    assert len(read(rates_file(config.journal)).nights) == 1
    assert read(rates_file(config.journal)).nights[0].hands >= first.nights[0].hands


def drifted(config: Config, hands: int = 60) -> Nights:
    """A night at which antenna 3 misses six cards of twenty."""
    nights = Nights().begun(1_800_000_000.0).referred(measured(config.layout))
    for n in range(hands):
        counted = {MISS: Portion(20, 6), Sense("antenna 13", Error.CROSS): Portion(400, 6)}
        nights, _ = nights.hand(counted, 1_800_000_060.0 + n)
    return nights


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table.toml whose antenna 3 has drifted."""
    path = tmp_path / "table.toml"
    path.write_text(sample_text().replace('socket = ""', 'socket = "s"'))
    config = config_in(tmp_path)
    rates_file(config.journal).write_bytes(spelled(drifted(config)))
    return path


def ended(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(words)
    told = capsys.readouterr()
    return int(stop.value.code or 0), told.out, told.err


def test_burnturn_rates_shows_the_nights(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    code, out, _ = ended(capsys, "rates", "--config", str(table))
    assert code == 0
    assert "60 hands" in out
    row = next(line for line in out.splitlines() if "antenna 3" in line)
    assert "miss (too often)" in row
    assert "30.00%" in row
    assert "5.00%" in row
    assert out.count("TOO OFTEN: antenna 3 misses cards") == 1
    assert out.index("antenna 3") < out.index("antenna 13")


def test_its_json_has_all_of_it(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ended(capsys, "rates", "--config", str(table), "--every", "--json")
    answer = json.loads(out)
    assert code == 0
    assert [n["hands"] for n in answer["nights"]] == [60]
    (row,) = [r for r in answer["together"] if r["sense"] == "antenna 3"]
    assert (row["error"], row["tried"], row["wrong"]) == ("miss", 1200, 360)
    assert row["interval"][0] < 0.3 < row["interval"][1]
    assert {t["sense"] for t in answer["tests"] if t["too_often"]} == {"antenna 3"}
    assert len(answer["too_often"]) == 1


def test_without_a_night_it_says_where_they_will_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.toml"
    path.write_text(sample_text())
    code, out, _ = ended(capsys, "rates", "--config", str(path))
    assert (code, "no night is counted yet" in out) == (0, True)
    rates_file(tmp_path / "burnturn.journal").write_text("{")
    code, out, err = ended(capsys, "rates", "--config", str(path))
    assert code == 1
    assert "is damaged" in err


def test_doctor_says_what_has_drifted(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ended(capsys, "doctor", "--config", str(table), "--seconds", "0", "--json")
    (check,) = [c for c in json.loads(out)["checks"] if c["item"] == "senses"]
    assert check["state"] == "warning"
    assert check["found"].startswith("antenna 3 misses cards that lie there too often")
    assert check["remedy"].startswith("See what lies under it")


def test_the_floor_is_told_at_the_start_what_is_still_so(table: Path) -> None:
    (note,) = spend(config_in(table.parent), 1)
    assert note.startswith("antenna 3 misses cards that lie there too often")


def test_simulate_deals_at_a_table_like_it(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("simulate", "--like-table", str(table), "--hands", "2", "--errors", "none")
    code, out, _ = ended(capsys, *words, "--jobs", "1")
    assert code == 0
    assert "nights counted: 1" in out
    code, _, err = ended(capsys, *words, "--miss", "3%", "--max-stack", "none")
    assert code == 2
    assert "--miss: not with --like-table" in err
    assert "--max-stack: not with --like-table" in err
    code, _, err = ended(capsys, "simulate", "--like-table", "nowhere.rates", "--hands", "1")
    assert code == 2
    assert "there is no such file" in err


def test_a_table_without_antennas_is_dealt_at_by_its_camera_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml = tmp_path / "table.toml"
    toml.write_text(sample_text("camera"))
    words = ("simulate", "--like-table", str(toml), "--hands", "1", "--errors", "none")
    for others in ((), ("--camera", "both")):
        code, _, err = ended(capsys, *words, *others)
        assert code == 2
        assert "sample camera table has no antennas; add --camera alone" in err
    code, out, _ = ended(capsys, *words, "--camera", "alone", "--jobs", "1")
    assert code == 0
    assert "a camera alone like sample camera table's, nights counted: 0" in " ".join(out.split())
