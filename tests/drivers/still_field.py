"""A field for tests: what lies on each antenna is set by hand and read without error."""

from __future__ import annotations

from collections.abc import Callable

from drivers.readings import Uid


def uid(antenna: int, card: int = 0) -> Uid:
    """A tag that belongs to this antenna, so that a mix-up of antennas shows."""
    return Uid(bytes((0xE0, 0x04, 0x01, 0x50, 0xC5, 0xD7, antenna, card)))


def uid_a(antenna: int, card: int = 0) -> Uid:
    """The same as a tag of ISO 14443 A, seven bytes."""
    return Uid(bytes((0x04, 0xC5, 0xD7, antenna, card, 0x2C, 0x81)))


def uid_em(antenna: int, card: int = 0) -> Uid:
    """The same as an EM4100 tag, five bytes."""
    return Uid(bytes((0x2A, 0xC5, 0xD7, antenna, card)))


class StillField:
    """Antenna n holds n % 3 tags of its own, until `lying` is changed. Remembers every look."""

    def __init__(self, antennas: tuple[int, ...], tag: Callable[[int, int], Uid] = uid) -> None:
        self.lying: dict[int, tuple[Uid, ...] | None] = {
            a: tuple(tag(a, card) for card in range(a % 3)) for a in antennas
        }
        self.looks: list[tuple[int, float, float]] = []

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        self.looks.append((antenna, started, ended))
        return self.lying[antenna]
