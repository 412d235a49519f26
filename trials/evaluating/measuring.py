"""What an evaluation measures, from its rows: counts first, shares beside them. Pure.

A run whose endpoint gave no reply is in no denominator. One that handed nothing in (fallback, refused, cut
off) is no wrong answer either: it goes to a person, is counted as what it is, and has no verdict to compare.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from incidents.figures.intervals import FEW, Interval, Rate, clopper_pearson
from investigations.states import RunResult
from trials.evaluating.scores import (
    Agreement,
    Beside,
    CaseRow,
    FactRecall,
    Facts,
    Measures,
    RunRow,
    Totals,
    Twins,
)
from trials.states import RunState
from trials.statistics import Trials, pass_all, pass_at
from verdicts.case import NONE_OF_THESE
from verdicts.closings import Actual
from verdicts.comparison import Ending, ending

K = 3


Said = Callable[[RunRow], bool | None]


def measures(cases: Iterable[CaseRow], runs: Iterable[RunRow]) -> Measures:
    """Return what the rows say. Twins are in no score but their own."""
    every, made = list(cases), list(runs)
    by_id = {each.id: each for each in every}
    done = [each for each in made if each.state == RunState.DONE]
    real = [each for each in every if not each.is_twin]
    ours = [each for each in done if not by_id[each.case].is_twin]
    states = Counter(each.state for each in made)
    outcomes = Counter(each.outcome for each in done)
    if states[RunState.DOWN]:
        outcomes[RunResult.ENDPOINT_DOWN] = states[RunState.DOWN]
    return Measures(
        cases=len(real),
        states={state.value: states[state] for state in RunState},
        outcomes={result.value: outcomes[result] for result in RunResult},
        facts=_facts(real, ours),
        recall=_recall(real, ours),
        before=_agreement(by_id, ours, lambda run: run.passed_before),
        after=_agreement(by_id, ours, lambda run: run.passed),
        beside=_beside(real),
        twins=_twins([each for each in done if by_id[each.case].is_twin]),
        totals=_totals(done),
        not_compared=sum(not each.is_compared for each in real),
        erased=sum(bool(each.erased) for each in real),
    )


def _facts(cases: Sequence[CaseRow], runs: Sequence[RunRow]) -> Facts:
    by_case: dict[int, list[RunRow]] = {each.id: [] for each in cases if each.needs}
    needs = {each.id: each.needs for each in cases}
    for run in runs:
        if run.case in by_case:
            by_case[run.case].append(run)
    tried = [
        Trials(len(made), sum(needs[case] <= run.gathered for run in made)) for case, made in by_case.items()
    ]
    asked = [len(needs[run.case] & run.gathered) for made in by_case.values() for run in made]
    wanted = [len(needs[run.case]) for made in by_case.values() for run in made]
    return Facts(
        every=Rate(sum(each.well for each in tried), sum(each.of for each in tried)),
        each=Rate(sum(asked), sum(wanted)),
        at_k=pass_at(tried, K),
        all_k=pass_all(tried, K),
        too_few=sum(each.of < K for each in tried),
        interval=over_cases([each.well / each.of for each in tried if each.of]),
    )


def over_cases(shares: Sequence[float]) -> Interval | None:
    """Return the exact interval of a mean of shares, each of one case; None where there are too few cases.

    As if each case had gone as a whole: what repeated runs of it add is left out, so that it is never too
    narrow.
    """
    if len(shares) < FEW:
        return None
    return clopper_pearson(min(len(shares), round(sum(shares))), len(shares))


def _recall(cases: Sequence[CaseRow], runs: Sequence[RunRow]) -> list[FactRecall]:
    agent, playbook = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    wanted, planned = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    by_id = {each.id: each for each in cases}
    for case in cases:
        planned.update((case.rule, fact) for fact in case.needs)
        playbook.update((case.rule, fact) for fact in case.needs & case.playbook_gathered)
    for run in runs:
        case = by_id[run.case]
        wanted.update((case.rule, fact) for fact in case.needs)
        agent.update((case.rule, fact) for fact in case.needs & run.gathered)
    return [
        FactRecall(*name, Rate(agent[name], wanted[name]), Rate(playbook[name], planned[name]))
        for name in sorted(planned)
    ]


def _agreement(by_id: Mapping[int, CaseRow], runs: Sequence[RunRow], said: Said) -> Agreement:
    return _compared(
        (run.case, by_id[run.case].actual, passed)
        for run in runs
        if by_id[run.case].is_compared and (passed := said(run)) is not None
    )


def _compared(said: Iterable[tuple[int, str, bool]]) -> Agreement:
    """Compare verdicts, each with its case and what was so."""
    endings = [(case, ending(passed, Actual(actual))) for case, actual, passed in said]
    counts = Counter(came for _, came in endings)
    wrong = {case for case, came in endings if came is Ending.FALSE_PASS}
    by_case: dict[int, list[bool]] = {}
    for case, came in endings:
        by_case.setdefault(case, []).append(came is Ending.AS_IT_WAS)
    return Agreement(
        false_passes=Rate(counts[Ending.FALSE_PASS], len(endings)),
        cases=Rate(len(wrong), len(by_case)),
        agreed=Rate(counts[Ending.AS_IT_WAS], len(endings)),
        false_fails=Rate(counts[Ending.FALSE_FAIL], len(endings)),
        interval=over_cases([sum(right) / len(right) for right in by_case.values()]),
    )


def _beside(cases: Sequence[CaseRow]) -> Beside:
    compared = [each for each in cases if each.is_compared]
    passes = sum(each.actual == Actual.PASS for each in compared)
    always = passes > len(compared) - passes  # in a tie the cheap mistake
    needing = [each for each in cases if each.needs]
    asked = [each.needs <= each.playbook_gathered for each in needing]
    return Beside(
        playbook=_as_said(compared, lambda case: case.playbook_passed),
        playbook_facts=Facts(
            every=Rate(sum(asked), len(asked)),
            each=Rate(
                sum(len(each.needs & each.playbook_gathered) for each in needing),
                sum(len(each.needs) for each in needing),
            ),
        ),
        constant=_as_said(compared, lambda _: always),
        constant_answer="pass" if always else "fail",
        title=_as_said(compared, lambda case: case.title_passed),
        recorded=_as_said(compared, lambda case: case.recorded_passed),
    )


def _as_said(cases: Sequence[CaseRow], said: Callable[[CaseRow], bool | None]) -> Agreement:
    return _compared((each.id, each.actual, passed) for each in cases if (passed := said(each)) is not None)


def _twins(runs: Sequence[RunRow]) -> Twins:
    answered = [each for each in runs if each.passed is not None]
    none = sum(each.hypothesis == NONE_OF_THESE for each in answered)
    return Twins(Rate(sum(bool(each.passed) for each in answered), len(answered)), Rate(none, len(answered)))


def _totals(runs: Sequence[RunRow]) -> Totals:
    def total(name: str) -> int:
        return sum(getattr(each, name) for each in runs)

    def middle(values: Iterable[float]) -> float:
        found = list(values)
        return float(median(found)) if found else 0.0

    return Totals(
        calls=total("calls"),
        own_calls=total("own_calls"),
        not_recorded=total("not_recorded"),
        live=total("live"),
        redeclared=total("redeclared"),
        refused=total("refused"),
        exchanges=total("exchanges"),
        citations_missing=total("citations_missing"),
        citations_unchecked=total("citations_unchecked"),
        tokens_in=total("tokens_in"),
        tokens_out=total("tokens_out"),
        micros=total("micros"),
        seconds=sum(each.seconds for each in runs),
        median_calls=middle(each.calls for each in runs),
        median_exchanges=middle(each.exchanges for each in runs),
        median_tokens=middle(each.tokens_in + each.tokens_out for each in runs),
        median_micros=middle(each.micros for each in runs),
        median_seconds=middle(each.seconds for each in runs),
        median_overhead=middle(each.seconds - each.model_seconds for each in runs),
    )
