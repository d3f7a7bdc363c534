"""Which antenna is looked at next. Pure and deterministic; knows neither readers nor time.

A card's arrival is only known to lie between two looks at its antenna, so the order of two arrivals
can be proved more often if the antennas that are due are looked at more often, and against the
direction of the deal: the seat that is dealt later is then looked at first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, cycle
from typing import Literal

Order = Literal["with", "against"]

LEAD_FIRST = (True, True, False) * 3
LEAD_LATER = (True, False)
"""Whose is each visit to the focus: that of the antenna which leads it, or the others'. New in the
lead it is visited more often, as its silence just then is what proves an order."""


class SweepScheduler:
    """Visits `antennas` (given in the order of the deal) for ever, one a call of `next()`.

    order: "with" or "against" the direction of the deal.
    focus_share: share of the visits that go to the antennas in focus, at least 0 and below 1; taken
      to the nearest fraction with a denominator up to 16. The other visits go on with the round
      over the antennas out of focus.
    Any antenna is visited at least once in `longest_gap` visits, however the focus moves, unless
    one is visited alone. Raises ValueError if there are no antennas, a number comes twice, or the
    share or order is out of range.
    """

    __slots__ = (
        "_after_focus",
        "_antennas",
        "_focus",
        "_focus_next",
        "_focus_set",
        "_lead",
        "_only",
        "_place",
        "_round",
        "_round_next",
        "_served",
        "_share",
        "_take_focus",
        "_take_lead",
    )

    def __init__(
        self, antennas: Sequence[int], order: Order = "against", focus_share: float = 0.75
    ) -> None:
        if not antennas or len(set(antennas)) != len(antennas):
            raise ValueError(f"antennas {list(antennas)}: give at least one, each number once")
        if order not in ("with", "against"):
            raise ValueError(f"order {order!r}: allowed are 'with' and 'against'")
        if not 0 <= focus_share < 1:
            raise ValueError(f"focus_share {focus_share}: allowed 0 to below 1")
        self._antennas = tuple(antennas)
        self._round = self._antennas if order == "with" else self._antennas[::-1]
        self._place = {antenna: i for i, antenna in enumerate(self._round)}
        self._share = min(Fraction(focus_share).limit_denominator(16), Fraction(15, 16))
        p, q = self._share.numerator, self._share.denominator
        self._take_focus: Callable[[], bool] = cycle([True] * p + [False] * (q - p)).__next__
        self._round_next: Callable[[], int] = cycle(self._round).__next__
        self._focus: tuple[int, ...] = ()
        self._focus_set: frozenset[int] = frozenset()
        self._focus_next: Callable[[], int] | None = None
        self._lead: int | None = None
        self._only: int | None = None
        self._take_lead = _lead_turns()
        self._after_focus = -1
        self._served: set[int] = set()

    @property
    def antennas(self) -> tuple[int, ...]:
        """The antennas, in the order of the deal."""
        return self._antennas

    @property
    def focused(self) -> tuple[int, ...]:
        """The antennas in focus, in the order in which they are visited; empty: a plain round."""
        return self._focus

    @property
    def longest_gap(self) -> int:
        """The most visits that can lie between two visits to one antenna while the focus stays as
        it is."""
        numerator, denominator = self._share.numerator, self._share.denominator
        rest = denominator - numerator
        # Two turns of the round, each stretched by the visits to the focus in between.
        return 2 * (-(-len(self._antennas) * denominator // rest) + numerator)

    def focus(self, antennas: Sequence[int] = ()) -> None:
        """Visit these more often from the next visit on. The first of them leads: it is visited
        every other time, and two times in three while it is new in the lead; the others take turns.
        Antennas that are not ours are left out; none, or all of ours, mean a plain round. The turns
        go on behind the last focused visit, so a focus that moves with every card starves nobody.
        """
        ours = self._place
        lead = next((a for a in antennas if a in ours), None)
        same = len(antennas) == len(self._focus_set) and self._focus_set.issuperset(antennas)
        if same and lead == self._lead:
            return
        wanted = frozenset(antennas).intersection(ours)
        if not wanted or len(wanted) == len(ours) or not self._share:
            self._lead, self._focus, self._focus_set, self._focus_next = None, (), frozenset(), None
            return
        if lead != self._lead:
            self._lead = lead
            self._take_lead = _lead_turns()
        inside = sorted(wanted, key=ours.__getitem__)
        turn = next((i for i, a in enumerate(inside) if ours[a] > self._after_focus), 0)
        self._focus = tuple(inside[turn:] + inside[:turn])
        self._focus_set = wanted
        others = [a for a in self._focus if a != lead] or self._focus
        self._focus_next = cycle(others).__next__

    @property
    def alone(self) -> int | None:
        """The antenna that alone is visited; None: all of them are."""
        return self._only

    def only(self, antenna: int | None) -> None:
        """Visit this antenna alone until told otherwise; None: go on with round and focus where
        they stopped. Raises ValueError for an antenna that is not ours.

        For a count of the deck: nothing else is dealt meanwhile, and a card that slides over the
        antenna is seen by every look instead of by a focus's share of them, at even distances.
        """
        if antenna is not None and antenna not in self._place:
            raise ValueError(f"antenna {antenna} is not in the sweep of {list(self._antennas)}")
        self._only = antenna

    def next(self) -> int:
        """The antenna to look at now."""
        return self._only if self._only is not None else self.next_of_all()

    def next_of_all(self) -> int:
        """The antenna that round and focus would look at now, though one may be visited alone: for
        when that one's reader is lost."""
        focus_next = self._focus_next
        if focus_next is None:
            return self._round_next()
        if self._take_focus():
            if self._lead is not None and self._take_lead():
                antenna = self._lead
            else:
                antenna = focus_next()
                self._after_focus = self._place[antenna]
            self._served.add(antenna)
            return antenna
        antenna = self._round_next()
        # The round passes over what the focus has served since it last came by, and only that: so a
        # focus that comes and goes starves nobody.
        served = self._served
        while antenna in served:
            served.discard(antenna)
            antenna = self._round_next()
        return antenna


def _lead_turns() -> Callable[[], bool]:
    return chain(LEAD_FIRST, cycle(LEAD_LATER)).__next__
