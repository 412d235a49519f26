"""Whether evaluations can be handed to Langfuse, where its keys are set."""

from collections.abc import Iterator

from django.conf import settings

from triage.doctor.line import Line, failing, well
from trials.handover.sdk import PACKAGE, is_installed


def langfuse() -> Iterator[Line]:
    """Whether its SDK is there. Without keys there is nothing to say, and nothing is imported."""
    if settings.LANGFUSE_KEYS is None:
        return
    if is_installed():
        yield well("langfuse", f"evaluations and spans go to {settings.LANGFUSE_KEYS.host}")
    else:
        cure = f"pip install {PACKAGE!r}"
        yield failing("langfuse", "its keys are set, and its SDK is not installed", cure)
