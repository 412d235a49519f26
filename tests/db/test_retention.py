"""Transcripts and searched words are kept for the days that are set, and no newer exchange loses a part."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.roles import Role
from incidents import notes, queue, services, sweeping
from incidents.models import Incident, Said
from incidents.queue_wants import Tab, Wanted
from investigations import transcripts
from investigations.models import Transcript
from investigations.transcripts import Part
from tests.db.investigated import world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, judged

pytestmark = pytest.mark.django_db


def aged(part: Part, days: int) -> None:
    Transcript.objects.filter(digest=part.digest).update(created_at=timezone.now() - timedelta(days=days))


def test_a_transcript_goes_after_its_days_and_what_is_said_again_stays(settings: Any) -> None:
    settings.TRANSCRIPT_DAYS = 30
    once, again, new = (Part.of(word) for word in ("said once", "said again", "new"))
    transcripts.keep([once, again, new])
    aged(once, 32)
    aged(again, 32)
    aged(new, 30)
    transcripts.keep([again])
    assert sweeping.forget(timezone.now()) == 1
    assert set(Transcript.objects.values_list("digest", flat=True)) == {again.digest, new.digest}


def test_with_no_days_everything_is_kept(settings: Any) -> None:
    settings.TRANSCRIPT_DAYS = settings.SEARCHED_DAYS = 0
    part = Part.of("old")
    transcripts.keep([part])
    aged(part, 9_999)
    assert sweeping.forget(timezone.now()) == 0


def test_long_after_its_closing_an_incident_is_found_by_its_title_and_not_by_its_notes(
    monkeypatch: pytest.MonkeyPatch, make_user: MakeUser, settings: Any
) -> None:
    world(monkeypatch)
    monkeypatch.setattr(sweeping, "_AT_ONCE", 1)
    ada, now = make_user("ada", role=Role.SUPPORT), timezone.now()
    settings.SEARCHED_DAYS = 10

    def found(words: str) -> int:
        return queue.rows(queue.sight(ada), Wanted(tab=Tab.ALL, words=words)).count()

    for slug in ("first", "second"):
        incident = judged(make_source(slug))
        notes.write(incident, "about a walrus", by=ada, once="", now=now)
        services.close(
            incident.pk, by=ada, outcome="harmless", answer="", reason="Looked.", version=incident.version,
            now=now,
        )  # fmt: skip
    Incident.objects.update(closed_at=now - timedelta(days=9))
    assert (sweeping.forget(now), found("walrus")) == (0, 2)
    Incident.objects.update(closed_at=now - timedelta(days=11))
    assert (sweeping.forget(now), found("walrus"), found("job-7")) == (2, 0, 2)
    assert not Said.objects.exists()
