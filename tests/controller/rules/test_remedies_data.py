"""What the table advises: both cases where the case is unknown, and the profile's rulebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.model.findings import Street
from controller.rules.catalogue import catalogue
from controller.rules.profile import load, names
from controller.rules.remedies import (
    DETAILS,
    board_count_detail,
    hole_count_detail,
    irregularities,
    irregularities_for,
    remedy,
)


def test_unknown_substantial_action_states_both_cases() -> None:
    text = remedy(load("tda"), "HOLE_FIRST_SEAT", Street.DEAL)
    assert text.startswith("Before substantial action: misdeal.")
    assert "After it: the deal stands." in text


def test_known_substantial_action_states_the_one_that_holds() -> None:
    tda = load("tda")
    before = remedy(tda, "HOLE_FIRST_SEAT", substantial_action=False)
    after = remedy(tda, "HOLE_FIRST_SEAT", substantial_action=True)
    assert before.startswith("Misdeal.")
    assert "stands" in after
    assert "isdeal" not in after


def test_a_missing_burn_turns_on_action_on_the_street_whatever_came_earlier() -> None:
    text = remedy(load("tda"), "BURN_MISSING", Street.FLOP, substantial_action=True)
    assert "Before any action on this street" in text
    assert "scramble" in text


def test_each_street_has_its_own_word_on_a_missing_burn() -> None:
    tda = load("tda")
    said = {street: remedy(tda, "BURN_MISSING", street) for street in Street}
    assert len(set(said.values())) == 4
    assert irregularities_for("BURN_MISSING", Street.DEAL) == ("IRR-26", "IRR-32", "IRR-33")
    assert irregularities_for("BURN_MISSING", Street.FLOP, profile=load("tda")) == (
        "IRR-31",
        "IRR-33",
    )


def test_rulebooks_differ_by_profile(tmp_path: Path) -> None:
    """Row TDA-corrections."""
    file = tmp_path / "old.toml"
    file.write_text(
        'name = "old"\ntitle = "Old house"\nbased_on = "tda"\n'
        'correction_book = { value = "roberts", clause = "TDA-corrections" }\n'
    )
    four = {p.name: remedy(p, "BOARD_COUNT", "flop", "four") for p in (load("tda"), load(file))}
    assert "scramble" in four["tda"]
    assert "deal the flop again" in four["old"]
    assert "folded" in remedy(load("forked-river"), "MUCK_TOUCH")
    assert "may be ruled live" in remedy(load("tda"), "MUCK_TOUCH")


@pytest.mark.parametrize(
    ("seen", "due", "button", "detail"),
    [
        (1, 2, False, "short"),
        (1, 2, True, "button-short"),
        (3, 2, False, "extra"),
        (3, 2, True, "extra"),
        (4, 2, False, "extra-2"),
        (2, 4, True, "short"),
    ],
)
def test_a_count_of_hole_cards_has_a_detail(seen: int, due: int, button: bool, detail: str) -> None:
    assert hole_count_detail(seen, due, button=button) == detail
    assert detail in DETAILS["HOLE_COUNT"]


def test_a_count_of_board_cards_has_a_detail() -> None:
    assert board_count_detail("flop", 2, 3) == "two"
    assert board_count_detail("flop", 4, 3) == "four"
    assert board_count_detail("flop", 5, 3) == "five"
    assert board_count_detail("turn", 2, 1) == "extra"


def test_an_unknown_detail_falls_back_to_the_general_word() -> None:
    tda = load("tda")
    assert remedy(tda, "HOLE_COUNT", "deal", "odd") == remedy(tda, "HOLE_COUNT", "deal")


def test_every_code_that_alarms_has_advice_in_every_profile() -> None:
    for name in names():
        profile = load(name)
        for code in catalogue():
            for street in (None, *Street):
                assert remedy(profile, code, street) or not catalogue()[code].correction


def test_every_irregularity_that_zones_can_see_has_a_remedy() -> None:
    seen = {
        i.id for i in irregularities().values() if i.needs in ("zone", "button", "seat", "registry")
    }
    advised = {row for code in catalogue() for row in irregularities_for(code)}
    assert seen <= advised
    assert len(irregularities()) == 78
