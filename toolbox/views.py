"""The page of tools: what may be asked, how it was asked of late, what administrators decided about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from toolbox import asks, queries, registry, toolrules
from toolbox.forms import BecauseForm, ToolRuleForm
from toolbox.models import ToolRule
from toolbox.toolrules import ToolRuleRefused, Wanted

_ENDED_SHOWN = 20


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """Every connector with its tools, then the rules about them."""
    return _page(request)


@require_POST
@requires(Permission.MANAGE_TOOLS)
def make(request: HttpRequest) -> HttpResponse:
    """Make a deny, ask or pause rule."""
    form = ToolRuleForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    return _moved(
        request, lambda: toolrules.make(form.wanted(), by=person(request), now=timezone.now()), "stands", form
    )


@require_POST
@requires(Permission.MANAGE_TOOLS)
def end(request: HttpRequest, number: int) -> HttpResponse:
    """End a rule, with a reason."""

    def move(because: str) -> ToolRule:
        return toolrules.end(number, by=person(request), because=because, now=timezone.now())

    return _with_reason(request, move, "has ended")


@require_POST
@requires(Permission.MANAGE_TOOLS)
def pause(request: HttpRequest, name: str) -> HttpResponse:
    """Switch one tool off for everybody."""

    def move(because: str) -> ToolRule:
        return toolrules.make(Wanted("pause", name, because), by=person(request), now=timezone.now())

    return _with_reason(request, move, "stands")


@require_POST
@requires(Permission.MANAGE_TOOLS)
def resume(request: HttpRequest, name: str) -> HttpResponse:
    """Switch a paused tool on again."""

    def move(because: str) -> ToolRule:
        return toolrules.resume(name, by=person(request), because=because, now=timezone.now())

    return _with_reason(request, move, "has ended")


def _with_reason(request: HttpRequest, move: Callable[[str], ToolRule], words: str) -> HttpResponse:
    form = BecauseForm(request.POST)
    if not form.is_valid():
        return _page(request, refusal="Nothing was changed: say why, in 1 to 300 characters.", status=422)
    return _moved(request, lambda: move(form.cleaned_data["because"]), words)


def _moved(
    request: HttpRequest, move: Callable[[], ToolRule], words: str, form: Form | None = None
) -> HttpResponse:
    try:
        rule = move()
    except ToolRuleRefused as refusal:
        return _page(request, form=form, refusal=str(refusal), status=422)
    idle = "" if rule.ended_at else toolrules.idle(rule, registry.current().inputs())
    tell = messages.warning if idle else messages.success
    tell(request, f"Tool rule {rule.pk} {words}: {rule.effect} {rule.tool}. {idle}".strip())
    return redirect("tools")


def _page(
    request: HttpRequest, *, form: Form | None = None, refusal: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "cards": queries.cards(timezone.now()),
        "days": queries.COUNTED_DAYS,
        "rules": toolrules.listed(),
        "ended": toolrules.listed(ended=True)[:_ENDED_SHOWN],
        "open_asks": asks.open_asks().count(),
        "form": form or ToolRuleForm(),
        "refusal": refusal,
        "can_manage": person(request).has_perm(Permission.MANAGE_TOOLS),
        "nav": "tools",
    }
    return render(request, "toolbox/tools.html", context, status=status)
