"""Tag wear: a weak tag is named before it dies, a healthy deck has none named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.integrity.wear import (
    FEWEST_LOOKS,
    NIGHTS_KEPT,
    USUAL_RATE,
    NightLooks,
    Wear,
    shown_share,
)
from drivers.readings import Uid

UIDS = [Uid(bytes((0xE0, 4, 5, card))) for card in range(52)]


def played(
    nights: int, seed: int, *, weak: float | None = None, spread: float = 0.02, looks: int = 600
) -> Wear:
    """A deck of tags read at 95 %, give or take by nights; the eighth one as given."""
    chance, wear = np.random.default_rng(seed), Wear()
    total = 1 / spread - 1
    for _ in range(nights):
        night = {}
        for i, uid in enumerate(UIDS):
            rate = weak if weak is not None and i == 7 else 0.95
            tonight = chance.beta(rate * total, (1 - rate) * total)
            night[uid] = NightLooks(looks, int(chance.binomial(looks, tonight)))
        wear = wear.night(night)
    return wear


def test_a_tag_that_fades_is_named_while_it_is_still_read() -> None:
    wear = played(7, seed=1, weak=0.8)
    (weak,) = wear.weak()
    assert wear.uid(weak) == UIDS[7]
    assert weak.rate == pytest.approx(0.8, abs=0.06)
    assert weak.deck_rate == pytest.approx(0.95, abs=0.01)
    assert weak.chance <= 0.001 / 52


def test_healthy_decks_have_tags_named_no_more_often_than_stated() -> None:
    named = sum(bool(played(7, seed, spread=0.01).weak(error=0.05)) for seed in range(100))
    assert named <= 12  # 5 expected at most; 13 and more in 1 of 1,000


def test_an_error_that_is_allowed_more_often_names_more() -> None:
    wear = played(7, seed=3, weak=0.89)
    assert {w.row for w in wear.weak(1e-9)} <= {w.row for w in wear.weak(0.2)}
    assert not wear.weak(1e-9)
    assert wear.weak(0.2)


def test_restless_nights_make_it_careful() -> None:
    """The same share of reads is a sign in a deck that reads evenly, and none in a moody one."""
    even, moody = (played(7, seed=5, weak=0.88, spread=s) for s in (0.001, 0.1))
    assert [even.uid(w) for w in even.weak()] == [UIDS[7]]
    assert moody.weak() == ()


def test_only_the_last_week_counts_so_that_a_fresh_fall_shows() -> None:
    wear = played(30, seed=6)
    assert wear.weak() == ()
    for _ in range(7):
        wear = wear.night({u: NightLooks(600, 480 if u == UIDS[7] else 570) for u in UIDS})
    assert [wear.uid(w) for w in wear.weak()] == [UIDS[7]]


def test_few_looks_say_nothing() -> None:
    wear = Wear().night({u: NightLooks(FEWEST_LOOKS - 1, 0 if u == UIDS[7] else 190) for u in UIDS})
    assert wear.weak() == ()


def test_a_rate_starts_at_the_decks_and_follows_the_tag() -> None:
    assert Wear().deck_rate == Wear().read_rate(UIDS[0]) == USUAL_RATE
    once = Wear().night({UIDS[0]: NightLooks(10, 0)})
    assert 0.7 < once.read_rate(UIDS[0]) < USUAL_RATE
    often = Wear().night({UIDS[0]: NightLooks(10_000, 3000)})
    assert often.read_rate(UIDS[0]) == pytest.approx(0.3, abs=0.001)


def test_a_record_is_kept_for_so_many_nights_and_tags_that_rested_keep_theirs() -> None:
    wear = Wear()
    for _ in range(NIGHTS_KEPT + 5):
        wear = wear.night({UIDS[0]: NightLooks(9, 8), UIDS[1]: NightLooks(0, 0)})
    wear = wear.night({UIDS[2]: NightLooks(5, 5)})
    assert len(wear.nights[UIDS[0]]) == NIGHTS_KEPT
    assert wear.nights[UIDS[1]] == ()
    assert wear.nights[UIDS[2]] == (NightLooks(5, 5),)


@given(st.dictionaries(st.sampled_from(UIDS), st.tuples(st.integers(0, 3000), st.floats(0, 1))))
def test_any_night_can_be_judged(looked: dict[Uid, tuple[int, float]]) -> None:
    night = {uid: NightLooks(n, round(n * share)) for uid, (n, share) in looked.items()}
    wear = Wear().night(night).night(night)
    for weak in wear.weak(0.5):
        assert 0 <= weak.rate < weak.deck_rate
        assert 0 <= weak.chance <= 0.5


def test_more_reads_than_looks_are_refused() -> None:
    with pytest.raises(ValueError, match="allowed 0 to all"):
        NightLooks(3, 4)


def test_the_record_prints_no_tag() -> None:
    wear = played(3, seed=1, weak=0.3)
    printed = f"{wear!r} {wear.weak()!r}"
    assert "uid" not in printed
    assert UIDS[7].hex() not in printed


@pytest.mark.parametrize(
    ("rate", "share"), [(1.0, 1.0), (0.0, 1e-6), (0.5, 1 - (1 + 8 + 28) / 256)]
)
def test_a_dealt_card_is_seen_if_enough_looks_read_it(rate: float, share: float) -> None:
    assert shown_share(rate) == pytest.approx(share)
