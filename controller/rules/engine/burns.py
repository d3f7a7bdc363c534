"""Burns: one a street, before its first card, whatever went wrong before."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardCame
from controller.model.findings import FindingState, Said, Street
from controller.model.table import MUCK, is_board
from controller.rules.engine import ledger
from controller.rules.engine.deal import check_order, close_deal, fill_slot
from controller.rules.engine.orders import violated
from controller.rules.engine.play import in_play
from controller.rules.engine.shortage import (
    NO_BOARD_S,
    SHORT_BOARD_S,
    ask_short_board,
    misplaced_board_card,
)
from controller.rules.engine.state import Fill, Hand, Pending, RulesState, Suspicion
from controller.rules.engine.streets import (
    SURPLUS_WAIT_S,
    add_pending,
    board_count,
    board_full,
    burned,
    first_board,
    following,
    may_precede,
    next_street,
    same_act,
)
from controller.rules.engine.suspicion import answered, drop, suspect
from controller.rules.plans import BOARD_STREETS

TOGETHER_S = 1.5
EXTRA_WAIT_S = 0.7
BURN_SILENCE_S = 0.5  # looks at the burn pile in quick succession are no independent witnesses
EARLY_BURNS_S = 3.0  # before the first hole card, what lies on the burn antenna may be a wash
LATE_BURN_S = 6.0  # a burn that no board card follows for so long belongs to the street before
ANSWER_S = 15.0  # a burn read so soon after CHECK BURN answers it


def on_burn(state: RulesState, said: list[Said], event: CardCame) -> None:
    """A card from the deck reached the burn pile."""
    hand = state.hand
    assert hand is not None
    plan = hand.plan
    hand.boundary = (event.after, event.before)
    if not hand.closed:
        early = next((i for i in plan.burns[Street.DEAL] if i not in hand.fills), None)
        if early is not None:
            fill_slot(hand, early, event)
            for s in answered(state, said, hand, early, event.at):
                drop(hand, s)
                if s.finding is not None:
                    ledger.settle(state, said, s.finding, FindingState.CORRECTED, at=event.at)
            check_order(state, said, hand, early, event)
            return
        holes = [i for i in range(plan.first_hole, plan.last_hole + 1) if i in hand.fills]
        total = plan.last_hole + 1 - plan.first_hole
        if len(holes) * 2 <= total:
            hand.extra_burns = (*hand.extra_burns, event.token)
            if plan.burns[Street.DEAL]:
                wait_s = EXTRA_WAIT_S if holes else EARLY_BURNS_S
                add_pending(hand, "burn-extra", event, wait_s, Street.DEAL)
            elif hand.announced:
                _unexpected(state, said, hand, event)
            return
        close_deal(state, said, event.at, event.before)
    street = next_street(hand)
    dealt = [s for s in BOARD_STREETS if board_count(hand, s)]
    for earlier in reversed(dealt):
        if not may_precede(hand, earlier, event):
            break
        open_slot = next((i for i in plan.burns[earlier] if i not in hand.fills), None)
        if open_slot is not None:
            fill_burn(state, said, hand, open_slot, event)
            return
        if plan.burns[earlier] and earlier is dealt[-1] and _seen_together(hand, earlier, event):
            # It may have come before the street's first card, whose burn lies there already.
            hand.extra_burns = (*hand.extra_burns, event.token)
            add_pending(hand, "burn-extra", event, EXTRA_WAIT_S, earlier)
            return
    missed = _missed_burn(hand, street)
    if street is None:
        if missed is not None:
            fill = Fill(event.token, event.after, event.before, event.seq, event.at)
            _give_to(state, said, hand, missed, fill, event.at)
        return
    slot = next((i for i in plan.burns[street] if i not in hand.fills), None)
    if slot is not None:
        if missed is not None and board_count(hand, street) == 0:
            _late_burn(state, said, hand, event, missed, slot, street)
            return
        fill_burn(state, said, hand, slot, event)
        if burned(hand, street) and board_count(hand, street) == 0:
            board = frozenset(plan.board[street])
            ask_short_board(hand, street, board, event, NO_BOARD_S)
        return
    begun = board_count(hand, street)
    if missed is not None:
        # Two burns lie where this street needs one: the earlier of them was the one that had not
        # been read.
        taken = plan.burns[street][-1]
        _give_to(state, said, hand, missed, hand.fills[taken], event.at)
        fill_slot(hand, taken, event)
        return
    if begun:
        if same_act(hand, event):
            misplaced_board_card(state, said, event, street)
            return
        after = following(street)
        if after is not None and not burned(hand, after):
            fill_slot(hand, plan.burns[after][0], event)
        return
    hand.extra_burns = (*hand.extra_burns, event.token)
    add_pending(hand, "burn-extra", event, EXTRA_WAIT_S, street)


def _seen_together(hand: Hand, street: Street, event: CardCame) -> bool:
    """Whether the burn was first seen about when the street's first board card was: one that shows
    later may be the coming street's, however far back its interval reaches."""
    first = first_board(hand, street)
    return first is not None and event.before - first.before <= TOGETHER_S


def judge_early_burns(state: RulesState, said: list[Said]) -> None:
    """The hand has begun for good: a burn that lies where the house has none before the hole cards
    is out of place."""
    hand = state.hand
    if hand is None or hand.plan.burns[Street.DEAL]:
        return
    for token in hand.extra_burns:
        place = state.cards.get(token)
        if place is None or token in hand.token_findings or place.lifted_since is not None:
            continue
        _unexpected(
            state,
            said,
            hand,
            CardCame(
                at=max(place.before, hand.began),
                token=token,
                zone=place.zone,
                after=place.after,
                before=place.before,
                seq=place.seq,
            ),
        )


def is_asked_for(hand: Hand) -> bool:
    """Whether a question about a missing burn is on the board."""
    return any(s.code == "BURN_MISSING" and s.finding is not None for s in hand.suspicions)


def answer_burn_question(state: RulesState, said: list[Said], event: CardCame) -> None:
    """A burn is read while one is being asked for."""
    hand = state.hand
    assert hand is not None
    for s in hand.suspicions:
        if s.code == "BURN_MISSING" and s.finding is not None:
            fill = Fill(event.token, event.after, event.before, event.seq, event.at)
            _give_to(state, said, hand, min(s.missing), fill, event.at)
            return


def slot_for_burn(hand: Hand, event: CardCame) -> int | None:
    """The burn slot that a card on the burn pile fills: of the last street whose first card it may
    have preceded, else of the coming one."""
    for s in reversed([s for s in BOARD_STREETS if board_count(hand, s)]):
        if not may_precede(hand, s, event):
            break
        for i in hand.plan.burns[s]:
            if i not in hand.fills:
                return i
    street = next_street(hand)
    if street is None:
        return None
    return next((i for i in hand.plan.burns[street] if i not in hand.fills), None)


def fill_burn(state: RulesState, said: list[Said], hand: Hand, slot: int, event: CardCame) -> None:
    fill = fill_slot(hand, slot, event)
    street = hand.plan.slots[slot].street
    for s in answered(state, said, hand, slot, event.at):
        drop(hand, s)
        if s.finding is not None:
            ledger.settle(state, said, s.finding, FindingState.CORRECTED, at=event.at)
    first = first_board(hand, street)
    late = first is not None and violated(fill, first)
    if late and not ledger.standing(state, "BURN_MISSING", street):
        known = [
            f
            for f in state.findings.values()
            if f.street is street and f.hand == hand.number and "BURN_MISSING" in f.codes
        ]
        if known:
            return
        number = ledger.open_finding(
            state,
            said,
            "BURN_MISSING",
            at=event.at,
            street=street,
            zone=event.zone,
            expected="a burn before the board card",
            seen="a burn after it",
            evidence=(event.seq,),
            positive=False,
            asking=True,
            evident=event.before,
        )
        ledger.settle(state, said, number, FindingState.CORRECTED, at=event.at)


def _missed_burn(hand: Hand, street: Street | None) -> int | None:
    """A burn slot of an earlier, finished street that no card has taken."""
    for s in BOARD_STREETS:
        if s is street:
            return None
        for i in hand.plan.burns[s]:
            if i not in hand.fills:
                return i
    return None


def _late_burn(
    state: RulesState,
    said: list[Said],
    hand: Hand,
    event: CardCame,
    missed: int,
    slot: int,
    street: Street,
) -> None:
    """A burn comes while an earlier street lacks one: that street's, read at last, or the next
    street's?"""
    asked = next((s for s in hand.suspicions if missed in s.missing and s.finding), None)
    finding = state.findings.get(asked.finding or 0) if asked else None
    if finding is not None and event.at - finding.first_at <= ANSWER_S:
        fill = Fill(event.token, event.after, event.before, event.seq, event.at)
        _give_to(state, said, hand, missed, fill, event.at)
        return
    fill_slot(hand, slot, event)
    add_pending(hand, "late-burn", event, LATE_BURN_S, street)


def _give_to(
    state: RulesState, said: list[Said], hand: Hand, missed: int, fill: Fill, at: float
) -> None:
    hand.fills[missed] = fill
    number = 0
    for s in answered(state, said, hand, missed, at):
        drop(hand, s)
        if s.finding is not None:
            number = s.finding
            ledger.settle(state, said, s.finding, FindingState.CORRECTED, at=at)
    hand.late_burns[missed] = number


def late_burn_settles(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """No board card followed: the burn was the one that had been asked for."""
    hand = state.hand
    assert hand is not None
    assert pending.street is not None
    missed = _missed_burn(hand, pending.street)
    slot = next(
        (
            i
            for i in hand.plan.burns[pending.street]
            if (f := hand.fills.get(i)) is not None and f.token == pending.token
        ),
        None,
    )
    if missed is None or slot is None or board_count(hand, pending.street):
        return
    fill = hand.fills.pop(slot)
    _give_to(state, said, hand, missed, fill, at)


def _unexpected(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> None:
    number = ledger.open_finding(
        state,
        said,
        "BURN_UNEXPECTED",
        at=event.at,
        street=Street.DEAL,
        zone=event.zone,
        expected="no burn before the hole cards",
        seen="a burn",
        evidence=(event.seq,),
        evident=event.before,
    )
    hand.token_findings[event.token] = number


def extra_burn_stands(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    hand = state.hand
    assert hand is not None
    if pending.token not in hand.extra_burns or not in_play(state, hand, at):
        return
    street = pending.street
    place = state.cards.get(pending.token)
    first = first_board(hand, street) if street is not None else None
    if (
        street is not None
        and place is not None
        and first is not None
        and first.before <= place.before
        and not board_full(hand, street)
    ):
        if at - hand.last_board_at <= SURPLUS_WAIT_S:
            hand.pendings = (*hand.pendings, replace(pending, due=at + SURPLUS_WAIT_S))
            return
        # The board still waits for a card: it went to the burn pile.
        hand.extra_burns = tuple(t for t in hand.extra_burns if t != pending.token)
        misplaced_board_card(
            state,
            said,
            CardCame(
                at=at,
                token=pending.token,
                zone=place.zone,
                after=place.after,
                before=place.before,
                seq=pending.seq,
            ),
            street,
        )
        return
    number = ledger.open_finding(
        state,
        said,
        "BURN_EXTRA",
        at=at,
        street=pending.street,
        zone=pending.zone,
        expected="one burn",
        seen="two burns",
        evidence=(pending.seq,),
        evident=pending.evident,
    )
    hand.token_findings[pending.token] = number


def ask_for_burn(
    state: RulesState, said: list[Said], hand: Hand, street: Street, fill: Fill, event: CardCame
) -> None:
    book = state.book
    assert book is not None
    missing = [i for i in hand.plan.burns[street] if i not in hand.fills]
    if not missing:
        return
    if street in hand.beside_board:
        return
    if _burn_in_known_muck(state, said, hand, street, missing[0], event):
        return
    suspect(
        hand,
        Suspicion(
            code="BURN_MISSING",
            street=street,
            seat=None,
            zone=book.layout.burn_zone,
            zones=book.burn_zones
            + (book.layout.board_zones if book.burn_beside_board_is_open else ()),
            since=event.before,
            not_before=event.before
            + (SHORT_BOARD_S if book.burn_beside_board_is_open else BURN_SILENCE_S),
            slots=frozenset(missing),
            missing=frozenset(missing),
            expected=f"a burn before the {street.value}",
            seen=f"the {street.value} without one",
            evidence=(event.seq,),
            evident=event.before,
        ),
    )


def _burn_in_known_muck(
    state: RulesState, said: list[Said], hand: Hand, street: Street, slot: int, event: CardCame
) -> bool:
    """One card of the deck lies in the muck and none in the burn place: that was the burn."""
    book = state.book
    assert book is not None
    known = [t for t in hand.unknown_in_pile if t in state.cards and state.cards[t].zone == MUCK]
    if not known or book.layout.burn_is_muck:
        return False
    token = known[0]
    place = state.cards[token]
    hand.unknown_in_pile = tuple(t for t in hand.unknown_in_pile if t != token)
    hand.fills[slot] = Fill(token, place.after, place.before, place.seq, event.at)
    hand.token_findings[token] = ledger.open_finding(
        state,
        said,
        "BURN_MISPLACED",
        at=event.at,
        street=street,
        zone=MUCK,
        expected="the burn in its place",
        seen="the burn in the muck",
        evidence=(place.seq, event.seq),
        evident=place.before,
    )
    return True


def street_without_burn(state: RulesState, hand: Hand, event: CardCame) -> Street | None:
    """The street whose burn a card of the deck in the muck is: the latest one, if it has none, else
    one whose burn has been asked for since, if the card may have come before its board cards.

    In a high muck a card shows itself late: the next street may be dealt by then.
    """
    begun = [s for s in BOARD_STREETS if board_count(hand, s)]
    for street in reversed(begun):
        if burned(hand, street):
            continue
        asked = ledger.standing(state, "BURN_MISSING", street)
        if street is begun[-1] or (asked and may_precede(hand, street, event)):
            return street
    return None


def burn_in_muck(
    state: RulesState, said: list[Said], hand: Hand, street: Street, event: CardCame
) -> None:
    """The board card was read before the burn that lies in the muck."""
    slot = next(i for i in hand.plan.burns[street] if i not in hand.fills)
    asked = next((f.id for f in ledger.standing(state, "BURN_MISSING", street)), 0)
    for s in answered(state, said, hand, slot, event.at):
        drop(hand, s)
        asked = s.finding or asked
    if not asked:
        _burn_in_known_muck(state, said, hand, street, slot, event)
        return
    # The burn that was asked for lies in the muck: the same mistake, known better.
    hand.unknown_in_pile = tuple(t for t in hand.unknown_in_pile if t != event.token)
    fill_slot(hand, slot, event)
    hand.token_findings[event.token] = asked
    ledger.sharpen(
        state,
        said,
        asked,
        at=event.at,
        code="BURN_MISPLACED",
        asking=False,
        positive=True,
        expected="the burn in its place",
        seen="the burn in the muck",
        evidence=(event.seq,),
        zone=MUCK,
    )


def restart_burn_question(state: RulesState, hand: Hand, street: Street, event: CardCame) -> None:
    """Where a burn may lie beside the board, each board card begins the silence anew."""
    assert state.book is not None
    if not state.book.burn_beside_board_is_open:
        return
    hand.suspicions = tuple(
        replace(
            s,
            since=event.before,
            silent=frozenset(),
            not_before=event.before + SHORT_BOARD_S,
        )
        if s.code == "BURN_MISSING" and s.street is street and s.finding is None
        else s
        for s in hand.suspicions
    )


def burn_beside(state: RulesState, hand: Hand, street: Street, event: CardCame) -> bool:
    """A card more at the board while this street's burn is unseen may be that burn: cannot tell
    (decision 7)."""
    book = state.book
    assert book is not None
    if not book.burn_beside_board_is_open or burned(hand, street) or street in hand.beside_board:
        return False
    missing = next(i for i in hand.plan.burns[street] if i not in hand.fills)
    hand.beside_board[street] = event.token
    hand.fills[missing] = Fill(event.token, event.after, event.before, event.seq, event.at)
    hand.suspicions = tuple(
        s for s in hand.suspicions if not (missing in s.missing and s.finding is None)
    )
    return True


def judge_burn_beside(
    state: RulesState, said: list[Said], hand: Hand, street: Street, event: CardCame
) -> None:
    """The next street has begun: where a burn must not lie beside the board, the one that does is
    misplaced."""
    book = state.book
    assert book is not None
    for s, token in list(hand.beside_board.items()):
        if s is street or book.burn_may_lie_beside_board or token in hand.token_findings:
            continue
        place = state.cards.get(token)
        if place is None or not is_board(place.zone):
            continue
        hand.token_findings[token] = ledger.open_finding(
            state,
            said,
            "BURN_MISPLACED",
            at=event.at,
            street=s,
            zone=place.zone,
            expected="the burn on its pile",
            seen="a card more beside the board, and no burn on the pile",
            evidence=(place.seq, event.seq),
            evident=event.before,
        )
