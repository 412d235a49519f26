"""How rules fare: how often each was raised, earned, overridden; what was raised that no rule covers."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from incidents.models import Incident, Resolution
from investigations.models import Verdict
from verdicts.case import NONE_OF_THESE

QUIET_FOR = timedelta(days=90)
_UNRULED_READ = 400
_UNRULED_SHOWN = 12
_LABELS = ("alertname", "about")


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of one rule; of each investigation the last verdict counts."""

    raised: int = 0
    earned: int = 0
    last_raised_at: datetime | None = None
    last_earned_at: datetime | None = None
    raised_of_late: int = 0
    earned_of_late: int = 0
    overridden: int = 0

    @property
    def quiet(self) -> str:
        """Say what did not happen in 90 days, or nothing."""
        if not self.raised_of_late:
            return "not raised in 90 days" if self.raised else "never raised"
        if not self.earned_of_late:
            return "nothing earned in 90 days" if self.earned else "never earned"
        return ""


@dataclass(frozen=True, slots=True)
class Unruled:
    """What incidents without a rule have in common, and how many a rule for it would have helped."""

    words: str
    kind: str
    proposed: bool  # a hypothesis that an investigator put into words
    incidents: int
    example: int


def figures(now: datetime, *, only: str = "") -> Mapping[str, Figures]:
    """Return the figures of every hypothesis that was ever judged, or of one."""
    since = now - QUIET_FOR
    rows = _last_ones()
    overridden = Verdict.objects.filter(
        pk__in=Resolution.objects.filter(contradicts_verdict=True).values("verdict_id")
    )
    if only:
        rows, overridden = rows.filter(hypothesis=only), overridden.filter(hypothesis=only)
    contradicted = dict(
        overridden.order_by()
        .values_list("hypothesis")
        .annotate(count=Count("pk"))
        .values_list("hypothesis", "count")
    )
    counted = (
        rows.order_by()
        .values_list("hypothesis")
        .annotate(
            raised=Count("pk"),
            earned=Count("pk", filter=Q(passed=True)),
            last_raised_at=Max("created_at"),
            last_earned_at=Max("created_at", filter=Q(passed=True)),
            raised_of_late=Count("pk", filter=Q(created_at__gt=since)),
            earned_of_late=Count("pk", filter=Q(created_at__gt=since, passed=True)),
        )
    )
    return {
        name: Figures(
            raised, earned, raised_at, earned_at, raised_late, earned_late, contradicted.get(name, 0)
        )
        for name, raised, earned, raised_at, earned_at, raised_late, earned_late in counted
    }


def unruled(now: datetime, rules: Iterable[str], visible: QuerySet[Incident]) -> tuple[Unruled, ...]:
    """Return what the last of these incidents without a rule were about, those that are most first."""
    rows = (
        _last_ones()
        .filter(created_at__gt=now - QUIET_FOR, investigation__incident_id__in=visible.values("pk"))
        .filter(Q(hypothesis=NONE_OF_THESE) | ~Q(hypothesis__in=list(rules)))
        .order_by("-pk")
        .values_list("investigation__incident_id", "case__body")[:_UNRULED_READ]
    )
    seen: dict[tuple[str, str, bool], set[int]] = {}
    spelled: dict[tuple[str, str, bool], str] = {}
    for incident, body in rows.iterator(chunk_size=50):
        words, kind, proposed = _about(json.loads(body))
        # One idea is seldom put twice in quite the same letters.
        key = (" ".join(words.replace("_", " ").casefold().split()).rstrip(".!"), kind, proposed)
        seen.setdefault(key, set()).add(incident)
        spelled.setdefault(key, words)
    most = sorted(seen.items(), key=lambda item: (-len(item[1]), item[0]))[:_UNRULED_SHOWN]
    return tuple(Unruled(spelled[key], key[1], key[2], len(ids), max(ids)) for key, ids in most)


def _about(body: Mapping[str, Mapping[str, object]]) -> tuple[str, str, bool]:
    subject, submission = body["subject"], body["case"]["submission"]
    kind = str(subject["kind"])
    assert isinstance(submission, dict)
    if proposed := str(submission["proposed_hypothesis"]).strip():
        return proposed[:120], kind, True
    if (hypothesis := str(submission["hypothesis"])) != NONE_OF_THESE:
        return hypothesis[:120], kind, True
    labels = subject["labels"]
    assert isinstance(labels, dict)
    for name in _LABELS:
        if labels.get(name):
            return f"{name} {labels[name]}"[:120], kind, False
    return f"source {subject['source']}"[:120], kind, False


def _last_ones() -> QuerySet[Verdict]:
    later = Verdict.objects.filter(investigation=OuterRef("investigation"), pk__gt=OuterRef("pk"))
    return Verdict.objects.filter(~Exists(later))
