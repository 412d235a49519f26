"""Each edge of an action request's states, and each edge that there is not."""

from datetime import timedelta
from itertools import product

import pytest

from approvals.models import ActionRequest
from approvals.moving import Note, move
from approvals.outcomes import MoveRefused
from approvals.states import EDGES, State
from tests.db.writing import NOW

pytestmark = pytest.mark.django_db
NOTE = Note("write.moved", "test")


def _request(state: State) -> ActionRequest:
    return ActionRequest.objects.create(
        action="a", target="t", risk="low", body="{}", digest="d" * 64, reason="r", proposed_by="model",
        state=state, proposed_at=NOW, decide_by=NOW + timedelta(minutes=15),
    )  # fmt: skip


def test_there_are_thirteen_edges_and_machines_never_leave_unknown() -> None:
    assert len(EDGES) == 13
    assert {end for start, end in EDGES if start is State.UNKNOWN} == {State.SUCCEEDED, State.FAILED}


@pytest.mark.parametrize(("start", "end"), sorted(EDGES))
def test_an_edge_is_taken_once(start: State, end: State) -> None:
    request = _request(start)
    late = ActionRequest.objects.get(pk=request.pk)
    assert move(request, end, NOTE, now=NOW)
    assert (request.state, request.version) == (end, 2)
    assert not move(late, end, NOTE, now=NOW)


@pytest.mark.parametrize(("start", "end"), sorted(set(product(State, State)) - EDGES))
def test_a_move_without_an_edge_is_refused(start: State, end: State) -> None:
    request = _request(start)
    with pytest.raises(MoveRefused, match="nothing leads from there"):
        move(request, end, NOTE, now=NOW)
    assert ActionRequest.objects.get(pk=request.pk).state == start
