"""A count from the first card to the confirmation, and each fault of passing cards over by name."""

from __future__ import annotations

import random
from dataclasses import fields

import pytest

from controller.integrity.count import UNTAGGED_NOTE, Counting, CountResult, CountStage
from controller.integrity.passing import CountFigures
from controller.model.cards import FACES
from drivers.readings import Outcome, Poll, Uid
from tests.controller.integrity.passed_deck import (
    ANTENNA,
    BLUE_UID_OF,
    CARDS,
    JOKER,
    RED,
    SECOND_ACE,
    STRANGER,
    UID_OF,
    Look,
    Table,
    deck,
    over,
    rest,
    tag,
)

PASSING, ASKING, READY = CountStage.PASSING, CountStage.ASKING, CountStage.READY


def either(one: Uid, other: Uid) -> Uid:
    """What two tags that answer as one read as."""
    return Uid(bytes(a | b for a, b in zip(one, other, strict=True)))


def scattered(looks: list[Look], uid: Uid, every: int = 45) -> list[Look]:
    """The tag lies beside the zone and is read across now and then."""
    return [
        (*look, uid) if look is not None and i % every == 7 else look
        for i, look in enumerate(looks)
    ]


def result_of(table: Table) -> CountResult:
    assert table.stage is READY, table.counting.why
    assert table.counting.result is not None
    return table.counting.result


def counted(*looks: list[Look]) -> CountResult:
    """The result of a count in which these came one after another."""
    table = Table()
    for part in looks:
        table.feed(part)
    return result_of(table)


# -- the way of a count ----------------------------------------------------------------------------


def test_a_complete_deck_is_counted_live_and_done_when_the_dealer_confirms() -> None:
    table = Table()
    assert table.counting.board_text == "COUNT 0/52"
    table.feed(deck(order=FACES[:37]))
    assert (table.counting.live, table.counting.board_text) == (37, "COUNT 37/52")
    table.feed(deck(order=FACES[37:]))
    assert table.counting.board_text == "COUNT 52/52"
    table.feed(rest(2.5))
    assert table.counting.board_text == "DECK 52/52"
    result = table.confirm().counting.result
    assert result is not None
    assert result.complete
    assert (result.present, result.passes, result.confirmed_by) == (52, 1, "dealer")
    assert result.duration_s == pytest.approx(table.at - 100.0)
    assert result.sentence == "52 of 52: every registered card is there."
    assert table.stages == [PASSING, READY, CountStage.DONE]


def test_confirming_after_the_last_card_spares_the_wait() -> None:
    table = Table().feed(deck()).confirm()
    assert table.stage is CountStage.DONE


def test_confirming_too_early_asks_for_the_deck_again() -> None:
    table = Table().feed(deck(order=FACES[:40])).confirm()
    assert table.stage is ASKING
    assert table.counting.board_text == "COUNT AGAIN"
    assert table.counting.why == (
        "12 cards were not read. Pass the deck over again, one card at a time."
    )
    assert table.confirm().stage is ASKING, "a deck that is in doubt is not accepted"


def test_confirming_before_any_card_waits_for_the_first() -> None:
    table = Table().feed(rest(3)).confirm()
    assert table.stage is PASSING
    assert result_of(table.feed(deck()).feed(rest(2.5))).complete


def test_a_pause_before_the_first_card_ends_no_pass() -> None:
    assert Table().feed(rest(60)).stage is PASSING


def test_a_missing_card_is_named_after_a_second_full_pass_only() -> None:
    table = Table().feed(deck(but=["7c"])).feed(rest(5))
    assert table.stage is ASKING
    assert table.counting.result is None
    table.feed(deck(but=["7c"], order=FACES[:26]))
    assert table.counting.board_text == "AGAIN 26/52"
    table.feed(deck(but=["7c"], order=FACES[26:])).feed(rest(2.5))
    result = result_of(table)
    assert (result.missing, result.present, result.passes) == (("7c",), 51, 2)
    assert result.board_text == "DECK 51/52"
    assert result.sentence.startswith("51 of 52: the seven of clubs is missing.")
    assert result.error <= CountFigures().missing_error
    assert table.confirm().stage is CountStage.DONE


def test_a_second_pass_that_stops_half_way_proves_nothing() -> None:
    table = Table().feed(deck(but=["7c"])).feed(rest(5))
    table.feed(deck(order=FACES[:20])).feed(rest(5))
    assert table.stage is ASKING
    assert result_of(table.feed(deck(but=["7c"])).feed(rest(5))).missing == ("7c",)


def test_one_pass_never_makes_a_card_missing_however_little_certainty_is_asked_for() -> None:
    lenient = Counting.of(CARDS, "red", ANTENNA, CountFigures(missing_error=0.9))
    assert Table(lenient).feed(deck(but=["7c"])).feed(rest(5)).stage is ASKING


def test_more_missing_cards_take_a_third_pass() -> None:
    table = Table().feed(deck(but=["7c", "2d", "Ah"])).feed(rest(5))
    table.feed(deck(but=["7c", "2d", "Ah"])).feed(rest(5))
    assert table.stage is ASKING
    result = result_of(table.feed(deck(but=["7c", "2d", "Ah"])).feed(rest(5)))
    assert result.missing == ("Ah", "2d", "7c"), "in the order of registration"
    assert "the ace of hearts, the two of diamonds and the seven of clubs are" in result.sentence


def test_only_what_is_in_doubt_has_to_be_passed_again() -> None:
    table = Table().feed(deck(but=["7c"])).feed(rest(5))
    result = result_of(table.feed(over(UID_OF["7c"])))
    assert result.complete
    assert table.counting.asked == 1


def test_the_missing_card_can_still_be_found_before_the_result_is_confirmed() -> None:
    table = Table().feed(deck(but=["7c"])).feed(rest(5)).feed(deck(but=["7c"])).feed(rest(5))
    assert result_of(table).missing == ("7c",)
    assert result_of(table.feed(over(UID_OF["7c"]))).complete


def test_squaring_the_pack_up_over_the_antenna_changes_no_result() -> None:
    table = Table().feed(deck()).feed(rest(2.5))
    before = result_of(table)
    table.feed([tuple(RED)[:9]] * 20)
    assert result_of(table) == before


def test_redo_throws_away_what_was_read() -> None:
    table = Table().feed(deck(order=FACES[:30]))
    table.counting = table.counting.redo(table.at)
    assert (table.stage, table.counting.live) == (PASSING, 0)
    result = result_of(table.feed(deck()).feed(rest(2.5)))
    assert result.started_at == 100.0, "the dealer's time goes on"


def test_a_cancelled_count_has_no_result_and_can_be_started_again() -> None:
    table = Table().feed(deck()).feed(rest(2.5))
    cancelled = table.counting.cancel(table.at)
    assert (cancelled.stage, cancelled.result, cancelled.running) == (
        CountStage.CANCELLED,
        None,
        False,
    )
    assert cancelled.board_text == ""
    assert cancelled.start(table.at).stage is PASSING


def test_words_that_do_not_fit_change_nothing() -> None:
    idle = Counting.of(CARDS, "red", ANTENNA)
    assert idle.confirm(1.0, "dealer") == idle.redo(1.0) == idle.cancel(1.0) == idle
    on = idle.start(1.0)
    assert on.start(9.0) == on


def test_time_alone_ends_a_pass_when_the_reader_falls_silent() -> None:
    table = Table().feed(deck())
    assert table.counting.tick(table.at + 1.0).stage is PASSING
    assert table.counting.tick(table.at + 2.1).stage is READY


def test_other_antennas_and_noise_say_nothing() -> None:
    table = Table()
    elsewhere = Poll(3, tuple(RED), Outcome.SEEN, table.at, table.at + 0.02)
    for _ in range(20):
        table.counting = table.counting.poll(elsewhere)
    assert table.counting.live == 0
    noisy: list[Look] = [x for look in deck() for x in (None, look)]
    assert result_of(table.feed(noisy).feed(rest(2.5))).complete


def test_a_deck_of_which_a_card_is_not_registered_cannot_be_counted() -> None:
    short = {uid: card for uid, card in CARDS.items() if card != ("red", "7c")}
    with pytest.raises(ValueError, match="51 of 52 cards registered"):
        Counting.of(short, "red", ANTENNA)
    with pytest.raises(ValueError, match="'green' is not registered"):
        Counting.of(CARDS, "green", ANTENNA)


def test_every_wrong_figure_is_named_at_once() -> None:
    with pytest.raises(ValueError) as told:
        CountFigures(miss=0.9, cross=0.9, linger_s=9.0)
    for name in ("miss", "cross", "linger_s"):
        assert name in str(told.value)


# -- the faults of passing cards over --------------------------------------------------------------


def test_a_card_read_twice_counts_once() -> None:
    again = deck(order=["Ks", "Ks", "Ks"])
    assert counted(deck(order=FACES[:20]), again, deck(order=FACES[13:]), rest(2.5)).complete


def test_misses_do_not_matter_to_a_card_that_is_passed_at_a_dealers_pace() -> None:
    chance = random.Random(5)
    looks = [() if chance.random() < 0.1 else look for look in deck()]
    assert counted(looks, rest(2.5)).complete


def test_a_card_too_fast_for_more_than_one_read_is_asked_for() -> None:
    quick = [*deck(but=["7c"], order=FACES[:30]), *over(UID_OF["7c"], looks=1)]
    table = Table().feed(quick).feed(deck(but=["7c"], order=FACES[30:])).feed(rest(5))
    assert table.stage is ASKING
    assert result_of(table.feed(over(UID_OF["7c"]))).complete


def test_two_neighbouring_reads_and_no_other_are_enough() -> None:
    quick = [*deck(but=["7c"], order=FACES[:30]), *over(UID_OF["7c"], looks=2)]
    assert counted(quick, deck(but=["7c"], order=FACES[30:]), rest(2.5)).complete


def test_two_cards_at_once_that_both_answer_are_both_counted() -> None:
    pair = over(UID_OF["7c"], UID_OF["7d"])
    assert counted(deck(but=["7c", "7d"]), pair, rest(2.5)).complete


def test_a_card_hidden_under_another_is_asked_for() -> None:
    table = Table().feed(deck(but=["7c"])).feed(rest(5))
    assert table.stage is ASKING
    assert table.counting.why.startswith("1 card was not read.")
    assert "clubs" not in table.counting.why


@pytest.mark.parametrize("seen_before", [0, 2])
def test_two_cards_that_answer_as_one_are_no_foreign_card(seen_before: int) -> None:
    one, other = UID_OF["7c"], UID_OF["7d"]
    ghost: list[Look] = [(one,)] * seen_before + [(either(one, other),)] * 12 + [()] * 8
    table = Table().feed(deck(but=["7c", "7d"])).feed(ghost).feed(rest(5))
    assert table.stage is ASKING
    assert result_of(table.feed(deck()).feed(rest(5))).complete


def test_two_cards_that_answer_as_one_now_and_then_are_counted_and_nothing_else_is() -> None:
    one, other = UID_OF["7c"], UID_OF["7d"]
    both: list[Look] = [(one, other), (either(one, other),), (one,), (one, other)] * 4
    assert counted(deck(but=["7c", "7d"]), both, rest(2.5)).complete


def test_a_foreign_card_read_as_one_with_a_card_of_the_deck_is_one_foreign_card() -> None:
    one = UID_OF["7c"]
    ghost: list[Look] = [(either(one, STRANGER),)] * 12 + [()] * 8
    table = Table().feed(deck(but=["7c"])).feed(ghost).feed(rest(5))
    assert table.stage is ASKING
    result = result_of(table.feed(deck()).feed(over(STRANGER)).feed(rest(5)))
    assert (result.missing, result.foreign) == ((), 1)


def test_a_joker_hidden_with_a_card_is_found_when_the_deck_is_passed_again() -> None:
    one = UID_OF["7c"]
    ghost: list[Look] = [(one,)] * 3 + [(either(one, JOKER),)] * 12 + [()] * 8
    table = Table().feed(deck(but=["7c"])).feed(ghost).feed(rest(5))
    assert table.stage is ASKING
    result = result_of(table.feed(deck()).feed(over(JOKER)).feed(rest(5)))
    assert (result.jokers, result.foreign, result.missing) == (1, 0, ())


def test_a_slipped_uid_is_no_foreign_card() -> None:
    one = UID_OF["7c"]
    slipped = Uid(b"\x88" + one[:-1])
    looks: list[Look] = [*[(one,)] * 6, *[(slipped,)] * 2, *[(one,)] * 6]
    assert counted(deck(but=["7c"]), looks, rest(2.5)).complete


@pytest.mark.parametrize("seed", range(20))
def test_a_card_that_lies_beside_the_zone_is_missing_and_the_floor_is_told_where_to_look(
    seed: int,
) -> None:
    chance = random.Random(seed)
    across = UID_OF["7c"]

    def beside(looks: list[Look]) -> list[Look]:
        return [(*(look or ()), across) if chance.random() < 0.02 else look for look in looks]

    table = Table()
    for _ in range(2):
        table.feed(beside(deck(but=["7c"]))).feed(beside(rest(5)))
    result = result_of(table)
    assert (result.missing, result.nearby) == (("7c",), ("7c",))
    assert result.sentence.endswith("Look beside the count zone for the seven of clubs.")


@pytest.mark.parametrize("uid", [STRANGER, BLUE_UID_OF["Kh"], JOKER])
def test_what_only_lies_beside_the_zone_is_not_in_the_pack(uid: Uid) -> None:
    assert counted(scattered(deck(), uid), rest(2.5)).complete


def test_a_foreign_card_is_counted_when_it_was_read_several_times() -> None:
    result = counted(deck(), over(STRANGER), rest(2.5))
    assert (result.foreign, result.present, result.complete) == (1, 52, False)
    assert result.board_text == "DECK 52/52 +1"
    assert "There is 1 unknown card in the pack." in result.sentence


def test_a_foreign_card_read_for_a_moment_only_is_asked_for_once() -> None:
    table = Table().feed(over(STRANGER, looks=1)).feed(deck()).feed(rest(5))
    assert table.stage is ASKING
    assert table.counting.why.startswith("A card that does not belong was read for a moment")
    table.feed(over(STRANGER, looks=1)).feed(deck()).feed(rest(5))
    assert result_of(table).complete, "what is in the pack reads better than that in one of two"


def test_two_reads_are_too_few_for_a_foreign_card() -> None:
    table = Table().feed(over(STRANGER, looks=2)).feed(deck()).feed(rest(5))
    assert table.stage is ASKING
    assert result_of(table.feed(over(STRANGER)).feed(deck()).feed(rest(5))).foreign == 1


def test_a_foreign_card_that_two_unseen_cards_might_have_made_is_believed_the_second_time() -> None:
    alike = either(BLUE_UID_OF["Kh"], BLUE_UID_OF["2c"])
    table = Table().feed(over(alike)).feed(deck()).feed(rest(5))
    assert table.stage is ASKING
    assert result_of(table.feed(over(alike)).feed(deck()).feed(rest(5))).foreign == 1


def test_a_joker_is_counted_as_one() -> None:
    result = counted(over(JOKER), deck(), rest(2.5))
    assert (result.jokers, result.surplus) == (1, 1)
    assert "There is 1 joker in the pack." in result.sentence


def test_a_card_of_the_other_deck_is_named_with_its_deck() -> None:
    result = counted(deck(), over(BLUE_UID_OF["Kh"]), rest(2.5))
    assert result.extra == (("blue", "Kh"),)
    assert "Of the blue deck there is also the king of hearts." in result.sentence


def test_a_second_copy_of_a_card_is_named() -> None:
    result = counted(deck(), over(SECOND_ACE), rest(2.5))
    assert (result.duplicates, result.missing) == (("As",), ())
    assert "There are 2 cards that are the ace of spades." in result.sentence


def test_the_second_tag_of_a_card_may_stand_for_it() -> None:
    assert counted(deck(but=["As"]), over(SECOND_ACE), rest(2.5)).complete


def test_a_surplus_card_that_comes_late_is_still_counted() -> None:
    table = Table().feed(deck()).feed(rest(3))
    assert result_of(table).complete
    assert result_of(table.feed(over(JOKER)).feed(rest(2.5))).jokers == 1


def test_the_other_deck_in_place_of_the_one_in_play_is_said_so() -> None:
    blue = [look for face in FACES for look in over(BLUE_UID_OF[face])]
    table = Table().feed(blue).feed(rest(5))
    assert table.counting.why.startswith(
        "These are cards of the blue deck, and the red deck is in play."
    )
    for _ in range(2):
        table.feed(blue).feed(rest(5))
    result = result_of(table)
    assert result.sentence == "None of the red deck's 52 cards: this is the blue deck."
    assert len(result.board_text) <= 16


def production_run() -> dict[Uid, tuple[str, str]]:
    """Tags numbered one after another: one in three or so is the merger of two others."""
    return {
        Uid(bytes.fromhex("E0040150") + (0x00001000 + i).to_bytes(4, "big")): ("red", face)
        for i, face in enumerate(FACES)
    }


def test_tags_of_one_production_run_are_told_apart() -> None:
    alike = production_run()
    looks = [look for uid in alike for look in over(uid)]
    table = Table(Counting.of(alike, "red", ANTENNA)).feed(looks).feed(rest(2.5))
    assert result_of(table).complete


def test_a_card_that_others_might_have_made_is_found_without_passing_these_again() -> None:
    alike = production_run()
    made_of_1_and_2 = list(alike)[3]
    looks = [look for uid in alike if uid != made_of_1_and_2 for look in over(uid)]
    table = Table(Counting.of(alike, "red", ANTENNA)).feed(looks).feed(rest(5))
    assert table.stage is ASKING
    assert result_of(table.feed(over(made_of_1_and_2))).complete


def test_a_worn_tag_that_reads_now_and_then_is_believed_after_some_passes() -> None:
    worn: list[Look] = [(UID_OF["7c"],), (), (), (), (), (), (), (UID_OF["7c"],), ()]
    table = Table()
    for _ in range(3):
        table.feed(deck(but=["7c"])).feed(worn).feed(rest(5))
    assert result_of(table).complete


# -- what is kept ----------------------------------------------------------------------------------


def test_nothing_of_the_reads_is_left_when_the_count_is_done() -> None:
    done = Table().feed(deck(but=["7c"])).feed(rest(5)).feed(deck(but=["7c"])).feed(rest(5))
    counting = done.confirm().counting
    fresh = Counting.of(CARDS, "red", ANTENNA)
    for field in fields(Counting):
        if field.name.startswith("_"):
            assert getattr(counting, field.name) == getattr(fresh, field.name)


def test_the_end_of_a_pass_leaves_a_set_and_no_order() -> None:
    there = Table().feed(deck(but=["7c"])).feed(rest(5)).counting
    back = Table().feed(deck(but=["7c"], order=FACES[::-1])).feed(rest(5)).counting
    assert there == back


def test_json_has_every_field_of_the_result() -> None:
    told = counted(deck(), over(BLUE_UID_OF["Kh"]), rest(2.5)).as_json()
    assert set(told) == {f.name for f in fields(CountResult)} | {"complete"}
    assert told["extra"] == [{"deck": "blue", "face": "Kh"}]


def test_what_a_count_cannot_see_is_said() -> None:
    assert "without a tag is not seen" in UNTAGGED_NOTE
    assert counted(deck(), rest(2.5)).complete, "an untagged card leaves no trace"
    assert tag(1, 0) != tag(2, 0)
