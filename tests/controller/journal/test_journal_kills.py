"""200 times, a process that writes a journal is killed at a moment it cannot choose. What it
acknowledged is there, the chain verifies, and the hand goes on where it was."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from controller.journal.reader import JournalFile
from controller.journal.resume import left_behind
from controller.journal.store import Head
from controller.journal.verify import verify
from controller.model.events import numbered
from tests.controller.journal import night

KILLS = 200
KILLS_PER_FILE = 10


@pytest.fixture
def writer() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(Path(__file__).with_name("killed_writer.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


def wait_busily(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def run_and_kill(writer: subprocess.Popen[str], path: Path, chance: random.Random) -> list[Head]:
    """What one life of the writer acknowledged."""
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write(f"{path}\n")
    writer.stdin.flush()
    child = int(writer.stdout.readline())
    heads = [acknowledged(writer.stdout) for _ in range(chance.choice((0, 0, 1, 3, 12)))]
    wait_busily(chance.uniform(0.0, 0.012))
    os.kill(child, signal.SIGKILL)
    while (line := writer.stdout.readline()) != "gone\n":
        heads.append(head_of(line))
    return heads


def acknowledged(pipe: IO[str]) -> Head:
    return head_of(pipe.readline())


def head_of(line: str) -> Head:
    seq, own = line.split()
    return Head(int(seq), own)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_200_kills(
    tmp_path: Path, writer: subprocess.Popen[str]
) -> None:
    chance = random.Random(20)
    in_a_hand = cut_short = 0
    for life in range(KILLS):
        path = tmp_path / f"{life // KILLS_PER_FILE}.db"
        if life % KILLS_PER_FILE == 0:
            kept: list[Head] = []
        acknowledgements = run_and_kill(writer, path, chance)
        kept += acknowledgements
        cut_short += not acknowledgements
        if not path.exists():
            assert not kept
            continue
        found = left_behind(path)
        if found is None:
            assert not kept
            continue
        with JournalFile(path) as file:
            verification = verify(file, kept)
        assert verification.faults == ()
        assert verification.head.seq >= (kept[-1].seq if kept else 0)
        # The night so far, without a hole and without anything twice.
        bare = [numbered(event, 0) for event in found.events]
        assert bare == [night.happening(n) for n in range(len(bare))]
        state = night.closed()
        for event in found.events:
            state, _ = night.step(state, event)
        assert found.hand == (state.hand if state.on else None)
        in_a_hand += state.on
    # Else this test would prove little.
    assert in_a_hand > KILLS / 4
    assert cut_short > 10
