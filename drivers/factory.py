"""Configured names to drivers, and the one door to simulated hardware.

Simulation is imported only when it is asked for, so a table with real readers never loads it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from drivers.contracts import Clock, Inputs, LedBoard, Sleep, TagReader
from drivers.errors import MisconfiguredError, UnknownDriverError
from drivers.kinds import KINDS, PUCKS, SIMULATED, Air, DriverKind, kind_of
from drivers.rf import RfMutex, RfPermits
from drivers.rfid.airs import Together
from drivers.rfid.pepper import Mode, PepperLink, PushPlan
from drivers.rfid.pepper_session import PepperSettings
from drivers.rfid.table import BACKOFF_S, ReaderLink, ReaderTable
from drivers.rfid.virtual import VirtualReader as VirtualReader
from drivers.rfid.virtual import wire_polls as wire_polls
from drivers.rfid.wires import BAUD, Connect, connector, of_serial, open_serial, tcp_address
from drivers.sweep import Order
from drivers.sweep import SweepScheduler as SweepScheduler

if TYPE_CHECKING:
    from drivers.gpio.lines import InputsSpec
    from drivers.leds.spec import BoardSpec
    from drivers.mcu import Capture, TableBoard
    from drivers.sim.acts import Dealer as Dealer
    from drivers.sim.acts import Pick as Pick
    from drivers.sim.acts import Stranger as Stranger
    from drivers.sim.board_hand import BoardHand as BoardHand
    from drivers.sim.board_line import BoardLine as BoardLine
    from drivers.sim.board_port import BoardPort as BoardPort
    from drivers.sim.board_process import BoardKind as BoardKind
    from drivers.sim.board_process import BoardProcess as BoardProcess
    from drivers.sim.board_process import best_kind as best_kind
    from drivers.sim.camera import SimulatedCamera as SimulatedCamera
    from drivers.sim.camera import hung_over as hung_over
    from drivers.sim.camera import true_view as true_view
    from drivers.sim.camera_flat import Lens as Lens
    from drivers.sim.camera_flat import Sheet as Sheet
    from drivers.sim.camera_flat import above as above
    from drivers.sim.camera_flat import laid_around as laid_around
    from drivers.sim.camera_flat import moved_about as moved_about
    from drivers.sim.camera_scene import HANGS as HANGS
    from drivers.sim.camera_scene import VIEW as VIEW
    from drivers.sim.camera_sheets import SheetCamera as SheetCamera
    from drivers.sim.faults import Fault as Fault
    from drivers.sim.faults import FaultName as FaultName
    from drivers.sim.faults import arm as arm
    from drivers.sim.marked_table import Chairs as Chairs
    from drivers.sim.marked_table import Flaws as Flaws
    from drivers.sim.marked_table import MarkedTable as MarkedTable
    from drivers.sim.mistakes import DealScript as DealScript
    from drivers.sim.mistakes import MistakeKind as MistakeKind
    from drivers.sim.mistakes import Planted as Planted
    from drivers.sim.pass_over import PassOver as PassOver
    from drivers.sim.pepper_emulator import Ether as Ether
    from drivers.sim.pepper_emulator import FieldModel as FieldModel
    from drivers.sim.pepper_emulator import PepperEmulator as PepperEmulator
    from drivers.sim.pepper_emulator import WireFault as WireFault
    from drivers.sim.pepper_rims import Emulated as Emulated
    from drivers.sim.placed import PlacedCard as PlacedCard
    from drivers.sim.placed import spread_out as spread_out
    from drivers.sim.robot import HandPlayed as HandPlayed
    from drivers.sim.robot import Oddities as Oddities
    from drivers.sim.robot import Robot as Robot
    from drivers.sim.robot import StreetPlayed as StreetPlayed
    from drivers.sim.sight_rates import PERFECT_SIGHT as PERFECT_SIGHT
    from drivers.sim.sight_rates import SightFit as SightFit
    from drivers.sim.sight_rates import SightRates as SightRates
    from drivers.sim.sight_rates import TrueArea as TrueArea
    from drivers.sim.sight_rates import shipped_rates as shipped_rates
    from drivers.sim.sights import CameraModel as CameraModel
    from drivers.sim.table_board import BoardTwin as BoardTwin
    from drivers.sim.world import Card as Card
    from drivers.sim.world import FieldAntenna as FieldAntenna
    from drivers.sim.world import Noise as Noise
    from drivers.sim.world import World as World
    from drivers.sim.world import polls as polls
    from tablelink.messages import Settings, Threshold

_SIMULATION = {
    "acts": ("Dealer", "Pick", "Stranger"),
    "board_hand": ("BoardHand",),
    "board_line": ("BoardLine",),
    "board_port": ("BoardPort",),
    "board_process": ("BoardKind", "BoardProcess", "best_kind"),
    "camera": ("SimulatedCamera", "hung_over", "true_view"),
    "camera_flat": ("Lens", "Sheet", "above", "laid_around", "moved_about"),
    "camera_scene": ("HANGS", "VIEW"),
    "camera_sheets": ("SheetCamera",),
    "faults": ("Fault", "FaultName", "arm"),
    "marked_table": ("Chairs", "Flaws", "MarkedTable"),
    "mistakes": ("DealScript", "MistakeKind", "Planted"),
    "pass_over": ("PassOver",),
    "placed": ("PlacedCard", "spread_out"),
    "pepper_emulator": ("Ether", "FieldModel", "PepperEmulator", "WireFault"),
    "sight_rates": ("PERFECT_SIGHT", "SightFit", "SightRates", "TrueArea", "shipped_rates"),
    "sights": ("CameraModel",),
    "table_board": ("BoardTwin",),
    "robot": ("HandPlayed", "Oddities", "Robot", "StreetPlayed"),
    "world": ("Card", "FieldAntenna", "Noise", "World", "polls"),
}
_HOME = {name: f"drivers.sim.{module}" for module, names in _SIMULATION.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


DRIVERS: Mapping[str, DriverKind] = KINDS
"""Names that a configuration may give, and what they stand for."""


@dataclass(frozen=True, slots=True)
class ReaderSpec:
    """One reader as configured.

    name: for people, such as "reader 1". driver: one of `DRIVERS`. model: what a simulated one is,
    of `drivers.kinds.SIMULATED`; "": a Pepper. antennas: number of each antenna
    at the table, to the reader's port. port: serial device or tcp://host:port, empty if simulated.
    mode: polled, or the reader reports by itself as json or binary. accept_firmware: firmware major
    versions that may be spoken to. reversed_uids: for firmware that gives UIDs back to front.
    usb_serial: serial number of the USB device that must be behind the port; "": any. gain_db: of
    an MFRC522's receiver. look_s: how long an LLRP reader looks.
    """

    name: str
    driver: str
    antennas: Mapping[int, int]
    port: str = ""
    mode: Mode = "polled"
    accept_firmware: tuple[int, ...] = (2,)
    reversed_uids: bool = False
    usb_serial: str = ""
    gain_db: int = 33
    look_s: float = 0.25
    model: str = ""


@dataclass
class EmulatedReaders:
    """The emulated readers of one simulated table, on pseudo-terminals or TCP; open with `async
    with`.

    addresses: name of the reader to what a driver opens, while open. Give it to `tag_reader`, which
    opens it.
    """

    emulators: Mapping[str, Emulated]
    kind: Literal["pty", "tcp"] = "pty"
    clock: Clock = time.monotonic
    addresses: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from drivers.sim.pepper_rims import Rim, ServedByLoop

        self._rims: dict[str, Rim] = {}
        self._served = ServedByLoop((), self.clock)

    async def __aenter__(self) -> Self:
        from drivers.sim.pepper_rims import PtyRim, ServedByLoop, TcpRim

        rim = PtyRim if self.kind == "pty" else TcpRim
        self._rims = {name: rim(emulator) for name, emulator in self.emulators.items()}
        self.addresses.update({name: rim.address for name, rim in self._rims.items()})
        self._served = ServedByLoop(tuple(self._rims.values()), self.clock)
        await self._served.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._served.__aexit__(kind, error, trace)

    def unplug(self, name: str) -> None:
        """Pull the cable of the reader of this name."""
        self._served.unplug(self._rims[name])

    def plug(self, name: str) -> None:
        """Put the cable back; the reader restarts and is deaf for a second."""
        self._served.plug(self._rims[name])


def emulated_readers(
    specs: Sequence[ReaderSpec],
    world: FieldModel,
    look_s: float,
    *,
    kind: Literal["pty", "tcp"] = "pty",
    clock: Clock = time.monotonic,
    seed: int = 0,
) -> EmulatedReaders:
    """An emulated reader for every spec with driver "simulated", over one field. look_s: how long
    an inventory takes. clock: the time in which the world lives."""
    from drivers.sim.pepper_emulator import Ether

    ether = Ether()
    emulators = {
        spec.name: _emulator(spec, world, look_s, ether, seed + i)
        for i, spec in enumerate(specs)
        if spec.driver == "simulated"
    }
    return EmulatedReaders(emulators, kind, clock)


def _emulator(
    spec: ReaderSpec, world: FieldModel, look_s: float, ether: Ether, seed: int
) -> Emulated:
    from drivers.sim.pepper_emulator import PepperEmulator
    from drivers.sim.pn532_emulator import Pn532Emulator

    if spec.model == "pn532":
        (antenna,) = spec.antennas
        return Pn532Emulator(world, antenna, look_s=look_s, name=spec.name, ether=ether, seed=seed)
    ports = {port: antenna for antenna, port in spec.antennas.items()}
    return PepperEmulator(world, ports, look_s=look_s, name=spec.name, ether=ether, seed=seed)


def tag_reader(
    specs: Sequence[ReaderSpec],
    *,
    order: Order = "against",
    focus_share: float = 0.75,
    emulated: EmulatedReaders | None = None,
    permits: RfPermits | None = None,
    companions: Sequence[AbstractAsyncContextManager[object]] = (),
    clock: Clock = time.monotonic,
    sleep: Sleep = asyncio.sleep,
    backoff_s: Sequence[float] = BACKOFF_S,
) -> TagReader:
    """All readers of a table as one. Antennas are swept in ascending or descending number.

    emulated: the far ends of specs with driver "simulated". permits: the enable lines of their
    transmitters; whoever drives the lines has the same. companions: opened before the readers.
    Raises UnknownDriverError or MisconfiguredError, naming the reader.
    """
    if not specs:
        raise MisconfiguredError("no reader is configured", "table", "Give it at least one.")
    antennas = sorted(antenna for spec in specs for antenna in spec.antennas)
    twice = sorted({antenna for antenna in antennas if antennas.count(antenna) > 1})
    if twice:
        raise MisconfiguredError(
            f"antenna {twice[0]} is on two readers", "table", "Give each antenna one reader."
        )
    if not antennas:
        raise MisconfiguredError("no antenna is configured", "table", "Give it at least one.")
    links = [(_kind(spec).air, _link(spec, emulated, clock)) for spec in specs]
    first: dict[Air, tuple[AbstractAsyncContextManager[object], ...]]
    first = {air: (emulated,) if emulated and air is Air.HF else () for air in Air}
    first[_kind(specs[0]).air] += tuple(companions)
    tables = [
        ReaderTable(
            ours := [link for its, link in links if its is air],
            SweepScheduler(sorted(a for link in ours for a in link.ports), order, focus_share),
            mutex=RfMutex(permits),
            clock=clock,
            sleep=sleep,
            backoff_s=backoff_s,
            companions=first[air],
        )
        for air in dict.fromkeys(air for air, _ in links)
    ]
    return tables[0] if len(tables) == 1 else Together(tables)


def desk_reader(
    wanted: str,
    antenna: int,
    *,
    clock: Clock = time.monotonic,
    sleep: Sleep = asyncio.sleep,
) -> TagReader:
    """A PC/SC reader at the registration desk as the only reader. wanted: its name, a part of it,
    or "any". antenna: the number that its polls bear."""
    from drivers.rfid.pcsc import PcscLink

    link = PcscLink("desk reader", wanted, antenna, clock=clock, sleep=sleep)
    return ReaderTable([link], SweepScheduler((antenna,)), clock=clock, sleep=sleep)


async def probe(driver: str, port: str) -> str:
    """Open the port and ask whether a reader of this driver is behind it; gives what it says it
    is, such as ``it answers, firmware 2.56``. The port is closed again. Raises DriverError."""
    link = _link(ReaderSpec(f"driver {driver}", driver, {1: 1}, port), None, time.monotonic)
    await link.open()
    await link.quiet()
    closing = link.close()
    if closing is not None:
        await closing
    return link.introduction


@dataclass(frozen=True, slots=True)
class PuckSpec:
    """One reader of button pucks as configured: its seat, its driver (one of `PUCKS`), its serial
    port, and the serial number of the USB device that must be behind it ("": any)."""

    seat: int
    driver: str
    port: str
    usb_serial: str = ""


def button_pucks(
    specs: Sequence[PuckSpec],
    *,
    seats: int,
    tags: Sequence[int] = (),
    clock: Clock = time.monotonic,
    sleep: Sleep = asyncio.sleep,
) -> Inputs:
    """The dealer button's sensors. seats: how many the table has. tags: printed numbers of the
    buttons' tags; none: any tag is one. Raises UnknownDriverError, MisconfiguredError."""
    from drivers.rfid.em4100 import Em4100Link
    from drivers.rfid.em4100_codec import BAUD
    from drivers.rfid.pucks import ButtonPucks, PuckPlaces

    tables = []
    for spec in specs:
        name = f"button reader at seat {spec.seat}"
        if spec.driver not in PUCKS:
            raise UnknownDriverError(
                f"there is no driver {spec.driver!r}", name, f"Choose one of {', '.join(PUCKS)}."
            )
        where = f"{name} on {spec.port}"
        link = Em4100Link(name, _wire(spec, where, BAUD), spec.seat, where, clock=clock)
        tables.append(ReaderTable([link], SweepScheduler((spec.seat,)), clock=clock, sleep=sleep))
    places = PuckPlaces(
        {spec.seat: spec.driver == "rdm6300" for spec in specs},
        every=len(specs) == seats,
        tags=tags,
    )
    return ButtonPucks(Together(tables), places, clock=clock, sleep=sleep)


def table_board(
    port: str = "",
    serial: str | None = None,
    *,
    avoid: Collection[str] = (),
    keys: Sequence[str] | None = None,
    seats: Sequence[int] | None = None,
    settings: Settings | None = None,
    thresholds: Sequence[Threshold] = (),
    brightness: int = 8,
    capture: Capture | None = None,
    clock: Clock = time.monotonic,
    sleep: Sleep = asyncio.sleep,
) -> TableBoard:
    """The microcontroller under the table: inputs, lamps and LED board.

    port: a serial device's path or tcp://host:port; "": looked for on USB. serial: the board's own
    number; None: any board will do, but then only a genuine Mega is found on USB. avoid: ports that
    other devices have. brightness: of the LED board, 0 to 15. The rest as for `TableBoard`. Raises
    MisconfiguredError.
    """
    from drivers.mcu import FoundPort, OnePort, TableBoard
    from drivers.mcu_readings import KEY_NAMES
    from drivers.usb_ports import candidates, connected
    from tablelink.session import BAUD

    dial = (
        OnePort(connector(port, f"table board on {port}"), port)
        if port
        else FoundPort(
            lambda: candidates(
                connected(),
                clones=serial is not None,
                avoid=[str(Path(path).resolve()) for path in avoid],
            ),
            lambda path: open_serial(path, f"table board on {path}"),
        )
    )
    board = TableBoard(
        dial,
        serial=serial,
        keys=KEY_NAMES if keys is None else keys,
        seats=seats,
        settings=settings,
        thresholds=thresholds,
        baud=None if "://" in port else BAUD,
        capture=capture,
        clock=clock,
        sleep=sleep,
    )
    board.pixels.brightness = brightness
    return board


def _kind(spec: ReaderSpec) -> DriverKind:
    if spec.driver not in KINDS:
        raise UnknownDriverError(
            f"there is no driver {spec.driver!r}", spec.name, f"Choose one of {', '.join(KINDS)}."
        )
    kind = kind_of(spec.driver, spec.model)
    if kind is None:
        raise UnknownDriverError(
            f"there is no simulated {spec.model!r}",
            spec.name,
            f"Choose one of {', '.join(SIMULATED)}.",
        )
    return kind


def _link(spec: ReaderSpec, emulated: EmulatedReaders | None, clock: Clock) -> ReaderLink:
    where = f"{spec.name} on {spec.port or 'the simulated table'}"
    kind = _kind(spec)
    simulated = spec.driver == "simulated"
    if not spec.driver.startswith("pepper") and (not simulated or spec.model == "pn532"):
        _fits(spec, kind, where)
    if "pn532" in (spec.driver, spec.model):
        connect = _emulated_connect(spec.name, where, emulated) if simulated else _wire(spec, where)
        return _pn532(spec, connect, where, clock)
    if spec.driver == "mfrc522":
        return _mfrc522(spec, where, clock)
    if spec.driver == "llrp":
        return _llrp(spec, where, clock)
    connect = (
        _emulated_connect(spec.name, where, emulated)
        if spec.driver == "simulated"
        else _wire(spec, where)
    )
    settings = PepperSettings(
        where=where,
        ports=tuple(sorted(spec.antennas.values())),
        switching=spec.driver != "pepper-c1",
        accept_major=spec.accept_firmware,
        reversed_uids=spec.reversed_uids,
    )
    push = None if spec.mode == "polled" else PushPlan(spec.mode)
    return PepperLink(spec.name, connect, spec.antennas, settings, push=push, clock=clock)


def _fits(spec: ReaderSpec, kind: DriverKind, where: str) -> None:
    """Antennas and mode are such as the driver has."""
    ports = sorted(spec.antennas.values())
    if not ports or len(set(ports)) != len(ports) or not 1 <= ports[0] <= ports[-1] <= kind.ports:
        raise MisconfiguredError(
            f"its antennas are on its ports {ports}",
            where,
            f"Driver {spec.driver} has ports 1 to {kind.ports}; give each antenna one of its own."
            if kind.ports > 1
            else f"Driver {spec.driver} has one antenna, on port 1.",
        )
    if spec.mode not in kind.modes:
        raise MisconfiguredError(
            f"driver {spec.driver} has no mode {spec.mode}",
            where,
            f"Choose {' or '.join(kind.modes)}.",
        )


def _wire(spec: ReaderSpec | PuckSpec, where: str, baud: int = BAUD) -> Connect:
    connect = connector(spec.port, where, baud)
    if not spec.usb_serial:
        return connect
    return of_serial(connect, spec.port, spec.usb_serial, where)


def _pn532(spec: ReaderSpec, connect: Connect, where: str, clock: Clock) -> ReaderLink:
    from drivers.rfid.pn532 import Pn532Link
    from drivers.rfid.pn532_session import Pn532Settings

    (antenna,) = spec.antennas
    return Pn532Link(spec.name, connect, antenna, Pn532Settings(where=where), clock=clock)


def _mfrc522(spec: ReaderSpec, where: str, clock: Clock) -> ReaderLink:
    from drivers.rfid.mfrc522 import Mfrc522Link, spi_connector
    from drivers.rfid.mfrc522_session import Mfrc522Settings

    (antenna,) = spec.antennas
    settings = Mfrc522Settings(where=where, gain_db=spec.gain_db)
    return Mfrc522Link(spec.name, spi_connector(spec.port, where), antenna, settings, clock=clock)


def _llrp(spec: ReaderSpec, where: str, clock: Clock) -> ReaderLink:
    from drivers.rfid.llrp import PORT, LlrpLink

    host, port = tcp_address(spec.port, where, PORT)
    return LlrpLink(spec.name, host, port, spec.antennas, where, look_s=spec.look_s, clock=clock)


def _emulated_connect(name: str, where: str, emulated: EmulatedReaders | None) -> Connect:
    """The way to an emulated reader, whose address is known once it is served."""
    if emulated is None or name not in emulated.emulators:
        raise MisconfiguredError(
            "it is simulated, but there is no simulated table", name, "Configure one."
        )
    found = emulated
    return lambda: connector(found.addresses[name], where)()


def rf_permits(spec: InputsSpec | None, *, sleep: Sleep = asyncio.sleep) -> RfPermits:
    """The enable lines of the table's readers, as configured: for `tag_reader` and `inputs`, which
    must have the same."""
    if spec is None:
        return RfPermits()
    readers = {output.rf_enable for output in spec.outputs if output.rf_enable}
    return RfPermits(readers, spec.rf_settle_s, sleep=sleep)


def inputs(
    spec: InputsSpec,
    *,
    permits: RfPermits | None = None,
    clock: Clock = time.monotonic,
    sleep: Sleep = asyncio.sleep,
) -> Inputs:
    """Keys, chairs and the dealer button on the Pi's own lines, and the enable lines of readers.
    permits: None leaves those on all the time. Raises UnknownDriverError. A library that cannot
    serve this machine says so when it is opened."""
    from drivers.gpio.gpiochip import Gpiochip
    from drivers.gpio.inputs import GpioInputs
    from drivers.gpio.lines import LIBRARIES, Library
    from drivers.gpio.rpi_gpio import RpiGpio

    library: Library
    if spec.library == "periphery":
        library = Gpiochip(spec.chip, clock=clock)
    elif spec.library == "RPi.GPIO":
        library = RpiGpio(clock=clock)
    else:
        raise UnknownDriverError(
            f"there is no library {spec.library!r}",
            spec.name,
            f"Choose one of {', '.join(LIBRARIES)}.",
        )
    return GpioInputs(
        library,
        spec.inputs,
        spec.outputs,
        name=spec.name,
        permits=permits,
        clock=clock,
        sleep=sleep,
    )


def enable_lines(
    spec: InputsSpec | None, reader: str, permits: RfPermits, *, clock: Clock = time.monotonic
) -> tuple[Inputs, ...]:
    """What permits this reader's transmitter, and nothing else of the inputs: a companion of a
    reader that is used without its table. None where it needs no permit."""
    if spec is None:
        return ()
    outputs = tuple(o for o in spec.outputs if o.rf_enable in ("", reader))
    if not outputs:
        return ()
    return (inputs(replace(spec, inputs=(), outputs=outputs), permits=permits, clock=clock),)


def led_board(spec: BoardSpec, *, clock: Clock = time.monotonic) -> LedBoard:
    """A board or a row of lamps that hangs on the Pi itself. Raises UnknownDriverError or
    MisconfiguredError, naming the board."""
    from drivers.leds.spec import BOARDS

    if spec.driver not in BOARDS:
        raise UnknownDriverError(
            f"there is no driver {spec.driver!r}", spec.name, f"Choose one of {', '.join(BOARDS)}."
        )
    if spec.picture not in BOARDS[spec.driver].pictures:
        raise MisconfiguredError(
            f"driver {spec.driver} cannot show {spec.picture}",
            spec.name,
            f"Choose {' or '.join(BOARDS[spec.driver].pictures)}.",
        )
    if spec.driver == "hub75":
        from drivers.leds.hub75_board import Hub75Board, Panel

        panel = Panel(spec.library, spec.hat, spec.brightness, spec.slowdown)
        return Hub75Board(spec.name, *spec.size, panel, clock=clock)
    return _spi_board(spec, clock)


def _spi_board(spec: BoardSpec, clock: Clock) -> LedBoard:
    from drivers.leds import max7219, ws2812
    from drivers.leds.grid import along_chain
    from drivers.leds.spi import spidev
    from drivers.leds.spi_boards import Max7219Board, Ws2812Board

    width, height = spec.size
    if spec.driver == "max7219":
        modules = max7219.Encoder(
            width // 8,
            first=spec.first,
            turn=spec.turn,
            mirrored=spec.mirrored,
            intensity=spec.intensity,
        )
        port = spidev(spec.port, max7219.SPEED_HZ, 2 * width // 8)
        return Max7219Board(spec.name, modules, port, clock=clock)
    chain = along_chain(width, height, spec.wiring, spec.corner)
    repeat = spec.lamps_per_seat if spec.picture == "seats" else 1
    lamps = ws2812.Encoder(
        [place for place in chain for _ in range(repeat)],
        order=spec.order,
        brightness=spec.brightness,
        gamma=spec.gamma,
    )
    port = spidev(spec.port, ws2812.SPEED_HZ, lamps.frame_bytes)
    return Ws2812Board(spec.name, width, height, lamps, port, clock=clock)
