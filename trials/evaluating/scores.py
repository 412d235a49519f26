"""The rows that an evaluation is measured by, and the values that come of it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incidents.figures.intervals import Interval, Rate
from verdicts.closings import Actual

_COMPARED = (Actual.PASS.value, Actual.FAIL.value)


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case as it was planned, as far as it is measured by."""

    id: int
    key: str
    is_twin: bool
    actual: str
    rule: str
    needs: frozenset[str]
    erased: int = 0
    recorded_passed: bool | None = None
    playbook_passed: bool | None = None
    playbook_gathered: frozenset[str] = frozenset()
    title_passed: bool | None = None

    @property
    def is_compared(self) -> bool:
        """Whether a verdict on it can be right or wrong: somebody knows, and the record is whole."""
        return self.actual in _COMPARED and not self.erased


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run, as far as it is measured."""

    case: int
    state: str
    outcome: str = ""
    hypothesis: str = ""
    passed_before: bool | None = None
    passed: bool | None = None
    gathered: frozenset[str] = frozenset()
    calls: int = 0
    own_calls: int = 0
    not_recorded: int = 0
    live: int = 0
    redeclared: int = 0
    refused: int = 0
    exchanges: int = 0
    citations_missing: int = 0
    citations_unchecked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0
    model_seconds: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """Verdicts beside what really was so. `cases` counts those with at least one false pass."""

    false_passes: Rate
    cases: Rate
    agreed: Rate
    false_fails: Rate
    interval: Interval | None = None  # of `agreed`, over the cases: five runs of one case are not five cases


@dataclass(frozen=True, slots=True)
class Facts:
    """Gathering: `every` counts runs that asked for each fact their rule needs; `each` counts facts."""

    every: Rate
    each: Rate
    at_k: float | None = None  # pass@3
    all_k: float | None = None  # pass^3
    too_few: int = 0  # cases with fewer than K runs, which neither can say anything of
    interval: Interval | None = None  # of `every`, over the cases


@dataclass(frozen=True, slots=True)
class FactRecall:
    """How often one fact was asked for by the agent itself, in the cases that need it."""

    rule: str
    fact: str
    agent: Rate
    playbook: Rate


@dataclass(frozen=True, slots=True)
class Beside:
    """The same scores of what an agent has to beat. `constant` always says what is most often so."""

    playbook: Agreement
    playbook_facts: Facts
    constant: Agreement
    constant_answer: str
    title: Agreement
    recorded: Agreement


@dataclass(frozen=True, slots=True)
class Twins:
    """Healthy windows, apart from all else: how many runs passed one, and how many named no hypothesis."""

    passed: Rate
    none: Rate


@dataclass(frozen=True, slots=True)
class Totals:
    """What the runs that are done took, in all and at the median of one."""

    calls: int
    own_calls: int
    not_recorded: int
    live: int
    redeclared: int
    refused: int
    exchanges: int
    citations_missing: int
    citations_unchecked: int
    tokens_in: int
    tokens_out: int
    micros: int
    seconds: float
    median_calls: float
    median_exchanges: float
    median_tokens: float
    median_micros: float
    median_seconds: float
    median_overhead: float


@dataclass(frozen=True, slots=True)
class Measures:
    """All of it. `states` says how many runs are done, down, left out and waiting."""

    cases: int
    states: Mapping[str, int]
    outcomes: Mapping[str, int]
    facts: Facts
    recall: Sequence[FactRecall]
    before: Agreement
    after: Agreement
    beside: Beside
    twins: Twins
    totals: Totals
    not_compared: int
    erased: int
