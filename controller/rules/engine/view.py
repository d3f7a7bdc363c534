"""What can be asked of the rules: where to look, what to show, what may be said of a hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from controller.model.findings import (
    Finding,
    FindingState,
    Judgement,
    Progress,
    Sensed,
    Stage,
    Street,
    Verdict,
    Watch,
)
from controller.model.table import BURN, Zone, is_board, seat_of, seat_zone
from controller.rules.engine import duties, faces, streets
from controller.rules.engine.face_verdicts import faced
from controller.rules.engine.orders import judge_pair
from controller.rules.engine.start import button_for_hand, due_seats
from controller.rules.engine.state import Hand, RulesState
from controller.rules.plans import BOARD_STREETS, SlotKind, dealing_order

DUE_AHEAD = 4  # places that the board shows as next
FOCUS_AHEAD = 2  # places ahead of the deal that deserve a closer look
FOCUS_MOST = 6
NOTHING_SENSED = Sensed()
SETTLED_AT_ONCE = 2  # cards arriving that are looked at more closely while the deal goes on
REACH = 6  # a card sensed further ahead than this is no part of the flow of the deal
LOOKED_INTO = ("HOLE_COUNT", "HOLE_DEALT_OUT", "BURN_MISSING", "BOARD_COUNT")


def watches(state: RulesState) -> tuple[Watch, ...]:
    """The silences that would answer what is suspected."""
    hand = state.hand
    if hand is None or not (hand.suspicions or hand.pendings):
        return ()
    # One watch a zone: a silence since the latest of the times asked for serves the earlier ones
    # too,
    # for a card that came in between would have answered them.
    wanted: dict[Zone, float] = {}
    for s in hand.suspicions:
        if s.step < 3:
            for z in s.zones:
                if z not in s.silent:
                    wanted[z] = max(s.since, wanted.get(z, s.since))
    for p in hand.pendings:
        if p.what == "seat-surplus" and not p.silent and state.book is not None:
            z = state.book.layout.burn_zone
            wanted[z] = max(p.evident, wanted.get(z, p.evident))
    return tuple(Watch(z, since) for z, since in wanted.items())


def focus(state: RulesState, sensed: Sensed = NOTHING_SENSED) -> tuple[Zone, ...]:
    """The zones that deserve a closer look: where something is undecided, those that a question or
    a waiting judgement is about, and those that are due next. The fewer they are, the closer the
    look; the first deserves the closest.

    While cards are dealt that is the place due next: the order of two cards is proved by the looks
    that find the second one's place still empty after the first was read.
    """
    hand = state.hand
    ahead: list[Zone] = []
    if hand is None:
        ahead = _ahead(list(_opening(state)), [], sensed)
    elif not hand.closed:
        ahead = _next_seats(hand, sensed)
    wanted: dict[Zone, None] = dict.fromkeys(ahead[:1] if sensed.close else ())
    if ahead:
        # One after the other they are settled sooner than all at once.
        wanted.update(dict.fromkeys(sensed.arriving[:SETTLED_AT_ONCE]))
        wanted.update(dict.fromkeys(z for z in sensed.undecided if z not in sensed.arriving))
    else:
        wanted.update(dict.fromkeys(sensed.undecided))
    if hand is None:
        wanted.update(dict.fromkeys(ahead))
        if ahead and not sensed.arriving:
            # A deal that begins at a wrong seat may begin at any.
            wanted.update(dict.fromkeys(_opening(state)))
            return tuple(wanted)
        return tuple(wanted)[:FOCUS_MOST]
    for s in hand.suspicions:
        if s.step < 3 and (s.finding is not None or s.code in LOOKED_INTO):
            wanted.update(dict.fromkeys(z for z in s.zones if z not in s.silent))
    for p in hand.pendings:
        wanted[p.zone] = None
        if p.what == "seat-surplus" and state.book is not None:
            wanted[state.book.layout.burn_zone] = None
    if not hand.closed:
        wanted.update(dict.fromkeys(ahead))
    elif streets.street_under_way(hand) is not None and state.book is not None:
        wanted.update(dict.fromkeys(due(state)))
        wanted[state.book.layout.burn_zone] = None
    return tuple(wanted)[:FOCUS_MOST]


def _opening(state: RulesState) -> tuple[Zone, ...]:
    """Where the first cards of the coming hand go."""
    seats, book = due_seats(state), state.book
    if book is None or len(seats) < 2:
        return ()
    zones = [seat_zone(s) for s in dealing_order(seats, button_for_hand(state))]
    if book.shape.burns[Street.DEAL]:
        zones.insert(0, book.layout.burn_zone)
    return tuple(zones)


def _next_seats(hand: Hand, sensed: Sensed) -> list[Zone]:
    """The next places of the deal, beyond those where a card has been read but is not settled."""
    plan = hand.plan
    filled = [i for i in hand.fills if plan.first_hole <= i <= plan.last_hole]
    front = max(filled, default=plan.first_hole - 1) + 1
    missed = [plan.slots[i].zone for i in range(max(0, front - 3), front) if i not in hand.fills]
    burn = plan.predeal_burn
    if burn is not None and burn not in hand.fills and not filled:
        missed.append(plan.slots[burn].zone)
    rest = [plan.slots[i].zone for i in range(front, plan.last_hole + 1)]
    return _ahead(rest, missed, sensed)


def _ahead(rest: list[Zone], missed: list[Zone], sensed: Sensed) -> list[Zone]:
    """The next places of `rest` after the last at which a card is arriving.

    If places were passed over on the way there, a card may lie there unread: the first and the last
    of them come before all else until they have been searched, and then the places at which cards
    are arriving, the first to come first: one of them came out of turn.
    """
    arriving = sensed.arriving
    reached = -1
    for n, z in enumerate(rest[:REACH]):
        if z in arriving and z not in rest[:n]:
            reached = n
    passed = [z for z in rest[: reached + 1] if z not in arriving]
    ahead = rest[reached + 1 : reached + 1 + FOCUS_AHEAD]
    first: list[Zone] = []
    if passed:
        first = [z for z in (passed[0], passed[-1]) if z not in sensed.searched] or list(arriving)
    later = [z for z in (*ahead, *missed, *passed[-2:]) if z not in arriving]
    return list(dict.fromkeys([*first, *later]))


def due(state: RulesState) -> tuple[Zone, ...]:
    """Where the next cards go, in order."""
    hand, book = state.hand, state.book
    if book is None:
        return ()
    if hand is None:
        return _opening(state)[:DUE_AHEAD]
    plan = hand.plan
    if not hand.closed:
        waiting = [
            plan.slots[i].zone
            for i in range(plan.last_hole + 1)
            if i not in hand.fills and i not in hand.excused
        ]
        return tuple(dict.fromkeys(waiting[:DUE_AHEAD])) or (book.layout.burn_zone,)
    street = streets.next_street(hand)
    if street is None:
        return ()
    zone = plan.slots[plan.board[street][0]].zone
    if not streets.burned(hand, street):
        return (book.layout.burn_zone, zone)
    return (zone,)


def stage(state: RulesState) -> Stage:
    hand = state.hand
    if state.book is None:
        return Stage.CLOSED
    if hand is None or hand.provisional:
        return Stage.BETWEEN
    if not hand.closed:
        return Stage.DEAL
    found = Stage.PREFLOP
    for s in BOARD_STREETS:
        if streets.board_count(hand, s):
            found = Stage(s.value)
    return found


def findings(state: RulesState) -> tuple[Finding, ...]:
    """All findings of the present hand, and older ones that still ask or alarm, oldest first."""
    return tuple(state.findings.values())


def progress(state: RulesState) -> Progress:
    hand, book = state.hand, state.book
    shown = sorted(
        (
            f
            for f in state.findings.values()
            if f.state in (FindingState.ASKING, FindingState.OPEN) and f.id not in state.quieted
        ),
        key=lambda f: (-f.severity.rank, f.id),
    )
    base = Progress(
        stage=stage(state),
        hand=hand.number if hand else state.hands,
        button=hand.button if hand else _button(state),
        game=book.game if book else "",
        profile=book.profile.name if book else "",
        hole_cards=book.shape.hole_cards if book else 0,
        seats=hand.plan.seats if hand else due_seats(state),
        due=due(state),
        absent=tuple(sorted(state.absent & set(state.seats))),
        blind=tuple(z for zs in state.lost.values() for z in zs),
        watch_only=state.watch_only,
        findings=tuple(shown),
        deck=state.deck.name,
        counted=state.deck.present,
        duties=duties.duties(state),
    )
    if hand is None:
        return base
    counts: dict[int, int] = {}
    lifted: set[int] = set()
    burns = boards = 0
    for place in state.cards.values():
        if place.carried or place.returned:
            continue
        seat = seat_of(place.zone)
        if seat is not None:
            counts[seat] = counts.get(seat, 0) + 1
            if place.lifted_since is not None:
                lifted.add(seat)
        elif is_board(place.zone) and place.lifted_since is None:
            boards += 1
        elif place.zone == BURN and place.lifted_since is None:
            burns += 1
    street = streets.next_street(hand)
    return replace(
        base,
        cards=tuple(sorted(counts.items())),
        lifted=tuple(sorted(lifted - hand.folded)),
        folded=tuple(sorted(hand.folded | hand.dead)),
        burned=street is None or streets.burned(hand, street),
        burns=burns,
        board=boards,
    )


def _button(state: RulesState) -> int | None:
    if state.buttons is not None and len(state.buttons) == 1:
        return state.buttons[0]
    return None if state.buttons is not None else button_for_hand(state)


def verdicts(state: RulesState, at: float = 0.0) -> tuple[Verdict, ...]:
    """What may be said of the present hand so far: in order, violation or cannot tell, question by
    question."""
    hand = state.hand
    if hand is None:
        return ()
    out = [_order_verdict(state, hand, at), _count_verdict(state, hand, at)]
    if hand.plan.burns[Street.DEAL]:
        out.append(_burn_verdict(state, hand, Street.DEAL, at))
    for street in BOARD_STREETS:
        if streets.board_count(hand, street) or any(
            i in hand.fills for i in hand.plan.burns[street]
        ):
            out.append(_burn_verdict(state, hand, street, at))
            out.append(_board_verdict(state, hand, street, at))
    if faces.sees(state) and not hand.provisional:
        for asked in faced(state, hand):
            said = _said(state, hand, set(asked.codes), asked.street)
            judgement = said or asked.judgement
            reason = "" if said else asked.reason
            out.append(_verdict(hand, asked.codes[0], asked.street, judgement, at, reason))
    return tuple(out)


def _said(state: RulesState, hand: Hand, codes: set[str], street: Street) -> Judgement | None:
    """What findings say: an open or settled one is a violation (a dismissed one is not), a question
    cannot tell yet."""
    judged = None
    for f in state.findings.values():
        if f.hand != hand.number or f.street is not street or not codes & set(f.codes):
            continue
        if f.state is FindingState.DISMISSED:
            continue
        if f.state in (FindingState.ASKING, FindingState.CLOSED) and not f.stood:
            judged = judged or Judgement.CANNOT_TELL
        elif f.state is FindingState.CORRECTED and not f.stood:
            continue  # a question that was answered
        else:
            return Judgement.VIOLATION
    return judged


def _waiting(hand: Hand, street: Street) -> bool:
    """Whether a card more than was due has been seen, and is not judged yet."""
    return any(
        p.what in ("board-surplus", "after-river", "burn-extra") and p.street is street
        for p in hand.pendings
    )


def _verdict(
    hand: Hand, code: str, street: Street, judgement: Judgement, at: float, reason: str = ""
) -> Verdict:
    return Verdict(
        at=at, hand=hand.number, code=code, street=street, judgement=judgement, reason=reason
    )


_ORDER_CODES = {"HOLE_FIRST_SEAT", "HOLE_ORDER", "HOLE_TWO_AT_ONCE", "HOLE_LAST_NOT_BUTTON"}


def _order_verdict(state: RulesState, hand: Hand, at: float) -> Verdict:
    said = _said(state, hand, _ORDER_CODES, Street.DEAL)
    if said is not None:
        return _verdict(hand, "HOLE_ORDER", Street.DEAL, said, at)
    if not hand.plan.ordered:
        return _verdict(
            hand, "HOLE_ORDER", Street.DEAL, Judgement.CANNOT_TELL, at, "no button is known"
        )
    book = state.book
    assert book is not None
    plan = hand.plan
    indices = [
        i
        for i in range(plan.first_hole, plan.last_hole + 1)
        if plan.slots[i].zone not in book.placement_zones
    ]
    fills = [hand.fills.get(i) for i in indices]
    if any(f is None for f in fills):
        return _verdict(
            hand, "HOLE_ORDER", Street.DEAL, Judgement.CANNOT_TELL, at, "cards are unread"
        )
    known = [f for f in fills if f is not None]
    open_pairs = sum(judge_pair(a, b) is not Judgement.IN_ORDER for a, b in pairwise(known))
    if open_pairs:
        return _verdict(
            hand,
            "HOLE_ORDER",
            Street.DEAL,
            Judgement.CANNOT_TELL,
            at,
            f"{open_pairs} of {len(known) - 1} neighbouring cards came too close to tell",
        )
    return _verdict(hand, "HOLE_ORDER", Street.DEAL, Judgement.IN_ORDER, at)


def _count_verdict(state: RulesState, hand: Hand, at: float) -> Verdict:
    said = _said(state, hand, {"HOLE_COUNT", "HOLE_DEALT_OUT"}, Street.DEAL)
    if said is not None:
        return _verdict(hand, "HOLE_COUNT", Street.DEAL, said, at)
    plan = hand.plan
    missing = sum(i not in hand.fills for i in range(plan.first_hole, plan.last_hole + 1))
    if any(hand.extra_seat.values()):
        return _verdict(
            hand, "HOLE_COUNT", Street.DEAL, Judgement.CANNOT_TELL, at, "a card more was read"
        )
    if missing:
        return _verdict(
            hand,
            "HOLE_COUNT",
            Street.DEAL,
            Judgement.CANNOT_TELL,
            at,
            f"{missing} cards are unread",
        )
    return _verdict(hand, "HOLE_COUNT", Street.DEAL, Judgement.IN_ORDER, at)


def _burn_verdict(state: RulesState, hand: Hand, street: Street, at: float) -> Verdict:
    said = _said(
        state, hand, {"BURN_MISSING", "BURN_EXTRA", "BURN_UNEXPECTED", "BURN_MISPLACED"}, street
    )
    if said is not None:
        return _verdict(hand, "BURN_MISSING", street, said, at)
    open_case = _waiting(hand, street) or street in hand.beside_board
    if open_case or f"BURN_MISSING/{street.value}" in hand.cannot_tell:
        return _verdict(hand, "BURN_MISSING", street, Judgement.CANNOT_TELL, at)
    if all(i in hand.fills for i in hand.plan.burns[street]):
        return _verdict(hand, "BURN_MISSING", street, Judgement.IN_ORDER, at)
    return _verdict(hand, "BURN_MISSING", street, Judgement.CANNOT_TELL, at, "no burn was read")


def _board_verdict(state: RulesState, hand: Hand, street: Street, at: float) -> Verdict:
    said = _said(state, hand, {"BOARD_COUNT", "BOARD_POSITION", "CARD_AFTER_RIVER"}, street)
    if said is not None:
        return _verdict(hand, "BOARD_COUNT", street, said, at)
    after = streets.following(street)
    beside = street in hand.beside_board and (after is None or not streets.board_count(hand, after))
    if streets.board_full(hand, street) and not _waiting(hand, street) and not beside:
        return _verdict(hand, "BOARD_COUNT", street, Judgement.IN_ORDER, at)
    return _verdict(hand, "BOARD_COUNT", street, Judgement.CANNOT_TELL, at)


__all__ = [
    "SlotKind",
    "due",
    "findings",
    "focus",
    "progress",
    "stage",
    "verdicts",
    "watches",
]
