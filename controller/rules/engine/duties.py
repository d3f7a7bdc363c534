"""What a deck asks for by the clock: to be counted, and to be changed.

The hour starts at the last completed count, else when the deck came into play. Asking ahead is
the board's part (`Progress.duties`); past the limit there is a finding, open until the duty is
done, and sharper once a hand begins while it is overdue. Times are monotonic, so no jump of a wall
clock moves a duty; after a start that does not know how long the machine was off, the age is
unknown and a count comes first.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from statistics import median

from controller.model.events import DeckSoFar, DutyDeferred
from controller.model.findings import Duty, DutyKind, FindingState, Said, Severity
from controller.rules.engine import ledger
from controller.rules.engine.state import DeckState, RulesState

ASKED_AHEAD_S = 300.0  # a duty is asked for from so long before its limit
USUAL_HAND_S = 120.0  # until the table's own hands say how long one lasts
LENGTHS_KEPT = 20

CODES = {DutyKind.COUNT: "DECK_COUNT_DUE", DutyKind.CHANGE: "DECK_CHANGE_DUE"}
CHANGE_CODES = frozenset({"DECK_CHANGE_DUE", "DECK_SET_REPLACE_DUE"})


def due_at(state: RulesState, kind: DutyKind) -> float | None:
    """The limit of a duty, in monotonic seconds; None where the house does not time it, or no deck
    is in play."""
    book, deck = state.book, state.deck
    if book is None or deck.name is None:
        return None
    own = book.profile
    if kind is DutyKind.CHANGE:
        minutes = own.deck_change_interval_min.value
        return deck.since + 60.0 * minutes if minutes else None
    minutes = own.deck_count_interval_min.value
    if not minutes:
        return None
    if not deck.age_known:
        return deck.since
    return (deck.since if deck.counted_at is None else deck.counted_at) + 60.0 * minutes


def duties(state: RulesState) -> tuple[Duty, ...]:
    """Every duty of the deck in play, soonest first."""
    deck = state.deck
    found = []
    for kind in DutyKind:
        limit = due_at(state, kind)
        if limit is None:
            continue
        ahead_s = max(ASKED_AHEAD_S, usual_hand_s(state))
        found.append(
            Duty(
                kind=kind,
                due_at=limit,
                ask_at=limit - ahead_s,
                deferred=deck.deferred.get(kind, ""),
                age_known=deck.age_known,
            )
        )
    return tuple(sorted(found, key=lambda d: d.due_at))


def usual_hand_s(state: RulesState) -> float:
    """How long a hand usually lasts at this table, from one hand's first card to the next."""
    lengths = state.deck.hand_lengths_s
    return median(lengths) if lengths else USUAL_HAND_S


def reckon(state: RulesState) -> None:
    """Work out anew when the next limit is, of which nothing has been said yet."""
    limits = [
        limit
        for kind in DutyKind
        if kind not in state.deck.asked and (limit := due_at(state, kind)) is not None
    ]
    state.next_duty_at = min(limits, default=inf)


def fall_due(state: RulesState, said: list[Said], at: float) -> None:
    """Say what has become due."""
    if at < state.next_duty_at:
        return
    for kind in DutyKind:
        limit = due_at(state, kind)
        if limit is None or at < limit or kind in state.deck.asked:
            continue
        minutes = "" if not state.deck.age_known else f" within {_minutes(state, kind)} min"
        what = "counted" if kind is DutyKind.COUNT else "changed"
        number = ledger.open_finding(
            state,
            said,
            _code(state, kind),
            at=at,
            street=None,
            expected=f"the deck {what}{minutes}",
            seen=(
                f"{at - limit:.0f} s overdue"
                if state.deck.age_known
                else "nobody knows for how long it has been in play"
            ),
            positive=True,
            evident=limit,
        )
        state.deck = replace(state.deck, asked={**state.deck.asked, kind: number})
    reckon(state)


def hand_begins(state: RulesState, said: list[Said], at: float) -> None:
    """A hand begins while a duty is overdue: the finding says so, louder and by how much."""
    for kind in DutyKind:
        limit, number = due_at(state, kind), _finding(state, kind)
        if limit is None or number is None or at < limit:
            continue
        old = state.findings[number]
        hand = state.hand.number if state.hand is not None else state.hands
        late = f"hand {hand} began {at - limit:.0f} s past the limit"
        if not state.deck.age_known:
            late = f"hand {hand} began before the count"
        ledger.put(
            state,
            said,
            replace(
                old,
                severity=max(old.severity, Severity.WARNING, key=lambda s: s.rank),
                seen=late,
                at=at,
            ),
        )


def hand_ended(state: RulesState, began: float, at: float) -> None:
    lengths = (*state.deck.hand_lengths_s, at - began)[-LENGTHS_KEPT:]
    state.deck = replace(state.deck, hand_lengths_s=lengths)


def done(state: RulesState, said: list[Said], kind: DutyKind, at: float, by: str = "") -> None:
    """The duty has been done: what was said of it is settled."""
    number = _finding(state, kind)
    if number is not None:
        ledger.settle(state, said, number, FindingState.CORRECTED, at=at, by=by)
    asked = {k: n for k, n in state.deck.asked.items() if k is not kind}
    deferred = {k: r for k, r in state.deck.deferred.items() if k is not kind}
    state.deck = replace(state.deck, asked=asked, deferred=deferred)
    reckon(state)


def on_deferred(state: RulesState, said: list[Said], event: DutyDeferred) -> None:
    """The floor's reason stands beside the duty; the limit stays where it is."""
    kind = event.duty
    state.deck = replace(state.deck, deferred={**state.deck.deferred, kind: event.reason})
    number = _finding(state, kind)
    if number is not None:
        ledger.put(
            state,
            said,
            replace(state.findings[number], ruling=event.reason, by=event.by, at=event.at),
        )


def so_far(deck: DeckState) -> DeckSoFar:
    """What a restart has to know of the decks, where no finding about them is open."""
    return DeckSoFar(
        name=deck.name,
        since=deck.since,
        counted_at=deck.counted_at,
        present=deck.present,
        age_known=deck.age_known,
        used=tuple(sorted(deck.used)),
        attested=tuple(sorted(deck.attested)),
        shuffled_at=deck.shuffled_at,
        hand_lengths_s=deck.hand_lengths_s,
    )


def gone_on(before: DeckSoFar | None) -> DeckState:
    if before is None:
        return DeckState()
    return DeckState(
        name=before.name,
        since=before.since,
        counted_at=before.counted_at,
        present=before.present,
        age_known=before.age_known,
        used=frozenset(before.used),
        attested=frozenset(before.attested),
        shuffled_at=before.shuffled_at,
        hand_lengths_s=before.hand_lengths_s,
    )


def age_unknown(state: RulesState, at: float) -> None:
    """The machine was off for nobody knows how long: the deck is to be counted before the next
    hand; the one that comes into play first, where none is yet."""
    state.deck = replace(state.deck, age_known=False)
    if state.deck.name is not None:
        state.deck = replace(state.deck, since=at, counted_at=None)
        reckon(state)


def _minutes(state: RulesState, kind: DutyKind) -> int:
    assert state.book is not None
    own = state.book.profile
    setting = (
        own.deck_count_interval_min if kind is DutyKind.COUNT else own.deck_change_interval_min
    )
    return setting.value


def _finding(state: RulesState, kind: DutyKind) -> int | None:
    """The finding that this duty has, if it still asks or alarms: on one that the floor has ruled
    on nothing more is said until the duty is done."""
    finding = state.findings.get(state.deck.asked.get(kind, 0))
    return finding.id if finding is not None and finding.state is FindingState.OPEN else None


def _code(state: RulesState, kind: DutyKind) -> str:
    """A change for which every deck at the table has been used up asks for new decks."""
    assert state.book is not None
    if kind is DutyKind.CHANGE and not state.book.profile.used_deck_returns.value:
        deck = state.deck
        rest = [d for d in state.decks if d.name != deck.name and d.name not in deck.used]
        if state.decks and not rest:
            return "DECK_SET_REPLACE_DUE"
    return CODES[kind]
