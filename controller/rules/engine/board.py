"""Board cards: three, one and one, and what is one too many."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardCame, Token
from controller.model.findings import FindingState, Said, Street
from controller.model.table import is_board
from controller.rules.engine import ledger
from controller.rules.engine.burns import (
    ask_for_burn,
    burn_beside,
    judge_burn_beside,
    restart_burn_question,
)
from controller.rules.engine.deal import close_deal, fill_slot
from controller.rules.engine.play import in_play
from controller.rules.engine.shortage import board_answers
from controller.rules.engine.state import NEVER, Hand, Pending, RulesState
from controller.rules.engine.streets import (
    SURPLUS_WAIT_S,
    add_pending,
    before,
    board_count,
    board_full,
    burned,
    following,
    same_act,
)
from controller.rules.plans import BOARD_STREETS
from controller.rules.remedies import board_count_detail


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
        and same_act(hand, event)
    ):
        if burn_beside(state, hand, previous, event):
            return
        hand.extra_board = (*hand.extra_board, event.token)
        add_pending(hand, "board-surplus", event, SURPLUS_WAIT_S, previous)
        return
    take_board_slot(state, said, hand, street, event)


def answer_board_question(state: RulesState, said: list[Said], event: CardCame) -> None:
    """A board card is read while one is being asked for."""
    hand = state.hand
    assert hand is not None
    for s in hand.suspicions:
        if s.code == "BOARD_COUNT" and s.finding is not None and event.zone in s.zones:
            fill_slot(hand, min(s.missing), event)
            board_answers(state, said, hand, s.street, event)
            return


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
        judge_burn_beside(state, said, hand, street, event)
        ask_for_burn(state, said, hand, street, fill, event)
    else:
        restart_burn_question(state, hand, street, event)
    board_answers(state, said, hand, street, event)


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
    soon = same_act(hand, event)
    if board_full(hand, last):
        if burn_beside(state, hand, last, event):
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


def board_surplus_stands(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    """A card more than the street needs still lies there."""
    hand = state.hand
    assert hand is not None
    assert pending.street is not None
    if pending.token not in hand.extra_board:
        return
    after = following(pending.street)
    place = state.cards.get(pending.token)
    if place is None or place.lifted_since is not None or not is_board(place.zone):
        return
    if not in_play(state, hand, pending.evident):
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


def forget_board_card(hand: Hand, token: Token) -> Street | None:
    """A board card is gone: its slot is free again (an extra card takes it if there is one). The
    street it was of."""
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
