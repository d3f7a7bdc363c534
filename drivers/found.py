"""What is attached to this machine that a reader could be: names only; nothing is opened.

Paths are looked up under a root, so that a made-up machine can stand in a folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from drivers.usb_ports import PortInfo, listed

ROOT = Path("/")


ListPorts = Callable[[], Iterable[PortInfo]]


@dataclass(frozen=True, slots=True)
class SerialPort:
    """A serial port. name: the path to configure, which stays the same however the machine starts:
    by serial number where that tells it from every other port, else by the socket it is in.
    lasting: whether there is such a name. serial_number: of its USB device. alone: whether that
    tells it from all others."""

    device: str
    name: str
    chip: str = ""
    product: str = ""
    serial_number: str = ""
    alone: bool = False

    @property
    def lasting(self) -> bool:
        return self.name != self.device


@dataclass(frozen=True, slots=True)
class VideoDevice:
    """A camera behind V4L2. name: the path to configure, which stays the same camera however the
    machine starts. label: what it calls itself."""

    device: str
    name: str
    label: str = ""

    @property
    def lasting(self) -> bool:
        return self.name != self.device


_NO_CAMERAS = ("bcm2835-", "rpi-hevc", "rpivid", "pispbe", "unicam", "rp1-cfe")
"""Names of a Raspberry Pi's own video devices: codecs, and connectors that libcamera serves."""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that was found. pcsc: names of PC/SC readers; pcsc_trouble: why they are not
    known."""

    serial: tuple[SerialPort, ...] = ()
    spi: tuple[str, ...] = ()
    gpio: tuple[str, ...] = ()
    cameras: tuple[VideoDevice, ...] = ()
    pcsc: tuple[str, ...] = ()
    pcsc_trouble: str = field(default="")


def found(
    root: Path = ROOT,
    list_ports: ListPorts = listed,
    pcsc: Callable[[], Sequence[str]] | None = None,
) -> Found:
    """Look for ports and readers. pcsc: lists PC/SC readers; raises DriverError."""
    from drivers.errors import DriverError

    names: tuple[str, ...] = ()
    trouble = ""
    if pcsc is not None:
        try:
            names = tuple(pcsc())
        except DriverError as error:
            trouble = f"{error.what}. {error.remedy}"
    return Found(
        serial=serial_ports(root, list_ports()),
        spi=_nodes(root, "spidev*.*"),
        gpio=_nodes(root, "gpiochip*"),
        cameras=video_devices(root),
        pcsc=names,
        pcsc_trouble=trouble,
    )


def serial_ports(root: Path, ports: Iterable[PortInfo]) -> tuple[SerialPort, ...]:
    """The USB serial ports and those of the machine itself that have a lasting name."""
    listed = sorted(ports, key=lambda port: port.device)
    same = Counter(_identity(port) for port in listed)
    by_id, by_path = (_links(root, kind) for kind in ("by-id", "by-path"))
    out = []
    for port in listed:
        alone = bool(port.serial_number) and same[_identity(port)] == 1
        lasting = (by_id if alone else by_path).get(port.device)
        if port.vid is None and lasting is None and not port.device.startswith("/dev/ttyAMA"):
            continue  # one of a PC's many sockets, mostly not there
        out.append(
            SerialPort(
                port.device,
                lasting or port.device,
                "" if port.vid is None else f"{port.vid:04x}:{port.pid or 0:04x}",
                " ".join(part for part in (port.manufacturer, port.product) if part),
                port.serial_number or "",
                alone,
            )
        )
    return tuple(out)


def video_devices(root: Path) -> tuple[VideoDevice, ...]:
    """The USB cameras: of each its first device, which gives pictures; the others give metadata."""
    by_id, by_path = (_links(root, kind, "v4l") for kind in ("by-id", "by-path"))
    out = []
    for device in sorted(_nodes(root, "video[0-9]*"), key=lambda d: int(d[len("/dev/video") :])):
        about = root / "sys/class/video4linux" / device.rsplit("/", 1)[1]
        label = _text(about / "name")
        if _text(about / "index") not in ("", "0") or label.startswith(_NO_CAMERAS):
            continue
        name = by_id.get(device) or by_path.get(device) or device
        out.append(VideoDevice(device, name, label))
    return tuple(out)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _identity(port: PortInfo) -> tuple[int | None, int | None, str | None]:
    return (port.vid, port.pid, port.serial_number)


def _links(root: Path, kind: str, what: str = "serial") -> dict[str, str]:
    """Device to its lasting name of that kind."""
    folder = root / "dev" / what / kind
    links = sorted(folder.iterdir()) if folder.is_dir() else []
    return {f"/dev/{link.readlink().name}": f"/dev/{what}/{kind}/{link.name}" for link in links}


def _nodes(root: Path, pattern: str) -> tuple[str, ...]:
    return tuple(f"/dev/{path.name}" for path in sorted((root / "dev").glob(pattern)))
