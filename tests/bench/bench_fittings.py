"""Lamps and boards: encoding a picture, and its time on the wire by the bytes that it takes.
Switches: judging an edge. No port is opened."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from drivers.gpio.lines import Chair, Edge, InputLine
from drivers.gpio.switches import Switches
from drivers.leds import max7219, ws2812
from drivers.leds.grid import along_chain


def run(quick: bool = False) -> list[str]:
    times = 200 if quick else 2000
    lines = []
    for what, width, height in (("a lamp a seat", 11, 1), ("32×8", 32, 8)):
        pixels = random.Random(1).randbytes(3 * width * height)
        lamps = ws2812.Encoder(along_chain(width, height), brightness=0.3, gamma=2.2)
        taken = _each(lambda e=lamps, p=pixels: e.frame(p), times)  # type: ignore[misc]
        size = lamps.frame_bytes
        lines.append(
            f"WS2812, {what}: encoded in {taken * 1e6:.0f} µs, {size} bytes, "
            f"{size * 8 / ws2812.SPEED_HZ * 1e3:.2f} ms on the wire"
        )
    pixels = random.Random(2).randbytes(768)
    chain = max7219.Encoder(4)
    taken = _each(lambda: chain.rows(pixels), times)
    size = sum(len(row) for row in chain.rows(pixels))
    lines.append(
        f"MAX7219, 32×8: encoded in {taken * 1e6:.0f} µs, {size} bytes in 8 transfers, "
        f"{size * 8 / max7219.SPEED_HZ * 1e3:.2f} ms on the wire"
    )
    switches = Switches([InputLine(n, Chair(n)) for n in range(1, 12)], [True] * 11, 0.0)
    place = iter(range(10**9))
    taken = _each(lambda: _bounce(switches, next(place)), times)
    lines.append(f"switches: an edge judged in {taken * 1e6:.1f} µs")
    return lines


def _bounce(switches: Switches, n: int) -> None:
    switches.edge(Edge(n % 11, n // 11 % 2 == 1, n * 0.05))
    switches.settle(n * 0.05)


def _each(work: Callable[[], object], times: int) -> float:
    """Seconds, the best of five rounds."""
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(times):
            work()
        best = min(best, (time.perf_counter() - began) / times)
    return best
