"""How one house's deck looks: what `burnturn deck learn` keeps of a spread.

The network's features of every index of the deck, looked at a little askew each way, give each card
a mean. A patch is then named by the nearest mean, in the spread that all cards share about theirs;
what is farther from all of them than the deck's own indices ever are is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from controller.model.cards import FACES, RANKS, SUITS
from controller.vision.net import FEATURES, RANK_COUNT, SUIT_COUNT, Named

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

SHARPNESS: Final = 12.0
"""How quickly a nearer mean wins, in nats for each unit of distance."""

_SLOPE = 14.0  # and how quickly "none" wins beyond the reach
_LEAST_APART = 0.35  # of the reach: two means nearer than that cannot be told apart
_LIMIT = 2_000_000  # characters of a file
_LEAST, _MOST = 1e-4, 1e4  # of features and how far they stray, so that all can be reckoned with


class DeckLookError(Exception):
    """A deck's look cannot be learned or read; says why, and what to do. cards: which ones it is
    about; they are named to people between hands alone, and the text names none."""

    def __init__(self, text: str, cards: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.cards = tuple(cards)


class Looks(Protocol):
    """What sees features in patches: `controller.vision.net.GlyphNet`."""

    def look(self, patches: Image) -> Named: ...

    def sift(self, ink: Image) -> Floats: ...


@dataclass(frozen=True, slots=True, eq=False)
class DeckLook:
    """The means (52, 96) of the cards' features in the order of `FACES`; how far features stray
    from them (96,); and reach: the distance beyond which a patch is none of them."""

    means: Floats
    stray: Floats
    reach: float

    @classmethod
    def learned(cls, seen: Mapping[str, Floats], wrong: Floats) -> DeckLook:
        """Of the features of each card's index, (n, 96) for each of `FACES`, and of what is none of
        them, (m, 96). Raises DeckLookError where two cards, or cards and the rest, look alike."""
        means = np.stack([seen[face].mean(0) for face in FACES]).astype(np.float32)
        off = np.concatenate([seen[face] - means[n] for n, face in enumerate(FACES)])
        stray = (off.std(0) + 0.15 * means.std(0) + 1e-3).astype(np.float32)
        own = np.sqrt(((off / stray) ** 2).mean(1))
        near = float(np.quantile(own, 0.99))
        look = cls(means, stray, near)
        _told_apart(look)
        far = look.distances(wrong).min(1) if len(wrong) else np.array([3 * near], np.float32)
        edge = float(np.quantile(far, 0.02))
        if edge < near:
            raise DeckLookError(
                "the indices of this deck look like other print on its cards to the camera."
                " Next: take the picture from nearer, sharper, and lit evenly"
            )
        return cls(means, stray, min((near + edge) / 2, 2.0 * near))

    def distances(self, features: Floats) -> Floats:
        """(n, 52): how far each of n patches is from each card."""
        away = (features[:, None, :] - self.means[None, :, :]) / self.stray
        out: Floats = np.sqrt((away**2).mean(2)).astype(np.float32)
        return out

    def named(self, features: Floats) -> tuple[Floats, Floats]:
        """Rank (n, 14) and suit (n, 5) probabilities, the last of each that it is none."""
        far = self.distances(features)
        nearest = far.min(1, keepdims=True)
        card = np.exp(-SHARPNESS * (far - nearest))
        card /= card.sum(1, keepdims=True)
        some = 1 / (1 + np.exp(np.clip(_SLOPE * (nearest - self.reach), -60, 60)))
        by = card.reshape(-1, len(SUITS), len(RANKS))
        rank = np.concatenate([by.sum(1) * some, 1 - some], axis=1)
        suit = np.concatenate([by.sum(2) * some, 1 - some], axis=1)
        return rank.astype(np.float32), suit.astype(np.float32)

    def text(self) -> str:
        """As a file has it."""
        return json.dumps(
            {
                "burnturn deck look": 1,
                "reach": round(self.reach, 5),
                "stray": np.round(self.stray.astype(np.float64), 5).tolist(),
                "cards": {
                    face: np.round(self.means[n].astype(np.float64), 4).tolist()
                    for n, face in enumerate(FACES)
                },
            }
        )

    @classmethod
    def from_text(cls, text: str) -> DeckLook:
        """Of a file's text. Raises DeckLookError."""
        try:
            if len(text) > _LIMIT:
                raise ValueError("too long")
            told = json.loads(text)
            means = np.array([told["cards"][face] for face in FACES], np.float32)
            stray, reach = np.array(told["stray"], np.float32), float(told["reach"])
            if means.shape != (len(FACES), FEATURES) or stray.shape != (FEATURES,):
                raise ValueError("of another size")
            known = (np.abs(means) < _MOST).all() and ((stray > _LEAST) & (stray < _MOST)).all()
            if not (known and 0 < reach < 1e3):
                raise ValueError("out of bounds")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DeckLookError(
                "this is no deck's look as `burnturn deck learn` writes it. Next: learn it again"
            ) from None
        return cls(means, stray, reach)


def _told_apart(look: DeckLook) -> None:
    """Raises DeckLookError where two cards have nearly one mean."""
    apart = look.distances(look.means)
    np.fill_diagonal(apart, np.inf)
    if float(apart.min()) < _LEAST_APART * look.reach:
        one, other = divmod(int(apart.argmin()), len(FACES))
        raise DeckLookError(
            "two cards look the same in this picture. Next: take it from nearer and sharper, and"
            " see that no index is covered",
            (FACES[one], FACES[other]),
        )


class LearnedNet:
    """The network, with its eyes, but the names of one deck."""

    def __init__(self, net: Looks, deck: DeckLook) -> None:
        self._net, self._deck = net, deck

    def sift(self, ink: Image) -> Floats:
        """As the network's."""
        return self._net.sift(ink)

    def look(self, patches: Image) -> Named:
        """What it says of patches (n, 60, 32, 3)."""
        features = self._net.look(patches).features
        if not len(features):
            empty = np.zeros((0, RANK_COUNT), np.float32), np.zeros((0, SUIT_COUNT), np.float32)
            return Named(*empty, features)
        return Named(*self._deck.named(features), features)

    def name(self, patches: Image) -> tuple[Floats, Floats]:
        """Rank (n, 14) and suit (n, 5) probabilities."""
        named = self.look(patches)
        return named.rank, named.suit
