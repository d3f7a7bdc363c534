"""From the last byte of a reader's answer to the LED frame written, the commit apart.

The daemon runs in this process; its emulated readers run in another one, on pseudo-terminals, over
a table that is dealt three times as fast as by a dealer.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.app import Daemon, Delay, readers_of
from controller.config import load
from controller.simulate.report import percentile
from controller.taking_up import TableClock
from drivers.readings import Health
from tests.bench.table_at_ptys import served, table_toml

GOAL_MS = 10.0
SPEED = 3.0


class _Board:
    """A colour LED board at the end of a file descriptor that takes everything."""

    width = 64
    height = 32
    health: tuple[Health, ...] = ()

    def __init__(self) -> None:
        self._out = os.open(os.devnull, os.O_WRONLY)
        self.frames = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._out)

    async def show(self, pixels: bytes) -> None:
        os.write(self._out, pixels)
        self.frames += 1


def run(quick: bool = False) -> list[str]:
    with tempfile.TemporaryDirectory() as folder, served(SPEED) as table:
        path = table_toml(Path(folder), table.addresses)
        delays, polls, frames = asyncio.run(_measured(path, 10.0 if quick else 60.0))
    work_ms = [1000 * d.work_s for d in delays]
    p50, p99 = percentile(work_ms, 50), percentile(work_ms, 99)
    if p50 is None or p99 is None:
        return ["nothing was shown: no event came"]
    return [
        f"{len(delays)} changes from {polls} polls, {frames} frames of 64×32 written",
        f"p50 {p50:.1f} ms, p99 {p99:.1f} ms "
        f"(goal p99 ≤ {GOAL_MS:.0f} ms: {p99 / GOAL_MS:.2f} of it)",
    ]


async def _measured(path: Path, for_s: float) -> tuple[list[Delay], int, int]:
    config = load(path)
    clock = TableClock()
    board = _Board()
    daemon = Daemon(config, readers_of(config, clock), clock, boards=[board])
    watching = asyncio.create_task(daemon.run())
    await asyncio.wait({watching}, timeout=for_s)
    daemon.stop()
    await watching
    return list(daemon.delays), daemon.readings_seen, board.frames
