"""What the simulated board puts on the wires of its lamps and of its LED board."""

from __future__ import annotations

from itertools import pairwise

import pytest

from drivers.sim.board_process import Picture
from tablelink.messages import Lamp, Lamps, Ping, Pixels, Settings
from tests.firmware.simulated import CYCLES_A_SECOND, Edge, Mouth

NS_A_CYCLE = 1e9 / CYCLES_A_SECOND
LAMPS, BITS = 11, 24

# WorldSemi, WS2812B data sheet, "Data transfer time": nominal, all within 150 ns; a low of more
# than 50 us ends a picture.
T0H_NS, T0L_NS, T1H_NS, T1L_NS = 400, 850, 800, 450
TOLERANCE_NS = 150
RESET_NS = 50_000

NO_CTRL = """
#...#..##....##..#####.###..#...
##..#.#..#..#..#...#...#..#.#...
#.#.#.#..#..#......#...#..#.#...
#.#.#.#..#..#......#...###..#...
#..##.#..#..#......#...#.#..#...
#...#.#..#..#..#...#...#..#.#...
#...#..##....##....#...#..#.####
................................
"""


def pulses(edges: list[Edge]) -> list[tuple[float, float]]:
    """How long the pin was up and then down, in nanoseconds; the last time down is not known."""
    assert edges[0].level == 1
    assert all(a.level != b.level for a, b in pairwise(edges))
    times = [(b.cycle - a.cycle) * NS_A_CYCLE for a, b in pairwise(edges)]
    return [*zip(times[0::2], times[1::2], strict=False), (times[-1], float("inf"))]


def pictures(edges: list[Edge]) -> list[list[tuple[float, float]]]:
    """The pulses of each picture, divided by the pauses that end one."""
    found: list[list[tuple[float, float]]] = [[]]
    for pulse in pulses(edges):
        found[-1].append(pulse)
        if pulse[1] > RESET_NS:
            found.append([])
    return [picture for picture in found if picture]


def colours(picture: list[tuple[float, float]]) -> list[tuple[int, int, int]]:
    """Red, green, blue of each lamp; the wire has green first, each highest bit first."""
    bits = [high > (T0H_NS + T1H_NS) / 2 for high, _ in picture]
    codes = [
        [
            sum(bit << (7 - n) for n, bit in enumerate(bits[at : at + 8]))
            for at in (b, b + 8, b + 16)
        ]
        for b in range(0, len(bits), BITS)
    ]
    return [(red, green, blue) for green, red, blue in codes]


def flooded(mouth: Mouth, seconds: float) -> None:
    """The line is busy both ways all that time: every PING has its PONG."""
    until = mouth.table.now + seconds
    token = 0
    while mouth.table.now < until:
        if mouth.table.line_waiting < 40:
            token += 1
            mouth.say(Ping(token))
        mouth.run(0.0005, step_s=0.0005)


def test_the_waveform_is_within_the_data_sheet(mouth: Mouth) -> None:
    lamps = tuple(Lamp(17 * n, 255 - 20 * n, 0x55 if n % 2 else 0xAA) for n in range(LAMPS))
    mouth.say(Settings(button_hold_ms=5, seat_hold_ms=5))
    mouth.say(Lamps(1, lamps))
    mouth.run(0.02)
    mouth.table.lamp_edges()
    for n in range(30):
        mouth.table.key(1 + n % 8, n % 3 == 0)
        mouth.table.button(1 + n % 11, n % 2 == 0)
        flooded(mouth, 0.05)
    shown = pictures(mouth.table.lamp_edges())
    assert len(shown) >= 10
    for picture in shown:
        assert len(picture) == LAMPS * BITS
        assert colours(picture) == [(lamp.red, lamp.green, lamp.blue) for lamp in lamps]
        for n, (high, low) in enumerate(picture):
            one = high > (T0H_NS + T1H_NS) / 2
            assert abs(high - (T1H_NS if one else T0H_NS)) <= TOLERANCE_NS
            if n % BITS < BITS - 1:
                assert abs(low - (T1L_NS if one else T0L_NS)) <= TOLERANCE_NS
            elif n < LAMPS * BITS - 1:
                # Interrupts have their turn here, all of them one after the other.
                assert T0L_NS - TOLERANCE_NS <= low < RESET_NS / 2
    assert mouth.table.overruns == 0


def test_brightness_and_patterns_reach_the_lamps(mouth: Mouth) -> None:
    mouth.say(Settings(lamp_brightness=127))
    mouth.say(Lamps(4, (Lamp(255, 0, 0, 0), Lamp(0, 200, 0, 2))))
    seen = set()
    for _ in range(40):
        mouth.run(0.0125, step_s=0.0125)
        lamps = mouth.table.lamps()
        assert lamps[3] == (127, 0, 0)
        seen.add(lamps[4])
        assert all(lamp == (0, 0, 0) for n, lamp in enumerate(lamps) if n not in (3, 4))
    assert seen == {(0, 0, 0), (0, 100, 0)}


def test_a_picture_reaches_the_led_board(mouth: Mouth) -> None:
    rows = bytes(37 * n % 256 for n in range(32))
    mouth.say(Pixels(11, rows))
    mouth.run(0.02)
    assert mouth.table.picture() == Picture(rows, 11)
    for _, command in mouth.table.latched():
        assert len(command) == 8
        assert len(set(command[0::2])) == 1, "all four chips are told of the same register"


def test_everything_is_told_again_every_two_seconds(mouth: Mouth) -> None:
    mouth.say(Pixels(3, bytes(range(32))))
    mouth.run(0.1)
    mouth.table.latched()
    mouth.table.lamp_edges()
    for _ in range(21):
        mouth.say(Ping(1))
        mouth.run(0.1)
    registers = {command[0] for _, command in mouth.table.latched()}
    assert registers == {1, 2, 3, 4, 5, 6, 7, 8, 0x9, 0xA, 0xB, 0xC, 0xF}
    assert len(pictures(mouth.table.lamp_edges())) >= 4


def test_a_lost_controller_shows_and_goes(mouth: Mouth) -> None:
    rows = bytes(range(100, 132))
    mouth.say(Settings(lamp_brightness=255))
    mouth.say(Pixels(7, rows))
    mouth.say(Lamps(1, (Lamp(1, 2, 3),) * LAMPS))
    mouth.run(0.02)
    lost_at = mouth.table.now + 1.5
    mouth.run(1.45)
    assert mouth.table.picture() == Picture(rows, 7)
    mouth.run(lost_at + 0.01 - mouth.table.now)
    picture = mouth.table.picture()
    assert picture is not None
    drawn = "".join(".#"[byte >> (7 - bit) & 1] for byte in picture.rows for bit in range(8))
    assert drawn == "".join(NO_CTRL.split())
    seen = set()
    for _ in range(20):
        mouth.run(0.1)
        lamps = mouth.table.lamps()
        seen.add(lamps[0])
        assert set(lamps[1:]) == {(0, 0, 0)}
    assert seen == {(255, 0, 0), (0, 0, 0)}
    mouth.say(Ping(9))
    mouth.run(0.02)
    assert mouth.table.picture() == Picture(rows, 7)
    assert mouth.table.lamps() == ((1, 2, 3),) * LAMPS


@pytest.mark.parametrize("session", [1, 0xFFFF])
def test_a_new_session_darkens_until_told(mouth: Mouth, session: int) -> None:
    mouth.say(Pixels(7, bytes(range(32))))
    mouth.say(Lamps(1, (Lamp(200, 200, 200),) * LAMPS))
    mouth.run(0.02)
    other = Mouth(mouth.table, session)
    other.hello()
    other.run(0.02)
    assert mouth.table.picture() == Picture(bytes(32), 7)
    assert set(mouth.table.lamps()) == {(0, 0, 0)}
