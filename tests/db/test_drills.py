"""Drills: two scripted endpoints over one golden set: stopped and gone on with, read, decided, promoted."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import connections

from accounts.models import User
from accounts.roles import Role
from investigations import endpoints
from investigations.models import EndpointUse
from investigations.states import Purpose
from tests import scripted
from tests.db.drilled import answering, golden_file, label_of, reply, two_endpoints
from trials.holding import Held
from trials.models import Drill, DrillRow, DrillRun

pytestmark = pytest.mark.django_db
SMALL = 6  # a row of each label


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    return golden_file(tmp_path, SMALL)


@pytest.fixture
def ada(django_user_model: type[User]) -> User:
    return person(django_user_model, "ada", Role.ADMINISTRATOR)


def person(model: type[User], name: str, role: Role) -> User:
    made = model.objects.create_user(name)
    made.groups.add(Group.objects.get(name=role))
    return made


def drill(golden: Path, **more: Any) -> str:
    out = io.StringIO()
    options = {"baseline": "default", "candidate": "candidate", "out": str(golden.parent), **more}
    call_command("drill", golden=str(golden), stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def fenced(label: str) -> scripted.Scripted:
    said = {"label": label, "reasons": ["no_actionable_detail"], "needs_human": False}
    return scripted.says(f"```json\n{json.dumps(said)}\n```")


def lenient(folder: Path) -> str:
    """Write a policy that is content with very few rows, and return where."""
    path = folder / "policy.toml"
    text = Path("drills/policy.toml").read_text(encoding="utf-8")
    path.write_text(text.replace("power = 0.5", "power = 0.000001"), encoding="utf-8")
    return str(path)


def review(number: int, **more: Any) -> str:
    out = io.StringIO()
    call_command("drillreview", number, stdout=out, **{"all": True, "by": "ada", **more})
    return out.getvalue()


def rows_of(golden: Path, endpoint: str) -> dict[str, dict[str, str]]:
    (file,) = golden.parent.glob(f"*-{endpoint}.csv")
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row for row in rows}


def test_until_each_difference_is_read_only_counts_of_rows_and_false_passes_are_told(
    settings: Any, golden: Path, ada: User
) -> None:
    with two_endpoints(settings, answering({}), answering({1: reply("spam"), 2: reply("docs")})):
        with pytest.raises(SystemExit) as ended:
            drill(golden, ci=True)
        said = drill(golden, baseline=DrillRun.objects.get(endpoint="default").name)
    assert ended.value.code == 3
    told = said.partition("\nDrill ")[2]
    assert "6 rows were compared" in told
    assert "ours/tool#1" in told
    assert "drillreview" in told
    assert f"/trials/drills/{Drill.objects.latest('pk').pk}/review/" in told
    assert not re.search(r"agreement|%|STOP|stop|McNemar|schema|escalat|tool#2", told)
    whole = review(Drill.objects.latest("pk").pk)
    assert "STOP" in whole
    assert "agreement" in whole


def test_each_way_to_miss_the_contract_has_no_label_and_asks_for_a_person(
    settings: Any, golden: Path
) -> None:
    given = {
        1: scripted.says("It is a docs thing."),
        2: scripted.refuses("I will not."),
        3: scripted.cut_off('{"label": "bug"'),
        4: fenced(label_of(4)),
    }
    with two_endpoints(settings, answering({}), answering(given)):
        drill(golden)
    rows = rows_of(golden, "candidate")
    missed = [rows[f"ours/tool#{number}"] for number in (1, 2, 3)]
    assert [row["status"] for row in missed] == ["fallback", "refused", "cut_off"]
    assert [row["reasons"] for row in missed] == ["unparseable", "", ""]
    assert {(row["got"], row["agrees"], row["needs_human"]) for row in missed} == {("", "no", "yes")}
    row = rows["ours/tool#4"]
    assert (row["status"], row["fenced"], row["agrees"]) == ("first_pass", "yes", "yes")


def test_an_endpoint_that_goes_down_stops_the_drill_and_a_rerun_asks_only_what_is_missing(
    settings: Any, golden: Path
) -> None:
    whole = answering({})

    def breaking(request: scripted.Request) -> scripted.Scripted:
        return whole(request) if request.number < 2 else scripted.status(400)

    with two_endpoints(settings, answering({}), breaking) as (_, new):
        with pytest.raises(CommandError, match="2 of 6 are booked"):
            drill(golden)
        assert DrillRow.objects.filter(run__endpoint="candidate").count() == 2
        assert list(golden.parent.glob("*-candidate.csv.part"))
        new.script = whole
        asked = len(new.requests)
        drill(golden, baseline=DrillRun.objects.get(endpoint="default").name)
        assert len(new.requests) - asked == SMALL - 2
    assert DrillRun.objects.filter(endpoint="candidate").count() == 1
    assert len(rows_of(golden, "candidate")) == SMALL
    assert not list(golden.parent.glob("*.part"))


def test_a_row_that_the_endpoint_stays_down_for_is_asked_thrice_and_leaves_every_denominator(
    settings: Any, golden: Path
) -> None:
    with two_endpoints(settings, answering({}), answering({3: scripted.status(400)})) as (_, new):
        said = drill(golden)
        assert sum("Issue 0003" in request.text for request in new.requests) == 3
    assert rows_of(golden, "candidate")["ours/tool#3"]["status"] == "endpoint_down"
    assert "5 rows were compared; 1 are left out" in said


def test_a_stored_run_and_its_csv_stand_for_an_endpoint_that_is_gone(settings: Any, golden: Path) -> None:
    with two_endpoints(settings, answering({}), answering({})) as (old, _):
        drill(golden)
        (file,) = golden.parent.glob("*-default.csv")
        asked = len(old.requests)
        drill(golden, baseline=str(file))
        assert DrillRun.objects.filter(endpoint="default").count() == 1
        DrillRun.objects.filter(endpoint="default").update(name="forgotten")
        drill(golden, baseline=str(file))
        assert len(old.requests) == asked
    taken = DrillRun.objects.get(is_from_file=True)
    assert taken.rows.count() == SMALL


def test_a_baseline_with_another_digest_is_refused(settings: Any, golden: Path) -> None:
    with two_endpoints(settings, answering({}), answering({})) as (old, new):
        drill(golden)
        asked = len(old.requests) + len(new.requests)
        run = DrillRun.objects.get(endpoint="default")
        for column, words in (
            ("golden_digest", "another golden rows"),
            ("contract_digest", "another contract"),
            ("prompt_digest", "another prompts"),
            ("rules_digest", "another code that checks reasons"),
        ):
            DrillRun.objects.filter(pk=run.pk).update(**{column: "0" * 64})
            with pytest.raises(CommandError, match=words):
                drill(golden, baseline=run.name)
            DrillRun.objects.filter(pk=run.pk).update(**{column: getattr(run, column)})
        assert len(old.requests) + len(new.requests) == asked


def test_a_csv_that_was_changed_and_a_name_that_nothing_has_are_refused(settings: Any, golden: Path) -> None:
    with two_endpoints(settings, answering({}), answering({1: reply("question")})):
        drill(golden)
        (file,) = golden.parent.glob("*-candidate.csv")
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("question,no,", "docs,yes,", 1), encoding="utf-8")
        with pytest.raises(CommandError, match="says something else"):
            drill(golden, baseline=str(file))
        with pytest.raises(CommandError, match="is no endpoint"):
            drill(golden, baseline="nothing")
        with pytest.raises(CommandError, match="Both are the endpoint"):
            drill(golden, baseline="candidate")


def test_a_drill_is_read_by_who_may_and_its_candidate_promoted_by_administrators_alone(
    settings: Any, golden: Path, ada: User, django_user_model: type[User]
) -> None:
    settings.DRILL_POLICY = lenient(golden.parent)
    person(django_user_model, "sue", Role.SUPPORT)
    person(django_user_model, "max", Role.MANAGER)
    with two_endpoints(settings, answering({}), answering({1: reply("question")})):
        settings.INVESTIGATOR = "model"
        assert endpoints.endpoint_in_use(Purpose.INVESTIGATOR).name == "default"
        drill(golden)
        number = Drill.objects.get().pk
        with pytest.raises(CommandError, match="sue may not"):
            review(number, by="sue")
        with pytest.raises(CommandError, match="max may not"):
            review(number, by="max", promote=True)
        assert endpoints.endpoint_in_use(Purpose.CRITIC).name == "default"
        assert "in use now for investigator." in review(number, promote=True, purposes=["investigator"])
        assert endpoints.endpoint_in_use(Purpose.INVESTIGATOR).name == "candidate"
        assert endpoints.endpoint_in_use(Purpose.CRITIC).name == "default"
        with pytest.raises(CommandError, match="promoted by ada already"):
            review(number, promote=True)
        drill(golden, baseline="promoted", candidate="default")
    assert EndpointUse.objects.get(purpose="investigator", ended_at=None).drill == number
    assert Drill.objects.latest("pk").baseline.endpoint == "candidate"


def test_a_candidate_that_the_policy_stops_is_not_promoted(settings: Any, golden: Path, ada: User) -> None:
    with two_endpoints(settings, answering({}), answering({1: reply("spam")})):
        drill(golden)
    with pytest.raises(CommandError, match="says stop, not promote"):
        review(Drill.objects.get().pk, promote=True)
    assert not EndpointUse.objects.exists()


def test_pass_three_is_measured_where_each_row_is_asked_three_times(
    settings: Any, golden: Path, ada: User
) -> None:
    seen: dict[int, int] = {}

    def unsteady(request: scripted.Request) -> scripted.Scripted:
        number = int(request.messages[1]["content"].partition("Issue ")[2][:4])
        seen[number] = seen.get(number, 0) + 1
        return reply("question" if seen[number] == 3 and number == 1 else label_of(number))

    with two_endpoints(settings, answering({}), unsteady):
        drill(golden, times=3)
    said = review(Drill.objects.get().pk)
    assert "pass^3 from 1.00 to 0.83" in said
    assert "Decision by policy 1: HOLD" in said


def test_a_second_process_at_the_same_run_is_refused(settings: Any, golden: Path) -> None:
    other = connections["default"].copy()
    try:
        with two_endpoints(settings, answering({}), lambda _: scripted.status(400)) as (_, new):
            with pytest.raises(CommandError, match="was down"):
                drill(golden)
            run = DrillRun.objects.get(endpoint="candidate")
            with other.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s, %s)", [Held.DRILL_RUN.value, run.pk])
            new.script = answering({})
            with pytest.raises(CommandError, match="Another process is at the run"):
                drill(golden, baseline=DrillRun.objects.get(endpoint="default").name)
    finally:
        other.close()
    assert not run.rows.exists()
