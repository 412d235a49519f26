"""What an audit entry says happened, in words for a timeline. Pure."""

from collections.abc import Mapping
from typing import Any

_ACTS: Mapping[str, str] = {
    "incident.opened": "opened the incident",
    "incident.recovered": "said that it recovered",
    "incident.refired": "fired again",
    "incident.transferred": "moved it to another place",
    "incident.taken": "began to look into it",
    "incident.judged": "laid it before a person",
    "incident.given_up": "gave up looking",
    "incident.closed": "closed it",
    "incident.reopened": "opened it again",
    "incident.acknowledged": "acknowledged it",
    "incident.assigned": "assigned it",
    "incident.exported": "took it out as a replay",
    "incident.asked": "asked for what was missing",
    "incident.sent_again": "sent it to be investigated again",
    "incident.refuted": "spoke against the verdict",
    "incident.refutation_withdrawn": "withdrew what spoke against the verdict",
    "incident.identified": "gave an identifier",
    "incident.overtaken": "took the pass away",
    "incident.snoozed": "snoozed it",
    "incident.woken": "woke it",
    "incident.graded": "set its severity",
    "incident.undone": "took back what they had just done",
    "stamp.edited": "corrected a time",
    "pass.audited": "audited the pass",
    "pass.audit_taken": "took over the audit of the pass",
    "rule.drafted": "drafted a rule from it",
    "question.asked": "asked a question",
    "question.answered": "answered a question",
    "question.failed": "could not answer a question",
    "question.stopped": "stopped a question",
    "identifier.found": "found an identifier in the text",
    "identifier.named": "named an identifier",
    "investigation.queued": "queued an investigation",
    "investigation.claimed": "began the investigation",
    "investigation.deferred": "put the investigation off",
    "investigation.failed": "ended without a verdict",
    "investigation.handed_over": "handed the investigation to an agent",
    "investigation.judged": "judged",
    "investigation.requeued": "queued the investigation again",
    "investigation.stopped": "stopped the investigation",
    "issue.classified": "classified the issue",
    "run.told": "told the run something",
    "case.criticised": "looked for the hole in the case",
    "draft.graded": "graded the draft",
    "draft.edited": "edited the draft",
    "note.written": "wrote a note",
    "answer.checked": "asked a recorded question again",
    "rule.may_close": "let passes of the rule close by themselves",
    "rule.may_not_close": "ended that passes of the rule close by themselves",
    "source.rubric_changed": "changed what drafts are graded by",
    "call.unreadable": "sent a call that could not be read",
    "investigation.resumed": "went on with the investigation",
    "move.refused": "was refused",
    "submission.refused": "handed in findings that were not taken",
    "submission.taken": "handed in findings",
}
KINDS = tuple(_ACTS)
# What an act's payload may say of itself, in the order in which it is looked for.
_TELLING = ("outcome", "reason", "words", "to", "assignee", "severity", "until", "undone")


def act_in_words(kind: str, payload: Mapping[str, Any]) -> str:
    """Return the act that an entry records; the payload's own words follow where it has some."""
    if kind == "tool.called":
        return (
            f"asked “{payload.get('title') or payload.get('tool') or 'a tool'}”: {payload.get('status', '')}"
        )
    noun, _, participle = kind.partition(".")
    act = _ACTS.get(kind, f"{noun} {participle}".replace("_", " "))
    told = [str(payload[name]) for name in _TELLING if payload.get(name)]
    return f"{act}: {'. '.join(told)}" if told else act
