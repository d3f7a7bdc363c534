"""Burns and board cards: one burn a street, three, one and one, whatever went wrong before."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardCame, Token
from controller.model.findings import FindingState, Said, Street
from controller.model.table import MUCK, is_board
from controller.rules.engine import ledger
from controller.rules.engine.deal import check_order, close_deal, fill_slot
from controller.rules.engine.orders import violated
from controller.rules.engine.play import in_play
from controller.rules.engine.state import NEVER, Fill, Hand, Pending, RulesState, Suspicion
from controller.rules.engine.suspicion import answered, drop, suspect
from controller.rules.plans import BOARD_STREETS
from controller.rules.remedies import board_count_detail

STREET_GAP_S = 1.0  # cards of one street follow each other faster; the shortest betting is longer
LONGEST_GAP_S = 3.0  # however badly the antennas read
SHORT_BOARD_S = 2.4  # a street that stands still for so long looks finished
SURPLUS_WAIT_S = 1.2
BURN_SILENCE_S = 0.5  # looks at the burn pile in quick succession are no independent witnesses
EARLY_BURNS_S = 3.0  # before the first hole card, what lies on the burn antenna may be a wash
LATE_BURN_S = 6.0  # a burn that no board card follows for so long belongs to the street before
ANSWER_S = 15.0  # a burn read so soon after CHECK BURN answers it


def board_count(hand: Hand, street: Street) -> int:
    return sum(i in hand.fills for i in hand.plan.board[street])


def board_full(hand: Hand, street: Street) -> bool:
    return all(i in hand.fills for i in hand.plan.board[street])


def burned(hand: Hand, street: Street) -> bool:
    return all(i in hand.fills for i in hand.plan.burns[street])


def next_street(hand: Hand) -> Street | None:
    """The first street whose board cards are not all there."""
    return next((s for s in BOARD_STREETS if not board_full(hand, s)), None)


def street_under_way(hand: Hand) -> Street | None:
    """The street for which a board card is due now: burned and not full, or begun and not full."""
    s = next_street(hand)
    if s is None or not hand.closed:
        return None
    begun = board_count(hand, s) > 0
    return s if begun or (hand.plan.burns[s] and burned(hand, s)) else None


def _same_act(hand: Hand, event: CardCame) -> bool:
    """Whether the card may have come in one go with the last board card: what counts is the earliest
    time at which it can have come."""
    after, seen = hand.boundary
    if after >= hand.last_board_at and seen <= event.before:
        return False  # a fold or a burn came in between
    return (
        event.after - hand.last_board_at <= STREET_GAP_S
        and event.before - hand.last_board_at <= LONGEST_GAP_S
    )


def following(street: Street) -> Street | None:
    i = BOARD_STREETS.index(street)
    return BOARD_STREETS[i + 1] if i + 1 < len(BOARD_STREETS) else None


def before(street: Street) -> Street | None:
    i = BOARD_STREETS.index(street)
    return BOARD_STREETS[i - 1] if i else None


def add_pending(
    hand: Hand, what: str, event: CardCame, wait_s: float, street: Street | None
) -> None:
    hand.pendings = (
        *hand.pendings,
        Pending(
            what=what,
            token=event.token,
            zone=event.zone,
            due=event.at + wait_s,
            seq=event.seq,
            evident=event.before,
            street=street,
        ),
    )


# --- burns ---------------------------------------------------------------------------------------


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
                wait_s = SURPLUS_WAIT_S if holes else EARLY_BURNS_S
                add_pending(hand, "burn-extra", event, wait_s, Street.DEAL)
            elif hand.announced:
                _unexpected(state, said, hand, event)
            return
        close_deal(state, said, event.at, event.before)
    street = next_street(hand)
    dealt = [s for s in BOARD_STREETS if board_count(hand, s)]
    for earlier in reversed(dealt):
        if not _may_precede(hand, earlier, event):
            break
        open_slot = next((i for i in plan.burns[earlier] if i not in hand.fills), None)
        if open_slot is not None:
            fill_burn(state, said, hand, open_slot, event)
            return
        if (
            plan.burns[earlier]
            and earlier is dealt[-1]
            and event.before - hand.last_board_at <= LONGEST_GAP_S
        ):
            # It may have come before the street's first card, whose burn lies there already.
            hand.extra_burns = (*hand.extra_burns, event.token)
            add_pending(hand, "burn-extra", event, SURPLUS_WAIT_S, earlier)
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
        return
    begun = board_count(hand, street)
    if missed is not None:
        # Two burns lie where this street needs one: the earlier of them was the one that had not been read.
        taken = plan.burns[street][-1]
        _give_to(state, said, hand, missed, hand.fills[taken], event.at)
        fill_slot(hand, taken, event)
        return
    if begun:
        if _same_act(hand, event):
            misplaced_board_card(state, said, event, street)
            return
        after = following(street)
        if after is not None and not burned(hand, after):
            fill_slot(hand, plan.burns[after][0], event)
        return
    hand.extra_burns = (*hand.extra_burns, event.token)
    add_pending(hand, "burn-extra", event, SURPLUS_WAIT_S, street)


def judge_early_burns(state: RulesState, said: list[Said]) -> None:
    """The hand has begun for good: a burn that lies where the house has none before the hole cards is out of place."""
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
    """The burn slot that a card on the burn pile fills: of the last street whose first card it may have preceded, else of
    the coming one."""
    for s in reversed([s for s in BOARD_STREETS if board_count(hand, s)]):
        if not _may_precede(hand, s, event):
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
    first = _first_board(hand, street)
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


def _first_board(hand: Hand, street: Street) -> Fill | None:
    if street is Street.DEAL:
        return None
    found = [hand.fills[i] for i in hand.plan.board[street] if i in hand.fills]
    return min(found, key=lambda f: f.before) if found else None


def _may_precede(hand: Hand, street: Street, event: CardCame) -> bool:
    """Whether a burn that settles only now may have come before that street's first board card."""
    first = _first_board(hand, street)
    return first is not None and event.after < first.before


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
    """A burn comes while an earlier street lacks one: that street's, read at last, or the next street's?"""
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
    assert hand is not None and pending.street is not None
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
    first = _first_board(hand, street) if street is not None else None
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


# --- board ---------------------------------------------------------------------------------------


def on_board(state: RulesState, said: list[Said], event: CardCame) -> None:
    """A card from the deck reached the board."""
    hand = state.hand
    assert hand is not None
    if not hand.closed:
        close_deal(state, said, event.at, event.before)
    _take_back_street(state, said, hand, event)
    street = _street_for(hand, event)
    if street is None:
        _beyond(state, said, hand, event)
        return
    previous = before(street)
    fresh = board_count(hand, street) == 0
    if (
        fresh
        and previous is not None
        and board_full(hand, previous)
        and hand.plan.burns[street]
        and not burned(hand, street)
        and _same_act(hand, event)
    ):
        if _burn_beside(state, hand, previous, event):
            return
        hand.extra_board = (*hand.extra_board, event.token)
        add_pending(hand, "board-surplus", event, SURPLUS_WAIT_S, previous)
        return
    take_board_slot(state, said, hand, street, event)


def _take_back_street(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> None:
    """A street whose cards were all taken up, with no burn since, is being dealt again (TDA's
    recommended procedure for an early street: the same burn serves)."""
    dealt = [s for s in BOARD_STREETS if board_count(hand, s)]
    if not dealt:
        return
    last = dealt[-1]
    after = following(last)
    if after is not None and hand.plan.burns[after] and burned(hand, after):
        return
    tokens = [f.token for i in hand.plan.board[last] if (f := hand.fills.get(i)) is not None]
    gone = [*tokens, *hand.extra_board]
    places = [state.cards.get(t) for t in gone if t is not None]
    if not places or any(p is None or p.lifted_since is None for p in places):
        return
    for i in hand.plan.board[last]:
        hand.fills.pop(i, None)
    hand.extra_board = ()
    for token in gone:
        if token is not None and token in state.cards:
            state.cards[token] = replace(state.cards[token], returned=True)
            hand.pile_left.pop(token, None)
    hand.suspicions = tuple(
        s for s in hand.suspicions if not (s.code == "BOARD_COUNT" and s.street is last)
    )
    for finding in ledger.standing(state):
        if finding.code in ("BOARD_COUNT", "CARD_AFTER_RIVER") and finding.street is last:
            ledger.settle(state, said, finding.id, FindingState.CORRECTED, at=event.at)
    earlier = before(last)
    hand.last_board_at = max(
        (
            f2.before
            for s in BOARD_STREETS
            if earlier is not None and BOARD_STREETS.index(s) <= BOARD_STREETS.index(earlier)
            for i in hand.plan.board[s]
            if (f2 := hand.fills.get(i)) is not None
        ),
        default=NEVER,
    )


def take_board_slot(
    state: RulesState, said: list[Said], hand: Hand, street: Street, event: CardCame
) -> None:
    slot = next(i for i in hand.plan.board[street] if i not in hand.fills)
    fresh = board_count(hand, street) == 0
    fill = fill_slot(hand, slot, event)
    hand.last_board_at = max(hand.last_board_at, event.before)
    if fresh:
        _judge_burn_beside(state, said, hand, street, event)
        _ask_for_burn(state, said, hand, street, fill, event)
    else:
        _restart_burn_question(state, hand, street, event)
    _board_answers(state, said, hand, street, event)


def _street_for(hand: Hand, event: CardCame) -> Street | None:
    open_streets = [
        s
        for s in BOARD_STREETS
        if not board_full(hand, s)
        and (
            event.zone == "board"
            or any(hand.plan.slots[i].zone == event.zone for i in hand.plan.board[s])
        )
    ]
    if not open_streets:
        return None
    with_burn = [s for s in open_streets if hand.plan.burns[s] and burned(hand, s)]
    return with_burn[-1] if with_burn else open_streets[0]


def _beyond(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> None:
    last = BOARD_STREETS[-1]
    soon = _same_act(hand, event)
    if board_full(hand, last):
        if _burn_beside(state, hand, last, event):
            return
        hand.extra_board = (*hand.extra_board, event.token)
        add_pending(hand, "board-surplus" if soon else "after-river", event, SURPLUS_WAIT_S, last)
        return
    # a board of three antennas: this street's place is taken while another street is due
    hand.extra_board = (*hand.extra_board, event.token)
    street = next(
        (
            s
            for s in BOARD_STREETS
            if any(hand.plan.slots[i].zone == event.zone for i in hand.plan.board[s])
        ),
        last,
    )
    add_pending(hand, "board-surplus", event, SURPLUS_WAIT_S, street)


def _ask_for_burn(
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


def burn_in_muck(
    state: RulesState, said: list[Said], hand: Hand, street: Street, event: CardCame
) -> None:
    """The board card was read before the burn that lies in the muck."""
    slot = next(i for i in hand.plan.burns[street] if i not in hand.fills)
    asked = 0
    for s in answered(state, said, hand, slot, event.at):
        drop(hand, s)
        asked = s.finding or 0
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


def _restart_burn_question(state: RulesState, hand: Hand, street: Street, event: CardCame) -> None:
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


def _burn_beside(state: RulesState, hand: Hand, street: Street, event: CardCame) -> bool:
    """A card more at the board while this street's burn is unseen may be that burn: cannot tell (decision 7)."""
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


def _judge_burn_beside(
    state: RulesState, said: list[Said], hand: Hand, street: Street, event: CardCame
) -> None:
    """The next street has begun: where a burn must not lie beside the board, the one that does is misplaced."""
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


def _board_answers(
    state: RulesState, said: list[Said], hand: Hand, street: Street, event: CardCame
) -> None:
    """Ask about a street that stands still too early; take the question back when it is full."""
    slots = hand.plan.board[street]
    missing = frozenset(i for i in slots if i not in hand.fills)
    shown = [s for s in hand.suspicions if s.code == "BOARD_COUNT" and s.street is street]
    for s in shown:
        if s.finding is None or not missing:
            drop(hand, s)
            if s.finding is not None:
                ledger.settle(state, said, s.finding, FindingState.CORRECTED, at=event.at)
    if missing and not any(s.finding is not None for s in shown):
        ask_short_board(hand, street, missing, event, SHORT_BOARD_S)


def ask_short_board(
    hand: Hand, street: Street, missing: frozenset[int], event: CardCame, wait_s: float
) -> None:
    slots = hand.plan.board[street]
    zone = hand.plan.slots[slots[0]].zone
    got = len(slots) - len(missing)
    suspect(
        hand,
        Suspicion(
            code="BOARD_COUNT",
            street=street,
            seat=None,
            zone=zone,
            zones=(zone,),
            since=event.before,
            slots=missing,
            missing=missing,
            not_before=event.before + wait_s,
            expected=f"{len(slots)} cards",
            seen=f"{got} card{'s' if got != 1 else ''}",
            evidence=(event.seq,),
            evident=event.before,
            counts=(got, len(slots)),
            detail=board_count_detail(street, got, len(slots)),
        ),
    )


def board_surplus_stands(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """A card more than the street needs still lies there."""
    hand = state.hand
    assert hand is not None and pending.street is not None
    if pending.token not in hand.extra_board:
        return
    after = following(pending.street)
    place = state.cards.get(pending.token)
    if place is None or place.lifted_since is not None or not is_board(place.zone):
        return
    if not in_play(state, hand, at):
        return
    if (
        after is not None
        and hand.plan.burns[after]
        and burned(hand, after)
        and not board_full(hand, after)
    ):
        # The next street's burn was read meanwhile: this is its card.
        hand.extra_board = tuple(t for t in hand.extra_board if t != pending.token)
        event = CardCame(
            at=at,
            token=pending.token,
            zone=place.zone,
            after=place.after,
            before=place.before,
            seq=place.seq,
        )
        take_board_slot(state, said, hand, after, event)
        return
    count = sum(
        len(hand.plan.board[s])
        for s in BOARD_STREETS
        if BOARD_STREETS.index(s) <= BOARD_STREETS.index(pending.street)
    )
    total = count + len(hand.extra_board)
    code = "CARD_AFTER_RIVER" if pending.what == "after-river" else "BOARD_COUNT"
    known = [
        f
        for f in ledger.standing(state, code, pending.street)
        if "extra" in f.expected or code == "BOARD_COUNT"
    ]
    own = len(hand.plan.board[pending.street])
    detail = board_count_detail(pending.street, own + len(hand.extra_board), own)
    if known:
        ledger.sharpen(
            state,
            said,
            known[0].id,
            at=at,
            asking=False,
            positive=True,
            seen=f"{total} cards",
            evidence=(pending.seq,),
            counts=(total, count),
            detail=detail,
        )
        hand.token_findings[pending.token] = known[0].id
        return
    hand.token_findings[pending.token] = ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=pending.street,
        zone=pending.zone,
        expected=f"{count} cards" if code == "BOARD_COUNT" else "no card after the river",
        seen=f"{total} cards",
        evidence=(pending.seq,),
        evident=pending.evident,
        counts=(total, count),
        detail=detail if code == "BOARD_COUNT" else "",
    )


def misplaced_board_card(
    state: RulesState, said: list[Said], event: CardCame, street: Street, seat: int | None = None
) -> None:
    """While a board card is due, a card from the deck lies elsewhere: it is that board card."""
    hand = state.hand
    assert hand is not None
    slot = next(i for i in hand.plan.board[street] if i not in hand.fills)
    fill_slot(hand, slot, event)
    hand.last_board_at = max(hand.last_board_at, event.before)
    asked = next(
        (
            s
            for s in hand.suspicions
            if s.code == "BOARD_COUNT" and s.street is street and s.finding is not None
        ),
        None,
    )
    if asked is not None and asked.finding is not None:
        # The card that was asked for lies elsewhere: the same mistake, known better.
        drop(hand, asked)
        ledger.sharpen(
            state,
            said,
            asked.finding,
            at=event.at,
            code="BOARD_POSITION",
            seat=seat,
            zone=event.zone,
            asking=False,
            positive=True,
            expected="the card on the board",
            seen=f"a card at {event.zone}",
            evidence=(event.seq,),
        )
        hand.token_findings[event.token] = asked.finding
        return
    hand.token_findings[event.token] = ledger.open_finding(
        state,
        said,
        "BOARD_POSITION",
        at=event.at,
        street=street,
        seat=seat,
        zone=event.zone,
        expected="the card on the board",
        seen=f"a card at {event.zone}",
        evidence=(event.seq,),
        evident=event.before,
    )
    _board_answers(state, said, hand, street, event)


def forget_board_card(hand: Hand, token: Token) -> Street | None:
    """A board card is gone: its slot is free again (an extra card takes it if there is one). The street it was of."""
    if token in hand.extra_board:
        hand.extra_board = tuple(t for t in hand.extra_board if t != token)
        return None
    for street in BOARD_STREETS:
        for i in hand.plan.board[street]:
            f = hand.fills.get(i)
            if f is None or f.token != token:
                continue
            if hand.extra_board:
                hand.fills[i] = replace(f, token=hand.extra_board[0])
                hand.extra_board = hand.extra_board[1:]
                return None
            del hand.fills[i]
            hand.last_board_at = max(
                (
                    f2.before
                    for s in BOARD_STREETS
                    for j in hand.plan.board[s]
                    if (f2 := hand.fills.get(j))
                ),
                default=NEVER,
            )
            return street
    return None
