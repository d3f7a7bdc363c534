"""`burnturn deck`: registered over emulated bytes, listed without UIDs, moved, refused in words."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.config import Config, load, sample_text
from controller.house import decks_at_table, house_decks
from controller.integrity.box import DeckBox
from controller.integrity.decks import added, retired
from tests.controller.integrity.houses import deck

RED = deck("red-1")


class House:
    """A table's folder with its configuration."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.toml = folder / "table.toml"
        text = sample_text().replace("sweep_ms = 400", "sweep_ms = 50")
        self.toml.write_text(text.replace('socket = ""', 'socket = "s"'))

    @property
    def config(self) -> Config:
        return load(self.toml)

    @property
    def box(self) -> DeckBox:
        return DeckBox(self.config.deck_file, self.config.deck_key)

    def said(self, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
        """What the command says; it must end with `code`."""
        try:
            main(["deck", *words, "--config", str(self.toml)])
            ended: object = 0
        except SystemExit as end:
            ended = end.code or 0
        told = capsys.readouterr()
        assert ended == code, told.err
        return told.out + told.err

    def command(self, *words: str) -> list[str]:
        start = [sys.executable, "-m", "controller.cli.main", "deck"]
        return [*start, *words, "--config", str(self.toml)]


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = House(tmp_path / "house")
    made.box.change(lambda before: added(before, RED, deck("blue-1", "blue")))
    return made


def test_a_deck_is_registered_at_the_simulated_table_and_kept(tmp_path: Path) -> None:
    new = House(tmp_path / "new")
    ended = subprocess.run(
        new.command("register", "red-1", "--back", "red"),
        cwd=new.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert "LAY 0/52: lay the ace of spades" in ended.stdout
    assert "VERIFY 37/52" in ended.stdout
    assert "deck red-1 is registered: 52 cards + 2 jokers, red back" in ended.stdout
    (made,) = new.box.load()
    assert not any(t.uid.hex() in (ended.stdout + ended.stderr).casefold() for t in made.tags)
    assert len(house_decks(new.config)) == 54


def test_keys_reach_a_registration_on_a_terminal_and_an_abort_keeps_nothing(house: House) -> None:
    mine, theirs = pty.openpty()
    shown = b""
    with subprocess.Popen(
        house.command("register", "green-1", "--back", "green"),
        cwd=house.folder,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
    ) as process:
        os.close(theirs)
        until = time.monotonic() + 60
        while b"FOUR OF SPADES" not in shown and time.monotonic() < until:
            if select.select([mine], [], [], 1.0)[0]:
                shown += os.read(mine, 4096)
        os.write(mine, b"a")
        while process.poll() is None and time.monotonic() < until:
            if select.select([mine], [], [], 0.2)[0]:
                try:
                    os.read(mine, 4096)
                except OSError:  # the far side is closed
                    break
        process.wait(10)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    os.close(mine)
    assert b"LAY THE ACE OF SPADES" in shown
    assert process.returncode == 1
    assert "aborted; nothing was registered" in said
    assert [d.name for d in house.box.load()] == ["red-1", "blue-1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("register", "red-1", "--back", "red"), "there is a deck red-1 already"),
        (("register", "x", "--back", "RED", "--pair", "red-1"), "DECK_SAME_BACK"),
        (("register", "x", "--back", "red", "--pair", "blu"), "there is no deck 'blu'"),
        (("show", "red"), "did you mean red-1?"),
        (("retire", "nobody"), "registered are red-1, blue-1"),
        (("pair", "red-1", "red-1"), "paired with itself"),
        (("export", "red-1"), "name the decks first, then the file"),
        (("export", "red-1", "out.move"), "--passphrase-file FILE"),
        (("import", "nowhere", "--passphrase-file", "nowhere"), "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(
    words: tuple[str, ...],
    said: str,
    house: House,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        told = house.said(capsys, *words, code=2)
    assert said in told
    assert all(line.startswith(f"deck {words[0]}: ") for line in told.splitlines())


def test_decks_are_listed_and_shown_without_a_uid(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "".join(
        house.said(capsys, *words)
        for words in (("list",), ("list", "--json"), ("show", "red-1"), ("show", "red-1", "--json"))
    )
    assert not any(tag.uid.hex() in told.casefold() for tag in RED.tags)
    assert "ace of spades" in told


def test_the_worst_tag_is_shown_first(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(house.said(capsys, "show", "red-1", "--json"))
    rates = [tag["read_rate"] for tag in told["tags"]]
    assert rates == sorted(rates)
    assert set(told["tags"][0]) == {"face", "reads", "looks", "read_rate", "lately"}


def test_a_list_names_no_face(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    (red, _) = json.loads(house.said(capsys, "list", "--json"))["decks"]
    assert red == {
        "name": "red-1",
        "back": "red",
        "status": "ready",
        "pair": None,
        "cards": 52,
        "jokers": 2,
        "weakest_read_rate": 0.95,
        "registered": "2026-11-30T20:00:00+00:00",
        "wearing_out": 0,
    }


def test_a_name_with_brackets_is_listed_as_it_is(
    house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    house.box.change(lambda before: added(before, deck("[red]x", "[/b]")))
    told = house.said(capsys, "list")
    assert "[red]x" in told
    assert "[/b]" in told


def test_a_pair_retires_and_comes_back_alone(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    house.said(capsys, "pair", "red-1", "blue-1")
    assert [d.pair for d in house.box.load()] == ["blue-1", "red-1"]
    house.said(capsys, "retire", "red-1")
    assert [(d.status.value, d.pair) for d in house.box.load()] == [
        ("retired", None),
        ("ready", None),
    ]
    assert len(decks_at_table(house.config)) == 1, "a retired deck is not dealt with"
    assert len(house_decks(house.config)) == 108, "and yet known by its name"
    assert "ready" in house.said(capsys, "retire", "red-1", "--undo")


def test_decks_move_to_another_house(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    phrase, moved = tmp_path / "phrase", tmp_path / "decks.move"
    phrase.write_text("four words of a house\n")
    with_phrase = ("--passphrase-file", str(phrase))
    other = House(tmp_path / "other")
    house.said(capsys, "export", "red-1", "blue-1", str(moved), *with_phrase)
    told = other.said(capsys, "import", str(moved), *with_phrase, "--rename", "red-1=red-9")
    assert "imported: red-9, blue-1" in told
    assert [d.name for d in other.box.load()] == ["red-9", "blue-1"]
    told = other.said(capsys, "import", str(moved), *with_phrase, code=2)
    assert "deck red-1: holds cards that are registered in deck red-9" in told
    assert len(other.box.load()) == 2


def test_a_damaged_file_of_decks_stops_a_real_table_with_a_way_back(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    house.box.change(lambda before: retired(before, "blue-1"))
    text = house.toml.read_text().replace('[table_board]\ndriver = "simulated"', "")
    text = text.replace('"simulated"', '"pepper-c1-mux"')
    text = text.replace('port = ""  ', 'port = "/dev/none1"', 1)
    text = text.replace("number = 2\n", 'number = 2\nport = "/dev/none2"\n', 1)
    house.toml.write_text(text)
    house.box.file.write_bytes(b"burnturn-decks-1\n rubbish")
    with pytest.raises(SystemExit) as ended:
        main(["run", "--headless", "--config", str(house.toml)])
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert f"Next: cp {house.box.backup} {house.box.file}" in said
