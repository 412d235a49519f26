"""Which model serves each purpose, and whether what the settings name may."""

from collections import defaultdict
from collections.abc import Iterator

from django.utils import timezone

from investigations import endpoints, inuse
from investigations.inuse import FREE, Identity
from investigations.models import EndpointUse
from investigations.states import Purpose, Taken
from investigations.talk import EndpointRefused
from triage.doctor.line import Line, failing, warning, well

_DRILL = "Run a drill and promote it (docs/howto/run-a-drill.md), or set what is in use."


def standing() -> Iterator[Line]:
    """What is in use, and for which purposes; overrides, and models that may not serve, stand out."""
    now = timezone.now()
    served: dict[str, list[str]] = defaultdict(list)
    rows: dict[str, EndpointUse] = {}
    for purpose in Purpose:
        row = None if purpose in FREE else inuse.standing(purpose, now)
        if row is not None:
            words = inuse.in_words(row)
            rows[words] = row
            served[words].append(purpose.value)
            yield from _refused(purpose, row)
    for words, purposes in served.items():
        said = f"{', '.join(purposes)}: {words}"
        if rows[words].how == Taken.OVERRIDE:
            yield warning("models in use", said, "Run a drill before the override ends.")
        else:
            yield well("models in use", said)


def _refused(purpose: Purpose, row: EndpointUse) -> Iterator[Line]:
    """Yield a line where what is in use for a purpose is set under no name."""
    wanted, places = Identity(row.base_url, row.model), []
    for name in {endpoints.serving(purpose), *endpoints.names()}:
        try:
            places.append(Identity.of(endpoints.endpoint_named(name)))
        except EndpointRefused:
            continue
    if places and wanted not in places:
        said = f"{purpose}: {row.model} at {row.base_url} is in use, and is set under no name"
        yield failing("models in use", said, _DRILL)
