"""A hand taken up by positions: cards that lie where cards lay are those, and silence is a lift."""

import random

from controller.model.events import CardCame, CardLeft, TableEvent, Token
from controller.model.table import LayoutOptions, reference_layout, seat_zone
from controller.positions import PATIENCE_POLLS, TakenUp
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.readings import Outcome, Poll, Uid

OLD, OTHER = Token(11), Token(12)
CARD = Uid(bytes.fromhex("e00401020304aabb"))
SECOND = Uid(bytes.fromhex("e0040520304011cc"))
LAYOUT = reference_layout(LayoutOptions(miss_rate=0.05))


class Table:
    """Sensing on a table where each antenna is looked at in turn."""

    def __init__(self, **lying: list[tuple[Token, bool]]) -> None:
        source = random.Random(1)
        sensing = Sensing(LAYOUT, Vault(source=lambda: source.getrandbits(53)))
        zones = {seat_zone(int(name[4:])): cards for name, cards in lying.items()}
        self.sensing = TakenUp(sensing, LAYOUT, zones, since=90.0)
        self.now = 100.0

    def rounds(self, number: int, **read: list[Uid]) -> list[TableEvent]:
        found: list[TableEvent] = []
        cards = {int(name[4:]): tuple(uids) for name, uids in read.items()}
        for _ in range(number):
            for antenna in LAYOUT.by_antenna:
                uids = cards.get(antenna, ())
                outcome = Outcome.SEEN if uids else Outcome.EMPTY
                poll = Poll(antenna, uids, outcome, self.now, self.now + 0.02)
                self.now += 0.025
                found += self.sensing.poll(poll)
        return found


def test_a_card_where_a_card_lay_is_that_card_and_nothing_has_happened() -> None:
    table = Table(seat4=[(OLD, False)])
    assert table.rounds(20, seat4=[CARD]) == []
    left = table.rounds(30)
    assert [type(e) for e in left] == [CardLeft]
    assert isinstance(left[0], CardLeft)
    assert left[0].token == OLD


def test_a_lifted_card_that_is_read_again_was_put_back() -> None:
    table = Table(seat4=[(OLD, True)])
    (came,) = table.rounds(20, seat4=[CARD])
    assert isinstance(came, CardCame)
    assert (came.token, came.source) == (OLD, "seat/4")


def test_a_card_beyond_those_that_lay_there_is_a_new_one() -> None:
    table = Table(seat4=[(OLD, False)])
    table.rounds(20, seat4=[CARD])
    (came,) = table.rounds(20, seat4=[CARD, SECOND])
    assert isinstance(came, CardCame)
    assert came.token not in (OLD, OTHER)
    assert came.source is None


def test_a_card_that_moves_on_keeps_its_old_token() -> None:
    table = Table(seat4=[(OLD, False)])
    table.rounds(20, seat4=[CARD])
    came = [e for e in table.rounds(40, seat8=[CARD]) if isinstance(e, CardCame)]
    assert [(e.token, e.zone, e.source) for e in came] == [(OLD, "seat/8", "seat/4")]


def test_cards_not_read_for_long_count_as_lifted_from_the_last_moment_before() -> None:
    table = Table(seat4=[(OLD, False), (OTHER, True)])
    assert table.rounds(PATIENCE_POLLS - 1) == []
    (left,) = table.rounds(1)
    assert isinstance(left, CardLeft)
    assert (left.token, left.zone, left.after) == (OLD, "seat/4", 90.0)
    assert left.before > 100.0


def test_noise_is_no_silence() -> None:
    table = Table(seat4=[(OLD, False)])
    for n in range(3 * PATIENCE_POLLS):
        at = table.now + n
        noise = Poll(4, (), Outcome.NOISE, at, at + 0.02)
        assert table.sensing.poll(noise) == []


def test_with_the_hand_the_old_tokens_end() -> None:
    table = Table(seat4=[(OLD, False)], seat5=[(OTHER, False)])
    table.rounds(20, seat4=[CARD])
    (carried,) = table.sensing.renew(table.now)
    assert carried.token != OLD
    assert table.rounds(3 * PATIENCE_POLLS, seat4=[CARD]) == []
