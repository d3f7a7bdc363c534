"""Two nights that differ only in the cards are the same night to everybody but the vault.

Everything that leaves the table is compared byte by byte: what the readers' bytes make of the
looks and when, the journal, the boards, the terminal, the floor's answers and the logs. And nothing
that prints itself prints a card.
"""

from __future__ import annotations

import io
import itertools
import logging
import random
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console

from controller.floor.commands import Command, Desk, answer_line, decide
from controller.journal.reader import JournalFile
from controller.journal.record import canonical, without_identity
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.keys import new_pair, public_key
from controller.model.cards import JOKER_FACE
from controller.model.events import (
    CardCame,
    SeatRegistered,
    SeatStatus,
    TableEvent,
    TableOpened,
    Token,
)
from controller.model.findings import FindingChanged
from controller.model.table import LayoutOptions, reference_layout
from controller.outputs.board import DeckView, frame
from controller.outputs.lamps import lamps
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.outputs.png import save
from controller.outputs.terminal import screen
from controller.pipeline import Table
from controller.rates.book import spelled
from controller.rates.counts import Portion
from controller.rates.nights import Nights
from controller.rates.senses import SenseCounts, measured
from controller.rules.profile import load
from controller.simulated_field import field_antennas
from controller.vault import Vault
from drivers.factory import (
    Dealer,
    DealScript,
    Noise,
    Oddities,
    PepperEmulator,
    Robot,
    SweepScheduler,
    VirtualReader,
    World,
    wire_polls,
)
from drivers.readings import Outcome, Poll, Reading, Uid
from drivers.rfid.pepper_codec import Decoder, read_reply

SEATS = tuple(range(1, 10))
LAYOUT = reference_layout(
    LayoutOptions(max_stack={"seat": 2, "burn": 4, "board": 5, "muck": 2}, miss_rate=0.05)
)
SWEEP_S = 0.4
NOISE = Noise(
    miss=0.05, cross=0.02, sweep_s=SWEEP_S, seed=4, corrupt=0.01, ghost=0.003, shift=0.003
)
ODD = Oddities(0.5, 0.5, 0.5, 0.2, 0.5)
HANDS: tuple[tuple[str | None, bool], ...] = (
    (None, False),
    ("seat-skipped", False),
    ("count-extra", False),
    ("burn-missing", False),
    (None, True),  # one card unread for the whole hand
    ("board-two-flop", False),
    ("card-joker", False),
    ("card-foreign", False),
    ("muck-retrieved", False),
)
LOOK_EVERY = 300
"""Polls between two looks at the boards and the floor's answer where nothing was said."""
PICTURE_EVERY = 8
"""One look of so many is a picture and a screen too; they take long."""


@dataclass
class Night:
    """All that left the table."""

    looks: list[tuple[int, int, Outcome, float, float]] = field(default_factory=list)
    focus: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    said: list[tuple[float, str]] = field(default_factory=list)
    boards: list[bytes] = field(default_factory=list)
    pictures: list[bytes] = field(default_factory=list)
    screens: list[str] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)
    blobs: list[int] = field(default_factory=list)
    rates: list[bytes] = field(default_factory=list)
    file: bytes = b""
    logs: str = ""
    dealt: str = ""
    """Faces on the board, again and again: what must differ."""
    tags: tuple[Uid, ...] = ()
    codes: frozenset[str] = frozenset()


def spend(folder: Path, key: bytes, cards_seed: int, deck_seed: int) -> Night:
    """A night at one table; the seeds choose the tags and the order of the deck, nothing else."""
    night = Night()
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        _spend(night, folder, key, cards_seed, deck_seed)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    night.logs = logged.getvalue()
    return night


def _spend(night: Night, folder: Path, key: bytes, cards_seed: int, deck_seed: int) -> None:
    folder.mkdir()
    world = World(field_antennas(LAYOUT), NOISE, cards_seed=cards_seed)
    dealer = Dealer(world, SEATS, button=9, deck_seed=deck_seed, seed=6)
    robot = Robot(dealer, DealScript(SEATS), oddities=ODD, seed=7)
    scheduler = SweepScheduler([a.antenna for a in LAYOUT.antennas])
    cards = [c for name in ("red", "blue") for c in world.deck(name)]
    night.tags = tuple(c.uid for c in cards)
    vault = vault_of(world, key)
    wall = itertools.count(1_700_000_000)
    codes: set[str] = set()
    with Journal(folder / "j.db", build="b", wall=lambda: float(next(wall))) as journal:

        def record(event: TableEvent) -> int:
            if not isinstance(event, CardCame):
                return journal.stage(event)
            blob = vault.sealed(event.token)
            assert blob is not None
            night.blobs.append(len(blob))
            return journal.stage(event, sealed=blob)

        table = Table(LAYOUT, vault, record=record)
        senses = SenseCounts(LAYOUT)
        rates = Nights().begun(0.0).referred(measured(LAYOUT))
        registry = tuple((s, SeatStatus.IN) for s in SEATS)

        def look(at: float, picture: bool) -> None:
            view = frame(table.progress, DeckView(), True, at, seats=LAYOUT.seats)
            colour, small = colour_64x32(view), mono_32x8(view)
            night.boards += [colour.rgb(), small.bits(), repr((view, lamps(view))).encode()]
            if picture:
                path = folder / "board.png"
                save(path, colour, lamps=lamps(view), now_s=at, pitch=4)
                night.pictures.append(path.read_bytes())
                night.screens.append(on_terminal(table, at))
            desk = Desk(
                seats=LAYOUT.seats,
                registry=registry,
                progress=table.progress,
                findings=table.findings,
            )
            _, answer = decide(Command(do="status", by="Ann"), desk, at)
            night.answers.append(answer_line(answer))

        def take(reading: Reading, at: float, count: int) -> None:
            said = table.feed(reading)
            for word in said:
                journal.stage(word)
                night.said.append((at, repr(word)))
                if isinstance(word, FindingChanged):
                    codes.update(word.finding.codes)
                night.dealt += "".join(c.face for c in world.lying("board")) + " "
            if said or count % LOOK_EVERY == 0:
                look(at, len(night.said) % PICTURE_EVERY == 1)

        table.open(
            TableOpened(
                at=0.0,
                profile=load("tda").model_dump_json(),
                game="holdem",
                layout="",
                seats=registry,
                button=(9,),
            )
        )
        source = wire_polls(wired(world), scheduler, SWEEP_S)
        for mistake, unread in HANDS:
            played = robot.hand(mistake, unread=unread)
            for poll in source:
                for other in dealer.due(poll.ended):
                    take(other, poll.ended, 1)
                night.looks.append(
                    (poll.antenna, len(poll.uids), poll.outcome, poll.started, poll.ended)
                )
                take(poll, poll.ended, len(night.looks))
                focus = table.focus
                if not night.focus or night.focus[-1][1] != focus:
                    night.focus.append((poll.ended, focus))
                    scheduler.focus(focus)
                if poll.ended > played.next_at:
                    break
            for seat in SEATS:
                table.tell(SeatRegistered(at=poll.ended, seat=seat, status=SeatStatus.IN, by="Ann"))
            journal.commit()
            given = Portion(table.verdicts_given, table.verdicts_open)
            rates, _ = rates.hand(senses.hand(table.sensing.figures(), given), poll.ended)
            night.rates.append(spelled(rates))
    night.codes = frozenset(codes)
    with JournalFile(folder / "j.db") as file:
        assert verify(file, [file.head()]).faults == ()
        for line in file.records():
            night.journal.append(canonical(without_identity(line)))
    night.file = (folder / "j.db").read_bytes()


def vault_of(world: World, key: bytes | None = None) -> Vault:
    """A vault that knows every card of the world."""
    tokens = random.Random(5)
    decks = {
        c.uid: (c.deck, JOKER_FACE if c.face.startswith(JOKER_FACE) else c.face)
        for name in ("red", "blue")
        for c in world.deck(name)
    }
    return Vault(decks, source=lambda: tokens.getrandbits(53), public_key=key)


def wired(world: World) -> list[VirtualReader]:
    """The table's readers at the other end of their wires."""
    found = []
    for reader in (1, 2):
        ports = {a.antenna: a.profile.port for a in LAYOUT.antennas if a.profile.reader == reader}
        emulator = PepperEmulator(
            world,
            {port: antenna for antenna, port in ports.items()},
            look_s=SWEEP_S / len(LAYOUT.antennas),
            name=f"reader {reader}",
        )
        found.append(VirtualReader(emulator, ports))
    return found


def on_terminal(table: Table, at: float) -> str:
    """The live screen as it is written to a terminal, colours and all."""
    view = frame(table.progress, DeckView(), True, at, seats=LAYOUT.seats)
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=140, height=60)
    console.print(
        screen(
            view,
            table.progress,
            colour_64x32(view),
            mono_32x8(view),
            table.findings,
            ["readers 2 of 2"],
        )
    )
    return written.getvalue()


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Night]:
    """A night, and the same with other tags and other faces everywhere."""
    folder = tmp_path_factory.mktemp("nights")
    key = bytes(public_key(new_pair(folder).public_text))
    return [spend(folder / f"{c} {d}", key, c, d) for c, d in ((1, 1), (2, 2))]


def parts(night: Night) -> dict[str, list[object]]:
    return {
        "looks": [*night.looks],
        "focus": [*night.focus],
        "said": [*night.said],
        "boards": [*night.boards],
        "pictures": [*night.pictures],
        "screens": [*night.screens],
        "answers": [*night.answers],
        "journal": [*night.journal],
        "blobs": [*night.blobs],
        "rates": [*night.rates],
        "logs": [night.logs],
    }


def test_the_nights_differ_in_nothing_that_can_be_seen(nights: list[Night]) -> None:
    one, other = nights
    assert one.dealt != other.dealt
    assert not set(one.tags) & set(other.tags)
    for name, mine in parts(one).items():
        its = parts(other)[name]
        assert len(mine) == len(its), name
        for n, (a, b) in enumerate(zip(mine, its, strict=True)):
            assert a == b, f"{name}, number {n}"


def test_the_night_was_a_night(nights: list[Night]) -> None:
    night = nights[0]
    assert {"HOLE_COUNT", "BURN_MISSING", "DECK_JOKER", "DECK_FOREIGN"} <= night.codes
    assert sum("HandEnded" in text for _, text in night.said) >= len(HANDS) - 1
    assert len(set(night.boards)) > 50
    assert len(set(night.pictures)) > 12
    assert len(set(night.screens)) > 12
    assert len(night.focus) > 100
    assert b'"antenna 13: miss":[1,' in night.rates[0]
    assert any(outcome is Outcome.NOISE for _, _, outcome, _, _ in night.looks)


def test_sealed_cards_are_all_of_one_length(nights: list[Night]) -> None:
    lengths = {length for night in nights for length in night.blobs}
    assert len(lengths) == 1
    assert len(nights[0].blobs) > 150


def test_no_tag_is_in_the_journals_file(nights: list[Night]) -> None:
    for night in nights:
        told = night.file.lower()
        for uid in night.tags:
            assert bytes(uid) not in night.file
            assert uid.hex().encode() not in told


# --- nothing prints a card ------------------------------------------------------------------------

FACE = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs]|joker[12])(?![A-Za-z0-9])")


def leaks(text: str, tags: tuple[Uid, ...]) -> list[str]:
    """What of a card's identity a text tells."""
    found = FACE.findall(text)
    low = text.lower().replace("\\x", "").replace(" ", "")
    for uid in tags:
        raw = ascii(bytes(uid))[2:-1]
        if uid.hex() in low or uid[::-1].hex() in low or raw in text or str(list(uid)) in text:
            found.append("a tag")
    return found


@pytest.fixture(scope="module")
def dealt() -> tuple[World, Table, Vault, list[Poll], list[object]]:
    """A table in the middle of a hand, and everything that had a hand in it."""
    world = World(field_antennas(LAYOUT), cards_seed=8)
    dealer = Dealer(world, SEATS, button=9, deck_seed=8, seed=6)
    dealer.hole()
    dealer.wait(2.0)
    dealer.burn()
    dealer.flop()
    vault = vault_of(world)
    table = Table(LAYOUT, vault)
    table.open(
        TableOpened(
            at=0.0,
            profile=load("tda").model_dump_json(),
            game="holdem",
            layout="",
            seats=tuple((s, SeatStatus.IN) for s in SEATS),
            button=(9,),
        )
    )
    readers = wired(world)
    scheduler = SweepScheduler([a.antenna for a in LAYOUT.antennas])
    polls = []
    for poll in wire_polls(readers, scheduler, SWEEP_S):
        polls.append(poll)
        table.feed(poll)
        if poll.ended > 20.0:
            break
    assert table.progress.board == 3
    others: list[object] = [dealer, readers, scheduler, world.deck("red")[0], table]
    return world, table, vault, polls, others


def insides(thing: object, depth: int = 3) -> Iterator[object]:
    """An object and the objects of this program that it holds, each as a careless line of a log
    might print it."""
    if isinstance(thing, dict):
        inner: list[object] = [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        inner = list(thing)
    else:
        names = [*getattr(thing, "__dict__", ())]
        for kind in type(thing).__mro__:
            slots = getattr(kind, "__slots__", ())
            names += [slots] if isinstance(slots, str) else [*slots]
        inner = [getattr(thing, name, None) for name in names]
    if type(thing).__module__.startswith(("controller", "drivers", "calibration")):
        yield thing
    if depth:
        for part in inner[:200]:
            if not isinstance(part, str | int | float | type(None)):
                yield from insides(part, depth - 1)


def test_the_search_finds_what_it_looks_for() -> None:
    uid = Uid(bytes.fromhex("e0042a77b1930d"))
    assert leaks("tag e0042a77b1930d", (uid,))
    assert leaks(repr(bytes(uid)), (uid,))
    assert leaks("E0 04 2A 77 B1 93 0D", (uid,))
    assert leaks("a card (As)", ())
    assert leaks("card=7c,", ())
    assert not leaks(f"{uid} {uid!r} {uid!s} {[uid]} Ask 2s2", (uid,))


def test_nothing_at_the_table_prints_a_card(
    dealt: tuple[World, Table, Vault, list[Poll], list[object]],
) -> None:
    world, table, vault, polls, others = dealt
    tags = tuple(c.uid for name in ("red", "blue") for c in world.deck(name))
    assert sum(len(p.uids) for p in polls) > 100
    shown: list[object] = [*polls[-40:], world, vault, table.sensing, table.state, table.progress]
    printed = {
        text: type(inner)
        for thing in [*shown, *others]
        for inner in insides(thing)
        for text in (repr(inner), str(inner))
    }
    assert len(printed) > 100
    assert [kind for text, kind in printed.items() if leaks(text, tags)] == []


def test_a_poll_masks_its_tags_in_every_format() -> None:
    uid = Uid(bytes.fromhex("e0042a77b1930d"))
    poll = Poll(3, (uid,), Outcome.SEEN, 1.0, 2.0)
    for text in (f"{poll}", f"{uid:>20}", f"{poll!s} {uid!r}", str([poll]), ascii(poll)):
        assert not leaks(text, (uid,))
        assert "uid" in text


def test_errors_name_no_card(
    dealt: tuple[World, Table, Vault, list[Poll], list[object]],
) -> None:
    world, table, vault, polls, _ = dealt
    tags = tuple(c.uid for name in ("red", "blue") for c in world.deck(name))
    seen = next(p for p in polls if p.uids)
    uid = seen.uids[0]
    rubbish: list[Callable[[], object]] = [
        lambda: table.feed(Poll(99, (uid,), Outcome.SEEN, 30.0, 30.1)),
        lambda: table.feed(Poll(1, (uid, uid), Outcome.SEEN, 30.0, 29.0)),
        lambda: table.feed(Poll(1, (Uid(b""), Uid(bytes(uid) * 3)), Outcome.SEEN, 30.2, 30.3)),
        lambda: table.feed(Poll(1, (uid, 7), "seen", "a", None)),  # type: ignore[arg-type]
        lambda: table.feed(Poll(1, None, Outcome.SEEN, 31.0, 31.1)),  # type: ignore[arg-type]
        lambda: vault.enrol(uid, "red", "As"),
        lambda: vault.lock("no such deck"),
        lambda: vault.sealed(Token(1)),
        lambda: vault.public(Token(1)),
        lambda: vault.fault(uid[0]),  # type: ignore[arg-type]
        lambda: world.move(world.deck("red")[0], "board", -5.0),
        lambda: world.look(99, 1.0, 2.0),
        lambda: world.deck("pink"),
    ]
    told = []
    for act in rubbish:
        try:
            act()
        except Exception as error:
            told.append("".join(traceback.format_exception_only(error)) + repr(error))
    assert len(told) >= 4
    assert [text for text in told if leaks(text, tags)] == []


def test_the_wires_messages_name_no_card() -> None:
    world = World(field_antennas(LAYOUT), cards_seed=8)
    dealer = Dealer(world, SEATS, button=9, deck_seed=8, seed=6)
    dealer.hole()
    world.advance(dealer.at + 1.0)
    tags = tuple(c.uid for c in world.deck("red"))
    heard: list[bytes] = []

    class Tapped(PepperEmulator):
        def feed(self, data: bytes, now: float) -> bytes:
            heard.append(super().feed(data, now))
            return heard[-1]

        def tick(self, now: float) -> bytes:
            heard.append(super().tick(now))
            return heard[-1]

    emulator = Tapped(world, {1: 1}, look_s=0.02, name="reader 1")
    reader = VirtualReader(emulator, {1: 1})
    for poll in itertools.islice(wire_polls([reader], SweepScheduler([1]), 0.4, world.now), 8):
        assert not leaks(repr((poll, reader, emulator)), tags)
    bytes_heard = b"".join(heard)
    assert any(bytes(uid) in bytes_heard or bytes(uid[::-1]) in bytes_heard for uid in tags)
    decoder = Decoder(read_reply)
    for k in range(len(bytes_heard)):
        for message in decoder.feed(bytes_heard[k : k + 1]):
            assert not leaks(repr(message), tags)
    assert not leaks(repr(decoder), tags)
    torn = bytes_heard[: len(bytes_heard) // 2] + b"\x00\xff" + bytes_heard[7:]
    for message in Decoder(read_reply).feed(torn):
        assert not leaks(repr(message), tags)
