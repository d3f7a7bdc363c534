"""The decks at the table: which is in play, what a count has found, what somebody has confirmed."""

from __future__ import annotations

from dataclasses import replace

from controller.model.cards import face_name
from controller.model.events import Attested, DeckCounted, DeckInPlay, DeckSuspected
from controller.model.findings import DutyKind, FindingState, Said
from controller.rules.engine import duties, ledger
from controller.rules.engine.state import DeckState, RulesState

COUNT_CODES = frozenset({"DECK_SHORT", "DECK_EXTRA"})
OPENING_CODES = frozenset({"DECK_NOT_VERIFIED", "ATTEST_MISSING"})
AT_OPENING = frozenset({"SPARE_DECK_MISSING", "DECK_SAME_BACK"})
"""Said when the table is opened; closed with its first hand, as nobody will say it again."""


def on_in_play(state: RulesState, said: list[Said], event: DeckInPlay) -> None:
    """Another deck comes into play: its own hours begin, and the one before it is a used one."""
    deck, book = state.deck, state.book
    assert book is not None
    if event.deck == deck.name:
        return
    used = deck.used if deck.name is None else deck.used | {deck.name}
    if deck.name is not None:
        duties.done(state, said, DutyKind.CHANGE, event.at, event.by)
        duties.done(state, said, DutyKind.COUNT, event.at, event.by)
        _settle(state, said, state.deck.counted, event.at, event.by)
        _settle(state, said, (state.deck.suspected,), event.at, event.by)
    state.deck = DeckState(
        name=event.deck,
        since=event.at,
        used=used,
        attested=deck.attested,
        attested_findings=deck.attested_findings,
        shuffled_at=deck.shuffled_at,
        hand_lengths_s=deck.hand_lengths_s,
        age_known=deck.age_known or deck.name is not None,
    )
    duties.reckon(state)
    if state.decks and event.deck not in {d.name for d in state.decks}:
        _used_again(state, said, event, f"the {event.deck} deck, which is retired")
    elif event.deck in used and not book.profile.used_deck_returns.value:
        _used_again(state, said, event, f"the {event.deck} deck again")


def _used_again(state: RulesState, said: list[Said], event: DeckInPlay, seen: str) -> None:
    number = ledger.open_finding(
        state,
        said,
        "DECK_RETURNED",
        at=event.at,
        street=None,
        expected="a deck that has not been taken out of play",
        seen=seen,
        evidence=(event.seq,),
        evident=event.at,
    )
    if all(d.name in state.deck.used for d in state.decks):
        ledger.sharpen(state, said, number, at=event.at, code="DECK_SET_REPLACE_DUE")
    state.deck = replace(state.deck, counted=(*state.deck.counted, number))


def on_counted(state: RulesState, said: list[Said], event: DeckCounted) -> None:
    """A completed count: the hour begins anew, what an earlier count had found is settled, and what
    this one found is said."""
    deck = state.deck
    if deck.name is None:
        on_in_play(state, said, DeckInPlay(at=event.at, deck=event.deck, by=event.by))
    elif event.deck != deck.name:
        return  # a spare deck was counted; nothing of it is in play
    duties.done(state, said, DutyKind.COUNT, event.at, event.by)
    _settle(state, said, state.deck.counted, event.at, event.by)
    _settle(state, said, (state.deck.suspected,), event.at, event.by)
    state.deck = replace(
        state.deck,
        counted_at=event.at,
        present=event.present,
        age_known=True,
        counted=(),
        suspected=None,
    )
    duties.reckon(state)
    found = []
    whole = f"{event.expected} cards, each once"
    if event.missing or event.present < event.expected:
        names = ", ".join(face_name(f) for f in event.missing)
        seen = f"{event.present} of {event.expected}" + (f"; missing: {names}" if names else "")
        counts = (event.present, event.expected)
        found.append(_found(state, said, event, "DECK_SHORT", whole, seen, counts))
    extras = (
        ("DECK_DUPLICATE", len(event.duplicated), _twice(event)),
        ("DECK_FOREIGN", event.foreign, f"{event.foreign} of no registered deck"),
        ("DECK_MIXED", event.other_deck, f"{event.other_deck} of another deck"),
        ("DECK_JOKER", event.jokers, f"{event.jokers} joker{'s' * (event.jokers != 1)}"),
    )
    for code, number, seen in extras:
        if number:
            counts = (event.present + number, event.expected)
            extra = _found(state, said, event, "DECK_EXTRA", whole, seen, counts)
            ledger.sharpen(state, said, extra, at=event.at, code=code, counts=counts)
            found.append(extra)
    state.deck = replace(state.deck, counted=tuple(found))


def _twice(event: DeckCounted) -> str:
    return "twice: " + ", ".join(face_name(f) for f in event.duplicated)


def _found(
    state: RulesState,
    said: list[Said],
    event: DeckCounted,
    code: str,
    expected: str,
    seen: str,
    counts: tuple[int, int],
) -> int:
    return ledger.open_finding(
        state,
        said,
        code,
        at=event.at,
        street=None,
        expected=expected,
        seen=seen,
        evidence=(event.seq,),
        evident=event.at,
        counts=counts,
    )


def on_suspected(state: RulesState, said: list[Said], event: DeckSuspected) -> None:
    """A card has been away for too long: once, until the deck has been counted or the card was
    seen again (0 hands)."""
    if not event.hands:
        _settle(state, said, (state.deck.suspected,), event.at, "")
        state.deck = replace(state.deck, suspected=None)
        return
    if state.deck.suspected is not None or event.deck != state.deck.name:
        return
    number = ledger.open_finding(
        state,
        said,
        "DECK_SUSPECT",
        at=event.at,
        street=None,
        expected="every card of the deck seen now and then",
        seen=f"one not seen in {event.hands} hands",
        evidence=(event.seq,),
        evident=event.at,
    )
    state.deck = replace(state.deck, suspected=number)


def on_attested(state: RulesState, said: list[Said], event: Attested) -> None:
    """Somebody confirms a duty that no sensor sees."""
    book = state.book
    assert book is not None
    state.deck = replace(state.deck, attested=state.deck.attested | {event.row})
    for number in state.deck.attested_findings:
        finding = state.findings.get(number)
        if finding is None or finding.state is not FindingState.OPEN:
            continue
        open_rows = [r for r in _rows(state, finding.code) if r not in state.deck.attested]
        if not open_rows:
            ledger.settle(state, said, number, FindingState.CORRECTED, at=event.at, by=event.by)


def on_opening(state: RulesState, said: list[Said], at: float) -> None:
    """The table is opened: so many decks as the house asks for, and no two of one back."""
    book = state.book
    assert book is not None
    if not state.decks:
        return  # this house registers none
    wanted = book.profile.decks_at_table.value
    if len(state.decks) < wanted:
        _at_opening(
            state,
            said,
            "SPARE_DECK_MISSING",
            at,
            f"{wanted} decks at the table",
            f"{len(state.decks)}: " + ", ".join(d.name for d in state.decks),
        )
    backs: dict[str, str] = {}
    for deck in state.decks:
        other = backs.setdefault(deck.back.casefold(), deck.name)
        if other != deck.name:
            seen = f"{other} and {deck.name} both have a {deck.back} back"
            _at_opening(state, said, "DECK_SAME_BACK", at, "decks of different backs", seen)


def _at_opening(
    state: RulesState, said: list[Said], code: str, at: float, expected: str, seen: str
) -> None:
    ledger.open_finding(
        state, said, code, at=at, street=None, expected=expected, seen=seen, evident=at
    )


def hand_begins(state: RulesState, said: list[Said], at: float) -> None:
    """What ought to have been confirmed before this hand, and was not."""
    book = state.book
    assert book is not None
    if state.opening and state.last_button is None:
        for code in sorted({code for _, code in book.attested_rows if code in OPENING_CODES}):
            _not_confirmed(state, said, code, at)
    if book.profile.shuffle_attested.value:
        _shuffle(state, said, at)


def to_attest(state: RulesState) -> tuple[str, ...]:
    """Ids of the rows that somebody has yet to confirm."""
    rows = () if state.book is None else state.book.attested_rows
    return tuple(row for row, _ in rows if row not in state.deck.attested)


def _rows(state: RulesState, code: str) -> list[str]:
    assert state.book is not None
    return [row for row, its_code in state.book.attested_rows if its_code == code]


def _not_confirmed(state: RulesState, said: list[Said], code: str, at: float) -> None:
    missing = [row for row in _rows(state, code) if row not in state.deck.attested]
    if not missing:
        return
    number = ledger.open_finding(
        state,
        said,
        code,
        at=at,
        street=None,
        expected="every point of the opening confirmed before the first hand",
        seen="not confirmed: " + ", ".join(missing),
        evident=at,
        clause=missing[0],
    )
    state.deck = replace(state.deck, attested_findings=(*state.deck.attested_findings, number))


def _shuffle(state: RulesState, said: list[Said], at: float) -> None:
    """Where the house wants the shuffle confirmed before each hand: from the first time on that the
    dealer has done so, or from the table's opening, as a table without the key cannot."""
    hand, deck = state.hand, state.deck
    assert hand is not None
    if deck.shuffled_at is None and not state.opening:
        return
    if deck.shuffled_at is not None and deck.shuffled_at >= state.ended_at:
        return
    ledger.open_finding(
        state,
        said,
        "SHUFFLE_NOT_CONFIRMED",
        at=at,
        street=None,
        expected="the shuffle confirmed before the hand",
        seen="not confirmed",
        evident=at,
    )


def _settle(
    state: RulesState, said: list[Said], numbers: tuple[int | None, ...], at: float, by: str
) -> None:
    for number in numbers:
        finding = state.findings.get(number or 0)
        if finding is not None and finding.state in (FindingState.OPEN, FindingState.ASKING):
            ledger.settle(state, said, finding.id, FindingState.CORRECTED, at=at, by=by)
