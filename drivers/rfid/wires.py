"""The two ways to a device: a serial port or a TCP address. Bytes only; every loss is a
LinkLostError."""

from __future__ import annotations

import asyncio
import os
import socket
import termios
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import serial

from drivers.errors import (
    LinkLostError,
    MisconfiguredError,
    PortUnavailableError,
    WrongDeviceError,
)
from drivers.usb_ports import listed

BAUD = 115_200
CONNECT_S = 3.0


class Wire(Protocol):
    """An open link. `write`, `take` and `read` raise LinkLostError when it is gone."""

    def write(self, data: bytes) -> None: ...

    def take(self) -> bytes:
        """The bytes that have come already; does not wait."""
        ...

    async def read(self, timeout_s: float) -> bytes:
        """The next bytes, or b"" if none come in time."""
        ...

    def close(self) -> None: ...


Connect = Callable[[], Awaitable[Wire]]
"""Opens the link; raises PortUnavailableError."""


class DescriptorWire:
    """A wire over an open, non-blocking file descriptor, closed by `close_port`."""

    def __init__(self, descriptor: int, close_port: Callable[[], None], where: str) -> None:
        self._descriptor = descriptor
        self._close_port = close_port
        self._where = where

    def write(self, data: bytes) -> None:
        try:
            written = os.write(self._descriptor, data)
        except OSError as error:
            raise self._lost() from error
        if written != len(data):
            raise self._lost()

    def take(self) -> bytes:
        try:
            data = os.read(self._descriptor, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise self._lost() from error
        if not data:
            raise self._lost()
        return data

    async def read(self, timeout_s: float) -> bytes:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(self._descriptor, _settle, ready)
        except (OSError, ValueError) as error:
            raise self._lost() from error
        timer = loop.call_later(max(timeout_s, 0.0), _settle, ready)
        try:
            await ready
        finally:
            timer.cancel()
            loop.remove_reader(self._descriptor)
        return self.take()

    def close(self) -> None:
        self._close_port()

    def _lost(self) -> LinkLostError:
        return LinkLostError(
            "the link is gone",
            self._where,
            "Check its cable and power; it is tried again by itself.",
        )


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


async def open_serial(path: str, where: str, baud: int = BAUD) -> Wire:
    """The serial port at `path`, 8N1, ours alone, with DTR and RTS low, which a reader needs so
    as not to be held in reset."""
    port = serial.Serial(baudrate=baud, timeout=0, exclusive=True)
    port.port = path
    port.dtr = False
    port.rts = False
    try:
        await asyncio.to_thread(port.open)
        descriptor = port.fileno()
        _block_when_empty(descriptor)
    except (serial.SerialException, OSError, termios.error) as error:
        port.close()
        raise PortUnavailableError(
            f"{path} cannot be opened",
            where,
            "Check the cable and the port's name, that no other program holds the port, "
            "and that this user may use serial ports (group dialout).",
        ) from error
    return DescriptorWire(descriptor, port.close, where)


def _block_when_empty(descriptor: int) -> None:
    """Have an empty line refuse the read, so that zero bytes mean that the far end is gone."""
    mode = termios.tcgetattr(descriptor)
    mode[6][termios.VMIN] = 1
    termios.tcsetattr(descriptor, termios.TCSANOW, mode)


async def open_tcp(host: str, port: int, where: str) -> Wire:
    """The reader's TCP server."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_S):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            family, kind, protocol, _, address = found[0]
            link = socket.socket(family, kind, protocol)
            try:
                link.setblocking(False)
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                await loop.sock_connect(link, address)
            except BaseException:
                link.close()
                raise
    except OSError as error:
        raise PortUnavailableError(
            f"{host}:{port} does not take a connection",
            where,
            "Check the reader's network cable, power and address; it serves one program at a time.",
        ) from error
    return DescriptorWire(link.fileno(), link.close, where)


def connector(address: str, where: str, baud: int = BAUD) -> Connect:
    """How to open `address`: a serial device's path, or ``tcp://host:port``. Raises
    MisconfiguredError."""
    if "://" not in address:
        if not address:
            raise MisconfiguredError("its port is empty", where, _ADDRESSES)
        return lambda: open_serial(address, where, baud)
    host, port = tcp_address(address, where)
    return lambda: open_tcp(host, port, where)


def tcp_address(address: str, where: str, otherwise: int | None = None) -> tuple[str, int]:
    """Host and port of ``tcp://host:port``; the port may be missing if there is another one.
    Raises MisconfiguredError."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or otherwise
    except ValueError:
        raise MisconfiguredError(
            f"{address!r} is no address of a reader", where, _ADDRESSES
        ) from None
    if parts.scheme not in ("tcp", "socket") or not host or not port:
        raise MisconfiguredError(f"{address!r} is no address of a reader", where, _ADDRESSES)
    return host, port


SerialOf = Callable[[str], str | None]
"""Serial number of the USB device behind a port; None if there is none or it has none."""


def usb_serial_of(path: str) -> str | None:
    """See `SerialOf`; asks the kernel, opens nothing."""
    there = os.path.realpath(path)
    for port in listed():
        if os.path.realpath(port.device) == there:
            return port.serial_number
    return None


def of_serial(
    connect: Connect, path: str, serial_number: str, where: str, ask: SerialOf = usb_serial_of
) -> Connect:
    """Opens the port only if the USB device with this serial number is behind it: so two readers
    whose cables were swapped never pass for each other. Raises WrongDeviceError."""

    async def checked() -> Wire:
        found = await asyncio.to_thread(ask, path)
        if found is not None and found != serial_number:
            raise WrongDeviceError(
                f"another device is on its port: serial number {found} instead of {serial_number}",
                where,
                "Put its own cable back, or name the port by its entry in /dev/serial/by-id.",
            )
        if found is None and await asyncio.to_thread(Path(path).exists):
            raise WrongDeviceError(
                f"the device on its port has no serial number; {serial_number} is expected",
                where,
                "Put its own cable back, or leave usb_serial out.",
            )
        return await connect()

    return checked


_ADDRESSES = "Give a serial port such as /dev/ttyUSB0, or tcp://192.168.100.1:1234."
