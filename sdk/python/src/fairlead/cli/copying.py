"""The output of a member on stdout, resumed after an interruption."""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from datetime import datetime

from fairlead import Fairlead, FairleadError, Job, NotFound, RateLimited, ServerError, Unreachable
from fairlead._call import LONGEST_DELAY, backoff
from fairlead._time import Deadline
from fairlead.cli import text
from fairlead.cli.output import emit, say
from fairlead.cli.session import UsageProblem
from fairlead.states import MemberState

# consecutive reads of an ended member that may break off without a new line
LAST_TRIES = 4
# concurrent members, each with a separate connection
MOST_FOLLOWED = 64
# seconds between checks of the followed members
FOLLOW_CHECK = 0.1
# each read starts at the first line; the back-off limits reads of silent members
LONGEST_PAUSE = 60.0
ENDED = frozenset({MemberState.SUCCEEDED, MemberState.FAILED, MemberState.GONE})
# prefix of the line by which the service reports missing output; not present in every read
OF_FAIRLEAD = "[fairlead: "
IN_PLACE_OF = re.compile(r"\[fairlead: (\d+) lines (?:are missing|cannot be read now): ")
# placeholder for an unknown number of lines
HOLES = ("[fairlead: lines from ", "[fairlead: more than ")


class OutputCopy:
    """Yields each line of one member of an attempt once; `over` when the output is complete.

    The API has no offsets. An interrupted read starts again at the first line, and lines already
    printed are
    skipped. If the cluster has rotated the first lines away, all available lines are printed. With `tail`,
    the first read covers all available lines and prints the last of them. The number of lines
    before them is
    unknown."""

    def __init__(
        self,
        fl: Fairlead,
        job: str,
        attempt: int,
        *,
        member: str | None = None,
        element: int | None = None,
        since: datetime | None = None,
        tail: int | None = None,
        prefix: str = "",
    ) -> None:
        self.attempt = attempt
        self.over = False
        self._fl, self._job, self._member, self._element = fl, job, member, element
        self._since, self._prefix = since, prefix
        self._held: deque[str] | None = None if tail is None else deque(maxlen=tail)
        self._first: str | None = None
        self._printed = 0
        self._marks: set[tuple[int, str]] = set()
        self._new = False
        self._told = False

    def go_on(self, ended: bool, until: Deadline) -> None:
        """Reads until the member ends, or until the retries for a running member are exhausted.
        Raises NotFound if there
        is no output, and Unreachable if the service does not return the job either."""
        try:
            self._go_on(ended, until)
        except FairleadError:
            self._let_go()
            raise

    def _go_on(self, ended: bool, until: Deadline) -> None:
        tries = 0
        while not self.over and (ended or not until.passed()):
            self._new = False
            # without follow, the output ends at the present and the end of the job is not reported
            followed = self._held is None
            broken = self._read(ended, until)
            if not ended and until.passed():
                return
            tries = 0 if self._new else tries + 1
            if broken is None and (ended or (followed and self._has_ended())):
                self.over = True
            elif ended and tries >= LAST_TRIES:
                self.over = True
                self._let_go()
                say(text.safe(f"the rest of the output cannot be read: {broken}"))
            else:
                self._tell(broken)
                if ended:
                    time.sleep(backoff(tries))
                elif self._ends_within(until.at_most(backoff(tries, LONGEST_PAUSE))):
                    ended, tries = True, 0

    def _read(self, ended: bool, until: Deadline) -> FairleadError | None:
        """Prints new lines. Returns the reason for an interruption, None at the end of the output."""
        at = 0  # lines of the program up to here
        try:
            for line in self._fl.jobs.logs(
                self._job,
                follow=not ended and self._held is None,
                member=self._member,
                attempt=self.attempt,
                element=self._element,
                since_time=self._since,
                timeout=None if ended else until.left(),
            ):
                at = self._passed(line, at)
                if not ended and until.passed():
                    break
        except (Unreachable, ServerError, RateLimited) as broken:
            return broken
        self._let_go()
        return None

    def _passed(self, line: str, at: int) -> int:
        """Prints the line if it is new. Returns the number of program lines up to its end."""
        if not line.startswith(OF_FAIRLEAD):
            if at == 0 and line != self._first:
                if self._first is not None:
                    self._printed = 0
                    self._marks.clear()
                self._first = line
            self._print(line, at + 1)
            return at + 1
        replaces = IN_PLACE_OF.match(line)
        if replaces is not None:
            self._print(line, at + int(replaces[1]))
            return at + int(replaces[1])
        if (at, line) not in self._marks and (at >= self._printed or line.startswith(HOLES)):
            self._marks.add((at, line))
            self._printed = at
            self._emit(line)
        return at

    def _print(self, line: str, end: int) -> None:
        if end > self._printed:
            self._printed, self._new = end, True
            self._emit(line)

    def _emit(self, line: str) -> None:
        if self._held is None:
            emit(f"{self._prefix}{line}\n")
        else:
            self._held.append(line)

    def _let_go(self) -> None:
        held, self._held = self._held, None
        for line in held or ():
            emit(f"{self._prefix}{line}\n")

    def _ends_within(self, pause: float) -> bool:
        """A pause that ends early when the job ends."""
        while pause > 0:
            time.sleep(min(pause, LONGEST_DELAY))
            pause -= LONGEST_DELAY
            if self._has_ended():
                return True
        return False

    def _tell(self, broken: FairleadError | None) -> None:
        if broken is not None and not self._told:
            self._told = True
            say(text.safe(f"the output broke off and is read again: {broken}"))

    def _has_ended(self) -> bool:
        """The job, its attempt, or only the member while others still run."""
        job = self._fl.jobs.get(self._job)
        if job.ended or (job.array is None and job.attempt > self.attempt):
            return True
        members = self._fl.jobs.members(self._job, attempt=self.attempt, element=self._element)
        named = (one for one in members if self._member in (None, f"{one.role}-{one.index}"))
        ours = next(named, None)
        return ours is None or ours.state in ENDED


def print_all(
    fl: Fairlead,
    job: Job,
    attempt: int | None,
    element: int | None,
    *,
    following: bool,
    tail: int | None,
    since: datetime | None,
) -> None:
    """Output of all members of an attempt, each line prefixed with its member: member by member, or in
    order of arrival with `following`."""
    if following and not job.ended and attempt is None and element is None:
        job = fl.jobs.started(job.id)
    members = fl.jobs.members(job.id, attempt=attempt, element=element)
    names = [f"{one.role}-{one.index}" for one in members]
    if following and len(names) > MOST_FOLLOWED:
        raise UsageProblem(
            f"{job.name} has {len(names)} members, and {MOST_FOLLOWED} can be followed: give --member"
        )
    number = attempt or max(
        (one.number for one in fl.jobs.attempts(job.id, element=element)), default=0
    )
    width = max(map(len, names), default=0)

    def copy(name: str) -> None:
        one = OutputCopy(
            fl,
            job.id,
            number,
            member=name,
            element=element,
            since=since,
            tail=tail,
            prefix=f"{name:<{width}} | ",
        )
        try:
            one.go_on(job.ended or not following, Deadline(None))
        except NotFound as gone:
            say(f"{name}: no output: {gone.detail}")

    if not following:
        for name in names:
            copy(name)
        return
    failures: list[BaseException] = []

    def follow(name: str) -> None:
        try:
            copy(name)
        except BaseException as failure:
            failures.append(failure)

    # daemon threads, because Ctrl-C ends the command while members still run
    threads = [threading.Thread(target=follow, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    while not failures and any(thread.is_alive() for thread in threads):
        time.sleep(FOLLOW_CHECK)
    if failures:
        raise failures[0]
    if attempt is None and not fl.jobs.get(job.id).ended:
        say(f"{job.name} has a new attempt. Next:\n  fairlead logs -f {job.name} --all")
