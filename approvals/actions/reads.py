"""What the declared actions have in common: reading their target by a tool, and what they expect there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from approvals.actions.base import Check, CouldNotCheck, Observed, Proposal
from approvals.jcs import digest_of
from approvals.states import Risk
from assay_core.results import Status
from toolbox import gateway
from toolbox.scope import CallScope
from toolbox.yamlfile import Place

_ACTOR = "approvals"
_MISSING = object()
COMMON = frozenset(
    {
        "name", "title", "risk", "credential", "arguments", "target", "observe", "require", "verify",
        "rollback", "seconds",
    }
)  # fmt: skip
NEEDED = frozenset({"name", "title", "risk", "credential", "arguments", "target", "observe"})


def filled(value: Any, arguments: Mapping[str, Any]) -> Any:
    """Return a declared value with each text `$name` replaced by that argument, whole and typed."""
    if isinstance(value, str) and value.startswith("$"):
        if value[1:] not in arguments:
            raise CouldNotCheck(f"the argument {value[1:]} is not given")
        return arguments[value[1:]]
    if isinstance(value, Mapping):
        return {name: filled(each, arguments) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, arguments) for each in value]
    return value


def at(result: Any, path: str) -> Any:
    """Return what stands at a dotted path; raise CouldNotCheck where nothing does."""
    for name in path.split("."):
        result = result.get(name, _MISSING) if isinstance(result, Mapping) else _MISSING
        if result is _MISSING:
            raise CouldNotCheck(f"{path} is not in what was read")
    return result


@dataclass(frozen=True, slots=True)
class Target:
    """How a declared action reads its target: the tool, what makes its version, and what must hold.

    `shows` are further paths of the result that make the state, and not the version.
    """

    tool: str
    arguments: Mapping[str, Any]
    version: tuple[str, ...]
    require: Mapping[str, Any] = field(default_factory=dict)
    check: Mapping[str, Any] | None = None
    undo: Mapping[str, Any] | None = None
    shows: tuple[str, ...] = ()

    def observed(self, arguments: Mapping[str, Any]) -> Observed:
        """Ask the tool; raise CouldNotCheck for anything but an observed answer."""
        called = gateway.call(self.tool, filled(self.arguments, arguments), CallScope(caller=_ACTOR))
        if called.status is not Status.OBSERVED:
            raise CouldNotCheck(f"{self.tool} answered {called.status.value}: {called.reason or 'nothing'}")
        paths = {*self.version, *self.require, *self.shows}
        state = {path: _plain(at(called.result, path)) for path in sorted(paths)}
        return Observed(digest_of({path: state[path] for path in self.version}), state)

    def unmet(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return which requirement the state does not meet; "" when it meets all."""
        for path, wanted in self.require.items():
            expected, found = filled(wanted, arguments), observed.state.get(path)
            if type(found) is not type(expected) or found != expected:
                return f"{path} is {found!r} and has to be {expected!r}"
        return ""

    def looked_for(self, arguments: Mapping[str, Any]) -> Check | None:
        """Return how the effect is looked for."""
        if self.check is None:
            return None
        return Check(
            self.check["tool"],
            filled(self.check["arguments"], arguments),
            filled(self.check["expect"], arguments),
            settle_seconds=float(self.check.get("settle_seconds", 5)),
        )

    def undone(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return the action that undoes it; `$before.PATH` is what was read before the write."""
        if self.undo is None:
            return None
        known = {**arguments, **{f"before.{path}": value for path, value in observed.state.items()}}
        return Proposal(self.undo["action"], filled(self.undo["arguments"], known), "undoes the write")


@dataclass(frozen=True, slots=True)
class Common:
    """The parts that each declared action has."""

    name: str
    title: str
    risk: Risk
    credential: str
    arguments: Mapping[str, Any]
    target: str
    reads: Target
    seconds: float


def common(place: Place, kind: str, more: frozenset[str]) -> Common:
    """Read the common parts of one declared action; raise DefinitionError."""
    plain = place.mapping(COMMON | more, NEEDED)
    if plain["risk"] not in list(Risk):
        raise place.at("risk").error(f"risk is {plain['risk']!r}", "Use low or high.")
    observe = place.at("observe").mapping(
        frozenset({"tool", "arguments", "version"}), frozenset({"tool", "arguments", "version"})
    )
    check, undo = plain.get("verify"), plain.get("rollback")
    if check is not None:
        place.at("verify").mapping(
            frozenset({"tool", "arguments", "expect", "settle_seconds"}),
            frozenset({"tool", "arguments", "expect"}),
        )
    if undo is not None:
        both = frozenset({"action", "arguments"})
        place.at("rollback").mapping(both, both)
    return Common(
        name=f"{kind}.{place.at('name').text()}" if kind else place.at("name").text(),
        title=place.at("title").text(),
        risk=Risk(plain["risk"]),
        credential=place.at("credential").text(),
        arguments=plain["arguments"],
        target=place.at("target").text(),
        reads=Target(
            place.at("observe").at("tool").text(),
            observe["arguments"],
            tuple(each.text() for each in place.at("observe").at("version").items()),
            plain.get("require") or {},
            check,
            undo,
        ),
        seconds=float(plain.get("seconds", 20)),
    )


def named(pattern: str, arguments: Mapping[str, Any]) -> str:
    """Return the target's name: `{name}` in the pattern is that argument."""
    for name, value in arguments.items():
        pattern = pattern.replace("{" + name + "}", str(value))
    return pattern


def _plain(value: Any) -> Any:
    """A fraction has no place in a digest; as text it has one form."""
    return repr(value) if isinstance(value, float) else value
