"""What nobody may see: the burns, and the cards of the deck.

A burn that has shown its face before it was burned hides nothing: an exposed card that was
replaced, or a flop card that serves. Nor is the deck exposed by such a card while it lies on top.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from controller.model.events import Token
from controller.model.findings import Said, Street
from controller.model.table import BURN, STUB, Zone, is_board, seat_zone
from controller.rules.engine import ledger, moves, sides, streets
from controller.rules.engine.cases import Case, mended, standing
from controller.rules.engine.play import being_taken_up, in_play, over
from controller.rules.engine.sides import EXPOSED_S, Spell, now_up, showed, spells
from controller.rules.engine.state import CardAt, Hand, RulesState

TABLE = Zone("table")
"""Where a camera sees cards that lie in no zone."""

AFTER = "after"
UNNAMED = "unnamed"

SHOWN_AFTER_S = 1.0  # who takes up the burns may turn one over
ASTRAY_S = 1.0  # a card that slides over the table goes on


def cases(state: RulesState, hand: Hand) -> Iterator[Case]:
    yield from _burns(state, hand)
    yield from _unnamed_burns(state, hand)
    yield from _deck(state, hand)
    yield from _astray(state, hand)


# --- burns ----------------------------------------------------------------------------------------


def _burns(state: RulesState, hand: Hand) -> Iterator[Case]:
    for token, street, place in _lying_burns(state, hand):
        seen = state.seen.cards.get(token, ())
        known = place.origin is not None and any(
            s.before <= place.before for s in spells(seen, place)
        )
        if known:
            continue
        for spell in spells(seen, place):
            start = max(spell.before, place.before)
            due = start + EXPOSED_S
            detail = ""
            if not in_play(state, hand, due):
                if place.zone != BURN or being_taken_up(hand, due) or not over(state, hand, due):
                    continue
                due, detail = start + SHOWN_AFTER_S, AFTER
            if showed(spell, due - start, place.before):
                settle = partial(_say_burn, place.zone, street, spell, detail)
                yield Case(("burn", int(token), spell.before), due, settle)


def _lying_burns(state: RulesState, hand: Hand) -> Iterator[tuple[Token, Street, CardAt]]:
    named = {
        f.token: street
        for street, slots in hand.plan.burns.items()
        for i in slots
        if (f := hand.fills.get(i)) is not None and f.token is not None
    }
    for token in hand.extra_burns:
        named.setdefault(token, moves.current_street(hand))
    for token, street in named.items():
        place = state.cards.get(token)
        if place is None or place.lifted_since is not None or place.returned:
            continue
        if moves.is_pile(place.zone) or is_board(place.zone):
            yield token, street, place


def _unnamed_burns(state: RulesState, hand: Hand) -> Iterator[Case]:
    """Where a camera cannot tell the burns apart."""
    if any(e.dealt and _gone(state, e.token, e.seat) for e in hand.exposures):
        return  # one of them may be the exposed card
    for spell in spells(sides.of_zone(state, BURN)):
        due = max(spell.before, hand.began) + EXPOSED_S
        if showed(spell, EXPOSED_S, hand.began) and in_play(state, hand, due):
            settle = partial(_say_burn, BURN, moves.current_street(hand), spell, UNNAMED)
            yield Case(("burn", BURN, spell.before), due, settle)


def _say_burn(
    zone: Zone,
    street: Street,
    spell: Spell,
    detail: str,
    state: RulesState,
    said: list[Said],
    at: float,
) -> int:
    known = _known(state, said, "BURN_FACE_UP", zone, spell, at) if detail == UNNAMED else 0
    if known:
        return known
    return ledger.open_finding(
        state,
        said,
        "BURN_FACE_UP",
        at=at,
        street=street,
        zone=zone,
        expected="a burn face down",
        seen="its face" if detail != AFTER else "its face, after the hand",
        evidence=(spell.seq,),
        evident=spell.before,
        detail=detail,
    )


# --- the deck -------------------------------------------------------------------------------------


def _deck(state: RulesState, hand: Hand) -> Iterator[Case]:
    if any(e.dealt and _gone(state, e.token, e.seat) for e in hand.exposures):
        return  # the exposed card lies on top, to be burned
    for spell in spells(sides.of_zone(state, STUB)):
        due = max(spell.before, hand.began) + EXPOSED_S
        if showed(spell, EXPOSED_S, hand.began) and in_play(state, hand, due):
            yield Case(("deck", STUB, spell.before), due, partial(_say_deck, STUB, spell))


def _gone(state: RulesState, token: Token, seat: int) -> bool:
    """Whether a card no longer lies at its seat."""
    place = state.cards.get(token)
    return place is None or place.lifted_since is not None or place.zone != seat_zone(seat)


def _astray(state: RulesState, hand: Hand) -> Iterator[Case]:
    """A card lies face up where no card belongs. It may be a player's own, pushed forward, if any
    hand is off its place; and a card that was seen in the deck is set aside as scrap."""
    if streets.board_full(hand, Street.RIVER) or any(e.dealt for e in hand.exposures):
        return
    if any(_gone(state, t, s) for t, s in hand.at_seat.items() if s not in hand.folded):
        return
    if any(what == "deck" and of == STUB for what, of, _ in hand.faces):
        return
    for spell in spells(sides.of_zone(state, TABLE)):
        due = max(spell.before, hand.began) + ASTRAY_S
        if showed(spell, ASTRAY_S, hand.began) and in_play(state, hand, due):
            yield Case(("deck", TABLE, spell.before), due, partial(_say_deck, TABLE, spell))


def _say_deck(zone: Zone, spell: Spell, state: RulesState, said: list[Said], at: float) -> int:
    hand = state.hand
    assert hand is not None
    known = _known(state, said, "DECK_EXPOSED", zone, spell, at)
    if known:
        return known
    return ledger.open_finding(
        state,
        said,
        "DECK_EXPOSED",
        at=at,
        street=moves.current_street(hand),
        zone=zone,
        expected="no face of the deck to be seen",
        seen="a face",
        evidence=(spell.seq,),
        evident=spell.before,
    )


def _known(
    state: RulesState, said: list[Said], code: str, zone: Zone, spell: Spell, at: float
) -> int:
    """The finding that stands already where cards cannot be told apart, made surer; 0 for none."""
    for finding in ledger.standing(state, code):
        if finding.zone == zone:
            ledger.sharpen(state, said, finding.id, at=at, positive=True, evidence=(spell.seq,))
            return finding.id
    return 0


# --- what has been put right ----------------------------------------------------------------------


def mend(state: RulesState, said: list[Said], hand: Hand, at: float) -> None:
    for (what, of, _), number in hand.faces.items():
        finding = standing(state, number)
        if finding is None:
            continue
        if what == "deck" and finding.code == "DECK_EXPOSED":
            if not sides.showing(sides.of_zone(state, Zone(str(of)))):
                mended(state, said, number, at)
        elif what == "burn" and not _burn_shows(state, of):
            mended(state, said, number, at)


def _burn_shows(state: RulesState, of: int | str) -> bool:
    if of == BURN:
        return sides.showing(sides.of_zone(state, BURN)) > 0
    token = Token(int(of))
    place = state.cards.get(token)
    if place is not None and (place.lifted_since is not None or place.returned):
        return True  # nobody sees it
    return now_up(state.seen.cards.get(token, ())) is not False
