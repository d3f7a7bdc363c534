"""Cards that leave their place: folds, peeks, and what must not happen to a card."""

from __future__ import annotations

from controller.model.events import TagFault, TagVerdict, Token
from controller.model.findings import FindingState, Severity, Street
from controller.rules import engine
from tests.controller.rules.engine.told_table import ToldTable

LIFT_GRACE_S = 20.0


def dealt(profile: str = "tda", game: str = "holdem") -> tuple[ToldTable, dict[int, list[Token]]]:
    table = ToldTable(profile, game)
    cards = table.hole(1, 2, 3, 4, passes=4 if game == "omaha" else 2)
    table.wait(10.0)
    return table, cards


def test_cards_in_the_muck_are_a_fold() -> None:
    table, cards = dealt()
    table.fold(*cards[2])
    assert engine.progress(table.state).folded == (2,)
    assert table.findings == []


def test_a_peek_is_no_fold_and_no_finding() -> None:
    table, cards = dealt()
    for card in cards[2]:
        table.leaves(card)
    assert engine.progress(table.state).lifted == (2,)
    assert engine.progress(table.state).folded == ()
    table.wait(LIFT_GRACE_S - 5.0)
    for card in cards[2]:
        table.comes("seat/2", card)
    table.wait(60.0)
    table.silence(times=2)
    assert engine.progress(table.state).lifted == ()
    assert table.findings == []


def test_cards_off_the_table_for_longer_than_the_grace() -> None:
    table, cards = dealt()
    table.leaves(cards[2][0])
    table.silence()
    table.wait(LIFT_GRACE_S - 4.0)
    assert table.findings == []
    table.wait(6.0)
    table.silence()
    found = table.only()
    assert (found.code, found.seat, found.severity) == ("CARDS_OFF_TABLE", 2, Severity.NOTICE)
    table.comes("seat/2", cards[2][0])
    assert table.only().state is FindingState.CORRECTED


def test_a_lift_that_ends_in_the_muck_was_a_fold() -> None:
    table, cards = dealt()
    for card in cards[2]:
        table.leaves(card)
    table.fold(*cards[2])
    table.silence()
    table.wait(LIFT_GRACE_S + 10.0)
    table.silence()
    assert table.findings == []
    assert engine.progress(table.state).folded == (2,)


def test_a_fold_is_the_end_of_what_was_asked_about_the_seat() -> None:
    table = ToldTable()
    cards = table.seats(1, 2, 3, 4, 1, 3, 4)
    table.wait(8.0)
    table.silence("seat/2")
    assert table.only().asking
    table.fold(cards[1])
    assert table.only().state is FindingState.CLOSED
    table.silence(times=4, pace_s=4.0)
    assert table.only().state is FindingState.CLOSED


def test_one_card_on_the_burn_pile_is_half_a_fold() -> None:
    table, cards = dealt()
    table.comes("burn", cards[3][0])
    assert engine.progress(table.state).folded == ()
    assert table.findings == []
    table.comes("burn", cards[3][1])
    assert engine.progress(table.state).folded == (3,)
    table.flop()
    table.silence(times=2, pace_s=4.0)
    assert table.findings == []


def test_a_card_at_another_players_seat() -> None:
    table, cards = dealt()
    table.comes("seat/4", cards[2][0])
    table.wait(3.0)
    found = table.only()
    assert (found.code, found.seat, found.severity) == ("CARD_SEAT_MISMATCH", 4, Severity.SECURITY)
    table.comes("seat/2", cards[2][0])
    assert table.only().state is FindingState.CORRECTED


def test_a_card_taken_back_from_the_muck() -> None:
    table, cards = dealt()
    table.fold(*cards[2])
    table.comes("seat/1", cards[2][0])
    assert table.findings == []  # a gathering hand may pass over a seat
    table.wait(4.0)
    found = table.only()
    assert (found.code, found.seat) == ("MUCK_RETRIEVED", 1)
    table.comes("muck", cards[2][0])
    assert table.only().state is FindingState.CORRECTED


def test_a_seats_card_among_the_board() -> None:
    table, cards = dealt()
    table.flop()
    table.comes("board", cards[2][0])
    table.wait(4.0)
    found = table.only()
    assert (found.code, found.street) == ("BOARD_MUCK_MIX", Street.FLOP)


def test_after_the_river_hands_are_tabled_wherever_they_fall() -> None:
    table, cards = dealt()
    table.flop()
    table.street()
    table.street()
    table.wait(10.0)
    for card in cards[2]:
        table.comes("board", card)
    table.wait(6.0)
    assert table.findings == []


def test_a_board_card_in_the_muck() -> None:
    table, _ = dealt()
    flop = table.flop()
    table.wait(10.0)
    table.comes("muck", flop[1])
    table.wait(4.0)
    assert table.only().code == "BOARD_MUCK_MIX"
    table.comes("board", flop[1])
    assert table.only().state is FindingState.CORRECTED


def test_a_pot_that_is_being_gathered_mixes_what_it_will() -> None:
    table, cards = dealt()
    flop = table.flop()
    table.wait(10.0)
    for seat in (1, 2, 3):
        table.fold(*cards[seat])
    for card in flop:
        table.comes("muck", card)
    table.wait(6.0)
    assert table.findings == []


def test_what_is_wrong_with_a_tag_is_said_once_a_zone() -> None:
    table, cards = dealt()
    for fault, code in (
        (TagFault.FOREIGN, "DECK_FOREIGN"),
        (TagFault.CLONE, "DECK_CLONE"),
        (TagFault.DUPLICATE, "DECK_DUPLICATE"),
        (TagFault.JOKER, "DECK_JOKER"),
        (TagFault.OTHER_DECK, "DECK_MIXED"),
    ):
        for _ in range(2):
            table.tell(
                TagVerdict(at=table.now, token=cards[3][0], zone=table.where[Token(3)], fault=fault)
            )
        assert table.codes[-1] == code
        assert table.findings[-1].seat == 3
    assert len(table.findings) == 5


def test_a_joker_is_replaced_by_the_next_card() -> None:
    table, cards = dealt()
    joker = cards[3][1]
    zone = table.where[joker]
    table.tell(TagVerdict(at=table.now, token=joker, zone=zone, fault=TagFault.JOKER))
    table.leaves(joker)
    table.wait(6.0)
    assert table.only().state is FindingState.CORRECTED
    table.seats(3)
    table.dwell()
    table.wait(10.0)
    assert table.codes == ["DECK_JOKER"]


def test_a_joker_in_the_muck_is_out_of_the_hand() -> None:
    table, cards = dealt()
    joker = cards[3][1]
    table.tell(TagVerdict(at=table.now, token=joker, zone=table.where[joker], fault=TagFault.JOKER))
    table.comes("muck", joker)
    assert table.only().state is FindingState.CORRECTED


def test_omaha_hands_fold_and_lift_like_any() -> None:
    table, cards = dealt(game="omaha")
    table.fold(*cards[1])
    for card in cards[2]:
        table.leaves(card)
    progress = engine.progress(table.state)
    assert (progress.folded, progress.lifted) == ((1,), (2,))
    assert table.findings == []
