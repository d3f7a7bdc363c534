"""Where an emulated reader meets a real port: a pseudo-terminal, a TCP address, or virtual time."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import tempfile
import threading
import time
import tty
from collections.abc import Sequence
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from drivers.contracts import Clock
from drivers.errors import LinkLostError, PortUnavailableError
from drivers.rfid.wires import Connect, Wire


class Emulated(Protocol):
    """A device without I/O: bytes and time in, bytes out; its plug can be pulled."""

    @property
    def plugged(self) -> bool: ...

    @property
    def wake_at(self) -> float: ...

    def feed(self, data: bytes, now: float) -> bytes: ...

    def tick(self, now: float) -> bytes: ...

    def unplug(self) -> None: ...

    def plug(self, now: float) -> None: ...


class Rim(Protocol):
    """A port with an emulated device behind it. `address` is what a driver opens."""

    @property
    def emulator(self) -> Emulated: ...

    @property
    def address(self) -> str: ...

    def descriptors(self) -> list[int]:
        """What to wait on."""
        ...

    def ready(self, descriptor: int, now: float) -> None:
        """Bytes or a connection are waiting there."""
        ...

    def tick(self, now: float) -> None: ...

    def close(self) -> None: ...


class PtyRim:
    """A pseudo-terminal. `address` is a link that stays the same when the reader is plugged in
    again."""

    def __init__(self, emulator: Emulated) -> None:
        self.emulator = emulator
        self._folder = tempfile.TemporaryDirectory(prefix="pepper-")
        self._link = Path(self._folder.name) / "tty"
        self._master = self._slave = -1
        self._plug()

    @property
    def address(self) -> str:
        return str(self._link)

    def _plug(self) -> None:
        self._master, self._slave = os.openpty()
        # Our own hold on the far side keeps the terminal alive while the driver reopens it.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._link.symlink_to(os.ttyname(self._slave))

    def _unplug(self) -> None:
        self._link.unlink()
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def descriptors(self) -> list[int]:
        return [self._master] if self._master >= 0 else []

    def ready(self, descriptor: int, now: float) -> None:
        try:
            data = os.read(self._master, 4096)
        except OSError:
            return
        self._send(self.emulator.feed(data, now))

    def tick(self, now: float) -> None:
        if self.emulator.plugged != (self._master >= 0):
            if self.emulator.plugged:
                self._plug()
            else:
                self._unplug()
        if self._master >= 0 and now >= self.emulator.wake_at:
            self._send(self.emulator.tick(now))

    def _send(self, data: bytes) -> None:
        if data:
            try:
                os.write(self._master, data)
            except BlockingIOError:
                # Nobody reads: a serial line loses what it cannot hold.
                return

    def close(self) -> None:
        if self._master >= 0:
            self._unplug()
        self._folder.cleanup()


class TcpRim:
    """A TCP server on this machine that serves one program at a time; a new one replaces the
    old."""

    def __init__(self, emulator: Emulated, port: int = 0) -> None:
        self.emulator = emulator
        self._port = port
        self._server: socket.socket | None = None
        self._client: socket.socket | None = None
        self._plug()

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def _plug(self) -> None:
        self._server = socket.create_server(("127.0.0.1", self._port))
        self._server.setblocking(False)
        self._port = self._server.getsockname()[1]

    def _unplug(self) -> None:
        for end in (self._client, self._server):
            if end is not None:
                end.close()
        self._client = self._server = None

    def descriptors(self) -> list[int]:
        return [end.fileno() for end in (self._server, self._client) if end is not None]

    def ready(self, descriptor: int, now: float) -> None:
        if self._server is not None and descriptor == self._server.fileno():
            # Accepted before the old one is closed: else the new one could take over its number,
            # and whoever waits on numbers would not notice the change.
            old = self._client
            self._client, _ = self._server.accept()
            self._client.setblocking(False)
            self._client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if old is not None:
                old.close()
        elif self._client is not None:
            try:
                data = self._client.recv(4096)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if data:
                self._send(self.emulator.feed(data, now))
            else:
                self._client.close()
                self._client = None

    def tick(self, now: float) -> None:
        if self.emulator.plugged != (self._server is not None):
            if self.emulator.plugged:
                self._plug()
            else:
                self._unplug()
        if self._server is not None and now >= self.emulator.wake_at:
            self._send(self.emulator.tick(now))

    def _send(self, data: bytes) -> None:
        if data and self._client is not None:
            try:
                self._client.send(data)
            except OSError:
                self._client.close()
                self._client = None

    def close(self) -> None:
        self._unplug()


class ServedByThread:
    """Serves rims from a thread of their own, for a program that blocks, while the `with` block
    runs."""

    _LONGEST_WAIT_S = 0.02

    def __init__(self, rims: Sequence[Rim], clock: Clock = time.monotonic) -> None:
        self._rims = tuple(rims)
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="emulated readers", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        for rim in self._rims:
            rim.close()

    def _serve(self) -> None:
        while not self._stop.is_set():
            owner = {d: rim for rim in self._rims for d in rim.descriptors()}
            wake = min((rim.emulator.wake_at for rim in self._rims), default=inf)
            wait_s = min(max(wake - self._clock(), 0.0), self._LONGEST_WAIT_S)
            waiting, _, _ = select.select(list(owner), [], [], wait_s)
            for descriptor in waiting:
                owner[descriptor].ready(descriptor, self._clock())
            for rim in self._rims:
                rim.tick(self._clock())


class ServedByLoop:
    """Serves rims from the running event loop, in the same thread as the driver, inside `async
    with`."""

    def __init__(self, rims: Sequence[Rim], clock: Clock = time.monotonic) -> None:
        self._rims = tuple(rims)
        self._clock = clock
        self._watched: dict[int, Rim] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._arm()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        for descriptor in self._watched:
            loop.remove_reader(descriptor)
        self._watched.clear()
        if self._timer is not None:
            self._timer.cancel()
        for rim in self._rims:
            rim.close()

    def unplug(self, rim: Rim) -> None:
        """Pull a reader's cable."""
        self._unwatch()
        rim.emulator.unplug()
        rim.tick(self._clock())
        self._arm()

    def plug(self, rim: Rim) -> None:
        """Put it back; the reader restarts."""
        self._unwatch()
        now = self._clock()
        rim.emulator.plug(now)
        rim.tick(now)
        self._arm()

    def _unwatch(self) -> None:
        loop = asyncio.get_running_loop()
        for descriptor in self._watched:
            loop.remove_reader(descriptor)
        self._watched.clear()

    def _arm(self) -> None:
        loop = asyncio.get_running_loop()
        current = {d: rim for rim in self._rims for d in rim.descriptors()}
        if current != self._watched:
            self._unwatch()
            for descriptor, rim in current.items():
                loop.add_reader(descriptor, self._on_ready, rim, descriptor)
            self._watched = current
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wake = min((rim.emulator.wake_at for rim in self._rims), default=inf)
        if wake < inf:
            self._timer = loop.call_later(max(wake - self._clock(), 0.0), self._on_time)

    def _on_ready(self, rim: Rim, descriptor: int) -> None:
        rim.ready(descriptor, self._clock())
        self._arm()

    def _on_time(self) -> None:
        self._timer = None
        for rim in self._rims:
            rim.tick(self._clock())
        self._arm()


class VirtualClock:
    """A clock that only moves when somebody waits; no waiting takes real time.

    Call it for the time; `sleep` goes with it. While others move the clock a sleeper waits for
    them; when nobody does, the earliest sleeper moves it.
    """

    _PATIENCE = 50

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._sleepers: list[float] = []

    def __call__(self) -> float:
        return self._now

    def advance_to(self, when: float) -> None:
        """Move on to `when`, if that lies ahead."""
        self._now = max(self._now, when)

    async def sleep(self, seconds: float) -> None:
        until = self._now + seconds
        self._sleepers.append(until)
        try:
            seen, idle = self._now, 0
            while self._now < until:
                await asyncio.sleep(0)
                idle = idle + 1 if self._now == seen else 0
                seen = self._now
                if idle > self._PATIENCE and until <= min(self._sleepers):
                    self.advance_to(until)
        finally:
            self._sleepers.remove(until)


class VirtualWire:
    """A driver's wire to an emulated reader in virtual time: waiting moves the clock."""

    def __init__(self, emulator: Emulated, clock: VirtualClock, where: str) -> None:
        self._emulator = emulator
        self._clock = clock
        self._where = where
        self._inbox = b""

    def write(self, data: bytes) -> None:
        self._check()
        self._inbox += self._emulator.feed(data, self._clock())

    def take(self) -> bytes:
        self._check()
        data, self._inbox = self._inbox, b""
        return data

    async def read(self, timeout_s: float) -> bytes:
        await asyncio.sleep(0)
        self._check()
        until = self._clock() + max(timeout_s, 0.0)
        while not self._inbox and self._emulator.wake_at <= until:
            self._clock.advance_to(self._emulator.wake_at)
            self._inbox += self._emulator.tick(self._clock())
        if not self._inbox:
            self._clock.advance_to(until)
        return self.take()

    def close(self) -> None:
        self._inbox = b""

    def _check(self) -> None:
        if not self._emulator.plugged:
            raise LinkLostError("the link is gone", self._where, "Check its cable.")


def virtual_connect(emulator: Emulated, clock: VirtualClock, where: str) -> Connect:
    """A connector for a `WireLink` that opens a `VirtualWire`."""

    async def connect() -> Wire:
        if not emulator.plugged:
            raise PortUnavailableError("the port is not there", where, "Plug the reader in.")
        return VirtualWire(emulator, clock, where)

    return connect
