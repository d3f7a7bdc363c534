"""A UHF reader by LLRP (Impinj, Zebra and others) through `llrpkit`, an optional package.

LLRP readers report tags while an ROSpec runs. A look is one ROSpec of one antenna, started, left
running for a fixed time and stopped: what was reported until the reader confirmed the stop is the
whole of it, so a look is complete and a tag that it does not name did not answer in that time. The
reader uses session 0, in which a tag answers again at once; in the others it stays silent after its
first answer, and an inventory says only what is new. UHF fields reach far and around corners: good
for a deck box, no good for telling seats apart.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from drivers.contracts import Clock, Sleep
from drivers.errors import (
    DeviceSilentError,
    DriverError,
    LinkLostError,
    MisconfiguredError,
    PortUnavailableError,
)
from drivers.readings import Poll, Uid
from drivers.rfid.link import LOST_AFTER_POLLS, poll_of

if TYPE_CHECKING:
    from llrpkit.client import LLRPClient

PORT = 5084
LOOK_S = 0.25
CONNECT_S = 3.0
ANSWER_S = 2.0
LEFT_ON_S = 2.0
"""A look that nobody stops ends by itself so long after its time."""


class LlrpLink:
    """One reader. ports: antenna number at the table to the reader's antenna, from 1. look_s: how
    long a look lasts. disconnected: reader's antennas whose cable it misses; their looks are
    noise."""

    push = None

    def __init__(
        self,
        name: str,
        host: str,
        port: int,
        ports: Mapping[int, int],
        where: str,
        *,
        look_s: float = LOOK_S,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.name = name
        self.ports = dict(ports)
        self.down = asyncio.Event()
        self.error: DriverError | None = None
        self.introduction = ""
        self.refused = 0
        self.disconnected: set[int] = set()
        self._address = (host, port)
        self._where = where
        self._look_s = look_s
        self._clock = clock
        self._sleep = sleep
        self._client: LLRPClient | None = None
        self._running: int | None = None

    @property
    def up(self) -> bool:
        """Connected and set up."""
        return self._client is not None and not self.down.is_set()

    async def open(self) -> None:
        """Connect and give the reader its tasks. Raises DriverError."""
        client_of, errors = _llrpkit()
        self.down.clear()
        self.error = None
        self.refused = 0
        self.disconnected = set()
        self._running = None
        client: LLRPClient = client_of(
            *self._address, response_timeout=ANSWER_S, connect_timeout=CONNECT_S
        )
        try:
            await client.connect()
            await self._set_up(client)
        except errors.LLRPError as error:
            await client.close()
            raise PortUnavailableError(
                f"{self._address[0]}:{self._address[1]} does not take the connection as a reader",
                self._where,
                "Check its address, cable and power, that LLRP is switched on, and that no other "
                "program holds it: it serves one at a time.",
            ) from error
        except BaseException:
            await client.close()
            raise
        self._client = client

    async def _set_up(self, client: LLRPClient) -> None:
        from llrpkit.client import check_status
        from llrpkit.inventory import build_rospec
        from llrpkit.protocol import enums, messages, params

        told: Any = check_status(await client.transact(messages.GET_READER_CAPABILITIES()))
        device = told.general_device_capabilities
        most = device.max_number_of_antenna_supported if device else 0
        missing = sorted(p for p in self.ports.values() if not 1 <= p <= most)
        if missing:
            raise MisconfiguredError(
                f"it has no antenna {missing[0]}", self._where, f"Allowed are 1 to {most}."
            )
        firmware = "".join(c for c in device.reader_firmware_version if c.isprintable())[:32]
        self.introduction = f"it answers, LLRP reader with firmware {firmware}"
        await client.transact(messages.DELETE_ROSPEC(ro_spec_id=0))  # an error: there was none
        await client.transact(
            messages.SET_READER_CONFIG(
                reader_event_notification_spec=params.ReaderEventNotificationSpec(
                    event_notification_states=[
                        params.EventNotificationState(
                            event_type=enums.NotificationEventType.Antenna_Event,
                            notification_state=True,
                        )
                    ]
                )
            )
        )
        lasts_ms = round((self._look_s + LEFT_ON_S) * 1000)
        for port in sorted(set(self.ports.values())):
            rospec = build_rospec(
                ro_spec_id=port, antennas=(port,), session=0, duration_ms=lasts_ms
            )
            check_status(await client.transact(messages.ADD_ROSPEC(ro_spec=rospec)))
            check_status(await client.transact(messages.ENABLE_ROSPEC(ro_spec_id=port)))

    def close(self) -> Awaitable[None] | None:
        """Break the connection off; wait for what is given back."""
        client, self._client = self._client, None
        return None if client is None else client.close()

    async def poll(self, antenna: int) -> Poll:
        """One look. Raises DriverError when the reader is lost, and is `down` then."""
        from llrpkit import exceptions as errors

        client = self._client
        if client is None:
            raise self._gone()
        started = self._clock()
        try:
            uids = await self._look(client, self.ports[antenna])
            self.refused = 0
        except errors.LLRPStatusError:
            # It answers, and does not do what it is told.
            uids = None
            self.refused += 1
            if self.refused >= LOST_AFTER_POLLS:
                raise self._fail(self._useless()) from None
            await self._sleep(self._look_s)
        except errors.LLRPError as error:
            raise self._fail(self._gone()) from error
        return poll_of(antenna, uids, started, self._clock())

    async def _look(self, client: LLRPClient, port: int) -> tuple[Uid, ...] | None:
        from llrpkit.client import check_status
        from llrpkit.protocol import messages

        _drain(client.reports)
        dropped = client.dropped_reports
        self._running = port
        check_status(await client.transact(messages.START_ROSPEC(ro_spec_id=port)))
        await self._sleep(self._look_s)
        check_status(await client.transact(messages.STOP_ROSPEC(ro_spec_id=port)))
        self._running = None
        found = dict.fromkeys(
            uid for report in _drain(client.reports) for uid in _epcs(report, port)
        )
        self._notice(client)
        if port in self.disconnected or client.dropped_reports != dropped:
            return None
        return tuple(found)

    def _notice(self, client: LLRPClient) -> None:
        """Antennas that were connected or disconnected since the last look."""
        for event in _drain(client.events):
            data = getattr(event, "reader_event_notification_data", None)
            told = getattr(data, "antenna_event", None)
            if told is not None and int(told.event_type) == 0:
                self.disconnected.add(told.antenna_id)
            elif told is not None:
                self.disconnected.discard(told.antenna_id)

    async def listen(self, until: float) -> list[Poll]:
        raise MisconfiguredError("its looks are asked for", self._where, 'Use mode "polled".')

    async def quiet(self) -> None:
        """End a look that was broken off in the middle."""
        client, running = self._client, self._running
        if client is None or running is None:
            return
        from llrpkit import exceptions as errors
        from llrpkit.protocol import messages

        self._running = None
        try:
            await client.transact(messages.STOP_ROSPEC(ro_spec_id=running))
        except errors.LLRPError:
            self._fail(self._gone())

    def _fail(self, error: DriverError) -> DriverError:
        self.error = error
        self.down.set()
        return error

    def _gone(self) -> DriverError:
        return LinkLostError(
            "the connection to the reader is gone",
            self._where,
            "Check its cable and power; it is tried again by itself.",
        )

    def _useless(self) -> DriverError:
        return DeviceSilentError(
            "it refuses to look at its antennas",
            self._where,
            "Restart the reader; it is tried again by itself.",
        )


def _llrpkit() -> tuple[Callable[..., Any], Any]:
    """The package's client and its errors; it says nothing by itself."""
    try:
        from llrpkit import exceptions
        from llrpkit.client import LLRPClient
    except ModuleNotFoundError:
        raise MisconfiguredError(
            "UHF readers need the Python package llrpkit, which is not installed",
            "driver llrp",
            "Install it with: pip install 'burnturn[llrp]'.",
        ) from None
    logging.getLogger("llrpkit").setLevel(logging.CRITICAL)  # what is wrong is told as health
    return LLRPClient, exceptions


def _drain(queue: asyncio.Queue[Any]) -> list[Any]:
    return [queue.get_nowait() for _ in range(queue.qsize())]


def _epcs(report: Any, port: int) -> list[Uid]:
    """The tags of one report that this antenna saw."""
    found = []
    for told in report.tag_report_datas:
        epc = told.epc_parameter
        code = epc.epc if hasattr(epc, "epc") and isinstance(epc.epc, bytes) else epc.epc.data
        here = told.antenna_id is None or told.antenna_id.antenna_id == port
        if code and here:
            found.append(Uid(code))
    return found
