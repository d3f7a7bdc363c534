"""Where a hand begins and ends, and whether the button lies where it must."""

from __future__ import annotations

from controller.model.events import CardCame, SeatStatus
from controller.model.findings import Finding, FindingState, HandBegan, HandEnded, Said, Street
from controller.model.table import MAX_SEATS, seat_of
from controller.rules.engine import decks, duties, ledger
from controller.rules.engine.play import in_play
from controller.rules.engine.state import NEVER, Hand, Redeal, RulesState, Seen
from controller.rules.plans import dealing_order

BURN_S = 6.0  # a burn that lies so long before the first hole card is no part of the deal
MISPLACED = ("BTN_START", "BTN_NOT_MOVED", "BTN_SKIPPED", "BTN_BACKWARD")
CLEAR_S = 10.0  # a single card that came so shortly after a hand may be one of its cards
LOOSE_S = 8.0  # two arrivals at two seats within so long are a deal
HOUSE_FINDINGS = (
    ledger.LOSSES
    | frozenset({"SEAT_OVER_MAX", "SEAT_UNASSIGNED", "DECK_SUSPECT", "DECK_RETURNED"})
    | frozenset(duties.CODES.values())
    | duties.CHANGE_CODES
    | decks.COUNT_CODES
)
"""What outlives the hand in which it was found."""


def due_seats(state: RulesState) -> tuple[int, ...]:
    """Seats that are due cards in the coming hand: the registry's word, never a sensor's."""
    return tuple(sorted(s for s, st in state.seats.items() if st is SeatStatus.IN))


def expected_button(state: RulesState) -> int | None:
    """The seat to which the button goes for the coming hand, as far as anybody can say."""
    if state.redeal is not None:
        return state.redeal.button
    seats = due_seats(state)
    if not seats:
        return None
    if state.last_button is not None:
        return dealing_order(seats, state.last_button)[0]
    if state.opening and state.book is not None:
        if state.book.button_start == "dealer-left":
            return seats[0]
        if state.book.button_start == "dealer-right":
            return seats[-1]
    return None


def button_for_hand(state: RulesState, when: float | None = None) -> int | None:
    """The seat that a hand's dealing goes by: what the sensors said at `when` (None: now), else
    what they last said since the hand before, else the seat that is due the button."""
    seen = _buttons_at(state, when)
    if seen is None:
        return expected_button(state)
    if not seen:
        hints = [s for _, s in state.button_log if len(s) == 1]
        if hints and hints[-1][0] != state.last_button:
            return hints[-1][0]
        return expected_button(state)
    if len(seen) == 1:
        return seen[0]
    expected = expected_button(state)
    return expected if expected in seen else seen[0]


def _buttons_at(state: RulesState, when: float | None) -> tuple[int, ...] | None:
    if when is None or state.buttons is None:
        return state.buttons
    before = [seats for at, seats in state.button_log if at <= when]
    return before[-1] if before else state.buttons


def consider_start(state: RulesState, event: CardCame) -> list[CardCame] | None:
    """Between hands a card from the deck has come to rest. The arrivals with which a hand begins,
    or None if none does.

    One begins with an arrival that fits the plan's first places, or with two arrivals at two seats
    in short succession; a single late, forgotten or washed card begins nothing.
    """
    book = state.book
    assert book is not None
    if event.after == NEVER:
        return None  # it lay there before anybody looked
    seats = due_seats(state)
    if len(seats) < 2:
        return None
    lying = [e for e in state.loose if e.token != event.token and _lies(state, e)]
    state.loose = (*lying, event)
    seat = seat_of(event.zone)
    first = dealing_order(seats, button_for_hand(state, event.before))[0]
    elsewhere = [
        e for e in state.loose if seat_of(e.zone) is None and e.zone != book.layout.burn_zone
    ]
    burns = [e for e in state.loose if e.zone == book.layout.burn_zone]
    if event.zone == book.layout.burn_zone:
        # A first burn may begin a hand, whether the house has one or not; in a wash it does not lie
        # alone. Where the house has none, a card there so soon after a hand is one of that hand.
        if not book.shape.burns[Street.DEAL] and event.after - state.ended_at < CLEAR_S:
            return None
        return [event] if len(burns) == 1 and not elsewhere else None
    if seat is None:
        return None
    recent = [
        e for e in state.loose if seat_of(e.zone) is not None and event.before - e.before <= LOOSE_S
    ]
    at_due = {seat_of(e.zone) for e in recent} & set(seats)
    if seat == first or len(at_due) >= 2:
        opening = [*recent]
        opening += [b for b in burns if event.before - b.before <= BURN_S]
        return sorted(opening, key=lambda e: e.before)
    return None


def _lies(state: RulesState, event: CardCame) -> bool:
    place = state.cards.get(event.token)
    return place is not None and place.zone == event.zone and place.lifted_since is None


def begin(
    state: RulesState,
    said: list[Said],
    at: float,
    provisional: bool = False,
    first_card: float | None = None,
) -> bool:
    """A hand begins: its plan is fixed, and the button is looked at. False where nobody is due
    cards.

    first_card: when the first card was seen, if the hand begins with one.
    """
    book = state.book
    assert book is not None
    seats = due_seats(state)
    if len(seats) < 2:
        return False
    button = button_for_hand(state, first_card)
    state.hands += 1
    state.lone = None
    if not provisional:
        state.loose = ()
    for number in [n for n, f in state.findings.items() if f.state in ledger.SETTLED]:
        del state.findings[number]
    state.hand = Hand(
        number=state.hands,
        plan=book.plan(seats, button),
        button=button,
        began=at if first_card is None else first_card,
        provisional=provisional,
        blind=frozenset(z for zs in state.lost.values() for z in zs),
    )
    if not provisional:
        announce(state, said, at)
    return True


def announce(state: RulesState, said: list[Said], at: float) -> None:
    hand = state.hand
    assert hand is not None
    if hand.announced:
        return
    hand.announced = True
    said.append(HandBegan(at=at, hand=hand.number, button=hand.button, seats=hand.plan.seats))
    if state.redeal is not None:
        _check_redeal(state, said, hand, at)
    else:
        _check_button(state, said, hand, at)
    _check_seats(state, said, at)
    duties.hand_begins(state, said, at)
    decks.hand_begins(state, said, at)


def _check_redeal(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    first = state.redeal
    book = state.book
    assert first is not None
    assert book is not None
    differs = []
    if hand.button != first.button:
        differs.append(f"button at seat {hand.button}, was {first.button}")
    if set(hand.plan.seats) != set(first.seats):
        now, then = set(hand.plan.seats), set(first.seats)
        changed = ", ".join(str(s) for s in sorted(now ^ then))
        differs.append(f"other seats dealt in: {changed}")
    if book.game != first.game:
        differs.append(f"game {book.game}, was {first.game}")
    if not differs or not book.profile.redeal_exact.value:
        return
    ledger.open_finding(
        state,
        said,
        "REDEAL_NOT_EXACT",
        at=at,
        street=Street.DEAL,
        seat=hand.button if hand.button != first.button else None,
        expected="the same button, seats and game as in the first deal",
        seen="; ".join(differs),
        evident=at,
    )


def _check_button(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    book = state.book
    seen = _buttons_at(state, hand.began)
    assert book is not None
    if seen is None:
        return
    expected = expected_button(state)
    if len(seen) == 0:
        if book.profile.button_required.value:
            _button(
                state,
                said,
                "BTN_MISSING",
                at,
                expected,
                "one button on the table",
                "none",
                "opening" if state.opening else "",
            )
        return
    if len(seen) > 1:
        wrong = next((s for s in seen if s != expected), seen[-1])
        _button(
            state,
            said,
            "BTN_DUPLICATE",
            at,
            wrong,
            "one button",
            "at seats " + " and ".join(map(str, seen)),
        )
        return
    seat = seen[0]
    if state.last_button is None:
        if state.opening and expected is not None and seat != expected:
            _button(
                state,
                said,
                "BTN_START",
                at,
                expected,
                f"the opening button at seat {expected}",
                f"at seat {seat}",
            )
        return
    if seat == state.last_button:
        _button(
            state,
            said,
            "BTN_NOT_MOVED",
            at,
            expected,
            f"the button moved to seat {expected}",
            f"still at seat {seat}",
        )
        return
    last, turn = state.last_button, _seats_round(state)
    players = [s for s in due_seats(state) if s in state.last_seats]
    passed = [s for s in players if 0 < (s - last) % turn < (seat - last) % turn]
    if not passed:
        return
    if sum(0 < (s - seat) % turn < (last - seat) % turn for s in players) < len(passed):
        _button(
            state,
            said,
            "BTN_BACKWARD",
            at,
            expected,
            f"the button clockwise to seat {expected}",
            f"back to seat {seat}",
        )
        return
    nearest = min(passed, key=lambda s: (s - last) % turn)
    _button(
        state,
        said,
        "BTN_SKIPPED",
        at,
        nearest,
        f"the button at seat {nearest}",
        f"at seat {seat}",
    )


def _seats_round(state: RulesState) -> int:
    return state.book.layout.seats if state.book is not None else MAX_SEATS


def _button(
    state: RulesState,
    said: list[Said],
    code: str,
    at: float,
    seat: int | None,
    expected: str,
    seen: str,
    detail: str = "",
) -> None:
    ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=Street.DEAL,
        seat=seat,
        expected=expected,
        seen=seen,
        evident=at,
        detail=detail,
    )


def on_button(
    state: RulesState, said: list[Said], seats: tuple[int, ...] | None, at: float
) -> None:
    """The button sensors, or the floor, say where the button is; None: they no longer can."""
    state.buttons = seats
    if seats is None:
        return
    state.button_log = (*state.button_log, (at, seats))[-8:]
    hand = state.hand
    if hand is None:
        return
    if not hand.announced:
        return
    check_button_in_hand(state, said, at)


def _deal_by(state: RulesState, hand: Hand, seat: int) -> None:
    """The hand's button is at that seat. Before the first card the deal goes by it, too: a hand
    that began by key waits for its cards, and the button may be put right meanwhile."""
    hand.button = seat
    if not hand.fills and state.book is not None:
        hand.plan = state.book.plan(hand.plan.seats, seat)


def check_button_in_hand(state: RulesState, said: list[Said], at: float) -> None:
    """The button stays where it is from the first card to the end of the hand."""
    hand, seats = state.hand, state.buttons
    if hand is None or seats is None:
        return
    known = [f for f in ledger.standing(state) if f.code.startswith("BTN_")]
    if seats == (hand.button,):
        for f in known:
            if f.code in ("BTN_MOVED_MIDHAND", "BTN_MISSING", "BTN_DUPLICATE"):
                ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)
        return
    if not seats:
        return  # lifted for a moment; the hand's button is known
    if len(seats) > 1:
        if not any(f.code == "BTN_DUPLICATE" for f in known):
            wrong = next((s for s in seats if s != hand.button), seats[-1])
            _button(
                state,
                said,
                "BTN_DUPLICATE",
                at,
                wrong,
                "one button",
                "at seats " + " and ".join(map(str, seats)),
            )
        return
    seat = seats[0]
    missing = [f for f in known if f.code == "BTN_MISSING"]
    if missing or hand.button is None:
        for f in missing:
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)
        if not hand.fills or hand.button is None:
            _deal_by(state, hand, seat)
        return
    placed = [
        f for f in known if f.code in ("BTN_START", "BTN_NOT_MOVED", "BTN_SKIPPED", "BTN_BACKWARD")
    ]
    if placed and placed[0].seat == seat:
        for f in placed:
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)
        _deal_by(state, hand, seat)
        return
    if any(f.code == "BTN_MOVED_MIDHAND" for f in known) or not in_play(state, hand, at):
        return
    _button(
        state,
        said,
        "BTN_MOVED_MIDHAND",
        at,
        hand.button,
        f"the button at seat {hand.button} until the hand ends",
        f"at seat {seat}",
    )


def _check_seats(state: RulesState, said: list[Said], at: float) -> None:
    over_max(state, said, at)


def _standing_house(state: RulesState, code: str) -> list[Finding]:
    """Open findings about the house, of whichever hand."""
    return [f for f in state.findings.values() if f.code == code and f.state is FindingState.OPEN]


def over_max(state: RulesState, said: list[Said], at: float) -> None:
    book = state.book
    assert book is not None
    taken = sum(st is not SeatStatus.OUT for st in state.seats.values())
    known = _standing_house(state, "SEAT_OVER_MAX")
    if taken > book.max_seats:
        if not known:
            ledger.open_finding(
                state,
                said,
                "SEAT_OVER_MAX",
                at=at,
                street=None,
                seat=max(s for s, st in state.seats.items() if st is not SeatStatus.OUT),
                expected=f"at most {book.max_seats} players",
                seen=f"{taken} players",
                evident=at,
            )
    else:
        for f in known:
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)


def unassigned(
    state: RulesState, said: list[Said], seat: int, at: float, sat_down: bool = False
) -> None:
    """Somebody sits down where nobody is registered; a player who is leaving is not asked."""
    book = state.book
    assert book is not None
    occupied = seat in state.occupied
    known = [f for f in _standing_house(state, "SEAT_UNASSIGNED") if f.seat == seat]
    wrong = occupied and state.seats.get(seat, SeatStatus.OUT) is SeatStatus.OUT
    if wrong and sat_down and not known and book.profile.seat_assigned.value:
        ledger.open_finding(
            state,
            said,
            "SEAT_UNASSIGNED",
            at=at,
            street=None,
            seat=seat,
            expected="a player registered at the seat",
            seen="somebody sits there",
            evident=at,
        )
    elif not wrong:
        for f in known:
            ledger.settle(state, said, f.id, FindingState.CORRECTED, at=at)


def end(state: RulesState, said: list[Said], at: float, reason: str) -> None:
    """The hand is over. Its findings are closed; a misdeal corrects what it is the remedy of."""
    hand = state.hand
    book = state.book
    if hand is None or book is None:
        return
    misdeal = reason == "misdeal"
    opening = [f for f in state.findings.values() if f.code in decks.AT_OPENING]
    for f in dict.fromkeys([*opening, *ledger.standing(state)]):
        if HOUSE_FINDINGS & set(f.codes):
            continue
        ledger.settle(
            state,
            said,
            f.id,
            FindingState.CORRECTED if misdeal else FindingState.CLOSED,
            at=at,
        )
    if misdeal:
        button = next(
            (
                f.seat
                for f in state.findings.values()
                if f.hand == hand.number and f.code in MISPLACED
            ),
            hand.button,
        )
        state.redeal = state.redeal or Redeal(button, hand.plan.seats, book.game)
    else:
        dealt = hole_cards_dealt(hand)
        if dealt:
            state.redeal = None
        if hand.button is not None and dealt:
            state.last_button = hand.button
            state.last_seats = hand.plan.seats
            state.opening = False
    duties.hand_ended(state, hand.began, at)
    state.hand = None
    state.cards = {}
    state.seen = Seen()
    state.adopt = ()
    state.loose = ()
    state.lone = None
    state.button_log = state.button_log[-1:]
    state.ended_at = at
    said.append(HandEnded(at=at, hand=hand.number, reason=reason))  # type: ignore[arg-type]


def cancel(state: RulesState, said: list[Said], at: float) -> None:
    """What looked like a hand's first card was part of a wash, or was taken up again."""
    hand = state.hand
    if hand is None:
        return
    if hand.announced:
        end(state, said, at, "gather")
        return
    state.hands -= 1
    state.hand = None


def hole_cards_dealt(hand: Hand) -> bool:
    return any(hand.plan.first_hole <= i <= hand.plan.last_hole for i in hand.fills)
