"""The cameras of a table under calibration, and the step for one."""

from __future__ import annotations

from calibration.camera.samples import Said
from calibration.camera.step import CameraStep, Part
from calibration.camera_profile import CameraProfile
from calibration.camera_store import kind_of, place_of
from calibration.store import ProfileStore
from controller.config import Config
from drivers.contracts import Clock
from drivers.errors import MisconfiguredError
from drivers.factory import Lens, SheetCamera, above

SIMULATED = "simulated"
_HANGS_MM = 1550.0
_OVER_MM, _LOOKS_MM = (0.0, -150.0), (0.0, 50.0)


def camera_of(config: Config, number: int, clock: Clock) -> SheetCamera:
    """A camera of the table, for its calibration. Raises MisconfiguredError for one that is not
    there."""
    if not config.simulated or number != 1:
        raise MisconfiguredError(
            "there is no such camera", f"camera {number}", "Name it in the table.toml ([[camera]])."
        )
    return SheetCamera(1, Lens(), above(_HANGS_MM, _OVER_MM, _LOOKS_MM), clock=clock)


def camera_step(
    config: Config,
    camera: SheetCamera,
    store: ProfileStore,
    parts: frozenset[Part],
    said: Said,
) -> CameraStep:
    """The calibration of that camera; what is not among `parts` is taken from the one in force.

    Raises StoreError for one that cannot be read, MisconfiguredError where there is none.
    """
    number = camera.number
    before = None
    if parts != frozenset(Part):
        saved = store.load(kind_of(number), CameraProfile, place_of(number, SIMULATED))
        before = None if saved is None else saved.profile
        if before is None and Part.LENS not in parts:
            raise MisconfiguredError(
                "has no calibration yet whose lens could be kept",
                f"camera {number}",
                "Begin with the whole: burnturn calibrate camera",
            )
    return CameraStep(
        camera,
        number,
        SIMULATED,
        config.file.table.seats,
        camera.name,
        parts,
        said,
        before,
    )
