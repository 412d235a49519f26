"""What a run proposed to write, filed for people as its verdict is stored. No verdict ever reads it."""

import json

from accounts.models import Token
from approvals import services
from approvals.actions.base import Proposal
from approvals.outcomes import Proposer
from audit import reading
from incidents.models import Incident
from investigations.models import Investigation
from investigations.outcomes import Judgement

_TOKEN = "token:"  # noqa: S105 how the audit log begins a token's name


def file(judgement: Judgement) -> None:
    """File the proposals of the run's last submission, in the transaction of its verdict; filed once."""
    run = Investigation.objects.filter(pk=judgement.investigation).first()
    incident = Incident.objects.filter(pk=judgement.incident).first()
    if run is None or incident is None:
        return
    last = run.submissions.order_by("-pk").first()
    proposed = json.loads(last.body).get("proposed_actions") if last is not None else None
    if not proposed:
        return
    if services.is_proposed_by_run(run.pk):
        return  # it is judged again, and its proposals have had their chance
    services.take_proposals(
        [Proposal(each["action"], each["arguments"], each["why"]) for each in proposed],
        by=_proposer(run),
        incident=incident.pk,
        investigation=run.pk,
        team=incident.team_id,
        now=judgement.judged_at,
    )


def _proposer(run: Investigation) -> Proposer:
    """Name who proposes; behind an agent's token stands its owner, who may not decide what it asks for."""
    handed = reading.of_investigation(run.pk, kind="submission.taken")
    actor = handed[-1].actor if handed else ""
    if not actor.startswith(_TOKEN):
        return Proposer(f"investigator:{run.investigator}")
    token = Token.objects.filter(name=actor.removeprefix(_TOKEN)).first()
    return Proposer(actor, token_owner=token.owner_id if token else 0)
