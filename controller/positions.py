"""Taking up a hand by positions: after a restart the cards on the table are read under new tokens,
and those that settle where cards lay are taken for the cards that lay there.

That is an assumption; the journal's `resume` record says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

from controller.model.events import CardCame, CardCarried, CardLeft, TableEvent, TagVerdict, Token
from controller.model.table import Layout, Zone
from controller.sensing import Sensing
from drivers.readings import Outcome, Poll, Uid

PATIENCE_POLLS = 12
"""Clean polls of an antenna after which a card that lay there and is not read counts as lifted."""


class TakenUp:
    """Sensing that renders the events of a resumed hand in the tokens of before.

    lying: each zone's cards of before, with whether each counted as lifted. since: the last moment
    of before.
    """

    def __init__(
        self,
        sensing: Sensing,
        layout: Layout,
        lying: Mapping[Zone, Iterable[tuple[Token, bool]]],
        since: float,
    ) -> None:
        self._sensing = sensing
        self._waiting = {zone: list(cards) for zone, cards in lying.items() if cards}
        self._polls = dict.fromkeys(self._waiting, 0)
        self._zone_of = {a.antenna: a.zone for a in layout.antennas}
        self._name: dict[Token, Token] = {}
        self._since = since

    def poll(self, poll: Poll) -> list[TableEvent]:
        events = self._sensing.poll(poll)
        if not self._waiting and not self._name:
            return events
        translated = [e for event in events if (e := self._in_old_tokens(event)) is not None]
        return translated + self._given_up(poll)

    def placed(self, uid: Uid) -> tuple[Zone, Token] | None:
        """As sensing says, in the token of before."""
        found = self._sensing.placed(uid)
        return None if found is None else (found[0], self._name.get(found[1], found[1]))

    def renew(self, at: float) -> list[CardCarried]:
        """The hand is over: tokens of before mean nothing any more."""
        self._waiting.clear()
        self._name.clear()
        return self._sensing.renew(at)

    def __getattr__(self, name: str) -> Any:
        # Everything else is sensing's own business.
        return getattr(self._sensing, name)

    def _in_old_tokens(self, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, CardCame | CardLeft | TagVerdict):
            return event
        known = self._name.get(event.token)
        if known is not None:
            return dataclasses.replace(event, token=known)
        if not isinstance(event, CardCame):
            return event
        waiting = self._waiting.get(event.zone)
        if not waiting:
            return event
        old, lifted = waiting.pop(0)
        if not waiting:
            del self._waiting[event.zone]
        self._name[event.token] = old
        if not lifted:
            return None  # it lies where it lay: nothing has happened
        return dataclasses.replace(event, token=old, source=event.zone)

    def _given_up(self, poll: Poll) -> list[TableEvent]:
        """Cards that were there and are not read for long: lifted, or gone meanwhile."""
        zone = self._zone_of.get(poll.antenna)
        if zone is None or zone not in self._waiting or poll.outcome is Outcome.NOISE:
            return []
        self._polls[zone] += 1
        if self._polls[zone] < PATIENCE_POLLS:
            return []
        gone = self._waiting.pop(zone)
        after = self._since if self._since < poll.started else -inf
        return [
            CardLeft(at=poll.ended, token=token, zone=zone, after=after, before=poll.started)
            for token, lifted in gone
            if not lifted
        ]
