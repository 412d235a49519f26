"""Incidents like this one: closed ones with how they ended, and open ones that are about the same thing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from accounts.models import User
from incidents import likeness, queue_words
from incidents.endings import Ended, ended
from incidents.models import Incident
from incidents.queries import visible_incidents
from incidents.states import State
from incidents.veiling import veiled

SHOWN = 8
_CANDIDATES = 200
_NEWEST = 5_000
_LEAST = 0.3
_MOST_WORDS = 8
# A search that takes longer is given up: it stands beside, and nobody waits for it.
_MILLISECONDS = 700
_MATCHES = "incidents_incident.words @@ to_tsquery('simple', %s)"


@dataclass(frozen=True, slots=True)
class Like:
    """One incident like another: alike in percent, or by the identifiers that both name; and how it ended."""

    incident: Incident
    percent: int
    shared: Sequence[str]
    end: Ended | None


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around one incident. `gave_up`: the search took too long, so there may be more."""

    past: Sequence[Like]
    related: Sequence[Like]
    gave_up: bool = False


def around(user: User, incident: Incident, identifiers: Mapping[str, str]) -> Around:
    """Return past incidents like this one and open ones of the same things, as far as the person sees."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(_MILLISECONDS)])
            return Around(_past(user, incident), _related(user, incident, identifiers))
    except OperationalError:
        return Around((), (), gave_up=True)


def _past(user: User, incident: Incident) -> Sequence[Like]:
    about = likeness.words([incident.title, *_label_words(incident)])[:_MOST_WORDS]
    # By the shelf and its order, which an index has: by number all that is open would be passed over first.
    closed = visible_incidents(user).filter(shelf="closed").order_by("-last_received_at", "-pk")
    # How an incident ended is kept from who audits it, and likeness goes by its rule too.
    seen = closed.exclude(pk__in=(incident.pk, *veiled(user))).select_related("source")
    newest = _newest(closed)
    found: dict[int, Incident] = {}
    for query in _questions(about, incident.hypothesis):
        for rows in ([seen.filter(last_received_at__gte=newest)] if newest else []) + [seen]:
            if len(found) < SHOWN:
                found |= {row.pk: row for row in _matching(rows, query)[:_CANDIDATES]}
    own = likeness.pieces(_text(incident))
    ranked = sorted(
        ((likeness.alike(own, likeness.pieces(_text(row))), row.pk) for row in found.values()), reverse=True
    )
    best = [(share, found[number]) for share, number in ranked[:SHOWN] if share >= _LEAST]
    ends = ended([row.pk for _, row in best])
    return [Like(row, round(share * 100), (), ends.get(row.pk)) for share, row in best]


def _newest(closed: QuerySet[Incident]) -> datetime | None:
    """Return since when the newest thousands are; None where there are no more.

    They are looked through first: words that often stand together are in far more rows than PostgreSQL
    expects, and it would gather and sort them all.
    """
    return next(iter(closed.values_list("last_received_at", flat=True)[_NEWEST : _NEWEST + 1]), None)


def _related(user: User, incident: Incident, identifiers: Mapping[str, str]) -> Sequence[Like]:
    """Open incidents that name the same order, job or host: by an identifier's value, whatever its name."""
    values = [value for value in identifiers.values() if 3 < len(value) <= 200][:_MOST_WORDS]
    query = " | ".join(f"({words})" for value in values if (words := _exactly(value)))
    if not query:
        return []
    seen = visible_incidents(user).exclude(state=State.CLOSED).exclude(pk=incident.pk)
    rows = _matching(seen.select_related("source"), query).order_by("-pk")[: _CANDIDATES // 4]
    found = []
    for row in rows:
        text = f"{row.title} {row.identifiers} {row.labels}".lower()
        shared = [value for value in values if value.lower() in text]
        if shared:
            found.append(Like(row, 0, shared, None))
    return found[:SHOWN]


def _questions(about: Sequence[str], hypothesis: str) -> list[str]:
    """Ever wider questions: all the words, the hypothesis, then any two of the longest."""
    asked = []
    if about:
        asked.append(" & ".join(f"'{word}'" for word in about))
    if hypothesis and hypothesis != "none_of_these":
        asked.append(" & ".join(f"'{word}'" for word in queue_words.words_of(hypothesis)))
    longest = sorted(about, key=len, reverse=True)[:3]
    if len(longest) > 1:
        asked.append(" & ".join(f"'{word}'" for word in longest[:2]))
    return asked


def _exactly(value: str) -> str:
    return " & ".join(f"'{word.lower()}'" for word in queue_words.words_of(value))


def _matching(rows: QuerySet[Incident], query: str) -> QuerySet[Incident]:
    return rows.annotate(matches=RawSQL(_MATCHES, [query])).filter(matches=True)  # noqa: S611 words alone, as a parameter


def _label_words(incident: Incident) -> list[str]:
    return [str(incident.labels.get(name, "")) for name in ("alertname", "service")]


def _text(incident: Incident) -> str:
    labels = " ".join(str(value) for _, value in sorted(incident.labels.items()))
    return f"{incident.title} {incident.hypothesis.replace('_', ' ')} {labels}"
