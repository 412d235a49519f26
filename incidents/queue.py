"""The queue's rows: one page of a tab by key, and what has arrived since."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from accounts.models import Team, User
from accounts.permissions import Permission
from incidents import keyset, queue_words
from incidents.commonwords import common_words
from incidents.models import Incident, Source
from incidents.queries import visible_sources
from incidents.queue_wants import SEVERITIES, SHELVES, Sort, Tab, Wanted
from incidents.veiling import kept_from

PAGE = 50
#: Where some have to be looked at, no more than this many are.
LOOKED_AT = 500
ORDERS: Mapping[Sort, keyset.Order] = {
    Sort.NEWEST: (("last_received_at", True), ("pk", True)),
    Sort.OLDEST: (("started_at", False), ("pk", False)),
    Sort.SEVERITY: (("severity_rank", False), ("last_received_at", True), ("pk", True)),
}
_NOT_SHOWN = ("labels", "annotations", "identifiers")


@dataclass(frozen=True, slots=True)
class Sight:
    """What one person sees, and what is theirs, in numbers that an index can be asked for."""

    person: int
    own_teams: Sequence[Team]
    sees_every_team: bool
    sources: Sequence[Source]

    @property
    def teams(self) -> tuple[int, ...]:
        """The numbers of their teams."""
        return tuple(team.pk for team in self.own_teams)

    def source(self, slug: str) -> int:
        """Return the number of a source that they see; 0, which no source has, for another."""
        return next((source.pk for source in self.sources if source.slug == slug), 0)


def sight(user: User) -> Sight:
    """Return what a person sees."""
    return Sight(
        user.pk,
        list(user.teams.all()),
        user.has_perm(Permission.SEE_EVERY_TEAM),
        list(visible_sources(user)),
    )


def rows(seen: Sight, want: Wanted, *, is_look: bool = False) -> QuerySet[Incident]:
    """Return what the filters and the tab's person or team leave, on whatever shelf it stands.

    A look wants some of them in no order. What a rare word finds is then not brought together with all that
    the teams have, which an index on the team would have PostgreSQL do.
    """
    found = Incident.objects.all()
    is_rare = ":*" in queue_words.tsquery(want.words, common_words()) if want.words else False
    if not seen.sees_every_team and is_look and is_rare:
        found = found.alias(of_team=Coalesce("team_id", 0)).filter(of_team__in=(0, *seen.teams))
    elif not seen.sees_every_team:
        found = found.filter(Q(team_id__isnull=True) | Q(team_id__in=seen.teams))
    if want.severity in SEVERITIES:
        found = found.filter(severity_rank=SEVERITIES.index(want.severity))
    elif want.severity:
        found = found.filter(severity_rank=len(SEVERITIES), severity=want.severity)
    if want.kind:
        found = found.filter(kind=want.kind)
    if want.source:
        number = seen.source(want.source)
        # A whole shelf would be walked in vain.
        found = found.filter(source_id=number) if number else found.none()
    if want.mine or want.tab == Tab.MINE:
        found = found.filter(assignee_id=seen.person)
    if want.tab == Tab.MY_TEAM:
        found = found.filter(team_id__in=seen.teams)
    return found.filter(_mentions(want.words, seen.person)) if want.words else found


def page(
    seen: Sight, want: Wanted, *, size: int | None = None, among: Sequence[int] | None = None
) -> keyset.Page[Incident]:
    """Return one page of the wanted tab, found by key: rows that come or go do not shift it.

    `among` are the numbers of all that the filters leave, where a look has found them: few enough to be
    sorted, whatever the order.
    """
    if among is not None:
        few = rows(seen, replace(want, words="")).filter(pk__in=among)
        parts = [few.filter(shelf__in=SHELVES[want.tab])]
    else:
        parts = [rows(seen, want).filter(shelf=shelf) for shelf in SHELVES[want.tab]]
    whole = Incident.objects.select_related("source", "team", "assignee").defer(*_NOT_SHOWN)
    veiled = Q(pk__in=kept_from(seen.person))
    whole = whole.annotate(is_veiled=ExpressionWrapper(veiled, BooleanField()))
    return keyset.page_of(
        parts, ORDERS[want.sort], whole, keyset.Place(after=want.after, before=want.before, size=size or PAGE)
    )


def few(seen: Sight, want: Wanted) -> Sequence[int] | None:
    """Return the numbers of all that the filters leave, or None where they are many."""
    found = rows(seen, want, is_look=True).filter(shelf__in=SHELVES[want.tab])
    numbers = list(found.values_list("pk", flat=True)[: LOOKED_AT + 1])
    return None if len(numbers) > LOOKED_AT else numbers


def arrivals(seen: Sight, want: Wanted, since: int) -> int:
    """Return how many incidents of the wanted tab are newer than an id, at most 100."""
    newer = rows(seen, want).filter(pk__gt=since, shelf__in=SHELVES[want.tab])
    return newer[:100].count()


def _mentions(text: str, person: int) -> Q:
    asked = queue_words.tsquery(text, common_words())
    number = queue_words.number_of(text)
    found = Q(pk=number) if number is not None else Q(pk__in=[])
    if number is not None and text.strip().startswith("#"):
        return found
    if asked:
        # The column is a trigger's and has no field, so that no row is ever read or written with it.
        holds = RawSQL(
            '"incidents_incident"."words" @@ to_tsquery(\'simple\', %s)', [asked], output_field=BooleanField()
        )
        # Draft, notes and rule are among the words: what is found by them would tell.
        told = Q(holds) & ~Q(pk__in=kept_from(person))
        found = told if number is None else found | told
    return found
