"""A simulation whose antennas err as a table's own were measured to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from controller.config import ConfigError, load
from controller.model.table import AntennaPlace, Layout, reference_layout
from controller.rates.book import RatesFileError, rates_file, read
from controller.rates.counts import Error, Sense, Tally
from controller.rates.nights import Nights, pooled
from controller.rates.senses import name_of
from controller.simulate.settings import SettingsError

NIGHTS = 30
"""The last so many count."""
ENOUGH = 300
"""Tries below which a rate says less than what was configured."""

OF_CAMERAS: Mapping[Error, str] = {
    Error.UNCLEAR: "unclear",
    Error.UNREAD: "face_unread",
    Error.UNSURE: "side_unsure",
}
"""What a camera's model calls them (`SightRates`)."""


@dataclass(frozen=True, slots=True)
class TableLike:
    """A table as it was measured.

    name: for people. layout: its antennas, with the rates by which it judges. miss, cross: of each
    antenna, as measured, or as configured where too little was. noise, ghost: shares of looks.
    sight: shares of all its cameras together, by their names in a camera's model; empty without a
    camera. nights: how many were counted.
    """

    name: str
    layout: Layout
    miss: Mapping[int, float]
    cross: Mapping[int, float]
    noise: float = 0.0
    ghost: float = 0.0
    sight: Mapping[str, float] = field(default_factory=dict)
    nights: int = 0

    @property
    def has_antennas(self) -> bool:
        return any(place.camera is None for place in self.layout.antennas)

    @property
    def mean_miss(self) -> float:
        return sum(self.miss.values()) / len(self.miss)

    @property
    def mean_cross(self) -> float:
        return sum(self.cross.values()) / len(self.cross)


def like_table(path: Path) -> TableLike:
    """path: a table.toml, whose rates lie beside its journal, or a file of rates of a table like
    the reference one. Raises SettingsError."""
    try:
        if path.suffix == ".toml":
            config = load(path)
            return measured_like(config.file.table.name, config.layout, _rates(config.journal))
        if not path.exists():
            raise SettingsError([f"--like-table {path}: there is no such file"])
        return measured_like(path.name, reference_layout(), read(path))
    except (ConfigError, RatesFileError) as error:
        raise SettingsError([f"--like-table {path}: {error}"]) from error


def _rates(journal: Path) -> Nights:
    return read(rates_file(journal))


def measured_like(name: str, layout: Layout, nights: Nights) -> TableLike:
    """Its layout, with what its last nights measured of each antenna."""
    last = [night for night in nights.nights if night.hands][-NIGHTS:]
    senses = {sense for night in last for sense in night.tallies}
    totals = {s: pooled(n.tallies[s] for n in last if s in n.tallies) for s in senses}

    def rate(place: AntennaPlace, error: Error, configured: float) -> float:
        return _rate(totals.get(Sense(name_of(place), error)), configured)

    def share(error: Error) -> float:
        return _rate(pooled(t for s, t in totals.items() if s.error is error), 0.0)

    places = layout.antennas
    return TableLike(
        name,
        layout,
        {p.antenna: rate(p, Error.MISS, p.profile.miss_rate) for p in places},
        {p.antenna: rate(p, Error.CROSS, p.profile.cross_rate) for p in places},
        share(Error.NOISE),
        share(Error.GHOST),
        {name: share(e) for e, name in OF_CAMERAS.items() if any(s.error is e for s in senses)},
        len(last),
    )


def _rate(tally: Tally | None, otherwise: float) -> float:
    if tally is None or tally.rate is None or tally.tried < ENOUGH:
        return otherwise
    return min(tally.rate, 0.5)
