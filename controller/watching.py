"""The running deck test beside the loop: its arithmetic takes up to half a second on a small
machine, its files and fits longer, and no look may wait for them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor

from controller.config import Config
from controller.integrity.box import DeckBox
from controller.integrity.deck_watch import DeckWatch
from controller.integrity.memory import HouseMemory
from controller.integrity.shuffles import Shuffle
from controller.integrity.watched import HandOver, Stand
from controller.model.events import DeckSuspected, SeatStatus
from controller.model.findings import FindingState
from controller.pipeline import stand_of
from controller.rules.engine import RulesState
from controller.vault import Vault


class WatchBeside:
    """A `DeckWatch` that works in an executor of one thread; what it finds is there for whoever
    asks `found` as soon as it is worked out. notes: lines for people, taken out by whoever shows
    them."""

    def __init__(
        self, watch: DeckWatch, executor: Executor, notes: deque[str] | None = None
    ) -> None:
        self._watch = watch
        self._executor = executor
        self._work: deque[tuple[Future[list[DeckSuspected]], int]] = deque()
        self._counts = 0
        self._named: tuple[str, ...] = ()
        self._worn: dict[str, int] = {}
        self._live = False
        self._ready = False
        self.notes = notes if notes is not None else deque()

    def __repr__(self) -> str:
        return f"{self._watch!r} beside the loop"

    # -- a HandWatch -------------------------------------------------------------------------------

    def began(self) -> None:
        self._live = True
        self._do(self._begin)

    def ended(self, hand: HandOver) -> None:
        self._live = False
        self._do(lambda: self._take(hand))
        self._do(self._remember)

    def counted(self, stand: Stand) -> None:
        self._counts += 1  # what was found before the count is answered by it
        self._do(lambda: self._forget(stand))
        self._do(self._remember)

    def found(self) -> list[DeckSuspected]:
        """What is worked out by now. Raises what went wrong in the other thread."""
        told: list[DeckSuspected] = []
        while self._work and self._work[0][0].done():
            work, counts = self._work.popleft()
            news = work.result()
            if counts == self._counts:
                told += news
        return told

    def suspects(self) -> tuple[str, ...]:
        """As `DeckWatch.suspects`, as far as it has been worked out."""
        return () if self._live else self._named

    # -- besides -----------------------------------------------------------------------------------

    @property
    def worn(self) -> dict[str, int]:
        """As `DeckWatch.worn`, as of the last night that is over."""
        return self._worn

    def resume(self, stand: Stand, suspected: bool, in_hand: bool) -> None:
        """As `DeckWatch.resume`, before anything else is told."""
        self._live = in_hand
        self._do(lambda: self._resume(stand, suspected, in_hand))

    def start(self) -> None:
        """See which tags are worn, and fit what was counted on nights before."""
        self._do(self._look)
        self._do(self._learn)

    async def close(self, at: float, clean: bool) -> None:
        """The table is stopped, cleanly or not: its work is finished."""
        loop = asyncio.get_running_loop()
        if clean:
            await loop.run_in_executor(self._executor, self._watch.close, at)
        else:
            await loop.run_in_executor(self._executor, lambda: None)
        self._executor.shutdown(wait=False)

    # -- in the other thread -----------------------------------------------------------------------

    def _do(self, work: Callable[[], list[DeckSuspected]]) -> None:
        self._work.append((self._executor.submit(work), self._counts))

    def _begin(self) -> list[DeckSuspected]:
        self._watch.began()
        if not self._ready:
            self._ready = True
            self._watch.prepare()
        return []

    def _take(self, hand: HandOver) -> list[DeckSuspected]:
        found = self._watch.ended(hand)
        self._named = self._watch.suspects()
        return found

    def _resume(self, stand: Stand, suspected: bool, in_hand: bool) -> list[DeckSuspected]:
        found = self._watch.resume(stand, suspected, in_hand)
        self._named = self._watch.suspects()
        return found

    def _forget(self, stand: Stand) -> list[DeckSuspected]:
        self._watch.counted(stand)
        self._named = ()
        return []

    def _remember(self) -> list[DeckSuspected]:
        self._watch.keep()
        self._learn()
        return self._look()

    def _learn(self) -> list[DeckSuspected]:
        self._watch.learn()
        return []

    def _look(self) -> list[DeckSuspected]:
        worn = self._watch.worn()
        self.notes.extend(worn_words(d, n) for d, n in worn.items() if self._worn.get(d) != n)
        self._worn = worn
        return []


def worn_words(deck: str, tags: int) -> str:
    """That tags of a deck are wearing out, and what next. It names no card."""
    what = "1 tag is" if tags == 1 else f"{tags} tags are"
    name = "it" if tags == 1 else "them"
    return (
        f"deck {deck}: {what} wearing out; burnturn deck show {deck} names {name} between hands."
        " Next: replace the deck before they are read no more"
    )


def watch_beside(config: Config, vault: Vault, state: RulesState | None) -> WatchBeside:
    """The running test of this table, with what it remembers. state: what the rules go on from
    after a restart."""
    memory = HouseMemory(DeckBox(config.deck_file, config.deck_key), vault.deck_of)
    rates = [1.0 - a.profile.miss_rate for a in config.layout.antennas]
    watch = DeckWatch(vault, min(rates), usual=usual_shuffle(config), memory=memory)
    executor = ThreadPoolExecutor(1, thread_name_prefix="deck test")
    beside = WatchBeside(watch, executor, memory.notes)
    if state is not None:
        in_hand = state.hand is not None and state.hand.announced
        beside.resume(stand_of(state), _suspected(state), in_hand)
    return beside


def usual_shuffle(config: Config) -> Shuffle:
    """What is believed of the house's shuffle until it is fitted: what the house says of it."""
    dealt_in = sum(status is SeatStatus.IN for _, status in config.seats)
    hole = config.profile.for_game(config.file.table.game).hole_cards.value
    return Shuffle.of(config.file.decks.shuffle, players=max(2, dealt_in), hole=hole)


def _suspected(state: RulesState) -> bool:
    finding = state.findings.get(state.deck.suspected or 0)
    return finding is not None and finding.state in (FindingState.OPEN, FindingState.ASKING)
