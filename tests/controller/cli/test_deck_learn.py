"""`burnturn deck learn`: a picture of a spread, the file that is kept of it, and every refusal."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli.main import main
from controller.config import load, sample_text
from controller.house import card_net
from controller.model.cards import FACES
from controller.vision.deck_look import DeckLook, DeckLookError, LearnedNet
from controller.vision.net import GlyphNet
from tests.controller.vision.drawn import Shot, deck, face, photograph, ribbon


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(sample_text())
    return path


def said(capsys: pytest.CaptureFixture[str], toml: Path, *words: str, code: int = 0) -> str:
    try:
        main(["deck", "learn", *words, "--config", str(toml)])
        ended: object = 0
    except SystemExit as end:
        ended = end.code or 0
    told = capsys.readouterr()
    assert ended == code, told.err
    return told.out + told.err


def spread(path: Path, faces: list[str]) -> Path:
    laid, width, height = ribbon([face(code) for code in faces], rows=2)
    cv2.imwrite(str(path), photograph(laid, width, height, Shot(4.0)))
    return path


def test_a_spread_is_learned_kept_and_forgotten(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = spread(tmp_path / "spread.png", deck(2))
    told = said(capsys, toml, str(photo))
    kept = load(toml).deck_look
    assert str(kept) in told
    assert "learned from spread.png" in told
    assert DeckLook.from_text(kept.read_text()).reach > 0
    assert isinstance(card_net(load(toml)), LearnedNet)
    said(capsys, toml, "--forget")
    assert not kept.exists()
    assert isinstance(card_net(load(toml)), GlyphNet)


def test_a_look_that_is_spoilt_is_said_so(toml: Path) -> None:
    config = load(toml)
    for spoilt in (b"{}", b"\xff\xfe", b""):
        config.deck_look.write_bytes(spoilt)
        with pytest.raises(DeckLookError, match="burnturn deck learn --forget"):
            card_net(config)


def test_too_few_cards_are_refused_and_what_was_kept_stays(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = load(toml).deck_look
    kept.write_text("as it was")
    photo = spread(tmp_path / "few.png", deck(2)[:9])
    told = said(capsys, toml, str(photo), code=2)
    assert "only 9 of the cards' indices" in told or "Next: spread the cards" in told
    assert kept.read_text() == "as it was"


def test_no_picture_is_said_so(
    tmp_path: Path, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Next: burnturn deck learn PHOTO" in said(capsys, toml, code=2)
    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    assert "Next: give a photograph" in said(capsys, toml, str(text), code=2)
    black = tmp_path / "black.png"
    cv2.imwrite(str(black), np.zeros((400, 400, 3), np.uint8))
    assert "cannot be read: too dark" in said(capsys, toml, str(black), code=2)


@pytest.mark.parametrize("on", [False, True])
def test_cards_of_a_picture_are_named_between_hands_alone(
    tmp_path: Path,
    toml: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    on: bool,
) -> None:
    """What lacks in a picture of the stub is what the players hold."""
    monkeypatch.setattr("controller.cli.learned.hand_is_on", lambda config: on)
    photo = spread(tmp_path / "stub.png", [f for f in deck(2) if f not in ("7c", "As", "Td")])
    told = said(capsys, toml, str(photo), code=2)
    assert "of the cards are not known by their looks" in told
    names = ("seven of clubs", "ace of spades", "ten of diamonds")
    assert all((name in told) is not on for name in names)
    assert not any(code in told for code in ("7c", "As", "Td"))


def test_two_cards_that_look_alike_are_no_words_of_the_error() -> None:
    means = np.random.default_rng(1).normal(0, 1, (52, 4, 96)).astype(np.float32)
    means[1] = means[0]
    with pytest.raises(DeckLookError) as refused:
        DeckLook.learned(dict(zip(FACES, means, strict=True)), np.zeros((0, 96), np.float32))
    assert refused.value.cards == ("As", "2s")
    assert "As" not in f"{refused.value}{refused.value!r}"
