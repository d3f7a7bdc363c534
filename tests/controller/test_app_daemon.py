"""The daemon on tapes of simulated hands: judged, journaled, shown; stopped, killed and resumed."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import itertools
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from controller.app import Daemon, Shown
from controller.config import Config, read, sample_text
from controller.floor.client import say
from controller.floor.commands import Command, FloorError
from controller.integrity.filing import checked
from controller.integrity.filing import read as read_file
from controller.journal.reader import JournalFile
from controller.journal.record import Body, CertificateFiled, body_of
from controller.journal.recorder import Recording
from controller.journal.replay import replay
from controller.journal.verify import verify
from controller.keys import new_pair, private_key, unseal
from controller.model.events import (
    CardCame,
    CountMeans,
    DeckCounted,
    FloorSaid,
    ReaderLost,
    SeatRegistered,
    TableOpened,
    TableResumed,
)
from controller.model.findings import FindingState, Stage
from controller.outputs.board import BoardView, DeckView, frame
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.robot_table import RobotTable
from controller.rules import engine
from controller.taking_up import TableClock, take_up
from controller.tape import TapeWriter, moved, play, time_of
from controller.tape_source import TapeSource
from controller.vision.spread import SpreadSeen
from drivers.contracts import LampPattern, SeatLamp
from drivers.factory import (
    Dealer,
    DealScript,
    FieldAntenna,
    Noise,
    Robot,
    SweepScheduler,
    World,
    polls,
)
from drivers.readings import Health, HealthState, Poll, Reading
from tests.controller.integrity.test_spread_count import still

SEATS = tuple(range(1, 10))
DUSK = TableClock()() + 3600.0
"""When the nights begin: the table's clock must not be ahead of its readings."""


def config_in(folder: Path, *swaps: tuple[str, str]) -> Config:
    text = sample_text().replace('socket = ""', 'socket = "s"')
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new, 1)
    return read(text, "table.toml", folder)


def night(config: Config, *mistakes: str | None, cards: int = 3) -> list[Reading]:
    """The readings of some hands, each with its mistake, dealt in virtual time from `DUSK` on."""
    antennas = [
        FieldAntenna(
            number=a.antenna,
            place=str(a.zone),
            neighbours=a.profile.neighbours,
            max_stack=a.profile.max_stack,
            reader=a.profile.reader,
            port=a.profile.port,
        )
        for a in config.layout.antennas
    ]
    seed = 3
    world = World(antennas, Noise(miss=0.03, cross=0.01, seed=seed), cards_seed=cards)
    dealer = Dealer(world, SEATS, button=9, deck_seed=cards, seed=seed)
    robot = Robot(dealer, DealScript(SEATS), seed=seed)
    scheduler = SweepScheduler([a.number for a in antennas])
    source = polls(world, scheduler)
    found: list[Reading] = []
    for mistake in mistakes:
        hand = robot.hand(mistake)
        for reading in source:
            found += dealer.due(time_of(reading))
            found.append(reading)
            if time_of(reading) > hand.next_at:
                break
    return [moved(reading, DUSK) for reading in found]


class Script:
    """A source that gives readings, each when all before is on the disk, and then does as it is
    told."""

    def __init__(self, readings: Sequence[Reading], then: Callable[[], object] | None) -> None:
        self.readings_ = readings
        self.then = then
        self.daemon: Daemon | None = None
        self.focused: list[tuple[int, ...]] = []
        self.alone: list[int | None] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def focus(self, antennas: Sequence[int]) -> None:
        self.focused.append(tuple(antennas))

    def only(self, antenna: int | None) -> None:
        self.alone.append(antenna)

    async def readings(self) -> AsyncIterator[Reading]:
        for n, reading in enumerate(self.readings_):
            if n % 50 == 0:
                await asyncio.sleep(0)
            yield reading
            if self.daemon is not None:
                await self.daemon.caught_up()
        if self.then is None:
            return
        done = self.then()
        if asyncio.iscoroutine(done):
            await done


class Lamps:
    """An LED board that keeps its frames."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.frames: list[bytes] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    @property
    def health(self) -> tuple[Health, ...]:
        return ()

    async def show(self, pixels: bytes) -> None:
        self.frames.append(pixels)


class Row(Lamps):
    """Lamps at the seats that blink by themselves. fails: its first so many tellings."""

    def __init__(self, fails: int = 0) -> None:
        super().__init__(11, 1)
        self.told: list[dict[int, SeatLamp]] = []
        self._fails = fails

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        if self._fails:
            self._fails -= 1
            raise OSError("no such file")
        self.told.append(dict(lamps))


class KilledError(Exception):
    """Stands for SIGKILL: nothing after it is done in order."""


def bodies(config: Config) -> list[Body]:
    with JournalFile(config.journal) as journal:
        assert verify(journal).ok
        return [body_of(r) for r in journal.records()]


def watch(
    config: Config,
    readings: Sequence[Reading],
    then: Callable[[Daemon], object] | None = None,
    boards: Sequence[Lamps] = (),
    seat_lamps: Sequence[Row] = (),
    tape: TapeWriter | None = None,
    spreads: Callable[[], Awaitable[SpreadSeen]] | None = None,
) -> tuple[Daemon, Script, list[Shown]]:
    """Run a daemon over the readings, from wherever its journal left off."""
    shown: list[Shown] = []

    async def run() -> tuple[Daemon, Script]:
        resumption, clock = take_up(config.journal, pytest.fail)
        source = Script(readings, None)
        daemon = Daemon(
            config,
            source,
            clock,
            resumption=resumption,
            boards=boards,
            seat_lamps=seat_lamps,
            tape=tape,
            spreads=spreads,
            on_shown=shown.append,
            commit_limit_s=60.0,  # a busy machine is no slow disk
        )
        source.daemon = daemon
        if then is not None:
            source.then = lambda: then(daemon)
        await daemon.run()
        return daemon, source

    daemon, source = asyncio.run(run())
    return daemon, source, shown


@pytest.fixture(scope="module")
def burn_missing() -> list[Reading]:
    return night(config_in(Path("/nowhere")), None, "burn-missing")


def test_a_missing_burn_is_judged_journaled_and_shown(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    big, small = Lamps(64, 32), Lamps(32, 8)
    _, source, shown = watch(config, burn_missing, boards=(big, small))
    codes = {f.code for s in shown for f in s.findings}
    assert "BURN_MISSING" in codes
    stages = [s.progress.stage for s in shown]
    for stage in (Stage.DEAL, Stage.PREFLOP, Stage.FLOP):
        assert stage in stages
    assert len(source.focused) > 5
    assert {len(f) for f in big.frames} == {64 * 32 * 3}
    assert {len(f) for f in small.frames} == {32 * 8 * 3}
    kinds = [type(b).__name__ for b in bodies(config)]
    assert kinds[0] == "Started"
    assert kinds[-1] == "Stopped"
    assert kinds.count("HandEnded") == 2


def test_every_place_is_looked_at_once_before_any_is_looked_at_closer(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    places = len(config.layout.antennas)
    _, early, _ = watch(config, burn_missing[: places - 1])
    assert early.focused == []
    config.journal.unlink()
    _, later, _ = watch(config, burn_missing[:places])
    assert len(later.focused) == 1


def test_nothing_is_shown_before_it_is_on_the_disk(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)

    def on_disk() -> int:
        with sqlite3.connect(f"file:{config.journal}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT count(*) FROM records WHERE kind = 'card-came'").fetchone()
        return int(rows[0])

    seen: list[tuple[int, int]] = []

    async def run() -> None:
        source = Script(burn_missing[:2500], None)
        daemon = Daemon(
            config,
            source,
            TableClock(),
            on_shown=lambda s: seen.append((sum(n for _, n in s.progress.cards), on_disk())),
        )
        source.daemon = daemon
        await daemon.run()

    asyncio.run(run())
    assert max(cards for cards, _ in seen) > 5
    assert all(came >= cards for cards, came in seen)


def test_a_killed_table_takes_the_hand_up_by_positions(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    dealt = next(
        n for n, r in enumerate(burn_missing) if time_of(r) - time_of(burn_missing[0]) > 22
    )

    def kill(daemon: Daemon) -> None:
        raise KilledError

    async def killed() -> Daemon:
        source = Script(burn_missing[:dealt], None)
        daemon = Daemon(config, source, TableClock())
        # The process dies here: no last words, no close.
        daemon._close = daemon._recorder.close  # type: ignore[method-assign]
        source.then = lambda: kill(daemon)
        with pytest.raises(KilledError):
            await daemon.run()
        return daemon

    before = asyncio.run(killed()).desk().progress
    assert before.hand == 1
    assert sum(n for _, n in before.cards) >= 10

    after: list[Shown] = []
    rest = burn_missing[dealt : dealt + 600]

    async def resumed() -> tuple[Stage, int]:
        resumption, _ = take_up(config.journal, pytest.fail)
        assert resumption is not None
        assert resumption.hand == 1
        source = Script(rest, None)
        daemon = Daemon(config, source, TableClock(), resumption=resumption, on_shown=after.append)
        start = daemon.shown.progress
        await daemon.run()
        return start.stage, sum(n for _, n in start.cards)

    stage, cards = asyncio.run(resumed())
    assert (stage, cards) == (before.stage, sum(n for _, n in before.cards))
    codes = {f.code for s in after for f in s.findings}
    assert codes <= {"READER_LOST", "BURN_MISSING", "DECK_NOT_VERIFIED"}, codes
    again = bodies(config)
    assert "Resumed" in [type(b).__name__ for b in again]
    came_after = [
        b
        for b in itertools.dropwhile(lambda b: type(b).__name__ != "Resumed", again)
        if isinstance(b, CardCame) and b.zone.startswith("seat/") and b.source is None
    ]
    assert came_after == [], "cards that lay there are not dealt anew"


@pytest.fixture(scope="module")
def three_hands() -> list[Reading]:
    return night(config_in(Path("/nowhere")), None, None, None)


def killed_after(config: Config, readings: Sequence[Reading]) -> Daemon:
    """A daemon that goes on from its journal, and is killed after these readings."""

    async def run() -> Daemon:
        resumption, clock = take_up(config.journal, pytest.fail)
        source = Script(readings, None)
        daemon = Daemon(config, source, clock, resumption=resumption, long=40)
        source.daemon = daemon
        # The process dies here: no last words, no close.
        daemon._close = daemon._recorder.close  # type: ignore[method-assign]

        def kill() -> None:
            raise KilledError

        source.then = kill
        with pytest.raises(KilledError):
            await daemon.run()
        return daemon

    return asyncio.run(run())


def test_a_start_after_a_kill_reads_no_further_back_than_where_nothing_was_open(
    tmp_path: Path, three_hands: list[Reading]
) -> None:
    config = config_in(tmp_path)
    # in the midst of the third hand
    killed = killed_after(config, three_hands[: len(three_hands) * 5 // 6])
    with JournalFile(config.journal) as journal:
        ends = [r.seq for r in journal.records() if r.kind == "hand-ended"]
        found = replay(journal, engine.closed, engine.step)
    assert len(ends) == 2
    assert found.differences == ()

    resumption, _ = take_up(config.journal, pytest.fail)
    assert resumption is not None
    assert resumption.hand == 3
    assert resumption.since > ends[-1]
    opening = resumption.events[0]
    assert isinstance(opening, TableOpened)
    assert opening.so_far is not None
    assert opening.so_far.hands == 2
    state = engine.closed()
    for event in resumption.events:
        state, _ = engine.step(state, event)
    assert engine.progress(state) == killed.desk().progress

    killed_after(config, [])
    again, _ = take_up(config.journal, pytest.fail)
    assert again is not None
    assert (again.hand, again.since) == (3, resumption.since)


def test_a_table_that_is_never_stopped_starts_from_where_nobody_played(
    tmp_path: Path, three_hands: list[Reading]
) -> None:
    config = config_in(tmp_path)
    read: list[int] = []
    for _ in range(4):
        killed_after(config, three_hands[:100])  # nothing is dealt yet
        resumption, _ = take_up(config.journal, pytest.fail)
        assert resumption is not None
        assert resumption.hand is None
        read.append(len(resumption.events))
    assert max(read) < 10
    with JournalFile(config.journal) as journal:
        assert replay(journal, engine.closed, engine.step).differences == ()


def test_two_nights_that_differ_only_in_the_cards_are_shown_alike(tmp_path: Path) -> None:
    def night_with(cards: int) -> list[tuple[str, bytes, bytes]]:
        folder = tmp_path / str(cards)
        folder.mkdir()
        config = config_in(folder)
        readings = night(config, "count-extra", "burn-double", cards=cards)
        big, small = Lamps(64, 32), Lamps(32, 8)
        _, _, shown = watch(config, readings, boards=(big, small))
        said = []
        for state in dict.fromkeys(shown):
            view = frame(state.progress, DeckView(), True, 0.0, seats=11)
            said.append((repr(state), colour_64x32(view).inks, mono_32x8(view).bits()))
        return said

    first, second = night_with(5), night_with(6)
    assert len(first) > 50
    assert first == second


def test_the_floor_speaks_and_is_journaled(tmp_path: Path, burn_missing: list[Reading]) -> None:
    config = config_in(tmp_path)
    told: list[tuple[int, ...]] = []

    async def run() -> list[str]:
        source = Script(burn_missing[:200], None)
        daemon = Daemon(config, source, TableClock(), on_seats=told.append)
        answers: list[str] = []

        async def visit() -> None:
            for command in (
                Command(do="seat", by="anna", seat=4, status="out"),
                Command(do="status", by="anna"),
                Command(do="rule", by="anna", finding="99", text="x"),
            ):
                answer = await asyncio.to_thread(say, config.socket, command)
                answers.append(answer.text)

        source.then = visit
        await daemon.run()
        return answers

    answers = asyncio.run(run())
    assert answers[0] == "seat 4: in → out"
    assert "in: 1, 2, 3, 5, 6, 7, 8, 9" in answers[1]
    assert "no finding 99" in answers[2]
    assert told[-1] == (1, 2, 3, 5, 6, 7, 8, 9)
    registered = [b for b in bodies(config) if isinstance(b, SeatRegistered)]
    assert [(b.seat, b.status) for b in registered] == [(4, "out")]
    assert "anna" in registered[0].by


def test_a_ruling_settles_a_finding(tmp_path: Path, burn_missing: list[Reading]) -> None:
    config = config_in(tmp_path)

    async def run() -> FindingState:
        source = Script([], None)
        daemon = Daemon(config, source, TableClock())

        async def course() -> None:
            for reading in burn_missing:
                daemon._take(reading)
                found = [f for f in daemon.desk().findings if f.code == "BURN_MISSING"]
                if found:
                    break
            ruling = Command(do="rule", by="anna", finding="BURN_MISSING", text="stands")
            await asyncio.to_thread(say, config.socket, ruling)

        source.then = course
        await daemon.run()
        return next(f.state for f in daemon.desk().findings if f.code == "BURN_MISSING")

    assert asyncio.run(run()) is FindingState.RULED
    assert any(isinstance(b, FloorSaid) and b.text == "stands" for b in bodies(config))


def test_watch_mode_journals_and_alarms_nothing(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path, ('mode = "check"', 'mode = "watch"'))
    notices = set()

    async def run() -> None:
        daemon = Daemon(
            config,
            Script(burn_missing, None),
            TableClock(),
            on_shown=lambda _: notices.add(daemon.view().notice),
        )
        await daemon.run()

    asyncio.run(run())
    assert notices == {None}
    assert "finding" in {getattr(b, "kind", "") for b in bodies(config)}


def test_a_journal_that_cannot_be_written_shows_not_recording(tmp_path: Path) -> None:
    config = config_in(tmp_path, ('path = "burnturn.journal"', 'path = "gone/journal"'))
    views: list[BoardView] = []
    answers: list[str] = []
    told: list[Recording] = []

    async def run() -> Daemon:
        lost = Health("reader 1", HealthState.LOST, "check its cable", 1.0, (1, 2))
        source = Script([lost], None)
        daemon = Daemon(config, source, TableClock(), on_recording=told.append)

        async def look() -> None:
            views.append(daemon.view())
            command = Command(do="button", by="anna", seat=4)
            answer = await asyncio.to_thread(say, config.socket, command)
            answers.append(answer.text)

        source.then = look
        await daemon.run()
        return daemon

    daemon = asyncio.run(run())
    (view,) = views
    assert view.notice is not None
    assert view.notice.text == "NOT RECORDING"
    assert "reader 1: check its cable" in view.notice.detail
    assert view.seats == ()
    assert "not recorded" in answers[0]
    assert not daemon.recording.ok
    assert [state.ok for state in told] == [False]


def test_a_lost_reader_is_shown_and_journaled_and_the_rest_goes_on(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    at = time_of(burn_missing[300])
    lost = Health("reader 1", HealthState.LOST, "check its cable", at, tuple(range(1, 9)))
    readings = [*burn_missing[:300], lost, *burn_missing[300:600]]
    daemon, _, shown = watch(config, readings)
    assert any("seat/1" in s.progress.blind for s in shown)
    assert any("check its cable" in line for line in daemon.trouble)
    assert any("check its cable" in line for line in shown[-1].trouble)
    lost_ones = [b for b in bodies(config) if isinstance(b, ReaderLost)]
    assert [b.device for b in lost_ones] == ["reader 1"]


def test_a_cable_pulled_and_put_back_is_seen_at_once(tmp_path: Path) -> None:
    config = config_in(tmp_path)

    async def run() -> list[tuple[str, ...]]:
        clock = TableClock()
        robots = RobotTable(config, clock)
        changes: asyncio.Queue[tuple[str, ...]] = asyncio.Queue()
        seen: list[tuple[str, ...]] = []

        def note(shown: Shown) -> None:
            if not seen or seen[-1] != shown.progress.blind:
                seen.append(shown.progress.blind)
                changes.put_nowait(shown.progress.blind)

        daemon = Daemon(config, robots, clock, decks=robots.decks, on_shown=note)
        watching = asyncio.create_task(daemon.run())
        try:
            async with asyncio.timeout(20):
                assert await changes.get() == ()
                robots.readers.unplug("reader 2")
                assert "board" in await changes.get()
                assert any("reader 2" in line for line in daemon.trouble)
                robots.readers.plug("reader 2")
                assert await changes.get() == ()
                assert daemon.trouble == ()
        finally:
            daemon.stop()
            await watching
        return seen

    assert len(asyncio.run(run())) == 3
    kinds = [type(b).__name__ for b in bodies(config)]
    assert kinds.count("ReaderLost") == 1
    assert "ReaderBack" in kinds


def test_identities_are_kept_sealed_to_the_regulator_only(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    pair = new_pair(tmp_path / "keys")
    config = config_in(tmp_path, ('public = ""', f'public = "{pair.public_text}"'))
    watch(config, burn_missing[:1200])
    with JournalFile(config.journal) as journal:
        blobs = [journal.blob(n) for n in journal.blob_numbers() if isinstance(n, int)]
        text = "".join(r.body for r in journal.records())
    assert len(blobs) >= 5
    assert len({len(b) for b in blobs if b is not None}) == 1
    uids = {u.hex() for r in burn_missing[:1200] if isinstance(r, Poll) for u in r.uids}
    assert not any(uid in text for uid in uids)
    opened = unseal(private_key(pair.private), blobs[0] or b"")
    assert any(bytes.fromhex(uid) in opened for uid in uids)


def test_a_board_that_fails_is_reported_and_the_rest_goes_on(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    class Broken(Lamps):
        async def show(self, pixels: bytes) -> None:
            if len(self.frames) < 3:
                self.frames.append(pixels)
                raise OSError("no such file")
            await super().show(pixels)

    config = config_in(tmp_path)
    whole, broken = Lamps(32, 8), Broken(64, 32)
    daemon, _, _ = watch(config, burn_missing[:1500], boards=(broken, whole))
    assert len(whole.frames) > 5
    assert len(broken.frames) > 5
    told = [b for b in bodies(config) if isinstance(b, Health)]
    assert [(h.device, h.state) for h in told] == [("board 1", "lost"), ("board 1", "ok")]
    assert daemon.trouble == ()


def test_lamps_at_the_seats_are_told_patterns_and_not_frames(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    row, broken = Row(), Row(fails=1)
    watch(config, burn_missing, seat_lamps=(row, broken))
    lit = {lamp for told in row.told for lamp in told.values()}
    # In order, where the next card goes, and a folded hand, which is dark.
    assert {lamp.pattern for lamp in lit} >= {LampPattern.STEADY, LampPattern.SLOW}
    assert all(any(lamp[:3]) for lamp in lit)
    assert len(row.told) < len(burn_missing) / 20
    assert broken.told[-1] == row.told[-1]
    told = [b for b in bodies(config) if isinstance(b, Health)]
    assert [(h.device, h.state) for h in told] == [("lamps 2", "lost"), ("lamps 2", "ok")]


def test_a_task_that_fails_ends_the_daemon_and_the_next_start_takes_the_hand_up(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)

    def fail(daemon: Daemon) -> None:
        raise RuntimeError("the driver broke")

    with pytest.raises(RuntimeError, match="the driver broke"):
        watch(config, burn_missing[:900], fail)
    resumption, _ = take_up(config.journal, pytest.fail)
    assert resumption is not None
    assert resumption.hand == 1


def test_a_daemon_that_may_not_speak_for_the_floor_leaves_the_journal_alone(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    killed_after(config, burn_missing[:900])
    before = bodies(config)
    config.socket.write_text("something else")
    with pytest.raises(FloorError, match="something else"):
        watch(config, [])
    assert bodies(config) == before
    config.socket.unlink()
    resumption, _ = take_up(config.journal, pytest.fail)
    assert resumption is not None
    assert resumption.hand == 1


def test_a_tape_of_a_night_says_the_same_again(tmp_path: Path, burn_missing: list[Reading]) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    config = config_in(tmp_path / "first")
    with TapeWriter(tmp_path / "tape", "t") as tape:
        _, _, shown = watch(config, burn_missing, tape=tape)
    assert len(list(play(tmp_path / "tape"))) == len(burn_missing)
    again = config_in(tmp_path / "second")

    async def replay() -> list[Shown]:
        clock, found = TableClock(), list[Shown]()
        source = TapeSource(tmp_path / "tape", clock, speed=0)
        daemon = Daemon(
            again,
            source,
            clock,
            on_shown=found.append,
            commit_limit_s=source.commit_limit_s,
        )
        await daemon.run()
        return found

    found = asyncio.run(replay())

    def said(states: list[Shown]) -> list[tuple[str, int | None, str]]:
        return [(f.code, f.seat, f.state) for f in states[-1].findings]

    assert said(found) == said(shown)
    assert "BURN_MISSING" in {code for code, _, _ in said(found)}
    assert "Outage" not in {type(b).__name__ for b in bodies(again)}


def test_a_changed_configuration_waits_for_the_end_of_the_hand(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    from controller.rules.profile import load

    config = config_in(tmp_path)

    async def run() -> list[tuple[int, str]]:
        seen: list[tuple[int, str]] = []
        source = Script(burn_missing, None)
        daemon = Daemon(config, source, TableClock())

        def note(shown: Shown) -> None:
            progress = shown.progress
            seen.append((progress.hand, progress.profile))
            if progress.stage is Stage.DEAL and daemon.profile.name == "tda":
                daemon.change_profile(load("nj-holdem"))

        source.daemon = daemon
        daemon._on_shown = note
        await daemon.run()
        return seen

    seen = asyncio.run(run())
    assert (1, "tda") in seen
    assert (2, "nj-holdem") in seen
    assert (2, "tda") not in seen


def test_delays_are_measured(tmp_path: Path, burn_missing: list[Reading]) -> None:
    daemon, _, _ = watch(config_in(tmp_path), burn_missing[:400], boards=(Lamps(64, 32),))
    assert daemon.delays
    assert dataclasses.astuple(daemon.delays[0])


def counted(daemon: Daemon, **what: object) -> DeckCounted:
    body: dict[str, object] = {"deck": "red", "expected": 52, "present": 52, "by": "Ann"}
    return DeckCounted(at=daemon.clock(), duration_s=34.0, **(body | what))  # type: ignore[arg-type]


def test_a_confirmed_count_is_certified_and_so_is_the_last_one_at_the_close(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)

    async def count(daemon: Daemon) -> None:
        assert await daemon.tell(counted(daemon, present=51, missing=("7c",)))

    daemon, _, _ = watch(config, burn_missing[:200], count)
    assert daemon.warnings == []
    reasons = []
    for page in daemon.certificates:
        found = checked(read_file(page))
        assert found.faults == ()
        assert found.signed is not None
        made = found.signed.certificate
        assert (made.present, made.missing, made.confirmed_by) == (51, ("7c",), "Ann")
        reasons.append(made.reason.value)
        with JournalFile(config.journal) as journal:
            assert verify(journal, anchors=[made.journal]).ok
    assert reasons == ["count", "closing"]
    (filed,) = [b for b in bodies(config) if isinstance(b, CertificateFiled)]
    assert filed.name == daemon.certificates[0].name
    signed = daemon.certificates[0].with_suffix(".json").read_bytes()
    assert filed.sha256 == hashlib.sha256(signed).hexdigest()


def test_a_spread_deck_is_counted_by_camera_and_the_certificate_says_so(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    looks = iter([still(1, ("7c",)), still(2, ("7c",))])
    texts: list[str] = []

    async def look() -> SpreadSeen:
        return next(looks)

    async def count(daemon: Daemon) -> None:
        say_so = Command(do="count", status="camera", by="Ann")
        assert (await asyncio.to_thread(say, config.socket, say_so)).ok
        while not texts or not texts[-1].startswith("DECK"):
            await asyncio.sleep(0)
            if daemon.counting is not None and daemon.counting.text not in texts:
                texts.append(daemon.counting.text)
        confirm = Command(do="confirm", by="Ann")
        assert (await asyncio.to_thread(say, config.socket, confirm)).ok

    daemon, _, shown = watch(config, burn_missing[:20], count, spreads=look)
    assert texts == ["SPREAD THE DECK", "SPREAD ANEW", "DECK 51/52"]
    assert shown[-1].progress.counted == 51
    found = checked(read_file(daemon.certificates[0]))
    assert found.faults == ()
    assert found.signed is not None
    made = found.signed.certificate
    assert (made.means, made.passes, made.missing) == (CountMeans.CAMERA, 2, ("7c",))
    assert "a camera saw" in made.attests


def test_a_certificate_that_cannot_be_filed_is_a_warning_and_the_count_stands(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    config.certificates.write_text("in the way")

    async def count(daemon: Daemon) -> None:
        assert await daemon.tell(counted(daemon))

    daemon, _, shown = watch(config, burn_missing[:200], count)
    assert daemon.certificates == []
    assert any(str(config.certificates) in line for line in daemon.trouble)
    assert shown[-1].progress.counted == 52
    assert "DeckCounted" in [type(b).__name__ for b in bodies(config)]


def test_a_certificate_that_could_not_be_filed_comes_when_it_can(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)
    config.certificates.write_text("in the way")

    async def count(daemon: Daemon) -> None:
        assert await daemon.tell(counted(daemon, present=51, missing=("7c",)))
        assert await daemon.tell(counted(daemon))
        assert (daemon.certificates, len(daemon.trouble)) == ([], 1)
        config.certificates.unlink()
        daemon.clock.offset_s += 61.0
        for _ in range(500):
            await asyncio.sleep(0.02)
            if daemon.certificates:
                break
        assert daemon.trouble == ()

    daemon, _, _ = watch(config, burn_missing[:200], count)
    made = [
        found.signed.certificate
        for p in daemon.certificates
        if (found := checked(read_file(p))).signed
    ]
    assert [(m.present, m.reason.value) for m in made] == [
        (51, "count"),
        (52, "count"),
        (52, "closing"),
    ]
    numbers = [b.count for b in bodies(config) if isinstance(b, CertificateFiled)]
    assert numbers == [b.seq for b in bodies(config) if isinstance(b, DeckCounted)]


def test_a_kill_before_a_certificate_was_filed_only_puts_it_off(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)

    async def kill(daemon: Daemon) -> None:
        assert await daemon.tell(counted(daemon))  # certified
        config.certificates.rename(tmp_path / "aside")
        config.certificates.write_text("in the way")
        assert await daemon.tell(counted(daemon, present=51, missing=("7c",)))
        raise KilledError

    with pytest.raises(KilledError):
        watch(config, burn_missing[:200], kill)
    config.certificates.unlink()
    daemon, _, _ = watch(config, burn_missing[200:210])
    made = [checked(read_file(page)).signed for page in daemon.certificates]
    assert [m and (m.certificate.present, m.certificate.reason.value) for m in made] == [
        (51, "count"),
        (51, "closing"),
    ]
    daemon, _, _ = watch(config, burn_missing[210:220])
    assert daemon.certificates == [], "no count is certified twice"


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE records SET mono = 1e300 WHERE seq = (SELECT max(seq) FROM records)",
        "UPDATE records SET wall = wall + 7200 WHERE kind = 'card-came'",
        "UPDATE records SET kind = 'tick' WHERE seq = (SELECT max(seq) - 5 FROM records)",
        "DELETE FROM records WHERE seq = (SELECT max(seq) - 5 FROM records)",
    ],
)
def test_a_record_that_is_not_as_it_was_written_is_taken_for_nothing(
    tmp_path: Path, burn_missing: list[Reading], tampering: str
) -> None:
    config = config_in(tmp_path)

    def kill(daemon: Daemon) -> None:
        raise KilledError

    with pytest.raises(KilledError):
        watch(config, burn_missing[:600], kill)
    with closing(sqlite3.connect(config.journal)) as db:
        db.execute(tampering)
        db.commit()
    told: list[str] = []
    resumption, clock = take_up(config.journal, told.append)
    assert resumption is None
    assert clock.offset_s == 0.0
    assert "is not as it was written. Next: run `burnturn journal verify`" in told[0]


def test_a_restart_tells_the_rules_whether_the_time_away_is_known(
    tmp_path: Path, burn_missing: list[Reading]
) -> None:
    config = config_in(tmp_path)

    def kill(daemon: Daemon) -> None:
        raise KilledError

    with pytest.raises(KilledError):
        watch(config, burn_missing[:600], kill)
    watch(config, burn_missing[600:700])
    resumed = [b for b in bodies(config) if isinstance(b, TableResumed)]
    assert [(r.away_known, r.cards_known) for r in resumed] == [(True, True)]
