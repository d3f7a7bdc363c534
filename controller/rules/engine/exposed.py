"""Faces of hole cards: dealt face up, shown by their owner while others still play, and folded face
up.

At the showdown hands are shown, and nothing is said. It begins where the river can have come; where
all have bet all they have it begins sooner, which a table without money entries sees by this alone,
that more than one whole hand is tabled. So a single tabled hand is asked about before it alarms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf

from controller.model.events import Token
from controller.model.findings import FindingState, Said, Severity, Street
from controller.model.table import MUCK, STUB, Zone, seat_zone
from controller.rules.engine import ledger, moves, sides, streets
from controller.rules.engine.cases import Case, Settle, mended, standing
from controller.rules.engine.play import in_play, live_seats
from controller.rules.engine.sides import EXPOSED_S, Spell, now_up, showed, spells
from controller.rules.engine.state import CardAt, Exposure, Hand, RulesState

CODE = "HOLE_EXPOSED"
FOLDED = "FOLD_REVEALED"

DEALT_S = 2.0  # a card that shows its face so soon after it came was dealt so
PLAYER_S = 2.5  # by then the fold that ended the hand has been read, or the whole hand is tabled
TABLED_S = 4.0  # for so long a hand may lie tabled before the others are asked for
ALONE_S = 20.0  # all-in hands are all tabled by then
BOXED_S = 3.0  # the deck's top card, seen so shortly before, is the one that was dealt
FIRST_CARDS = 2


def cases(state: RulesState, hand: Hand) -> Iterator[Case]:
    yield from _hole_cards(state, hand)
    yield from _tabled_hands(state, hand)
    yield from _folded_hands(state, hand)


# --- at the seats ---------------------------------------------------------------------------------


def _hole_cards(state: RulesState, hand: Hand) -> Iterator[Case]:
    for key, token, seat, place, spell in _shown(state, hand):
        if spell.end_before <= place.after or not showed(spell, EXPOSED_S):
            continue
        if _at_showdown(hand, spell):
            continue
        dealt = spell.before <= place.before + DEALT_S
        due = spell.before + (EXPOSED_S if dealt else PLAYER_S)
        if not in_play(state, hand, due):
            continue
        settle: Settle
        if dealt:
            settle = partial(_say_dealt, token, seat, spell)
        elif _is_tabled(state, hand, seat):
            settle = _nothing
        elif _others_hold_theirs(state, hand, seat, spell):
            continue
        else:
            settle = partial(_say_shown, token, seat, spell)
        yield Case(("hole", key, spell.before), due, settle)


def _nothing(state: RulesState, said: list[Said], at: float) -> int:
    """It was in order when its time came: what is taken up later is not judged again."""
    return 0


def _others_hold_theirs(state: RulesState, hand: Hand, seat: int | None, spell: Spell) -> bool:
    """Whether nobody else's cards lie at a seat since before the face was shown. They are held, or
    folded: a camera alone cannot tell, for it does not know cards that come to the muck face down.
    """
    others = [p for _, s, p in _at_their_seats(state, hand) if s != seat]
    return hand.closed and all(
        p.lifted_since is not None and p.lifted_since <= spell.before for p in others
    )


def _shown(state: RulesState, hand: Hand) -> Iterator[tuple[int | str, Token, int, CardAt, Spell]]:
    """Every time in which a hole card showed its face at its seat. Where it cannot be told which of
    a seat's cards it was, it is taken for the last that had come by then: the mildest case."""
    by_seat: dict[int, list[tuple[Token, CardAt]]] = {}
    for token, seat, place in _at_their_seats(state, hand):
        by_seat.setdefault(seat, []).append((token, place))
        for spell in spells(state.seen.cards.get(token, ()), place):
            yield int(token), token, seat, place, spell
    for seat, cards in by_seat.items():
        zone = seat_zone(seat)
        for spell in spells(sides.of_zone(state, zone)):
            there = [c for c in cards if c[1].after <= spell.before]
            if there:
                token, place = max(there, key=lambda c: (c[1].before, c[0]))
                yield zone, token, seat, place, spell


def _at_their_seats(state: RulesState, hand: Hand) -> Iterator[tuple[Token, int, CardAt]]:
    for token, seat in hand.at_seat.items():
        place = state.cards.get(token)
        if place is None or place.returned or seat in hand.folded:
            continue
        if place.zone == seat_zone(seat):
            yield token, seat, place


def _at_showdown(hand: Hand, spell: Spell) -> bool:
    """Whether the river can have been there before the face was exposed."""
    river = streets.first_board(hand, Street.RIVER)
    return river is not None and spell.before + EXPOSED_S > river.after


def _say_dealt(
    token: Token, seat: int, spell: Spell, state: RulesState, said: list[Said], at: float
) -> int:
    """The dealer has exposed the card: the first or second of the deal, or any two, are a misdeal;
    a later one is replaced and becomes the burn (TDA 35-A; IRR-13 to IRR-15, boxed IRR-18, 19)."""
    hand = state.hand
    assert hand is not None
    slot = next((i for i, f in hand.fills.items() if f.token == token), None)
    boxed = _seen_in_the_deck(state, spell)
    if sum(e.dealt for e in hand.exposures):
        detail = "two"
    elif boxed:
        detail = "boxed"
    else:
        first = slot is not None and slot - hand.plan.first_hole < FIRST_CARDS
        detail = "first" if first else "later"
    ceiling = None if detail in ("first", "two") else Severity.WARNING
    known = hand.faces.get(("deck", STUB, boxed.before), 0) if boxed else 0
    finding = state.findings.get(known)
    if finding is not None and finding.state in (FindingState.OPEN, FindingState.CORRECTED):
        number = known  # the deck hides its face again, for the card has been dealt
        if ceiling is not None:
            hand.ceilings[number] = ceiling
        ledger.sharpen(
            state,
            said,
            number,
            at=at,
            code=CODE,
            seat=seat,
            zone=seat_zone(seat),
            positive=True,
            expected="a hole card face down",
            seen="its face, seen in the deck before",
            evidence=(spell.seq,),
            detail=detail,
        )
    else:
        number = ledger.open_finding(
            state,
            said,
            CODE,
            at=at,
            street=Street.DEAL,
            seat=seat,
            zone=seat_zone(seat),
            expected="a hole card face down",
            seen="its face" if not boxed else "its face, seen in the deck before",
            evidence=(spell.seq,),
            evident=spell.before,
            detail=detail,
            at_most=ceiling,
        )
    if detail == "boxed":
        hand.token_findings[token] = number
    hand.exposures = (*hand.exposures, Exposure(token, seat, number, dealt=True, detail=detail))
    return number


def _seen_in_the_deck(state: RulesState, spell: Spell) -> Spell | None:
    """The time for which the deck's top card had shown its face until this card was dealt, if it
    did: the card lay face up in the deck."""
    for top in spells(sides.of_zone(state, STUB)):
        if top.before < spell.before <= top.before + BOXED_S or (
            top.before < spell.before <= top.end_before < inf
        ):
            return top
    return None


def _shown_already(state: RulesState, hand: Hand, seat: int) -> int:
    """The finding about a card that this player has shown, if one is open; else 0."""
    shown = (e for e in hand.exposures if e.seat == seat and not e.dealt and _open(state, e))
    return next((e.finding for e in shown), 0)


def _say_shown(
    token: Token, seat: int, spell: Spell, state: RulesState, said: list[Said], at: float
) -> int:
    """A player has shown a card (IRR-17): it plays, and is turned down again."""
    hand = state.hand
    assert hand is not None
    known = _shown_already(state, hand, seat)
    if known:
        ledger.sharpen(
            state, said, known, at=at, asking=False, positive=True, evidence=(spell.seq,)
        )
    else:
        known = _open_shown(state, said, seat, at, spell, "a face while others play", asking=False)
    hand.exposures = (*hand.exposures, Exposure(token, seat, known, dealt=False))
    return known


def _open_shown(
    state: RulesState,
    said: list[Said],
    seat: int,
    at: float,
    spell: Spell,
    seen: str,
    asking: bool,
) -> int:
    hand = state.hand
    assert hand is not None
    return ledger.open_finding(
        state,
        said,
        CODE,
        at=at,
        street=moves.current_street(hand),
        seat=seat,
        zone=seat_zone(seat),
        expected="hole cards face down",
        seen=seen,
        evidence=(spell.seq,),
        evident=spell.before,
        asking=asking,
        detail="player",
        at_most=Severity.WARNING,
    )


def _open(state: RulesState, exposure: Exposure) -> bool:
    return standing(state, exposure.finding) is not None


# --- whole hands on the table ---------------------------------------------------------------------


def _is_tabled(state: RulesState, hand: Hand, seat: int) -> bool:
    """Whether all of a seat's cards lie there face up."""
    cards = [(t, p) for t, s, p in _at_their_seats(state, hand) if s == seat]
    return (
        hand.closed
        and len(cards) >= hand.plan.hole_cards
        and all(p.lifted_since is None for _, p in cards)
        and _faces_at(state, seat, cards) >= len(cards)
    )


def _faces_at(state: RulesState, seat: int, cards: list[tuple[Token, CardAt]]) -> int:
    """How many of a seat's cards lie face up."""
    named = sum(
        p.lifted_since is None and now_up(state.seen.cards.get(t, ())) is True for t, p in cards
    )
    return named + sides.showing(sides.of_zone(state, seat_zone(seat)))


def _tabled(state: RulesState, hand: Hand, at: float) -> list[int]:
    return [s for s in sorted(live_seats(state, hand, at)) if _is_tabled(state, hand, s)]


def _tabled_hands(state: RulesState, hand: Hand) -> Iterator[Case]:
    for seat in hand.plan.seats:
        if not _is_tabled(state, hand, seat):
            continue
        latest: dict[int | str, tuple[Token, CardAt, Spell]] = {}
        for key, token, s, place, spell in _shown(state, hand):
            if s == seat:
                latest[key] = (token, place, spell)
        token, _, last = max(latest.values(), key=lambda found: (found[2].before, found[0]))
        if _at_showdown(hand, last) or any(
            spell.before <= place.before + DEALT_S for _, place, spell in latest.values()
        ):
            continue
        asked = hand.faces.get(("tabled", seat, last.before), 0)
        due = last.before + (ALONE_S if asked else TABLED_S)
        if not in_play(state, hand, due) or _others_hold_theirs(state, hand, seat, last):
            continue
        if len(_tabled(state, hand, due)) > 1:
            yield Case(("tabled", seat, last.before), due, _nothing)
        elif not asked:
            yield Case(("tabled", seat, last.before), due, partial(_ask_tabled, token, seat, last))
        elif (finding := standing(state, asked)) is not None and finding.asking:
            yield Case(("alone", seat, last.before), due, partial(_alone, asked))


def _ask_tabled(
    token: Token, seat: int, spell: Spell, state: RulesState, said: list[Said], at: float
) -> int:
    hand = state.hand
    assert hand is not None
    known = _shown_already(state, hand, seat)
    if known:
        return known
    number = _open_shown(state, said, seat, at, spell, "a whole hand tabled", asking=True)
    hand.exposures = (*hand.exposures, Exposure(token, seat, number, dealt=False))
    return number


def _alone(number: int, state: RulesState, said: list[Said], at: float) -> int:
    ledger.sharpen(state, said, number, at=at, asking=False, positive=True)
    return number


# --- folded hands ---------------------------------------------------------------------------------


def _folded_hands(state: RulesState, hand: Hand) -> Iterator[Case]:
    for token, seat, place in _folded(state, hand):
        for spell in spells(state.seen.cards.get(token, ()), place):
            if showed(spell, EXPOSED_S, place.before) and _before_the_river(hand, spell):
                due = max(spell.before, place.before) + EXPOSED_S
                ended = _others_hold_theirs(state, hand, seat, spell)
                if not ended and in_play(state, hand, due, token):
                    settle = partial(_say_folded, seat, place.zone, spell)
                    yield Case(("fold", seat, 0.0), due, settle)
    if any(p.zone == MUCK and hand.at_seat.get(t) not in hand.folded for t, p in _lying(state)):
        return  # it may be another card's face
    for spell in spells(sides.of_zone(state, MUCK)):
        due = spell.before + EXPOSED_S
        seen = hand.folded and showed(spell, EXPOSED_S, hand.began)
        if seen and _before_the_river(hand, spell) and in_play(state, hand, due):
            whose = _whose(state, hand, spell)
            if _others_hold_theirs(state, hand, whose, spell):
                continue
            settle = partial(_say_folded, whose, MUCK, spell)
            yield Case(("fold", MUCK, spell.before), max(due, hand.began), settle)


def _lying(state: RulesState) -> list[tuple[Token, CardAt]]:
    return [(t, c) for t, c in state.cards.items() if c.lifted_since is None and not c.carried]


def _folded(state: RulesState, hand: Hand) -> Iterator[tuple[Token, int, CardAt]]:
    for token, seat in hand.at_seat.items():
        place = state.cards.get(token)
        if seat in hand.folded and place is not None and moves.is_pile(place.zone):
            yield token, seat, place


def _whose(state: RulesState, hand: Hand, spell: Spell) -> int | None:
    """The seat whose folded card shows its face, where a camera cannot name it: the only one that
    has folded, or whose cards came to the muck about when the face was first seen."""
    if len(hand.folded) == 1:
        return next(iter(hand.folded))
    about = {
        seat
        for _, seat, place in _folded(state, hand)
        if place.after <= spell.before and place.before >= spell.after - EXPOSED_S
    }
    return about.pop() if len(about) == 1 else None


def _before_the_river(hand: Hand, spell: Spell) -> bool:
    """Later hands are shown down, and lie in the muck as they fell."""
    river = streets.first_board(hand, Street.RIVER)
    return river is None or spell.before + EXPOSED_S <= river.after


def _say_folded(
    seat: int | None, zone: Zone, spell: Spell, state: RulesState, said: list[Said], at: float
) -> int:
    hand = state.hand
    assert hand is not None
    for exposure in hand.exposures:
        if exposure.seat == seat and not exposure.dealt and _open(state, exposure):
            # It was shown, and then folded as it lay: the same mistake, known better.
            hand.ceilings.pop(exposure.finding, None)
            ledger.sharpen(
                state,
                said,
                exposure.finding,
                at=at,
                code=FOLDED,
                zone=zone,
                asking=False,
                positive=True,
                expected="a folded hand face down",
                seen="its face",
                evidence=(spell.seq,),
            )
            return exposure.finding
    for finding in ledger.standing(state, FOLDED):
        if finding.seat == seat:
            ledger.sharpen(state, said, finding.id, at=at, positive=True, evidence=(spell.seq,))
            return finding.id
    return ledger.open_finding(
        state,
        said,
        FOLDED,
        at=at,
        street=moves.current_street(hand),
        seat=seat,
        zone=zone,
        expected="a folded hand face down",
        seen="its face",
        evidence=(spell.seq,),
        evident=spell.before,
    )


# --- what has been put right ----------------------------------------------------------------------


def mend(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    for e in hand.exposures:
        finding = standing(state, e.finding)
        if finding is not None and finding.code == CODE and _is_mended(state, hand, e, at):
            mended(state, said, e.finding, at)
    for (what, of, _), number in hand.faces.items():
        if what != "fold" or standing(state, number) is None:
            continue
        if of == MUCK:
            shows = sides.showing(sides.of_zone(state, MUCK)) > 0
        else:
            shows = any(
                s == of and p.lifted_since is None and now_up(state.seen.cards.get(t, ()))
                for t, s, p in _folded(state, hand)
            )
        if not shows:
            mended(state, said, number, at)


def _is_mended(state: RulesState, hand: Hand, e: Exposure, at: float) -> bool:
    place = state.cards.get(e.token)
    if e.dealt:
        left = hand.at_seat.get(e.token) != e.seat or (place is not None and place.returned)
        return e.detail in ("later", "boxed") and left
    if state.findings[e.finding].state is FindingState.ASKING and e.seat in hand.folded:
        return True
    cards = [(t, p) for t, s, p in _at_their_seats(state, hand) if s == e.seat]
    down = not _faces_at(state, e.seat, cards)
    return (bool(cards) and down) or len(_tabled(state, hand, at)) > 1
