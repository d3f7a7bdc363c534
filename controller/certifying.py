"""From a confirmed count to its certificate's files. Each count is owed one, until it is on the
disk: a full disk or a kill in between only puts it off."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from controller.config import Config
from controller.integrity.certificate import CountFacts, Reason, certify
from controller.integrity.filing import FilingError, Kind, save
from controller.integrity.signing import SigningKeyError, table_key
from controller.journal.build import build_name
from controller.journal.reader import JournalFile
from controller.journal.record import CertificateFiled, Record, RecordError, body_of
from controller.journal.trouble import JournalReadError
from controller.model.events import DeckAtTable, DeckCounted

FIRST_YEAR: Final = 2025  # a wall clock that says less was never set
RETRY_S: Final = 60.0
UNNAMED: Final = 0  # what a certificate's record of an older build says of its count
_LOOKED_BACK = 50_000  # records, more than a night's, for a count that has no certificate


@dataclass(frozen=True, slots=True)
class Counted:
    """A confirmed count, with what the certificate says besides. number: of its record in the
    journal. at: wall time, with its zone. clock_trusted: whether that is to be believed."""

    event: DeckCounted
    number: int
    back: str
    at: datetime
    clock_trusted: bool


@dataclass(frozen=True, slots=True)
class Filed:
    """A certificate on the disk. count: number of the count's record. page: the one for people.
    sha256: of the signed JSON."""

    count: int
    page: Path
    sha256: str


class Certifying:
    """The certificates that a table owes, one for each confirmed count, the oldest first.

    trouble: why a count has none, with what to do, a line each.
    """

    def __init__(self, config: Config) -> None:
        self._put_off: tuple[str, ...] = ()
        self._impossible: tuple[str, ...] = ()
        self._config = config
        self._owed: deque[Counted] = deque()
        self._last: Counted | None = None
        self._next_at = float("-inf")
        self._filing = False

    def counted(self, event: DeckCounted, number: int, decks: Iterable[DeckAtTable]) -> None:
        """A count was confirmed just now. number: of its record. decks: those of the house, with
        their backs."""
        self._owe(event, number, decks, datetime.now(UTC).astimezone())
        self._next_at = float("-inf")

    def take_up(self, decks: Iterable[DeckAtTable]) -> None:
        """Owe what the runs before owed when they ended. Reads the journal."""
        for record in _uncertified(self._config.journal):
            event = body_of(record)
            assert isinstance(event, DeckCounted)
            self._owe(event, record.seq, decks, _moment(record.wall))

    @property
    def trouble(self) -> tuple[str, ...]:
        return self._impossible + self._put_off

    def due(self, at: float) -> bool:
        """Whether one is to be filed now. at: monotonic seconds."""
        return bool(self._owed) and at >= self._next_at and not self._filing

    async def file(self, at: float) -> list[Filed]:
        """File what is owed, off the event loop; what cannot be filed is tried again after
        `RETRY_S`. Gives those that are on the disk now. One call at a time, as `due` says."""
        self._filing, self._next_at = True, at + RETRY_S
        try:
            return await self._file_owed()
        finally:
            self._filing = False

    async def _file_owed(self) -> list[Filed]:
        filed: list[Filed] = []
        while self._owed:
            try:
                filed.append(await self._issue(self._owed[0], Reason.COUNT))
            except FilingError as error:
                self._put_off = (str(error),)
                return filed
            except ValueError as error:  # it would be the same the next time
                self._impossible = (f"no certificate of a count: {error}",)
            self._owed.popleft()
        self._put_off = ()
        return filed

    async def file_closing(self) -> Filed | None:
        """The closing certificate: of the last count, at a clean stop. Raises FilingError,
        ValueError."""
        return None if self._last is None else await self._issue(self._last, Reason.CLOSING)

    def _owe(
        self, event: DeckCounted, number: int, decks: Iterable[DeckAtTable], at: datetime
    ) -> None:
        backs = {deck.name: deck.back for deck in decks}
        back = backs.get(event.deck, event.deck)
        self._last = Counted(event, number, back, at, at.year >= FIRST_YEAR)
        self._owed.append(self._last)

    async def _issue(self, counted: Counted, reason: Reason) -> Filed:
        now = datetime.now(UTC).astimezone()
        return await asyncio.to_thread(issue, self._config, counted, reason, now)


def _moment(wall: float) -> datetime:
    """A record's wall time; the epoch, which nobody takes for true, where it says none."""
    try:
        return datetime.fromtimestamp(wall, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0.0, UTC)


def _uncertified(path: Path) -> list[Record]:
    """Counts of the last night of which the journal names no certificate, the oldest first. A
    journal that cannot be read says so elsewhere."""
    owed: list[Record] = []
    filed: set[int] = set()
    try:
        with JournalFile(path) as journal:
            for seq, kind in islice(journal.kinds_backwards(), _LOOKED_BACK):
                if kind not in ("certificate", "deck-counted"):
                    continue
                record = next(journal.records(seq))
                body = body_of(record)
                if isinstance(body, CertificateFiled):
                    filed.add(body.count)
                elif seq not in filed and UNNAMED not in filed:
                    owed.insert(0, record)
    except (JournalReadError, RecordError):
        return []
    return owed


def issue(config: Config, counted: Counted, reason: Reason, now: datetime) -> Filed:
    """Sign and file the certificate of that count.

    Raises:
        FilingError: it cannot be made or written, with what to do.
    """
    event = counted.event
    facts = CountFacts(
        deck=event.deck,
        back=counted.back,
        present=event.present,
        passes=event.passes,
        started_at=counted.at - timedelta(seconds=event.duration_s),
        ended_at=counted.at,
        clock_trusted=counted.clock_trusted,
        duration_s=event.duration_s,
        confirmed_by=event.by,
        expected=event.expected,
        missing=event.missing,
        duplicates=event.duplicated,
        extra=event.other_deck,
        foreign=event.foreign,
        jokers=event.jokers,
        means=event.means,
    )
    try:
        with JournalFile(config.journal) as journal:
            anchor = journal.anchor()
        key = table_key(config.certificate_key)
    except (JournalReadError, SigningKeyError) as error:
        raise FilingError(f"no certificate of the count: {error}") from error
    certificate = certify(
        facts,
        anchor,
        table=config.file.table.name,
        reason=reason,
        build=build_name(),
        issued_at=now,
    )
    files = save(certificate, key.signing, config.certificates)
    digest = hashlib.sha256(files[Kind.JSON].read_bytes()).hexdigest()
    return Filed(counted.number, files[Kind.PDF], digest)
