"""The robot's hands: whole decks, legal by an independent look at the cards, mistakes as planted,
and twins."""

from __future__ import annotations

import gc
import itertools
import statistics
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from drivers.readings import ButtonReading, Health, Poll, SeatReading
from drivers.sim.acts import Dealer
from drivers.sim.mistakes import MISTAKES, STRANGERS, DealScript
from drivers.sim.robot import HandPlayed, Oddities, Robot
from drivers.sim.world import Card, Noise, World, polls
from tests.drivers.sim.reference_tables import Round, table

NEVER = Oddities.none()


def robot(
    script: DealScript | None = None,
    world: World | None = None,
    seed: int = 1,
    oddities: Oddities = NEVER,
    **how: object,
) -> Robot:
    script = script or DealScript(tuple(range(1, 10)))
    d = Dealer(world or table(stacks=False), script.seats, seed=seed, **how)  # type: ignore[arg-type]
    return Robot(d, script, seed=seed, oddities=oddities)


@dataclass(frozen=True)
class Arrival:
    """A card came to lie in a zone: read off the table itself, not off the robot's plan."""

    at: float
    zone: str
    source: str
    """The last zone in which it lay, "stub" if it came from the deck."""


def arrivals(world: World, cards: Sequence[Card], until: float) -> Iterator[Arrival]:
    """Watch every card's place in steps of 10 ms."""
    zones = {a.place for a in world.antennas} | {"stub"}
    last = {id(c): c.place for c in cards}
    known = dict(last)
    while world.now < until:
        world.advance(min(until, world.now + 0.01))
        for card in cards:
            place = card.place
            if place != known[id(card)]:
                known[id(card)] = place
                if place in zones and (place != last[id(card)]):
                    yield Arrival(world.now, place, last[id(card)])
                    last[id(card)] = place


def play(r: Robot, **how: object) -> tuple[HandPlayed, list[Arrival]]:
    world = r.dealer.world
    hand = r.hand(**how)  # type: ignore[arg-type]
    came = list(arrivals(world, world.deck("red")[:52], hand.gather_at))
    world.advance(hand.next_at)
    return hand, came


def faults(came: Sequence[Arrival], script: DealScript, button: int) -> list[str]:
    """A small judge of its own: what is wrong with the cards that left the deck, in order of
    time."""
    ahead = sorted(script.seats, key=lambda s: ((s - button - 1) % 100, s))
    due = ["burn"] * script.burns_before("deal")
    passes = script.hole_cards // script.cards_per_pass
    due += [f"seat/{s}" for s in ahead for _ in range(script.cards_per_pass)] * passes
    for street, n in (("flop", 3), ("turn", 1), ("river", 1)):
        due += ["burn"] * script.burns_before(street) + ["board"] * n
    wrong = []
    off_deck = [a.zone for a in came if a.source == "stub"]
    dealt = ["board" if zone.startswith("board") else zone for zone in off_deck]
    for got, expected in zip(dealt, due, strict=False):
        if got != expected and not (expected == "burn" and got == "muck"):
            wrong.append(f"{got} for {expected}")
    if len(dealt) > len(due):
        wrong.append("cards after the river")
    ends = {len(due)}
    at = len(due)
    for street, n in (("river", 1), ("turn", 1), ("flop", 3)):
        at -= n + script.burns_before(street)
        ends.add(at)
    if len(dealt) not in ends:
        wrong.append(f"the hand stops after {len(dealt)} cards")
    return wrong + [
        f"{a.source} to {a.zone}"
        for a in came
        if a.source != "stub" and not (a.source.startswith("seat/") and a.zone == "muck")
    ]


SCRIPTS = [
    DealScript(tuple(range(1, 10))),
    DealScript((2, 7)),
    DealScript((1, 4, 5, 8, 11), burns={"deal": 1, "flop": 1, "turn": 1, "river": 1}),
    DealScript(tuple(range(1, 12)), hole_cards=4),
    DealScript((1, 2, 3, 6), hole_cards=4, cards_per_pass=2),
    DealScript((3, 5, 9), burns={"flop": 1, "turn": 0, "river": 0}),
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: f"{len(s.seats)}x{s.hole_cards}")
@pytest.mark.parametrize("burn", [("burn",), ()], ids=["own burn", "shared"])
def test_hands_without_oddities_are_legal_and_conserve_the_deck(
    script: DealScript, burn: tuple[str, ...]
) -> None:
    world = table(stacks=False, burn=burn)
    r = robot(script, world)
    for _ in range(12):
        hand, came = play(r)
        assert faults(came, script, hand.button) == []
        whole(r)


def whole(r: Robot) -> None:
    """After a hand all 52 cards are in the dealer's hand, and none is held back by a fault."""
    red = r.dealer.world.deck("red")[:52]
    assert set(r.dealer.pile("stub")) == set(red)
    assert all(c.place == "stub" and not c.unread for c in red)


def test_placement_seats_get_their_cards_late_and_in_full() -> None:
    r = robot(placement_seats=(4, 5))
    for _ in range(10):
        hand, came = play(r)
        deal = hand.street("deal")
        assert deal is not None
        four = [a.at for a in came if a.zone == "seat/4" and a.source == "stub"]
        assert all(at > deal.done_at + 0.9 for at in four)
        whole(r)


def test_the_button_moves_on_by_one_player_and_is_sensed() -> None:
    r = robot(DealScript((2, 5, 9)))
    seats = []
    for _ in range(6):
        hand, _ = play(r)
        seats.append(hand.button)
        readings = [x for x in r.dealer.due(hand.next_at) if isinstance(x, ButtonReading)]
        assert [x.seats for x in readings] == [(hand.button,)]
        assert hand.order[-1] == hand.button
    assert seats == [9, 2, 5, 9, 2, 5]


def test_hands_have_the_lengths_and_ends_of_a_real_table() -> None:
    r = robot(DealScript(tuple(range(1, 10))))
    hands = []
    for _ in range(400):
        hands.append(r.hand())
        r.dealer.world.advance(hands[-1].next_at)
    gathers = [h.ended_at - h.gather_at for h in hands]
    assert min(gathers) >= 20.0
    assert max(gathers) <= 40.0
    assert all(20.0 <= h.next_at - h.ended_at <= 30.0 for h in hands)
    to_river = [h.gather_at - h.begun_at for h in hands if len(h.streets) == 4]
    assert 60.0 < statistics.mean(to_river) < 100.0
    ends = [len(h.streets) for h in hands]
    assert all(ends.count(n) >= 20 for n in (1, 2, 3, 4))
    for h in hands:
        times = [t for s in h.streets for t in (s.first_at, s.done_at, s.ended_at)]
        assert times == sorted(times)
        assert h.streets[-1].ended_at == h.gather_at


def test_two_to_four_of_nine_see_the_flop() -> None:
    r = robot()
    seen = []
    for _ in range(60):
        hand = r.hand()
        flop = hand.street("flop")
        if flop is not None:
            r.dealer.world.advance(flop.done_at)
            down = sum(
                any(c.place in (f"seat/{s}", f"hand/{s}") for c in r.dealer.world.deck("red"))
                for s in range(1, 10)
            )
            seen.append(down)
        r.dealer.world.advance(hand.next_at)
    assert set(seen) == {2, 3, 4}


# -- oddities


def test_an_exposed_card_is_replaced_and_serves_as_the_burn() -> None:
    r = robot(oddities=Oddities(1.0, 0.0, 0.0, 0.0, 0.0))
    flops = 0
    for _ in range(15):
        hand, came = play(r)
        assert hand.oddities == ("exposed_card",)
        moved = [a for a in came if a.zone == "burn" and a.source.startswith("seat/")]
        assert len(moved) == 1
        dealt = [a.zone for a in came if a.source == "stub"]
        assert dealt.count(moved[0].source) == 3
        if len(hand.streets) > 1:
            assert dealt[19:22] == ["board"] * 3
            flops += 1
        whole(r)
    assert flops > 5


def test_a_forgotten_card_is_back_before_the_next_hand() -> None:
    r = robot(oddities=Oddities(0.0, 1.0, 0.0, 0.0, 0.0))
    world = r.dealer.world
    for _ in range(10):
        hand = r.hand()
        world.advance(hand.ended_at + 10.0)
        assert sum(len(world.lying(a.place)) for a in world.antennas if a.place != "count") >= 1
        left = [c for c in world.deck("red")[:52] if c.place not in ("stub", "table")]
        assert len(left) == 1
        world.advance(hand.next_at)
        whole(r)


def test_an_absent_player_is_dealt_in_and_folded() -> None:
    r = robot(oddities=Oddities(0.0, 0.0, 1.0, 0.0, 0.0))
    for _ in range(10):
        hand, came = play(r)
        assert faults(came, r.script, hand.button) == []
        chairs = [x for x in r.dealer.due(hand.next_at) if isinstance(x, SeatReading)]
        assert [c.occupied for c in chairs] == [False, True]
        gone = f"seat/{chairs[0].seat}"
        assert sum(a.zone == gone for a in came) == 2
        assert sum(a.source == gone and a.zone == "muck" for a in came) == 2


def test_the_button_may_get_its_last_two_cards_together() -> None:
    r = robot(oddities=Oddities(0.0, 0.0, 0.0, 1.0, 0.0))
    hand, came = play(r)
    dealt = [a.zone for a in came if a.source == "stub"][:18]
    assert dealt[-2:] == [f"seat/{hand.button}"] * 2
    assert dealt.count(f"seat/{hand.button}") == 2


# -- planted mistakes

TABLES = {
    "holdem": (DealScript(tuple(range(1, 10))), ("board",)),
    "burn first": (
        DealScript((1, 2, 4, 6, 9), burns={"deal": 1, "flop": 1, "turn": 1, "river": 1}),
        ("board/flop", "board/turn", "board/river"),
    ),
    "omaha": (DealScript((1, 2, 3, 5, 8, 9), hole_cards=4), ("board",)),
    "heads up": (DealScript((3, 8)), ("board",)),
}
SILENT = {"button-missing", "button-duplicate", "button-not-moved", "button-skipped"}
SILENT |= {"button-backward", "button-moved-midhand"}


@pytest.mark.parametrize("name", TABLES)
def test_every_mistake_is_seen_on_the_table_and_no_other(name: str) -> None:
    script, board = TABLES[name]
    r = robot(script, table(stacks=False, board=board))
    play(r)
    for kind, street in r.possible():
        hand, came = play(r, mistake=kind, street=street)
        planted = hand.planted
        assert planted is not None, kind
        assert (planted.kind, planted.street) == (kind, street)
        assert hand.street(street) is not None
        assert planted.evident_at <= hand.gather_at
        wrong = faults(came, script, hand.button)
        if kind == "board-misplaced":
            zones = [a.zone for a in came if a.source == "stub" and a.zone.startswith("board")]
            assert zones.count("board/flop") == 4
        elif kind in SILENT or kind.startswith(("card-foreign", "card-joker", "card-other")):
            assert wrong == [], kind
        elif kind == "burn-misplaced":
            assert [a for a in came if a.source == "stub" and a.zone == "muck"]
        elif kind == "card-clone":
            assert wrong == []
        else:
            assert wrong, kind
        whole(r)


def test_the_kinds_cover_what_the_table_can_see() -> None:
    r = robot(DealScript(tuple(range(1, 10))))
    play(r)
    missing = set(MISTAKES) - {k for k, _ in r.possible()}
    of_faces = {m.kind for m in MISTAKES.values() if m.group == "face"}
    assert missing == {"board-misplaced"} | of_faces
    r.seen = True
    missing = set(MISTAKES) - {k for k, _ in r.possible()}
    assert missing == {"board-misplaced", "flop-face-up"}  # the flop is dealt face up here
    r.tagged = False
    assert missing | STRANGERS == set(MISTAKES) - {k for k, _ in r.possible()}


@pytest.mark.parametrize(
    ("kind", "up"), [("card-exposed", True), ("burn-face-up", True), ("board-face-down", False)]
)
def test_a_card_that_is_dealt_the_wrong_way_up_lies_so(kind: str, up: bool) -> None:
    r = robot(DealScript(tuple(range(1, 10))))
    r.seen = True
    world = r.dealer.world
    hand = r.hand(kind)
    assert hand.planted is not None
    world.advance(hand.planted.evident_at + 0.1)
    place = {"burn-face-up": "burn", "board-face-down": "board"}.get(
        kind, f"seat/{hand.planted.seat}"
    )
    assert sum(card.face_up is up for card in world.lying(place)) == 1


def test_evident_at_is_the_moment_of_the_deciding_card() -> None:
    r = robot()
    play(r)
    hand, came = play(r, mistake="burn-double", street="turn")
    assert hand.planted is not None
    burns = [a.at for a in came if a.zone == "burn"]
    assert hand.planted.evident_at == pytest.approx(burns[2], abs=0.02)
    hand, came = play(r, mistake="wrong-first-seat")
    assert hand.planted is not None
    assert hand.planted.seat == hand.order[0]
    assert hand.planted.evident_at == pytest.approx(came[0].at, abs=0.02)
    hand, came = play(r, mistake="count-short")
    assert hand.planted is not None
    deal = hand.street("deal")
    assert deal is not None
    assert hand.planted.seat == hand.button
    assert deal.done_at < hand.planted.evident_at <= deal.done_at + 5.0


def test_a_full_deck_leaves_no_card_for_an_extra_one() -> None:
    r = robot(DealScript(tuple(range(1, 12)), hole_cards=4))
    assert not {k for k, _ in r.possible() if MISTAKES[k].extra}
    with pytest.raises(ValueError, match="need 53 cards"):
        robot(
            DealScript(tuple(range(1, 12)), 4, burns={"deal": 1, "flop": 1, "turn": 1, "river": 1})
        ).hand()


def test_impossible_mistakes_are_refused_by_name() -> None:
    r = robot()
    with pytest.raises(ValueError, match="no mistake teleport"):
        r.hand(mistake="teleport")
    with pytest.raises(ValueError, match="burn-unexpected cannot happen on the flop"):
        r.hand(mistake="burn-unexpected", street="flop")


def test_one_card_unread_for_the_whole_hand_wherever_it_lies() -> None:
    r = robot()
    world = r.dealer.world
    where = set()
    for _ in range(40):
        hand = r.hand(unread=True)
        assert hand.unread is not None
        where.add(hand.unread.split("/")[0])
        world.advance(hand.gather_at - 0.1)
        assert sum(c.unread for c in world.deck("red")) == 1
        world.advance(hand.next_at)
        whole(r)
    assert where == {"seat", "burn", "board"}


# -- twins, memory


def pattern(r: Robot, hands: int) -> list[object]:
    """What the readers see of some hands, each tag named by the order of its first sight."""
    first: dict[bytes, int] = {}
    found: list[object] = []
    source = polls(r.dealer.world, Round(r.dealer.world))
    for n in range(hands):
        kinds = r.possible()
        kind, street = kinds[(7 * n) % len(kinds)] if n % 2 else (None, None)
        hand = r.hand(kind, street, n % 3 == 0)
        for p in source:
            assert isinstance(p, Poll)
            tags = tuple(first.setdefault(bytes(u), len(first)) for u in p.uids)
            found.append((p.antenna, tags, p.outcome, p.started, p.ended))
            if p.ended > hand.next_at:
                break
        found.append((hand, r.dealer.due(hand.next_at)))
    return found


@pytest.mark.parametrize("stub", [False, True], ids=["", "stub read"])
def test_two_nights_that_differ_only_in_the_cards_look_the_same(stub: bool) -> None:
    noise = Noise(miss=0.05, cross=0.02, corrupt=0.002, ghost=0.0, shift=0.0, seed=11)
    odd = Oddities(0.2, 0.2, 0.2, 0.2, 0.2)

    def night(cards_seed: int, deck_seed: int) -> list[object]:
        world = table(noise, cards_seed=cards_seed, stub=stub)
        return pattern(robot(world=world, deck_seed=deck_seed, oddities=odd, seed=5), 12)

    one = night(1, 1)
    assert one == night(2, 1)
    assert one == night(1, 2)
    assert one == night(3, 4)


def test_another_noise_seed_gives_another_night() -> None:
    def night(seed: int) -> list[object]:
        return pattern(robot(world=table(Noise(miss=0.05, cross=0.02, seed=seed))), 1)

    assert night(1) != night(2)


def test_memory_does_not_grow_with_the_hands() -> None:
    r = robot(oddities=Oddities())
    world = r.dealer.world
    source = polls(world, Round(world))

    def hands(count: int) -> None:
        for n in range(count):
            kinds = r.possible()
            kind, street = kinds[n % len(kinds)] if n % 2 else (None, None)
            hand = r.hand(kind, street, n % 3 == 0)
            for p in itertools.islice(source, 40):
                assert not isinstance(p, Health)
            world.advance(hand.next_at)
            r.dealer.due(hand.next_at)

    tracemalloc.start()
    hands(150)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    hands(150)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 40_000
