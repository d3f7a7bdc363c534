"""A camera's calibration as a step: what is asked for, what is measured.

The lens board is moved about before the camera, then the table is looked at as it stands, then, if
somebody wants, with place cards on it.
"""

from __future__ import annotations

import asyncio
import base64
import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import cv2
import numpy as np

from calibration.camera import marks
from calibration.camera.areas import area_of
from calibration.camera.camera_fit import fit_camera
from calibration.camera.detect import Sticker, doubled_stickers, find_stickers
from calibration.camera.faceless import faceless
from calibration.camera.page import page_of
from calibration.camera.samples import BoardSample, CameraSamples, Corner, Said
from calibration.camera.views import Views
from calibration.camera_profile import CameraProfile
from calibration.camera_store import kind_of, place_of
from calibration.steps import Act, Belongs, Fitted, News, Person
from drivers.camera.frame import Frame, Image
from drivers.contracts import Camera
from drivers.errors import DeviceSilentError, LinkLostError
from drivers.readings import Health, HealthState

STILLS = 8
"""Pictures of the table of which the stickers' places are the mean."""
_PATIENCE_S = 45.0
_TALK_S = 2.0
"""Nobody follows advice that changes faster."""
_KEPT_PX = 1280
_JPEG = 80


class Part(StrEnum):
    """What of a camera is measured. The table always is; lens and areas that are not asked for are
    taken over from the calibration in force."""

    LENS = "lens"
    TABLE = "table"
    AREAS = "areas"


@dataclass(frozen=True, slots=True)
class MoveBoard:
    """Task: move the lens board before the camera, everywhere and tilted to each side."""


@dataclass(frozen=True, slots=True)
class ClearTable:
    """Task: lens board, cards, chips and hands off the table; only its stickers stay."""


@dataclass(frozen=True, slots=True)
class LayPlaceCards:
    """Task: lay the place cards where cards lie, at a table of that many seats."""

    seats: int


Keep = Callable[[CameraSamples], None]


@dataclass(frozen=True, slots=True)
class CameraStep:
    """The calibration of one camera. number, port, device: as configured, and what it calls itself.
    parts: what to measure. before: the calibration in force, needed where the lens is not among
    them."""

    camera: Camera
    number: int
    port: str
    seats: int
    device: str = ""
    parts: frozenset[Part] = frozenset(Part)
    said: Said = field(default_factory=Said)
    before: CameraProfile | None = None

    def __post_init__(self) -> None:
        if self.before is None and Part.LENS not in self.parts:
            raise ValueError(
                f"camera {self.number} has no calibration whose lens could be kept. Next: burnturn"
                " calibrate camera"
            )

    @property
    def kind(self) -> str:
        return kind_of(self.number)

    @property
    def title(self) -> str:
        return f"Camera {self.number}"

    @property
    def samples(self) -> type[CameraSamples]:
        return CameraSamples

    @property
    def profile(self) -> type[CameraProfile]:
        return CameraProfile

    def belongs(self) -> Belongs:
        device = {f"camera {self.number}": self.device} if self.device else {}
        return Belongs(place_of(self.number, self.port), device)

    async def capture(
        self, person: Person, so_far: CameraSamples | None, keep: Keep
    ) -> CameraSamples:
        """Views of the lens board, then the table. Raises Left; DriverError for a camera that is
        not there."""
        samples = so_far or CameraSamples()
        async with self.camera as camera:
            pictures = _Pictures(camera.frames())
            try:
                first = await pictures.next()
                samples = self._for_pictures(samples, first.image, person)
                if Part.LENS in self.parts:
                    samples = await self._lens(person, pictures, samples, keep)
                samples = await self._table(person, pictures, samples, keep)
                if Part.AREAS in self.parts:
                    samples = await self._areas(person, pictures, samples, keep)
            finally:
                await pictures.close()
        return samples

    def fit(self, samples: CameraSamples) -> Fitted[CameraProfile]:
        taken_over = None if Part.LENS in self.parts else self.before
        said = self._said()
        fitted = fit_camera(self.number, self.seats, samples, said, taken_over)
        return Fitted(fitted.profile, fitted.remarks, page_of(self.title, samples, fitted))

    def _said(self) -> Said:
        """What the house says, and the areas in force where they are not measured anew."""
        if self.before is None or Part.AREAS in self.parts:
            return self.said
        kept = {zone: area_of(corners) for zone, corners in self.before.areas.items()}
        return replace(self.said, areas={**kept, **self.said.areas})

    def _for_pictures(self, samples: CameraSamples, image: Image, person: Person) -> CameraSamples:
        height, width = image.shape[:2]
        if samples.width_px and (samples.width_px, samples.height_px) != (width, height):
            person.hears(News("the camera's pictures have another size now: beginning anew"))
            samples = CameraSamples()
        return replace(samples, width_px=width, height_px=height, device=self.device)

    async def _lens(
        self, person: Person, pictures: _Pictures, samples: CameraSamples, keep: Keep
    ) -> CameraSamples:
        views = Views(samples.width_px, samples.height_px, [v.view for v in samples.views])
        why = ""
        while not views.enough:
            answer = await person.does(_hold_board(why, views, self._of))
            if answer == "e":
                break
            await pictures.fresh()
            why = await self._watch(person, pictures, views)
            samples = replace(samples, views=tuple(BoardSample.of(v) for v in views.kept))
            keep(samples)
        return samples

    async def _watch(self, person: Person, pictures: _Pictures, views: Views) -> str:
        """Look until there are enough views ("") or nothing new comes any more (why)."""
        said, said_at, words = "", -math.inf, ""
        begun: float | None = None
        while not views.enough:
            frame = await pictures.next()
            begun = frame.ended if begun is None else begun
            look = await asyncio.to_thread(views.look, frame.image)
            if look.view is not None:
                begun = frame.ended
            elif frame.ended - begun > _PATIENCE_S:
                return look.words
            words = look.words or views.missing
            person.hears(News(f"{len(views.kept)} views", views.share))
            if words and words != said and frame.ended - said_at >= _TALK_S:
                said, said_at = words, frame.ended
                person.hears(News(words))
        person.hears(News(f"{len(views.kept)} views of the lens board are enough"))
        return ""

    async def _table(
        self, person: Person, pictures: _Pictures, samples: CameraSamples, keep: Keep
    ) -> CameraSamples:
        known = {**marks.STICKERS, **self.said.stickers}
        why = ""
        while True:
            answer = await person.does(_clear_table(why, self._at(Part.TABLE), self._of))
            await pictures.fresh()
            seen, wobble, image = await self._stickers(pictures)
            stickers = {n: c for n, c in seen.items() if n in marks.STICKER_NUMBERS}
            shown = _jpeg(image, seen.values())
            samples = replace(samples, stickers=stickers, wobble_px=wobble, picture=shown)
            keep(samples)
            person.hears(News(_stickers_seen(stickers)))
            why = _table_lacks(stickers, known, self.said, image)
            if not why or answer == "e":
                return samples

    async def _areas(
        self, person: Person, pictures: _Pictures, samples: CameraSamples, keep: Keep
    ) -> CameraSamples:
        answer = await person.does(_lay_cards(self.seats, self._at(Part.AREAS), self._of))
        if answer == "p":
            samples = replace(samples, cards={}, by_plan=True)
        else:
            await pictures.fresh()
            seen, _, image = await self._stickers(pictures)
            zones = marks.place_cards(self.seats)
            cards = {n: c for n, c in seen.items() if n in zones}
            shown = _jpeg(image, seen.values())
            samples = replace(samples, cards=cards, by_plan=False, picture=shown)
            names = ", ".join(zones[n].replace("/", " ") for n in cards)
            person.hears(News(f"place cards seen: {names or 'none; the plan is taken'}"))
        keep(samples)
        return samples

    async def _stickers(
        self, pictures: _Pictures
    ) -> tuple[dict[int, tuple[Corner, ...]], float, Image]:
        """The mean corners of what showed in most of some pictures, how far they went about, and
        the last picture."""
        seen: dict[int, list[np.ndarray]] = {}
        for _ in range(STILLS):
            frame = await pictures.next()
            found: Mapping[int, Sticker] = await asyncio.to_thread(find_stickers, frame.image)
            for number, sticker in found.items():
                seen.setdefault(number, []).append(sticker.corners_px)
        often = {n: np.array(each) for n, each in seen.items() if len(each) > STILLS // 2}
        wobbles = [float(each.std(axis=0).max()) for each in often.values()]
        mean = {
            n: tuple((float(x), float(y)) for x, y in each.mean(axis=0))
            for n, each in often.items()
        }
        return mean, max(wobbles, default=0.0), frame.image

    @property
    def _of(self) -> int:
        return len(self.parts | {Part.TABLE})

    def _at(self, part: Part) -> int:
        order = [p for p in Part if p in self.parts or p is Part.TABLE]
        return order.index(part)


class _Pictures:
    """Frames as they come; a camera that is lost is an error."""

    def __init__(self, frames: AsyncIterator[Frame | Health]) -> None:
        self._frames = frames

    async def next(self) -> Frame:
        """The next picture. Raises LinkLostError, DeviceSilentError."""
        async for item in self._frames:
            if isinstance(item, Frame):
                return item
            if item.state is HealthState.LOST:
                raise LinkLostError(
                    f"is lost: {item.reason}",
                    item.device,
                    "Then go on where you were: what was measured so far is kept.",
                )
        raise DeviceSilentError(
            "gives no more pictures", "camera", "If it is a recording, name a longer one."
        )

    async def fresh(self) -> None:
        """Let a picture go by that may have waited since before a person answered."""
        await self.next()

    async def close(self) -> None:
        close = getattr(self._frames, "aclose", None)
        if close is not None:
            await close()


def _hold_board(why: str, views: Views, of: int) -> Act:
    again = f" Nothing new came for a while: {why}." if why else ""
    kept = f" Views kept so far: {len(views.kept)}." if views.kept else ""
    return Act(
        "Take the printed lens board, flat on something stiff. After Enter move it slowly before"
        " the camera, an arm's length from it, with short stops: into each corner of the picture,"
        f" and tilted to each side. Pictures are taken by themselves.{kept}{again}",
        0,
        of,
        {"": "begin", **({"e": "that is all, work it out"} if why else {})},
        task=MoveBoard(),
    )


def _clear_table(why: str, done: int, of: int) -> Act:
    again = f" {why}." if why else ""
    return Act(
        "Clear the table: no lens board, no cards, no chips, no hands; the stickers stay where they"
        f" are, number towards the dealer.{again}",
        done,
        of,
        {"": "clear", **({"e": "it cannot be helped, work it out"} if why else {})},
        task=ClearTable(),
    )


def _lay_cards(seats: int, done: int, of: int) -> Act:
    return Act(
        "Lay the place cards where cards of each place lie, each to be read by whoever gets the"
        " cards (none for a place that is as on the plan). Then Enter.",
        done,
        of,
        {"": "they lie there", "p": "no place cards: as on the plan"},
        task=LayPlaceCards(seats),
    )


def _stickers_seen(stickers: Mapping[int, Sequence[Corner]]) -> str:
    return f"stickers seen: {', '.join(map(str, sorted(stickers))) or 'none'}"


def _table_lacks(
    stickers: Mapping[int, object],
    known: Mapping[int, Corner],
    said: Said,
    image: Image,
) -> str:
    """Why the table cannot be worked out of those; "" if it can be tried."""
    doubled = doubled_stickers(image)
    if doubled:
        return f"Sticker {doubled[0]} shows twice: take one away"
    usable = len(said.points) + sum(n in known for n in stickers)
    if usable >= 4:
        return ""
    strange = sorted(n for n in stickers if n not in known)
    where = f" (nobody has said where {strange[0]} lies: --sticker)" if strange else ""
    return f"{usable} stickers of known place show, 4 are needed{where}"


def _jpeg(image: Image, marks_px: Iterable[Sequence[Corner]]) -> str:
    """The picture, small, as text, and no card to be read in it. marks_px: corners of the stickers
    and place cards in it."""
    share = min(1.0, _KEPT_PX / image.shape[1])
    size = (math.ceil(image.shape[1] * share), math.ceil(image.shape[0] * share))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    at_px = [np.asarray(four, dtype=np.float64) * share for four in marks_px]
    blank = faceless(np.asarray(small, dtype=np.uint8), at_px)
    _, data = cv2.imencode(".jpg", blank, [cv2.IMWRITE_JPEG_QUALITY, _JPEG])
    return base64.b64encode(data.tobytes()).decode("ascii")
