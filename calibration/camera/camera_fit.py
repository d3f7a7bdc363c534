"""From what was measured of a camera to its profile. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from calibration.camera import marks
from calibration.camera.areas import (
    FACES_PX,
    Lens,
    SeenArea,
    area_faults,
    area_warnings,
    card_areas,
    index_px,
    seen_areas,
)
from calibration.camera.geometry import scale_at, through, undistorted
from calibration.camera.lens import LensFit, fit_lens
from calibration.camera.samples import CameraSamples, Said, corners
from calibration.camera.table_fit import Known, TableFit, fit_table, known_stickers
from calibration.camera_profile import CameraProfile, profile_faults
from calibration.steps import Remark, Weight

WOBBLE_LIMIT_PX = 1.5
"""Between pictures of one still table, at 1920 pixels across."""


@dataclass(frozen=True, slots=True)
class CameraFit:
    """A camera as fitted. lens: None where an earlier one was taken over. profile: None where none
    could be worked out; one that must not be used is there to be looked at."""

    lens: LensFit | None
    table: TableFit
    areas: tuple[SeenArea, ...]
    profile: CameraProfile | None
    remarks: tuple[Remark, ...]

    @property
    def refused(self) -> bool:
        return any(r.weight is Weight.REFUSED for r in self.remarks)


def fit_camera(
    camera: int,
    seats: int,
    samples: CameraSamples,
    said: Said,
    before: CameraProfile | None = None,
) -> CameraFit:
    """The profile of a camera. before: the one whose lens is taken over; None: it is fitted to the
    views of the lens board. Never raises for what was measured: the remarks say what is wrong."""
    lens_fit = None
    if before is None:
        lens_fit = fit_lens([v.view for v in samples.views], samples.width_px, samples.height_px)
        lens: Lens = (lens_fit.matrix, lens_fit.distortion)
    else:
        lens = (before.matrix, before.distortion)
    table = fit_table(_known(samples, said), *lens)
    size = (samples.width_px, samples.height_px)
    areas: tuple[SeenArea, ...] = ()
    profile = None
    if table.table_to_picture is not None:
        cards = card_areas(corners(samples.cards), seats, lens, table.table_to_picture)
        areas = seen_areas(seats, lens, table, size, cards, said.areas)
        profile = _profile(camera, samples, lens, table, areas)
    remarks = tuple(_remarks(samples, before, lens_fit, table, areas, profile))
    return CameraFit(lens_fit, table, areas, profile, remarks)


def _known(samples: CameraSamples, said: Said) -> tuple[Known, ...]:
    points = tuple(Known(f"point {n}", *point) for n, point in enumerate(said.points, 1))
    places = {**marks.STICKERS, **said.stickers}
    return points + known_stickers(corners(samples.stickers), places)


def _profile(
    camera: int,
    samples: CameraSamples,
    lens: Lens,
    table: TableFit,
    areas: tuple[SeenArea, ...],
) -> CameraProfile | None:
    forth = table.table_to_picture
    if forth is None:
        return None
    k1, k2, p1, p2, k3 = lens[1]
    return CameraProfile(
        camera=camera,
        width_px=samples.width_px,
        height_px=samples.height_px,
        matrix=lens[0],
        distortion=(k1, k2, p1, p2, k3),
        table_to_picture=forth,
        areas={a.zone: a.area.corners_mm for a in areas if not a.left_out},
        px_per_mm=math.sqrt(math.prod(scale_at(forth, 0.0, 0.0))),
        stickers=_lie(samples, lens, table),
        residual_mm=table.rms_mm,
        device=samples.device,
    )


def _lie(samples: CameraSamples, lens: Lens, table: TableFit) -> dict[int, tuple[float, float]]:
    """Where every sticker in the picture lies, as the camera sees it; also those of no known
    place."""
    import numpy as np

    back = np.linalg.inv(np.asarray(table.table_to_picture))
    seen = known_stickers(corners(samples.stickers), dict.fromkeys(samples.stickers, (0.0, 0.0)))
    if not seen:
        return {}
    at = through(back / back[2, 2], undistorted([(k.x_px, k.y_px) for k in seen], *lens))
    return {
        number: (float(x), float(y))
        for number, (x, y) in zip(sorted(samples.stickers), at, strict=True)
    }


def _remarks(
    samples: CameraSamples,
    before: CameraProfile | None,
    lens: LensFit | None,
    table: TableFit,
    areas: tuple[SeenArea, ...],
    profile: CameraProfile | None,
) -> Iterator[Remark]:
    if lens is not None:
        yield from (Remark(Weight.REFUSED, f"Lens: {fault}.") for fault in lens.faults)
    elif before is not None and (before.width_px, before.height_px) != (
        samples.width_px,
        samples.height_px,
    ):
        yield Remark(
            Weight.REFUSED,
            f"Lens: it was measured with pictures of {before.width_px}x{before.height_px}, and"
            f" these are {samples.width_px}x{samples.height_px}. Next: burnturn calibrate camera",
        )
    yield from (Remark(Weight.REFUSED, f"Table: {fault}.") for fault in table.faults)
    yield from (Remark(Weight.WARNING, f"Table: {warning}.") for warning in table.warnings)
    limit = WOBBLE_LIMIT_PX * samples.width_px / 1920
    if samples.wobble_px > limit:
        yield Remark(
            Weight.REFUSED,
            f"Table: the stickers went about by {samples.wobble_px:.1f} px between the pictures"
            f" ({limit:.1f} allowed): the camera swings or something moved. Fix it and try again.",
        )
    if not samples.stickers and table.good:
        yield Remark(
            Weight.WARNING,
            "Table: there is no sticker in the picture, so nobody will see it if the camera moves.",
        )
    if table.table_to_picture is None:
        return
    yield from (Remark(Weight.REFUSED, f"Areas: {fault}.") for fault in area_faults(areas))
    if table.good and (lens is None or lens.good):
        yield from (Remark(Weight.WARNING, f"Areas: {w}.") for w in area_warnings(areas))
        if profile is not None:
            yield from _sound(profile)
            yield from _good(lens, table, areas, profile)


def _sound(profile: CameraProfile) -> Iterator[Remark]:
    if profile.areas:
        yield from (Remark(Weight.REFUSED, f"{fault}.") for fault in profile_faults(profile))


def _good(
    lens: LensFit | None,
    table: TableFit,
    areas: tuple[SeenArea, ...],
    profile: CameraProfile,
) -> Iterator[Remark]:
    if lens is not None:
        used = sum(not v.rejected for v in lens.views)
        yield Remark(
            Weight.GOOD,
            f"Lens: {used} views fit to {lens.rms_px:.2f} px; it sees {lens.field_deg:.0f}°"
            " across.",
        )
    yield Remark(
        Weight.GOOD,
        f"Table: {sum(r.used for r in table.residuals)} places fit to {table.rms_mm:.1f} mm; the"
        f" camera hangs {table.height_mm / 10:.0f} cm above the felt and looks"
        f" {table.tilt_deg:.0f}° from straight down.",
    )
    given = [a for a in areas if not a.left_out]
    faces = [a for a in given if a.faces]
    yield Remark(
        Weight.GOOD,
        f"Areas: {len(given)} of {len(areas)} places of the table are this camera's; faces can be"
        f" read at {len(faces)} of them. At the board {profile.px_per_mm:.2f} px a millimetre: an"
        f" index is {index_px(profile.px_per_mm):.0f} px high ({FACES_PX:.0f} needed).",
    )
