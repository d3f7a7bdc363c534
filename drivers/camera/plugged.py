"""Which cameras are attached to this machine: names only; nothing is opened.

USB cameras are V4L2 devices whose entries in sysfs lead to a USB device; a Raspberry Pi's own show
as subdevices named by their sensor ("imx708_wide 10-001a"; the kernel's media driver API), beside
codecs and scalers that are video devices, too, and no cameras.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_SENSOR = re.compile(r"((?:imx|ov|arducam|gc|hm|ar)\w*) \d+-[0-9a-f]{4}")


@dataclass(frozen=True, slots=True)
class CameraFound:
    """A camera. device: what to configure: for driver v4l2 a path that stays the same however the
    machine starts, by serial number where that tells it from every other one, else by the socket it
    is in; for picamera2 the number of the connector. node: the path it has today, "" without one.

    alone: whether its number tells it from all others."""

    driver: str
    device: str
    product: str = ""
    node: str = ""
    alone: bool = False

    @property
    def lasting(self) -> bool:
        return self.device != self.node


@dataclass(frozen=True, slots=True)
class _Usb:
    node: str
    product: str
    identity: tuple[str, str, str]


def cameras(root: Path = Path("/")) -> tuple[CameraFound, ...]:
    """Cameras on USB by node, then those on the Raspberry Pi's connectors."""
    return (*_on_usb(root), *_on_ribbons(root))


def _on_usb(root: Path) -> list[CameraFound]:
    plugged = [usb for entry in _entries(root, "video") if (usb := _usb(entry)) is not None]
    same = Counter(usb.identity for usb in plugged)
    by_id, by_path = (_links(root, kind) for kind in ("by-id", "by-path"))
    found = []
    for usb in plugged:
        # Without a number of their own, two of one make would take turns at one name.
        alone = bool(usb.identity[2]) and same[usb.identity] == 1
        device = (by_id if alone else by_path).get(usb.node, usb.node)
        found.append(CameraFound("v4l2", device, usb.product, usb.node, alone))
    return found


def _usb(entry: Path) -> _Usb | None:
    """The USB camera behind a video device; None for its other devices, which give no pictures, and
    for what is no USB device."""
    if _text(entry / "index") != "0":
        return None
    device = (entry / "device").resolve().parent
    if not _text(device / "idVendor"):
        return None
    identity = (
        _text(device / "idVendor"),
        _text(device / "idProduct"),
        _text(device / "serial"),
    )
    product = _text(device / "product") or _text(entry / "name")
    return _Usb(f"/dev/{entry.name}", product, identity)


def _on_ribbons(root: Path) -> list[CameraFound]:
    names = (_text(entry / "name") for entry in _entries(root, "v4l-subdev"))
    sensors = [sensor[1] for name in names if (sensor := _SENSOR.fullmatch(name))]
    return [CameraFound("picamera2", str(n), name) for n, name in enumerate(sensors)]


def _entries(root: Path, kind: str) -> list[Path]:
    """Entries of that kind in sysfs, by number."""
    found = (root / "sys/class/video4linux").glob(f"{kind}[0-9]*")
    return sorted(found, key=lambda entry: int(entry.name.removeprefix(kind)))


def _links(root: Path, kind: str) -> dict[str, str]:
    """Device to its lasting name of that kind."""
    folder = root / "dev/v4l" / kind
    links = sorted(folder.iterdir(), reverse=True) if folder.is_dir() else []
    return {f"/dev/{link.readlink().name}": f"/dev/v4l/{kind}/{link.name}" for link in links}


def _text(path: Path) -> str:
    """What a file says, on one line: names come out of a stranger's device."""
    try:
        return "".join(c for c in path.read_text(errors="replace").strip() if c.isprintable())
    except OSError:
        return ""
