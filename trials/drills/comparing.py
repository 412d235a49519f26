"""Two runs compared row by row: rates and intervals, what was lost and gained, where they differ. Pure."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from incidents.figures.intervals import Interval, Rate, clopper_pearson
from investigations.states import RunResult
from trials import statistics
from trials.drills.answers import Answer
from trials.statistics import Paired, Trials

TIMES = 3  # of which all have to go well for pass^3
NOTHING = "(no label)"


@dataclass(frozen=True, slots=True)
class Pair:
    """One golden row as both endpoints answered it the first time it was asked."""

    old: Answer
    new: Answer

    @property
    def row_id(self) -> str:
        """The golden row's id."""
        return self.old.row_id

    @property
    def differs(self) -> bool:
        """Whether the two gave another label, or one of them none."""
        return self.old.got != self.new.got


@dataclass(frozen=True, slots=True)
class Side:
    """One endpoint's rates. Each is counted over the rows that both endpoints answered."""

    agreement: Rate
    schema_ok: Rate
    first_try: Rate
    escalated: Rate
    false_passes: tuple[str, ...]
    statuses: Mapping[RunResult, int]
    fenced: int
    down: int
    seconds: float  # the median of a row
    tokens: int
    micros: int
    pass_all: float | None

    @property
    def mended(self) -> int:
        """How many rows took a repair or fell back to a person."""
        return self.statuses.get(RunResult.REPAIRED, 0) + self.statuses.get(RunResult.FALLBACK, 0)


@dataclass(frozen=True, slots=True)
class Part:
    """The agreement on a part of the rows, of both endpoints."""

    name: str
    old: Rate
    new: Rate


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that the policy, the patterns and the table need to know of two runs."""

    rows: int  # that both answered
    left_out: int  # that one of them was down for
    old: Side
    new: Side
    paired: Paired
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    new_false_passes: tuple[str, ...]
    differing: tuple[str, ...]  # what a person has to read
    confusion: Mapping[tuple[str, str], tuple[int, int]]  # (expected, got): old, new
    labels: tuple[str, ...]
    parts: tuple[Part, ...]


def compare(old: Sequence[Answer], new: Sequence[Answer], *, closing: Collection[str]) -> Comparison:
    """Compare two runs of the same rows. `closing` are the labels that end an issue.

    Raises ValueError where the two are not of the same rows.
    """
    pairs, left_out = _pairs(old, new)
    lost = tuple(pair.row_id for pair in pairs if pair.old.agrees and not pair.new.agrees)
    gained = tuple(pair.row_id for pair in pairs if pair.new.agrees and not pair.old.agrees)
    fresh = tuple(
        pair.row_id
        for pair in pairs
        if pair.new.is_false_pass(closing) and not pair.old.is_false_pass(closing)
    )
    both = {pair.row_id for pair in pairs}
    return Comparison(
        rows=len(pairs),
        left_out=left_out,
        old=_side([pair.old for pair in pairs], old, closing, both),
        new=_side([pair.new for pair in pairs], new, closing, both),
        paired=statistics.mcnemar(len(lost), len(gained)),
        lost=lost,
        gained=gained,
        new_false_passes=fresh,
        differing=tuple(pair.row_id for pair in pairs if pair.differs or pair.row_id in fresh),
        confusion=_confusion(pairs),
        labels=tuple(sorted({pair.old.expected for pair in pairs})),
        parts=tuple(_parts(pairs)),
    )


def interval(rate: Rate) -> Interval:
    """Return the exact interval of a rate."""
    return clopper_pearson(rate.hits, rate.of)


def _pairs(old: Sequence[Answer], new: Sequence[Answer]) -> tuple[list[Pair], int]:
    first_old = {each.row_id: each for each in old if each.time == 1}
    first_new = {each.row_id: each for each in new if each.time == 1}
    if list(first_old) != list(first_new) or any(
        first_old[name].expected != first_new[name].expected for name in first_old
    ):
        raise ValueError("The two runs are not of the same golden rows.")
    both = [Pair(each, first_new[name]) for name, each in first_old.items()]
    counted = [pair for pair in both if pair.old.counts and pair.new.counts]
    return counted, len(both) - len(counted)


def _side(
    firsts: Sequence[Answer], answers: Sequence[Answer], closing: Collection[str], both: Collection[str]
) -> Side:
    of = len(firsts)

    def rate(holds: Callable[[Answer], bool]) -> Rate:
        return Rate(sum(map(holds, firsts)), of)

    return Side(
        agreement=rate(lambda each: each.agrees),
        schema_ok=rate(lambda each: each.is_valid),
        first_try=rate(lambda each: each.is_valid_at_once),
        escalated=rate(lambda each: each.needs_human),
        false_passes=tuple(each.row_id for each in firsts if each.is_false_pass(closing)),
        statuses=Counter(each.status for each in firsts),
        fenced=sum(each.is_fenced for each in firsts),
        down=sum(not each.counts for each in answers),
        seconds=_median([each.spent.seconds for each in firsts]),
        tokens=sum(each.spent.tokens_in + each.spent.tokens_out for each in answers),
        micros=sum(each.spent.micros for each in answers),
        pass_all=_pass_all([each for each in answers if each.counts and each.row_id in both]),
    )


def _pass_all(answers: Sequence[Answer]) -> float | None:
    tried: Counter[str] = Counter(each.row_id for each in answers)
    well: Counter[str] = Counter(each.row_id for each in answers if each.agrees)
    return statistics.pass_all((Trials(of, well[name]) for name, of in tried.items()), TIMES)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0


def _confusion(pairs: Sequence[Pair]) -> Mapping[tuple[str, str], tuple[int, int]]:
    old = Counter((pair.old.expected, pair.old.got or NOTHING) for pair in pairs)
    new = Counter((pair.new.expected, pair.new.got or NOTHING) for pair in pairs)
    return {cell: (old[cell], new[cell]) for cell in sorted(old.keys() | new.keys())}


_PARTS: tuple[tuple[str, Callable[[Answer], bool]], ...] = (
    ("without overrides", lambda each: not each.is_override),
    ("overrides alone", lambda each: each.is_override),
    ("frozen part", lambda each: each.is_frozen),
    ("hard rows", lambda each: each.is_hard),
)


def _parts(pairs: Sequence[Pair]) -> Iterator[Part]:
    """Yield the parts that are there and are not the whole."""
    for name, belongs in _PARTS:
        rows = [pair for pair in pairs if belongs(pair.old)]
        if rows and len(rows) < len(pairs):
            yield Part(
                name,
                Rate(sum(pair.old.agrees for pair in rows), len(rows)),
                Rate(sum(pair.new.agrees for pair in rows), len(rows)),
            )
