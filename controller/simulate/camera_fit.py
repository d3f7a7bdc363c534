"""How well a camera's reader sees, fitted from dealt hands: what each picture showed beside what
really lay there. Where a picture errs, a second one of the same tells whether that lasts. What is
counted is kept after every hand, so that a long fit can be gone on with.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Protocol

from controller.files import replace
from controller.rules.profile import load
from controller.simulate.deal import layout_of, script_of
from controller.simulate.settings import Settings
from controller.simulated_field import field_antennas
from drivers.factory import (
    Dealer,
    Oddities,
    Robot,
    SightFit,
    TrueArea,
    World,
)
from drivers.readings import Health, Sight


class Pictures(Protocol):
    """A camera above a simulated world: rendered and read, or a model."""

    due: float
    """When the next picture begins."""

    def look(self) -> Sight | Health:
        """The next picture, read; the world's time moves on to it."""

    def truth(self) -> tuple[TrueArea, ...]:
        """What really lay in the areas when it was taken."""

    def again(self, areas: Collection[str]) -> Sight:
        """Another picture of these areas at the same moment, read anew."""


Above = Callable[[World, int], Pictures]
"""Puts a camera above a world with so many seats."""


def fit_hands(
    settings: Settings, above: Above, *, every_s: float = 0.0, kept: Path | None = None
) -> SightFit:
    """Deal `settings.hands` hands under that camera and count. every_s: at least so long from one
    picture to the next (0: as the camera takes them). kept: a file with what hands before, of the
    same seed, have given; gone on with, and written after every hand."""
    done, fit = _so_far(kept, settings.seed)
    for hand in range(done, settings.hands):
        _one_hand(settings, hand, above, every_s, fit)
        if kept is not None:
            text = json.dumps({"seed": settings.seed, "hands": hand + 1, "counts": fit.counts})
            replace(kept, text.encode(), mode=0o644)
    return fit


def _so_far(kept: Path | None, seed: int) -> tuple[int, SightFit]:
    if kept is None or not kept.exists():
        return 0, SightFit()
    was = json.loads(kept.read_text("utf-8"))
    if was["seed"] != seed:
        raise ValueError(f"{kept}: counted with seed {was['seed']}, not {seed}; name another file")
    return int(was["hands"]), SightFit(was["counts"])


def _one_hand(settings: Settings, hand: int, above: Above, every_s: float, fit: SightFit) -> None:
    draw = random.Random(f"fit {settings.seed} {hand}")
    layout = layout_of(settings)
    world = World(field_antennas(layout), cards_seed=draw.getrandbits(32))
    script = script_of(load(settings.profile), settings)
    dealer = Dealer(
        world,
        script.seats,
        hole_cards=script.hole_cards,
        deck_seed=draw.getrandbits(32),
        seed=draw.getrandbits(32),
    )
    seed = draw.getrandbits(32)
    robot = Robot(dealer, script, oddities=Oddities.none(), seen=True, tagged=False, seed=seed)
    kinds = [None, *(kind for kind, _ in robot.possible() if kind.endswith(("up", "exposed")))]
    played = robot.hand(draw.choice(kinds))
    camera = above(world, layout.seats)
    while camera.due < played.gather_at:
        sight = camera.look()
        if isinstance(sight, Sight):
            erred = fit.add(camera.truth(), sight)
            if erred:
                fit.again(erred, camera.truth(), camera.again({error.area for error in erred}))
        camera.due = max(camera.due, world.now + every_s)
