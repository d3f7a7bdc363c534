"""The deck test beside the loop: nothing waits for it, and nothing that it finds is lost."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from controller.integrity.deck_watch import DeckWatch
from controller.integrity.suspect import Budget
from controller.model.cards import FACES
from controller.model.events import DeckSuspected
from controller.vault import Vault
from controller.watching import WatchBeside
from drivers.readings import Uid

CARDS = {Uid(bytes((n,)) * 7): face for n, face in enumerate(FACES)}


def test_what_it_finds_is_told_with_a_later_hand_and_answered_by_a_count() -> None:
    vault = Vault({uid: ("red", face) for uid, face in CARDS.items()})
    chance = random.Random(4)
    gone, *rest = CARDS
    told: list[DeckSuspected] = []
    with ThreadPoolExecutor(1) as executor:
        watch = WatchBeside(DeckWatch(vault, budget=Budget(1, 100, 240)), executor)
        for hand in range(60):
            watch.began()
            told += watch.ended("red", chance.sample(rest, 26), 26, 9, float(hand))
            executor.submit(int).result()  # the work before it is done
        assert [e.deck for e in told] == ["red"]
        assert told[0].at == told[0].hands  # one hand after the one that it is about
        assert watch.suspects() == (CARDS[gone],)
        watch.began()
        assert watch.suspects() == ()
        watch.counted()
        told = watch.ended("red", chance.sample(rest, 26), 26, 9, 61.0)
        executor.submit(int).result()
        assert told == []
        assert watch.suspects() == ()
    assert CARDS[gone] not in repr(watch)
