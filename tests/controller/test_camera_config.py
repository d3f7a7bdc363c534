"""`[[camera]]` in a table.toml: faults with their lines, and who looks at what."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config import Config, ConfigError, read, sample_text
from controller.model.table import BOARD, BURN, MUCK, STUB, TABLE, seat_zone

CAMERA = sample_text("camera")
PART = CAMERA[CAMERA.index("[[camera]]") : CAMERA.index("# Keys, switches")]
ANTENNAS = sample_text()
SEATS = [str(seat_zone(n)) for n in range(1, 10)]


def camera(number: int, **values: str) -> str:
    rest = "".join(f"{key} = {value}\n" for key, value in values.items())
    driver = "" if "driver" in values else 'driver = "simulated"\n'
    return f"[[camera]]\nnumber = {number}\n{driver}{rest}\n"


def alone(*parts: str) -> str:
    """The sample without antennas, with these cameras instead of its own."""
    return CAMERA.replace(PART, "".join(parts), 1)


def table(text: str) -> Config:
    return read(text, "table.toml", Path("/nowhere"))


def faults(text: str) -> list[tuple[str, str]]:
    """What is said, with the text of the line that it is said of."""
    with pytest.raises(ConfigError) as error:
        table(text)
    lines = ["", *text.splitlines()]
    return [(lines[f.line], f.message) for f in error.value.faults]


def real(number: int, driver: str, device: str) -> str:
    return camera(number, driver=f'"{driver}"', device=f'"{device}"')


def without_simulation(*parts: str) -> str:
    text = alone(*parts)
    text = text[: text.index("[simulation]")]
    return text.replace('[table_board]\ndriver = "simulated"', '[table_board]\ndriver = "mega"')


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            alone(camera(1, areas='["board"]'), camera(1)),
            "number = 1",
            "camera 1: the number is taken; each camera has its own",
        ),
        (
            without_simulation(camera(1, driver='"v4l2"')),
            "[[camera]]",
            "camera 1: device is missing; allowed: /dev/v4l/by-id/..., see: burnturn devices",
        ),
        (
            without_simulation(camera(1, driver='"files"')),
            "[[camera]]",
            "camera 1: device is missing; allowed: a picture, a folder of them, or a video",
        ),
        (
            without_simulation(
                camera(1, driver='"v4l2"', device='"/dev/video0"', areas='["board"]'),
                real(2, "v4l2", "/dev/video0"),
            ),
            'device = "/dev/video0"',
            'camera 2: device = "/dev/video0" is camera 1\'s',
        ),
        (
            alone(camera(1, still_width="4608")),
            "[[camera]]",
            "camera 1: still_width and still_height go together; give both",
        ),
        (
            alone(camera(1), camera(2, areas='["seat/77"]')),
            'areas = ["seat/77"]',
            'camera 2: areas holds "seat/77"; allowed: seat/1, ',
        ),
        (
            alone(camera(1, areas='["board", "board"]'), camera(2)),
            'areas = ["board", "board"]',
            "camera 1: areas names board twice; name it once",
        ),
        (
            alone(camera(1, areas='["board"]'), camera(2, areas='["board"]'), camera(3)),
            'areas = ["board"]',
            "camera 2: board is looked at by camera 1; give it one of them",
        ),
        (
            alone(camera(1), camera(2)),
            "[[camera]]",
            "camera 2: areas is missing; only one camera may look at all that no other does",
        ),
        (
            alone(camera(1, areas='["board", "seat/1"]')),
            "[[camera]]",
            "no antenna and no camera watches seat/2, ",
        ),
        (alone(camera(9)), "number = 9", "camera 9: number = 9; allowed: a whole number, 1 to 8"),
        (
            alone(camera(1, driver='"webcam"')),
            'driver = "webcam"',
            'camera 1: driver = "webcam"; allowed: v4l2, picamera2, files, simulated',
        ),
        (alone(camera(1, fps="0")), "fps = 0", "camera 1: fps = 0; allowed: a number, 0.5 to 60"),
        (
            alone(camera(1, width="20")),
            "width = 20",
            "camera 1: width = 20; allowed: a whole number, 160 to 12000",
        ),
        (alone(camera(1, lens="1")), "lens = 1", "camera 1: lens is no key here; allowed: "),
        (
            alone(camera(1, areas='["board"]'), real(2, "v4l2", "/dev/video0")),
            "[[camera]]",
            "camera: simulated and real readers or cameras at one table; choose one kind",
        ),
        (alone(), "", "[[reader]] is missing; a table is watched by readers with antennas, "),
        (
            alone(camera(1))[: alone(camera(1)).index("[simulation]")],
            "",
            "[simulation] is missing; a simulated table needs it",
        ),
    ],
)
def test_every_fault_is_said_with_its_line(text: str, line: str, said: str) -> None:
    found = faults(text)
    assert [m for at, m in found if m.startswith(said) and at.startswith(line)], found


def test_all_faults_are_said_at_once() -> None:
    text = alone(camera(1, fps="0", areas='["nowhere"]'), camera(1, still_height="9"))
    said = " ".join(message for _, message in faults(text))
    for what in ("fps = 0", "still_height = 9", "nowhere", "the number is taken", "go together"):
        assert what in said


def test_a_camera_alone_watches_every_place_at_which_cards_are_expected() -> None:
    layout = table(CAMERA).layout
    assert layout.camera_alone
    assert {a.zone for a in layout.antennas} == {*SEATS, BOARD, BURN, MUCK}
    by_camera = {1: {*SEATS}, 2: {BOARD, BURN, MUCK}}
    for number, zones in by_camera.items():
        assert {a.zone for a in layout.antennas if a.camera == number} == zones
    assert {a.zone for a in layout.areas} == {*SEATS, BOARD, BURN, MUCK, STUB, TABLE}


def test_two_cameras_share_the_places() -> None:
    other = camera(2, areas='["board", "burn"]', miss="0.2")
    layout = table(alone(camera(1), other)).layout
    assert {a.zone for a in layout.areas if a.camera == 2} == {BOARD, BURN}
    assert {a.zone for a in layout.areas if a.camera == 1} == {*SEATS, MUCK, STUB, TABLE}
    assert {a.profile.miss_rate for a in layout.antennas if a.camera == 2} == {0.2}
    assert len({a.antenna for a in layout.antennas}) == len(layout.antennas)


def test_antennas_and_a_camera_together() -> None:
    text = ANTENNAS.replace("[simulation]", camera(1, areas='["board"]') + "[simulation]")
    layout = table(text).layout
    assert not layout.camera_alone
    assert {a.camera for a in layout.antennas} == {None}
    assert {(a.zone, a.camera) for a in layout.areas} == {(BOARD, 1)}
    assert layout.antennas == table(ANTENNAS).layout.antennas


def test_a_camera_that_misses_the_burns_lays_them_to_the_muck() -> None:
    places = ", ".join(f'"{zone}"' for zone in (*SEATS, "board", "muck"))
    layout = table(alone(camera(1, areas=f"[{places}]"))).layout
    assert layout.burn_is_muck
    assert not table(CAMERA).layout.burn_is_muck


def test_the_driver_gets_what_the_file_says() -> None:
    said = {"still_width": "4608", "still_height": "2592", "fps": "8.0", "lock": "false"}
    (part,) = table(alone(camera(3, **said))).file.camera
    spec = part.spec
    assert (spec.camera, spec.driver, spec.device) == (3, "simulated", "")
    assert spec.settings.size == (2304, 1296)
    assert spec.settings.still == (4608, 2592)
    assert (spec.settings.fps, spec.settings.lock) == (8.0, False)
