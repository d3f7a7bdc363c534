"""The dealer's hands: from the acts of a scenario to motions on the simulated table.

`Hands` keeps what a dealer has in mind: who is due cards, and where the deal stands. Times are
virtual seconds; an act moves the dealer's own time on (`at`), and acts beside it do not.
"""

from __future__ import annotations

from controller.model.events import SeatStatus
from controller.model.table import Layout
from controller.scenario import lines
from drivers.factory import Card, Dealer, Fault, FaultName, Pick, World, arm

SQUARING_S = 5.0
"""After a gather the deck is squared and looked at before anything else is done with it."""

HOLE_CARDS = {"holdem": 2, "omaha": 4, "omaha8": 4}


class Impossible(ValueError):  # noqa: N818 - an act's refusal, caught by its name
    """An act that cannot be carried out here and now; the message says why."""


class NotYet(Impossible):
    """A word whose machinery this table does not have."""


class Hands:
    """Carries out the physical acts.

    registry: status by seat, as the floor keeps it; the dealer goes by it.
    """

    def __init__(
        self,
        world: World,
        layout: Layout,
        dealer: Dealer,
        registry: dict[int, SeatStatus],
    ) -> None:
        self.world = world
        self.layout = layout
        self.dealer = dealer
        self.registry = registry
        self._order: tuple[int, ...] = ()
        self._pass = 1
        self._next = 0
        self._shuffles = 0

    @property
    def done_at(self) -> float:
        """When the acts so far are finished, the last card's landing included."""
        return float(max(self.dealer.at, self.dealer.landed_at))

    def act(self, act: lines.Act) -> None:
        """Schedule one act. Raises Impossible if a card that it names is not there."""
        try:
            self._act(act)
        except Impossible:
            raise
        except (ValueError, IndexError, KeyError) as error:
            raise Impossible(str(error)) from error

    def _act(self, act: lines.Act) -> None:
        dealer = self.dealer
        match act:
            case lines.BurnAct(face_up=face_up):
                dealer.burn(face_up)
            case lines.HoleAct():
                self._hole(act)
            case lines.StreetAct(street=street, face_up=face_up, block=block):
                deal = {"flop": dealer.flop, "turn": dealer.turn, "river": dealer.river}[street]
                deal(face_up=face_up, block=block)
            case lines.DealAct(to=to, face_up=face_up):
                self._deal(to, face_up)
            case lines.PlaceAct(seat=seat, card=card, after_s=after_s):
                dealer.place(seat, card, after_s)
            case lines.FoldAct(seat=seat, face_up=face_up):
                if not dealer.pile(f"seat/{seat}"):
                    raise Impossible(f"seat {seat} has no cards to fold")
                dealer.fold(seat, bool(face_up))
            case lines.LiftAct(seat=seat, for_s=for_s):
                dealer.lift(seat, for_s)
            case lines.ShowAct(seat=seat):
                dealer.show(seat)
            case lines.ExposeAct(card=card_at):
                dealer.expose(_pick(card_at))
            case lines.TurnUpAct(street=street):
                dealer.turn_up(street)
            case lines.TurnDownAct(card=card_at):
                dealer.turn_down(_pick(card_at))
            case lines.FlashAct(card=card_at, for_s=for_s):
                dealer.flash(_pick(card_at), for_s)
            case lines.CoverAct(place=place, for_s=for_s):
                self.world.cover(None if place is None else _zone(place), dealer.at, for_s)
            case lines.CameraFault(fault=fault, for_s=for_s):
                self.world.afflict_camera(fault, dealer.at, for_s)
            case lines.SwappedTagsFault(faces=(one, other)):
                self.world.swap_tags(
                    *(self.world.card(dealer.deck_name, face) for face in (one, other))
                )
            case lines.MoveAct(card=card_at, to=to, stub_end=end):
                self._move(card_at, to, end == "top")
            case lines.SwapAct():
                self._swap(act)
            case lines.ScrambleAct(place=place, first=first, last=last):
                dealer.scramble(_zone(place), first, last)
            case lines.GatherAct():
                self._rescue()
                dealer.gather()
                dealer.wait(SQUARING_S)
                self.new_deal()
            case lines.ShuffleAct(seed=seed):
                self._shuffles += 1
                dealer.shuffle(self._shuffles if seed is None else seed)
                self.new_deal()
            case lines.ReshuffleStubAct(seed=seed):
                self._shuffles += 1
                dealer.reshuffle_stub(self._shuffles if seed is None else seed)
            case lines.ChairAct(seat=seat, occupied=occupied):
                dealer.seat(seat, occupied)
            case lines.KeyAct(key=key):
                dealer.key(key)
            case lines.WaitAct(for_s=for_s):
                dealer.wait(for_s)
            case (
                lines.ReaderFault()
                | lines.AntennaFault()
                | lines.DeadTagFault()
                | lines.UnreadFault()
            ):
                arm(self.world, self._fault(act), max(dealer.at, self.world.now))
            case _:
                raise NotYet(f"this table cannot {_NOT_YET.get(type(act), 'do this')} yet")

    def hide(self, fault: lines.UnreadFault, when: float) -> None:
        """A card is not read from the moment at which it is put down."""
        try:
            arm(self.world, self._fault(fault), max(when, self.world.now))
        except ValueError as error:
            raise Impossible(str(error)) from error

    def newest(self, place: lines.Place) -> Card:
        """The card that was the last to come to a place."""
        return self.dealer.pile(_zone(place))[-1]

    # The deal

    def new_deal(self) -> None:
        """The next hole card is the first of a deal."""
        self._order, self._pass, self._next = (), 1, 0

    def _line_up(self) -> tuple[int, ...]:
        """The seats due cards, in dealing order, fixed with the first hole card of a deal."""
        if not self._order:
            self.dealer.seats = tuple(
                s for s in sorted(self.registry) if self.registry[s] is SeatStatus.IN
            )
            self._order = self.dealer.deal_order()
        return self._order

    def _hole(self, act: lines.HoleAct) -> None:
        order = self._line_up()
        if not order:
            raise Impossible("nobody is due cards; the registry has no seat that is in")
        if act.until_seat is not None and act.until_seat not in order:
            raise Impossible(f"seat {act.until_seat} is not due cards in this deal")
        last = self.dealer.hole_cards
        if act.deal_pass is not None:
            if act.deal_pass > last:
                raise Impossible(f"pass {act.deal_pass}; a hand has {last} cards")
            if act.deal_pass != self._pass:
                self._pass, self._next = act.deal_pass, 0
            last = act.deal_pass
        if self._pass > last:
            raise Impossible("the deal is over: every pass has been dealt")
        row: list[int] = []
        while self._pass <= last:
            seat = order[self._next]
            row.append(seat)
            self._step(self._next + 1)
            if seat == act.until_seat:
                break
        self.dealer.hole(order=row)

    def _step(self, to: int) -> None:
        self._next = to
        if to == len(self._order):
            self._pass, self._next = self._pass + 1, 0

    def _deal(self, to: lines.Place, face_up: bool | None = None) -> None:
        """One card. To a seat less than half a round ahead it takes the dealer on to there, even
        past the end of a pass; to any other seat it is an extra card, or makes good for one."""
        if isinstance(to, lines.SeatPlace):
            order = self._line_up()
            if to.seat in order:
                ahead = (order.index(to.seat) - self._next) % len(order)
                if 2 * ahead < len(order):
                    if self._next + ahead >= len(order):
                        self._pass += 1
                    self._step(order.index(to.seat) + 1)
        self.dealer.deal(_zone(to), face_up=face_up)

    # Cards moved by hand

    def _move(self, card: lines.CardAt, to: lines.Place, top: bool) -> None:
        self.dealer.card(_pick(card))  # raises if it is not there
        if to == card.place and card.place != lines.Pile("stub"):
            self.dealer.rescan(_zone(to))
            return
        self.dealer.move(_pick(card), _zone(to), top=top)

    def _swap(self, act: lines.SwapAct) -> None:
        if not isinstance(act.card.place, lines.SeatPlace):
            raise NotYet("this table cannot swap a card that is not before a seat yet")
        kind = act.by.split()[0]
        of = None if act.of is None else _pick(act.of)
        if kind == "foreign":
            self.dealer.swap(act.card.place.seat, act.card.card, "foreign")
        elif kind == "joker":
            self.dealer.swap(act.card.place.seat, act.card.card, "joker")
        elif kind == "card":
            self.dealer.swap(act.card.place.seat, act.card.card, "card", deck=act.deck)
        elif kind == "duplicate":
            self.dealer.swap(act.card.place.seat, act.card.card, "duplicate", of=of)
        else:
            self.dealer.swap(act.card.place.seat, act.card.card, "clone", of=of)

    def _rescue(self) -> None:
        """Cards that fell off the table are picked up before the dealer collects; strange ones,
        which are no cards of the deck in play, stay away."""
        fallen = self.dealer.pile("off-table")
        own = {id(c) for c in self.world.deck(self.dealer.deck_name)[:52]}
        for n in range(len(fallen), 0, -1):
            if id(fallen[n - 1]) in own:
                self.dealer.move(Pick("off-table", n), "stub")

    # Faults

    def _fault(
        self,
        act: lines.ReaderFault | lines.AntennaFault | lines.DeadTagFault | lines.UnreadFault,
    ) -> Fault:
        match act:
            case lines.ReaderFault(reader=reader, for_s=for_s):
                return Fault(FaultName.LOST, reader=reader, for_s=for_s)
            case lines.AntennaFault(antenna=antenna, fault=fault, for_s=for_s):
                return Fault(FaultName(fault), antenna=antenna, for_s=for_s)
            case lines.DeadTagFault(face=face):
                return Fault(FaultName.DEAD, card=self.world.card(self.dealer.deck_name, face))
            case lines.UnreadFault(card=card, for_s=for_s):
                return Fault(FaultName.UNREAD, card=self.dealer.card(_pick(card)), for_s=for_s)


_NOT_YET: dict[type, str] = {
    lines.PostAct: "take money entries",
    lines.AnteAct: "take money entries",
    lines.StackAct: "take money entries",
    lines.AwardAct: "take money entries",
    lines.PlayerAct: "take money entries",
}


def _zone(place: lines.Place) -> str:
    """The simulated table's word for a place."""
    if isinstance(place, lines.SeatPlace):
        return f"seat/{place.seat}"
    return f"board/{place.name}" if place.name in {"flop", "turn", "river"} else place.name


def _pick(card: lines.CardAt) -> Pick:
    return Pick(_zone(card.place), card.card)
