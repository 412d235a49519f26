"""What a deployment asks of writes: quorums, times, limits. Plain values, read from the actions' file."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from approvals.jcs import digest_of
from approvals.states import Risk


class PolicyUnusable(ValueError):
    """A policy cannot be used; the message names the key and what is accepted."""


@dataclass(frozen=True, slots=True)
class RiskPolicy:
    """What one class of risk asks for: how many people of how many roles, how they show who they are."""

    quorum: int
    groups: int
    strong_step_up: bool
    rubric_blocks: bool


@dataclass(frozen=True, slots=True)
class Policy:
    """All that a deployment may choose about writes. A body keeps the digest of the one it was made under.

    `namespaces` is where writes may touch anything (empty: nowhere in a cluster); `protected` are targets or
    objects that nothing touches, with * at the end for all that begin so.
    """

    low: RiskPolicy = RiskPolicy(1, 1, strong_step_up=False, rubric_blocks=False)
    high: RiskPolicy = RiskPolicy(2, 2, strong_step_up=True, rubric_blocks=True)
    decide_seconds: int = 900
    execute_seconds: int = 300
    rollback_seconds: int = 3600
    probe_seconds: int = 300
    lease_seconds: int = 120
    reason_least: int = 10
    ticket_pattern: str = ""
    namespaces: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    objects_at_most: int = 20
    scale_factor: int = 10
    writes_an_hour: int = 20
    failures_an_hour: int = 2
    actions_an_hour: int = 4
    open_per_team: int = 10
    rubric: tuple[str, ...] = field(default=())

    def of(self, risk: str) -> RiskPolicy:
        """Return what this risk asks for; a word that is no risk asks for the most."""
        return self.low if risk == Risk.LOW else self.high

    def plain(self) -> dict[str, Any]:
        """Return the policy as JSON has it."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }

    @property
    def version(self) -> str:
        """The digest that a request keeps: it is not executed under another policy."""
        return digest_of(self.plain())


# What the design holds every deployment to; a file can only be stricter.
_LEAST = {"decide_seconds": 1, "execute_seconds": 1, "reason_least": 1, "lease_seconds": 5}
_MOST = {
    "decide_seconds": 24 * 3600,
    "execute_seconds": 3600,
    "rollback_seconds": 24 * 3600,
    "probe_seconds": 300,
    "scale_factor": 10,
}


def reading(plain: Mapping[str, Any]) -> Policy:
    """Return the policy of a file's `policy` part; what it leaves out stands. Raises PolicyUnusable."""
    known = {each.name: each for each in fields(Policy)}
    unknown = sorted(set(plain) - set(known))
    if unknown:
        raise PolicyUnusable(f"policy.{unknown[0]} is not known: use {', '.join(sorted(known))}")
    values = {name: _value(name, value) for name, value in plain.items()}
    return replace(Policy(), **values)


def _value(name: str, value: Any) -> Any:
    default = getattr(Policy(), name)
    if isinstance(default, RiskPolicy):
        return _risk(name, value, default)
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise PolicyUnusable(f"policy.{name}: give a list of texts")
        return tuple(value)
    if isinstance(default, str):
        return _pattern(name, value)
    return _number(name, value)


def _number(name: str, value: Any) -> int:
    least, most = _LEAST.get(name, 0), _MOST.get(name, 1_000_000)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise PolicyUnusable(f"policy.{name}: give a whole number from {least} to {most}")
    return value


def _pattern(name: str, value: Any) -> str:
    try:
        re.compile(value)
    except (re.error, TypeError):
        raise PolicyUnusable(f"policy.{name}: give a regular expression") from None
    return str(value)


def _risk(name: str, value: Any, default: RiskPolicy) -> RiskPolicy:
    accepted = {each.name for each in fields(RiskPolicy)}
    if not isinstance(value, Mapping) or set(value) - accepted:
        raise PolicyUnusable(f"policy.{name}: give a mapping of {', '.join(sorted(accepted))}")
    made = replace(default, **value)
    numbers = (made.quorum, made.groups)
    if any(isinstance(each, bool) or not isinstance(each, int) for each in numbers):
        raise PolicyUnusable(f"policy.{name}: quorum and groups are whole numbers")
    if not all(isinstance(each, bool) for each in (made.strong_step_up, made.rubric_blocks)):
        raise PolicyUnusable(f"policy.{name}: strong_step_up and rubric_blocks are true or false")
    if made.quorum < default.quorum or not default.groups <= made.groups <= made.quorum:
        raise PolicyUnusable(
            f"policy.{name}: at least {default.quorum} people from {default.groups} roles, "
            "and no more roles than people"
        )
    if made.strong_step_up < default.strong_step_up or made.rubric_blocks < default.rubric_blocks:
        raise PolicyUnusable(f"policy.{name}: a file can ask for more than the default, never for less")
    return made
