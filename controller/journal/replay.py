"""Judging a journal's events once more, and comparing what the rules say now with what they said
then.

The same build says the same, bit for bit. Another build may differ, and the differences are listed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Generic, TypeVar

from controller.journal.reader import JournalFile
from controller.journal.record import (
    EVENT_TYPES,
    Gap,
    Record,
    Resumed,
    Started,
    body_of,
    encode,
    is_event,
    is_said,
)
from controller.model.events import TableEvent, TableOpened
from controller.model.findings import Said

S = TypeVar("S")
Step = Callable[[S, TableEvent], tuple[S, tuple[Said, ...]]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Something said then and not now, or now and not then.

    event: number of the event on which it is said. record: number of the record that has `then`.
    Texts are the canonical JSON of what was said; None where nothing was."""

    event: int
    record: int | None
    then: str | None
    now: str | None


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay found. builds: who wrote the records, in order of first appearance. events: how
    many were judged. said: how many records of what was said were compared. skipped: events in a
    stretch that cannot be judged, since a gap in the journal comes before it and no table was
    opened anew in between."""

    events: int
    said: int
    skipped: int
    builds: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        return not self.differences


def replay(journal: JournalFile, closed: Callable[[], S], step: Step[S]) -> Replay:
    """Feed every recorded event through `step`, from `closed()` at each start of the program, or
    from where the program took the hand up again. Raises JournalReadError, RecordError."""
    run = _Run(journal, closed, step)
    return run.through()


class _Run(Generic[S]):
    def __init__(self, journal: JournalFile, closed: Callable[[], S], step: Step[S]) -> None:
        self._journal = journal
        self._closed = closed
        self._step = step
        self._state = closed()
        self._blind = False  # after a gap, until a table is opened
        self._now: list[tuple[int, str]] = []  # said now, by event number
        self._then: list[tuple[int, str]] = []  # said then, by record number
        self._event = 0
        self._builds: dict[str, None] = {}
        self._events = self._said = self._skipped = 0
        self._differences: list[Difference] = []

    def through(self) -> Replay:
        for record in self._journal.records():
            self._builds.setdefault(record.build)
            body = body_of(record)
            if is_said(body):
                self._hear(record)
                continue
            if self._then:
                self._compare()
            if is_event(body):
                self._judge(body)
            elif isinstance(body, Gap):
                self._compare()
                self._blind = True
            elif isinstance(body, Started):
                self._compare()
                self._state = self._closed()
            elif isinstance(body, Resumed):
                self._rebuild(body.since, record.seq)
        self._compare()
        return Replay(
            self._events,
            self._said,
            self._skipped,
            tuple(self._builds),
            tuple(self._differences),
        )

    def _judge(self, event: TableEvent) -> None:
        if isinstance(event, TableOpened):
            self._compare()
            if self._blind:
                self._state, self._blind = self._closed(), False
        if self._blind:
            self._skipped += 1
            return
        self._events += 1
        self._event = event.seq
        self._state, said = self._step(self._state, event)
        self._now += [(event.seq, encode(s)) for s in said]

    def _hear(self, record: Record) -> None:
        if not self._blind:
            self._said += 1
            self._then.append((record.seq, record.body))

    def _rebuild(self, since: int, until: int) -> None:
        self._state = self._closed()
        for event in events(self._journal, since, until):
            self._state, _ = self._step(self._state, event)

    def _compare(self) -> None:
        """What a run of events has brought forth, against what is recorded after them."""
        now, then = self._now, self._then
        self._now, self._then = [], []
        if [text for _, text in now] == [text for _, text in then]:
            return
        match = difflib.SequenceMatcher(
            a=[text for _, text in then], b=[text for _, text in now], autojunk=False
        )
        for tag, a0, a1, b0, b1 in match.get_opcodes():
            if tag == "equal":
                continue
            for was, told in zip_longest(then[a0:a1], now[b0:b1]):
                self._differences.append(
                    Difference(
                        event=told[0] if told else self._event,
                        record=was[0] if was else None,
                        then=was[1] if was else None,
                        now=told[1] if told else None,
                    )
                )


def events(journal: JournalFile, since: int, until: int | None = None) -> Iterator[TableEvent]:
    """The recorded events numbered `since` and up, below `until`."""
    for record in journal.records(since):
        if until is not None and record.seq >= until:
            return
        if record.kind in EVENT_TYPES:
            body = body_of(record)
            assert is_event(body)
            yield body
