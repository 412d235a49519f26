"""A closed incident of the scripted world, for the tests of what is exported and judged again."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from incidents import services
from incidents.models import Incident, Source
from tests.web.pages import judged


def closed(
    make_user: Callable[..., Any],
    outcome: str,
    name: str = "job-7",
    *,
    source: Source | None = None,
    **words: Any,
) -> Incident:
    """Let an alert come in, be judged, and be closed by a person with this outcome."""
    incident = judged(source, name)
    return services.close(
        incident.pk,
        by=make_user(f"closer-{name}"),
        outcome=outcome,
        answer="Done.",
        reason="Looked at it.",
        version=incident.version,
        now=timezone.now(),
        **words,
    )
