"""An SPI port, by python-periphery. Blocking; a frame is one transfer, for its bits may not pause.

Source: linux/spi/spidev.h. The kernel copies a transfer through a buffer of
/sys/module/spidev/parameters/bufsiz bytes, 4096 unless it is told otherwise, and refuses a longer
one.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from drivers.errors import DriverError, LinkLostError, MisconfiguredError, PortUnavailableError

BUFSIZ_FILE = Path("/sys/module/spidev/parameters/bufsiz")


class Port(Protocol):
    """An open port. Raises LinkLostError when it is gone."""

    def send(self, data: bytes) -> None: ...

    def close(self) -> None: ...


OpenPort = Callable[[], Port]
"""Opens a port; raises PortUnavailableError, or MisconfiguredError if it never could."""


class _SpidevPort:
    def __init__(self, path: str, speed_hz: int) -> None:
        from periphery import SPI

        self._path = path
        try:
            self._spi = SPI(path, 0, speed_hz)
        except OSError as error:
            raise _refused(error, path) from error

    def send(self, data: bytes) -> None:
        try:
            self._spi.transfer(data)
        except OSError as error:
            if error.errno == errno.EMSGSIZE:
                raise too_long(self._path, len(data)) from error
            raise LinkLostError(
                f"it takes no more data ({error.strerror})",
                self._path,
                "It is tried again by itself.",
            ) from error

    def close(self) -> None:
        with suppress(OSError):  # gone already
            self._spi.close()


def spidev(path: str, speed_hz: int, longest: int) -> OpenPort:
    """The way to a port of this machine. speed_hz: of the clock. longest: bytes of the longest
    transfer that will be asked for; checked at opening against what the kernel takes."""

    def open_port() -> Port:
        limit = _bufsiz()
        if limit is not None and longest > limit:
            raise too_long(path, longest, limit)
        return _SpidevPort(path, speed_hz)

    return open_port


def too_long(path: str, length: int, limit: int = 4096) -> MisconfiguredError:
    """What to say where a transfer does not fit the kernel's buffer."""
    enough = 1 << (length - 1).bit_length()
    return MisconfiguredError(
        f"a picture takes {length} bytes at once, and the kernel takes {limit}",
        path,
        f"Add spidev.bufsiz={enough} to the line in /boot/firmware/cmdline.txt and restart, "
        "or use fewer lamps.",
    )


def _bufsiz() -> int | None:
    try:
        return int(BUFSIZ_FILE.read_text("ascii"))
    except (OSError, ValueError):
        return None  # not told: a transfer that is too long says so itself


def _refused(error: OSError, path: str) -> DriverError:
    match error.errno:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return PortUnavailableError(
                "there is no such port",
                path,
                "Switch SPI on (dtparam=spi=on in /boot/firmware/config.txt) and restart; "
                "ls /dev/spidev* lists the ports.",
            )
        case errno.EACCES | errno.EPERM:
            return PortUnavailableError(
                "this user may not use it",
                path,
                "Put it into the group spi (sudo usermod -aG spi NAME) and log in anew.",
            )
        case errno.ENOTTY:
            return MisconfiguredError("it is no SPI port", path, "Name a /dev/spidev.")
        case _:
            return PortUnavailableError(
                f"it cannot be opened ({error.strerror})", path, "It is tried again by itself."
            )
