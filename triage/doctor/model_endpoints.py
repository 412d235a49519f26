"""Each model endpoint, tried by the worker that holds its key: reach, speed, tools, schema, terms."""

import time
import uuid
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from investigations import endpoints
from investigations.tasks import ask_for_probe, probed
from triage.doctor.line import Health, Line, failing, warning, well
from triage.doctor.work import listening

_QUEUE = "investigate"
_LEVELS = {"well": Health.WELL, "warning": Health.WARNING, "failing": Health.FAILING}


def tried() -> Iterator[Line]:
    """What each endpoint that is set can do."""
    names = endpoints.names()
    if settings.INVESTIGATOR == "model" and not endpoints.is_set():
        yield failing(
            "models",
            "INVESTIGATOR is model, and none is set",
            "Set LLM_BASE_URL and MODEL_ID (docs/howto/connect-a-model.md), or INVESTIGATOR=playbook.",
        )
        return
    if not names:
        yield well("models", "none is set: the playbook gathers")
        return
    yield well("models", f"{', '.join(names)}; the {endpoints.investigator()} gathers")
    if not listening().get(_QUEUE):
        yield warning(
            "model endpoints", "not tried: nobody listens at the queue investigate", "Start that worker."
        )
        return
    for name in names:
        yield from _tried(name)


def _tried(name: str) -> Iterator[Line]:
    token = uuid.uuid4().hex
    ask_for_probe(name, token)
    # Four exchanges; the worker may be in the middle of a run before it comes to them.
    patience = 4.0 * settings.MODEL_ENDPOINTS[name]["seconds"]
    found = _came_back(name, token, time.monotonic() + patience)
    if found is None:
        yield warning(
            f"model {name}",
            f"the worker brought nothing within {patience:.0f} s",
            "It is busy, or the model is slow: the page Models shows the result when it comes.",
        )
        return
    for line in found["lines"]:
        yield Line(f"model {name}", _LEVELS[line["level"]], f"{line['what']}: {line['seen']}", line["cure"])


def _came_back(name: str, token: str, deadline: float) -> dict[str, Any] | None:
    while (found := probed(name, token=token)) is None:
        if time.monotonic() > deadline:
            return None
        time.sleep(0.1)
    return found
