"""Plays the example shop through real processes, and looks at what came of it."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db import connection, connections
from django.db.utils import DatabaseError

from incidents.models import Delivery, Incident
from incidents.states import DeliveryState
from investigations.models import Investigation, Verdict
from investigations.states import OPEN, State
from triage.demo import example, posting, seeding, table

KEY = "the key of a test"


@dataclass
class Play:
    """One play: which world, where the web process answers, which deliveries were accepted."""

    now: datetime
    address: str
    accepted: list[int] = field(default_factory=list)

    @property
    def postings(self) -> list[example.Posting]:
        return example.postings(self.now)

    def seed(self) -> None:
        """Add the example sources."""
        seeding.seed_sources(example.sources(), KEY)

    def post(self, postings: Sequence[example.Posting]) -> list[int]:
        """Post each; return the status of each answer, keeping the ids of those that were accepted."""
        return [self._post(one) for one in postings]

    def _post(self, one: example.Posting) -> int:
        request = urllib.request.Request(
            f"{self.address}/hooks/{one.source}/",
            data=one.body,
            headers={
                "Content-Type": one.content_type,
                "Authorization": f"Bearer {seeding.secret_of(one.source, KEY)}",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                self.accepted.append(json.loads(answer.read())["delivery"])
                return int(answer.status)
        except urllib.error.HTTPError as refusal:
            refusal.close()
            return refusal.code

    def is_over(self) -> bool:
        """Whether every accepted delivery is folded and nothing is open; False while the database is away."""
        try:
            folded = Delivery.objects.filter(pk__in=self.accepted, state=DeliveryState.FOLDED).count()
            is_open = Investigation.objects.filter(state__in=OPEN).exists()
        except DatabaseError:
            connections.close_all()
            return False
        return folded == len(self.accepted) and not is_open

    def differences(self) -> list[str]:
        """Return in what the incidents differ from what the examples expect."""
        expected = example.expectations()
        found = posting.incidents(self.postings, expected)
        return example.differences(expected, [table.row_of(one, self.address).plain() for one in found])


def judged_otherwise_than_once() -> list[str]:
    """Return each incident that has not exactly one judged run, one verdict and one entry about it."""
    wrong = []
    for incident in Incident.objects.exclude(source__adapter="heartbeat"):
        runs = Investigation.objects.filter(incident_id=incident.pk)
        states = [run.state for run in runs]
        verdicts = Verdict.objects.filter(investigation__in=runs).count()
        entries = _judged_entries(incident.pk)
        if (states, verdicts, entries) != ([State.JUDGED], 1, 1):
            wrong.append(f"{incident}: {states}, {verdicts} verdicts, {entries} entries")
    return wrong


def _judged_entries(incident: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM audit_entry WHERE incident = %s AND canonical LIKE %s",
            [incident, '%"kind":"investigation.judged"%'],
        )
        return int(cursor.fetchone()[0])


def moment() -> datetime:
    """Return a *now* for a world."""
    return datetime.now(UTC).replace(microsecond=0)
