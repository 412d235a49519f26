"""A source's rubric, or a run's own: kept, on record, and frozen with the run that was opened."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from audit.models import Entry
from incidents import second_looks
from incidents.models import Incident, Source
from incidents.moves import MoveRefused
from investigations.models import Investigation
from tests.db.sources import make_source

pytestmark = pytest.mark.django_db
WORDS = "Says since when\nNames an entry\n"


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("rubric", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def source() -> Source:
    return make_source()


@pytest.fixture
def incident(source: Source) -> Incident:
    now = timezone.now()
    times = dict.fromkeys(("started_at", "first_received_at", "last_received_at", "episode_at"), now)
    told = {"kind": "alert", "sender_key": "k", "title": "T", "state": "review"}
    return Incident.objects.create(source=source, **told, **times)


def test_what_the_command_refuses_changes_nothing(source: Source, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * 501)
    (tmp_path / "none").write_text(" \n")
    for arguments, words in (
        (("nowhere", "--clear"), "Known sources: prometheus"),
        ((source.slug, "--file", str(tmp_path / "gone")), "can't be read"),
        ((source.slug, "--file", str(tmp_path / "long")), "at most 500"),
        ((source.slug, "--file", str(tmp_path / "none")), "--clear"),
    ):
        with pytest.raises(CommandError, match=words):
            run(*arguments)
    assert Source.objects.get().rubric == ""
    assert not Entry.objects.exists()


def test_a_rubric_is_set_shown_cleared_and_on_record(source: Source, tmp_path: Path) -> None:
    file = tmp_path / "rubric.txt"
    file.write_text(f"- {WORDS}\n")
    assert run(source.slug, "--file", str(file)) == WORDS
    run(source.slug, "--file", str(file))
    assert run(source.slug) == WORDS
    assert "not graded" in run(source.slug, "--clear")
    assert list(Entry.objects.values_list("kind", flat=True)) == ["source.rubric_changed"] * 2


def again(incident: Incident, by: Any, **more: Any) -> Investigation:
    second_looks.investigate_again(incident.pk, by=by, version=incident.version, now=timezone.now(), **more)
    return Investigation.objects.latest("pk")


def test_a_run_keeps_the_rubric_that_its_source_had_when_it_was_opened(
    incident: Incident, make_user: Any
) -> None:
    Source.objects.update(rubric="Says since when")
    row = again(incident, make_user())
    Source.objects.update(rubric="Says something else")
    row.refresh_from_db()
    assert row.rubric == "Says since when"


def test_a_run_may_have_a_rubric_of_its_own(incident: Incident, make_user: Any) -> None:
    Source.objects.update(rubric="Says since when")
    assert again(incident, make_user(), rubric=" Says why \n").rubric == "Says why"


def test_a_rubric_that_can_not_be_used_begins_no_run(incident: Incident, make_user: Any) -> None:
    with pytest.raises(MoveRefused, match="at most 500"):
        again(incident, make_user(), rubric="x" * 501)
    assert not Investigation.objects.exists()
