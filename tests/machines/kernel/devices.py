"""Handles on the kernel machine's devices, from the side that a table's wires and hands are on.
Only for tests marked `kernel`; see `init` for what the machine has."""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

CONFIGFS = Path("/sys/kernel/config")
SPI = "/dev/spidev0.0"
SPI_DEVICE = "spi0.0"
SPI_DRIVER = Path("/sys/bus/spi/drivers/spidev")
SPI_TAP = "/dev/table_spi"
I2C = "/dev/i2c-0"
I2C_MEMORY = 0x24
"""Address of the one device on the I2C bus, a memory of 256 bytes."""

PATIENCE_S = 20.0
"""An emulated processor is slow; what does not happen in this time does not happen."""


def in_kernel_machine() -> bool:
    """Whether this program runs in the machine that `make test-kernel` boots."""
    try:
        return "burnturn.machine" in Path("/proc/cmdline").read_text().split()
    except OSError:
        return False


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Return once `true()`. Raises TimeoutError, naming `what`, after PATIENCE_S."""
    until = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {PATIENCE_S:.0f} s: {what}")
        time.sleep(0.002)


class GpioChip:
    """A GPIO chip of the kernel's gpio-sim, there while the `with` block runs, plugged at first.

    lines: how many. names: line number to the name that programs may ask for. label: what the
    chip's driver calls it. The first chip of a machine is /dev/gpiochip0.
    """

    _numbers = count()

    def __init__(
        self, lines: int = 54, names: Mapping[int, str] | None = None, label: str = "table"
    ) -> None:
        self._lines = lines
        self._names = dict(names or {})
        self._label = label
        self._folder = CONFIGFS / "gpio-sim" / f"table{next(self._numbers)}"
        self._attributes = Path()
        self._pulls: dict[int, bool] = {}
        self.path = ""

    def __enter__(self) -> Self:
        bank = self._folder / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(self._lines))
        (bank / "label").write_text(self._label)
        for line, name in self._names.items():
            (bank / f"line{line}").mkdir()
            (bank / f"line{line}" / "name").write_text(name)
        self.plug()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        bank = self._folder / "bank0"
        if self.plugged:
            self.unplug()
        for line in self._names:
            (bank / f"line{line}").rmdir()
        bank.rmdir()
        self._folder.rmdir()

    @property
    def plugged(self) -> bool:
        return bool(self.path)

    def plug(self) -> None:
        """Have the chip appear, with the outside levels that it had or was given meanwhile."""
        (self._folder / "live").write_text("1")
        device = (self._folder / "dev_name").read_text().strip()
        chip = (self._folder / "bank0/chip_name").read_text().strip()
        self._attributes = Path("/sys/devices/platform") / device / chip
        self.path = f"/dev/{chip}"
        wait_until(Path(self.path).exists, f"{self.path} appears")
        for line, high in self._pulls.items():
            self.pull(line, high)

    def unplug(self) -> None:
        """Have the chip vanish, whoever uses it."""
        (self._folder / "live").write_text("0")
        self.path = ""

    @property
    def number(self) -> int:
        """n of /dev/gpiochipn."""
        return int(self.path.removeprefix("/dev/gpiochip"))

    def pull(self, line: int, high: bool) -> None:
        """Put an outside level on an input."""
        self._pulls[line] = high
        if self.plugged:
            self._attribute(line, "pull").write_text("pull-up" if high else "pull-down")

    def pulled(self, line: int) -> bool | None:
        """The outside level; None if nobody has put one there."""
        return self._pulls.get(line)

    def level(self, line: int) -> bool:
        """The level on the line, whoever drives it."""
        return self._attribute(line, "value").read_text().strip() == "1"

    def _attribute(self, line: int, name: str) -> Path:
        return self._attributes / f"sim_gpio{line}" / name


@dataclass(frozen=True, slots=True)
class Transfer:
    """What went out over SPI in one transfer: bytes, clock in Hz, the kernel's SPI mode bits."""

    data: bytes
    speed_hz: int
    mode: int


def take_transfers() -> list[Transfer]:
    """All SPI transfers since the last call, oldest first."""
    header = struct.Struct("=III")
    tap = os.open(SPI_TAP, os.O_RDONLY)
    try:
        records = iter(lambda: os.read(tap, 1 << 20), b"")
        return [
            Transfer(record[header.size :], speed_hz, mode)
            for record in records
            for _, speed_hz, mode in [header.unpack_from(record)]
        ]
    finally:
        os.close(tap)


def plug_spi() -> None:
    """Give the SPI port to programs, if it is not theirs."""
    if not Path(SPI).exists():
        (SPI_DRIVER / "bind").write_text(SPI_DEVICE)
        wait_until(Path(SPI).exists, f"{SPI} appears")


def unplug_spi() -> None:
    """Take it away, whoever uses it."""
    (SPI_DRIVER / "unbind").write_text(SPI_DEVICE)
    wait_until(lambda: not Path(SPI).exists(), f"{SPI} vanishes")


class UsbSerial:
    """A USB serial device on a cable: `device` is its own end, a tty; `link` is what a program
    opens, a link to the /dev/ttyACM of the moment, kept as udev keeps /dev/serial/by-id.

    There while the `with` block runs, unplugged at first.
    """

    _numbers = count()

    def __init__(self, folder: Path) -> None:
        self.serial_number = f"table-{next(self._numbers)}"
        self.link = folder / f"usb-burnturn_{self.serial_number}-if00"
        self.device = ""
        self._gadget = CONFIGFS / "usb_gadget" / self.serial_number
        self._controller = ""

    def __enter__(self) -> Self:
        gadget = self._gadget
        gadget.mkdir()
        (gadget / "idVendor").write_text("0x0525")
        (gadget / "idProduct").write_text("0xa4a7")
        for folder in ("strings/0x409", "configs/table.1", "functions/acm.table"):
            (gadget / folder).mkdir(parents=True)
        (gadget / "strings/0x409/manufacturer").write_text("burnturn")
        (gadget / "strings/0x409/product").write_text("test reader")
        (gadget / "strings/0x409/serialnumber").write_text(self.serial_number)
        (gadget / "configs/table.1/acm.table").symlink_to(gadget / "functions/acm.table")
        port = (gadget / "functions/acm.table/port_num").read_text().strip()
        self.device = f"/dev/ttyGS{port}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gadget = self._gadget
        if self.plugged:
            self.unplug()
        (gadget / "configs/table.1/acm.table").unlink()
        for folder in ("configs/table.1", "functions/acm.table", "strings/0x409", "."):
            (gadget / folder).rmdir()

    @property
    def plugged(self) -> bool:
        return bool(self._controller)

    def plug(self) -> None:
        """Put the cable in; returns once the host has its port."""
        taken = {p.read_text().strip() for p in self._gadget.parent.glob("*/UDC")}
        free = sorted(c.name for c in Path("/sys/class/udc").iterdir() if c.name not in taken)
        (self._gadget / "UDC").write_text(free[0])
        self._controller = free[0]
        wait_until(lambda: self._host_port() is not None, "the host has a port for the USB device")
        self.link.symlink_to(f"/dev/{self._host_port()}")

    def unplug(self) -> None:
        """Pull it; returns once the host has taken its port away."""
        (self._gadget / "UDC").write_text("\n")
        self._controller = ""
        wait_until(lambda: self._host_port() is None, "the host takes the port away")
        self.link.unlink()

    def _host_port(self) -> str | None:
        """Name of the /dev/ttyACM behind which this device is, if its node is there."""
        for port in Path("/sys/class/tty").glob("ttyACM*"):
            try:
                number = (port / "device/../serial").read_text().strip()
            except OSError:
                continue
            if number == self.serial_number and Path(f"/dev/{port.name}").exists():
                return port.name
        return None
