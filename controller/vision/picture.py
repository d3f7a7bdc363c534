"""What a picture shows, as a reader says it: cards, and whether the picture is fit to be read.

Pixels: x to the right, y down, of the image that was read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from drivers.readings import Face, Side

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A card in a picture.

    x_px, y_px: its middle; where `corner` is true the middle of its corner index, for no more of it
    was seen. angle_deg: of the card's long side, anticlockwise as one looks at the picture from the
    line to the right, 0 to 360: the way in which the index that was read stands upright. side:
    which way up it lies. face: only where it was accepted. confidence: of side and face together,
    or of the side alone where an outline shows a card without a face, 0 to 1.
    outline: its four corners in order, where they were seen.
    """

    x_px: float
    y_px: float
    angle_deg: float
    side: Side
    face: Face | None = None
    confidence: float = 1.0
    corner: bool = False
    outline: tuple[Point, Point, Point, Point] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PipsRead:
    """What a card's pips say. Prints without it.

    number: of them: 1 for an ace, 2 to 10. black: "c" or "s", whichever of the two suits they are
    more like if they are one of them; "" where that is not clear, and for an ace, of which nobody
    knows how it stands.
    """

    number: int = field(repr=False)
    black: str = field(default="", repr=False)

    def __repr__(self) -> str:
        return "<pips>"


@dataclass(frozen=True, slots=True)
class Quality:
    """Whether a picture is fit to be read.

    good: false means "I cannot see", and then no sighting of it counts. reason: for people, empty
    where it is good. sharpness: how quickly its edges change, 1 as sharp as a picture gets.
    exposure: its mean brightness, 0 black to 1 white. burnt: the share of it that is white to the
    last.
    """

    good: bool = True
    reason: str = ""
    sharpness: float = 1.0
    exposure: float = 0.5
    burnt: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """What a reader says of one image: its cards in no order, and its quality."""

    sightings: tuple[Sighting, ...] = ()
    quality: Quality = field(default_factory=Quality)
