"""From a confirmed count to its certificate's files: reads the journal's head and writes to the
disk, so it is called off the event loop."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from controller.config import Config
from controller.integrity.certificate import CountFacts, Reason, certify
from controller.integrity.filing import FilingError, Kind, save
from controller.integrity.signing import SigningKeyError, table_key
from controller.journal.build import build_name
from controller.journal.reader import JournalFile
from controller.journal.trouble import JournalReadError
from controller.model.events import DeckCounted

__all__ = ["Counted", "FilingError", "Reason", "issue"]


@dataclass(frozen=True, slots=True)
class Counted:
    """A confirmed count, with what the certificate says besides. at: wall time, with its zone.
    clock_trusted: whether that is to be believed."""

    event: DeckCounted
    back: str
    at: datetime
    clock_trusted: bool


@dataclass(frozen=True, slots=True)
class Filed:
    """A certificate on the disk. page: the one for people. sha256: of the signed JSON."""

    page: Path
    sha256: str


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
    return Filed(files[Kind.PDF], digest)
