"""What each physical act leaves behind, and what it does on the way."""

from __future__ import annotations

from collections import Counter

import pytest

from drivers.readings import ButtonReading, KeyPress, SeatReading
from drivers.sim.acts import Dealer, Pick
from drivers.sim.world import Noise, World
from tests.drivers.sim.reference_tables import table


def dealer(world: World | None = None, **how: object) -> Dealer:
    return Dealer(world or table(stacks=False), range(1, 10), button=3, **how)  # type: ignore[arg-type]


def settle(d: Dealer, after_s: float = 0.0) -> None:
    """All motions so far are done."""
    d.world.advance(max(d.at, d.landed_at) + after_s)


def lying(d: Dealer) -> dict[str, int]:
    places = [a.place for a in d.world.antennas]
    return {p: n for p in places if (n := len(d.world.lying(p)))}


def landings(d: Dealer, until: float) -> list[str]:
    """The zones in which cards came to lie, in order of time."""
    came, seen = [], Counter(lying(d))
    at = d.world.now
    while at < until:
        at += 0.01
        d.world.advance(at)
        now = Counter(lying(d))
        came += sorted((now - seen).elements())
        seen = now
    return came


def test_hole_cards_go_round_from_left_of_the_button() -> None:
    d = dealer()
    d.hole()
    order = [4, 5, 6, 7, 8, 9, 1, 2, 3]
    assert landings(d, d.at) == [f"seat/{s}" for s in order * 2]
    assert len(d.pile("stub")) == 34


def test_cards_come_at_the_stated_pace() -> None:
    d = dealer(pace_s=0.45)
    first = d.deal("seat/4")
    second = d.deal("seat/4")
    assert 0.15 <= first <= 0.31
    assert second - first == pytest.approx(0.45, abs=0.04)


def test_parts_of_a_deal_join_up() -> None:
    d = dealer()
    d.hole(until=6)
    d.hole(only_pass=1)
    d.hole(until=3)
    assert landings(d, d.at) == [f"seat/{s}" for s in [4, 5, 6, 7, 8, 9, 1, 2, 3] * 2]


def test_a_card_dealt_ahead_passes_over_a_seat_once() -> None:
    d = dealer()
    d.hole(until=5)
    d.deal("seat/7")
    d.hole()
    assert landings(d, d.at)[:5] == ["seat/4", "seat/5", "seat/7", "seat/8", "seat/9"]
    assert len(d.pile("seat/6")) == 1
    assert len(d.pile("seat/7")) == 2


def test_one_pass_alone_skips_what_was_due_before_it() -> None:
    d = dealer()
    d.hole(until=8)
    d.hole(only_pass=2)
    assert {s: len(d.pile(f"seat/{s}")) for s in (8, 9, 3)} == {8: 2, 9: 1, 3: 1}


def test_omaha_in_passes_of_two() -> None:
    d = dealer(hole_cards=4, cards_per_pass=2)
    d.hole()
    order = [s for s in [4, 5, 6, 7, 8, 9, 1, 2, 3] for _ in range(2)]
    assert landings(d, d.at) == [f"seat/{s}" for s in order * 2]


def test_streets_go_to_the_board_and_burns_to_their_pile() -> None:
    d = dealer()
    d.burn()
    d.flop()
    d.burn()
    d.turn()
    d.burn()
    d.river()
    settle(d)
    assert lying(d) == {"board": 5, "burn": 3}
    assert all(c.face_up for c in d.world.lying("board"))
    assert not any(c.face_up for c in d.world.lying("burn"))


def test_a_board_of_three_antennas_and_a_shared_burn_and_muck() -> None:
    d = dealer(table(board=("board/flop", "board/turn", "board/river"), burn=()))
    d.burn()
    d.flop()
    d.turn()
    d.river()
    settle(d)
    assert lying(d) == {"board/flop": 3, "board/turn": 1, "board/river": 1, "muck": 1}
    assert len(d.pile("board")) == 5
    assert len(d.pile("burn")) == 1
    d.move(Pick("board", 4), "burn")
    settle(d)
    assert lying(d) == {"board/flop": 3, "board/river": 1, "muck": 2}


def test_a_zone_of_three_named_at_a_table_of_one_board() -> None:
    d = dealer()
    d.deal("board/turn")
    settle(d)
    assert lying(d) == {"board": 1}


def test_a_face_down_flop_is_turned_up_as_an_act() -> None:
    d = dealer(flop_face_down=True)
    d.flop()
    settle(d)
    assert not any(c.face_up for c in d.world.lying("board"))
    d.turn_up("flop")
    d.turn()
    settle(d)
    assert all(c.face_up for c in d.world.lying("board"))


def test_a_placement_seat_gets_its_card_when_the_player_brings_it() -> None:
    d = dealer(placement_seats=(4,))
    lands = d.deal("seat/4")
    settle(d)
    assert lying(d) == {}
    d.place(4, 1, after_s=5.0)
    d.world.advance(lands + 4.5)
    assert lying(d) == {}
    d.world.advance(lands + 6.0)
    assert lying(d) == {"seat/4": 1}


def test_a_card_folded_before_it_was_brought_stays_in_the_muck() -> None:
    d = dealer(placement_seats=(4,))
    d.deal("seat/4")
    d.place(4, 1, after_s=9.0)
    d.fold(4)
    settle(d, 20.0)
    assert lying(d) == {"muck": 1}


def test_a_fold_takes_all_cards_of_the_seat_together() -> None:
    d = dealer()
    d.hole()
    d.fold(5)
    settle(d)
    assert lying(d)["muck"] == 2
    assert d.pile("seat/5") == []


def test_a_peek_runs_beside_and_the_cards_come_back() -> None:
    d = dealer()
    d.hole()
    settle(d)
    before = d.at
    d.lift(6, 8.0)
    assert d.at == before
    d.burn()
    d.world.advance(before + 4)
    assert "seat/6" not in lying(d)
    d.world.advance(before + 9)
    assert lying(d)["seat/6"] == 2


def test_cards_folded_out_of_the_hand_do_not_come_back() -> None:
    d = dealer()
    d.hole()
    d.lift(6, 8.0)
    d.wait(1.0)
    d.fold(6)
    settle(d, 20.0)
    assert lying(d)["muck"] == 2
    assert "seat/6" not in lying(d)


@pytest.mark.parametrize(
    ("source", "target", "end"),
    [
        (Pick("seat/4", 1), "burn", {"burn": 2}),
        (Pick("board", 1), "muck", {"board": 2, "muck": 1, "burn": 1}),
        (Pick("burn", 1), "seat/9", {"burn": 0, "seat/9": 3}),
        (Pick("stub", 1), "board", {"board": 4}),
        (Pick("board", 3), "off-table", {"board": 2}),
    ],
)
def test_any_card_can_be_moved(source: Pick, target: str, end: dict[str, int]) -> None:
    d = dealer()
    d.hole()
    d.burn()
    d.flop()
    d.move(source, target)
    settle(d)
    found = lying(d)
    assert {p: found.get(p, 0) for p in end} == end


def test_a_card_put_on_top_of_the_stub_is_the_next_one() -> None:
    d = dealer()
    d.burn()
    d.burn()
    card = d.card(Pick("burn", 2))
    d.move(Pick("burn", 2), "stub", top=True)
    d.turn()
    settle(d)
    assert d.pile("board") == [card]
    first = d.card(Pick("burn", 1))
    d.move(Pick("burn", 1), "stub")
    assert d.pile("stub")[0] is first


def test_exchanges_bring_every_kind_of_stranger() -> None:
    d = dealer()
    d.hole()
    d.flop()
    flop = d.card(Pick("board", 1))
    d.swap(7, 2, "foreign")
    d.swap(8, 1, "joker")
    d.swap(9, 1, "card", deck="blue")
    d.swap(1, 1, "duplicate", of=Pick("board", 1))
    d.swap(2, 1, "clone", of=Pick("board", 1))
    settle(d)
    new = {s: d.pile(f"seat/{s}")[-1] for s in (7, 8, 9, 1, 2)}
    assert new[7].deck == "foreign"
    assert new[8].face == "joker1"
    assert new[9].deck == "blue"
    assert new[1].face == flop.face
    assert new[1].uid != flop.uid
    assert new[2].uid == flop.uid
    assert all(c.place == f"seat/{s}" for s, c in new.items())
    assert len(d.pile("off-table")) == 5
    assert all(len(d.pile(f"seat/{s}")) == 2 for s in range(1, 10))


def test_a_deck_is_made_whole_again_after_strangers() -> None:
    d = dealer()
    d.hole()
    d.swap(7, 2, "foreign")
    d.swap(8, 1, "joker")
    d.swap(9, 1, "card", deck="blue")
    d.swap(1, 1, "clone", of=Pick("seat/2", 1))
    d.gather()
    d.restore()
    settle(d)
    assert set(d.pile("stub")) == set(d.world.deck("red")[:52])
    assert all(c.place == "stub" for c in d.world.deck("red")[:52])
    d.deck("blue", 1)
    assert set(d.pile("stub")) == set(d.world.deck("blue")[:52])


def test_a_scramble_mixes_and_keeps_the_cards() -> None:
    changed = 0
    for seed in range(8):
        d = dealer(seed=seed)
        d.flop()
        before = list(d.pile("board"))
        d.scramble("board", 1, 3)
        settle(d)
        assert set(d.pile("board")) == set(before)
        assert list(d.world.lying("board")) == d.pile("board")
        changed += d.pile("board") != before
    assert changed >= 4


def test_a_gather_takes_every_card_in_20_to_40_seconds_over_the_antennas() -> None:
    d = dealer()
    d.hole()
    d.burn()
    d.flop()
    d.fold(5)
    settle(d)
    begins = d.at
    ends = d.gather()
    assert 20.0 <= ends - begins <= 40.0
    d.world.advance(ends - 1.0)
    settle(d)
    assert lying(d) == {}
    assert len(d.pile("stub")) == 52
    assert all(c.place == "stub" for c in d.pile("stub"))


def test_a_gathered_card_is_seen_over_other_antennas_on_its_way() -> None:
    d = dealer(table(Noise(flight=1.0)))
    d.hole()
    settle(d)
    d.gather()
    board = d.world.antenna_at("board")
    seen: set[bytes] = set()
    at = d.world.now
    while at < d.at:
        seen.update(d.world.look(board, at, at + 0.01) or ())
        at += 0.01
    middle = {4, 5, 6, 7, 8}
    assert len(seen) == 2 * len(middle)


def test_a_forgotten_card_stays_and_is_picked_up_later() -> None:
    d = dealer()
    d.hole()
    kept = d.card(Pick("seat/4", 2))
    d.gather(forget=[Pick("seat/4", 2)])
    d.shuffle(1)
    settle(d)
    assert lying(d) == {"seat/4": 1}
    assert d.pile("seat/4") == [kept]
    d.pick_up(Pick("seat/4"))
    settle(d)
    assert lying(d) == {}
    assert kept in d.pile("stub")


def test_a_wash_lies_over_the_board_for_a_while_and_is_then_gone() -> None:
    d = dealer()
    d.shuffle(5)
    board = d.world.antenna_at("board")
    counts = []
    at = 0.0
    while at < d.at:
        counts.append(len(d.world.look(board, at, at + 0.1) or ()))
        at += 0.1
    assert 60 < sum(n >= 3 for n in counts) < 140
    assert not any(counts[-100:])
    assert d.world.lying("board") == ()


def test_a_shuffle_depends_on_its_seed_and_on_the_order_before() -> None:
    def order(deck_seed: int, shuffle_seed: int) -> list[str]:
        d = dealer(deck_seed=deck_seed)
        d.shuffle(shuffle_seed)
        return [c.face for c in d.pile("stub")]

    assert order(1, 2) == order(1, 2)
    assert order(1, 2) != order(1, 3)
    assert order(1, 2) != order(2, 2)


def test_reshuffling_the_stub_leaves_the_table_alone() -> None:
    d = dealer()
    d.hole()
    d.flop()
    before = list(d.pile("stub"))
    d.reshuffle_stub(9)
    settle(d)
    assert lying(d)["board"] == 3
    assert set(d.pile("stub")) == set(before)
    assert d.pile("stub") != before


def test_a_deck_change_puts_the_old_deck_into_its_tray() -> None:
    d = dealer()
    red = list(d.pile("stub"))
    d.deck("blue", 3)
    settle(d)
    assert {c.deck for c in d.pile("stub")} == {"blue"}
    assert all(c.place == "tray:red" for c in red)
    d.deck("red", 4)
    settle(d)
    assert set(d.pile("stub")) == set(red)


def test_a_rescan_in_line_and_one_beside() -> None:
    d = dealer()
    d.hole()
    settle(d)
    before = d.at
    d.rescan("seat/4")
    assert d.at > before
    d.wait(10.0)
    d.rescan("seat/5", at=before + 5.0)
    d.world.advance(before + 0.4)
    assert "seat/4" not in lying(d)
    d.world.advance(before + 5.4)
    assert lying(d)["seat/4"] == 2
    assert "seat/5" not in lying(d)
    d.world.advance(before + 6.0)
    assert lying(d)["seat/5"] == 2


def test_faces_are_recorded() -> None:
    d = dealer()
    d.hole()
    d.burn()
    d.show(5)
    d.expose(Pick("burn", 1))
    settle(d)
    up = [c for c in d.world.deck("red") if c.face_up]
    assert set(up) == {*d.pile("seat/5"), *d.pile("burn")}


def test_button_chairs_and_keys_come_in_order_of_time_and_once() -> None:
    d = dealer()
    d.key("new-hand")
    d.wait(2.0)
    d.seat(8, False)
    d.button(4, 9)
    d.wait(1.0)
    d.button()
    d.key("end-hand")
    assert d.due(2.5) == [
        KeyPress("new-hand", 0.0),
        SeatReading(8, False, 2.0),
        ButtonReading((4, 9), 2.0),
    ]
    assert d.next_due == 3.0
    assert d.due(9.0) == [ButtonReading((), 3.0), KeyPress("end-hand", 3.0)]
    assert d.due(9.0) == []
    assert d.next_due is None


def test_far_seats_are_reached_over_the_board_and_near_ones_over_their_neighbour() -> None:
    def passed(seat: int) -> set[str]:
        d = dealer()
        d.deal(f"seat/{seat}")
        over: set[str] = set()
        while d.world.now < d.at:
            d.world.advance(d.world.now + 0.002)
            for a in d.world.antennas:
                if d.world.look(a.number, d.world.now, d.world.now):
                    over.add(a.place)
        return over - {f"seat/{seat}"}

    noise = Noise(flight=1.0)

    def dealer() -> Dealer:
        return Dealer(table(noise), range(1, 12))

    assert passed(6) == {"burn", "board"}
    assert passed(2) == {"seat/1"}
    assert passed(10) == {"seat/11"}
    assert passed(1) == passed(11) == set()


def test_a_missing_card_is_named_by_its_place() -> None:
    d = dealer()
    with pytest.raises(ValueError, match="seat/4 has no card 1"):
        d.card(Pick("seat/4", 1))


def test_an_empty_stub_says_what_to_do() -> None:
    d = dealer()
    for _ in range(52):
        d.deal("muck")
    with pytest.raises(ValueError, match="gather"):
        d.burn()
