"""Cards that go from one place to another: folds, peeks, remedies, and what must not happen."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardCame, CardLeft, Token
from controller.model.findings import FindingState, Said, Street
from controller.model.table import BURN, COUNT, MUCK, STUB, Zone, is_board, seat_of, seat_zone
from controller.rules.engine import board, burns, deal, ledger, shortage, streets
from controller.rules.engine.play import in_play
from controller.rules.engine.state import CardAt, Fill, Hand, Pending, RulesState, Suspicion
from controller.rules.engine.suspicion import ORDER_CODES, suspect
from controller.rules.plans import BOARD_STREETS

OTHER_SEAT_WAIT_S = 1.5  # a copied tag shows by then
TOGETHER_S = 1.0
MIX_WAIT_S = 3.0  # one card strays; a dealer who gathers moves many within seconds
BACK_S = 4.0  # a card taken off the board or the burns for so long went back to the stub


def is_pile(zone: Zone) -> bool:
    return zone in (MUCK, BURN)


def on_moved(state: RulesState, said: list[Said], event: CardCame, was: CardAt) -> None:
    """A card that lay in one zone has settled in another."""
    hand = state.hand
    book = state.book
    assert hand is not None
    assert book is not None
    token, zone = event.token, event.zone
    owner = hand.at_seat.get(token)
    hand.pile_left.pop(token, None)
    if _remedied_by_leaving(state, said, hand, event, was) or zone in (COUNT, STUB):
        return
    to_seat = seat_of(zone)
    if owner is not None and to_seat is not None and is_pile(was.zone):
        if not _misplaced_comes_home(state, said, hand, event):
            _stray(state, hand, event, "muck-back", was.zone)
        return
    if owner is not None:
        if to_seat is not None:
            _to_seat(state, said, hand, event, owner, to_seat)
        elif zone == MUCK or (zone == BURN and owner in hand.folded):
            _folded(state, said, hand, event, owner)
        elif zone == BURN:
            _seat_to_burn(state, said, hand, event, owner)
        elif is_board(zone):
            _stray(state, hand, event, "seat-on-board", was.zone)
        return
    if is_board(was.zone):
        if is_pile(zone):
            if not _board_to_burn_remedy(state, said, hand, event, was):
                _stray(state, hand, event, "board-in-muck", was.zone)
        elif to_seat is not None:
            _stray(state, hand, event, "board-at-seat", was.zone)
        return
    if is_pile(was.zone):
        wanders = is_board(zone) or to_seat is not None
        if wanders and not _misplaced_comes_home(state, said, hand, event):
            _stray(state, hand, event, "muck-back", was.zone)
        return
    # From a seat that is not in the hand, or a misplaced card.
    if is_board(zone):
        _misplaced_comes_home(state, said, hand, event)


def _stray(state: RulesState, hand: Hand, event: CardCame, what: str, origin: Zone) -> None:
    hand.pendings = (
        *hand.pendings,
        Pending(
            what=what,
            token=event.token,
            zone=event.zone,
            due=event.at + (OTHER_SEAT_WAIT_S if what == "other-seat" else MIX_WAIT_S),
            seq=event.seq,
            evident=event.before,
            origin=origin,
        ),
    )


def stray_stands(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """The card is still where it must not be, and nobody is gathering."""
    hand = state.hand
    assert hand is not None
    place = state.cards.get(pending.token)
    if place is None or place.zone != pending.zone or place.lifted_since is not None:
        return
    if not in_play(state, hand, at, pending.token):
        return
    if pending.what == "board-in-muck" and not _board_lies(state):
        return  # every board card is gone: it is the gather
    bad = state.findings.get(hand.token_findings.get(pending.token, 0))
    if bad is not None and ledger.about_the_card(bad.code):
        return  # the card itself is the mistake
    code = {
        "other-seat": "CARD_SEAT_MISMATCH",
        "muck-back": "MUCK_RETRIEVED",
        "board-in-muck": "BOARD_MUCK_MIX",
        "seat-on-board": "BOARD_MUCK_MIX",
        "board-at-seat": "BOARD_POSITION",
    }[pending.what]
    if (
        code == "BOARD_MUCK_MIX"
        and streets.next_street(hand) is None
        and pending.what == "seat-on-board"
    ):
        return  # hands are tabled after the river, and lie wherever they fall
    street = current_street(hand)
    hand.token_findings[pending.token] = ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=street,
        seat=seat_of(pending.zone),
        zone=pending.zone,
        expected=f"the card at {pending.origin}" if pending.origin else "",
        seen=f"at {pending.zone}",
        evidence=(pending.seq,),
        evident=pending.evident,
    )


def _board_lies(state: RulesState) -> bool:
    return any(
        is_board(c.zone) and c.lifted_since is None and not c.carried for c in state.cards.values()
    )


def current_street(hand: Hand) -> Street:
    """The street that is being played or dealt: the latest with a board card, else the deal."""
    found = Street.DEAL
    for s in BOARD_STREETS:
        if streets.board_count(hand, s):
            found = s
    return found


def _to_seat(
    state: RulesState, said: list[Said], hand: Hand, event: CardCame, owner: int, to_seat: int
) -> None:
    if to_seat == owner:
        number = hand.token_findings.get(event.token, 0)
        finding = state.findings.get(number)
        if finding is not None and finding.code != "DECK_CLONE":
            del hand.token_findings[event.token]
            ledger.settle(state, said, number, FindingState.CORRECTED, at=event.at)
        if owner in hand.folded and event.token not in hand.extra_seat.get(owner, ()):
            _stray(state, hand, event, "muck-back", MUCK)
        return
    short = [i for i in hand.plan.by_seat.get(to_seat, ()) if i not in hand.fills]
    surplus = event.token in hand.extra_seat.get(owner, ()) or bool(hand.extra_seat.get(owner))
    if short and (surplus or not hand.closed or _asked_about(state, to_seat)):
        _moved_to_due_seat(state, said, hand, event, owner, to_seat, short[0])
        return
    if owner in hand.folded:
        _stray(state, hand, event, "muck-back", MUCK)  # the hand was folded: it lay in the muck
        return
    _stray(state, hand, event, "other-seat", seat_zone(owner))


def _asked_about(state: RulesState, seat: int) -> bool:
    return any(f.seat == seat and f.street is Street.DEAL for f in ledger.standing(state))


def _moved_to_due_seat(
    state: RulesState,
    said: list[Said],
    hand: Hand,
    event: CardCame,
    owner: int,
    to_seat: int,
    slot: int,
) -> None:
    """A remedy: the card goes to the seat that it was due to."""
    deal.take_back(hand, event.zone, owner, event.token)
    for i, fill in list(hand.fills.items()):
        if fill.token == event.token:
            del hand.fills[i]
    hand.at_seat[event.token] = to_seat
    hand.fills[slot] = Fill(event.token, event.after, event.before, event.seq, event.at)
    hand.suspicions = tuple(s for s in hand.suspicions if slot not in s.missing)
    hand.pendings = tuple(p for p in hand.pendings if p.token != event.token)
    whole = all(i in hand.fills for i in hand.plan.by_seat[to_seat])
    for f in ledger.standing(state):
        fits = f.seat == owner and not hand.extra_seat.get(owner)
        if (
            f.street is Street.DEAL
            and (fits or (f.seat == to_seat and (whole or f.code in ORDER_CODES)))
            and f.code.startswith("HOLE")
        ):
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=event.at)


def _folded(state: RulesState, said: list[Said], hand: Hand, event: CardCame, seat: int) -> None:
    surplus = event.token in hand.extra_seat.get(seat, ())
    if surplus and len(hand.extra_seat[seat]) == 1 and seat not in hand.folded:
        # The extra card is taken out of the hand; the hand itself goes on.
        _surplus_left(state, said, hand, seat, event.token, event.at)
        return
    hand.at_seat[event.token] = seat
    _fold(state, said, hand, seat, event)


def _fold(state: RulesState, said: list[Said], hand: Hand, seat: int, event: CardCame) -> None:
    at, after, before = event.at, event.after, event.before
    hand.folded |= {seat}
    hand.boundary = (after, before)
    hand.burned_from_seat.pop(seat, None)
    deal.close_deal(state, said, at, before)
    deal.excuse_seat(state, said, hand, seat, at)


def _seat_to_burn(
    state: RulesState, said: list[Said], hand: Hand, event: CardCame, seat: int
) -> None:
    """One card of a seat goes to the burn pile: the extra card or an exposed one that serves as
    burn, or half a fold."""
    if hand.extra_seat.get(seat):
        _surplus_left(state, said, hand, seat, event.token, event.at)
        _serve_as_burn(state, said, hand, event)
        return
    if seat in hand.replaced:
        _serve_as_burn(state, said, hand, event)
        return
    if seat in hand.burned_from_seat:
        _fold(state, said, hand, seat, event)
        return
    early = hand.plan.predeal_burn
    if early is not None and early not in hand.fills:
        # The card that should have been burned before the deal goes to the burn pile after all.
        hand.at_seat.pop(event.token, None)
        for i in hand.plan.by_seat[seat]:
            fill = hand.fills.get(i)
            if fill is not None and fill.token == event.token:
                del hand.fills[i]
        burns.fill_burn(state, said, hand, early, event)
        return
    hand.burned_from_seat[seat] = event.token
    if not _lies_at_seat(state, hand, seat) and hand.plan.hole_cards > 1 and hand.closed:
        partner_lifted = any(
            s == seat and t != event.token and state.cards[t].lifted_since is not None
            for t, s in hand.at_seat.items()
            if t in state.cards
        )
        if not partner_lifted:
            _fold(state, said, hand, seat, event)


def _lies_at_seat(state: RulesState, hand: Hand, seat: int) -> bool:
    return any(
        s == seat
        and (c := state.cards.get(t)) is not None
        and c.lifted_since is None
        and seat_of(c.zone) == seat
        for t, s in hand.at_seat.items()
    )


def _serve_as_burn(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> None:
    """The exposed or extra card is the burn of the coming street (IRR-06, IRR-14)."""
    hand.at_seat.pop(event.token, None)
    slot = burns.slot_for_burn(hand, event)
    if slot is not None:
        burns.fill_burn(state, said, hand, slot, event)


def exposed_card_served(
    state: RulesState, said: list[Said], hand: Hand, seat: int, event: CardCame
) -> None:
    """The replacement has reached the seat: the card that went to the burn pile before it is the
    coming street's burn."""
    token = hand.burned_from_seat.pop(seat)
    hand.replaced |= {seat}
    hand.at_seat.pop(token, None)
    for i in hand.plan.by_seat[seat]:
        f = hand.fills.get(i)
        if f is not None and f.token == token:
            hand.fills[i] = replace(f, token=event.token)
    place = state.cards.get(token)
    if place is None:
        return
    laid = CardCame(
        at=event.at,
        token=token,
        zone=place.zone,
        after=place.after,
        before=place.before,
        seq=place.seq,
    )
    slot = burns.slot_for_burn(hand, laid)
    if slot is not None:
        burns.fill_burn(state, said, hand, slot, laid)


def _surplus_left(
    state: RulesState, said: list[Said], hand: Hand, seat: int, token: Token, at: float
) -> None:
    deal.take_back(hand, MUCK, seat, token)
    hand.at_seat.pop(token, None)
    hand.pendings = tuple(
        p
        for p in hand.pendings
        if not (
            p.what == "seat-surplus" and not hand.extra_seat.get(seat) and seat_of(p.zone) == seat
        )
    )
    if hand.extra_seat.get(seat):
        return
    for f in ledger.standing(state):
        if f.seat == seat and f.street is Street.DEAL and f.code == "HOLE_COUNT":
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)


def _board_to_burn_remedy(
    state: RulesState, said: list[Said], hand: Hand, event: CardCame, was: CardAt
) -> bool:
    """A board card becomes a burn: the missing one of its street, or, with a card too many, the
    coming street's. A card too many may as well be laid in the muck."""
    on_burns = event.zone == (state.book.layout.burn_zone if state.book else BURN)
    for f in ledger.standing(state):
        if f.code in ("BOARD_COUNT", "CARD_AFTER_RIVER") and hand.extra_board:
            board.forget_board_card(hand, event.token)
            hand.pendings = tuple(
                p for p in hand.pendings if p.what != "board-surplus" or p.token != event.token
            )
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=event.at)
            after = streets.next_street(hand)
            slot = (
                next((i for i in hand.plan.burns[after] if i not in hand.fills), None)
                if after
                else None
            )
            if slot is not None and on_burns:
                deal.fill_slot(hand, slot, event)
            return True
    if not on_burns:
        return False
    for f in ledger.standing(state, "BURN_MISSING"):
        street = f.street
        if street is None or street is Street.DEAL:
            continue
        slot = next((i for i in hand.plan.burns[street] if i not in hand.fills), None)
        if slot is None:
            continue
        freed = board.forget_board_card(hand, event.token)
        deal.fill_slot(hand, slot, event)
        hand.suspicions = tuple(s for s in hand.suspicions if slot not in s.missing)
        ledger.settle(state, said, f.id, FindingState.CORRECTED, at=event.at)
        if freed is not None:
            missing = frozenset(i for i in hand.plan.board[freed] if i not in hand.fills)
            if len(missing) < len(hand.plan.board[freed]):
                hand.suspicions = tuple(s for s in hand.suspicions if s.code != "BOARD_COUNT")
                shortage.ask_short_board(hand, freed, missing, event, 10.0)
        return True
    return False


def _misplaced_comes_home(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> bool:
    """A card whose place raised a finding has gone where it belongs."""
    number = hand.token_findings.get(event.token)
    finding = state.findings.get(number or 0)
    if finding is None or finding.code not in (
        "BOARD_POSITION",
        "BURN_MISPLACED",
        "BOARD_MUCK_MIX",
    ):
        return False
    ledger.settle(state, said, finding.id, FindingState.CORRECTED, at=event.at)
    del hand.token_findings[event.token]
    return True


def _remedied_by_leaving(
    state: RulesState,
    said: list[Said],
    hand: Hand,
    event: CardCame,
    was: CardAt,
) -> bool:
    """What a card's move puts right: the extra burn is gone from its pile, the stray card went
    home."""
    token, zone = event.token, event.zone
    if was.zone == BURN and hand.extra_burns:
        _extra_burn_left(state, said, hand, token, event.at)
        return False
    finding = state.findings.get(hand.token_findings.get(token, 0))
    if finding is None:
        return False
    home = {
        "MUCK_RETRIEVED": is_pile(zone),
        "CARD_SEAT_MISMATCH": seat_of(zone) == hand.at_seat.get(token),
        "HOLE_TO_OUTSIDER": True,
        "BURN_MISPLACED": zone != finding.zone,
        "BOARD_MUCK_MIX": is_board(zone),
        # Two cards bear this tag: that one of them lies in a pile puts nothing right.
        "DECK_CLONE": False,
    }.get(finding.code, ledger.about_the_card(finding.code) and is_pile(zone))
    if home:
        ledger.settle(state, said, finding.id, FindingState.CORRECTED, at=event.at)
        hand.token_findings.pop(token, None)
        hand.extra_board = tuple(t for t in hand.extra_board if t != token)
    return home and finding.code in ("BOARD_MUCK_MIX", "MUCK_RETRIEVED", "CARD_SEAT_MISMATCH")


def went_back(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """A card was taken from where it was one too many, or out of place, and has not come back: it
    is on the stub again, or off the table."""
    hand = state.hand
    assert hand is not None
    token = pending.token
    place = state.cards.get(token)
    if place is None or place.zone != pending.zone or place.lifted_since is None:
        return
    if not in_play(state, hand, at, token):
        return
    seat = seat_of(place.zone)
    if place.zone == BURN and hand.extra_burns:
        _extra_burn_left(state, said, hand, token, at)
    elif is_board(place.zone) and hand.extra_board:
        _extra_board_left(state, said, hand, token, at)
    elif seat is not None and hand.extra_seat.get(seat) and _lies_at_seat(state, hand, seat):
        _surplus_left(state, said, hand, seat, token, at)
        _return_to_stub(state, token)
    finding = state.findings.get(hand.token_findings.get(token, 0))
    if finding is not None and (
        finding.code
        in ("HOLE_TO_OUTSIDER", "CARD_AFTER_RIVER", "BURN_MISPLACED", "BURN_UNEXPECTED")
        or (ledger.about_the_card(finding.code) and finding.code != "DECK_CLONE")
    ):
        ledger.settle(state, said, finding.id, FindingState.CORRECTED, at=at)
        hand.token_findings.pop(token, None)
        _return_to_stub(state, token)


def _extra_burn_left(
    state: RulesState, said: list[Said], hand: Hand, token: Token, at: float
) -> None:
    """One of the burns went back on the stub; whichever it was, the pile is right again."""
    if token in hand.extra_burns:
        hand.extra_burns = tuple(t for t in hand.extra_burns if t != token)
    else:
        for i, fill in list(hand.fills.items()):
            if fill.token == token:
                hand.fills[i] = replace(fill, token=hand.extra_burns[0])
                hand.extra_burns = hand.extra_burns[1:]
                break
        else:
            return
    hand.pendings = tuple(p for p in hand.pendings if p.what != "burn-extra")
    place = state.cards.get(token)
    if place is not None:
        state.cards[token] = replace(place, returned=True)
    if hand.extra_burns:
        return
    for f in ledger.standing(state):
        if f.code in ("BURN_EXTRA", "BURN_UNEXPECTED"):
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)


def _extra_board_left(
    state: RulesState, said: list[Said], hand: Hand, token: Token, at: float
) -> None:
    if not hand.extra_board:
        return
    board.forget_board_card(hand, token)
    place = state.cards.get(token)
    if place is not None:
        state.cards[token] = replace(place, returned=True)
    if hand.extra_board:
        return
    for f in ledger.standing(state):
        if f.code in ("BOARD_COUNT", "CARD_AFTER_RIVER"):
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)


# --- leaving ------------------------------------------------------------------------------------


def on_left(state: RulesState, said: list[Said], event: CardLeft) -> None:
    """A card is no longer read where it lay. Only time tells whether it was looked at, taken back
    or taken up."""
    hand = state.hand
    token = event.token
    place = state.cards.get(token)
    if place is None or place.zone != event.zone:
        return
    if place.carried:
        state.cards[token] = replace(place, lifted_since=event.after)
        return
    if hand is None:
        del state.cards[token]
        return
    state.cards[token] = replace(place, lifted_since=event.after)
    seat = seat_of(event.zone)
    on_pile = seat is None and (is_board(event.zone) or is_pile(event.zone))
    if on_pile:
        hand.pile_left[token] = event.at
    out_of_place = (
        token in hand.token_findings
        or (event.zone == BURN and bool(hand.extra_burns))
        or (is_board(event.zone) and bool(hand.extra_board))
        or (seat is not None and bool(hand.extra_seat.get(seat)))
    )
    if out_of_place:
        hand.pendings = (
            *hand.pendings,
            Pending(
                what="went-back",
                token=token,
                zone=event.zone,
                due=event.at + BACK_S,
                seq=event.seq,
                evident=event.after,
            ),
        )
    elif seat is not None and token in hand.at_seat and seat not in hand.folded:
        _watch_lift(state, hand, event, seat)


def still_surplus(state: RulesState, pending: Pending) -> bool:
    """Whether the extra card lies at its seat or is in the player's hand."""
    place = state.cards.get(pending.token)
    return place is not None and place.zone == pending.zone and not place.returned


def lifted_together(state: RulesState, pending: Pending, at: float) -> bool:
    """Whether the seat's cards, the extra one among them, were taken up at one time: a player looks
    at them all, while an exposed card leaves alone."""
    hand = state.hand
    seat = seat_of(pending.zone)
    if hand is None or seat is None:
        return False
    times = [
        c.lifted_since
        for t, s in hand.at_seat.items()
        if s == seat and (c := state.cards.get(t)) is not None and c.zone == pending.zone
    ]
    gone = [t for t in times if t is not None]
    return (
        len(gone) == len(times) > hand.plan.hole_cards
        and max(gone) - min(gone) <= TOGETHER_S
        and at - max(gone) >= TOGETHER_S
    )


def _return_to_stub(state: RulesState, token: Token) -> None:
    place = state.cards.get(token)
    if place is not None:
        state.cards[token] = replace(place, returned=True)


def _watch_lift(state: RulesState, hand: Hand, event: CardLeft, seat: int) -> None:
    book = state.book
    assert book is not None
    suspect(
        hand,
        Suspicion(
            code="CARDS_OFF_TABLE",
            street=current_street(hand),
            seat=seat,
            zone=event.zone,
            zones=book.pile_zones,
            since=event.after,
            slots=frozenset(),
            not_before=event.after + book.lift_grace_s,
            expected="cards on the table",
            seen=f"unread for {book.lift_grace_s:.0f} s",
            evidence=(event.seq,),
            evident=event.after + book.lift_grace_s,
            token=event.token,
        ),
    )


def on_returned(state: RulesState, said: list[Said], event: CardCame, was: CardAt) -> None:
    """A lifted card was put back where it lay."""
    hand = state.hand
    state.cards[event.token] = replace(was, lifted_since=None)
    if hand is None:
        return
    hand.pile_left.pop(event.token, None)
    hand.suspicions = tuple(
        s for s in hand.suspicions if not (s.code == "CARDS_OFF_TABLE" and s.token == event.token)
    )
    if _unused_burn(state, hand, event):
        _shown_as_burn(state, said, hand, event)
        return
    seat = seat_of(event.zone)
    gone = [
        t
        for t, s in hand.at_seat.items()
        if s == seat and (c := state.cards.get(t)) and c.lifted_since is not None
    ]
    if seat is not None and not gone:
        for f in ledger.standing(state, "CARDS_OFF_TABLE"):
            if f.seat == seat:
                ledger.settle(state, said, f.id, FindingState.CORRECTED, at=event.at)


def _unused_burn(state: RulesState, hand: Hand, event: CardCame) -> bool:
    """Whether a burn is asked for, and the card shown on the burn pile has served as none yet."""
    book = state.book
    if book is None or event.zone != book.layout.burn_zone or not burns.is_asked_for(hand):
        return False
    slots = [i for street in hand.plan.burns.values() for i in street]
    used = {f.token for i in slots if (f := hand.fills.get(i)) is not None}
    return event.token not in used and event.token not in hand.extra_burns


def _shown_as_burn(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> None:
    """A seat's exposed card serves as the burn, though what replaced it was not seen to."""
    seat = hand.at_seat.pop(event.token, None)
    if seat is not None:
        hand.burned_from_seat.pop(seat, None)
        for i in hand.plan.by_seat[seat]:
            f = hand.fills.get(i)
            if f is not None and f.token == event.token:
                hand.fills[i] = replace(f, token=None)
    burns.answer_burn_question(state, said, event)


def lying(state: RulesState) -> list[Token]:
    """Cards of the present hand that are still read where they were put."""
    return [t for t, c in state.cards.items() if c.lifted_since is None and not c.carried]


def gathered(state: RulesState, at: float) -> bool:
    """Whether the dealer has taken up the hand: at most one forgotten card lies, and either a pile
    was taken up or the cards have been gone for longer than a player may lift them."""
    hand = state.hand
    book = state.book
    if hand is None or book is None or len(hand.fills) < 2 or len(lying(state)) > 1:
        return False
    if hand.pile_left:
        return True
    return at >= _last_lift(state) + book.lift_grace_s


def gather_deadline(state: RulesState) -> float | None:
    hand = state.hand
    book = state.book
    if hand is None or book is None or len(hand.fills) < 2 or len(lying(state)) > 1:
        return None
    return _last_lift(state) + book.lift_grace_s


def _last_lift(state: RulesState) -> float:
    lifted = [c.lifted_since for c in state.cards.values() if c.lifted_since is not None]
    return max(lifted, default=0.0)
