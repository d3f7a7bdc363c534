"""How well a camera's reader sees cards, as numbers, and how those numbers are fitted.

A rate is a share of pictures. None depends on which card it is: what a reader misses must not tell
which card lies there.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from typing import NamedTuple

from drivers.readings import SeenCard, Side, Sight

NEAR_MM = 20.0
"""A sighting so near to a card is of that card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SightRates:
    """What the reader sees and misses, per card and picture unless said otherwise. Where nothing is
    given it is about what `shipped_rates` says.

    missed_down, missed_up: a card that lies face down or face up is not seen; missed_covered: one
    of which less than half shows; missed_mixed: the same where cards of both sides lie together.
    noticed, noticed_covered: the share of missed cards, and of those of which less than half shows,
    that leave their area open, as something that was not made out; doubted: an area is left open
    though nothing was missed, per area and picture. face_unread: the face of a card that is seen
    face up is not accepted; face_wrong: another one is. side_unsure, side_wrong: of a card that is
    seen. false_down, false_up: a card is seen where none lies, per area and picture.
    hidden_seen: a card under another one is seen nevertheless. unclear: an area is hidden or too
    poor to be read without anybody's act, per area and picture. missed_lasts, side_lasts,
    unclear_lasts, doubted_lasts, false_lasts: the share of these errors that every picture repeats
    as long as nothing moves in the area; face_lasts: as long as the card lies there.

    hand_s: the longest time for which a hand hides an area about an act there. blur_s: a card is
    not seen for so long after it came to rest. again_s: what was read of an area stays what it was
    for so long, if nothing moves there. open_s: an area is left open for no longer. place_mm:
    standard deviation of where a card is seen to lie, drawn once for its stay; shake_mm: of how
    that varies from picture to picture. frame_s: from picture to picture. exposure_s: a picture's
    exposure.
    """

    missed_down: float = 0.0002
    missed_up: float = 0.002
    missed_covered: float = 0.008
    missed_mixed: float = 0.15
    face_unread: float = 0.15
    face_wrong: float = 0.002
    side_unsure: float = 0.0001
    side_wrong: float = 0.0001
    false_down: float = 0.0001
    false_up: float = 0.0001
    hidden_seen: float = 0.03
    unclear: float = 0.0001
    hand_s: float = 0.4
    blur_s: float = 0.05
    again_s: float = 5.0
    open_s: float = 25.0
    noticed: float = 1.0
    noticed_covered: float = 0.35
    doubted: float = 0.001
    missed_lasts: float = 0.9
    side_lasts: float = 1.0
    face_lasts: float = 1.0
    unclear_lasts: float = 0.0
    doubted_lasts: float = 0.3
    false_lasts: float = 1.0
    place_mm: float = 0.7
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

    @property
    def side_errs(self) -> float:
        """How often another side is told than that of a card, or none."""
        return min(1.0, self.side_unsure + self.side_wrong)

    @property
    def face_errs(self) -> float:
        """The same of faces."""
        return min(1.0, self.face_unread + self.face_wrong)


SHARES = (
    "missed_down",
    "missed_up",
    "missed_covered",
    "missed_mixed",
    "face_unread",
    "face_wrong",
    "side_unsure",
    "side_wrong",
    "false_down",
    "false_up",
    "hidden_seen",
    "unclear",
    "noticed",
    "noticed_covered",
    "doubted",
    "missed_lasts",
    "side_lasts",
    "face_lasts",
    "unclear_lasts",
    "doubted_lasts",
    "false_lasts",
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
    """A card as it really lay in an area. hidden: another one lies on it; covered: on more than
    half of it. rest_s: for how long it has lain there."""

    x_mm: float
    y_mm: float
    up: bool
    code: str
    hidden: bool = False
    rest_s: float = math.inf
    covered: bool = False

    def __repr__(self) -> str:
        return f"<card at {self.x_mm:.0f}, {self.y_mm:.0f} mm>"


class TrueArea(NamedTuple):
    """An area as it really was when a picture was taken. calm: no hand was near it."""

    area: str
    cards: tuple[TrueCard, ...]
    calm: bool = True


class Erred(NamedTuple):
    """An error of a picture. at: of the card that it is about; None: of the whole area."""

    kind: str
    area: str
    at: tuple[float, float] | None = None


class SightFit:
    """Counts pictures beside what was really there, and gives the rates. Counts add up, so that a
    fit can be gone on with."""

    def __init__(self, counts: Mapping[str, float] | None = None) -> None:
        self.counts: dict[str, float] = dict(counts or {})

    def add(self, truth: Iterable[TrueArea], sight: Sight) -> frozenset[Erred]:
        """One picture, and what was wrong in it. Areas that a hand hides are left out, but for how
        often that is so."""
        said = _Compared(truth, sight)
        for name, count in said.counts.items():
            self._count(name, count)
        return frozenset(said.erred)

    def again(self, erred: frozenset[Erred], truth: Iterable[TrueArea], sight: Sight) -> None:
        """A second picture of the same, in whose first one that was wrong. It counts for nothing
        but how long an error lasts."""
        said = _Compared(truth, sight)
        for kind in ("missed", "side", "face", "unclear", "doubted", "false"):
            mine = {e for e in erred if e.kind == kind}
            self._count(f"{kind}_tried", len(mine & said.judged))
            self._count(f"{kind}_lasts", len(mine & said.erred))

    def _count(self, name: str, by: float) -> None:
        self.counts[name] = self.counts.get(name, 0) + by

    def rates(self, base: SightRates | None = None) -> SightRates:
        """The rates found; what was never tested, and times, are those of `base`."""
        base = base or SightRates()
        n = self.counts
        of = {
            "missed_down": "cards_down",
            "missed_up": "cards_up",
            "missed_covered": "cards_covered",
            "missed_mixed": "cards_mixed",
            "face_unread": "faces",
            "face_wrong": "faces",
            "side_unsure": "seen",
            "side_wrong": "seen",
            "false_down": "areas",
            "false_up": "areas",
            "hidden_seen": "hidden",
            "unclear": "areas",
            "missed_lasts": "missed_tried",
            "side_lasts": "side_tried",
            "face_lasts": "face_tried",
            "unclear_lasts": "unclear_tried",
            "noticed": "missed_in_all",
            "noticed_covered": "missed_covered_in_all",
            "doubted": "areas",
            "doubted_lasts": "doubted_tried",
            "false_lasts": "false_tried",
        }
        found = {f.name: getattr(base, f.name) for f in fields(SightRates)}
        for name, tests in of.items():
            if n.get(tests):
                found[name] = round(n.get(name, 0.0) / n[tests], 7)
        if n.get("seen"):
            found["place_mm"] = round(math.sqrt(n.get("off_um2", 0) / n["seen"]) / 1000, 3)
        return SightRates(**found)


class _Compared:
    """One picture beside what was really there."""

    def __init__(self, truth: Iterable[TrueArea], sight: Sight) -> None:
        self.counts: Counter[str] = Counter()
        self.erred: set[Erred] = set()
        self.judged: set[Erred] = set()  # where it could have erred
        true = {t.area: t for t in truth}
        for seen in sight.areas:
            now = true.get(seen.area)
            if now is None or not now.calm:
                continue
            self.counts["areas"] += 1
            self._judge(Erred("unclear", now.area), "" if seen.clear else "unclear")
            if not seen.clear:
                continue
            self._area(now, list(seen.cards))
            missed = {e.at for e in self.erred if e.kind == "missed" and e.area == now.area}
            for card in now.cards:
                if (card.x_mm, card.y_mm) in missed:
                    lies = "_covered" if card.covered else ""
                    self.counts[f"missed{lies}_in_all"] += 1
                    self.counts[f"noticed{lies}"] += not seen.whole
            if not missed:
                self._judge(Erred("doubted", now.area), "" if seen.whole else "doubted")

    def _area(self, now: TrueArea, seen: list[SeenCard]) -> None:
        mixed = len({card.up for card in now.cards}) > 1
        # What lies uppermost is seen for itself before it is taken for one under it.
        for card in sorted(now.cards, key=lambda c: (c.hidden, c.covered)):
            near = [s for s in seen if math.hypot(s.x_mm - card.x_mm, s.y_mm - card.y_mm) < NEAR_MM]
            found = min(
                near,
                key=lambda s: math.hypot(s.x_mm - card.x_mm, s.y_mm - card.y_mm),
                default=None,
            )
            if found is not None:
                seen.remove(found)
            if card.hidden:
                self.counts["hidden"] += 1
                self.counts["hidden_seen"] += found is not None
            elif card.rest_s >= 0.5:
                self._card(now.area, card, found, mixed)
        self.judged.add(Erred("false", now.area))
        for left in seen:
            up = left.side is Side.UP
            self._judge(Erred("false", now.area), "false_up" if up else "false_down")

    def _card(self, area: str, card: TrueCard, found: SeenCard | None, mixed: bool) -> None:
        at = (card.x_mm, card.y_mm)
        lies = "up" if card.up else "down"
        if card.covered:
            lies = "mixed" if mixed else "covered"
        self.counts[f"cards_{lies}"] += 1
        self._judge(Erred("missed", area, at), "" if found is not None else f"missed_{lies}")
        if found is None:
            return
        self.counts["seen"] += 1
        off_mm2 = (found.x_mm - card.x_mm) ** 2 + (found.y_mm - card.y_mm) ** 2
        self.counts["off_um2"] += round(off_mm2 / 2 * 1e6)
        wrong = {card.up: "", not card.up: "side_wrong"}
        told = found.side is Side.UP
        error = "side_unsure" if found.side is Side.UNSURE else wrong[told]
        self._judge(Erred("side", area, at), error)
        if card.up and told:
            self.counts["faces"] += 1
            read = None if found.face is None else found.face.code
            error = "face_unread" if read is None else "" if read == card.code else "face_wrong"
            self._judge(Erred("face", area, at), error)

    def _judge(self, place: Erred, error: str) -> None:
        """error: what it is counted as; "": there is none."""
        self.judged.add(place)
        if error:
            self.erred.add(place)
            self.counts[error] += 1
