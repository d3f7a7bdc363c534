"""A scenario's table in virtual time: simulated cards and antennas, real sensing and rules.

The same seed gives the same polls, the same events and the same findings.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from controller.model.events import (
    Attested,
    DeckAtTable,
    FloorSaid,
    SeatRegistered,
    SeatStatus,
    TableEvent,
    TableOpened,
    numbered,
)
from controller.model.findings import Said, Verdict
from controller.outputs.board import deck_view, frame
from controller.pipeline import Table
from controller.rules import engine
from controller.rules.clauses import clauses
from controller.rules.engine import layout_json
from controller.rules.profile import Profile, load
from controller.scenario import lines
from controller.scenario.hands import HOLE_CARDS, Hands, Impossible, NotYet
from controller.scenario.language import SET_UP, layout_of
from controller.simulated_field import field_antennas
from controller.sources import in_order
from controller.vault import Vault
from drivers.factory import (
    PERFECT_SIGHT,
    BoardLine,
    CameraModel,
    Dealer,
    Noise,
    PassOver,
    Stranger,
    SweepScheduler,
    World,
    polls,
    shipped_rates,
)
from drivers.readings import Health, Poll, Reading, Sight

FLOOR = "floor"
START_S = 2.0
"""From power to the first look."""

STEADY = PassOver(two_at_once=0.0, too_fast=0.0, put_back=0.0)
"""How a written deck is passed over the count antenna: one card at a time."""
MOST_PASSES = 4
KEY_S = 0.5
COUNT_PATIENCE_S = 6.0
"""After this long without a card a pass has ended."""

_STRANGERS: dict[str, Stranger] = {"foreign": "foreign", "joker": "joker"}

DEFAULT_SEATS = tuple(range(1, 10))
JOKER = "joker"


class Unable(NamedTuple):
    """A set-up line that asks for what this table does not have."""

    line: lines.SetUp
    why: str


class SetUp:
    """What the lines before the first act say, with the defaults of what they leave out."""

    def __init__(self, scenario: lines.Scenario) -> None:
        self.lines = 0
        self.profile = "tda"
        self.game: str = "holdem"
        self.seats: tuple[int, ...] = DEFAULT_SEATS
        self.absent: tuple[int, ...] = ()
        self.button: tuple[int, ...] | None = None
        self.antennas = lines.AntennasLine()
        self.pairs: tuple[tuple[str, ...], ...] = (("red",),)
        self.deck: lines.DeckLine | None = None
        self.noise = lines.NoiseLine()
        self.pace_s = 0.45
        self.opening = False
        self.camera = False
        self.console = False
        self.unable: list[Unable] = []
        for line in scenario.lines:
            if not isinstance(line, SET_UP):
                break
            if isinstance(line, lines.ButtonLine) and self.button is not None:
                break
            self.lines += 1
            self._take(line)

    def _take(self, line: lines.SetUp) -> None:
        match line:
            case lines.ProfileLine(name=name):
                self.profile = name
            case lines.GameLine(game=game):
                self.game = game
            case lines.SeatsLine(seats=seats):
                self.seats = seats
            case lines.AbsentLine(seats=seats):
                self.absent = seats
            case lines.ButtonLine(seats=seats):
                self.button = seats
            case lines.AntennasLine():
                self.antennas = line
            case lines.DecksLine(pairs=pairs):
                self.pairs = pairs
            case lines.DeckLine():
                self.deck = line
            case lines.NoiseLine():
                self.noise = line
            case lines.PaceLine(pace_s=pace_s):
                self.pace_s = pace_s
            case lines.OpeningLine():
                self.opening = True
            case lines.SwitchLine(what=what, on=on):
                if what == "camera":
                    self.camera = on
                    return
                if on:
                    self.unable.append(Unable(line, "this table cannot go by money entries yet"))
                self.console = on
            case lines.LevelLine():
                why = "this table cannot go by money entries yet"
                self.unable.append(Unable(line, why))


def deeds(
    rest: Sequence[lines.ScenarioLine],
) -> Iterator[tuple[lines.ScenarioLine, tuple[lines.UnreadFault, ...]]]:
    """Line for line, each dealing act with the `fault unread` lines right behind it."""
    at = 0
    while at < len(rest):
        line, at = rest[at], at + 1
        hidden: list[lines.UnreadFault] = []
        while isinstance(line, lines.DEALING) and at < len(rest):
            fault = rest[at]
            if not isinstance(fault, lines.UnreadFault):
                break
            hidden.append(fault)
            at += 1
        yield line, tuple(hidden)


class Night:
    """The table, its dealer and its time.

    hear: told whatever the rules say. folder: where a profile's path in the file starts from.
    wired: button, chairs and keys come through a table board's bytes. now: virtual seconds since
    the table was opened; polls: looks so far. Raises ProfileError for a profile that cannot be
    used, Impossible for a game that it does not deal, or more keys than a table board has.
    """

    def __init__(
        self,
        scenario: lines.Scenario,
        hear: Callable[[Iterable[Said]], None],
        folder: Path | None = None,
        wired: bool = False,
    ) -> None:
        up = SetUp(scenario)
        self.set_up_lines = up.lines
        self.unable = tuple(up.unable)
        self.sweep_s = up.noise.sweep_s
        self.now = 0.0
        self.polls = 0
        self._shown: set[str] = set()
        self._no_clock = False
        self._up = up
        self._hear = hear
        self._folder = folder or Path()
        self._game = up.game
        self._profile = self._load(up.profile)
        self._check_game()
        self.layout = layout_of(up.antennas, up.noise.miss, up.noise.cross, up.camera)
        self.registry = {
            seat: SeatStatus.IN if seat in up.seats else SeatStatus.OUT
            for seat in range(1, max(*up.seats, self.layout.seats) + 1)
        }
        self._empty = {*up.absent, *(s for s in self.registry if s not in up.seats)}
        self._buttons = up.button if up.button is not None else up.seats[:1]
        noise = Noise(
            miss=up.noise.miss, cross=up.noise.cross, sweep_s=self.sweep_s, seed=up.noise.seed
        )
        self.world = World(field_antennas(self.layout), noise)
        deck = up.deck or lines.DeckLine(deck=up.pairs[0][0])
        self.dealer = Dealer(
            self.world,
            up.seats,
            pace_s=up.pace_s,
            hole_cards=HOLE_CARDS[self._game],
            button=self._buttons[0] if self._buttons else None,
            deck=deck.deck,
            deck_seed=deck.seed or 0,
            placement_seats=up.antennas.placement_seats,
            flop_face_down=self._profile.flop_style.value != "face-up",
            seed=up.noise.seed,
        )
        self.hands = Hands(self.world, self.layout, self.dealer, self.registry)
        self.scheduler = SweepScheduler([a.antenna for a in self.layout.antennas])
        self._polls = polls(self.world, self.scheduler)
        self._look_s = self.sweep_s / len(self.layout.antennas)
        self._polled = not self.layout.camera_alone
        self._camera = self._above(0.0)
        self._board = self._wired(scenario) if wired else None
        self._tokens = random.Random(f"tokens {up.noise.seed}")
        self._enrolled = {
            card.uid: (card.deck, JOKER if card.face.startswith(JOKER) else card.face)
            for name in (name for pair in up.pairs for name in pair)
            for card in self.world.deck(name)
        }
        self._events: list[TableEvent] = []
        self.vault = self._new_vault()
        self.table = Table(self.layout, self.vault, record=self._record)
        self._hear(self.table.open(self._opened(up.opening)))

    def _record(self, event: TableEvent) -> int:
        self._events.append(event)
        return len(self._events)

    def _new_vault(self) -> Vault:
        return Vault(
            self._enrolled,
            source=lambda: self._tokens.getrandbits(53),
            lock=self.dealer.deck_name,
        )

    def _load(self, name: str) -> Profile:
        if name.endswith(".toml") or "/" in name:
            return load(self._folder / name)
        return load(name)

    def _opened(self, opening: bool) -> TableOpened:
        return TableOpened(
            at=self.now,
            profile=self._profile.model_dump_json(),
            game=self._game,
            layout=layout_json(self.layout),
            seats=tuple(self.registry.items()),
            button=self._buttons,
            absent=tuple(sorted(self._empty)),
            opening=opening,
            console=self._up.console,
            camera=self._up.camera,
            decks=tuple(
                DeckAtTable(name=name, back=name, pair=" and ".join(pair))
                for pair in self._up.pairs
                for name in pair
            ),
        )

    # Time

    def run_until(self, until: float, met: Callable[[], bool], eager: bool = False) -> bool:
        """Let time pass without acts until `met`, at most to a time. Gives whether it is met.

        `met` is asked whenever something was said; with `eager` after every look.
        """
        if met():
            return True
        while self._next_ends() <= until:
            if (self._look() or eager) and met():
                return True
        self.now = max(self.now, until)
        return met()

    def _next_ends(self) -> float:
        if self._polled or self._camera is None:
            return self.now + self._look_s
        return self._camera.due + self._camera.rates.exposure_s

    def run_for(self, seconds: float) -> None:
        self._run_to(self.now + seconds)

    def _run_to(self, until: float) -> None:
        self.run_until(until, lambda: False)

    def _above(self, start: float) -> CameraModel | None:
        """The camera above the table, if it has one."""
        if not self.layout.areas:
            return None
        noisy = self._up.noise.miss > 0.0 or self._up.noise.cross > 0.0
        rates = shipped_rates() if noisy else replace(PERFECT_SIGHT, hand_s=0.3)
        return CameraModel(
            self.world,
            self.layout.seats,
            rates,
            areas=[str(area.zone) for area in self.layout.areas],
            seed=self._up.noise.seed,
            start=start,
        )

    def _reading(self) -> Poll | Sight | Health:
        """The next reading of the antennas or the camera, whichever comes first."""
        camera = self._camera
        if camera is not None and (not self._polled or camera.due <= self.world.now):
            return camera.look()
        return next(self._polls)

    def _look(self) -> bool:
        """One reading of the antennas or the camera, and what else came before it. Gives whether
        anything was said."""
        reading = self._reading()
        ended = reading.at if isinstance(reading, Health) else reading.ended
        said = self._inputs(ended)
        said += self.table.feed(reading)
        self.now = max(self.now, ended)
        self.polls += 1
        self._say(said)
        self.scheduler.focus(self.table.focus)
        self.scheduler.only(self.table.only)
        return bool(said)

    def _inputs(self, until: float) -> list[Said]:
        """What button, chairs and keys have to say up to a time."""
        said: list[Said] = []
        given = self.dealer.due(until)
        due: Sequence[Reading] = given
        if self._board is not None:
            said_by_board = self._board.due(given, until)
            due = [in_order(reading, self.now) for reading in said_by_board]
        for other in due:
            said += self.table.feed(other)
        return said

    def _wired(self, scenario: lines.Scenario) -> BoardLine:
        """A board whose keys are those that the scenario presses."""
        pressed = [line.key for line in scenario.lines if isinstance(line, lines.KeyAct)]
        try:
            return BoardLine(
                tuple(dict.fromkeys(pressed)),
                occupied=[seat for seat in self.registry if seat not in self._empty],
                buttons=self._buttons,
                seed=self._up.noise.seed,
            )
        except ValueError as error:
            raise Impossible(f"through a table board: {error}") from error

    def _tell(self, event: TableEvent) -> None:
        """Somebody says something now, after all that happened before."""
        self._say(self._inputs(self.now))
        self._say(self.table.tell(event))

    def _say(self, said: list[Said]) -> None:
        self._hear(said)
        if said:
            self._shown.update(self.board_texts())

    # Acts

    def act(self, line: lines.SetUp | lines.Act, hidden: Sequence[lines.UnreadFault] = ()) -> None:
        """Carry out one line and let its time pass. hidden: cards that are not read from the
        moment at which this line puts them down. Raises Impossible."""
        start = self.now
        self.dealer.at = max(self.dealer.at, start)
        match line:
            case lines.RegistryAct(seat=seat, status=word):
                self._register(seat, SeatStatus(word))
            case lines.SeatsLine(seats=seats):
                for seat in sorted({*seats, *self.registry}):
                    status = SeatStatus.IN if seat in seats else SeatStatus.OUT
                    if self.registry.get(seat) is not status:
                        self._register(seat, status)
            case lines.AbsentLine(seats=seats):
                for seat in sorted(self.registry):
                    if self.registry[seat] is not SeatStatus.OUT:
                        self._chair(seat, seat not in seats)
            case lines.ButtonLine(seats=seats):
                self._buttons = seats
                self.dealer.button(*seats)
            case lines.GameLine(game=game):
                self._game = game
                self.dealer.hole_cards = HOLE_CARDS[game]
                self._tell_opened()
            case lines.ProfileLine(name=name):
                self._profile = self._load(name)
                self.dealer.flop_face_down = self._profile.flop_style.value != "face-up"
                self._tell_opened()
            case lines.DeckLine(deck=deck, seed=seed):
                self._change_deck(deck, seed or 0)
            case lines.PowerCutAct(for_s=for_s):
                self._power_cut(for_s)
            case lines.CountDeckAct():
                self._count_deck(line)
            case lines.AttestAct(row=None):
                for due in engine.to_attest(self.table.state):
                    self._tell(Attested(at=self.now, row=due, by=FLOOR))
            case lines.AttestAct(row=str(row)):
                if row not in clauses():
                    raise NotYet(f"no row of the rules is called {row}")
                self._tell(Attested(at=self.now, row=row, by=FLOOR))
            case lines.ClockJumpAct():
                pass  # no duty goes by the wall clock
            case lines.NoRtcAct():
                self._no_clock = True
            case lines.LevelLine():
                raise NotYet("this table cannot take levels of blinds yet")
            case lines.SwapAct(by="duplicate of"):
                self.hands.act(line)
                twin = self.hands.newest(line.card.place)
                self.vault.enrol(twin.uid, twin.deck, twin.face)
            case lines.ChairAct(seat=seat, occupied=occupied):
                (self._empty.discard if occupied else self._empty.add)(seat)
                self.hands.act(line)
            case (
                lines.SwitchLine()
                | lines.OpeningLine()
                | lines.AntennasLine()
                | lines.DecksLine()
                | lines.NoiseLine()
                | lines.PaceLine()
            ):
                raise Impossible("this belongs before the first act")
            case _:
                self.hands.act(line)
        for fault in hidden:
            self.hands.hide(fault, start)
        self._run_to(self.hands.done_at)

    def floor_says(self, word: Literal["rule", "dismiss"], finding: int, text: str) -> None:
        self._tell(FloorSaid(at=self.now, word=word, finding=finding, text=text, by=FLOOR))

    def _register(self, seat: int, status: SeatStatus) -> None:
        """The floor's word on a seat. Who leaves the table leaves the chair, and who comes to it
        sits down; `seat N empty` and `seat N occupied` say otherwise."""
        before = self.registry.get(seat, SeatStatus.OUT)
        if status is SeatStatus.OUT:
            self._chair(seat, False)
        self.registry[seat] = status
        self._tell(SeatRegistered(at=self.now, seat=seat, status=status, by=FLOOR))
        if before is SeatStatus.OUT and status is not SeatStatus.OUT:
            self._chair(seat, True)

    def _chair(self, seat: int, occupied: bool) -> None:
        if occupied is (seat in self._empty):
            (self._empty.discard if occupied else self._empty.add)(seat)
            self.dealer.seat(seat, occupied)

    def _check_game(self) -> None:
        deals = self._profile.games.value
        if self._game not in deals:
            raise Impossible(
                f"profile {self._profile.name} does not deal {self._game}; it deals "
                + ", ".join(deals)
            )

    def _tell_opened(self) -> None:
        self._check_game()
        self._tell(self._opened(opening=False))

    def _change_deck(self, deck: str, seed: int) -> None:
        if deck == self.dealer.deck_name:
            self.dealer.shuffle(seed)
        else:
            self.dealer.deck(deck, seed)
            self._say(self._inputs(self.now))
            self._say(self.table.change_deck(deck, self.now, FLOOR))
        self.hands.new_deal()

    def _count_deck(self, act: lines.CountDeckAct) -> None:
        """The deck passes over the count antenna, again as often as the table asks for it."""
        self._run_to(max(self.now, self.dealer.at) + KEY_S)  # a key just pressed is heard first
        if (why := self._no_count()) is not None:
            raise Impossible(why)
        try:
            for face in act.minus:
                self.dealer.take_out(face)
            if act.plus is not None:
                kind = _STRANGERS.get(act.plus, "duplicate")
                card = self.dealer.slip_in(kind, "" if kind == act.plus else act.plus)
                if kind == "duplicate":
                    self.vault.enrol(card.uid, card.deck, card.face)
        except ValueError as error:
            raise Impossible(str(error)) from error
        self._pass_deck()

    def _pass_deck(self) -> None:
        for _ in range(MOST_PASSES):
            self._run_to(self.dealer.count(STEADY) + COUNT_PATIENCE_S)
            count = self.table.counting
            if count is None or not count.why:
                return

    def _no_count(self) -> str | None:
        """Why no deck can be counted now; None if a count is on."""
        if self.table.counting is not None:
            return None
        return "no count is on; `key count` begins one, between two hands"

    def _power_cut(self, for_s: float) -> None:
        """The program dies and starts again: what was recorded is fed to fresh rules, and the cards
        on the table get new tokens."""
        state = engine.closed()
        for number, event in enumerate(self._events, start=1):
            state, _ = engine.step(state, numbered(event, number))
        back = self.now + for_s + START_S
        missed = self.dealer.due(back)
        if self._board is not None:
            self._board.restart_host(missed, back)
        self.world.advance(back)
        self.now = back
        self.dealer.at = max(self.dealer.at, back)
        self.scheduler = SweepScheduler([a.antenna for a in self.layout.antennas])
        self._polls = polls(self.world, self.scheduler, start=back)
        self._camera = self._above(back)
        self.vault = self._new_vault()
        self.table = Table(self.layout, self.vault, record=self._record, state=state)
        self._hear(self.table.resume(back, away_known=not self._no_clock))
        self.scheduler.focus(self.table.focus)

    # What can be asked

    def verdicts(self) -> tuple[Verdict, ...]:
        """What may be said of the hand that is going on."""
        return self.table.verdicts(self.now)

    def shows(self, text: str) -> bool:
        """Whether the board shows a text, or has shown it since `forget_shown`."""
        return any(text in shown for shown in (*self._shown, *self.board_texts()))

    def forget_shown(self) -> None:
        self._shown.clear()

    def board_texts(self) -> list[str]:
        """Every text that the LED board shows now."""
        progress = self.table.progress
        count = self.table.counting
        deck = (
            deck_view(progress, self.now)
            if count is None
            else deck_view(progress, self.now, count.cards, count.text)
        )
        view = frame(progress, deck, True, self.now, seats=self.layout.seats)
        texts = [view.stage, view.next, view.blind, view.deck.words]
        if view.burn_due:
            texts.append("BURN")
        if view.notice is not None:
            texts += [view.notice.text, view.notice.detail]
        texts += [finding.board_text for finding in progress.findings]
        return [text for text in dict.fromkeys(texts) if text]
