"""The table's cameras, with what reads their pictures, built as configured.

OpenCV and the network are loaded here, and only where the configuration names a camera.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from calibration.camera_profile import CameraProfile
from calibration.camera_store import kind_of, old_words
from calibration.store import StoreError
from controller.calibrating.belonging import store_of
from controller.calibrating.in_force import camera_saved
from controller.camera_config import CameraPart
from controller.config import CalibrationPart, Config
from drivers.contracts import Camera, Clock
from drivers.errors import MisconfiguredError
from drivers.table_plan import table_plan

if TYPE_CHECKING:
    from controller.camera_source import CameraSource

Simulated = Callable[[CameraPart], Camera]


def camera_sources(
    config: Config,
    clock: Clock,
    simulated: Simulated | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> tuple[CameraSource, ...]:
    """A source for every camera of the table. simulated: gives the simulated table's. note: told
    what people should know of a calibration.

    Raises:
        MisconfiguredError: OpenCV is missing, a camera is not calibrated, or its calibration is
            another camera's.
        controller.vision.deck_look.DeckLookError: the look of the house's deck cannot be read.
    """
    if not config.file.camera:
        return ()
    try:
        import cv2
    except ImportError as error:
        raise MisconfiguredError(
            f"OpenCV cannot be loaded ({error})",
            "camera",
            "Install it with: pip install 'burnturn[camera-headless]'",
        ) from error
    from controller.camera_source import CameraSource
    from controller.house import card_net
    from controller.moved_watch import MovedWatch
    from controller.vision.reader import CardReader
    from controller.vision.spread_reader import SpreadReader
    from controller.vision.table_view import TableView

    cv2.setNumThreads(1)  # the sweep and the rules need the other cores
    net, reading = card_net(config), asyncio.Lock()
    found = []
    for part in config.file.camera:
        profile = _watched(config, part, note)
        camera = simulated(part) if part.driver == "simulated" and simulated else _live(part, clock)
        view = TableView(profile, CardReader(net))
        # Nobody bumps into a simulated camera, and no stickers are drawn under it.
        moved = None if part.driver == "simulated" else MovedWatch(profile)
        spreads = SpreadReader(net)
        found.append(
            CameraSource(
                camera, part.number, view, spreads, moved=moved, note=note, reading=reading
            )
        )
    return tuple(found)


def _live(part: CameraPart, clock: Clock) -> Camera:
    from drivers.camera.spec import live_camera

    return live_camera(part.spec, clock=clock)


def _watched(config: Config, part: CameraPart, note: Callable[[str], None]) -> CameraProfile:
    """What the camera was calibrated to, with the places alone that it is to look at."""
    wanted = [a.zone for a in config.layout.areas if a.camera == part.number]
    profile = _calibrated(config, part, note)
    missing = [zone for zone in wanted if zone not in profile.areas]
    needed = [p.zone for p in config.layout.antennas if p.camera == part.number]
    if lacking := [zone for zone in needed if zone in missing]:
        raise MisconfiguredError(
            f"its calibration does not show {', '.join(lacking)}",
            f"camera {part.number}",
            "Hang it so that it sees them and calibrate it anew (burnturn calibrate camera), or"
            " name in `areas` of its [[camera]] what it looks at.",
        )
    areas = {str(zone): profile.areas[zone] for zone in wanted if zone in profile.areas}
    return replace(profile, areas=areas)


def _calibrated(config: Config, part: CameraPart, note: Callable[[str], None]) -> CameraProfile:
    simulated, store = part.driver == "simulated", store_of(config)
    kept = config.file.calibration is not None and store.path(kind_of(part.number)).exists()
    if simulated and not kept:
        return true_profile(part.number, config.file.table.seats, part.areas)
    try:
        saved = camera_saved(store, part)
    except StoreError as error:
        what, _, remedy = str(error).partition(" Next: ")
        raise MisconfiguredError(
            what.rstrip("."), f"camera {part.number}", f"Next: {remedy}"
        ) from error
    if config.file.calibration is None:  # else `in_force` has said it
        days = timedelta(days=CalibrationPart().old_after_days)
        if old := old_words(saved, datetime.now(UTC), days):
            note(old)
    return saved.profile


def true_profile(camera: int, seats: int, areas: Sequence[str] = ()) -> CameraProfile:
    """How the simulated table's camera that looks at these areas really sees: a calibration that
    made no error."""
    from drivers.factory import hung_over, true_view

    view = true_view(stance=hung_over(areas, seats))
    k1, k2, p1, p2, k3 = view.distortion
    plan = table_plan(seats)
    looked_at = set(areas or plan) - {"count", "table"}
    rows = view.table_to_picture
    middle_w = rows[2][2]
    scale = abs(rows[0][0] / middle_w)
    return CameraProfile(
        camera,
        view.width_px,
        view.height_px,
        view.matrix,
        (k1, k2, p1, p2, k3),
        (rows[0], rows[1], rows[2]),
        {name: plan[name].corners_mm for name in plan if name in looked_at},
        scale,
    )


def spread_of(sources: Sequence[CameraSource], config: Config) -> CameraSource | None:
    """The camera before which a deck is spread for a count: the one over the board."""
    if not sources:  # a night that is played again
        return None
    for area in config.layout.areas:
        if area.zone == "board":
            for part, source in zip(config.file.camera, sources, strict=True):
                if part.number == area.camera:
                    return source
    return sources[0] if sources else None
