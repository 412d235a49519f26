"""The last gate: a grader model reads arguments, current state and cited entries against a rubric.

Whatever is not a clear answer in the one shape that is asked for is `could_not_check`.
"""

from typing import Any

from approvals import grading
from approvals.actions.base import CouldNotCheck
from approvals.gates.base import Passage
from approvals.jcs import NotDigestible, text_of
from approvals.outcomes import GateSaid, blocked, could_not_check, ok
from approvals.states import Phase
from audit import reading
from investigations import marking
from toolbox import redaction

NAME = "rubric"
SECONDS = 40.0  # less than the lease, which goes on meanwhile
_LONGEST = 24_000


def ask(passage: Passage) -> GateSaid:
    """Ask the grader, and wait for it a bounded time. Raises CouldNotCheck."""
    if not grading.is_there():
        return could_not_check(NAME, "there is no grader: no model is set")
    if passage.phase is Phase.SHOWN:
        return could_not_check(NAME, "the grader is asked right before the execution, not for a page")
    try:
        question = asked(passage)
    except NotDigestible as error:
        return could_not_check(NAME, f"the target's state cannot be shown to a grader: {error}")
    graded = grading.ask(question, seconds=min(SECONDS, passage.policy.lease_seconds / 2))
    sentence = f"the grader says: {redaction.text(graded.reason)}"
    return ok(NAME, sentence) if graded.is_safe else blocked(NAME, sentence)


def asked(passage: Passage) -> grading.Question:
    """Return what a grader is asked about this passage. Raises CouldNotCheck, NotDigestible."""
    plain = passage.content.plain
    write = {name: plain[name] for name in ("action", "target", "risk", "arguments", "footprint", "rollback")}
    write["undoes"] = plain["undoes"]
    return grading.Question(
        write=_masked(write),
        state=_masked({"version": passage.observed.version, "state": dict(passage.observed.state)}),
        entries=_entries(plain["cites"]),
        criteria=(*grading.CRITERIA, *passage.policy.rubric),
        incident=passage.request.incident_id,
        investigation=passage.request.investigation_id,
    )


def _entries(cites: list[int]) -> str:
    found = [reading.entry(number) for number in cites]
    shown = [{"entry": each.id, "kind": each.kind, "payload": each.payload} for each in found if each]
    return marking.shown(shown, longest=_LONGEST)


def _masked(value: Any) -> str:
    text = redaction.text(text_of(value))
    if len(text) > _LONGEST:  # a grader that was shown a part would judge a part
        raise CouldNotCheck(f"{len(text)} characters are more than a grader is shown")
    return text
