"""`burnturn run --sample camera` as a process: starts, plays, ends, is killed and goes on, and its
night is played again from the tape."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.config import sample_text
from controller.floor.client import say
from controller.floor.commands import Command
from controller.model.cards import FACES
from tests.controller.daemon_process import kinds, running

PATIENCE_S = 90.0


def write_config(folder: Path) -> Path:
    text = sample_text("camera").replace('socket = ""', 'socket = "s"')
    for old, new in (
        ('[table_board]\ndriver = "simulated"', ""),
        ("pace_ms = 450", "pace_ms = 900"),
        ("seed = 0", "seed = 3"),
        ("mistakes = 0.3", "mistakes = 0.0"),
        ("seats = 9 ", "seats = 3 "),
        ("dealt_in = [1, 2, 3, 4, 5, 6, 7, 8, 9]", "dealt_in = [1, 2, 3]"),
        ("button = 9", "button = 3"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "table.toml"
    path.write_text(text)
    return path


def until(done: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < end, what
        time.sleep(0.25)


def ended(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(30)


@pytest.mark.slow
def test_it_sees_cards_is_killed_goes_on_and_is_played_again(tmp_path: Path) -> None:
    words = ["--config", str(write_config(tmp_path))]
    tape = tmp_path / "night.tape"
    with running(tmp_path, *words, "--record", str(tape)) as (process, lines):
        assert "3 seats, holdem" in lines[-1]
        until(lambda: "CardCame" in kinds(tmp_path), "no card was seen")
        until(lambda: b'"down"' in tape.read_bytes(), "no card came to the tape")
        assert say(tmp_path / "s", Command(do="status", by="x")).ok
        process.kill()
        process.wait()
    before = len(kinds(tmp_path))
    with running(tmp_path, *words) as (process, lines):
        assert any("taken up where the program before left it" in line for line in lines) or (
            "taken up" in (process.stderr.readline() if process.stderr else "")
        )
        until(lambda: len(kinds(tmp_path)) > before + 3, "nothing went on")
        assert ended(process) == 0
    assert kinds(tmp_path)[-1] == "Stopped"
    text = tape.read_bytes().decode(errors="replace")
    assert '"down"' in text
    faces = "|".join(FACES)
    assert not re.search(rf'"(?:{faces})"', text)
    with running(tmp_path, *words, "--replay", str(tape), "--speed", "0") as (process, _):
        assert process.wait(60) == 0
    played = kinds(tmp_path, "night.tape.journal")
    assert played[-1] == "Stopped"


@pytest.mark.slow
def test_the_sample_starts_and_stops_clean(tmp_path: Path) -> None:
    with running(tmp_path, "--sample", "camera") as (process, lines):
        assert "sample camera table and alarming nothing: 9 seats" in lines[-1]
        assert ended(process) == 0
    assert kinds(tmp_path / "run-camera")[-1] == "Stopped"


def test_a_configuration_and_a_sample_are_one_too_many(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main", "run", "--sample=camera", "--config=x"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "--config and --sample: choose one" in done.stderr
