"""Absence asks before it alarms: what silence may say, and when.

A suspicion is first only a watch. k clean polls of every zone concerned make it a question on the
board; k more make it a warning; nothing but a read or somebody's word makes it more than that.
"""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardGlimpsed, StillEmpty
from controller.model.findings import FindingState, Said, Street
from controller.model.table import seat_of
from controller.rules.engine import ledger
from controller.rules.engine.orders import code_for_pair, covered, note_order
from controller.rules.engine.play import in_play
from controller.rules.engine.state import NEVER, Hand, RulesState, Suspicion
from controller.rules.plans import SlotKind

WARN_SEAT_S = 8.0  # longer than a player looks at the cards, which cannot be read meanwhile
WARN_AFTER_S = (
    1.5  # a question stands at least so long before it becomes a warning: looks that follow
)
# each other within a blink miss the same card together

COUNT_CODES = frozenset({"HOLE_COUNT", "HOLE_DEALT_OUT"})
ORDER_CODES = frozenset(
    {"HOLE_FIRST_SEAT", "HOLE_ORDER", "HOLE_TWO_AT_ONCE", "HOLE_LAST_NOT_BUTTON"}
)
ORDER = "ORDER"  # an order suspicion gets its code when it is shown


def suspect(hand: Hand, new: Suspicion) -> None:
    """Add a suspicion, or give an earlier `since` to the one about the same missing slots."""
    kept = []
    for old in hand.suspicions:
        if (
            old.code == new.code
            and old.street is new.street
            and old.missing == new.missing
            and old.seat == new.seat
            and old.token == new.token
        ):
            if old.finding is not None or old.since <= new.since:
                return
            continue
        kept.append(old)
    hand.suspicions = (*kept, new)


def drop(hand: Hand, gone: Suspicion) -> None:
    hand.suspicions = tuple(s for s in hand.suspicions if s is not gone)


def put(hand: Hand, old: Suspicion, new: Suspicion) -> None:
    hand.suspicions = tuple(new if s is old else s for s in hand.suspicions)


def on_still_empty(state: RulesState, said: list[Said], event: StillEmpty) -> None:
    hand = state.hand
    if hand is None:
        return
    if hand.pendings:
        hand.pendings = tuple(
            replace(p, silent=True)
            if p.what == "seat-surplus"
            and event.since >= p.evident
            and state.book is not None
            and event.zone == state.book.layout.burn_zone
            else p
            for p in hand.pendings
        )
    for s in hand.suspicions:
        if s.step < 3 and event.zone in s.zones and event.since >= s.since:
            heard = replace(
                s, silent=s.silent | {event.zone}, evidence=(*s.evidence, event.seq)[-6:]
            )
            put(hand, s, heard)
            if heard.silent.issuperset(heard.zones):
                advance(state, said, heard, event.at)


def on_glimpsed(state: RulesState, event: CardGlimpsed) -> None:
    """A card has been at the seat: its silence, before and since, does not say that none was."""
    hand = state.hand
    if hand is None:
        return
    hand.suspicions = tuple(
        replace(s, since=event.at, silent=s.silent - {event.zone})
        if s.step < 3 and event.zone in s.zones
        else s
        for s in hand.suspicions
    )


def ripen(state: RulesState, said: list[Said], at: float) -> None:
    """Suspicions whose silence is complete and whose earliest second has come."""
    hand = state.hand
    if hand is None:
        return
    for s in hand.suspicions:
        if s.step < 3 and s.silent.issuperset(s.zones) and at >= s.not_before:
            advance(state, said, s, at)


def advance(state: RulesState, said: list[Said], s: Suspicion, at: float) -> None:
    hand = state.hand
    assert hand is not None
    if at < s.not_before:
        return
    if s.street is not Street.DEAL and s.step == 1 and not in_play(state, hand, at):
        drop(hand, s)  # the pot is awarded and the cards are being taken up
        return
    if s.step == 1:
        _show(state, said, hand, s, at)
        return
    assert s.finding is not None
    finding = state.findings.get(s.finding)
    put(hand, s, replace(s, step=3))
    if s.code == "BOARD_COUNT" and s.counts is not None and s.counts[0] == 0:
        return  # the dealer may have paused after the burn: that stays a question
    if finding is not None and finding.state is FindingState.ASKING:
        ledger.sharpen(
            state,
            said,
            s.finding,
            at=at,
            asking=False,
            positive=False,
            evidence=s.evidence,
            counts=s.counts,
        )


def _shown(hand: Hand, s: Suspicion, finding: int, at: float, step: int = 2) -> None:
    put(
        hand,
        s,
        replace(
            s,
            finding=finding,
            step=step,
            since=at,
            silent=frozenset(),
            not_before=at
            + (WARN_SEAT_S if all(seat_of(z) is not None for z in s.zones) else WARN_AFTER_S),
        ),
    )


def _show(state: RulesState, said: list[Said], hand: Hand, s: Suspicion, at: float) -> None:
    if s.code == ORDER:
        _show_order(state, said, hand, s, at)
    elif s.code in COUNT_CODES:
        _show_count(state, said, hand, s, at)
    elif s.code == "CARDS_OFF_TABLE":
        if any(f.seat == s.seat for f in ledger.standing(state, s.code)):
            drop(hand, s)
            return
        _shown(hand, s, _open(state, said, s, at, asking=False), at, step=3)
    elif s.code == "BURN_MISSING" and reclaim_late_burn(state, said, hand, s.street, at):
        drop(hand, s)
    else:
        _shown(hand, s, _open(state, said, s, at), at)


def _open(
    state: RulesState,
    said: list[Said],
    s: Suspicion,
    at: float,
    *,
    code: str = "",
    asking: bool = True,
) -> int:
    """A finding of what is suspected; returns its id. code: another name for the same thing, which
    the suspicion's detail does not fit."""
    return ledger.open_finding(
        state,
        said,
        code or s.code,
        at=at,
        street=s.street,
        seat=s.seat,
        zone=s.zone,
        expected=s.expected,
        seen=s.seen,
        evidence=s.evidence,
        asking=asking,
        positive=False,
        evident=s.evident,
        counts=s.counts,
        detail="" if code else s.detail,
    )


def _show_order(state: RulesState, said: list[Said], hand: Hand, s: Suspicion, at: float) -> None:
    late = min(s.missing)
    early = max(s.slots)
    if covered(state, hand, late, early):
        drop(hand, s)
        return
    code, seat = code_for_pair(state, hand, late, early)
    if not code:
        drop(hand, s)
        return
    slot = hand.plan.slots[late]
    number = ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=slot.street,
        seat=seat,
        zone=slot.zone,
        expected=_due(hand, late),
        seen=_due(hand, early),
        evidence=s.evidence,
        asking=True,
        positive=False,
        evident=s.evident,
    )
    note_order(hand, number, code, slot.seat, late, early)
    _shown(hand, s, number, at)


def _show_count(state: RulesState, said: list[Said], hand: Hand, s: Suspicion, at: float) -> None:
    book = state.book
    assert book is not None
    assert s.seat is not None
    known = [
        f
        for f in ledger.standing(state)
        if any(n == f.id and seat == s.seat for n, seat in hand.order_findings)
    ]
    if known:
        number = known[0].id
        ledger.sharpen(
            state,
            said,
            number,
            at=at,
            code=s.code,
            seat=s.seat,
            asking=known[0].asking,
            positive=False,
            expected=s.expected,
            seen=s.seen,
            evidence=s.evidence,
            counts=s.counts,
            detail=s.detail,
        )
        _shown(hand, s, number, at)
        return
    last_round = all(hand.plan.slots[i].round == hand.plan.hole_cards for i in s.missing)
    if book.button_last_strict and s.seat == hand.button and last_round:
        number = _open(state, said, s, at, code="HOLE_LAST_NOT_BUTTON")
        ledger.sharpen(
            state, said, number, at=at, code=s.code, asking=True, counts=s.counts, detail=s.detail
        )
    else:
        number = _open(state, said, s, at)
    _shown(hand, s, number, at)


def _due(hand: Hand, index: int) -> str:
    slot = hand.plan.slots[index]
    if slot.kind is SlotKind.HOLE:
        return f"card {slot.round} to seat {slot.seat}"
    return f"{slot.kind.value} ({slot.street.value})"


def answered(
    state: RulesState, said: list[Said], hand: Hand, index: int, at: float
) -> list[Suspicion]:
    """Slot `index` is filled: forget what was only suspected; give back what had already been
    shown."""
    shown = []
    for s in hand.suspicions:
        if index in s.missing:
            if s.finding is None:
                drop(hand, s)
            else:
                shown.append(s)
    return shown


def reclaim_late_burn(
    state: RulesState, said: list[Said], hand: Hand, street: Street, at: float
) -> bool:
    """A street's board card comes with no burn of its own, but an earlier street was given a late
    one: that was this street's burn after all."""
    slot = next((i for i in hand.plan.burns[street] if i not in hand.fills), None)
    # A late burn is bound once another street has been dealt since.
    dealt = [
        f.before
        for s, slots in hand.plan.board.items()
        if s is not street
        for i in slots
        if (f := hand.fills.get(i)) is not None
    ]
    earlier = [
        i
        for i in hand.late_burns
        if hand.plan.slots[i].street is not street
        and i in hand.fills
        and hand.fills[i].before >= max(dealt, default=NEVER)
    ]
    if slot is None or not earlier:
        return False
    taken = earlier[-1]
    hand.fills[slot] = hand.fills.pop(taken)
    number = hand.late_burns.pop(taken)
    if number:
        ledger.sharpen(state, said, number, at=at, asking=False, positive=False)
    return True
