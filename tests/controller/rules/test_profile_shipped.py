"""The six shipped profiles: what they set, and which clause a finding cites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.model.findings import Severity, Street
from controller.rules.catalogue import catalogue
from controller.rules.clauses import clauses, prefix_of
from controller.rules.profile import check, from_json, load, names, remarks, setting_behind
from controller.rules.sheet import checkout

RAISED_BY_DEALING = [
    "HOLE_FIRST_SEAT",
    "HOLE_ORDER",
    "HOLE_TWO_AT_ONCE",
    "HOLE_COUNT",
    "HOLE_DEALT_OUT",
    "HOLE_LAST_NOT_BUTTON",
    "HOLE_TO_OUTSIDER",
    "BURN_MISSING",
    "BURN_EXTRA",
    "BURN_UNEXPECTED",
    "BURN_MISPLACED",
    "BOARD_COUNT",
    "BOARD_POSITION",
    "CARD_AFTER_RIVER",
    "CARD_SEAT_MISMATCH",
    "CARDS_OFF_TABLE",
    "MUCK_RETRIEVED",
    "BOARD_MUCK_MIX",
    "BTN_MISSING",
    "BTN_DUPLICATE",
    "BTN_START",
    "BTN_NOT_MOVED",
    "BTN_SKIPPED",
    "BTN_BACKWARD",
    "BTN_MOVED_MIDHAND",
    "SEAT_OVER_MAX",
    "SEAT_UNASSIGNED",
    "SEAT_ABSENT_DEAD",
    "HAND_DUPLICATE",
    "REDEAL_NOT_EXACT",
    "DECK_FOREIGN",
    "DECK_CLONE",
    "DECK_DUPLICATE",
    "DECK_JOKER",
    "DECK_MIXED",
    "MUCK_TOUCH",
]


def test_six_profiles_ship_and_the_default_comes_first() -> None:
    assert names() == (
        "tda",
        "delaware",
        "forked-river",
        "nj-holdem",
        "nj-tournament",
        "north-dakota",
    )


@pytest.mark.parametrize("name", names())
def test_a_shipped_profile_is_without_fault(name: str) -> None:
    root = checkout()
    assert root is not None
    faults = check(root / "controller" / "rules" / "profiles" / f"{name}.toml")
    assert [f for f in faults if not f.remark] == []
    assert load(name).name == name


@pytest.mark.parametrize("name", [*names(), "forked-river+nj-tournament"])
def test_every_finding_of_dealing_cites_a_row_that_speaks_of_it(name: str) -> None:
    profile = load(name)
    for code in RAISED_BY_DEALING:
        for street in Street:
            for game in profile.games.value:
                clause, note = profile.clause_for(code, street, game)
                row = clauses()[clause]
                assert row.prefix in (*profile.documents, "TDA")
                assert (prefix_of(clause) == "TDA") == (note == "standard practice") or (
                    note == "the document is silent"
                )


@pytest.mark.parametrize(
    ("name", "code", "street", "game", "detail", "cited"),
    [
        ("nj-tournament", "BURN_MISSING", "deal", "holdem", "", ("NJ-T-e6-1", "")),
        ("nj-tournament", "BURN_MISSING", "flop", "holdem", "", ("NJ-T-e10-1", "")),
        ("nj-tournament", "BURN_EXTRA", "turn", "holdem", "", ("NJ-T-e12-1", "")),
        ("nj-tournament", "HOLE_COUNT", "deal", "holdem", "", ("NJ-T-a-pocket-1", "")),
        ("nj-tournament", "HOLE_COUNT", "deal", "holdem", "short", ("NJ-T-e6-3", "")),
        ("nj-tournament", "BTN_MISSING", None, "holdem", "", ("NJ-T-a-button", "")),
        ("nj-tournament", "BTN_MISSING", None, "holdem", "opening", ("NJ-T-e2-2", "")),
        ("nj-tournament", "BOARD_POSITION", "flop", "holdem", "", ("NJ-T-e10-3", "")),
        ("nj-tournament", "BOARD_POSITION", "turn", "holdem", "", ("NJ-T-a-board-1", "")),
        ("delaware", "BURN_UNEXPECTED", "deal", "holdem", "", ("DE-a3-11", "inferred")),
        ("delaware", "HOLE_DEALT_OUT", "deal", "holdem", "absent", ("DE-b15-1", "")),
        ("delaware", "HOLE_ORDER", "deal", None, "", ("TDA-deal-clockwise", "standard practice")),
        ("forked-river", "HOLE_ORDER", "deal", "holdem", "", ("RFR-deal-1a", "inferred")),
        ("forked-river", "CARD_AFTER_RIVER", "river", "holdem", "", ("RFR-river-2", "")),
        ("north-dakota", "BURN_MISSING", "flop", "holdem", "", ("ND-5b-1", "")),
        ("north-dakota", "BURN_MISSING", "turn", "holdem", "", ("ND-5c", "assumed rule")),
        ("north-dakota", "BURN_MISSING", "flop", "omaha", "", ("ND-6b", "assumed rule")),
        ("north-dakota", "BOARD_COUNT", "flop", "omaha8", "", ("ND-6b", "assumed rule")),
        ("north-dakota", "BURN_MISSING", "turn", "omaha", "", ("ND-6c-1", "")),
        ("north-dakota", "HOLE_COUNT", "deal", "omaha8", "", ("ND-6a-1", "")),
        ("tda", "BURN_MISSING", "flop", "holdem", "", ("TDA-burn-flop", "standard practice")),
        ("tda", "READER_LOST", None, "holdem", "", ("", "")),
    ],
)
def test_the_row_that_a_finding_cites(
    name: str, code: str, street: str | None, game: str | None, detail: str, cited: tuple[str, str]
) -> None:
    assert load(name).clause_for(code, street, game, detail) == cited


def test_the_burn_before_the_hole_cards_belongs_to_one_document() -> None:
    assert {n for n in names() if load(n).burn_before_hole_cards.value} == {"nj-tournament"}


def test_the_overlay_of_forked_river_brings_that_burn() -> None:
    plain, overlaid = load("forked-river"), load("forked-river+nj-tournament")
    assert plain.burns_before(Street.DEAL) == 0
    assert overlaid.burns_before(Street.DEAL) == 1
    assert overlaid.clause_for("BURN_MISSING", Street.DEAL) == ("NJ-T-e6-1", "")
    assert overlaid.overlay == "nj-tournament"


@pytest.mark.parametrize("name", names())
def test_two_running_to_the_button_are_lawful_where_no_document_says_otherwise(name: str) -> None:
    strict = name in ("delaware", "nj-holdem", "north-dakota")
    expected = Severity.NOTICE if strict else Severity.INFO
    assert load(name).severity("HOLE_LAST_NOT_BUTTON") is expected


def test_omaha_only_where_it_is_allowed() -> None:
    """Row TDA-games."""
    assert {n for n in names() if load(n).allows("omaha8")} == {"tda", "north-dakota"}
    assert load("tda").hole_cards_in("omaha8") == 4
    assert load("north-dakota").hole_cards_in("holdem") == 2


@pytest.mark.parametrize(
    ("name", "game", "seats", "cards"),
    [
        ("nj-tournament", "holdem", 11, 31),
        ("tda", "holdem", 11, 30),
        ("north-dakota", "omaha", 11, 52),
    ],
)
def test_cards_that_a_full_hand_takes(name: str, game: str, seats: int, cards: int) -> None:
    assert load(name).cards_needed(game, seats) == cards


def test_eleven_handed_omaha_is_a_remark() -> None:
    assert [r.split()[0] for r in remarks(load("north-dakota"))] == ["omaha", "omaha8"]
    assert remarks(load("nj-tournament")) == []


@pytest.mark.parametrize("name", [*names(), "forked-river+nj-tournament"])
def test_a_profile_survives_the_journal(name: str) -> None:
    profile = load(name)
    back = from_json(profile.model_dump_json())
    assert back == profile
    for game in profile.games.value:
        assert back.for_game(game) == profile.for_game(game)


@given(
    code=st.sampled_from(sorted(catalogue())),
    street=st.sampled_from([None, *Street]),
    detail=st.text(max_size=8),
    name=st.sampled_from(names()),
    game=st.sampled_from(["holdem", "omaha", "omaha8", "stud"]),
)
def test_any_finding_finds_its_clause_and_severity(
    code: str, street: Street | None, detail: str, name: str, game: str
) -> None:
    profile = load(name)
    clause, _ = profile.clause_for(code, street, game, detail)
    assert clause == "" or clause in clauses()
    assert (clause == "") == (setting_behind(code, street, detail) is None)
    assert profile.severity(code) in Severity
