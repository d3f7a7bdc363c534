"""An emulated Raspberry Pi for code that opens /dev/gpiochip0 and /dev/spidev0.0 itself.

umockdev answers for the device files, in every process that was started under it; `pi_server.py`
answers for the kernel behind them. A GPIO line request answers with a descriptor of the asking
process: `MockPi.offer` opens one beforehand, as only the kernel could do it in between.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PYTHON = "/usr/bin/python3"
"""The one that Debian's package python3-gi belongs to."""
PACKAGES = "umockdev gir1.2-umockdev-1.0 python3-gi"
SERVER = Path(__file__).with_name("pi_server.py")


def missing() -> str:
    """Why there can be no emulated Pi here; "" if there can."""
    ask = "import gi; gi.require_version('UMockdev', '1.0')"
    try:
        subprocess.run([PYTHON, "-c", ask], check=True, capture_output=True)
        subprocess.run(["umockdev-wrapper", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return f"needs the packages {PACKAGES} (apt-get install)"
    return ""


class MockPi:
    """The Pi's far side. Times of edges are wall clock nanoseconds, as periphery asks for."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server
        self.folder = self._answer()["folder"]

    def offer(self, lines: Iterable[int]) -> None:
        """Let these lines be opened once more each."""
        for line in lines:
            descriptor = os.open(f"/dev/gpioline{line}", os.O_RDWR | os.O_CLOEXEC)
            self._do("offer", line=line, fd=descriptor)

    def take_back(self) -> None:
        """Close what was offered and not opened: umockdev bears with fifty descriptors."""
        for descriptor in self._do("take-back")["left"]:
            os.close(descriptor)

    def set(self, line: int, high: bool, *, ago_s: float = 0.0) -> None:
        """The line changes, or changed so long ago; its edge is told."""
        self._do("level", line=line, high=high, ns=time.time_ns() - int(ago_s * 1e9))

    def set_unseen(self, line: int, high: bool) -> None:
        """The line changes, and its edge gets lost."""
        self._do("level", line=line, high=high)

    def hold(self, line: int, by: str) -> None:
        self._do("hold", line=line, by=by)

    def pull(self, gone: bool = True) -> None:
        """The chip and the SPI ports vanish, or come back."""
        self._do("gone", **{"is": gone})

    def is_high(self, line: int) -> bool:
        return bool(self._do("line", line=line)["high"])

    def flags(self, line: int) -> int:
        """GPIO_V2_LINE_FLAG bits with which the line was last opened."""
        return int(self._do("line", line=line)["flags"])

    def plug_usb(self, socket: str, name: str, to: str = "", **usb: str) -> None:
        """Plug a serial port in. socket: such as "1-1". name: such as "ttyACM0". to: the far end's
        own port. usb: files of its folder in /sys, such as idVendor="2341"."""
        self._do("plug", socket=socket, name=name, to=to, usb=usb)

    def unplug_usb(self, socket: str) -> None:
        self._do("unplug", socket=socket)

    def sent(self, *ports: str) -> list[list[bytes]]:
        """What each of these SPI ports was sent since the last time, a transfer each."""
        sent = [(name, bytes.fromhex(t)) for name, t in self._do("spi")["sent"]]
        return [[transfer for name, transfer in sent if name == port] for port in ports]

    def speed(self, port: str) -> int:
        """Hertz."""
        return int(self._do("spi")["speed"][port])

    def _do(self, what: str, **details: Any) -> dict[str, Any]:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"do": what, **details}) + "\n")
        self._server.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        answer: dict[str, Any] = json.loads(self._server.stdout.readline())
        return answer


@contextmanager
def mock_pi(bufsiz: int = 4096, label: str = "pinctrl-bcm2711") -> Iterator[MockPi]:
    """An emulated Pi; this process must run under umockdev."""
    plain = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "UMOCKDEV_DIR")}
    server = subprocess.Popen(
        [PYTHON, str(SERVER), str(bufsiz), label],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=plain,
    )
    try:
        pi = MockPi(server)
        os.environ["UMOCKDEV_DIR"] = pi.folder
        yield pi
        pi.take_back()
    finally:
        os.environ.pop("UMOCKDEV_DIR", None)
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.close()
        server.wait(timeout=20)
        server.stdout.close()
