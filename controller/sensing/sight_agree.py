"""Antennas and a camera at one table: the antennas say which card lies where, the camera which way
up it lies and what is printed on it; each checks the other.

A face that is seen where the antennas read other cards only is a tag on the wrong card: a matter of
security, so pictures must agree on it, the card must lie still, and every card that may be meant
must have been read. A card that is seen where the antenna reads none has a dead tag, or lies badly:
then the antenna's silence there proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from controller.model.events import (
    CardCame,
    CardCarried,
    CardLeft,
    TableEvent,
    TagFault,
    TagVerdict,
    Token,
)
from controller.model.table import BURN, MUCK, Layout, Zone, is_board
from controller.sensing.budget import FalseAlarmBudget
from controller.sensing.presence import Sensing
from controller.sensing.sight_tracks import AreaTracks, Track
from controller.vault import Vault

SETTLED_S = 2.0  # a card that has lain for so long is not in motion any more
UNREAD_S = 1.5  # a card seen for so long should have been read
SLACK_S = 0.5  # by which a card may be read sooner, or seen later, than the other says


@dataclass(slots=True)
class _Read:
    """A card that an antenna has settled: between which moments it came."""

    zone: Zone
    after: float
    before: float


class Agreement:
    """Joins what antennas and cameras say. `heed` takes the antennas' events, `judge` a picture."""

    def __init__(self, layout: Layout, vault: Vault, budget: FalseAlarmBudget) -> None:
        self._vault = vault
        self._pictures = budget.face_pictures
        self._zones = {a.zone: a.zone for a in layout.antennas if a.camera is None}
        self._board = tuple(z for z in self._zones if is_board(z))
        self._read: dict[Token, _Read] = {}
        self._bound: dict[Token, Track] = {}
        self._of: dict[int, Token] = {}  # by the identity of a track that is bound
        self._sure: set[int] = set()
        self._against: dict[int, int] = {}  # pictures in which a track's face was no card's there
        self._accused: set[Token] = set()

    def __repr__(self) -> str:
        return f"<agreement of {len(self._zones)} antennas with a camera>"

    def zones(self, area: Zone) -> tuple[Zone, ...]:
        """The antennas' zones that lie in an area."""
        if is_board(area):
            return self._board
        return (area,) if area in self._zones else ()

    # -- what antennas say -------------------------------------------------------------------------

    def heed(self, events: Iterable[TableEvent]) -> None:
        for event in events:
            if isinstance(event, CardCame):
                self._unbind(event.token)
                self._read[event.token] = _Read(event.zone, event.after, event.before)
            elif isinstance(event, CardLeft):
                self._unbind(event.token)
                self._read.pop(event.token, None)
            elif isinstance(event, CardCarried):
                self._read[event.token] = _Read(event.zone, -inf, event.at)

    def renew(self) -> None:
        """Tokens mean nothing any more."""
        self._read.clear()
        self._bound.clear()
        self._of.clear()
        self._sure.clear()
        self._against.clear()
        self._accused.clear()

    def _unbind(self, token: Token) -> None:
        track = self._bound.pop(token, None)
        if track is not None:
            self._of.pop(id(track), None)
            self._sure.discard(id(track))

    def _tokens(self, area: Zone) -> list[Token]:
        zones = self.zones(area)
        return [t for t, read in self._read.items() if read.zone in zones]

    # -- which is which ----------------------------------------------------------------------------

    def token(self, area: AreaTracks, track: Track) -> Token | None:
        """The token of a seen card; None while it may be one of several that lie otherwise."""
        token = self._of.get(id(track))
        # Which of a street's cards is which makes no difference to anybody.
        if token is None or id(track) in self._sure or is_board(area.zone):
            return token
        doubtful = [t for t in area.lying if id(t) in self._of and id(t) not in self._sure]
        return token if all(t.up is track.up for t in doubtful) else None

    def awaits(self, area: AreaTracks, track: Track) -> bool:
        """Whether a seen card of the zone may still get its token."""
        return bool(self.zones(area.zone)) and id(track) not in self._of

    def _bind(self, area: AreaTracks) -> None:
        lying = {id(t): t for t in area.lying}
        for token in [t for t, track in self._bound.items() if id(track) in self._of]:
            track = self._bound[token]
            if track.missing and track in area.tracks:
                self._unbind(token)
        tokens = [t for t in self._tokens(area.zone) if t not in self._bound]
        tracks = [t for i, t in lying.items() if i not in self._of]
        if not tokens or len(tokens) != len(tracks):
            return
        tokens.sort(key=lambda t: self._read[t].before)
        tracks.sort(key=lambda t: t.came_before)
        fits = [[self._fits(t, track) for track in tracks] for t in tokens]
        if not all(fits[n][n] for n in range(len(tokens))):
            return
        for n, (token, track) in enumerate(zip(tokens, tracks, strict=True)):
            self._bound[token] = track
            self._of[id(track)] = token
            if sum(fits[n]) == 1 and sum(row[n] for row in fits) == 1:
                self._sure.add(id(track))

    def _fits(self, token: Token, track: Track) -> bool:
        read = self._read[token]
        return (
            read.after <= track.came_before + SLACK_S and read.before >= track.came_after - SLACK_S
        )

    # -- whether they agree ------------------------------------------------------------------------

    def judge(self, areas: Sequence[AreaTracks], sensing: Sensing, at: float) -> list[TableEvent]:
        """After a picture."""
        found: list[TableEvent] = []
        for area in areas:
            zones = self.zones(area.zone)
            if not zones or not area.proves:
                continue
            self._bind(area)
            self._hold(area, zones, sensing, at)
            if area.zone not in (MUCK, BURN) or len(area.tracks) <= 1:
                found += self._faces(area, zones, sensing, at)
        return found

    def _hold(self, area: AreaTracks, zones: Sequence[Zone], sensing: Sensing, at: float) -> None:
        """Whether the camera sees a card there that no antenna reads."""
        if area.zone == MUCK:
            return
        seen = sum(at - t.came_before >= UNREAD_S for t in area.lying)
        if seen > len(self._tokens(area.zone)):
            for zone in zones:
                sensing.contradict(zone, at)

    def _faces(
        self, area: AreaTracks, zones: Sequence[Zone], sensing: Sensing, at: float
    ) -> list[TableEvent]:
        lying = area.lying
        tokens = self._tokens(area.zone)
        settled = [t for t in lying if at - t.came_before >= SETTLED_S]
        if len(tokens) < len(lying) or len(settled) < len(lying):
            return []
        near = [uid for zone in zones for uid in sensing.near(zone)]
        found: list[TableEvent] = []
        for track in settled:
            face = track.face
            if face is None or track.up is not True or not self._vault.known_face(face):
                continue
            if self._vault.any_has(near, face):
                self._against.pop(id(track), None)
                continue
            self._against[id(track)] = self._against.get(id(track), 0) + 1
            if self._against[id(track)] < self._pictures:
                continue
            token = self._culprit(track, lying, tokens)
            if token is None or token in self._accused:
                continue
            self._accused.add(token)
            zone = self._read[token].zone
            found.append(TagVerdict(at=at, token=token, zone=zone, fault=TagFault.OTHER_FACE))
        return found

    def _culprit(
        self, track: Track, lying: Sequence[Track], tokens: Sequence[Token]
    ) -> Token | None:
        """The token whose tag says another card than the one that is seen: the one of the zone that
        no seen face accounts for."""
        left = [
            token
            for token in tokens
            if not any(t.face is not None and self._vault.has(token, t.face) for t in lying)
        ]
        if len(left) == 1 and len(tokens) == len(lying):
            return left[0]
        bound = self._of.get(id(track))
        return bound if bound in left and id(track) in self._sure else None
