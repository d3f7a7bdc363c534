"""Picture files into images, within bounds of memory, and with words for what is no picture."""

from __future__ import annotations

import io
import os
import stat
import warnings
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageFile, UnidentifiedImageError

Image = NDArray[np.uint8]

MOST_BYTES: Final = 80_000_000
"""A longer file is not read."""

MOST_PX: Final = 400_000_000
"""More pixels than that no file may promise: nothing of it is decoded."""

KEPT_PX: Final = 16_000_000
"""An image with more pixels is reduced to at most these; a spread needs no more."""

WHOLE_PX: Final = 50_000_000
"""A format that can only be decoded whole may have so many (150 MB while it is reduced)."""

LEAST_PX: Final = 48  # along its shorter side; nothing smaller shows a card
_SCALED = ("JPEG", "MPO")  # decoded at a half, a quarter or an eighth without the whole in between
_NEXT = "Next: give a photograph as JPEG or PNG"


class PictureFileError(Exception):
    """A file is no picture that can be read; says which, why, and what to do."""


def load(path: Path) -> Image:
    """The picture in a file, (h, w, 3) blue, green, red, upright as its camera was held.

    Any depth and kind of colour is taken; transparent parts lie on black. Raises PictureFileError.
    """
    try:
        data = _bytes(path)
    except OSError as error:
        raise PictureFileError(
            f"{path}: cannot be read ({error.strerror or error}). {_NEXT}"
        ) from None
    try:
        return decoded(data)
    except PictureFileError as error:
        raise PictureFileError(f"{path}: {error}") from None


def _bytes(path: Path) -> bytes:
    """A file's first bytes. Raises OSError, and PictureFileError for a pipe or a device, whose end
    may never come."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PictureFileError(f"{path}: is no file. {_NEXT}")
        return opened.read(MOST_BYTES + 1)


def decoded(data: bytes) -> Image:
    """The picture in the bytes of a file, as `load` has it. Raises PictureFileError."""
    if not data:
        raise PictureFileError(f"the file is empty. {_NEXT}")
    if len(data) > MOST_BYTES:
        raise PictureFileError(
            f"the file is longer than {MOST_BYTES // 1_000_000} MB. Next: save it smaller"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a decompression bomb's: `_fits` judges the size
            with Pictures.open(io.BytesIO(data)) as picture:
                return _image(picture)
    except PictureFileError:
        raise
    except UnidentifiedImageError:
        raise PictureFileError(f"this is no picture. {_NEXT}") from None
    except Pictures.DecompressionBombError:
        raise PictureFileError("it promises too many pixels. Next: save it smaller") from None
    except MemoryError:
        raise PictureFileError("it does not fit into memory. Next: save it smaller") from None
    except (OSError, ValueError, SyntaxError, EOFError, ArithmeticError, LookupError) as error:
        why = "its end is missing" if "truncated" in str(error) else "it is damaged"
        raise PictureFileError(
            f"the picture cannot be decoded: {why}. Next: copy it again"
        ) from None


def _image(picture: ImageFile.ImageFile) -> Image:
    _fits(picture)
    if picture.format in _SCALED and picture.width * picture.height > KEPT_PX:
        # twice the pixels that are kept, so that the reduction below has some to average
        share = (2 * KEPT_PX / (picture.width * picture.height)) ** 0.5
        picture.draft("RGB", (int(picture.width * share), int(picture.height * share)))
    picture.load()
    turned = _upright(picture)
    image = _bgr(turned)
    over = image.shape[0] * image.shape[1] / KEPT_PX
    if over > 1.0:
        share = over**-0.5
        size = (max(1, int(image.shape[1] * share)), max(1, int(image.shape[0] * share)))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    return np.ascontiguousarray(image)


def _fits(picture: Pictures.Image) -> None:
    """Raises PictureFileError for a picture too large to decode or too small to show a card."""
    pixels = picture.width * picture.height
    size = f"{picture.width} x {picture.height} pixels"
    most = MOST_PX if picture.format in _SCALED else WHOLE_PX
    if pixels > most:
        raise PictureFileError(
            f"{size} are more than the {most // 1_000_000} million that are decoded of such a file."
            " Next: save it smaller, or as JPEG"
        )
    if min(picture.width, picture.height) < LEAST_PX:
        raise PictureFileError(f"{size} show no card. Next: take the picture larger")


def _upright(picture: Pictures.Image) -> Pictures.Image:
    """As the camera was held, where the file says so."""
    try:
        turn = picture.getexif().get(0x0112, 1)
    except Exception:  # whatever a damaged note says: the picture is as it lies
        turn = 1
    turns = {
        3: Pictures.Transpose.ROTATE_180,
        6: Pictures.Transpose.ROTATE_270,
        8: Pictures.Transpose.ROTATE_90,
    }
    return picture.transpose(turns[turn]) if turn in turns else picture


def _bgr(picture: Pictures.Image) -> Image:
    if picture.mode in ("I", "F") or picture.mode.startswith("I;"):
        return _deep(np.asarray(picture))
    rgb = np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"))
    return cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR).astype(np.uint8, copy=False)


def _deep(grey: NDArray[np.generic]) -> Image:
    """Grey of more than eight bits: sixteen, or spread over what is there."""
    values = np.nan_to_num(grey.astype(np.float32))
    top = 65535.0 if values.min() >= 0 and 255 < values.max() <= 65535 else float(values.max())
    low = min(0.0, float(values.min()))
    eight = ((values - low) * (255.0 / max(top - low, 1.0))).astype(np.uint8)
    return cv2.cvtColor(eight, cv2.COLOR_GRAY2BGR).astype(np.uint8, copy=False)
