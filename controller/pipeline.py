"""Reading → event → finding: the table's heart without ports, files or clock.

`Table` joins sensing and rules. The scenario runner, the simulation and the daemon feed it alike;
whoever keeps a journal numbers each event before anything judges it (`record`), and shows what was
said only when it is committed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf

from controller.integrity.table_count import CountShown, TableCount
from controller.integrity.watched import HandOver, HandWatch, Stand
from controller.model.events import (
    ButtonSeen,
    CountStopped,
    DeckCounted,
    DeckInPlay,
    KeyPressed,
    ReaderBack,
    ReaderLost,
    SeatSeen,
    TableEvent,
    TableOpened,
    TableResumed,
    Tick,
    numbered,
)
from controller.model.findings import (
    Finding,
    HandBegan,
    HandEnded,
    Judgement,
    Progress,
    Said,
    Sensed,
    Verdict,
)
from controller.model.table import Layout, Zone, seat_of
from controller.rules import engine
from controller.rules.engine import RulesState
from controller.rules.engine.state import Hand
from controller.sensing import FalseAlarmBudget, Sensing, SightSensing
from controller.vault import Vault
from controller.vision.spread import SpreadSeen
from drivers.readings import (
    ButtonReading,
    Health,
    HealthState,
    KeyPress,
    Poll,
    Reading,
    SeatReading,
    Sight,
)

Record = Callable[[TableEvent], int | None]

DEALER = "the dealer, by key"
COUNT_BY_CAMERA = "count-camera"
UNNAMED_DECK = "deck"  # counted by camera in a house that registers none


class Table:
    """One table: feed it readings in the order of time, tell it what people say, ask it what to
    show.

    record: called with every event before it is judged; may return the event's number in the
    journal, else the table counts for itself. state: the rules' state to go on from after a restart
    (tokens of the time before are unknown now; what is settled anew is taken up by position).
    deck_watch: told of every hand, says when the deck should be counted. has_camera: whether stills
    of a spread deck can be taken (`spread`).
    """

    def __init__(
        self,
        layout: Layout,
        vault: Vault,
        record: Record | None = None,
        budget: FalseAlarmBudget | None = None,
        state: RulesState | None = None,
        deck_watch: HandWatch | None = None,
        has_camera: bool = False,
    ) -> None:
        self.layout = layout
        self.has_camera = has_camera
        self._vault = vault
        self.sensing = Sensing(layout, vault, budget)
        self.sight = SightSensing(layout, vault, budget)
        self.state = state if state is not None else engine.closed()
        self._record = record
        self._deck_watch = deck_watch
        self._count = TableCount(layout)
        # Questions that hands ended with, and how many of them were undecided.
        self.verdicts_given = self.verdicts_open = 0
        self._number = 0
        self._deadline = inf
        self._focus: tuple[int, ...] = ()
        self._sensed = Sensed()
        self._refresh()

    # -- what comes in -----------------------------------------------------------------------------

    def open(self, event: TableOpened) -> list[Said]:
        """Open the table, or change its profile, game or seats between hands. The event's layout is
        this table's own."""
        opened = replace(event, layout=engine.layout_json(self.layout))
        return self._judge([opened, *self._another_deck(event.at)])

    def feed(self, reading: Reading) -> list[Said]:
        """One reading of the hardware."""
        if type(reading) is Poll:
            events: list[TableEvent] = []
            if self._count.running:
                events += self._counted(reading)
                if self._count.running and self._belongs_to_count(reading.antenna):
                    return []  # cards that pass or lie spread are counted, not placed
            if seen := self.sensing.poll(reading):
                self.sight.heed(seen)
                events += (*seen, *self._another_deck(reading.ended))
            if events:
                return self._judge(events)
            return self._judge([Tick(at=reading.ended)]) if reading.ended >= self._deadline else []
        if type(reading) is Sight:
            return self._seen(reading)
        if isinstance(reading, KeyPress):
            said = self._deck_key(reading, DEALER)
            if said is not None:
                return said
        event = self._event_of(reading)
        return self._judge([event]) if event is not None else []

    def _seen(self, sight: Sight) -> list[Said]:
        """One picture: the looks that it is, and what it says besides."""
        events: list[TableEvent] = []
        if self._count.by_camera:  # a deck lies spread: that is no deal, but cards at seats are
            at_seats = tuple(a for a in sight.areas if seat_of(Zone(a.area)) is not None)
            sight = sight._replace(areas=at_seats)
        for look in self.sight.looks(sight):
            if self._count.running:
                events += self._counted(look)
            events += self.sensing.poll(look)
        events += self.sight.events(self.sensing, sight)
        if events:
            return self._judge(events)
        return self._judge([Tick(at=sight.ended)]) if sight.ended >= self._deadline else []

    def tell(self, event: TableEvent) -> list[Said]:
        """What a person says, or any other event that no reading makes."""
        if isinstance(event, KeyPressed) and (said := self._deck_key(event, event.by)) is not None:
            return said
        return self._judge([event])

    def change_deck(self, deck: str, at: float, by: str) -> list[Said]:
        """Somebody says which deck is in play now. Raises ValueError for one that is not
        enrolled."""
        self._vault.lock(deck)
        return self._judge(self._another_deck(at, by))

    def count(self, at: float) -> None:
        """Begin to count the deck, or begin anew. Between hands only.

        Raises ValueError, with what to do, where nothing can be counted now.
        """
        if self.state.hand is not None and not self.state.hand.provisional:
            raise ValueError("a hand is on; the deck is counted between hands")
        self._count.start(self._vault.registered, self.state.deck.name or self._vault.playing, at)

    def count_spread(self, at: float) -> None:
        """Begin to count the deck by camera, or begin anew. Between hands only.

        Raises ValueError, with what to do, where nothing can be counted now.
        """
        if self.state.hand is not None and not self.state.hand.provisional:
            raise ValueError("a hand is on; the deck is counted between hands")
        if not self.has_camera:
            raise ValueError("this table has no camera; name one in table.toml")
        decks = sorted({deck for deck, _ in self._vault.registered.values()})
        only = decks[0] if len(decks) == 1 else None
        deck = self.state.deck.name or self._vault.playing or only or UNNAMED_DECK
        self._count.start_spread(deck, at)

    def spread(self, still: SpreadSeen, at: float) -> list[Said]:
        """A still of the table, while `wants_still`."""
        if not self._count.by_camera:
            return []
        self._count.spread(still, at)
        if self._count.running:
            return []
        return self._judge([CountStopped(at=at, reason=self._count.gave_up)])

    def confirm(self, at: float, by: str) -> list[Said] | None:
        """The word on a count that is on; None if there is none, and the word is about something
        else."""
        if not self._count.running:
            return None
        counted = self._count.confirm(at, by)
        return [] if counted is None else self._judge([counted])

    def heed(self, at: float) -> list[Said]:
        """Take in what the deck watch has found by now; its events happen at `at`."""
        found = self._deck_watch.found() if self._deck_watch is not None else []
        return self._judge([replace(event, at=at) for event in found]) if found else []

    def resume(self, at: float, away_known: bool = True) -> list[Said]:
        """Go on after a restart with the `state` given: cards are taken up by position. away_known:
        whether `at` has gone on by the time that passed meanwhile."""
        return self.tell(TableResumed(at=at, away_known=away_known))

    @property
    def counting(self) -> CountShown | None:
        """What the board shows of the count that is on, if one is."""
        return self._count.shown

    @property
    def wants_still(self) -> bool:
        """Whether a count by camera is on that has no result yet."""
        return self._count.wants_still

    @property
    def only(self) -> int | None:
        """The antenna that alone is to be looked at now; None: all of them."""
        return self._count.antenna if self._count.alone else None

    # -- what can be asked -------------------------------------------------------------------------

    @property
    def progress(self) -> Progress:
        return engine.progress(self.state)

    @property
    def stand(self) -> Stand:
        """Where the table stands between hands, as the journal can tell it again."""
        return stand_of(self.state)

    def suspects(self) -> tuple[str, ...]:
        """Cards that have stayed unseen too long, for the floor; none while a hand is on."""
        return self._deck_watch.suspects() if self._deck_watch is not None else ()

    @property
    def focus(self) -> tuple[int, ...]:
        """Antennas that deserve more looks now."""
        counting = self._count.running and self._count.result is None and not self._count.by_camera
        if counting and self._count.antenna is not None:
            return (self._count.antenna,)
        sensed = self.sensing.sensed()
        if sensed != self._sensed:
            self._look(sensed)
        return self._focus

    @property
    def findings(self) -> tuple[Finding, ...]:
        return engine.findings(self.state)

    def verdicts(self, at: float = 0.0) -> tuple[Verdict, ...]:
        return engine.verdicts(self.state, at)

    # -- inside ------------------------------------------------------------------------------------

    def _deck_key(self, press: KeyPress | KeyPressed, by: str) -> list[Said] | None:
        """A key about the deck: what was said, or None where the rules are to judge it."""
        if press.key == "deck-change":
            self._vault.lock(None)  # its first cards will say which one it is
        if press.key == "count":
            self._begin_count(press.at)
            # It is on record that somebody began to count, though the rules judge nothing by it.
            return self._judge([KeyPressed(at=press.at, key="count", by=by)])
        if press.key == COUNT_BY_CAMERA:
            with suppress(ValueError):
                self.count_spread(press.at)
            return self._judge([KeyPressed(at=press.at, key=COUNT_BY_CAMERA, by=by)])
        if press.key == "confirm":
            return self.confirm(press.at, by)
        return None

    def _begin_count(self, at: float) -> None:
        """By tags, or by camera where no deck has tags or no antenna counts. No hand is broken off,
        and a table that can do neither goes on."""
        try:
            self.count(at)
        except ValueError:
            with suppress(ValueError):
                self.count_spread(at)

    def _belongs_to_count(self, antenna: int) -> bool:
        """Whether the cards at an antenna are those that are being counted: a spread deck lies
        anywhere but at the seats."""
        if not self._count.by_camera:
            return antenna == self._count.antenna
        place = self.layout.by_antenna.get(antenna)
        return place is not None and seat_of(place.zone) is None

    def _event_of(self, reading: Reading) -> TableEvent | None:
        if isinstance(reading, ButtonReading):
            return ButtonSeen(at=reading.at, seats=reading.seats)
        if isinstance(reading, SeatReading):
            return SeatSeen(at=reading.at, seat=reading.seat, occupied=reading.occupied)
        if isinstance(reading, KeyPress):
            return KeyPressed(at=reading.at, key=reading.key)
        if isinstance(reading, Health):
            return self._health(reading)
        return None

    def _counted(self, poll: Poll) -> list[TableEvent]:
        """A look while a count is on: what ends the count, if it does."""
        self._count.poll(poll)
        if not self._count.running:
            return [CountStopped(at=poll.ended, reason=self._count.gave_up)]
        ours = poll.antenna == self._count.antenna
        if ours or not any(seat_of(z) for z in self.sensing.sensed().arriving):
            return []
        self._count.stop()
        return [CountStopped(at=poll.ended, reason="cards were dealt")]

    def _another_deck(self, at: float, by: str = "") -> list[TableEvent]:
        """The deck in play, if it is another one than the rules know of."""
        deck = self._vault.playing
        if deck is None or deck == self.state.deck.name:
            return []
        return [DeckInPlay(at=at, deck=deck, by=by)]

    def _health(self, reading: Health) -> TableEvent | None:
        zones = tuple(
            place.zone
            for a in reading.antennas
            if (place := self.layout.by_antenna.get(a)) is not None
        )
        seen = self.sight.antennas_of(reading.device)
        zones += tuple(self.layout.by_antenna[a].zone for a in seen)
        if reading.state is HealthState.LOST:
            self.sensing.reader_lost((*reading.antennas, *seen))
            self.sight.lost(reading.device)
            return ReaderLost(
                at=reading.at, device=reading.device, zones=zones, reason=reading.reason
            )
        if reading.state is HealthState.OK:
            self.sensing.reader_back((*reading.antennas, *seen))
            return ReaderBack(at=reading.at, device=reading.device, zones=zones)
        return None

    def _judge(self, events: list[TableEvent]) -> list[Said]:
        said: list[Said] = []
        queue = list(events)
        while queue:
            event = queue.pop(0)
            before = self.state
            number = self._record(event) if self._record is not None else None
            self._number = number if isinstance(number, int) else self._number + 1
            self.state, new = engine.step(self.state, numbered(event, self._number))
            said += new
            for word in new:
                if isinstance(word, HandBegan):
                    if self._count.running:  # the deck is being dealt
                        self._count.stop()
                        queue.append(CountStopped(at=word.at, reason="a hand began"))
                    if self._deck_watch is not None:
                        self._deck_watch.began()
                elif isinstance(word, HandEnded):
                    self._count_verdicts(before, word.at)
                    self._hand_over(before.hand)
                    # Tokens of the hand that ended mean nothing any more, not even in the events
                    # still waiting here.
                    self.sight.renew()
                    queue = [*self.sensing.renew(word.at)]
                    self.sight.heed(queue)
            in_play = isinstance(event, DeckCounted) and event.deck == self.state.deck.name
            if in_play and self._deck_watch is not None:
                self._deck_watch.counted(self.stand)
        self._refresh()
        return said

    def _count_verdicts(self, before: RulesState, at: float) -> None:
        judgements = [v.judgement for v in engine.verdicts(before, at)]
        self.verdicts_given += len(judgements)
        self.verdicts_open += judgements.count(Judgement.CANNOT_TELL)

    def _hand_over(self, hand: Hand | None) -> None:
        """Tell the deck watch of the hand that has just ended."""
        if self._deck_watch is None or hand is None:
            return
        extra = sum(map(len, hand.extra_seat.values()))
        self._deck_watch.ended(
            HandOver(
                stand=self.stand,
                seen=self._vault.settled_in_hand,
                dealt=len(hand.fills) + len(hand.extra_board) + len(hand.extra_burns) + extra,
                players=len(hand.plan.seats),
                hole=hand.plan.hole_cards,
                looks=self.sensing.looked(),
            )
        )

    def _refresh(self) -> None:
        self.sensing.watch(engine.watches(self.state))
        deadline = engine.deadline(self.state)
        self._deadline = inf if deadline is None else deadline
        self._look(self.sensing.sensed())

    def _look(self, sensed: Sensed) -> None:
        self._sensed = sensed
        by_zone = self.layout.by_zone
        wanted = engine.focus(self.state, sensed)
        self._focus = tuple(by_zone[z].antenna for z in wanted if z in by_zone)


def stand_of(state: RulesState) -> Stand:
    """Where the rules say that the table stands between hands."""
    hand = state.hands - (state.hand is not None)
    return Stand(state.deck.name, hand, state.ended_at, state.deck.counted_at)
