"""The count by camera: what its spreads suffice for, and what it asks for until then."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.integrity.count import CountResult, CountStage
from controller.integrity.spread_count import SpreadCount, is_same_spread
from controller.model.cards import FACES
from controller.model.events import CountMeans
from controller.vision.picture import Quality
from controller.vision.spread import Doubt, Spot, SpreadSeen

WHOLE = frozenset(FACES)


def form(seed: int) -> tuple[float, ...]:
    """The steps of a spread, as no other has them."""
    chance = Random(seed)
    return tuple(chance.gauss(2.2, 0.15) for _ in range(50))


def still(
    seed: int = 1, without: tuple[str, ...] = (), *doubts: Doubt, **more: object
) -> SpreadSeen:
    seen = SpreadSeen(
        faces=WHOLE - set(without),
        spots=tuple(Spot(1000.0, 300.0, d) for d in doubts),
        steps=form(seed),
        index_px=25.0,
        width=4000,
        height=2000,
    )
    return replace(seen, **more)  # type: ignore[arg-type]


def counted(*stills: SpreadSeen) -> SpreadCount:
    count = SpreadCount("red").start(10.0)
    for n, seen in enumerate(stills):
        count = count.seen(seen, 11.0 + n)
    return count


def result(*stills: SpreadSeen) -> CountResult:
    count = counted(*stills)
    assert count.stage is CountStage.READY
    assert count.result is not None
    return count.result


def test_a_whole_deck_is_counted_by_one_still() -> None:
    found = result(still())
    assert found.complete
    assert (found.present, found.passes, found.means) == (52, 1, CountMeans.CAMERA)
    assert found.sentence == "52 of 52: every card is there."


def test_a_card_is_missing_when_two_spreads_say_so() -> None:
    once = counted(still(1, ("7c",)))
    assert (once.stage, once.board_text) == (CountStage.ASKING, "SPREAD ANEW")
    assert once.why.startswith("51 of 52 cards are seen.")
    found = result(still(1, ("7c",)), still(2, ("7c",)))
    assert found.missing == ("7c",)
    assert found.board_text == "DECK 51/52"
    assert "the seven of clubs is missing" in found.sentence
    assert "look through the pack" in found.sentence


def test_the_same_spread_seen_again_says_nothing_new() -> None:
    assert counted(still(1, ("7c",)), still(1, ("7c",)), still(1, ("7c",))).result is None


def test_a_deck_that_was_gathered_in_between_is_another_spread() -> None:
    empty = SpreadSeen()
    assert counted(still(1, ("7c",)), empty, still(1, ("7c",))).result is not None


@pytest.mark.parametrize("doubt", list(Doubt))
def test_a_doubtful_place_may_hide_the_card(doubt: Doubt) -> None:
    doubtful = still(2, ("7c",), doubt)
    assert counted(still(1, ("7c",)), doubtful).result is None
    assert result(still(1, ("7c",)), doubtful, still(3, ("7c",))).missing == ("7c",)


def test_a_card_that_was_hidden_in_one_spread_is_seen_in_the_next() -> None:
    assert result(still(1, ("7c",), Doubt.GAP), still(2)).complete
    assert result(still(1, ("7c",)), still(2, ("Ah",))).complete


def test_as_many_cards_as_faces_make_an_unsure_one_sure() -> None:
    """All faces were seen for sure, each in one spread or another, and no spread has more cards."""
    assert result(still(1, ("7c",), Doubt.UNSURE), still(2, ("Ah",), Doubt.UNSURE)).complete
    assert counted(still(1, ("7c",), Doubt.UNSURE)).result is None
    short = still(1, ("7c", "5s"), Doubt.UNSURE), still(2, ("7c", "Ah"), Doubt.UNSURE)
    assert result(*short).missing == ("7c",)
    more = still(1, ("7c",), Doubt.UNSURE, Doubt.UNSURE)
    assert counted(more, still(2, ("Ah",), Doubt.UNSURE, Doubt.UNSURE)).result is None


@pytest.mark.parametrize("doubt", [Doubt.UNREAD, Doubt.END, Doubt.UNSURE, Doubt.CUT])
def test_52_faces_are_no_whole_deck_while_something_stands_there_unread(doubt: Doubt) -> None:
    assert counted(still(1, (), doubt)).result is None
    assert result(still(1, (), doubt), still(2)).complete


def test_a_gap_in_a_spread_of_52_hides_nothing() -> None:
    assert result(still(1, (), Doubt.GAP)).complete


def test_a_doubled_card_is_one_when_two_spreads_say_so() -> None:
    twice = still(1, ("7c",), doubled=("Qh",))
    assert counted(twice).result is None
    found = result(twice, still(2, ("7c",), doubled=("Qh",)))
    assert (found.missing, found.duplicates, found.surplus) == (("7c",), ("Qh",), 1)
    assert counted(twice, still(2, ("7c",))).result is None
    assert counted(still(1, (), doubled=("Qh",))).result is None


def test_a_joker_and_a_foreign_card_are_told() -> None:
    found = result(still(1, jokers=1, foreign=1))
    assert (found.jokers, found.foreign, found.complete) == (1, 1, False)


def test_a_card_that_lies_face_down_is_to_be_turned() -> None:
    count = counted(still(1, ("7c",), backs=1), still(2, ("7c",), backs=1))
    assert count.result is None
    assert count.board_text == "TURN 1 FACE UP"


@pytest.mark.parametrize(
    ("seen", "board"),
    [
        (SpreadSeen(), "SPREAD THE DECK"),
        (SpreadSeen(backs=5), "TURN FACE UP"),
        (SpreadSeen(quality=Quality(False, "too dark: give the table more light")), "TOO DARK"),
        (SpreadSeen(quality=Quality(False, "camera 1 is lost")), "CAMERA BLIND"),
        (still(1, ("7c",), Doubt.CUT), "SPREAD CUT OFF"),
        (still(1, ("7c",), Doubt.UNREAD, index_px=7.0), "CAMERA CLOSER"),
        (still(1, ("7c",), Doubt.UNREAD, steps=(1.0,) * 40), "SPREAD WIDER"),
        (still(1, ("7c",), backs=1, foreign=1), "FOREIGN BACK"),
        (still(1, FACES[:20]), "SPREAD ALL CARDS"),
    ],
)
def test_the_board_says_what_to_do(seen: SpreadSeen, board: str) -> None:
    count = counted(seen)
    assert count.result is None
    assert count.board_text == board
    assert len(board) <= 16
    assert count.why.endswith(".")


def test_where_it_is_doubtful_is_said() -> None:
    assert "at the left of the upper half" in counted(still(1, ("7c",), Doubt.GAP)).why


def test_a_few_cards_are_no_deck_however_often_they_are_seen() -> None:
    few = FACES[:20]
    assert counted(*(still(n, few) for n in range(1, 6))).result is None


def test_the_dealer_s_word_ends_it() -> None:
    count = counted(still(1, ("7c",)))
    assert count.confirm(20.0, "Ann") == count  # there is no result to confirm
    done = counted(still()).confirm(20.0, "Ann")
    assert done.stage is CountStage.DONE
    assert done.result is not None
    assert (done.result.confirmed_by, done.result.duration_s) == ("Ann", 10.0)
    assert done.seen(still(2), 21.0) == done


def test_a_camera_that_moved_shows_the_same_spread() -> None:
    off = Random(99)
    nearer = tuple(s * 1.03 + off.gauss(0, 0.03) for s in form(1))
    for steps in (nearer, nearer[:-1], nearer[1:], (*nearer[:20], *nearer[21:])):
        assert is_same_spread(still(1), replace(still(1), steps=steps))
    assert not any(is_same_spread(still(1), still(seed)) for seed in range(2, 60))


SEEN = st.builds(
    lambda seed, out, doubts, doubled, backs: still(
        seed, tuple(out), *doubts, doubled=tuple(doubled), backs=backs
    ),
    st.integers(1, 9),
    st.lists(st.sampled_from(FACES), max_size=3, unique=True),
    st.lists(st.sampled_from(list(Doubt)), max_size=2),
    st.lists(st.sampled_from(FACES), max_size=1),
    st.integers(0, 1),
)


@given(st.lists(SEEN, max_size=7))
def test_nothing_is_claimed_that_no_still_shows(stills: list[SpreadSeen]) -> None:
    count = counted(*stills)
    assert len(count.board_text) <= 16
    assert not any(face in repr(count) for face in FACES)
    if count.result is None:
        return
    shown = frozenset[str]().union(*(s.faces for s in stills))
    plain = [s for s in stills if not s.backs]
    assert not set(count.result.missing) & shown
    if count.result.missing or count.result.duplicates:
        assert len(plain) >= 2
