"""Backtest: every incident again under changed rules, each flip beside what people decided."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from incidents import services
from incidents.backtesting import backtest
from incidents.endings import ended
from incidents.models import Incident
from investigations import rulebook
from investigations.models import Case, Investigation, Verdict
from tests.db.exported import closed
from tests.db.investigated import Scripted, job, world
from tests.web.pages import judged
from verdicts.closings import Actual
from verdicts.comparison import Ending

MakeUser = Callable[..., Any]

RULE = '''
"""The job failed once and finished on its retry."""
from verdicts.fact import Fact
from verdicts.rule import Rule


class JobFinishedOnRetry(Rule):
    """The job failed once and finished on its retry."""

    version = 2
    kinds = {"alert"}
    needs = {"job_id"}
    job_completed = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["job_id"]},
        holds=lambda answer, subject: answer.text("job.state") HOLDS,
    )
'''


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def pack(folder: Path, holds: str, passing: str, failing: str) -> Path:
    """Write the scripted world's rule anew, with cases that prove it."""
    (folder / "job_finished_on_retry.py").write_text(RULE.replace("HOLDS", holds))
    cases = [
        {
            "name": f"{expect} {number}",
            "expect": expect,
            "because": "It is.",
            "subject": {"started_at": "2026-07-01T10:00:00Z", "identifiers": {"job_id": f"job-{number}"}},
            "entries": [
                {
                    "tool": "find_job",
                    "arguments": {"job_id": f"job-{number}"},
                    "called_at": "2026-07-01T10:05:00Z",
                    "result": {"job": {"state": state}},
                }
            ],
            "judged_at": "2026-07-01T10:06:00Z",
        }
        for expect, state in (("pass", passing), ("fail", failing))
        for number in (1, 2)
    ]
    (folder / "job_finished_on_retry.cases.json").write_text(json.dumps(cases))
    return folder


def run(*arguments: Any) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("backtest", "--processes", "1", *map(str, arguments), stdout=out)
    except SystemExit as ended_with:
        return int(ended_with.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.mark.django_db
def test_a_rule_that_grows_careless_is_shown_with_what_people_decided(
    connector: Scripted, make_user: MakeUser, tmp_path: Path
) -> None:
    connector.answers["find_job"] = job("stuck")
    incident = closed(make_user, "real and fixed")
    careless = pack(tmp_path, '!= "failed"', "completed", "failed")
    code, said = run("--rules", careless, "--fail-on", "false-pass")
    assert code == 1
    line = next(each for each in said.splitlines() if each.startswith("false pass"))
    assert f"incident {incident.pk}: fail became pass of job_finished_on_retry by job_completed" in line
    assert "closed as 'real and fixed' by closer-job-7" in line
    assert run("--rules", careless)[0] == 0
    assert Verdict.objects.count() == 1


@pytest.mark.django_db
def test_a_pass_that_is_lost_is_a_false_fail(
    connector: Scripted, make_user: MakeUser, tmp_path: Path
) -> None:
    closed(make_user, "harmless")
    strict = pack(tmp_path, '== "archived"', "archived", "completed")
    code, said = run("--rules", strict, "--fail-on", "false-pass")
    assert code == 0
    assert "false fail" in said
    assert "pass became fail" in said
    assert 'job.state is "completed"' in said
    assert run("--rules", strict, "--fail-on", "false-fail")[0] == 1
    assert run("--rules", strict, "--fail-on", "flip")[0] == 1


@pytest.mark.django_db
def test_the_rules_in_force_flip_nothing_and_old_false_passes_stay_in_sight(
    connector: Scripted, make_user: MakeUser
) -> None:
    closed(make_user, "harmless")
    judged(source=Incident.objects.get().source, name="job-8")
    assert run("--fail-on", "flip", "--fail-on", "false-fail")[0] == 0
    closed(make_user, "real and fixed", "job-9", source=Incident.objects.earliest("pk").source)
    code, said = run("--fail-on", "false-pass")
    assert code == 1
    assert "still pass of job_finished_on_retry" in said
    assert "3 incidents judged again" in said
    assert "0 flips; 1 as it was, 1 false pass, 0 false fail, 1 not comparable; 0 unreadable" in said


@pytest.mark.django_db
def test_a_case_that_was_changed_is_told_and_never_green_for_ci(
    connector: Scripted, make_user: MakeUser
) -> None:
    incident = closed(make_user, "harmless")
    Case.objects.update(body="{}")
    code, said = run("--fail-on", "false-pass")
    assert code == 2
    assert f"unreadable   Incident {incident.pk}" in said
    assert run()[0] == 0


@pytest.mark.django_db
def test_only_the_last_verdict_of_an_incident_counts_and_only_since(
    connector: Scripted, make_user: MakeUser
) -> None:
    incident = closed(make_user, "harmless")
    reopened = services.reopen(
        incident.pk, by=make_user("bo"), reason="Again.", version=incident.version, now=timezone.now()
    )
    connector.answers["find_job"] = job("stuck")
    services.investigate(Investigation.objects.latest("pk").pk, now=timezone.now())
    assert Verdict.objects.count() == 2
    assert reopened.pk == incident.pk
    assert "1 incidents judged again" in run()[1]
    tomorrow = (timezone.now() + timedelta(days=1)).isoformat()
    assert "0 incidents judged again" in run("--since", tomorrow)[1]
    assert "1 incidents judged again" in run("--since", "2026-01-01")[1]


@pytest.mark.django_db
@pytest.mark.parametrize("given", [("--rules", "/nowhere"), ("--since", "soon"), ("--fail-on", "everything")])
def test_what_can_not_be_meant_is_refused(connector: Scripted, given: tuple[str, str]) -> None:
    with pytest.raises((CommandError, SystemExit)):
        call_command("backtest", *given)


def test_several_processes_find_what_one_finds(
    committed_db: None, connector: Scripted, make_user: MakeUser
) -> None:
    source = closed(make_user, "harmless").source
    for name in ("job-8", "job-9"):
        closed(make_user, "real and fixed", name, source=source)
    book = rulebook.current_rulebook()
    found = [[part.shown for part in backtest(book, processes=count)] for count in (1, 2)]
    assert found[0] == found[1]
    assert [each.ending for each in found[0][0]] == [Ending.FALSE_PASS, Ending.FALSE_PASS]


@pytest.mark.django_db
def test_how_an_incident_ended_follows_a_duplicate_to_its_target(
    connector: Scripted, make_user: MakeUser
) -> None:
    target = closed(make_user, "real and fixed")
    copy = closed(make_user, "duplicate of", "job-8", source=target.source, duplicate_of=target.pk)
    still_open = judged(source=target.source, name="job-9")
    found = ended([target.pk, copy.pk, still_open.pk])
    assert {number: each.actual for number, each in found.items()} == {
        target.pk: Actual.FAIL,
        copy.pk: Actual.FAIL,
    }
