"""An evaluation's measures as people read them in a terminal: false passes first, and alone. Pure."""

from collections.abc import Iterator, Sequence

from incidents.figures.intervals import FEW, Interval, Rate, clopper_pearson, percent
from trials.evaluating.scores import Agreement, Facts, Measures
from trials.states import RunState

_WIDTH = 34
_ASKERS = ("agent", "playbook")


def report(measures: Measures) -> str:
    """Return all of it as text."""
    parts = (_false_passes(measures), _scores(measures), _recall(measures), _rest(measures))
    return "\n\n".join(text for part in parts if (text := "\n".join(part)))


def _false_passes(found: Measures) -> Iterator[str]:
    after = found.after
    yield (
        f"FALSE PASSES: {_counted(after.false_passes)} verdicts, "
        f"in {_counted(after.cases)} cases{_of_cases(after.cases)}."
    )
    before = found.before.false_passes
    yield f"  On the agent's own calls alone: {before.hits} of {before.of}."
    if found.twins.passed.of:
        twins = found.twins
        passed, none = _counted(twins.passed), _counted(twins.none)
        yield f"  Healthy windows, apart: {passed} passed, {none} named no hypothesis."


def _scores(found: Measures) -> Iterator[str]:
    beside = found.beside
    yield _line("", ["agent", "playbook", f"always {beside.constant_answer}", "title alone", "at that time"])
    others = (beside.constant, beside.title, beside.recorded)
    playbook, facts = beside.playbook, beside.playbook_facts
    scores: Sequence[Agreement] = (found.after, playbook, *others)
    yield _line("Verdict as it really was", [each.agreed.text for each in scores])
    yield from _span(found.after.interval)
    yield _line("  false passes", [each.false_passes.text for each in scores])
    yield _line("  false fails", [each.false_fails.text for each in scores])
    yield _line("  before code asked", [found.before.agreed.text])
    yield _line("Runs that gather every fact", [found.facts.every.text, facts.every.text])
    yield from _span(found.facts.interval)
    yield _line("  pass^3, and pass@3", [f"{_share(found.facts.all_k)}, {_share(found.facts.at_k)}"])
    yield _line("Facts asked for", [found.facts.each.text, facts.each.text])
    yield from _left_out(found, found.facts)


def _recall(found: Measures) -> Iterator[str]:
    """Say of each fact how often the agent asked for it by itself."""
    names = [f"  {each.rule}: {each.fact}" for each in found.recall]
    width = max(map(len, names), default=0)
    if names:
        yield f"{'Each fact, as it was asked for:':<{width}}" + "".join(f"{each:>12}" for each in _ASKERS)
    for name, each in zip(names, found.recall, strict=True):
        yield f"{name:<{width}}{each.agent.text:>12}{each.playbook.text:>12}"


def _left_out(found: Measures, facts: Facts) -> Iterator[str]:
    if facts.too_few:
        yield f"  {facts.too_few} cases have fewer than 3 runs, and pass^3 leaves them out."
    if found.not_compared:
        erased = f", {found.erased} because an answer was erased" if found.erased else ""
        yield f"  {found.not_compared} cases have no verdict to compare with{erased}."


def _rest(found: Measures) -> Iterator[str]:
    states, totals = found.states, found.totals
    outcomes = ", ".join(f"{name} {count}" for name, count in found.outcomes.items() if count) or "none"
    yield f"Runs: {states[RunState.DONE]} done" + "".join(
        f", {states[state]} {words}"
        for state, words in (
            (RunState.DOWN, "without a reply of the endpoint (in no score)"),
            (RunState.LEFT_OUT, "left out"),
            (RunState.WAITING, "still to be made"),
        )
        if states[state]
    )
    yield f"How they came to what they handed in: {outcomes}."
    yield (
        f"Calls: {totals.calls}, {totals.own_calls} of them the agent's own; "
        f"{totals.not_recorded} not recorded, {totals.live} sent to live tools, {totals.refused} refused."
    )
    if totals.redeclared:
        yield f"  {totals.redeclared} answers were recorded when their tool was declared otherwise."
    yield f"Citations: {totals.citations_missing} name nothing, {totals.citations_unchecked} unchecked."
    yield (
        f"A run at the median: {totals.median_exchanges:g} exchanges, {totals.median_calls:g} calls, "
        f"{totals.median_tokens:g} tokens, {totals.median_seconds:.2f} s "
        f"({totals.median_overhead * 1000:.0f} ms of them ours), {totals.median_micros / 1e6:.4f} in money."
    )
    yield f"All runs: {totals.tokens_in + totals.tokens_out} tokens, {totals.micros / 1e6:.4f} in money."


def _line(name: str, texts: Sequence[str]) -> str:
    return f"{name:<{_WIDTH}}" + "".join(f"{text:>16}" for text in texts)


def _counted(rate: Rate) -> str:
    return f"{rate.hits} of {rate.of}"


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _of_cases(rate: Rate) -> str:
    if rate.of < FEW:
        return ""
    found = clopper_pearson(rate.hits, rate.of)
    return f" ({percent(found.low)} to {percent(found.high)} of cases, at 95 %)"


def _span(interval: Interval | None) -> Iterator[str]:
    if interval is not None:
        yield _line("  at 95 %, over the cases", [f"{percent(interval.low)}–{percent(interval.high)}"])
