"""The antenna over which decks are counted and registered, and its reader with nothing else on
it."""

from __future__ import annotations

from dataclasses import replace

from controller.config import Config, reader_specs
from controller.model.table import COUNT, Layout, Zone
from drivers.factory import ReaderSpec


def count_zone(layout: Layout) -> Zone:
    """The zone that a deck is passed over: its own, else that of the burns."""
    return layout.burn_zone if layout.count_is_burn else COUNT


def count_antenna(layout: Layout) -> int:
    """The number of the antenna that a deck is passed over."""
    return layout.by_zone[count_zone(layout)].antenna


def count_reader(config: Config) -> ReaderSpec:
    """The reader of that antenna, which looks at nothing else. It is polled however it is
    configured: a reader that reports by itself does not say what it failed to read."""
    antenna = count_antenna(config.layout)
    (spec,) = [spec for spec in reader_specs(config) if antenna in spec.antennas]
    return replace(spec, antennas={antenna: spec.antennas[antenna]}, mode="polled")
