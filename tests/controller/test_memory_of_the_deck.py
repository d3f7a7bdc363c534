"""The daemon remembers its deck: over restarts, over nights, and without a word of a card."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from controller.app import Daemon
from controller.config import Config
from controller.floor.commands import FloorError
from controller.integrity.box import DeckBox
from controller.integrity.house_record import HouseRecord, Kept
from controller.integrity.memory import HouseMemory
from controller.integrity.shuffles import AGES, Returns
from controller.integrity.suspect import Watchlist
from controller.journal.reader import JournalFile
from controller.journal.record import Body, body_of
from controller.journal.replay import replay
from controller.model.cards import FACES
from controller.model.events import (
    DeckCounted,
    DeckInPlay,
    DeckSuspected,
    TableOpened,
    TableResumed,
)
from controller.model.findings import DutyKind, FindingState, HandBegan, HandEnded
from controller.pipeline import stand_of
from controller.rules import engine
from controller.taking_up import take_up
from controller.tape import moved, time_of
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
from drivers.readings import Reading, Uid
from tests.controller.test_app_daemon import DUSK, SEATS, KilledError, Script, config_in

Decks = dict[Uid, tuple[str, str]]
GONE = Uid(bytes.fromhex("e004a1b2c3d4e5"))
"""A card that is enrolled and never dealt."""


@dataclass(frozen=True)
class Dealt:
    """Some hands' readings, and the cards that they are dealt with."""

    readings: tuple[Reading, ...]
    ends: tuple[int, ...]
    """How many readings there are up to where each hand is over."""
    decks: Decks


def deal(hands: int, *, tags: int = 3, order: int = 3) -> Dealt:
    """Hands dealt in virtual time from `DUSK` on. tags: which tags; order: which faces where."""
    config = config_in(Path("/nowhere"))
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
    world = World(antennas, Noise(miss=0.03, cross=0.01, seed=3), cards_seed=tags)
    dealer = Dealer(world, SEATS, button=9, deck_seed=order, seed=3)
    robot = Robot(dealer, DealScript(SEATS), seed=3)
    source = polls(world, SweepScheduler([a.number for a in antennas]))
    found: list[Reading] = []
    ends = []
    for _ in range(hands):
        hand = robot.hand(None)
        for reading in source:
            found += dealer.due(time_of(reading))
            found.append(reading)
            if time_of(reading) > hand.next_at:
                break
        ends.append(len(found))
    decks = {c.uid: (c.deck, c.face) for n in ("red", "blue") for c in world.deck(n)}
    decks[GONE] = ("red", "As")
    return Dealt(tuple(moved(r, DUSK) for r in found), tuple(ends), decks)


@pytest.fixture(scope="module")
def dealt() -> Dealt:
    return deal(9)


def spend(
    config: Config,
    readings: Sequence[Reading],
    decks: Decks,
    *,
    then: Callable[[Daemon], object] | None = None,
    killed: bool = False,
    idle: bool = True,
    damaged: bool = False,
) -> Daemon:
    """A daemon over these readings, from wherever its journal left off; stopped cleanly, or killed.
    idle: the deck test is done with all it was told before the end. damaged: its journal cannot be
    taken up."""

    async def run() -> Daemon:
        forgotten: list[str] = []
        resumption, clock = take_up(config.journal, forgotten.append)
        assert bool(forgotten) is damaged, forgotten
        source = Script(readings, None)
        daemon = Daemon(
            config, source, clock, resumption=resumption, forgotten=forgotten, decks=decks
        )
        source.daemon = daemon
        if killed:
            # The process dies here: no last words, no close.
            daemon._close = daemon._recorder.close  # type: ignore[method-assign]

        async def course() -> None:
            if idle:
                await settled(daemon)
            if then is not None:
                done = then(daemon)
                if asyncio.iscoroutine(done):
                    await done
            if idle:
                await settled(daemon)
            if killed:
                raise KilledError

        source.then = course
        if killed:
            with pytest.raises(KilledError):
                await daemon.run()
            await settled(daemon)
        else:
            await daemon.run()
        return daemon

    return asyncio.run(run())


async def settled(daemon: Daemon) -> None:
    """Wait for the other thread."""
    watch = daemon._watch
    assert watch is not None
    await asyncio.get_running_loop().run_in_executor(watch._executor, int)


def told(config: Config) -> list[Body]:
    with JournalFile(config.journal) as journal:
        assert replay(journal, engine.closed, engine.step).differences == ()
        return [body_of(r) for r in journal.records()]


def memory(config: Config, decks: Decks) -> HouseMemory:
    return HouseMemory(
        DeckBox(config.deck_file, config.deck_key), {u: d for u, (d, _) in decks.items()}
    )


def kept(config: Config, decks: Decks) -> Kept:
    found = memory(config, decks).tonight()
    assert found is not None
    return found


def journaled_stand(config: Config) -> object:
    resumption, _ = take_up(config.journal, pytest.fail)
    assert resumption is not None
    state = engine.closed()
    for event in resumption.events:
        state, _ = engine.step(state, event)
    return stand_of(state)


def counted(daemon: Daemon) -> DeckCounted:
    # The readings' time is ahead of the clock's.
    return DeckCounted(at=daemon._latest_at, deck="red", expected=52, present=52, by="Ann")


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A house that accepts many false suspicions: some cards are suspected within nine hands."""
    monkeypatch.setattr("controller.integrity.suspect.ROOM", 2e5)


# ---- a restart


def test_after_each_hand_it_is_kept_where_the_journal_stands(tmp_path: Path, dealt: Dealt) -> None:
    config = config_in(tmp_path)
    spend(config, dealt.readings[: dealt.ends[2]], dealt.decks)
    found = kept(config, dealt.decks)
    assert found.stand == journaled_stand(config)
    assert (found.stand.deck, found.tonight.hands) == ("red", found.stand.hand)
    assert found.stand.hand >= 2
    (returns,) = found.tonight.returns.values()
    assert returns.hands == found.stand.hand
    assert sum(n.looks for n in found.tonight.looks.values()) > 500
    assert GONE not in found.tonight.looks


@pytest.mark.parametrize("killed", [True, False])
@pytest.mark.parametrize("in_hand", [True, False])
def test_a_restart_changes_nothing_of_the_running_test(
    tmp_path: Path, dealt: Dealt, killed: bool, in_hand: bool
) -> None:
    config = config_in(tmp_path)
    cut = dealt.ends[3] + (300 if in_hand else 0)
    one = spend(config, dealt.readings[:cut], dealt.decks, killed=killed)
    before = kept(config, dealt.decks)
    other = spend(config, (), dealt.decks, killed=True)
    assert other._watch is not None
    assert one._watch is not None
    lists = [d._watch._watch._list for d in (one, other) if d._watch is not None]
    states = [each.save() for each in lists if isinstance(each, Watchlist)]
    assert len(states) == 2
    if not in_hand:
        assert states[0] == states[1] == before.watch
    assert lists[0] is not lists[1]
    assert kept(config, dealt.decks).watch == before.watch
    assert isinstance(other._watch._watch._list, Watchlist)
    assert other.desk().suspects == ()


def test_a_suspicion_outlives_a_kill_and_is_told_once(
    tmp_path: Path, dealt: Dealt, hasty: None
) -> None:
    config = config_in(tmp_path)
    one = spend(config, dealt.readings[: dealt.ends[7]], dealt.decks, killed=True)
    named = one.desk().suspects
    assert "As" in named
    other = spend(config, (), dealt.decks, then=lambda d: d._heed(d.clock()))
    assert other.desk().suspects == named
    assert [b.hands > 0 for b in told(config) if isinstance(b, DeckSuspected)] == [True]
    codes = [f.code for f in other.desk().findings if f.state is FindingState.OPEN]
    assert codes.count("DECK_SUSPECT") == 1


def test_no_card_is_named_where_the_restart_came_in_a_hand(
    tmp_path: Path, dealt: Dealt, hasty: None
) -> None:
    config = config_in(tmp_path)
    one = spend(config, dealt.readings[: dealt.ends[7]], dealt.decks, killed=True)
    assert one.desk().suspects
    spend(config, dealt.readings[dealt.ends[7] :][:400], dealt.decks, killed=True)
    assert [type(b) for b in told(config) if isinstance(b, HandBegan | HandEnded)][-1] is HandBegan
    other = spend(config, (), dealt.decks, killed=True)
    assert other.desk().suspects == ()


def test_what_was_found_and_not_told_before_the_kill_is_told_after_it(
    tmp_path: Path, dealt: Dealt, hasty: None
) -> None:
    config = config_in(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("controller.watching.WatchBeside.found", lambda self: [])
        spend(config, dealt.readings[: dealt.ends[7]], dealt.decks, killed=True)
    assert not any(isinstance(b, DeckSuspected) for b in told(config))
    spend(config, (), dealt.decks, then=lambda d: d._heed(d.clock()))
    assert any(isinstance(b, DeckSuspected) for b in told(config))


def test_a_suspicion_is_told_before_the_next_hand(
    tmp_path: Path, dealt: Dealt, hasty: None
) -> None:
    config = config_in(tmp_path)

    class Patient(Daemon):
        """One for whose other thread every reading waits, as there is time at a real table."""

        def _take(self, reading: Reading) -> None:
            assert self._watch is not None
            self._watch._executor.submit(int).result()
            super()._take(reading)

    async def run() -> None:
        resumption, clock = take_up(config.journal, pytest.fail)
        source = Script(dealt.readings, None)
        await Patient(config, source, clock, resumption=resumption, decks=dealt.decks).run()

    asyncio.run(run())
    course = [b for b in told(config) if isinstance(b, DeckSuspected | HandBegan | HandEnded)]
    first = next(n for n, b in enumerate(course) if isinstance(b, DeckSuspected))
    ended = course[first - 1]
    assert isinstance(ended, HandEnded)
    assert course[first].at - ended.at < 1.0


def test_a_state_from_before_another_hand_is_not_taken_up(
    tmp_path: Path, dealt: Dealt, hasty: None
) -> None:
    config = config_in(tmp_path)
    spend(config, dealt.readings[: dealt.ends[7]], dealt.decks, killed=True)
    tonight = memory(config, dealt.decks).tonight_file
    stale = tonight.read_bytes()
    spend(config, dealt.readings[dealt.ends[7] : dealt.ends[8]], dealt.decks, killed=True)
    assert kept(config, dealt.decks).stand.hand > 7
    tonight.write_bytes(stale)
    other = spend(config, (), dealt.decks)
    assert other.desk().suspects == ()
    assert [b.hands > 0 for b in told(config) if isinstance(b, DeckSuspected)] == [True]


def test_a_state_from_before_a_count_is_not_taken_up(
    tmp_path: Path, dealt: Dealt, hasty: None
) -> None:
    config = config_in(tmp_path)
    spend(config, dealt.readings[: dealt.ends[7]], dealt.decks, killed=True)
    tonight = memory(config, dealt.decks).tonight_file
    stale = tonight.read_bytes()
    spend(config, (), dealt.decks, then=lambda d: d.tell(counted(d)), killed=True)
    assert kept(config, dealt.decks).stand.counted_at is not None
    tonight.write_bytes(stale)
    assert spend(config, (), dealt.decks).desk().suspects == ()


def test_a_count_of_a_spare_deck_answers_nothing(tmp_path: Path, dealt: Dealt, hasty: None) -> None:
    config = config_in(tmp_path)
    spare = lambda d: d.tell(replace(counted(d), deck="blue"))  # noqa: E731
    daemon = spend(config, dealt.readings[: dealt.ends[7]], dealt.decks, then=spare)
    assert daemon.desk().suspects


@pytest.mark.parametrize("damage", ["cut", "flipped", "other", "key"])
@pytest.mark.parametrize("name", ["tonight", "record"])
def test_a_file_that_cannot_be_read_is_noted_and_begun_anew(
    tmp_path: Path, dealt: Dealt, damage: str, name: str
) -> None:
    config = config_in(tmp_path)
    spend(config, dealt.readings[: dealt.ends[1]], dealt.decks)
    memory(config, dealt.decks).keep_record(HouseRecord(nights=3))
    path = config.deck_file.with_name(f"{config.deck_file.name}.{name}")
    whole = path.read_bytes()
    if damage == "key":
        config.deck_key.write_bytes(bytes(32))
    else:
        broken = {
            "cut": whole[: len(whole) // 2],
            "flipped": whole[:-1] + b"\xff",
            "other": b"a letter",
        }
        path.write_bytes(broken[damage])
    daemon = spend(config, dealt.readings[dealt.ends[1] : dealt.ends[2]], dealt.decks)
    (note,) = [n for n in daemon.notes if str(path) in n]
    assert "begins anew" in note
    assert "Next:" in note
    assert path.with_name(path.name + ".unread").exists()
    assert kept(config, dealt.decks).stand == journaled_stand(config)
    assert any("begins anew" in line for line in daemon.desk().notes)


def test_a_disk_that_takes_nothing_is_noted_once_and_the_table_goes_on(
    tmp_path: Path, dealt: Dealt
) -> None:
    config = config_in(tmp_path, ('file = "decks.box"', 'file = "gone/decks.box"'))
    config.deck_key.write_bytes(bytes(32))
    daemon = spend(config, dealt.readings[: dealt.ends[2]], dealt.decks)
    (note,) = daemon.notes
    assert "cannot be written" in note
    assert daemon.trouble == ()
    assert sum(isinstance(b, HandEnded) for b in told(config)) >= 2


def test_a_daemon_that_may_not_speak_for_the_floor_leaves_the_memory_alone(
    tmp_path: Path, dealt: Dealt
) -> None:
    config = config_in(tmp_path)
    spend(config, dealt.readings[: dealt.ends[1]], dealt.decks)
    files = memory(config, dealt.decks)
    files.keep_record(HouseRecord(1, returns=enough()))
    before = [p.read_bytes() for p in (files.record_file, files.tonight_file)]
    config.socket.write_text("something else")
    with pytest.raises(FloorError, match="something else"):
        spend(config, (), dealt.decks)
    assert [p.read_bytes() for p in (files.record_file, files.tonight_file)] == before
    config.socket.unlink()
    spend(config, (), dealt.decks)
    assert memory(config, dealt.decks).record().beliefs[2].hands >= 300


def enough() -> dict[int, Returns]:
    """Returns of a perfect shuffle, over more hands than a fit needs."""
    waited = tuple(52 * 300 // (n + 2) for n in range(AGES))
    again = tuple(w * 22 // 52 for w in waited)
    return {2: Returns(waited, again, ((22, 300),), 22 * 300)}


# ---- the decks' hours


def other_boot(monkeypatch: pytest.MonkeyPatch, wall_s: float) -> None:
    """From here on it is another boot, the wall clock moved by so much."""
    import time

    now = time.time
    monkeypatch.setattr("time.time", lambda: now() + wall_s)
    monkeypatch.setattr("controller.taking_up.boot_id", lambda: "another")
    monkeypatch.setattr("controller.journal.resume.boot_id", lambda: "another")


def counted_and_stopped(config: Config, dealt: Dealt) -> None:
    spend(config, dealt.readings[: dealt.ends[1]], dealt.decks, then=lambda d: d.tell(counted(d)))


def hours(daemon: Daemon, kind: DutyKind) -> float:
    (duty,) = [d for d in daemon.desk().progress.duties if d.kind is kind]
    return duty.due_at - daemon.clock()


def test_after_a_clean_stop_the_decks_hours_go_on(tmp_path: Path, dealt: Dealt) -> None:
    config = config_in(tmp_path)
    counted_and_stopped(config, dealt)
    before = journaled_stand(config)
    daemon = spend(config, (), dealt.decks)
    assert journaled_stand(config) == before
    progress = daemon.desk().progress
    assert (progress.deck, progress.counted) == ("red", 52)
    assert 3500 < hours(daemon, DutyKind.COUNT) < 3600
    assert all(d.age_known for d in progress.duties)
    assert "DECK_COUNT_DUE" not in {f.code for f in daemon.desk().findings}
    opened = [b for b in told(config) if isinstance(b, TableOpened)]
    assert [o.anew for o in opened if o.so_far is None] == [False, True]


def test_a_long_absence_makes_the_count_overdue(
    tmp_path: Path, dealt: Dealt, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_in(tmp_path)
    counted_and_stopped(config, dealt)
    other_boot(monkeypatch, 14 * 3600.0)
    daemon = spend(config, (), dealt.decks)
    assert -14 * 3600 < hours(daemon, DutyKind.COUNT) < -12.9 * 3600
    assert daemon.count_asked
    (due,) = [f for f in daemon.desk().findings if f.code == "DECK_COUNT_DUE"]
    assert "overdue" in due.seen


@pytest.mark.parametrize("wall_s", [-5.0 * 3600, -56 * 365 * 86400.0])
def test_where_the_time_away_is_not_known_a_count_comes_first(
    tmp_path: Path, dealt: Dealt, monkeypatch: pytest.MonkeyPatch, wall_s: float
) -> None:
    config = config_in(tmp_path)
    counted_and_stopped(config, dealt)
    other_boot(monkeypatch, wall_s)
    daemon = spend(config, (), dealt.decks)
    assert not any(d.age_known for d in daemon.desk().progress.duties)
    assert daemon.count_asked
    assert [b.away_known for b in told(config) if isinstance(b, TableResumed)] == [False]


def test_after_a_past_that_cannot_be_taken_up_a_count_comes_first(
    tmp_path: Path, dealt: Dealt
) -> None:
    config = config_in(tmp_path)
    counted_and_stopped(config, dealt)
    with closing(sqlite3.connect(config.journal)) as db:
        db.execute("UPDATE records SET mono = 1e300 WHERE seq = (SELECT max(seq) FROM records)")
        db.commit()
    daemon = spend(config, (), dealt.decks, damaged=True)
    unknown = [b for b in told(config) if isinstance(b, TableResumed)]
    assert [b.away_known for b in unknown] == [False]
    assert "cannot be taken up" in " ".join(daemon.trouble)


def test_used_decks_and_the_deck_in_play_go_on(tmp_path: Path, dealt: Dealt) -> None:
    config = config_in(tmp_path)

    def change(daemon: Daemon) -> object:
        return daemon.tell(DeckInPlay(at=daemon.clock(), deck="blue", by="Ann"))

    one = spend(config, dealt.readings[: dealt.ends[1]], dealt.decks, then=change)
    other = spend(config, (), dealt.decks)
    before, after = one._table.state.deck, other._table.state.deck
    assert (after.name, after.used, after.since) == ("blue", frozenset({"red"}), before.since)


def test_a_table_stopped_in_a_hand_goes_on_with_it(tmp_path: Path, dealt: Dealt) -> None:
    config = config_in(tmp_path)
    one = spend(config, dealt.readings[: dealt.ends[1] + 400], dealt.decks)
    before = one.desk().progress
    other = spend(config, (), dealt.decks)
    after = other.desk().progress
    assert before.cards
    assert (after.hand, after.stage, after.cards) == (before.hand, before.stage, before.cards)


def test_a_table_stopped_between_hands_is_opened_anew(tmp_path: Path, dealt: Dealt) -> None:
    config = config_in(tmp_path)
    one = spend(config, dealt.readings[: dealt.ends[1]], dealt.decks)
    other = spend(config, (), dealt.decks)
    assert one._table.state.last_button is not None
    state = other._table.state
    assert (state.last_button, state.opening, state.deck.attested) == (None, True, frozenset())
    assert other.desk().to_attest == one.desk().to_attest
    assert state.hands == one._table.state.hands


# ---- nobody learns of a card


def out(config: Config, daemon: Daemon) -> dict[str, object]:
    """All that leaves the table because of its memory; of encrypted files their length."""
    names = sorted(p.name for p in config.deck_file.parent.iterdir() if p.name.startswith("deck"))
    return {
        "files": names,
        "lengths": [config.deck_file.with_name(n).stat().st_size for n in names],
        "notes": [n.replace(str(config.deck_file.parent), "") for n in daemon.notes],
        "trouble": daemon.trouble,
        "stand": journaled_stand(config),
        "events": [repr(b) for b in told(config) if isinstance(b, DeckInPlay | DeckSuspected)],
        "shown": repr(daemon.desk().progress),
        "repr": repr((daemon._watch, daemon._watch and daemon._watch._watch)),
    }


def relabelled(decks: Decks) -> Decks:
    """The red deck's cards under each other's faces."""
    cards = [uid for uid, (deck, face) in decks.items() if deck == "red" and face in FACES]
    faces = [decks[uid][1] for uid in cards]
    random.Random(9).shuffle(faces)
    return decks | {uid: ("red", face) for uid, face in zip(cards, faces, strict=True)}


def test_two_nights_that_differ_only_in_the_cards_leave_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other tags in the same order; and other faces in other places, where what comes back when is
    another matter, but no file is longer by it."""
    monkeypatch.setattr("controller.integrity.house_record.FEWEST_HANDS", 2)
    found = []
    for n, (tags, order) in enumerate([(5, 5), (6, 5), (7, 8)]):
        folder = tmp_path / str(n)
        folder.mkdir()
        config = config_in(folder)
        dealt = deal(3, tags=tags, order=order)
        decks = relabelled(dealt.decks) if n == 1 else dealt.decks
        daemon = spend(config, dealt.readings, decks)
        found.append(out(config, daemon))
        record = memory(config, decks).record()
        assert record.nights == 1
        raw = b"".join(
            p.read_bytes() for p in config.deck_file.parent.iterdir() if p.is_file()
        ).lower()
        for uid in decks:
            assert bytes(uid) not in raw
            assert uid.hex().encode() not in raw
    one, same, other = found
    assert one == same
    assert one == other
    lengths = one["lengths"]
    assert isinstance(lengths, list)
    assert max(lengths) > 20_000
