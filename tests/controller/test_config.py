"""table.toml: the sample is the reference table, and every fault is named at once."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.config import SAMPLES, ConfigError, Fault, load, read, sample_text
from controller.keys import new_pair
from controller.model.events import SeatStatus
from controller.model.table import REFERENCE_MAX_STACK, LayoutOptions, reference_layout

HERE = Path("/nowhere")
KEYS_LEFT_OUT = {"camera": ("areas", "still_width", "still_height", "lock")}
"""Keys that a sample shows in a comment or not at all."""


def changed(*swaps: tuple[str, str]) -> str:
    text = sample_text()
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def faults(text: str) -> tuple[Fault, ...]:
    with pytest.raises(ConfigError) as caught:
        read(text, "table.toml", HERE)
    return caught.value.faults


def only_fault(*swaps: tuple[str, str]) -> str:
    found = faults(changed(*swaps))
    assert len(found) == 1, found
    return found[0].message


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), start=1) if part in line)


def test_the_sample_is_the_reference_table() -> None:
    config = load()
    options = LayoutOptions(max_stack=REFERENCE_MAX_STACK)
    assert config.layout == reference_layout(options)
    assert config.simulated
    assert config.journal == Path.cwd() / "run" / "burnturn.journal"
    assert config.seats[8:] == ((9, SeatStatus.IN), (10, SeatStatus.OUT), (11, SeatStatus.OUT))
    assert (config.profile.name, config.socket_mode, config.public_key) == ("tda", 0o600, None)


def test_paths_are_relative_to_the_files_folder(tmp_path: Path) -> None:
    swaps = ('path = "burnturn.journal"', 'path = "night/journal"'), ('socket = ""', 'socket = "s"')
    (tmp_path / "table.toml").write_text(changed(*swaps))
    config = load(tmp_path / "table.toml")
    assert config.journal == tmp_path / "night" / "journal"
    assert config.socket == tmp_path / "s"


def test_a_table_without_burn_or_count_antenna_shares_them() -> None:
    layout = read(changed(('zone = "burn"', 'zone = "stub"')), "t", HERE).layout
    assert layout.burn_is_muck
    assert layout.burn_zone == "muck"


def test_all_faults_are_named_at_once_with_line_value_and_bounds() -> None:
    text = changed(
        ("seats = 11 ", "seats = 9 "),
        ("button = 9", "buton = 9"),
        ('game = "holdem"', 'game = "stud"'),
        ("miss = 0.05\ncross", "miss = 0.9\ncross"),
        ('zone = "muck"', 'zone = "mukc"'),
        ("mistakes = 0.3", "mistakes = 3"),
    )
    with pytest.raises(ConfigError) as caught:
        read(text, "table.toml", HERE)
    said = str(caught.value)
    for part, words in (
        ("buton", "table: buton is no key here; allowed: name, seats,"),
        ('"stud"', 'table: game = "stud"; allowed: holdem, omaha, omaha8'),
        ("miss = 0.9", "antenna 1: miss = 0.9; allowed: a number, 0 to 0.5"),
        ('"seat/10"', 'antenna 10: zone = "seat/10"; allowed: seat/1 to seat/9, board'),
        ('"mukc"', 'antenna 14: zone = "mukc"'),
        ("mistakes = 3", "simulation: mistakes = 3; allowed: a number, 0 to 1"),
    ):
        assert f"table.toml, line {line_of(text, part)}: {words}" in said
    assert "table.toml: no antenna watches muck" in said


@pytest.mark.parametrize(
    ("swaps", "words"),
    [
        ([("button = 9", "button = 12")], "button = 12; allowed: a whole number, 1 to 11"),
        ([("sit_out = []", "sit_out = [4]")], "sit_out holds seat 4, already in dealt_in"),
        ([("dealt_in = [1, 2,", 'dealt_in = ["one", 2,')], 'dealt_in = "one"; allowed: a list of'),
        ([('profile = "tda"', 'profile = "vegas"')], 'profile = "vegas"'),
        ([("neighbours = [2]", "neighbours = [44]")], "antenna 1: neighbour 44 is no other"),
        (
            [("port = 2\nzone", "port = 1\nzone")],
            "antenna 2: reader 1, port 1 is taken by antenna 1",
        ),
        ([('zone = "count"', 'zone = "muck"')], "antenna 15: zone muck is taken by antenna 14"),
        ([('public = ""', 'public = "abc"')], "keys:"),
        ([("reader = 2\nport = 1\n", "reader = 3\nport = 1\n")], "reader = 3; allowed: 1, 2"),
        (
            [("max_stack = 2", "max_stack = true")],
            "max_stack = true; allowed: a whole number, 1 to",
        ),
        ([('socket = ""', f'socket = "{"x" * 120}"')], "socket is too long; allowed: 107 bytes"),
        ([('mode = "check"', 'mode = "off"')], 'mode = "off"; allowed: check, watch'),
    ],
)
def test_each_fault_says_what_is_allowed(swaps: list[tuple[str, str]], words: str) -> None:
    assert words in only_fault(*swaps)


def test_a_real_reader_needs_its_port_and_stands_with_no_simulated_one() -> None:
    text = changed(('driver = "simulated"', 'driver = "pepper-c1"'))
    said = " ".join(f.message for f in faults(text))
    assert "reader 1: port is missing; allowed: a serial device or tcp://host:port" in said
    assert "choose one kind" in said


def test_game_and_players_must_suit_the_profile(tmp_path: Path) -> None:
    said = only_fault(('profile = "tda"', 'profile = "delaware"'), ('"holdem"', '"omaha"'))
    assert said == 'table: game = "omaha"; profile delaware allows holdem'
    (tmp_path / "short.toml").write_text(
        'based_on = "tda"\nname = "short"\ntitle = "Six-handed"\njurisdiction = "house"\n'
        'edition = "2026"\nmax_seats = { value = 6, clause = "HOUSE-1" }\n'
        '[house_rows]\nHOUSE-1 = "Six players at most."\n'
    )
    with pytest.raises(ConfigError, match="9 seats dealt in; profile short has at most 6"):
        read(changed(('profile = "tda"', 'profile = "short.toml"')), "t", tmp_path)


def test_what_is_no_toml_is_named_by_its_line() -> None:
    (fault,) = faults("[table]\nseats = = 9\n")
    assert fault.line == 2
    assert "is not TOML" in fault.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot be read"):
        load(tmp_path / "gone.toml")


def test_the_regulators_key_is_read(tmp_path: Path) -> None:
    pair = new_pair(tmp_path)
    config = read(changed(('public = ""', f'public = "{pair.public_text}"')), "t", HERE)
    assert config.public_key is not None
    assert len(config.public_key) == 32


ODD_VALUES = [
    *("-7", "9.5", "true", '"x"', "nan", "inf", "2026-11-30", "10:00:00", "1" + 30 * "0"),
    *("[]", "[0]", "[[1]]", '["x", "x"]', "[{}]", "[2026-11-30]", "[nan]", "{ a = 1 }", "{}"),
]


def outcome_of(text: str) -> object:
    """A configuration, or the faults of one; whatever else happens fails the test."""
    try:
        return read(text, "table.toml", HERE)
    except ConfigError as error:
        return error.faults


@pytest.mark.parametrize("sample", sorted(SAMPLES))
@given(st.data())
def test_no_value_of_a_wrong_kind_breaks_the_reader(sample: str, data: st.DataObject) -> None:
    raw = tomllib.loads(sample_text(sample))
    part = data.draw(st.sampled_from(sorted(raw)))
    held = raw[part][0] if isinstance(raw[part], list) else raw[part]
    key = data.draw(st.sampled_from(sorted({*held, *KEYS_LEFT_OUT.get(part, ())})))
    value = data.draw(st.sampled_from(ODD_VALUES))
    lines = sample_text(sample).splitlines()
    start = next(n for n, line in enumerate(lines) if line.strip("[]") == part)
    left_out = key not in held
    at = start if left_out else next(
        n for n in range(start, len(lines)) if lines[n].startswith(f"{key} =")
    )  # fmt: skip
    lines[at : at + 1] = [*lines[at : at + left_out], f"{key} = {value}"]
    assert outcome_of("\n".join(lines))


@pytest.mark.parametrize("sample", sorted(SAMPLES))
@pytest.mark.parametrize("value", ODD_VALUES)
def test_no_part_of_a_wrong_kind_breaks_the_reader(sample: str, value: str) -> None:
    text = sample_text(sample)
    for part in tomllib.loads(text):
        lines, kept = [f"{part} = {value}"], True
        for line in text.splitlines():
            if line.startswith("["):
                kept = line.strip("[]") != part
            lines += [line] if kept else []
        assert outcome_of("\n".join(lines))


def test_faulty_antennas_are_named_one_by_one_and_not_as_too_few() -> None:
    text = sample_text()
    head, _, rest = text.partition("[[antenna]]")
    one = "[[antenna]]" + rest.split("[[antenna]]")[0].replace("miss = 0.05", "miss = 7")
    assert not any(f.message.startswith("antenna = ") for f in faults(head + one))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('name = "sample table"', 'name = "\\u001b[31m"', "table: name"),
        ('path = "burnturn.journal"', 'path = "a\\u0000"', "journal: path"),
        ('socket = ""', 'socket = "a\\u0000"', "floor: socket"),
        ('profile = "tda"', 'profile = "a\\u0000.toml"', "table: profile"),
    ],
)
def test_no_text_holds_what_cannot_be_printed_or_name_a_file(
    old: str, new: str, place: str
) -> None:
    message = only_fault((old, new))
    assert message.startswith(place)
    assert message.isprintable()
    assert "no control characters" in message


def test_each_fault_of_the_houses_own_profile_is_a_fault_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text("x = 1\n")
    (tmp_path / "table.toml").write_text(changed(('profile = "tda"', 'profile = "./house.toml"')))
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "table.toml")
    messages = [f.message for f in caught.value.faults]
    assert any("x is no key" in m for m in messages)
    assert any("title is missing" in m for m in messages)
    assert all("\n" not in m for m in messages)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"#" * 2_000_000)
    with pytest.raises(ConfigError, match="longer than"):
        load(path)
    with pytest.raises(ConfigError, match="Is a directory"):
        load(tmp_path)


@pytest.mark.parametrize("port", ["tcp://nowhere", "tcp://host:port", "http://host:80"])
def test_an_address_that_no_reader_has_is_named_before_the_table_is_watched(port: str) -> None:
    text = sample_text().replace('"simulated"', '"pepper-c1"')
    text = text.replace('port = "" ', f'port = "{port}" ', 1)
    found = [f for f in faults(text) if "reader 1" in f.message]
    assert [f.message for f in found] == [
        f'reader 1: port = "{port}"; allowed: a serial device or tcp://host:port'
    ]
    assert found[0].line == line_of(text, port)


def test_decks_and_their_key_lie_where_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(changed(('file = "decks.box"', 'file = "house/all.box"')))
    config = load(tmp_path / "table.toml")
    assert config.deck_file == tmp_path / "house" / "all.box"
    assert config.deck_key == tmp_path / "decks.key"


def test_decks_and_their_key_are_two_files() -> None:
    assert "allowed: another" in only_fault(('key = "decks.key"', 'key = "decks.box"'))
