"""A table's antennas as the simulated world knows them."""

from __future__ import annotations

from collections.abc import Mapping

from controller.model.table import Layout
from drivers.factory import FieldAntenna


def field_antennas(
    layout: Layout,
    miss: Mapping[int, float] | None = None,
    cross: Mapping[int, float] | None = None,
) -> tuple[FieldAntenna, ...]:
    """The layout's antennas. miss, cross: how each errs, by its number; the table's noise says it
    of those that are not named."""
    miss, cross = miss or {}, cross or {}
    return tuple(
        FieldAntenna(
            number=a.antenna,
            place=str(a.zone),
            neighbours=a.profile.neighbours,
            max_stack=a.profile.max_stack,
            miss=miss.get(a.antenna),
            cross=cross.get(a.antenna),
            reader=a.profile.reader,
            port=a.profile.port,
        )
        for a in layout.antennas
    )
