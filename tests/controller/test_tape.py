"""Tapes: what is recorded is replayed, without any card's true UID."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.tape import FLUSH_S, Names, TapeError, TapeWriter, moved, play, time_of
from drivers.readings import (
    AreaSight,
    ButtonReading,
    Face,
    Health,
    HealthState,
    KeyPress,
    Outcome,
    Poll,
    Reading,
    SeatReading,
    SeenCard,
    Side,
    Sight,
    Uid,
)
from tests.disks import room_for

CARD = Uid(bytes.fromhex("e00401020304aabb"))
OTHER = Uid(bytes.fromhex("e0040520304011cc"))
THIRD = Uid(bytes.fromhex("04a1b2c3d4e5f6"))


def seen(antenna: int, at: float, *uids: Uid) -> Poll:
    outcome = Outcome.SEEN if uids else Outcome.EMPTY
    return Poll(antenna, uids, outcome, at - 0.02, at)


def names() -> Names:
    return Names(random.Random(4).randbytes)


def recorded(path: Path, *readings: Reading | None) -> list[Reading]:
    """Recorded, with None for the end of a hand, and played back."""
    with TapeWriter(path, "table 1", names()) as tape:
        for reading in readings:
            if reading is None:
                tape.hand_over()
            else:
                tape.write(reading)
    return list(play(path))


def uids(reading: Reading) -> tuple[Uid, ...]:
    assert isinstance(reading, Poll)
    return reading.uids


def test_every_kind_of_reading_comes_back(tmp_path: Path) -> None:
    readings: list[Reading] = [
        seen(3, 1.25),
        Poll(4, (), Outcome.NOISE, 1.25, 1.5),
        Poll(5, (), Outcome.EMPTY, 1.5, 1.6, complete=False),
        Health("reader 1", HealthState.LOST, "check its cable", 2.0, (1, 2)),
        ButtonReading((4, 9), 3.0),
        ButtonReading((), 3.1),
        ButtonReading(None, 3.2),
        SeatReading(8, False, 4.0),
        SeatReading(8, None, 4.1),
        KeyPress("new-hand", 5.5),
    ]
    assert recorded(tmp_path / "t", *readings) == readings


def test_no_true_uid_is_on_the_tape(tmp_path: Path) -> None:
    path = tmp_path / "t"
    recorded(path, seen(1, 1.0, CARD, THIRD), None, seen(2, 9.0, OTHER), seen(1, 10.0, CARD))
    text = path.read_text()
    for uid in (CARD, OTHER, THIRD):
        assert uid.hex()[4:] not in text


def test_names_hold_within_a_hand_and_change_with_it(tmp_path: Path) -> None:
    first, again, later = recorded(
        tmp_path / "t", seen(1, 1.0, CARD), seen(2, 30.0, CARD), None, seen(2, 60.0, CARD)
    )
    assert uids(first) == uids(again)
    assert uids(first) != uids(later)
    assert uids(first)[0][:2] == CARD[:2]


def test_a_card_that_goes_on_lying_keeps_its_name_until_it_is_taken_up(tmp_path: Path) -> None:
    before, lying, taken, back = recorded(
        tmp_path / "t",
        seen(12, 1.0, CARD),
        None,
        seen(12, 2.0, CARD),
        seen(3, 2.5, CARD),
        seen(12, 3.0, CARD),
    )
    assert uids(before) == uids(lying)
    assert uids(lying) != uids(taken)
    assert uids(taken) == uids(back)


def test_a_card_unread_for_long_after_the_hand_has_a_new_name(tmp_path: Path) -> None:
    before, after = recorded(tmp_path / "t", seen(12, 1.0, CARD), None, seen(12, 9.0, CARD))
    assert uids(before) != uids(after)


def test_a_merged_uid_is_the_merger_of_the_names(tmp_path: Path) -> None:
    ghost = Uid(bytes(a | b for a, b in zip(CARD, OTHER, strict=True)))
    one, other, merged = recorded(
        tmp_path / "t", seen(1, 1.0, CARD), seen(1, 1.4, OTHER), seen(1, 1.8, ghost)
    )
    both = bytes(a | b for a, b in zip(uids(one)[0], uids(other)[0], strict=True))
    assert uids(merged) == (both,)


def test_a_misread_prefix_stays_one_and_gives_nothing_away(tmp_path: Path) -> None:
    shifted = Uid(CARD[1:] + b"\x00")
    (poll,) = recorded(tmp_path / "t", seen(1, 1.0, shifted))
    assert len(uids(poll)[0]) == len(shifted)
    assert uids(poll)[0][0] == 1
    assert not set(uids(poll)[0].hex(" ").split()) >= set(shifted[:4].hex(" ").split())


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t"
    whole = recorded(path, seen(1, 1.0, CARD), KeyPress("new-hand", 2.0))
    path.write_text(path.read_text()[:-4])
    assert list(play(path)) == whole[:1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("{}\n", "no tape of this version"),
        ('{"tape": "burnturn tape 1"}\n["p", 1]\n', "line 2: is no reading"),
        ('{"tape": "burnturn tape 1"}\n["k", "x", 1]\n{"a": 1}\n', "line 3: is no reading"),
        ("\xff\xfe", "is no tape"),
        ("[" * 5000, "is no tape"),
    ],
)
def test_what_is_no_tape_is_said_with_its_line(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "t"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(TapeError, match=words):
        list(play(path))


def test_a_recording_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("precious")
    with pytest.raises(TapeError, match="exists already"), TapeWriter(tmp_path / "t", "x"):
        pass


def test_a_tape_is_for_its_owner(tmp_path: Path) -> None:
    recorded(tmp_path / "t", KeyPress("quiet", 1.0))
    assert (tmp_path / "t").stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "t").read_text().splitlines()[0])["table"] == "table 1"


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_moved_readings_move_in_time_only(by_s: float, at: float) -> None:
    for reading in (
        Poll(1, (CARD,), Outcome.SEEN, at, at),
        Health("reader 1", HealthState.OK, "", at),
        ButtonReading((1,), at),
        SeatReading(1, True, at),
        KeyPress("count", at),
    ):
        there = moved(reading, by_s)
        assert time_of(there) == at + by_s
        assert type(there) is type(reading)


def test_a_kill_costs_the_tape_seconds_at_most(tmp_path: Path) -> None:
    path = tmp_path / "t"
    with TapeWriter(path, "x") as tape:
        for n in range(100):
            tape.write(KeyPress("k", n * 0.1))
        assert time_of(list(play(path))[-1]) > 10.0 - 2 * FLUSH_S


def record(path: Path, readings: Sequence[Reading]) -> None:
    with TapeWriter(path, "x") as tape:
        for reading in readings:
            tape.write(reading)


def test_a_full_disk_ends_the_tape_in_words(tmp_path: Path) -> None:
    path, other = tmp_path / "t", tmp_path / "other"
    with room_for(100):
        with pytest.raises(TapeError, match="recording stopped"):
            record(path, [KeyPress("k", n * 1.0) for n in range(100)])
        with pytest.raises(TapeError, match="recording stopped"):
            record(other, [KeyPress("k", n * 0.001) for n in range(100)])
    assert all(r == KeyPress("k", r.at) for r in play(path) if isinstance(r, KeyPress))


def picture(at: float, *faces: str, clear: bool = True) -> Sight:
    cards = tuple(SeenCard(10.0 * n, 5.5, 90.0, Side.UP, Face(f)) for n, f in enumerate(faces))
    back = SeenCard(-10.1, 0.0, 12.5, Side.DOWN, None, 0.75)
    areas = (AreaSight("board", cards, clear), AreaSight("seat/4", (back,), clear, not clear))
    return Sight(1, at - 0.02, at, areas)


def faces(reading: Reading) -> list[str]:
    assert isinstance(reading, Sight)
    return [c.face.code for c in reading.areas[0].cards if c.face is not None]


def test_a_picture_comes_back_but_for_its_faces(tmp_path: Path) -> None:
    true = [picture(1.0, "As", "Kd"), picture(1.2, "As", "Kd"), picture(1.4, "As", "Kd", "joker")]
    found = recorded(tmp_path / "t", *true, picture(1.6, clear=False))
    for was, now in zip(true, found, strict=False):
        assert isinstance(now, Sight)
        hidden = [
            AreaSight(
                a.area, tuple(c._replace(face=c.face and None) for c in a.cards), a.clear, a.whole
            )
            for a in now.areas
        ]
        bare = [
            AreaSight(
                a.area, tuple(c._replace(face=c.face and None) for c in a.cards), a.clear, a.whole
            )
            for a in was.areas
        ]
        assert (now.camera, now.started, now.ended, hidden) == (1, was.started, was.ended, bare)
    one, two, three = map(faces, found[:3])
    assert one == two == three[:2]
    assert one != ["As", "Kd"]
    assert three[2] == "joker"
    assert not found[3].areas[0].clear if isinstance(found[3], Sight) else False
    assert time_of(found[0]) == 1.0
    assert moved(found[0], 2.0) == found[0]._replace(started=2.98, ended=3.0)  # type: ignore[union-attr]


def test_faces_are_others_in_every_hand_and_never_the_same_for_two_cards(tmp_path: Path) -> None:
    all_cards = [r + s for r in "A23456789TJQK" for s in "shdc"]
    first, second = map(
        faces, recorded(tmp_path / "t", picture(1, *all_cards), None, picture(2, *all_cards))
    )
    assert len(set(first)) == len(set(second)) == 52
    assert sum(a == b for a, b in zip(first, second, strict=True)) < 10
    assert sum(a == b for a, b in zip(all_cards, first, strict=True)) < 10


@pytest.mark.parametrize(
    "row",
    [
        '["c",1,0.0,0.1,["board"]]',
        '["c",1,0.0,0.1,[["board",1,[[1,2]]]]]',
        '["c",1,0.0,0.1,[["board",1,[[1,2,3,"sideways",1.0]]]]]',
        '["c",1,0.0]',
    ],
)
def test_a_row_that_is_no_picture_is_named(tmp_path: Path, row: str) -> None:
    path = tmp_path / "t"
    recorded(path, picture(1.0, "As"))
    lines = path.read_text().splitlines()
    path.write_text(f"{lines[0]}\n{row}\n")
    with pytest.raises(TapeError, match="line 2: is no reading"):
        list(play(path))
