"""However a command is called: an answer, a sensible exit code, and never a traceback."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from controller.cli.answers import OWN_FAULT, answering_in_json, own_fault
from controller.cli.main import PARTS, main

DEAL = "profile tda\nseats 1-9\nbutton 3\n\n"


def ended(*words: str) -> int:
    with pytest.raises(SystemExit) as asked:
        main(words)
    assert isinstance(asked.value.code, int)
    return asked.value.code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scenario", "run", "--json"), "paths"),
        (("scenario", "run", "x.deal", "--noise", "much", "--json"), "much"),
        (("simulate", "--seed", "abc", "--json"), "seed"),
        (("simulate", "--errors", "wrong-first-set", "--json"), "meant: wrong-first-seat?"),
        (("simulate", "--hands", "0", "--json"), "--hands 0"),
        (("profile", "sheet", "delawere", "--json"), "did you mean delaware"),
        (("journal", "verify", "nowhere.journal", "--json"), "no such file"),
        (("journal", "head", ".", "--json"), "a folder"),
        (("keys", "new", "/proc/nowhere", "--json"), "cannot write"),
    ],
)
def test_an_error_is_json_too(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(*words) == 2
    told = capsys.readouterr()
    assert said in json.loads(told.out)["error"]
    assert said in told.err


def test_a_command_that_has_answered_is_not_answered_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.deal"
    file.write_text("hol\n")
    assert ended("scenario", "check", str(file), "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert not answer["ok"]
    assert "meant: hole?" in answer["faults"][0]


def test_a_fault_of_the_program_shows_its_place_and_nothing_that_it_held(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails() -> object:
        raise KeyError("04A1B2C3D4E5F6")

    assert answering_in_json(fails) == OWN_FAULT
    told = capsys.readouterr()
    assert "KeyError at" in json.loads(told.out)["error"]
    assert "test_commands_end_badly.py" in told.err
    assert "04A1B2" not in told.out + told.err
    assert "unknown place" in own_fault(ValueError("never raised"))


@pytest.mark.parametrize("text", ["", "# a comment\n", DEAL])
def test_a_file_without_an_act_does_not_pass(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.deal"
    file.write_text(text)
    assert ended("scenario", "run", str(file)) == 1
    assert "no act" in capsys.readouterr().out


def test_a_file_in_order_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.deal"
    file.write_bytes(
        b"\xef\xbb\xbf" + (DEAL + "hole\nexpect none\n").replace("\n", "\r\n").encode()
    )
    assert ended("scenario", "check", str(file)) == 0
    assert capsys.readouterr().out == "1 file, in order\n"


def test_what_a_file_holds_does_not_reach_the_terminal_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.deal"
    file.write_text(DEAL + "\x1b]0;mine\x07hole\nhole " + "x" * 100_000 + "\nwait \uff15s\n")
    assert ended("scenario", "check", str(file)) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b]0" in out
    assert max(map(len, out.splitlines())) < 1000
    assert "is no time" in out


def test_a_fault_in_a_pipe_stands_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.deal"
    file.write_text(DEAL + "hole\nhole\n")
    assert ended("scenario", "run", str(file)) == 1
    assert (
        "a.deal:6:1: hole: the deal is over: every pass has been dealt" in capsys.readouterr().out
    )


@pytest.mark.parametrize("word", ["HOLE", "Hole", "hol"])
def test_a_word_near_a_known_one_is_hinted_at(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.deal"
    file.write_text(DEAL + word + "\n")
    assert ended("scenario", "check", str(file)) == 1
    assert "meant: hole?" in capsys.readouterr().out


def test_processes_are_counted_from_none_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("simulate", "--jobs", "-1") == 2
    assert "--jobs" in capsys.readouterr().err


def test_attributes_before_the_last_code_are_one_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.deal"
    file.write_text(DEAL + "expect BOARD_POSITION clause=TDA-board-centre | HOLE_COUNT seat=6\n")
    assert ended("scenario", "check", str(file)) == 1
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "follow the last one" in out


@pytest.mark.parametrize("words", [("profile", "check"), ("config", "check")])
def test_a_file_nested_without_end_is_a_fault_of_the_file(
    words: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.toml"
    file.write_text("a=" + "[" * 5000 + "]" * 5000)
    assert ended(*words, str(file)) == 1
    told = capsys.readouterr()
    assert "nested too deeply" in told.out + told.err


def test_a_profile_with_a_byte_order_mark_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = files("controller").joinpath("rules/profiles/tda.toml").read_text("utf-8")
    file = tmp_path / "a.toml"
    file.write_text(text, encoding="utf-8-sig")
    assert ended("profile", "check", str(file)) == 0
    assert "in order" in capsys.readouterr().out


def test_a_full_disk_under_the_output_is_no_fault_of_the_program() -> None:
    command = [sys.executable, "-c", "from controller.cli.main import main; main()"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command, "profile", "list"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode != 0
    assert "that disk is full" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("part", PARTS)
def test_no_part_prints_what_variables_hold(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(part, "--help") == 0
    assert capsys.readouterr().out
    assert not importlib.import_module(PARTS[part][0]).app.pretty_exceptions_enable
