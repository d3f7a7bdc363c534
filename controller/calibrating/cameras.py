"""The cameras of a table under calibration, and the step for one."""

from __future__ import annotations

from calibration.camera.samples import Said
from calibration.camera.step import CameraStep, Part
from calibration.camera_profile import CameraProfile
from calibration.camera_store import kind_of, place_of
from calibration.store import ProfileStore
from controller.camera_config import CameraPart
from controller.config import Config
from drivers.contracts import Camera, Clock
from drivers.errors import MisconfiguredError
from drivers.factory import VIEW, SheetCamera, hung_over


def part_of(config: Config, number: int) -> CameraPart:
    """What the table.toml says of a camera. Raises MisconfiguredError for one that is not there."""
    for part in config.file.camera:
        if part.number == number:
            return part
    known = ", ".join(str(part.number) for part in config.file.camera)
    raise MisconfiguredError(
        "there is no such camera" + (f"; this table has {known}" if known else ""),
        f"camera {number}",
        "Name it in the table.toml ([[camera]], see burnturn devices), or try it at the simulated"
        " table with one: burnturn config sample --camera",
    )


def camera_of(config: Config, number: int, clock: Clock) -> Camera:
    """A camera of the table, for its calibration; a simulated one has the lens and the place of
    that of `burnturn run`. Raises MisconfiguredError for one that is not there."""
    part = part_of(config, number)
    if part.driver == "simulated":
        place = hung_over(part.areas, config.file.table.seats)
        return SheetCamera(number, VIEW, place, clock=clock)
    from drivers.camera.spec import live_camera

    return live_camera(part.spec, clock=clock)


def camera_step(
    config: Config,
    camera: Camera,
    number: int,
    store: ProfileStore,
    parts: frozenset[Part],
    said: Said,
) -> CameraStep:
    """The calibration of that camera; what is not among `parts` is taken from the one in force.

    Raises StoreError for one that cannot be read, MisconfiguredError where there is none.
    """
    port = part_of(config, number).port
    before = None
    if parts != frozenset(Part):
        saved = store.load(kind_of(number), CameraProfile, place_of(number, port))
        before = None if saved is None else saved.profile
        if before is None and Part.LENS not in parts:
            raise MisconfiguredError(
                "has no calibration yet whose lens could be kept",
                f"camera {number}",
                "Begin with the whole: burnturn calibrate camera",
            )
    name = camera.name if isinstance(camera, SheetCamera) else ""
    return CameraStep(camera, number, port, config.file.table.seats, name, parts, said, before)
