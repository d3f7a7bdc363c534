"""The running test between counts: the right chance, the budget, and no name before its time."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.integrity.shuffles import Shuffle
from controller.integrity.suspect import ROOM, Budget, Suspicion, Watchlist, WatchlistError
from controller.model.cards import FACES
from drivers.readings import Uid

UIDS = tuple(Uid(bytes((0xE0, 4, 77, card))) for card in range(52))
DECK = dict.fromkeys(UIDS, 0.95)
NAMED = dict(zip(UIDS, FACES, strict=True))
UNIFORM = Shuffle.of("uniform")


def at_chance(limit: float, seen: int) -> Budget:
    """The budget under which a run that starts in a hand with so many cards seen ends in a
    suspicion at that chance."""
    return Budget(limit * seen / ROOM, 1, 1)


def until_suspected(cards: Watchlist, seen: list[Uid], dealt: int) -> tuple[int, list[Suspicion]]:
    for hands in range(1, 200):
        if found := cards.hand(seen, dealt):
            return hands, found
    raise AssertionError("nothing is ever suspected")


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5).filter(lambda hands: max(hands) > 1),
    st.sampled_from(["one-riffle", "house", "two-riffles"]),
)
@settings(max_examples=25, deadline=None)
def test_the_chance_is_that_of_every_way_in_which_a_card_can_hide(
    hands: list[int], name: str
) -> None:
    """Brute force over all rows of places in a deck of five; every hand shows all but one of the
    cards dealt, and never the fifth card."""
    n, shuffle = 5, Shuffle.of(name, players=2)
    steps = [shuffle.step(dealt, n, 2) for dealt in hands]
    chance = 0.0
    for places in product(range(n), repeat=len(hands)):
        way = 1 / n  # after a count every place is as likely
        for hand, (place, dealt) in enumerate(zip(places, hands, strict=True)):
            way *= steps[hand - 1][places[hand - 1], place] if hand else 1
            way *= 1 / dealt if place < dealt else 1
        chance += way
    tags = dict.fromkeys(UIDS[:n], 0.9)
    cards = Watchlist(tags, shuffle, at_chance(chance * (1 + 1e-9), seen=n), faces=NAMED)
    for dealt in hands:
        cards.hand(UIDS[: dealt - 1], dealt, players=2)
    (suspicion,) = [s for s in cards.open if cards.which(s) == NAMED[UIDS[n - 1]]]
    assert suspicion.chance == pytest.approx(chance)


def test_in_a_perfect_shuffle_each_hand_counts_by_the_cards_seen() -> None:
    shown = [20, 22, 8, 25, 0, 22]
    chance = math.prod(1 - s / 52 for s in shown)
    cards = Watchlist(DECK, UNIFORM, at_chance(chance * 1.0001, seen=52))
    for s in shown[:-1]:
        assert cards.hand(UIDS[:s], 26) == []
    found = cards.hand(UIDS[: shown[-1]], 26)
    assert len(found) == 52 - max(shown)
    assert {(s.unseen_hands, round(s.chance, 9)) for s in found} == {(6, round(chance, 9))}


def test_a_card_that_is_gone_is_suspected_after_about_thirty_hands_and_named_to_the_floor() -> None:
    cards = Watchlist(DECK, faces=NAMED)
    chance = np.random.default_rng(4)
    gone, rest = UIDS[10], [u for u in UIDS if u != UIDS[10]]
    hands, found = 0, list[Suspicion]()
    while not found:
        hands += 1
        found = cards.hand([rest[i] for i in chance.permutation(51)[:23]], 24)
    assert 25 <= hands <= 40
    assert [cards.which(s) for s in found] == [NAMED[gone]]
    assert cards.open == tuple(found)
    assert cards.hand(rest[:22], 24) == [], "said once"


def test_a_card_seen_again_takes_the_suspicion_back() -> None:
    cards = Watchlist(DECK, faces=NAMED)
    _, found = until_suspected(cards, list(UIDS[:50]), 51)
    assert len(found) == 2
    cards.hand(UIDS[:51], 51)
    assert [cards.which(s) for s in cards.open] == [NAMED[UIDS[51]]]
    with pytest.raises(WatchlistError, match="seen again"):
        cards.which(next(s for s in found if s not in cards.open))


def test_a_count_starts_every_run_anew() -> None:
    cards = Watchlist(DECK, UNIFORM)
    hands, found = until_suspected(cards, list(UIDS[:22]), 22)
    cards.counted()
    assert cards.open == ()
    for suspicion in found:
        with pytest.raises(WatchlistError, match="counted"):
            cards.which(suspicion)
    again, more = until_suspected(cards, list(UIDS[:22]), 22)
    assert again == hands
    assert min(s.number for s in more) > max(s.number for s in found)


def test_no_card_is_named_while_a_hand_is_live() -> None:
    cards = Watchlist(DECK, faces=NAMED)
    _, (suspicion, *_) = until_suspected(cards, list(UIDS[:51]), 51)
    cards.began()
    with pytest.raises(WatchlistError, match="after it"):
        cards.which(suspicion)
    cards.hand(UIDS[:51], 51)
    assert cards.which(suspicion) == NAMED[UIDS[51]]


def test_a_hand_that_showed_nothing_proves_nothing() -> None:
    cards = Watchlist(DECK)
    for _ in range(500):
        assert cards.hand((), 26) == []


def test_a_hand_half_of_which_went_unread_proves_less() -> None:
    well, _ = until_suspected(Watchlist(DECK), list(UIDS[:24]), 24)
    badly, _ = until_suspected(Watchlist(DECK), list(UIDS[:12]), 24)
    assert badly > 1.5 * well


def test_a_weak_tag_is_suspected_later_than_a_good_one() -> None:
    weak, good = UIDS[50], UIDS[51]
    cards = Watchlist({**DECK, weak: 0.4}, faces=NAMED)
    when = {}
    for hand in range(150):
        # All others take turns, with one dealt card unread in each hand.
        shown = [UIDS[(hand * 23 + i) % 50] for i in range(23)]
        for s in cards.hand(shown, 24):
            when[cards.which(s)] = hand
    assert when[NAMED[good]] < when[NAMED[weak]]
    assert set(when) == {NAMED[good], NAMED[weak]}


def test_tags_of_no_card_of_the_deck_change_nothing() -> None:
    strangers = [Uid(bytes((1, 2, 3, n))) for n in range(9)]
    plain, mixed = Watchlist(DECK), Watchlist(DECK)
    for _ in range(40):
        assert plain.hand(UIDS[:20], 22) == mixed.hand([*UIDS[:20], *strangers], 22)
    assert plain.save() == mixed.save()


def test_another_deck_begins_as_after_a_count() -> None:
    cards = Watchlist(DECK, faces=NAMED)
    _, (suspicion, *_) = until_suspected(cards, list(UIDS[:51]), 51)
    other = {Uid(bytes((9, n))): 0.9 for n in range(52)}
    cards.deck_changed(other, dict(zip(other, FACES, strict=True)))
    assert cards.open == ()
    with pytest.raises(WatchlistError):
        cards.which(suspicion)
    fresh = Watchlist(other)
    shown = list(other)[:30]
    assert until_suspected(cards, shown, 30)[0] == until_suspected(fresh, shown, 30)[0]


HAND = st.tuples(st.sets(st.sampled_from(UIDS[:12]), max_size=9), st.integers(0, 12))


@given(st.lists(HAND, max_size=25), st.lists(HAND, max_size=25))
@settings(max_examples=60, deadline=None)
def test_a_restored_list_decides_as_the_one_that_was_saved(
    before: list[tuple[set[Uid], int]], after: list[tuple[set[Uid], int]]
) -> None:
    tags, loose = dict.fromkeys(UIDS[:12], 0.9), Budget(1, 1, 20)
    shuffle = Shuffle.of(players=2)
    going = Watchlist(tags, shuffle, loose, faces=NAMED)
    for seen, dealt in before:
        going.hand(seen, dealt, players=2)
    taken = Watchlist(tags, shuffle, loose, faces=NAMED)
    taken.restore(going.save())
    assert taken.open == going.open
    for seen, dealt in after:
        assert taken.hand(seen, dealt, players=2) == going.hand(seen, dealt, players=2)
    assert [taken.which(s) for s in taken.open] == [going.which(s) for s in going.open]
    assert taken.save() == going.save()


@given(st.lists(HAND, max_size=60))
@settings(max_examples=60, deadline=None)
def test_whatever_is_seen_a_card_is_suspected_only_while_it_is_unseen(
    hands: list[tuple[set[Uid], int]],
) -> None:
    cards = Watchlist(
        dict.fromkeys(UIDS[:12], 0.9), Shuffle.of(players=2), Budget(1, 1, 20), faces=NAMED
    )
    unseen = dict.fromkeys(UIDS[:12], 0)
    named = {face: uid for uid, face in NAMED.items()}
    for seen, dealt in hands:
        for uid in unseen:
            unseen[uid] = 0 if uid in seen else unseen[uid] + 1
        for s in cards.hand(seen, dealt, players=2):
            assert s.unseen_hands == unseen[named[cards.which(s)]] > 0
            assert 0 <= s.chance < 1
        assert all(unseen[named[cards.which(s)]] for s in cards.open)


def test_a_damaged_or_strange_state_is_refused_and_changes_nothing() -> None:
    cards = Watchlist(DECK)
    cards.hand(UIDS[:20], 22)
    state = cards.save()
    for at in (3, 30, 60, len(state) // 2, len(state) - 1):
        broken = bytearray(state)
        broken[at] ^= 1
        with pytest.raises(WatchlistError, match="damaged"):
            cards.restore(bytes(broken))
    for cut in (b"", state[:40], state[:-8]):
        with pytest.raises(WatchlistError, match="damaged"):
            cards.restore(cut)
    with pytest.raises(WatchlistError, match="another deck"):
        cards.restore(Watchlist({Uid(bytes((9, n))): 0.9 for n in range(52)}).save())
    assert cards.save() == state


def test_nothing_that_prints_names_a_card_or_a_tag() -> None:
    cards = Watchlist(DECK, faces=NAMED)
    _, found = until_suspected(cards, list(UIDS[:51]), 51)
    printed = f"{cards!r} {cards} {found!r} {cards.open}"
    assert NAMED[UIDS[51]] not in printed
    assert UIDS[51].hex() not in printed.lower()
    assert "uid" not in printed
    assert not any(bytes(uid) in cards.save() for uid in UIDS)


def test_a_list_without_faces_says_so() -> None:
    cards = Watchlist(DECK)
    _, (suspicion,) = until_suspected(cards, list(UIDS[:51]), 51)
    with pytest.raises(WatchlistError, match="faces"):
        cards.which(suspicion)


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.1, math.nan])
def test_a_rate_out_of_range_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="allowed above 0 to 1"):
        Watchlist({**DECK, UIDS[3]: rate})


def test_an_empty_deck_and_an_empty_budget_are_refused() -> None:
    with pytest.raises(ValueError, match="without a card"):
        Watchlist({})
    with pytest.raises(ValueError, match="above 0"):
        Budget(0)
