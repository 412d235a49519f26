"""Golden sets as they are kept: versions, candidates that a person confirms, rows that never change."""

import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from audit.models import Entry
from incidents import services
from incidents.labelled import HumanLabelled
from incidents.models import Incident, Source
from investigations.models import Investigation
from tests.db.drilled import LABELS, golden_file, label_of, reply
from tests.db.issues import REPOSITORY, a_source, an_issue, deliver, event
from tests.db.modelled import speaking
from trials.golden import building, keeping, opening
from trials.golden.keeping import GoldenSetRefused
from trials.golden.rows import digest_of
from trials.models import GoldenRow, GoldenSet

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def golden(what: str, *words: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("golden", what, *words, stdout=out, stderr=out, **options)
    return out.getvalue()


def closed(number: int, label: str = "", *, was: str = "", body: str = "") -> HumanLabelled:
    given = label or label_of(number)
    return HumanLabelled(
        incident=number, source="github", repository="ours/tool", number=str(number),
        title=f"Closed {number}", body=body or "It.", template_labels="", label=given, label_set="1",
        model_label=was, is_override=bool(was) and was != given, target="",
        by="ada", at=NOW,
    )  # fmt: skip


def test_a_frozen_version_never_changes_and_the_next_begins_with_its_rows(tmp_path: Path) -> None:
    file = golden_file(tmp_path, 6)
    golden("load", str(file), by="ada")
    said = golden("freeze", by="ada")
    first = GoldenSet.objects.get()
    assert first.digest in said
    with pytest.raises(CommandError, match="is frozen and never changes"):
        golden("freeze", by="ada")
    with pytest.raises(CommandError, match="is frozen and never changes"):
        golden("confirm", "ours/tool#1", by="ada")
    assert "6 are there already" in golden("load", str(file), by="ada")
    second = GoldenSet.objects.get(version=2)
    assert {row.is_frozen for row in second.rows.all()} == {True}
    golden("load", str(golden_file(tmp_path, 7)), by="ada")
    assert golden("freeze", by="ada")
    assert opening.opened("issues", LABELS).rows[-1].id == "ours/tool#7"
    first.refresh_from_db()
    assert (first.rows.count(), digest_of(keeping.rows_of(first))) == (6, first.digest)
    kinds = Entry.objects.filter(kind="golden.frozen")
    assert kinds.count() == 2


def test_an_export_is_what_a_load_takes(tmp_path: Path) -> None:
    golden("load", str(golden_file(tmp_path, 6)), by="ada")
    golden("freeze", by="ada")
    golden("export", to=tmp_path / "out.jsonl")
    golden("load", str(tmp_path / "out.jsonl"), by="ada", name="other")
    golden("freeze", by="ada", name="other")
    assert len(set(GoldenSet.objects.values_list("digest", flat=True))) == 1


def test_a_row_that_contradicts_one_that_is_there_stays_out(tmp_path: Path) -> None:
    golden("load", str(golden_file(tmp_path, 6)), by="ada")
    file = tmp_path / "more.jsonl"
    text = golden_file(tmp_path, 6).read_text(encoding="utf-8").splitlines()[0]
    file.write_text(
        text.replace("tool#1", "tool#90").replace('"docs"', '"spam"')
        + "\n"
        + text.replace('"It."', '"Other."')
    )
    said = golden("load", str(file), by="ada")
    assert "ours/tool#90 says the same as ours/tool#1, which is labelled docs and this spam" in said
    assert "ours/tool#1 is there already and says something else" in said
    assert GoldenRow.objects.count() == 6


def test_a_malformed_file_loads_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_bytes(golden_file(tmp_path, 6).read_bytes() + b'{"id": "x"}\n')
    with pytest.raises(CommandError, match="Line 7: `label` is missing"):
        golden("load", str(file), by="ada")
    assert not GoldenSet.objects.exists()


def test_closed_issues_are_drawn_evenly_by_label_and_always_alike() -> None:
    many = [closed(number) for number in range(1, 200)]
    first = [each.incident for each in building.sampled(many, 5)]
    assert first == [each.incident for each in building.sampled(reversed(many), 5)]
    assert sorted(label_of(number) for number in first) == sorted(label for label in LABELS for _ in range(5))


def close(number: int, by: User, label: str, **issue: Any) -> None:
    """Let an issue come in, and a person close it with a label."""
    deliver(Source.objects.get(), event(issue=an_issue(number, **issue)))
    incident = Incident.objects.get(sender_key=f"{REPOSITORY}#{number}")
    now = timezone.now()
    said: dict[str, Any] = {"outcome": "real and fixed", "answer": "", "reason": "", "label": label}
    services.close(incident.pk, by=by, version=incident.version, now=now, **said)


def overridden(number: int, by: User, settings: Any, *, said: str, label: str) -> None:
    """Let a model label an issue, and a person close it with another label."""
    deliver(
        Source.objects.get(), event(issue=an_issue(number, title=f"Other {number}", body="jane@example.org"))
    )
    incident = Incident.objects.get(sender_key=f"{REPOSITORY}#{number}")
    with speaking(settings, [reply(said)]):
        services.investigate(Investigation.objects.get(incident_id=incident.pk).pk, now=timezone.now())
    close(number, by, label)


def test_closed_issues_and_overrides_are_masked_candidates_until_a_person_confirms_them(
    make_user: Any, settings: Any
) -> None:
    a_source()
    ada, build = make_user(), {"closed": True, "since": "2026-01-01", "per_label": 1, "by": "ada"}
    close(1, ada, "docs", title="First", body="It.")
    close(3, ada, "feature", title="Third", body="It.")
    overridden(2, ada, settings, said="spam", label="bug")
    said = golden("build", **build)
    assert "3 rows added to issues 1" in said
    assert "No row has the label" in said
    assert "fewer than 36" in said
    with pytest.raises(CommandError, match="no confirmed row"):
        golden("freeze", by="ada")
    stored = GoldenRow.objects.get(row_id=f"{REPOSITORY}#2")
    assert (stored.origin, stored.label, stored.confirmed_by) == ("override", "bug", "")
    assert stored.body == "[redacted: email]"
    assert f"candidate: {REPOSITORY}#2" in golden("show")
    golden("drop", f"{REPOSITORY}#3", by="ada")
    golden("confirm", all=True, by="ada")
    shown = golden("show")
    assert "2 rows" in shown
    assert "origins: closed 1, override 1" in shown
    assert "candidate:" not in shown
    again = golden("build", **build)
    assert "0 rows added" in again
    assert "candidate:" not in golden("show")


def test_candidates_wait_for_the_next_version_when_theirs_is_frozen(
    tmp_path: Path, make_user: Any, settings: Any
) -> None:
    golden("load", str(golden_file(tmp_path, 6)), by="ada")
    a_source()
    overridden(50, make_user(), settings, said="spam", label="bug")
    began = timezone.now() - timedelta(hours=1)
    assert building.collect_overrides(since=began, now=NOW) == 1
    golden("freeze", by="ada")
    assert building.collect_overrides(since=began, now=NOW) == 0
    assert not GoldenSet.objects.filter(version=2).exists()
    assert keeping.candidates_of(keeping.named("issues"))
    golden("load", str(golden_file(tmp_path, 7)), by="ada")
    (row,) = keeping.candidates_of(keeping.named("issues"))
    assert (row.row_id, row.of.version) == (f"{REPOSITORY}#50", 2)
    with pytest.raises(GoldenSetRefused, match="is no candidate"):
        keeping.confirm(row.of, ["ours/tool#51"], by="ada", now=NOW)


def test_a_set_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(CommandError, match="There is no golden set 'nothing'"):
        golden("show", name="nothing")
