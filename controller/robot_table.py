"""The simulated table behind `burnturn run`: a robot deals hand after hand over emulated readers,
and errs now and then.

It is a source of readings like the real table. Its world runs on a clock of its own, which can be
stopped, and it can be dealt anew in the middle of a hand; the readers never notice.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from controller.camera_config import CameraPart
from controller.config import Config, reader_specs
from controller.floor.commands import Desk
from controller.integrity.table_count import CountShown
from controller.model.events import DeckAtTable, SeatStatus
from controller.model.findings import Stage, Street
from controller.model.table import Arrival, seat_of
from controller.rules.settings import Profile
from controller.simulated_field import field_antennas
from controller.sources import NoReaders
from controller.tape import moved
from drivers.contracts import TagReader
from drivers.factory import (
    BoardHand,
    BoardProcess,
    Dealer,
    DealScript,
    HandPlayed,
    Noise,
    PassOver,
    PlacedCard,
    Robot,
    World,
    emulated_readers,
    spread_out,
    tag_reader,
)
from drivers.readings import (
    ButtonReading,
    KeyPress,
    Reading,
    SeatReading,
    Uid,
)
from drivers.rf import RfPermits

if TYPE_CHECKING:
    from drivers.factory import SimulatedCamera

DECKS = ("red", "blue")
CARDS = 52  # the tags of the simulated decks, where the configuration gives no seed
AHEAD_S = 0.2  # the next hand is planned this long before the last one's end

PASS_ENDS_S = 5.0  # without a card for so long, the count takes a pass to be over
SPREAD_S = 12.0  # a spread deck is left lying for so long before it is spread anew
IDLE_S = 0.05  # how often a table without readers looks at its keys


class RobotTable:
    """Readings of the simulated table, from robot to wire to driver.

    clock: monotonic seconds, the time of the readings. board: a table board at which button, chairs
    and keys are felt instead of being told here. permits: as for `tag_reader`.
    """

    def __init__(
        self,
        config: Config,
        clock: Callable[[], float] = time.monotonic,
        board: BoardProcess | None = None,
        *,
        permits: RfPermits | None = None,
    ) -> None:
        part = config.file.simulation
        assert part is not None, "the configuration sees to it"
        self._config, self._part, self._clock = config, part, clock
        seed = part.seed or random.SystemRandom().getrandbits(32)
        self._chance = random.Random(f"robot table {seed}")
        # The cards stay the same from start to start: a table remembers their tags.
        drawn = self._chance.getrandbits(32)
        self._cards_seed = drawn if part.seed else CARDS
        self._seats = tuple(s for s, status in config.seats if status is SeatStatus.IN)
        self._profile = config.profile.for_game(config.file.table.game)
        self._asked: deque[str] = deque()
        self._paused_at: float | None = None
        self._inputs: list[Reading] = []
        self._dealt = 0
        # What the board says to the dealer, set by whoever runs the table.
        self.count_asked: Callable[[], bool] = lambda: False
        self.counting: Callable[[], CountShown | None] = lambda: None
        self._count_wanted = False
        self._counting_until: float | None = None
        self.hand: HandPlayed | None = None
        self._open = AsyncExitStack()
        self._set_up(config.file.table.button)
        self._hand = None if board is None else self._at(board)
        self._spread: tuple[PlacedCard, ...] | None = None
        self._seed = seed
        specs = reader_specs(config)
        look_s = part.sweep_ms / 1000 / len(config.layout.antennas)
        self.readers = emulated_readers(specs, self, look_s, clock=clock, seed=seed % 1000)
        sweep = config.file.sweep
        self._reader: TagReader = (
            tag_reader(
                specs,
                order=sweep.order,
                focus_share=sweep.focus_share,
                emulated=self.readers,
                permits=permits,
                clock=clock,
            )
            if specs
            else NoReaders(clock)
        )

    # -- a source of readings ----------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            if self._hand is not None:
                await opening.enter_async_context(self._hand)
            await opening.enter_async_context(self._reader)
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()

    def focus(self, antennas: Sequence[int]) -> None:
        self._reader.focus(antennas)

    def only(self, antenna: int | None) -> None:
        self._reader.only(antenna)

    async def readings(self) -> AsyncIterator[Reading]:
        if not self._config.file.reader:
            while True:
                await asyncio.sleep(IDLE_S)
                for told in self._told_now():
                    yield told
        async for reading in self._reader.readings():
            for told in self._told_now():
                yield told
            yield reading

    def _told_now(self) -> list[Reading]:
        """What button, chairs and keys say, where no table board feels it."""
        return [other for other in self.inputs() if not self._felt(other)]

    def _at(self, board: BoardProcess) -> BoardHand:
        """Who sits and deals at the table board."""
        part = self._config.file.table_board
        assert part is not None, "the configuration sees to it"
        taken = [s for s, status in self._config.seats if status is not SeatStatus.OUT]
        button = self._dealer.button_seat
        return BoardHand(board, part.keys, taken, () if button is None else (button,))

    def _sit(self, seats: Sequence[int]) -> None:
        """Where a board feels it, somebody sits on these chairs."""
        if self._hand is not None:
            for seat in seats:
                self._hand.take(SeatReading(seat, True, self._clock()))

    def _felt(self, reading: Reading) -> bool:
        """Whether the table board tells of it."""
        if self._hand is None or not isinstance(reading, ButtonReading | SeatReading | KeyPress):
            return False
        return self._hand.take(reading)

    # -- what the readers see (a FieldModel) -------------------------------------------------------

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        return self._world.look(antenna, self._world_time(started), self._world_time(ended))

    # -- what a person at the keys may do ----------------------------------------------------------

    def camera(self, part: CameraPart) -> SimulatedCamera:
        """The camera of that configuration, over this table; OpenCV draws what it sees."""
        from drivers.factory import SimulatedCamera, hung_over  # they load OpenCV

        return SimulatedCamera(
            part.number,
            self._config.file.table.seats,
            lambda: self._world,
            self._world_time,
            spread=lambda: self._spread,
            fps=part.fps,
            seed=self._seed % 100_000,
            clock=self._clock,
            stance=hung_over(part.areas, self._config.file.table.seats),
        )

    @property
    def paused(self) -> bool:
        return self._paused_at is not None

    def pause(self) -> None:
        """Everybody at the table holds still, or goes on."""
        if self._paused_at is None:
            self._paused_at = self._clock()
        else:
            self._offset += self._clock() - self._paused_at
            self._paused_at = None

    def next_hand(self) -> None:
        """The dealer sweeps all cards together and deals the next hand."""
        self._set_up(self._dealer.button_seat)
        self._inputs += [self._key("end-hand"), self._key("shuffled")]

    def count(self) -> None:
        """Count the deck after this hand."""
        self._count_wanted = True

    def mistakes(self) -> tuple[str, ...]:
        """The mistakes that the robot can make in the next hand."""
        return tuple(dict.fromkeys(kind for kind, _ in self._robot.possible()))

    def err(self, kind: str) -> None:
        """Make that mistake in the next hand."""
        self._asked.append(kind)

    def deal_by(self, profile: Profile, game: str) -> None:
        """Deal by another profile from the next hand on."""
        self._profile = profile.for_game(game)
        self._plan_anew()

    def deal_to(self, seats: Sequence[int]) -> None:
        """Deal to these seats from the next hand on; who is dealt in sits there."""
        self._seats = tuple(sorted(seats))
        self._sit(self._seats)
        self._plan_anew()

    def carry_on(self, desk: Desk) -> None:
        """Deal on after a restart, to whom the registry says. A simulated table's cards are gone
        with the program that held them, so a hand that was on is swept up."""
        seats = tuple(s for s, status in desk.registry if status is SeatStatus.IN)
        self._seats = tuple(sorted(seats))
        self._sit([s for s, status in desk.registry if status is not SeatStatus.OUT])
        self._dealt = 1
        self._set_up(desk.progress.button)
        if desk.progress.stage is not Stage.BETWEEN:
            self._inputs += [self._key("end-hand"), self._key("shuffled")]

    @property
    def under(self) -> str:
        """What the table board's firmware runs on; "" without one."""
        return "" if self._hand is None else self._hand.board.kind.value

    @property
    def told(self) -> str:
        """What the robot did wrong in this hand, once an eye could see it."""
        hand = self.hand
        if hand is None or hand.planted is None:
            return ""
        if self._world_time(self._clock()) < hand.planted.evident_at:
            return ""
        seat = f", seat {hand.planted.seat}" if hand.planted.seat is not None else ""
        return f"{hand.planted.kind} ({hand.planted.street}{seat})"

    @property
    def at_table(self) -> tuple[DeckAtTable, ...]:
        """Names and backs of those decks."""
        return tuple(DeckAtTable(name=n, back=n, pair=" and ".join(DECKS)) for n in DECKS)

    @property
    def decks(self) -> dict[Uid, tuple[str, str]]:
        """The enrolled decks, for the vault; none where no antenna reads their tags."""
        if self._config.layout.camera_alone:
            return {}
        return {c.uid: (c.deck, c.face) for name in DECKS for c in self._world.deck(name)}

    # -- inside ------------------------------------------------------------------------------------

    def _world_time(self, at: float) -> float:
        if self._paused_at is not None:
            at = min(at, self._paused_at)
        return at - self._offset

    def _set_up(self, button: int | None) -> None:
        """A world in which the deck lies shuffled in the dealer's hand."""
        part = self._part
        draw = self._chance.getrandbits
        noise = Noise(
            miss=part.miss,
            cross=part.cross,
            corrupt=part.corrupt,
            sweep_s=part.sweep_ms / 1000,
            seed=draw(32),
        )
        self._world = World(
            field_antennas(self._config.layout),
            noise,
            cards_seed=self._cards_seed,
            short_tags=any(reader.model == "pn532" for reader in self._config.file.reader),
        )
        self._offset = self._clock()
        if self._paused_at is not None:
            self._paused_at = self._offset
        placement = [
            seat
            for a in self._config.layout.antennas
            if a.arrival is Arrival.PLACEMENT and (seat := seat_of(a.zone)) is not None
        ]
        script = self._script()
        self._dealer = Dealer(
            self._world,
            script.seats,
            pace_s=part.pace_ms / 1000,
            hole_cards=script.hole_cards,
            cards_per_pass=script.cards_per_pass,
            button=button,
            deck_seed=draw(32),
            placement_seats=placement,
            flop_face_down=self._profile.flop_style.value != "face-up",
            seed=draw(32),
        )
        self._robot = Robot(self._dealer, script, seed=draw(32))
        self._robot.hands = self._dealt
        self._counting_until = None
        if self.hand is not None:
            self.hand = replace(self.hand, next_at=0.0, planted=None)

    def inputs(self) -> list[Reading]:
        """Readings of button, chairs and keys that are due now; the next hand is planned in
        time."""
        if self._paused_at is not None:
            return []
        now = self._world_time(self._clock())
        if self.hand is None or now >= self.hand.next_at - AHEAD_S:
            begun = self.counting() is not None  # by the floor
            if (
                begun
                or self._counting_until is not None
                or self._count_wanted
                or self.count_asked()
            ):
                self._count(now)
            elif len(self._seats) >= 2:
                self._plan()
        given, self._inputs = self._inputs, []
        return given + [moved(r, self._offset) for r in self._dealer.due(now)]

    def _count(self, now: float) -> None:
        """One step of a count: the key, the deck over the antenna, again if the board asks for it,
        the key."""
        until = self._counting_until
        if until is not None and now < until:
            return
        dealer = self._dealer
        self._world.advance(now)
        dealer.at = max(dealer.at, now)
        shown = self.counting()
        if until is None:
            self._count_wanted = False
            if shown is None:
                self._inputs.append(self._key("count"))
            self._counting_until = self._show_deck(now, again=False)
        elif shown is None:
            self._counting_until = self._spread = None
        elif shown.why:
            self._counting_until = self._show_deck(now, again=True)
        else:
            self._inputs.append(self._key("confirm"))
            self._counting_until = now + 1.0

    def _show_deck(self, now: float, again: bool) -> float:
        """The deck passes over the antenna, or lies spread under the camera; when to look next."""
        dealer = self._dealer
        if not self._config.layout.camera_alone:
            return dealer.count(PassOver().careful if again else PassOver()) + PASS_ENDS_S
        of_deck = self._world.deck(dealer.deck_name)
        cards = [card for card in of_deck if not card.face.startswith("joker")]
        self._chance.shuffle(cards)
        self._spread = spread_out([(card.face, card.deck) for card in cards])
        return now + SPREAD_S

    def _plan_anew(self) -> None:
        """If the hand is planned and nothing is dealt yet, plan it again, the button where it
        lies."""
        hand = self.hand
        if hand is None or not hand.streets:
            return
        first_at = hand.streets[0].first_at - self._part.pace_ms / 1000
        if self._world_time(self._clock()) < first_at:
            self._dealt = 0
            self._set_up(hand.button)

    def _plan(self) -> None:
        robot = self._robot
        robot.script = self._script()
        self._dealer.flop_face_down = self._profile.flop_style.value != "face-up"
        self._world.advance(self._world_time(self._clock()))
        possible = self.mistakes()
        mistake = None
        if self._asked and self._asked[0] in possible:
            mistake = self._asked.popleft()
        elif self._chance.random() < self._part.mistakes:
            mistake = self._chance.choice(possible)
        self.hand = robot.hand(mistake)
        self._dealt = robot.hands

    def _script(self) -> DealScript:
        own = self._profile
        hole = own.hole_cards.value
        return DealScript(
            seats=self._seats,
            hole_cards=hole,
            cards_per_pass=max(1, hole // own.hole_passes.value),
            burns={street.value: own.burns_before(street) for street in Street},
        )

    def _key(self, key: str) -> Reading:
        return KeyPress(key, self._clock())
