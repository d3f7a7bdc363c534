"""One network for several cameras, each read in a thread of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from controller.vision.net import GlyphNet


def test_several_threads_are_told_what_one_is_told() -> None:
    net = GlyphNet.load()
    chance = np.random.default_rng(1)
    patches = [chance.integers(0, 255, (40, 60, 32, 3), np.uint8) for _ in range(12)]
    ink = [chance.integers(0, 255, (40, 30, 16), np.uint8) for _ in range(12)]
    alone = [(net.look(p).rank, net.sift(i)) for p, i in zip(patches, ink, strict=True)]
    with ThreadPoolExecutor(4) as pool:
        both = list(
            pool.map(
                lambda pi: (net.look(pi[0]).rank, net.sift(pi[1])), zip(patches, ink, strict=True)
            )
        )
    for (rank, likely), (rank_again, likely_again) in zip(alone, both, strict=True):
        assert np.allclose(rank, rank_again)
        assert np.allclose(likely, likely_again)
