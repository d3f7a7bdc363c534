"""What a camera's pictures prove: sights in, looks for `Sensing` and events of their own out.

A zone that a camera watches in the place of an antenna is sensed as if it had one: every card in
view bears a name that the vault drew for it, a picture of the zone is a look that reads those
names, and what a look and a silence prove, and when, follows from the same odds and the same budget
(see `presence`). A picture that cannot tell which card it shows, or that another card or a hand
hides part of, proves no absence.

Besides, a camera sees which way up cards lie, cards laid down as a block, and faces. Pure: time is
in the sights, and the same sights give the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from controller.model.events import (
    CardSide,
    LaidTogether,
    ReaderBack,
    ReaderLost,
    TableEvent,
    Token,
)
from controller.model.table import (
    MUCK,
    STUB,
    TABLE,
    AntennaPlace,
    Layout,
    is_board,
    seat_of,
)
from controller.sensing.budget import FalseAlarmBudget
from controller.sensing.presence import Sensing
from controller.sensing.sight_agree import Agreement
from controller.sensing.sight_origin import SURE_MISSING, forget_s, origin
from controller.sensing.sight_tracks import AreaTracks, Needed, Track
from controller.vault import Vault
from drivers.readings import AreaSight, Outcome, Poll, Sight, Uid, camera_name

BLIND_S = 30.0  # an area hidden for so long is said to be
SINGLY_S = 0.25  # no dealer puts down one card after another faster than this
STILL_UP_S = 1.0
STILL_DOWN_S = 2.6  # within which a dealer turns a flop that lies face down
UNNAMED_S = 3.0  # a side is told of no card in particular if none can be named for so long
BLOCK_SEEN = 3  # pictures that must show a block's cards before they are called one
FALSE_SEEN = 3  # a card seen in fewer pictures than this, and then no more, was none


class _Watched:
    """An area, and what is made of it. place: what stands for an antenna in its zone, if a camera
    watches it alone."""

    __slots__ = ("area", "blind", "block", "calm", "doubtful", "names", "place", "whole")

    def __init__(self, area: AreaTracks, place: AntennaPlace | None) -> None:
        self.area = area
        self.place = place
        self.blind = False
        self.block: list[Track] = []
        self.calm = False  # the same picture again would say nothing new
        self.names: tuple[Uid, ...] = ()
        self.doubtful = False  # a card is seen that nobody can name, or may lie under another one
        self.whole = True


class SightSensing:
    """Takes in the sights of a table's cameras. One per table, beside its `Sensing`."""

    def __init__(
        self, layout: Layout, vault: Vault, budget: FalseAlarmBudget | None = None
    ) -> None:
        budget = budget or FalseAlarmBudget()
        needed = Needed(budget.side_pictures, budget.face_pictures)
        self._vault = vault
        self._watched: dict[int, dict[str, _Watched]] = {}
        for area in layout.areas:
            place = layout.by_zone.get(area.zone)
            own = place if place is not None and place.camera == area.camera else None
            watched = _Watched(AreaTracks(area.zone, needed), own)
            self._watched.setdefault(area.camera, {})[str(area.zone)] = watched
        self._all = [w for areas in self._watched.values() for w in areas.values()]
        self._areas = [w.area for w in self._all if w.place is not None]
        tagged = any(a.camera is None for a in layout.antennas)
        self._agreement = Agreement(layout, vault, budget) if tagged and self._all else None
        self.refused = 0  # areas of pictures that were not clear

    def __repr__(self) -> str:
        return f"<sight of {len(self._all)} areas>"

    @property
    def cameras(self) -> tuple[int, ...]:
        return tuple(self._watched)

    def antennas_of(self, device: str) -> tuple[int, ...]:
        """The places that stand for antennas and are watched by the camera of that name."""
        return tuple(
            w.place.antenna
            for number, areas in self._watched.items()
            if camera_name(number) == device
            for w in areas.values()
            if w.place is not None
        )

    def looks(self, sight: Sight) -> list[Poll]:
        """Take one picture in. Gives the looks that it is, at the zones without an antenna."""
        watched = self._watched.get(sight.camera)
        if watched is None:
            return []
        started, ended = sight.started, sight.ended
        busy: list[_Watched] = []
        shown = {seen.area: seen for seen in sight.areas}
        for area, w in watched.items():
            seen = shown.get(area)
            if seen is None:
                continue
            if w.calm and seen is w.area.last:
                w.area.clear_started = started
                for track in w.area.tracks:
                    track.seen_started, track.seen_ended = started, ended
            else:
                w.area.see(seen, started, ended)
                self.refused += not seen.clear
                w.calm = False
                busy.append(w)
        for w in busy:
            self._tell_apart(w, started, ended)
        return [
            _poll(w, shown[area], started, ended)
            for area, w in watched.items()
            if w.place is not None and area in shown
        ]

    def events(self, sensing: Sensing, sight: Sight) -> list[TableEvent]:
        """What the pictures so far say besides, once their looks have been taken in."""
        found: list[TableEvent] = []
        for w in self._watched.get(sight.camera, {}).values():
            if w.calm and not w.blind:
                continue
            found += self._blindness(w, sensing, sight)
            if w.doubtful and w.place is not None:
                sensing.contradict(w.area.zone, sight.ended)
            found += self._blocks(w, sight.ended)
            found += self._sides(w, sensing, sight.ended)
            w.calm = self._is_calm(w)
        if self._agreement is not None:
            areas = [w.area for w in self._watched.get(sight.camera, {}).values()]
            found += self._agreement.judge(areas, sensing, sight.ended)
        return found

    def heed(self, events: Iterable[TableEvent]) -> None:
        """What antennas have made known meanwhile."""
        if self._agreement is not None:
            self._agreement.heed(events)

    def renew(self) -> None:
        """A hand is over: what was read of its cards is forgotten."""
        for w in self._all:
            w.calm = False
            for track in list(w.area.tracks):
                track.lose_face()
                track.left_over = track.uid is None
                if track.missing >= SURE_MISSING:
                    w.area.drop(track)
        if self._agreement is not None:
            self._agreement.renew()

    def lost(self, device: str) -> None:
        """A camera gives no pictures: what it had begun to see is begun anew when it is back."""
        for number, areas in self._watched.items():
            if camera_name(number) == device:
                for w in areas.values():
                    w.area.clear_started = -inf
                    w.calm = False

    # -- which card is which -----------------------------------------------------------------------

    def _tell_apart(self, w: _Watched, started: float, ended: float) -> None:
        area = w.area
        for track in list(area.missing):
            false = track.seen < FALSE_SEEN and track.missing >= FALSE_SEEN
            if false or started - track.lately_at > forget_s(area, self._areas):
                area.drop(track)
        unnamed = [t for t in area.tracks if t.uid is None and not t.missing]
        if w.place is None:
            self._follow(area, unnamed)
            unnamed = []
        left = [track for track in unnamed if not self._name(w, track, ended)]
        if area.clear:
            block = [t for t in area.fresh if t in area.tracks]
            w.block = block if len(block) > 1 else [t for t in w.block if t in area.tracks]
        w.names = tuple(t.uid for t in area.tracks if t.uid is not None and t.seen_ended == ended)
        w.doubtful = bool(left) or (area.zone == MUCK and bool(area.lying))
        w.whole = not (w.doubtful or area.hidden)

    def _follow(self, area: AreaTracks, newcomers: Sequence[Track]) -> None:
        """Where antennas name the cards, or none are named, only a card put back is told."""
        for track in newcomers:
            if track not in area.fresh:
                continue
            gone = [t for t in area.missing if t.missing >= SURE_MISSING]
            if gone and area.zone not in (STUB, TABLE):
                area.revive(gone[0], track)

    def _name(self, w: _Watched, track: Track, ended: float) -> bool:
        """Say which card a newcomer is, if that can be said."""
        if track.left_over:
            return False
        found = origin(track, w.area, self._areas, ended)
        if found is None:
            return False
        was, source = found.was, found.area
        if was is None or source is None:
            track.uid = self._vault.draw()
        elif source is w.area:
            w.area.revive(was, track)
            return was.uid is not None
        else:
            track.uid = was.uid
            track.face = track.face or was.face
            source.drop(was)
        return True

    # -- what is told of them ----------------------------------------------------------------------

    def _sides(self, w: _Watched, sensing: Sensing, ended: float) -> list[TableEvent]:
        found: list[TableEvent] = []
        zone = w.area.zone
        for track in w.area.tracks:
            if track.up is None or track.up is track.told_up or track.missing:
                continue
            token = self._token(w, track, sensing)
            if token is None:
                waits = ended - track.up_before < UNNAMED_S and self._awaits_token(w, track)
                if waits or (track.told_up is None and not track.up):
                    continue
            elif track.face is not None and track.uid is not None:
                self._vault.saw(track.uid, track.face)
            track.told_up, track.told_as, track.told_at = track.up, token, track.up_before
            found.append(
                CardSide(
                    at=ended,
                    zone=zone,
                    up=track.up,
                    after=track.up_after,
                    before=track.up_before,
                    token=token,
                )
            )
        for track in w.area.tracks:
            if track.uid is not None and track.face is not None:
                self._vault.saw(track.uid, track.face)
        return found + self._still_so(w, sensing, ended) + self._covered_again(w, ended)

    def _still_so(self, w: _Watched, sensing: Sensing, ended: float) -> list[TableEvent]:
        """A face that goes on to show, told once more, and a board card that goes on to lie face
        down, told again and again: nothing need be concluded from pictures that nobody took."""
        found: list[TableEvent] = []
        for track in w.area.tracks:
            due = track.told_at + (STILL_UP_S if track.told_up else STILL_DOWN_S)
            if ended < due or track.seen_ended != ended or not self._may_go_on(w, track):
                continue
            track.told_at = ended
            if track.told_as is not None and self._token(w, track, sensing) != track.told_as:
                continue
            found.append(
                CardSide(
                    at=ended,
                    zone=w.area.zone,
                    up=bool(track.told_up),
                    after=track.up_after,
                    before=track.up_before,
                    token=track.told_as,
                )
            )
        return found

    def _may_go_on(self, w: _Watched, track: Track) -> bool:
        """Whether it has still to be told that the card goes on to lie as it does."""
        if not track.settled_side:
            return False
        return track.told_at == track.up_before if track.up else is_board(w.area.zone)

    def _covered_again(self, w: _Watched, ended: float) -> list[TableEvent]:
        """A face that was told of no card in particular, and is to be seen no more."""
        found: list[TableEvent] = []
        for track in w.area.missing:
            unnamed = track.told_up and track.told_as is None
            if unnamed and track.missing >= SURE_MISSING:
                track.told_up = False
                found.append(
                    CardSide(
                        at=ended,
                        zone=w.area.zone,
                        up=False,
                        after=track.seen_started,
                        before=ended,
                    )
                )
        return found

    def _token(self, w: _Watched, track: Track, sensing: Sensing) -> Token | None:
        if w.place is None:
            return None if self._agreement is None else self._agreement.token(w.area, track)
        if w.area.zone == MUCK:
            return None  # whichever lies uppermost in the pile is seen
        placed = sensing.placed(track.uid) if track.uid is not None else None
        return placed[1] if placed is not None and placed[0] == w.area.zone else None

    def _awaits_token(self, w: _Watched, track: Track) -> bool:
        """Whether the card will have a token in a moment, or is in a zone that has them."""
        if w.place is not None:
            return w.area.zone != MUCK
        zoned = w.area.zone not in (STUB, TABLE)
        return zoned and self._agreement is not None and self._agreement.awaits(w.area, track)

    def _blocks(self, w: _Watched, ended: float) -> list[TableEvent]:
        block = w.block
        zone = w.area.zone
        if not block or not (seat_of(zone) or is_board(zone)):
            w.block = []
            return []
        if any(t.missing for t in block):
            w.block = []
            return []
        if min(t.seen for t in block) < BLOCK_SEEN:
            return []
        w.block = []
        after, before = block[0].came_after, block[0].came_before
        if before - after >= SINGLY_S * (len(block) - 1):
            return []  # they may have come one after the other, unseen
        return [LaidTogether(at=ended, zone=zone, cards=len(block), after=after, before=before)]

    def _blindness(self, w: _Watched, sensing: Sensing, sight: Sight) -> list[TableEvent]:
        area = w.area
        if w.place is None:
            return []
        device = f"{camera_name(sight.camera)} at {area.zone}"
        if w.blind and area.blind_since is None:
            w.blind = False
            sensing.reader_back((w.place.antenna,))
            return [ReaderBack(at=sight.ended, device=device, zones=(area.zone,))]
        hidden = area.blind_since is not None and sight.started - area.blind_since >= BLIND_S
        if w.blind or not hidden:
            return []
        w.blind = True
        sensing.reader_lost((w.place.antenna,))
        return [
            ReaderLost(
                at=sight.ended,
                device=device,
                zones=(area.zone,),
                reason="something hides it from the camera, or it is too dark or blurred",
            )
        ]

    def _is_calm(self, w: _Watched) -> bool:
        """Whether the same picture again would tell nothing more."""
        area = w.area
        if not area.proves or w.doubtful or w.block or area.hidden:
            return False
        if self._agreement is not None and w.place is None and area.tracks:
            return False
        named = w.place is not None
        return all(
            not t.missing
            and t.settled_side
            and t.seen >= FALSE_SEEN
            and (t.uid is not None or not named)
            and (t.face is not None or not t.up)
            and not self._may_go_on(w, t)
            for t in area.tracks
        )


def _poll(w: _Watched, seen: AreaSight, started: float, ended: float) -> Poll:
    assert w.place is not None
    if not seen.proves and not w.names:
        return Poll(w.place.antenna, (), Outcome.NOISE, started, ended)
    outcome = Outcome.SEEN if w.names else Outcome.EMPTY
    return Poll(w.place.antenna, w.names, outcome, started, ended, seen.proves and w.whole)
