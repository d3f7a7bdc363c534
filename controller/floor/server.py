"""The daemon's end of the floor's socket: one request a connection, one answer."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import pwd
import socket
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from controller.floor.commands import (
    LINE_LIMIT,
    Answer,
    Desk,
    FloorError,
    answer_line,
    decide,
    read_request,
)
from controller.model.events import TableEvent

PATIENCE_S = 5.0  # a client that says or reads nothing for so long is cut off
VISITS = 256  # clients at a time; who comes beyond that is sent away at once


class Table(Protocol):
    """What the floor speaks to."""

    def desk(self) -> Desk: ...

    async def tell(self, event: TableEvent) -> bool:
        """Judge the event and journal it; True once it is committed, False if it could not be."""
        ...


class FloorServer:
    """Serves the floor's commands at a Unix socket.

    path: where the socket appears; its folder is made if need be. mode: the socket's permissions,
    0o600 for the daemon's own user or 0o660 for its group. clock: monotonic seconds.

    Raises (on entering):
        FloorError: another daemon answers there, or the place cannot be used.
    """

    def __init__(self, path: Path, mode: int, table: Table, clock: Callable[[], float]) -> None:
        self._path, self._mode, self._table, self._clock = path, mode, table, clock
        self._visits: set[asyncio.Task[None]] = set()
        self._listening: socket.socket | None = None
        self._inode = 0

    async def __aenter__(self) -> Self:
        listening = socket.socket(socket.AF_UNIX)
        listening.setblocking(False)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _check_owner(self._path.parent)
            _clear_stale(self._path)
            # the socket must not be open to all even for the moment before chmod
            before = os.umask(0o177)
            try:
                listening.bind(str(self._path))
            finally:
                os.umask(before)
            self._path.chmod(self._mode)
            self._inode = self._path.stat().st_ino
            listening.listen(VISITS)
        except OSError as error:
            listening.close()
            raise FloorError(
                f"floor socket {self._path}: {error.strerror or error}; "
                "name another place as `socket` in the configuration"
            ) from error
        except FloorError:
            listening.close()
            raise
        self._listening = listening
        asyncio.get_running_loop().add_reader(listening, self._take, listening)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._listening is not None:
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
        visits = list(self._visits)
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _take(self, listening: socket.socket) -> None:
        """Answer whoever knocked; called by the loop."""
        try:
            link, _ = listening.accept()
        except OSError:  # gone before it was taken
            return
        if len(self._visits) >= VISITS:
            link.close()
            return
        link.setblocking(False)
        visit = asyncio.get_running_loop().create_task(self._serve(link))
        self._visits.add(visit)

        def over(_: object) -> None:
            self._visits.discard(visit)
            link.close()  # also where the visit was cancelled before it began

        visit.add_done_callback(over)

    async def _serve(self, link: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(TimeoutError, OSError):
            # who is silent, too long or gone gets no answer, and the table goes on
            async with asyncio.timeout(PATIENCE_S):
                line = b""
                while not line.endswith(b"\n") and (part := await loop.sock_recv(link, 4096)):
                    line += part
                    if len(line) > LINE_LIMIT:
                        return
            if line:
                answer = await self._answer(line, _login(link))
                async with asyncio.timeout(PATIENCE_S):
                    await loop.sock_sendall(link, answer_line(answer))

    async def _answer(self, line: bytes, login: str) -> Answer:
        try:
            command = read_request(line)
            if login and command.by != login:
                command = dataclasses.replace(command, by=f"{command.by} (login {login})")
            event, answer = decide(command, self._table.desk(), self._clock())
        except FloorError as error:
            return Answer(False, str(error))
        if event is None or await self._table.tell(event):
            return answer
        return Answer(
            False,
            "not recorded: the journal cannot be written. "
            "Say it again when the board no longer shows NOT RECORDING",
        )


def _check_owner(folder: Path) -> None:
    """A folder in a place open to all may have been made by somebody else, to listen in."""
    if folder.stat().st_uid not in (0, os.getuid()):
        raise FloorError(
            f"floor socket: the folder {folder} belongs to another user; "
            "name another place as `socket` in the configuration"
        )


def _clear_stale(path: Path) -> None:
    """Remove a socket that nobody answers any more (left by a power cut)."""
    try:
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise FloorError(f"floor socket {path}: something else lies there; move it away")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except OSError:
            path.unlink()
            return
    raise FloorError(f"floor socket {path}: another burnturn answers there; stop it first")


def _login(link: socket.socket) -> str:
    """The login name of whoever connected, as the kernel knows it; "" where it does not say."""
    try:
        packed = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, uid, _ = struct.unpack("3i", packed)
        return pwd.getpwuid(uid).pw_name
    except (OSError, AttributeError, KeyError):
        return ""
