"""What people approve, as one text that page, decision and executor share, and its parts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from approvals.actions.base import Check, Footprint, Observed
from approvals.jcs import NotDigestible, digest_of, digest_of_text, text_of

__all__ = ["Content", "NotDigestible", "content_of", "digest_of", "digest_of_text", "text_of"]


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of a body that a gate or a page reads."""

    plain: Mapping[str, Any]

    @property
    def action(self) -> str:
        """The action's name."""
        return str(self.plain["action"])

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments as the action takes them."""
        arguments: Mapping[str, Any] = self.plain["arguments"]
        return arguments

    @property
    def target(self) -> str:
        """What is locked while the write runs."""
        return str(self.plain["target"])

    @property
    def observed(self) -> Observed:
        """The target as it was read."""
        return Observed(self.plain["observed"]["version"], self.plain["observed"]["state"])

    @property
    def footprint(self) -> Footprint:
        """What the dry run said would be touched."""
        plain = self.plain["footprint"]
        return Footprint(tuple(plain["objects"]), tuple(plain["namespaces"]), plain["before"], plain["after"])

    @property
    def rollback(self) -> Mapping[str, Any] | None:
        """Action and arguments that undo it; None where nothing does."""
        found: Mapping[str, Any] | None = self.plain["rollback"]
        return found

    @property
    def verify(self) -> Check | None:
        """How the effect is looked for; None leaves the write unverified."""
        plain = self.plain["verify"]
        return check_of(plain) if plain is not None else None

    @property
    def policy(self) -> str:
        """The digest of the policy under which it was made."""
        return str(self.plain["policy"])


def check_of(plain: Mapping[str, Any]) -> Check:
    """Return the check that a body holds."""
    return Check(
        plain["tool"], plain["arguments"], plain["expect"], settle_seconds=plain["settle_milliseconds"] / 1000
    )


def plain_check(check: Check | None) -> dict[str, Any] | None:
    """Return a check as a body holds it."""
    if check is None:
        return None
    return {
        "tool": check.tool,
        "arguments": dict(check.arguments),
        "expect": dict(check.expect),
        "settle_milliseconds": round(check.settle_seconds * 1000),
    }


def plain_footprint(footprint: Footprint) -> dict[str, Any]:
    """Return a footprint as a body holds it."""
    return {
        "objects": sorted(footprint.objects),
        "namespaces": sorted(footprint.namespaces),
        "before": dict(footprint.before),
        "after": dict(footprint.after),
    }


def content_of(body: str) -> Content:
    """Return the parts of a body; raise NotDigestible for a text that is not the canonical form of one."""
    try:
        plain = json.loads(body)
        is_canonical = text_of(plain) == body
    except (ValueError, RecursionError) as error:
        raise NotDigestible(f"the body cannot be read ({type(error).__name__})") from None
    if not is_canonical or not isinstance(plain, dict):
        raise NotDigestible("the body is not in its canonical form")
    missing = sorted(BODY_KEYS - set(plain))
    if missing:
        raise NotDigestible(f"the body lacks {missing[0]}")
    return Content(plain)


BODY_KEYS = frozenset(
    {
        "request", "action", "arguments", "target", "risk", "reversible", "observed", "footprint",
        "precondition", "rollback", "verify", "policy", "cites", "undoes", "incident", "team",
    }
)  # fmt: skip
