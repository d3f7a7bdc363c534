"""Contacts: a level counts once it has held, by the edges' times alone."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from drivers.gpio.debounce import Change, Contact

HOLD_S = 0.025


def told(contact: Contact, *edges: tuple[bool, float]) -> list[Change]:
    changes = [contact.edge(high, at) for high, at in edges]
    return [c for c in changes if c is not None]


def test_a_level_that_holds_is_told_once_with_the_moment_when_it_had() -> None:
    contact = Contact(HOLD_S, True, 0.0)
    assert told(contact, (False, 1.0)) == []
    assert contact.due == 1.0 + HOLD_S
    assert contact.settle(1.0 + HOLD_S) == Change(False, 1.0 + HOLD_S)
    assert contact.settle(2.0) is None
    assert contact.due is None


def test_a_spike_shorter_than_the_hold_never_was() -> None:
    contact = Contact(HOLD_S, True, 0.0)
    assert told(contact, (False, 1.0), (True, 1.024)) == []
    assert contact.settle(9.0) is None


def test_the_hold_begins_with_the_last_bounce() -> None:
    contact = Contact(HOLD_S, True, 0.0)
    told(contact, (False, 1.0), (True, 1.002), (False, 1.003), (True, 1.01), (False, 1.02))
    assert contact.settle(1.04) is None
    assert contact.settle(1.046) == Change(False, 1.02 + HOLD_S)


def test_a_press_and_its_release_that_are_handed_over_together_both_count() -> None:
    contact = Contact(HOLD_S, True, 0.0)
    assert told(contact, (False, 1.0), (True, 1.2)) == [Change(False, 1.0 + HOLD_S)]
    assert contact.settle(3.0) == Change(True, 1.2 + HOLD_S)


def test_an_edge_that_seems_older_than_the_last_one_counts_as_of_the_last_one() -> None:
    contact = Contact(HOLD_S, True, 0.0)
    told(contact, (False, 1.0), (True, 0.5), (False, 1.0))
    assert contact.due == 1.0 + HOLD_S


@given(
    hold_s=st.sampled_from([0.0, 0.01, 0.3, 1.0]),
    waits=st.lists(st.floats(0.0, 0.9), max_size=30),
    asked=st.lists(st.booleans(), min_size=31, max_size=31),
)
def test_what_is_told_does_not_depend_on_when_it_is_asked(
    hold_s: float, waits: list[float], asked: list[bool]
) -> None:
    edges: list[tuple[bool, float]] = []
    at = 0.0
    for n, wait in enumerate(waits):
        at += wait
        edges.append((n % 2 == 1, at))
    end = at + 2.0

    lazy = Contact(hold_s, True, 0.0)
    late = [*told(lazy, *edges), *filter(None, [lazy.settle(end)])]

    eager = Contact(hold_s, True, 0.0)
    early: list[Change | None] = []
    for (high, now), ask in zip(edges, asked, strict=False):
        due = eager.due
        if ask and due is not None and due <= now:
            early.append(eager.settle(due))
        early.append(eager.edge(high, now))
    early.append(eager.settle(end))

    assert [c for c in early if c is not None] == late
    assert all(a.high != b.high and a.at <= b.at for a, b in pairwise(late))
    assert all(c.high == (n % 2 == 1) for n, c in enumerate(late))
