"""The rows of the rule documents, as data."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from controller.rules.clauses import (
    DEALING_KINDS,
    DOCUMENTS,
    STANDARD,
    clauses,
    exclusion,
    prefix_of,
    rows_of,
    zone_checkable_rows,
)


def test_every_document_is_there_in_full() -> None:
    rows = Counter(row.prefix for row in clauses().values())
    assert {p: rows[p] for p in DOCUMENTS if p != STANDARD} == {
        "NJ-T": 144,
        "DE": 88,
        "NJ-H": 50,
        "RFR": 99,
        "ND": 74,
    }
    assert rows[STANDARD] >= 50
    assert {row.id for p in DOCUMENTS for row in rows_of(p)} == set(clauses())


@pytest.mark.parametrize(
    ("row_id", "prefix"),
    [("NJ-T-e10-1", "NJ-T"), ("NJ-H-e-1", "NJ-H"), ("DE-a3-1", "DE"), ("ND-5c", "ND")],
)
def test_a_row_names_its_document(row_id: str, prefix: str) -> None:
    assert prefix_of(row_id) == prefix
    assert clauses()[row_id].document == DOCUMENTS[prefix]


def test_an_id_of_no_document_has_no_prefix() -> None:
    assert prefix_of("HOUSE-1") is None


def test_rows_of_dealing_that_zones_tell_and_rows_that_they_cannot() -> None:
    told = {row.id for row in zone_checkable_rows()}
    sensed = {
        row.id
        for row in clauses().values()
        if row.prefix != STANDARD and row.how == "sensor" and row.kind in DEALING_KINDS
    }
    assert len(sensed) == 92
    assert sensed - told == {
        *("NJ-T-a-burn", "NJ-T-e6-4", "DE-a3-2", "DE-a4-2", "DE-a4-3", "DE-a4-4"),
        *("RFR-deal-1b", "ND-5a-2", "ND-6a-2"),  # faces
        *("DE-b15-3", "ND-11-1"),  # a turn to act, money
    }
    assert all(exclusion(clauses()[row_id]) for row_id in sensed - told)


def test_a_row_with_a_face_and_a_count_is_told_by_its_count() -> None:
    assert exclusion(clauses()["NJ-T-a-pocket-1"]) is None
    assert "camera" in (exclusion(clauses()["NJ-T-a-burn"]) or "")


@pytest.mark.parametrize("name", ["clauses.csv", "findings.csv", "irregularities.csv"])
def test_shipped_data_point_to_no_address(name: str) -> None:
    text = files("controller.rules").joinpath("data", name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "github" not in text.lower()
