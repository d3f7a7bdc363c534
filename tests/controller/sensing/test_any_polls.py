"""Whatever the antennas say: sensing never raises, and one card never lies in two zones."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.model.events import CardCame, CardLeft, TableEvent
from controller.model.findings import Watch
from controller.model.table import LayoutOptions, reference_layout
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.readings import Outcome, Poll, Uid
from tests.controller.sensing.polled_table import STACKS, tag

TAGS = [tag(n) for n in range(7)]
GHOST = Uid(bytes(a | b for a, b in zip(TAGS[0], TAGS[1], strict=True)))
LAYOUT = reference_layout(LayoutOptions(seats=3, max_stack=STACKS))
LAYOUT_ANTENNAS = tuple(LAYOUT.by_antenna)

uids = st.sampled_from([*TAGS, GHOST]) | st.binary(max_size=10).map(Uid)
looks = st.tuples(
    st.sampled_from([*LAYOUT_ANTENNAS, 99]),
    st.lists(uids, max_size=6).map(tuple),
    st.sampled_from(["clean", "clean", "clean", "noise", "pushed"]),
    st.integers(min_value=1, max_value=12),  # how often in a row
)
acts = st.sampled_from(["renew", "lost", "back", "watch", "nothing"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(looks, acts), max_size=60), st.booleans())
def test_no_poll_raises_and_no_card_lies_twice(
    night: list[tuple[tuple[int, tuple[Uid, ...], str, int], str]], enrolled: bool
) -> None:
    first, again = ([*_play(night, enrolled)] for _ in range(2))
    assert first == again


def _play(
    night: list[tuple[tuple[int, tuple[Uid, ...], str, int], str]], enrolled: bool
) -> list[TableEvent]:
    decks = {uid: ("red", f"card {n}") for n, uid in enumerate(TAGS)} if enrolled else None
    sensing = Sensing(LAYOUT, Vault(decks, source=itertools.count().__next__))
    now = 0.0
    places: dict[int, str] = {}
    told: list[TableEvent] = []
    for (antenna, named, how, times), act in night:
        if act == "renew":
            carried = sensing.renew(now)
            assert sorted(c.zone for c in carried) == sorted(places.values())
            places = {c.token: c.zone for c in carried}
            told += carried
        elif act == "lost":
            sensing.reader_lost((antenna,))
        elif act == "back":
            sensing.reader_back((antenna,))
        elif act == "watch":
            sensing.watch(Watch(zone, now - 1.0) for zone in LAYOUT.by_zone)
        for _ in range(times):
            outcome = Outcome.SEEN if named else Outcome.EMPTY
            if how == "noise":
                outcome = Outcome.NOISE
            poll = Poll(antenna, named, outcome, now, now + 0.03, how != "pushed")
            now += 0.03
            events = sensing.poll(poll)
            told += events
            for event in events:
                if isinstance(event, CardCame):
                    assert event.after <= event.before <= event.at == now
                    assert places.get(event.token) != event.zone
                    places[event.token] = event.zone
                elif isinstance(event, CardLeft):
                    assert places.pop(event.token) == event.zone
                    assert event.after <= event.before <= event.at == now
            lying = [(t, z) for z, tokens in sensing.settled().items() for t in tokens]
            assert sorted(lying) == sorted(places.items())
    return told
