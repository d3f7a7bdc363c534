"""`make model`: fetch, render, train, measure, export. One machine, one version: same weights."""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

from controller.vision.net import SIEVE, WEIGHTS
from controller.vision.training import art, train
from controller.vision.training.samples import Samples, samples

_LATER = ("__main__", "train", "__init__")  # what only uses samples
SEED, TEST_SEED = 20_260, 77_000
DATA = Path(__file__).parent.parent / "data"


def main() -> None:
    """Raises ArtError where something cannot be fetched."""
    parser = argparse.ArgumentParser(prog="make model", description=__doc__)
    parser.add_argument("--scenes", type=int, default=3600)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--fetched", type=Path, default=Path("build/vision"))
    parser.add_argument("--out", type=Path, default=DATA)
    asked = parser.parse_args()
    begun = time.monotonic()
    asked.out.mkdir(parents=True, exist_ok=True)

    def say(text: str) -> None:
        print(f"[{time.monotonic() - begun:5.0f} s] {text}", flush=True)

    given = _kept(asked.fetched, SEED, asked.scenes, unseen=False)
    unseen = _kept(asked.fetched, TEST_SEED, max(20, asked.scenes // 20), unseen=True)
    say(f"{len(given):,} patches of {asked.scenes:,} scenes")
    sieve = train.sieve(given, max(2, asked.epochs // 2), SEED)
    line, through = train.sieve_line(sieve, unseen)
    train.exported_sieve(sieve, asked.out / SIEVE)
    say(f"the sieve lets {through:.1%} of wrong pairs through at {line:.3f}")
    net = train.trained(given, asked.epochs, SEED, say)
    by = train.temperature(net, unseen)
    figures = train.measured(net, unseen)
    weights = asked.out / WEIGHTS
    train.exported(net, by, weights)
    files = {name: (asked.out / name).read_bytes() for name in (WEIGHTS, SIEVE)}
    recipe = {
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "bytes": sum(len(data) for data in files.values()),
        "seed": SEED,
        "scenes": asked.scenes,
        "patches": len(given),
        "epochs": asked.epochs,
        "temperature": round(by, 3),
        "on unseen fonts": figures,
        "sieve": {"line": round(line, 4), "wrong pairs let through": round(through, 4)},
        "art": art.ART,
        "fonts": [f"@fontsource/{name}@{art.FONTS_VERSION}" for name in art.FONTS],
        "made with": {name: version(name) for name in ("torch", "numpy", "onnx", "pillow")},
    }
    (asked.out / "recipe.json").write_text(json.dumps(recipe, indent=2) + "\n", encoding="utf-8")
    say(f"{weights}: {recipe['bytes']:,} bytes, {figures}")


def _kept(folder: Path, seed: int, scenes: int, *, unseen: bool) -> Samples:
    """Samples, taken from `folder` where the same code has made them before."""
    room = Path(__file__).parent
    sources = [*sorted(room.glob("*.py")), room.parent / "glyphs.py"]
    code = hashlib.sha256(b"".join(s.read_bytes() for s in sources if s.stem not in _LATER))
    path = folder / f"samples-{seed}-{scenes}-{code.hexdigest()[:12]}.npz"
    if path.is_file():
        with np.load(path) as data:
            return Samples(data["patches"], data["ranks"], data["suits"])
    made = samples(seed, scenes, None if unseen else folder)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(path, patches=made.patches, ranks=made.ranks, suits=made.suits)
    return made


if __name__ == "__main__":
    main()
