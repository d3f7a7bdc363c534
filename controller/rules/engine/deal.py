"""Hole cards: which slot an arrival takes, in what order, and how many a seat ends with."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf

from controller.model.events import CardCame
from controller.model.findings import FindingState, Judgement, Said, Street
from controller.model.table import Zone, seat_zone
from controller.rules.engine import ledger
from controller.rules.engine.orders import code_for_pair, covered, note_order, violated
from controller.rules.engine.play import over
from controller.rules.engine.state import NEVER, Fill, Hand, Pending, RulesState, Suspicion
from controller.rules.engine.suspicion import (
    COUNT_CODES,
    ORDER,
    ORDER_CODES,
    answered,
    drop,
    ripen,
    suspect,
)
from controller.rules.plans import SlotKind
from controller.rules.remedies import hole_count_detail

LAST_CARD_S = 1.0  # the dealer may only have paused before the last card
SURPLUS_SETTLED_S = 0.6
EXPOSED_GOES_S = 2.5  # by then an exposed card lies on the burn pile, and has been read there
SURPLUS_WAIT_S = 1.5  # an exposed card may be on its way out while its replacement has landed
ORDER_WAIT_S = 1.0
SWAP_S = 1.5  # two cards that only changed places come closer together than this
FLOW_S = 2.0  # cards of one deal follow each other within this
JITTER_S = 1.0  # first sights of neighbouring cards may change places by as much
PAUSE_S = 1.5  # a card that comes after such a pause is no part of the flow of the deal


def fill_slot(hand: Hand, index: int, event: CardCame) -> Fill:
    fill = Fill(event.token, event.after, event.before, event.seq, event.at)
    hand.fills[index] = fill
    return fill


def on_seat(state: RulesState, said: list[Said], event: CardCame, seat: int) -> None:
    """A card from the deck reached a seat."""
    hand = state.hand
    assert hand is not None
    plan = hand.plan
    if seat not in plan.by_seat:
        _stray(state, said, event, seat)
        return
    hand.at_seat[event.token] = seat
    if seat in hand.burned_from_seat and seat not in hand.replaced:
        hand.replaced |= {seat}
        return
    if _replaces_scrap(state, hand, event, seat):
        return
    index = next((i for i in plan.by_seat[seat] if i not in hand.fills), None)
    if index is None and _replaces_a_bad_card(state, hand, event, seat):
        return
    if index is None:
        _surplus(state, hand, event, seat)
        return
    flow_ended = hand.last_hole_at
    fill_slot(hand, index, event)
    _in_order_of_arrival(hand, plan.by_seat[seat])
    fill = hand.fills[index]
    hand.last_hole_at = max(hand.last_hole_at, event.before)
    after_a_pause = fill.after > flow_ended + PAUSE_S
    _answer(state, said, hand, index, seat, event, after_a_pause)
    if not hand.closed:
        check_order(state, said, hand, index, event)
        if all(i in hand.fills for i in range(plan.first_hole, plan.last_hole + 1)):
            close_deal(state, said, event.at, event.before)
        else:
            _expect_the_last(state, hand, event)


def _in_order_of_arrival(hand: Hand, slots: tuple[int, ...]) -> None:
    """Two cards of one seat may settle in the other order than they came: the earlier bounds belong
    to the earlier slot."""
    filled = [i for i in slots if i in hand.fills and hand.fills[i].token is not None]
    if len(filled) < 2:
        return
    after = sorted(hand.fills[i].after for i in filled)
    before = sorted(hand.fills[i].before for i in filled)
    for i, a, b in zip(filled, after, before, strict=True):
        if hand.fills[i].after != a or hand.fills[i].before != b:
            hand.fills[i] = replace(hand.fills[i], after=a, before=b)


def _replaces_a_bad_card(state: RulesState, hand: Hand, event: CardCame, seat: int) -> bool:
    """A joker or foreign card was taken away: the next card takes its slot."""
    for i in hand.plan.by_seat[seat]:
        fill = hand.fills[i]
        place = state.cards.get(fill.token) if fill.token is not None else None
        if fill.token is None or place is None or place.lifted_since is None:
            continue
        finding = state.findings.get(hand.token_findings.get(fill.token, 0))
        bad = finding is not None and ledger.about_the_card(finding.code)
        if bad or place.returned:
            hand.fills[i] = replace(fill, token=event.token)
            hand.at_seat.pop(fill.token, None)
            return True
    return False


def _replaces_scrap(state: RulesState, hand: Hand, event: CardCame, seat: int) -> bool:
    """A card that lay face up in the deck was set aside: the next one takes its place at once, in
    whichever round (IRR-18)."""
    scrap = {e.token for e in hand.exposures if e.detail == "boxed" and e.seat == seat}
    for i in hand.plan.by_seat[seat]:
        fill = hand.fills.get(i)
        if fill is None or fill.token not in scrap or fill.token is None:
            continue
        place = state.cards.get(fill.token)
        if place is None or place.lifted_since is not None or place.zone != event.zone:
            hand.fills[i] = replace(fill, token=event.token)
            hand.at_seat.pop(fill.token, None)
            return True
    return False


def _answer(
    state: RulesState,
    said: list[Said],
    hand: Hand,
    index: int,
    seat: int,
    event: CardCame,
    after_a_pause: bool,
) -> None:
    """What the arrival says to questions that were asked about this seat."""
    shown = answered(state, said, hand, index, event.at)
    complete = all(i in hand.fills for i in hand.plan.by_seat[seat])
    others = [f.before for i, f in hand.fills.items() if i <= hand.plan.last_hole and i != index]
    served = all(i in hand.fills for i in range(hand.plan.first_hole, hand.plan.last_hole + 1))
    # The seat's card came after the plan's last: it was made good once everybody else was served.
    after_all = (
        served
        and index != hand.plan.last_hole
        and hand.fills[index].before >= max(others, default=NEVER)
    )
    for s in shown:
        drop(hand, s)
        finding = state.findings.get(s.finding or 0)
        if finding is None:
            continue
        if finding.code == "HOLE_TWO_AT_ONCE" and not complete:
            ledger.sharpen(
                state, said, finding.id, at=event.at, asking=False, evidence=(event.seq,)
            )
    swapped = {s.finding for s in shown if _changed_places(hand, index, s)}
    if complete:
        for f in ledger.standing(state):
            if f.id in swapped:
                continue  # `order_stands` will judge it
            unread = any(s.finding == f.id for s in shown) or f.id in hand.by_silence
            about = f.seat == seat and (
                f.code in COUNT_CODES
                or (f.code in ("HOLE_ORDER", "HOLE_LAST_NOT_BUTTON") and (unread or after_all))
                or (f.code == "HOLE_FIRST_SEAT" and after_a_pause)
            )
            if about and not hand.extra_seat.get(seat):
                ledger.settle(state, said, f.id, FindingState.CORRECTED, at=event.at)


def _changed_places(hand: Hand, index: int, s: Suspicion) -> bool:
    """Whether the card that was looked for came to slot `index` just after the one that proved it
    late: dealt in the wrong order, and not merely unread."""
    if s.code != ORDER or not s.slots:
        return False
    early = hand.fills.get(max(s.slots))
    late = hand.fills[index]
    return early is not None and violated(late, early) and late.before - early.before <= SWAP_S


def check_order(
    state: RulesState, said: list[Said], hand: Hand, index: int, event: CardCame
) -> None:
    """Compare slot `index`, just filled, with every other slot of the deal."""
    plan = hand.plan
    if not plan.ordered or not _judged(state, hand, index):
        return
    fill = hand.fills[index]
    for lower in range(index):
        if not _judged(state, hand, lower):
            continue
        other = hand.fills.get(lower)
        if other is None:
            _suspect_order(state, hand, lower, index, fill)
        elif violated(other, fill):
            _wait_for_order(hand, lower, index, event)
    earliest: int | None = None
    for higher in range(index + 1, plan.last_hole + 1):
        other = hand.fills.get(higher)
        if (
            other is not None
            and _judged(state, hand, higher)
            and violated(fill, other)
            and (earliest is None or other.before < hand.fills[earliest].before)
        ):
            earliest = higher
    if earliest is not None:
        _wait_for_order(hand, index, earliest, event)


def _wait_for_order(hand: Hand, late: int, early: int, event: CardCame) -> None:
    """Another card of the seat may settle yet that came before this one."""
    hand.pendings = (
        *hand.pendings,
        Pending(
            what="order",
            token=event.token,
            zone=event.zone,
            due=event.at + ORDER_WAIT_S,
            seq=event.seq,
            evident=event.before,
            slots=(late, early),
        ),
    )


def order_stands(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """The two slots still say that the later one was served first."""
    hand = state.hand
    assert hand is not None
    assert pending.slots is not None
    late, early = pending.slots
    first, second = hand.fills.get(late), hand.fills.get(early)
    if first is not None and second is not None and violated(first, second):
        _violation(state, said, hand, late, early, at)


def _judged(state: RulesState, hand: Hand, index: int) -> bool:
    """Whether a slot's arrival is its dealing: its antenna covers the landing place."""
    assert state.book is not None
    fill = hand.fills.get(index)
    if fill is not None and fill.token is None:
        return False
    return hand.plan.slots[index].zone not in state.book.placement_zones


def _suspect_order(state: RulesState, hand: Hand, late: int, early: int, fill: Fill) -> None:
    slot = hand.plan.slots[late]
    if slot.kind is SlotKind.BURN:
        assert state.book is not None
        suspect(
            hand,
            Suspicion(
                code="BURN_MISSING",
                street=Street.DEAL,
                seat=None,
                zone=slot.zone,
                zones=state.book.burn_zones,
                since=fill.before,
                slots=frozenset({late}),
                missing=frozenset({late}),
                expected="a burn before the hole cards",
                seen="a hole card",
                evidence=(fill.seq,),
                evident=fill.before,
            ),
        )
        return
    if covered(state, hand, late, early):
        return
    suspect(
        hand,
        Suspicion(
            code=ORDER,
            street=Street.DEAL,
            seat=slot.seat,
            zone=slot.zone,
            zones=(slot.zone,),
            since=fill.before,
            slots=frozenset({late, early}),
            missing=frozenset({late}),
            evidence=(fill.seq,),
            evident=fill.before,
        ),
    )


def _violation(
    state: RulesState, said: list[Said], hand: Hand, late: int, early: int, at: float
) -> None:
    slot, first = hand.plan.slots[late], hand.plan.slots[early]
    evidence = (hand.fills[early].seq, hand.fills[late].seq)
    # A card that is long late may have been looked at before it was ever read: that only asks.
    doubtful = hand.fills[late].before - hand.fills[early].before > SWAP_S
    if covered(state, hand, late, early):
        asked = _asked_of(state, hand, late, early)
        if asked is not None and not doubtful:
            ledger.sharpen(state, said, asked, at=at, asking=False, evidence=evidence)
        return
    code, seat = code_for_pair(state, hand, late, early)
    if not code:
        return
    assert slot.seat is not None or slot.kind is SlotKind.BURN
    if doubtful and slot.seat is not None and _complete(hand, slot.seat):
        return
    if slot.kind is SlotKind.BURN:
        if any(f.code == "BURN_MISSING" for f in ledger.standing(state, street=Street.DEAL)):
            return
        # The burn did come, only late: the mistake is on record, and already mended.
        number = ledger.open_finding(
            state,
            said,
            code,
            at=at,
            street=Street.DEAL,
            zone=slot.zone,
            expected="a burn before the hole cards",
            seen="a burn after a hole card",
            evidence=evidence,
            positive=False,
            evident=hand.fills[late].before,
        )
        ledger.settle(state, said, number, FindingState.CORRECTED, at=at)
        return
    number = ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=Street.DEAL,
        seat=seat,
        zone=slot.zone if seat == slot.seat else first.zone,
        expected=(
            f"card {slot.round} to seat {slot.seat} before card {first.round} to seat {first.seat}"
        ),
        seen=f"seat {first.seat} first",
        evidence=evidence,
        asking=doubtful,
        positive=False,
        evident=hand.fills[early].before,
    )
    note_order(hand, number, code, slot.seat, late, early)
    if doubtful:
        hand.by_silence |= {number}


def _asked_of(state: RulesState, hand: Hand, late: int, early: int) -> int | None:
    """The question that is asked about the order of these two slots, if there is one."""
    if not hand.order_slots.issuperset((late, early)):
        return None
    seat = hand.plan.slots[late].seat
    for number, named in hand.order_findings:
        finding = state.findings.get(number)
        if finding is not None and finding.asking and named == seat:
            return number
    return None


def _complete(hand: Hand, seat: int) -> bool:
    return all(i in hand.fills for i in hand.plan.by_seat[seat])


def _began_elsewhere(hand: Hand) -> Judgement:
    """Whether the deal as it was read went round from another seat than the first due.

    Yes only if every card then follows the one before it, in the flow of the deal, and two seats at
    least were served late: a single one may have held a card that was not read. Cannot tell while
    a round from another seat still fits better than one from the right seat."""
    plan = hand.plan
    seats = plan.seats
    if any(i not in hand.fills for i in range(plan.first_hole, plan.last_hole + 1)):
        return Judgement.CANNOT_TELL
    misfits: list[float] = []
    for turn in range(len(seats)):
        row = [
            hand.fills[plan.by_seat[s][n]].before
            for n in range(plan.hole_cards)
            for s in seats[turn:] + seats[:turn]
        ]
        in_flow = row[-1] - row[-2] <= FLOW_S
        misfits.append(
            sum(b - a < -JITTER_S for a, b in pairwise(row)) if turn == 0 or in_flow else inf
        )
    best = min(misfits[1:])
    if best >= misfits[0]:
        return Judgement.IN_ORDER
    return Judgement.VIOLATION if 0 in misfits[2:] else Judgement.CANNOT_TELL


def _settle_first_seat(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    """What the whole deal says to the question whether it began at the right seat."""
    for f in ledger.standing(state, "HOLE_FIRST_SEAT"):
        if f.code != "HOLE_FIRST_SEAT" or not f.asking or f.seat is None:
            continue
        judged = _began_elsewhere(hand)
        if judged is Judgement.VIOLATION:
            ledger.sharpen(state, said, f.id, at=at, asking=False, positive=False)
            hand.suspicions = tuple(s for s in hand.suspicions if s.finding != f.id)
        elif judged is Judgement.IN_ORDER:
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)


def _surplus(state: RulesState, hand: Hand, event: CardCame, seat: int) -> None:
    hand.extra_seat[seat] = (*hand.extra_seat.get(seat, ()), event.token)
    hand.pendings = (
        *hand.pendings,
        Pending(
            what="seat-surplus",
            token=event.token,
            zone=event.zone,
            due=max(event.before + SURPLUS_WAIT_S, event.at + SURPLUS_SETTLED_S),
            seq=event.seq,
            evident=event.before,
        ),
    )


def surplus_stands(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """The extra card is still there: the seat has too many, and a read says so."""
    hand = state.hand
    assert hand is not None
    seat = next((s for s, ts in hand.extra_seat.items() if pending.token in ts), None)
    if seat is None:
        return
    if over(state, hand, pending.evident):
        return
    bad = state.findings.get(hand.token_findings.get(pending.token, 0))
    if bad is not None and ledger.about_the_card(bad.code):
        return  # what is wrong is the card itself
    n = hand.plan.hole_cards
    total = n + len(hand.extra_seat[seat])
    seen = f"{total} cards"
    detail = hole_count_detail(total, n)
    expected = f"{n} cards"
    known = [
        f
        for f in ledger.standing(state)
        if f.seat == seat and (f.code in COUNT_CODES or f.code == "HOLE_TWO_AT_ONCE")
    ]
    if not pending.asked:
        # A card that was exposed may still be on its way to the burn pile: first a question.
        hand.pendings = (
            *hand.pendings,
            replace(pending, asked=True, silent=False, due=at + EXPOSED_GOES_S),
        )
    if known and not pending.asked:
        number = known[0].id
    elif known:
        number = known[0].id
        ledger.sharpen(
            state,
            said,
            number,
            at=at,
            code="HOLE_COUNT",
            asking=False,
            positive=True,
            expected=expected,
            seen=seen,
            evidence=(pending.seq,),
            counts=(total, n),
            detail=detail,
        )
    else:
        number = ledger.open_finding(
            state,
            said,
            "HOLE_COUNT",
            at=at,
            street=Street.DEAL,
            seat=seat,
            zone=pending.zone,
            expected=expected,
            seen=seen,
            evidence=(pending.seq,),
            evident=pending.evident,
            asking=not pending.asked,
            counts=(total, n),
            detail=detail,
        )
    hand.token_findings[pending.token] = number


def _stray(state: RulesState, said: list[Said], event: CardCame, seat: int) -> None:
    hand = state.hand
    assert hand is not None
    number = ledger.open_finding(
        state,
        said,
        "HOLE_TO_OUTSIDER",
        at=event.at,
        street=Street.DEAL,
        seat=seat,
        zone=event.zone,
        expected="no card at a seat that is not in this hand",
        seen="a card from the deck",
        evidence=(event.seq,),
        evident=event.before,
    )
    hand.token_findings[event.token] = number


def close_deal(state: RulesState, said: list[Said], at: float, since: float) -> None:
    """The hole cards are dealt. Seats that are short are asked about, from the last hole card's
    time on."""
    hand = state.hand
    book = state.book
    assert hand is not None
    assert book is not None
    if hand.closed:
        return
    hand.closed = True
    hand.closed_at = at
    _settle_first_seat(state, said, hand, at)
    hand.suspicions = tuple(
        replace(s, not_before=at) if s.code in COUNT_CODES and s.step == 1 else s
        for s in hand.suspicions
    )
    for seat, slots in hand.plan.by_seat.items():
        missing = [i for i in slots if i not in hand.fills]
        if not missing or seat in hand.folded or hand.excused.issuperset(missing):
            continue
        for s in hand.suspicions:
            if s.code == ORDER and s.seat == seat and s.finding is None:
                drop(hand, s)
        placed = seat_zone(seat) in book.placement_zones
        suspect(
            hand,
            _short(
                state,
                hand,
                seat,
                missing,
                since=at if placed else max(hand.last_hole_at, hand.began),
                not_before=at + book.lift_grace_s if placed else at,
                evident=since,
            ),
        )
    ripen(state, said, at)


def _expect_the_last(state: RulesState, hand: Hand, event: CardCame) -> None:
    """Only the plan's last card is out: its silence counts from now, though it is asked about only
    when the deal has gone quiet, or is closed by what follows."""
    book, plan = state.book, hand.plan
    assert book is not None
    missing = [i for i in range(plan.first_hole, plan.last_hole + 1) if i not in hand.fills]
    slot = plan.slots[plan.last_hole]
    if missing != [plan.last_hole] or slot.seat is None or slot.zone in book.placement_zones:
        return
    suspect(
        hand,
        _short(
            state,
            hand,
            slot.seat,
            missing,
            since=hand.last_hole_at,
            not_before=hand.last_hole_at + book.quiet_s + LAST_CARD_S,
            evident=event.before,
        ),
    )


def _short(
    state: RulesState,
    hand: Hand,
    seat: int,
    missing: list[int],
    since: float,
    not_before: float,
    evident: float,
) -> Suspicion:
    slots = hand.plan.by_seat[seat]
    got = len(slots) - len(missing)
    zone = seat_zone(seat)
    detail = "absent" if seat in state.absent else ""
    if got:
        detail = hole_count_detail(got, len(slots), button=seat == hand.button)
    return Suspicion(
        code="HOLE_COUNT" if got else "HOLE_DEALT_OUT",
        street=Street.DEAL,
        seat=seat,
        zone=zone,
        zones=(zone,),
        since=since,
        slots=frozenset(missing),
        missing=frozenset(missing),
        expected=f"{len(slots)} cards",
        seen=f"{got} cards" if got != 1 else "1 card",
        not_before=not_before,
        evident=evident,
        counts=(got, len(slots)),
        detail=detail,
    )


def excuse_seat(state: RulesState, said: list[Said], hand: Hand, seat: int, at: float) -> None:
    """The seat's cards are gone before they could be counted: what was asked about them stays
    unanswered."""
    hand.suspicions = tuple(
        s
        for s in hand.suspicions
        if s.seat != seat or not (s.code in COUNT_CODES or s.code in (ORDER, "CARDS_OFF_TABLE"))
    )
    for f in ledger.standing(state):
        dead = f.code == "HOLE_COUNT" and bool(hand.extra_seat.get(seat))
        unread = f.code in COUNT_CODES | ORDER_CODES and not hand.extra_seat.get(seat)
        if f.seat == seat and (f.asking or unread or dead or f.code == "CARDS_OFF_TABLE"):
            new = (
                FindingState.CORRECTED
                if dead or f.code == "CARDS_OFF_TABLE"
                else FindingState.CLOSED
            )
            ledger.settle(state, said, f.id, new, at=at)


def take_back(hand: Hand, zone: Zone, seat: int, token: object) -> None:
    """A card leaves a seat for good: if it held a slot and the seat has an extra card, that one
    takes the slot."""
    extra = hand.extra_seat.get(seat, ())
    if token in extra:
        hand.extra_seat[seat] = tuple(t for t in extra if t != token)
        return
    if extra:
        for i in hand.plan.by_seat[seat]:
            f = hand.fills.get(i)
            if f is not None and f.token == token:
                hand.fills[i] = replace(f, token=extra[0])
                hand.extra_seat[seat] = extra[1:]
                return
