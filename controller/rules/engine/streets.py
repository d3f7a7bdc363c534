"""Where the board stands: which street is dealt, which is due, and what intervals say of both."""

from __future__ import annotations

from controller.model.events import CardCame
from controller.model.findings import Street
from controller.rules.engine.state import Fill, Hand, Pending
from controller.rules.plans import BOARD_STREETS

STREET_GAP_S = 1.0  # cards of one street follow each other faster; the shortest betting is longer
LONGEST_GAP_S = 3.0  # however badly the antennas read
SURPLUS_WAIT_S = 1.2


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


def same_act(hand: Hand, event: CardCame) -> bool:
    """Whether the card may have come in one go with the last board card: what counts is the
    earliest time at which it can have come."""
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


def first_board(hand: Hand, street: Street) -> Fill | None:
    if street is Street.DEAL:
        return None
    found = [hand.fills[i] for i in hand.plan.board[street] if i in hand.fills]
    return min(found, key=lambda f: f.before) if found else None


def may_precede(hand: Hand, street: Street, event: CardCame) -> bool:
    """Whether a burn that settles only now may have come before that street's first board card."""
    first = first_board(hand, street)
    return first is not None and event.after < first.before


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
