"""Lines through the kernel's GPIO character device, by python-periphery: any Raspberry Pi."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from drivers.contracts import Clock
from drivers.errors import DriverError, LinkLostError, MisconfiguredError, PortUnavailableError
from drivers.gpio.chips import chips, header_chip, line_info
from drivers.gpio.lines import Bias, Edge, InputLine, Lines, OutputLine, Told

if TYPE_CHECKING:
    from periphery import GPIO

LABEL = "burnturn"
_BIASES: dict[Bias, str] = {
    "up": "pull_up",
    "down": "pull_down",
    "off": "disable",
    "as-is": "default",
}
_OLDEST_S = 1.0
"""No edge waits longer for us; an older one means that the wall clock was set meanwhile."""


class Gpiochip:
    """A `Library` over one chip. chip: path of the device; "" finds the one behind the Pi's
    header."""

    def __init__(
        self,
        chip: str = "",
        *,
        clock: Clock = time.monotonic,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._chip = chip
        self._clock = clock
        self._wall_ns = wall_ns

    def open(self, inputs: Sequence[InputLine], outputs: Sequence[OutputLine], told: Told) -> Lines:
        """See `Library.open`."""
        chip = self._chip or header_chip()
        if chip is None:
            there = ", ".join(chips())
            raise PortUnavailableError(
                "no GPIO chip of a Raspberry Pi is found",
                "GPIO",
                f"Name the chip in the configuration: there is {there}."
                if there
                else "This machine has no GPIO chip: take a Raspberry Pi, or a table board.",
            )
        lines = _ChipLines(chip, self._clock, self._wall_ns, told)
        try:
            for source in inputs:
                lines.add_input(source)
            for output in outputs:
                lines.add_output(output)
            lines.watch()
        except BaseException:
            lines.close()
            raise
        return lines


class _ChipLines:
    """`Lines` of one chip; the kernel stamps the edges, the event loop is woken by each line."""

    def __init__(self, chip: str, clock: Clock, wall_ns: Callable[[], int], told: Told) -> None:
        self._chip = chip
        self._clock = clock
        self._wall_ns = wall_ns
        self._told = told
        self._inputs: list[tuple[InputLine, GPIO]] = []
        self._outputs: list[GPIO] = []
        self._watched: list[int] = []
        self._loop = asyncio.get_running_loop()

    def add_input(self, line: InputLine) -> None:
        bias = _BIASES[line.bias]
        gpio = self._take(str(line), line.line, "in", edge="both", bias=bias)
        self._inputs.append((line, gpio))

    def add_output(self, line: OutputLine) -> None:
        inactive = "low" if line.active == "high" else "high"
        self._outputs.append(self._take(str(line), line.line, inactive))

    def watch(self) -> None:
        for place, (_, gpio) in enumerate(self._inputs):
            self._loop.add_reader(gpio.fd, self._drain, place)
            self._watched.append(gpio.fd)

    def levels(self) -> tuple[bool, ...]:
        try:
            return tuple(bool(gpio.read()) for _, gpio in self._inputs)
        except OSError as error:
            raise self._lost() from error

    def switch(self, place: int, high: bool) -> None:
        try:
            self._outputs[place].write(high)
        except OSError as error:
            raise self._lost() from error

    def close(self) -> None:
        for descriptor in self._watched:
            self._loop.remove_reader(descriptor)
        self._watched.clear()
        for gpio in [gpio for _, gpio in self._inputs] + self._outputs:
            try:
                gpio.close()
            except OSError:
                continue  # the chip is gone, and with it what there was to close
        self._inputs.clear()
        self._outputs.clear()

    def _drain(self, place: int) -> None:
        """Hand over every edge that waits at this line: the timers that judge them come later in
        the same turn of the loop."""
        gpio = self._inputs[place][1]
        try:
            while gpio.poll(0):
                edge, stamp_ns = cast("tuple[str, int]", gpio.read_event())
                age_s = (self._wall_ns() - stamp_ns) / 1e9
                now = self._clock()
                at = now - age_s if 0.0 <= age_s <= _OLDEST_S else now
                self._told(Edge(place, edge == "rising", at))
                if place >= len(self._inputs):
                    return  # closed by whoever was told
        except (OSError, ValueError):  # ValueError: half an event, as when the chip was pulled
            self._loop.remove_reader(gpio.fd)
            self._told(self._lost())

    def _take(
        self, name: str, line: int | str, direction: str, edge: str = "none", bias: str = "default"
    ) -> GPIO:
        from periphery import GPIO

        where = f"{name} of {self._chip}"
        try:
            return GPIO(self._chip, line, direction, edge=edge, bias=bias, label=LABEL)
        except LookupError:
            raise MisconfiguredError(
                f"the chip has no line named {line!r}",
                where,
                "gpioinfo lists the names; a line's number will do as well.",
            ) from None
        except OSError as error:
            raise self._refused(error, where, line) from error

    def _refused(self, error: OSError, where: str, line: int | str) -> DriverError:
        match error.errno:
            case errno.EBUSY:
                holder = self._holder(line)
                return PortUnavailableError(
                    f'it is held by "{holder}"' if holder else "another program holds it",
                    where,
                    "End that program, or switch that use off in /boot/firmware/config.txt, or "
                    "give this another line; it is tried again by itself.",
                )
            case errno.EACCES | errno.EPERM:
                return PortUnavailableError(
                    "this user may not use GPIO lines",
                    where,
                    "Put it into the group gpio (sudo usermod -aG gpio NAME) and log in anew.",
                )
            case errno.EINVAL:
                return MisconfiguredError(
                    "the chip has no such line, or not with that bias",
                    where,
                    'gpioinfo lists the lines; with bias = "as-is" any chip can do it.',
                )
            case errno.ENOTTY:
                return MisconfiguredError(
                    "it is no GPIO chip that can be watched",
                    where,
                    "Name a /dev/gpiochip of a kernel 5.10 or newer.",
                )
            case errno.ENOENT | errno.ENODEV | errno.ENXIO:
                return PortUnavailableError(
                    f"{self._chip} is not there",
                    where,
                    "Leave the chip out of the configuration, or name one that gpiodetect lists.",
                )
            case _:
                return PortUnavailableError(
                    f"it cannot be opened ({error.strerror})", where, "It is tried again by itself."
                )

    def _holder(self, line: int | str) -> str:
        if isinstance(line, str):
            return ""
        try:
            return line_info(self._chip, line).holder
        except OSError:
            return ""

    def _lost(self) -> LinkLostError:
        return LinkLostError(
            "the chip is gone", self._chip, "Check its cable; it is tried again by itself."
        )
