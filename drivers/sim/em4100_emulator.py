"""An RDM6300 or ID-12LA without hardware. It repeats a tag while it lies there (RDM6300), or says
it once a placing (ID-12LA); two tags at once silence each other."""

from __future__ import annotations

import random
from enum import StrEnum
from math import inf

from drivers.readings import Uid
from drivers.rfid.em4100_codec import TagHeard
from drivers.sim.pepper_emulator import FieldModel

PERIOD_S = 0.1
"""Between two reports of a tag that stays."""


class Em4100Fault(StrEnum):
    TRUNCATED_FRAME = "truncated frame"
    CORRUPT_FRAME = "corrupt frame"
    NOISE_BURST = "noise burst"


class Em4100Emulator:
    """One emulated module. repeats: False for an ID-12LA. It hears nothing."""

    def __init__(
        self,
        field: FieldModel,
        antenna: int,
        *,
        repeats: bool = True,
        name: str = "reader 1",
        seed: int = 0,
    ) -> None:
        self.name = name
        self.plugged = True
        self._field = field
        self._antenna = antenna
        self._repeats = repeats
        self._random = random.Random(seed)
        self._due = 0.0
        self._before: Uid | None = None
        self._spoil: list[Em4100Fault] = []
        self._noisy_until = -inf

    @property
    def wake_at(self) -> float:
        return self._due if self.plugged else inf

    def feed(self, data: bytes, now: float) -> bytes:
        """It has no ears."""
        return self.tick(now)

    def tick(self, now: float) -> bytes:
        """The time; gives what it sends by now."""
        if not self.plugged or now < self._due:
            return b""
        self._due = now + PERIOD_S
        found = self._field.look(self._antenna, now, now) or ()
        tag = found[0] if len(found) == 1 and len(found[0]) == 5 else None
        fresh = tag is not None and (self._repeats or tag != self._before)
        self._before = tag
        wire = TagHeard(tag).wire(line_end=not self._repeats) if fresh and tag else b""
        return self._sent(wire, now)

    def _sent(self, wire: bytes, now: float) -> bytes:
        if now < self._noisy_until:
            return self._random.randbytes(self._random.randint(1, 24))
        if wire and self._spoil:
            fault = self._spoil.pop()
            if fault is Em4100Fault.TRUNCATED_FRAME:
                return wire[:-4]
            return wire[:5] + bytes((wire[5] ^ 1,)) + wire[6:]
        return wire

    def arm(
        self, fault: Em4100Fault, now: float = 0.0, *, times: int = 1, for_s: float = 1.0
    ) -> None:
        """Let a fault happen: to the next `times` reports, or from now for `for_s` (noise)."""
        if fault is Em4100Fault.NOISE_BURST:
            self._noisy_until = now + for_s
        else:
            self._spoil += [fault] * times

    def unplug(self) -> None:
        self.plugged = False
        self._before = None

    def plug(self, now: float = 0.0) -> None:
        self.plugged = True
        self._due = now + PERIOD_S
