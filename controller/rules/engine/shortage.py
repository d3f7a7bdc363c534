"""A street that has too few cards, and the card that lies elsewhere instead."""

from __future__ import annotations

from controller.model.events import CardCame
from controller.model.findings import FindingState, Said, Street
from controller.rules.engine import ledger
from controller.rules.engine.deal import fill_slot
from controller.rules.engine.state import Hand, RulesState, Suspicion
from controller.rules.engine.suspicion import drop, suspect
from controller.rules.remedies import board_count_detail

SHORT_BOARD_S = 2.4  # a street that stands still for so long looks finished
NO_BOARD_S = 8.0  # "burn and turn" is one act: so long after a burn its board card may be unread


def board_answers(
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
    board_answers(state, said, hand, street, event)
