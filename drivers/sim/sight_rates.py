"""How well a camera's reader sees cards, as numbers, and how those numbers are fitted.

A rate is a share of pictures. None depends on which card it is: what a reader misses must not tell
which card lies there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from typing import NamedTuple

from drivers.readings import Side, Sight

NEAR_MM = 20.0
"""A sighting so near to a card is of that card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SightRates:
    """What the reader sees and misses, per card and picture unless said otherwise.

    missed_down, missed_up: a card that lies face down or face up is not seen. face_unread: the face
    of a card that is seen face up is not accepted; face_wrong: another one is. side_unsure,
    side_wrong: of a card that is seen. false_down, false_up: a card is seen where none lies, per
    area and picture. hidden_seen: a card under another one is seen nevertheless. unclear: an area
    is hidden or too poor to be read without anybody's act, per area and picture. hand_s: the
    longest time for which a hand hides an area about an act there; blur_s: a card is not seen for
    so long after it came to rest. place_mm: standard deviation of where a card is seen to lie,
    drawn once for its stay; shake_mm: of how that varies from picture to picture. frame_s: from
    picture to picture. exposure_s: a picture's exposure.
    """

    missed_down: float = 0.005
    missed_up: float = 0.005
    face_unread: float = 0.1
    face_wrong: float = 0.0
    side_unsure: float = 0.01
    side_wrong: float = 0.0002
    false_down: float = 0.00005
    false_up: float = 0.00001
    hidden_seen: float = 0.02
    unclear: float = 0.001
    hand_s: float = 0.4
    blur_s: float = 0.05
    place_mm: float = 1.5
    shake_mm: float = 0.3
    frame_s: float = 0.125
    exposure_s: float = 0.02

    def __post_init__(self) -> None:
        for name in SHARES:
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"camera rates, {name} = {value}; allowed 0 to 1")
        if not 0.0 < self.exposure_s < self.frame_s:
            raise ValueError(
                f"camera rates, frame_s = {self.frame_s}, exposure_s = {self.exposure_s}; an "
                "exposure is above 0 and shorter than from picture to picture"
            )


SHARES = (
    "missed_down",
    "missed_up",
    "face_unread",
    "face_wrong",
    "side_unsure",
    "side_wrong",
    "false_down",
    "false_up",
    "hidden_seen",
    "unclear",
)

PERFECT_SIGHT = SightRates(
    **dict.fromkeys(SHARES, 0.0), hand_s=0.0, blur_s=0.0, place_mm=0.0, shake_mm=0.0
)
"""A reader that misses nothing that is not hidden."""


def shipped_rates() -> SightRates:
    """The rates fitted from rendered hands, as shipped with the program."""
    return from_json((files("drivers.sim") / "data" / "sight_rates.json").read_text("utf-8"))


def from_json(text: str) -> SightRates:
    """Rates as `to_json` wrote them. Raises ValueError naming what does not belong there."""
    values = json.loads(text)["rates"]
    known = {f.name for f in fields(SightRates)}
    if strange := sorted(set(values) - known):
        raise ValueError(
            f"camera rates, {strange[0]} is none; there are {', '.join(sorted(known))}"
        )
    return SightRates(**{name: float(value) for name, value in values.items()})


def to_json(rates: SightRates, about: Mapping[str, object]) -> str:
    """The rates with what they were fitted from."""
    return json.dumps({"about": dict(about), "rates": asdict(rates)}, indent=1) + "\n"


class TrueCard(NamedTuple):
    """A card as it really lay in an area. hidden: another one lies on it. rest_s: for how long it
    has lain there."""

    x_mm: float
    y_mm: float
    up: bool
    code: str
    hidden: bool = False
    rest_s: float = math.inf


class TrueArea(NamedTuple):
    """An area as it really was when a picture was taken. calm: no hand was near it."""

    area: str
    cards: tuple[TrueCard, ...]
    calm: bool = True


class SightFit:
    """Counts pictures beside what was really there, and gives the rates. Counts add up, so that a
    fit can be gone on with."""

    def __init__(self, counts: Mapping[str, float] | None = None) -> None:
        self.counts: dict[str, float] = dict(counts or {})

    def add(self, truth: Iterable[TrueArea], sight: Sight) -> None:
        """One picture. Areas that a hand hides are left out, but for how often that is so."""
        true = {t.area: t for t in truth}
        for seen in sight.areas:
            now = true.get(seen.area)
            if now is None or not now.calm:
                continue
            self._count("areas")
            if not seen.clear:
                self._count("unclear")
                continue
            self._area(now, list(seen.cards))

    def _area(self, now: TrueArea, seen: list) -> None:  # type: ignore[type-arg]
        # A pile's uppermost card is seen for itself before it is taken for one under it.
        for card in sorted(now.cards, key=lambda c: c.hidden):
            near = [s for s in seen if math.hypot(s.x_mm - card.x_mm, s.y_mm - card.y_mm) < NEAR_MM]
            found = min(
                near,
                key=lambda s: math.hypot(s.x_mm - card.x_mm, s.y_mm - card.y_mm),
                default=None,
            )
            if found is not None:
                seen.remove(found)
            if card.hidden:
                self._count("hidden")
                self._count("hidden_seen", found is not None)
                continue
            side = "up" if card.up else "down"
            if card.rest_s < 0.5:
                continue
            self._count(f"cards_{side}")
            if found is None:
                self._count(f"missed_{side}")
                continue
            self._count("seen")
            off = (found.x_mm - card.x_mm) ** 2 + (found.y_mm - card.y_mm) ** 2
            self._count("off_mm2", off / 2)
            self._count("side_unsure", found.side is Side.UNSURE)
            self._count("side_wrong", found.side is (Side.DOWN if card.up else Side.UP))
            if card.up and found.side is Side.UP:
                self._count("faces")
                self._count("face_unread", found.face is None)
                self._count("face_wrong", found.face is not None and found.face.code != card.code)
        for left in seen:
            self._count("false_up" if left.side is Side.UP else "false_down")

    def _count(self, name: str, by: float = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + by

    def rates(self, base: SightRates | None = None) -> SightRates:
        """The rates found; what was never tested, and times, are those of `base`."""
        base = base or SightRates()
        n = self.counts
        of = {
            "missed_down": "cards_down",
            "missed_up": "cards_up",
            "face_unread": "faces",
            "face_wrong": "faces",
            "side_unsure": "seen",
            "side_wrong": "seen",
            "false_down": "areas",
            "false_up": "areas",
            "hidden_seen": "hidden",
            "unclear": "areas",
        }
        found = {f.name: getattr(base, f.name) for f in fields(SightRates)}
        for name, tests in of.items():
            if n.get(tests):
                found[name] = round(n.get(name, 0.0) / n[tests], 7)
        if n.get("seen"):
            found["place_mm"] = round(math.sqrt(n.get("off_mm2", 0.0) / n["seen"]), 3)
        return SightRates(**found)
