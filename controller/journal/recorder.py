"""The journal's rim on the event loop: commits off the polling loop, and says when recording is not
possible."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from controller.journal.record import Body, Outage
from controller.journal.trouble import JournalError, Trouble
from controller.journal.writer import Journal

LIMIT_S = 0.5
"""A commit that takes longer counts as not recording."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Whether what happens is on the disk before it is shown. While `ok` is False the board says
    NOT RECORDING and shows health, not verdicts. since: monotonic second of the last change.
    reason: what, where, what next."""

    ok: bool
    since: float
    reason: str = ""
    trouble: Trouble | None = None
    waiting: int = 0
    lost: int = 0


class Recorder:
    """Stages at once, commits in a thread of its own, one batch at a time.

    changed: called on the loop (or by `commit_now`) each time that recording stops or works again;
    also while a commit is still under way, as soon as it takes longer than `limit_s`. clock:
    monotonic seconds, in the same time as the events' `at`.

    While recording is not possible, call `commit` about once a second even if nothing happened: it
    tries again. When it works again, an `outage` record says from when to when it did not."""

    def __init__(
        self,
        journal: Journal,
        *,
        changed: Callable[[Recording], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        limit_s: float = LIMIT_S,
    ) -> None:
        self.journal = journal
        self._changed = changed
        self._clock = clock
        self._limit_s = limit_s
        self._state = Recording(True, clock())
        self._outage_staged = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._busy = asyncio.Lock()

    @property
    def state(self) -> Recording:
        return self._state

    def stage(self, body: Body, *, sealed: bytes | None = None) -> int:
        """Number it; it is on the disk when a `commit` that began later has returned a state that
        is ok."""
        return self.journal.stage(body, sealed=sealed)

    async def commit(self) -> Recording:
        """Put everything staged on the disk; returns whether recording works. Raises nothing for
        storage trouble."""
        async with self._busy:
            self._stage_outage()
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(self._thread, self._timed)
            done, _ = await asyncio.wait({work}, timeout=self._limit_s)
            if not done:
                self._be(
                    self._slow(f"a commit has been under way for more than {self._limit_s:g} s")
                )
            try:
                took_s = await work
            except JournalError as e:
                return self._failed(e)
            # Behind the acknowledgement: nobody waits for the checkpoint but a commit that comes
            # meanwhile.
            loop.run_in_executor(self._thread, self.journal.tidy)
            return self._succeeded(took_s)

    def commit_now(self) -> Recording:
        """The same, here and now: for virtual time and for the last words at the end."""
        self._stage_outage()
        try:
            took_s = self._timed()
        except JournalError as e:
            return self._failed(e)
        self.journal.tidy()
        return self._succeeded(took_s)

    async def close(self) -> None:
        """Commit what is staged, if possible, and let go of the file."""
        await self.commit()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self.journal.close)
        self._thread.shutdown()

    def _timed(self) -> float:
        began = self._clock()
        self.journal.commit()
        return self._clock() - began

    def _stage_outage(self) -> None:
        # Without something to write, a commit would succeed on a dead disk.
        if not self._state.ok and not self._outage_staged:
            self._outage_staged = True
            self.journal.stage(
                Outage(
                    at=self._clock(),
                    since=self._state.since,
                    waited=self.journal.waiting,
                    reason=self._state.trouble or "",
                )
            )

    def _succeeded(self, took_s: float) -> Recording:
        self._outage_staged = False
        if took_s > self._limit_s:
            return self._be(self._slow(f"a commit took {took_s * 1000:.0f} ms"))
        return self._be(Recording(True, self._clock(), lost=self.journal.lost))

    def _slow(self, detail: str) -> Recording:
        e = JournalError(Trouble.SLOW, self.journal.path, detail)
        return self._not_recording(e)

    def _failed(self, e: JournalError) -> Recording:
        return self._be(self._not_recording(e))

    def _not_recording(self, e: JournalError) -> Recording:
        return Recording(
            False, self._clock(), str(e), e.trouble, self.journal.waiting, self.journal.lost
        )

    def _be(self, now: Recording) -> Recording:
        before = self._state
        if now.ok == before.ok:
            now = Recording(now.ok, before.since, now.reason, now.trouble, now.waiting, now.lost)
        self._state = now
        if self._changed is not None and (now.ok, now.trouble) != (before.ok, before.trouble):
            self._changed(now)
        return now
