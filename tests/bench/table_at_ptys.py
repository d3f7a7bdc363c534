"""Emulated readers of a robot's table in a process of their own, so that a daemon can be measured
alone.

`python -m tests.bench.table_at_ptys SPEED` serves two readers of eight antennas on pseudo-terminals
and deals hand after hand, SPEED times as fast as a dealer, until its input is closed. It prints the
two addresses, a line each, and ``swept SECONDS`` (monotonic) when every antenna has been looked at.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from controller.model.table import REFERENCE_MAX_STACK, LayoutOptions, reference_layout
from controller.simulated_field import field_antennas
from drivers.factory import Dealer, DealScript, Noise, ReaderSpec, Robot, World, emulated_readers
from drivers.readings import Uid

SWEEP_S = 0.4
ANTENNAS = 16
LAYOUT = reference_layout(LayoutOptions(stub="own", max_stack=REFERENCE_MAX_STACK))


class _Field:
    """The simulated table on the wall clock, faster if wanted."""

    def __init__(self, world: World, speed: float) -> None:
        self._world = world
        self._speed = speed
        self._began = time.monotonic()
        self._looked: set[int] = set()

    def table_time(self, now: float) -> float:
        return (now - self._began) * self._speed

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        if len(self._looked) < ANTENNAS:
            self._looked.add(antenna)
            if len(self._looked) == ANTENNAS:
                print(f"swept {time.monotonic()}", flush=True)
        return self._world.look(antenna, self.table_time(started), self.table_time(ended))


async def serve(speed: float) -> None:
    """Until standard input is closed."""
    world = World(field_antennas(LAYOUT), Noise(miss=0.05, cross=0.02, sweep_s=SWEEP_S, seed=1))
    seats = tuple(range(1, 10))
    robot = Robot(Dealer(world, seats, button=9, seed=1), DealScript(seats), seed=1)
    field = _Field(world, speed)
    specs = [
        ReaderSpec(
            f"reader {n}",
            "simulated",
            {a.antenna: a.profile.port for a in LAYOUT.antennas if a.profile.reader == n},
        )
        for n in (1, 2)
    ]
    closed = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    async with emulated_readers(specs, field, SWEEP_S / ANTENNAS) as readers:
        for spec in specs:
            print(readers.addresses[spec.name], flush=True)
        planned = 0.0
        while not closed.done():
            if field.table_time(time.monotonic()) > planned - 1.0:
                planned = robot.hand().next_at
            await asyncio.sleep(0.1)


@dataclass(slots=True)
class Served:
    """A running `table_at_ptys`: its readers' addresses."""

    addresses: tuple[str, str]
    _process: subprocess.Popen[str]

    def swept_at(self) -> float:
        """Waits for the first sweep to be complete; monotonic seconds."""
        assert self._process.stdout is not None
        return float(self._process.stdout.readline().split()[1])


@contextlib.contextmanager
def served(speed: float = 1.0) -> Iterator[Served]:
    """Start the table in a process of its own, and end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.table_at_ptys", str(speed)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        first, second = (process.stdout.readline().strip() for _ in range(2))
        yield Served((first, second), process)
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def table_toml(folder: Path, addresses: tuple[str, str]) -> Path:
    """A table.toml for those readers in `folder`, journal and socket there too: the sample table
    with a sixteenth antenna."""
    text = files("controller").joinpath("sample_table.toml").read_text(encoding="utf-8")
    head, rest = text.split("[[reader]]", 1)
    antennas = rest[rest.index("[[antenna]]") :]
    head = head.replace('socket = ""', f'socket = "{folder / "floor.sock"}"')
    head = head.replace('path = "burnturn.journal"', f'path = "{folder / "bench.journal"}"')
    readers = "".join(
        f'[[reader]]\nnumber = {n}\ndriver = "pepper-c1-mux"\nport = "{address}"\n\n'
        for n, address in enumerate(addresses, start=1)
    )
    sixteenth = '\n[[antenna]]\nnumber = 16\nreader = 2\nport = 8\nzone = "stub"\n'
    path = folder / "table.toml"
    path.write_text(head + readers + antennas + sixteenth, encoding="utf-8")
    return path


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
