"""A count, its certificate and a table's key, for the tests of certificates."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from nacl.signing import SigningKey

from controller.integrity.certificate import (
    Certificate,
    CountFacts,
    Reason,
    Signed,
    certify,
    sign,
)
from controller.journal.store import Anchor, Head

ZONE = timezone(timedelta(hours=-5))
STARTED = datetime(2026, 11, 30, 19, 3, 20, 250_000, tzinfo=ZONE)
ENDED = datetime(2026, 11, 30, 19, 4, 2, tzinfo=ZONE)
ISSUED = datetime(2026, 11, 30, 19, 4, 10, tzinfo=ZONE)
ANCHOR = Anchor(Head(12345, "3f9a01c2" * 8), "ab12cd34" * 8, 12340)
KEY = SigningKey(bytes(range(32)))
OTHER_KEY = SigningKey(bytes(32))
PUBLIC = bytes(KEY.verify_key)

COMPLETE = CountFacts(
    deck="red",
    back="red",
    present=52,
    passes=2,
    started_at=STARTED,
    ended_at=ENDED,
    clock_trusted=True,
    duration_s=41.74,
    confirmed_by="the dealer, by key",
)
SHORT = replace(
    COMPLETE,
    present=50,
    missing=("Td", "As"),
    duplicates=("7c",),
    extra=2,
    foreign=1,
    jokers=1,
    confirmed_by="",
)


def certified(facts: CountFacts = COMPLETE, **other: Any) -> Certificate:
    """With other words of `certify` than the usual ones."""
    usual: dict[str, Any] = {
        "anchor": ANCHOR,
        "table": "card room, table 7",
        "reason": Reason.COUNT,
        "build": "0.1.0+3f9a01c2d4e5",
        "issued_at": ISSUED,
    }
    return certify(facts, **{**usual, **other})


def signed(facts: CountFacts = COMPLETE, **other: Any) -> Signed:
    return sign(certified(facts, **other), KEY)
