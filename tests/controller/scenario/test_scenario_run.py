"""Running scenarios: what fails a file, what does not, and what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from controller.cli.scenario import app
from controller.scenario.language import read
from controller.scenario.rehearsal import rehearse
from controller.scenario.runner import NoiseChoice, Result, run

HAND = "profile tda\nseats 1-9\nbutton 3\n"


def result_of(text: str, noise: NoiseChoice | None = None, seed: int | None = None) -> Result:
    found = read(text)
    assert found.scenario is not None, found.faults
    return run(found.scenario, noise, seed)


def test_a_legal_hand_passes() -> None:
    result = result_of(HAND + "hole\nwait 6s\nburn\nflop\nexpect none\n")
    assert result.ok
    assert result.polls > 100


def test_a_finding_that_nobody_expects_fails_the_file() -> None:
    result = result_of(HAND + "hole\nwait 6s\nflop\n")
    assert not result.ok
    assert [u.code for u in result.unexpected] == ["BURN_MISSING"]
    assert result.unexpected[0].line == 0


def test_expect_none_names_the_line_that_noticed_it() -> None:
    result = result_of(HAND + "hole\nwait 6s\nflop\nexpect none\n")
    assert [u.line for u in result.unexpected] == [7]


def test_an_expected_finding_that_does_not_come_fails_the_file() -> None:
    result = result_of(HAND + "hole\nwait 6s\nburn\nflop\nexpect BURN_MISSING street=flop\n")
    assert [(m.line, m.expected) for m in result.missing] == [
        (8, "expect BURN_MISSING street=flop")
    ]


@pytest.mark.parametrize(
    "attribute",
    ["street=turn", "seat=4", "clause=NJ-T-e10-1", "zone=muck", "state=corrected"],
)
def test_every_attribute_must_fit(attribute: str) -> None:
    result = result_of(HAND + f"hole\nwait 6s\nflop\nexpect BURN_MISSING {attribute}\n")
    assert len(result.missing) == 1


def test_within_counts_from_the_end_of_the_last_act() -> None:
    held = HAND + "hole\nwait 6s\nlift 6 for 60s\nexpect CARDS_OFF_TABLE seat=6 within "
    assert len(result_of(held + "3s\n").missing) == 1
    assert result_of(held + "40s\n").ok


def test_attributes_that_fit_and_either_of_two_codes() -> None:
    text = "hole\nwait 6s\nflop\nexpect BURN_EXTRA | BURN_MISSING street=flop clause=TDA-burn-flop"
    assert result_of(HAND + text).ok


def test_one_finding_does_not_meet_two_expectations() -> None:
    text = "hole\nwait 6s\nflop\nwait 5s\nexpect BURN_MISSING\nwait 5s\nburn\nturn\n"
    result = result_of(HAND + text + "expect BURN_MISSING street=turn\n")
    assert [m.line for m in result.missing] == [12]


def test_the_floor_rules_on_an_open_finding() -> None:
    text = "hole\nwait 6s\nflop\nexpect BURN_MISSING\n"
    assert result_of(HAND + text + 'rule BURN_MISSING "stands"\nexpect BURN_MISSING state=ruled').ok
    result = result_of(HAND + 'hole\nrule BURN_MISSING "stands"\n')
    assert "no finding BURN_MISSING" in result.faults[0]


def test_what_the_board_says() -> None:
    assert result_of(HAND + 'hole until seat 5\nexpect board "SEAT 6" within 3s\n').ok
    result = result_of(HAND + 'hole until seat 5\nexpect board "SEAT 1"\n')
    assert "the board says" in result.missing[0].why


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("post 4 small 50", "money"),
        ("act 4 fold", "money"),
        ("count deck minus 7c,7c", "7c"),
        ("fold 4", "no cards"),
        ("move board card 1 -> burn", "no card 1"),
        ("hole until seat 11", "not due cards"),
    ],
)
def test_what_cannot_be_carried_out_is_said_with_its_line(line: str, word: str) -> None:
    result = result_of(HAND + line + "\n")
    assert not result.ok
    assert result.faults[0].startswith(f"line 4, {line}")
    assert word in result.faults[0]


@pytest.mark.parametrize(("line", "word"), [("console on", "money"), ("level 50/100", "money")])
def test_a_set_up_that_this_table_lacks_is_said_with_its_line(line: str, word: str) -> None:
    result = result_of(f"{line}\n{HAND}hole\n")
    assert result.faults[0].startswith(f"line 1, {line}")
    assert word in result.faults[0]


def test_the_same_seed_gives_the_same_run() -> None:
    noise = NoiseChoice(0.05, 0.02, 0.4)
    text = HAND + "hole\nwait 6s\nfold 5\nburn\nflop\nwait 5s\nexpect none\n"
    first, second = result_of(text, noise, 3), result_of(text, noise, 3)
    assert first == second


def test_under_noise_an_expectation_is_met_by_cannot_tell() -> None:
    text = HAND + "deal seat 4\ndeal seat 6\ndeal seat 5\nexpect HOLE_ORDER seat=5\n"
    noisy = result_of(text, NoiseChoice(0.1, 0.05, 1.2), 1)
    assert noisy.missing == []


COUNTS = [
    ("count deck", 4, "no count is on; `key count` begins one"),
    ("key count\npower-cut\ncount deck", 6, "the power cut in line 5 ended it"),
    ("key count\ncount deck\nkey confirm\ncount deck", 7, "`key confirm` in line 6 ended it"),
    ("key count\nwait 90s\ncount deck", 6, "no card came for 9"),
    ("hole\nwait 5s\nkey count\ncount deck", 7, "line 6 asked for one while the hand of line 4"),
    ("key count\nwait 3s\nhole\nwait 3s\ncount deck", 8, "cards were dealt in line 6"),
]


@pytest.mark.parametrize(("acts", "line", "why"), COUNTS)
def test_a_count_without_its_key_is_known_before_and_refused_in_a_run(
    acts: str, line: int, why: str
) -> None:
    scenario = read(HAND + acts + "\n").scenario
    assert scenario is not None
    (refused,) = rehearse(scenario)
    assert refused.line == line
    assert why in refused.why
    (fault,) = run(scenario).faults
    assert fault.startswith(f"line {line}, count deck: no count is on")


@pytest.mark.parametrize(
    "acts",
    [
        "key count\ncount deck",
        "wait 1s\nkey count\nwait 40s\nkey confirm\ncount deck\nwait 90s\ncount deck",
        "hole\nwait 5s\ngather\nkey end-hand\nkey count\ncount deck\nkey confirm",
        "key count\nkey count\ncount deck minus 7c\nkey confirm\nkey count\ncount deck plus 7d",
    ],
)
def test_a_count_that_can_be_is_not_refused_beforehand(acts: str) -> None:
    scenario = read(HAND + acts.replace("plus 7d", "plus joker") + "\n").scenario
    assert scenario is not None
    assert rehearse(scenario) == []
    assert run(scenario).faults == []


def test_what_a_run_would_refuse_is_known_with_every_line_of_it(tmp_path: Path) -> None:
    file = tmp_path / "night.deal"
    acts = "console on\nhole\npost 4 small 50\nattest XX-1\nswap seat 4 card 1 foreign\nlevel 1/2\n"
    file.write_text(HAND + acts + "fold 11\nfold 11\n")
    code, text = command("check", str(file), "--json")
    assert code == 1
    assert [f.removeprefix(f"{file}:") for f in json.loads(text)["faults"]] == [
        "4:1: console on: this table cannot go by money entries yet",
        "6:1: post 4 small 50: this table cannot take money entries yet",
        "7:1: attest XX-1: no row of the rules is called XX-1",
        "9:1: level 1/2: this table cannot take levels of blinds yet",
        "10:1: fold 11: seat 11 has no cards to fold",
    ]
    file.write_text("game omaha\nprofile nj-tournament\nhole\n")
    assert "nj-tournament does not deal omaha" in command("check", str(file))[1].replace("\n", "")


def test_all_that_is_due_is_confirmed_and_no_more() -> None:
    head = "profile nj-tournament\nopening\nseats 1-9\nbutton 1\ndecks red blue\n"
    deal = "key shuffled\nburn\nhole\nexpect none\n"
    assert result_of(head + "attest all\n" + deal).ok
    assert not result_of(head + deal).ok
    assert result_of(head + "attest all\nattest all\n" + deal).ok, "nothing left is nothing wrong"


ACTS = """
burn / hole / hole until seat 6 / hole pass 2 / flop / turn / river / deal seat 4 / deal seat 10
deal board / deal muck / deal off-table / deal count / fold 5 / lift 6 for 3s / expose seat 4 card 1
move seat 4 card 1 -> burn / move seat 4 card 1 -> seat 5 / move board card 1 -> muck
move muck card 1 -> seat 3 / move burn card 1 -> stub top / move off-table -> board
swap seat 7 card 2 foreign / swap seat 7 card 1 card of blue / scramble board 1-3 / gather
swap seat 6 card 1 duplicate of seat 5 card 1 / swap seat 6 card 1 clone of seat 5 card 1
shuffle seed 2 / reshuffle-stub seed 3 / seat 8 empty / button 4 / button none / button 4,9
key new-hand / key end-hand / key misdeal / key confirm / key quiet / sit-out 6 / in 6 / out 6
in 12 / attest all / in 5
fault reader 1 lost for 5s / fault antenna 5 stuck for 5s / fault antenna 5 ghost for 3s
fault dead tag 7c / fault unread seat 4 card 1 for 10s / wait 1s / wait 6s / power-cut / absent 4
seats 1-8 / game omaha / profile delaware / deck blue seed 3 / deck red seed 4
"""
ANY_ACT = st.sampled_from([a.strip() for a in ACTS.replace("\n", "/").split("/") if a.strip()])


@given(
    st.sampled_from(["tda", "nj-tournament", "delaware", "north-dakota"]),
    st.sampled_from(["burn=own", "burn=muck", "board=three", "stub=own count=burn"]),
    st.lists(ANY_ACT | st.just("burn\nhole"), min_size=2, max_size=8),
    st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_no_order_of_acts_makes_the_table_raise(
    profile: str, antennas: str, acts: list[str], noisy: bool
) -> None:
    """What cannot be carried out ends a run with its line, and nothing else does."""
    head = f"profile {profile}\nbutton 3\ndecks red blue\nantennas {antennas}\nwait 1s\n"
    noise = NoiseChoice(0.05, 0.02, 0.4) if noisy else None
    text = head + "\n".join(acts) + "\n"
    result = result_of(text, noise)
    assert len(result.faults) <= 1
    assert result.virtual_s > 0
    scenario = read(text).scenario
    assert scenario is not None
    assert [f"line {line}, {why}" for line, why in rehearse(scenario)] == result.faults


def test_the_twin_nights_end_alike() -> None:
    """Two nights that differ only in the cards: same findings at the same places."""
    folder = Path(__file__).parents[2] / "scenarios" / "twins"
    red, blue = (result_of((folder / f"night-{n}.deal").read_text()) for n in ("red", "blue"))
    assert red == blue


def command(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def test_the_command_prints_json(tmp_path: Path) -> None:
    good, bad, odd = (tmp_path / f"{n}.deal" for n in ("a-good", "b-bad", "c-odd"))
    good.write_text(HAND + "hole\nwait 6s\nburn\nflop\nexpect none\n")
    bad.write_text(HAND + "hole\nwait 6s\nflop\nexpect BURN_EXTRA\n")
    odd.write_text(HAND + "hole untill seat 4\nfold 99\nexpect BURN_MISING\n")
    code, text = command("run", str(tmp_path), "--json")
    body = json.loads(text)
    assert code == 1
    assert (body["passed"], body["failed"]) == (1, 2)
    assert [r["ok"] for r in body["results"]] == [True, False, False]
    assert body["results"][0] == {
        "file": str(good),
        "ok": True,
        "missing": [],
        "unexpected": [],
        "cannot_tell": [],
        "faults": [],
        "runs": 1,
        "failed_runs": 0,
    }
    assert body["results"][1]["missing"][0]["expected"] == "expect BURN_EXTRA"
    assert body["results"][1]["unexpected"][0]["code"] == "BURN_MISSING"
    assert [f.split(": ")[0] for f in body["results"][2]["faults"]] == [
        f"{odd}:4:6",
        f"{odd}:5:6",
        f"{odd}:6:8",
    ]


def test_the_command_prints_a_table_and_its_exit_code_tells(tmp_path: Path) -> None:
    file = tmp_path / "night.deal"
    file.write_text(HAND + "hole\nwait 6s\nburn\nflop\nexpect none\n")
    code, text = command("run", str(file))
    assert code == 0
    assert "1 passed, 0 failed" in text


def test_noise_and_seeds_repeat_a_file(tmp_path: Path) -> None:
    file = tmp_path / "night.deal"
    file.write_text(HAND + "hole\nwait 6s\nexpect none\n")
    code, text = command(
        "run", str(file), "--noise", "5%,2%,400ms", "--seeds", "3", "--json", "--jobs", "1"
    )
    assert json.loads(text)["results"][0]["runs"] == 3
    assert code in {0, 1}


@pytest.mark.parametrize("noise", ["5,2,400", "60%,2%,400ms", "5%,2%,40s"])
def test_noise_that_cannot_be_is_refused(noise: str, tmp_path: Path) -> None:
    file = tmp_path / "night.deal"
    file.write_text(HAND)
    code, text = command("run", str(file), "--noise", noise)
    assert code == 2
    assert "--noise" in text


def test_check_names_faults_and_runs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "night.deal"
    file.write_text(HAND + "hole untill seat 4\n")
    code, text = command("check", str(file))
    assert code == 1
    assert "night.deal:4:6: 'untill' is one word too many" in text.replace("\n", "")
    file.write_text(HAND + "hole\n")
    assert command("check", str(file)) == (0, "1 file, in order\n")
    file.write_text(HAND)
    code, text = command("check", str(file))
    assert code == 1
    assert "there is no act in it" in text.replace("\n", "")


def test_a_profile_may_lie_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(
        'based_on = "tda"\nname = "house"\ntitle = "Our house"\njurisdiction = "here"\n'
    )
    file = tmp_path / "night.deal"
    file.write_text(HAND.replace("tda", "house.toml") + "hole\nwait 6s\nburn\nflop\nexpect none\n")
    code, text = command("run", str(file), "--json")
    assert json.loads(text)["results"][0]["faults"] == []
    assert code == 0


def test_an_unknown_profile_is_named(tmp_path: Path) -> None:
    file = tmp_path / "night.deal"
    file.write_text("profile nj-tournement\nhole\n")
    code, text = command("run", str(file), "--json")
    assert code == 1
    assert "nj-tournament" in json.loads(text)["results"][0]["faults"][0]
