"""A driver that opens /dev/spidev0.0 through python-periphery; run under umockdev-wrapper by
`test_mfrc522_spidev.py`. Obeys a line `look` or `end` with what the look said, or why it ended."""

from __future__ import annotations

import asyncio
import sys

from drivers.errors import DriverError
from drivers.rfid.mfrc522 import Mfrc522Link, spi_connector
from drivers.rfid.mfrc522_session import Mfrc522Settings


async def main() -> None:
    connect = spi_connector("/dev/spidev0.0", "bench")
    link = Mfrc522Link("bench", connect, 1, Mfrc522Settings(where="bench"))
    await link.open()
    print(link.introduction, flush=True)
    while (await asyncio.to_thread(sys.stdin.readline)).strip() == "look":
        try:
            poll = await link.poll(1)
            print(poll.outcome, *sorted(uid.hex() for uid in poll.uids), flush=True)
        except DriverError as error:
            print(f"lost: {error}", flush=True)
    link.close()


if __name__ == "__main__":
    asyncio.run(main())
