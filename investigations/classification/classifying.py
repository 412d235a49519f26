"""One issue, one model, one contract: a reply, at most one repair, then a label or a person."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from investigations import confidence
from investigations.classification import reasons
from investigations.classification.contracts import UNPARSEABLE, Contract
from investigations.classification.values import Check, Checked, Classification, IssueText, KnownIssues
from investigations.contract import parsing
from investigations.contract.parsing import Unparsable
from investigations.marking import LONGEST, Marker, fresh
from investigations.prompts import prompt, prompts_digest
from investigations.states import RunResult
from investigations.talk import (
    EndpointDown,
    EndpointRefused,
    Finish,
    Message,
    Model,
    Reply,
    Role,
    Spent,
)
from toolbox import redaction

PROMPTS = ("classifier", "repair")
_WHY_MAX = 300
_DRIFT_MAX = 60
_WORDS = re.compile(r"[^\W\d_]+")


def prompt_digest() -> str:
    """Return the digest of what a classifier is told, before an issue is filled in."""
    return prompts_digest(*PROMPTS)


def classify(issue: IssueText, model: Model, contract: Contract, *, known: KnownIssues) -> Classification:
    """Classify one issue; whatever goes wrong ends with a person and without a label.

    An endpoint that is down or may not be used is a status of its own. Raises BudgetSpent alone, where the
    model is metered: nothing was classified then.
    """
    return replace(_classified(issue, model, contract, known), endpoint=model.name)


def _classified(issue: IssueText, model: Model, contract: Contract, known: KnownIssues) -> Classification:
    said = list(_opening(issue, contract))
    replies: list[Reply] = []
    drifted = ""
    while True:
        try:
            reply = model.reply(said, schema=contract.shown)
        except (EndpointDown, EndpointRefused) as trouble:
            return _ended(RunResult.ENDPOINT_DOWN, str(trouble), contract, replies, drifted)
        replies.append(reply)
        if reply.finish is Finish.REFUSED:
            why = f"The model refused. {reply.refusal[:_WHY_MAX]}".strip()
            return _ended(RunResult.REFUSED, why, contract, replies, drifted)
        value, complaints = _read(reply, contract)
        drifted = drifted or _drifted(reply, contract)
        if value is not None:
            return _labelled(
                value, issue, known, _ended(RunResult.FIRST_PASS, "", contract, replies, drifted)
            )
        if len(replies) > 1:
            status = RunResult.CUT_OFF if reply.finish is Finish.CUT_OFF else RunResult.FALLBACK
            why = f"No valid answer after one repair. {complaints[0][:_WHY_MAX]}"
            return _ended(status, why, contract, replies, drifted)
        said += [
            Message(Role.ASSISTANT, confidence.without(reply.text)),
            Message(Role.USER, prompt("repair", complaints="\n".join(f"- {each}" for each in complaints))),
        ]


def _opening(issue: IssueText, contract: Contract) -> tuple[Message, Message]:
    marker = fresh()
    told = prompt("classifier", nonce=marker.nonce, schema=json.dumps(contract.shown, ensure_ascii=False))
    return Message(Role.SYSTEM, told), Message(Role.USER, _shown(issue, marker))


def _shown(issue: IssueText, marker: Marker) -> str:
    """Return the issue as a model is shown it: labelled data, its secrets masked, a long body cut."""
    # Masked before it is cut: a secret may begin in what is shown and end beyond it.
    body = redaction.text(issue.body)
    if len(body) > LONGEST:
        body = f"{body[:LONGEST]}\n[Cut here: {LONGEST} of {len(body)} characters shown.]"
    parts = [marker.data("title", redaction.text(issue.title)), marker.data("body", body)]
    if issue.template_labels:
        labels = redaction.text(", ".join(issue.template_labels))
        parts.insert(1, marker.data("labels set by a form", labels))
    return "\n\n".join(parts)


def _read(reply: Reply, contract: Contract) -> tuple[Mapping[str, Any] | None, list[str]]:
    """Return what a reply says, or what is wrong with it for its writer to mend."""
    if reply.finish is Finish.CUT_OFF:
        return None, ["The reply was cut off before its end. Make it shorter."]
    if reply.calls:
        return None, ["One JSON object was asked for, and not a call."]
    if reply.finish is not Finish.STOP:
        return None, ["The reply did not end as a whole one does."]
    try:
        value = parsing.held_to(contract.schema, reply.text)
    except Unparsable as wrong:
        return None, [confidence.without(each) for each in wrong.complaints]
    return {name: part for name, part in value.items() if name not in contract.dropped}, []


def _drifted(reply: Reply, contract: Contract) -> str:
    """Return the label that a whole reply names and the version does not know; a mere misspelling is none."""
    if reply.finish is not Finish.STOP:
        return ""
    try:
        label = parsing.one_object(reply.text).get("label")
    except Unparsable:
        return ""
    if not isinstance(label, str) or label in contract.labels:
        return ""
    words = [word.casefold() for word in _WORDS.findall(label)]
    if not words or all(word in contract.labels for word in words):
        return ""
    return redaction.text(" ".join(label.split()))[:_DRIFT_MAX]


def _ended(
    status: RunResult, why: str, contract: Contract, replies: Sequence[Reply], drifted: str
) -> Classification:
    """Return how it ended, without a label."""
    last = replies[-1] if replies else None
    return Classification(
        status=status,
        fenced=last is not None and parsing.is_fenced(last.text),
        reasons=(UNPARSEABLE,) if status is RunResult.FALLBACK else (),
        replies=tuple(confidence.without(reply.text) for reply in replies),
        why=why,
        spent=sum((reply.spent for reply in replies), Spent()),
        drifted=drifted,
        model=last.model if last else "",
        fingerprint=last.fingerprint if last else "",
        exchanges=tuple(reply.exchange for reply in replies if reply.exchange),
        contract_digest=contract.digest,
        prompt_digest=prompt_digest(),
    )


def _labelled(
    value: Mapping[str, Any], issue: IssueText, known: KnownIssues, ended: Classification
) -> Classification:
    """Return the label that a valid reply gives, and whether a person must look at it."""
    checks = reasons.checked(value["reasons"], issue, known)
    causes = _causes(value, checks, ended)
    return replace(
        ended,
        status=RunResult.REPAIRED if len(ended.replies) > 1 else RunResult.FIRST_PASS,
        label=value["label"],
        reasons=tuple(value["reasons"]),
        needs_human=bool(causes),
        why=" ".join(causes),
        checks=checks,
    )


def _causes(value: Mapping[str, Any], checks: Sequence[Check], ended: Classification) -> list[str]:
    """Return why a person has to look, each in a sentence."""
    causes = [
        f"The model claims {each.reason}, and {each.words}."
        for each in checks
        if each.outcome in (Checked.CONTRADICTED, Checked.UNCHECKED)
    ]
    if ended.drifted:
        causes.append(
            f"The model first named the label {ended.drifted!r}, which this contract does not know."
        )
    if value["needs_human"]:
        causes.append("The model asks for a person.")
    return causes
