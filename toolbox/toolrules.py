"""Tool rules: made and ended by administrators, read anew for every call, so that a deny holds at once."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.permissions import Permission
from audit import prepared, writing
from audit.straight import Meanwhile
from toolbox.models import Effect, ToolRule
from toolbox.patterns import Pattern, is_like

_LONGEST = {"tool": 100, "caller": 200, "because": 300}
_MOST_ARGUMENTS = 20
# Every call reads it, so it goes past the ORM; as one value, it can be read beside something else.
STANDING = """(
    SELECT json_agg(json_build_array(id, effect, tool, caller, arguments, because) ORDER BY id)::text
    FROM toolbox_toolrule WHERE ended_at IS NULL
)"""


class ToolRuleRefused(ValueError):
    """A tool rule cannot be made or ended as asked; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tool rule to be made."""

    effect: str
    tool: str
    because: str
    caller: str = "*"
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """One standing tool rule as the gateway reads it."""

    id: int
    effect: str
    pattern: Pattern
    because: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Every tool rule that stands at one moment."""

    rules: tuple[Held, ...] = ()

    def of(self, effect: Effect) -> Iterable[Held]:
        """Yield the rules of one effect."""
        return (rule for rule in self.rules if rule.effect == effect)

    def hides(self, tool: str, caller: str) -> bool:
        """Say whether every call of this tool by this caller would be refused: then it need not be listed."""
        if any(rule.pattern.matches_all(tool, caller) for rule in self.of(Effect.DENY)):
            return True
        return any(rule.pattern.tool == tool for rule in self.of(Effect.PAUSE))

    def may_ask(self, tool: str, caller: str) -> bool:
        """Say whether a call of this tool by this caller may have to wait for a person."""
        return any(rule.pattern.may_match(tool, caller) for rule in self.of(Effect.ASK))


# Reads what stands now; what it is given runs at most once, while the database is at work.
Reading = Callable[[Meanwhile | None], Standing]


@dataclass(slots=True)
class _Last:
    """What this process read the last time."""

    standing: Standing | None = None


_last = _Last()


def standing(meanwhile: Meanwhile | None = None) -> Standing:
    """Read what stands now: one short query."""
    ((told,),) = prepared.rows(f"SELECT {STANDING}", meanwhile=meanwhile)
    return as_read(told)


def lately() -> Standing | None:
    """Return what stood when this process last looked: a guess, to be held against what stands now."""
    return _last.standing


def as_read(told: str | None) -> Standing:
    """Return what stands as STANDING told it."""
    _last.standing = now = _read(told)
    return now


@lru_cache(maxsize=8)
def _read(told: str | None) -> Standing:
    return Standing(
        tuple(
            Held(pk, effect, Pattern(tool, caller, arguments), because)
            for pk, effect, tool, caller, arguments, because in json.loads(told or "[]")
        )
    )


def listed(*, ended: bool = False) -> QuerySet[ToolRule]:
    """Return the rules that stand, or those that ended, the newest first."""
    return ToolRule.objects.filter(ended_at__isnull=not ended).order_by("-pk")


def make(wanted: Wanted, *, by: User, now: datetime) -> ToolRule:
    """Make a rule, which holds from the next call on. Raises ToolRuleRefused."""
    _demand_administrator(by)
    _refuse_unusable(wanted)
    alike = {"tool": wanted.tool, "caller": wanted.caller, "arguments": dict(wanted.arguments)}
    if ToolRule.objects.filter(effect=wanted.effect, ended_at=None, **alike).exists():
        raise ToolRuleRefused(
            f"{wanted.tool} is paused already."
            if wanted.effect == Effect.PAUSE
            else "A rule that says just this stands already. It is in the list."
        )
    try:
        with transaction.atomic():
            rule = ToolRule.objects.create(
                effect=wanted.effect,
                tool=wanted.tool,
                caller=wanted.caller,
                arguments=dict(wanted.arguments),
                because=wanted.because.strip(),
                made_by=actor_of(by),
                made_at=now,
            )
            _note("toolrule.made", rule, by)
    except IntegrityError:
        raise ToolRuleRefused(f"{wanted.tool} is paused already.") from None
    return rule


def end(number: int, *, by: User, because: str, now: datetime) -> ToolRule:
    """End a rule from the next call on. Raises ToolRuleRefused for one that is unknown or ended already."""
    _demand_administrator(by)
    if not because.strip():
        raise ToolRuleRefused("Say why it ends: the audit log keeps it.")
    with transaction.atomic():
        rule = ToolRule.objects.filter(pk=number).first()
        if rule is None:
            raise ToolRuleRefused(f"There is no tool rule {number}.")
        ended = ToolRule.objects.filter(pk=number, ended_at=None)
        if not ended.update(ended_at=now, ended_by=actor_of(by)):
            raise ToolRuleRefused(f"Tool rule {number} has ended already.")
        _note("toolrule.ended", rule, by, ended_because=because.strip()[:300])
    rule.refresh_from_db()
    return rule


def resume(tool: str, *, by: User, because: str, now: datetime) -> ToolRule:
    """End the pause of a tool. Raises ToolRuleRefused where it is not paused."""
    pause = ToolRule.objects.filter(effect=Effect.PAUSE, tool=tool, ended_at=None).first()
    if pause is None:
        raise ToolRuleRefused(f"{tool} is not paused.")
    return end(pause.pk, by=by, because=because, now=now)


def actor_of(user: User) -> str:
    """Return a person as the audit log names them."""
    return f"person:{user.username}"


def _demand_administrator(by: User) -> None:
    if not (by.is_active and by.has_perm(Permission.MANAGE_TOOLS)):
        raise ToolRuleRefused(f"{by.username} may not: tool rules are made and ended by administrators.")


def _refuse_unusable(wanted: Wanted) -> None:
    if wanted.effect not in Effect.values:
        raise ToolRuleRefused(f"effect={wanted.effect!r}: use one of {', '.join(Effect.values)}.")
    for name, longest in _LONGEST.items():
        text = getattr(wanted, name)
        if not text.strip() or len(text) > longest or not text.isprintable():
            raise ToolRuleRefused(f"{name}: write 1 to {longest} characters, on one line.")
    if wanted.effect == Effect.PAUSE and (
        wanted.caller != "*" or wanted.arguments or set(wanted.tool) & set("*?[")
    ):
        raise ToolRuleRefused("A pause is for one tool and everybody. For less than that make a deny rule.")
    _refuse_unusable_arguments(wanted.arguments)


def _refuse_unusable_arguments(arguments: Mapping[str, str]) -> None:
    if len(arguments) > _MOST_ARGUMENTS:
        raise ToolRuleRefused(f"At most {_MOST_ARGUMENTS} arguments can be named in one rule.")
    for name, pattern in arguments.items():
        if not all(isinstance(text, str) and text and len(text) <= 200 for text in (name, pattern)):
            raise ToolRuleRefused("An argument's name and its pattern are texts of 1 to 200 characters.")


def _note(kind: str, rule: ToolRule, by: User, **more: Any) -> None:
    writing.write(
        kind,
        {
            "toolrule": rule.pk,
            "effect": rule.effect,
            "tool": rule.tool,
            "caller": rule.caller,
            "arguments": rule.arguments,
            "because": rule.because,
            **more,
        },
        actor=actor_of(by),
    )


def idle(rule: ToolRule, inputs: Mapping[str, Mapping[str, Any]]) -> str:
    """Say why a rule means no call of the tools whose inputs these are, or nothing where it may mean one."""
    meant = [declared for name, declared in inputs.items() if is_like(name, rule.tool)]
    if not meant:
        return f"No tool that is loaded here is named {rule.tool}: the rule waits for one."
    for named in rule.arguments:
        if not any(is_like(name, named) for declared in meant for name in declared.get("properties", ())):
            return f"None of the tools that it means takes the argument {named}: the rule refuses nothing."
    return ""
