"""firmware-interface/vectors.txt holds for this side: every line, whole and in pieces, and
written again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tablelink.framing import Decoder, Frame, encode
from tablelink.messages import OF_KIND

VECTORS = Path(__file__).parents[2] / "firmware-interface" / "vectors.txt"


class Vector(NamedTuple):
    name: str
    wire: bytes
    said: str


def vectors() -> list[Vector]:
    lines = VECTORS.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ", 2) for line in lines if line and not line.startswith("#")]
    return [Vector(name, bytes.fromhex(wire), said) for name, wire, said in rows]


ALL = vectors()
LATER_VERSION = ("hello-longer", "key-longer", "ack-longer")


@pytest.mark.parametrize("vector", ALL, ids=lambda v: v.name)
def test_bytes_say_what_the_line_says(vector: Vector) -> None:
    for size in (len(vector.wire), 1, 2, 3, 7):
        decoder = Decoder()
        found = []
        for at in range(0, len(vector.wire), size):
            found += decoder.feed(vector.wire[at : at + size])
        assert (" ; ".join(map(str, found)) or "-") == vector.said, f"in pieces of {size}"


def test_what_was_read_is_written_with_the_same_bytes() -> None:
    written = 0
    for vector in ALL:
        found = Decoder().feed(vector.wire)
        if len(found) != 1 or not isinstance(found[0], Frame) or vector.name in LATER_VERSION:
            continue
        wire = encode(found[0])
        assert vector.wire.strip(b"\0").startswith(wire.strip(b"\0")), vector.name
        written += 1
    assert written > 45


def test_every_kind_has_a_vector() -> None:
    named = {word for vector in ALL for word in vector.said.split()}
    assert {cls.KIND.name for cls in OF_KIND.values()} <= named
    assert len({vector.name for vector in ALL}) == len(ALL)
