"""The beginning of a rule from an incident: its questions and answers as facts and cases, secrets masked."""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping

from assay_core.instants import as_text
from incidents.models import Incident
from investigations import queries
from investigations.models import Case
from toolbox import registry
from toolbox.redaction import copy_for_readers
from verdicts.case import CaseUnreadable, Entry
from verdicts.citations import cited
from verdicts.frozen import Frozen
from verdicts.skeleton import About, Asked, NameRefused, Skeleton, skeleton

_QUESTIONS = 12
_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
_READABLE = ("observed", "empty", "truncated")


class DraftRefused(Exception):
    """No rule can begin from this incident; the message says why."""


def draft(incident: Incident, name: str = "") -> tuple[str, Skeleton]:
    """Return the name and the text of a rule's beginning. Raises DraftRefused."""
    latest = queries.latest(incident.pk)
    case = Case.objects.filter(investigation=latest).order_by("-pk").first() if latest else None
    if case is None:
        raise DraftRefused("Nothing was judged yet: a rule begins from the answers of a run.")
    try:
        frozen = Frozen.stored(case)
    except CaseUnreadable as error:
        raise DraftRefused(f"The stored case can't be read. {error}") from error
    asked = list(_asked(frozen))[:_QUESTIONS]
    if not asked:
        raise DraftRefused("This run holds no answer to begin from: nobody asked anything.")
    subject = frozen.subject
    about = About(
        subject.kind,
        as_text(subject.started_at),
        as_text(frozen.case.judged_at),
        identifiers=_texts(subject.identifiers),
        labels=_texts(subject.labels),
    )
    named = name.strip() or suggested(incident.title)
    try:
        return named, skeleton(named, about, asked)
    except NameRefused as error:
        raise DraftRefused(str(error)) from error


def archive(name: str, text: Skeleton) -> bytes:
    """Return both files in one ZIP archive; equal texts give equal bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as files:
        for ending, body in ((".py", text.source), (".cases.json", text.cases)):
            files.writestr(zipfile.ZipInfo(name + ending, (1980, 1, 1, 0, 0, 0)), body)
    return whole.getvalue()


def suggested(title: str) -> str:
    """Return a name for the rule, from the words of a title."""
    words = [word for word in _NOT_A_LETTER.split(title.lower()) if word and word[0].isalpha()]
    return "_".join(words[:6])[:60].strip("_") or "a_new_rule"


def _asked(frozen: Frozen) -> Iterator[Asked]:
    """Yield the cited answers, or all of the run where none is cited; of one question the newest."""
    own = [each for each in frozen.entries.values() if each.investigation == frozen.case.investigation]
    named = {finding.entry for finding in cited(frozen.case)}
    chosen = [each for each in own if each.id in named] or own
    newest: dict[tuple[str, str], Entry] = {}
    for entry in sorted(chosen, key=lambda each: each.id):
        if entry.status in _READABLE:
            newest[(entry.tool, repr(sorted(entry.arguments.items())))] = entry
    for entry in newest.values():
        definition = registry.current().definitions.get(entry.tool)
        hints = definition.redact if definition else ()
        yield Asked(
            entry.tool,
            copy_for_readers(dict(entry.arguments), hints=hints).value,
            copy_for_readers(entry.result, hints=hints).value,
            as_text(entry.called_at),
            status=str(entry.status),
            covered=entry.covered,
        )


def _texts(values: Mapping[str, str]) -> dict[str, str]:
    copied: dict[str, str] = dict(copy_for_readers(dict(values)).value)
    return copied
