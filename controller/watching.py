"""The running deck test beside the loop: its arithmetic takes up to half a second on a small
machine, and no look may wait for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from concurrent.futures import Executor, Future
from dataclasses import replace

from controller.integrity.deck_watch import DeckWatch
from controller.model.events import DeckSuspected
from drivers.readings import Uid


class WatchBeside:
    """A `DeckWatch` that works in an executor of one thread, and tells what it found one hand
    later."""

    def __init__(self, watch: DeckWatch, executor: Executor) -> None:
        self._watch = watch
        self._executor = executor
        self._found: deque[Future[list[DeckSuspected]]] = deque()
        self._named: tuple[str, ...] = ()
        self._live = False

    def __repr__(self) -> str:
        return f"{self._watch!r} beside the loop"

    def began(self) -> None:
        self._live = True

    def ended(
        self, deck: str | None, seen: Collection[Uid], dealt: int, players: int, at: float
    ) -> list[DeckSuspected]:
        """As `DeckWatch.ended`; what comes back is of the hands before."""
        self._live = False
        work = self._executor.submit(self._take, deck, frozenset(seen), dealt, players, at)
        self._found.append(work)
        told: list[DeckSuspected] = []
        while len(self._found) > 1 and self._found[0].done():
            told += self._found.popleft().result()
        return [replace(event, at=at) for event in told]

    def counted(self) -> None:
        """What was found before the count is answered by it."""
        self._found.clear()
        self._executor.submit(self._forget)

    def suspects(self) -> tuple[str, ...]:
        """As `DeckWatch.suspects`, as far as it has been worked out."""
        return () if self._live else self._named

    def _take(
        self, deck: str | None, seen: Collection[Uid], dealt: int, players: int, at: float
    ) -> list[DeckSuspected]:
        found = self._watch.ended(deck, seen, dealt, players, at)
        self._named = self._watch.suspects()
        return found

    def _forget(self) -> None:
        self._watch.counted()
        self._named = ()
