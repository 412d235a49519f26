"""Exporting a closed incident: what is refused, what is masked, who accepted."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from assay_core.results import Status
from audit import reading
from incidents.exporting import Export, ExportRefused, replay_of
from incidents.models import Incident
from investigations.models import Case
from investigations.rulebook import current_rulebook
from tests.db.exported import closed
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.db.test_incidents_moves import close, make_incident
from tests.web.pages import judged
from toolbox.connectors.base import Outcome
from verdicts.closings import Actual
from verdicts.replay.file import Replay
from verdicts.replay.judging import judge
from verdicts.replay.tools import read_tools

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., User]


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def export(incident: Incident, **values: Any) -> Replay:
    return replay_of(incident, Export(by="Ada", now=timezone.now(), **values))


def test_an_open_incident_is_refused(connector: Scripted) -> None:
    with pytest.raises(ExportRefused, match="is not closed"):
        export(judged())


def test_one_without_a_verdict_is_refused(connector: Scripted, make_user: MakeUser) -> None:
    bare = make_incident(make_source())
    close(bare, make_user())
    bare.refresh_from_db()
    with pytest.raises(ExportRefused, match="without a verdict"):
        export(bare)


def test_a_case_that_was_changed_is_refused(connector: Scripted, make_user: MakeUser) -> None:
    incident = closed(make_user, "harmless")
    case = Case.objects.get()
    case.body = case.body.replace("job-7", "job-8")
    case.save()
    with pytest.raises(ExportRefused, match="does not have its digest"):
        export(incident)


def test_a_field_whose_mask_changes_the_verdict_is_named(connector: Scripted, make_user: MakeUser) -> None:
    incident = closed(make_user, "harmless")
    with pytest.raises(ExportRefused, match=r"result\.job\.state: the verdict becomes another"):
        export(incident, fields=["state"])
    assert export(incident, fields=["state"], spared=["completed"]).accepted is not None


def test_a_harmless_one_is_green_elsewhere(connector: Scripted, make_user: MakeUser) -> None:
    replay = Replay.from_text(export(closed(make_user, "harmless")).text())
    assert judge(replay, current_rulebook()).complaints == ()
    assert replay.accepted is not None
    assert (replay.accepted.by, replay.actual) == ("Ada", Actual.PASS)
    assert set(replay.tools) == {"find_job", "count_errors"}


def test_a_false_pass_is_exported_without_an_acceptance(connector: Scripted, make_user: MakeUser) -> None:
    replay = export(closed(make_user, "real and fixed"))
    assert replay.accepted is None
    assert not judge(replay, current_rulebook()).is_green


def test_secrets_and_persons_in_answers_are_masked(connector: Scripted, make_user: MakeUser) -> None:
    token = "ghp_" + "a1B2" * 9
    connector.answers["find_job"] = Outcome(
        Status.OBSERVED,
        {
            "job": {
                "state": "completed",
                "run_by": "eve@example.org",
                "log": f"cloned with {token}",
                "api_key": "k1",
            }
        },
    )
    text = export(closed(make_user, "harmless")).text()
    for word in ("eve@example.org", token, '"k1"'):
        assert word not in text
    assert '"[secret-1]"' in text or "[secret-2]" in text
    assert "[email-1]" in text


def test_a_duplicate_takes_what_its_target_was(connector: Scripted, make_user: MakeUser) -> None:
    target = closed(make_user, "real and fixed")
    copy = closed(make_user, "duplicate of", "job-8", source=target.source, duplicate_of=target.pk)
    assert export(copy).actual is Actual.FAIL
    Incident.objects.filter(pk=target.pk).update(state="open", closed_at=None)
    copy.refresh_from_db()
    assert export(copy).actual is Actual.NOT_COMPARABLE


def test_the_command_writes_files_that_load_and_says_what_it_refused(
    connector: Scripted, make_user: MakeUser, tmp_path: Path
) -> None:
    incident = closed(make_user, "harmless")
    still_open = judged(name="job-9", source=incident.source)
    out = StringIO()
    with pytest.raises(CommandError, match=f"Incident {still_open.pk}: .*not closed"):
        call_command(
            "export_incident", incident.pk, still_open.pk, "--by", "Ada", "--to", tmp_path, stdout=out
        )
    path = tmp_path / f"incident-{incident.pk}.json"
    assert judge(Replay.from_text(path.read_text()), current_rulebook()).is_green
    assert set(read_tools(tmp_path / "tools.json")) == {"find_job", "count_errors"}
    assert "Read it before you share it" in out.getvalue()
    assert "incident.exported" in [entry.kind for entry in reading.of_incident(incident.pk)]


def test_the_command_needs_an_incident_that_is_there(connector: Scripted, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such incident"):
        call_command("export_incident", 999_999, "--by", "Ada", "--to", tmp_path)
