"""Every fault that models are known for, through the real worker: each ends as it is written."""

from collections.abc import Callable
from typing import Any

import pytest

from audit.models import Entry
from incidents.models import Incident
from investigations.models import Exchange, Investigation, Step, Verdict
from investigations.states import OPEN, State
from tests import scripted
from tests.conftest import wait_until
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.flow.modelfaults import FAULTS, Fault, Misbehaving, unpaired
from toolbox.models import Call

_PATIENCE = {
    "LLM_TRIES": "2",
    "LLM_BACKOFF_MS": "1",
    "LLM_SECONDS": "1",
    "LLM_TOTAL_SECONDS": "3",
    "AGENT_MAX_TURNS": "9",
    "CALLER_CALLS_A_MINUTE": "10000",
}


def played(script: Misbehaving, settings: Any) -> dict[str, Investigation]:
    """Deliver an alert for each fault and return its investigation by the fault's name."""
    settings.INVESTIGATOR = "model"
    source = make_source()
    alerts = [
        an_alert(f"a{number}", annotations={"summary": f"fault: {name}."})
        for number, name in enumerate(script.faults)
    ]
    deliver(source, body_of(*alerts))
    return {
        title.removeprefix("fault: ").removesuffix("."): Investigation.objects.get(incident_id=pk)
        for pk, title in Incident.objects.values_list("pk", "title")
    }


def differences(name: str, fault: Fault, run: Investigation, script: Misbehaving) -> list[str]:
    """Return in what one run ended otherwise than written."""
    found = Call.objects.filter(investigation=run.pk, caller="model").order_by("entry")
    ran = [call for call in found if call.status != "refused"]
    unreadable = Entry.objects.filter(investigation=run.pk, kind="call.unreadable").count()
    steps, exchanges = Step.objects.filter(investigation=run), Exchange.objects.filter(investigation=run)
    wrong = {
        "state": (run.state, State.JUDGED),
        "outcome": (run.outcome, fault.result),
        "verdicts": (Verdict.objects.filter(investigation=run, passed=False).count(), 1),
        "incident": (Incident.objects.get(pk=run.incident_id).state, "review"),
        "questions put": (len(ran), len(fault.asked)),
        "refused": (len(found) - len(ran), fault.refused),
        "unreadable": (unreadable, fault.unreadable),
        "costs booked": (_cost(steps), _cost(exchanges)),
        "told": (fault.told in script.requests[name][-1].text, True),
        "pairing": (unpaired(script.requests[name]), []),
    }
    return [
        f"{name}: {what} {got!r}, not {wanted!r}" for what, (got, wanted) in wrong.items() if got != wanted
    ]


def _cost(rows: Any) -> int:
    return sum(row.tokens_in + row.tokens_out for row in rows)


def test_every_fault_ends_as_written_with_its_incident_in_review(
    committed_db: None,
    quick: dict[str, str],
    start_worker: Callable[..., Any],
    settings: Any,
    capfd: pytest.CaptureFixture[str],
) -> None:
    script = Misbehaving()
    with scripted.endpoint(script) as server:
        runs = played(script, settings)
        assert set(runs) == set(FAULTS)
        start_worker("investigate", **{**quick, **server.variables, **_PATIENCE})
        wait_until(lambda: not Investigation.objects.filter(state__in=OPEN).exists(), seconds=120, every=0.2)
    for run in runs.values():
        run.refresh_from_db()
    said = "".join(capfd.readouterr())
    wrong = [line for name, fault in FAULTS.items() for line in differences(name, fault, runs[name], script)]
    assert not wrong, "\n".join(wrong)
    assert "Traceback" not in said
    assert "ERROR" not in said
