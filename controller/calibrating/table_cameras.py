"""The cameras' steps of the wizard; OpenCV is loaded when the first of them begins."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from calibration.camera_store import kind_of
from calibration.steps import Act, Step
from calibration.store import ProfileStore
from controller.config import Config
from drivers.contracts import Clock

if TYPE_CHECKING:
    from controller.calibrating.camera_hand import CameraHand

_KIND = kind_of(0).removesuffix("0")


class TableCameras:
    """The cameras of one table, each calibrated as a whole."""

    def __init__(self, config: Config, store: ProfileStore, clock: Clock) -> None:
        self._config = config
        self._store = store
        self._clock = clock
        self._hand: CameraHand | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Such as "camera-1"; none where OpenCV is not installed."""
        if find_spec("cv2") is None:
            return ()
        return tuple(kind_of(part.number) for part in self._config.file.camera)

    def step(self, kind: str) -> Step[Any, Any]:
        """Raises MisconfiguredError for a camera that is not there, StoreError."""
        from calibration.camera.samples import Said
        from calibration.camera.step import Part
        from controller.calibrating.camera_hand import CameraHand
        from controller.calibrating.cameras import camera_of, camera_step
        from drivers.factory import SheetCamera

        number = int(kind.removeprefix(_KIND))
        camera = camera_of(self._config, number, self._clock)
        self._hand = CameraHand(camera) if isinstance(camera, SheetCamera) else None
        return camera_step(self._config, camera, number, self._store, frozenset(Part), Said())

    async def does(self, act: Act) -> str | None:
        """What a simulated person does for a camera; None: the usual answer."""
        return None if self._hand is None else await self._hand.does(act)
