"""A count at the table: the dealer's key, the deck over the antenna, what the rules are told; and
the running test that asks for one."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace

import pytest

from controller.integrity.deck_watch import DeckWatch
from controller.integrity.suspect import Budget
from controller.integrity.table_count import TableCount
from controller.integrity.watched import Stand
from controller.model.cards import FACES
from controller.model.events import (
    CountStopped,
    DeckCounted,
    DeckInPlay,
    DeckSuspected,
    KeyPressed,
    SeatStatus,
    TableEvent,
    TableOpened,
)
from controller.model.findings import FindingChanged, Said
from controller.model.table import COUNT, reference_layout, seat_zone
from controller.pipeline import Table
from controller.rules.profile import load
from controller.simulated_field import field_antennas
from controller.vault import Vault
from drivers.factory import Dealer, PassOver, SweepScheduler, World, polls
from drivers.readings import KeyPress, Outcome, Poll, Uid
from tests.controller.integrity.hands_over import over

SEATS = (1, 2, 3, 4)
LAYOUT = reference_layout()
STEADY = PassOver(two_at_once=0.0, too_fast=0.0, put_back=0.0)


class CountedTable:
    """A perfect table with a red and a blue deck, in virtual time."""

    def __init__(self) -> None:
        self.world = World(field_antennas(LAYOUT), cards_seed=1)
        self.dealer = Dealer(self.world, SEATS, button=4, deck_seed=1)
        decks = {c.uid: (c.deck, c.face) for n in ("red", "blue") for c in self.world.deck(n)}
        self.vault = Vault(decks)
        self.events: list[TableEvent] = []
        self.said: list[Said] = []
        self.table = Table(LAYOUT, self.vault, self._record)
        self.table.open(
            TableOpened(
                at=0.0,
                profile=load("tda").model_dump_json(),
                game="holdem",
                layout="",
                seats=tuple((s, SeatStatus.IN) for s in SEATS),
                button=(4,),
            )
        )
        self.scheduler = SweepScheduler([a.antenna for a in LAYOUT.antennas])
        self.looked: list[int] = []
        self._polls = polls(self.world, self.scheduler)
        self.dealer.wait(2.0)

    def _record(self, event: TableEvent) -> None:
        self.events.append(event)

    def until(self, at: float) -> None:
        for reading in self._polls:
            assert isinstance(reading, Poll)
            for other in self.dealer.due(reading.ended):
                self.said += self.table.feed(other)
            self.said += self.table.feed(reading)
            self.looked.append(reading.antenna)
            self.scheduler.focus(self.table.focus)
            self.scheduler.only(self.table.only)
            if reading.ended >= at:
                return

    def press(self, key: str) -> None:
        self.until(self.dealer.at)
        self.said += self.table.feed(KeyPress(key, self.world.now))

    def count(self) -> DeckCounted | None:
        """The whole act by the book."""
        self.press("count")
        self.until(self.dealer.count(STEADY) + 6.0)
        shown = self.table.counting
        if shown is not None and shown.why:
            self.until(self.dealer.count(STEADY) + 6.0)
        self.press("confirm")
        return next((e for e in reversed(self.events) if isinstance(e, DeckCounted)), None)

    def codes(self) -> set[str]:
        return {c for w in self.said if isinstance(w, FindingChanged) for c in w.finding.codes}


def test_the_first_cards_of_a_count_say_which_deck_it_is_of() -> None:
    table = CountedTable()
    counted = table.count()
    assert counted is not None
    assert (counted.deck, counted.present, counted.missing) == ("red", 52, ())
    assert counted.by == "the dealer, by key"
    assert table.table.progress.deck == "red"
    assert table.table.progress.counted == 52
    assert table.codes() == set()


def test_while_cards_pass_their_antenna_alone_is_read_and_then_all_of_them_again() -> None:
    table = CountedTable()
    table.press("count")
    ends = table.dealer.count(STEADY)
    table.until(table.world.now + 4.0)
    table.looked.clear()
    table.until(ends)
    assert set(table.looked) == {LAYOUT.by_zone[COUNT].antenna}
    shown = table.table.counting
    assert shown is not None
    assert shown.text == "COUNT 52/52"
    table.until(table.dealer.at + 6.0)
    table.press("confirm")
    table.looked.clear()
    table.until(table.world.now + 2.0)
    assert set(table.looked) == {a.antenna for a in LAYOUT.antennas}


def test_a_missing_card_is_named_after_two_passes() -> None:
    table = CountedTable()
    table.dealer.take_out("7c")
    counted = table.count()
    assert counted is not None
    assert (counted.present, counted.missing, counted.passes) == (51, ("7c",), 2)
    assert table.codes() == {"DECK_SHORT"}


def test_the_event_holds_the_set_and_nothing_of_the_order() -> None:
    told = set()
    for seed in (1, 2, 3):
        table = CountedTable()
        table.dealer.shuffle(seed)
        table.dealer.take_out("7c")
        table.dealer.take_out("As")
        counted = table.count()
        assert counted is not None
        told.add(replace(counted, at=0.0, duration_s=0.0, passes=0, seq=0))
    assert len(told) == 1
    assert told.pop().missing == ("As", "7c")


def test_no_count_begins_while_a_hand_is_on() -> None:
    table = CountedTable()
    table.dealer.hole()
    table.press("count")
    assert table.table.counting is None
    with pytest.raises(ValueError, match="between hands"):
        table.table.count(table.world.now)


def test_a_house_without_decks_is_told_how_to_come_to_one() -> None:
    table = Table(LAYOUT, Vault())
    with pytest.raises(ValueError, match="burnturn deck register"):
        table.count(0.0)


def test_a_count_in_which_no_card_comes_is_given_up_and_blinds_nobody_meanwhile() -> None:
    table = CountedTable()
    table.press("count")
    table.looked.clear()
    table.until(table.world.now + 10.0)
    assert table.table.only is None
    assert set(table.looked) == {a.antenna for a in LAYOUT.antennas}
    assert table.table.counting is not None
    table.until(table.world.now + 55.0)
    assert table.table.counting is None
    stopped = [e for e in table.events if isinstance(e, CountStopped)]
    assert [e.reason for e in stopped] == ["no card came"]
    keys = [(e.key, e.by) for e in table.events if isinstance(e, KeyPressed)]
    assert keys == [("count", "the dealer, by key")]


def test_whoever_begins_a_count_and_deals_is_watched_as_ever() -> None:
    table = CountedTable()
    table.press("count")
    table.dealer.hole()
    table.until(table.dealer.at + 4.0)
    assert table.table.counting is None
    assert [e.reason for e in table.events if isinstance(e, CountStopped)] == ["cards were dealt"]
    assert table.table.progress.cards == ((1, 2), (2, 2), (3, 2), (4, 2))
    assert table.codes() == set()


def test_a_card_left_on_the_antenna_is_no_count_of_the_deck() -> None:
    table = CountedTable()
    table.dealer.hole()  # some deck is known
    table.dealer.gather()
    table.until(table.dealer.at + 10.0)
    table.press("count")
    table.world.move(table.world.deck("red")[0], "count", table.world.now)
    table.until(table.world.now + 30.0)
    table.press("confirm")
    assert not any(isinstance(e, DeckCounted) for e in table.events)
    assert table.codes() == set()


@pytest.mark.parametrize("deck", [None, "red"])
@pytest.mark.parametrize("what", ["own", "other", "foreign"])
def test_what_lies_on_the_count_antenna_blinds_nobody(deck: str | None, what: str) -> None:
    table = CountedTable()
    if deck is not None:
        table.table.change_deck(deck, 0.1, "Ann")
    table.press("count")
    lying = {
        "own": table.world.deck("red")[0],
        "other": table.world.deck("blue")[0],
        "foreign": table.world.foreign(),
    }[what]
    table.world.move(lying, "count", table.world.now + 0.1)
    table.until(table.world.now + 30.0)
    assert table.table.only is None
    table.dealer.at = table.world.now
    table.dealer.hole()
    table.until(table.dealer.at + 6.0)
    assert table.table.counting is None
    assert table.table.progress.cards == ((1, 2), (2, 2), (3, 2), (4, 2))


def test_a_telephone_on_the_count_antenna_blinds_nobody_and_costs_no_memory() -> None:
    count = TableCount(LAYOUT)
    cards = CountedTable().vault.registered
    count.start(cards, None, 0.0)
    chance, before = random.Random(5), 0
    for n in range(12_000):  # another UID at each look, five minutes
        at = n * 0.025
        uid = Uid(b"\x08" + chance.randbytes(3))
        count.poll(Poll(count.antenna or 0, (uid,), Outcome.SEEN, at, at + 0.02))
        assert not count.alone
        if n == 6_000:
            before = len(pickle.dumps(vars(count)))
    assert len(pickle.dumps(vars(count))) <= before * 1.01
    assert count.shown is not None
    assert count.shown.text == "COUNT"


def test_a_deck_that_nobody_registered_is_said_to_be_none_of_the_house() -> None:
    table = CountedTable()
    stub = table.dealer.pile("stub")
    stub[:] = [table.world.foreign() for _ in range(52)]
    table.press("count")
    table.until(table.dealer.count(STEADY) + 6.0)
    shown = table.table.counting
    assert shown is not None
    assert (shown.cards, shown.text) == (0, "UNKNOWN DECK")
    assert "register it" in shown.why
    table.until(table.world.now + 65.0)
    assert table.table.counting is None
    assert [e.reason for e in table.events if isinstance(e, CountStopped)] == [
        "cards of no registered deck passed"
    ]


def test_a_confirmation_without_a_count_is_about_something_else() -> None:
    table = CountedTable()
    assert table.table.confirm(1.0, "Ann") is None


def test_the_deck_in_play_is_told_once_its_cards_show_it() -> None:
    table = CountedTable()
    table.dealer.hole()
    table.until(table.dealer.at + 3.0)
    assert [e.deck for e in table.events if isinstance(e, DeckInPlay)] == ["red"]


# ---- the running test


def watched() -> tuple[DeckWatch, list[Uid], dict[Uid, str]]:
    faces = {Uid(bytes((n,)) * 7): face for n, face in enumerate(FACES)}
    vault = Vault({uid: ("red", face) for uid, face in faces.items()})
    return DeckWatch(vault, budget=Budget(1, 100, 240)), list(faces), faces


def test_a_card_that_is_gone_is_suspected_and_named_between_hands_only() -> None:
    watch, uids, faces = watched()
    chance = random.Random(4)
    gone = uids[20]
    rest = [u for u in uids if u != gone]
    told: list[DeckSuspected] = []
    hands = 0
    while not told and hands < 80:
        hands += 1
        watch.began()
        assert watch.suspects() == ()
        told += watch.ended(over("red", chance.sample(rest, 26), float(hands)))
    assert 10 < hands < 60
    assert (told[0].deck, told[0].hands) == ("red", hands)
    assert watch.suspects() == (faces[gone],)
    assert faces[gone] not in repr(watch)
    watch.began()
    assert watch.suspects() == ()
    (back,) = watch.ended(over("red", [gone, *chance.sample(rest, 25)], 99.0))
    assert back.hands == 0
    assert watch.suspects() == ()


def test_a_count_answers_every_suspicion() -> None:
    watch, uids, _ = watched()
    chance = random.Random(5)
    rest = uids[1:]
    for hand in range(60):
        watch.ended(over("red", chance.sample(rest, 26), float(hand)))
    assert watch.suspects()
    watch.counted(Stand("red", 60, 60.0, 60.5))
    assert watch.suspects() == ()
    assert watch.ended(over("red", chance.sample(rest, 26), 61.0)) == []


def test_another_deck_begins_anew() -> None:
    faces = {Uid(bytes((n,)) * 7): face for n, face in enumerate(FACES)}
    blue = {Uid(bytes((100 + n,)) * 7): face for n, face in enumerate(FACES)}
    cards = {u: ("red", f) for u, f in faces.items()} | {u: ("blue", f) for u, f in blue.items()}
    watch = DeckWatch(Vault(cards), budget=Budget(1, 100, 240))
    chance = random.Random(6)
    for hand in range(60):
        watch.ended(over("red", chance.sample(list(faces)[1:], 26), float(hand)))
    assert watch.suspects()
    assert watch.ended(over("blue", chance.sample(list(blue), 26), 61.0)) == []
    assert watch.suspects() == ()


def test_the_look_that_ends_an_idle_count_is_looked_at_too() -> None:
    table = CountedTable()
    table.press("count")
    seat = LAYOUT.by_zone[seat_zone(1)].antenna
    at = table.world.now + 61.0
    card = table.world.deck("red")[0].uid
    table.table.feed(Poll(seat, (card,), Outcome.SEEN, at - 0.02, at))
    assert [e.reason for e in table.events if isinstance(e, CountStopped)] == ["no card came"]
    assert table.table.sensing.sensed().arriving == (seat_zone(1),)


@pytest.mark.parametrize("told", [False, True])
def test_another_deck_is_expected_by_whatever_way_the_key_came(told: bool) -> None:
    table = CountedTable()
    table.table.change_deck("red", table.world.now, "anna")
    assert table.vault.playing == "red"
    if told:
        table.table.tell(KeyPressed(at=table.world.now, key="deck-change", by="anna"))
    else:
        table.table.feed(KeyPress("deck-change", table.world.now))
    assert table.vault.playing is None
    assert [e.key for e in table.events if isinstance(e, KeyPressed)] == ["deck-change"]
