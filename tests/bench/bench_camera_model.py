"""How well a camera's reader sees, fitted from dealt hands.

CAMERA_PICTURES names what puts a camera above a world, as module:function of (world, seats); by
itself the camera is the model with the shipped rates, and the fit must find those again. What was
counted is kept in the file that CAMERA_COUNTS names, and a fit that was broken off goes on.
"""

from __future__ import annotations

import importlib
import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from controller.simulate.camera_fit import Above, fit_hands
from controller.simulate.settings import Settings
from drivers.factory import CameraModel, SightRates, shipped_rates

HANDS = 200


def pictures() -> Above:
    named = os.environ.get("CAMERA_PICTURES")
    if named is None:
        return partial(CameraModel, rates=shipped_rates())
    module, _, name = named.partition(":")
    found: Above = getattr(importlib.import_module(module), name)
    return found


def run(quick: bool = False) -> list[str]:
    hands = 10 if quick else HANDS
    counts = os.environ.get("CAMERA_COUNTS")
    settings = Settings(hands=hands, camera="alone", seed=1)
    begun = time.perf_counter()
    fit = fit_hands(
        settings, pictures(), every_s=0.5, kept=None if counts is None else Path(counts)
    )
    took_s = time.perf_counter() - begun
    rates = asdict(fit.rates(SightRates()))
    seen = int(fit.counts.get("areas", 0))
    return [
        f"{hands} hands, {seen} areas of pictures, {took_s / hands:.2f} s a hand",
        *(f"{name} = {value:g}" for name, value in rates.items()),
    ]
