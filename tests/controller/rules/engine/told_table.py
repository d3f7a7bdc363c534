"""A table that is told its events one by one, as sensing would tell them: cards come to rest, zones
stay silent, time passes. For the tests of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from controller.model.events import (
    Attested,
    ButtonSeen,
    CardCame,
    CardCarried,
    CardLeft,
    CardSide,
    DeckAtTable,
    FloorSaid,
    KeyPressed,
    LaidTogether,
    SeatStatus,
    StillEmpty,
    TableEvent,
    TableOpened,
    TableResumed,
    Tick,
    Token,
    numbered,
)
from controller.model.findings import (
    Finding,
    FindingChanged,
    HandBegan,
    HandEnded,
    Said,
    Street,
    Verdict,
)
from controller.model.table import Layout, LayoutOptions, Zone, reference_layout, seat_zone
from controller.rules import engine
from controller.rules.engine import RulesState, layout_json
from controller.rules.profile import load

PACE_S = 0.5
"""From one dealt card to the next."""
STILL_S = 0.55
"""After so long a camera says again which way up a card lies."""


def opened(
    profile: str = "tda",
    game: str = "holdem",
    seats: Sequence[int] = (1, 2, 3, 4),
    *,
    layout: Layout | None = None,
    button: tuple[int, ...] | None = (4,),
    absent: Sequence[int] = (),
    opening: bool = False,
    decks: tuple[DeckAtTable, ...] = (),
    camera: bool = False,
    at: float = 0.0,
) -> TableOpened:
    return TableOpened(
        at=at,
        profile=load(profile).model_dump_json(),
        game=game,
        layout=layout_json(layout or reference_layout(LayoutOptions())),
        seats=tuple((s, SeatStatus.IN) for s in seats),
        button=button,
        absent=tuple(absent),
        opening=opening,
        camera=camera,
        decks=decks,
    )


class ToldTable:
    """The rules at one table. Every method lets time pass and tells what then happens; whatever
    falls due on the way is told first.

    seats are dealt in; the button lies at `button`. Cards are tokens, 1 for the first that comes.
    """

    def __init__(
        self,
        profile: str = "tda",
        game: str = "holdem",
        seats: Sequence[int] = (1, 2, 3, 4),
        *,
        button: tuple[int, ...] | None = (4,),
        options: LayoutOptions | None = None,
        absent: Sequence[int] = (),
        opening: bool = False,
        decks: tuple[DeckAtTable, ...] = (),
        camera: bool = False,
    ) -> None:
        self.now = 100.0
        self.state: RulesState = engine.closed()
        self.said: list[Said] = []
        self.events: list[TableEvent] = []
        self.where: dict[Token, Zone] = {}
        self._cards = 0
        self._still: list[tuple[float, CardSide]] = []
        self.tell(
            opened(
                profile,
                game,
                seats,
                layout=reference_layout(options or LayoutOptions()),
                button=button,
                absent=absent,
                opening=opening,
                decks=decks,
                camera=camera,
                at=self.now,
            )
        )

    # -- what happens ------------------------------------------------------------------------------

    def tell(self, event: TableEvent) -> list[Said]:
        event = numbered(event, len(self.events) + 1)
        self.events.append(event)
        self.state, said = engine.step(self.state, event)
        self.said += said
        if any(isinstance(word, HandEnded) for word in said):
            self.where.clear()
            self._still.clear()
        return list(said)

    def wait(self, seconds: float) -> None:
        """Time passes; deadlines are kept, as a table between two polls keeps them, and what a
        camera goes on to see is told again."""
        end = self.now + seconds
        while True:
            due = engine.deadline(self.state)
            again = min(self._still, key=lambda s: s[0], default=None)
            if again is not None and again[0] <= min(end, end if due is None else due):
                self.now = max(self.now, again[0])
                self._still.remove(again)
                self._still.append((self.now + STILL_S, again[1]))
                self.tell(replace(again[1], at=self.now))
            elif due is not None and due <= end:
                self.now = max(self.now, due)
                self.tell(Tick(at=self.now))
            else:
                break
        self.now = end

    def comes(
        self,
        zone: str,
        card: Token | None = None,
        *,
        after_s: float = 0.2,
        before_s: float = 0.1,
        pace_s: float = PACE_S,
    ) -> Token:
        """After `pace_s` a card has settled in a zone: a new one from the deck, or `card` from
        where it lay. It is known to have come between `after_s` and `before_s` ago."""
        self.wait(pace_s)
        source = None
        if card is None:
            self._cards += 1
            card = Token(self._cards)
        else:
            source = self.where.get(card)
            self._still = [
                (at, replace(s, zone=Zone(zone)) if s.token == card else s) for at, s in self._still
            ]
        self.where[card] = Zone(zone)
        self.tell(
            CardCame(
                at=self.now,
                token=card,
                zone=Zone(zone),
                after=self.now - after_s,
                before=self.now - before_s,
                source=source,
            )
        )
        return card

    def leaves(self, card: Token, pace_s: float = PACE_S) -> None:
        """A card is no longer read where it lay."""
        self.wait(pace_s)
        self._still = [s for s in self._still if s[1].token != card]
        self.tell(
            CardLeft(
                at=self.now,
                token=card,
                zone=self.where[card],
                after=self.now - 0.2,
                before=self.now - 0.1,
            )
        )

    def side(
        self,
        card: Token | None,
        up: bool,
        zone: str = "",
        *,
        pace_s: float = 0.1,
        sure_s: float = 0.1,
        goes_on: bool = True,
    ) -> None:
        """After `pace_s` a camera sees which way up a card lies, or any card of a zone. It is known
        to have come to lie so within the last `sure_s`. goes_on: the camera sees it from then on,
        and says so, until it sees something else."""
        self.wait(pace_s)
        place = Zone(zone) if zone or card is None else self.where[card]
        seen = CardSide(
            at=self.now, zone=place, up=up, after=self.now - sure_s, before=self.now, token=card
        )
        self._still = [s for s in self._still if (s[1].token, s[1].zone) != (card, place)]
        self.tell(seen)
        if goes_on:
            self._still.append((self.now + STILL_S, seen))

    def hidden(self) -> None:
        """A hand hides every card from the camera."""
        self._still.clear()

    def up(self, *cards: Token, pace_s: float = 0.1, sure_s: float = 0.1) -> None:
        """These cards are turned up, `pace_s` apart."""
        for card in cards:
            self.side(card, True, pace_s=pace_s, sure_s=sure_s)

    def down(self, *cards: Token, pace_s: float = 0.1, sure_s: float = 0.1) -> None:
        for card in cards:
            self.side(card, False, pace_s=pace_s, sure_s=sure_s)

    def laid_together(self, cards: int = 3, within_s: float = 0.2, zone: str = "board") -> None:
        self.wait(PACE_S)
        self.tell(
            LaidTogether(
                at=self.now,
                zone=Zone(zone),
                cards=cards,
                after=self.now - within_s,
                before=self.now,
            )
        )

    def silence(self, *zones: str, times: int = 1, pace_s: float = 0.3) -> None:
        """Every watched zone (or those named) has been silent for as often as its watch asks."""
        for _ in range(times):
            self.wait(pace_s)
            for watch in engine.watches(self.state):
                if not zones or watch.zone in zones:
                    self.tell(
                        StillEmpty(
                            at=self.now,
                            zone=watch.zone,
                            since=watch.since,
                            until=self.now,
                            clean_polls=4,
                            level=1,
                        )
                    )

    def dwell(self) -> None:
        """A short while in which nothing comes to the burn pile: what has been seen is judged."""
        self.silence("burn", "muck", times=3, pace_s=1.0)
        self.wait(1.0)

    def key(self, key: str, pace_s: float = PACE_S) -> None:
        self.wait(pace_s)
        self.tell(KeyPressed(at=self.now, key=key))

    def button(self, *seats: int) -> None:
        self.wait(PACE_S)
        self.tell(ButtonSeen(at=self.now, seats=seats))

    def floor(
        self,
        word: Literal["rule", "dismiss", "confirm"],
        finding: int | None = None,
        text: str = "",
        by: str = "Ann",
    ) -> None:
        self.wait(PACE_S)
        self.tell(FloorSaid(at=self.now, word=word, finding=finding, text=text, by=by))

    def confirmed(self, *rows: str) -> None:
        """Somebody confirms what no sensor sees, and the dealer that the deck is shuffled."""
        for row in rows:
            self.tell(Attested(at=self.now, row=row, by="Ann"))
        self.key("shuffled", pace_s=0.0)

    # -- acts of a dealer --------------------------------------------------------------------------

    def seats(self, *seats: int, **how: float) -> list[Token]:
        """One card to each of these seats, in this order."""
        return [self.comes(seat_zone(s), **how) for s in seats]  # type: ignore[arg-type]

    def hole(self, *order: int, passes: int = 2) -> dict[int, list[Token]]:
        """The hole cards, whole passes in this order of seats. Returns the cards of each seat."""
        given: dict[int, list[Token]] = {s: [] for s in order}
        for _ in range(passes):
            for s in order:
                given[s] += self.seats(s)
        return given

    def burn(self, **how: float) -> Token:
        return self.comes("burn", **how)  # type: ignore[arg-type]

    def board(self, cards: int = 1) -> list[Token]:
        return [self.comes("board") for _ in range(cards)]

    def flop(self) -> list[Token]:
        """Burn and flop after a betting round."""
        self.wait(10.0)
        self.burn()
        return self.board(3)

    def street(self) -> list[Token]:
        """Burn and one board card after a betting round."""
        self.wait(10.0)
        self.burn()
        return self.board(1)

    def fold(self, *cards: Token) -> None:
        for card in cards:
            self.comes("muck", card)

    # -- what the rules say ------------------------------------------------------------------------

    @property
    def findings(self) -> list[Finding]:
        """Every finding that was ever said, in its latest version, oldest first."""
        latest: dict[int, Finding] = {}
        for word in self.said:
            if isinstance(word, FindingChanged):
                latest[word.finding.id] = word.finding
        return list(latest.values())

    def only(self) -> Finding:
        """The one finding that was said; fails if there were none or more."""
        found = self.findings
        assert len(found) == 1, [(f.code, f.seat, f.street) for f in found]
        return found[0]

    def found(self, code: str) -> Finding:
        """The one finding that has borne this code; fails if there is none or more."""
        found = [f for f in self.findings if code in f.codes]
        assert len(found) == 1, [(f.code, f.seat, f.street) for f in self.findings]
        return found[0]

    @property
    def codes(self) -> list[str]:
        return [f.code for f in self.findings]

    @property
    def began(self) -> list[HandBegan]:
        return [w for w in self.said if isinstance(w, HandBegan)]

    @property
    def ended(self) -> list[HandEnded]:
        return [w for w in self.said if isinstance(w, HandEnded)]

    def verdict(self, code: str, street: Street = Street.DEAL) -> Verdict:
        found = [
            v
            for v in engine.verdicts(self.state, self.now)
            if v.code == code and v.street is street
        ]
        assert len(found) == 1, found
        return found[0]

    def restarted(self) -> None:
        """The process starts again; `named_anew` then tells of what lies."""
        self.wait(PACE_S)
        self.tell(TableResumed(at=self.now))

    def named_anew(self, zone: str) -> Token:
        """A card that lay there before anybody looked settles in a zone."""
        self.wait(0.1)
        self._cards += 1
        card = Token(self._cards)
        self.where[card] = Zone(zone)
        self.tell(
            CardCame(
                at=self.now,
                token=card,
                zone=Zone(zone),
                after=float("-inf"),
                before=self.now - 0.05,
            )
        )
        return card

    def carried(self, zone: str) -> Token:
        """A card of the hand before still lies there, under its new token."""
        self._cards += 1
        card = Token(self._cards)
        self.where[card] = Zone(zone)
        self.tell(CardCarried(at=self.now, token=card, zone=Zone(zone)))
        return card


def without_book(state: RulesState) -> RulesState:
    """A state without the rules in force, which only an opening changes: cheap to compare."""
    return replace(state, book=None)
