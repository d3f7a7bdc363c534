"""Polls per second through sensing: a noisy nine-handed table, legal hands, 5 %/2 %/400 ms."""

from __future__ import annotations

import random
import time

from controller.model.events import TableEvent
from controller.model.findings import Watch
from controller.model.table import (
    REFERENCE_MAX_STACK,
    Layout,
    LayoutOptions,
    reference_layout,
    seat_zone,
)
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.readings import Poll, Uid
from drivers.sim.acts import Dealer
from drivers.sim.world import FieldAntenna, Noise, World, polls
from drivers.sweep import SweepScheduler

SEATS = range(1, 10)


def run(quick: bool = False) -> list[str]:
    layout, night, cards = _night(3 if quick else 20)
    best, events = 0.0, 0
    for _ in range(3):
        sensing = Sensing(layout, Vault(cards))
        sensing.watch(Watch(seat_zone(seat), 0.0) for seat in SEATS)
        told: list[TableEvent] = []
        begun = time.process_time()
        for hand in night:
            for poll in hand:
                told += sensing.poll(poll)
            sensing.renew(hand[-1].ended)
        took = time.process_time() - begun
        best = max(best, sum(map(len, night)) / took)
        events = len(told)
    quiet = Sensing(layout, Vault(cards))
    empty = night[0][0]._replace(uids=())
    begun = time.process_time()
    for _ in range(100_000):
        quiet.poll(empty)
    usual_us = (time.process_time() - begun) * 10
    total = sum(map(len, night))
    return [
        f"polls per second: {best:,.0f} (goal 100,000) over {len(night)} hands, {total:,} polls, "
        f"{events:,} events",
        f"the usual poll, nothing open: {usual_us:.2f} µs (goal 1.5)",
    ]


def _night(hands: int) -> tuple[Layout, list[list[Poll]], dict[Uid, tuple[str, str]]]:
    layout = reference_layout(LayoutOptions(seats=9, max_stack=REFERENCE_MAX_STACK))
    antennas = [
        FieldAntenna(a.antenna, a.zone, a.profile.neighbours, a.profile.max_stack)
        for a in layout.antennas
    ]
    world = World(antennas, Noise(miss=0.05, cross=0.02, sweep_s=0.4, seed=1))
    dealer = Dealer(world, tuple(SEATS), button=3, seed=1)
    source = polls(world, SweepScheduler([a.antenna for a in layout.antennas]))
    chance = random.Random(1)
    night: list[list[Poll]] = []
    for hand in range(hands):
        dealer.wait(2.0)
        dealer.hole()
        alive = list(SEATS)
        for street in (dealer.flop, dealer.turn, dealer.river):
            dealer.wait(chance.uniform(8.0, 25.0))
            dealer.lift(chance.choice(alive), 3.0)
            for seat in chance.sample(alive, 2):
                alive.remove(seat)
                dealer.fold(seat)
                dealer.wait(2.0)
            dealer.burn()
            street()
        dealer.wait(10.0)
        dealer.gather()
        dealer.shuffle(hand)
        taken: list[Poll] = []
        for poll in source:
            if isinstance(poll, Poll):
                taken.append(poll)
                if poll.ended >= dealer.at:
                    break
        night.append(taken)
    cards = {c.uid: (c.deck, c.face) for c in world.deck("red")}
    return layout, night, cards
