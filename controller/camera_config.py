"""The `[[camera]]` part of a table.toml: which cameras there are, and what each looks at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt

from calibration.profiles import AntennaProfile
from controller.config_parts import Line, Part
from controller.model.table import (
    BOARD,
    BURN,
    MUCK,
    STUB,
    TABLE,
    AntennaPlace,
    AreaPlace,
    Zone,
    seat_zone,
)
from drivers.camera.eye import CameraSettings
from drivers.camera.spec import CameraSpec

Place = tuple[str | int, ...]
"""Where in the file: keys and places in lists."""

Pixels = Annotated[StrictInt, Field(ge=160, le=12000)]


class CameraPart(Part):
    """A camera over the table. driver: v4l2 (USB), picamera2 (a Raspberry Pi's own), files, or
    simulated. device: "/dev/v4l/by-id/...", the number of the Pi's connector, or a file or folder
    to play. width, height: of its pictures; still_width, still_height: of one for a count.
    areas: which places it looks at; left out: all that no other camera does. lock: hold exposure
    and white balance once they have settled. miss: share of pictures that do not show a card which
    lies there, for a place without an antenna.
    """

    number: Annotated[StrictInt, Field(ge=1, le=8)]
    driver: Literal["v4l2", "picamera2", "files", "simulated"]
    device: Line = ""
    width: Pixels = 2304
    height: Pixels = 1296
    still_width: Pixels | None = None
    still_height: Pixels | None = None
    fps: Annotated[float, Field(ge=0.5, le=60)] = 4.0
    areas: tuple[str, ...] = ()
    lock: StrictBool = True
    miss: Annotated[float, Field(ge=0, le=0.5)] = 0.02

    @property
    def port(self) -> str:
        """Where it is plugged in, for its calibration to belong to."""
        return self.device or self.driver

    @property
    def spec(self) -> CameraSpec:
        """As the driver factory takes it."""
        still = None
        if self.still_width is not None and self.still_height is not None:
            still = (self.still_width, self.still_height)
        settings = CameraSettings((self.width, self.height), still, self.fps, self.lock)
        return CameraSpec(self.number, self.driver, self.device, settings)


def visible(seats: int) -> tuple[Zone, ...]:
    """The places of a table with so many seats that a camera can look at."""
    return (*map(seat_zone, range(1, seats + 1)), BOARD, BURN, MUCK, STUB, TABLE)


def areas_of(cameras: Sequence[CameraPart], seats: int) -> tuple[AreaPlace, ...]:
    """Which camera looks at which place, each place once."""
    taken: dict[Zone, int] = {}
    for camera in (*(c for c in cameras if c.areas), *(c for c in cameras if not c.areas)):
        for zone in map(Zone, camera.areas) if camera.areas else visible(seats):
            taken.setdefault(zone, camera.number)
    return tuple(AreaPlace(zone, camera) for zone, camera in taken.items())


def places_of(cameras: Sequence[CameraPart], seats: int) -> tuple[AntennaPlace, ...]:
    """The places of a table without antennas: those at which cards are expected, each seen by a
    camera."""
    miss = {c.number: c.miss for c in cameras}
    places: list[AntennaPlace] = []
    for area in areas_of(cameras, seats):
        if area.zone in (STUB, TABLE):
            continue
        number = len(places) + 1
        profile = AntennaProfile(
            number, 1, number, miss_rate=miss[area.camera], cross_rate=0.0, max_stack=None
        )
        places.append(AntennaPlace(profile, area.zone, camera=area.camera))
    return tuple(places)


def camera_faults(raw: Mapping[str, Any], seats: int) -> Iterator[tuple[Place, str]]:
    """Every fault between the values of cameras, with where it stands."""
    cameras = [(i, e) for i, e in enumerate(_list(raw, "camera")) if isinstance(e, dict)]
    allowed = visible(seats)
    numbers: set[int] = set()
    watched: dict[str, object] = {}
    devices: dict[str, object] = {}
    for i, camera in cameras:
        number, driver, device = (camera.get(k) for k in ("number", "driver", "device"))
        who = f"camera {number if number is not None else f'entry {i + 1}'}"
        if type(number) is int:
            if number in numbers:
                said = f"{who}: the number is taken; each camera has its own"
                yield ("camera", i, "number"), said
            numbers.add(number)
        if driver in ("v4l2", "files") and not device:
            need = (
                "/dev/v4l/by-id/..., see: burnturn devices"
                if driver == "v4l2"
                else "a picture, a folder of them, or a video"
            )
            yield ("camera", i), f"{who}: device is missing; allowed: {need}"
        if isinstance(device, str) and device:
            if device in devices:
                said = f"{who}: device = {json.dumps(device[:60])} is camera {devices[device]}'s"
                yield ("camera", i, "device"), said
            devices.setdefault(device, number)
        if ("still_width" in camera) != ("still_height" in camera):
            yield ("camera", i), f"{who}: still_width and still_height go together; give both"
        for zone in _list(camera, "areas"):
            if not isinstance(zone, str):
                continue  # the part's own check names it
            if zone not in allowed:
                said = f"{who}: areas holds {json.dumps(zone)}; allowed: {', '.join(allowed)}"
                yield ("camera", i, "areas"), said
            elif zone in watched:
                said = f"{who}: {zone} is looked at by camera {watched[zone]}; give it one of them"
                if watched[zone] == number:
                    said = f"{who}: areas names {zone} twice; name it once"
                yield ("camera", i, "areas"), said
            else:
                watched[zone] = number
    whole = [i for i, e in cameras if not _list(e, "areas")]
    for i in whole[1:]:
        yield (
            ("camera", i),
            f"camera {cameras[i][1].get('number')}: areas is missing; only one camera may look at"
            " all that no other does",
        )
    if "reader" in raw or "antenna" in raw or not cameras:
        return
    if whole:
        return
    missing = [z for z in allowed if z not in watched and z not in (BURN, STUB, TABLE)]
    if missing:
        yield ("camera", 0), f"no antenna and no camera watches {', '.join(missing)}"


def _list(raw: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = raw.get(key)
    return found if isinstance(found, list) else ()
