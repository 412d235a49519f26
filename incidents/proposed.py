"""What a run, or a person on its page, proposes to write: filed for people. No verdict ever reads it."""

import json
from datetime import datetime

from accounts.models import Token, User
from approvals import services
from approvals.actions import registry
from approvals.actions.base import Proposal
from approvals.models import ActionRequest
from approvals.outcomes import ProposalRefused, Proposer
from audit import reading
from incidents.models import Incident
from investigations.models import Investigation
from investigations.outcomes import Judgement
from toolbox.yamlfile import DefinitionError

ADD_LABEL = "github.add_labels"
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


def labels_for(incident: Incident) -> tuple[str, ...]:
    """Return the labels that may be proposed for an issue: those declared, where its repository is."""
    try:
        action = registry.current().actions.get(ADD_LABEL)
    except DefinitionError:
        return ()
    if action is None:
        return ()
    fields = action.arguments["properties"]
    if incident.identifiers.get("repository") not in fields["repository"]["enum"]:
        return ()
    return tuple(fields["label"]["enum"])


def label(incident: Incident, name: str, *, by: User, now: datetime) -> ActionRequest:
    """Propose in a person's name that an issue be given a label on GitHub. Raises ProposalRefused, recorded.

    Nothing is written by that: others decide it like any write.
    """
    if incident.kind != "issue":
        raise ProposalRefused("Only an issue is given labels.")
    number = str(incident.identifiers.get("issue_number", ""))
    if not (number.isascii() and number.isdecimal()):
        raise ProposalRefused("This issue has no number on GitHub.")
    arguments = {
        "repository": str(incident.identifiers.get("repository", "")),
        "number": int(number),
        "label": name,
    }
    latest = Investigation.objects.filter(incident_id=incident.pk).order_by("-pk").first()
    return services.propose(
        Proposal(ADD_LABEL, arguments, f"{by.username} proposes the label {name!r} for this issue."),
        by=Proposer(by.actor, person=by.pk),
        incident=incident.pk,
        investigation=latest.pk if latest is not None else None,
        cites=(),
        team=incident.team_id,
        now=now,
    )
