"""A copied tag: one token stands for two cards. One finding, and what follows from it hangs under
it."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardCame, TagVerdict, Token
from controller.model.findings import FindingState, Said, Street
from controller.model.table import MUCK, Zone, is_board, seat_of, seat_zone
from controller.rules.engine import board, burns, deal, ledger, streets
from controller.rules.engine.state import Hand, RulesState

CODE = "DECK_CLONE"
EXPECTED = "cards of the deck in play, each once"


def on_clone(state: RulesState, said: list[Said], event: TagVerdict, street: Street) -> None:
    """The tag of a card of this hand is read in two places at once."""
    hand = state.hand
    assert hand is not None
    known = state.findings.get(hand.token_findings.get(event.token, 0))
    if known is not None and CODE in known.codes:
        return
    places = _places(state, hand, event)
    slot = _slot_of_the_copy(hand, places[0])
    number = _called_before(state, hand, event.token)
    seat = next((s for p in places if (s := seat_of(p)) is not None), None)
    seen = "one tag in two places at once"
    if len(places) > 1:
        seen = f"one tag at once at {places[0]} and {places[1]}"
    if number:
        ledger.sharpen(
            state,
            said,
            number,
            at=event.at,
            code=CODE,
            seat=seat,
            zone=places[0],
            asking=False,
            positive=True,
            expected=EXPECTED,
            seen=seen,
            evidence=(event.seq,),
        )
    else:
        number = ledger.open_finding(
            state,
            said,
            CODE,
            at=event.at,
            street=street,
            seat=seat,
            zone=places[0],
            expected=EXPECTED,
            seen=seen,
            evidence=(event.seq,),
            evident=event.at,
        )
    hand.token_findings[event.token] = number
    if slot is not None:
        _count_the_copy(state, said, hand, slot, event, places[0])


def _places(state: RulesState, hand: Hand, event: TagVerdict) -> tuple[Zone, ...]:
    """Where the tag is read, the place first at which it is not due."""
    at = state.cards.get(event.token)
    if at is None or at.zone == event.zone:
        return (event.zone,)
    due = _is_due_at(hand, event.token, event.zone)
    return (at.zone, event.zone) if due else (event.zone, at.zone)


def _is_due_at(hand: Hand, token: Token, zone: Zone) -> bool:
    """Whether the card that the token stood for at first may lie there: in its place, or folded."""
    owner = hand.at_seat.get(token)
    if owner is not None:
        return zone in (seat_zone(owner), MUCK)
    return any(f.token == token and hand.plan.slots[i].zone == zone for i, f in hand.fills.items())


def _slot_of_the_copy(hand: Hand, zone: Zone) -> int | None:
    """The slot that the copy takes, if one is due a card from the deck where it lies."""
    seat = seat_of(zone)
    street = streets.street_under_way(hand)
    if seat is not None:
        slots = hand.plan.by_seat.get(seat, ())
    elif is_board(zone) and street is not None:
        slots = hand.plan.board[street]
    else:
        after = streets.next_street(hand)
        slots = hand.plan.burns[after] if after is not None and hand.closed else ()
    return next((i for i in slots if i not in hand.fills and hand.plan.slots[i].zone == zone), None)


def _called_before(state: RulesState, hand: Hand, token: Token) -> int:
    """The finding by which the card's place was called wrong before the copy showed."""
    number = hand.token_findings.get(token, 0)
    finding = state.findings.get(number)
    if finding is None or finding.state in ledger.SETTLED or ledger.about_the_card(finding.code):
        return 0
    return number


def _count_the_copy(
    state: RulesState,
    said: list[Said],
    hand: Hand,
    slot: int,
    event: TagVerdict,
    zone: Zone,
) -> None:
    """The copy was dealt to a place that was due a card: nothing is short there, and what was asked
    about it is taken back."""
    asked = [s.finding for s in hand.suspicions if slot in s.missing and s.finding]
    hand.suspicions = tuple(s for s in hand.suspicions if slot not in s.missing)
    for number in asked:
        ledger.settle(state, said, number, FindingState.CORRECTED, at=event.at)
    came = CardCame(
        at=event.at,
        token=event.token,
        zone=zone,
        after=hand.began,
        before=event.at,
        seq=event.seq,
    )
    if is_board(zone):
        board.take_board_slot(state, said, hand, hand.plan.slots[slot].street, came)
    elif seat_of(zone) is None:
        burns.fill_burn(state, said, hand, slot, came)
    else:
        deal.fill_slot(hand, slot, came)
        if not hand.closed and all(
            i in hand.fills for i in range(hand.plan.first_hole, hand.plan.last_hole + 1)
        ):
            deal.close_deal(state, said, event.at, event.at)
    # The token goes on standing for the card that it stood for before.
    hand.fills[slot] = replace(hand.fills[slot], token=None)
