"""Order under uncertainty. Slot i before slot j is kept iff before_i <= after_j, violated iff
after_i >= before_j, or slot i is unfilled and k clean polls of its antenna began at or after
before_j; else undecided. No total order is invented."""

from __future__ import annotations

from controller.model.findings import Judgement
from controller.rules.engine.state import Fill, Hand, RulesState
from controller.rules.plans import SlotKind

SKIPPED_TOO_MANY = 3  # who seems to pass over so many seats began at the wrong one


def kept(first: Fill, second: Fill) -> bool:
    return first.before <= second.after


def violated(first: Fill, second: Fill) -> bool:
    return first.after >= second.before


def judge_pair(first: Fill, second: Fill) -> Judgement:
    if kept(first, second):
        return Judgement.IN_ORDER
    return Judgement.VIOLATION if violated(first, second) else Judgement.CANNOT_TELL


def code_for_pair(state: RulesState, hand: Hand, late: int, early: int) -> tuple[str, int | None]:
    """Which finding it is that slot `early` (later in the plan) came before slot `late`, and the
    seat that it names.

    An empty code: lawful here (two consecutive cards on the button, where the house allows them).
    """
    book = state.book
    assert book is not None
    plan = hand.plan
    a, b = plan.slots[late], plan.slots[early]
    if a.kind is SlotKind.BURN:
        return "BURN_MISSING", None
    button = hand.button
    on_button = (a.seat == button and b.round > a.round and _only_button_missed(hand, a.round)) or (
        b.seat == button and b.round == a.round and b.round > 1 and _leads_its_round(hand, early)
    )
    if on_button:
        if not book.button_last_strict:
            return "", None
        return "HOLE_LAST_NOT_BUTTON", button
    if b.round == 1 and (late == plan.first_hole or _was_first_of_all(hand, early)):
        return "HOLE_FIRST_SEAT", plan.slots[plan.first_hole].seat
    if b.round > a.round and _passed_over_the_rest(hand, early):
        return "HOLE_TWO_AT_ONCE", b.seat
    return "HOLE_ORDER", a.seat


def _was_first_of_all(hand: Hand, early: int) -> bool:
    """Whether `early` was the hand's first hole card, as far as can be seen, and not the seat that
    was due it."""
    own = hand.fills.get(early)
    due = hand.fills.get(hand.plan.first_hole)
    if own is None or early == hand.plan.first_hole or (due is not None and kept(due, own)):
        return False
    unserved = sum(i not in hand.fills for i in range(hand.plan.first_hole, early))
    if unserved >= SKIPPED_TOO_MANY:
        return True
    return all(
        f.before >= own.before
        for i, f in hand.fills.items()
        if hand.plan.slots[i].kind is SlotKind.HOLE
    )


def _only_button_missed(hand: Hand, n: int) -> bool:
    """Whether everybody but the button has had a card in round n."""
    return all(
        slots[n - 1] in hand.fills
        for seat, slots in hand.plan.by_seat.items()
        if seat != hand.button
    )


def _leads_its_round(hand: Hand, index: int) -> bool:
    slot = hand.plan.slots[index]
    own = hand.fills.get(index)
    if own is None:
        return False
    return not any(
        other.round == slot.round and other.index != index and f.before < own.before
        for i, f in hand.fills.items()
        if (other := hand.plan.slots[i]).kind is SlotKind.HOLE
    )


def _passed_over_the_rest(hand: Hand, early: int) -> bool:
    """Whether the seat after `early`'s seat had not yet had its card of the round before."""
    slot = hand.plan.slots[early]
    own = hand.fills.get(early)
    assert slot.seat is not None
    following = hand.plan.by_seat[slot.seat][slot.round - 2] + 1
    if own is None or following == early:
        return False
    fill = hand.fills.get(following)
    return fill is None or fill.before > own.before


def covered(state: RulesState, hand: Hand, late: int, early: int) -> bool:
    """Whether an order mistake of these two slots follows from one that is already known."""
    slot = hand.plan.slots[late]
    if slot.kind is SlotKind.BURN:
        return False
    if hand.wrong_first:
        return True
    if late in hand.order_slots or early in hand.order_slots:
        return True
    return any(seat == slot.seat for _, seat in hand.order_findings)


def note_order(
    hand: Hand, finding: int, code: str, seat: int | None, late: int, early: int
) -> None:
    """Remember a shown order finding, so that what follows from it stays silent."""
    if hand.plan.slots[late].kind is SlotKind.BURN:
        return
    hand.order_slots |= {late, early}
    named = hand.plan.slots[early].seat if code == "HOLE_TWO_AT_ONCE" else seat
    hand.order_findings = (*hand.order_findings, (finding, named))
    if code == "HOLE_FIRST_SEAT":
        hand.wrong_first = True
