"""Serial ports as the machine lists them; on which of them the table's board may be, by what USB
says of it. Pure but for `listed` and `connected`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

from serial.tools import list_ports

MEGA = frozenset({(0x2341, 0x0042), (0x2341, 0x0010), (0x2A03, 0x0042), (0x2A03, 0x0010)})
"""USB vendor and product of an Arduino Mega 2560 (two makers, two revisions)."""

CLONES = frozenset({(0x1A86, 0x7523), (0x1A86, 0x55D4), (0x0403, 0x6001), (0x10C4, 0xEA60)})
"""The converters on copies of it. Any other device may have one of these, too."""


_TRIES = 3


class PortInfo(Protocol):
    """A serial port as pyserial lists it."""

    device: str
    vid: int | None
    pid: int | None
    serial_number: str | None
    product: str | None
    manufacturer: str | None


class UsbPort(NamedTuple):
    """A serial port on USB. serial: of the converter; "" if it has none."""

    path: str
    vendor: int
    product: int
    serial: str = ""


def listed() -> list[PortInfo]:
    """The serial ports of this machine now."""
    for _ in range(_TRIES):
        try:
            return list(list_ports.comports())
        except (TypeError, OSError):
            continue  # pyserial's way of saying that one of them was pulled while it looked
    return []


def connected() -> tuple[UsbPort, ...]:
    """The serial ports on USB that are plugged in now."""
    return tuple(
        UsbPort(port.device, port.vid, port.pid, port.serial_number or "")
        for port in listed()
        if port.vid is not None and port.pid is not None
    )


def is_mega(chip: str) -> bool:
    """Whether USB vendor and product, such as "2341:0042", are an Arduino Mega's."""
    return chip in {f"{vendor:04x}:{product:04x}" for vendor, product in MEGA}


def candidates(
    ports: Iterable[UsbPort], *, clones: bool, avoid: Collection[str] = ()
) -> tuple[str, ...]:
    """Paths on which the board may be: real Megas first, then converters that many devices have.

    clones: whether those are to be tried at all; only where the board's own serial number is known,
    so that another device is not taken for it. avoid: ports that are another device's.
    """
    found = sorted(p for p in ports if p.path not in avoid)
    mega = [p.path for p in found if (p.vendor, p.product) in MEGA]
    other = [p.path for p in found if clones and (p.vendor, p.product) in CLONES]
    return tuple(mega + other)
