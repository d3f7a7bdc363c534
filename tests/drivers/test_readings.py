"""Readings are values that give no card away, however they are printed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import pprint
from collections.abc import Callable

import numpy as np
import pytest

from drivers.camera.eye import Taken
from drivers.readings import AreaSight, Face, SeenCard, Side, Sight, Uid

TAG = Uid(b"\x04ABCDEF")
SIGHT = Sight(1, 0.0, 1.0, (AreaSight("board", (SeenCard(1.0, 2.0, 3.0, Side.UP, Face("As")),)),))


@dataclasses.dataclass
class Noted:
    """What somebody may put a reading into."""

    sight: Sight
    face: Face
    tag: Uid


NOTED = Noted(SIGHT, Face("As"), TAG)
WAYS: list[Callable[[object], str]] = [
    repr,
    str,
    ascii,
    pprint.pformat,
    "{}".format,
    "{0!r:>20}".format,
    lambda x: "%s %r" % (x, x),  # noqa: UP031
    lambda x: repr(dataclasses.asdict(x)) if isinstance(x, Noted) else "",
    lambda x: pprint.pformat(dataclasses.astuple(x)) if isinstance(x, Noted) else "",
    lambda x: repr(ValueError(x)),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", [NOTED, SIGHT, NOTED.face, NOTED.tag], ids=lambda v: type(v))
def test_no_way_of_printing_gives_a_card_away(way: Callable[[object], str], value: object) -> None:
    text = way(value)
    assert "As" not in text
    assert "ABCDEF" not in text


def test_face_is_a_value() -> None:
    ace = Face("As")
    assert ace == Face("As") == copy.deepcopy(ace) == pickle.loads(pickle.dumps(ace))
    assert ace != Face("Ks")
    assert ace != "As"
    assert len({ace, Face("As"), Face("Ks")}) == 2
    with pytest.raises(AttributeError):
        ace.code = "Ks"  # type: ignore[misc]


def test_picture_prints_no_pixel() -> None:
    assert repr(Taken(np.full((2, 2, 3), 77, np.uint8), 1.0, 1.5)) == "<picture of 1.0 to 1.5 s>"
