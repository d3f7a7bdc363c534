"""Cards in an area of the table, followed from picture to picture by where they lie.

A card that was seen is the same card as long as one is seen in its place. What a picture does not
show is not gone by that: a hand may hide it, another card may lie on it, the reader may have missed
it. Which way up it lies and what its face is are believed when pictures agree.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from math import hypot, inf

from controller.model.events import Token
from controller.model.table import Zone
from drivers.readings import AreaSight, Face, SeenCard, Side, Uid

GATE_MM = 12.0  # a card is seen no further than this from where it lies
HIDING_MM = 18.0  # a card laid so near upon another may hide it
KEPT_CODES = 4  # different faces read of one card; more say that it cannot be read


class Track:
    """One card as a camera sees it.

    uid: what it is called, where no antenna names it; None while it cannot be told which card it
    is. left_over: it lay there without a name when a hand ended, and will have none. came_after,
    came_before: start of the last clear picture of the area without it, end of the first one with
    it. missing: clear pictures in a row, up to now, that do not show it. up: which way up it lies,
    once believed; up_after, up_before: the same two times for that side. face: once believed.
    """

    __slots__ = (
        "_codes",
        "_run",
        "_run_after",
        "_run_before",
        "_run_up",
        "came_after",
        "came_before",
        "face",
        "gone_at",
        "left_over",
        "missing",
        "perhaps_at",
        "seen",
        "seen_ended",
        "seen_started",
        "told_as",
        "told_at",
        "told_up",
        "uid",
        "up",
        "up_after",
        "up_before",
        "x_mm",
        "y_mm",
    )

    def __init__(self, card: SeenCard, after: float, ended: float) -> None:
        self.uid: Uid | None = None
        self.x_mm, self.y_mm = card.x_mm, card.y_mm
        self.came_after = after
        self.came_before = ended
        self.left_over = False
        self.seen = 0
        self.seen_started = self.seen_ended = ended
        self.missing = 0
        self.gone_at = inf  # start of the first picture in a row that does not show it
        self.perhaps_at = -inf  # of the last one in which something was not made out that it may be
        self.up: bool | None = None
        self.up_after = after
        self.up_before = ended
        self.told_up: bool | None = None
        self.told_as: Token | None = None  # which card its side was told of
        self.told_at = -inf  # when, or that it goes on to lie so
        self.face: Face | None = None
        self._run = 0
        self._run_up: bool | None = None
        self._run_after = after
        self._run_before = ended
        self._codes: Counter[str] = Counter()

    def __repr__(self) -> str:
        return f"<a card seen at {self.x_mm:.0f}, {self.y_mm:.0f} mm>"

    def see(self, card: SeenCard, started: float, ended: float, needed: Needed) -> None:
        """It is in this picture."""
        self._side(card.side, started, ended, needed.sides)
        self.x_mm, self.y_mm = card.x_mm, card.y_mm
        self.seen += 1
        self.seen_started, self.seen_ended = started, ended
        self.missing = 0
        self.gone_at = inf
        if card.face is not None and (len(self._codes) < KEPT_CODES or self.face is not None):
            self._codes[card.face.code] += 1
            (code, most), *others = self._codes.most_common(2)
            more = others[0][1] if others else 0
            self.face = Face(code) if most - 2 * more >= needed.faces else None

    def _side(self, side: Side, started: float, ended: float, needed: int) -> None:
        if side is Side.UNSURE:
            return
        up = side is Side.UP
        if up is not self._run_up:
            self._run_after = self.seen_started if self.seen else self.came_after
            self._run_up, self._run, self._run_before = up, 0, ended
        self._run += 1
        if self._run >= needed and up is not self.up:
            self.up, self.up_after, self.up_before = up, self._run_after, self._run_before

    def lose_face(self) -> None:
        """Which card it is is forgotten."""
        self.face = None
        self._codes.clear()

    @property
    def lately_at(self) -> float:
        """When it was gone, or may still have lain there unread."""
        return max(self.gone_at, self.perhaps_at)

    @property
    def settled_side(self) -> bool:
        """Whether pictures say nothing else of its side than what was said of it."""
        return self.up is not None and self._run_up is self.up and self.told_up is self.up


class Needed:
    """How many pictures must agree. sides: on which way up a card lies; faces: on what it is, more
    than twice the pictures that say otherwise."""

    __slots__ = ("faces", "sides")

    def __init__(self, sides: int, faces: int) -> None:
        self.sides = sides
        self.faces = faces


class AreaTracks:
    """The cards of one area. after a picture: `fresh` are those that it shows for the first time,
    `hidden` says whether a card that it does not show may lie under another one, `clear` whether
    nothing hid the area, `proves` whether every card in it was made out besides."""

    __slots__ = (
        "_came",
        "_needed",
        "blind_since",
        "clear",
        "clear_started",
        "fresh",
        "hidden",
        "last",
        "proves",
        "tracks",
        "zone",
    )

    def __init__(self, zone: Zone, needed: Needed) -> None:
        self.zone = zone
        self.tracks: list[Track] = []
        self.fresh: list[Track] = []
        self.hidden = False
        self.clear = self.proves = True
        self.clear_started = -inf  # of the last clear picture
        self.blind_since: float | None = None
        self.last: AreaSight | None = None
        self._needed = needed
        self._came: deque[float] = deque(maxlen=32)  # when cards were seen for the first time

    def __repr__(self) -> str:
        return f"<{len(self.tracks)} cards seen at {self.zone}>"

    def see(self, sight: AreaSight, started: float, ended: float) -> None:
        """One picture of the area. Pictures come in the order of time."""
        self.last = sight
        pairs, new = self._match(sight.cards)
        before = self.clear_started
        for track, card in pairs:
            track.see(card, started, ended, self._needed)
        self.fresh = [Track(card, before, ended) for card in new]
        for track, card in zip(self.fresh, new, strict=True):
            track.see(card, started, ended, self._needed)
        self._came.extend([ended] * len(new))
        self.clear, self.proves = sight.clear, sight.proves
        if sight.proves:
            self._miss(pairs, started)
            self.clear_started = started
        elif sight.clear:
            for track in self.missing:
                track.perhaps_at = started
        if sight.clear:
            self.blind_since = None
        elif self.blind_since is None:
            self.blind_since = started
        self.tracks += self.fresh

    def _match(
        self, cards: Sequence[SeenCard]
    ) -> tuple[list[tuple[Track, SeenCard]], list[SeenCard]]:
        """Which seen card is which, the nearest first, and those that are new."""
        near = sorted(
            (
                (hypot(t.x_mm - c.x_mm, t.y_mm - c.y_mm), i, j)
                for i, t in enumerate(self.tracks)
                for j, c in enumerate(cards)
            ),
        )
        taken: dict[int, int] = {}
        used: set[int] = set()
        for distance, i, j in near:
            if distance > GATE_MM:
                break
            if i not in taken and j not in used:
                taken[i] = j
                used.add(j)
        pairs = [(self.tracks[i], cards[j]) for i, j in sorted(taken.items())]
        return pairs, [c for j, c in enumerate(cards) if j not in used]

    def _miss(self, pairs: Sequence[tuple[Track, SeenCard]], started: float) -> None:
        shown = {id(t) for t, _ in pairs}
        lying = [t for t, _ in pairs] + self.fresh
        self.hidden = False
        for track in self.tracks:
            if id(track) in shown:
                continue
            if any(
                hypot(o.x_mm - track.x_mm, o.y_mm - track.y_mm) < HIDING_MM
                and o.came_before > track.came_before
                for o in lying
            ):
                self.hidden = True
                continue
            if not track.missing:
                track.gone_at = started
            track.missing += 1

    def newcomers(self, since: float) -> int:
        """How many cards were seen for the first time since then."""
        return sum(at > since for at in self._came)

    @property
    def lying(self) -> list[Track]:
        """Cards that the last clear picture showed, or may have hidden."""
        return [t for t in self.tracks if not t.missing]

    @property
    def missing(self) -> list[Track]:
        """Cards that are not where they lay."""
        return [t for t in self.tracks if t.missing]

    def revive(self, missing: Track, now: Track) -> None:
        """The newcomer is a card of this area that was missing: it lies there again."""
        self.tracks.remove(now)
        self.fresh = [t for t in self.fresh if t is not now]
        missing.x_mm, missing.y_mm = now.x_mm, now.y_mm
        missing.missing = 0
        missing.gone_at = inf
        missing.seen_started, missing.seen_ended = now.seen_started, now.seen_ended
        missing.came_before = now.came_before  # it may hide what lay there meanwhile
        if now.up is not None and now.up is not missing.up:
            missing.up, missing.up_after, missing.up_before = now.up, now.up_after, now.up_before
        missing._run, missing._run_up = now._run, now._run_up
        missing._run_after, missing._run_before = now._run_after, now._run_before

    def drop(self, track: Track) -> None:
        if track in self.tracks:
            self.tracks.remove(track)
