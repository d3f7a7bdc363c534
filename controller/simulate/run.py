"""A whole simulation: hands in blocks, blocks over processes, sums over blocks."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from controller.simulate.deal import Block, deal_block
from controller.simulate.report import Totals
from controller.simulate.settings import Settings

BLOCK_HANDS = 20


def blocks(settings: Settings) -> list[Block]:
    """The hands in blocks of `BLOCK_HANDS`. A block opens a table of its own with a seed of its
    own, so that it gives the same whoever deals it, and when."""
    last = settings.hands
    return [Block(first, min(first + BLOCK_HANDS, last)) for first in range(0, last, BLOCK_HANDS)]


def simulate(
    settings: Settings, jobs: int = 1, on_hands: Callable[[int], object] = lambda hands: None
) -> Totals:
    """Deal all hands. jobs: processes. on_hands: told how many hands are newly done."""
    totals = Totals()
    work = blocks(settings)
    with _spread(settings, work, min(jobs, len(work))) as results:
        for block, sums in zip(work, results, strict=True):
            totals.merge(sums)
            on_hands(len(block))
    return totals


@contextmanager
def _spread(settings: Settings, work: Sequence[Block], jobs: int) -> Iterator[Iterator[Totals]]:
    """The blocks' sums in the order of the blocks."""
    one = partial(deal_block, settings)
    if jobs <= 1:
        yield map(one, work)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield pool.imap(one, work)
