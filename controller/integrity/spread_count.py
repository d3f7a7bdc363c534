"""The count of the deck by camera: the dealer spreads it face up, and the table says what is
missing and what does not belong.

What it can prove. Each face that is read for sure is there; a deck of which all 52 are seen, and
nothing that cannot be told, is whole by one still. That a card is *not* there is only a silence:
two cards that lie exactly on one another show as one. So a card is called missing, and a face
doubled, only where two spreads of the deck, each without a doubtful place, say the same; until then
the table asks for another spread. A card whose face is unsure is no doubt where all faces were seen
for sure in one spread or another, and the cards are as many as they. It reads faces, not cards: a
marked card, or one of another deck with the same face, is not told unless it lies face down.

What it keeps. Sets and numbers: nothing says which card lay beside which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import StatisticsError, correlation
from typing import Final

from controller.integrity.count import MOST_MISSING, CountResult, CountStage
from controller.model.cards import FACES
from controller.model.events import CountMeans
from controller.vision.spread import NARROW, SMALL_PX, Doubt, SpreadSeen

AWAITED: Final = "SPREAD THE DECK"
SPREADS_KEPT: Final = 6
_ALIKE = 0.65  # correlation of the steps of a spread that is seen twice; of others' it is near 0
_FEW_STEPS = 8


@dataclass(frozen=True, slots=True)
class Ask:
    """What the dealer is asked to do. board: at most 16 characters. words: a sentence or two."""

    board: str
    words: str


@dataclass(frozen=True, slots=True, repr=False)
class SpreadCount:
    """The count of a deck by its spreads: a value, fed with stills and words, each of which gives
    the next value. Prints numbers only.

    result: from READY on. ask: what the dealer is to do, until then. stills: how many were looked
    at.
    """

    deck: str
    stage: CountStage = CountStage.IDLE
    started_at: float = 0.0
    stills: int = 0
    ask: Ask | None = None
    result: CountResult | None = None
    _spreads: tuple[SpreadSeen, ...] = ()
    _gathered: bool = True

    def __repr__(self) -> str:
        return f"<count by camera: {self.stage.value}, {self.stills} stills, {self.live} seen>"

    @property
    def live(self) -> int:
        """Different faces seen so far."""
        return len(self._faces) if self.result is None else self.result.present

    @property
    def spreads(self) -> int:
        """Different spreads seen so far."""
        return len(self._spreads)

    @property
    def board_text(self) -> str:
        """At most 16 characters; "" when no count is on."""
        if self.result is not None:
            return self.result.board_text
        if self.stage not in (CountStage.PASSING, CountStage.ASKING):
            return ""
        return self.ask.board if self.ask is not None else AWAITED

    @property
    def why(self) -> str:
        return self.ask.words if self.ask is not None and self.result is None else ""

    @property
    def _faces(self) -> frozenset[str]:
        return frozenset[str]().union(*(s.faces for s in self._spreads))

    def start(self, at: float) -> SpreadCount:
        """The dealer begins, or begins anew."""
        return SpreadCount(self.deck, CountStage.PASSING, at)

    def seen(self, still: SpreadSeen, at: float) -> SpreadCount:
        """A still of the table. Once a result is there it changes nothing."""
        if self.stage not in (CountStage.PASSING, CountStage.ASKING):
            return self
        after = replace(self, stills=self.stills + 1, stage=CountStage.ASKING)
        if not still.quality.good:
            return replace(after, ask=_cannot_see(still))
        if not still.is_spread:
            stage = CountStage.ASKING if self._spreads else CountStage.PASSING
            return replace(after, stage=stage, ask=_not_spread(still), _gathered=True)
        after = after._with(still)
        found = after._found(at)
        if found is not None:
            return replace(after, stage=CountStage.READY, ask=None, result=found)
        return replace(after, ask=after._asks(still))

    def confirm(self, at: float, by: str) -> SpreadCount:
        """The dealer's word that the result is right; nothing changes until there is one."""
        if self.stage is not CountStage.READY or self.result is None:
            return self
        took = max(0.0, at - self.started_at)
        result = replace(self.result, ended_at=at, duration_s=took, confirmed_by=by)
        return replace(self, stage=CountStage.DONE, result=result, _spreads=())

    def _with(self, still: SpreadSeen) -> SpreadCount:
        """With that still among the spreads: in place of an earlier one of the same, if it shows
        more of it."""
        spreads = self._spreads
        if spreads and not self._gathered and is_same_spread(spreads[-1], still):
            if _worth(still) > _worth(spreads[-1]):
                spreads = (*spreads[:-1], still)
        else:
            spreads = (*spreads, still)[-SPREADS_KEPT:]
        return replace(self, _spreads=spreads, _gathered=False)

    def _found(self, at: float) -> CountResult | None:
        """The result, if what was seen suffices for one."""
        faces = self._faces
        almost = [s for s in self._spreads if _full(s, faces, Doubt.GAP)]
        doubled = any(s.doubled for s in self._spreads)
        if len(faces) == len(FACES) and almost and not doubled:
            return self._result(almost, (), at)
        full = [
            s for s in self._spreads if _full(s, faces) and s.cards == len(faces) + len(s.doubled)
        ]
        twice = [s for s in full if s.doubled == full[-1].doubled]
        if len(twice) < 2 or len(faces) < len(FACES) - MOST_MISSING:
            return None
        return self._result(twice, twice[-1].doubled, at)

    def _result(
        self, spreads: Sequence[SpreadSeen], doubled: tuple[str, ...], at: float
    ) -> CountResult:
        faces = self._faces
        return CountResult(
            deck=self.deck,
            expected=len(FACES),
            present=len(faces),
            missing=tuple(f for f in FACES if f not in faces),
            foreign=max(s.foreign for s in spreads),
            jokers=max(s.jokers for s in spreads),
            duplicates=doubled,
            passes=len(self._spreads),
            duration_s=max(0.0, at - self.started_at),
            started_at=self.started_at,
            ended_at=at,
            means=CountMeans.CAMERA,
        )

    def _asks(self, still: SpreadSeen) -> Ask:
        count = f"{len(self._faces)} of {len(FACES)} cards are seen."
        doubtful = _doubtful(still)
        if doubtful is not None:
            return replace(doubtful, words=f"{count} {doubtful.words}")
        if len(self._faces) < len(FACES) - MOST_MISSING:
            return Ask("SPREAD ALL CARDS", f"{count} Spread the whole deck, in one picture.")
        return Ask(
            "SPREAD ANEW",
            f"{count} Gather the cards and spread them anew: one may lie exactly on another.",
        )


def _full(still: SpreadSeen, faces: frozenset[str], *allowed: Doubt) -> bool:
    """Whether a still shows no card besides those faces: nothing is doubtful but what is allowed,
    and which of the faces some cards have; there are no more cards than faces."""
    harmless = {Doubt.UNSURE, *allowed}
    known = all(spot.doubt in harmless for spot in still.spots)
    return known and not still.backs and still.cards <= len(faces) + len(still.doubled)


def is_same_spread(one: SpreadSeen, other: SpreadSeen) -> bool:
    """Whether two stills show one and the same spread, in whatever way the camera was held: from
    index to index the steps vary alike. A card read in one of them only shifts the steps on one
    side of it, so half of them is enough."""
    a, b = one.steps, other.steps
    most = min(len(a), len(b)) // 2
    if most < _FEW_STEPS:
        return one.faces == other.faces
    begun = (_alike(a[:most], b[:most]), _alike(a[-most:], b[-most:]))
    shifted = (_alike(a[1:most], b[: most - 1]), _alike(a[: most - 1], b[1:most]))
    return max(*begun, *shifted) >= _ALIKE


def _alike(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's correlation of two rows of steps; 0 where one does not vary."""
    try:
        return correlation(a, b)
    except StatisticsError:
        return 0.0


def _worth(still: SpreadSeen) -> tuple[int, int]:
    return (len(still.faces), -len(still.spots) - still.backs)


# ---- what to do about it


def _cannot_see(still: SpreadSeen) -> Ask:
    reason = still.quality.reason
    boards = {"too dark": "TOO DARK", "too bright": "TOO BRIGHT", "not sharp": "NOT SHARP"}
    board = next((b for begin, b in boards.items() if reason.startswith(begin)), "CAMERA BLIND")
    return Ask(board, f"The camera cannot see: {reason}.")


def _not_spread(still: SpreadSeen) -> Ask:
    if still.backs > 2:
        return Ask("TURN FACE UP", "The cards lie face down. Spread them face up.")
    few = f"Only {len(still.faces)} cards are seen. " if still.faces else "No card is seen. "
    return Ask(
        AWAITED, few + "Spread the whole deck face up in two rows, every corner index showing."
    )


def _doubtful(still: SpreadSeen) -> Ask | None:
    """What would make a still of the spread better, the most helpful first."""
    doubts = [spot.doubt for spot in still.spots]
    where = _where(still)
    if Doubt.CUT in doubts:
        return Ask("SPREAD CUT OFF", f"The spread goes on outside the picture{where}.")
    if still.spots and 0 < still.index_px < SMALL_PX:
        return Ask(
            "CAMERA CLOSER",
            "The indices are too small in the picture: move the camera closer, or spread the deck"
            " in two shorter rows.",
        )
    if still.foreign:
        return Ask(
            "FOREIGN BACK",
            "A card in the spread has another back than the deck: take it out, look at it, and"
            " spread the deck anew.",
        )
    if still.backs:
        cards = "1 card lies" if still.backs == 1 else f"{still.backs} cards lie"
        return Ask(f"TURN {still.backs} FACE UP", f"{cards} face down in the spread: turn over.")
    if still.spots and 0 < still.step < NARROW:
        return Ask(
            "SPREAD WIDER", f"The indices cover one another{where}: spread wider, in two rows."
        )
    if not doubts:
        return None
    places = "1 place" if len(doubts) == 1 else f"{len(doubts)} places"
    if set(doubts) == {Doubt.GAP}:
        return Ask(
            "SPREAD ANEW", f"In {places} a card may be covered{where}: spread anew, more evenly."
        )
    return Ask(
        "SPREAD ANEW",
        f"In {places} a card cannot be read{where}: look for glare or a covered corner there, and"
        " spread anew.",
    )


def _where(still: SpreadSeen) -> str:
    """Where in the picture the doubtful places are, if they are together."""
    if not still.spots or not still.width or not still.height:
        return ""
    across = {min(2, int(3 * s.x_px / still.width)) for s in still.spots}
    down = {min(1, int(2 * s.y_px / still.height)) for s in still.spots}
    if len(across) > 1:
        return ""
    side = ("at the left", "in the middle", "at the right")[across.pop()]
    return f" {side}" + (f" of the {('upper', 'lower')[down.pop()]} half" if len(down) == 1 else "")
