"""The pages of evaluations, drills, their review, and golden sets."""

import re
from typing import Any

import pytest

from accounts.roles import Role
from investigations.models import EndpointUse
from tests.scripted.settings import endpoint_settings
from tests.web import trialled
from tests.web.hostile import TEXTS
from tests.web.pages import MakeUser, a_person, signed_in, text_of
from tests.web.signing import shown
from trials.models import DisagreementRead, Drill, GoldenRow

pytestmark = pytest.mark.django_db
TOLD = re.compile(r"agreement|McNemar|schema|escalat|promote the candidate|The policy says", re.IGNORECASE)
CHANGED = {1: "question", 2: "docs", 3: ""}


def body_of(response: Any) -> str:
    """Return what a page says below its navigation."""
    return text_of(response).partition("<main")[2]


def an_administrator(make_user: MakeUser, name: str = "ada") -> Any:
    """Return a browser in which an administrator has just shown a passkey."""
    user = make_user(name, role=Role.ADMINISTRATOR)
    client = signed_in(user)
    shown(client, user, method="mfa", type="webauthn")
    return client


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.ON_CALL])
def test_who_sees_one_team_sees_no_trial(make_user: MakeUser, role: Role) -> None:
    drill, row = trialled.drilled(CHANGED), trialled.evaluated()
    client = a_person(make_user, role=role)
    for path in (
        "/trials/", "/trials/compare/", f"/trials/evaluations/{row.pk}/", f"/trials/drills/{drill.pk}/",
        f"/trials/drills/{drill.pk}/review/1/", f"/trials/drill-runs/{drill.candidate_id}.csv",
        "/trials/golden/",
    ):  # fmt: skip
        assert client.get(path).status_code == 403, path


def test_without_a_trial_each_page_says_which_command_to_run(make_user: MakeUser) -> None:
    client = a_person(make_user, role=Role.AUDITOR)
    page = text_of(client.get("/trials/"))
    assert "manage.py drill --golden" in page
    assert "manage.py evaluate closed" in page
    assert "manage.py golden load" in text_of(client.get("/trials/golden/"))
    assert "Fewer than two" in text_of(client.get("/trials/compare/"))


@pytest.mark.parametrize(
    "path",
    ["evaluations/999/", "evaluations/99999999999999999999/", "evaluations/999.csv", "evaluation-runs/999/",
     "drills/999/", "drills/999/review/1/", "drill-runs/999.csv", "golden/999/"],
)  # fmt: skip
def test_what_is_not_there_is_not_found(make_user: MakeUser, path: str) -> None:
    assert a_person(make_user, role=Role.MANAGER).get(f"/trials/{path}").status_code == 404


def test_while_a_row_is_unread_no_page_and_no_file_says_what_the_drill_comes_to(make_user: MakeUser) -> None:
    drill = trialled.drilled({1: "spam", 2: "docs"})
    client = a_person(make_user, role=Role.MANAGER)
    page = body_of(client.get(f"/trials/drills/{drill.pk}/"))
    assert "12 rows were compared" in page
    assert "1 false pass of the candidate" in re.sub(r"<[^>]+>", "", page)
    assert f"/trials/drills/{drill.pk}/review/" in page
    assert not TOLD.search(page)
    for run in (drill.candidate_id, drill.baseline_id):
        assert client.get(f"/trials/drill-runs/{run}.csv").status_code == 403
    listed = body_of(client.get("/trials/"))
    assert "Read on" in listed
    assert not re.search(r"stop|promote<|11 of 12|10 of 12", listed)
    compared = client.get(
        f"/trials/compare/?what=drills&first={drill.baseline_id}&second={drill.candidate_id}"
    )
    assert not TOLD.search(body_of(compared))
    assert "unread" in body_of(compared)


def test_the_review_goes_row_by_row_and_then_shows_what_the_drill_comes_to(make_user: MakeUser) -> None:
    drill = trialled.drilled(CHANGED)
    client = a_person(make_user, username="mia", role=Role.MANAGER)
    begun = client.get(f"/trials/drills/{drill.pk}/review/", follow=True)
    page = body_of(begun)
    assert begun.request["PATH_INFO"] == f"/trials/drills/{drill.pk}/review/1/"
    assert "1 of 3" in page
    assert trialled.SAID.format(label="question") in page
    for place, row in enumerate(("ours/tool#1", "ours/tool#2", "ours/tool#3"), start=1):
        said = {"row_id": row, "right": "baseline", "note": f"Row {place} is plain."}
        answer = client.post(f"/trials/drills/{drill.pk}/review/{place}/", said)
        expected = f"/trials/drills/{drill.pk}/" + (f"review/{place + 1}/" if place < 3 else "")
        assert answer.headers["Location"] == expected
    page = body_of(client.get(f"/trials/drills/{drill.pk}/"))
    for word in (
        "The policy says",
        "Label by label",
        "exact McNemar p",
        "Likely:",
        "Row 2 is plain.",
        "baseline right",
    ):
        assert word in page, word
    sheet = client.get(f"/trials/drill-runs/{drill.candidate_id}.csv")
    assert sheet.headers["Content-Type"].startswith("text/csv")
    assert text_of(sheet).count("\r\n") == 13
    assert "9 of 12" in body_of(client.get("/trials/"))
    both = f"first={drill.baseline_id}&second={drill.candidate_id}"
    compared = body_of(client.get(f"/trials/compare/?what=drills&{both}"))
    assert "3 rows lost" in compared
    assert "9 of 12<" in compared  # too few for a percentage


def test_a_row_that_is_not_the_one_shown_is_not_read(make_user: MakeUser) -> None:
    drill = trialled.drilled(CHANGED)
    client = a_person(make_user, role=Role.MANAGER)
    place = f"/trials/drills/{drill.pk}/review/1/"
    shown_row = {"row_id": "ours/tool#1"}
    others: list[dict[str, str]] = [{"row_id": "ours/tool#2"}, {}]
    wrong = [shown_row | more for more in ({"right": "everybody"}, {"note": "x" * 1001}, {"note": "\0"})]
    for given in others + wrong:
        assert client.post(place, given).status_code == 422, given
    assert client.get(f"/trials/drills/{drill.pk}/review/4/").status_code == 404
    assert not DisagreementRead.objects.exists()


def test_an_auditor_reads_along_and_unlocks_nothing(make_user: MakeUser) -> None:
    drill = trialled.drilled(CHANGED)
    client = a_person(make_user, role=Role.AUDITOR)
    place = f"/trials/drills/{drill.pk}/review/1/"
    assert 'id="read"' not in body_of(client.get(place))
    assert client.post(place, {"row_id": "ours/tool#1"}).status_code == 403
    assert not DisagreementRead.objects.exists()


def test_what_others_hold_of_a_row_is_seen_by_who_has_said_their_own(make_user: MakeUser) -> None:
    drill = trialled.drilled(CHANGED)
    place, said = f"/trials/drills/{drill.pk}/review/1/", {"row_id": "ours/tool#1", "right": "candidate"}
    a_person(make_user, "mia", Role.MANAGER).post(place, {**said, "note": "password=hunter2hunter2 is in it"})
    other = a_person(make_user, "max", Role.MANAGER)
    assert "is in it" not in body_of(other.get(place))
    other.post(place, said)
    seen = body_of(other.get(place))
    assert "is in it" in seen
    assert "hunter2" not in seen


def test_a_candidate_is_promoted_by_an_administrator_who_shows_who_they_are(
    make_user: MakeUser,
) -> None:
    ada, few = an_administrator(make_user), trialled.drilled({})
    refused = ada.post(f"/trials/drills/{few.pk}/promote/")
    assert refused.status_code == 422
    assert "says too few cases, not promote" in body_of(refused)
    drill = trialled.drilled({}, lenient=True)
    Drill.objects.filter(pk=drill.pk).update(decision="stop")  # what is written down does not decide
    path = f"/trials/drills/{drill.pk}/promote/"
    assert a_person(make_user, "mia", Role.MANAGER).post(path).status_code == 403
    late = signed_in(make_user("old", role=Role.ADMINISTRATOR)).post(path)
    assert late.headers["Location"].startswith("/step-up/")
    assert "Promote the candidate" in body_of(ada.get(f"/trials/drills/{drill.pk}/"))
    EndpointUse.objects.create(
        purpose="critic", base_url=drill.baseline.base_url, model="old-1", endpoint="default", how="first",
        began_by="settings", began_at=drill.created_at,
    )  # fmt: skip
    assert ada.post(path, {"purpose": "no such"}).status_code == 422
    assert ada.post(path, {"purpose": "critic"}).status_code == 302
    assert EndpointUse.objects.get(purpose="critic", ended_at=None).model == "new-1"
    page = body_of(ada.get(f"/trials/drills/{drill.pk}/"))
    assert "Promoted by" in page
    assert "Promote the candidate" not in page


def test_a_stopped_candidate_is_let_in_by_name_for_hours_alone(make_user: MakeUser, settings: Any) -> None:
    drill = trialled.drilled({})
    ada, path = an_administrator(make_user), f"/trials/drills/{drill.pk}/override/"
    given = {"purpose": "critic", "hours": "12", "because": "The old one is switched off."}
    settings.MODEL_ENDPOINTS = endpoint_settings(
        candidate={"base_url": "http://localhost:1/v1", "model": "x"}
    )
    refused = ada.post(path, given)
    assert refused.status_code == 422
    assert "not what this drill looked at" in body_of(refused)
    settings.MODEL_ENDPOINTS = endpoint_settings(
        candidate={"base_url": drill.candidate.base_url, "model": "new-1"}
    )
    for wrong in ({"because": ""}, {"hours": "100"}, {"purpose": "candidate"}):
        assert ada.post(path, given | wrong).status_code == 422, wrong
    assert a_person(make_user, "mia", Role.MANAGER).post(path, given).status_code == 403
    assert ada.post(path, given).status_code == 302
    assert EndpointUse.objects.get().because == given["because"]
    assert "WITHOUT A DRILL" in body_of(ada.get(f"/trials/drills/{drill.pk}/"))


def test_an_evaluation_begins_with_its_false_passes_and_hands_out_its_files(make_user: MakeUser) -> None:
    row = trialled.evaluated(wrong=1)
    client = a_person(make_user, role=Role.AUDITOR)
    page = body_of(client.get(f"/trials/evaluations/{row.pk}/"))
    assert page.index("False passes") < page.index("Verdict as it really was")
    for word in ("of 12 verdicts", "Always fail", "Title alone", "Playbook", "false pass"):
        assert word in page, word
    assert "92 %" in page
    assert text_of(client.get(f"/trials/evaluations/{row.pk}.csv")).count("\r\n") == 13
    assert client.get(f"/trials/evaluations/{row.pk}.json").json()["measures"]["cases"] == 6
    assert client.get(f"/trials/evaluations/{row.pk}.exe").status_code == 404
    run = row.all_runs.first()
    assert run is not None
    said = body_of(client.get(f"/trials/evaluation-runs/{run.pk}/"))
    assert "The model said" in said
    assert "not recorded" in said


def test_two_evaluations_stand_beside_each_other_with_what_is_new(make_user: MakeUser) -> None:
    first, second = trialled.evaluated(), trialled.evaluated(endpoint="candidate", wrong=1)
    client = a_person(make_user, role=Role.MANAGER)
    page = body_of(client.get(f"/trials/compare/?first={first.pk}&second={second.pk}"))
    assert "New false passes of the second, in 1 case" in page
    assert "The two differ in: endpoint" in page
    listed = body_of(client.get("/trials/"))
    assert "11 of 12" in listed
    assert listed.index(f"Evaluation {second.pk}<") < listed.index(f"Evaluation {first.pk}<")
    assert listed.count("<polyline") == 0  # one score each: dots alone
    assert f"/evaluations/{second.pk}/" not in body_of(client.get("/trials/?endpoint=default"))
    for query in (
        "first=1&second=",
        "first=x&second=y",
        "first=999&second=998",
        "what=drills&first=1&second=2",
    ):
        assert client.get(f"/trials/compare/?{query}").status_code == 200, query


def test_rows_of_overrides_wait_for_a_persons_word(make_user: MakeUser) -> None:
    made = trialled.golden()
    path = f"/trials/golden/{made.pk}/settle/"
    auditor = a_person(make_user, "aud", Role.AUDITOR)
    assert "Confirm the chosen" not in body_of(auditor.get(f"/trials/golden/{made.pk}/"))
    assert auditor.post(path, {"row": "ours/tool#100", "act": "confirm"}).status_code == 403
    client = a_person(make_user, "mia", Role.MANAGER)
    page = body_of(client.get(f"/trials/golden/{made.pk}/"))
    for word in ("a person said otherwise than the model", "12 rows are few", "Hard ones"):
        assert word in page, word
    for given in (
        {"act": "confirm"},
        {"row": "ours/tool#100", "act": "burn"},
        {"row": "x\0", "act": "refuse"},
    ):
        assert client.post(path, given).status_code == 422, given
    assert client.post(path, {"row": "ours/tool#100", "act": "confirm"}).status_code == 302
    assert client.post(path, {"row": "ours/tool#101", "act": "refuse"}).status_code == 302
    rows = {
        row.row_id: (row.confirmed_by, row.dropped_by) for row in GoldenRow.objects.filter(origin="override")
    }
    assert rows == {"ours/tool#100": ("mia", ""), "ours/tool#101": ("", "mia")}
    assert ">issues 1<" in body_of(client.get("/trials/golden/"))


def test_hostile_text_stays_text_on_every_page(make_user: MakeUser) -> None:
    client = a_person(make_user, role=Role.MANAGER)
    title = " ".join(TEXTS).replace("\0", "")[:3000]
    drill, golden = trialled.drilled(CHANGED, title=title), trialled.golden(title=title)
    row = trialled.evaluated(title=title[:290])
    run = row.all_runs.first()
    assert run is not None
    for path in (
        f"drills/{drill.pk}/", f"drills/{drill.pk}/review/1/", f"golden/{golden.pk}/",
        f"evaluations/{row.pk}/", f"evaluation-runs/{run.pk}/", "",
    ):  # fmt: skip
        page = body_of(client.get(f"/trials/{path}"))
        assert not re.search(r"<script(?! src=\"/static)|<img|<iframe|onerror=\"|javascript:[^&]*\"", page), (
            path
        )
        assert "\u202e" not in page, path
