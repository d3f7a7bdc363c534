"""Pictures, folders and videos in a camera's place."""

from __future__ import annotations

import asyncio
from pathlib import Path

import cv2
import numpy as np
import pytest

from drivers.camera.eye import CameraSettings
from drivers.camera.files import FilesEye
from drivers.camera.frame import Frame, Image
from drivers.camera.live import LiveCamera
from drivers.errors import DriverError, MisconfiguredError, PortUnavailableError
from drivers.readings import Health, HealthState

SETTINGS = CameraSettings(fps=2.0)


class Hands:
    """A clock that its waits move."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def grey(value: int) -> Image:
    return np.full((24, 32, 3), value, np.uint8)


def save(path: Path, value: int) -> Path:
    assert cv2.imwrite(str(path), grey(value))
    return path


def eye(path: Path, clock: Hands) -> FilesEye:
    return FilesEye(str(path), SETTINGS, clock=clock, wait=clock.wait)


def test_a_folder_is_played_in_the_order_of_names_at_its_pace_and_ends(tmp_path: Path) -> None:
    for name, value in (("b.png", 20), ("a.png", 10), ("c.png", 30)):
        save(tmp_path / name, value)
    (tmp_path / "notes.txt").write_text("not a picture")
    clock = Hands()
    looks = eye(tmp_path, clock)
    looks.open()
    taken = [looks.take() for _ in range(3)]
    assert [int(t.image[0, 0, 0]) for t in taken if t] == [10, 20, 30]
    assert [t.started for t in taken if t] == [50.0, 50.5, 51.0]
    assert looks.take() is None


def test_a_video_is_played_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "hand.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (32, 24))
    for value in (40, 120, 200):
        writer.write(grey(value))
    writer.release()
    looks = eye(path, Hands())
    looks.open()
    seen = []
    while (taken := looks.take()) is not None:
        seen.append(int(taken.image.mean()))
    looks.close()
    assert [round(v, -1) for v in seen] == [40, 120, 200]


def test_the_still_of_a_recording_is_what_was_shown_last(tmp_path: Path) -> None:
    looks = eye(save(tmp_path / "a.png", 77), Hands())
    looks.open()
    with pytest.raises(DriverError, match="no picture was shown yet"):
        looks.still()
    looks.take()
    assert int(looks.still().image[0, 0, 0]) == 77


def test_a_bad_file_is_named_and_those_after_it_still_come(tmp_path: Path) -> None:
    save(tmp_path / "a.png", 10)
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    save(tmp_path / "c.png", 30)

    async def story() -> None:
        clock = Hands()
        camera = LiveCamera(
            1, eye(tmp_path, clock), SETTINGS, recorded=True, clock=clock, sleep=clock.sleep
        )
        async with camera:
            looks: list[Frame | Health] = [look async for look in camera.frames()]
        lost = [w for w in looks if isinstance(w, Health) and w.state is HealthState.LOST]
        assert len(lost) == 1
        assert "Take it out of the folder" in lost[0].reason
        assert int([f for f in looks if isinstance(f, Frame)][-1].image[0, 0, 0]) == 30

    asyncio.run(asyncio.wait_for(story(), 30))


def test_a_picture_that_would_fill_the_memory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    head = cv2.imencode(".png", grey(0))[1].tobytes()
    huge = head[:16] + (10_000).to_bytes(4) + (10_000).to_bytes(4) + head[24:]
    (tmp_path / "a.png").write_bytes(huge)
    looks = eye(tmp_path, Hands())
    looks.open()
    with pytest.raises(DriverError):
        looks.take()


def test_what_is_not_there_is_said_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(PortUnavailableError, match="no such file"):
        eye(tmp_path / "none", Hands()).open()
    with pytest.raises(MisconfiguredError, match="Pictures end in"):
        eye(tmp_path, Hands()).open()
    (tmp_path / "x.avi").write_bytes(b"RIFF")
    broken = eye(tmp_path / "x.avi", Hands())
    broken.open()
    with pytest.raises(PortUnavailableError, match="MJPEG"):
        broken.take()
