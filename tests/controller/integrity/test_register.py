"""A registration: cards in their order, troubles in words, nothing accepted twice, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import load
from controller.integrity.count_antenna import count_antenna, count_reader
from controller.integrity.decks import Deck, DeckError, known_tags, paired
from controller.integrity.register import (
    GONE_LOOKS,
    LOOKS,
    NOISY_LOOKS,
    Key,
    Registration,
    Step,
    Trouble,
    begin,
    registered,
)
from controller.integrity.robot_hand import RobotHand
from controller.model.cards import FACES
from drivers.factory import PepperEmulator, SweepScheduler, VirtualReader, wire_polls
from drivers.readings import Outcome, Poll, Uid
from tests.controller.integrity.houses import deck

ANTENNA = 15
FRESH = deck("fresh")
CARD = {tag.face: tag.uid for tag in FRESH.tags}
RED = deck("red-1")
LOOK_S = 0.027


class Table:
    """A registration and the hand that feeds it. Time runs with the looks."""

    def __init__(self, registration: Registration) -> None:
        self.now = registration
        self.at_s = 0.0

    def look(self, *uids: Uid, outcome: Outcome | None = None) -> None:
        what = outcome or (Outcome.SEEN if uids else Outcome.EMPTY)
        self.now = self.now.poll(Poll(ANTENNA, uids, what, self.at_s, self.at_s + LOOK_S))
        self.at_s += LOOK_S

    def looks(self, times: int, *uids: Uid) -> None:
        for _ in range(times):
            self.look(*uids)

    def lay(self, *uids: Uid) -> None:
        """Lay cards, wait for the word, take them away."""
        self.looks(LOOKS + 1, *uids)
        self.looks(GONE_LOOKS)

    def key(self, key: Key) -> None:
        self.now = self.now.key(key)

    @property
    def laid(self) -> list[str]:
        return [tag.face for tag in self.now.laid]


def table(*, laid: int = 0, house: Sequence[Deck] = (RED,)) -> Table:
    made = Table(begin("fresh", "blue", ANTENNA, house))
    for face in FACES[:laid]:
        made.lay(CARD[face])
    return made


def verifying() -> Table:
    made = table(laid=52)
    made.key(Key.FINISH)
    assert made.now.step is Step.VERIFY
    return made


def passed(over: Table, faces: Iterable[str]) -> None:
    for face in faces:
        over.look(CARD[face])
        over.look()


# ---- the first pass


def test_the_stated_order_is_asked_for_one_by_one() -> None:
    t = table()
    asked = []
    for face in FACES:
        asked.append(t.now.view.ask)
        t.looks(LOOKS + 1, CARD[face])
        assert t.now.view.ask == "take it away"
        t.looks(GONE_LOOKS)
    assert asked[:2] == ["lay the ace of spades", "lay the two of spades"]
    assert asked[-1] == "lay the king of clubs"
    assert t.laid == list(FACES)
    assert t.now.step is Step.JOKERS


def test_a_card_is_accepted_once_enough_looks_have_read_it_and_no_earlier() -> None:
    t = table()
    t.looks(LOOKS, CARD["As"])
    assert t.laid == []
    t.look(CARD["As"])
    assert t.laid == ["As"]


def test_a_card_that_stays_is_not_the_next_one() -> None:
    t = table()
    t.looks(5 * LOOKS, CARD["As"])
    assert t.laid == ["As"]


def test_the_same_card_twice_is_refused_and_told_as_what_it_was_laid() -> None:
    t = table(laid=5)
    t.lay(CARD["3s"])
    assert t.laid == list(FACES[:5])
    assert t.now.trouble is Trouble.LAID_ALREADY
    assert "laid already, as the three of spades; the six of spades" in t.now.said
    t.lay(CARD["6s"])
    assert t.laid[-1] == "6s"
    assert t.now.trouble is None


def test_two_cards_at_once_are_refused_and_both_must_go() -> None:
    t = table(laid=1)
    t.looks(LOOKS, CARD["2s"], CARD["9d"])
    assert t.now.trouble is Trouble.TWO_CARDS
    t.looks(3 * LOOKS, CARD["2s"])
    assert t.laid == ["As"], "the one that stayed may be either of them"
    t.looks(GONE_LOOKS)
    t.lay(CARD["2s"])
    assert t.laid == ["As", "2s"]


def test_a_card_laid_upon_the_last_one_is_refused() -> None:
    t = table()
    t.looks(LOOKS + 1, CARD["As"])
    t.looks(LOOKS, CARD["As"], CARD["2s"])
    assert t.laid == ["As"]
    assert t.now.trouble is Trouble.TWO_CARDS


def test_a_quick_hand_that_swaps_cards_is_no_trouble() -> None:
    t = table()
    t.looks(LOOKS + 1, CARD["As"])
    t.looks(LOOKS + GONE_LOOKS, CARD["2s"])
    assert t.laid == ["As", "2s"]
    assert t.now.trouble is None


@pytest.mark.parametrize(
    ("face", "trouble", "words"),
    [
        ("Kh", Trouble.OTHER_DECK, "a card of deck red-1; the ace of spades is still"),
        ("joker1", Trouble.JOKER, "a joker of deck red-1; the ace of spades is still"),
    ],
)
def test_a_card_of_another_deck_is_refused_by_that_decks_name(
    face: str, trouble: Trouble, words: str
) -> None:
    t = table()
    t.lay(next(tag.uid for tag in RED.tags if tag.face == face))
    assert t.laid == []
    assert t.now.trouble is trouble
    assert words in t.now.said
    assert "king of hearts" not in t.now.said


@pytest.mark.parametrize(("reads", "accepted"), [(13, False), (14, True)])
def test_a_tag_is_accepted_from_seven_looks_in_ten_on(reads: int, accepted: bool) -> None:
    t = table()
    t.look(CARD["As"])
    missed = LOOKS - reads
    for n in range(LOOKS):  # misses far from each other: the card lies there all the time
        t.look(*(() if n % 2 and n // 2 < missed else (CARD["As"],)))
    assert (t.laid == ["As"]) is accepted
    assert (t.now.trouble is Trouble.READS_BADLY) is not accepted
    if not accepted:
        assert "only 13 of 20 looks" in t.now.said
        t.looks(GONE_LOOKS)
        t.lay(CARD["As"])
        assert t.laid == ["As"]


def test_a_card_lifted_too_soon_is_asked_for_again() -> None:
    t = table()
    t.looks(LOOKS // 2, CARD["As"])
    t.looks(GONE_LOOKS)
    assert t.now.trouble is Trouble.LIFTED
    assert t.now.view.ask == "lay the ace of spades"


def test_a_stray_look_at_a_card_nearby_neither_stops_nor_accepts_anything() -> None:
    t = table()
    for n in range(10 * LOOKS):
        t.look(*((CARD["9d"],) if n % 40 == 0 else ()))
    assert t.now.trouble is None
    t.look(CARD["As"], CARD["9d"])
    t.looks(LOOKS, CARD["As"])
    assert t.laid == ["As"]


def test_noise_proves_nothing_and_is_told_when_it_lasts() -> None:
    t = table()
    t.look(CARD["As"])
    for _ in range(NOISY_LOOKS - 1):
        t.look(outcome=Outcome.NOISE)
    assert t.now.trouble is None
    t.look(outcome=Outcome.NOISE)
    assert t.now.trouble is Trouble.NO_CLEAN_LOOK
    t.looks(LOOKS, CARD["As"])
    assert t.laid == ["As"]
    assert t.now.laid[0].looks == LOOKS


def test_other_antennas_and_single_reports_say_nothing() -> None:
    t = table()
    for n in range(3 * LOOKS):
        t.now = t.now.poll(Poll(3, (CARD["As"],), Outcome.SEEN, n, n + 1))
        t.now = t.now.poll(Poll(ANTENNA, (CARD["As"],), Outcome.SEEN, n, n + 1, complete=False))
    assert t.now == begin("fresh", "blue", ANTENNA, (RED,))


# ---- undo and jokers


def test_undo_takes_the_last_card_back_and_asks_for_it_again() -> None:
    t = table(laid=3)
    t.looks(LOOKS + 1, CARD["5s"])  # a five for a four, noticed at once
    t.key(Key.UNDO)
    t.looks(2 * LOOKS, CARD["5s"])
    assert t.laid == list(FACES[:3]), "the card that still lies there is not taken again"
    t.looks(GONE_LOOKS)
    assert t.now.view.ask == "lay the four of spades"
    t.lay(CARD["4s"])
    t.lay(CARD["5s"])
    assert t.laid == list(FACES[:5])


def test_undo_with_nothing_laid_says_so() -> None:
    t = table()
    t.key(Key.UNDO)
    assert t.now.trouble is Trouble.NOTHING_TO_UNDO


def test_a_joker_among_the_52_is_told_by_the_key_while_it_lies() -> None:
    t = table(laid=4)
    t.looks(LOOKS + 1, CARD["joker1"])
    assert t.laid[-1] == "5s"
    t.key(Key.JOKER)
    assert t.laid[-1] == "joker1"
    t.looks(GONE_LOOKS)
    assert t.now.view.ask == "lay the five of spades"
    t.lay(CARD["joker1"])
    assert t.now.trouble is Trouble.JOKER


def test_a_joker_may_be_announced_before_it_is_laid() -> None:
    t = table(laid=4)
    t.key(Key.JOKER)
    assert t.now.view.ask == "lay the joker"
    t.lay(CARD["joker2"])
    t.lay(CARD["5s"])
    assert t.laid[-2:] == ["joker1", "5s"]


def test_jokers_at_the_end_are_known_and_are_no_play_cards() -> None:
    t = table(laid=52)
    t.lay(CARD["joker1"])
    t.lay(CARD["joker2"])
    t.key(Key.FINISH)
    passed(t, reversed(FACES))
    made = t.now.deck("2026-11-30T20:00:00+00:00")
    assert (len(made.cards), len(made.jokers)) == (52, 2)


def test_passing_the_cards_over_begins_the_verify_pass_without_a_key() -> None:
    t = table(laid=52)
    t.looks(2, CARD["7h"])
    assert t.now.step is Step.VERIFY
    assert t.now.view.line == "VERIFY 1/52"


# ---- the verify pass


def test_all_52_in_any_order_make_the_deck() -> None:
    t = verifying()
    passed(t, FACES[26:])
    assert t.now.view.line == "VERIFY 26/52"
    passed(t, FACES[:26])
    assert t.now.step is Step.DONE
    made = t.now.deck("2026-11-30T20:00:00+00:00")
    assert [tag.face for tag in made.tags] == list(FACES)
    assert all(tag.rate == 1.0 for tag in made.tags)


def test_strangers_in_the_verify_pass_are_named_as_what_they_are() -> None:
    t = table(laid=52)
    t.lay(CARD["joker1"])
    t.key(Key.FINISH)
    for uid, trouble, words in (
        (Uid(b"\xe0\x04strange"), Trouble.FOREIGN, "a card that was not laid"),
        (RED.tags[3].uid, Trouble.OTHER_DECK, "a card of deck red-1"),
        (CARD["joker1"], Trouble.JOKER, "a joker of this deck"),
    ):
        t.looks(2, uid)
        assert t.now.trouble is trouble
        assert words in t.now.said
        t.look()
    passed(t, FACES)
    assert t.now.step is Step.DONE
    assert t.now.view.strangers == 3


def test_two_answers_that_collide_are_no_stranger() -> None:
    t = verifying()
    both = bytes(a | b for a, b in zip(CARD["As"], CARD["Kh"], strict=True))
    t.looks(4, Uid(both))
    assert t.now.view.strangers == 0


def test_a_registration_with_51_cards_makes_no_deck_and_says_which_is_missing() -> None:
    t = table(laid=51)
    t.key(Key.FINISH)
    assert t.now.step is Step.FIRST_PASS
    assert "1 cards are not laid yet" in t.now.said
    with pytest.raises(DeckError, match="51 of 52 cards; missing: king of clubs"):
        t.now.deck("2026-11-30T20:00:00+00:00")


def test_51_verified_cards_make_no_deck_and_the_last_is_laid_again() -> None:
    t = verifying()
    passed(t, [face for face in FACES if face != "Td"])
    with pytest.raises(DeckError, match="1 of its cards were not verified"):
        t.now.deck("2026-11-30T20:00:00+00:00")
    t.key(Key.FINISH)
    assert "not seen yet: ten of diamonds" in t.now.said
    t.key(Key.FINISH)
    t.looks(GONE_LOOKS)
    assert t.now.view.ask == "lay the ten of diamonds"
    assert len(t.laid) == 51
    t.lay(CARD["Td"])
    t.key(Key.FINISH)
    passed(t, FACES)
    assert t.now.step is Step.DONE


def test_finishing_at_once_throws_no_card_away() -> None:
    t = verifying()
    for _ in range(5):
        t.key(Key.FINISH)
    assert len(t.laid) == 52


def test_undo_in_the_verify_pass_goes_back_with_every_card() -> None:
    t = verifying()
    passed(t, FACES[:10])
    t.key(Key.UNDO)
    assert (t.now.step, t.laid) == (Step.JOKERS, list(FACES))


def test_an_aborted_registration_makes_no_deck_and_hears_nothing_more() -> None:
    t = table(laid=10)
    t.key(Key.ABORT)
    ended = t.now
    t.lay(CARD["Js"])
    t.key(Key.UNDO)
    assert t.now is ended
    with pytest.raises(DeckError):
        ended.deck("2026-11-30T20:00:00+00:00")


# ---- before the first card, and after the last


def test_whatever_would_refuse_the_deck_is_told_before_the_first_card() -> None:
    with pytest.raises(DeckError) as refused:
        begin("red-1", "Red", ANTENNA, (RED,), pair="red-1")
    assert "there is a deck red-1 already" in str(refused.value)
    assert "DECK_SAME_BACK" in str(refused.value)
    with pytest.raises(DeckError, match="there is no deck 'blue'"):
        begin("new", "red", ANTENNA, (RED,), pair="blue")
    with pytest.raises(DeckError, match="characters that can be printed"):
        begin("\x1b[31m", "red", ANTENNA)


def test_a_registered_deck_is_paired_if_wished() -> None:
    house = registered((RED,), deck("blue-1", "blue"), "red-1")
    assert [d.pair for d in house] == ["blue-1", "red-1"]
    assert paired(house, "red-1", "blue-1") == house


# ---- any order of events

UIDS = [*(CARD[f] for f in FACES[:6]), CARD["joker1"], RED.tags[0].uid, RED.tags[-1].uid]
LOOK = st.tuples(st.sets(st.sampled_from(UIDS), max_size=3), st.integers(1, 30))
EVENT = st.one_of(LOOK, st.sampled_from([Key.UNDO, Key.JOKER, Key.FINISH]), st.just("noise"))


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENT, max_size=40), st.sampled_from([0, 3, 51, 52]))
def test_no_order_of_events_raises_or_accepts_a_tag_twice(
    events: list[tuple[set[Uid], int] | Key | str], laid: int
) -> None:
    t = table(laid=laid)
    for event in events:
        before = t.now
        if isinstance(event, Key):
            t.key(event)
            if event is Key.UNDO and before.step is not Step.VERIFY:
                assert t.now.laid in (before.laid, before.laid[:-1])
        elif isinstance(event, str):
            t.look(outcome=Outcome.NOISE)
        else:
            uids, times = event
            t.looks(times, *sorted(uids))
            if len(t.laid) == len(before.laid) + 1 and times <= LOOKS + 1:
                t.key(Key.UNDO)
                assert t.now.laid == before.laid, "undo restores what was laid"
        uids_laid = [tag.uid for tag in t.now.laid]
        assert len(set(uids_laid)) == len(uids_laid)
        assert len(set(t.laid)) == len(t.laid)
        assert not set(uids_laid) & {tag.uid for tag in RED.tags}
        assert t.now.view.line
        assert "e004" not in repr(t.now).casefold()


# ---- over bytes


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_fresh_deck_is_registered_over_emulated_bytes_whatever_the_hand_does_wrong(
    seed: int,
) -> None:
    config = load()
    antenna, spec = count_antenna(config.layout), count_reader(config)
    hand = RobotHand(config, (RED,), seed=seed)
    ports = {port: number for number, port in spec.antennas.items()}
    reader = VirtualReader(PepperEmulator(hand, ports, look_s=0.0), spec.antennas)
    now = begin("fresh", "blue", antenna, (RED,))
    troubles = set()
    for poll in wire_polls([reader], SweepScheduler([antenna]), hand.look_s):
        now = now.poll(poll)
        key = hand.act(now.view, poll.ended)
        now = now if key is None else now.key(key)
        troubles.add(now.trouble)
        if now.over or poll.ended > 120:
            break
    assert now.step is Step.DONE
    assert poll.ended < 75, "about a minute of somebody's time"
    made = now.deck("2026-11-30T20:00:00+00:00")
    assert {tag.face: tag.uid for tag in made.tags if tag.face in FACES} == hand.truth
    assert len(made.jokers) == 2
    assert len(known_tags((RED, made))) == 54 + 54
    assert troubles >= {Trouble.TWO_CARDS, Trouble.LAID_ALREADY, Trouble.OTHER_DECK}
