"""A card on a virtual PC/SC reader (vsmartcard's vpcd): laid down and taken away over TCP.

The service is the real one, and so is every word between it and the driver. Frames: two bytes of
length, then data; one byte of data is a command: 0 off, 1 on, 2 reset, 4 tell the ATR.
"""

from __future__ import annotations

import contextlib
import socket
import threading

from drivers.readings import Uid

PORT = 35963
_ATR = bytes.fromhex("3B8F8001804F0CA000000306030001000000006A")


class VirtualCard:
    """One card. refuses: it does not tell its UID (6A 81)."""

    def __init__(self, uid: Uid, *, port: int = PORT, refuses: bool = False) -> None:
        self.asked = 0
        self._uid = uid
        self._refuses = refuses
        self._port = port
        self._link: socket.socket | None = None
        self._thread: threading.Thread | None = None

    def lay(self) -> None:
        """Put it on the reader. Raises OSError if there is no reader."""
        link = socket.create_connection(("127.0.0.1", self._port), timeout=5)
        link.settimeout(None)
        self._link = link
        self._thread = threading.Thread(target=self._serve, args=(link,), daemon=True)
        self._thread.start()

    def take(self) -> None:
        """Take it away."""
        link, thread = self._link, self._thread
        self._link = self._thread = None
        if link is not None:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()
        if thread is not None:
            thread.join()

    def _serve(self, link: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while (message := _receive(link)) is not None:
                if len(message) > 1:
                    _send(link, self._answer(message))
                elif message == b"\x04":
                    _send(link, _ATR)

    def _answer(self, command: bytes) -> bytes:
        self.asked += 1
        if command[:2] != b"\xff\xca":
            return b"\x6d\x00"
        return b"\x6a\x81" if self._refuses else bytes(self._uid) + b"\x90\x00"


def _receive(link: socket.socket) -> bytes | None:
    head = _exactly(link, 2)
    return None if head is None else _exactly(link, int.from_bytes(head, "big"))


def _exactly(link: socket.socket, count: int) -> bytes | None:
    data = b""
    while len(data) < count:
        part = link.recv(count - len(data))
        if not part:
            return None
        data += part
    return data


def _send(link: socket.socket, data: bytes) -> None:
    link.sendall(len(data).to_bytes(2, "big") + data)
