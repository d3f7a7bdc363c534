"""What each driver of tag readers can do, as data: names, ports, tags at once, places it may serve.

The factory builds by these names; a configuration is checked against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType


class PortKind(StrEnum):
    """Where a driver finds its reader. The value tells a person what to write."""

    NONE = "no port"
    WIRE = "a serial device or tcp://host:port"
    SERIAL = "a serial device, best one below /dev/serial/by-id"
    SPI = "an SPI device such as /dev/spidev0.0"
    LLRP = "tcp://host, or tcp://host:port"


class Air(StrEnum):
    """Readers of one air must not transmit at the same time."""

    HF = "13.56 MHz"
    UHF = "860 to 960 MHz"
    LF = "125 kHz"


SEAT, COUNT, STUB = "seat", "count", "stub"
EVERYWHERE = (SEAT, "board", "burn", "muck", COUNT, STUB)


@dataclass(frozen=True, slots=True)
class DriverKind:
    """One driver. what: in words. ports: antenna ports it has. at_once: tags it tells apart at
    most; None: as many as the antenna and the cards allow, which is measured. places: zones that it
    may watch, by their first word. modes: how it may work. settings: keys of a [[reader]] that mean
    something to it, beside number, driver, port and mode."""

    what: str
    port: PortKind
    air: Air = Air.HF
    ports: int = 1
    at_once: int | None = None
    standards: tuple[str, ...] = ("ISO 15693", "ISO 14443 A")
    places: tuple[str, ...] = EVERYWHERE
    modes: tuple[str, ...] = ("polled",)
    settings: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """For a person: the whole row."""
        most = f"at most {self.at_once} at once, " if self.at_once else "several tags at once, "
        antennas = f"{self.ports} antenna{'s' * (self.ports > 1)}"
        return f"{self.what}: {antennas}, {most}{' and '.join(self.standards)}"


_PEPPER = ("firmware", "reversed_uids", "usb_serial")

KINDS: Mapping[str, DriverKind] = MappingProxyType(
    {
        "pepper-c1": DriverKind(
            "Eccel Pepper C1",
            PortKind.WIRE,
            modes=("polled", "json", "binary"),
            settings=_PEPPER,
        ),
        "pepper-c1-mux": DriverKind(
            "Eccel Pepper C1 MUX",
            PortKind.WIRE,
            ports=8,
            modes=("polled", "json", "binary"),
            settings=_PEPPER,
        ),
        "pn532": DriverKind(
            "NXP PN532 on its serial port (HSU)",
            PortKind.WIRE,
            at_once=2,
            standards=("ISO 14443 A",),
            places=(SEAT,),
            settings=("usb_serial",),
        ),
        "mfrc522": DriverKind(
            "NXP MFRC522 on SPI",
            PortKind.SPI,
            standards=("ISO 14443 A",),
            settings=("gain_db",),
        ),
        "llrp": DriverKind(
            "UHF reader by LLRP",
            PortKind.LLRP,
            Air.UHF,
            ports=8,
            standards=("EPC Gen2",),
            places=(COUNT, STUB),
            settings=("look_ms",),
        ),
        "simulated": DriverKind(
            "emulated Pepper C1 MUX over a simulated table",
            PortKind.NONE,
            ports=8,
            modes=("polled", "json", "binary"),
            settings=("model", *_PEPPER),
        ),
    }
)
"""Drivers for readers of cards, by the name that a configuration gives."""

SIMULATED: Mapping[str, DriverKind] = MappingProxyType(
    {
        "pepper-c1-mux": KINDS["simulated"],
        "pn532": replace(
            KINDS["pn532"],
            what="emulated PN532 over a simulated table",
            port=PortKind.NONE,
            settings=(),
        ),
    }
)
"""What a reader of driver "simulated" may be, by its model. An MFRC522 is none of them: its driver
works in a thread of its own, and the simulated table in none."""


def kind_of(driver: str, model: str = "") -> DriverKind | None:
    """The row of a driver and, of a simulated one, its model; None: there is none."""
    return SIMULATED.get(model) if driver == "simulated" and model else KINDS.get(driver)


PUCKS: Mapping[str, DriverKind] = MappingProxyType(
    {
        "rdm6300": DriverKind(
            "RDM6300, repeats a tag while it lies there",
            PortKind.SERIAL,
            Air.LF,
            at_once=1,
            standards=("EM4100",),
            places=(),
            modes=("reports by itself",),
            settings=("usb_serial",),
        ),
        "id12la": DriverKind(
            "ID-12LA, says a tag once",
            PortKind.SERIAL,
            Air.LF,
            at_once=1,
            standards=("EM4100",),
            places=(),
            modes=("reports by itself",),
            settings=("usb_serial",),
        ),
    }
)
"""Drivers for readers of button pucks. They cannot tell two tags apart, nor that there is none."""
