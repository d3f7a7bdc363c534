"""The assignment problem, against trying every way."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.vision.assign import assigned


@given(st.integers(0, 10**6), st.integers(0, 5), st.integers(0, 2))
def test_no_way_is_cheaper(seed: int, rows: int, more: int) -> None:
    cost = np.random.default_rng(seed).normal(size=(rows, rows + more)).round(1)
    columns = assigned(cost).tolist()
    assert len(set(columns)) == rows
    ways = permutations(range(rows + more), rows)
    least = min(sum(cost[r, c] for r, c in enumerate(way)) for way in ways)
    assert sum(cost[r, c] for r, c in enumerate(columns)) == pytest.approx(least)


def test_more_rows_than_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="3 rows"):
        assigned(np.zeros((3, 2)))
