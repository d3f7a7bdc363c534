"""Training: patches in, weights out. Two heads on one small body, so that what a rank looks like is
learned once for all suits; PyTorch on the processor alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from controller.vision.net import (
    FEATURES,
    RANK_COUNT,
    SIEVE_STEP,
    SUIT_COUNT,
    normal,
    normal_ink,
)
from controller.vision.training.samples import NO_RANK, NO_SUIT, Samples

BATCH = 128
RATE = 3e-3
THREADS = 2


class Reader(nn.Module):
    """Patch (n, 3, 60, 32) to rank logits (n, 14), suit logits (n, 5) and features (n, 96)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _layer(3, 16, 5, 2),
            _layer(16, 32, 3, 2),
            _layer(32, 48),
            nn.MaxPool2d(2),
            _layer(48, 64),
        )
        self.drop = nn.Dropout(0.25)
        self.inner = nn.Sequential(nn.Linear(64 * 7 * 4, FEATURES), nn.ReLU())
        self.rank = nn.Linear(FEATURES, RANK_COUNT)
        self.suit = nn.Linear(FEATURES, SUIT_COUNT)

    def forward(self, patch: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        features = self.inner(self.drop(self.body(patch).flatten(1)))
        return self.rank(features), self.suit(features), features


class Sieve(nn.Module):
    """Every second pixel of a patch's darkest channel (n, 1, 30, 16) to a logit (n, 1): whether it
    is an index at all."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _layer(1, 8, 5, 2), _layer(8, 24, 3, 2), _layer(24, 32, 3, 2), nn.Flatten()
        )
        self.head = nn.Sequential(nn.Linear(32 * 4 * 2, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, ink: Tensor) -> Tensor:
        out: Tensor = self.head(self.body(ink))
        return out


def _layer(given: int, made: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(given, made, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(made),
        nn.ReLU(),
    )


def _seeded(seed: int) -> None:
    """Always so many threads: sums are then added in one order, however many cores there are."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(THREADS)


def trained(given: Samples, epochs: int, seed: int, say: Callable[[str], None]) -> Reader:
    """A reader trained on samples. Reproducible on one machine with one version of PyTorch."""
    _seeded(seed)
    patches = _tensor(given.patches)
    ranks, suits = torch.from_numpy(given.ranks), torch.from_numpy(given.suits)
    net = Reader()
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    rule = torch.optim.AdamW(net.parameters(), RATE, weight_decay=1e-3, fused=True)
    steps = max(1, len(given) // BATCH)
    plan = torch.optim.lr_scheduler.OneCycleLR(rule, RATE, epochs * steps, pct_start=0.08)
    for epoch in range(epochs):
        net.train()
        order = torch.randperm(len(given))
        total = 0.0
        for step in range(steps):
            some = order[step * BATCH : (step + 1) * BATCH]
            rank, suit, _ = net(_varied(patches[some].float()))
            loss = functional.cross_entropy(rank, ranks[some], label_smoothing=0.02)
            loss = loss + functional.cross_entropy(suit, suits[some], label_smoothing=0.02)
            rule.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            rule.step()
            plan.step()
            total += loss.item()
        say(f"epoch {epoch + 1}/{epochs}: loss {total / steps:.3f}")
    net.eval()
    return net


def sieve(given: Samples, epochs: int, seed: int) -> Sieve:
    """A sieve trained on samples: rather ten wrong pairs let through than one right pair held."""
    _seeded(seed)
    ink = torch.from_numpy(_ink(given))
    right = torch.from_numpy(((given.ranks < NO_RANK) & (given.suits < NO_SUIT)).astype(np.float32))
    net = Sieve()
    rule = torch.optim.AdamW(net.parameters(), RATE, weight_decay=1e-3)
    steps = max(1, len(given) // (2 * BATCH))
    plan = torch.optim.lr_scheduler.OneCycleLR(rule, RATE, epochs * steps)
    for _ in range(epochs):
        order = torch.randperm(len(given))
        for step in range(steps):
            some = order[step * 2 * BATCH : (step + 1) * 2 * BATCH]
            said = net(ink[some])[:, 0]
            weight = 1 + 3 * right[some]
            loss = functional.binary_cross_entropy_with_logits(said, right[some], weight)
            rule.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            rule.step()
            plan.step()
    return net.eval()


def _ink(given: Samples) -> NDArray[np.float32]:
    """What the sieve sees of samples."""
    return normal_ink(given.patches[:, ::SIEVE_STEP, ::SIEVE_STEP].min(3))


def sieve_line(net: Sieve, given: Samples, kept: float = 0.997) -> tuple[float, float]:
    """The likelihood that so many right pairs reach, and the share of wrong pairs that do."""
    with torch.no_grad():
        said = torch.sigmoid(net(torch.from_numpy(_ink(given))))[:, 0].numpy()
    right = (given.ranks < NO_RANK) & (given.suits < NO_SUIT)
    line = float(np.quantile(said[right], 1 - kept))
    return line, float((said[~right] >= line).mean())


def _tensor(patches: NDArray[np.uint8]) -> Tensor:
    parts = [normal(patches[i : i + 2048]).astype(np.float16) for i in range(0, len(patches), 2048)]
    return torch.from_numpy(np.concatenate(parts))


def _varied(patch: Tensor) -> Tensor:
    """Each a little turned, slanted, stretched and moved, its colours a little off, at times grey:
    a few thousand scenes then show many times as many decks and cameras."""
    many = len(patch)
    how = torch.randn(many, 4)
    move = torch.zeros(many, 2, 3)
    move[:, 0, 0] = torch.exp(0.11 * how[:, 0])  # wider or slimmer
    move[:, 1, 1] = torch.exp(0.04 * how[:, 1])
    move[:, 0, 1] = 0.14 * how[:, 2]  # turned about the middle, or slanted
    move[:, 1, 0] = -0.02 * how[:, 3]
    move[:, :, 2] = torch.tensor([0.07, 0.035]) * torch.randn(many, 2)  # of half a patch
    where = functional.affine_grid(move, list(patch.shape), align_corners=False)
    patch = functional.grid_sample(patch, where, padding_mode="border", align_corners=False)
    patch = (patch + 0.7) * (1 + 0.08 * torch.randn(many, 3, 1, 1)) - 0.7
    grey = torch.rand(many, 1, 1, 1) < 0.06
    patch = torch.where(grey, patch.mean(1, keepdim=True).expand_as(patch), patch)
    return patch.contiguous(memory_format=torch.channels_last)


def logits(net: Reader, given: Samples) -> tuple[Tensor, Tensor]:
    """What a reader says of samples, before the softmax."""
    with torch.no_grad():
        said = [
            net(torch.from_numpy(normal(given.patches[i : i + 1024])))
            for i in range(0, len(given), 1024)
        ]
    return torch.cat([s[0] for s in said]), torch.cat([s[1] for s in said])


def temperature(net: Reader, given: Samples) -> float:
    """By what logits are to be divided, so that a probability is how often it is right."""
    rank, suit = logits(net, given)
    ranks, suits = torch.from_numpy(given.ranks), torch.from_numpy(given.suits)

    def surprise(by: float) -> float:
        return float(
            functional.cross_entropy(rank / by, ranks) + functional.cross_entropy(suit / by, suits)
        )

    return float(min(np.arange(0.4, 2.6, 0.05), key=surprise))


def measured(net: Reader, given: Samples) -> dict[str, float]:
    """Of samples: share of right pairs named rightly, and of wrong pairs named at all."""
    rank, suit = (said.argmax(1).numpy() for said in logits(net, given))
    real = (given.ranks < NO_RANK) & (given.suits < NO_SUIT)
    both = (rank == given.ranks) & (suit == given.suits)
    named = (rank < NO_RANK) & (suit < NO_SUIT)
    return {
        "patches": float(len(given)),
        "rank": round(float((rank == given.ranks)[real].mean()), 4),
        "suit": round(float((suit == given.suits)[real].mean()), 4),
        "both": round(float(both[real].mean()), 4),
        "wrong pairs named": round(float(named[~real].mean()), 4),
    }


class _Shipped(nn.Module):
    """The reader with its softmaxes, as it is shipped."""

    def __init__(self, net: Reader, by: float) -> None:
        super().__init__()
        self.net, self.by = net, by

    def forward(self, patch: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rank, suit, features = self.net(patch)
        return torch.softmax(rank / self.by, 1), torch.softmax(suit / self.by, 1), features


class _ShippedSieve(nn.Module):
    def __init__(self, net: Sieve) -> None:
        super().__init__()
        self.net = net

    def forward(self, ink: Tensor) -> Tensor:
        return torch.sigmoid(self.net(ink))


def exported_sieve(net: Sieve, path: Path) -> None:
    """Write a sieve as ONNX."""
    torch.onnx.export(
        _ShippedSieve(net).eval(),
        (torch.zeros(8, 1, 30, 16),),
        str(path),
        input_names=["ink"],
        output_names=["index"],
        dynamic_axes={"ink": {0: "n"}, "index": {0: "n"}},
        dynamo=False,
        opset_version=17,
    )


def exported(net: Reader, by: float, path: Path) -> None:
    """Write a reader as ONNX, with any number of patches at once."""
    whole = _Shipped(net.to(memory_format=torch.contiguous_format), by)  # type: ignore[call-overload]
    names = ["rank", "suit", "features"]
    torch.onnx.export(
        whole.eval(),
        (torch.zeros(8, 3, 60, 32),),
        str(path),
        input_names=["patch"],
        output_names=names,
        dynamic_axes={name: {0: "n"} for name in ["patch", *names]},
        dynamo=False,
        opset_version=17,
    )
