"""A question that every step of the gateway lets pass, and one fault for each step."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.db.investigated import Scripted, world
from toolbox import acknowledgements, proofs, registry
from toolbox.connectors.credential import Finding, Proof
from toolbox.deadline import Deadline
from toolbox.patterns import Pattern
from toolbox.scope import CallScope
from toolbox.steps import Question
from toolbox.toolrules import Held, Standing

TOKEN = CallScope(caller="token:agent")


def bound_world(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A world whose find_job is bound to its subject, and of which nothing is remembered."""
    made = world(monkeypatch)
    tools = registry.current().definitions
    bound = replace(tools["find_job"], scope={"job_id": "job_id"}, normalise={"job_id": ("strip", "upper")})
    monkeypatch.setitem(tools, "find_job", bound)
    proofs.forget()
    acknowledgements.forget()
    return made


def good() -> Question:
    """A question that every step lets pass."""
    definition = registry.current().definitions["find_job"]
    arguments = {"job_id": "JOB-7"}
    return Question(
        tool="find_job",
        asked=arguments,
        arguments=arguments,
        scope=CallScope(caller="token:agent", subject={"job_id": "job-7"}, allow=frozenset({"find_job"})),
        standing=Standing(),
        definition=definition,
        connector=registry.current().connectors["scripted"],
    )


def held(question: Question, effect: str) -> Question:
    rules = (*question.standing.rules, Held(7, effect, Pattern("find_job"), "of a test"))
    return replace(question, standing=Standing(rules))


def scoped(question: Question, **changes: Any) -> Question:
    return replace(question, scope=replace(question.scope, **changes))


def redeclared(question: Question) -> Question:
    """The tool under another declaration than the one that was seen first."""
    first = good().definition
    assert first is not None
    assert acknowledgements.obstacle(first) == ""
    if question.definition is None:
        return question
    return replace(question, definition=replace(question.definition, plain={"name": "find_job", "other": 1}))


class Unproven(Scripted):
    """A connector whose credential can do more than read."""

    guard = None
    name = "unproven"

    def is_configured(self) -> bool:
        """It is."""
        return True

    def prove(self, deadline: Deadline) -> Proof:
        """Find a way to write."""
        return Proof("reader", (Finding("relation", "app.orders", "INSERT"),), 1.0)


FAULTS: dict[str, Callable[[Question], Question]] = {
    "caller": lambda question: replace(question, unreadable="the arguments cannot be read"),
    "deny": lambda question: held(question, "deny"),
    "tool": lambda question: replace(question, definition=None),
    "pause": lambda question: held(question, "pause"),
    "changed": lambda question: redeclared(question),
    "ask": lambda question: held(question, "ask"),
    "allow": lambda question: scoped(question, allow=frozenset({"another"})),
    "schema": lambda question: replace(question, arguments={"job_id": "JOB-7", "extra": 1}),
    "subject": lambda question: scoped(question, subject={"job_id": "job-8"}),
    "budget": lambda question: replace(question, is_within_budget=False),
    "proof": lambda question: replace(question, connector=Unproven()),
}
