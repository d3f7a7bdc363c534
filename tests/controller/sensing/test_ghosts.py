"""UIDs that no tag has."""

from __future__ import annotations

from controller.sensing.ghosts import merged, shifted

ONE = bytes.fromhex("E00259C186C95830")
OTHER = bytes.fromhex("E00259C186C95D5F")
GHOST = bytes.fromhex("E00259C186C95D7F")  # seen in the field: exactly the OR of the two


def test_the_or_of_two_near_tags_is_a_ghost() -> None:
    assert merged(GHOST, [ONE, OTHER], [GHOST])
    assert merged(GHOST, [ONE, OTHER], [GHOST, ONE])


def test_no_ghost_while_both_parents_answer_for_themselves() -> None:
    assert not merged(GHOST, [ONE, OTHER], [ONE, GHOST, OTHER])


def test_a_parent_alone_makes_no_ghost() -> None:
    assert not merged(GHOST, [OTHER], [GHOST])
    assert not merged(OTHER, [OTHER, ONE], [OTHER])


def test_tags_of_other_lengths_make_no_ghost() -> None:
    assert not merged(b"\x03", [b"\x01", b"\x00\x02"], [])
    assert merged(b"\x03", [b"\x01", b"\x02"], [])


def test_a_byte_or_a_bit_slipped_either_way() -> None:
    tag = bytes.fromhex("040CAC12ED4C81")
    assert shifted(bytes.fromhex("88040CAC12ED4C"), [tag])  # cascade byte read as the first
    assert shifted(bytes.fromhex("0CAC12ED4C8100"), [tag])
    assert shifted((int.from_bytes(tag, "big") >> 1).to_bytes(7, "big"), [tag])
    assert not shifted(bytes.fromhex("04A1B2C3D4E5F6"), [tag])
    assert not shifted(tag, [tag])
