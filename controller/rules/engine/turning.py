"""Faces of the board: dealt face up, or turned; by the house's rule the flop face down first, and
then all three together.

That a card stays face down is an absence, the turning that does not come: it is asked about before
it alarms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from controller.model.events import LaidTogether, Token
from controller.model.findings import Judgement, Said, Street
from controller.model.table import Zone, is_board
from controller.rules.engine import ledger, sides, streets
from controller.rules.engine.cases import Case, mended, standing
from controller.rules.engine.play import in_play
from controller.rules.engine.sides import Spell, now_up, spells, together
from controller.rules.engine.state import Fill, Hand, RulesState, Side
from controller.rules.plans import BOARD_STREETS

SEEN_DOWN_S = 2.0  # for so long it must have been seen to lie so
STAYS_DOWN_S = 3.0  # a dealer lays three cards down, squares them, and turns them
UNFINISHED_S = 3.0  # more, while cards of the street are still to come
WARN_AFTER_S = 5.0  # a question stands so long before it becomes a warning
FASTEST_CARD_S = 0.25  # nobody deals single cards in quicker succession

DOWN = "BOARD_FACE_DOWN"
EARLY = "BOARD_FACE_UP_EARLY"
SPLIT = "FLOP_TURN_SPLIT"
BLOCK = "FLOP_NOT_SINGLE"

BEING_MENDED = ("BURN_MISSING", "BOARD_COUNT", "CARD_AFTER_RIVER", "BOARD_POSITION")
"""While the street's cards are put right they may lie any way up."""


def cases(state: RulesState, hand: Hand) -> Iterator[Case]:
    for street in BOARD_STREETS:
        yield from _stays_down(state, hand, street)
    if turns_the_flop(state):
        yield from _turned(state, hand)
    yield from _blocks(state, hand)


def turns_the_flop(state: RulesState) -> bool:
    """Whether the house deals its flop face down first."""
    book = state.book
    assert book is not None
    return book.profile.flop_style.value == "face-down-then-turn"


# --- a card that stays face down ------------------------------------------------------------------


def _lying(state: RulesState, hand: Hand, street: Street) -> dict[Token, tuple[Side, ...]]:
    """The street's cards on the board, and what was seen of each."""
    found: dict[Token, tuple[Side, ...]] = {}
    for i in hand.plan.board[street]:
        fill = hand.fills.get(i)
        if fill is None or fill.token is None:
            continue
        place = state.cards.get(fill.token)
        if place is not None and place.lifted_since is None and is_board(place.zone):
            found[fill.token] = state.seen.cards.get(fill.token, ())
    return found


def _board(state: RulesState, hand: Hand, street: Street) -> Zone:
    return hand.plan.slots[hand.plan.board[street][0]].zone


def _down(state: RulesState, hand: Hand, street: Street) -> list[Side]:
    """The sides of the street's cards that lie face down now."""
    found = [s[-1] for s in _lying(state, hand, street).values() if now_up(s) is False]
    came = _came(hand, street)
    begun = _begun_after(hand, street)
    unnamed = [
        s
        for s in sides.of_zone(state, _board(state, hand, street))
        if came and s.before >= came[0].after and (begun is None or s.before <= begun)
    ]
    # Which card a face belongs to that cannot be named nobody knows: it may be any of them.
    found = found[: max(0, len(found) - sides.showing(unnamed))]
    if begun is None and now_up(unnamed) is False:
        found.append(unnamed[-1])
    return found


def _came(hand: Hand, street: Street) -> list[Fill]:
    """The street's arrivals, the first to come first."""
    fills = [hand.fills[i] for i in hand.plan.board[street] if i in hand.fills]
    return sorted(fills, key=lambda f: f.before)


def _begun_after(hand: Hand, street: Street) -> float | None:
    """When the first card of a later street was seen."""
    later = BOARD_STREETS[BOARD_STREETS.index(street) + 1 :]
    times = [
        f.before
        for s in later
        for i in (*hand.plan.burns[s], *hand.plan.board[s])
        if (f := hand.fills.get(i)) is not None
    ]
    return min(times, default=None)


def _stays_down(state: RulesState, hand: Hand, street: Street) -> Iterator[Case]:
    down = _down(state, hand, street)
    came = _came(hand, street)
    if not down or not came:
        return
    about = [
        f
        for f in state.findings.values()
        if f.hand == hand.number and f.street is street and set(f.codes) & set(BEING_MENDED)
    ]
    if any(f.state not in ledger.SETTLED for f in about):
        return
    moved = [s[-1].before for s in _lying(state, hand, street).values() if s]
    since = max(
        came[-1].before,
        *(s.before for s in down),
        *moved,
        *(f.at for f in about),
        hand.last_turned_at,
    )
    due = since + STAYS_DOWN_S
    if not streets.board_full(hand, street):
        due += UNFINISHED_S
    elif (begun := _begun_after(hand, street)) is not None and begun > since:
        due = min(due, begun)
    seen_until = max(s.until for s in down)  # not what is hidden by a hand
    standing_ones = ledger.standing(state, DOWN, street)
    for finding in standing_ones:
        late = max(due, finding.first_at) + WARN_AFTER_S
        seen = seen_until >= finding.first_at + SEEN_DOWN_S
        if finding.asking and seen and in_play(state, hand, late):
            key = ("stays", street.value, finding.first_at)
            yield Case(key, late, partial(_insist, finding.id))
    seen = seen_until >= min(due, since + SEEN_DOWN_S)
    if not standing_ones and seen and in_play(state, hand, due):
        yield Case(("down", street.value, since), due, partial(_ask, street, tuple(down)))


def _ask(
    street: Street, down: tuple[Side, ...], state: RulesState, said: list[Said], at: float
) -> int:
    hand = state.hand
    assert hand is not None
    detail = ""
    if street is Street.FLOP:
        detail = "unturned" if turns_the_flop(state) else "flop"
    n = len(down)
    return ledger.open_finding(
        state,
        said,
        DOWN,
        at=at,
        street=street,
        zone=_board(state, hand, street),
        expected="board cards face up",
        seen=f"{n} card{'s' if n != 1 else ''} face down",
        evidence=tuple(s.seq for s in down),
        evident=max(s.before for s in down),
        asking=True,
        detail=detail,
    )


def _insist(number: int, state: RulesState, said: list[Said], at: float) -> int:
    ledger.sharpen(state, said, number, at=at, asking=False, positive=True)
    return number


def dealer_says_turned(state: RulesState, said: list[Said], at: float) -> None:
    """The dealer's key: the flop is turned. It answers a question that is on the board; against
    what a camera insists on it says nothing, and where nothing was asked nothing is."""
    hand = state.hand
    if hand is None:
        return
    for finding in ledger.standing(state, DOWN):
        if finding.asking:
            hand.last_turned_at = at
            mended(state, said, finding.id, at)


# --- the flop that is turned ----------------------------------------------------------------------


def _turned(state: RulesState, hand: Hand) -> Iterator[Case]:
    """A flop that lies face down first: no face before three are down, and then all at once."""
    came = _came(hand, Street.FLOP)
    if not streets.board_full(hand, Street.FLOP) or any(f.token is None for f in came):
        return
    key = ("turned", "flop", float(came[0].seq))
    early, turned = _turnings(state, hand, came)
    if early:
        worst = min(early, key=lambda pair: pair[0].before)
        due = max(worst[0].before, came[-1].before)
        yield Case(key, due, partial(_say_turned, worst[1], tuple(s for s, _ in early)))
        return
    if len(turned) >= len(came) and together(turned, _window_s(state)) is Judgement.VIOLATION:
        due = max(s.before for s in turned)
        yield Case(key, due, partial(_say_turned, SPLIT, tuple(turned)))


def _window_s(state: RulesState) -> float:
    book = state.book
    assert book is not None
    return book.profile.flop_turn_window_ms.value / 1000.0


def how_turned(state: RulesState, hand: Hand) -> tuple[Judgement, str]:
    """Whether the flop was turned as it must be, and, if nobody can tell, why."""
    came = _came(hand, Street.FLOP)
    early, turned = _turnings(state, hand, came)
    if early or len(turned) < len(came):
        return Judgement.CANNOT_TELL, "not every card was seen to be turned"
    judged = together(turned, _window_s(state))
    first_down = max(f.before for f in came)
    if judged is Judgement.IN_ORDER and min(s.after for s in turned) < first_down:
        return Judgement.CANNOT_TELL, "a card may have been turned before three were down"
    reason = "the cards were turned too far apart to be seen together, and too close to say so"
    return judged, reason if judged is Judgement.CANNOT_TELL else ""


def _turnings(
    state: RulesState, hand: Hand, came: list[Fill]
) -> tuple[list[tuple[Spell, str]], list[Spell]]:
    """The faces that showed before the third card can have come, each with what that is; and the
    last turning of each of the other cards."""
    three_down = max(f.after for f in came)
    early: list[tuple[Spell, str]] = []
    turned: list[Spell] = []
    for fill in came:
        shown = list(spells(state.seen.cards.get(fill.token, ()))) if fill.token else []
        before = [s for s in shown if s.before <= three_down]
        early += [(s, EARLY if s.first else SPLIT) for s in before[:1]]
        turned += [s for s in shown[-1:] if s not in before]
    unnamed = state.seen.zones.get(_board(state, hand, Street.FLOP), ())
    later = _begun_after(hand, Street.FLOP)
    lay_down = min((s.before for s in unnamed if s.up is False), default=None)
    for side in unnamed:
        if not side.up or side.before < hand.began or (later is not None and side.before > later):
            continue
        spell = Spell(side.after, side.before, side.seq, side.until)
        if side.before <= three_down:
            was_down = lay_down is not None and lay_down <= side.after
            early.append((spell, SPLIT if was_down else EARLY))
        else:
            turned.append(spell)
    return early, turned


def _say_turned(
    code: str, shown: tuple[Spell, ...], state: RulesState, said: list[Said], at: float
) -> int:
    hand = state.hand
    assert hand is not None
    evidence = tuple(s.seq for s in sorted(shown, key=lambda s: s.before))
    if code == EARLY:
        expected, seen = "three cards face down before one is turned", "a face before that"
    else:
        expected, seen = "three cards turned together", "cards turned one after the other"
    for finding in ledger.standing(state, DOWN, Street.FLOP):
        # The card that was asked about was turned at last, only too late.
        ledger.sharpen(
            state,
            said,
            finding.id,
            at=at,
            code=code,
            asking=False,
            positive=True,
            expected=expected,
            seen=seen,
            evidence=evidence,
        )
        return finding.id
    return ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=Street.FLOP,
        zone=_board(state, hand, Street.FLOP),
        expected=expected,
        seen=seen,
        evidence=evidence,
        evident=max(s.before for s in shown),
    )


# --- a flop laid as one block ---------------------------------------------------------------------


def _blocks(state: RulesState, hand: Hand) -> Iterator[Case]:
    book = state.book
    assert book is not None
    if book.profile.flop_deal.value != "one-at-a-time":
        return
    for block in state.seen.blocks:
        if is_board(block.zone) and block.before >= hand.began and _is_the_flop(hand, block):
            yield Case(("block", block.zone, block.before), block.at, partial(_say_block, block))


def _is_the_flop(hand: Hand, block: LaidTogether) -> bool:
    """Whether the block is the flop as it is dealt, and too quick for single cards."""
    single_s = FASTEST_CARD_S * (block.cards - 1)
    if block.cards < 2 or block.before - block.after >= single_s:
        return False
    lay = [
        f
        for s in BOARD_STREETS
        for i in hand.plan.board[s]
        if (f := hand.fills.get(i)) is not None and f.before <= block.after
    ]
    return len(lay) + block.cards <= len(hand.plan.board[Street.FLOP])


def _say_block(block: LaidTogether, state: RulesState, said: list[Said], at: float) -> int:
    return ledger.open_finding(
        state,
        said,
        BLOCK,
        at=at,
        street=Street.FLOP,
        zone=block.zone,
        expected="flop cards one by one",
        seen=f"{block.cards} cards laid as one",
        evidence=(block.seq,),
        evident=block.before,
    )


# --- what has been put right ----------------------------------------------------------------------


def mend(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    for (what, of, _), number in hand.faces.items():
        finding = standing(state, number)
        if finding is None:
            continue
        if what == "down" and finding.code == DOWN:
            if not _down(state, hand, Street(str(of))):
                mended(state, said, number, at)
        elif what == "turned" and finding.code == EARLY and _finished_well(state, hand):
            mended(state, said, number, at)


def _finished_well(state: RulesState, hand: Hand) -> bool:
    """Whether after an early face the flop was finished and its other cards were turned
    together."""
    came = _came(hand, Street.FLOP)
    lying = _lying(state, hand, Street.FLOP)
    unnamed = sides.of_zone(state, _board(state, hand, Street.FLOP))
    faces = sum(now_up(s) is True for s in lying.values()) + sides.showing(unnamed)
    if len(lying) < len(came) or faces < len(came):
        return False
    _, turned = _turnings(state, hand, came)
    return bool(turned) and together(turned, _window_s(state)) is not Judgement.VIOLATION
