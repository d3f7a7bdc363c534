"""`burnturn run --headless` at full sweep of 16 antennas: memory, share of a core, start.

The emulated readers run in another process, on pseudo-terminals, and are not counted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.table_at_ptys import ANTENNAS, SWEEP_S, served, table_toml

MEMORY_GOAL_MB = 80.0
CPU_GOAL = 0.10
START_GOAL_S = 2.0


def run(quick: bool = False) -> list[str]:
    for_s = 8.0 if quick else 40.0
    with tempfile.TemporaryDirectory() as folder, served() as table:
        path = table_toml(Path(folder), table.addresses)
        began = time.monotonic()
        daemon = subprocess.Popen(
            [_command(), "run", "--headless", "--config", str(path)], stderr=subprocess.DEVNULL
        )
        try:
            start_s = table.swept_at() - began
            time.sleep(1.0)
            cpu, at = _cpu_s(daemon.pid), time.monotonic()
            time.sleep(for_s)
            share = (_cpu_s(daemon.pid) - cpu) / (time.monotonic() - at)
            memory = _memory_mb(daemon.pid)
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(timeout=10)
    return [
        f"{ANTENNAS} antennas in {1000 * SWEEP_S:.0f} ms a sweep, {for_s:.0f} s",
        f"resident memory: {memory:.1f} MB "
        f"(goal ≤ {MEMORY_GOAL_MB:.0f} MB: {memory / MEMORY_GOAL_MB:.2f} of it)",
        f"share of one core: {share:.1%} (goal ≤ {CPU_GOAL:.0%}: {share / CPU_GOAL:.2f} of it)",
        f"start to the end of the first sweep: {start_s:.2f} s "
        f"(goal ≤ {START_GOAL_S:.0f} s: {start_s / START_GOAL_S:.2f} of it)",
    ]


def _command() -> str:
    return str(Path(sys.executable).with_name("burnturn"))


def _cpu_s(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    ticks: int = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / ticks


def _memory_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    line = next(row for row in status.splitlines() if row.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
