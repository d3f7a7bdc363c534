"""Pucks and cards as one table's readings, from a table.toml, over real ports: the button that a
module hears reaches the rules."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.app import readers_of
from controller.config import load
from controller.taking_up import TableClock
from drivers.readings import ButtonReading, Poll, Reading
from drivers.sim.em4100_emulator import Em4100Emulator
from drivers.sim.pepper_emulator import PepperEmulator
from drivers.sim.pepper_rims import PtyRim, ServedByLoop
from tests.controller.test_reader_config import table
from tests.drivers.still_field import StillField, uid, uid_em


def test_the_button_is_heard_beside_the_cards(tmp_path: Path) -> None:
    cards = StillField(tuple(range(1, 6)), uid)
    buttons = StillField((1, 2), uid_em)
    buttons.lying = {1: (), 2: (uid_em(9),)}

    async def main() -> list[Reading]:
        rims = [
            PtyRim(PepperEmulator(cards, {1: 1}, mux=False)),
            PtyRim(PepperEmulator(cards, {port: port + 1 for port in range(1, 5)})),
            PtyRim(Em4100Emulator(buttons, 1)),
            PtyRim(Em4100Emulator(buttons, 2)),
        ]
        text = table(
            [
                ("pepper-c1", f'port = "{rims[0].address}"'),
                ("pepper-c1-mux", f'port = "{rims[1].address}"'),
            ],
            more="".join(
                f'\n[[puck]]\nseat = {seat}\ndriver = "rdm6300"\n'
                f'port = "{rims[seat + 1].address}"\n'
                for seat in (1, 2)
            ),
        )
        (tmp_path / "table.toml").write_text(text)
        heard: list[Reading] = []
        source = readers_of(load(tmp_path / "table.toml"), TableClock())
        async with asyncio.timeout(30), ServedByLoop(rims), source:
            async for reading in source.readings():
                heard.append(reading)
                if any(isinstance(r, ButtonReading) for r in heard) and len(heard) > 50:
                    break
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return heard

    heard = asyncio.run(main())
    assert [r.seats for r in heard if isinstance(r, ButtonReading)] == [(2,)]
    polls = [r for r in heard if isinstance(r, Poll)]
    assert {p.antenna for p in polls} == {1, 2, 3, 4, 5}
    assert all(p.uids == cards.lying[p.antenna] for p in polls)
