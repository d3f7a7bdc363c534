"""The page by which a person judges a camera's calibration: where the board was, how well it
fits, and the table seen straight from above with its areas drawn over it."""

from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera.areas import FACES_PX, SeenArea
from calibration.camera.geometry import table_to_picture
from calibration.camera.lens import CELLS, LensFit
from calibration.camera_profile import CameraProfile
from calibration.report import Page, Plot, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from calibration.camera.camera_fit import CameraFit
    from calibration.camera.samples import CameraSamples

_ROUND_MM = 60.0
_PX_MM = 0.9  # of the straightened table on the page
_BLUE, _ORANGE, _RED, _GREY = "#1f5fa8", "#c65d00", "#b3261e", "#777777"
_COLOURS = {"faces": _BLUE, "backs": _ORANGE, "left out": _RED}


def page_of(title: str, samples: CameraSamples, fitted: CameraFit) -> Page:
    """The page of a camera's calibration, whatever came of it."""
    plots: list[Plot] = []
    tables: list[Table] = []
    picture = _picture(samples)
    if fitted.profile is not None and picture is not None:
        plots.append(_straight_plot(fitted, fitted.profile, picture))
    elif picture is not None:
        plots.append(_picture_plot(samples, picture))
    if fitted.areas:
        tables.append(_areas_table(fitted.areas))
    if fitted.table.residuals:
        tables.append(_places_table(fitted))
    if fitted.lens is not None and fitted.lens.views:
        plots += [_coverage_plot(fitted.lens), _errors_plot(fitted.lens)]
        tables.append(_views_table(fitted.lens))
    return Page(title, _lead(fitted), tuple(plots), tuple(tables))


def _lead(fitted: CameraFit) -> str:
    if fitted.refused or fitted.profile is None:
        return "This calibration cannot be used; what to do is said below. Nothing was changed."
    given = [a for a in fitted.areas if not a.left_out]
    return (
        f"The camera sees {len(given)} places of the table; it is known to"
        f" {fitted.profile.residual_mm:.1f} mm where they are. Look whether the frames lie where"
        " your cards lie."
    )


# ---- the table


def _straight_plot(fitted: CameraFit, profile: CameraProfile, picture: NDArray[np.uint8]) -> Plot:
    left, right, low, high = _extent(fitted.areas, profile)
    straight = straightened(profile, picture, (left, right, low, high))

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.imshow(straight[..., ::-1], extent=(left, right, low, high), aspect="equal")
        for area in fitted.areas:
            _draw_area(axes, area)
        for residual in fitted.table.residuals:
            colour = "white" if residual.used else _RED
            axes.plot(residual.x_mm, residual.y_mm, "+", color=colour, markersize=9)
            axes.annotate(
                f"{residual.name.removeprefix('sticker ')}: {residual.off_mm:.1f} mm",
                (residual.x_mm, residual.y_mm),
                xytext=(6, 7),
                textcoords="offset points",
                fontsize=7,
                color=colour,
            )
        axes.set_xlim(left, right)
        axes.set_ylim(low, high)
        axes.set_xlabel("mm, the dealer sits below")
        axes.set_ylabel("mm")
        for name, colour in _COLOURS.items():
            axes.plot([], [], color=colour, label=name)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)

    wide = 9.0
    tall = wide * (high - low) / (right - left) + 0.7
    return Plot(
        "The table from straight above",
        "Each frame must lie where the cards of that place lie. Blue: faces can be read there;"
        " orange: backs only; red: not given to this camera. Crosses: where the stickers should be,"
        " and how far off they are.",
        draw,
        (wide, min(tall, 8.0)),
    )


def straightened(
    profile: CameraProfile,
    picture: NDArray[np.uint8],
    extent_mm: tuple[float, float, float, float],
) -> NDArray[np.uint8]:
    """The table from straight above: left, right, low and high edge in millimetres. picture: of the
    camera, at any size of the same shape."""
    left, right, low, high = extent_mm
    x = np.arange(left, right, 1 / _PX_MM)
    y = np.arange(high, low, -1 / _PX_MM)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    at = table_to_picture(profile, grid.reshape(-1, 2)) * (picture.shape[1] / profile.width_px)
    at = np.nan_to_num(at, nan=-1.0).astype(np.float32).reshape(*grid.shape)
    out = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderValue=(235, 235, 235))
    return np.asarray(out, dtype=np.uint8)


def _draw_area(axes: Any, area: SeenArea) -> None:
    colour = _COLOURS["left out" if area.left_out else "faces" if area.faces else "backs"]
    corners = [*area.area.corners_mm, area.area.corners_mm[0]]
    xs, ys = zip(*corners, strict=True)
    axes.plot(xs, ys, color="white", linewidth=3.2, solid_joinstyle="round")
    axes.plot(xs, ys, color=colour, linewidth=1.8, solid_joinstyle="round")
    axes.text(
        area.area.x_mm,
        area.area.y_mm,
        area.zone.replace("/", " "),
        ha="center",
        va="center",
        fontsize=8,
        color="white",
        bbox={"facecolor": colour, "edgecolor": "none", "boxstyle": "round,pad=0.25"},
    )


def _extent(
    areas: tuple[SeenArea, ...], profile: CameraProfile
) -> tuple[float, float, float, float]:
    at = [c for a in areas for c in a.area.corners_mm]
    at += list(profile.stickers.values()) or [(0.0, 0.0)]
    xs, ys = zip(*at, strict=True)
    return (
        min(xs) - _ROUND_MM,
        max(xs) + _ROUND_MM,
        min(ys) - _ROUND_MM,
        max(ys) + _ROUND_MM,
    )


def _picture_plot(samples: CameraSamples, picture: NDArray[np.uint8]) -> Plot:
    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.imshow(picture[..., ::-1], extent=(0, samples.width_px, samples.height_px, 0))
        for number, four in samples.stickers.items():
            x, y = np.mean(four, axis=0)
            axes.text(x, y, str(number), color="white", backgroundcolor=_BLUE, fontsize=8)
        axes.set_xlabel("pixels")
        axes.set_ylabel("pixels")
        axes.grid(alpha=0.4)

    return Plot(
        "What the camera sees",
        "The table could not be worked out. Small dark things are not shown, so that no card can be"
        " read. If there are no stickers, lay light sheets on four places, read the pixels of"
        " their middles here and name them: --point X_MM,Y_MM=X_PX,Y_PX, four times.",
        draw,
        (9.0, 9.0 * samples.height_px / samples.width_px + 0.5),
    )


def _areas_table(areas: tuple[SeenArea, ...]) -> Table:
    rows = tuple(
        (
            a.zone.replace("/", " "),
            _ORIGINS[a.origin],
            f"{a.area.x_mm:.0f}, {a.area.y_mm:.0f}",
            f"{a.area.width_mm:.0f} × {a.area.height_mm:.0f}",
            f"{a.area.angle_deg:.0f}",
            *((f"{a.px_per_mm:.2f}", f"{a.index_px:.0f}") if a.px_per_mm else ("", "")),
            f"{a.error_mm:.1f}" if math.isfinite(a.error_mm) else "",
            "not used" if a.left_out else "faces" if a.faces else "backs only",
        )
        for a in areas
    )
    head = (
        "place",
        "from",
        "middle, mm",
        "size, mm",
        "turned, °",
        "px a mm",
        "index, px",
        "known to, mm",
        "reads",
    )
    return Table(
        f"Places (faces are read from an index of {FACES_PX:.0f} px)",
        head,
        rows,
        frozenset(n for n, a in enumerate(areas) if a.left_out),
    )


_ORIGINS = {"plan": "plan", "card": "place card", "typed": "values"}


def _places_table(fitted: CameraFit) -> Table:
    rows = tuple(
        (
            r.name,
            f"{r.x_mm:.0f}, {r.y_mm:.0f}",
            _mm(r.dx_mm, "+.1f"),
            _mm(r.dy_mm, "+.1f"),
            _mm(r.off_mm, ".1f"),
            f"{r.side_mm:.1f}" if r.side_mm is not None else "",
            "yes" if r.used else "no",
        )
        for r in fitted.table.residuals
    )
    return Table(
        "Stickers and points",
        ("what", "place, mm", "right, mm", "up, mm", "off, mm", "side, mm", "used"),
        rows,
        frozenset(n for n, r in enumerate(fitted.table.residuals) if not r.used),
    )


def _mm(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else ""


# ---- the lens


def _coverage_plot(lens: LensFit) -> Plot:
    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        columns, rows = CELLS
        axes.imshow(
            lens.covered,
            extent=(0, lens.width_px, lens.height_px, 0),
            cmap="Blues",
            alpha=0.55,
            vmin=0,
            vmax=max(int(np.percentile(lens.covered, 90)), 1),
        )
        for view in lens.views:
            colour = _RED if view.rejected else _BLUE
            axes.plot(*view.corners_px.T, ".", color=colour, markersize=2.5)
        for row in range(rows):
            for column in range(columns):
                if not lens.covered[row, column]:
                    x = (column + 0.5) * lens.width_px / columns
                    y = (row + 0.5) * lens.height_px / rows
                    axes.text(x, y, "none", ha="center", va="center", color=_RED, fontsize=8)
        axes.set_xlim(0, lens.width_px)
        axes.set_ylim(lens.height_px, 0)
        axes.set_xlabel("pixels")

    return Plot(
        "Where the lens board was",
        "Every corner of its squares in every view. The dots should fill the picture, its four"
        " corners with it; a cell that says none is where the lens is guessed. Red dots: views that"
        " were left out.",
        draw,
        (7.0, 7.0 * lens.height_px / lens.width_px + 0.6),
    )


def _errors_plot(lens: LensFit) -> Plot:
    used = [v for v in lens.views if not v.rejected and len(v.errors_px)]

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        numbers = range(1, len(lens.views) + 1)
        heights = [0.0 if math.isnan(v.rms_px) else v.rms_px for v in lens.views]
        left.bar(numbers, heights, color=_BLUE)
        for number, view in zip(numbers, lens.views, strict=True):
            if view.rejected:
                left.text(number, 0, "×", ha="center", va="bottom", color=_RED)
        if math.isfinite(lens.rms_px):
            left.axhline(lens.rms_px, color=_GREY, linewidth=1)
        left.set_xlabel("view (×: left out)")
        left.xaxis.get_major_locator().set_params(integer=True)
        left.set_ylabel("pixels, rms")
        if used:
            errors = np.concatenate([v.errors_px for v in used])
            right.plot(*errors.T, ".", color=_BLUE, markersize=2.5, alpha=0.6)
            far = max(float(np.abs(errors).max()) * 1.05, 0.1)
            right.set_xlim(-far, far)
            right.set_ylim(-far, far)
        right.axhline(0, color=_GREY, linewidth=0.6)
        right.axvline(0, color=_GREY, linewidth=0.6)
        right.set_aspect("equal")
        right.set_xlabel("pixels to the right")
        right.set_ylabel("pixels down")

    return Plot(
        "How well the lens fits",
        "Left: how far the corners of each view lie from where the lens puts them; the line is all"
        " of them. Right: every corner; a round cloud about the middle is noise, a pattern is a"
        " board that was bent.",
        draw,
        (8.0, 3.4),
    )


def _views_table(lens: LensFit) -> Table:
    rows = tuple(
        (
            str(number),
            str(len(view.corners_px)),
            "" if math.isnan(view.rms_px) else f"{view.rms_px:.2f}",
            view.rejected,
        )
        for number, view in enumerate(lens.views, 1)
    )
    return Table(
        "Views of the lens board",
        ("view", "corners", "rms, px", "left out because"),
        rows,
        frozenset(n for n, v in enumerate(lens.views) if v.rejected),
    )


def _picture(samples: CameraSamples) -> NDArray[np.uint8] | None:
    if not samples.picture:
        return None
    data = np.frombuffer(base64.b64decode(samples.picture), dtype=np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return None if image is None else np.asarray(image, dtype=np.uint8)
