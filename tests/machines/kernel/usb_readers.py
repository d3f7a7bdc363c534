"""An emulated reader at the far end of a real USB cable."""

from __future__ import annotations

import os
import tty

from drivers.sim.pepper_emulator import PepperEmulator
from tests.machines.kernel.devices import UsbSerial


class UsbRim:
    """A rim (see `pepper_rims`) on a USB device's own end. The reader is fed by its cable: pulled,
    it forgets everything, and restarts."""

    def __init__(self, emulator: PepperEmulator, usb: UsbSerial) -> None:
        self.emulator = emulator
        self._usb = usb
        self._port = self._open()

    @property
    def address(self) -> str:
        return str(self._usb.link)

    def _open(self) -> int:
        port = os.open(self._usb.device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(port)
        return port

    def descriptors(self) -> list[int]:
        return [self._port]

    def ready(self, descriptor: int, now: float) -> None:
        try:
            data = os.read(self._port, 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._send(self.emulator.feed(data, now))
        else:
            os.close(self._port)
            self._port = self._open()
            self.emulator.plug(now)

    def tick(self, now: float) -> None:
        if now >= self.emulator.wake_at:
            self._send(self.emulator.tick(now))

    def _send(self, data: bytes) -> None:
        if data:
            try:
                os.write(self._port, data)
            except OSError:
                # Nobody reads, or the cable is out: lost.
                return

    def close(self) -> None:
        os.close(self._port)
