"""A closed incident as a replay: its case masked, how it really ended, and who accepted the verdict."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from assay_core.instants import as_text
from audit import writing
from incidents.endings import ended
from incidents.models import Incident, Resolution
from investigations import rulebook
from investigations.models import Verdict as VerdictRow
from toolbox import redaction, secretshapes
from verdicts.case import CaseUnreadable
from verdicts.closings import Actual
from verdicts.frozen import Frozen
from verdicts.masking.frozen_case import Masked, mask
from verdicts.masking.masker import MaskingRefused, Senses
from verdicts.masking.personal import Span
from verdicts.outcomes import Verdict
from verdicts.replay.accepted import AcceptanceRefused, accept
from verdicts.replay.file import Replay
from verdicts.replay.tools import tools_of
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

AS_JUDGED = "As it was judged when the incident was exported."


class ExportRefused(Exception):
    """An incident can't be exported; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Export:
    """Whose export it is, why they accept the verdict, and how much is masked.

    `fields` are names of fields that are masked whole besides those known, `spared` values that stay.
    """

    by: str
    now: datetime
    because: str = AS_JUDGED
    about: str = ""
    fields: Sequence[str] = ()
    spared: Sequence[str] = ()
    keep_words: bool = False


def replay_of(incident: Incident, export: Export) -> Replay:
    """Return a closed incident as a replay. Raises ExportRefused.

    A false pass is exported without an acceptance: its replay is red until the rule is mended.
    """
    resolution, end = incident.resolutions.order_by("pk").last(), ended([incident.pk]).get(incident.pk)
    if resolution is None or end is None:
        raise ExportRefused(f"Incident {incident.pk} is not closed: how it really ended is not known yet.")
    row = _judged(incident, resolution)
    book = rulebook.current_rulebook()
    masked = _masked(row, book, export)
    bare = Replay(
        about=export.about
        or f"Incident {incident.pk} from {incident.source.slug}, closed as {resolution.outcome}.",
        frozen=masked.frozen,
        outcome=resolution.outcome,
        tools=tools_of(masked.frozen, book),
        rulebook_digest=row.rulebook_digest,
        accepted=None,
        target=end.target,
        masked=masked.counts,
    )
    return _accepted(bare, book, export)


def record(incident: Incident, replay: Replay, *, actor: str) -> None:
    """Write down who took which file out, in the caller's transaction."""
    digest = hashlib.sha256(replay.text().encode("ascii")).hexdigest()
    writing.write(
        "incident.exported",
        {"file_digest": digest, "masked": dict(replay.masked), "outcome": replay.outcome},
        actor=actor,
        incident=incident.pk,
        investigation=replay.frozen.case.investigation,
    )


def _judged(incident: Incident, resolution: Resolution) -> VerdictRow:
    """Return the verdict that the person had before them, with its case."""
    rows = VerdictRow.objects.select_related("case").filter(investigation__incident_id=incident.pk)
    if resolution.verdict_id is not None:
        rows = rows.filter(pk=resolution.verdict_id)
    row = rows.order_by("pk").last()
    if row is None:
        raise ExportRefused(f"Incident {incident.pk} was closed without a verdict: there is none to replay.")
    return row


def _masked(row: VerdictRow, book: Rulebook, export: Export) -> Masked:
    try:
        return masked_case(Frozen.stored(row.case), book, export)
    except CaseUnreadable as error:
        raise ExportRefused(f"It is not written. {error}") from error


def masked_case(frozen: Frozen, book: Rulebook, export: Export) -> Masked:
    """Return a case without secrets and personal data.

    Raises ExportRefused for one whose verdict would change by it, and for one that lacks an answer.
    """
    senses = Senses(
        secrets=_secrets,
        names_secret=_names_secret,
        fields=frozenset(export.fields),
        spared=frozenset(each.strip() for each in export.spared),
    )
    if frozen.lacks:
        raise ExportRefused(f"{frozen.lacks} A replay holds every answer of its run.")
    try:
        return mask(frozen, senses, partial(_judge, book), keep_words=export.keep_words)
    except (CaseUnreadable, MaskingRefused) as error:
        raise ExportRefused(f"It is not written. {error}") from error


def _judge(book: Rulebook, frozen: Frozen) -> Verdict:
    return verdict(frozen.case, frozen.subject, frozen.entries, book)


def _accepted(bare: Replay, book: Rulebook, export: Export) -> Replay:
    at = as_text(export.now)
    try:
        return bare.accepted_as(
            accept(bare.judged(book), bare.actual, by=export.by, at=at, because=export.because)
        )
    except AcceptanceRefused as error:
        if bare.actual is Actual.FAIL:
            return bare
        raise ExportRefused(str(error)) from error


def _secrets(text: str) -> Iterator[Span]:
    for begin, end in redaction.spans(text):
        yield begin, end, "secret"


def _names_secret(name: str) -> bool:
    return secretshapes.field_says_secret(name) or secretshapes.field_says_token(name)
