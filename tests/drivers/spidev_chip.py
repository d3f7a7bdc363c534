"""The far side of an emulated /dev/spidev0.0: an emulated MFRC522 behind umockdev's device file.

Runs under the system's own Python, which has the bindings of umockdev. Prints the folder that a
client must name in UMOCKDEV_DIR, and then obeys lines: `lay HEX ...`, `pull`, `put`, `end`.
"""

from __future__ import annotations

import errno
import struct
import sys
import threading
import time
from typing import Any

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

from drivers.readings import Uid  # noqa: E402
from drivers.sim.mfrc522_emulator import Mfrc522Emulator  # noqa: E402

SPI_IOC = 0x6B
READ = 2


class Lying:
    tags: tuple[Uid, ...] = ()

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...]:
        return self.tags


class Spidev(UMockdev.IoctlBase):  # type: ignore[misc]
    """Answers as linux/spi/spidev.h says."""

    chip: Mfrc522Emulator
    gone = False

    def do_handle_ioctl(self, client: Any) -> bool:
        request = client.get_request() & 0xFFFFFFFF
        number, kind, size, way = (
            request & 0xFF,
            request >> 8 & 0xFF,
            request >> 16 & 0x3FFF,
            request >> 30,
        )
        if kind != SPI_IOC:
            return False
        if self.gone:
            client.complete(-1, errno.ESHUTDOWN)
            return True
        argument = client.get_arg().resolve(0, size)
        if number:  # mode, bits, speed
            if way == READ:
                argument.update(0, bytes(size))
            client.complete(0, 0)
            return True
        length = struct.unpack_from("<QQI", bytes(argument.retrieve()))[2]
        sent = bytes(argument.resolve(0, length).retrieve())
        argument.resolve(8, length).update(0, self.chip.transfer(sent, time.monotonic()))
        client.complete(length, 0)
        return True


def serve() -> None:
    bed = UMockdev.Testbed.new()
    name = "spidev0.0"
    bed.add_from_string(
        f"P: /devices/{name}\nN: {name}\nE: DEVNAME=/dev/{name}\nE: SUBSYSTEM=spidev\n"
        "A: dev=153:0\\n\n"
    )
    lying, port = Lying(), Spidev()
    port.chip = Mfrc522Emulator(lying, 1)
    bed.attach_ioctl(f"/dev/{name}", port)
    threading.Thread(target=GLib.MainLoop().run, daemon=True).start()
    print(bed.get_root_dir(), flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "lay":
            lying.tags = tuple(Uid(bytes.fromhex(tag)) for tag in rest)
        elif word in ("pull", "put"):
            port.gone = word == "pull"
        else:
            break
        print("done", flush=True)


if __name__ == "__main__":
    serve()
