"""The support bundle: its contents, and secrets that it must not contain."""

from __future__ import annotations

import json
import stat
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import respx
from documents import JOB_ID, attempt, explanation, job, listing, page, problem

from fairlead._time import ENDED
from fairlead.cli.bundle import MOST_ITEMS, Bundle, Redaction, for_metrics, metrics
from fairlead.cli.main import main
from fairlead.states import JobState

Capture = pytest.CaptureFixture[str]
METRICS = "http://127.0.0.1:8081/actuator/prometheus"


def event(number: int) -> dict[str, Any]:
    return {
        "id": str(number),
        "type": "JobFailed",
        "data": {"message": "from 10.1.2.3 by ann@example.org"},
    }


@pytest.fixture
def service(api: respx.MockRouter) -> respx.MockRouter:
    """Answers all reads; /prices with a refusal."""
    hidden = job(user="ann@example.org")
    hidden["spec"]["env"] = {"HF_TOKEN": "canary-env"}
    hidden["spec"]["image"] = "registry.example/canary-image:1"
    api.get("/prices").respond(403, json=problem(403, "FORBIDDEN"))
    api.get("/jobs").mock(side_effect=listing(hidden))
    api.get(f"/jobs/{JOB_ID}").respond(200, json=hidden)
    api.get(f"/jobs/{JOB_ID}/explanation").respond(200, json=explanation())
    api.get(f"/jobs/{JOB_ID}/attempts").respond(200, json=page(attempt("RUNNING")))
    api.get("/clusters").respond(
        200, json=page({"name": "eu-1", "server": "https://api.canary.example:6443"})
    )
    api.get("/checks").respond(
        200, json=page({"area": "clusters", "subject": "eu-1", "verdict": "OK"})
    )
    api.get().respond(200, json=page())
    return api


def unpacked(archive: Path) -> dict[str, str]:
    with tarfile.open(archive) as packed:
        found = {one.name.split("/", 1)[1]: packed.extractfile(one) for one in packed.getmembers()}
        return {name: file.read().decode() for name, file in found.items() if file is not None}


def test_bundle_lists_collected_and_missing_parts(
    service: respx.MockRouter, tmp_path: Path, capsys: Capture
) -> None:
    target = tmp_path / "one.tar.gz"
    assert main(["config", "support-bundle", "-f", str(target), "--job", "llama-sft"]) == 0
    files = unpacked(target)
    assert json.loads(files["checks.json"])[0]["subject"] == "eu-1"
    assert f"job-{JOB_ID}-explanation.json" in files
    manifest = {one["file"]: one for one in json.loads(files["MANIFEST.json"])["files"]}
    assert "missing" in manifest["prices"]
    assert "1 could not be read" in capsys.readouterr().err
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_jobs_that_have_not_ended_are_asked_for_by_states_of_the_service(
    service: respx.MockRouter, tmp_path: Path
) -> None:
    """Fails with `state=PENDING`, which no job has, and when a state of unfinished jobs is omitted."""
    assert main(["config", "support-bundle", "-f", str(tmp_path / "one.tar.gz")]) == 0
    asked = [httpx.URL(call.request.url) for call in service.calls]
    active, failed = (one.params.get_list("state") for one in asked if one.path == "/api/v1/jobs")
    assert set(active) == set(JobState) - ENDED
    assert failed == ["FAILED"]


def test_bundle_contains_no_secrets_people_or_addresses(
    service: respx.MockRouter, tmp_path: Path
) -> None:
    """Fails when a part of a response, a log or a scrape is written unredacted."""
    log = tmp_path / "service.log"
    log.write_text(
        "login fl_canary_0123456789 password=canary-pw Authorization: Bearer canary.abc.def\n"
    )
    with respx.mock(using="httpcore2", assert_all_called=False) as other:
        other.get(METRICS).respond(200, text='up{instance="10.9.8.7"} 1\n')
        other.route(host="fairlead.test").mock(side_effect=service.handler)
        target = tmp_path / "one.tar.gz"
        words = [
            "config",
            "support-bundle",
            "-f",
            str(target),
            "--metrics",
            METRICS,
            "--add",
            str(log),
        ]
        assert main(words) == 0
    everything = "".join(unpacked(target).values())
    assert "up{instance=" in everything
    for secret in ("canary", "ann@", "10.9.8.7"):
        assert secret not in everything


def scraped(service: respx.MockRouter, tmp_path: Path, answer: httpx.Response) -> dict[str, Any]:
    """Headers of the requests to each address but the service's, and the bundle's text about the scrape."""
    target = tmp_path / "one.tar.gz"
    with respx.mock(using="httpcore2", assert_all_called=False) as other:
        other.get(METRICS).mock(return_value=answer)
        other.route(host="fairlead.test").mock(side_effect=service.handler)
        asked = other.route().respond(200, text="elsewhere 1\n")
        assert main(["config", "support-bundle", "-f", str(target), "--metrics", METRICS]) == 0
        calls = [one.request for one in other.calls if one.request.url.host != "fairlead.test"]
    assert asked.call_count == 0
    files = unpacked(target)
    assert "elsewhere" not in "".join(files.values())
    said: dict[str, Any] = next(
        one for one in json.loads(files["MANIFEST.json"])["files"] if "metrics" in one["file"]
    )
    return said | {"tokens": [one.headers.get("Authorization") for one in calls]}


def test_scrape_uses_the_metrics_token_and_not_the_api_token(
    service: respx.MockRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when no token is sent, which a real process refuses, or the token for the API only."""
    monkeypatch.setenv("FAIRLEAD_TOKEN", "fl_of-the-api")
    monkeypatch.setenv("FAIRLEAD_METRICS_TOKEN", "fl_of-metrics")
    found = scraped(service, tmp_path, httpx.Response(200, text="up 1\n"))
    assert found["tokens"] == ["Bearer fl_of-metrics"]
    assert "missing" not in found
    asked = {call.request.headers["Authorization"] for call in service.calls}
    assert asked == {"Bearer fl_of-the-api"}


def test_bundle_without_a_metrics_token_names_the_required_one(
    service: respx.MockRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when the token of the API is sent instead."""
    monkeypatch.setenv("FAIRLEAD_TOKEN", "fl_of-the-api")
    found = scraped(service, tmp_path, httpx.Response(401))
    assert found["tokens"] == [None]
    assert "FAIRLEAD_METRICS_TOKEN" in found["missing"]


def test_a_redirect_does_not_get_the_token_for_metrics(
    service: respx.MockRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when redirects are followed: another port of the same host is another process."""
    monkeypatch.setenv("FAIRLEAD_METRICS_TOKEN", "fl_of-metrics")
    elsewhere = {"Location": METRICS.replace("8081", "9999")}
    found = scraped(service, tmp_path, httpx.Response(302, headers=elsewhere))
    assert found["tokens"] == ["Bearer fl_of-metrics"]
    assert "302" in found["missing"]


def test_a_proxy_of_the_environment_does_not_get_the_token_for_metrics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fails when scrapes use the proxy of the environment: the token would reach the proxy in plain text."""
    asked: list[str | None] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["Authorization"])
            self.send_error(502)

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever).start()
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("FAIRLEAD_METRICS_TOKEN", "fl_of-metrics")
        metrics(Bundle(Redaction(b"salt")), ["http://fairlead.invalid/metrics"], for_metrics())
        server.shutdown()
    assert asked == []


def test_metrics_token_invalid_in_a_header_is_rejected_immediately(
    api: respx.MockRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Fails when it ends in a traceback, or is repeated in the message."""
    monkeypatch.setenv("FAIRLEAD_METRICS_TOKEN", "fl_canary\nX: y")
    assert main(["config", "support-bundle", "-f", str(tmp_path / "one.tar.gz")]) == 2
    told = capsys.readouterr().err
    assert "FAIRLEAD_METRICS_TOKEN" in told
    assert "canary" not in told


def test_events_are_the_newest_when_there_are_too_many(
    service: respx.MockRouter, tmp_path: Path
) -> None:
    """Fails when the first pages are stored: current errors are at the end."""

    def pages(request: httpx.Request) -> httpx.Response:
        at = int(httpx.URL(request.url).params.get("pageToken", "0"))
        found = [event(at + number) for number in range(500)]
        return httpx.Response(200, json=page(*found, token=str(at + 500) if at < 2_500 else None))

    service.routes.clear()
    service.get("/events").mock(side_effect=pages)
    service.get().respond(200, json=page())
    target = tmp_path / "one.tar.gz"
    assert main(["config", "support-bundle", "-f", str(target)]) == 0
    files = unpacked(target)
    found = json.loads(files["events.json"])
    assert len(found) == MOST_ITEMS
    assert found[-1]["id"] == "2999"
    assert {"file": "events.json", "cut": True}.items() <= next(
        one for one in json.loads(files["MANIFEST.json"])["files"] if one["file"] == "events.json"
    ).items()


def test_bundle_without_a_service_contains_the_rest_and_reports_it(
    api: respx.MockRouter, tmp_path: Path, capsys: Capture
) -> None:
    """Fails when each of the reads waits for a service that is away."""
    api.get().mock(side_effect=httpx2.ConnectError("refused"))
    log = tmp_path / "service.log"
    log.write_text("why\n")
    target = tmp_path / "one.tar.gz"
    assert main(["config", "support-bundle", "-f", str(target), "--add", str(log)]) == 8
    assert unpacked(target)["added-1-service.log"] == "why\n"
    assert len({call.request.url.path for call in api.calls}) == 1


def test_it_writes_over_nothing(api: respx.MockRouter, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "one.tar.gz"
    target.write_text("mine")
    assert main(["config", "support-bundle", "-f", str(target)]) == 2
    assert target.read_text() == "mine"
    assert "with --file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "secret",
    [
        "-----BEGIN PRIVATE KEY-----\nMIIEcanary\n-----END PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.canary",
        "AWS_SECRET_ACCESS_KEY: canary",
        '"clientSecret": "canary with spaces"',
        "postgresql://fairlead:canary@db.canary:5432/fairlead",
        "Authorization: Basic Y2FuYXJ5OmNhbmFyeQ==",
    ],
)
def test_credential_like_values_are_redacted(secret: str) -> None:
    found = Redaction(b"salt").text(f"before {secret} after")
    assert "canary" not in found.lower()
    assert "Y2FuYXJ5" not in found
    assert found.startswith("before ")


def test_one_person_has_one_name_in_a_bundle_and_another_in_the_next() -> None:
    one = Redaction(b"one")
    assert one.value({"user": "Ann@example.org"})["user"] == one.text("ann@example.org")
    assert one.text("ann@example.org") != Redaction(b"two").text("ann@example.org")
