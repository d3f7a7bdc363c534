"""Hands at the switches of an emulated Pi."""

from __future__ import annotations

from drivers.gpio.lines import ButtonSpot, Chair, InputLine, Key, OutputLine
from tests.drivers.on_umockdev.mock_pi import MockPi

INPUTS = (
    InputLine(17, Key("confirm"), hold_s=0.01),
    InputLine("GPIO27", Key("misdeal"), hold_s=0.01),
    InputLine(5, Chair(1), hold_s=0.03),
    InputLine(6, Chair(2), active="high", bias="down", hold_s=0.03),
    InputLine(13, ButtonSpot(1), hold_s=0.02),
    InputLine(19, ButtonSpot(2), hold_s=0.02),
)
OUTPUTS = (OutputLine(22, "reader 1"), OutputLine(23, "reader 2", active="low"))
NUMBERS = (17, 27, 5, 6, 13, 19)
ALL = (*NUMBERS, 22, 23)


class PiSwitchboard:
    """A `Switchboard` that moves the lines of a `MockPi`, each with a bounce."""

    keys = ("confirm", "misdeal")
    seats = (1, 2)
    spots = (1, 2)
    opens = 1
    """How often a library opens each input until it is read."""

    def __init__(self, pi: MockPi) -> None:
        self.pi = pi
        for place in range(len(INPUTS)):
            self._move(place, active=False)
        self.plug()

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
        self.pi.pull()

    def plug(self) -> None:
        self.pi.take_back()
        self.pi.offer(ALL + (self.opens - 1) * NUMBERS)
        self.pi.pull(False)

    def _move(self, place: int, *, active: bool) -> None:
        line, high = NUMBERS[place], active == (INPUTS[place].active == "high")
        if self.pi.is_high(line) == high:
            return
        for bounced in (high, not high, high):
            self.pi.set(line, bounced)
