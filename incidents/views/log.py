"""The audit log's page, and the proofs that can be taken away and checked offline."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from assay_core.numbers import MAX_ID
from audit import exporting, reading, standing
from audit.exporting import NotProvable
from audit.keys import KeyUnusable
from audit.reading import StoredEntry
from audit.tree import TreeIncomplete
from incidents import entries, queries, veiling


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest) -> HttpResponse:
    """The state of the log: last verification, seal and its lag, checkpoints, copies."""
    return render(request, "audit/log.html", {"log": standing.standing(), "nav": "log"})


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def checkpoint(request: HttpRequest) -> HttpResponse:
    """Download the newest checkpoint, to be kept elsewhere."""
    try:
        found = exporting.newest_checkpoint()
    except (NotProvable, KeyUnusable) as error:
        return _refused(str(error))
    return _download(found.note, f"{found.size}.checkpoint")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def proof(request: HttpRequest, number: int) -> HttpResponse:
    """Download the proof of one entry; 404 where it is another team's, 409 while it is not sealed."""
    entry = reading.entry(number) if number <= MAX_ID else None
    if entry is None or not queries.can_see(person(request), entry.incident):
        raise Http404(f"There is no entry {number}, or it belongs to another team.")
    if entries.is_kept_back(person(request), entry):
        raise Http404(f"Entry {number} is kept back until you have answered your audit of its incident.")
    return _proofs([entry], f"entry-{number}.tlog-proof")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def proof_of_verdict(request: HttpRequest, number: int) -> HttpResponse:
    """Download the proofs of an incident's last verdict and of every entry of its run, in one file."""
    incident = queries.incident(person(request), number) if number <= MAX_ID else None
    if incident is None or veiling.is_veiled(person(request), number):
        raise Http404(f"There is no incident {number}, or it belongs to another team.")
    judged = [entry for entry in reading.of_incident(number) if entry.kind == "investigation.judged"]
    if not judged or judged[-1].investigation is None:
        raise Http404(f"Incident {number} has no verdict yet.")
    of_run = reading.of_investigation(judged[-1].investigation)
    return _proofs(of_run, f"incident-{number}-verdict.tlog-proof")


def _proofs(wanted: Sequence[StoredEntry], name: str) -> HttpResponse:
    """A payload goes along only where a reader of the page sees the whole of it: nothing masked or cut."""
    is_open = {entry.id: entry.payload is not None and not entries.copy_of(entry).note for entry in wanted}
    try:
        at = exporting.newest_checkpoint()
        found = exporting.proofs(list(is_open), with_payload=True, at=at)
        text = "".join(
            one.render() if is_open.get(one.disclosed.envelope.get("id", 0)) else one.closed().render()
            for one in found
        )
    except (NotProvable, KeyUnusable, TreeIncomplete) as error:
        return _refused(str(error))
    return _download(text, name)


def _download(text: str, name: str) -> HttpResponse:
    answer = HttpResponse(text, content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _refused(sentence: str) -> HttpResponse:
    return HttpResponse(f"{sentence}\n", status=409, content_type="text/plain; charset=utf-8")
