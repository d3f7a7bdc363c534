"""Going on after a restart: from where everything was settled, and cards by position, under new
tokens."""

from __future__ import annotations

from dataclasses import replace

from controller.model.events import CardCame, SoFar, TableResumed, Token
from controller.model.findings import FindingState, Said
from controller.rules.engine import decks, duties, ledger
from controller.rules.engine.state import NEVER, Fill, Hand, RulesState, Seen

REREAD_S = 4.0  # by then a table whose cards lie still has been read and settled again


def so_far(state: RulesState) -> SoFar | None:
    """All that is worth knowing of the hands before, where no more of them is open; None where
    there is. A hand that left a finding is open until the next begins, for the floor may still rule
    on it."""
    settled = (
        state.book is not None
        and state.hand is None
        and all(c.carried for c in state.cards.values())
        and not (state.findings or state.loose or state.lone or state.adopt)
        and not (state.redeal or state.lost or state.called)
        and not (state.deck.asked or state.deck.deferred)
    )
    if not settled:
        return None
    return SoFar(
        hands=state.hands,
        findings=state.next_finding - 1,
        last_button=state.last_button,
        last_seats=state.last_seats,
        ended_at=state.ended_at,
        occupied=tuple(sorted(state.occupied)),
        deck=duties.so_far(state.deck),
    )


def gone_on(before: SoFar) -> RulesState:
    """The state that knows this of the hands before, and nothing else yet."""
    return RulesState(
        hands=before.hands,
        next_finding=before.findings + 1,
        last_button=before.last_button,
        last_seats=before.last_seats,
        ended_at=before.ended_at,
        occupied=frozenset(before.occupied),
        deck=duties.gone_on(before.deck),
    )


def resumed(state: RulesState, event: TableResumed) -> None:
    """Every card that lay on the table is unread until an antenna names one in its place, and
    nothing falls due by the time in which nobody looked.
    """
    at = event.at
    state.seen = Seen()  # cards may have been turned meanwhile
    if not event.cards_known:
        state.adopt = tuple(t for t, c in state.cards.items() if not c.carried)
        for token in state.adopt:
            state.cards[token] = replace(state.cards[token], lifted_since=at)
        for token in [t for t, c in state.cards.items() if c.carried]:
            del state.cards[token]
        state.loose = ()
        state.lone = None
    if not event.away_known:
        duties.age_unknown(state, at)
    hand = state.hand
    if hand is not None:
        if not event.cards_known:
            hand.pile_left = {}
        read_again = at + REREAD_S
        hand.pendings = tuple(replace(p, due=max(p.due, read_again)) for p in hand.pendings)
        hand.suspicions = tuple(
            replace(s, since=at, silent=frozenset(), not_before=max(s.not_before, read_again))
            if s.step < 3
            else s
            for s in hand.suspicions
        )


def begin_anew(state: RulesState, said: list[Said], at: float) -> None:
    """The table is opened again after a clean stop: no hand is compared with those before, the
    opening is confirmed again, and what was said at the last one is over. The decks go on."""
    for finding in [f for f in state.findings.values() if f.code in decks.AT_OPENING]:
        if finding.state is FindingState.OPEN:
            ledger.settle(state, said, finding.id, FindingState.CLOSED, at=at)
    state.last_button, state.last_seats = None, ()
    state.redeal = None
    state.called = frozenset()
    state.buttons, state.button_log = None, ()
    state.deck = replace(state.deck, attested=frozenset(), attested_findings=(), shuffled_at=None)


def adopts(state: RulesState, event: CardCame) -> bool:
    """Whether the card was there before anybody looked, in a place where one is missed since the
    restart; it takes over from that one."""
    if event.after != NEVER or not state.adopt:
        return False
    old = next(
        (t for t in state.adopt if t in state.cards and state.cards[t].zone == event.zone), None
    )
    if old is None:
        return False
    state.adopt = tuple(t for t in state.adopt if t != old)
    place = state.cards.pop(old)
    state.cards[event.token] = replace(place, lifted_since=None)
    if state.hand is not None:
        _rename(state.hand, old, event.token)
    return True


def _rename(hand: Hand, old: Token, new: Token) -> None:
    def one(token: Token) -> Token:
        return new if token == old else token

    def fill(f: Fill) -> Fill:
        return replace(f, token=new) if f.token == old else f

    hand.fills = {i: fill(f) for i, f in hand.fills.items()}
    hand.at_seat = {one(t): s for t, s in hand.at_seat.items()}
    hand.burned_from_seat = {s: one(t) for s, t in hand.burned_from_seat.items()}
    hand.extra_board = tuple(map(one, hand.extra_board))
    hand.extra_burns = tuple(map(one, hand.extra_burns))
    hand.extra_seat = {s: tuple(map(one, ts)) for s, ts in hand.extra_seat.items()}
    hand.unknown_in_pile = tuple(map(one, hand.unknown_in_pile))
    hand.beside_board = {s: one(t) for s, t in hand.beside_board.items()}
    hand.token_findings = {one(t): n for t, n in hand.token_findings.items()}
    hand.pendings = tuple(replace(p, token=one(p.token)) for p in hand.pendings)
    hand.suspicions = tuple(
        replace(s, token=one(s.token)) if s.token is not None else s for s in hand.suspicions
    )
