"""The simulated board's UART: nothing is lost at the line's full rate, whatever else goes on."""

from __future__ import annotations

import random

import pytest

from tablelink.framing import Frame, encode
from tablelink.messages import (
    Again,
    Lamp,
    Lamps,
    Message,
    Ping,
    Pixels,
    Pong,
    Refused,
    Settings,
    SnapshotPlease,
)
from tests.firmware.simulated import Mouth

FASTEST = 1360
"""Cycles a byte at 117,647 baud, as the Mega's USB bridge sends; 115,200 baud are slower."""


def everything_moves(mouth: Mouth, n: int) -> None:
    mouth.table.key(1 + n % 8, n % 2 == 0)
    mouth.table.button(1 + n % 11, n % 3 == 0)
    mouth.table.seat(1 + n % 11, n % 5 == 0)


@pytest.mark.parametrize("cycles_per_byte", [FASTEST, 1389])
def test_no_byte_is_lost_at_full_line_rate(mouth: Mouth, cycles_per_byte: int) -> None:
    mouth.table.line_rate(cycles_per_byte)
    mouth.say(Settings(key_hold_ms=5, button_hold_ms=5, seat_hold_ms=5))
    mouth.run(0.01)
    rng = random.Random(1)
    sent = 0
    until = mouth.table.now + 1.5
    while mouth.table.now < until:
        while mouth.table.line_waiting < 120:
            # All lamps blink fast, so that they are sent as often as can be.
            words: list[Message] = [
                Ping(rng.randrange(2**32)),
                Lamps(1, tuple(Lamp(rng.randrange(256), 0, 9, 2) for _ in range(11))),
                Pixels(sent % 16, rng.randbytes(32)),
            ]
            mouth.say(words[sent % 3])
            sent += 1
        everything_moves(mouth, sent)
        mouth.run(0.001)
    mouth.run(0.05)
    pings = (sent + 2) // 3
    assert mouth.table.overruns == 0
    assert not mouth.messages(Again)
    assert not mouth.messages(Refused)
    assert sent > 300
    # A PING that comes while the answer to the one before waits for the line takes its place.
    assert len(mouth.messages(Pong)) >= 0.9 * pings


def test_rubbish_at_full_rate_does_no_harm(mouth: Mouth) -> None:
    rng = random.Random(2)
    for size in (1, 7, 300, 2000, 5000):
        zeros = rng.random() * 0.2
        rubbish = bytes(0 if rng.random() < zeros else rng.randrange(256) for _ in range(size))
        mouth.table.line_in(rubbish + b"\0")
        everything_moves(mouth, size)
        mouth.run(size * 0.0001 + 0.02)
        mouth.say(Ping(size))
        mouth.run(0.02)
        assert mouth.messages(Pong)[-1].token == size
    assert mouth.table.overruns == 0
    assert mouth.table.restarts == 0


def test_bytes_may_come_one_by_one(mouth: Mouth) -> None:
    for byte in encode(Frame(Ping(77), mouth.session, 0, 0)):
        mouth.table.line_in(bytes([byte]))
        mouth.run(0.004)
    assert mouth.messages(Pong)[-1].token == 77


def test_a_flood_of_requests_is_answered_as_the_line_allows(mouth: Mouth) -> None:
    for _ in range(40):
        mouth.say(SnapshotPlease())
    mouth.run(0.4)
    assert mouth.table.overruns == 0
    mouth.say(Ping(1))
    mouth.run(0.02)
    assert mouth.messages(Pong)[-1].token == 1


def test_the_clock_never_stumbles(mouth: Mouth) -> None:
    """The clock is read while its own interrupt waits, now and then: 1 ms would be missing."""
    rng = random.Random(4)
    for token in range(2500):
        mouth.say(Ping(token))
        mouth.run(rng.uniform(0.0022, 0.0026), step_s=0.001)
    mouth.run(0.01)
    late = [
        heard.at - heard.frame.message.time / 1e6
        for heard in mouth.heard
        if isinstance(heard.frame.message, Pong)
    ]
    assert len(late) >= 2400
    assert max(late) - min(late) < 0.0006
