"""What every decoder of a byte stream promises, whatever its protocol; the codecs' own tests call
these with their frames and their rubbish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Fed(Protocol):
    skipped: int

    @property
    def waiting(self) -> int: ...

    def feed(self, data: bytes) -> list[Any]: ...

    def give_up(self) -> list[Any]: ...


Make = Callable[[], Fed]


def decoded(make: Make, data: bytes, portions: Sequence[int] = ()) -> tuple[list[Any], Fed]:
    """The messages of `data`, fed in portions of the given sizes and then the rest."""
    decoder = make()
    out: list[Any] = []
    at = 0
    for size in portions:
        out += decoder.feed(data[at : at + size])
        at += size
    return out + decoder.feed(data[at:]), decoder


def reads_the_same_in_any_portions(make: Make, wire: bytes, portions: Sequence[int]) -> list[Any]:
    """Whole, bytewise, growing and in the given portions. Gives the messages."""
    whole, first = decoded(make, wire)
    for sizes in ([1] * len(wire), range(1, len(wire) + 1), portions):
        again, other = decoded(make, wire, sizes)
        assert again == whole
        assert (other.skipped, other.waiting) == (first.skipped, first.waiting)
    return whole


def never_raises_or_hoards(make: Make, data: bytes, most: int) -> None:
    decoder = make()
    for at in range(0, len(data), 7):
        decoder.feed(data[at : at + 7])
        assert decoder.waiting <= most
    decoder.give_up()
    assert decoder.waiting == 0


def finds_all_after_rubbish_and_a_silence(
    make: Make, junk: bytes, wire: bytes, messages: list[Any]
) -> None:
    """`messages` are what `wire` holds."""
    decoder = make()
    decoder.feed(junk)
    decoder.give_up()
    assert decoder.feed(wire) + decoder.give_up() == messages


def finds_the_last_after_rubbish(make: Make, junk: bytes, wire: bytes, most: int) -> None:
    """A damaged length may swallow what follows, but never more than the longest frame: `wire`,
    one whole message, is found again."""
    (message,), _ = decoded(make, wire)
    found, _ = decoded(make, junk + wire * (most // len(wire) + 2))
    assert found[-1] == message
