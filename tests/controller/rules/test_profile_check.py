"""`profile check`: every fault of a file at once, where it stands, and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.model.findings import Severity
from controller.rules.profile import Fault, ProfileError, check, load, names
from controller.rules.sheet import checkout


def written(folder: Path, text: str) -> Path:
    path = folder / "house.toml"
    path.write_text(text, encoding="utf-8")
    return path


def shipped_text(name: str) -> str:
    root = checkout()
    assert root is not None
    return (root / "controller" / "rules" / "profiles" / f"{name}.toml").read_text("utf-8")


def house(folder: Path, more: str, base: str = "delaware") -> list[Fault]:
    head = f'name = "house"\ntitle = "House"\nbased_on = "{base}"\n'
    return check(written(folder, head + more))


def test_all_faults_at_once_with_their_places(tmp_path: Path) -> None:
    faults = house(
        tmp_path,
        'titel = "x"\n'
        'max_seats = { value = 12, clause = "TDA-seat-max" }\n'
        'burn_before_turn = { value = 1, clause = "ND-6c-1" }\n'
        'burn_before_flop = { value = "one", clause = "DE-a4-99" }\n'
        'button_last = { valu = "strict", clause = "DE-a3-6" }\n'
        "[severities]\n"
        'DECK_FOREIGN = "info"\n'
        'BURN_MISING = "notice"\n'
        'BURN_EXTRA = "loud"\n',
    )
    said = {(f.line, f.column): f.message for f in faults}
    assert "did you mean title?" in said[4, 1]
    assert "12; allowed: 2 to 11" in said[5, 15]
    assert "ND-6c-1 is of North Dakota" in said[6, 33]
    assert '"one"; allowed: 0 to 1' in said[7, 22]
    assert '"DE-a4-99" is unknown' in said[7, 37]
    assert 'no value; needed: { value = "strict" or "lawful-double"' in said[8, 1]
    assert "no part called valu" in said[8, 17]
    assert "DECK_FOREIGN is security and may not be silenced" in said[10, 1]
    assert "did you mean BURN_MISSING" in said[11, 1]
    assert "info, notice, warning, misdeal, fouled, security" in said[12, 1]
    assert len(faults) == 10


def test_a_whole_profile_without_a_step_is_incomplete(tmp_path: Path) -> None:
    """Rows NJ-T-e0 (the turn step), NJ-H-c0 (the button's rules), ND-5-0 and ND-6-0 (the games)."""
    for name, key in (
        ("nj-tournament", "turn_cards"),
        ("nj-holdem", "button_move"),
        ("north-dakota", "hole_cards"),
        ("north-dakota", "games"),
    ):
        lines = [x for x in shipped_text(name).splitlines() if not x.startswith(f"{key} =")]
        found = [f for f in check(written(tmp_path, "\n".join(lines))) if not f.remark]
        assert [f.code for f in found] == ["PROFILE_INCOMPLETE"]
        assert f"{key} is missing; needed: {key} = {{ value = " in found[0].message


@pytest.mark.parametrize(
    ("base", "line", "clause"),
    [
        # The document allows no high-low, and no low hand wins.
        ("nj-tournament", 'games = { value = ["holdem", "omaha8"], clause = "{}" }', "NJ-T-a-hilo"),
        ("nj-tournament", 'games = { value = ["omaha8"], clause = "{}" }', "NJ-T-a-hilo"),
        ("nj-holdem", 'games = { value = ["omaha8"], clause = "{}" }', "NJ-H-a-2"),
        ("nj-tournament", 'burn_before_flop = { value = 0, clause = "{}" }', "NJ-T-e10-1"),
        ("delaware", 'flop_style = { value = "face-up", clause = "{}" }', "DE-a4-3"),
        ("delaware", 'deck_count_interval_min = { value = 90, clause = "{}" }', "DE-b8-1"),
    ],
)
def test_a_value_against_its_own_clause_is_a_conflict(
    tmp_path: Path, base: str, line: str, clause: str
) -> None:
    found = [f for f in house(tmp_path, line.replace("{}", clause) + "\n", base) if not f.remark]
    assert [f.code for f in found] == ["PROFILE_CONFLICT"]
    assert f"contradicts {clause}" in found[0].message


def test_jokers_have_no_place(tmp_path: Path) -> None:
    """Row NJ-T-a-wild; and NJ-T-j2 by the games above."""
    found = house(tmp_path, 'jokers = { value = 2, clause = "NJ-T-j1" }\n', "nj-tournament")
    assert any("jokers: value 2; allowed: 0" in f.message for f in found)


def test_a_house_departs_by_a_row_of_its_own_and_is_told_so(tmp_path: Path) -> None:
    text = (
        'name = "house"\ntitle = "House"\nbased_on = "delaware"\n'
        'flop_style = { value = "face-up", clause = "HOUSE-flop" }\n'
        '[house_rows]\nHOUSE-flop = "The flop comes face up here."\n'
    )
    found = check(written(tmp_path, text))
    assert [(f.remark, f.code) for f in found] == [(True, "PROFILE_CONFLICT")]
    assert "departs from DE-a4-3" in found[0].message
    profile = load(tmp_path / "house.toml")
    assert profile.flop_style.value == "face-up"
    assert profile.burn_before_hole_cards.clause == "DE-a3-11"


def test_a_house_row_needs_its_prefix(tmp_path: Path) -> None:
    found = house(tmp_path, '[house_rows]\nH-1 = "x"\n')
    assert "begin with HOUSE-" in found[0].message


def test_the_grace_is_the_houses_choice(tmp_path: Path) -> None:
    line = 'hole_lift_grace_s = { value = 45, clause = "NJ-T-e8-2" }\n'
    assert house(tmp_path, line, "nj-tournament") == []
    assert load(tmp_path / "house.toml").hole_lift_grace_s.value == 45


def test_omaha_for_more_seats_than_the_deck_feeds(tmp_path: Path) -> None:
    line = 'burn_before_hole_cards = { value = true, clause = "TDA-burn-none-before-deal" }\n'
    found = [f for f in house(tmp_path, line, "tda") if not f.remark]
    assert len(found) == 2
    assert "omaha with 11 seats takes 53 cards of 52; allowed: at most 10 seats" in found[0].message


def test_burns_at_the_board_agree_with_each_other(tmp_path: Path) -> None:
    line = 'burn_place = { value = ["burn", "beside-board"], clause = "TDA-burn-apart" }\n'
    assert "exactly where burn_place names" in house(tmp_path, line, "tda")[0].message


def test_severity_of_a_security_code_may_fall_no_lower_than_a_warning(tmp_path: Path) -> None:
    rows = (
        '[severities]\nDECK_FOREIGN = "warning"\nBURN_MISPLACED = "warning"\nBTN_START = "info"\n'
    )
    assert house(tmp_path, rows, "nj-tournament") == []
    profile = load(tmp_path / "house.toml")
    assert profile.severity("DECK_FOREIGN") is Severity.WARNING
    assert profile.severity("BURN_MISPLACED") is Severity.WARNING
    assert profile.severity("BTN_START") is Severity.INFO


def test_no_edition_is_a_remark(tmp_path: Path) -> None:
    text = shipped_text("nj-tournament").splitlines()
    found = check(written(tmp_path, "\n".join(x for x in text if not x.startswith("edition"))))
    assert [(f.remark, f.code) for f in found] == [(True, "PROFILE_EDITION_MISSING")]


def test_an_unknown_overlay_names_those_that_are_there(tmp_path: Path) -> None:
    found = house(tmp_path, 'overlay = "nj"\n', "forked-river")
    assert "known here: nj-tournament" in found[0].message
    assert house(tmp_path, 'overlay = "nj-tournament"\n', "forked-river") == []
    assert load(tmp_path / "house.toml").burn_before_hole_cards.value is True


def test_a_file_that_is_no_toml_says_where(tmp_path: Path) -> None:
    found = check(written(tmp_path, 'name = "x"\ngames = [\n'))
    assert len(found) == 1
    assert found[0].message.startswith("no TOML")


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    assert "No such file" in check(tmp_path / "none.toml")[0].message
    (tmp_path / "bytes.toml").write_bytes(b"name = '\xff'")
    assert "not UTF-8" in check(tmp_path / "bytes.toml")[0].message


def test_loading_refuses_with_every_fault(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "x"\n')
    with pytest.raises(ProfileError) as refused:
        load(path)
    assert len(refused.value.faults) > 50
    assert "house.toml, line 1, column 1: " in str(refused.value)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ProfileError, match=r"did you mean delaware; known: tda, delaware"):
        load("delawere")


LINES = [x for n in names() for x in shipped_text(n).splitlines()]


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.sampled_from(LINES), max_size=30, unique=True),
    rubbish=st.text(alphabet="abc[]{}=\"#., \n'", max_size=40),
)
def test_check_never_raises(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], rubbish: str
) -> None:
    path = tmp_path_factory.mktemp("rubbish") / "house.toml"
    path.write_text("\n".join([*lines, rubbish]), encoding="utf-8")
    for fault in check(path):
        assert fault.line >= 1
        assert fault.column >= 1
        assert fault.message
