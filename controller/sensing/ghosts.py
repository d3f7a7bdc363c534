"""UIDs that no tag has: what two tags answering at once, or a slipped bit, make of those that are
there.

Seen in the field: two ISO 15693 tags read as the exact bitwise OR of their UIDs, without a CRC
error; shifted UIDs from a stack of tags.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

# ISO 14443 single, double, triple; ISO 15693; 125 kHz; EPC of 96 and 128 bits
UID_LENGTHS = frozenset((4, 5, 7, 8, 10, 12, 16))


def merged(uid: bytes, near: Iterable[bytes], named: Collection[bytes]) -> bool:
    """Whether `uid` is the bitwise OR of two UIDs near the antenna that did not both answer
    themselves.

    near: UIDs lying, or lately read, at the antenna and its neighbours. named: the same look's
    answer; if both parents are in it there was no collision, and the third is a tag of its own.
    """
    whole = int.from_bytes(uid, "big")
    parts: list[tuple[bytes, int]] = []
    for other in near:
        if len(other) != len(uid) or other == uid:
            continue
        bits = int.from_bytes(other, "big")
        if bits & ~whole:
            continue
        for earlier, earlier_bits in parts:
            if bits | earlier_bits == whole and not (other in named and earlier in named):
                return True
        parts.append((other, bits))
    return False


def shifted(uid: bytes, near: Iterable[bytes]) -> bool:
    """Whether `uid` is a UID near the antenna, slipped by one to eight bits either way."""
    value = int.from_bytes(uid, "big")
    for other in near:
        if len(other) != len(uid) or other == uid:
            continue
        whole = int.from_bytes(other, "big")
        mask = (1 << 8 * len(uid)) - 1
        for bits in range(1, 9):
            if value >> bits == whole & (mask >> bits) or value & (mask >> bits) == whole >> bits:
                return True
    return False
