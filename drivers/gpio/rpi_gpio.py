"""Lines through the module RPi.GPIO: the library of that name on old Pis, or rpi-lgpio, which
takes its place on a Pi 5 and on kernels where the old one no longer sees edges."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from drivers.contracts import Clock
from drivers.errors import DriverError, LinkLostError, MisconfiguredError, PortUnavailableError
from drivers.gpio.chips import machine
from drivers.gpio.lines import Edge, InputLine, Lines, OutputLine, Told

OLD = "burnturn[gpio]"
NEW = "burnturn[gpio-lgpio]"
_USES = {40: "the serial port", 41: "SPI", 42: "I2C", 43: "PWM"}
"""What `gpio_function` calls a line that serves something else."""


_MODULE = "RPi.GPIO"


def _load() -> Any:
    # rpi-lgpio puts a pipe into the folder it is started in, which need not be writable.
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    return import_module(_MODULE)


def _forget() -> None:
    """The next `_load` begins anew."""
    gone = sys.modules.pop(_MODULE, None)
    handle = getattr(gone, "_chip", None)
    if isinstance(handle, int):
        # Nobody else knows it: it would stay open, once for each loss.
        with suppress(Exception):
            import_module("lgpio").gpiochip_close(handle)


class RpiGpio:
    """A `Library` over RPi.GPIO, loaded when the lines are opened. Lines go by their number at the
    processor (BCM).

    The module keeps the chip that it opened first. After a loss it is told to give back everything,
    and where it cannot (rpi-lgpio first asks the chip that is gone) it is loaded anew. load,
    forget: import the module, and have the next `load` begin anew.
    """

    def __init__(
        self,
        *,
        clock: Clock = time.monotonic,
        load: Callable[[], Any] = _load,
        forget: Callable[[], None] = _forget,
        model: str = "",
    ) -> None:
        self._clock = clock
        self._load = load
        self._forget = forget
        self._model = model
        self._lines: _RpiLines | None = None

    def open(self, inputs: Sequence[InputLine], outputs: Sequence[OutputLine], told: Told) -> Lines:
        """See `Library.open`."""
        model = self._model or machine()
        if self._lines is not None and self._lines.lost:
            self._let_go()
        try:
            gpio = self._load()
            gpio.setwarnings(False)  # it would warn of every line that was ever used
            gpio.setmode(gpio.BCM)
        except Exception as error:  # rpi-lgpio raises classes of its own
            raise explained(error, "GPIO", model) from error
        lines = self._lines = _RpiLines(gpio, self._clock, told, model)
        try:
            for source in inputs:
                lines.add_input(source)
            for output in outputs:
                lines.add_output(output)
        except BaseException:
            lines.close()
            raise
        return lines

    def _let_go(self) -> None:
        self._lines = None
        try:
            self._load().cleanup()
        except Exception:  # rpi-lgpio raises classes of its own
            self._forget()


def explained(error: BaseException, where: str, model: str) -> DriverError:
    """What went wrong in RPi.GPIO, in words, with the package to install instead."""
    text = str(error)
    periphery = 'library = "periphery", which needs no package'
    better = f"Or choose {periphery}. This is {model or 'no Pi'}."
    swap = f"pip uninstall RPi.GPIO, then pip install '{NEW}'. {better}"
    if isinstance(error, ImportError):
        extra = NEW if "Pi 5" in model else OLD
        return MisconfiguredError(
            "RPi.GPIO is not installed", where, f"pip install '{extra}'. {better}"
        )
    if isinstance(error, ValueError):
        return MisconfiguredError(
            f"RPi.GPIO refuses it: {text}", where, "Lines go by BCM number: GPIO17 is 17."
        )
    if "only be run on a Raspberry Pi" in text or "Not running on a RPi" in text:
        return MisconfiguredError(
            "RPi.GPIO runs on a Raspberry Pi only", where, f"Choose {periphery}."
        )
    if "peripheral base address" in text:
        return MisconfiguredError("RPi.GPIO does not know a Raspberry Pi this new", where, swap)
    if "edge detection" in text:
        return MisconfiguredError(
            "RPi.GPIO cannot see edges on this kernel (6.6 and newer)", where, swap
        )
    denied = ("/dev/mem", "Mmap", "Permission", "can not open gpiochip")
    if any(word in text for word in denied):
        return PortUnavailableError(
            "this user may not use GPIO lines, or there is no GPIO chip",
            where,
            "Put the user into the group gpio (sudo usermod -aG gpio NAME) and log in anew.",
        )
    if "busy" in text.lower():
        return PortUnavailableError(
            "another program holds it",
            where,
            "End that program (gpioinfo names it) or give this another line; "
            "it is tried again by itself.",
        )
    return PortUnavailableError(f"RPi.GPIO says: {text}", where, better)


class _RpiLines:
    """`Lines` over RPi.GPIO. Its edges come in a thread of its own, without a time or a level: both
    are taken there, at once, and handed over to the event loop.

    A line whose level changed without an edge is watched anew: lgpio's thread looks whether any
    line is watched and then waits to be woken, without a lock in between, so it can sleep through
    the claim of the first line (lgPthAlerts.c, lgPthAlert), for good. Any later claim wakes it.
    """

    def __init__(self, gpio: Any, clock: Clock, told: Told, model: str) -> None:
        self._gpio = gpio
        self._clock = clock
        self._told = told
        self._model = model
        self._inputs: list[int] = []
        self._edges: list[Callable[[int], None]] = []
        self._high: list[bool] = []  # each input, by its last edge or look
        self._outputs: list[int] = []
        self._loop = asyncio.get_running_loop()
        self._open = True
        self.lost = False

    def add_input(self, line: InputLine) -> None:
        gpio, where = self._gpio, str(line)
        number = self._number(line.line, where)
        pulls = {"up": gpio.PUD_UP, "down": gpio.PUD_DOWN}
        place = len(self._inputs)

        def edge(_: int) -> None:
            try:
                high = bool(gpio.input(number))
            except Exception as error:  # whatever the library calls it: the line is gone
                self._hand_over(self._lost(error))
            else:
                self._high[place] = high
                self._hand_over(Edge(place, high, self._clock()))

        try:
            gpio.setup(number, gpio.IN, pull_up_down=pulls.get(line.bias, gpio.PUD_OFF))
            self._inputs.append(number)
            self._edges.append(edge)
            self._high.append(bool(gpio.input(number)))
            gpio.add_event_detect(number, gpio.BOTH, callback=edge)
        except Exception as error:  # rpi-lgpio raises classes of its own
            raise explained(error, where, self._model) from error

    def add_output(self, line: OutputLine) -> None:
        gpio, where = self._gpio, str(line)
        number = self._number(line.line, where)
        try:
            gpio.setup(number, gpio.OUT, initial=gpio.LOW if line.active == "high" else gpio.HIGH)
        except Exception as error:
            raise explained(error, where, self._model) from error
        self._outputs.append(number)

    def levels(self) -> tuple[bool, ...]:
        try:
            levels = tuple(bool(self._gpio.input(number)) for number in self._inputs)
            for place, high in enumerate(levels):
                if high != self._high[place]:
                    self._high[place] = high
                    self._watch_anew(place)
        except Exception as error:
            raise self._lost(error) from error
        return levels

    def _watch_anew(self, place: int) -> None:
        number = self._inputs[place]
        self._gpio.remove_event_detect(number)
        self._gpio.add_event_detect(number, self._gpio.BOTH, callback=self._edges[place])

    def switch(self, place: int, high: bool) -> None:
        try:
            self._gpio.output(self._outputs[place], high)
        except Exception as error:
            raise self._lost(error) from error

    def close(self) -> None:
        self._open = False
        taken, self._inputs, self._outputs = self._inputs + self._outputs, [], []
        for number in taken:
            try:
                self._gpio.cleanup(number)  # ends its edge detection, too
            except Exception:
                continue  # what is gone needs no closing

    def _hand_over(self, what: Edge | DriverError) -> None:
        if self._open and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, what)

    def _tell(self, what: Edge | DriverError) -> None:
        if self._open:
            self._told(what)

    def _number(self, line: int | str, where: str) -> int:
        """The line's number; names such as GPIO17 say it. Refuses lines that serve something
        else, as RPi.GPIO itself would take them away from it."""
        named = re.fullmatch(r"(?:GPIO|BCM)?(\d+)", str(line), re.IGNORECASE)
        if named is None:
            raise MisconfiguredError(
                f"RPi.GPIO knows no line named {line!r}", where, "Give its number, such as 17."
            )
        number = int(named[1])
        try:
            use = _USES.get(self._gpio.gpio_function(number))
        except Exception as error:
            raise explained(error, where, self._model) from error
        if use is not None:
            raise PortUnavailableError(
                f"it serves {use}",
                where,
                "Switch that off with raspi-config, or give this another line.",
            )
        return number

    def _lost(self, error: BaseException) -> LinkLostError:
        self.lost = True
        return LinkLostError(
            f"the lines are gone ({type(error).__name__})", "GPIO", "They are tried again."
        )
