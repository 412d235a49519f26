"""The decision table: a file that a team argues about, and the pure function that applies it."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from hashlib import sha256
from typing import Any

from trials import statistics
from trials.drills.comparing import TIMES, Comparison
from trials.statistics import Difference

_POINTS = 100
_SHAPE: Mapping[str, Mapping[str, type]] = {
    "false_passes": {"closing_labels": list, "most_new": int},
    "schema": {"first_try_least": float, "mended_more": float},
    "agreement": {"level": float},
    "escalation": {"more": float},
    "steadiness": {"less": float},
    "rows": {"power": float, "lost": float, "gained": float},
}
_SHARES = frozenset({"first_try_least", "level", "power", "lost", "gained"})


class PolicyUnusable(ValueError):
    """The policy's file cannot be used; the message says what is wrong with it and what to write."""


class Outcome(StrEnum):
    """What is to become of a candidate."""

    PROMOTE = "promote"
    HOLD = "hold"
    STOP = "stop"
    TOO_FEW = "too few cases"


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of a drill. Shares are 0 to 1, points are hundredths."""

    version: int
    closing_labels: frozenset[str]
    most_new: int
    first_try_least: float
    mended_more: float
    level: float
    more_escalated: float
    less_steady: float
    power: float
    difference: Difference
    text: str

    @property
    def digest(self) -> str:
        """The digest of the file as it stands."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def rows_needed(self) -> int:
        """The fewest rows that a percentage is given of."""
        return _rows_needed(self.power, self.difference, self.level)


@dataclass(frozen=True, slots=True)
class Ruled:
    """One rule of the policy, applied. `outcome` is what it would decide; None where it is not met."""

    rule: str
    outcome: Outcome | None
    words: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy says, by which rule, and what each other rule said."""

    outcome: Outcome
    because: str
    rules: tuple[Ruled, ...]


def parsed(text: str, *, labels: tuple[str, ...]) -> Policy:
    """Read a policy's file; `labels` are those of the contract. Raises PolicyUnusable."""
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyUnusable(f"It is no TOML: {error}.") from None
    version = whole.get("version")
    if type(version) is not int or version < 1:
        raise PolicyUnusable("`version` is missing: write version = 1, and raise it with each change.")
    if strangers := sorted(whole.keys() - _SHAPE.keys() - {"version"}):
        raise PolicyUnusable(f"The table [{strangers[0]}] is not known. Known are {', '.join(_SHAPE)}.")
    given = {name: _table(name, whole.get(name)) for name in _SHAPE}
    closing = given["false_passes"]["closing_labels"]
    for label in closing:
        if label not in labels:
            raise PolicyUnusable(f"closing_labels holds {label!r}, which is no label: {', '.join(labels)}.")
    return _policy(version, given, text)


def _policy(version: int, given: Mapping[str, Mapping[str, Any]], text: str) -> Policy:
    rows = given["rows"]
    try:
        policy = Policy(
            version=version,
            closing_labels=frozenset(given["false_passes"]["closing_labels"]),
            most_new=given["false_passes"]["most_new"],
            first_try_least=float(given["schema"]["first_try_least"]),
            mended_more=float(given["schema"]["mended_more"]),
            level=float(given["agreement"]["level"]),
            more_escalated=float(given["escalation"]["more"]),
            less_steady=float(given["steadiness"]["less"]),
            power=float(rows["power"]),
            difference=Difference(lost=float(rows["lost"]), gained=float(rows["gained"])),
            text=text,
        )
        _ = policy.rows_needed
    except ValueError as error:
        raise PolicyUnusable(f"[rows] cannot be used: {error}") from None
    return policy


def _table(name: str, given: Any) -> Mapping[str, Any]:
    wanted = _SHAPE[name]
    if not isinstance(given, dict):
        raise PolicyUnusable(f"The table [{name}] is missing: it holds {', '.join(wanted)}.")
    if strangers := sorted(given.keys() - wanted.keys()):
        raise PolicyUnusable(f"[{name}] holds {strangers[0]!r}, which is not known: {', '.join(wanted)}.")
    for field, kind in wanted.items():
        _refuse_value(f"[{name}] {field}", field, given.get(field), kind)
    return given


def _refuse_value(where: str, field: str, value: Any, kind: type) -> None:
    if kind is list:
        if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            raise PolicyUnusable(f"{where} is no list of labels.")
        return
    numbers = (int,) if kind is int else (int, float)
    if type(value) not in numbers or not 0 <= value <= _POINTS:
        raise PolicyUnusable(f"{where} is no number from 0 to 100.")
    if field in _SHARES and not 0 < value < 1:
        raise PolicyUnusable(f"{where} is {value}: a share, more than 0 and less than 1, is needed.")


@cache
def _rows_needed(power: float, difference: Difference, level: float) -> int:
    return statistics.rows_needed(power, difference, level=level)


def decide(found: Comparison, policy: Policy) -> Decision:
    """Apply the rules in their order; the first that is met decides, and without one it is promote."""
    rules = tuple(_rules(found, policy))
    for each in rules:
        if each.outcome is not None:
            return Decision(each.outcome, each.words, rules)
    return Decision(Outcome.PROMOTE, "No rule speaks against it.", rules)


def _rules(found: Comparison, policy: Policy) -> Iterator[Ruled]:
    fresh = len(found.new_false_passes)
    yield _ruled(
        "new false passes",
        Outcome.STOP,
        fresh > policy.most_new,
        f"{fresh} new false pass{'' if fresh == 1 else 'es'} (at most {policy.most_new})",
    )
    yield from _of_schema(found, policy)
    lost, gained, p = found.paired.lost, found.paired.gained, found.paired.p
    yield _ruled(
        "agreement",
        Outcome.STOP,
        found.paired.is_against(policy.level),
        f"{lost} rows lost, {gained} gained: exact McNemar p = {p:.3f} "
        f"(stop: against it, below {policy.level:g})",
    )
    yield from _of_holding(found, policy)
    needed = policy.rows_needed
    yield _ruled(
        "rows", Outcome.TOO_FEW, found.rows < needed, f"{found.rows} rows were compared (at least {needed})"
    )


def _of_schema(found: Comparison, policy: Policy) -> Iterator[Ruled]:
    first = found.new.first_try
    yield _ruled(
        "schema-valid at first try",
        Outcome.STOP,
        # Counted, not divided: 98 of 100 is no less than 0.98, whatever the last bit of a quotient says.
        _exactly(first.hits) < _exactly(policy.first_try_least) * first.of,
        f"the first reply was valid in {first.hits} of {first.of} rows "
        f"(at least {policy.first_try_least * _POINTS:g} in a hundred)",
    )
    mended = (found.old.mended, found.new.mended)
    yield _moved(("repaired or fallen back", Outcome.STOP), mended, found.rows, policy.mended_more)


def _of_holding(found: Comparison, policy: Policy) -> Iterator[Ruled]:
    escalated = (found.old.escalated.hits, found.new.escalated.hits)
    yield _moved(("escalated", Outcome.HOLD), escalated, found.rows, policy.more_escalated)
    old, new = found.old.pass_all, found.new.pass_all
    if old is None or new is None:
        yield Ruled(f"pass^{TIMES}", None, f"pass^{TIMES} was not measured (--times {TIMES})")
        return
    points = (old - new) * _POINTS
    yield _ruled(
        f"pass^{TIMES}",
        Outcome.HOLD,
        round(points, 9) > policy.less_steady,
        f"pass^{TIMES} from {old:.2f} to {new:.2f} (at most {policy.less_steady:g} points lower)",
    )


def _moved(rule: tuple[str, Outcome], counts: tuple[int, int], of: int, most: float) -> Ruled:
    """Apply a rule on how many more rows are something now than before, in points."""
    (name, outcome), (before, after) = rule, counts
    is_met = _exactly(after - before) * _POINTS > _exactly(most) * of
    words = f"{name} in {before} and now {after} of {of} rows (at most {most:g} points more)"
    return _ruled(name, outcome, is_met, words)


def _exactly(number: float) -> Fraction:
    return Fraction(str(number))


def _ruled(rule: str, outcome: Outcome, is_met: bool, words: str) -> Ruled:
    return Ruled(rule, outcome if is_met else None, words)
