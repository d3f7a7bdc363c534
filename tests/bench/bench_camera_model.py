"""How well a camera's reader sees, fitted from dealt hands.

Pictures are drawn and read (`tests.bench.rendered_table`). CAMERA_HANDS says how many hands are
dealt. What was counted is kept in the file that CAMERA_COUNTS names, and a fit that was broken off
goes on; with CAMERA_SEED several run side by side, and CAMERA_BESIDE names what the others have
counted, separated by colons. CAMERA_RATES names the file to which the rates are written, in the
form in which they are shipped. CAMERA_PICTURES names something else that puts a camera above a
world, as module:function of (world, seats); "model" is the model with the shipped rates, and the
fit must find those again.
"""

from __future__ import annotations

import importlib
import json
import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from controller.simulate.camera_fit import Above, fit_hands
from controller.simulate.settings import Settings
from drivers.factory import CameraModel, SightFit, SightRates, shipped_rates
from drivers.sim.sight_rates import to_json

HANDS = 200


def pictures() -> Above:
    named = os.environ.get("CAMERA_PICTURES", "tests.bench.rendered_table:RenderedTable")
    if named == "model":
        return partial(CameraModel, rates=shipped_rates())
    module, _, name = named.partition(":")
    found: Above = getattr(importlib.import_module(module), name)
    return found


def _beside(fit: SightFit) -> int:
    """Add what other fits have counted; how many hands that were."""
    hands = 0
    for path in filter(None, os.environ.get("CAMERA_BESIDE", "").split(":")):
        other = json.loads(Path(path).read_text("utf-8"))
        hands += int(other["hands"])
        for name, count in other["counts"].items():
            fit.counts[name] = fit.counts.get(name, 0) + count
    return hands


def run(quick: bool = False) -> list[str]:
    hands = int(os.environ.get("CAMERA_HANDS", 2 if quick else HANDS))
    counts = os.environ.get("CAMERA_COUNTS")
    seed = int(os.environ.get("CAMERA_SEED", "1"))
    settings = Settings(hands=hands, camera="alone", seed=seed)
    begun = time.perf_counter()
    fit = fit_hands(
        settings, pictures(), every_s=0.25, kept=None if counts is None else Path(counts)
    )
    took_s = time.perf_counter() - begun
    dealt = hands + _beside(fit)
    found = fit.rates(SightRates())
    if (path := os.environ.get("CAMERA_RATES")) is not None:
        about = {"from": "rendered hands, read", "hands": dealt, "counts": fit.counts}
        Path(path).write_text(to_json(found, about), "utf-8")
    rates = asdict(found)
    seen = int(fit.counts.get("areas", 0))
    return [
        f"{dealt} hands, {seen} areas of pictures, {took_s / hands:.2f} s a hand",
        *(f"{name} = {value:g}" for name, value in rates.items()),
    ]
