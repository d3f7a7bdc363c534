"""`step`: one event in, the new state and what is to be said out. Pure; time is in the event."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from controller.model.events import (
    Attested,
    ButtonDeclared,
    ButtonSeen,
    CardCame,
    CardCarried,
    CardGlimpsed,
    CardLeft,
    CardSide,
    DeckCounted,
    DeckInPlay,
    DeckSuspected,
    DutyDeferred,
    FloorSaid,
    KeyPressed,
    LaidTogether,
    ReaderBack,
    ReaderLost,
    SeatRegistered,
    SeatSeen,
    StillEmpty,
    SubstantialAction,
    TableEvent,
    TableOpened,
    TableResumed,
    TagFault,
    TagVerdict,
    Token,
)
from controller.model.findings import Finding, FindingState, Said, Street
from controller.model.table import COUNT, MUCK, STUB, is_board, seat_of
from controller.rules.engine import (
    board,
    burns,
    copies,
    deal,
    decks,
    duties,
    faces,
    ledger,
    moves,
    resume,
    shortage,
    sides,
    start,
    streets,
    suspicion,
    turning,
)
from controller.rules.engine.book import rulebook
from controller.rules.engine.play import in_play, over
from controller.rules.engine.state import NEVER, CardAt, Fill, Hand, Pending, RulesState

PAUSE_S = 1.0
FLICKER_S = 8.0  # a forgotten card that is read again so soon has not been dealt
SURPLUS_LONGEST_S = 8.0
LONE_S = 2.0  # a single card at a wrong seat that lies for so long is a deal's beginning
CONFIRM_START_S = 6.0  # a first burn that lies alone for so long is a hand's beginning

_TAG_CODES = {
    TagFault.FOREIGN: "DECK_FOREIGN",
    TagFault.DUPLICATE: "DECK_DUPLICATE",
    TagFault.JOKER: "DECK_JOKER",
    TagFault.OTHER_DECK: "DECK_MIXED",
    TagFault.OTHER_FACE: "FACE_OTHER",
}
_TAG_SEEN = {
    TagFault.FOREIGN: "a tag of no registered deck",
    TagFault.DUPLICATE: "the same card twice",
    TagFault.JOKER: "a joker",
    TagFault.OTHER_DECK: "a card of the other deck",
    TagFault.OTHER_FACE: "a face that is not the tag's",
}

_TAG_EXPECTED = {TagFault.OTHER_FACE: "the face that the tag stands for"}


def closed() -> RulesState:
    """The state before the table is opened."""
    return RulesState()


def step(state: RulesState, event: TableEvent) -> tuple[RulesState, tuple[Said, ...]]:
    """What the rules make of one event. `state` is not changed. Never raises for any order of
    events; an event that means nothing before the table is opened is passed over. A TableOpened
    whose profile or layout cannot be read raises pydantic.ValidationError."""
    new = state.copy()
    said: list[Said] = []
    if isinstance(event, TableOpened):
        if event.so_far is not None and state.hand is None:
            new = resume.gone_on(event.so_far)
        _opened(new, said, event)
        return new, tuple(said)
    if new.book is None:
        return new, ()
    if isinstance(event, TableResumed):
        # First of all: nobody looked in the time that has passed, so nothing falls due by it.
        resume.resumed(new, event)
    _fall_due(new, said, event.at)
    if isinstance(event, CardCame):
        _came(new, said, event)
    elif isinstance(event, StillEmpty):
        suspicion.on_still_empty(new, said, event)
    elif isinstance(event, CardGlimpsed):
        suspicion.on_glimpsed(new, event)
    elif isinstance(event, CardLeft):
        moves.on_left(new, said, event)
    elif isinstance(event, CardCarried):
        if new.hand is not None and _counted(new.hand, event.token):
            return new, tuple(said)  # a card of this hand is not left over from another
        new.cards[event.token] = CardAt(event.zone, None, NEVER, NEVER, carried=True)
    elif isinstance(event, CardSide):
        faces.on_side(new, event)
    elif isinstance(event, LaidTogether):
        faces.on_laid(new, event)
    elif isinstance(event, TagVerdict):
        _tag(new, said, event)
    elif isinstance(event, ButtonSeen):
        start.on_button(new, said, event.seats, event.at)
    elif isinstance(event, ButtonDeclared):
        start.on_button(new, said, (event.seat,), event.at)
    elif isinstance(event, SeatSeen):
        _seat_seen(new, said, event)
    elif isinstance(event, SeatRegistered):
        _registered(new, said, event)
    elif isinstance(event, KeyPressed):
        _key(new, said, event)
    elif isinstance(event, FloorSaid):
        _floor(new, said, event)
    elif isinstance(event, SubstantialAction):
        _substantial_action(new, said, event)
    elif isinstance(event, DeckInPlay):
        decks.on_in_play(new, said, event)
    elif isinstance(event, DeckCounted):
        decks.on_counted(new, said, event)
    elif isinstance(event, DeckSuspected):
        decks.on_suspected(new, said, event)
    elif isinstance(event, Attested):
        decks.on_attested(new, said, event)
    elif isinstance(event, DutyDeferred):
        duties.on_deferred(new, said, event)
    elif isinstance(event, ReaderLost):
        _reader_lost(new, said, event)
    elif isinstance(event, ReaderBack):
        _reader_back(new, said, event)
    _after(new, said, event.at)
    return new, tuple(said)


# --- time -----------------------------------------------------------------------------------------


def deadline(state: RulesState) -> float | None:
    """The next monotonic second at which a Tick would decide something; None if nothing waits for
    time."""
    hand = state.hand
    limit = state.next_duty_at
    times = [limit] if limit < inf else []
    if hand is None:
        if state.lone is not None:
            times.append(state.lone.due)
        return min(times, default=None)
    times += [p.due for p in hand.pendings]
    times += [
        s.not_before
        for s in hand.suspicions
        if s.step < 3 and s.silent.issuperset(s.zones) and s.not_before > NEVER
    ]
    quiet = _quiet_at(state)
    if quiet is not None:
        times.append(quiet)
    for limit_of in (moves.gather_deadline, faces.deadline):
        due = limit_of(state)
        if due is not None:
            times.append(due)
    return min(times, default=None)


def _quiet_at(state: RulesState) -> float | None:
    """When the deal closes by quiet: the plan's end has been reached, and nothing more has come."""
    hand, book = state.hand, state.book
    if hand is None or book is None or hand.closed or hand.last_hole_at == NEVER:
        return None
    plan = hand.plan
    highest = max((i for i in hand.fills if i <= plan.last_hole), default=-1)
    if highest < plan.last_hole - 1:
        return None
    # While the plan's last card is out, the dealer may only have paused.
    patience_s = 0.0 if highest == plan.last_hole else PAUSE_S
    return hand.last_hole_at + book.quiet_s + patience_s


def _fall_due(state: RulesState, said: list[Said], at: float) -> None:
    duties.fall_due(state, said, at)
    hand = state.hand
    if hand is None:
        if state.lone is not None and state.lone.due <= at:
            _lone_card(state, said, state.lone)
        return
    if hand.pendings:
        due = sorted((p for p in hand.pendings if p.due <= at), key=lambda p: p.due)
        for p in due:
            if p in hand.pendings:
                hand.pendings = tuple(q for q in hand.pendings if q is not p)
                _decide(state, said, p, p.due if p.due > NEVER else at)
    quiet = _quiet_at(state)
    if quiet is not None and at >= quiet:
        deal.close_deal(state, said, quiet, hand.last_hole_at)
    suspicion.ripen(state, said, at)


def _decide(state: RulesState, said: list[Said], pending: Pending, at: float) -> None:
    hand = state.hand
    if pending.what == "seat-surplus":
        if hand is None or not moves.still_surplus(state, pending):
            return
        lifted = not _lies_there(state, pending)
        if lifted and not moves.lifted_together(state, pending, at):
            hand.pendings = (*hand.pendings, replace(pending, due=at + 0.5))
            return
        if not lifted and not pending.silent and at < pending.evident + SURPLUS_LONGEST_S:
            # Nobody has looked at the burn pile often enough to say that no exposed card went
            # there.
            hand.pendings = (*hand.pendings, replace(pending, due=at + 0.3))
            return
        deal.surplus_stands(state, said, pending, at)
    elif pending.what == "order":
        deal.order_stands(state, said, pending, at)
    elif pending.what == "burn-extra":
        if _lies_there(state, pending):
            burns.extra_burn_stands(state, said, pending, at)
    elif pending.what == "late-burn":
        burns.late_burn_settles(state, said, pending, at)
    elif pending.what in ("board-surplus", "after-river"):
        board.board_surplus_stands(state, said, pending, at)
    elif pending.what == "went-back":
        moves.went_back(state, said, pending, at)
    elif pending.what == "confirm-start":
        if hand is not None and not hand.announced and _lies_there(state, pending):
            start.announce(state, said, at)
            burns.judge_early_burns(state, said)
            start.check_button_in_hand(state, said, at)
    else:
        moves.stray_stands(state, said, pending, at)


def _lies_there(state: RulesState, pending: Pending) -> bool:
    place = state.cards.get(pending.token)
    return place is not None and place.zone == pending.zone and place.lifted_since is None


def _after(state: RulesState, said: list[Said], at: float) -> None:
    hand = state.hand
    if hand is None:
        return
    faces.review(state, said, at)
    if hand.provisional and not moves.lying(state):
        for f in ledger.standing(state, "BURN_UNEXPECTED"):
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)
        start.cancel(state, said, at)
        return
    if moves.gathered(state, at):
        start.end(state, said, at, "gather")


# --- cards ----------------------------------------------------------------------------------------


def _came(state: RulesState, said: list[Said], event: CardCame) -> None:
    was = state.cards.get(event.token)
    if was is not None and was.carried:
        flickers = was.lifted_since is None or event.before - was.lifted_since <= FLICKER_S
        if was.zone == event.zone and flickers:
            state.cards[event.token] = replace(was, lifted_since=None)
            return
        was = None
    held = state.hand is not None and _counted(state.hand, event.token)
    if event.source is None and was is not None and was.zone != event.zone and not held:
        was = None  # where it lay before was no place of its own: a wash, an earlier hand
    if event.zone == COUNT or (was is None and resume.adopts(state, event)):
        return
    hand = state.hand
    place = CardAt(
        zone=event.zone,
        origin=was.zone if was else None,
        after=event.after,
        before=event.before,
        seq=event.seq,
    )
    if hand is None:
        # What lay there before anybody looked, or before the last hand was ended, belongs to no
        # hand to come.
        old = event.after == NEVER or event.before <= state.ended_at
        state.cards[event.token] = replace(place, carried=old)
        state.loose = tuple(e for e in state.loose if e.token != event.token)
        if state.lone is not None and state.lone.token == event.token:
            state.lone = None
        if old:
            return
        _between_hands(state, said, event)
        return
    if was is None or was.returned:
        state.cards[event.token] = place
        _arrived(state, said, event)
    elif was.zone == event.zone:
        moves.on_returned(state, said, event, was)
    else:
        state.cards[event.token] = place
        moves.on_moved(state, said, event, was)


def _counted(hand: Hand, token: Token) -> bool:
    """Whether the card has a place in this hand, or is one too many in it."""
    return (
        token in hand.at_seat
        or any(f.token == token for f in hand.fills.values())
        or token in hand.extra_board
        or token in hand.extra_burns
        or any(token in extra for extra in hand.extra_seat.values())
    )


def _between_hands(state: RulesState, said: list[Said], event: CardCame) -> None:
    book = state.book
    assert book is not None
    opening = start.consider_start(state, event)
    if opening is None:
        seat = seat_of(event.zone)
        if (
            seat is not None
            and state.lone is None
            and event in state.loose
            and seat in start.due_seats(state)
            and event.after - state.ended_at >= start.CLEAR_S
        ):
            state.lone = Pending(
                what="lone",
                token=event.token,
                zone=event.zone,
                due=event.at + LONE_S,
                seq=event.seq,
                evident=event.before,
            )
        return
    _begin_with(state, said, opening, event)


def _lone_card(state: RulesState, said: list[Said], lone: Pending) -> None:
    """A single card came to a seat that was not the first due, and still lies there with nothing
    else about."""
    state.lone = None
    place = state.cards.get(lone.token)
    if place is None or place.lifted_since is not None or place.zone != lone.zone:
        return
    lying = [
        e
        for e in state.loose
        if (c := state.cards.get(e.token)) is not None and c.lifted_since is None
    ]
    book = state.book
    assert book is not None
    if any(seat_of(e.zone) is None and e.zone != book.layout.burn_zone for e in lying):
        return
    opening = sorted(lying, key=lambda e: e.before)
    if opening:
        _begin_with(state, said, opening, opening[-1])


def _begin_with(
    state: RulesState, said: list[Said], opening: list[CardCame], event: CardCame
) -> None:
    book = state.book
    assert book is not None
    alone = len(opening) == 1 and opening[0].zone == book.layout.burn_zone
    first_card = min(e.before for e in opening)
    if not start.begin(state, said, event.at, provisional=alone, first_card=first_card):
        return
    opened = {e.token for e in opening}
    for token, place in state.cards.items():
        if token not in opened and not place.carried:
            state.cards[token] = replace(place, carried=True)
    for first in opening:
        _arrived(state, said, first)
    start.check_button_in_hand(state, said, event.at)
    hand = state.hand
    if hand is None:
        return
    if alone:
        hand.pendings = (
            *hand.pendings,
            Pending(
                what="confirm-start",
                token=event.token,
                zone=event.zone,
                due=event.at + CONFIRM_START_S,
                seq=event.seq,
                evident=event.before,
            ),
        )


def _arrived(state: RulesState, said: list[Said], event: CardCame) -> None:
    """A card from the deck has come to rest."""
    hand, book = state.hand, state.book
    assert hand is not None
    assert book is not None
    seat = seat_of(event.zone)
    if seat is None and over(state, hand, event.at):
        # The deck is being gathered or washed over the piles; only what was asked for is taken up.
        if event.zone == book.layout.burn_zone:
            burns.answer_burn_question(state, said, event)
        elif is_board(event.zone):
            board.answer_board_question(state, said, event)
        return
    if hand.provisional:
        if seat is None and _something_else_lies(state, event):
            start.cancel(state, said, event.at)
            state.loose = (*state.loose, event)
            return
        if seat is not None:
            hand.provisional = False
            state.loose = ()
            start.announce(state, said, event.at)
            burns.judge_early_burns(state, said)
    if seat is not None:
        _arrived_at_seat(state, said, hand, event, seat)
    elif is_board(event.zone):
        board.on_board(state, said, event)
    elif event.zone == book.layout.burn_zone and not book.layout.burn_is_muck:
        burns.on_burn(state, said, event)
    elif event.zone == MUCK:
        _arrived_at_muck(state, said, hand, event)
    elif event.zone == STUB:
        return
    _test_absent(state, said, hand, event.at)


def _something_else_lies(state: RulesState, event: CardCame) -> bool:
    return any(t != event.token for t in moves.lying(state))


def _arrived_at_seat(
    state: RulesState, said: list[Said], hand: Hand, event: CardCame, seat: int
) -> None:
    slots = hand.plan.by_seat.get(seat, ())
    if seat in hand.burned_from_seat:
        hand.at_seat[event.token] = seat
        moves.exposed_card_served(state, said, hand, seat, event)
        return
    street = streets.street_under_way(hand)
    if street is not None and all(i in hand.fills for i in slots):
        shortage.misplaced_board_card(state, said, event, street, seat)
        return
    deal.on_seat(state, said, event, seat)


def _arrived_at_muck(state: RulesState, said: list[Said], hand: Hand, event: CardCame) -> None:
    """A card of the deck lies in the muck, or in a pile that is burn and muck in one. It is from
    the deck only if every seat's cards are accounted for; else nobody can tell (it may be a hole
    card that was never read)."""
    book = state.book
    assert book is not None
    plan = hand.plan
    accounted = all(i in hand.fills for i in range(plan.first_hole, plan.last_hole + 1))
    if book.layout.burn_is_muck:
        if accounted or not hand.folded:
            burns.on_burn(state, said, event)
        else:
            _maybe_burn(state, hand, event)
        return
    if not accounted or not in_play(state, hand, event.at):
        return
    street = streets.street_under_way(hand)
    if street is not None and streets.burned(hand, street):
        shortage.misplaced_board_card(state, said, event, street)
        return
    if book.burn_may_lie_in_muck:
        burns.on_burn(state, said, event)
        return
    unburned = burns.street_without_burn(state, hand, event)
    if unburned is None and streets.next_street(hand) is None:
        return
    hand.unknown_in_pile = (*hand.unknown_in_pile, event.token)
    if unburned is not None:
        burns.burn_in_muck(state, said, hand, unburned, event)


def _maybe_burn(state: RulesState, hand: Hand, event: CardCame) -> None:
    street = streets.next_street(hand)
    if street is None:
        return
    hand.cannot_tell |= {f"BURN_MISSING/{street.value}"}
    slot = next((i for i in hand.plan.burns[street] if i not in hand.fills), None)
    if slot is not None:
        hand.fills[slot] = Fill(event.token, event.after, event.before, event.seq, event.at)
        hand.suspicions = tuple(
            s for s in hand.suspicions if not (slot in s.missing and s.finding is None)
        )


def _tag(state: RulesState, said: list[Said], event: TagVerdict) -> None:
    hand = state.hand
    if hand is None:
        return  # between hands the deck is being gathered and shuffled; nothing is in play
    street = moves.current_street(hand)
    if event.fault is TagFault.CLONE:
        copies.on_clone(state, said, event, street)
        return
    if event.fault is TagFault.OTHER_FACE and not faces.sees(state):
        return
    code = _TAG_CODES[event.fault]
    if any(f.zone == event.zone for f in ledger.standing(state, code)):
        return
    hand.token_findings[event.token] = ledger.open_finding(
        state,
        said,
        code,
        at=event.at,
        street=street,
        seat=seat_of(event.zone),
        zone=event.zone,
        expected=_TAG_EXPECTED.get(event.fault, copies.EXPECTED),
        seen=_TAG_SEEN[event.fault],
        evidence=(event.seq,),
        evident=event.at,
    )


# --- people ---------------------------------------------------------------------------------------


def _seat_seen(state: RulesState, said: list[Said], event: SeatSeen) -> None:
    if event.occupied:
        state.absent -= {event.seat}
        state.occupied |= {event.seat}
    elif event.occupied is None:
        # Nobody is called absent, or at a wrong seat, by a sensor that no longer answers.
        state.absent -= {event.seat}
        state.occupied -= {event.seat}
    else:
        state.absent |= {event.seat}
        state.occupied -= {event.seat}
    if event.occupied is not None:
        start.unassigned(state, said, event.seat, event.at, sat_down=event.occupied)


def _registered(state: RulesState, said: list[Said], event: SeatRegistered) -> None:
    state.seats[event.seat] = event.status
    start.over_max(state, said, event.at)
    start.unassigned(state, said, event.seat, event.at)


def _test_absent(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    """Who is away at the profile's moment holds a dead hand (clauses on the absent player)."""
    book = state.book
    assert book is not None
    when = book.absent_dead_when
    if when not in ("others-dealt", "last-card") or hand.provisional or not state.absent:
        return
    plan = hand.plan
    for seat in plan.seats:
        if seat in hand.absent_tested:
            continue
        waited_for = [
            i
            for s, slots in plan.by_seat.items()
            if when == "last-card" or s != seat
            for i in slots
        ]
        if not all(i in hand.fills for i in waited_for):
            continue
        hand.absent_tested |= {seat}
        if seat not in state.absent:
            continue
        hand.dead |= {seat}
        ledger.open_finding(
            state,
            said,
            "SEAT_ABSENT_DEAD",
            at=at,
            street=Street.DEAL,
            seat=seat,
            zone=None,
            expected="the player at the seat",
            seen="nobody there",
            evident=at,
        )


def _key(state: RulesState, said: list[Said], event: KeyPressed) -> None:
    if event.key == "new-hand":
        if state.hand is not None and state.hand.fills:
            start.end(state, said, event.at, "key")
        if state.hand is None:
            start.begin(state, said, event.at)
    elif event.key == "end-hand":
        start.end(state, said, event.at, "key")
    elif event.key == "misdeal":
        start.end(state, said, event.at, "misdeal")
    elif event.key == "confirm":
        _confirm(state, said, None, event.at, event.by)
    elif event.key == "shuffled":
        state.deck = replace(state.deck, shuffled_at=event.at)
        hand = state.hand
        if hand is not None and not hand.provisional and over(state, hand, event.at):
            # Cards that seem to lie still, in a pile too high to be read, are in the deck too.
            start.end(state, said, event.at, "gather")
        if state.hand is None or state.hand.provisional:
            # The deck is whole and in the dealer's hand: what still lies about is no part of the
            # coming deal.
            if state.hand is not None:
                start.cancel(state, said, event.at)
            state.loose = ()
            state.lone = None
            state.cards = {t: replace(c, carried=True) for t, c in state.cards.items()}
    elif event.key == "turned":
        turning.dealer_says_turned(state, said, event.at)
    elif event.key == "quiet":
        state.quieted = frozenset(f.id for f in ledger.standing(state))


def _floor(state: RulesState, said: list[Said], event: FloorSaid) -> None:
    if event.word == "confirm":
        _confirm(state, said, event.finding, event.at, event.by)
        return
    number = event.finding
    if number is None:
        open_ones = ledger.standing(state)
        if not open_ones:
            return
        number = open_ones[-1].id
    if event.word == "rule":
        ledger.settle(
            state, said, number, FindingState.RULED, at=event.at, by=event.by, ruling=event.text
        )
    else:
        ledger.settle(
            state, said, number, FindingState.DISMISSED, at=event.at, by=event.by, ruling=event.text
        )
    hand = state.hand
    if hand is not None:
        for s in hand.suspicions:
            if s.finding == number:
                hand.excused |= s.missing
        hand.suspicions = tuple(s for s in hand.suspicions if s.finding != number)


def _confirm(state: RulesState, said: list[Said], number: int | None, at: float, by: str) -> None:
    """Somebody looked and says that it is so: the question becomes what the book calls it."""
    hand = state.hand
    if number is None:
        asking = [f for f in ledger.standing(state) if f.asking]
        asking = asking or [
            f
            for f in ledger.standing(state)
            if f.severity.rank < ledger.gravest(state, f.id, f.code).rank
        ]
        if not asking:
            if hand is not None and not hand.closed and hand.last_hole_at > NEVER:
                deal.close_deal(state, said, at, hand.last_hole_at)
            return
        number = max(asking, key=lambda f: (f.severity.rank, -f.id)).id
    old = state.findings.get(number)
    if old is None or old.state in ledger.SETTLED:
        return
    ledger.sharpen(state, said, number, at=at, asking=False, confirmed=True)
    new = state.findings[number]
    if new.by != by:
        ledger.put(state, said, replace(new, by=by, at=at))


def _substantial_action(state: RulesState, said: list[Said], event: SubstantialAction) -> None:
    hand, book = state.hand, state.book
    if hand is None or book is None:
        return
    hand.substantial_action = event.happened
    for f in ledger.standing(state):
        told = book.remedy(f.code, f.street, "", event.happened)
        if told != f.remedy:
            ledger.put(state, said, replace(f, remedy=told, at=event.at))


# --- devices --------------------------------------------------------------------------------------


def _reader_lost(state: RulesState, said: list[Said], event: ReaderLost) -> None:
    state.lost[event.device] = event.zones
    if state.hand is not None:
        state.hand.blind |= set(event.zones)
    sides.lose_sight(state, event)
    if _loss_of(state, event.device) is not None:
        return
    readers = bool(event.zones)  # else it is what senses chairs, button or keys
    ledger.open_finding(
        state,
        said,
        "READER_LOST" if readers else "SENSORS_LOST",
        at=event.at,
        street=None,
        zone=event.zones[0] if event.zones else None,
        expected=f"an answer from every {'reader' if readers else 'sensor'}",
        seen=f"{event.device}: {event.reason}" if event.reason else event.device,
        evidence=(event.seq,),
        evident=event.at,
    )


def _reader_back(state: RulesState, said: list[Said], event: ReaderBack) -> None:
    state.lost.pop(event.device, None)
    lost = _loss_of(state, event.device)
    if lost is not None:
        ledger.settle(state, said, lost.id, FindingState.CORRECTED, at=event.at)


def _loss_of(state: RulesState, device: str) -> Finding | None:
    """The open finding about that device."""
    for f in state.findings.values():
        lost = f.code in ledger.LOSSES and f.state is FindingState.OPEN
        if lost and f.seen.split(":")[0] == device:
            return f
    return None


# --- opening --------------------------------------------------------------------------------------


def _opened(state: RulesState, said: list[Said], event: TableOpened) -> None:
    book = rulebook(event)
    if state.hand is not None:
        start.end(state, said, event.at, "key")
    first = state.book is None
    state.book = book
    if event.anew:
        resume.begin_anew(state, said, event.at)
    state.seats = dict(event.seats)
    state.absent = frozenset(event.absent)
    state.watch_only = event.watch_only
    if event.button is not None:
        state.buttons = event.button
    state.decks = event.decks
    brought = frozenset(d.name for d in event.decks if d.used)
    state.deck = replace(state.deck, used=state.deck.used | brought)
    duties.reckon(state)
    if first or event.anew or event.opening:
        state.opening = event.opening
        if event.opening:
            decks.on_opening(state, said, event.at)
    start.over_max(state, said, event.at)
