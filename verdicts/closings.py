"""What a person's closing outcome says about the verdict: one versioned table for everything that compares.

Replays, overrides, evaluations and audits all read it here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

VERSION = 1


class Actual(StrEnum):
    """What really was so."""

    PASS = "pass"  # noqa: S105 the word of a verdict
    FAIL = "fail"
    NOT_COMPARABLE = "not comparable"
    AS_TARGET = "as its target"


_EVERY_KIND: Mapping[str, Actual] = {
    "harmless": Actual.PASS,
    "real and fixed": Actual.FAIL,
    "real and handed over": Actual.FAIL,
    "duplicate of": Actual.AS_TARGET,
    "not reproducible": Actual.NOT_COMPARABLE,
}
# A claim earns a pass when the records speak against it: then there is nothing for us to make good.
_CLAIM: Mapping[str, Actual] = {"claim upheld": Actual.FAIL, "claim refused": Actual.PASS}
TABLE: Mapping[str, Mapping[str, Actual]] = MappingProxyType(
    {
        "alert": MappingProxyType(dict(_EVERY_KIND)),
        "issue": MappingProxyType(dict(_EVERY_KIND)),
        "claim": MappingProxyType({**_EVERY_KIND, **_CLAIM}),
    }
)


@dataclass(frozen=True, slots=True)
class Closing:
    """How an incident of one kind was closed."""

    kind: str
    outcome: str


class NoSuchOutcome(LookupError):
    """This kind of incident cannot be closed with this outcome."""


def actual(kind: str, outcome: str) -> Actual:
    """Return what the outcome says was so; raise NoSuchOutcome naming the accepted ones."""
    accepted = TABLE.get(kind, {})
    if outcome not in accepted:
        raise NoSuchOutcome(
            f"An incident of kind {kind} cannot be closed as {outcome!r}. "
            f"Choose one of: {', '.join(accepted)}."
        )
    return accepted[outcome]


def settled(kind: str, outcome: str, target: Closing | None = None) -> Actual:
    """Return pass, fail or not comparable; a duplicate takes what its target's own closing says.

    A duplicate whose target is not closed, or is a duplicate itself, is not comparable. Raises
    NoSuchOutcome.
    """
    said = actual(kind, outcome)
    if said is not Actual.AS_TARGET:
        return said
    of_target = Actual.NOT_COMPARABLE if target is None else actual(target.kind, target.outcome)
    return Actual.NOT_COMPARABLE if of_target is Actual.AS_TARGET else of_target


def contradicts(kind: str, outcome: str, passed: bool | None) -> bool:
    """Tell whether the outcome says the opposite of the verdict; where either is silent, it does not."""
    said = actual(kind, outcome)
    if passed is None or said not in (Actual.PASS, Actual.FAIL):
        return False
    return (said is Actual.PASS) is not passed
