"""What a simulation is asked to do, and the spelling of it on the command line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from controller.model.table import MAX_SEATS, REFERENCE_MAX_STACK

if TYPE_CHECKING:
    from controller.simulate.like import TableLike

Game = Literal["holdem", "omaha", "omaha8"]
Direction = Literal["with", "against"]
Camera = Literal["none", "alone", "both"]

GAMES: tuple[Game, ...] = ("holdem", "omaha", "omaha8")
CAMERAS: tuple[Camera, ...] = ("none", "alone", "both")
DIRECTIONS: tuple[Direction, ...] = ("with", "against")
STACK_PLACES = tuple(REFERENCE_MAX_STACK)


class SettingsError(ValueError):
    """Every fault of the settings at once, one a line, each with what is allowed."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Settings:
    """One simulation. Two of equal settings give equal reports, however many jobs deal them.

    errors: kinds of mistakes to plant, by the robot's names, one in each error hand, in turn.
    error_share: share of the hands that are error hands. burst: one card of every hand stays
    unread until the dealer puts it straight, when the board asks for it. direction, focus: how
    the antennas are polled. miss, cross: shares of 1. camera: a camera sees the cards, instead of
    the antennas ("alone") or beside them ("both"), one picture every frame_s; its rates are those
    that the program ships with. like: a measured table whose layout and rates take the place of
    miss, cross and max_stack, and of the camera's rates as far as they were measured.
    """

    profile: str = "tda"
    game: Game = "holdem"
    seats: int = 9
    hands: int = 1000
    miss: float = 0.05
    cross: float = 0.02
    sweep_s: float = 0.4
    max_stack: Mapping[str, int] = field(default_factory=lambda: dict(REFERENCE_MAX_STACK))
    errors: tuple[str, ...] = ()
    error_share: float = 0.5
    seed: int = 1
    burst: bool = False
    direction: Direction = "against"
    focus: bool = True
    camera: Camera = "none"
    frame_s: float = 0.125
    like: TableLike | None = None

    def __post_init__(self) -> None:
        checks = (
            (self.game in GAMES, f"--game {self.game}: allowed {', '.join(GAMES)}"),
            (2 <= self.seats <= MAX_SEATS, f"--seats {self.seats}: allowed 2 to {MAX_SEATS}"),
            (self.hands >= 1, f"--hands {self.hands}: allowed 1 and up"),
            (0 <= self.miss <= 0.5, f"--miss {self.miss:.0%}: allowed 0 % to 50 %"),
            (0 <= self.cross <= 0.2, f"--cross {self.cross:.0%}: allowed 0 % to 20 %"),
            (
                0.05 <= self.sweep_s <= 5,
                f"--sweep {self.sweep_s * 1000:.0f}ms: allowed 50ms to 5s",
            ),
            (
                0 < self.error_share <= 1,
                f"--error-share {self.error_share:.0%}: allowed above 0 % to 100 %",
            ),
            (
                self.direction in DIRECTIONS,
                f"--poll-direction {self.direction}: allowed {', '.join(DIRECTIONS)}",
            ),
            (self.camera in CAMERAS, f"--camera {self.camera}: allowed {', '.join(CAMERAS)}"),
            (
                0.04 <= self.frame_s <= 2,
                f"--frames {self.frame_s * 1000:.0f}ms: allowed 40ms to 2s",
            ),
        )
        faults = [text for holds, text in checks if not holds]
        if self.like is not None and self.seats > self.like.layout.seats:
            faults.append(
                f"--seats {self.seats}: {self.like.name} has {self.like.layout.seats} seats"
            )
        if self.like is not None and self.camera != "alone" and not self.like.has_antennas:
            faults.append(
                f"--camera {self.camera}: {self.like.name} has no antennas; add --camera alone"
            )
        if faults:
            raise SettingsError(faults)

    @property
    def error_hands(self) -> int:
        """How many of the hands carry a mistake."""
        return round(self.hands * self.error_share) if self.errors else 0


def share(text: str) -> float:
    """A share of 1 from ``5%`` or ``0.05``. Raises SettingsError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%?)", text.strip(), re.ASCII)
    if not found:
        raise SettingsError([f"{text!r} is no share; write it like 5% or 0.05"])
    value = float(found[1]) / (100 if found[2] else 1)
    if value > 1:
        raise SettingsError([f"{text!r} is more than the whole; write it like 5% or 0.05"])
    return value


def duration_s(text: str) -> float:
    """Seconds from ``400ms`` or ``1.2s``. Raises SettingsError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s)", text.strip(), re.ASCII)
    if not found:
        raise SettingsError([f"{text!r} is no duration; write it like 400ms or 1.2s"])
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


def max_stack(text: str) -> dict[str, int]:
    """Stack limits from ``seat=2,burn=4``; places left out keep the reference table's, ``none``
    lifts all limits. Raises SettingsError that names every fault."""
    if text.strip() == "none":
        return {}
    limits, faults = dict(REFERENCE_MAX_STACK), []
    for part in filter(None, (p.strip() for p in text.split(","))):
        found = re.fullmatch(r"(\w+)\s*=\s*(\d+)", part)
        if found is None or found[1] not in limits or int(found[2]) < 1:
            allowed = ", ".join(f"{place}=N" for place in STACK_PLACES)
            faults.append(f"--max-stack {part!r}: allowed {allowed} with N of 1 and up, or none")
        else:
            limits[found[1]] = int(found[2])
    if faults:
        raise SettingsError(faults)
    return limits


def error_kinds(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Kinds of mistakes from ``all``, ``none`` or a list with commas. Raises SettingsError."""
    if text == "all":
        return tuple(known)
    if text == "none":
        return ()
    wanted = [p.strip() for p in text.split(",") if p.strip()]
    faults = [
        f"--errors {kind!r}{_meant(kind, known)}: this game and profile know all, none, "
        f"{', '.join(known)}"
        for kind in wanted
        if kind not in known
    ]
    if faults:
        raise SettingsError(faults)
    return tuple(dict.fromkeys(wanted))


def _meant(kind: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(kind, known, n=1)
    return f" (meant: {found[0]}?)" if found else ""
