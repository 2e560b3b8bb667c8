"""Retries, errors, pages, settings."""

from __future__ import annotations

import json
import ssl
import stat
from pathlib import Path

import anyio
import httpx
import httpx2
import pydantic
import pytest
import respx
from documents import JOB_ID, ended, explanation, job, operations, page, problem

import fairlead
from fairlead import AsyncFairlead, Fairlead, Settings, models, states
from fairlead._call import backoff, retry_after
from fairlead._tls import trusted


def test_a_busy_service_is_asked_three_times_with_one_key(
    api: respx.MockRouter, naps: list[float]
) -> None:
    busy = httpx.Response(503, json=problem(503, "UNAVAILABLE"))
    route = api.post("/projects/default/jobs")
    route.side_effect = [busy, busy, httpx.Response(201, json=job())]
    assert Fairlead().jobs.submit({"image": "x"}).id == JOB_ID
    keys = {call.request.headers["Idempotency-Key"] for call in route.calls}
    assert len(keys) == 1
    assert len(naps) == 2


def test_authorities_are_read_once_for_all_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when each client loads them separately, which takes longer than a request."""
    trusted()

    def again(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", again)
    monkeypatch.setattr(httpx2, "create_ssl_context", again)
    Fairlead("https://fairlead.test").close()
    anyio.run(AsyncFairlead("https://fairlead.test").aclose)


def test_a_context_that_asks_the_system_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when one peer that is silent in its handshake delays the clients of all others."""

    class AsksTheSystem(ssl.SSLContext):
        pass

    monkeypatch.setenv("SSL_CERT_DIR", "of this test")
    monkeypatch.setattr(
        httpx2, "create_ssl_context", lambda: AsksTheSystem(ssl.PROTOCOL_TLS_CLIENT)
    )
    assert trusted() is not trusted()


def test_a_client_of_a_plain_http_address_trusts_no_authority() -> None:
    assert trusted("http://127.0.0.1:8080").cert_store_stats()["x509_ca"] == 0
    assert trusted("https://fairlead.example.com").cert_store_stats()["x509_ca"] > 0


def test_authorities_that_the_environment_names_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(FileNotFoundError):
        Fairlead("https://fairlead.test")


def test_it_gives_up_after_two_retries(api: respx.MockRouter, naps: list[float]) -> None:
    route = api.get("/me").respond(503, json=problem(503, "UNAVAILABLE"))
    with pytest.raises(fairlead.ServerError) as refused:
        Fairlead().me()
    assert (route.call_count, refused.value.code, len(naps)) == (3, "UNAVAILABLE", 2)


def test_client_waits_for_the_requested_time(api: respx.MockRouter, naps: list[float]) -> None:
    busy = httpx.Response(429, headers={"Retry-After": "7"}, json=problem(429, "RATE_LIMITED"))
    api.get("/projects").side_effect = [busy, httpx.Response(200, json=page())]
    assert Fairlead().projects.list() == []
    assert naps == [7.0]


def test_it_does_not_wait_for_an_hour(api: respx.MockRouter, naps: list[float]) -> None:
    api.get("/me").respond(429, headers={"Retry-After": "3600"}, json=problem(429, "RATE_LIMITED"))
    with pytest.raises(fairlead.RateLimited):
        Fairlead().me()
    assert naps == []


def test_lost_response_is_retried_only_when_safe(api: respx.MockRouter, naps: list[float]) -> None:
    submitted = api.post("/projects/default/jobs").mock(side_effect=httpx2.ReadTimeout("late"))
    created = api.post("/projects").mock(side_effect=httpx2.ReadTimeout("late"))
    fl = Fairlead()
    with pytest.raises(fairlead.Unreachable, match="gave no answer in time"):
        fl.jobs.submit({"image": "x"})
    with pytest.raises(fairlead.Unreachable):
        fl.projects.create({"name": "nlp"})
    assert (submitted.call_count, created.call_count) == (3, 1)


@pytest.mark.parametrize("status", [502, 504])
def test_a_request_that_a_proxy_may_have_passed_on_is_repeated_only_where_that_is_safe(
    api: respx.MockRouter, naps: list[float], status: int
) -> None:
    """Fails when a deletion that was done is reported as NOT_FOUND."""
    deleted = api.delete("/webhooks/portal").respond(status)
    revoked = api.delete("/tokens/tok_1").respond(status)
    fl = Fairlead()
    with pytest.raises(fairlead.ServerError):
        fl.webhooks.delete("portal")
    with pytest.raises(fairlead.ServerError):
        fl.tokens.revoke("tok_1")
    assert (deleted.call_count, revoked.call_count) == (1, 3)


def test_delays_stay_between_half_a_second_and_eight() -> None:
    assert all(0.5 <= backoff(attempt) <= 8 for attempt in range(20) for _ in range(50))


def test_pauses_have_no_last_attempt() -> None:
    """Fails when the power overflows, as it does at 1,024."""
    assert 4 <= backoff(5_000) <= 8
    assert 30 <= backoff(5_000, 60) <= 60


def test_output_that_may_not_last_is_not_waited_for(api: respx.MockRouter) -> None:
    """Fails when a timeout of 0 counts as none."""
    route = api.get(f"/jobs/{JOB_ID}/logs").respond(200, text="")
    assert list(Fairlead().jobs.logs(JOB_ID, follow=True, timeout=0)) == []
    assert route.calls.last.request.extensions["timeout"]["read"] == 0


@pytest.mark.parametrize(
    ("header", "seconds"), [("3", 3.0), ("-1", 0.0), ("soon", None), (None, None)]
)
def test_retry_after_takes_numbers(header: str | None, seconds: float | None) -> None:
    assert retry_after(header) == seconds
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, fairlead.BadRequest),
        (401, fairlead.Unauthenticated),
        (403, fairlead.Forbidden),
        (404, fairlead.NotFound),
        (409, fairlead.Conflict),
        (412, fairlead.Conflict),
        (422, fairlead.InvalidRequest),
        (500, fairlead.ServerError),
    ],
)
def test_rejection_contains_its_type_and_all_details(
    api: respx.MockRouter, status: int, kind: type[fairlead.ApiError]
) -> None:
    wrong = {"pointer": "/gpu", "code": "INVALID_FIELD", "detail": "no", "suggestion": "0"}
    body = problem(status, "SOME_CODE", "It is so.", errors=[wrong], metadata={"problems": 1})
    api.get("/me").respond(status, json=body)
    with pytest.raises(kind) as refused:
        Fairlead().me()
    error = refused.value
    assert (error.status, error.code, error.detail) == (status, "SOME_CODE", "It is so.")
    assert (error.errors[0].pointer, error.errors[0].suggestion) == ("/gpu", "0")
    assert (error.metadata, error.request_id) == ({"problems": 1}, body["requestId"])


def test_proxy_error_page_is_a_distinct_error(api: respx.MockRouter, naps: list[float]) -> None:
    api.get("/me").respond(502, html="<h1>Bad gateway</h1>")
    with pytest.raises(fairlead.ServerError, match="any proxy in between"):
        Fairlead().me()


def test_foreign_response_is_reported(api: respx.MockRouter) -> None:
    api.get("/me").respond(200, html="<h1>Welcome</h1>")
    with pytest.raises(fairlead.FairleadError, match="unexpected answer"):
        Fairlead().me()


def test_lists_turn_their_pages(api: respx.MockRouter) -> None:
    route = api.get("/jobs")
    route.side_effect = [
        httpx.Response(200, json=page(job(), job(), token="t/1+")),
        httpx.Response(200, json=page(job())),
    ]
    assert len(list(Fairlead().jobs.list(state=["QUEUED", "RUNNING"], label="team=nlp"))) == 3
    second = httpx.URL(route.calls.last.request.url).params
    assert second["pageToken"] == "t/1+"
    assert second.get_list("state") == ["QUEUED", "RUNNING"]


def test_answers_may_grow_and_requests_may_not(api: respx.MockRouter) -> None:
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job(state="HIBERNATING", mood="good"))
    found = Fairlead().jobs.get(JOB_ID)
    assert (found.state, found.model_extra) == ("HIBERNATING", {"mood": "good"})
    with pytest.raises(pydantic.ValidationError, match="nmae"):
        models.SubmitJobRequest.model_validate({"image": "x", "nmae": "y"})


def test_a_model_is_sent_as_the_api_names_its_fields(api: respx.MockRouter) -> None:
    route = api.post("/projects/default/jobs").respond(201, json=job())
    Fairlead().jobs.submit(models.SubmitJobRequest(image="x", max_runtime="4h", gpu="H100:8"))
    assert (
        route.calls.last.request.content == b'{"gpu": "H100:8", "image": "x", "maxRuntime": "4h"}'
    )


def test_text_is_sent_as_yaml_untouched(api: respx.MockRouter) -> None:
    route = api.post("/projects/default/jobs").respond(201, json=job())
    Fairlead().jobs.submit("image: x # é\n")
    assert route.calls.last.request.headers["Content-Type"] == "application/yaml"
    assert route.calls.last.request.content.decode() == "image: x # é\n"


def test_an_id_stays_one_segment_of_the_path(api: respx.MockRouter) -> None:
    route = api.get(url__regex=r".*/jobs/..%2Fquotas$").respond(404, json=problem(404, "NOT_FOUND"))
    with pytest.raises(fairlead.NotFound):
        Fairlead().jobs.get("../quotas")
    assert route.called
    with pytest.raises(fairlead.FairleadError, match="names nothing"):
        Fairlead().jobs.get("..")


def test_waiting_ends_with_the_job_or_with_the_time(
    api: respx.MockRouter, naps: list[float]
) -> None:
    route = api.get(f"/jobs/{JOB_ID}")
    route.side_effect = [httpx.Response(200, json=one) for one in (job(), job(), ended("FAILED"))]
    assert Fairlead().jobs.wait(JOB_ID).state == "FAILED"
    assert naps == [1.0, 1.0]
    route.side_effect = None
    route.respond(200, json=job())
    with pytest.raises(fairlead.WaitTimeout, match="llama-sft is QUEUED"):
        Fairlead().jobs.wait(JOB_ID, timeout=0)


def test_a_job_is_found_by_name_and_an_active_one_first(api: respx.MockRouter) -> None:
    older = ended("FAILED") | {"id": JOB_ID[:-1] + "b"}
    api.get("/jobs", params={"name": "llama-sft"}).respond(200, json=page(older, job()))
    route = api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert Fairlead().jobs.find("llama-sft").id == JOB_ID
    assert route.called


def test_a_beginning_must_be_of_one_job(api: respx.MockRouter) -> None:
    api.get("/jobs", params={"name": "lla"}).respond(200, json=page())
    other = job(name="llama-2") | {"id": JOB_ID[:-1] + "b"}
    api.get("/jobs", params={"pageSize": "500"}).respond(200, json=page(job(), other))
    with pytest.raises(fairlead.Ambiguous, match=r"llama-sft .*, llama-2 "):
        Fairlead().jobs.find("lla")


def test_runs_of_one_name_are_several_jobs_to_a_beginning(api: respx.MockRouter) -> None:
    """Fails when names are counted instead of jobs."""
    other = job() | {"id": JOB_ID[:-1] + "b"}
    api.get("/jobs", params={"name": "lla"}).respond(200, json=page())
    api.get("/jobs", params={"pageSize": "500"}).respond(200, json=page(job(), other))
    with pytest.raises(fairlead.Ambiguous) as refused:
        Fairlead().jobs.find("lla")
    assert [one.id for one in refused.value.jobs] == [JOB_ID, other["id"]]


def test_changes_apply_to_the_live_job_of_the_name(
    api: respx.MockRouter,
) -> None:
    older = ended("FAILED") | {"id": JOB_ID[:-1] + "b"}
    api.get("/jobs", params={"name": "llama-sft"}).respond(200, json=page(older, job(), older))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert Fairlead().jobs.only("llama-sft").id == JOB_ID
    assert Fairlead().jobs.only(JOB_ID).id == JOB_ID


def test_state_is_an_open_enum(api: respx.MockRouter) -> None:
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    found = Fairlead().jobs.get(JOB_ID)
    assert found.state is states.JobState.QUEUED
    assert (found.state, f"{found.state}", json.dumps([found.state])) == (
        "QUEUED",
        "QUEUED",
        '["QUEUED"]',
    )
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job(state="HIBERNATING"))
    grown = Fairlead().jobs.get(JOB_ID).state
    assert isinstance(grown, states.JobState)
    assert (grown, grown.name) == ("HIBERNATING", "HIBERNATING")


def test_counts_of_gpus_are_whole_and_parts_of_one_are_not(api: respx.MockRouter) -> None:
    """Fails when 64 GPUs are 64.0."""
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert str(Fairlead().jobs.get(JOB_ID).gpus.requested) == "64"
    half = job(gpus={"requested": 0.5, "allocated": 0.0, "model": None})
    api.get(f"/jobs/{JOB_ID}").respond(200, json=half)
    found = Fairlead().jobs.get(JOB_ID)
    assert (str(found.gpus.requested), str(found.gpus.allocated)) == ("0.5", "0")
    assert json.loads(found.model_dump_json(by_alias=True))["gpus"] == half["gpus"]


def test_a_job_is_printed_as_one_line(api: respx.MockRouter) -> None:
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job())
    assert str(Fairlead().jobs.get(JOB_ID)) == (
        f"<Job llama-sft {JOB_ID} QUEUED: needs 64 H100 in one block, largest free block 40>"
    )


def test_results_of_a_batch_can_be_waited_for(api: respx.MockRouter, naps: list[float]) -> None:
    """Fails when the jobs of a batch have no client."""
    refused = problem(422, "INVALID_FIELD", "It is not valid.")
    items = [
        {"index": 0, "status": 201, "job": job(), "problem": None},
        {"index": 1, "status": 422, "job": None, "problem": refused},
    ]
    api.post("/projects/default/jobs/batch").respond(200, json={"items": items})
    api.get(f"/jobs/{JOB_ID}").respond(200, json=ended("SUCCEEDED"))
    good, bad = Fairlead().jobs.submit_batch([{"image": "x"}, {"image": ""}])
    assert good.job is not None
    assert good.job.refresh().state == good.wait().state == "SUCCEEDED"
    with pytest.raises(fairlead.InvalidRequest, match="It is not valid"):
        bad.wait()


def test_all_jobs_are_waited_for_within_one_time(api: respx.MockRouter, naps: list[float]) -> None:
    other = JOB_ID[:-1] + "b"
    first = api.get(f"/jobs/{JOB_ID}")
    first.side_effect = [httpx.Response(200, json=one) for one in (job(), ended("FAILED"))]
    api.get(f"/jobs/{other}").respond(200, json=ended("SUCCEEDED", id=other))
    fl = Fairlead()
    assert [one.state for one in fl.jobs.wait_all([JOB_ID, other])] == ["FAILED", "SUCCEEDED"]
    first.side_effect = None
    first.respond(200, json=job())
    with pytest.raises(fairlead.WaitTimeout):
        fl.jobs.wait_all([other, JOB_ID], timeout=0)


def test_settings_are_readable_by_their_owner_only() -> None:
    path = Settings("http://a", "secret-token").save()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Settings.load() == Settings("http://a", "secret-token")
    assert "secret" not in repr(Settings.load())


def test_stored_token_is_sent_only_to_its_service(monkeypatch: pytest.MonkeyPatch) -> None:
    Settings("http://a", "secret-token").save()
    monkeypatch.setenv("FAIRLEAD_URL", "http://b")
    assert Settings.load() == Settings("http://b", None)


def test_a_broken_settings_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match=r"config\.json cannot be read"):
        Settings.load()


def happened(number: int) -> str:
    data = {
        "id": f"evt_{number:026d}",
        "at": "2026-11-20T07:40:11Z",
        "type": "JobSubmitted",
        "subject": {"type": "job", "id": JOB_ID, "version": number},
        "actor": "ana",
        "data": {},
    }
    return f"id: {data['id']}\ndata: {json.dumps(data)}\n\n"


def test_interrupted_stream_resumes_at_its_position(
    api: respx.MockRouter, naps: list[float]
) -> None:
    still = f"id: evt_{9:026d}\n: here\n\n"
    route = api.get("/events/stream")
    route.side_effect = [
        httpx.Response(200, text=happened(1) + happened(2) + happened(3)[:-20]),
        httpx2.ConnectError("away"),
        httpx.Response(200, text=happened(3) + still),
        httpx.Response(503, json=problem(503, "UNAVAILABLE")),
        httpx.Response(200, text=happened(10)),
        httpx.Response(410, json=problem(410, "POSITION_EXPIRED")),
    ]
    seen: list[int] = []
    following = (event.subject.version for event in Fairlead().events.stream())
    with pytest.raises(fairlead.ApiError) as refused:
        seen.extend(following)
    assert refused.value.code == "POSITION_EXPIRED"
    assert seen == [1, 2, 3, 10]
    asked = [call.request.headers.get("Last-Event-ID", "")[-2:] for call in route.calls]
    assert asked == ["", "02", "02", "09", "09", "10"]


def test_a_problem_in_the_middle_ends_a_stream(api: respx.MockRouter) -> None:
    told = f"event: problem\ndata: {json.dumps(problem(410, 'POSITION_EXPIRED'))}\n\n"
    api.get("/events/stream").respond(200, text=happened(1) + told)
    with pytest.raises(fairlead.ApiError) as ended_by:
        list(Fairlead().events.stream(since="evt_00000000000000000000000000"))
    assert ended_by.value.code == "POSITION_EXPIRED"


def test_a_life_of_a_gpu_is_read_to_its_end(api: respx.MockRouter) -> None:
    """Fails when only the first page is read."""
    change = {"at": "2030-01-02T00:00:00Z", "kind": "MOVED", "text": "to node a", "incident": None}
    pages = [
        {"items": [change], "nextPageToken": "more"},
        {"items": [{**change, "text": "to node b"}], "nextPageToken": None},
    ]
    api.get("/gpus/1653922/history").mock(side_effect=[httpx.Response(200, json=p) for p in pages])

    assert [c.text for c in Fairlead().gpu_history("1653922")] == ["to node a", "to node b"]


def test_a_batch_is_waited_for_and_its_objects_are_up_to_date(api: respx.MockRouter) -> None:
    """Fails when the items of a batch are no jobs, or when a job is QUEUED behind its end."""
    batch = api.post("/projects/default/jobs/batch")
    batch.respond(200, json={"items": [{"index": 0, "status": 201, "job": job(), "problem": None}]})
    api.get(f"/jobs/{JOB_ID}").respond(200, json=ended("SUCCEEDED"))
    fl = Fairlead()
    items = fl.jobs.submit_batch([{"image": "x"}])
    assert [one.state for one in fl.jobs.wait_all(items)] == ["SUCCEEDED"]
    assert items[0].job is not None
    assert items[0].job.state == "SUCCEEDED"
    one = fl.jobs.submit_batch([{"image": "x"}])[0].job
    assert one is not None
    assert one.wait() is one
    assert (one.state, one.pending) == ("SUCCEEDED", None)

    async def asynchronous() -> list[str]:
        async with AsyncFairlead() as afl:
            found = await afl.jobs.wait_all(await afl.jobs.submit_batch([{"image": "x"}]))
            return [one.state for one in found]

    assert anyio.run(asynchronous) == ["SUCCEEDED"]


def test_a_refused_item_ends_the_wait_for_its_batch(api: respx.MockRouter) -> None:
    bad = {"index": 0, "status": 422, "job": None, "problem": problem(422, "INVALID_FIELD")}
    api.post("/projects/default/jobs/batch").respond(200, json={"items": [bad]})
    fl = Fairlead()
    with pytest.raises(fairlead.InvalidRequest):
        fl.jobs.wait_all(fl.jobs.submit_batch([{"image": ""}]))


def test_a_large_batch_goes_in_requests_of_a_thousand(api: respx.MockRouter) -> None:
    """Fails when 2,001 jobs are one request, which the service refuses."""
    route = api.post("/projects/default/jobs/batch").respond(200, json={"items": []})
    Fairlead().jobs.submit_batch([{"image": "x"}] * 2001, idempotency_key="k")
    sizes = [len(json.loads(call.request.content)["items"]) for call in route.calls]
    keys = [call.request.headers["Idempotency-Key"] for call in route.calls]
    assert (sizes, keys) == ([1000, 1000, 1], ["k", "k-1", "k-2"])
    with pytest.raises(ValueError, match="at most 1000"):
        Fairlead().jobs.submit_batch([{"image": "x"}] * 2001, atomic=True)


@pytest.mark.usefixtures("feasible")
def test_a_notebook_shows_tables(api: respx.MockRouter) -> None:
    """Fails when a cell shows the fields of pydantic, or texts of the service are not escaped."""
    api.get(f"/jobs/{JOB_ID}").respond(200, json=job(name="<b>x"))
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=explanation())
    one = Fairlead().jobs.get(JOB_ID)
    assert "<td>&lt;b&gt;x</td>" in one._repr_html_()
    assert one.explain()._repr_html_().startswith("<p><b>")
    assert Fairlead().jobs.plan({"image": "x"})._repr_html_().startswith("<pre>")
    operation = next(one for one in operations() if one.path.endswith("/capacity"))
    api.get("/capacity").respond(200, json=operation.example)
    assert "<th>cluster</th>" in Fairlead().capacity()._repr_html_()
    assert "parse_obj" not in dir(one)
