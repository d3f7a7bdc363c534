"""Hands at the switches of a kernel's GPIO chip."""

from __future__ import annotations

from drivers.gpio.lines import ButtonSpot, Chair, InputLine, Key, OutputLine
from tests.machines.kernel.devices import GpioChip

# As-is, for gpio-sim has one resistor a line: ours would pull against the switch, and win.
INPUTS = (
    InputLine(17, Key("confirm"), bias="as-is", hold_s=0.01),
    InputLine("GPIO27", Key("misdeal"), bias="as-is", hold_s=0.01),
    InputLine(5, Chair(1), bias="as-is", hold_s=0.03),
    InputLine(6, Chair(2), active="high", bias="as-is", hold_s=0.03),
    InputLine(13, ButtonSpot(1), bias="as-is", hold_s=0.02),
    InputLine(19, ButtonSpot(2), bias="as-is", hold_s=0.02),
)
OUTPUTS = (OutputLine(22, "reader 1"), OutputLine(23, "reader 2", active="low"))
_NUMBERS = (17, 27, 5, 6, 13, 19)


def header_chip() -> GpioChip:
    """A chip like the one behind a Raspberry Pi 4's header."""
    return GpioChip(54, {n: f"GPIO{n}" for n in range(28)}, "pinctrl-bcm2711")


class Hands:
    """A `Switchboard` (see `contract_inputs`); each switch bounces."""

    keys = ("confirm", "misdeal")
    seats = (1, 2)
    spots = (1, 2)

    def __init__(self, chip: GpioChip) -> None:
        self._chip = chip
        for place in range(len(INPUTS)):
            self._move(place, active=False)

    def press(self, key: str) -> None:
        self._move(self.keys.index(key), active=True)

    def let_go(self, key: str) -> None:
        self._move(self.keys.index(key), active=False)

    def sit(self, seat: int, there: bool) -> None:
        self._move(1 + seat, active=there)

    def lay(self, *spots: int) -> None:
        for spot in self.spots:
            self._move(3 + spot, active=spot in spots)

    def unplug(self) -> None:
        self._chip.unplug()

    def plug(self) -> None:
        if not self._chip.plugged:
            self._chip.plug()

    def _move(self, place: int, *, active: bool) -> None:
        line, high = _NUMBERS[place], active == (INPUTS[place].active == "high")
        if self._chip.pulled(line) != high:
            for bounced in (high, not high, high):
                self._chip.pull(line, bounced)
