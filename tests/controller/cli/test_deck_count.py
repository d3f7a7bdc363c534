"""`burnturn deck count --camera --photo`: what photographs say of a deck, and every refusal."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli.main import main
from controller.config import sample_text
from tests.controller.vision.drawn import Image, Laid, Shot, back, deck, face, photograph, ribbon


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(sample_text())
    return path


def said(capsys: pytest.CaptureFixture[str], toml: Path, *words: str, code: int) -> str:
    try:
        main(["deck", "count", *words, "--config", str(toml)])
        ended: object = 0
    except SystemExit as end:
        ended = end.code or 0
    told = capsys.readouterr()
    assert ended == code, told.out + told.err
    return told.out + told.err


def kept(path: Path, image: Image) -> Path:
    cv2.imwrite(str(path), image)
    return path


def spread(path: Path, faces: list[str], seed: int = 1) -> Path:
    laid, width, height = ribbon([face(code) for code in faces], seed=seed)
    return kept(path, photograph(laid, width, height, Shot(4.5, seed=seed)))


def test_photographs_of_two_spreads_name_no_wrong_card(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photos = [
        str(spread(tmp_path / f"{seed}.png", deck(seed, without=["7c"]), seed)) for seed in (5, 9)
    ]
    first = said(capsys, toml, "--camera", "--photo", photos[0], code=2)
    assert "seven of clubs" not in first  # one spread never says that a card is missing
    words = ["--camera", "--photo", photos[0], "--photo", photos[1], "--json"]
    with pytest.raises(SystemExit) as end:
        main(["deck", "count", *words, "--config", str(toml)])
    told = json.loads(capsys.readouterr().out)
    assert end.value.code == (1 if told["settled"] else 2)
    assert told["seen"] <= 51
    assert told["settled"] is False or told["missing"] == ["7c"]


def test_few_cards_are_no_deck(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laid = [Laid(face("As"), 60, 75), Laid(back(), 150, 75)]
    photo = kept(tmp_path / "two.png", photograph(laid, 220, 150, Shot(4.5)))
    told = said(capsys, toml, "--camera", "--photo", str(photo), code=2)
    assert "Spread the whole deck face up" in told
    assert "no count comes of this yet" in told


@pytest.mark.parametrize(
    ("image", "why"),
    [
        (np.zeros((90, 120, 3), np.uint8), "too dark"),
        (np.full((90, 120, 3), 255, np.uint8), "too bright"),
        (np.zeros((1, 1, 3), np.uint8), "1 x 1 pixels show no card"),
    ],
)
def test_rubbish_is_told_as_what_it_is(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str], image: Image, why: str
) -> None:
    photo = kept(tmp_path / "rubbish.png", image)
    assert why in said(capsys, toml, "--camera", "--photo", str(photo), code=2)


def test_a_file_that_is_no_picture_is_refused(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(capsys, toml, "--camera", "--photo", str(toml), code=2)
    assert f"deck count: {toml}: this is no picture. Next: " in told
    none = tmp_path / "none.jpg"
    assert "cannot be read" in said(capsys, toml, "--camera", "--photo", str(none), code=2)


def test_only_a_back_is_learnt_as_a_back(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = kept(tmp_path / "face.png", photograph([Laid(face("2c"), 80, 75)], 160, 150, Shot(4.5)))
    words = ("--camera", "--photo", str(card), "--back", str(card))
    assert "lay a card face down" in said(capsys, toml, *words, code=2)


def test_without_a_daemon_or_a_photograph_it_says_what_to_do(
    toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(capsys, toml, "--camera", code=2)
    assert "the daemon is not running" in told
    assert "--photo FILE" in told
    assert "with what?" in said(capsys, toml, code=2)
