"""A table's start: new, or from where the program before left it, and the clock that goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from controller.config import Config
from controller.journal.build import boot_id
from controller.journal.record import RecordError
from controller.journal.resume import Resumption, left_behind
from controller.journal.trouble import JournalReadError
from controller.model.events import TableEvent, Token
from controller.model.table import Zone
from controller.pipeline import Table
from controller.positions import TakenUp
from controller.rules import engine
from controller.rules.engine import RulesState
from controller.vault import Vault

if TYPE_CHECKING:
    from controller.watching import WatchBeside


class TableClock:
    """Monotonic seconds of the journal: the machine's own, moved on where a new boot set it
    back."""

    def __init__(self, offset_s: float = 0.0) -> None:
        self.offset_s = offset_s

    def __call__(self) -> float:
        return time.monotonic() + self.offset_s


def away_known(resumption: Resumption, wall: float) -> bool:
    """Whether it is known how long the program was down: the machine's own clock went on, or the
    wall clock is no earlier than when it last wrote, as one that lost its battery would be."""
    same_boot = boot_id() == resumption.boot
    return same_boot or wall >= resumption.last_wall > 0.0


def take_up(path: Path, warn: Callable[[str], None]) -> tuple[Resumption | None, TableClock]:
    """What the program before left in the journal, and the clock that goes on from there."""
    try:
        resumption = left_behind(path)
    except (JournalReadError, RecordError) as error:
        warn(f"what was before cannot be taken up: {error}")
        resumption = None
    if resumption is None:
        return None, TableClock()
    monotonic = time.monotonic()
    now = resumption.clock_at(time.time(), monotonic, boot_id())
    return resumption, TableClock(now - monotonic)


def opens_anew(resumption: Resumption) -> bool:
    """Whether the table was stopped between two hands: it is opened anew, and only its decks go on
    from where they were."""
    return resumption.stopped and state_of(resumption).hand is None


def state_of(resumption: Resumption | None) -> RulesState:
    """What the rules knew when the program ended."""
    state = engine.closed()
    for event in resumption.events if resumption is not None else ():
        state, _ = engine.step(state, event)
    return state


def table_of(
    config: Config,
    vault: Vault,
    record: Callable[[TableEvent], int],
    resumption: Resumption | None,
) -> tuple[Table, WatchBeside | None]:
    """The table, new or as the program before left it, and the running test of its deck, where one
    is known."""
    state = state_of(resumption)
    watch = None
    if vault.enrolled:
        # Its arithmetic is loaded only where a deck is known.
        from controller.watching import watch_beside

        watch = watch_beside(config, vault, None if resumption is None else state)
    table = Table(config.layout, vault, record, state=state, deck_watch=watch)
    if resumption is not None:
        # The table asks its sensing by these methods alone.
        lying = _lying(state)
        table.sensing = TakenUp(table.sensing, config.layout, lying, resumption.last_at)  # type: ignore[assignment]
    return table, watch


def _lying(state: RulesState) -> dict[Zone, list[tuple[Token, bool]]]:
    """Where the cards of the hand lay, in order of arrival."""
    lying: dict[Zone, list[tuple[Token, bool]]] = {}
    for token, place in state.cards.items():
        lying.setdefault(place.zone, []).append((token, place.lifted_since is not None))
    return lying
