"""The table link over bad wires in virtual time: host session and the board's twin, with one byte
in a hundred wrong, and writes lost, doubled and torn. A million messages, and what became of
them."""

from __future__ import annotations

import time

from drivers.factory import BoardTwin
from tablelink.framing import Decoder, Frame, encode
from tablelink.messages import KeyMoved
from tests.tablelink.bad_wires import BAD, CLEAN, BadLine, Faults, Figures

MESSAGES = 1_000_000
RECOVERY_GOAL_MS = 200.0
SLICE_S = 120.0
HIT_S = 0.008
"""Undisturbed, a change is at the host sooner; one that took longer was hit."""


def run(quick: bool = False) -> list[str]:
    count = MESSAGES // 20 if quick else MESSAGES
    lines = _many("bad wires", BAD, count)
    lines += _many("good wires", CLEAN, count // 20)
    return [*lines, _codec(20_000 if quick else 200_000)]


def _many(name: str, faults: Faults, count: int) -> list[str]:
    line = BadLine(BoardTwin(), faults, seed=1, changes_hz=75.0, pictures_hz=15.0)
    begun = time.process_time()
    while line.figures.messages < count:
        line.busy(SLICE_S)
    figures = line.finish()
    took_s = time.process_time() - begun
    return _said(name, figures, took_s)


def _said(name: str, f: Figures, took_s: float) -> list[str]:
    messages = f.messages
    hit = sorted(delay for delay in f.delays_s if delay > HIT_S)
    every = sorted(f.delays_s)
    lines = [
        f"{name}: {messages:,} numbered messages taken ({f.delivered:,} changes, the rest pictures "
        f"and lamps) in {f.seconds:,.0f} s of the line, {f.sessions} session",
        f"  told wrong, twice or out of order: {len(f.wrong)} (goal 0); lost unnoticed: "
        f"{f.unnoticed} (goal 0); lost and known: {f.noticed}",
        f"  from the edge of a change that is certain to the host: p50 {_ms(every, 0.5)}, "
        f"p99 {_ms(every, 0.99)}, max {_ms(every, 1.0)}",
    ]
    if hit:
        lines.append(
            f"  recovery ({len(hit):,} changes that were hit): p50 {_ms(hit, 0.5)}, "
            f"p99 {_ms(hit, 0.99)}, max {_ms(hit, 1.0)} (goal < {RECOVERY_GOAL_MS:.0f} ms)"
        )
    lines.append(
        f"  moments told: at worst {f.clock_worst_s * 1000:.1f} ms off, {f.clock_outside} outside "
        "of their stated error (goal 0)"
    )
    rate = messages / took_s
    lines.append(f"  {rate:,.0f} messages a second of processor time, both ends and wires together")
    return [*lines, *f.wrong[:5]]


def _ms(delays: list[float], part: float) -> str:
    return f"{delays[min(int(len(delays) * part), len(delays) - 1)] * 1000:.1f} ms"


def _codec(count: int) -> str:
    wire = b"".join(
        encode(Frame(KeyMoved(n, 1 + n % 8, n % 2, n % 256), 4660, 1 + n % 255, 0))
        for n in range(1000)
    )
    decoder = Decoder()
    begun = time.process_time()
    for _ in range(count // 1000):
        decoder.feed(wire)
    took_s = time.process_time() - begun
    rate = decoder.counts.frames / took_s
    line = 11_520 / (len(wire) / 1000)
    return f"decoding: {rate:,.0f} frames a second, {rate / line:,.0f} times what the line carries"
