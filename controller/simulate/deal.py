"""Simulated hands on a simulated table, fed poll by poll to the table that checks them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from controller.model.cards import JOKER_FACE
from controller.model.events import SeatStatus, TableEvent, TableOpened
from controller.model.findings import Finding, FindingChanged, Said, Street, Verdict
from controller.model.table import (
    Layout,
    LayoutOptions,
    camera_areas,
    reference_layout,
    seat_zone,
)
from controller.pipeline import Table
from controller.rules.engine import layout_json
from controller.rules.profile import Profile, load
from controller.simulate.judge import HandLog, Mistake, judge_legal, judge_mistake
from controller.simulate.provable import TrueNoise
from controller.simulate.report import Totals
from controller.simulate.seen import OF_SIDES, as_polls, shows_side
from controller.simulate.settings import Settings
from controller.simulate.truth import IN_THE_BETTING, Stays, is_provable
from controller.simulated_field import field_antennas
from controller.vault import Vault
from drivers.factory import (
    CameraModel,
    Card,
    Dealer,
    DealScript,
    HandPlayed,
    Noise,
    Oddities,
    Robot,
    SightRates,
    SweepScheduler,
    World,
    polls,
    shipped_rates,
)
from drivers.readings import Poll, Reading, Sight, Uid

RESCAN_AFTER_S = 3.0
"""In burst mode the dealer puts straight what the board asks for, this long after the question, and
again as long as it stands: the player may have held the cards up the first time."""

DECKS = ("red", "blue")


@dataclass(frozen=True, slots=True)
class Block:
    """Hands `first` up to but not including `last` of a simulation."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class HandDealt:
    """One hand: how it was played, what was said of it, and how many polls that took."""

    played: HandPlayed
    log: HandLog


class Eyes(Protocol):
    """What looks at a simulated table."""

    due: float
    """When the next picture begins."""

    def look(self) -> Reading:
        """The next picture, read; the world's time moves on to it."""

    def true_uids(self) -> dict[str, list[tuple[float, float, Uid]]]:
        """Which tag really lies where in each area."""


class SimulatedTable:
    """A table of robots and antennas, and the table that checks it, in one virtual time.

    on_event: told every table event as it is made; on_reading: every reading before it is fed.
    above: puts something else above the world than the camera's model.
    """

    def __init__(
        self,
        settings: Settings,
        seed: str,
        *,
        on_event: Callable[[TableEvent], None] | None = None,
        on_reading: Callable[[Reading], None] | None = None,
        above: Callable[[World], Eyes] | None = None,
    ) -> None:
        self.settings = settings
        self.profile = load(settings.profile)
        self.layout = layout_of(settings)
        self.script = script_of(self.profile, settings)
        draw = random.Random(f"simulate {seed}")
        noise = Noise(
            miss=settings.miss,
            cross=settings.cross,
            sweep_s=settings.sweep_s,
            seed=draw.getrandbits(32),
            corrupt=settings.like.noise if settings.like is not None else 0.0,
            ghost=settings.like.ghost if settings.like is not None else 0.0,
        )
        like = settings.like
        rates = () if like is None else (like.miss, like.cross)
        antennas = field_antennas(self.layout, *rates)
        self.world = World(antennas, noise, cards_seed=draw.getrandbits(32))
        button = draw.choice(self.script.seats)
        self.dealer = Dealer(
            self.world,
            self.script.seats,
            hole_cards=self.script.hole_cards,
            cards_per_pass=self.script.cards_per_pass,
            button=button,
            deck_seed=draw.getrandbits(32),
            seed=draw.getrandbits(32),
            flop_face_down=self.profile.flop_style.value != "face-up",
        )
        seen, tagged = settings.camera != "none", settings.camera != "alone"
        # Where a camera sees it, an exposed card is a finding and no lawful rarity.
        self.robot = Robot(
            self.dealer,
            self.script,
            oddities=Oddities(exposed_card=0.0) if seen else Oddities(),
            seen=seen,
            tagged=tagged,
            seed=draw.getrandbits(32),
        )
        camera_seed = draw.getrandbits(32)
        self.camera: Eyes | None = None
        if seen:
            self.camera = above(self.world) if above is not None else self._above(camera_seed)
        self._tagged = tagged
        self.scheduler = SweepScheduler(
            [a.antenna for a in self.layout.antennas], settings.direction
        )
        self._polls = polls(self.world, self.scheduler)
        self._held: Poll | Sight | None = None
        self._on_reading = on_reading
        self._asked: dict[int, tuple[float, str]] = {}
        self._gather_at = 0.0
        self._token_seed = f"tokens {seed}"
        self.opened = TableOpened(
            at=0.0,
            profile=self.profile.model_dump_json(),
            game=settings.game,
            layout=layout_json(self.layout),
            seats=tuple((s, SeatStatus.IN) for s in self.script.seats),
            button=(button,),
            camera=seen,
        )
        self.table = self.fresh_table(on_event)
        self._stays = Stays(
            [c for name in DECKS for c in self.world.deck(name)],
            frozenset(str(a.zone) for a in self.layout.antennas),
        )

    def fresh_table(self, on_event: Callable[[TableEvent], None] | None = None) -> Table:
        """The table that checks, newly opened; fed the same readings, it says the same."""
        tokens = random.Random(self._token_seed)
        decks = {
            c.uid: (c.deck, JOKER_FACE if c.face.startswith(JOKER_FACE) else c.face)
            for name in DECKS
            for c in self.world.deck(name)
        }
        vault = Vault(decks, source=lambda: tokens.getrandbits(53))
        table = Table(self.layout, vault, record=on_event)
        table.open(self.opened)
        return table

    def _above(self, seed: int) -> CameraModel:
        return CameraModel(
            self.world,
            self.layout.seats,
            rates_of(self.settings),
            areas=[str(area.zone) for area in self.layout.areas],
            seed=seed,
        )

    def possible(self) -> tuple[str, ...]:
        """Kinds of mistakes that the robot can plant in the next hand."""
        return tuple(dict.fromkeys(kind for kind, _ in self.robot.possible()))

    def hand(self, error: str | None = None) -> HandDealt:
        """Deal one hand to the end of its gather and shuffle."""
        played = self.robot.hand(error, unread=self.settings.burst)
        self._asked.clear()
        self._gather_at = played.gather_at
        said: list[tuple[float, Said]] = []
        kept: list[Poll] = []
        shown: list[Sight] = []
        verdicts: list[tuple[Verdict, ...]] = []
        asked = [min(decide_by(played), played.gather_at), played.gather_at]
        count = 0
        for look in self._until(played.next_at):
            count += 1
            while asked and look.ended >= asked[0]:
                verdicts.append(self.table.verdicts(asked.pop(0)))
            said += [(look.ended, thing) for thing in self._feed(look)]
            if played.planted is not None:
                if played.planted.kind.startswith("card-"):
                    self._stays.add(self._strangers())
                self._stays.sample(look.ended)
                if isinstance(look, Poll):
                    kept.append(look)
                else:
                    shown.append(look)
                    if not self._tagged and self.camera is not None:
                        kept += as_polls(look, self.camera.true_uids(), self.layout)
        provable = played.planted is not None and (
            shows_side(played, shown)
            if played.planted.kind in OF_SIDES
            else is_provable(
                played, self.script, self._stays.all, kept, self.layout, self.true_noise
            )
        )
        self._stays.forget()
        log = HandLog(
            began=played.begun_at,
            ended=played.ended_at,
            polls=count,
            said=tuple(said),
            mistake=mistake_of(played),
            decide_by=decide_by(played),
            in_time=verdicts[0],
            at_end=verdicts[1],
            provable=provable,
        )
        return HandDealt(played, log)

    @cached_property
    def true_noise(self) -> TrueNoise:
        s = self.settings
        if not self._tagged:
            return TrueNoise(miss=max(rates_of(s).missed_down, 1e-4), cross=0.0, flight=0.0)
        return TrueNoise(
            miss=s.miss if s.like is None else s.like.mean_miss,
            cross=s.cross if s.like is None else s.like.mean_cross,
            neighbours={a.antenna: a.profile.neighbours for a in self.layout.antennas},
            max_stack={a.antenna: a.profile.max_stack for a in self.layout.antennas},
            flight=self.world.noise.flight_read,
            unread=0.03 if s.burst else 0.0,
        )

    def _until(self, end: float) -> Iterator[Poll | Sight]:
        """The polls and pictures that end by then."""
        camera = self.camera
        while True:
            look = self._held
            self._held = None
            if look is None:
                if camera is not None and (not self._tagged or camera.due <= self.world.now):
                    reading: Reading = camera.look()
                else:
                    reading = next(self._polls)
                if not isinstance(reading, Poll | Sight):
                    continue
                look = reading
            if look.ended > end:
                self._held = look
                return
            yield look

    def _feed(self, poll: Poll | Sight) -> list[Said]:
        said: list[Said] = []
        dealer = self.dealer
        next_due = dealer.next_due
        if next_due is not None and next_due <= poll.ended:
            for reading in dealer.due(poll.ended):
                said += self._tell(reading)
        said += self._tell(poll)
        if self.settings.burst:
            self._put_straight(said, poll.ended)
        if self.settings.focus:
            self.scheduler.focus(self.table.focus)
        return said

    def _strangers(self) -> list[Card]:
        """Every card that lies somewhere, those of no deck among them."""
        return [c for a in self.layout.antennas for c in self.world.lying(str(a.zone))]

    def _tell(self, reading: Reading) -> list[Said]:
        if self._on_reading is not None:
            self._on_reading(reading)
        return self.table.feed(reading)

    def _put_straight(self, said: list[Said], at: float) -> None:
        """The dealer re-scans what the board asks for, and again as long as it stands."""
        for thing in said:
            if isinstance(thing, FindingChanged):
                finding = thing.finding
                zone = asked_zone(finding) if finding.asking or finding.alarming else None
                if zone is None:
                    self._asked.pop(finding.id, None)
                else:
                    self._asked.setdefault(finding.id, (at + RESCAN_AFTER_S, zone))
        for number, (due, zone) in list(self._asked.items()):
            if due <= at < self._gather_at:
                self._asked[number] = (at + RESCAN_AFTER_S, zone)
                self.dealer.rescan(zone, at)


def asked_zone(finding: Finding) -> str | None:
    """Where the dealer looks when the board asks."""
    if finding.zone is not None:
        return str(finding.zone)
    return None if finding.seat is None else str(seat_zone(finding.seat))


def deal_block(settings: Settings, block: Block) -> Totals:
    """Deal a block of hands and add up what was said of them."""
    totals = Totals()
    table = SimulatedTable(settings, f"{settings.seed} {block.first}")
    for k in range(block.first, block.last):
        error = error_of(settings, k)
        while error is not None and error not in table.possible():
            table.hand()  # not counted: some mistakes need a hand before them
        dealt = table.hand(error)
        totals.add_hand(dealt.log.polls, dealt.played.next_at - dealt.played.begun_at)
        if error is None:
            totals.add_legal(judge_legal(dealt.log))
        else:
            totals.add_mistake(judge_mistake(dealt.log))
    return totals


def error_of(settings: Settings, hand: int) -> str | None:
    """The mistake to plant in that hand of the simulation: error hands lie evenly, the kinds take
    turns."""
    if not settings.errors:
        return None
    before, after = int(hand * settings.error_share), int((hand + 1) * settings.error_share)
    return settings.errors[before % len(settings.errors)] if after > before else None


def mistake_kinds(settings: Settings) -> tuple[str, ...]:
    """Every kind of mistake that can be planted at this table; the first hand done, as some need
    one."""
    table = SimulatedTable(settings, "kinds")
    table.robot.hands = 1
    return table.possible()


def mistake_of(played: HandPlayed) -> Mistake | None:
    p = played.planted
    if p is None:
        return None
    # A card dealt too early has overtaken every seat up to its own turn: any may be named. A
    # mistake in the betting or with the button is no street's: it may be noticed on the next one.
    seats = () if p.kind in ("two-at-once", "button-duplicate") else p.seats
    anywhere = p.kind in IN_THE_BETTING or p.kind.startswith("button-")
    return Mistake(p.kind, p.codes, seats, None if anywhere else Street(p.street), p.evident_at)


def decide_by(played: HandPlayed) -> float:
    """The end of the mistake's street: the next street's first card. The hand's end for the last
    street, and for mistakes made in the betting."""
    if played.planted is None:
        return played.ended_at
    if played.planted.kind in IN_THE_BETTING:
        return played.ended_at
    names = [s.street for s in played.streets]
    later = played.streets[names.index(played.planted.street) + 1 :]
    return later[0].first_at if later else played.ended_at


def script_of(profile: Profile, settings: Settings) -> DealScript:
    """A legal hand by the profile."""
    own = profile.for_game(settings.game)
    hole = own.hole_cards.value
    return DealScript(
        seats=tuple(range(1, settings.seats + 1)),
        hole_cards=hole,
        cards_per_pass=max(1, hole // own.hole_passes.value),
        burns={street.value: own.burns_before(street) for street in Street},
    )


def layout_of(settings: Settings) -> Layout:
    """The reference table with the antennas as simulated; its profiles are told the true rates. A
    table like a measured one goes by what it goes by, whatever was measured since."""
    if settings.like is not None and settings.camera != "alone":
        own = settings.like.layout
        seen = own.areas or camera_areas(own.seats, not own.burn_is_muck)
        return replace(own, areas=() if settings.camera == "none" else seen)
    return reference_layout(
        LayoutOptions(
            max_stack=settings.max_stack or None,
            miss_rate=settings.miss,
            cross_rate=settings.cross,
            camera={"none": "none", "alone": "alone", "both": "beside"}[settings.camera],
            camera_miss=rates_of(settings).missed_down,
        )
    )


def rates_of(settings: Settings) -> SightRates:
    """How well the simulated camera's reader sees: as it was measured, where it was."""
    measured = {} if settings.like is None else settings.like.sight
    return replace(shipped_rates(), frame_s=settings.frame_s, **measured)
