"""The cheapest way to give each row a column of its own (the assignment problem), by shortest
augmenting paths: R. Jonker and A. Volgenant, Computing 38 (1987), without their starting rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def assigned(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """The column of each row of a table of costs (n, m), n <= m, so that no two rows share one and
    the costs add up to the least. Costs are finite. Raises ValueError for more rows than columns.
    """
    n, m = cost.shape
    if n > m:
        raise ValueError(f"{n} rows cannot each have one of {m} columns")
    row_of = np.full(m + 1, -1)  # the last column is where a new row stands before it has its own
    u, v = np.zeros(n), np.zeros(m + 1)
    for row in range(n):
        row_of[m] = row
        column, way = _path(cost, row_of, u, v)
        while column != m:
            before = int(way[column])
            row_of[column] = row_of[before]
            column = before
    out = np.full(n, -1, np.intp)
    for column in range(m):
        if row_of[column] >= 0:
            out[row_of[column]] = column
    return out


def _path(
    cost: NDArray[np.float64],
    row_of: NDArray[np.intp],
    u: NDArray[np.float64],
    v: NDArray[np.float64],
) -> tuple[int, NDArray[np.intp]]:
    """The free column that the new row reaches most cheaply, and from which column each is reached;
    prices u of rows and v of columns are brought up to date."""
    m = cost.shape[1]
    least = np.full(m, np.inf)
    way = np.full(m, m)
    done = np.zeros(m + 1, bool)
    column = m
    while row_of[column] >= 0:
        done[column] = True
        row = row_of[column]
        reduced = cost[row] - u[row] - v[:m]
        better = ~done[:m] & (reduced < least)
        least[better] = reduced[better]
        way[better] = column
        open_ones = np.where(done[:m], np.inf, least)
        column = int(open_ones.argmin())
        step = open_ones[column]
        u[row_of[done]] += step
        v[done] -= step
        least[~done[:m]] -= step
    return column, way
