"""The daemon: readings in, a board out, everything journaled first.

    source ─▶ Table (sensing, rules) ─▶ journal commit ─▶ board, screen, floor
       ◀─ focus ──┘

The loop over the readings never waits for the disk: commits run beside it, and what is shown is
what the last commit holds. Each task is supervised; if one ends, the daemon ends, for the system to
start it again. After a kill the hand is taken up by positions.
"""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from controller.certifying import Certifying
from controller.config import Config, puck_specs, reader_specs
from controller.floor.commands import Desk
from controller.floor.server import FloorServer
from controller.integrity.box import BoxError
from controller.integrity.decks import DeckError
from controller.integrity.filing import FilingError
from controller.integrity.table_count import CountShown
from controller.journal.record import Body, CertificateFiled, Stopped
from controller.journal.recorder import LIMIT_S, Recorder, Recording
from controller.journal.resume import Resumption, begin
from controller.journal.writer import Journal
from controller.model.events import (
    Attested,
    CardCame,
    CardCarried,
    DeckAtTable,
    DeckCounted,
    DeckInPlay,
    SeatRegistered,
    SeatStatus,
    TableEvent,
    TableOpened,
    TableResumed,
    Tick,
    Token,
)
from controller.model.findings import Finding, FindingChanged, HandEnded, Progress, Said, Stage
from controller.outputs.board import BoardView, DeckCondition, DeckView, deck_view, frame
from controller.outputs.lamps import for_seats, lamp_row, lamps
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.outputs.picture import Picture
from controller.rates.book import RateBook, rates_file
from controller.rates.counts import Portion
from controller.rates.senses import SenseCounts, measured
from controller.rules import engine
from controller.rules.profile import Profile
from controller.sources import NoReaders, Source, Together
from controller.taking_up import TableClock, away_known, table_of
from controller.tape import TapeError, TapeWriter, time_of
from controller.vault import Vault
from controller.vision.spread import SpreadSeen
from drivers.contracts import LedBoard, SeatLamp, SeatLamps
from drivers.errors import DriverError
from drivers.readings import Health, HealthState, Poll, Reading, Sight, Uid
from drivers.rf import RfPermits

FRAMES_PER_S = 8
REPEAT_S = 1.0  # a frame is sent this often even if nothing changed
RETRY_S = 1.0
LOOK_S = 0.25  # between two looks at a spread deck
SILENT_S = 1.0  # without a reading for so long, time is passed on by hand
FINDINGS_KEPT = 40
NOTES_KEPT = 8
LONG = 500  # events after which the journal should say anew where the table stands


Drawing = Callable[[BoardView], Picture]
LAYOUTS: dict[tuple[int, int], Drawing] = {(64, 32): colour_64x32, (32, 8): mono_32x8}


@dataclass(frozen=True, slots=True)
class Shown:
    """What may be shown: committed, or known not to need it. trouble: a line for each device in
    trouble."""

    progress: Progress
    findings: tuple[Finding, ...]
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delay:
    """From the end of the poll that changed something to the frame that shows it; apart from it
    the commit between them, with the wait for the one before. Seconds."""

    work_s: float
    commit_s: float


class Daemon:
    """One table, from its readings to its boards.

    source: where readings come from. forgotten: why what was before cannot be taken up, where there
    was something; then nobody knows the deck's age. boards: LED boards to drive. seat_lamps: lamps
    at the seats that blink by themselves. tape: where raw readings are recorded. decks: enrolled
    cards by UID. at_table: names and backs of those decks. on_used: told a deck that was taken out
    of play as used, where it may not come back; may raise BoxError, DeckError. attested_by: who
    confirms the points of the opening at once, where nobody else can (the robot dealer). on_seats:
    told the seats due cards when they change. spreads: looks at the table once, for a deck that is
    counted by camera; None where no camera is. on_shown: told what is on the disk and may be shown,
    after every commit. on_ready: called once the floor may speak and readings may come.
    on_recording: told when recording stops and when it works again. on_note: told what the floor
    should know of decks and files. commit_limit_s: a commit that takes longer counts as not
    recording. long: after how many events the journal says anew where the table stands.
    """

    def __init__(
        self,
        config: Config,
        source: Source,
        clock: TableClock,
        *,
        resumption: Resumption | None = None,
        forgotten: Sequence[str] = (),
        boards: Sequence[LedBoard] = (),
        seat_lamps: Sequence[SeatLamps] = (),
        tape: TapeWriter | None = None,
        decks: dict[Uid, tuple[str, str]] | None = None,
        at_table: tuple[DeckAtTable, ...] = (),
        on_used: Callable[[str], None] = lambda deck: None,
        attested_by: str = "",
        on_seats: Callable[[tuple[int, ...]], None] = lambda seats: None,
        on_shown: Callable[[Shown], None] = lambda shown: None,
        on_ready: Callable[[], None] = lambda: None,
        on_recording: Callable[[Recording], None] = lambda recording: None,
        on_note: Callable[[str], None] = lambda note: None,
        spreads: Callable[[], Awaitable[SpreadSeen]] | None = None,
        commit_limit_s: float = LIMIT_S,
        long: int = LONG,
    ) -> None:
        self.config = config
        self.clock = clock
        self.profile = config.profile
        self.delays: deque[Delay] = deque(maxlen=4096)
        self.first_reading_at: float | None = None
        self.readings_seen = 0
        self.warnings: list[str] = [*forgotten]  # the floor reads no terminal
        self._forgotten = bool(forgotten)
        self._source = source
        self._boards = tuple(boards)
        self._seat_lamps = tuple(seat_lamps)
        self._lit: list[tuple[dict[int, SeatLamp] | None, float]] = [(None, 0.0)] * len(seat_lamps)
        self._boards_open = False
        self._sent: list[tuple[bytes, float]] = [(b"", 0.0)] * len(self._boards)
        self._tape = tape
        self._attested_by = attested_by
        self._at_table = at_table
        self._on_used = on_used
        self._used: list[str] = []
        self._on_seats = on_seats
        self._on_shown = on_shown
        self._on_ready = on_ready
        self._on_recording = on_recording
        self._resumption = resumption
        self._vault = Vault(decks, public_key=config.public_key)
        self._seals = config.public_key is not None
        self._sealed: set[Token] = set()
        self._recorder = Recorder(
            Journal(config.journal), changed=self._changed, clock=clock, limit_s=commit_limit_s
        )
        self._table, self._watch = table_of(config, self._vault, self._record, resumption)
        self._spreads = spreads
        self._table.has_camera = spreads is not None
        self._on_note = on_note
        self.notes: deque[str] = deque(maxlen=NOTES_KEPT)
        self._senses = SenseCounts(config.layout)
        self._rates: RateBook | None = None
        self._focus: tuple[int, ...] = ()
        self._only: int | None = None
        self._certifying = Certifying(config)
        self.certificates: list[Path] = []
        self._health: dict[str, Health] = {}
        self._findings: dict[int, Finding] = {}
        self._latest_at = clock()
        self._heard_at: float | None = None
        self._since: tuple[float, float] | None = None
        self._pending_open: TableOpened | None = None
        self._long = long
        self._told = 0 if resumption is None else len(resumption.events)
        self._dirty = asyncio.Event()
        self._refresh = asyncio.Event()
        self._stop = asyncio.Event()
        self._stopped_by = "asked to"
        self.shown = Shown(self._table.progress, ())

    # -- what others may ask and say ---------------------------------------------------------------

    @property
    def recording(self) -> Recording:
        return self._recorder.state

    @property
    def health(self) -> tuple[Health, ...]:
        """The latest word of every device."""
        return tuple(self._health.values())

    @property
    def trouble(self) -> tuple[str, ...]:
        """A line for each device that is lost or failing."""
        lines = [
            h.reason if h.reason.startswith(h.device) else f"{h.device}: {h.reason}"
            for h in self._health.values()
            if h.state is not HealthState.OK
        ]
        return (*lines, *self.warnings, *self._certifying.trouble)

    @property
    def counting(self) -> CountShown | None:
        """The count that is on, as the board shows it."""
        return self._table.counting

    @property
    def count_asked(self) -> bool:
        """Whether the board asks for a count now."""
        return self._deck_view().condition in (DeckCondition.COUNT_DUE, DeckCondition.SUSPECT)

    def view(self) -> BoardView:
        """What the board shows now."""
        return frame(
            self.shown.progress,
            self._deck_view(),
            self._recorder.state.ok,
            self.clock(),
            seats=self.config.layout.seats,
            health=self.trouble,
        )

    def _deck_view(self) -> DeckView:
        count = self._table.counting
        if count is None:
            return deck_view(self.shown.progress, self.clock())
        return deck_view(self.shown.progress, self.clock(), count.cards, count.text)

    def stop(self, why: str = "asked to") -> None:
        """End cleanly."""
        self._stopped_by = why
        self._stop.set()

    def desk(self) -> Desk:
        return Desk(
            seats=self.config.layout.seats,
            registry=tuple(sorted(self._table.state.seats.items())),
            progress=self._table.progress,
            findings=self._table.findings,
            to_attest=self._to_attest(),
            decks=tuple(sorted({deck for deck, _ in self._vault.registered.values()})),
            counting=_count_words(self._table.counting),
            has_camera=self._table.has_camera,
            suspects=self._table.suspects(),
            recording=self._recorder.state.ok,
            trouble=self._recorder.state.reason,
            health=self.trouble,
            notes=tuple(self.notes),
        )

    async def tell(self, event: TableEvent) -> bool:
        """Judge what a person says; True once it is on the disk."""
        self._judged(self._table.tell(event))
        return (await self._commit()).ok

    async def caught_up(self) -> None:
        """Wait until everything judged so far is on the disk, or could not be put there."""
        if self._dirty.is_set():
            await self._commit()

    def change_profile(self, profile: Profile) -> None:
        """Go by another profile from the next hand on."""
        self.profile = profile
        self._pending_open = self._opening(first=False)
        if self._table.progress.stage in (Stage.CLOSED, Stage.BETWEEN):
            self._open_pending()

    # -- the run -----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Watch the table until asked to stop, or until the source ends.

        Raises:
            FloorError: the floor's socket cannot be used.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop, signal.Signals(number).name)
        try:
            async with AsyncExitStack() as stack:
                stack.push_async_callback(self._close)
                config = self.config
                floor = FloorServer(config.socket, config.socket_mode, self, self.clock)
                # first: a daemon that may not speak for the floor leaves no mark in the journal
                await stack.enter_async_context(floor)
                self._begin()
                self._certifying.take_up(self._table.state.decks)
                await self._commit()
                for board in (*self._boards, *self._seat_lamps):
                    await stack.enter_async_context(board)
                self._boards_open = True
                await stack.enter_async_context(self._source)
                self._on_ready()
                await self._supervise()
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                loop.remove_signal_handler(number)

    async def _supervise(self) -> None:
        """Run the tasks until asked to stop; if one fails, end with its error."""
        work = {
            asyncio.create_task(job, name=name)
            for name, job in (
                ("readings", self._read()),
                ("commits", self._keep_committing()),
                ("boards", self._keep_showing()),
                ("spreads", self._keep_looking()),
                ("stop", self._stop_wait()),
            )
        }
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)

    async def _stop_wait(self) -> None:
        await self._stop.wait()

    async def _close(self) -> None:
        self._boards_open = False  # they are closed, and dark
        clean = self._stop.is_set()  # else it fell, and the next start takes the hand up
        if clean:
            self._recorder.stage(Stopped(at=self.clock(), reason=self._stopped_by))
            await self._commit()
            await self._certify_closing()
        await self._recorder.close()
        if self._watch is not None:
            await self._watch.close(self.clock(), clean)
            self._take_notes()
        if self._rates is not None:
            await self._rates.close()

    def _begin(self) -> None:
        """The first records: the start, and the opening or what is taken up."""
        r, at = self._resumption, self.clock()
        self._rates = RateBook(
            rates_file(self.config.journal),
            measured(self.config.layout),
            again=r is not None and not r.stopped,
            note=self.tell_note,
        )
        if self._watch is not None:
            self._watch.start()
        away_s = None if r is None else max(0.0, time.time() - r.last_wall)
        begin(self._recorder.journal, at, r, offset_s=self.clock.offset_s, away_s=away_s)
        if r is None:
            self._open_first()
            if self._forgotten:
                unknown = TableResumed(at=at, away_known=False, cards_known=True)
                self._judged(self._table.tell(unknown))
            return
        self._findings = {f.id: f for f in self._table.findings}
        known = away_s is not None and away_known(r, time.time())
        resumed = TableResumed(at=at, away_known=known, cards_known=True)
        anew = r.stopped and self._table.state.hand is None
        self._judged(self._table.tell(resumed))
        if anew:
            self._open_first(anew=True)
        elif not self._as_before():
            self._pending_open = self._opening(first=False)
            if self._table.progress.stage in (Stage.CLOSED, Stage.BETWEEN):
                self._open_pending()
        self._go_on(told=1)

    def _open_first(self, anew: bool = False) -> None:
        """Open the table as the configuration says. anew: it was stopped between two hands, and its
        decks go on."""
        self._judged(self._table.open(dataclasses.replace(self._opening(first=True), anew=anew)))
        for row in self._to_attest() if self._attested_by else ():
            at = self.clock()
            self._judged(self._table.tell(Attested(at=at, row=row, by=self._attested_by)))

    def _as_before(self) -> bool:
        """Whether the configuration is what the rules went by when the program ended."""
        before, opening = self._table.state, self._opening(first=False)
        book = before.book
        return (
            book is not None
            and (book.profile.model_dump_json(), book.game)
            == (self._profile_in_force().model_dump_json(), opening.game)
            and book.layout == self.config.layout
            and before.watch_only == opening.watch_only
        )

    def _to_attest(self) -> tuple[str, ...]:
        return engine.to_attest(self._table.state)

    def _profile_in_force(self) -> Profile:
        return self.profile.for_game(self.config.file.table.game)

    def _opening(self, first: bool) -> TableOpened:
        table = self.config.file.table
        seats = self.config.seats
        if not first:
            seats = tuple(sorted(self._table.state.seats.items()))
        return TableOpened(
            at=self.clock(),
            profile=self.profile.model_dump_json(),
            game=table.game,
            layout=engine.layout_json(self.config.layout),
            seats=seats,
            button=(table.button,) if first and table.button is not None else None,
            absent=tuple(sorted(self._table.state.absent)),
            opening=first and table.opening,
            watch_only=table.mode == "watch",
            decks=self._at_table,
        )

    def _open_pending(self) -> None:
        opening, self._pending_open = self._pending_open, None
        if opening is not None:
            self._judged(self._table.open(self._opening(first=False)))

    def _go_on(self, told: int) -> None:
        """Where nothing is open, and at least `told` events were told since the last time, say anew
        where the table stands: the next start reads no further back, however often it is killed."""
        state = self._table.state
        so_far = engine.so_far(state)
        if so_far is None or self._told < told or self._pending_open is not None:
            return
        opening = dataclasses.replace(
            self._opening(first=False),
            button=state.buttons,
            opening=state.opening,
            so_far=so_far,
        )
        self._judged(self._table.open(opening))
        for token, place in state.cards.items():
            carried = CardCarried(at=opening.at, token=token, zone=place.zone)
            self._judged(self._table.tell(carried))

    # -- readings ----------------------------------------------------------------------------------

    async def _read(self) -> None:
        async for reading in self._source.readings():
            if self.first_reading_at is None:
                self.first_reading_at = self.clock()
            self.readings_seen += 1
            self._take(reading)
        self.stop("the source has ended")

    def _take(self, reading: Reading) -> None:
        self._latest_at = time_of(reading)
        self._heard_at = reading.ended if isinstance(reading, Poll | Sight) else None
        if self._tape is not None:
            self._to_tape(self._tape, reading)
        if isinstance(reading, Health):
            self._health[reading.device] = reading
            self._stage(reading)
        elif isinstance(reading, Sight):
            self._senses.sight(reading)
        self._judged(self._table.feed(reading))
        self._heard_at = None
        if self._watch is not None:
            self._heed(self._latest_at)
        if self.readings_seen < len(self.config.layout.antennas):
            return  # one plain round first: no place stays unknown while others are looked at
        only = self._table.only
        if only != self._only:
            self._only = only
            self._source.only(only)
        focus = self._table.focus
        if focus != self._focus:
            self._focus = focus
            self._source.focus(focus)

    def _heed(self, at: float) -> None:
        """Tell what the running deck test has worked out meanwhile."""
        self._judged(self._table.heed(at))
        if self._watch is not None and self._watch.notes:
            self._take_notes()

    def _take_notes(self) -> None:
        notes = self._watch.notes if self._watch is not None else deque[str]()
        while notes:
            self.tell_note(notes.popleft())

    def tell_note(self, note: str) -> None:
        """Tell people something of the table itself."""
        self.notes.append(note)
        self._on_note(note)

    def _count_senses(self) -> None:
        """A hand is over: what the senses got wrong in it."""
        if self._rates is not None:
            given = Portion(self._table.verdicts_given, self._table.verdicts_open)
            self._rates.hand(self._senses.hand(self._table.sensing.figures(), given))

    def _to_tape(self, tape: TapeWriter, reading: Reading) -> None:
        try:
            tape.write(reading)
        except TapeError as error:
            self._tape = None
            self.warnings.append(str(error))

    def _record(self, event: TableEvent) -> int:
        """Number an event before it is judged."""
        sealed = None
        if self._seals and isinstance(event, CardCame) and event.token not in self._sealed:
            self._sealed.add(event.token)
            sealed = self._vault.sealed(event.token)
        if isinstance(event, SeatRegistered):
            self._registered(event)
        if isinstance(event, DeckInPlay):
            before = self._table.state.deck.name
            if before is not None and not self.profile.used_deck_returns.value:
                self._used.append(before)
        self._told = 0 if isinstance(event, TableOpened) and event.so_far else self._told + 1
        number = self._stage(event, sealed)
        if isinstance(event, DeckCounted):
            self._certifying.counted(event, number, self._table.state.decks)
        return number

    def _stage(self, body: Body, sealed: bytes | None = None) -> int:
        if self._since is None and self._heard_at is not None:
            self._since = (self._heard_at, self.clock())
        self._dirty.set()
        return self._recorder.stage(body, sealed=sealed)

    async def _certify(self) -> None:
        """File the certificates that are owed; what goes wrong is said, and the counts stand."""
        for filed in await self._certifying.file(self.clock()):
            self.certificates.append(filed.page)
            at, name = self.clock(), filed.page.name
            self._stage(CertificateFiled(at=at, name=name, sha256=filed.sha256, count=filed.count))

    async def _certify_closing(self) -> None:
        try:
            filed = await self._certifying.file_closing()
        except (FilingError, ValueError) as error:
            self.warnings.append(str(error))
        else:  # not journaled: the record of the close is the last one
            self.certificates += [] if filed is None else [filed.page]

    async def _keep_used(self, deck: str) -> None:
        try:
            await asyncio.to_thread(self._on_used, deck)
        except (BoxError, DeckError) as error:
            self.warnings.append(str(error))

    def _registered(self, event: SeatRegistered) -> None:
        seats = dict(self._table.state.seats) | {event.seat: event.status}
        self._on_seats(tuple(sorted(s for s, status in seats.items() if status is SeatStatus.IN)))

    def _judged(self, said: Iterable[Said]) -> None:
        ended = False
        for word in said:
            self._stage(word)
            if isinstance(word, FindingChanged):
                self._findings[word.finding.id] = word.finding
            elif isinstance(word, HandEnded):
                self._sealed.clear()
                if self._tape is not None:
                    self._tape.hand_over()
                self._open_pending()
                ended = True
        if ended:
            self._count_senses()
            self._go_on(self._long)

    async def _keep_looking(self) -> None:
        """While a deck is counted by camera, look at it; each look ends before the next begins."""
        if self._spreads is None:
            await asyncio.Event().wait()
            return
        while True:
            await asyncio.sleep(LOOK_S)
            if self._table.wants_still:
                seen = await self._spreads()
                self._judged(self._table.spread(seen, self.clock()))
                self._refresh.set()

    # -- commits -----------------------------------------------------------------------------------

    async def _keep_committing(self) -> None:
        while True:
            try:
                async with asyncio.timeout(None if self._recorder.state.ok else RETRY_S):
                    await self._dirty.wait()
            except TimeoutError:
                pass
            await self._commit()

    async def _commit(self) -> Recording:
        """Put on the disk what is staged; then it may be shown."""
        self._dirty.clear()
        while len(self._findings) > FINDINGS_KEPT:
            del self._findings[next(iter(self._findings))]
        now = Shown(self._table.progress, tuple(self._findings.values()), self.trouble)
        since, self._since = self._since, None
        state = await self._recorder.commit()
        if state.ok:
            self.shown = now
            self._on_shown(now)
            if self._certifying.due(self.clock()):
                await self._certify()
            while self._used:
                await self._keep_used(self._used.pop(0))
            committed_at = self.clock()
            await self._show()
            if since is not None:
                read_at, staged_at = since
                commit_s = committed_at - staged_at
                self.delays.append(Delay(self.clock() - read_at - commit_s, commit_s))
        return state

    def _changed(self, state: Recording) -> None:
        self._refresh.set()
        self._on_recording(state)

    # -- boards ------------------------------------------------------------------------------------

    async def _keep_showing(self) -> None:
        while True:
            try:
                async with asyncio.timeout(1 / FRAMES_PER_S):
                    await self._refresh.wait()
            except TimeoutError:
                pass
            self._refresh.clear()
            await self._show()
            self._pass_time()

    async def _show(self) -> None:
        if self._boards_open:
            view = self.view()
            await self._light(view)
            for n, board in enumerate(self._boards):
                drawing = LAYOUTS.get((board.width, board.height))
                picture = drawing(view) if drawing else lamp_row(view, board.width)
                pixels = picture.rgb()
                before, sent_at = self._sent[n]
                if pixels != before or view.now_s - sent_at >= REPEAT_S:
                    self._sent[n] = (pixels, view.now_s)
                    await self._send(f"board {n + 1}", board, pixels)

    async def _light(self, view: BoardView) -> None:
        """Tell the lamps at the seats what changed; they blink by themselves."""
        lit = for_seats(lamps(view)) if self._seat_lamps else {}
        for n, row in enumerate(self._seat_lamps):
            before, sent_at = self._lit[n]
            if lit != before or view.now_s - sent_at >= REPEAT_S:
                self._lit[n] = (lit, view.now_s)
                await self._sending(f"lamps {n + 1}", row.light(lit))

    async def _send(self, device: str, board: LedBoard, pixels: bytes) -> None:
        await self._sending(device, board.show(pixels))

    async def _sending(self, device: str, sending: Awaitable[None]) -> None:
        """Show something. A board that fails is reported once, and tried again with each frame."""
        try:
            await sending
        except (OSError, DriverError) as error:
            state, reason = HealthState.LOST, f"{device}: {error}"
        else:
            state, reason = HealthState.OK, f"{device}: it works"
        before = self._health.get(device)
        if state is not (before.state if before is not None else HealthState.OK):
            health = Health(device, state, reason, self.clock())
            self._health[device] = health
            self._stage(health)

    def _pass_time(self) -> None:
        """While no reader answers, the rules' deadlines come all the same."""
        now = self.clock()
        if self._watch is not None and now - self._latest_at > SILENT_S:
            self._heed(now)
        if self._certifying.due(now):
            self._dirty.set()
        due = engine.deadline(self._table.state)
        if due is not None and now >= due and now - self._latest_at > SILENT_S:
            self._latest_at = now
            self._judged(self._table.tell(Tick(at=now)))


def _count_words(count: CountShown | None) -> str:
    if count is None:
        return ""
    return f"{count.text}; {count.why}" if count.why else count.text


def readers_of(config: Config, clock: TableClock, permits: RfPermits | None = None) -> Source:
    """The table's own readers; silent ones where it has none, but cameras. permits: the enable
    lines of their transmitters.

    Raises:
        drivers.errors.MisconfiguredError: a reader that no driver can serve.
    """
    from drivers.factory import button_pucks, tag_reader

    sweep, specs = config.file.sweep, reader_specs(config)
    reader: Source = NoReaders(clock)
    if specs:
        reader = tag_reader(
            specs,
            order=sweep.order,
            focus_share=sweep.focus_share,
            permits=permits,
            clock=clock,
        )
    pucks = puck_specs(config)
    if not pucks:
        return reader
    tags, seats = config.file.button.tags, config.file.table.seats
    return Together(reader, [button_pucks(pucks, seats=seats, tags=tags, clock=clock)])
