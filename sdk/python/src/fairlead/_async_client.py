"""The asynchronous client. The other client is generated from this file by tools/generate.py."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import anyio
import httpx2
from pydantic import BaseModel, ConfigDict, PrivateAttr

from fairlead import _signin, models
from fairlead._call import (
    Body,
    Call,
    backoff,
    ending,
    get,
    path,
    plain,
    read,
    reasoned,
    refusal,
    retry_after_answer,
    retry_after_failure,
    unreachable,
    write,
)
from fairlead._errors import (
    Ambiguous,
    FairleadError,
    NotFound,
    RateLimited,
    ServerError,
    Unreachable,
    WaitTimeout,
    api_error,
)
from fairlead._events import EventLines
from fairlead._html import Rows
from fairlead._settings import (
    DEFAULT_PROJECT,
    DEFAULT_URL,
    Settings,
    checked_tenant,
    checked_token,
    checked_url,
)
from fairlead._time import ENDED, JOB_ID, Deadline, iso
from fairlead._tls import trusted
from fairlead._workdir import Archive, pack

T = TypeVar("T", bound=BaseModel)
MEMBERS = "/{kind}/{place}/members"
SECRETS = "/projects/{project}/secrets"
SCHEDULES = "/projects/{project}/schedules"
WARM_POOLS = "/projects/{project}/warm-pools"
PIPELINES = "/projects/{project}/pipelines"
SERVICES = "/projects/{project}/services"
VOLUMES = "/projects/{project}/volumes"
WORKDIR = "/projects/{project}/workdirs/{workdir}"
TRANSFERS = VOLUMES + "/{volume}/transfers"
P = TypeVar("P", bound=BaseModel)

# number of the newest jobs that are checked when a name prefix is given
PREFIX_SEARCH = 2_000
# number of jobs named for an ambiguous prefix
MOST_NAMED = 8
WATCH_EVERY = 1.0
# a page of a verification
LINKS = 10_000
# the service sends a line at least every 15 s
STREAM_SILENCE = 45.0
# the output of a short job is deleted with it
START_EVERY = 0.25
# jobs in one request
LARGEST_BATCH = 1_000


class Nothing(BaseModel):
    """A response without a body."""

    model_config = ConfigDict(extra="allow")


class AsyncJob(models.JobResponse):
    """A job as of the last response from the service, with its operations."""

    _client: AsyncFairlead = PrivateAttr()

    def __repr__(self) -> str:
        where = f" on {self.placement.cluster}" if self.placement.cluster else ""
        why = f": {self.pending.message}" if self.pending else ""
        return f"<Job {self.name} {self.id} {self.state}{where}{why}>"

    def __str__(self) -> str:
        return repr(self)

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    async def refresh(self) -> AsyncJob:
        """Returns the job with its current state."""
        return self._updated(await self._client.jobs.get(self.id))

    async def cancel(self) -> AsyncJob:
        return await self._client.jobs.cancel(self.id)

    async def suspend(self) -> AsyncJob:
        return await self._client.jobs.suspend(self.id)

    async def checkpoint(self) -> AsyncJob:
        return await self._client.jobs.checkpoint(self.id)

    async def resume(self) -> AsyncJob:
        return await self._client.jobs.resume(self.id)

    async def requeue(self) -> AsyncJob:
        return await self._client.jobs.requeue(self.id)

    async def delete(self) -> None:
        await self._client.jobs.delete(self.id)

    async def explain(self) -> models.ExplanationResponse:
        """Returns the reasons why the job waits."""
        return await self._client.jobs.explain(self.id)

    async def decisions(self, **options: Any) -> Sequence[models.DecisionResponse]:
        """Decisions about the job. Takes the options of `jobs.decisions`."""
        return await self._client.jobs.decisions(self.id, **options)

    async def wait(self, timeout: float | None = None) -> AsyncJob:
        """Returns the job when it has ended. Raises WaitTimeout after `timeout` seconds."""
        return self._updated(await self._client.jobs.wait(self.id, timeout))

    def _updated(self, now: AsyncJob) -> AsyncJob:
        """Returns the job with the fields of `now`."""
        self.__dict__.update(now.__dict__)
        self.__pydantic_fields_set__.update(now.model_fields_set)
        return self

    async def logs(self, **options: Any) -> AsyncIterator[str]:
        """Lines of a member's output. Takes the options of `jobs.logs`. `follow=True` first waits for the
        start of a pending job. Follow a running job, because a cluster deletes the output with the pod."""
        if options.get("follow"):
            await self._client.jobs.started(self.id)
        async for line in self._client.jobs.logs(self.id, **options):
            yield line

    async def list_attempts(self) -> Sequence[models.AttemptResponse]:
        return await self._client.jobs.attempts(self.id)

    async def list_events(self) -> AsyncIterator[models.EventResponse]:
        async for event in self._client.jobs.events(self.id):
            yield event


class PageAsyncJob(models.PageJobResponse):
    items: list[AsyncJob]  # type: ignore[assignment]


class AsyncBatchItem(models.BatchItem):
    """The result of one job of a batch: `job`, or the `problem` of a refused job."""

    job: AsyncJob | None = None

    async def wait(self, timeout: float | None = None) -> AsyncJob:
        """Returns the ended job. Raises WaitTimeout, and ApiError for a refused job."""
        if self.job is not None:
            return await self.job.wait(timeout)
        problem = self.problem.model_dump(mode="json", by_alias=True) if self.problem else None
        raise api_error(self.status, problem, None)


class AsyncBatchResponse(models.BatchResponse):
    items: list[AsyncBatchItem]  # type: ignore[assignment]


class _Part:
    def __init__(self, client: AsyncFairlead) -> None:
        self._client = client

    async def _get(
        self, form: str, answer: type[T], params: Mapping[str, Any] | None = None, **parts: str
    ) -> T:
        return await self._client.send(get(form, answer, params, **parts))

    async def _write(
        self, method: str, form: str, answer: type[T], body: Body | None = None, **rest: Any
    ) -> T:
        return await self._client.send(write(method, form, answer, body, **rest))


class AsyncJobs(_Part):
    """`fl.jobs`"""

    def _bound(self, job: AsyncJob) -> AsyncJob:
        job._client = self._client
        return job

    async def submit(
        self,
        spec: models.SubmitJobRequest | Mapping[str, Any] | str,
        *,
        project: str | None = None,
        validate_only: bool = False,
        idempotency_key: str | None = None,
    ) -> AsyncJob:
        """A model, a mapping, or YAML text. With `validate_only`, nothing is stored and no id is
        assigned."""
        call = write(
            "POST",
            "/projects/{project}/jobs",
            AsyncJob,
            spec,
            validate_only=validate_only,
            key=idempotency_key,
            project=project or self._client.project,
        )
        return self._bound(await self._client.send(call))

    async def upload_workdir(
        self, directory: str | Path, *, project: str | None = None
    ) -> models.WorkdirResponse:
        """Packs the directory and uploads it unless the project already has it. A job uses it by
        `workdir={"digest": ...}`. Files that .gitignore excludes are skipped."""
        return await self.upload_archive(pack(directory), project=project)

    async def upload_archive(
        self, archive: Archive, *, project: str | None = None
    ) -> models.WorkdirResponse:
        """Uploads a packed directory unless the project already has it."""
        parts = {"project": project or self._client.project, "workdir": archive.digest}
        try:
            return await self._client.send(get(WORKDIR, models.WorkdirResponse, None, **parts))
        except NotFound:
            pass
        call = Call(
            "PUT",
            path(WORKDIR, **parts),
            models.WorkdirResponse,
            content=archive.content,
            headers={"Accept": "application/json", "Content-Type": "application/gzip"},
        )
        return await self._client.send(call)

    async def plan(
        self,
        spec: models.SubmitJobRequest | Mapping[str, Any] | str,
        *,
        project: str | None = None,
    ) -> models.PlanResponse:
        """Predicts the placement of the spec and stores nothing."""
        return await self._write(
            "POST",
            "/jobs/plan",
            models.PlanResponse,
            spec,
            params={"project": project or self._client.project},
        )

    async def submit_batch(
        self,
        specs: Sequence[models.SubmitJobRequest | Mapping[str, Any]],
        *,
        atomic: bool = False,
        project: str | None = None,
        validate_only: bool = False,
        idempotency_key: str | None = None,
    ) -> Sequence[AsyncBatchItem]:
        """Submits any number of jobs in requests of 1,000 and returns a result for each. `atomic` submits
        all jobs or none, at most 1,000. With a key, the key of each request is the key and its number."""
        if atomic and len(specs) > LARGEST_BATCH:
            raise ValueError(f"an atomic batch has at most {LARGEST_BATCH} jobs, not {len(specs)}")
        items: list[AsyncBatchItem] = []
        for start in range(0, max(1, len(specs)), LARGEST_BATCH):
            part = [plain(spec) for spec in specs[start : start + LARGEST_BATCH]]
            number = f"-{start // LARGEST_BATCH}" if start else ""
            call = write(
                "POST",
                "/projects/{project}/jobs/batch",
                AsyncBatchResponse,
                {"items": part, "atomic": atomic},
                validate_only=validate_only,
                key=idempotency_key and idempotency_key + number,
                project=project or self._client.project,
            )
            items += (await self._client.send(call)).items
        for item in items:
            if item.job is not None:
                self._bound(item.job)
        return items

    async def list(
        self,
        *,
        project: str | None = None,
        state: str | Sequence[str] | None = None,
        queue: str | Sequence[str] | None = None,
        user: str | None = None,
        name: str | None = None,
        name_contains: str | None = None,
        label: str | Sequence[str] | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        order_by: str | None = None,
        view: str = "BASIC",
        page_size: int = 200,
    ) -> AsyncIterator[AsyncJob]:
        """Matching jobs of all projects or of one project, newest first. Pages are fetched as needed.

        `name` is a full name, `name_contains` a part of a name. `created_after` and
        `created_before` are times or durations back from now, such as "24h". `order_by` is
        "createdAt", "-createdAt", "-priority" or "name". `view="FULL"` includes the specs.
        """
        filters = {
            "state": state,
            "queue": queue,
            "user": user,
            "name": name,
            "nameContains": name_contains,
            "label": label,
            "createdAfter": iso(created_after),
            "createdBefore": iso(created_before),
            "orderBy": order_by,
            "view": view,
            "pageSize": page_size,
        }
        call = (
            get("/jobs", PageAsyncJob, filters)
            if project is None
            else get("/projects/{project}/jobs", PageAsyncJob, filters, project=project)
        )
        async for job in self._client.pages(call, lambda page: page.items):
            yield self._bound(job)

    async def get(self, job: str) -> AsyncJob:
        """Returns the job with this id."""
        return self._bound(await self._client.send(get("/jobs/{job}", AsyncJob, job=job)))

    async def latest(self, name: str, *, project: str | None = None) -> AsyncJob:
        """Returns the newest job of this name in a project, by default the current project."""
        call = get(
            "/projects/{project}/jobs/{name}",
            AsyncJob,
            project=project or self._client.project,
            name=name,
        )
        return self._bound(await self._client.send(call))

    async def named(self, name: str, *, project: str | None = None) -> Sequence[AsyncJob]:
        """All jobs with exactly this name, newest first. Each project has at most one active job with
        that name."""
        if not _is_name(name):
            return []
        return [job async for job in self.list(name=name, project=project)]

    async def find(self, text: str, *, project: str | None = None) -> AsyncJob:
        """Finds a job for reading by id, by name (an active job first, then the newest job), or by a
        prefix that is unique among the newest 2,000 jobs. Raises NotFound or Ambiguous. Use the id or
        `only` to cancel, change or delete a job."""
        if JOB_ID.fullmatch(text):
            return await self.get(text)
        named = await self.named(text, project=project)
        if named:
            chosen = next((job for job in named if not job.ended), named[0])
            return await self.get(chosen.id)
        found: list[AsyncJob] = []
        seen = 0
        async for job in self.list(project=project, page_size=500):
            if text and (job.name.startswith(text) or job.id.startswith(text)):
                found.append(job)
            seen += 1
            if seen >= PREFIX_SEARCH or len(found) > MOST_NAMED:
                break
        if len(found) > 1:
            raise Ambiguous(f"{text!r} is the beginning of several jobs", found)
        if not found:
            raise NotFound(404, "NOT_FOUND", f"There is no job with the name or id {text!r}.")
        return await self.get(found[0].id)

    async def only(self, text: str, *, project: str | None = None) -> AsyncJob:
        """Finds a job by id or by a unique name. If several jobs have the name, returns the active job. A
        prefix of a name is not accepted. Raises NotFound or Ambiguous."""
        if JOB_ID.fullmatch(text):
            return await self.get(text)
        named = await self.named(text, project=project)
        live = [job for job in named if not job.ended]
        if not named:
            where = f" in project {project}: name its project, or its id" if project else ""
            detail = f"There is no job with exactly the name or id {text!r}{where}."
            raise NotFound(404, "NOT_FOUND", detail)
        if len(live) == 1 or len(named) == 1:
            return await self.get((live or named)[0].id)
        raise Ambiguous(f"{text!r} is the name of {len(named)} jobs", named)

    async def cancel(self, job: str, *, validate_only: bool = False) -> AsyncJob:
        call = write("POST", "/jobs/{job}/cancel", AsyncJob, validate_only=validate_only, job=job)
        return self._bound(await self._client.send(call))

    async def suspend(
        self, job: str, *, validate_only: bool = False, idempotency_key: str | None = None
    ) -> AsyncJob:
        """Suspends the job until a resume. Running members stop with its grace period."""
        return await self._act("/jobs/{job}/suspend", job, validate_only, idempotency_key)

    async def session_link(
        self, job: str, *, validate_only: bool = False
    ) -> models.SessionLinkResponse:
        """A link with which a browser enters the page of a running session, valid for a minute."""
        path = "/jobs/{job}/session-links"
        model = models.SessionLinkResponse
        return await self._write("POST", path, model, validate_only=validate_only, job=job)

    async def checkpoint(
        self, job: str, *, validate_only: bool = False, idempotency_key: str | None = None
    ) -> AsyncJob:
        """Records a checkpoint: the end of the attempt would lose only later work."""
        return await self._act("/jobs/{job}/checkpoint", job, validate_only, idempotency_key)

    async def resume(
        self, job: str, *, validate_only: bool = False, idempotency_key: str | None = None
    ) -> AsyncJob:
        """Queues a suspended job again."""
        return await self._act("/jobs/{job}/resume", job, validate_only, idempotency_key)

    async def requeue(
        self, job: str, *, validate_only: bool = False, idempotency_key: str | None = None
    ) -> AsyncJob:
        """Stops the job and queues it again. Spends no retry budget."""
        return await self._act("/jobs/{job}/requeue", job, validate_only, idempotency_key)

    async def _act(
        self, template: str, job: str, validate_only: bool, idempotency_key: str | None
    ) -> AsyncJob:
        call = write(
            "POST", template, AsyncJob, validate_only=validate_only, key=idempotency_key, job=job
        )
        return self._bound(await self._client.send(call))

    async def report_check(
        self,
        job: str,
        check: str,
        state: str,
        request: int,
        *,
        message: str | None = None,
        retry_after: str | None = None,
        validate_only: bool = False,
    ) -> AsyncJob:
        """Reports READY, RETRY, REJECTED or PENDING for an admission check. `request` is the number
        of the request in the job's `checks`. Raises Conflict when the job no longer waits for it."""
        given = {
            "state": state,
            "request": request,
            "message": message,
            "retryAfter": retry_after,
        }
        call = write(
            "PUT",
            "/jobs/{job}/checks/{check}",
            AsyncJob,
            {name: value for name, value in given.items() if value is not None},
            validate_only=validate_only,
            job=job,
            check=check,
        )
        return self._bound(await self._client.send(call))

    async def patch(
        self,
        job: str,
        change: Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> AsyncJob:
        """A merge patch of priorityClass, labels, maxRuntime, deadline and workers. With
        `version` it raises Conflict after a later change."""
        call = write(
            "PATCH",
            "/jobs/{job}",
            AsyncJob,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=version is None,
            job=job,
        )
        return self._bound(await self._client.send(call))

    async def schema(self) -> dict[str, Any]:
        """Returns the JSON Schema of a job spec, for editors."""
        answer = await self._client.send(get("/schemas/job.json", Nothing))
        return answer.model_dump()

    async def summary(
        self,
        by: str | Sequence[str] = "state",
        *,
        project: str | None = None,
        state: str | Sequence[str] | None = None,
        queue: str | Sequence[str] | None = None,
        user: str | None = None,
        label: str | Sequence[str] | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
    ) -> Sequence[models.CountResponse]:
        """Number of jobs by state, queue, project or user."""
        filters = {
            "groupBy": by,
            "project": project,
            "state": state,
            "queue": queue,
            "user": user,
            "label": label,
            "createdAfter": iso(created_after),
            "createdBefore": iso(created_before),
        }
        return (await self._get("/jobs/summary", models.PageCountResponse, filters)).items

    async def bulk_cancel(
        self,
        filter: models.BulkFilterRequest | Mapping[str, Any],
        expected_count: int,
        *,
        validate_only: bool = False,
        idempotency_key: str | None = None,
    ) -> int:
        """Cancels all jobs that match the filter, at most 1,000. Raises Conflict and cancels
        nothing if their
        number differs from the expected number."""
        return (
            await self._write(
                "POST",
                "/jobs/bulk-cancel",
                models.BulkCancelResponse,
                {"filter": plain(filter), "expectedCount": expected_count},
                validate_only=validate_only,
                key=idempotency_key,
            )
        ).cancelled

    async def explain(self, job: str) -> models.ExplanationResponse:
        """The reasons why the job waits, with their numbers."""
        return await self._get("/jobs/{job}/explanation", models.ExplanationResponse, job=job)

    async def decisions(
        self, job: str, *, kind: str | None = None, at: str | datetime | None = None
    ) -> Sequence[models.DecisionResponse]:
        """Decisions about a job by time with their explanations, even after its end.

        `kind` selects PLACED, WAITED, EVICTED, MOVED, UNREACHABLE or REACHABLE. `at` returns only the
        decision in effect at that time, if any."""
        then = iso(at)
        options = {"kind": kind, "at": then}
        return (
            await self._get("/jobs/{job}/decisions", models.PageDecisionResponse, options, job=job)
        ).items

    async def attempts(
        self, job: str, *, element: int | None = None
    ) -> Sequence[models.AttemptResponse]:
        """All attempts by element and number, or the attempts of one element of an array."""
        options = {"element": element, "pageSize": 500}
        call = get("/jobs/{job}/attempts", models.PageAttemptResponse, options, job=job)
        return [one async for one in self._client.pages(call, lambda page: page.items)]

    async def members(
        self, job: str, *, attempt: int | None = None, element: int | None = None
    ) -> Sequence[models.MemberResponse]:
        """Members of an attempt, by default the newest. For an array, of an attempt of this element."""
        options = {"attempt": attempt, "element": element}
        page = await self._client.send(
            get("/jobs/{job}/members", models.PageMemberResponse, options, job=job)
        )
        return page.items

    async def delete(self, job: str, *, validate_only: bool = False) -> None:
        """Deletes an ended job. Raises Conflict while its cluster still has objects of the job."""
        await self._write(
            "DELETE",
            "/jobs/{job}",
            Nothing,
            validate_only=validate_only,
            job=job,
        )

    async def confirm_dead(
        self,
        attempt: str,
        members: Sequence[str],
        reason: str,
        *,
        validate_only: bool = False,
        idempotency_key: str | None = None,
    ) -> models.ConfirmedDeathResponse:
        """Confirms as an operator that unreachable members no longer run. The audit records it."""
        return await self._write(
            "POST",
            "/attempts/{attempt_id}/confirm-dead",
            models.ConfirmedDeathResponse,
            {"members": list(members), "reason": reason},
            validate_only=validate_only,
            key=idempotency_key,
            attempt_id=attempt,
        )

    async def elements(self, job: str) -> AsyncIterator[models.ElementResponse]:
        """Elements of an array job that have started at least once."""
        call = get("/jobs/{job}/elements", models.PageElementResponse, {"pageSize": 500}, job=job)
        async for element in self._client.pages(call, lambda page: page.items):
            yield element

    async def events(self, job: str) -> AsyncIterator[models.EventResponse]:
        """Events of the job, oldest first."""
        call = get("/jobs/{job}/events", models.PageEventResponse, {"pageSize": 500}, job=job)
        async for event in self._client.pages(call, lambda page: page.items):
            yield event

    async def logs(
        self,
        job: str,
        *,
        follow: bool = False,
        member: str | None = None,
        container: str | None = None,
        attempt: int | None = None,
        element: int | None = None,
        tail: int | None = None,
        since_time: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[str]:
        """Lines without their line ends. `member` is role and index, such as "worker-0". `container`
        is an init container or sidecar, whose output is only on the cluster. `follow` reads
        until the member ends. Raises Unreachable after `timeout` seconds without an end. Without a
        `timeout`, `follow` has no limit, even while the member prints nothing."""
        since = iso(since_time)
        options = {
            "follow": "true" if follow else None,
            "member": member,
            "container": container,
            "attempt": attempt,
            "element": element,
            "tail": tail,
            "sinceTime": since,
        }
        call = get("/jobs/{job}/logs", Nothing, options, job=job)
        async with self._client.streamed(call, endless=follow, longest=timeout) as response:
            async for line in response.aiter_lines():
                yield line

    async def watch(
        self,
        job: str,
        *,
        timeout: float | None = None,
        every: float = WATCH_EVERY,
        remind: float | None = None,
    ) -> AsyncIterator[AsyncJob]:
        """Yields the job now and after each change, until it has ended. Raises WaitTimeout at the first
        read after `timeout` seconds, including the time that the caller spends on a change. `remind` also
        yields the job after this many seconds without a change."""
        deadline = Deadline(timeout)
        shown: object = None
        reminder = Deadline(remind)
        while True:
            late = deadline.passed()
            now = await self.get(job)
            if (now.version, now.pending, now.array) != shown or reminder.passed():
                reminder = Deadline(remind)
                shown = (now.version, now.pending, now.array)
                yield now
            if now.ended:
                return
            if late:
                raise WaitTimeout(f"{now.name} is {now.state} after {timeout:g} s")
            await anyio.sleep(deadline.at_most(every))

    async def started(self, job: str, timeout: float | None = None) -> AsyncJob:
        """Returns the job when it runs or has ended."""
        async for last in self.watch(job, timeout=timeout, every=START_EVERY):
            if last.state == "RUNNING" or last.ended:
                return last
        raise WaitTimeout(f"{job} was not seen to start")

    async def wait(
        self, job: str, timeout: float | None = None, *, every: float = WATCH_EVERY
    ) -> AsyncJob:
        """Returns the job when it has ended."""
        async for last in self.watch(job, timeout=timeout, every=every):
            if last.ended:
                return last
        raise WaitTimeout(f"the end of {job} was not observed")

    async def wait_all(
        self,
        jobs: Sequence[AsyncJob | AsyncBatchItem | str],
        timeout: float | None = None,
        *,
        every: float = WATCH_EVERY,
    ) -> Sequence[AsyncJob]:
        """Waits for jobs, items of a batch, or ids, and returns the ended jobs in the same order. Updates
        the given objects. Raises WaitTimeout after `timeout` seconds, and the ApiError of a
        refused item."""
        deadline = Deadline(timeout)
        for refused in [one for one in jobs if isinstance(one, AsyncBatchItem) and not one.job]:
            await refused.wait()
        ended = []
        for one in jobs:
            job = one.job if isinstance(one, AsyncBatchItem) else one
            assert job is not None
            name = job if isinstance(job, str) else job.id
            now = await self.wait(name, deadline.left(), every=every)
            ended.append(now if isinstance(job, str) else job._updated(now))
        return ended


class AsyncProjects(_Part):
    """`fl.projects`"""

    async def list(self) -> Sequence[models.ProjectResponse]:
        return (await self._get("/projects", models.PageProjectResponse)).items

    async def get(self, project: str) -> models.ProjectResponse:
        return await self._get("/projects/{project}", models.ProjectResponse, project=project)

    async def create(
        self,
        body: models.CreateProjectRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.ProjectResponse:
        return await self._client.send(
            _create("/projects", models.ProjectResponse, body, validate_only)
        )

    async def update(
        self,
        project: str,
        change: models.UpdateProjectRequest | Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.ProjectResponse:
        """Changes the project. With `version`, raises Conflict after a later change."""
        return await self._write(
            "PATCH",
            "/projects/{project}",
            models.ProjectResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            project=project,
        )

    async def delete(
        self, project: str, *, version: int | None = None, validate_only: bool = False
    ) -> None:
        """Deletes a project without jobs."""
        await self._write(
            "DELETE",
            "/projects/{project}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            project=project,
        )

    async def limits(self, project: str) -> models.LimitsResponse:
        """Returns the configured and the effective limits."""
        return await self._get("/projects/{project}/limits", models.LimitsResponse, project=project)

    async def update_limits(
        self,
        project: str,
        change: models.Limits | Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.LimitsResponse:
        """Applies a merge patch to the limits. None restores the default."""
        return await self._write(
            "PATCH",
            "/projects/{project}/limits",
            models.LimitsResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            project=project,
        )


class AsyncTenants(_Part):
    """`fl.tenants`: isolated customers of the installation"""

    async def list(self) -> Sequence[models.Tenant]:
        """Lists all tenants for platform roles, otherwise the tenant of the caller."""
        return (await self._get("/tenants", models.PageTenant)).items

    async def get(self, tenant: str) -> models.Tenant:
        """Reads a tenant by its name."""
        return await self._get("/tenants/{tenant}", models.Tenant, tenant=tenant)

    async def create(
        self,
        body: models.CreateTenantRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.Tenant:
        return await self._client.send(_create("/tenants", models.Tenant, body, validate_only))

    async def update(
        self,
        tenant: str,
        change: models.UpdateTenantRequest | Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.Tenant:
        """Changes the tenant. With `version`, raises Conflict after a later change."""
        return await self._write(
            "PATCH",
            "/tenants/{tenant}",
            models.Tenant,
            change,
            if_match=version,
            validate_only=validate_only,
            tenant=tenant,
        )

    async def archive(
        self, tenant: str, *, version: int | None = None, validate_only: bool = False
    ) -> models.Tenant:
        """Archives the tenant. The tenant accepts no new jobs, and its jobs are cancelled."""
        return await self._write(
            "POST",
            "/tenants/{tenant}/archive",
            models.Tenant,
            if_match=version,
            validate_only=validate_only,
            tenant=tenant,
        )

    async def limits(self, tenant: str) -> models.LimitsResponse:
        """Returns the configured and the effective limits."""
        return await self._get("/tenants/{tenant}/limits", models.LimitsResponse, tenant=tenant)

    async def update_limits(
        self,
        tenant: str,
        change: models.Limits | Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.LimitsResponse:
        """Applies a merge patch to the limits. None restores the default."""
        return await self._write(
            "PATCH",
            "/tenants/{tenant}/limits",
            models.LimitsResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            tenant=tenant,
        )


class AsyncMembers(_Part):
    """`fl.members`: roles in a tenant, or in a project of the current tenant. Each method takes
    either `tenant` or `project`."""

    async def list(
        self, *, tenant: str | None = None, project: str | None = None
    ) -> Sequence[models.TenantMemberResponse]:
        kind, place = _members_of(tenant, project)
        return (
            await self._get(MEMBERS, models.PageTenantMemberResponse, kind=kind, place=place)
        ).items

    async def get(
        self, user: str, *, tenant: str | None = None, project: str | None = None
    ) -> models.TenantMemberResponse:
        kind, place = _members_of(tenant, project)
        return await self._get(
            MEMBERS + "/{member}",
            models.TenantMemberResponse,
            kind=kind,
            place=place,
            member=user,
        )

    async def put(
        self,
        user: str,
        role: str,
        *,
        tenant: str | None = None,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.TenantMemberResponse:
        """Adds a member or changes its role. `user` is a person or, as `sa:ci`, a service account."""
        kind, place = _members_of(tenant, project)
        return await self._write(
            "PUT",
            MEMBERS + "/{member}",
            models.TenantMemberResponse,
            {"role": role},
            if_match=version,
            validate_only=validate_only,
            member=user,
            kind=kind,
            place=place,
        )

    async def remove(
        self,
        user: str,
        *,
        tenant: str | None = None,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Removes it. Within seconds, its requests are refused and its open streams end."""
        kind, place = _members_of(tenant, project)
        await self._write(
            "DELETE",
            MEMBERS + "/{member}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            member=user,
            kind=kind,
            place=place,
        )


def _members_of(tenant: str | None, project: str | None) -> tuple[str, str]:
    """Kind and name of the given owner. Raises ValueError unless exactly one is given."""
    if tenant is not None and project is None:
        return "tenants", tenant
    if project is not None and tenant is None:
        return "projects", project
    raise ValueError("pass either tenant or project")


class AsyncSecrets(_Part):
    """`fl.secrets`: secrets of a project for its jobs, with values that are never read back"""

    async def list(self, *, project: str | None = None) -> Sequence[models.SecretResponse]:
        return (
            await self._get(
                SECRETS, models.PageSecretResponse, project=project or self._client.project
            )
        ).items

    async def get(self, secret: str, *, project: str | None = None) -> models.SecretResponse:
        return await self._get(
            SECRETS + "/{secret}",
            models.SecretResponse,
            project=project or self._client.project,
            secret=secret,
        )

    async def put(
        self,
        secret: str,
        data: Mapping[str, str],
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.SecretResponse:
        """Creates the secret or replaces all its values. Running attempts retain the old values."""
        return await self._write(
            "PUT",
            SECRETS + "/{secret}",
            models.SecretResponse,
            {"data": dict(data)},
            if_match=version,
            validate_only=validate_only,
            project=project or self._client.project,
            secret=secret,
        )

    async def delete(
        self,
        secret: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes the secret. Later attempts of jobs that name the secret fail."""
        await self._write(
            "DELETE",
            SECRETS + "/{secret}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            project=project or self._client.project,
            secret=secret,
        )


class AsyncVolumes(_Part):
    """`fl.volumes`: storage that jobs mount, on the cluster of its first job"""

    async def list(self, *, project: str | None = None) -> Sequence[models.VolumeResponse]:
        return (
            await self._get(
                VOLUMES, models.PageVolumeResponse, project=project or self._client.project
            )
        ).items

    async def get(self, volume: str, *, project: str | None = None) -> models.VolumeResponse:
        return await self._get(
            VOLUMES + "/{volume}",
            models.VolumeResponse,
            project=project or self._client.project,
            volume=volume,
        )

    async def put(
        self,
        volume: str,
        request: models.PutVolumeRequest | Mapping[str, Any],
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.VolumeResponse:
        """Creates the volume. A repeated call changes nothing."""
        return await self._write(
            "PUT",
            VOLUMES + "/{volume}",
            models.VolumeResponse,
            request,
            validate_only=validate_only,
            project=project or self._client.project,
            volume=volume,
        )

    async def delete(
        self,
        volume: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes the volume. Its claim remains on the cluster. `version` removes a deleted volume."""
        await self._write(
            "DELETE",
            VOLUMES + "/{volume}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            project=project or self._client.project,
            volume=volume,
        )

    async def transfers(
        self, volume: str, *, project: str | None = None
    ) -> Sequence[models.VolumeTransferResponse]:
        """Copies and imports of the volume, newest first."""
        return (
            await self._get(
                TRANSFERS,
                models.PageVolumeTransferResponse,
                project=project or self._client.project,
                volume=volume,
            )
        ).items

    async def transfer(
        self,
        volume: str,
        request: models.CreateVolumeTransferRequest | Mapping[str, Any],
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.VolumeTransferResponse:
        """Copies the volume to another cluster (`to`, `cluster`), or imports data into it (`from`)."""
        return await self._write(
            "POST",
            TRANSFERS,
            models.VolumeTransferResponse,
            request,
            validate_only=validate_only,
            replayable=False,
            project=project or self._client.project,
            volume=volume,
        )

    async def cut_over(
        self,
        volume: str,
        transfer: str,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.VolumeTransferResponse:
        """Exchanges the names of the volume and its copy."""
        return await self._write(
            "POST",
            TRANSFERS + "/{transfer}/cut-over",
            models.VolumeTransferResponse,
            validate_only=validate_only,
            replayable=False,
            project=project or self._client.project,
            volume=volume,
            transfer=transfer,
        )

    async def drop(
        self,
        volume: str,
        transfer: str,
        *,
        project: str | None = None,
        force: bool = False,
        validate_only: bool = False,
    ) -> models.VolumeTransferResponse:
        """Deletes the copy and its objects in the bucket. Raises Conflict if the bucket may hold
        the only copy, unless forced."""
        return await self._write(
            "DELETE",
            TRANSFERS + "/{transfer}",
            models.VolumeTransferResponse,
            validate_only=validate_only,
            params={"force": "true"} if force else None,
            project=project or self._client.project,
            volume=volume,
            transfer=transfer,
        )

    async def resume(
        self,
        volume: str,
        transfer: str,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.VolumeTransferResponse:
        """Resumes a FAILED transfer from the uploaded data."""
        return await self._write(
            "POST",
            TRANSFERS + "/{transfer}/resume",
            models.VolumeTransferResponse,
            validate_only=validate_only,
            replayable=False,
            project=project or self._client.project,
            volume=volume,
            transfer=transfer,
        )

    async def breakers(self) -> Sequence[models.VolumeBreakerResponse]:
        """Open circuit breakers of clusters with missing claims."""
        return (await self._get("/volume-breakers", models.PageVolumeBreakerResponse)).items

    async def confirm_loss(
        self, cluster: str, missing: int, *, validate_only: bool = False
    ) -> models.VolumeBreakerResponse:
        """Confirms that the missing claims are lost. Refused when their number has changed."""
        return await self._write(
            "POST",
            "/clusters/{cluster}/confirm-volume-loss",
            models.VolumeBreakerResponse,
            {"missing": missing},
            validate_only=validate_only,
            cluster=cluster,
        )


class AsyncTokens(_Part):
    """`fl.tokens`: credentials of people and programs, instead of a sign-in"""

    async def list(self) -> AsyncIterator[models.TokenResponse]:
        """Lists tokens, newest first. Owners of the tenant see all tokens, other callers see their
        own tokens."""
        call = get("/tokens", models.PageTokenResponse, {"pageSize": 500})
        async for token in self._client.pages(call, lambda page: page.items):
            yield token

    async def get(self, token: str) -> models.TokenResponse:
        """Reads a token by its id, not by the token itself."""
        return await self._get("/tokens/{token}", models.TokenResponse, token=token)

    async def create(
        self,
        name: str,
        role: str,
        *,
        user: str | None = None,
        project: str | None = None,
        cluster: str | None = None,
        expires_in: str | None = None,
        validate_only: bool = False,
    ) -> models.CreatedTokenResponse:
        """Creates a token. Only this response contains the `token` itself. `user` is a person or,
        as `sa:ci`,
        a service account. `project` is the project of a project role, and `cluster` the cluster
        of the role monitor. `expires_in` is a duration such as "30d"."""
        wanted = {
            "name": name,
            "role": role,
            "user": user,
            "cluster": cluster,
            "expiresIn": expires_in,
        }
        return await self._write(
            "POST",
            "/tokens",
            models.CreatedTokenResponse,
            {field: value for field, value in wanted.items() if value is not None},
            validate_only=validate_only,
            replayable=False,
            params={"project": project},
        )

    async def revoke(self, token: str) -> None:
        """Revokes a token by its id. Within seconds, its requests are refused and its streams end."""
        await self._write("DELETE", "/tokens/{token}", Nothing, token=token, replayable=True)


class AsyncAudit(_Part):
    """`fl.audit`: changes and denied requests, with their actors"""

    async def list(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        object: str | None = None,
        outcome: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> AsyncIterator[models.AuditResponse]:
        """Rows of the current tenant, newest first. `outcome` is ALLOWED or DENIED. For owners of the
        tenant, administrators and auditors."""
        options = {
            "actor": actor,
            "action": action,
            "object": object,
            "outcome": outcome,
            "after": since.isoformat() if since else None,
            "before": until.isoformat() if until else None,
            "pageSize": 500,
        }
        call = get("/audit", models.PageAuditResponse, options)
        async for row in self._client.pages(call, lambda page: page.items):
            yield row

    async def verify(
        self, *, after: int = 0, stop_at: int | None = None
    ) -> AsyncIterator[models.AuditVerificationResponse]:
        """Compares the audit of all tenants with its seals, page by page, after the link `after` to the
        first break or the end. Ends a page at the link `stop_at`. For administrators and auditors."""
        more = True
        while more:
            size = LINKS if stop_at is None or stop_at <= after else min(LINKS, stop_at - after)
            options = {"afterSequence": after, "links": size}
            page = await self._client.send(
                get("/audit/verification", models.AuditVerificationResponse, options)
            )
            yield page
            after, more = page.sequence, page.more


class AsyncConfig(_Part):
    """`fl.config`: the history of the configuration"""

    async def history(
        self, *, kind: str | None = None, name: str | None = None
    ) -> AsyncIterator[models.ConfigVersionResponse]:
        """Changes by the current tenant, newest first. `kind` is a kind such as QUEUE or PRICE. For owners
        of the tenant, administrators and auditors."""
        options = {"kind": kind, "name": name, "pageSize": 50}
        call = get("/config/history", models.PageConfigVersionResponse, options)
        async for row in self._client.pages(call, lambda page: page.items):
            yield row

    async def version(self, version: int) -> models.ConfigDocumentsResponse:
        """Returns one change with the full documents before and after it."""
        return await self._get(
            "/config/history/{version}", models.ConfigDocumentsResponse, version=str(version)
        )

    async def revert(
        self, version: int, *, force: bool = False, validate_only: bool = False
    ) -> models.RevertResponse:
        """Reverts a change. Raises Conflict after a later change, unless forced, and for a change that
        cannot be reverted."""
        return await self._write(
            "POST",
            "/config/history/{version}/revert",
            models.RevertResponse,
            validate_only=validate_only,
            replayable=False,
            params={"force": "true"} if force else None,
            version=str(version),
        )


class AsyncQuotas(_Part):
    """`fl.quotas`: the tree, queues included"""

    async def list(self) -> Sequence[models.QuotaResponse]:
        return (await self._get("/quotas", models.PageQuotaResponse)).items

    async def fleet(self) -> Sequence[models.FleetQuotaResponse]:
        """Limits of all tenants together, then of each tenant. For roles of the platform."""
        return (await self._get("/fleet-quotas", models.PageFleetQuotaResponse)).items

    async def of_tenant(self, tenant: str) -> models.FleetQuotaResponse:
        """Limits of a tenant, set by the platform."""
        return await self._get("/fleet-quotas/{tenant}", models.FleetQuotaResponse, tenant=tenant)

    async def update_fleet(
        self,
        change: models.PatchFleetQuotaRequest | Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.FleetQuotaResponse:
        """Changes the limits of all tenants together by a merge patch of the read version."""
        return await self._write(
            "PATCH",
            "/fleet-quotas",
            models.FleetQuotaResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
        )

    async def update_tenant(
        self,
        tenant: str,
        change: models.PatchFleetQuotaRequest | Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.FleetQuotaResponse:
        """Changes the limits of a tenant by a merge patch of the read version."""
        return await self._write(
            "PATCH",
            "/fleet-quotas/{tenant}",
            models.FleetQuotaResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            tenant=tenant,
        )

    async def queues(self) -> Sequence[models.QuotaResponse]:
        """Lists the queues."""
        return (await self._get("/queues", models.PageQuotaResponse)).items

    async def queue(self, queue: str) -> models.QuotaResponse:
        return await self._get("/queues/{queue}", models.QuotaResponse, queue=queue)

    async def update_queue(
        self,
        queue: str,
        change: Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.QuotaResponse:
        """Applies a merge patch to the version that was read. Raises Conflict after a later change."""
        return await self._write(
            "PATCH",
            "/queues/{queue}",
            models.QuotaResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            queue=queue,
        )

    async def windows(self, quota: str, *, next: int = 10) -> Sequence[models.LimitChangeResponse]:
        """Limits with windows, now and at their next changes (`next`, 1 to 100). Empty without windows."""
        page = await self._client.send(
            get(
                "/quotas/{quota}/windows",
                models.PageLimitChangeResponse,
                {"next": next},
                quota=quota,
            )
        )
        return page.items

    async def get(self, quota: str) -> models.QuotaResponse:
        return await self._get("/quotas/{quota}", models.QuotaResponse, quota=quota)

    async def create(
        self, body: models.QuotaRequest | Mapping[str, Any] | str, *, validate_only: bool = False
    ) -> models.QuotaResponse:
        return await self._client.send(
            _create("/quotas", models.QuotaResponse, body, validate_only)
        )

    async def update(
        self,
        quota: str,
        change: Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.QuotaResponse:
        """Applies a merge patch to the version that was read. Raises Conflict after a later change."""
        return await self._write(
            "PATCH",
            "/quotas/{quota}",
            models.QuotaResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            quota=quota,
        )

    async def delete(self, quota: str, *, version: int, validate_only: bool = False) -> None:
        await self._write(
            "DELETE",
            "/quotas/{quota}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            quota=quota,
        )


class AsyncClusters(_Part):
    """`fl.clusters`"""

    async def list(self) -> Sequence[models.ClusterResponse]:
        return (await self._get("/clusters", models.PageClusterResponse)).items

    async def get(self, cluster: str) -> models.ClusterResponse:
        return await self._get("/clusters/{cluster}", models.ClusterResponse, cluster=cluster)

    async def register(
        self,
        body: models.RegisterClusterRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.ClusterResponse:
        return await self._client.send(
            _create("/clusters", models.ClusterResponse, body, validate_only)
        )

    async def update(
        self,
        cluster: str,
        body: models.UpdateClusterRequest | Mapping[str, Any] | str,
        *,
        version: int | None = None,
        force: bool = False,
        validate_only: bool = False,
    ) -> models.ClusterResponse:
        """A merge patch of the registration and the state of a cluster. `version` is the ETag. Without
        `version`, any version is changed. Raises Conflict, unless forced, for DISABLED while
        requests for nodes are
        open, and for the replacement of a connection with a lost key while attempts run there."""
        return await self._write(
            "PATCH",
            "/clusters/{cluster}",
            models.ClusterResponse,
            body,
            validate_only=validate_only,
            if_match="*" if version is None else version,
            params={"force": "true"} if force else None,
            cluster=cluster,
        )

    async def cordon(self, cluster: str) -> models.ClusterResponse:
        """Cordons a cluster. The jobs of the cluster continue, and no job starts there."""
        return await self._write(
            "POST", "/clusters/{cluster}/cordon", models.ClusterResponse, cluster=cluster
        )

    async def uncordon(self, cluster: str) -> models.ClusterResponse:
        """Returns the cluster to service."""
        return await self._write(
            "POST", "/clusters/{cluster}/uncordon", models.ClusterResponse, cluster=cluster
        )

    async def delete(
        self, cluster: str, *, version: int | None = None, validate_only: bool = False
    ) -> models.RemovedClusterResponse:
        """Removes a cluster without live objects. Raises Conflict with a list of live objects. `version`
        is the ETag. Without `version`, any version is removed."""
        return await self._write(
            "DELETE",
            "/clusters/{cluster}",
            models.RemovedClusterResponse,
            if_match="*" if version is None else version,
            validate_only=validate_only,
            cluster=cluster,
        )

    async def failover_test(self, cluster: str) -> models.FailoverTestResponse:
        """Predicts the effect of the loss of the cluster on its jobs. Changes nothing."""
        return await self._get(
            "/clusters/{cluster}/failover-test", models.FailoverTestResponse, cluster=cluster
        )

    async def drain(
        self, cluster: str, *, deadline: str | None = None, at_deadline: str | None = None
    ) -> models.OperationResponse:
        """Drains the cluster. Follow the operation with `fl.operations.wait`. `deadline` is a duration
        such as "2h" or a time. at_deadline="STOP" stops the attempts that remain at the deadline."""
        due = {"deadline": deadline, "atDeadline": at_deadline}
        return await self._write(
            "POST",
            "/clusters/{cluster}/drain",
            models.OperationResponse,
            params=due,
            cluster=cluster,
        )


class AsyncPools(_Part):
    """`fl.pools`: named sets of nodes"""

    async def list(self) -> Sequence[models.PoolResponse]:
        """Shared pools and pools of the tenant. Platform roles see all pools."""
        return (await self._get("/pools", models.PagePoolResponse)).items

    async def get(self, pool: str) -> models.PoolResponse:
        return await self._get("/pools/{pool}", models.PoolResponse, pool=pool)

    async def supply(self, pool: str) -> models.SupplyResponse:
        """Returns the supply of nodes of the pool, and its last requests."""
        return await self._get("/pools/{pool}/supply", models.SupplyResponse, pool=pool)

    async def set_supply(
        self,
        pool: str,
        supply: models.PutPoolSupplyRequest | Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.SupplyResponse:
        """Sets the supply. The response contains the key that signs the calls to the provisioner."""
        return await self._write(
            "PUT",
            "/pools/{pool}/supply",
            models.SupplyResponse,
            supply,
            if_match=version,
            validate_only=validate_only,
            pool=pool,
        )

    async def remove_supply(
        self,
        pool: str,
        *,
        force_reason: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Removes the supply. Refused while the provisioner has or may still deliver nodes, unless
        `force_reason` is given. The nodes then remain and are still billed."""
        await self._write(
            "DELETE",
            "/pools/{pool}/supply",
            Nothing,
            params={"forceReason": force_reason},
            if_match=version,
            validate_only=validate_only,
            pool=pool,
        )

    async def windows(self, pool: str, *, next: int = 10) -> Sequence[models.OpeningResponse]:
        """Lists the next windows of the pool, 1 to 100. The list is empty for a pool that is always
        open."""
        page = await self._client.send(
            get("/pools/{pool}/windows", models.PageOpeningResponse, {"next": next}, pool=pool)
        )
        return page.items

    async def create(
        self,
        body: models.CreatePoolRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.PoolResponse:
        """Creates a pool. The pool gets its nodes immediately, and jobs on them continue to run."""
        return await self._client.send(_create("/pools", models.PoolResponse, body, validate_only))

    async def update(
        self,
        pool: str,
        change: models.UpdatePoolRequest | Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.PoolResponse:
        """Applies a merge patch to the version that was read. Raises Conflict after a later change."""
        return await self._write(
            "PATCH",
            "/pools/{pool}",
            models.PoolResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            pool=pool,
        )

    async def delete(self, pool: str, *, version: int, validate_only: bool = False) -> None:
        """Deletes a pool. The nodes of the pool join the next pool that selects them."""
        await self._write(
            "DELETE",
            "/pools/{pool}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            pool=pool,
        )


class AsyncHealthTests(_Part):
    """`fl.health_tests`: tests that nodes must pass"""

    async def list(self) -> Sequence[models.HealthTestResponse]:
        """Health tests by name, with their numbers of tested nodes."""
        return (await self._get("/health-tests", models.PageHealthTestResponse)).items

    async def set(
        self, test: str, body: Body, *, validate_only: bool = False
    ) -> models.HealthTestResponse:
        """Adds or changes a health test: project, job, every, idleFor, atOnce and step."""
        return await self._write(
            "PUT",
            "/health-tests/{test}",
            models.HealthTestResponse,
            body,
            validate_only=validate_only,
            test=test,
        )

    async def delete(self, test: str, *, validate_only: bool = False) -> None:
        """Deletes a health test. The runs of the test can still be read."""
        await self._write(
            "DELETE",
            "/health-tests/{test}",
            Nothing,
            validate_only=validate_only,
            test=test,
        )

    async def run(
        self, test: str, node: str, *, validate_only: bool = False
    ) -> models.HealthTestRunResponse:
        """Tests a node now, whether it is due or not."""
        return await self._write(
            "POST",
            "/health-tests/{test}/runs",
            models.HealthTestRunResponse,
            {"node": node},
            validate_only=validate_only,
            replayable=False,
            test=test,
        )

    async def runs(
        self, *, test: str | None = None, node: str | None = None
    ) -> AsyncIterator[models.HealthTestRunResponse]:
        """Lists runs, newest first."""
        call = get(
            "/health-test-runs",
            models.PageHealthTestRunResponse,
            {"healthTest": test, "node": node, "pageSize": 100},
        )
        async for run in self._client.pages(call, lambda page: page.items):
            yield run


class AsyncFronts(_Part):
    """`fl.fronts`: namespaces of front clusters with Jobs that Fairlead runs"""

    async def list(self) -> Sequence[models.FrontNamespaceResponse]:
        """Namespaces by cluster and name."""
        return (await self._get("/front-namespaces", models.PageFrontNamespaceResponse)).items

    async def set(
        self,
        cluster: str,
        namespace: str,
        project: str,
        *,
        tenant: str | None = None,
        validate_only: bool = False,
    ) -> models.FrontNamespaceResponse:
        """Runs Jobs of the namespace with spec.managedBy fairlead.dev/job for the project."""
        return await self._write(
            "PUT",
            "/clusters/{cluster}/front-namespaces/{frontNamespace}",
            models.FrontNamespaceResponse,
            {"project": project} if tenant is None else {"project": project, "tenant": tenant},
            validate_only=validate_only,
            cluster=cluster,
            frontNamespace=namespace,
        )

    async def breakers(self) -> Sequence[models.FrontBreakerResponse]:
        """Open circuit breakers of fronts with missing Jobs."""
        return (await self._get("/front-breakers", models.PageFrontBreakerResponse)).items

    async def confirm_loss(
        self, cluster: str, missing: int, *, validate_only: bool = False
    ) -> models.FrontBreakerResponse:
        """Cancels the jobs of missing Jobs. Refused when their number has changed."""
        return await self._write(
            "POST",
            "/clusters/{cluster}/confirm-front-loss",
            models.FrontBreakerResponse,
            {"missing": missing},
            validate_only=validate_only,
            cluster=cluster,
        )

    async def delete(self, cluster: str, namespace: str, *, validate_only: bool = False) -> None:
        """Removes the namespace. New Jobs of the namespace do not run, and its active jobs continue."""
        await self._write(
            "DELETE",
            "/clusters/{cluster}/front-namespaces/{frontNamespace}",
            Nothing,
            validate_only=validate_only,
            cluster=cluster,
            frontNamespace=namespace,
        )


class AsyncLegalHolds(_Part):
    """`fl.legal_holds`: jobs that a tenant protects from deletion"""

    async def list(self) -> Sequence[models.LegalHoldResponse]:
        """Lists legal holds by name."""
        return (await self._get("/legal-holds", models.PageLegalHoldResponse)).items

    async def get(self, hold: str) -> models.LegalHoldResponse:
        return await self._get("/legal-holds/{legalHold}", models.LegalHoldResponse, legalHold=hold)

    async def set(
        self,
        hold: str,
        reason: str,
        *,
        project: str | None = None,
        job: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        validate_only: bool = False,
    ) -> models.LegalHoldResponse:
        """Protects the jobs of the tenant, of a project, or one job, and their decisions from `since`
        to `until`. Replaces a hold of this name."""
        given = {
            "reason": reason,
            "project": project,
            "job": job,
            "from": None if since is None else since.isoformat(),
            "to": None if until is None else until.isoformat(),
        }
        return await self._write(
            "PUT",
            "/legal-holds/{legalHold}",
            models.LegalHoldResponse,
            {name: value for name, value in given.items() if value is not None},
            validate_only=validate_only,
            legalHold=hold,
        )

    async def delete(self, hold: str, *, validate_only: bool = False) -> None:
        """Ends the hold. The jobs of the hold can be deleted again, also by retention."""
        await self._write(
            "DELETE",
            "/legal-holds/{legalHold}",
            Nothing,
            validate_only=validate_only,
            legalHold=hold,
        )


class AsyncLicences(_Part):
    """`fl.licences`: counted licences that jobs hold"""

    async def list(self) -> Sequence[models.LicenceResponse]:
        """Licences by name, with the numbers that jobs of all tenants hold."""
        return (await self._get("/licences", models.PageLicenceResponse)).items

    async def set(
        self,
        licence: str,
        count: int,
        *,
        cluster: str | None = None,
        validate_only: bool = False,
    ) -> models.LicenceResponse:
        """Adds a licence, or sets its count. Jobs keep their licences. The licence of a cluster can
        only be held by jobs on that cluster."""
        return await self._write(
            "PUT",
            "/licences/{licence}",
            models.LicenceResponse,
            {"count": count} if cluster is None else {"count": count, "cluster": cluster},
            validate_only=validate_only,
            licence=licence,
        )

    async def delete(self, licence: str, *, validate_only: bool = False) -> None:
        """Deletes a licence. Refused while jobs hold it."""
        await self._write(
            "DELETE",
            "/licences/{licence}",
            Nothing,
            validate_only=validate_only,
            licence=licence,
        )


class AsyncServices(_Part):
    """`fl.services`: model services, their versions and rollouts"""

    async def list(self, *, project: str | None = None) -> Sequence[models.ModelServiceResponse]:
        """Lists services by name, each with its rollout, its replicas and the weights of its versions."""
        return (
            await self._get(
                SERVICES, models.PageModelServiceResponse, project=project or self._client.project
            )
        ).items

    async def get(self, service: str, *, project: str | None = None) -> models.ModelServiceResponse:
        """Reads a service with the reasons of its rollout and of each replica."""
        return await self._get(
            SERVICES + "/{service}",
            models.ModelServiceResponse,
            project=project or self._client.project,
            service=service,
        )

    async def apply(
        self,
        service: str,
        body: Body,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Adds or changes a service. A changed job is a new version, and its rollout begins."""
        return await self._write(
            "PUT",
            SERVICES + "/{service}",
            models.ModelServiceResponse,
            body,
            validate_only=validate_only,
            if_match=version,
            project=project or self._client.project,
            service=service,
        )

    async def update(
        self,
        service: str,
        change: models.UpdateModelServiceRequest | Mapping[str, Any],
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """A merge patch of minReplicas, maxReplicas, scale, floors and idleAfter.

        With `version`, raises Conflict after a later change.
        """
        return await self._write(
            "PATCH",
            SERVICES + "/{service}",
            models.ModelServiceResponse,
            change,
            validate_only=validate_only,
            if_match="*" if version is None else version,
            project=project or self._client.project,
            service=service,
        )

    async def delete(
        self, service: str, *, project: str | None = None, validate_only: bool = False
    ) -> None:
        """Stops all replicas and removes the service when they have ended."""
        await self._write(
            "DELETE",
            SERVICES + "/{service}",
            Nothing,
            validate_only=validate_only,
            project=project or self._client.project,
            service=service,
        )

    async def promote(
        self,
        service: str,
        version: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Moves all traffic to the version of the open rollout. Refused for another version."""
        return await self._order(service, "promote", {"version": version}, project, validate_only)

    async def abort(
        self,
        service: str,
        version: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Ends the open rollout to this version. Traffic returns to the stable version."""
        return await self._order(service, "abort", {"version": version}, project, validate_only)

    async def pause(
        self,
        service: str,
        version: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Stops the steps of the open rollout to this version. A bad version is still rolled back."""
        return await self._order(service, "pause", {"version": version}, project, validate_only)

    async def resume(
        self,
        service: str,
        version: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Resumes a paused rollout to this version."""
        return await self._order(service, "resume", {"version": version}, project, validate_only)

    async def skip(
        self,
        service: str,
        version: int,
        share: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Ends the step of this share without a verdict, and begins the next one."""
        body = {"version": version, "share": share}
        return await self._order(service, "skip", body, project, validate_only)

    async def rollback(
        self,
        service: str,
        version: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.ModelServiceResponse:
        """Moves all traffic to a version as soon as its replicas are ready."""
        return await self._order(service, "rollback", {"version": version}, project, validate_only)

    async def wake(
        self, service: str, *, project: str | None = None, validate_only: bool = False
    ) -> models.ModelServiceResponse:
        """Starts a replica of a sleeping service, or restarts the idle time of an awake service."""
        return await self._order(service, "wake", None, project, validate_only)

    async def versions(
        self, service: str, *, project: str | None = None
    ) -> Sequence[models.ServiceVersionResponse]:
        """Lists the last 500 versions, newest first."""
        return (
            await self._get(
                SERVICES + "/{service}/versions",
                models.PageServiceVersionResponse,
                {"pageSize": 500},
                project=project or self._client.project,
                service=service,
            )
        ).items

    async def delete_version(
        self,
        service: str,
        version: int,
        *,
        project: str | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes a version without traffic and replicas."""
        await self._write(
            "DELETE",
            SERVICES + "/{service}/versions/{version}",
            Nothing,
            validate_only=validate_only,
            project=project or self._client.project,
            service=service,
            version=str(version),
        )

    async def keys(
        self, service: str, *, project: str | None = None
    ) -> Sequence[models.ServiceKeyResponse]:
        """Lists the API keys of a service, including expired and revoked keys."""
        return (
            await self._get(
                SERVICES + "/{service}/keys",
                models.PageServiceKeyResponse,
                project=project or self._client.project,
                service=service,
            )
        ).items

    async def create_key(
        self,
        service: str,
        name: str,
        *,
        expires_in: str | None = None,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.CreatedServiceKeyResponse:
        """Creates an API key. Only the response contains its text."""
        body = {
            "name": name,
            "expiresIn": expires_in,
            "requestsPerMinute": requests_per_minute,
            "tokensPerMinute": tokens_per_minute,
        }
        return await self._write(
            "POST",
            SERVICES + "/{service}/keys",
            models.CreatedServiceKeyResponse,
            {field: value for field, value in body.items() if value is not None},
            validate_only=validate_only,
            replayable=False,
            project=project or self._client.project,
            service=service,
        )

    async def revoke_key(
        self, service: str, key: str, *, project: str | None = None, validate_only: bool = False
    ) -> None:
        """Revokes an API key. Gates refuse it within five seconds."""
        await self._write(
            "DELETE",
            SERVICES + "/{service}/keys/{service_key}",
            Nothing,
            validate_only=validate_only,
            project=project or self._client.project,
            service=service,
            service_key=key,
            replayable=True,
        )

    async def usage(
        self,
        service: str,
        *,
        period: str = "DAY",
        from_: str | None = None,
        to: str | None = None,
        project: str | None = None,
    ) -> AsyncIterator[models.ServiceUseResponse]:
        """Requests, tokens and their cost by period (HOUR, DAY or MONTH) and key. Pages are fetched as
        needed."""
        call = get(
            SERVICES + "/{service}/usage",
            models.PageServiceUseResponse,
            {"period": period, "from": from_, "to": to, "pageSize": 500},
            project=project or self._client.project,
            service=service,
        )
        async for one in self._client.pages(call, lambda page: page.items):
            yield one

    async def _order(
        self,
        service: str,
        verb: str,
        body: Mapping[str, Any] | None,
        project: str | None,
        validate_only: bool,
    ) -> models.ModelServiceResponse:
        return await self._write(
            "POST",
            SERVICES + "/{service}/" + verb,
            models.ModelServiceResponse,
            body,
            validate_only=validate_only,
            replayable=False,
            project=project or self._client.project,
            service=service,
        )


class AsyncCloudIdentities(_Part):
    """`fl.cloud_identities`: accounts of clouds that jobs use without a static key"""

    async def list(self, *, project: str | None = None) -> Sequence[models.CloudIdentityResponse]:
        """Lists cloud identities by name. With a project, lists only the identities that its jobs
        may use."""
        return (
            await self._get(
                "/cloud-identities", models.PageCloudIdentityResponse, {"project": project}
            )
        ).items

    async def get(self, identity: str) -> models.CloudIdentityResponse:
        """Reads the account, the projects and the service account of a cloud identity."""
        return await self._get(
            "/cloud-identities/{identity}", models.CloudIdentityResponse, identity=identity
        )

    async def set(
        self,
        identity: str,
        body: Body,
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.CloudIdentityResponse:
        """Adds or changes a cloud identity: projects, annotations and audience."""
        return await self._write(
            "PUT",
            "/cloud-identities/{identity}",
            models.CloudIdentityResponse,
            body,
            validate_only=validate_only,
            if_match=version,
            identity=identity,
        )

    async def delete(
        self, identity: str, *, version: int | None = None, validate_only: bool = False
    ) -> None:
        """Deletes a cloud identity. Jobs that name it fail at their next start."""
        await self._write(
            "DELETE",
            "/cloud-identities/{identity}",
            Nothing,
            validate_only=validate_only,
            if_match=version,
            identity=identity,
        )


class AsyncPolicies(_Part):
    """`fl.policies`: rules for new jobs, of a project or of the tenant"""

    async def list(self, *, project: str | None = None) -> Sequence[models.PolicyResponse]:
        """Lists policies by name. With a project, lists the policies of the project and of the
        tenant."""
        return (await self._get("/policies", models.PagePolicyResponse, {"project": project})).items

    async def get(self, policy: str, *, project: str | None = None) -> models.PolicyResponse:
        """Reads the rules of a policy, its owner and whether it is enforced."""
        return await self._get(
            "/policies/{policy}", models.PolicyResponse, {"project": project}, policy=policy
        )

    async def set(
        self,
        policy: str,
        body: Body,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.PolicyResponse:
        """Adds or changes a policy: owner, enforced, requiredLabels, images, digest and rules."""
        return await self._write(
            "PUT",
            "/policies/{policy}",
            models.PolicyResponse,
            body,
            validate_only=validate_only,
            if_match=version,
            params={"project": project},
            policy=policy,
        )

    async def delete(
        self,
        policy: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes a policy. New jobs are no longer checked against it."""
        await self._write(
            "DELETE",
            "/policies/{policy}",
            Nothing,
            validate_only=validate_only,
            if_match=version,
            params={"project": project},
            policy=policy,
        )

    async def trial(self, body: Body, *, project: str | None = None) -> models.PolicyTrialResponse:
        """Lists the jobs among the 1,000 newest that a policy would have refused. Stores nothing."""
        return await self._write(
            "POST",
            "/policy-trials",
            models.PolicyTrialResponse,
            body,
            params={"project": project},
        )


class AsyncTemplates(_Part):
    """`fl.templates`: job specs with parameters, of a project or of the tenant"""

    async def list(self, *, project: str | None = None) -> Sequence[models.TemplateResponse]:
        """Lists templates by name. With a project, lists the templates of the project and of the
        tenant."""
        return (
            await self._get("/templates", models.PageTemplateResponse, {"project": project})
        ).items

    async def get(
        self, template: str, *, project: str | None = None, version: int | None = None
    ) -> models.TemplateResponse:
        """Reads a template of the project, or of the tenant if the project has no template of that name."""
        return await self._get(
            "/templates/{template}",
            models.TemplateResponse,
            {"project": project, "version": version},
            template=template,
        )

    async def set(
        self,
        template: str,
        body: Body,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.TemplateResponse:
        """Adds a template or stores its next version: description, parameters, locked and job."""
        return await self._write(
            "PUT",
            "/templates/{template}",
            models.TemplateResponse,
            body,
            validate_only=validate_only,
            if_match=version,
            params={"project": project},
            template=template,
        )

    async def delete(
        self,
        template: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes a template. Jobs that were submitted from it do not change."""
        await self._write(
            "DELETE",
            "/templates/{template}",
            Nothing,
            validate_only=validate_only,
            if_match=version,
            params={"project": project},
            template=template,
        )


class AsyncPipelines(_Part):
    """`fl.pipelines`: jobs with the same value of the label `pipeline`"""

    async def list(self, *, project: str | None = None) -> AsyncIterator[models.PipelineSummary]:
        """Pipelines by name, each with the number of its jobs in each state, including earlier runs."""
        call = get(
            PIPELINES,
            models.PagePipelineSummary,
            {"pageSize": 100},
            project=project or self._client.project,
        )
        async for pipeline in self._client.pages(call, lambda page: page.items):
            yield pipeline

    async def get(self, pipeline: str, *, project: str | None = None) -> models.PipelineResponse:
        """The newest job of each name with its dependencies, and the job that blocks the others."""
        return await self._get(
            PIPELINES + "/{pipeline}",
            models.PipelineResponse,
            project=project or self._client.project,
            pipeline=pipeline,
        )

    async def retry(
        self,
        pipeline: str,
        *,
        project: str | None = None,
        validate_only: bool = False,
        idempotency_key: str | None = None,
    ) -> Sequence[models.RetriedJob]:
        """Submits the jobs that failed or were cancelled, and the jobs that depend on them, again in one
        transaction. Raises Conflict and submits nothing if no such job exists."""
        return (
            await self._write(
                "POST",
                PIPELINES + "/{pipeline}/retry",
                models.PageRetriedJob,
                validate_only=validate_only,
                key=idempotency_key,
                project=project or self._client.project,
                pipeline=pipeline,
            )
        ).items


class AsyncWarmPools(_Part):
    """`fl.warm_pools`: sessions that run without a user, for a fast start"""

    async def list(self, *, project: str | None = None) -> Sequence[models.WarmPoolResponse]:
        """Lists warm pools by name. Each has the number of sessions that a submit can take."""
        return (
            await self._get(
                WARM_POOLS, models.PageWarmPoolResponse, project=project or self._client.project
            )
        ).items

    async def set(
        self,
        warm_pool: str,
        body: Body,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.WarmPoolResponse:
        """Adds or changes a warm pool. Sessions with another job are replaced."""
        return await self._write(
            "PUT",
            WARM_POOLS + "/{warm_pool}",
            models.WarmPoolResponse,
            body,
            validate_only=validate_only,
            if_match=version,
            project=project or self._client.project,
            warm_pool=warm_pool,
        )

    async def delete(
        self,
        warm_pool: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes a warm pool after the end of its sessions. Taken sessions continue."""
        await self._write(
            "DELETE",
            WARM_POOLS + "/{warm_pool}",
            Nothing,
            validate_only=validate_only,
            if_match=version,
            project=project or self._client.project,
            warm_pool=warm_pool,
        )


class AsyncSchedules(_Part):
    """`fl.schedules`: jobs that are submitted on a calendar"""

    async def list(self, *, project: str | None = None) -> AsyncIterator[models.ScheduleResponse]:
        """Schedules by name, each with its last run and its next instants."""
        call = get(
            SCHEDULES,
            models.PageScheduleResponse,
            {"pageSize": 100},
            project=project or self._client.project,
        )
        async for schedule in self._client.pages(call, lambda page: page.items):
            yield schedule

    async def get(self, schedule: str, *, project: str | None = None) -> models.ScheduleResponse:
        """Reads a schedule with its last run and its next ten instants."""
        return await self._get(
            SCHEDULES + "/{schedule}",
            models.ScheduleResponse,
            project=project or self._client.project,
            schedule=schedule,
        )

    async def set(
        self,
        schedule: str,
        body: Body,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.ScheduleResponse:
        """Adds or changes a schedule. The jobs of the schedule are submitted in the name of the caller."""
        return await self._write(
            "PUT",
            SCHEDULES + "/{schedule}",
            models.ScheduleResponse,
            body,
            validate_only=validate_only,
            if_match=version,
            project=project or self._client.project,
            schedule=schedule,
        )

    async def delete(
        self,
        schedule: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes a schedule with its history. Its jobs remain."""
        await self._write(
            "DELETE",
            SCHEDULES + "/{schedule}",
            Nothing,
            validate_only=validate_only,
            if_match=version,
            project=project or self._client.project,
            schedule=schedule,
        )

    async def suspend(
        self, schedule: str, *, project: str | None = None, validate_only: bool = False
    ) -> models.ScheduleResponse:
        """Stops submissions until the schedule is resumed."""
        return await self._order(schedule, "suspend", project, validate_only)

    async def resume(
        self, schedule: str, *, project: str | None = None, validate_only: bool = False
    ) -> models.ScheduleResponse:
        """Continues with the next instant."""
        return await self._order(schedule, "resume", project, validate_only)

    async def preview(
        self, schedule: str, *, project: str | None = None, begin: datetime | None = None
    ) -> Sequence[models.ScheduleInstantResponse]:
        """Returns the next ten instants after a time, by default now."""
        return (
            await self._get(
                SCHEDULES + "/{schedule}/preview",
                models.PageScheduleInstantResponse,
                {"begin": None if begin is None else begin.isoformat()},
                project=project or self._client.project,
                schedule=schedule,
            )
        ).items

    async def runs(
        self, schedule: str, *, project: str | None = None
    ) -> AsyncIterator[models.ScheduleRunResponse]:
        """Decisions about its instants, newest first."""
        call = get(
            SCHEDULES + "/{schedule}/runs",
            models.PageScheduleRunResponse,
            {"pageSize": 100},
            project=project or self._client.project,
            schedule=schedule,
        )
        async for run in self._client.pages(call, lambda page: page.items):
            yield run

    async def _order(
        self, schedule: str, verb: str, project: str | None, validate_only: bool
    ) -> models.ScheduleResponse:
        return await self._write(
            "POST",
            SCHEDULES + "/{schedule}/" + verb,
            models.ScheduleResponse,
            None,
            validate_only=validate_only,
            replayable=False,
            project=project or self._client.project,
            schedule=schedule,
        )


class AsyncWebhooks(_Part):
    """`fl.webhooks`: addresses that receive the events of a project or of the tenant"""

    async def list(self, *, project: str | None = None) -> Sequence[models.WebhookResponse]:
        """Lists webhooks by name."""
        return (
            await self._get("/webhooks", models.PageWebhookResponse, {"project": project})
        ).items

    async def get(self, webhook: str, *, project: str | None = None) -> models.WebhookResponse:
        """Reads the address, filter, position and health of a webhook."""
        return await self._get(
            "/webhooks/{webhook}", models.WebhookResponse, {"project": project}, webhook=webhook
        )

    async def set(
        self,
        webhook: str,
        url: str,
        *,
        types: Sequence[str] = (),
        ca_data: str | None = None,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.WebhookResponse:
        """Adds a webhook, or changes its address and filter. A new webhook returns its secret."""
        body: dict[str, Any] = {"url": url, "types": [*types]}
        return await self._write(
            "PUT",
            "/webhooks/{webhook}",
            models.WebhookResponse,
            body if ca_data is None else {**body, "caData": ca_data},
            validate_only=validate_only,
            if_match=version,
            params={"project": project},
            webhook=webhook,
        )

    async def delete(
        self,
        webhook: str,
        *,
        project: str | None = None,
        version: int | None = None,
        validate_only: bool = False,
    ) -> None:
        """Deletes a webhook with its failed deliveries."""
        await self._write(
            "DELETE",
            "/webhooks/{webhook}",
            Nothing,
            validate_only=validate_only,
            if_match=version,
            params={"project": project},
            webhook=webhook,
        )

    async def pause(
        self, webhook: str, *, project: str | None = None, validate_only: bool = False
    ) -> models.WebhookResponse:
        """Pauses a webhook. The events of the webhook are retained for seven days."""
        return await self._order(webhook, "pause", {"project": project}, validate_only)

    async def resume(
        self, webhook: str, *, project: str | None = None, validate_only: bool = False
    ) -> models.WebhookResponse:
        """Resumes a webhook. Sends waiting events and retries failed events."""
        return await self._order(webhook, "resume", {"project": project}, validate_only)

    async def rotate(
        self,
        webhook: str,
        *,
        overlap: str | None = None,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.WebhookResponse:
        """Replaces the secret, and returns the new secret. Calls are also signed with the previous
        secret during the overlap, 24h by default."""
        params = {"project": project, "overlap": overlap}
        return await self._order(webhook, "rotate", params, validate_only)

    async def replay(
        self,
        webhook: str,
        *,
        since: str | None = None,
        event: str | None = None,
        project: str | None = None,
        validate_only: bool = False,
    ) -> models.WebhookResponse:
        """Sends the events since an event or a time again, or one failed event."""
        params = {"project": project, "since": since, "event": event}
        return await self._order(webhook, "replay", params, validate_only)

    async def test(self, webhook: str, *, project: str | None = None) -> models.WebhookTestResponse:
        """Sends one event of type WebhookTest and returns the response of the receiver."""
        return await self._write(
            "POST",
            "/webhooks/{webhook}/test",
            models.WebhookTestResponse,
            replayable=False,
            params={"project": project},
            webhook=webhook,
        )

    async def deliveries(
        self, webhook: str, *, project: str | None = None
    ) -> Sequence[models.WebhookDeliveryResponse]:
        """Lists the last 500 failed deliveries, newest first."""
        return (
            await self._get(
                "/webhooks/{webhook}/deliveries",
                models.PageWebhookDeliveryResponse,
                {"project": project, "pageSize": 500},
                webhook=webhook,
            )
        ).items

    async def _order(
        self, webhook: str, verb: str, params: Mapping[str, Any], validate_only: bool
    ) -> models.WebhookResponse:
        return await self._write(
            "POST",
            "/webhooks/{webhook}/" + verb,
            models.WebhookResponse,
            validate_only=validate_only,
            replayable=False,
            params=params,
            webhook=webhook,
        )


class AsyncPrices(_Part):
    """`fl.prices`: prices of GPU-hours with their validity"""

    async def list(self, *, at: datetime | None = None) -> AsyncIterator[models.PriceResponse]:
        """Lists prices, newest first. `at` selects the prices that apply at a time."""
        options = {"at": None if at is None else at.isoformat(), "pageSize": 500}
        call = get("/prices", models.PagePriceResponse, options)
        async for price in self._client.pages(call, lambda page: page.items):
            yield price

    async def get(self, price: str) -> models.PriceResponse:
        return await self._get("/prices/{price}", models.PriceResponse, price=price)

    async def create(
        self,
        body: models.CreatePriceRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.PriceResponse:
        """Adds a price from now or a later time. `replaces` names the price that it ends."""
        return await self._client.send(
            _create("/prices", models.PriceResponse, body, validate_only)
        )


class AsyncIdleCosts(_Part):
    """`fl.idle_costs`: the cost of unused capacity, and its split among tenants"""

    async def report(self, month: str | None = None) -> models.IdleCostResponse:
        """Idle cost of a month such as "2030-01" in UTC, by default the current month. For "
        "platform roles."""
        return await self._get("/reports/idle-cost", models.IdleCostResponse, {"month": month})

    async def policies(self) -> Sequence[models.IdleCostPolicyResponse]:
        """Policies in the order of their creation."""
        return (await self._get("/idle-cost-policies", models.PageIdleCostPolicyResponse)).items

    async def create_policy(
        self,
        body: models.CreateIdleCostPolicyRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.IdleCostPolicyResponse:
        """Adds a policy from a later month."""
        return await self._client.send(
            _create("/idle-cost-policies", models.IdleCostPolicyResponse, body, validate_only)
        )


class AsyncStatements(_Part):
    """`fl.statements`: monthly use and cost of the tenant"""

    async def list(
        self, since: str | None = None, until: str | None = None
    ) -> Sequence[models.StatementSummary]:
        """Months such as "2030-01" in UTC, both inclusive, at most 36. By default the last "
        "twelve."""
        months = {"from": since, "to": until}
        return (await self._get("/statements", models.PageStatementSummary, months)).items

    async def get(self, month: str) -> models.StatementResponse:
        """Reads a statement with its lines. A signed statement does not change."""
        return await self._get("/statements/{month}", models.StatementResponse, month=month)

    async def sign(self, month: str, *, validate_only: bool = False) -> models.StatementResponse:
        """Signs a statement. Raises Conflict until all hours of the month are closed."""
        return await self._write(
            "POST",
            "/statements/{month}/sign-off",
            models.StatementResponse,
            validate_only=validate_only,
            month=month,
        )

    async def corrections(self, month: str) -> models.StatementCorrectionsResponse:
        """Returns the rows that differ between a signed statement and the current usage."""
        return await self._get(
            "/statements/{month}/corrections",
            models.StatementCorrectionsResponse,
            month=month,
        )

    async def devices(self, month: str) -> AsyncIterator[models.StatementDeviceResponse]:
        """Time of each GPU in members of each project in the month, by UUID. Of the last 400 days."""
        call = get(
            "/statements/{month}/devices",
            models.PageStatementDeviceResponse,
            {"pageSize": 500},
            month=month,
        )
        async for device in self._client.pages(call, lambda page: page.items):
            yield device

    async def focus(self, month: str, *, version: str = "1.0") -> str:
        """Returns the lines as CSV in the columns of FOCUS 1.0 or 1.2."""
        call = get("/statements/{month}/focus", Nothing, {"version": version}, month=month)
        async with self._client.streamed(call) as response:
            return (await response.aread()).decode()


class AsyncBudgets(_Part):
    """`fl.budgets`: GPU-hours that jobs may use in a period"""

    async def list(self) -> Sequence[models.BudgetResponse]:
        """Budgets of the tenant, with the figures of the current period."""
        return (await self._get("/budgets", models.PageBudgetResponse)).items

    async def get(self, budget: str) -> models.BudgetResponse:
        return await self._get("/budgets/{budget}", models.BudgetResponse, budget=budget)

    async def create(
        self,
        body: models.CreateBudgetRequest | Mapping[str, Any] | str,
        *,
        validate_only: bool = False,
    ) -> models.BudgetResponse:
        """Creates a budget. Earlier use in the current period counts."""
        return await self._client.send(
            _create("/budgets", models.BudgetResponse, body, validate_only)
        )

    async def update(
        self,
        budget: str,
        change: models.UpdateBudgetRequest | Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.BudgetResponse:
        """Applies a merge patch to the version that was read. Raises Conflict after a later change."""
        return await self._write(
            "PATCH",
            "/budgets/{budget}",
            models.BudgetResponse,
            change,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            budget=budget,
        )

    async def grant(
        self,
        budget: str,
        grant: models.GrantBudgetRequest | Mapping[str, Any],
        *,
        version: int,
        validate_only: bool = False,
    ) -> models.BudgetResponse:
        """Adds GPU-hours to the current period of the version that was read."""
        return await self._write(
            "POST",
            "/budgets/{budget}/grants",
            models.BudgetResponse,
            grant,
            if_match=version,
            validate_only=validate_only,
            replayable=False,
            budget=budget,
        )

    async def delete(self, budget: str, *, version: int, validate_only: bool = False) -> None:
        """Deletes a budget with its spent and reserved amounts."""
        await self._write(
            "DELETE",
            "/budgets/{budget}",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            budget=budget,
        )


class AsyncNodes(_Part):
    """`fl.nodes`: the nodes. A call lists them."""

    async def __call__(
        self,
        *,
        cluster: str | None = None,
        state: str | Sequence[str] | None = None,
        model: str | None = None,
    ) -> AsyncIterator[models.NodeResponse]:
        options = {"cluster": cluster, "nodeState": state, "model": model, "pageSize": 500}
        call = get("/nodes", models.PageNodeResponse, options)
        async for node in self._client.pages(call, lambda page: page.items):
            yield node

    async def get(self, node: str) -> models.NodeResponse:
        return await self._get("/nodes/{node}", models.NodeResponse, node=node)

    async def cordon(self, node: str) -> models.NodeResponse:
        """Cordons a node. Its jobs continue to run."""
        return await self._write("POST", "/nodes/{node}/cordon", models.NodeResponse, node=node)

    async def report_notice(
        self, cluster: str, notice: Mapping[str, Any]
    ) -> models.ReportNoticeResponse:
        """Reports that a machine of the cluster will be terminated. `notice` contains `id`, `node`, `kind`,
        `deadline` and `reason`, or `id` and `withdrawn`."""
        return await self._write(
            "POST",
            "/clusters/{cluster}/notices",
            models.ReportNoticeResponse,
            dict(notice),
            cluster=cluster,
        )

    async def uncordon(self, node: str) -> models.NodeResponse:
        """Uncordons a node. It becomes ACTIVE when its cluster reports it as schedulable."""
        return await self._write("POST", "/nodes/{node}/uncordon", models.NodeResponse, node=node)

    async def drain(
        self, node: str, *, deadline: str | None = None, at_deadline: str | None = None
    ) -> models.OperationResponse:
        """Drains the node. Follow the operation with `fl.operations.wait`. `deadline` is a duration such
        as "2h" or a time. at_deadline="STOP" stops the attempts that remain at the deadline."""
        due = {"deadline": deadline, "atDeadline": at_deadline}
        return await self._write(
            "POST", "/nodes/{node}/drain", models.OperationResponse, params=due, node=node
        )

    async def quarantine(
        self, node: str, reason: str, *, lasts: str | None = None
    ) -> Sequence[models.QuarantineResponse]:
        """Excludes the node from new jobs, for a duration (such as "2d") or until it is
        released."""
        return (
            await self._write(
                "POST",
                "/nodes/{node}/quarantine",
                models.PageQuarantineResponse,
                {"reason": reason} if lasts is None else {"reason": reason, "lasts": lasts},
                node=node,
            )
        ).items

    async def release(self, node: str, reason: str) -> Sequence[models.QuarantineResponse]:
        """Ends the quarantines of a node and their incidents, and returns them."""
        return (
            await self._write(
                "POST",
                "/nodes/{node}/release",
                models.PageQuarantineResponse,
                {"reason": reason},
                replayable=False,
                node=node,
            )
        ).items


class AsyncDomainQuarantines(_Part):
    """`fl.domain_quarantines`: racks and other topology domains that are quarantined"""

    async def list(
        self, cluster: str, *, standing: bool = False
    ) -> AsyncIterator[models.DomainQuarantineResponse]:
        """Quarantines of domains, newest first. `standing` selects active quarantines."""
        call = get(
            "/clusters/{cluster}/domain-quarantines",
            models.PageDomainQuarantineResponse,
            {"standing": True if standing else None, "pageSize": 500},
            cluster=cluster,
        )
        async for quarantine in self._client.pages(call, lambda page: page.items):
            yield quarantine

    async def get(self, cluster: str, quarantine: str) -> models.DomainQuarantineResponse:
        """The domain quarantine with its nodes and the jobs that run there."""
        return await self._get(
            "/clusters/{cluster}/domain-quarantines/{domainQuarantine}",
            models.DomainQuarantineResponse,
            cluster=cluster,
            domainQuarantine=quarantine,
        )

    async def create(
        self, cluster: str, quarantine: Body, *, validate_only: bool = False, key: str | None = None
    ) -> models.DomainQuarantineResponse:
        """Quarantines all current and later nodes of the domain. Raises Conflict if it is already
        quarantined, and unless forced if it exceeds the circuit breaker."""
        return await self._write(
            "POST",
            "/clusters/{cluster}/domain-quarantines",
            models.DomainQuarantineResponse,
            quarantine,
            validate_only=validate_only,
            key=key,
            cluster=cluster,
        )

    async def update(
        self,
        cluster: str,
        quarantine: str,
        changes: Body,
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.DomainQuarantineResponse:
        """Changes the reason or the end."""
        return await self._write(
            "PATCH",
            "/clusters/{cluster}/domain-quarantines/{domainQuarantine}",
            models.DomainQuarantineResponse,
            changes,
            if_match=version,
            validate_only=validate_only,
            cluster=cluster,
            domainQuarantine=quarantine,
        )

    async def release(
        self, cluster: str, quarantine: str, reason: str, *, validate_only: bool = False
    ) -> models.DomainQuarantineResponse:
        """Ends the quarantine of the domain, and returns the nodes that are still out of service."""
        return await self._write(
            "POST",
            "/clusters/{cluster}/domain-quarantines/{domainQuarantine}/release",
            models.DomainQuarantineResponse,
            {"reason": reason},
            validate_only=validate_only,
            replayable=False,
            cluster=cluster,
            domainQuarantine=quarantine,
        )


class AsyncHealthRules(_Part):
    """`fl.health_rules`: meaning and isolation of each driver and DCGM code"""

    async def table(self) -> models.HealthRulesResponse:
        """Returns all rows and the version of the table."""
        return await self._get("/health-rules", models.HealthRulesResponse)

    async def get(self, xid: int | str) -> models.HealthRuleResponse:
        return await self._get(
            "/health-rules/{healthRule}", models.HealthRuleResponse, healthRule=str(xid)
        )

    async def update(
        self,
        xid: int | str,
        changes: models.HealthRulePatch | Mapping[str, Any],
        *,
        version: int | None = None,
        force: bool = False,
        validate_only: bool = False,
    ) -> models.HealthRuleResponse:
        """Sets a rule. None restores the shipped rule. Raises Conflict if it exceeds the limits of the
        circuit breakers, unless forced."""
        return await self._write(
            "PATCH",
            "/health-rules/{healthRule}",
            models.HealthRuleResponse,
            changes,
            if_match=version,
            validate_only=validate_only,
            params={"force": "true"} if force else None,
            healthRule=str(xid),
        )


class AsyncRepairs(_Part):
    """`fl.repairs`: repairs of faulty nodes"""

    async def list(
        self, *, node: str | None = None, open: bool = False
    ) -> AsyncIterator[models.RepairResponse]:
        """Lists repairs, newest first. `open` selects repairs that have not ended."""
        params = {"node": node, "open": True if open else None, "pageSize": 500}
        call = get("/repairs", models.PageRepairResponse, params)
        async for repair in self._client.pages(call, lambda page: page.items):
            yield repair

    async def get(self, repair: str) -> models.RepairResponse:
        return await self._get("/repairs/{repair}", models.RepairResponse, repair=repair)

    async def order(self, repair: str, order: str, step: str, reason: str) -> models.RepairResponse:
        """Applies HOLD, RESUME, SKIP, FORCE or DONE to the step that was read.

        Returns the changed repair. Refused if the repair is at another step.
        """
        return await self._write(
            "POST",
            "/repairs/{repair}/orders",
            models.RepairResponse,
            {"order": order, "step": step, "reason": reason},
            replayable=False,
            repair=repair,
        )

    async def repairer(self, cluster: str) -> models.RepairerResponse:
        """Repair services of clusters, with their open tasks."""
        return await self._get(
            "/clusters/{cluster}/repairer", models.RepairerResponse, cluster=cluster
        )

    async def set_repairer(
        self,
        cluster: str,
        repairer: models.PutRepairerRequest | Mapping[str, Any],
        *,
        version: int | None = None,
        validate_only: bool = False,
    ) -> models.RepairerResponse:
        """Sets a repairer. The response contains the key that signs the calls to it."""
        return await self._write(
            "PUT",
            "/clusters/{cluster}/repairer",
            models.RepairerResponse,
            repairer,
            if_match=version,
            validate_only=validate_only,
            cluster=cluster,
        )

    async def remove_repairer(
        self, cluster: str, *, version: int | None = None, validate_only: bool = False
    ) -> None:
        """Deletes a repairer. Refused while the repair service may be working on a machine."""
        await self._write(
            "DELETE",
            "/clusters/{cluster}/repairer",
            Nothing,
            if_match=version,
            validate_only=validate_only,
            cluster=cluster,
        )


class AsyncAdvanceReservations(_Part):
    """`fl.advance_reservations`: nodes reserved for a project, or for maintenance, at a time"""

    async def list(self) -> Sequence[models.AdvanceReservationResponse]:
        """Lists active advance reservations by start."""
        page = await self._client.send(
            get("/advance-reservations", models.PageAdvanceReservationResponse)
        )
        return page.items

    async def get(self, reservation: str) -> models.AdvanceReservationResponse:
        """Returns an advance reservation by id or name."""
        return await self._get(
            "/advance-reservations/{reservation}",
            models.AdvanceReservationResponse,
            reservation=reservation,
        )

    async def create(
        self, reservation: Body, *, validate_only: bool = False, key: str | None = None
    ) -> models.AdvanceReservationResponse:
        """Creates an advance reservation with a fixed set of nodes."""
        return await self._write(
            "POST",
            "/advance-reservations",
            models.AdvanceReservationResponse,
            reservation,
            validate_only=validate_only,
            key=key,
        )

    async def cancel(self, reservation: str, *, validate_only: bool = False) -> None:
        """Ends an advance reservation. The nodes are free immediately."""
        await self._write(
            "DELETE",
            "/advance-reservations/{reservation}",
            Nothing,
            validate_only=validate_only,
            reservation=reservation,
        )


class AsyncCampaigns(_Part):
    """`fl.campaigns`: maintenance of many nodes, a few at a time"""

    async def list(self) -> AsyncIterator[models.CampaignResponse]:
        """Lists campaigns, newest first."""
        call = get("/campaigns", models.PageCampaignResponse, {"pageSize": 100})
        async for campaign in self._client.pages(call, lambda page: page.items):
            yield campaign

    async def get(self, campaign: str) -> models.CampaignResponse:
        return await self._get("/campaigns/{campaign}", models.CampaignResponse, campaign=campaign)

    async def nodes(self, campaign: str) -> AsyncIterator[models.CampaignNodeResponse]:
        """Nodes in the order of their maintenance."""
        call = get(
            "/campaigns/{campaign}/nodes",
            models.PageCampaignNodeResponse,
            {"pageSize": 500},
            campaign=campaign,
        )
        async for node in self._client.pages(call, lambda page: page.items):
            yield node

    async def create(
        self, campaign: Body, *, validate_only: bool = False, key: str | None = None
    ) -> models.CampaignResponse:
        """Creates a campaign from a mapping: name, reason, cluster, pool or nodes, atOnce or
        percentAtOnce, drainWithin,
        atDeadline, mostUnhealthy and soak."""
        return await self._write(
            "POST",
            "/campaigns",
            models.CampaignResponse,
            campaign,
            validate_only=validate_only,
            key=key,
        )

    async def order(self, campaign: str, order: str, reason: str) -> models.CampaignResponse:
        """Orders PAUSE, RESUME or ABORT. Refused if it would have no effect."""
        return await self._write(
            "POST",
            "/campaigns/{campaign}/orders",
            models.CampaignResponse,
            {"order": order, "reason": reason},
            replayable=False,
            campaign=campaign,
        )

    async def done(self, campaign: str, node: str) -> models.CampaignNodeResponse:
        """Reports that the work on a READY node is done. The node returns to service and its soak
        time starts."""
        return await self._write(
            "POST",
            "/campaigns/{campaign}/nodes/{node}/done",
            models.CampaignNodeResponse,
            replayable=False,
            campaign=campaign,
            node=node,
        )


class AsyncIncidents(_Part):
    """`fl.incidents`: faults and their treatment"""

    async def list(
        self, *, node: str | None = None, open: bool = False
    ) -> AsyncIterator[models.IncidentResponse]:
        """Lists incidents, newest first. `open` selects incidents that have not ended."""
        params = {"node": node, "open": True if open else None, "pageSize": 500}
        call = get("/incidents", models.PageIncidentResponse, params)
        async for incident in self._client.pages(call, lambda page: page.items):
            yield incident

    async def get(self, incident: str) -> models.IncidentResponse:
        return await self._get("/incidents/{incident}", models.IncidentResponse, incident=incident)

    async def report(
        self,
        cluster: str,
        events: Sequence[Mapping[str, Any]] = (),
        *,
        inventory: Sequence[Mapping[str, Any]] = (),
    ) -> Sequence[models.HealthEventResult]:
        """Reports at most 500 faults of a monitor of the cluster. Each is stored once by its id.

        `inventory` lists all GPUs of some of its machines.
        """
        told = {"events": list(events), "inventory": list(inventory)}
        return (
            await self._write(
                "POST",
                "/clusters/{cluster}/health-events",
                models.HealthEventsResponse,
                {name: items for name, items in told.items() if items},
                cluster=cluster,
            )
        ).items


class AsyncOperations(_Part):
    """`fl.operations`: long-running operations."""

    async def list(self) -> AsyncIterator[models.OperationResponse]:
        """Lists operations, newest first."""
        call = get("/operations", models.PageOperationResponse, {"pageSize": 500})
        async for operation in self._client.pages(call, lambda page: page.items):
            yield operation

    async def get(self, operation: str) -> models.OperationResponse:
        return await self._get(
            "/operations/{operation}", models.OperationResponse, operation=operation
        )

    async def cancel(self, operation: str) -> models.OperationResponse:
        """Cancels an operation. Finished steps of the operation are not reverted."""
        return await self._write(
            "POST",
            "/operations/{operation}/cancel",
            models.OperationResponse,
            operation=operation,
        )

    async def wait(self, operation: str, timeout: float | None = None) -> models.OperationResponse:
        """Returns the ended operation. Raises WaitTimeout after `timeout` seconds."""
        async for last in self.watch(operation, timeout=timeout):
            if last.done:
                return last
        raise WaitTimeout(f"the end of {operation} was not observed")

    async def watch(
        self, operation: str, *, timeout: float | None = None, every: float = 1.0
    ) -> AsyncIterator[models.OperationResponse]:
        """Yields the operation now and after each read, until it has ended."""
        deadline = Deadline(timeout)
        while True:
            now = await self.get(operation)
            yield now
            if now.done:
                return
            if deadline.passed():
                raise WaitTimeout(f"{operation} has not ended after {timeout:g} s")
            await anyio.sleep(deadline.at_most(every))


class AsyncEvents(_Part):
    """`fl.events`: events of jobs, nodes, incidents, quarantines and clusters."""

    async def list(
        self,
        *,
        project: str | None = None,
        job: str | None = None,
        type: str | Sequence[str] | None = None,
        node: str | None = None,
        cluster: str | None = None,
        incident: str | None = None,
        since: str | None = None,
    ) -> AsyncIterator[models.EventResponse]:
        """Events, oldest first. `since` is the id of the preceding event, a time, or a duration before now
        such as "2h". `node`, `cluster` and `incident` select fleet events."""
        options = {
            "project": project,
            "job": job,
            "type": type,
            "node": node,
            "cluster": cluster,
            "incident": incident,
            "since": since,
            "pageSize": 500,
        }
        call = get("/events", models.PageEventResponse, options)
        async for event in self._client.pages(call, lambda page: page.items):
            yield event

    async def stream(
        self,
        *,
        since: str | None = None,
        project: str | None = None,
        job: str | None = None,
        type: str | Sequence[str] | None = None,
        node: str | None = None,
        cluster: str | None = None,
        incident: str | None = None,
    ) -> AsyncIterator[models.EventResponse]:
        """Follows events indefinitely: from now, after the event with the id `since`, or from a time or
        a duration before now. An interrupted stream resumes at its position, so no event is missed or
        repeated. Raises ApiError with the code POSITION_EXPIRED if events in between have expired,
        and Unreachable if the service stays unreachable."""
        options = {
            "project": project,
            "job": job,
            "type": type,
            "node": node,
            "cluster": cluster,
            "incident": incident,
        }
        attempt = 0
        position = since if since is None or since.startswith("evt_") else None
        if position is None:
            options["since"] = since  # counts until there is a position
        while True:
            call = get("/events/stream", Nothing, options)
            try:
                async with self._client.streamed(
                    call, silence=STREAM_SILENCE, position=position
                ) as response:
                    reader = EventLines()
                    async for line in response.aiter_lines():
                        event = reader.feed(line)
                        if reader.position is not None:
                            position, attempt = reader.position, 0
                        if event is not None:
                            yield event
            except Unreachable:
                if attempt >= self._client.max_retries:
                    raise
            except (RateLimited, ServerError):
                if attempt >= self._client.max_retries:
                    raise
            await anyio.sleep(backoff(attempt))
            attempt += 1


class AsyncFairlead:
    """The service. Without `url`, missing settings come from FAIRLEAD_URL, FAIRLEAD_TOKEN,
    FAIRLEAD_PROJECT and FAIRLEAD_TENANT, then from the settings of `fairlead login`. With `url`,
    only the arguments are used, so no token is sent to a wrong address. `auth` replaces a token.
    `timeout` is
    in seconds, for each request. The audit stores `reason` with each change, 1 to 500 characters.
    Raises ValueError for an invalid address or token."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        project: str | None = None,
        tenant: str | None = None,
        reason: str | None = None,
        auth: httpx2.Auth | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        known = Settings() if url is not None else Settings.load()
        settings = Settings(url, token, project, tenant=tenant).over(known)
        self.url = checked_url(settings.url or DEFAULT_URL)
        self.project = settings.project or DEFAULT_PROJECT
        self.max_retries = max_retries
        self._timeout = timeout
        self._reason = reason
        headers = {"User-Agent": "fairlead-python/0.1.0"}
        if settings.token:
            headers["Authorization"] = f"Bearer {checked_token(settings.token)}"
        if settings.tenant:
            headers["Fairlead-Tenant"] = checked_tenant(settings.tenant)
        self._http = httpx2.AsyncClient(
            base_url=self.url,
            headers=headers,
            auth=auth or (_signin.of(settings) if url is None else None),
            timeout=timeout,
            transport=transport,
            verify=trusted(self.url) if transport is None else True,
        )
        self.jobs = AsyncJobs(self)
        self.projects = AsyncProjects(self)
        self.tenants = AsyncTenants(self)
        self.members = AsyncMembers(self)
        self.secrets = AsyncSecrets(self)
        self.volumes = AsyncVolumes(self)
        self.tokens = AsyncTokens(self)
        self.audit = AsyncAudit(self)
        self.config = AsyncConfig(self)
        self.quotas = AsyncQuotas(self)
        self.clusters = AsyncClusters(self)
        self.pools = AsyncPools(self)
        self.fronts = AsyncFronts(self)
        self.legal_holds = AsyncLegalHolds(self)
        self.licences = AsyncLicences(self)
        self.schedules = AsyncSchedules(self)
        self.warm_pools = AsyncWarmPools(self)
        self.pipelines = AsyncPipelines(self)
        self.services = AsyncServices(self)
        self.cloud_identities = AsyncCloudIdentities(self)
        self.policies = AsyncPolicies(self)
        self.templates = AsyncTemplates(self)
        self.webhooks = AsyncWebhooks(self)
        self.health_tests = AsyncHealthTests(self)
        self.prices = AsyncPrices(self)
        self.idle_costs = AsyncIdleCosts(self)
        self.statements = AsyncStatements(self)
        self.budgets = AsyncBudgets(self)
        self.nodes = AsyncNodes(self)
        self.events = AsyncEvents(self)
        self.incidents = AsyncIncidents(self)
        self.domain_quarantines = AsyncDomainQuarantines(self)
        self.health_rules = AsyncHealthRules(self)
        self.repairs = AsyncRepairs(self)
        self.advance_reservations = AsyncAdvanceReservations(self)
        self.campaigns = AsyncCampaigns(self)
        self.operations = AsyncOperations(self)

    async def me(self) -> models.MeResponse:
        return await self.send(get("/me", models.MeResponse))

    async def version(self) -> models.VersionResponse:
        return await self.send(get("/version", models.VersionResponse))

    async def flaky_nodes(self) -> Sequence[models.FlakyNodeResponse]:
        """Nodes with repeated faults, worst first, with the evidence."""
        return (await self.send(get("/flaky-nodes", models.PageFlakyNodeResponse))).items

    async def checks(self) -> Sequence[models.DoctorCheck]:
        """Checks of the installation, worst first, with the loops of the responding process."""
        return (await self.send(get("/checks", models.PageDoctorCheck))).items

    async def installation(self) -> models.InstallationResponse:
        """Returns the id of the installation. Its incarnation is raised when a restored database
        becomes active."""
        return await self.send(get("/installation", models.InstallationResponse))

    async def raise_incarnation(
        self, expected: int, *, validate_only: bool = False
    ) -> models.InstallationResponse:
        """Declares this database the active one after a restore. Raises Conflict if its incarnation differs
        from the expected incarnation."""
        call = write(
            "POST",
            "/installation/raise-incarnation",
            models.InstallationResponse,
            validate_only=validate_only,
            if_match=expected,
            replayable=False,
        )
        return await self.send(call)

    async def capacity(self) -> Rows[models.CapacityResponse]:
        """Returns total and free capacity by cluster and GPU model."""
        return Rows((await self.send(get("/capacity", models.PageCapacityResponse))).items)

    async def gpu_models(self) -> Sequence[models.GpuModelResponse]:
        """The GPU models in the catalogue, with memory, MIG profiles and the labels that name them."""
        return (await self.send(get("/gpu-models", models.PageGpuModelResponse))).items

    async def launchers(self) -> Sequence[models.LauncherResponse]:
        """Lists the launchers that a job can name."""
        return (await self.send(get("/launchers", models.PageLauncherResponse))).items

    async def runtimes(self) -> Sequence[models.ModelRuntime]:
        """Lists the model servers that a service can name."""
        return (await self.send(get("/runtimes", models.PageModelRuntime))).items

    async def gpus(
        self,
        *,
        cluster: str | None = None,
        node: str | None = None,
        model: str | None = None,
        state: str | None = None,
        serial: str | None = None,
    ) -> AsyncIterator[models.DeviceResponse]:
        """Each GPU and its holder, by cluster, node and index. ``serial`` may be a UUID."""
        options = {
            "cluster": cluster,
            "node": node,
            "model": model,
            "gpuState": state,
            "serial": serial,
            "pageSize": 500,
        }
        call = get("/gpus", models.PageDeviceResponse, options)
        async for device in self.pages(call, lambda page: page.items):
            yield device

    async def gpu(self, gpu: str) -> models.KnownGpuResponse:
        """Returns the node of a GPU by its UUID or serial number. For operators."""
        return await self.send(get("/gpus/{gpu}", models.KnownGpuResponse, gpu=gpu))

    async def gpu_history(self, gpu: str) -> AsyncIterator[models.GpuChangeResponse]:
        """All moves, incidents and quarantines of a GPU, newest first. For operators."""
        call = get("/gpus/{gpu}/history", models.PageGpuChangeResponse, {"pageSize": 500}, gpu=gpu)
        async for change in self.pages(call, lambda page: page.items):
            yield change

    async def replay_rule(
        self, xid: int | str, quarantine: str, *, back: str = "7d"
    ) -> models.RuleReplayResponse:
        """Tests an isolation against stored events: NONE, GPU, GPU_ON_REPEAT or NODE."""
        call = write(
            "POST",
            "/health-rules/replay",
            models.RuleReplayResponse,
            {
                "xid" if isinstance(xid, int) else "code": xid,
                "quarantine": quarantine,
                "back": back,
            },
        )
        return await self.send(call)

    async def timeline(
        self,
        *,
        job: str | None = None,
        node: str | None = None,
        cluster: str | None = None,
        since: str = "24h",
    ) -> AsyncIterator[models.TimelineEntryResponse]:
        """Timeline of a job by its id, of a node or of a cluster, oldest first.

        Only operators and auditors read the timeline of a node or a cluster.
        """
        asked = {"jobs": job, "nodes": node, "clusters": cluster}
        of = [(kind, name) for kind, name in asked.items() if name is not None]
        if len(of) != 1:
            raise ValueError("name one job, node or cluster")
        kind, name = of[0]
        call = get(
            f"/{kind}/{{name}}/timeline",
            models.PageTimelineEntryResponse,
            {"sinceTime": since, "pageSize": 500},
            name=name,
        )
        async for entry in self.pages(call, lambda page: page.items):
            yield entry

    async def usage(
        self,
        by: str | Sequence[str] = "project",
        *,
        period: str = "MONTH",
        project: str | None = None,
        user: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
    ) -> Sequence[models.UsageRowResponse]:
        """GPU-hours by period (HOUR, DAY, MONTH in UTC) and by project, queue, user, pool, model, capacity.

        `label:KEY` is also a group, for the label keys of the tenant (`usage_labels`).
        Covers the last 31 days by default. Bounds are times, or durations before now such as 7d.
        """
        filters = {
            "by": by,
            "period": period,
            "project": project,
            "user": user,
            "from": iso(since),
            "to": iso(until),
        }
        return (await self.send(get("/usage", models.PageUsageRowResponse, filters))).items

    async def export_decisions(
        self,
        project: str | None = None,
        *,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
    ) -> AsyncIterator[models.ExportedDecisionResponse]:
        """Decisions about all jobs of the tenant, or of a project, by time. Pages are read as needed. By
        default the last day. Bounds are times, or durations back from now such as 7d."""
        options = {
            "project": project,
            "since": iso(since),
            "until": iso(until),
            "pageSize": 500,
        }
        call = get("/decisions", models.PageExportedDecisionResponse, options)
        async for one in self.pages(call, lambda page: page.items):
            yield one

    async def spill(
        self,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        *,
        every_tenant: bool = False,
    ) -> models.SpillResponse:
        """Reserved capacity of a tenant, and other usage that it could have served.

        Covers the last 31 days by default. Bounds are times, or durations back from now such as 7d.
        `every_tenant` is for platform roles."""
        params = {
            "from": iso(since),
            "to": iso(until),
            "everyTenant": every_tenant or None,
        }
        return await self.send(get("/reports/spill", models.SpillResponse, params))

    async def idle(self) -> models.IdleResponse:
        """Running attempts with idle GPUs, and the capacity reclaimed from such jobs."""
        return await self.send(get("/reports/idle", models.IdleResponse))

    async def savings(
        self, since: str | datetime | None = None, until: str | datetime | None = None
    ) -> models.SavingsResponse:
        """Cost of the tenant, compared with the same use on on-demand capacity only and on
        reserved capacity only.

        Covers the last 31 days by default. Bounds are times, or durations before now such as 7d.
        """
        params = {
            "from": iso(since),
            "to": iso(until),
        }
        return await self.send(get("/reports/savings", models.SavingsResponse, params))

    async def volume_hours(
        self, since: str | datetime | None = None, until: str | datetime | None = None
    ) -> models.VolumeHoursResponse:
        """GiB-hours of the tenant's volumes while they had claims.

        Covers the last 31 days by default. Bounds are times, or durations before now such as 7d.
        """
        params = {
            "from": iso(since),
            "to": iso(until),
        }
        return await self.send(get("/reports/volume-hours", models.VolumeHoursResponse, params))

    async def commitments(
        self, since: str | datetime | None = None, until: str | datetime | None = None
    ) -> models.CommitmentsResponse:
        """Returns the cost of each commitment of the price book, and its use by all tenants. Covers
        the last 31 days by default. For platform roles."""
        params = {
            "from": iso(since),
            "to": iso(until),
        }
        return await self.send(get("/reports/commitments", models.CommitmentsResponse, params))

    async def waits(
        self,
        by: str | Sequence[str] = "cause",
        *,
        period: str = "MONTH",
        project: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
    ) -> Sequence[models.WaitRowResponse]:
        """Wait times of jobs in job-hours, by period (HOUR, DAY, MONTH) and project, queue, cause.

        Covers the last 31 days by default. Bounds are times, or durations before now such as 7d.
        """
        filters = {
            "by": by,
            "period": period,
            "project": project,
            "from": iso(since),
            "to": iso(until),
        }
        return (await self.send(get("/usage/waits", models.PageWaitRowResponse, filters))).items

    async def usage_labels(self) -> Sequence[models.UsageLabelsResponse]:
        """Label keys by which usage is grouped, newest first."""
        call = get("/usage/labels", models.PageUsageLabelsResponse)
        return (await self.send(call)).items

    async def name_usage_labels(
        self, keys: Sequence[str], *, validate_only: bool = False
    ) -> models.UsageLabelsResponse:
        """Replaces the label keys from the next hour. At most three. For owners of the tenant."""
        call = write(
            "PUT",
            "/usage/labels",
            models.UsageLabelsResponse,
            {"keys": list(keys)},
            validate_only=validate_only,
        )
        return await self.send(call)

    async def rebuild_usage(
        self,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        *,
        validate_only: bool = False,
    ) -> models.UsageRebuildResponse:
        """Recomputes closed hours from usage intervals and rewrites changed hours. For operators.

        At most 24 hours per call, within the last 400 days. `validate_only` compares and writes nothing.
        """
        params = {
            "from": iso(since),
            "to": iso(until),
        }
        call = write(
            "POST",
            "/usage/rebuild",
            models.UsageRebuildResponse,
            validate_only=validate_only,
            params=params,
        )
        return await self.send(call)

    async def raw(self, relative: str) -> Any:
        """Sends a GET to any path below /api/v1. Returns parsed JSON, or the text if the response
        is not JSON."""
        if ".." in relative.split("?", 1)[0].split("/"):
            raise FairleadError(f"{relative!r} leaves the API")
        target = relative if relative.startswith("/api/") else path("") + "/" + relative.lstrip("/")
        response = await self._answer(Call("GET", target, Nothing))
        if not response.is_success:
            raise refusal(response)
        is_json = "json" in response.headers.get("Content-Type", "")
        return response.json() if is_json else response.text

    async def send(self, call: Call[T]) -> T:
        """Sends the request, retries it if that is safe, and reads the response. Raises ApiError
        and Unreachable."""
        return read(call, await self._answer(call))

    async def versioned(self, call: Call[T]) -> tuple[T, int | None]:
        """Like `send`, with the version from the ETag of the response."""
        response = await self._answer(call)
        tag = response.headers.get("ETag", "").removeprefix("W/").strip('"')
        return read(call, response), int(tag) if tag.isdecimal() else None

    async def _answer(self, call: Call[Any]) -> httpx2.Response:
        attempt = 0
        while True:
            try:
                response = await self._http.send(self._request(call))
                delay = retry_after_answer(call, response, attempt)
                if delay is None or attempt >= self.max_retries:
                    return response
            except httpx2.TransportError as cause:
                again = retry_after_failure(call, cause, attempt)
                if again is None or attempt >= self.max_retries:
                    raise unreachable(self.url, cause) from cause
                delay = again
            except httpx2.InvalidURL as wrong:
                raise unreachable(self.url, wrong) from wrong
            attempt += 1
            await anyio.sleep(delay)

    def _request(self, call: Call[Any]) -> httpx2.Request:
        return self._http.build_request(
            call.method,
            call.path,
            params=reasoned(call, self._reason)
            or None,  # an empty mapping would cut the path's own query off
            content=call.content,
            headers=call.headers,
        )

    async def pages(
        self, call: Call[P], items: Callable[[P], Sequence[T]]
    ) -> AsyncGenerator[T, None]:
        """Items of this page and of all later pages."""
        params = dict(call.params)
        while True:
            page = await self.send(
                Call("GET", call.path, call.answer, params, headers=call.headers)
            )
            for item in items(page):
                yield item
            token = getattr(page, "next_page_token", None)
            if not token:
                return
            params["pageToken"] = token

    @asynccontextmanager
    async def streamed(
        self,
        call: Call[Any],
        *,
        endless: bool = False,
        silence: float | None = None,
        longest: float | None = None,
        position: str | None = None,
    ) -> AsyncIterator[httpx2.Response]:
        """A streamed response, which may be silent for `silence` seconds. An `endless` response may be
        silent without a limit unless `silence` is given. It lasts for `longest` seconds. `position` is the
        id of the
        last event that was read."""
        until = Deadline(longest)
        if silence is None:
            silence = longest if endless else until.at_most(self._timeout)
        patience = httpx2.Timeout(until.at_most(self._timeout), read=silence)
        headers = {"Accept": "text/plain, text/csv, text/event-stream, application/problem+json"}
        if position is not None:
            headers["Last-Event-ID"] = position
        request = self._http.build_request(
            call.method,
            call.path,
            params=call.params,
            headers=headers,
            timeout=patience,
        )
        try:
            response = await self._http.send(request, stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                    raise refusal(response)
                with ending(response, until.left()):
                    yield response
            finally:
                await response.aclose()
        except httpx2.TransportError as cause:
            raise unreachable(self.url, cause) from cause

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncFairlead:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _create(template: str, answer: type[T], body: Body, validate_only: bool) -> Call[T]:
    # Made twice is refused by the name: a lost answer is not sent again.
    return write("POST", template, answer, body, validate_only=validate_only, replayable=False)


def _is_name(text: str) -> bool:
    return bool(text) and len(text) <= 63 and text.replace("-", "").isalnum() and text.isascii()
