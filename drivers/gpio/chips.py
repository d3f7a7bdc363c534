"""GPIO chips of this machine: which one has the Pi's header, and who holds a line.

Source: linux/gpio.h (character device, version 2); labels from the Linux pin control drivers.
"""

from __future__ import annotations

import fcntl
import os
import struct
from dataclasses import dataclass
from pathlib import Path

PI_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""Chips behind the 40-pin header: Raspberry Pi 5, 4, and older ones."""

_MOST_CHIPS = 32
_CHIP_INFO = struct.Struct("32s32sI")
_GET_CHIP_INFO = 0x8044B401
_LINE_INFO = struct.Struct("32s32sIIQ176x")
_GET_LINE_INFO = 0xC100B405
_USED = 1


@dataclass(frozen=True, slots=True)
class LineInfo:
    """name: the line's own, "" if it has none. holder: who holds it, "" if nobody is known."""

    name: str
    holder: str


def chips() -> list[str]:
    """Paths of the GPIO chips of this machine."""
    paths = (f"/dev/gpiochip{n}" for n in range(_MOST_CHIPS))
    return [path for path in paths if Path(path).exists()]


def label(path: str) -> str:
    """What the chip's driver calls it. Raises OSError."""
    info = bytearray(_CHIP_INFO.size)
    _ask(path, _GET_CHIP_INFO, info)
    return _text(_CHIP_INFO.unpack(info)[1])


def header_chip() -> str | None:
    """The chip behind the Pi's header; None where there is none that we may look at. On a Pi 5 its
    number depends on the kernel."""
    labels: dict[str, str] = {}
    for path in chips():
        try:
            labels.setdefault(label(path), path)
        except OSError:
            continue
    return next((labels[name] for name in PI_LABELS if name in labels), None)


def line_info(path: str, line: int) -> LineInfo:
    """Name and holder of a line. Raises OSError."""
    info = bytearray(_LINE_INFO.pack(b"", b"", line, 0, 0))
    _ask(path, _GET_LINE_INFO, info)
    name, holder, _, _, flags = _LINE_INFO.unpack(info)
    return LineInfo(_text(name), _text(holder) if flags & _USED else "")


def machine() -> str:
    """The machine's own name for itself, such as "Raspberry Pi 5 Model B Rev 1.0"; "" if it has
    none."""
    try:
        return Path("/proc/device-tree/model").read_text("utf-8", "replace").rstrip("\0")
    except OSError:
        return ""


def _ask(path: str, request: int, info: bytearray) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, request, info, True)
    finally:
        os.close(descriptor)


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")
