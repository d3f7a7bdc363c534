"""A HUB75 panel in a process of its own: `python -m drivers.leds.hub75`.

    in:  F, number (4 bytes), length (4 bytes), then so many bytes of picture; little-endian
    out: one JSON object a line: {"ready": LIBRARY}, {"shown": NUMBER}, or
         {"what": ..., "remedy": ..., "hopeless": true if trying again does not help}

When it has heard nothing for three seconds it shows a violet cross, as no picture may stay that
nobody stands behind. When its input ends it goes dark and ends.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import struct
import sys
from typing import BinaryIO, TextIO

from drivers.errors import DriverError, MisconfiguredError
from drivers.leds.hub75_matrix import Matrix, chosen, opened

HEADER = struct.Struct("<cII")
SILENCE_S = 3.0
VIOLET = bytes((214, 92, 255))


def cross(width: int, height: int) -> bytes:
    """The sign for "no controller": a violet cross as high as the panel."""
    lit = {(x, y) for n in range(height) for x, y in ((n, n), (height - 1 - n, n))}
    left = (width - height) // 2
    return b"".join(
        VIOLET if (x - left, y) in lit else b"\0\0\0" for y in range(height) for x in range(width)
    )


def serve(
    matrix: Matrix, width: int, height: int, source: BinaryIO, say: TextIO, silence_s: float
) -> None:
    """Show every picture that comes, until the input ends."""
    while True:
        heard, _, _ = select.select([source], [], [], silence_s)
        if not heard:
            matrix.show(cross(width, height))
            continue
        header = _exactly(source, HEADER.size)
        if len(header) < HEADER.size:
            break
        _, number, length = HEADER.unpack(header)
        pixels = _exactly(source, length)
        if len(pixels) < length:
            break
        if length == 3 * width * height:
            matrix.show(pixels)
            _tell(say, shown=number)
    matrix.show(bytes(3 * width * height))


def _exactly(source: BinaryIO, size: int) -> bytes:
    """So many bytes; fewer only at the end."""
    data = b""
    while len(data) < size and (more := os.read(source.fileno(), size - len(data))):
        data += more
    return data


def _tell(say: TextIO, **what: object) -> None:
    print(json.dumps(what), file=say, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="drivers.leds.hub75")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--height", type=int, default=32)
    parser.add_argument("--library", default="auto")
    parser.add_argument("--hat", default="adafruit-hat")
    parser.add_argument("--brightness", type=float, default=0.3)
    parser.add_argument("--slowdown", type=int, default=2)
    parser.add_argument("--silence", type=float, default=SILENCE_S)
    said = parser.parse_args()
    # Libraries print what they like; only we speak on the pipe.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as say:
        os.dup2(2, 1)
        try:
            library = chosen(said.library)
            matrix = opened(
                library,
                said.width,
                said.height,
                hat=said.hat,
                brightness=said.brightness,
                slowdown=said.slowdown,
            )
        except DriverError as error:
            hopeless = isinstance(error, MisconfiguredError)
            _tell(say, what=error.what, remedy=error.remedy, hopeless=hopeless)
            return 1
        _tell(say, ready=library)
        serve(matrix, said.width, said.height, sys.stdin.buffer, say, said.silence)
    return 0


if __name__ == "__main__":
    sys.exit(main())
