"""The twin of a case: the same questions about a healthy window of the same services, kept beside it.

Nothing had happened in it, so nothing can be shown to have passed: an agent that makes a pass of it makes it
of noise.
"""

from dataclasses import replace
from datetime import datetime

from django.conf import settings

from assay_core.instants import as_text
from incidents.exporting import Export, ExportRefused, masked_case
from incidents.models import Incident
from incidents.subjects import subject_of
from investigations import playbook, rulebook
from toolbox.scope import CallScope
from trials.evaluating.answering import CALLER, Asked, Record
from trials.evaluating.repeated import frozen
from trials.worlds import World
from verdicts.replay.accepted import AcceptanceRefused, accept
from verdicts.replay.file import Replay
from verdicts.replay.tools import tools_of

_REAL = {"claim": "claim upheld"}


def twin_of(incident: Incident, began_at: datetime, export: Export) -> Replay:
    """Ask the live tools what they say of the window that began then, and return it as a replay.

    What is asked becomes entries of no incident. Raises ExportRefused, also where a rule passes there: such a
    window shows nothing. Must be called outside any transaction.
    """
    if not began_at < export.now:
        raise ExportRefused("The window begins in the future: nothing is recorded of it yet.")
    book = rulebook.current_rulebook()
    subject = replace(subject_of(incident), started_at=began_at, received_at=began_at)
    record = Record(World(subject, export.now, {}), via=f"{CALLER}: twin of incident {incident.pk}")
    ask = Asked(record, CallScope(caller=CALLER), limit=settings.INVESTIGATION_MAX_CALLS)
    came = playbook.investigate(subject, book, ask, now=export.now, earlier={})
    if came.wait_until is not None:
        raise ExportRefused(f"{came.waits_for} can't be answered before {as_text(came.wait_until)}.")
    masked = masked_case(frozen(record.world, came.submission, (), entries=record.entries()), book, export)
    bare = Replay(
        about=export.about or f"The healthy window from {as_text(began_at)}, beside incident {incident.pk}.",
        frozen=masked.frozen,
        outcome=_REAL.get(incident.kind, "real and fixed"),
        tools=tools_of(masked.frozen, book),
        rulebook_digest=book.digest,
        accepted=None,
        masked=masked.counts,
    )
    said = {"by": export.by, "at": as_text(export.now), "because": export.because}
    try:
        return bare.accepted_as(accept(bare.judged(book), bare.actual, **said))
    except AcceptanceRefused as error:
        raise ExportRefused(f"A rule passes in this window. {error}") from error
