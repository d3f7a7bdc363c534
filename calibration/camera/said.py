"""What somebody types instead of letting it be measured: stickers, points, areas. Pure.

Millimetres are the table's (`drivers.table_plan`): from the middle of the board cards, to the
dealer's right and away from the dealer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from calibration.camera import marks
from calibration.camera.samples import Said
from drivers.table_plan import Area, table_plan

_FARTHEST_MM = 3000.0
_SMALLEST_MM = 20.0


class SaidError(ValueError):
    """Something typed cannot be understood; the text says what is allowed."""


def said_of(
    seats: int, stickers: Sequence[str], points: Sequence[str], areas: Sequence[str]
) -> Said:
    """The values of `--sticker`, `--point` and `--area`. Raises SaidError."""
    plan = table_plan(seats)
    return Said(
        dict(_sticker(text) for text in stickers),
        tuple(_point(text) for text in points),
        dict(_area(text, {z: a for z, a in plan.items() if z != "table"}) for text in areas),
    )


def _sticker(text: str) -> tuple[int, tuple[float, float]]:
    name, values = _parted("--sticker", text, _STICKER)
    last = marks.STICKER_NUMBERS[-1]
    if not (name.isascii() and name.isdigit() and int(name) in marks.STICKER_NUMBERS):
        raise SaidError(f"--sticker {text}: there is no sticker {name!r}; allowed 1 to {last}")
    x, y = _numbers("--sticker", text, values, (2,), _STICKER)
    return int(name), _on_table("--sticker", text, x, y)


def _point(text: str) -> tuple[float, float, float, float]:
    name, values = _parted("--point", text, _POINT)
    x, y = _on_table("--point", text, *_numbers("--point", text, name, (2,), _POINT))
    u, v = _numbers("--point", text, values, (2,), _POINT)
    if min(u, v) < 0:
        raise SaidError(f"--point {text}: pixels are counted from 0 at the upper left")
    return x, y, u, v


def _area(text: str, plan: dict[str, Area]) -> tuple[str, Area]:
    name, values = _parted("--area", text, _AREA)
    if name not in plan:
        raise SaidError(f"--area {text}: there is no place {name!r}; allowed {', '.join(plan)}")
    numbers = _numbers("--area", text, values, (2, 4, 5), _AREA)
    x, y = _on_table("--area", text, numbers[0], numbers[1])
    area = replace(plan[name], x_mm=x, y_mm=y)
    if len(numbers) > 2:
        width, height = numbers[2:4]
        if not _SMALLEST_MM <= min(width, height) <= max(width, height) <= _FARTHEST_MM:
            raise SaidError(
                f"--area {text}: {width:g} x {height:g} mm; allowed {_SMALLEST_MM:g} to"
                f" {_FARTHEST_MM:g}"
            )
        area = replace(area, width_mm=width, height_mm=height)
    if len(numbers) > 4:
        area = replace(area, angle_deg=numbers[4] % 360.0)
    return name, area


_STICKER = "--sticker NUMBER=X,Y, such as --sticker 9=-100,240"
_POINT = "--point X_MM,Y_MM=X_PX,Y_PX, such as --point -176,56=512,430"
_AREA = "--area PLACE=X,Y[,WIDTH,HEIGHT[,ANGLE]], such as --area seat/3=-800,180,220,150,260"


def _parted(option: str, text: str, form: str) -> tuple[str, str]:
    name, equals, values = text.partition("=")
    if not equals:
        raise SaidError(f"{option} {text}: must read {form}")
    return name.strip(), values.strip()


def _numbers(
    option: str, text: str, values: str, counts: tuple[int, ...], form: str
) -> tuple[float, ...]:
    try:
        numbers = tuple(float(value) for value in values.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in counts or not all(map(math.isfinite, numbers)):
        raise SaidError(f"{option} {text}: must read {form}")
    return numbers


def _on_table(option: str, text: str, x: float, y: float) -> tuple[float, float]:
    if max(abs(x), abs(y)) > _FARTHEST_MM:
        raise SaidError(
            f"{option} {text}: {x:g}, {y:g} mm is not on a table; allowed"
            f" {-_FARTHEST_MM:g} to {_FARTHEST_MM:g}"
        )
    return x, y
