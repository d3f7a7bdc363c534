"""A simulated table's journal: it replays with the real rules, is taken up after a kill, and does
not depend on which cards were dealt."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

import pytest

from controller.journal.reader import JournalFile
from controller.journal.record import Record, without_identity
from controller.journal.replay import replay
from controller.journal.resume import begin, left_behind
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.keys import new_pair, public_key
from controller.model.events import CardCame, SeatStatus, TableEvent, TableOpened
from controller.model.findings import Said
from controller.model.table import reference_layout
from controller.pipeline import Table
from controller.rules import engine
from controller.rules.profile import load
from controller.simulated_field import field_antennas
from controller.vault import Vault
from drivers.factory import Dealer, Noise, SweepScheduler, World, polls
from drivers.readings import Poll, Reading

SEATS = tuple(range(1, 10))
LAYOUT = reference_layout()


def readings(cards_seed: int, until: float) -> tuple[World, list[Reading]]:
    """A hand with a burn forgotten before the turn, then the deal of the next, as the readers saw
    it."""
    world = World(
        field_antennas(LAYOUT), Noise(miss=0.05, cross=0.02, seed=1), cards_seed=cards_seed
    )
    dealer = Dealer(world, SEATS, button=9)
    dealer.key("new-hand")
    dealer.hole()
    dealer.wait(6.0)
    dealer.burn()
    dealer.flop()
    dealer.wait(6.0)
    dealer.turn()
    dealer.wait(6.0)
    dealer.key("end-hand")
    dealer.gather()
    dealer.key("new-hand")
    dealer.hole()
    found: list[Reading] = []
    for poll in polls(world, SweepScheduler([a.antenna for a in LAYOUT.antennas])):
        assert isinstance(poll, Poll)
        if poll.ended > until:
            return world, found
        found += dealer.due(poll.ended)
        found.append(poll)
    raise AssertionError("the readers never end")


def watch(journal: Journal, world: World, seen: list[Reading], key: bytes) -> Table:
    """Record a night as the daemon does, each reading's events and what was said of them in one
    commit."""
    tokens = random.Random(5)
    decks = {c.uid: (c.deck, c.face) for c in world.deck("red")}
    vault = Vault(decks, source=lambda: tokens.getrandbits(53), public_key=key)

    def record(event: TableEvent) -> int:
        sealed = vault.sealed(event.token) if isinstance(event, CardCame) else None
        return journal.stage(event, sealed=sealed)

    def stage(said: list[Said]) -> None:
        for word in said:
            journal.stage(word)
        journal.commit()

    begin(journal, 0.0, boot="boot")
    table = Table(LAYOUT, vault, record=record)
    opened = TableOpened(
        at=0.0,
        profile=load("tda").model_dump_json(),
        game="holdem",
        layout="",
        seats=tuple((s, SeatStatus.IN) for s in SEATS),
        button=(9,),
    )
    stage(table.open(opened))
    for reading in seen:
        stage(table.feed(reading))
    return table


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return bytes(public_key(new_pair(tmp_path_factory.mktemp("keys")).public_text))


def recorded(path: Path, key: bytes, cards_seed: int, until: float) -> Table:
    wall = count(1_700_000_000)
    with Journal(path, build="b", wall=lambda: float(next(wall))) as journal:
        return watch(journal, *readings(cards_seed, until), key)


def read(path: Path) -> list[Record]:
    with JournalFile(path) as file:
        head = file.head()
        assert verify(file, [head]).faults == ()
        return list(file.records())


def test_a_night_replays_with_the_real_rules(tmp_path: Path, key: bytes) -> None:
    path = tmp_path / "j.db"
    recorded(path, key, cards_seed=1, until=150.0)
    assert {"hand-began", "hand-ended", "finding"} <= {r.kind for r in read(path)}
    with JournalFile(path) as file:
        found = replay(file, engine.closed, engine.step)
    assert found.differences == ()
    assert found.events > 50
    assert found.said > 5


@pytest.mark.parametrize("until", [4.0, 17.0, 31.0, 90.0])
def test_the_rules_know_after_a_kill_what_they_knew_before(
    tmp_path: Path, key: bytes, until: float
) -> None:
    path = tmp_path / "j.db"
    table = recorded(path, key, cards_seed=1, until=until)
    found = left_behind(path)
    assert found is not None
    state = engine.closed()
    for event in found.events:
        state, _ = engine.step(state, event)
    assert state == table.state
    assert engine.progress(state) == table.progress
    assert found.hand == (None if table.state.hand is None else table.progress.hand)


def test_two_nights_that_differ_only_in_the_cards_have_the_same_journal(
    tmp_path: Path, key: bytes
) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    recorded(one, key, cards_seed=1, until=60.0)
    recorded(other, key, cards_seed=2, until=60.0)
    lines = [[without_identity(r) for r in read(path)] for path in (one, other)]
    assert lines[0] == lines[1]
    sealed = [r.seq for r in read(one) if r.sealed is not None]
    assert len(sealed) > 18
    with JournalFile(one) as first, JournalFile(other) as second:
        blobs = [(first.blob(seq), second.blob(seq)) for seq in sealed]
    assert len({len(b or b"") for pair in blobs for b in pair}) == 1
    # Whatever lies in the file in clear is no tag and no face.
    for path, seed in ((one, 1), (other, 2)):
        raw = path.read_bytes()
        world, _ = readings(seed, 0.0)
        for card in world.deck("red"):
            assert bytes(card.uid) not in raw
            assert card.uid.hex().encode() not in raw.lower()
