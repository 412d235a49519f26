"""The MCP tools beside the data tools, and the circumstances of an agent's calls."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from django.conf import settings

from accounts.tokens import Caller, Scope
from assay_core.instants import as_text
from audit import writing
from incidents import handing_over
from investigations import contract, external, rulebook
from investigations.models import Investigation
from investigations.outcomes import SubmissionPending, SubmissionRefused
from toolbox.mcp.parts import OwnTool, Refused
from toolbox.models import Call
from toolbox.scope import Budget, CallScope
from triage import at_hand, mcp_shapes


class House:
    """What the MCP server asks of the rest: see toolbox.mcp.parts.Surroundings."""

    def own_tools(self) -> Mapping[str, OwnTool]:
        """Return the three tools, by name."""
        return self._own

    @cached_property
    def _own(self) -> Mapping[str, OwnTool]:
        tools = (
            OwnTool(
                name="get_investigation",
                title="The investigation at hand",
                description=(
                    "The incident, the rules that could apply with each fact's exact question, the entries "
                    "so far, the verdict. Leave out `investigation` with a token that was made for one."
                ),
                input=lambda: mcp_shapes.INVESTIGATION_INPUT,
                output=mcp_shapes.INVESTIGATION_OUTPUT,
                needs=Scope.READ,
                run=_noted("get_investigation", get_investigation),
            ),
            OwnTool(
                name="list_rules",
                title="The rules in force",
                description="Every hypothesis that can earn a pass: its sentence, and the facts it demands.",
                input=lambda: mcp_shapes.RULES_INPUT,
                output=mcp_shapes.RULES_OUTPUT,
                needs=Scope.READ,
                run=_noted("list_rules", list_rules),
            ),
            OwnTool(
                name="submit_findings",
                title="Hand in hypothesis and findings",
                description=(
                    "Ends the investigation that the token was made for. Code asks what the hypothesis still "
                    "lacks and decides by tested rules from the recorded answers; your words earn nothing."
                ),
                input=lambda: contract.schema(rulebook.current_rulebook()),
                output=mcp_shapes.SUBMITTED_OUTPUT,
                needs=Scope.SUBMIT,
                run=submit_findings,
                changes=True,
                seconds=55.0,
            ),
        )
        return {tool.name: tool for tool in tools}

    def scope_of(self, caller: Caller, via: str) -> CallScope:
        """A token that was made for one investigation asks within it, while it is held and calls are left."""
        if caller.investigation is None:
            return CallScope(caller=caller.actor, allow=caller.tools, via=via)
        row = Investigation.objects.filter(pk=caller.investigation).first()
        if row is None or not external.is_held(row):
            return CallScope(caller=caller.actor, allow=frozenset(), via=via)
        asked = Call.objects.filter(investigation=row.pk, caller=caller.actor).count()
        return CallScope(
            caller=caller.actor,
            investigation=row.pk,
            incident=row.incident_id,
            allow=caller.tools,
            budget=Budget(max(0, settings.INVESTIGATION_MAX_CALLS - asked)),
            via=via,
            subject=mcp_shapes.subject(row)["identifiers"],
        )


def get_investigation(caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return one investigation as plain values. Raises Refused for one that the caller may not know of."""
    try:
        return at_hand.state(at_hand.visible(caller, arguments.get("investigation")))
    except at_hand.NotSeen as refusal:
        raise Refused(str(refusal)) from None


def list_rules(caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the rules that can earn a pass at present."""
    book = rulebook.current_rulebook()
    return {"rules": mcp_shapes.rules(book), "rulebook": book.digest}


def submit_findings(caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Judge a submission to the caller's one investigation. Raises Refused with the reason, recorded."""
    if caller.investigation is None:
        raise Refused("This token was not made for an investigation: ask for one with addtoken --incident.")
    try:
        return at_hand.judged(handing_over.submit(caller.investigation, dict(arguments), by=caller.actor))
    except SubmissionRefused as refusal:
        raise Refused(str(refusal)) from None
    except SubmissionPending as pending:
        raise Refused(f"{pending} Hand in just the same again to be told how that ended.") from None


def _noted(name: str, run: Any) -> Any:
    """Have each use of a tool that reads leave an entry, as a data tool's call does."""

    def noted(caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        ends, began = "refused", datetime.now(UTC)
        try:
            answer: Mapping[str, Any] = run(caller, arguments)
            ends = "answered"
        finally:
            writing.write(
                "agent.asked",
                {"tool": name, "arguments": dict(arguments), "status": ends, "called_at": as_text(began)},
                actor=caller.actor,
            )
        return answer

    return noted
