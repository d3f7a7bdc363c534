"""The dealer passes the deck over the count antenna, with the hand's mistakes and the pack's."""

from __future__ import annotations

from collections import Counter

import pytest

from drivers.readings import Uid
from drivers.sim.acts import Dealer, Pick, Stranger
from drivers.sim.pass_over import PassOver
from drivers.sim.world import Noise, merged_uid
from tests.drivers.sim.reference_tables import table

NEAT = PassOver(two_at_once=0.0, too_fast=0.0, put_back=0.0)


def dealer(**how: object) -> Dealer:
    return Dealer(table(Noise(), stacks=False), range(1, 10), **how)  # type: ignore[arg-type]


def looks(d: Dealer, every_s: float = 0.02) -> list[tuple[Uid, ...]]:
    """What the count antenna reads until the dealer holds the deck again."""
    antenna, at, found = d.world.antenna_at(d.count_place), d.world.now, []
    while at < d.at:
        found.append(d.world.look(antenna, at, at + every_s) or ())
        at += every_s
    return found


def test_every_card_of_the_stub_passes_alone_and_in_order() -> None:
    d = dealer()
    order = [card.uid for card in reversed(d.pile("stub"))]
    d.count(NEAT)
    found = looks(d)
    assert max(len(look) for look in found) == 1
    assert list(dict.fromkeys(look[0] for look in found if look)) == order


def test_the_pass_takes_a_dealers_time_and_turns_the_stub_round() -> None:
    d = dealer()
    before = list(d.pile("stub"))
    began = d.at
    d.count(NEAT)
    assert 52 * 0.45 <= d.at - began <= 52 * 0.7 + 3
    assert d.pile("stub") == before[::-1]
    d.world.advance(d.at)
    assert {card.place for card in before} == {"stub"}


def test_asked_to_repeat_the_dealer_takes_more_care() -> None:
    hurried, careful = dealer(), dealer()
    hurried.count(NEAT)
    careful.count(NEAT.careful)
    assert careful.at > hurried.at * 1.1
    assert PassOver().careful.two_at_once == PassOver().two_at_once / 2


def test_two_cards_at_once_lie_over_the_antenna_together() -> None:
    d = dealer()
    d.count(PassOver(two_at_once=0.5, too_fast=0.0, put_back=0.0, merge=0.0, square=0.0))
    found = looks(d)
    together = {look for look in found if len(look) == 2}
    assert 8 <= len(together) <= 30
    assert len({uid for look in found for uid in look}) == 52


def test_cards_that_lie_squarely_hide_one_another_or_answer_as_one() -> None:
    d = dealer()
    own = {card.uid for card in d.pile("stub")}
    d.count(PassOver(two_at_once=0.5, too_fast=0.0, put_back=0.0, square=1.0, offset_s=(0.0, 0.0)))
    read = {uid for look in looks(d) for uid in look}
    mergers = {merged_uid(a, b) for a in own for b in own if a != b}
    ghosts = read - own
    assert ghosts
    assert ghosts <= mergers
    hidden = len(own - read)
    assert hidden > 2 * len(ghosts), "both of a ghost's cards, and one of each other pair"


def test_a_card_too_fast_is_in_the_field_for_a_blink() -> None:
    d = dealer()
    d.count(PassOver(two_at_once=0.0, too_fast=1.0, put_back=0.0))
    stays = Counter(uid for look in looks(d, 0.01) for uid in look)
    assert max(stays.values()) <= 13


def test_a_card_put_back_passes_twice() -> None:
    d = dealer()
    d.count(PassOver(two_at_once=0.0, too_fast=0.0, put_back=1.0))
    runs: list[Uid] = []
    before: tuple[Uid, ...] = ()
    for look in looks(d, 0.01):
        runs += [uid for uid in look if uid not in before]
        before = look
    assert set(Counter(runs).values()) == {2}


def test_a_card_taken_out_lies_where_it_was_put() -> None:
    d = dealer()
    d.count(NEAT, minus=("7c", "Ah"))
    assert len(d.pile("stub")) == 50
    assert sorted(card.face for card in d.pile("off-table")) == ["7c", "Ah"]
    d.take_out("Ks", "muck")
    d.world.advance(d.at)
    assert [card.face for card in d.world.lying("muck")] == ["Ks"]
    assert d.card(Pick("muck", 1)).face == "Ks"


@pytest.mark.parametrize(
    ("kind", "of", "read"),
    [
        ("foreign", "", 53),
        ("joker", "", 53),
        ("card", "blue", 53),
        ("duplicate", "Ks", 53),
        ("clone", "Ks", 52),
        ("untagged", "", 52),
    ],
)
def test_strangers_pass_with_the_deck(kind: Stranger, of: str, read: int) -> None:
    d = dealer()
    d.count(NEAT, plus=((kind, of),))
    assert len(d.pile("stub")) == 53
    assert len({uid for look in looks(d) for uid in look}) == read


def test_what_is_not_in_the_stub_cannot_be_taken_out() -> None:
    with pytest.raises(ValueError, match="no 7x of deck red"):
        dealer().take_out("7x")


def test_a_count_changes_nothing_in_the_hands_after_it() -> None:
    one, other = dealer(seed=5), dealer(seed=5)
    other.count()
    began = one.at, other.at
    durations = [d.gather() - at for d, at in zip((one, other), began, strict=True)]
    assert durations[0] == pytest.approx(durations[1])
