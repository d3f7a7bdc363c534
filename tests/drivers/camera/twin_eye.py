"""A camera that behaves like one: noise in every picture, a plug that can be pulled, automatisms
that may not be held."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from drivers.camera.eye import Taken
from drivers.errors import LinkLostError, PortUnavailableError


class TwinEye:
    """Gives a picture for each `let`, stamped by `clock`. loose: what it does not let be held.
    Threads: the camera's own takes, the test lets."""

    def __init__(self, clock: Callable[[], float], loose: str = "", size: int = 8) -> None:
        self.plugged = True
        self.frozen = False
        self.size = size
        self.opened = 0
        self.locked = 0
        self.thread_names: set[str] = set()
        self._clock = clock
        self._loose = loose
        self._turns = threading.Semaphore(0)
        self._chance = np.random.default_rng(7)
        self._picture = self._noise()

    def let(self, pictures: int = 1) -> None:
        """So many more pictures may be taken."""
        self._turns.release(pictures)

    def unplug(self) -> None:
        self.plugged = False
        self._turns.release()  # the driver waits for a picture, and gets an error instead

    def open(self) -> None:
        if not self.plugged:
            raise PortUnavailableError("no camera is there", "twin", "Plug it in.")
        self.opened += 1

    def take(self) -> Taken:
        self.thread_names.add(threading.current_thread().name)
        self._turns.acquire()
        self._must_be_there()
        if not self.frozen:
            self._picture = self._noise()
        at = self._clock()
        return Taken(self._picture.copy(), at - 0.05, at)

    def lock(self) -> str:
        self.locked += 1
        return self._loose

    def still(self) -> Taken:
        self._must_be_there()
        at = self._clock()
        return Taken(np.zeros((32, 32, 3), np.uint8), at - 0.05, at)

    def close(self) -> None:
        pass

    def _must_be_there(self) -> None:
        if not self.plugged:
            raise LinkLostError("it gives no picture any more", "twin", "Check its cable.")

    def _noise(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        return self._chance.integers(0, 255, (self.size, self.size, 3), dtype=np.uint8)
