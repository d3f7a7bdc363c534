"""What the controller may ask of a device. Drivers fulfil these; the factory builds them by
name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from drivers.readings import ButtonReading, Health, KeyPress, Poll, SeatReading

if TYPE_CHECKING:
    from drivers.camera.frame import Frame

Clock = Callable[[], float]
"""Monotonic seconds."""

Sleep = Callable[[float], Awaitable[None]]
"""Waits that many seconds by the clock that goes with it."""


class Opened(Protocol):
    """Opened and closed by `async with`."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Device(Opened, Protocol):
    """A device that is absent does not fail to open: it reports `Health`."""

    @property
    def health(self) -> tuple[Health, ...]:
        """The latest state of every part that can fail on its own."""
        ...


class TagReader(Device, Protocol):
    """All tag readers of one table, swept as one."""

    @property
    def antennas(self) -> tuple[int, ...]:
        """Numbers of the antennas at this table, in the order of the deal."""
        ...

    def readings(self) -> AsyncIterator[Poll | Health]:
        """Polls as they end, and every change of health, without end. One consumer at a time."""
        ...

    def focus(self, antennas: Sequence[int]) -> None:
        """Look at these more often from now on, at the first of them most; none: look at all alike.
        Unknown numbers are left out."""
        ...

    def only(self, antenna: int | None) -> None:
        """Look at this antenna alone from now on, as while the deck is counted; None: at all of
        them again. While its reader is lost, the others are looked at. Raises ValueError for an
        antenna that is not at this table."""
        ...


class Inputs(Device, Protocol):
    """Dealer button sensor, seat sensors and the dealer's keys."""

    def readings(self) -> AsyncIterator[ButtonReading | SeatReading | KeyPress | Health]:
        """Changes as they happen, without end."""
        ...


class Camera(Device, Protocol):
    """A camera over the table."""

    def frames(self) -> AsyncIterator[Frame | Health]:
        """Pictures, and every change of health, without end (a recording ends). One consumer at a
        time. Whoever takes long to look gets the newest picture next; those between are lost."""
        ...

    async def still(self) -> Frame:
        """A picture at the camera's highest resolution. Raises DriverError."""
        ...


class LampPattern(StrEnum):
    """How a seat's lamp is lit; firmware-interface/README.md says what each means.

    SLOW half of every second; FAST half of every quarter second; DOUBLE two flashes a second; WINK
    a short flash every two seconds; GAP a short gap every two seconds.
    """

    STEADY = "steady"
    SLOW = "slow"
    FAST = "fast"
    DOUBLE = "double"
    WINK = "wink"
    GAP = "gap"


class SeatLamp(NamedTuple):
    """One lamp: red, green, blue (0-255), and how it is lit. All 0 is dark."""

    red: int
    green: int
    blue: int
    pattern: LampPattern = LampPattern.STEADY


class SeatLamps(Device, Protocol):
    """A lamp a seat that blinks by itself: it is told patterns, not frames."""

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        """Light the lamps of these seats so from now on; those of all others are dark."""
        ...


class LedBoard(Device, Protocol):
    """A grid of lamps, `width` x `height`; a lamp per seat is a grid one lamp high."""

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    async def show(self, pixels: bytes) -> None:
        """Show red, green, blue (0-255) for each lamp, row by row from the top left: width * height
        * 3 bytes."""
        ...
