"""Picture files, and what is none: each gives an image or a reason, within bounds of memory."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image as Pictures

from controller.vision.load import KEPT_PX, PictureFileError, decoded, load

RGB = np.zeros((60, 80, 3), np.uint8)
RGB[:30] = (250, 10, 20)


def encoded(pixels: NDArray[Any] | Pictures.Image, form: str = "PNG", **more: Any) -> bytes:
    out = io.BytesIO()
    picture = pixels if isinstance(pixels, Pictures.Image) else Pictures.fromarray(pixels)
    picture.save(out, form, **more)
    return out.getvalue()


def test_red_is_last() -> None:
    assert decoded(encoded(RGB))[0, 0].tolist() == [20, 10, 250]


@pytest.mark.parametrize("kind", ["L", "1", "P", "RGBA", "LA", "CMYK"])
def test_any_kind_of_colour_is_taken(kind: str) -> None:
    form = "TIFF" if kind == "CMYK" else "PNG"
    image = decoded(encoded(Pictures.fromarray(RGB).convert(kind), form))
    assert image.shape == (60, 80, 3)
    assert image.dtype == np.uint8
    assert image[:30].mean() > image[30:].mean() + 30


def test_sixteen_bits_of_grey_keep_their_shades() -> None:
    deep = np.linspace(0, 65535, 64, dtype=np.uint16)[None, :].repeat(60, 0)
    image = decoded(encoded(deep))
    assert image.shape == (60, 64, 3)
    assert image[0, 0, 0] == 0
    assert image[0, -1, 0] == 255
    assert 120 < image[0, 32, 0] < 136


def test_a_picture_stands_as_its_camera_was_held() -> None:
    exif = Pictures.Exif()
    exif[0x0112] = 6
    image = decoded(encoded(RGB, "JPEG", exif=exif, quality=95))
    assert image.shape == (80, 60, 3)
    assert image[40, 55].mean() > image[40, 5].mean()  # what was above lies at the right


def test_a_hundred_megapixels_are_reduced() -> None:
    large = Pictures.new("RGB", (12_000, 8_400), (10, 120, 30))
    image = decoded(encoded(large, "JPEG", quality=30))
    assert image.shape[0] * image.shape[1] <= KEPT_PX
    assert abs(image.shape[1] / image.shape[0] - 12_000 / 8_400) < 0.01


def test_a_hundred_megapixels_that_must_be_decoded_whole_are_refused() -> None:
    large = Pictures.new("1", (12_000, 8_400))
    with pytest.raises(PictureFileError, match=r"12000 x 8400 pixels.*Next"):
        decoded(encoded(large))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"no picture at all", "no picture"),
        (encoded(RGB[:1, :1]), "1 x 1 pixels show no card"),
        (encoded(RGB, "JPEG")[:-200], "its end is missing"),
        (encoded(RGB)[:90], "cannot be decoded"),
    ],
)
def test_what_is_no_picture_gives_the_reason_and_what_to_do(data: bytes, why: str) -> None:
    with pytest.raises(PictureFileError, match=why) as caught:
        decoded(data)
    assert "Next: " in str(caught.value)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "spread.jpg")
    with pytest.raises(PictureFileError, match=r"spread\.jpg: is no file"):
        load(tmp_path / "spread.jpg")


def test_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PictureFileError, match=r"none\.jpg: cannot be read"):
        load(tmp_path / "none.jpg")
    (tmp_path / "empty.png").write_bytes(b"")
    with pytest.raises(PictureFileError, match=r"empty\.png: the file is empty"):
        load(tmp_path / "empty.png")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_never_does_worse(data: st.DataObject) -> None:
    whole = bytearray(encoded(RGB, data.draw(st.sampled_from(["PNG", "JPEG", "BMP", "GIF"]))))
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        image = decoded(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    except PictureFileError:
        return
    assert image.ndim == 3
