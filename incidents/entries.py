"""Searching the audit log by tool, kind, status, actor, incident and time, as far as a person may see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from accounts.models import User
from accounts.permissions import Permission
from assay_core.instants import NotAnInstant, from_text, typed
from assay_core.numbers import whole
from assay_core.results import Status
from audit.models import Entry
from audit.reading import StoredEntry
from incidents import keyset
from incidents.acts import KINDS, act_in_words
from incidents.queries import visible_incidents
from incidents.veiling import is_veiled, kept_from
from toolbox import registry
from toolbox.models import Call
from toolbox.redaction import Redacted, copy_for_readers

PAGE = 50
_ORDER: keyset.Order = (("pk", True),)
_LONGEST = 200
_ANSWER = "tool.called"
# Of a team's few among everybody's many: the next page goes on where this look ended.
_LOOKED_AT = 1_000
# No index has the kinds: of a rare one as many entries are looked at as a page can wait for.
_LOOKED_AT_FOR_A_KIND = 50_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for. An empty field asks for nothing; `unread` are those that could not be read."""

    tool: str = ""
    kind: str = ""
    status: str = ""
    actor: str = ""
    incident: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    given: Mapping[str, str] | None = None
    unread: Sequence[str] = ()

    @property
    def is_filtered(self) -> bool:
        """Whether anything is asked for at all."""
        return any((self.tool, self.kind, self.status, self.actor, self.incident, self.since, self.until))


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One entry in the list. A tool call has its tool, status and time taken."""

    id: int
    recorded_at: datetime
    actor: str
    words: str
    incident: int | None
    tool: str = ""
    status: str = ""
    stopped_by: str = ""
    milliseconds: int | None = None


def wanted(query: QueryDict) -> Wanted:
    """Read a search from an address. What cannot be read is left out and named."""
    given = {name: query.get(name, "").replace("\0", "").strip()[:_LONGEST] for name in _FIELDS}
    unread = []
    incident, since, until = (
        whole(given["incident"].removeprefix("#")),
        _moment(given["since"]),
        _moment(given["until"]),
    )
    for name, value in (("incident", incident), ("since", since), ("until", until)):
        if given[name] and value is None:
            unread.append(name)
    status = given["status"] if given["status"] in list(Status) else ""
    return Wanted(given["tool"], given["kind"], status, given["actor"], incident, since, until, given, unread)


def found(user: User, want: Wanted, *, after: str, before: str) -> keyset.Page[Any]:
    """Return one page of entries, the newest first; tool calls alone where tool or status is asked for."""
    model, actor = (Call, "caller") if want.tool or want.status else (Entry, "actor")
    if model is Call and want.kind and not _ANSWER.startswith(want.kind):
        return keyset.Page([], "", "")  # a call is of no other kind
    rows: QuerySet[Any] = _calls(want) if model is Call else Entry.objects.all()
    rows = rows.filter(_common(want))
    if model is Entry:
        rows = rows.exclude(~Q(kind=_ANSWER), incident__in=kept_from(user))
    # Each name on its own: an index by actor has its entries in order, and of several it has not.
    parts = [rows.filter(**{actor: name}) for name in _names(want.actor)] if want.actor else [rows]
    place = keyset.Place(after=after, before=before, size=PAGE)
    if not want.kind or model is Call:
        return _page(user, parts, place)
    near = keyset.near(parts, _ORDER, place, _LOOKED_AT_FOR_A_KIND)
    return near.ended(_page(user, [part.filter(_of_kind(want.kind)) for part in near.parts], place))


def _page(user: User, parts: Sequence[QuerySet[Any]], place: keyset.Place) -> keyset.Page[Any]:
    whole = parts[0].model._default_manager.all()
    if user.has_perm(Permission.SEE_EVERY_TEAM):
        return keyset.page_of(parts, _ORDER, whole, place)
    of_theirs = Exists(visible_incidents(user).filter(pk=OuterRef("incident")))
    return keyset.page_seen(parts, _ORDER, whole, place, keyset.Seen(of_theirs, _LOOKED_AT))


def _of_kind(kind: str) -> Q:
    """A kind, or all that begin so where it ends in a dot."""
    return Q(kind__startswith=kind) if kind.endswith(".") else Q(kind=kind)


def lines(rows: Sequence[Any]) -> list[EntryLine]:
    """Return the rows of a page as lines, with what is known of the calls among them."""
    calls = Call.objects.in_bulk([row.pk for row in rows if isinstance(row, Entry)])
    return [_line(row, row if isinstance(row, Call) else calls.get(row.pk)) for row in rows]


def is_kept_back(user: User, entry: StoredEntry) -> bool:
    """Say whether an entry tells what was decided to who audits it: they see what tools answered."""
    return entry.kind != _ANSWER and entry.incident is not None and is_veiled(user, entry.incident)


def copy_of(entry: StoredEntry) -> Redacted:
    """Return what an entry recorded as a page may show it: secrets masked. The record itself stays whole."""
    payload = entry.payload or {}
    definition = registry.current().definitions.get(str(payload.get("tool", "")))
    return copy_for_readers(payload, hints=definition.redact if definition else ())


def seconds_taken(payload: Mapping[str, Any]) -> float | None:
    """Return how long a recorded call took, or None for what is no call."""
    try:
        return (from_text(payload["finished_at"]) - from_text(payload["called_at"])).total_seconds()
    except (KeyError, TypeError, NotAnInstant):
        return None


def tool_names() -> list[str]:
    """Return the tools to choose from: those that are loaded."""
    return sorted(registry.current().definitions)


def kinds() -> list[str]:
    """Return the kinds to choose from: those that happen to incidents."""
    return sorted([*KINDS, _ANSWER])


def _calls(want: Wanted) -> QuerySet[Call]:
    rows = Call.objects.filter(tool=want.tool) if want.tool else Call.objects.all()
    return rows.filter(status=want.status) if want.status else rows


def _names(actor: str) -> Sequence[str]:
    """A person and a token are found by their own name too."""
    return actor, f"person:{actor}", f"token:{actor}"


def _common(want: Wanted) -> Q:
    condition = Q()
    if want.incident is not None:
        condition &= Q(incident=want.incident)
    if want.since is not None:
        condition &= Q(recorded_at__gte=want.since)
    if want.until is not None:
        condition &= Q(recorded_at__lt=want.until)
    return condition


def _line(row: Any, call: Call | None) -> EntryLine:
    if call is None:
        return EntryLine(row.pk, row.recorded_at, row.actor, act_in_words(row.kind, {}), row.incident)
    definition = registry.current().definitions.get(call.tool)
    return EntryLine(
        id=call.entry,
        recorded_at=call.recorded_at,
        actor=call.caller,
        words=definition.title if definition else call.tool,
        incident=call.incident,
        tool=call.tool,
        status=call.status,
        stopped_by=call.stopped_by,
        milliseconds=call.milliseconds,
    )


def _moment(text: str) -> datetime | None:
    """Read what a browser's date and time field sends; it is in UTC here, as the field says."""
    try:
        return typed(text)
    except NotAnInstant:
        return None


_FIELDS = ("tool", "kind", "status", "actor", "incident", "since", "until")
