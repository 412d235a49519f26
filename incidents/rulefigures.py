"""How rules fare: how often each was raised, earned, overridden; what was raised that no rule covers."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Sum

from incidents.models import Incident, RuleTally
from investigations.models import Verdict
from verdicts.case import NONE_OF_THESE

QUIET_FOR = timedelta(days=90)
_UNRULED_READ = 400
_UNRULED_SHOWN = 12
_LABELS = ("alertname", "about")


# PostgreSQL lets the writers of one moment pass: what they add meanwhile is left for the next time.
_ADD_UP = """
WITH gone AS (
    DELETE FROM incidents_ruletally WHERE id IN (SELECT id FROM incidents_ruletally FOR UPDATE SKIP LOCKED)
    RETURNING *
)
INSERT INTO incidents_ruletally (hypothesis, raised, earned, overridden, last_raised_at, last_earned_at)
SELECT hypothesis, sum(raised), sum(earned), sum(overridden), max(last_raised_at), max(last_earned_at)
FROM gone GROUP BY hypothesis
"""
_MANY_STEPS = 500


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of one rule; of each investigation the last verdict counts."""

    raised: int = 0
    earned: int = 0
    overridden: int = 0
    last_raised_at: datetime | None = None  # by any verdict: what was judged once was raised
    last_earned_at: datetime | None = None
    since: datetime | None = None  # what is older was long ago

    @property
    def quiet(self) -> str:
        """Say what did not happen in 90 days, or nothing."""
        if not self._is_of_late(self.last_raised_at):
            return "not raised in 90 days" if self.last_raised_at else "never raised"
        if not self._is_of_late(self.last_earned_at):
            return "nothing earned in 90 days" if self.last_earned_at else "never earned"
        return ""

    def _is_of_late(self, at: datetime | None) -> bool:
        return at is not None and self.since is not None and at > self.since


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
    steps = RuleTally.objects.filter(hypothesis=only) if only else RuleTally.objects.all()
    counted = steps.values_list("hypothesis").annotate(
        Sum("raised"), Sum("earned"), Sum("overridden"), Max("last_raised_at"), Max("last_earned_at")
    )
    since = now - QUIET_FOR
    return {
        name: Figures(raised, earned, overridden, raised_at, earned_at, since)
        for name, raised, earned, overridden, raised_at, earned_at in counted
    }


def add_up() -> None:
    """Add the steps up where many have gathered: one row for each hypothesis is left."""
    if RuleTally.objects.count() >= _MANY_STEPS:
        with connection.cursor() as cursor:
            cursor.execute(_ADD_UP)


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
