"""Sensing against the simulated table: legal hands dealt by the robot, judged by where every card
really lay. Seeds are fixed; the figures are far from their limits."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest

from controller.model.events import CardCame, CardLeft, TableEvent, TagVerdict, Token
from controller.model.table import REFERENCE_MAX_STACK, Layout, LayoutOptions, reference_layout
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.factory import (
    Dealer,
    DealScript,
    FieldAntenna,
    HandPlayed,
    Noise,
    Robot,
    SweepScheduler,
    World,
    polls,
)
from drivers.readings import Poll, Uid

SEATS = tuple(range(1, 10))


@dataclass
class Stay:
    zone: str
    landed: tuple[float, float]
    until: float


@dataclass
class Night:
    """What sensing said in live hands (up to the gather), and what was true."""

    false_places: int = 0
    wrong_times: int = 0
    untold: int = 0
    came: int = 0
    false_lefts: int = 0
    verdicts: int = 0
    between_hands: int = 0
    delays: list[float] = field(default_factory=list)
    ghosts: int = 0


def play(hands: int, seed: int, miss: float, cross: float, sweep_s: float, **noise: float) -> Night:
    layout = reference_layout(
        LayoutOptions(seats=9, miss_rate=miss, cross_rate=cross, max_stack=REFERENCE_MAX_STACK)
    )
    table = Truth(layout, Noise(miss=miss, cross=cross, sweep_s=sweep_s, seed=seed, **noise), seed)  # type: ignore[arg-type]
    for _ in range(hands):
        table.hand()
    table.night.ghosts = sum(f.ghosts for f in table.sensing.figures())
    return table.night


class Truth:
    def __init__(self, layout: Layout, noise: Noise, seed: int) -> None:
        self.world = World(
            [
                FieldAntenna(a.antenna, a.zone, a.profile.neighbours, a.profile.max_stack)
                for a in layout.antennas
            ],
            noise,
        )
        self.zones = [str(a.zone) for a in layout.antennas]
        dealer = Dealer(self.world, SEATS, button=9, seed=seed)
        self.robot = Robot(dealer, DealScript(SEATS), seed=seed)
        self.source = polls(self.world, SweepScheduler([a.antenna for a in layout.antennas]))
        self.vault = Vault(
            {c.uid: (c.deck, c.face) for c in self.world.deck("red")},
            source=itertools.count(1).__next__,
        )
        self.sensing = Sensing(layout, self.vault)
        self.night = Night()
        self.stays: dict[Uid, list[Stay]] = {}

    def hand(self) -> None:
        hand = self.robot.hand()
        gathered = False
        for poll in self.source:
            assert isinstance(poll, Poll)
            self._note(poll)
            for event in self.sensing.poll(poll):
                self._judge(event, hand)
            if poll.ended >= hand.gather_at and not gathered:
                gathered = True
                self._tally(hand)
                self.sensing.renew(poll.ended)
                self.stays.clear()
            if poll.ended >= hand.next_at:
                return

    def _note(self, poll: Poll) -> None:
        for zone in self.zones:
            for card in self.world.lying(zone):
                stays = self.stays.setdefault(card.uid, [])
                if not stays or stays[-1].zone != zone or stays[-1].until < poll.started - 1e-6:
                    stays.append(Stay(zone, (poll.started, poll.ended), poll.ended))
                stays[-1].until = poll.ended

    def _judge(self, event: TableEvent, hand: HandPlayed) -> None:
        night = self.night
        if event.at >= hand.gather_at:
            night.between_hands += isinstance(event, CardCame)
        elif isinstance(event, TagVerdict):
            night.verdicts += 1
        elif isinstance(event, CardCame):
            night.came += 1
            here = [s for s in self._stays_of(event.token) if s.zone == event.zone]
            if not here or here[-1].until < event.at - 2.0:
                night.false_places += 1
                return
            # A card lifted and put back meanwhile has two true arrivals.
            times = [s.landed for s in here]
            true = any(low <= event.before and event.after <= high for low, high in times)
            if event.source != event.zone and not true:
                night.wrong_times += 1
            if event.zone != "muck":
                night.delays.append(event.at - here[-1].landed[0])
        elif isinstance(event, CardLeft):
            for last in self._stays_of(event.token)[-1:]:
                lay = last.zone == event.zone and last.landed[1] < event.after
                night.false_lefts += lay and last.until >= event.at

    def _stays_of(self, token: Token) -> list[Stay]:
        """Where the card lay since the last gather; nowhere if it was only washed about."""
        return next((s for u, s in self.stays.items() if self.vault.token(u) == token), [])

    def _tally(self, hand: HandPlayed) -> None:
        settled = {zone: len(tokens) for zone, tokens in self.sensing.settled().items()}
        for zone, count in settled.items():
            if zone != "muck":  # a high pile is read a card at a time
                self.night.untold += max(len(self.world.lying(zone)) - count, 0)


@pytest.mark.parametrize(
    ("miss", "cross", "sweep_s", "p95_s"),
    [(0.05, 0.02, 0.4, 3.0), (0.10, 0.05, 0.6, 5.5), (0.05, 0.02, 1.2, 8.0)],
)
def test_legal_hands(miss: float, cross: float, sweep_s: float, p95_s: float) -> None:
    night = play(8, 11, miss, cross, sweep_s)
    assert night.came > 8 * 28
    assert night.false_places == 0
    assert night.wrong_times == 0
    assert night.verdicts == 0
    assert night.untold == 0
    # A false absence accuses nobody, but it should be rare.
    assert night.false_lefts <= 4
    delays = sorted(night.delays)
    assert delays[int(0.95 * len(delays))] < p95_s
    # Gather and wash carry 52 cards over three antennas for a minute.
    assert night.between_hands < 8 * 25


def test_merged_and_shifted_uids_are_told_to_nobody() -> None:
    night = play(4, 3, 0.05, 0.02, 0.4, ghost=0.02, shift=0.02, corrupt=0.02)
    assert night.ghosts > 100
    assert night.verdicts == 0
    assert night.false_places == 0
    assert night.wrong_times == 0
    assert night.untold == 0


def test_a_table_without_noise_settles_every_card_where_it_lies() -> None:
    night = play(3, 5, 0.0, 0.0, 0.4)
    assert (night.false_places, night.wrong_times, night.untold, night.false_lefts) == (0, 0, 0, 0)
