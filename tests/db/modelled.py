"""Runs of a model in the tests' own process: its endpoint is a script on a real socket."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import timezone

from investigations import services
from investigations.models import EndpointUse, Investigation
from tests import scripted
from tests.db.investigated import STARTED, subject
from triage import modelenv

JOB = ("find_job", '{"job_id": "job-7"}')
ERRORS = ("count_errors", json.dumps({"query": "job-7", "since": f"{STARTED:%Y-%m-%dT%H:%M:%S}.000000Z"}))


@contextmanager
def speaking(settings: Any, script: scripted.Script, **more: Any) -> Iterator[scripted.Endpoint]:
    """Let the default endpoint say what the script has; `more` are further settings of it."""
    with scripted.endpoint(script) as server:
        given = {**modelenv.endpoint("default"), "base_url": server.url, "model": "scripted-1"}
        given |= {"backoff_ms": 1, **more}
        settings.MODEL_ENDPOINTS = {**settings.MODEL_ENDPOINTS, "default": given}
        settings.INVESTIGATOR = "model"
        # A second server in one test stands for the same endpoint: only its port is another.
        EndpointUse.objects.filter(endpoint="default", model="scripted-1").update(base_url=server.url)
        yield server


def by_model(incident: int = 1, **identifiers: str) -> Investigation:
    """Open an investigation that a model runs."""
    told = subject(incident, **identifiers)
    return services.open_investigation(incident, told, now=timezone.now(), investigator="model")


def submission(hypothesis: str = "none_of_these", **more: Any) -> str:
    """Return a submission as a model writes it."""
    whole = {"version": 1, "hypothesis": hypothesis, "findings": [], "draft": "Looked at."}
    return json.dumps({**whole, **more})
