"""What the database itself refuses of decisions: one's own, another digest's, a second one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from approvals.models import ActionRequest, Decision

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def _request(**values: Any) -> ActionRequest:
    return ActionRequest.objects.create(
        **{
            "action": "job.retry",
            "target": "job:job-1",
            "risk": "low",
            "body": "{}",
            "digest": "d" * 64,
            "reason": "it failed",
            "proposed_by": "model",
            "proposed_at": NOW,
            "decide_by": NOW + timedelta(minutes=15),
            **values,
        }
    )


def _decide(request: ActionRequest, person: User, **values: Any) -> None:
    with transaction.atomic():
        Decision.objects.create(
            **{
                "request": request,
                "digest": request.digest,
                "proposer": request.proposer,
                "editor": request.editor,
                "token_owner": request.token_owner,
                "person": person,
                "choice": "approve",
                "group": "on-call",
                "reason": "seen",
                "method": "passkey",
                "method_at": NOW,
                "decided_at": NOW,
                **values,
            }
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize("barred", ["proposer", "editor", "token_owner"])
def test_no_row_can_hold_a_decision_of_somebody_who_is_barred(
    barred: str, make_user: Callable[..., User]
) -> None:
    person = make_user(role="on-call")
    request = _request(**{barred: person.pk})
    with pytest.raises(IntegrityError, match="nobody_decides_their_own"):
        _decide(request, person)
    with pytest.raises(IntegrityError, match="a_decision_is_bound_to_its_request"):
        _decide(request, person, **{barred: 0})


def test_no_row_can_hold_a_decision_of_another_digest(make_user: Callable[..., User]) -> None:
    with pytest.raises(IntegrityError, match="a_decision_is_bound_to_its_request"):
        _decide(_request(), make_user(role="on-call"), digest="e" * 64)


def test_a_person_decides_once(make_user: Callable[..., User]) -> None:
    request, person = _request(), make_user(role="on-call")
    _decide(request, person)
    with pytest.raises(IntegrityError, match="one_decision_per_person"):
        _decide(request, person, choice="deny")


def test_a_decided_request_keeps_its_digest(make_user: Callable[..., User]) -> None:
    request = _request()
    _decide(request, make_user(role="on-call"))
    with pytest.raises(IntegrityError, match="a_decision_is_bound_to_its_request"), transaction.atomic():
        ActionRequest.objects.filter(pk=request.pk).update(digest="e" * 64)
