"""Submits a job and follows it, with the client that openapi-python-client generates."""

import os
import time

from fairlead_client import AuthenticatedClient
from fairlead_client.api.jobs import list_job_events, list_project_jobs, submit_job
from fairlead_client.models import JobResponse, PageEventResponse, PageJobResponse, SubmitJobRequest

ENDS = ("SUCCEEDED", "FAILED", "CANCELLED")


def main() -> None:
    client = AuthenticatedClient(os.environ["FAIRLEAD_URL"], token=os.environ["FAIRLEAD_TOKEN"])
    request = SubmitJobRequest.from_dict(
        {
            "name": "client-python",
            "image": "busybox:1.37",
            "run": "true",
            "cpu": 1,
            "annotations": {"sim.fairlead.dev/run-for": "1s"},
        }
    )
    job = submit_job.sync("default", client=client, body=request)
    assert isinstance(job, JobResponse), job
    while True:
        page = list_project_jobs.sync("default", client=client, name="client-python")
        assert isinstance(page, PageJobResponse), page
        state = next(each.state for each in page.items if each.id == job.id)
        if state in ENDS:
            break
        time.sleep(0.5)
    events = list_job_events.sync(job.id, client=client)
    assert isinstance(events, PageEventResponse), events
    print(state, *(event.type_ for event in events.items))


main()
