"""The simulated table: its clock stops, it deals anew, errs as told, follows the registry."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from controller.config import Config, read, sample_text
from controller.floor.commands import Desk
from controller.integrity.table_count import CountShown
from controller.model.events import SeatStatus
from controller.model.findings import Progress, Stage
from controller.robot_table import RobotTable
from controller.rules.profile import load
from drivers.readings import ButtonReading, HealthState, KeyPress, Poll, Reading


def config() -> Config:
    text = sample_text()
    for old, new in (
        ("seed = 0 ", "seed = 5 "),
        ("mistakes = 0.3", "mistakes = 0"),
        ("miss = 0.05  ", "miss = 0.0  "),
        ("cross = 0.02  ", "cross = 0.0  "),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    return read(text, "table.toml", Path("/nowhere"))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def at_table(course: Callable[[RobotTable, Clock], Awaitable[None] | None]) -> None:
    async def run() -> None:
        clock = Clock()
        async with RobotTable(config(), clock) as table:
            done = course(table, clock)
            if done is not None:
                await done

    asyncio.run(run())


def play(table: RobotTable, clock: Clock, seconds: float) -> tuple[list[Reading], dict[int, int]]:
    """Look at each antenna in turn; gives the inputs, and the most cards read by antenna."""
    inputs: list[Reading] = []
    most: dict[int, int] = {}
    until = clock.now + seconds
    while clock.now < until:
        for antenna in range(1, 16):
            uids = table.look(antenna, clock.now, clock.now + 0.02)
            most[antenna] = max(most.get(antenna, 0), len(uids or ()))
            clock.now += 0.027
        inputs += table.inputs()
    return inputs, most


def test_a_hand_is_dealt_to_the_seats_of_the_registry() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        inputs, most = play(table, clock, 20)
        assert [most[s] for s in (1, 5, 9)] == [2, 2, 2]
        assert most[10] == most[11] == 0
        assert any(isinstance(r, ButtonReading) and r.seats == (9,) for r in inputs)

    at_table(course)


def test_a_pause_stops_the_world_and_not_the_readers() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        play(table, clock, 8)
        table.pause()
        before = [len(table.look(a, clock.now, clock.now) or ()) for a in range(1, 10)]
        assert 0 < sum(before) < 18
        _, most = play(table, clock, 60)
        assert sum(most[a] for a in range(1, 10)) == sum(before)
        table.pause()
        _, most = play(table, clock, 12)
        assert sum(most[a] for a in range(1, 10)) == 18

    at_table(course)


def test_the_next_hand_sweeps_up_and_moves_the_button() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        play(table, clock, 15)
        table.next_hand()
        inputs, _ = play(table, clock, 1)
        assert [r.key for r in inputs if isinstance(r, KeyPress)][:2] == ["end-hand", "shuffled"]
        more, most = play(table, clock, 18)
        inputs += more
        assert any(isinstance(r, ButtonReading) and r.seats == (1,) for r in inputs)
        assert sum(most[a] for a in range(1, 10)) == 18

    at_table(course)


def test_the_robot_errs_as_told_and_tells_once_it_can_be_seen() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        play(table, clock, 5)
        assert "burn-missing" in table.mistakes()
        table.err("count-extra")
        table.next_hand()
        play(table, clock, 1)
        assert table.told == ""
        _, most = play(table, clock, 30)
        assert table.told.startswith("count-extra (deal, seat ")
        assert max(most[a] for a in range(1, 10)) >= 2

    at_table(course)


def test_the_robot_follows_the_registry_at_once_while_nothing_is_dealt() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        play(table, clock, 0.5)
        table.deal_to((2, 3, 4, 10))
        _, most = play(table, clock, 20)
        assert [most[s] for s in (2, 3, 4, 10)] == [2, 2, 2, 2]
        assert most[1] == most[9] == 0

    at_table(course)


def test_it_deals_by_another_profile_from_the_next_hand_on() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        play(table, clock, 3)
        table.deal_by(load("tda"), "omaha")
        table.next_hand()
        play(table, clock, 40)
        assert table.hand is not None
        dealt = table.hand.streets[0]
        assert dealt.done_at - dealt.first_at > 14, "four cards each take twice as long"

    at_table(course)


def test_after_a_restart_it_sweeps_up_and_deals_to_the_registry() -> None:
    progress = Progress(
        stage=Stage.FLOP, hand=7, button=3, game="holdem", profile="tda", hole_cards=2
    )
    registry = tuple((s, SeatStatus.IN if s < 5 else SeatStatus.OUT) for s in range(1, 12))
    desk = Desk(seats=11, registry=registry, progress=progress, findings=())

    def course(table: RobotTable, clock: Clock) -> None:
        table.carry_on(desk)
        inputs, most = play(table, clock, 15)
        assert next(r.key for r in inputs if isinstance(r, KeyPress)) == "end-hand"
        assert any(isinstance(r, ButtonReading) and r.seats == (4,) for r in inputs)
        assert most[4] == 2
        assert most[5] == 0

    at_table(course)


def test_readings_come_over_the_wire() -> None:
    async def course() -> int:
        polls = 0
        async with RobotTable(config()) as table, asyncio.timeout(10):
            async for reading in table.readings():
                polls += isinstance(reading, Poll)
                if polls > 5:
                    return polls
        return polls

    assert asyncio.run(course()) == 6


def test_the_robot_counts_when_asked_and_passes_the_deck_again_if_the_board_says_so() -> None:
    shown: list[CountShown | None] = [None]

    def course(table: RobotTable, clock: Clock) -> None:
        table.counting = lambda: shown[0]
        table.count()
        first, most = play(table, clock, 3.0)
        shown[0] = CountShown(30, "COUNT AGAIN", "pass the deck over again")
        again, passed = play(table, clock, 45.0)
        shown[0] = CountShown(52, "DECK 52/52")
        last, _ = play(table, clock, 60.0)
        keys = [
            r.key
            for r in [*first, *again, *last]
            if isinstance(r, KeyPress) and r.key in ("count", "confirm")
        ]
        assert keys[:2] == ["count", "confirm"]
        assert max(most[15], passed[15]) >= 1  # the count antenna
        shown[0] = None
        dealt, _ = play(table, clock, 30.0)
        assert any(isinstance(r, ButtonReading) for r in [*first, *dealt])

    at_table(course)


def test_the_robot_passes_the_deck_when_the_floor_has_begun_a_count() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        table.counting = lambda: CountShown(0, "COUNT")
        inputs, most = play(table, clock, 12.0)
        assert not any(isinstance(r, KeyPress) and r.key == "count" for r in inputs)
        assert most[15] >= 1

    at_table(course)


def test_the_robot_counts_by_itself_when_the_board_asks() -> None:
    def course(table: RobotTable, clock: Clock) -> None:
        asked = [True]
        table.count_asked = lambda: bool(asked) and asked.pop()
        inputs, _ = play(table, clock, 5.0)
        assert any(isinstance(r, KeyPress) and r.key == "count" for r in inputs)

    at_table(course)


def test_the_simulated_cards_stay_the_same_from_start_to_start() -> None:
    unseeded = read(sample_text(), "table.toml", Path("/nowhere"))
    one, other = RobotTable(unseeded), RobotTable(unseeded)
    assert one.decks == other.decks
    assert one.decks != RobotTable(config()).decks


def test_a_seat_may_have_a_simulated_pn532_whose_looks_count_as_any_other() -> None:
    text = sample_text().replace("mistakes = 0.3", "mistakes = 0")
    text += '\n[[reader]]\nnumber = 3\ndriver = "simulated"\nmodel = "pn532"\n'
    seat_3 = 'number = 3\nreader = 1\nport = 3\nzone = "seat/3"'
    assert seat_3 in text
    text = text.replace(seat_3, 'number = 3\nreader = 3\nport = 1\nzone = "seat/3"')

    async def run() -> None:
        async with asyncio.timeout(60), RobotTable(read(text, "t", Path("/nowhere"))) as table:
            cards: set[int] = set()
            async for reading in table.readings():
                if isinstance(reading, Poll) and reading.antenna == 3:
                    cards |= {len(uid) for uid in reading.uids}
                if cards:
                    break
            assert cards == {7}, "tags that a PN532 reads"

    asyncio.run(run())


# -- under a camera --------------------------------------------------------------------------------


def under_a_camera() -> Config:
    text = sample_text("camera")
    for old, new in (("seed = 0 ", "seed = 5 "), ("mistakes = 0.3", "mistakes = 0")):
        assert old in text
        text = text.replace(old, new, 1)
    return read(text, "table.toml", Path("/nowhere"))


def test_a_table_under_a_camera_alone_has_no_reader_and_no_tags() -> None:
    clock = Clock()
    table = RobotTable(under_a_camera(), clock)
    assert table.decks == {}
    assert [deck.name for deck in table.at_table] == ["red", "blue"]

    async def run() -> list[Reading]:
        async with table:
            table.focus([1])
            table.only(None)
            told: list[Reading] = []
            async for reading in table.readings():
                told.append(reading)
                if isinstance(reading, KeyPress):
                    return told
        raise AssertionError("it ended")

    async def in_haste() -> list[Reading]:
        playing = asyncio.create_task(run())
        while not playing.done():
            clock.now += 0.5
            await asyncio.sleep(0.01)
        return await playing

    told = asyncio.run(asyncio.wait_for(in_haste(), 60))
    assert any(isinstance(reading, ButtonReading) for reading in told)
    assert not any(isinstance(reading, Poll) for reading in told)


def test_its_camera_is_of_its_number_and_sees_its_world() -> None:
    clock = Clock()
    table = RobotTable(under_a_camera(), clock)
    part, _ = under_a_camera().file.camera
    camera = table.camera(part)
    assert camera.camera == 1
    assert camera.health[0].state is HealthState.OK


def test_a_count_under_a_camera_spreads_the_whole_deck_and_anew_where_that_is_asked() -> None:
    clock = Clock()
    table = RobotTable(under_a_camera(), clock)
    table.count()
    spreads = []
    for _ in range(60):
        clock.now += 1.0
        pressed = [r.key for r in table.inputs() if isinstance(r, KeyPress)]
        if "count" in pressed or table.counting() is not None:
            table.counting = lambda: CountShown(0, "COUNT", "spread it anew")
        if table._spread is not None and table._spread not in spreads:
            spreads.append(table._spread)
    assert len(spreads) >= 2
    for spread in spreads:
        assert len({card.face for card in spread}) == 52
        assert all(card.up for card in spread)
    assert [c.face for c in spreads[0]] != [c.face for c in spreads[1]]
