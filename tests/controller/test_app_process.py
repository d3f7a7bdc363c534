"""`burnturn run` as a process: signals, kills, and what the command line refuses."""

from __future__ import annotations

import os
import pty
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.main import PARTS, main
from controller.cli.run import app
from controller.config import sample_text
from controller.floor.client import say
from controller.floor.commands import Command
from tests.controller.daemon_process import kinds, running


def write_config(folder: Path) -> Path:
    path = folder / "table.toml"
    text = sample_text().replace('socket = ""', 'socket = "s"')
    text = text.replace('[table_board]\ndriver = "simulated"', "")
    path.write_text(text.replace("pace_ms = 450", "pace_ms = 150"))
    return path


def test_sigterm_ends_it_cleanly(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with running(tmp_path, "--config", str(config)) as (process, lines):
        assert "11 seats, holdem, profile tda" in lines[0]
        assert say(tmp_path / "s", Command(do="status", by="x")).ok
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert kinds(tmp_path)[-1] == "Stopped"
    assert not (tmp_path / "s").exists()


def test_a_crash_leaves_no_picture_of_the_memory(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    with running(tmp_path, "--config", str(config)) as (process, _):
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        assert re.search(r"^Max core file size +0 ", limits, re.MULTILINE)
        process.send_signal(signal.SIGABRT)
        assert process.wait(10) == -signal.SIGABRT
    assert not list(tmp_path.glob("core*"))
    assert resource.getrlimit(resource.RLIMIT_CORE) == before


def test_a_past_that_cannot_be_taken_up_is_told_to_the_floor(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with running(tmp_path, "--config", str(config)) as (process, _):
        process.kill()
    with closing(sqlite3.connect(tmp_path / "burnturn.journal")) as db:
        db.execute("UPDATE records SET mono = 1e300 WHERE seq = (SELECT max(seq) FROM records)")
        db.commit()
    with running(tmp_path, "--config", str(config)) as (_, lines):
        assert "what was before cannot be taken up" in "".join(lines)
        answer = say(tmp_path / "s", Command(do="status", by="x"))
        assert "what was before cannot be taken up" in answer.text


def test_kills_at_any_moment_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    chance = random.Random(7)
    said = 0
    for n in range(3):
        with running(tmp_path, "--config", str(config)) as (process, _):
            for _ in range(chance.randint(1, 6)):
                status = "in" if said % 2 == 0 else "out"
                command = Command(do="seat", by="anna", seat=10, status=status)
                assert say(tmp_path / "s", command).ok
                said += 1
            process.kill()
            process.wait(10)
        found = kinds(tmp_path)
        assert found.count("SeatRegistered") == said
        assert found.count("Resumed") == n
    with running(tmp_path, "--config", str(config)):
        answer = say(tmp_path / "s", Command(do="status", by="anna"))
    seats = answer.data["seats"]
    assert isinstance(seats, dict)
    assert seats["10"] == ("out" if said % 2 == 0 else "in")


def test_every_fault_of_the_configuration_is_printed_and_nothing_starts(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    config.write_text(
        config.read_text().replace('"holdem"', '"stud"').replace("seats = 11 ", "seats = 12 ")
    )
    result = CliRunner().invoke(app, ["--config", str(config)])
    assert result.exit_code == 1
    assert 'game = "stud"; allowed: holdem, omaha, omaha8' in result.output
    assert "seats = 12; allowed: a whole number, 2 to 11" in result.output
    assert not (tmp_path / "burnturn.journal").exists()


def test_a_missing_tape_and_two_tapes_at_once_are_refused(tmp_path: Path) -> None:
    run = CliRunner().invoke
    gone = str(tmp_path / "gone")
    assert "there is no such file" in run(app, ["--replay", gone]).output
    both = run(app, ["--replay", gone, "--record", gone])
    assert "choose one" in both.output


def test_a_folder_that_cannot_be_made_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text("in the way")
    result = CliRunner().invoke(app, ["--headless"])
    assert result.exit_code == 1
    assert "cannot be made (File exists); start in a folder" in result.output


def test_without_a_screen_trouble_is_told_in_lines(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    board = str(tmp_path / "gone" / "board.png")
    with running(tmp_path, "--config", str(config), "--board", board) as (process, _):
        assert process.stderr is not None
        line = next(line for line in process.stderr if line.startswith("trouble"))
        process.send_signal(signal.SIGTERM)
    assert "board 1: [Errno 2] No such file or directory" in line


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "controller.cli.main", "run", "--config", str(config)]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "TERM": "dumb"},
        stdout=theirs,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("watching")
        process.send_signal(signal.SIGTERM)
    os.close(mine)
    os.close(theirs)


def test_a_recorded_night_is_played_back(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with running(tmp_path, "--config", str(config), "--record", "tape") as (process, _):
        say(tmp_path / "s", Command(do="status", by="x"))
        process.send_signal(signal.SIGTERM)
        process.wait(10)
    assert (tmp_path / "tape").read_text().startswith('{"tape":"burnturn tape 1"')
    night = kinds(tmp_path)
    with running(tmp_path, "--config", str(config), "--replay", "tape", "--speed", "0") as (
        process,
        _,
    ):
        assert process.wait(10) == 0
    assert kinds(tmp_path, "tape.journal")[-1] == "Stopped"
    assert kinds(tmp_path) == night  # the house's own record is left alone


def test_a_tape_is_not_played_into_the_hand_that_a_kill_broke_off(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with running(tmp_path, "--config", str(config), "--record", "tape") as (process, _):
        process.kill()
        process.wait(10)
    words = ("--config", str(config), "--replay", "tape", "--speed", "0")
    with running(tmp_path, *words) as (process, lines):
        assert process.wait(10) == 0
        assert not any("taken up" in line for line in lines)
    assert "Resumed" not in kinds(tmp_path, "tape.journal")
    assert kinds(tmp_path).count("TableOpened") == 1


def test_help_lists_every_part_without_importing_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for part in PARTS:
        assert part in shown


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert re.fullmatch(r"burnturn \d+\.\d+\.\d+\n", capsys.readouterr().out)
