"""A camera's calibration taken from the table's folder: refused where it is missing, foreign or
unsound, named where it is old. No OpenCV is needed for it."""

from __future__ import annotations

from datetime import datetime, timedelta

from calibration.camera_profile import CameraProfile, CameraProfileError, checked, foreign_faults
from calibration.store import DamagedError, ForeignError, ProfileStore, Saved, StoreError

OLD = timedelta(days=180)
"""Unless the house says otherwise: a mount creeps, felt is replaced."""
_AGAIN = "Next: burnturn calibrate camera"


def kind_of(camera: int) -> str:
    """The name under which a camera's calibration is kept."""
    return f"camera-{camera}"


def place_of(camera: int, port: str) -> dict[str, str]:
    """What a camera's calibration belongs to (`calibration.steps.Belongs.table`)."""
    return {f"camera {camera}": port}


def load_camera(
    store: ProfileStore, camera: int, port: str, width_px: int, height_px: int, device: str = ""
) -> Saved[CameraProfile]:
    """The calibration of a camera in force. port: where it is plugged in, as configured. width_px,
    height_px: of the pictures that it gives. device: what it calls itself.

    Raises StoreError where there is none, ForeignError where it is of another camera or of pictures
    of another size, DamagedError where its values make no sense.
    """
    saved = store.load(kind_of(camera), CameraProfile, place_of(camera, port))
    if saved is None:
        raise StoreError(
            f"{store.path(kind_of(camera))}: camera {camera} is not calibrated, and nobody knows"
            f" which part of the table it sees. {_AGAIN}"
        )
    try:
        checked(saved.profile)
    except CameraProfileError as error:
        raise DamagedError(f"{saved.file}: {error}") from None
    differences = foreign_faults(saved.profile, camera, width_px, height_px, device)
    if differences:
        raise ForeignError(
            f"{saved.file}: is not of this camera: {'; '.join(differences)}. {_AGAIN}", differences
        )
    return saved


def old_words(saved: Saved[CameraProfile], now: datetime, old: timedelta = OLD) -> str:
    """What to say of a calibration that is old; "" while it is not."""
    age = saved.made.age(now)
    if age <= old:
        return ""
    return (
        f"camera {saved.profile.camera} was calibrated {age.days} days ago, on"
        f" {saved.made.at:%Y-%m-%d}. {_AGAIN} table"
    )
