"""Simulated counts of a deck over the bytes of emulated readers, and what the table makes of them.

Every second deck is as it should be. The others have, in turn: a card missing, an extra card
without a tag, an unknown tag, a joker, a card of another deck, a second copy of a card. Half of the
missing cards, and now and then something that does not belong to the deck, lie beside the count
zone, where its antenna reads them across. The dealer passes the deck over again when asked.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from controller.integrity.count import Counting, CountResult, CountStage
from controller.integrity.passing import CountFigures
from controller.model.cards import FACES, JOKER_FACE, is_joker
from controller.model.table import COUNT, MUCK, Layout, LayoutOptions, reference_layout
from controller.simulate.report import percentile
from controller.simulate.settings import SettingsError
from drivers.factory import (
    Dealer,
    Ether,
    FieldAntenna,
    Noise,
    PassOver,
    PepperEmulator,
    SweepScheduler,
    VirtualReader,
    World,
    wire_polls,
)

KINDS: Final = ("missing", "untagged", "foreign", "joker", "other-deck", "duplicate")
"""What can be wrong with a simulated deck; "untagged" is an extra card that no count can see."""

CLEAN: Final = "clean"
DECK, OTHER = "red", "blue"
BLOCK_COUNTS = 10

CORRUPT, SHIFT = 0.01, 0.002  # shares of looks that end as noise, or with a slipped UID
BESIDE = 0.2  # share of decks beside which something lies that is not of the deck
_LONGEST_S = 900.0


@dataclass(frozen=True, slots=True)
class CountSettings:
    """One simulation of counts; two of equal settings give equal reports, however many jobs.

    miss, cross: shares of 1, told to the count as the antenna's figures. two_at_once: share of the
    cards that take the next one with them.
    """

    counts: int = 1000
    miss: float = 0.05
    cross: float = 0.02
    sweep_s: float = 0.4
    two_at_once: float = 0.03
    seed: int = 1

    def __post_init__(self) -> None:
        checks = (
            (self.counts >= 1, f"--counts {self.counts}: allowed 1 and up"),
            (0 <= self.miss <= 0.5, f"--miss {self.miss:.0%}: allowed 0 % to 50 %"),
            (0 <= self.cross <= 0.2, f"--cross {self.cross:.0%}: allowed 0 % to 20 %"),
            (
                0 <= self.two_at_once <= 0.5,
                f"--two-at-once {self.two_at_once:.0%}: allowed 0 % to 50 %",
            ),
            (
                0.05 <= self.sweep_s <= 5,
                f"--sweep {self.sweep_s * 1000:.0f}ms: allowed 50ms to 5s",
            ),
        )
        faults = [text for holds, text in checks if not holds]
        if faults:
            raise SettingsError(faults)


@dataclass(frozen=True, slots=True)
class CountOutcome:
    """What became of one simulated count.

    wrong: the verdict is not what the pack held. asked: how often the deck was to be passed again.
    dealer_s: from the dealer's key to the confirmation.
    """

    kind: str
    wrong: bool
    asked: int
    dealer_s: float


def kind_of(number: int) -> str:
    """What is wrong with the deck of that count."""
    return CLEAN if number % 2 == 0 else KINDS[number // 2 % len(KINDS)]


class SimulatedCount:
    """One deck, one dealer and one table with emulated readers, in virtual time."""

    def __init__(self, settings: CountSettings, number: int) -> None:
        self.settings = settings
        self.kind = kind_of(number)
        draw = random.Random(f"count {settings.seed} {number}")
        self._chance = draw
        noise = Noise(
            miss=settings.miss,
            cross=settings.cross,
            sweep_s=settings.sweep_s,
            seed=draw.getrandbits(32),
            corrupt=CORRUPT,
            shift=SHIFT,
        )
        self.layout = reference_layout(
            LayoutOptions(miss_rate=settings.miss, cross_rate=settings.cross)
        )
        self.world = World(
            _with_count_beside_muck(self.layout), noise, cards_seed=draw.getrandbits(32)
        )
        self.dealer = Dealer(
            self.world,
            range(1, 10),
            deck=DECK,
            deck_seed=draw.getrandbits(32),
            seed=draw.getrandbits(32),
        )
        self.cards = {
            card.uid: (name, JOKER_FACE if is_joker(card.face) else card.face)
            for name in (DECK, OTHER)
            for card in self.world.deck(name)
        }
        self.truth = CountResult(deck=DECK, expected=len(FACES), present=len(FACES))
        self._spoil()
        antenna = self.layout.by_zone[COUNT].antenna
        figures = CountFigures(miss=settings.miss, cross=settings.cross)
        self.counting = Counting.of(self.cards, DECK, antenna, figures)
        self.scheduler = SweepScheduler([a.antenna for a in self.layout.antennas])
        self.scheduler.only(antenna)

    def _spoil(self) -> None:
        """Make of the complete deck what this count is about, and lay something beside it."""
        chance, dealer = self._chance, self.dealer
        face = chance.choice(FACES)
        beside = chance.random() < BESIDE
        stranger = chance.choice(("foreign", "card", "joker"))
        truth = self.truth
        if self.kind == "missing":
            beside = False
            dealer.take_out(face, str(MUCK) if chance.random() < 0.5 else "off-table")
            truth = replace(truth, present=truth.present - 1, missing=(face,))
        elif self.kind == "untagged":
            dealer.slip_in("untagged")
        elif self.kind == "foreign":
            dealer.slip_in("foreign")
            truth = replace(truth, foreign=1)
        elif self.kind == "joker":
            dealer.slip_in("joker")
            truth = replace(truth, jokers=1)
        elif self.kind == "other-deck":
            other = dealer.slip_in("card", OTHER)
            truth = replace(truth, extra=((OTHER, other.face),))
        elif self.kind == "duplicate":
            copy = dealer.slip_in("duplicate", face)
            self.cards[copy.uid] = (DECK, face)
            truth = replace(truth, duplicates=(face,))
        self.truth = truth
        if beside:
            deck = self.world.deck(OTHER)
            card = {
                "foreign": self.world.foreign(),
                "card": chance.choice(deck[:52]),
                "joker": deck[-1],
            }[stranger]
            if card not in dealer.pile("stub"):
                self.world.move(card, str(MUCK), dealer.at)

    def run(self) -> CountOutcome:
        """Count until the dealer has confirmed a result."""
        dealer, chance = self.dealer, self._chance
        how = PassOver(two_at_once=self.settings.two_at_once)
        began = dealer.at
        self.counting = self.counting.start(began)
        dealer.count(how)
        act_at: float | None = None
        source = wire_polls(self._readers(), self.scheduler, self.settings.sweep_s, began)
        for poll in takewhile(lambda poll: poll.ended < began + _LONGEST_S, source):
            self.counting = counting = self.counting.poll(poll)
            if counting.stage is CountStage.PASSING:
                act_at = None
            elif act_at is None:
                act_at = poll.ended + chance.uniform(1.0, 2.5)
            elif poll.ended >= max(act_at, dealer.at):
                act_at = None
                if counting.stage is CountStage.ASKING:
                    dealer.count(how.careful)
                else:
                    self.counting = counting = counting.confirm(poll.ended, "dealer")
            if counting.stage is CountStage.DONE:
                break
        result = self.counting.result
        asked = self.counting.asked
        if result is None:
            return CountOutcome(self.kind, True, asked, _LONGEST_S)
        return CountOutcome(self.kind, not self._right(result), asked, result.duration_s)

    def _right(self, found: CountResult) -> bool:
        true = self.truth
        return (
            (found.missing, found.extra, found.duplicates)
            == (true.missing, true.extra, true.duplicates)
        ) and (found.foreign, found.jokers) == (true.foreign, true.jokers)

    def _readers(self) -> list[VirtualReader]:
        ether, found = Ether(), []
        look_s = self.settings.sweep_s / len(self.layout.antennas)
        for reader in sorted({a.profile.reader for a in self.layout.antennas}):
            ports = {
                a.antenna: a.profile.port
                for a in self.layout.antennas
                if a.profile.reader == reader
            }
            emulator = PepperEmulator(
                self.world,
                {port: antenna for antenna, port in ports.items()},
                look_s=look_s,
                name=f"reader {reader}",
                ether=ether,
                seed=reader,
            )
            found.append(VirtualReader(emulator, ports))
        return found


def _with_count_beside_muck(layout: Layout) -> list[FieldAntenna]:
    """The layout's antennas, the count zone so close to the muck that the two read each other."""
    pair = {layout.by_zone[COUNT].antenna, layout.by_zone[MUCK].antenna}
    return [
        FieldAntenna(
            number=a.antenna,
            place=str(a.zone),
            neighbours=tuple(
                sorted({*a.profile.neighbours, *(pair if a.antenna in pair else ())} - {a.antenna})
            ),
            reader=a.profile.reader,
            port=a.profile.port,
        )
        for a in layout.antennas
    ]


@dataclass(slots=True)
class CountTotals:
    """The sums over many counts."""

    outcomes: list[CountOutcome] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        return sum(o.wrong for o in self.outcomes)

    @property
    def asked_on_doubt(self) -> int:
        """Counts of decks with all 52 cards that had to be repeated."""
        return sum(o.asked > 0 and o.kind != "missing" for o in self.outcomes)

    @property
    def asked_for_missing(self) -> int:
        """Counts with a card missing; it is never called missing after one pass."""
        return sum(o.asked > 0 and o.kind == "missing" for o in self.outcomes)

    def as_json(self) -> dict[str, object]:
        whole = sum(o.kind != "missing" for o in self.outcomes)
        kinds = [k for k in (CLEAN, *KINDS) if any(o.kind == k for o in self.outcomes)]
        return {
            **_sums(self.outcomes),
            "asked_to_repeat": self.asked_on_doubt,
            "asked_to_repeat_share": round(self.asked_on_doubt / whole, 4) if whole else None,
            "asked_to_confirm_missing": self.asked_for_missing,
            "by_kind": {
                kind: {
                    **_sums(of_kind := [o for o in self.outcomes if o.kind == kind]),
                    "asked_to_repeat": sum(o.asked > 0 for o in of_kind),
                }
                for kind in kinds
            },
        }


def _sums(outcomes: Sequence[CountOutcome]) -> dict[str, object]:
    times = [o.dealer_s for o in outcomes]
    return {
        "counts": len(outcomes),
        "wrong_verdicts": sum(o.wrong for o in outcomes),
        "median_s": percentile(times, 50),
        "p95_s": percentile(times, 95),
    }


def for_people(totals: CountTotals, settings: CountSettings, wall_s: float) -> RenderableType:
    """The same as a table."""
    s = settings
    title = (
        f"Counts of a deck; miss {s.miss:.0%}, cross {s.cross:.0%}, sweep {s.sweep_s * 1000:.0f} "
        f"ms, two at once {s.two_at_once:.0%}; seed {s.seed}"
    )
    grid = Grid(title=title, title_justify="left")
    for name in ("deck", "counts", "wrong", "asked to repeat", "median", "95 %"):
        grid.add_column(name, justify="left" if name == "deck" else "right")
    for kind in (CLEAN, *KINDS):
        of_kind = [o for o in totals.outcomes if o.kind == kind]
        if of_kind:
            grid.add_row(*_row(kind, of_kind))
    grid.add_section()
    grid.add_row(*_row("all", totals.outcomes))
    whole = sum(o.kind != "missing" for o in totals.outcomes)
    share = totals.asked_on_doubt / whole if whole else 0.0
    told = (
        f"Asked to repeat although all 52 cards were there: {totals.asked_on_doubt} of {whole} "
        f"({share:.1%}). {len(totals.outcomes)} counts in {wall_s:.0f} s."
    )
    return Group(grid, Text(told))


def _row(name: str, outcomes: Sequence[CountOutcome]) -> list[str]:
    sums = _sums(outcomes)
    asked = sum(o.asked > 0 for o in outcomes)
    seconds = [f"{sums[key]:.0f} s" for key in ("median_s", "p95_s")]
    return [name, str(len(outcomes)), str(sums["wrong_verdicts"]), str(asked), *seconds]


def count_block(settings: CountSettings, first: int) -> list[CountOutcome]:
    """The counts from `first` on, a block of them."""
    last = min(first + BLOCK_COUNTS, settings.counts)
    return [SimulatedCount(settings, number).run() for number in range(first, last)]


def simulate_counts(
    settings: CountSettings,
    jobs: int = 1,
    on_counts: Callable[[int], object] = lambda counts: None,
) -> CountTotals:
    """Do all counts. jobs: processes. on_counts: told how many are newly done."""
    totals = CountTotals()
    firsts = range(0, settings.counts, BLOCK_COUNTS)
    with _spread(settings, firsts, min(jobs, len(firsts))) as results:
        for outcomes in results:
            totals.outcomes += outcomes
            on_counts(len(outcomes))
    return totals


@contextmanager
def _spread(
    settings: CountSettings, firsts: Sequence[int], jobs: int
) -> Iterator[Iterator[list[CountOutcome]]]:
    """The blocks' outcomes in the order of the blocks."""
    one = partial(count_block, settings)
    if jobs <= 1:
        yield map(one, firsts)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield pool.imap(one, firsts)
