"""What every `TagReader` must do, whatever is behind it: one suite for emulated readers and, marked
`bench`, for real ones. Subclass it, name the class Test..., and give a reader.

The suite needs no particular cards: on hardware, lay down whatever is at hand.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from drivers.contracts import TagReader
from drivers.readings import Health, HealthState, Outcome, Poll

PATIENCE_S = 60.0
"""Far more than any of this takes; a reader that never answers fails instead of hanging."""


async def take(
    readings: AsyncIterator[Poll | Health], count: int
) -> tuple[list[Poll], list[Health]]:
    """The next `count` polls, and the health told on the way."""
    polls: list[Poll] = []
    health: list[Health] = []
    async for reading in readings:
        if isinstance(reading, Health):
            health.append(reading)
        else:
            polls.append(reading)
        if len(polls) >= count:
            break
    return polls, health


class TagReaderContract(ABC):
    """complete: False for readers that push single tags. in_turn: False where looks overlap, as
    of readers that do not share the air. steered: False if a focus changes nothing."""

    complete = True
    in_turn = True
    steered = True

    @abstractmethod
    def reader(self) -> TagReader:
        """A closed reader, healthy, with at least two antennas."""

    def polls(self, count: int, focus: tuple[int, ...] = ()) -> tuple[list[Poll], list[Health]]:
        """Open it, take polls, close it; it must leave nothing running."""

        async def main() -> tuple[list[Poll], list[Health]]:
            async with asyncio.timeout(PATIENCE_S), self.reader() as reader:
                readings = reader.readings()
                first = await take(readings, len(reader.antennas))
                reader.focus(focus)
                rest = await take(readings, count)
                assert {h.state for h in reader.health} == {HealthState.OK}
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return first[0] + rest[0], first[1] + rest[1]

        return asyncio.run(main())

    def test_every_antenna_is_looked_at(self) -> None:
        antennas = self.reader().antennas
        polls, _ = self.polls(4 * len(antennas))
        assert {p.antenna for p in polls} == set(antennas)

    def test_looks_follow_one_another(self) -> None:
        polls, _ = self.polls(50)
        assert all(p.started < p.ended for p in polls)
        if self.in_turn:
            assert all(a.ended <= b.started for a, b in pairwise(polls))
        else:
            assert all(a.ended <= b.ended for a, b in pairwise(polls) if a.antenna == b.antenna)

    def test_the_outcome_fits_the_tags(self) -> None:
        polls, _ = self.polls(50)
        assert all((p.outcome is Outcome.SEEN) == bool(p.uids) for p in polls)
        assert all(len(set(p.uids)) == len(p.uids) for p in polls)
        assert {p.complete for p in polls} == {self.complete}

    def test_focus_brings_more_looks_and_starves_nobody(self) -> None:
        antennas = self.reader().antennas
        polls, _ = self.polls(12 * len(antennas), focus=antennas[:1])
        counts = Counter(p.antenna for p in polls[len(antennas) :])
        assert set(counts) == set(antennas)
        if self.steered:
            assert counts[antennas[0]] == max(counts.values())

    def test_one_antenna_can_be_looked_at_alone_and_then_all_again(self) -> None:
        async def main() -> tuple[list[Poll], list[Poll], tuple[int, ...]]:
            async with asyncio.timeout(PATIENCE_S), self.reader() as reader:
                readings, antennas = reader.readings(), reader.antennas
                await take(readings, 2 * len(antennas))
                with pytest.raises(ValueError, match="99"):
                    reader.only(99)
                reader.only(antennas[0])
                await take(readings, 4)  # may have been under way
                alone, _ = await take(readings, 20)
                reader.only(None)
                every, _ = await take(readings, 3 * len(antennas))
                return alone, every, antennas

        alone, every, antennas = asyncio.run(main())
        assert {p.antenna for p in alone} == {antennas[0]}
        assert {p.antenna for p in every} == set(antennas)

    def test_health_is_told_for_every_antenna_at_the_start(self) -> None:
        antennas = self.reader().antennas
        _, health = self.polls(4 * len(antennas))
        assert {h.state for h in health} == {HealthState.OK}
        assert {a for h in health for a in h.antennas} == set(antennas)

    def test_it_can_be_opened_again(self) -> None:
        assert len(self.polls(5)[0]) == len(self.polls(5)[0])

    def test_nothing_it_says_shows_an_identity(self) -> None:
        polls, health = self.polls(50)
        shown = repr(polls) + repr(health)
        assert not any(uid.hex().upper() in shown.upper() for p in polls for uid in p.uids)
