"""`make model`: fetch, render, train, measure, export. Same machine, same versions: same weights."""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from importlib.metadata import version
from pathlib import Path

from controller.vision.net import WEIGHTS
from controller.vision.training import art, train
from controller.vision.training.samples import samples

SEED, TEST_SEED = 20_260, 77_000
DATA = Path(__file__).parent.parent / "data"


def main() -> None:
    """Raises ArtError where something cannot be fetched."""
    parser = argparse.ArgumentParser(prog="make model", description=__doc__)
    parser.add_argument("--scenes", type=int, default=3000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--fetched", type=Path, default=Path("build/vision"))
    parser.add_argument("--out", type=Path, default=DATA)
    asked = parser.parse_args()
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - begun:5.0f} s] {text}", flush=True)

    given = samples(SEED, asked.scenes, asked.fetched)
    unseen = samples(TEST_SEED, max(20, asked.scenes // 20), None)
    say(f"{len(given):,} patches of {asked.scenes:,} scenes")
    net = train.trained(given, asked.epochs, SEED, say)
    by = train.temperature(net, unseen)
    figures = train.measured(net, unseen)
    asked.out.mkdir(parents=True, exist_ok=True)
    weights = asked.out / WEIGHTS
    train.exported(net, by, weights)
    recipe = {
        "weights": WEIGHTS,
        "sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "bytes": weights.stat().st_size,
        "seed": SEED,
        "scenes": asked.scenes,
        "patches": len(given),
        "epochs": asked.epochs,
        "temperature": round(by, 3),
        "on unseen fonts": figures,
        "art": art.ART,
        "fonts": [f"@fontsource/{name}@{art.FONTS_VERSION}" for name in art.FONTS],
        "made with": {name: version(name) for name in ("torch", "numpy", "onnx", "pillow")},
    }
    (asked.out / "recipe.json").write_text(json.dumps(recipe, indent=2) + "\n", encoding="utf-8")
    say(f"{weights}: {recipe['bytes']:,} bytes, {figures}")


if __name__ == "__main__":
    main()
