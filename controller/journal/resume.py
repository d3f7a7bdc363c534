"""Taking a table up again where the program before left it, killed or stopped.

At a start: read the journal with `resume`, then open it for writing and `begin` it. If there is
something to take up, rebuild the rules' state by feeding `Resumption.events` through `step` from
`closed()`, in order, recording nothing of what is said on the way: it is in the journal already.
Then let the clock go on from `Resumption.clock_at`, so that new events are never older than
recorded ones: after a power cut the machine's monotonic clock has begun anew.

Tokens died with the program. The rebuilt state knows cards by the old ones, which mean a place and
no identity any more. That the card now read at a seat is the one that lay there is an assumption;
the `resume` record says so, and everything after it stands under it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from controller.journal.build import boot_id
from controller.journal.reader import JournalFile
from controller.journal.record import (
    EVENT_TYPES,
    BuildChanged,
    Resumed,
    Started,
    body_of,
    hash_of,
    is_event,
)
from controller.journal.store import Head
from controller.journal.trouble import EmptyJournalError, JournalReadError
from controller.journal.writer import Journal
from controller.model.events import TableEvent, TableOpened
from controller.model.findings import HandBegan, HandEnded


@dataclass(frozen=True, slots=True)
class Resumption:
    """What the program before left.

    since: number of the TableOpened from which the rules' state is rebuilt: the first event that
    they were fed, or the last that says what they go on from (`so_far`). events: everything since
    it, that first; the table may have been opened anew among them, with another profile.
    hand: number of the hand that was on, None if none was. last_at, last_wall: monotonic and wall
    second of the newest record. boot, offset_s: the last run's boot id, and what its times are
    ahead of that boot's monotonic clock. stopped: it ended cleanly, as somebody wanted it to."""

    head: Head
    since: int
    events: tuple[TableEvent, ...]
    hand: int | None
    last_at: float
    last_wall: float
    boot: str
    offset_s: float
    stopped: bool = False

    def clock_at(self, wall: float | None, monotonic: float, boot: str) -> float:
        """Now, in the journal's time; the difference to `monotonic` is the new run's offset_s.

        In the boot that wrote the journal, the machine's own monotonic clock went on. After another
        boot it is the last record's time plus what the wall clock says has passed; wall None: it is
        not to be trusted, and no time is known to have passed.
        """
        if boot and boot == self.boot:
            return max(self.last_at, monotonic + self.offset_s)
        away_s = 0.0 if wall is None else max(0.0, wall - self.last_wall)
        return self.last_at + away_s


def resume(journal: JournalFile) -> Resumption | None:
    """What there is to take up; None in an empty journal, where the last run opened no table, or
    where a gap in the journal has swallowed part of what happened since. Reads no further back than
    it must. Raises JournalReadError, also where what it reads is not as it was written;
    RecordError."""
    run = _last_run(journal)
    if run is None:
        return None
    started, since = run
    hand: int | None = None
    last_at, last_wall, last_kind = started.at, 0.0, ""
    fed: list[TableEvent] = []
    before: str | None = None
    for record in journal.records(since):
        # One damaged time would stop the table's clock for good; one changed event is another hand.
        if record.hash != hash_of(record) or before not in (None, record.prev):
            raise JournalReadError(
                f"journal {journal.path}, record {record.seq}: is not as it was written."
                " Next: run `burnturn journal verify`."
            )
        before = record.hash
        last_wall, last_kind = record.wall, record.kind
        if record.kind == "start":
            last_at = record.mono
        last_at = max(last_at, record.mono)
        if record.kind not in _TELLING:
            continue
        body = body_of(record)
        if is_event(body):
            fed.append(body)
        if isinstance(body, HandBegan):
            hand = body.hand
        elif isinstance(body, HandEnded):
            hand = None
    return Resumption(
        head=journal.head(),
        since=since,
        events=tuple(fed),
        hand=hand,
        last_at=last_at,
        last_wall=last_wall,
        boot=started.boot,
        offset_s=started.offset_s,
        stopped=last_kind == "stop",
    )


_TELLING = EVENT_TYPES.keys() | {"hand-began", "hand-ended"}


def _last_run(journal: JournalFile) -> tuple[Started, int] | None:
    """The last run's start, and the number of the event from which its rules' state is rebuilt, its
    own or one of the run that it took up."""
    opened, resumed, fresh = 0, 0, 0
    for seq, kind in journal.kinds_backwards():
        if kind == "gap" and not fresh:
            return None
        if kind == "table-opened" and not fresh:
            opened = seq
            event = body_of(next(journal.records(seq)))
            if isinstance(event, TableOpened) and event.so_far is not None:
                fresh = seq
        elif kind == "resume":
            resumed = seq
        elif kind == "start":
            started = body_of(next(journal.records(seq)))
            assert isinstance(started, Started)
            if fresh:
                return started, fresh
            if not resumed:
                return (started, opened) if opened else None
            taken_up = body_of(next(journal.records(resumed)))
            assert isinstance(taken_up, Resumed)
            return started, taken_up.since
    return None


def begin(
    journal: Journal,
    at: float,
    resumption: Resumption | None = None,
    *,
    offset_s: float = 0.0,
    away_s: float | None = None,
    boot: str | None = None,
) -> None:
    """Stage the first records of this run: the start, another build if it is one, and what is taken
    up."""
    journal.stage(Started(at=at, boot=boot_id() if boot is None else boot, offset_s=offset_s))
    if journal.written_by is not None and journal.written_by != journal.build:
        journal.stage(BuildChanged(at=at, before=journal.written_by, now=journal.build))
    if resumption is not None:
        journal.stage(Resumed(at=at, since=resumption.since, hand=resumption.hand, away_s=away_s))


def left_behind(path: Path) -> Resumption | None:
    """`resume` of the file at `path`; None if there is no such file yet, or nothing in it. Raises
    JournalReadError, RecordError."""
    if not path.exists():
        return None
    try:
        with JournalFile(path) as journal:
            return resume(journal)
    except EmptyJournalError:
        return None
