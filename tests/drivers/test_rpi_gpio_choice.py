"""The wrong library on the wrong Pi: what is said, and which package would be right."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from drivers.errors import (
    DriverError,
    LinkLostError,
    MisconfiguredError,
    PortUnavailableError,
)
from drivers.gpio.lines import InputLine, Key, OutputLine
from drivers.gpio.rpi_gpio import RpiGpio

PI_5 = "Raspberry Pi 5 Model B Rev 1.0"
PI_4 = "Raspberry Pi 4 Model B Rev 1.4"
CONFIRM = InputLine(17, Key("confirm"))


class OldLibrary:
    """RPi.GPIO 0.7.1 as it behaves where it does not fit: `fails` maps its functions to the text
    of the RuntimeError that they raise there."""

    BCM, IN, OUT, BOTH, LOW, HIGH = 11, 1, 0, 33, 0, 1
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22

    def __init__(self, functions: dict[int, int] | None = None, **fails: str) -> None:
        self.functions = functions or {}
        self.fails = fails
        self.taken: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            if name in self.fails:
                raise RuntimeError(self.fails[name])
            if name == "setup":
                self.taken.add(arguments[0])
            if name == "cleanup":
                self.taken.discard(arguments[0])
            return self.functions.get(arguments[0], 1) if name == "gpio_function" else None

        return call


def refusal(load: Any, model: str, line: InputLine = CONFIRM) -> DriverError:
    async def main() -> DriverError:
        library = RpiGpio(load=load, model=model)
        with pytest.raises(DriverError) as caught:
            library.open((line,), (OutputLine(22, "reader 1"),), lambda _: None)
        return caught.value

    return asyncio.run(main())


def absent() -> Any:
    raise ModuleNotFoundError("No module named 'RPi'")


def elsewhere() -> Any:
    raise RuntimeError("This module can only be run on a Raspberry Pi!")


@pytest.mark.parametrize(
    ("model", "package"), [(PI_5, "'burnturn[gpio-lgpio]'"), (PI_4, "'burnturn[gpio]'")]
)
def test_a_library_that_is_not_installed_is_named_by_the_package_for_this_pi(
    model: str, package: str
) -> None:
    error = refusal(absent, model)
    assert isinstance(error, MisconfiguredError)
    assert f"pip install {package}" in error.remedy
    assert "periphery" in error.remedy


@pytest.mark.parametrize(
    ("library", "model", "what"),
    [
        (
            OldLibrary(setup="Cannot determine SOC peripheral base address"),
            PI_5,
            "does not know a Raspberry Pi this new",
        ),
        (
            OldLibrary(add_event_detect="Failed to add edge detection"),
            PI_4,
            "cannot see edges on this kernel",
        ),
    ],
)
def test_an_old_library_on_a_new_pi_or_kernel_is_to_be_replaced(
    library: OldLibrary, model: str, what: str
) -> None:
    error = refusal(lambda: library, model)
    assert isinstance(error, MisconfiguredError)
    assert what in error.what
    assert "pip uninstall RPi.GPIO, then pip install 'burnturn[gpio-lgpio]'" in error.remedy
    assert 'library = "periphery"' in error.remedy
    assert model in error.remedy
    assert not library.taken, "lines were not given back"


def test_a_machine_that_is_no_pi_is_told_so() -> None:
    error = refusal(elsewhere, "")
    assert isinstance(error, MisconfiguredError)
    assert "Raspberry Pi only" in error.what


def test_a_user_without_rights_is_told_which_group() -> None:
    text = "No access to /dev/mem.  Try running as root!"
    error = refusal(lambda: OldLibrary(setup=text), PI_4)
    assert isinstance(error, PortUnavailableError)
    assert "group gpio" in error.remedy


def test_a_line_that_serves_something_else_is_not_taken_away_from_it() -> None:
    library = OldLibrary(functions={17: 41})
    error = refusal(lambda: library, PI_4)
    assert isinstance(error, PortUnavailableError)
    assert "line 17 (key confirm): it serves SPI" in str(error)
    assert not library.taken


def test_a_line_goes_by_its_number_even_in_a_name() -> None:
    error = refusal(lambda: OldLibrary(), PI_4, InputLine("SW3", Key("count")))
    assert isinstance(error, MisconfiguredError)
    assert "'SW3'" in error.what
    library = OldLibrary(setup="Cannot determine SOC peripheral base address")
    refusal(lambda: library, PI_5, InputLine("GPIO17", Key("count")))  # gets as far as its set-up


class KeepsItsChip(OldLibrary):
    """rpi-lgpio as it behaves with a chip that vanishes: it opens the chip once, and fails until it
    was told to give back everything, which `stubborn` cannot while the chip is gone."""

    def __init__(self, pi: Vanishing) -> None:
        super().__init__()
        self._pi = pi
        self._chip: int | None = None

    def setmode(self, _: int) -> None:
        if self._chip is None:
            if not self._pi.there:
                raise RuntimeError("can not open gpiochip")
            self._chip = self._pi.chip

    def input(self, _: int) -> int:
        if self._chip != self._pi.chip or not self._pi.there:
            raise RuntimeError("bad handle")
        return 1

    def cleanup(self, *numbers: int) -> None:
        if not numbers:
            if self._pi.stubborn:
                raise RuntimeError("no such device")
            self._chip = None


class Vanishing:
    """A Pi whose chip comes back as another one, and the module that is loaded there."""

    def __init__(self, *, stubborn: bool) -> None:
        self.stubborn = stubborn
        self.there, self.chip = True, 1
        self.loaded: KeepsItsChip | None = None

    def load(self) -> KeepsItsChip:
        if self.loaded is None:
            self.loaded = KeepsItsChip(self)
        return self.loaded

    def forget(self) -> None:
        self.loaded = None


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_chip_that_vanished_is_opened_anew_when_it_is_back(stubborn: bool) -> None:
    pi = Vanishing(stubborn=stubborn)

    async def main() -> None:
        library = RpiGpio(load=pi.load, forget=pi.forget, model=PI_5)
        lines = library.open((CONFIRM,), (), lambda _: None)
        assert lines.levels() == (True,)
        pi.there = False
        with pytest.raises(LinkLostError):
            lines.levels()
        lines.close()
        with pytest.raises(PortUnavailableError):
            library.open((CONFIRM,), (), lambda _: None)
        pi.there, pi.chip = True, 2
        back = library.open((CONFIRM,), (), lambda _: None)
        assert back.levels() == (True,)
        back.close()

    asyncio.run(main())


def test_a_chip_that_did_not_vanish_keeps_its_module() -> None:
    pi = Vanishing(stubborn=True)

    async def main() -> None:
        library = RpiGpio(load=pi.load, forget=pi.forget, model=PI_5)
        first = pi.load()
        for _ in range(2):
            library.open((CONFIRM,), (), lambda _: None).close()
        assert pi.loaded is first

    asyncio.run(main())


class Drowsy(OldLibrary):
    """lgpio's thread as it sleeps through the first claim of a line, until another wakes it. hand:
    turns a key, with what the thread then tells."""

    def __init__(self) -> None:
        super().__init__()
        self.level, self.claims = 1, 0
        self.watched: dict[int, Any] = {}

    def input(self, _: int) -> int:
        return self.level

    def add_event_detect(self, line: int, _: int, callback: Any) -> None:
        assert line not in self.watched, "RPi.GPIO refuses a second detection of a line"
        self.claims += 1
        self.watched[line] = callback

    def remove_event_detect(self, line: int) -> None:
        del self.watched[line]

    def hand(self, level: int) -> None:
        self.level = level
        if self.claims > 1:
            self.watched[17](17)


def test_a_thread_that_slept_through_the_claim_is_woken_at_the_next_look() -> None:
    async def main() -> list[Any]:
        library, told = Drowsy(), list[Any]()
        lines = RpiGpio(load=lambda: library, model=PI_5).open((CONFIRM,), (), told.append)
        library.hand(0)
        assert lines.levels() == (False,)
        await asyncio.sleep(0)
        assert told == [], "what woke it told an edge that nobody saw"
        for level in (1, 0):
            library.hand(level)
        await asyncio.sleep(0)
        assert lines.levels() == (False,)
        assert library.claims == 2, "a line whose edges come is left alone"
        return told

    assert [edge.high for edge in asyncio.run(main())] == [True, False]
