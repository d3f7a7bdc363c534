"""The deck test beside the loop: nothing waits for it, and what it finds is told at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from controller.integrity.deck_watch import DeckWatch
from controller.integrity.suspect import Budget
from controller.integrity.watched import HandOver, Stand
from controller.model.cards import FACES
from controller.model.events import DeckSuspected
from controller.vault import Vault
from controller.watching import WatchBeside
from drivers.readings import Uid
from tests.controller.integrity.hands_over import over

CARDS = {Uid(bytes((n,)) * 7): face for n, face in enumerate(FACES)}
GONE, *REST = CARDS


class Beside:
    """A watch beside the loop, whose other thread is waited for where a test wants it."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        vault = Vault({uid: ("red", face) for uid, face in CARDS.items()})
        self.executor = executor
        self.watch = WatchBeside(DeckWatch(vault, budget=Budget(1, 100, 240)), executor)
        self.chance = random.Random(4)
        self.hands = 0

    def idle(self) -> None:
        self.executor.submit(int).result()

    def hand(self, *also: Uid) -> None:
        self.hands += 1
        self.watch.began()
        seen = [*also, *self.chance.sample(REST, 26 - len(also))]
        self.watch.ended(over("red", seen, float(self.hands)))

    def until_suspected(self) -> list[DeckSuspected]:
        for _ in range(60):
            self.hand()
            self.idle()
            if found := self.watch.found():
                return found
        raise AssertionError("nothing is ever suspected")


@pytest.fixture
def beside() -> Iterator[Beside]:
    with ThreadPoolExecutor(1) as executor:
        yield Beside(executor)


def test_what_it_finds_is_told_before_the_next_hand(beside: Beside) -> None:
    (found,) = beside.until_suspected()
    assert (found.deck, found.hands) == ("red", beside.hands)
    assert beside.watch.suspects() == (CARDS[GONE],)
    assert beside.watch.found() == [], "told once"
    assert CARDS[GONE] not in repr(beside.watch)


def test_what_is_worked_out_late_is_told_in_the_next_hand_and_names_nothing(
    beside: Beside,
) -> None:
    while True:
        beside.hand()
        beside.watch.began()
        beside.idle()
        if found := beside.watch.found():
            break
    assert found[0].hands == beside.hands
    assert beside.watch.suspects() == ()


def test_a_card_seen_again_takes_it_back(beside: Beside) -> None:
    beside.until_suspected()
    beside.hand(GONE)
    beside.idle()
    (back,) = beside.watch.found()
    assert back.hands == 0
    assert beside.watch.suspects() == ()


def test_a_count_answers_what_was_found_before_it_and_told_after(beside: Beside) -> None:
    other = Beside(beside.executor)
    other.until_suspected()
    for _ in range(other.hands):
        beside.hand()
    beside.idle()
    beside.watch.counted(Stand("red", beside.hands, float(beside.hands), beside.hands + 0.5))
    beside.idle()
    assert beside.watch.found() == []
    assert beside.watch.suspects() == ()
    beside.hand()
    beside.idle()
    assert beside.watch.found() == []


def test_what_goes_wrong_beside_the_loop_is_not_lost(beside: Beside) -> None:
    class Broken(DeckWatch):
        def ended(self, hand: HandOver) -> list[DeckSuspected]:
            raise RuntimeError("the arithmetic broke")

    watch = WatchBeside(Broken(Vault()), beside.executor)
    watch.ended(over("red", REST[:20], 1.0))
    beside.idle()
    with pytest.raises(RuntimeError, match="the arithmetic broke"):
        watch.found()


def test_it_is_finished_before_the_table_is_closed() -> None:
    beside = Beside(ThreadPoolExecutor(1))
    beside.hand()
    asyncio.run(beside.watch.close(2.0, clean=False))
    assert all(work.done() for work, _ in beside.watch._work)
