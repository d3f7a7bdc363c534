"""`burnturn deck list`, `show`, `shuffle`: what a table has learned, named between hands only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import learned
from controller.config import ConfigError, read, sample_text
from controller.floor.client import NotRunningError
from controller.floor.commands import Answer, FloorError
from controller.integrity.decks import added
from controller.integrity.house_record import Belief, HouseRecord, Kept, Tonight
from controller.integrity.memory import HouseMemory
from controller.integrity.shuffles import AGES, Returns, Shuffle
from controller.integrity.watched import Stand
from controller.integrity.wear import NightLooks
from controller.model.cards import face_name
from tests.controller.cli.test_deck_commands import House
from tests.controller.integrity.houses import deck

RED = deck("red-1")
WORN = RED.cards[7]


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = House(tmp_path / "house")
    made.box.change(lambda before: added(before, RED, deck("blue-1", "blue")))
    return made


def memory(house: House) -> HouseMemory:
    deck_of = {tag.uid: d.name for d in house.box.load() for tag in d.tags}
    return HouseMemory(house.box, deck_of)


def worn_record() -> HouseRecord:
    looks = {tag.uid: (NightLooks(400, 240 if tag is WORN else 380),) * 3 for tag in RED.cards}
    return HouseRecord(nights=3, looks=looks)


def counted(hands: int) -> Returns:
    """As in a perfect shuffle, 22 of 52 cards a hand."""
    waited = [hands * 52 // (n + 2) for n in range(AGES)]
    return Returns(tuple(waited), tuple(w * 22 // 52 for w in waited), ((22, hands),), 22 * hands)


def hand_on(monkeypatch: pytest.MonkeyPatch, stage: str | None) -> None:
    def say(path: Path, command: object) -> Answer:
        if stage is None:
            raise NotRunningError("the daemon is not running")
        if not stage:
            raise FloorError("permission denied")
        return Answer(True, "", {"stage": stage})

    monkeypatch.setattr(learned, "say", say)


@pytest.mark.parametrize("stage", [None, "between"])
def test_worn_tags_are_counted_in_the_list_and_named_between_hands(
    house: House,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    stage: str | None,
) -> None:
    memory(house).keep_record(worn_record())
    hand_on(monkeypatch, stage)
    told = json.loads(house.said(capsys, "list", "--json"))
    assert [(d["name"], d["wearing_out"]) for d in told["decks"]] == [("red-1", 1), ("blue-1", 0)]
    rows = [line.split("│") for line in house.said(capsys, "list").splitlines()]
    worn = {row[1].strip(): row[7].strip() for row in rows if len(row) > 7 and row[1].strip()}
    assert worn == {"red-1": "1", "blue-1": ""}
    text = house.said(capsys, "show", "red-1")
    assert f"by more than chance: {face_name(WORN.face)} (61%)" in text
    assert "lately 95%" in text
    assert "Next: replace the deck" in text
    whole = json.loads(house.said(capsys, "show", "red-1", "--json"))
    assert whole["weak"] == [WORN.face]
    assert "wearing out" not in house.said(capsys, "show", "blue-1")


@pytest.mark.parametrize("stage", ["deal", "preflop", "river", ""])
def test_no_worn_card_is_named_while_a_hand_is_on(
    house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    memory(house).keep_record(worn_record())
    hand_on(monkeypatch, stage)
    text = house.said(capsys, "show", "red-1")
    assert "1 tag; it is named between hands" in text
    assert "lately" not in text
    assert "61%" not in text
    whole = json.loads(house.said(capsys, "show", "red-1", "--json"))
    assert whole["wearing_out"] == 1
    assert "weak" not in whole
    assert {tag["lately"] for tag in whole["tags"]} == {None}


def test_before_there_are_hands_enough_the_houses_word_is_believed(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    text = house.said(capsys, "shuffle")
    assert "believed: riffle riffle strip riffle cut" in text
    assert "so far 0 hands" in text
    house.toml.write_text(
        house.toml.read_text().replace("[decks]", '[decks]\nshuffle = "riffle cut stub-over"')
    )
    night = Tonight(1, hands=30, returns={2: counted(30)})
    memory(house).keep(Kept(Stand("red-1", 30, 1.0, None), night, b""))
    text = house.said(capsys, "shuffle")
    assert "believed: riffle cut stub-over" in text
    assert "so far 30 hands" in text
    assert "counted in 30 hands, 100% of the dealt cards seen" in text
    told = json.loads(house.said(capsys, "shuffle", "--json"))
    assert (told["hands"], told["fitted_to_hands"], told["explained"]) == (30, None, None)


@pytest.mark.parametrize(
    ("explained", "words"),
    [(True, "it explains how often cards came back"), (False, "no shuffle known here explains")],
)
def test_what_was_fitted_is_shown_with_its_numbers(
    house: House, capsys: pytest.CaptureFixture[str], explained: bool, words: str
) -> None:
    belief = Belief(Shuffle.of("uniform"), explained, 480)
    memory(house).keep_record(HouseRecord(2, {2: counted(500)}, {2: belief}))
    text = house.said(capsys, "shuffle")
    assert "believed: wash" in text
    assert f"fitted to 480 hands; {words}" in text
    assert ("Next:" in text) is not explained
    assert "the house says of itself: house (riffle riffle strip riffle cut)" in text
    assert "counted in 500 hands" in text
    (line,) = [each for each in text.splitlines() if "in the hand before" in each]
    assert " ".join(line.split()) == (
        "in the hand before came again 5,500 of 13,000 times, 42%; believed 42%"
    )
    assert len(json.loads(house.said(capsys, "shuffle", "--json"))["expected"]) == AGES


def test_a_damaged_memory_is_told_and_the_decks_are_listed_all_the_same(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    memory(house).keep_record(worn_record())
    memory(house).record_file.write_bytes(b"burnturn-deck-record-1\n" + bytes(99))
    text = house.said(capsys, "list")
    assert "red-1" in text
    assert "Next: put a whole copy there" in text.replace("\n", " ")
    assert "Next: put a whole copy there" in house.said(capsys, "shuffle", code=2)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('shuffle = "rifle riffle"', "'rifle' (meant: riffle?)"),
        ('shuffle = "hosue"', "(meant: house?)"),
        ("shuffle = 3", "decks: shuffle = 3; allowed: a text"),
        ('shuffle = ""', 'decks: shuffle = ""; allowed: a text'),
        ('key = "decks.box.record"', "written beside the decks' file"),
        ('key = "decks.box.tonight"', "written beside the decks' file"),
    ],
)
def test_a_routine_or_key_that_cannot_be_is_a_fault_of_the_configuration(
    line: str, fault: str
) -> None:
    text = (
        sample_text().replace('key = "decks.key"', "") if line.startswith("key") else sample_text()
    )
    text = text.replace("[decks]", f"[decks]\n{line}")
    with pytest.raises(ConfigError) as caught:
        read(text, "table.toml", Path())
    (found,) = caught.value.faults
    assert fault in found.message
    assert text.splitlines()[found.line - 1].startswith(line.split()[0])
