"""The table board's firmware: from a pressed key to the bytes on the line and to the controller's
event, from a lamp command's last byte to the last lamp, and what the build takes of the chip.

The chip is simulated cycle by cycle. In virtual time the figures are the chip's alone; with the
paced process, a pseudo-terminal and the driver they are this machine's, too.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

from drivers.contracts import SeatLamp
from drivers.factory import BoardKind, BoardProcess, table_board
from drivers.readings import KeyPress, SeatReading
from drivers.sim.firmware_build import AvrBuild, avr_board, avr_missing, sources
from tablelink.messages import KeyMoved, Lamp, Lamps, Pixels
from tablelink.session import Key
from tests.firmware.simulated import CYCLES_A_SECOND, Conversation, Mouth, SimulatedTable

KEY_GOAL_MS = 15.0
LAMPS_GOAL_MS = 20.0
CPU_GOAL_PERCENT = 3.0
PATIENCE_S = 30.0
RELEASE_US = 20_000
PAUSE_CYCLES = CYCLES_A_SECOND // 20_000


def run(quick: bool = False) -> list[str]:
    if missing := avr_missing():
        return [f"not measured: {missing}"]
    build = avr_board()
    count = 40 if quick else 300
    keys, lamps, stack, turn = _in_virtual_time(build, count)
    events = asyncio.run(_to_the_event(count))
    cpu = asyncio.run(_host_cpu_percent(4.0 if quick else 20.0))
    return [
        *_takes(build),
        f"stack measured under load {stack} bytes",
        f"key pressed to its last byte on the line: {_spread(keys)} ms (virtual time)",
        f"key pressed to the controller's event: {_spread(_virtual_events(build, count))} ms "
        f"(virtual time, goal p99 ≤ {KEY_GOAL_MS:.0f})",
        f"key pressed to the controller's event: {_spread(events)} ms (paced, 115,200 baud, "
        f"goal p99 ≤ {KEY_GOAL_MS:.0f})",
        f"lamp command's last byte in to the last lamp's last bit out: {_spread(lamps)} ms "
        f"(virtual time, goal ≤ {LAMPS_GOAL_MS:.0f})",
        f"the driver of the link takes {cpu:.1f} % of a core (goal ≤ {CPU_GOAL_PERCENT:.0f})",
        f"simulated {turn:.1f} times as fast as a real board",
    ]


async def _host_cpu_percent(seconds: float) -> float:
    """What the driver takes of a core with four pictures and a lamp a second, and a key now and
    then; the board is another process."""
    async with BoardProcess(BoardKind.LINUX) as board:
        driver = table_board(board.port)
        async with driver:
            readings = driver.readings()
            async for reading in readings:
                if isinstance(reading, SeatReading) and reading.seat == 11:
                    break
            hearing = asyncio.create_task(_hear(readings))
            began, used = time.monotonic(), time.process_time()
            for turn in range(round(seconds * 4)):
                await driver.pixels.show(bytes((turn % 2 * 255,) * 3) * 256)
                if turn % 4 == 0:
                    await driver.lamps.light({1 + turn % 11: SeatLamp(200, 0, 0)})
                    await board.key(1, turn % 8 == 0)
                await asyncio.sleep(0.25)
            share = (time.process_time() - used) / (time.monotonic() - began)
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
    return 100 * share


async def _hear(readings: AsyncIterator[object]) -> None:
    async for _ in readings:
        pass


def _spread(values_ms: Sequence[float]) -> str:
    ordered = sorted(values_ms)
    p50, p99 = (ordered[round(part * (len(ordered) - 1))] for part in (0.5, 0.99))
    return f"p50 {p50:.1f}, p99 {p99:.1f}, most {ordered[-1]:.1f}"


def _takes(build: AvrBuild) -> list[str]:
    limits = ["--flash", "262144", "--ram", "8192", "--stack", "8192"]
    done = subprocess.run(
        [
            "python3",
            str(sources() / "budget.py"),
            str(build.elf),
            "--stack-usage",
            str(build.elf.parent / "avr"),
            *limits,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def _in_virtual_time(build: AvrBuild, count: int) -> tuple[list[float], list[float], int, float]:
    """Milliseconds of keys and of lamps, bytes of stack, and how fast the simulation was."""
    table = SimulatedTable(build)
    table.watch_stack()
    rng = random.Random(1)
    mouth = Mouth(table)
    mouth.run(0.4)
    mouth.hello()
    mouth.run(0.05)
    keys, lamps = [], []
    began, began_at = time.perf_counter(), table.now
    for n in range(count):
        mouth.run(rng.uniform(0.001, 0.004))
        pressed = table.now
        table.key(1 + n % 8, True)
        if n % 2:
            # A picture and the answers to it are on the line at the same time.
            mouth.say(Pixels(n % 16, rng.randbytes(32)))
        heard = mouth.run(0.025)
        keys += [
            (h.at + 10 / 115_200 - pressed) * 1e3
            for h in heard
            if isinstance(h.frame.message, KeyMoved)
        ]
        table.key(1 + n % 8, False)
        mouth.run(0.02)
        lamps.append(_lamp_delay_ms(mouth, rng))
    speed = (table.now - began_at) / (time.perf_counter() - began)
    stack = table.stack
    table.close()
    return keys, lamps, stack, speed


def _virtual_events(build: AvrBuild, count: int) -> list[float]:
    """Milliseconds from a key to the event of a host that looks every quarter of one, while it
    shows pictures."""
    table = SimulatedTable(build)
    conversation = Conversation(table)
    conversation.run(1.0)
    rng = random.Random(3)
    delays = []
    for n in range(count):
        conversation.run(rng.uniform(0.01, 0.03))
        pressed = table.now
        table.key(2, True)
        conversation.host.show_pixels(Pixels(n % 16, rng.randbytes(32)), pressed)
        conversation.run(0.03)
        delays += [
            (at - pressed) * 1e3
            for at, event in conversation.events
            if isinstance(event, Key) and event.pressed and at > pressed
        ]
        table.key(2, False)
    table.close()
    return delays


def _lamp_delay_ms(mouth: Mouth, rng: random.Random) -> float:
    table = mouth.table
    table.lamp_edges()
    mouth.say(Lamps(1, tuple(Lamp(rng.randrange(1, 256), 9, 9) for _ in range(11))))
    while table.line_waiting:
        mouth.run(0.0005)
    came = table.last_in
    mouth.run(0.015)
    later = [edge for edge in table.lamp_edges() if edge.cycle > came * CYCLES_A_SECOND]
    # The first picture from then on; the next one comes after a pause.
    ends = [a for a, b in pairwise(later) if b.cycle - a.cycle > PAUSE_CYCLES]
    last = ends[0] if ends else later[-1]
    return (last.cycle / CYCLES_A_SECOND - came) * 1e3


async def _to_the_event(count: int) -> list[float]:
    """Milliseconds from telling the paced process that a key is down to the driver's reading."""
    delays = []
    board = BoardProcess(BoardKind.AVR)
    async with board, table_board(board.port) as driver:
        readings = driver.readings()
        rng = random.Random(2)
        async for reading in readings:
            if isinstance(reading, SeatReading) and reading.occupied is False:
                break
        for _ in range(count):
            await asyncio.sleep(rng.uniform(0.02, 0.04))
            pressed = time.perf_counter()
            await board.key(6, True)
            async with asyncio.timeout(PATIENCE_S):
                async for reading in readings:
                    if isinstance(reading, KeyPress):
                        break
            delays.append((time.perf_counter() - pressed) * 1e3)
            await board.key(6, False)
            released_us = await board.time_us()
            # On a busy machine the simulated board may be slow: it must see the release.
            while await board.time_us() < released_us + RELEASE_US:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
    return delays
