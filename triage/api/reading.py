"""Reading over the API: incidents, their entries and verdicts, and the rules."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from asgiref.sync import sync_to_async
from django.db.models import QuerySet
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils.http import urlencode
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts.models import User
from accounts.tokens import Scope
from assay_core.numbers import MAX_ID, whole
from audit import reading
from audit.models import Entry
from incidents import queries, sheets, veiling
from incidents.models import Incident, PassAudit
from incidents.queue_wants import KINDS
from incidents.states import State
from investigations import rulebook
from investigations.models import Verdict
from triage import mcp_shapes
from triage.api import plainly, shapes
from triage.api.doors import Door
from triage.api.problems import Problem

_MOST = 100
_CSV_ROWS, _CSV_PIECE = 10_000, 2_000
_CSV = (
    "number", "title", "kind", "severity", "state", "source", "team", "assignee",
    "started_at", "last_received_at", "closed_at", "passed", "hypothesis",
)  # fmt: skip
_UNJUDGED = {"passed": None, "hypothesis": None}
_FILTERS: Mapping[str, str] = {
    "state": "state",
    "kind": "kind",
    "severity": "severity",
    "source": "source__slug",
    "team": "team__slug",
    "assignee": "assignee__username",
}


class Piece(NamedTuple):
    """Some rows of the sheet, and the number of the last incident among them."""

    lines: Sequence[Sequence[Any]]
    last: int


class Incidents(Door):
    """The incidents that the token's owner sees."""

    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="incidents_list",
        tags=["incidents"],
        responses=shapes.Incidents,
        parameters=[*shapes.FILTERS, shapes.AFTER, shapes.LIMIT],
    )
    def get(self, request: Request) -> HttpResponse:
        """Return one page of incidents, the newest first."""
        owner = self.person()
        size, after = _whole(request, "limit", 50, most=_MOST), _whole(request, "after", 0, most=MAX_ID)
        rows = _filtered(request, owner, "after", "limit")
        if after:
            rows = rows.filter(pk__lt=after)
        found = list(rows.order_by("-pk")[: size + 1])
        told = _told(owner, found[:size])
        return JsonResponse({"incidents": told, "next": _next(request, found, size)})


class IncidentsCsv(Door):
    """The same as a sheet."""

    scopes = {"GET": Scope.READ}

    @extend_schema(
        tags=["incidents"], parameters=shapes.FILTERS, responses={(200, "text/csv"): OpenApiTypes.STR}
    )
    def get(self, request: Request) -> HttpResponse:
        """Return at most 10,000 incidents as CSV, the newest first. No cell is taken for a formula."""
        owner = self.person()
        rows = _filtered(request, owner).order_by("-pk")
        # Read before the answer begins: a database that is away is a problem, and no sheet that breaks off.
        first = _piece(owner, rows, None)
        told = {
            "content_type": "text/csv; charset=utf-8",
            "headers": {"Content-Disposition": 'attachment; filename="incidents.csv"'},
        }
        if request.method == "HEAD":  # nobody reads the rows
            return HttpResponse(**told)
        sheet = StreamingHttpResponse(_sheet(owner, rows, first), **told)
        return cast("HttpResponse", sheet)  # the guards know no other kind; none of them reads the content


class OneIncident(Door):
    """One incident."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["incidents"], responses=shapes.OneIncident)
    def get(self, request: Request, number: int) -> HttpResponse:
        """Return one incident with what its sender said."""
        owner = self.person()
        row = found(owner, number)
        return JsonResponse(plainly.one_incident(row, veiled=veiling.is_veiled(owner, row.pk)))


class IncidentEntries(Door):
    """What was done about an incident."""

    scopes = {"GET": Scope.READ}

    @extend_schema(
        tags=["entries"], responses=shapes.Entries, parameters=[shapes.ENTRY_KIND, shapes.AFTER, shapes.LIMIT]
    )
    def get(self, request: Request, number: int) -> HttpResponse:
        """Return one page of the entries that name an incident, the oldest first."""
        row = unveiled(self.person(), number)
        _known(request, "kind", "after", "limit")
        size, after = _whole(request, "limit", 50, most=_MOST), _whole(request, "after", 0, most=MAX_ID)
        rows = Entry.objects.filter(incident=row.pk, pk__gt=after).order_by("pk")
        if kind := request.query_params.get("kind", "").replace("\0", ""):
            rows = rows.filter(kind=kind)
        numbers = list(rows.values_list("pk", flat=True)[: size + 1])
        stored = [reading.entry(each) for each in numbers[:size]]
        told = [plainly.entry(each) for each in stored if each is not None]
        more = None
        if len(numbers) > size:
            asked = {"kind": kind} if kind else {}
            rest = {**asked, "after": str(numbers[size - 1]), "limit": str(size)}
            more = f"{request.path}?{urlencode(rest)}"
        return JsonResponse({"entries": told, "next": more})


class OneEntry(Door):
    """One entry of the audit log."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["entries"], responses=shapes.Entry)
    def get(self, request: Request, number: int) -> HttpResponse:
        """Return one entry."""
        owner = self.person()
        stored = reading.entry(number) if number <= MAX_ID else None
        if stored is None or not queries.can_see(owner, stored.incident):
            raise Problem(404, "not-found", f"There is no entry {number} that the token's owner sees.")
        if stored.incident is not None:
            unveiled(owner, stored.incident)
        return JsonResponse(plainly.entry(stored))


class Verdicts(Door):
    """How an incident was judged."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["incidents"], responses=shapes.Verdicts)
    def get(self, request: Request, number: int) -> HttpResponse:
        """Return the verdicts of an incident, the last one first."""
        row = unveiled(self.person(), number)
        stored = Verdict.objects.filter(investigation__incident_id=row.pk).order_by("-pk")[:_MOST]
        return JsonResponse({"verdicts": [plainly.verdict(each) for each in stored]})


class Rules(Door):
    """The rulebook."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["rules"], responses=shapes.Rules)
    def get(self, request: Request) -> HttpResponse:
        """Return the rules that can earn a pass at present."""
        self.person()
        book = rulebook.current_rulebook()
        return JsonResponse({"rulebook": book.digest, "rules": mcp_shapes.rules(book)})


def found(owner: User, number: int) -> Incident:
    """Return an incident that the owner sees. Raises Problem, the same for one that is not there."""
    row = queries.incident(owner, number)
    if row is None:
        raise Problem(404, "not-found", f"There is no incident {number} that the token's owner sees.")
    return row


def unveiled(owner: User, number: int) -> Incident:
    """Return an incident whose verdict the owner may see. Raises Problem."""
    row = found(owner, number)
    if veiling.is_veiled(owner, row.pk):
        detail = f"You audit incident {row.pk}: what was decided is shown once you have answered on its page."
        raise Problem(403, "veiled", detail)
    return row


def _known(request: Request, *names: str) -> None:
    """Raises Problem for what is no parameter, or stands there twice: either would return something else."""
    query = request.query_params
    unknown = sorted(set(query) - set(names))
    if unknown:
        raise Problem(
            400, "query", f"There is no parameter {unknown[0][:60]!r}. There are {', '.join(names)}."
        )
    for name in names:
        if len(query.getlist(name)) > 1:
            raise Problem(400, "query", f"{name} is given more than once. Give it once.")


def _filtered(request: Request, owner: User, *paging: str) -> QuerySet[Incident]:
    query = request.query_params
    _known(request, *_FILTERS, "passed", *paging)
    given = {name: query[name].replace("\0", "") for name in _FILTERS if name in query}
    if given.get("state", State.OPEN) not in list(State):
        raise Problem(400, "query", f"state is one of {', '.join(State)}.")
    if given.get("kind", "alert") not in KINDS:
        raise Problem(400, "query", f"kind is one of {', '.join(KINDS)}.")
    rows = queries.visible_incidents(owner).select_related("source", "team", "assignee")
    rows = rows.filter(**{_FILTERS[name]: value for name, value in given.items()})
    passed = query.get("passed")
    if passed is None:
        return rows
    if passed not in ("true", "false"):
        raise Problem(400, "query", "passed is true or false.")
    # Whoever audits an incident must not find out by the filter how it was judged.
    waiting = PassAudit.objects.filter(reviewer=owner, answered_at=None).values("incident")
    return rows.filter(verdict_passed=passed == "true").exclude(pk__in=waiting)


def _told(owner: User, rows: list[Incident]) -> list[dict[str, Any]]:
    waiting = PassAudit.objects.filter(
        reviewer=owner, answered_at=None, incident__in=[row.pk for row in rows]
    )
    veiled = set(waiting.values_list("incident", flat=True))
    return [plainly.incident(row, veiled=row.pk in veiled) for row in rows]


async def _sheet(owner: User, rows: QuerySet[Incident], first: Piece) -> AsyncIterator[str]:
    """A sheet piece by piece: others are served in between, and none of it is held for long."""
    yield sheets.csv_text(_CSV, first.lines)
    piece, left = first, _CSV_ROWS - len(first.lines)
    while left > 0 and len(piece.lines) == _CSV_PIECE:
        piece = await sync_to_async(_piece)(owner, rows, piece.last)
        left -= len(piece.lines)
        yield sheets.csv_rows(piece.lines)


def _piece(owner: User, rows: QuerySet[Incident], after: int | None) -> Piece:
    found = list((rows if after is None else rows.filter(pk__lt=after))[:_CSV_PIECE])
    told = ({**each, **(each["verdict"] or _UNJUDGED)} for each in _told(owner, found))
    return Piece([[row[name] for name in _CSV] for row in told], found[-1].pk if found else 0)


def _whole(request: Request, name: str, usual: int, *, most: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return usual
    number = whole(text, most=most)
    if not number:
        raise Problem(400, "query", f"{name} is a whole number from 1 to {most}.")
    return number


def _next(request: Request, rows: list[Incident], size: int) -> str | None:
    if len(rows) <= size:
        return None
    query = {**request.query_params.dict(), "after": str(rows[size - 1].pk)}
    return f"{request.path}?{urlencode(query)}"
