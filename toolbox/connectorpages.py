"""The page of one connector: how its credential stands, each finding with its cure, what is acknowledged."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from toolbox import acknowledgements, prooflog, proofs, registry
from toolbox.connectors.base import Connector
from toolbox.connectors.credential import Provable
from toolbox.prooflog import AcknowledgementRefused
from toolbox.proofrows import ConnectorProof

_NOTHING = "{} has no credential that could be proven."
_NOT_RUN = "Nothing was accepted: the proof could not be run."


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, name: str) -> HttpResponse:
    """One connector: its proof, its findings, its acknowledgements, its changed tools."""
    return _page(request, _found(name))


@require_POST
@requires(Permission.MANAGE_TOOLS)
def prove(request: HttpRequest, name: str) -> HttpResponse:
    """Prove the credential now, in this process."""
    connector = _found(name)
    if not isinstance(connector, Provable):
        return _page(
            request, connector, refusal=f"{name} has no credential that could be proven.", status=422
        )
    proofs.renewed(connector)
    return redirect("connector", name)


@require_POST
@requires(Permission.MANAGE_TOOLS)
def acknowledge(request: HttpRequest, name: str) -> HttpResponse:
    """Accept, by its name, what nobody can revoke: exactly as a proof finds it now."""
    connector, chosen = _found(name), request.POST.get("name", "")[:64]
    if not isinstance(connector, Provable):
        return _page(
            request, connector, refusal=f"{name} has no credential that could be proven.", status=422
        )
    proof = proofs.renewed(connector).proof
    if proof is None:
        return _page(
            request, connector, refusal="Nothing was accepted: the proof could not be run.", status=422
        )
    try:
        prooflog.acknowledge(
            name,
            proof,
            chosen,
            by=person(request),
            because=request.POST.get("because", "").replace("\0", "")[:300],
            now=timezone.now(),
        )
    except AcknowledgementRefused as refusal:
        return _page(request, connector, refusal=str(refusal), status=422)
    proofs.renewed(connector)
    messages.success(request, f"{chosen} of {name} is acknowledged.")
    return redirect("connector", name)


@require_POST
@requires(Permission.MANAGE_TOOLS)
def take_back(request: HttpRequest, name: str) -> HttpResponse:
    """End what was acknowledged by this name."""
    connector, chosen = _found(name), request.POST.get("name", "")[:64]
    try:
        prooflog.end(name, chosen, by=person(request), now=timezone.now())
    except AcknowledgementRefused as refusal:
        return _page(request, connector, refusal=str(refusal), status=422)
    if isinstance(connector, Provable):
        proofs.renewed(connector)
    messages.success(request, f"{chosen} of {name} is no longer acknowledged.")
    return redirect("connector", name)


@require_POST
@requires(Permission.MANAGE_TOOLS)
def acknowledge_tool(request: HttpRequest, name: str) -> HttpResponse:
    """Accept a changed declaration, if it is still the one that was shown."""
    definition = registry.current().definitions.get(name)
    if definition is None:
        raise Http404(f"There is no tool named {name}.")
    connector = _found(definition.connector)
    if request.POST.get("digest", "") != definition.digest:
        refusal = f"{name} has changed again since you looked: nothing was accepted."
        return _page(request, connector, refusal=refusal, status=422)
    try:
        acknowledgements.acknowledge(definition, by=person(request), now=timezone.now())
    except AcknowledgementRefused as refused:
        return _page(request, connector, refusal=str(refused), status=422)
    messages.success(request, f"{name} may be asked as it stands.")
    return redirect("connector", definition.connector)


def _found(name: str) -> Connector:
    connector = registry.current().connectors.get(name)
    if connector is None:
        raise Http404(f"There is no connector named {name}.")
    return connector


def _page(
    request: HttpRequest, connector: Connector, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    row = ConnectorProof.objects.filter(connector=connector.name).first()
    accepted = prooflog.accepted(connector.name, row.credential) if row else {}
    findings = [
        {**finding, "is_accepted": finding["object"] in accepted.get(finding["residual"], ())}
        for finding in (row.findings if row else [])
    ]
    tools = [one for one in registry.current().definitions.values() if one.connector == connector.name]
    context: dict[str, Any] = {
        "connector": connector,
        "proof": row,
        "is_provable": isinstance(connector, Provable),
        "blocking": [one for one in findings if not one["warning"] and not one["is_accepted"]],
        "accepted": [one for one in findings if one["is_accepted"]],
        "notes": [one for one in findings if one["warning"]],
        "families": sorted(
            {one["residual"] for one in findings if one["residual"] and not one["is_accepted"]}
        ),
        "acknowledged": prooflog.standing_acknowledgements(connector.name),
        "changed": acknowledgements.changed(tools),
        "refusal": refusal,
        "can_manage": person(request).has_perm(Permission.MANAGE_TOOLS),
        "nav": "tools",
    }
    return render(request, "toolbox/connector.html", context, status=status)
