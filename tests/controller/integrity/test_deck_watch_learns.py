"""Over nights the running test learns how the house shuffles and which tags wear out."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from controller.integrity.deck_watch import DeckWatch
from controller.integrity.house_record import HouseRecord, Kept
from controller.integrity.shuffles import DECK, Shuffle, gathered, routine, shuffled
from controller.integrity.watched import HandOver, Stand
from controller.integrity.wear import FEWEST_LOOKS
from controller.model.cards import FACES
from controller.vault import Vault
from drivers.readings import Uid

UIDS = tuple(Uid(bytes((0xE0, n, 9, 9))) for n in range(DECK))
VAULT = Vault({uid: ("red", face) for uid, face in zip(UIDS, FACES, strict=True)})
WORN = UIDS[7]


class Shelf:
    """A memory without a disk."""

    def __init__(self) -> None:
        self.notes: deque[str] = deque()
        self.record = HouseRecord()
        self.kept: Kept | None = None

    def load(self) -> tuple[HouseRecord, Kept | None]:
        return self.record, self.kept

    def keep(self, kept: Kept) -> bool:
        self.kept = kept
        return True

    def keep_record(self, record: HouseRecord) -> bool:
        self.record = record
        return True


class Room:
    """A house that shuffles in its own way, with one worn tag."""

    def __init__(self, acts: str, seed: int = 1) -> None:
        self.acts = routine(acts).acts
        self.chance = np.random.default_rng(seed)
        self.order = np.arange(DECK)
        self.hands = 0

    def hand(self, watch: DeckWatch) -> None:
        self.hands += 1
        dealt = int(self.chance.choice([18, 22, 24, 26]))
        top = [UIDS[int(c)] for c in self.order[:dealt]]
        seen = [u for u in top if self.chance.random() < 0.97]
        looks = {u: (40, int(self.chance.binomial(40, 0.6 if u == WORN else 0.95))) for u in seen}
        stand = Stand("red", self.hands, 100.0 * self.hands, None)
        watch.ended(HandOver(stand, frozenset(seen), dealt, 9, looks=looks))
        watch.keep()
        watch.learn()
        self.order = self.order[gathered(np.array([dealt]), 9, DECK, self.chance)[0]]
        self.order = self.order[shuffled(self.acts, 1, DECK, self.chance)[0]]

    def hands_dealt(self, watch: DeckWatch, count: int) -> None:
        for _ in range(count):
            self.hand(watch)


def believed(watch: DeckWatch) -> Shuffle:
    assert watch._list is not None
    return watch._list._shuffle


@pytest.mark.slow
def test_the_houses_own_shuffle_is_fitted_and_gone_by_and_stays_known() -> None:
    shelf, room = Shelf(), Room("wash")
    stated = Shuffle.of("hurried", players=9)
    watch = DeckWatch(VAULT, usual=stated, memory=shelf)
    room.hands_dealt(watch, 150)
    watch.close(20_000.0)
    assert believed(watch) == stated
    assert shelf.record.beliefs == {}

    again = DeckWatch(VAULT, usual=stated, memory=shelf)  # the next night
    room.hands_dealt(again, 100)
    belief = shelf.record.beliefs[2]
    assert belief.hands == 240
    assert belief.explained
    assert believed(again) == belief.shuffle
    assert belief.shuffle != stated

    third = DeckWatch(VAULT, usual=stated, memory=shelf)
    room.hand(third)
    assert believed(third) == belief.shuffle
    room.hands_dealt(third, 70)
    assert shelf.record.beliefs[2].hands == 300


def test_another_game_is_counted_apart() -> None:
    shelf, room = Shelf(), Room("wash")
    watch = DeckWatch(VAULT, memory=shelf)
    room.hands_dealt(watch, 5)
    stand = Stand("red", 6, 600.0, None)
    watch.ended(HandOver(stand, frozenset(UIDS[:40]), 44, 9, hole=4))
    watch.keep()
    room.hands_dealt(watch, 3)
    assert shelf.kept is not None
    assert {g: r.hands for g, r in shelf.kept.tonight.returns.items()} == {2: 8, 4: 1}


def test_a_hand_of_which_a_restart_hid_a_part_says_nothing_of_the_shuffle() -> None:
    shelf, room = Shelf(), Room("wash")
    watch = DeckWatch(VAULT, memory=shelf)
    room.hands_dealt(watch, 5)
    again = DeckWatch(VAULT, memory=shelf)
    again.resume(Stand("red", 5, 500.0, None), suspected=False, in_hand=True)
    room.hands_dealt(again, 4)
    assert shelf.kept is not None
    assert shelf.kept.tonight.returns[2].hands == 8
    assert shelf.kept.tonight.hands == 9


def test_a_worn_tag_is_told_after_the_night_and_expected_less_often() -> None:
    shelf, room = Shelf(), Room("wash")
    watch = DeckWatch(VAULT, memory=shelf)
    room.hands_dealt(watch, 70)
    assert watch.worn() == {}
    watch.close(7_100.0)
    assert watch.worn() == {"red": 1}
    wear = shelf.record.wear(UIDS)
    assert min(n[0].looks for n in wear.nights.values()) >= FEWEST_LOOKS
    assert [wear.uid(w) for w in wear.weak()] == [WORN]
    assert watch._list is not None
    rates = dict(zip(watch._list._uids, watch._list._rates, strict=True))
    assert rates[WORN] < min(rate for uid, rate in rates.items() if uid != WORN)
    assert "red" in repr(watch)
    assert FACES[7] not in repr(watch)

    next_night = DeckWatch(VAULT, memory=shelf)
    assert next_night.worn() == {"red": 1}


def test_a_table_that_never_stops_has_its_nights_all_the_same() -> None:
    shelf, room = Shelf(), Room("wash")
    watch = DeckWatch(VAULT, memory=shelf)
    room.hands_dealt(watch, 80)
    assert shelf.record.nights == 0
    room.hands = 900  # a day later
    room.hand(watch)
    assert shelf.record.nights == 1
    assert shelf.kept is not None
    assert (shelf.kept.tonight.number, shelf.kept.tonight.hands) == (2, 1)
    assert shelf.record.returns[2].hands == 80


def test_other_tags_under_the_decks_name_are_noted_and_begin_anew() -> None:
    shelf, room = Shelf(), Room("wash")
    watch = DeckWatch(VAULT, memory=shelf)
    room.hands_dealt(watch, 3)
    others = Vault({Uid(bytes((9, n, 9))): ("red", face) for n, face in enumerate(FACES)})
    again = DeckWatch(others, memory=shelf)
    assert again.resume(Stand("red", 3, 300.0, None), suspected=False, in_hand=False) == []
    (note,) = shelf.notes
    assert "other tags" in note
    assert "Next:" in note


def test_a_deck_that_nobody_registered_is_no_reason_to_fail() -> None:
    watch = DeckWatch(VAULT, memory=Shelf())
    stand = Stand("green", 1, 1.0, None)
    watch.counted(stand)
    assert watch.ended(HandOver(stand, frozenset(UIDS[:9]), 20, 9)) == []
    assert watch.resume(stand, suspected=True, in_hand=False) == []
