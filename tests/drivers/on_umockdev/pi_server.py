"""The far side of an emulated Raspberry Pi: answers the ioctls of a GPIO chip and SPI ports, and
holds the USB sockets into which serial ports are plugged.

Runs under the system's own Python, which has the bindings of umockdev; `mock_pi.py` starts it and
speaks JSON with it, one object a line. The device files are umockdev's; what the kernel would do
behind them is here, by linux/gpio.h (version 2) and linux/spi/spidev.h.

    in:  {"do": "offer", "line": 4, "fd": 9}         the client's descriptor for that line, once
         {"do": "take-back"}                         which were not used
         {"do": "level", "line": 4, "high": true}    the wire's level; with "ns", an edge is told
         {"do": "hold", "line": 4, "by": "spi0 CS0"} somebody else holds it; "" for nobody
         {"do": "gone", "is": true}                  the chip is pulled
         {"do": "spi"}                               what the SPI ports were sent since
         {"do": "plug", "socket": "1-1", "name": "ttyACM0", "to": "/tmp/far/tty", "usb": {...}}
                                                     a serial port is plugged in, the other end of
                                                     "to"; "usb": files of its folder in /sys
         {"do": "unplug", "socket": "1-1"}           it is pulled
    out: {"ok": true, ...}
"""

from __future__ import annotations

import errno
import json
import os
import select
import struct
import sys
import threading
import tty
from pathlib import Path
from typing import Any

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

LINES = 28
FD_OFFSET = 588  # of `fd` in struct gpio_v2_line_request
FLAGS_OFFSET = 64 * 4 + 32  # of its config's flags
VALUES_OFFSET = FLAGS_OFFSET + 8 + 4 + 20 + 8  # of the first attribute's values
OUTPUT = 8


class Pi:
    """Levels, holders and descriptors of the lines of one chip; what the SPI ports were sent."""

    def __init__(self, bufsiz: int, label: str) -> None:
        self.bufsiz = bufsiz
        self.label = label
        self.high = [True] * LINES  # as with pull-ups and open switches
        self.holder = [""] * LINES
        self.flags = [0] * LINES
        self.offered: dict[int, list[int]] = {}
        self.gone = False
        self.sent: list[tuple[str, str]] = []
        self.plugged: dict[str, threading.Event] = {}
        self.speed: dict[str, int] = {}


class Device(UMockdev.IoctlBase):  # type: ignore[misc]
    """One device file; `answer` gives a result, or minus an errno."""

    pi: Pi

    def do_handle_ioctl(self, client: Any) -> bool:
        request = client.get_request() & 0xFFFFFFFF
        try:
            result = self.answer(request & 0xFF, request >> 16 & 0x3FFF, request >> 30, client)
        except Exception as error:  # a bug here must not look like a silent kernel
            print("pi_server:", type(error).__name__, error, hex(request), file=sys.stderr)
            result = -errno.EIO
        client.complete(-1 if result < 0 else result, -result if result < 0 else 0)
        return True

    def answer(self, number: int, size: int, way: int, client: Any) -> int:
        """What a device file that knows no request says of every one."""
        return -errno.ENOTTY


class Chip(Device):
    def answer(self, number: int, size: int, way: int, client: Any) -> int:
        pi = self.pi
        if pi.gone:
            return -errno.ENODEV
        argument = client.get_arg().resolve(0, size)
        raw = bytes(argument.retrieve())
        if number == 0x01:
            argument.update(0, struct.pack("32s32sI", b"gpiochip0", pi.label.encode(), LINES))
        elif number == 0x05:
            line = struct.unpack_from("<I", raw, 64)[0]
            if line >= LINES:
                return -errno.EINVAL
            holder = pi.holder[line]
            name = f"GPIO{line}".encode()
            info = struct.pack("<32s32sIIQ", name, holder.encode(), line, 0, int(bool(holder)))
            argument.update(0, info)
        elif number == 0x07:
            line = struct.unpack_from("<I", raw, 0)[0]
            if line >= LINES:
                return -errno.EINVAL
            if pi.holder[line]:
                return -errno.EBUSY
            pi.flags[line] = struct.unpack_from("<Q", raw, FLAGS_OFFSET)[0]
            if pi.flags[line] & OUTPUT:
                pi.high[line] = bool(struct.unpack_from("<Q", raw, VALUES_OFFSET)[0] & 1)
            if not pi.offered.get(line):
                return -errno.EMFILE  # a library may give a line back by opening it once more
            argument.update(FD_OFFSET, struct.pack("<i", pi.offered[line].pop(0)))
        else:
            return -errno.ENOTTY
        return 0


class Line(Device):
    line: int

    def answer(self, number: int, size: int, way: int, client: Any) -> int:
        if self.pi.gone:
            return -errno.ENODEV
        argument = client.get_arg().resolve(0, size)
        if number == 0x0E:
            argument.update(0, struct.pack("<Q", int(self.pi.high[self.line])))
        elif number == 0x0F:
            self.pi.high[self.line] = bool(struct.unpack("<Q", bytes(argument.retrieve())[:8])[0])
        else:
            return -errno.ENOTTY
        return 0


class Spi(Device):
    name: str

    def answer(self, number: int, size: int, way: int, client: Any) -> int:
        if self.pi.gone:
            return -errno.ESHUTDOWN
        argument = client.get_arg().resolve(0, size)
        if number:  # mode, bits, speed: written ones are kept, read ones are 0
            if way == 2:
                argument.update(0, bytes(size))
            elif number == 0x04:
                self.pi.speed[self.name] = struct.unpack("<I", bytes(argument.retrieve()))[0]
            return 0
        length = struct.unpack_from("<QQI", bytes(argument.retrieve()))[2]
        if length > self.pi.bufsiz:
            return -errno.EMSGSIZE
        sent = bytes(argument.resolve(0, length).retrieve())
        self.pi.sent.append((self.name, sent.hex()))
        return int(length)


def serve() -> None:
    pi = Pi(bufsiz=int(sys.argv[1]), label=sys.argv[2])
    bed = UMockdev.Testbed.new()
    parts = ["P: /devices/gc0\nN: gpiochip0\nE: DEVNAME=/dev/gpiochip0\nE: SUBSYSTEM=gpio\n"]
    parts += [
        f"P: /devices/gl{n}\nN: gpioline{n}\nE: DEVNAME=/dev/gpioline{n}\nE: SUBSYSTEM=gpio\n"
        for n in range(LINES)
    ]
    spi_ports = ("spidev0.0", "spidev0.1")
    parts += [
        f"P: /devices/{name}\nN: {name}\nE: DEVNAME=/dev/{name}\nE: SUBSYSTEM=spidev\n"
        for name in spi_ports
    ]
    bed.add_from_string("\n".join(parts))
    folder = Path(bed.get_root_dir(), "sys/module/spidev/parameters")
    folder.mkdir(parents=True)
    (folder / "bufsiz").write_text(f"{pi.bufsiz}\n")
    devices: list[Device] = [Chip()]
    bed.attach_ioctl("/dev/gpiochip0", devices[0])
    for n in range(LINES):
        line = Line()
        line.line = n
        bed.attach_ioctl(f"/dev/gpioline{n}", line)
        devices.append(line)
    for name in spi_ports:
        spi = Spi()
        spi.name = name
        bed.attach_ioctl(f"/dev/{name}", spi)
        devices.append(spi)
    for device in devices:
        device.pi = pi
    loop = GLib.MainLoop()
    threading.Thread(target=listen, args=(pi, bed, loop), daemon=True).start()
    print(json.dumps({"ok": True, "folder": bed.get_root_dir()}), flush=True)
    loop.run()


def listen(pi: Pi, bed: Any, loop: Any) -> None:
    for text in sys.stdin:
        print(json.dumps({"ok": True, **obey(pi, bed, json.loads(text))}), flush=True)
    GLib.idle_add(loop.quit)  # by the loop itself: it may not even run yet


def folder_of(socket: str) -> str:
    return f"/sys/devices/usb1/{socket}"


def plug(pi: Pi, bed: Any, order: dict[str, Any]) -> None:
    """A converter (ttyUSB*) has a device of its own between interface and port; an Arduino's
    ttyACM* has not."""
    socket, name = order["socket"], order["name"]
    usb = f"/devices/usb1/{socket}"
    held = f"{usb}/{socket}:1.0"
    parts = [f"P: {usb}\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\n"]
    files = {"bNumInterfaces": " 1", **order["usb"]}
    parts[0] += "".join(f"A: {file}={text}\\n\n" for file, text in files.items() if text)
    parts.append(f"P: {held}\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\n")
    if name.startswith("ttyUSB"):
        held += f"/{name}"
        parts.append(f"P: {held}\nE: SUBSYSTEM=usb-serial\n")
    node = f"P: {held}/tty/{name}\nN: {name}\nE: DEVNAME=/dev/{name}\nE: SUBSYSTEM=tty\n"
    parts.append(node + "L: device=../..\n")
    bed.add_from_string("\n".join(parts))
    pulled = threading.Event()
    pi.plugged[socket] = pulled
    if order["to"]:
        near, far = bed.get_dev_fd(f"/dev/{name}"), os.open(order["to"], os.O_RDWR | os.O_NOCTTY)
        for end in (near, far):
            tty.setraw(end)
        threading.Thread(target=join, args=(near, far, pulled), daemon=True).start()


def join(near: int, far: int, pulled: threading.Event) -> None:
    """Bytes both ways, until it is pulled: whoever has the port open is told then."""
    while not pulled.is_set():
        for end in select.select((near, far), (), (), 0.05)[0]:
            try:
                os.write(near if end == far else far, os.read(end, 4096))
            except OSError:
                pulled.wait(0.05)  # nobody has it open
    os.close(near)
    os.close(far)


def obey(pi: Pi, bed: Any, order: dict[str, Any]) -> dict[str, Any]:
    match order["do"]:
        case "offer":
            pi.offered.setdefault(order["line"], []).append(order["fd"])
        case "take-back":
            left = [fd for fds in pi.offered.values() for fd in fds]
            pi.offered.clear()
            return {"left": left}
        case "level":
            line, high = order["line"], order["high"]
            pi.high[line] = high
            if "ns" in order:
                edge = 1 if high else 2
                event = struct.pack("<QIIII24x", order["ns"], edge, line, 1, 1)
                os.write(bed.get_dev_fd(f"/dev/gpioline{line}"), event)
        case "hold":
            pi.holder[order["line"]] = order["by"]
        case "gone":
            pi.gone = order["is"]
        case "plug":
            plug(pi, bed, order)
        case "unplug":
            pi.plugged.pop(order["socket"]).set()
            bed.remove_device(folder_of(order["socket"]))
        case "line":
            return {"high": pi.high[order["line"]], "flags": pi.flags[order["line"]]}
        case "spi":
            sent, pi.sent = pi.sent, []
            return {"sent": sent, "speed": pi.speed}
    return {}


if __name__ == "__main__":
    serve()
