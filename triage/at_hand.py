"""The investigation that an agent has in its hands, for whichever surface it asks at."""

from collections.abc import Mapping
from typing import Any

from accounts.models import User
from accounts.tokens import Caller
from assay_core.instants import as_text
from assay_core.numbers import MAX_ID
from incidents import queries, veiling
from investigations import queries as investigation_queries
from investigations import rulebook
from investigations.models import Investigation
from investigations.outcomes import Judgement
from investigations.states import OPEN
from toolbox import gateway
from triage import mcp_shapes


class NotSeen(Exception):
    """A caller may not know of an investigation; the message says why, and nothing of whether it exists."""


class NotItsOwn(NotSeen):
    """The token was made for another investigation, and knows of no other."""


def visible(caller: Caller, asked: int | None) -> Investigation:
    """Return the investigation that was asked for, else the token's own. Raises NotSeen and NotItsOwn."""
    number = caller.investigation if asked is None else asked
    if number is None:
        raise NotSeen("Say which investigation: this token was not made for one.")
    if caller.investigation is not None and number != caller.investigation:
        raise NotItsOwn(f"This token was made for investigation {caller.investigation} and sees no other.")
    row = Investigation.objects.filter(pk=number).first() if number <= MAX_ID else None
    owner = User.objects.filter(pk=caller.owner).first()
    if row is None or owner is None or not queries.can_see(owner, row.incident_id):
        raise NotSeen(f"There is no investigation {number} that the token's owner sees.")
    # An agent goes on with what it has in hand: nothing is decided there yet.
    is_at_work = caller.investigation == number and row.state in OPEN
    if not is_at_work and veiling.is_veiled(owner, row.incident_id):
        raise NotSeen(
            f"The token's owner audits incident {row.incident_id}: what was decided is shown once they have "
            "answered."
        )
    return row


def state(row: Investigation) -> Mapping[str, Any]:
    """Return one investigation as mcp_shapes.INVESTIGATION_OUTPUT has it."""
    return {
        "investigation": row.pk,
        "incident": row.incident_id,
        "investigator": row.investigator,
        "state": row.state,
        "until": as_text(row.lease_until) if row.lease_until else None,
        "subject": mcp_shapes.subject(row),
        "rules": mcp_shapes.applicable(row, rulebook.current_rulebook()),
        "entries": [mcp_shapes.entry(called) for called in gateway.entries_of_run(row.pk)],
        "verdict": mcp_shapes.verdict(investigation_queries.story(row)),
    }


def judged(judgement: Judgement) -> Mapping[str, Any]:
    """Return what was decided on a submission, as mcp_shapes.SUBMITTED_OUTPUT has it."""
    return {
        "investigation": judgement.investigation,
        "incident": judgement.incident,
        "passed": judgement.passed,
        "hypothesis": judgement.hypothesis,
        "reason": judgement.reason,
        "deciding": judgement.deciding,
    }
