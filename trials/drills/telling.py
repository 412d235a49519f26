"""What a drill's commands print: as much as may be shown while rows are unread, then all of it. Pure."""

from collections.abc import Iterator, Sequence

from incidents.figures.intervals import Rate
from trials.drills.answers import Answer
from trials.drills.comparing import NOTHING, TIMES, Comparison, Side, interval
from trials.drills.patterns import Pattern
from trials.drills.policy import Decision, Outcome, Policy
from trials.drills.queries import Difference

_LONGEST = 2_000


def locked(found: Comparison, *, unread: int, link: str) -> Iterator[str]:
    """Yield what may be said before each difference was read: the rows, the false passes, where to read."""
    yield f"{found.rows} rows were compared{_left_out(found)}."
    yield from _false_passes(found)
    yield f"{unread} rows in which the two differ are unread. Read them: {link}"
    yield "What it comes to is shown once they are read."


def _left_out(found: Comparison) -> str:
    return f"; {found.left_out} are left out, as an endpoint was down" if found.left_out else ""


def _false_passes(found: Comparison) -> Iterator[str]:
    if found.new.false_passes:
        yield f"False passes of the candidate: {', '.join(found.new.false_passes)}"
    if found.new_false_passes:
        yield f"  of which new: {', '.join(found.new_false_passes)}"


def table(found: Comparison, needed: int) -> Iterator[str]:
    """Yield the two sides beside one another: counts, and percentages with intervals where there are rows."""
    has_enough = found.rows >= needed
    yield f"{'':<26}{'baseline':<32}candidate"
    for name, old, new in rates(found):
        yield f"{name:<26}{rate_text(old, has_enough):<32}{rate_text(new, has_enough):<32}".rstrip()
    for name, before, after in numbers(found):
        yield f"{name:<26}{before:<32}{after:<32}".rstrip()
    paired = found.paired
    tested = f"exact McNemar p = {paired.p:.3f}, mid-p = {paired.mid_p:.3f}"
    yield f"lost {paired.lost}, gained {paired.gained}: {tested}"
    if found.left_out:
        yield f"left out, as an endpoint was down: {found.left_out}"


def rates(found: Comparison) -> Iterator[tuple[str, Rate, Rate]]:
    """Yield each rate by its name, of the baseline and of the candidate."""
    old, new, of = found.old, found.new, found.rows
    yield "agreement", old.agreement, new.agreement
    yield "schema_ok", old.schema_ok, new.schema_ok
    yield "  at first try", old.first_try, new.first_try
    yield "escalated", old.escalated, new.escalated
    yield "false passes", Rate(len(old.false_passes), of), Rate(len(new.false_passes), of)
    for part in found.parts:
        yield f"agreement, {part.name}", part.old, part.new


def numbers(found: Comparison) -> Iterator[tuple[str, str, str]]:
    """Yield what is no rate by its name, in words, of the baseline and of the candidate."""
    old, new = found.old, found.new
    yield "statuses", _statuses(old), _statuses(new)
    yield "fenced", str(old.fenced), str(new.fenced)
    yield "median seconds a row", f"{old.seconds:.2f}", f"{new.seconds:.2f}"
    yield "tokens", str(old.tokens), str(new.tokens)
    yield "cost", f"{old.micros / 1_000_000:.4f}", f"{new.micros / 1_000_000:.4f}"
    yield f"pass^{TIMES}", _shown(old.pass_all), _shown(new.pass_all)


def _statuses(side: Side) -> str:
    return " ".join(f"{status.value}:{count}" for status, count in sorted(side.statuses.items()))


def _shown(share: float | None) -> str:
    return "not measured" if share is None else f"{share:.2f}"


def rate_text(rate: Rate, has_enough: bool) -> str:
    """Return a rate in words: counts, and with enough rows the percentage with its interval."""
    if not has_enough or rate.share is None:
        return f"{rate.hits} of {rate.of}"
    span = interval(rate)
    return f"{rate.hits} of {rate.of}, {rate.share:.0%} ({span.low:.0%} to {span.high:.0%})"


def confusion(found: Comparison) -> Iterator[str]:
    """Yield the confusion table: expected labels down, what was got across, each as baseline/candidate."""
    got = [*found.labels, *sorted({name for _, name in found.confusion} - {*found.labels, NOTHING}), NOTHING]
    width = max(map(len, got)) + 2
    yield "expected \\ got".ljust(16) + "".join(name.rjust(width) for name in got)
    for label in found.labels:
        cells = [found.confusion.get((label, name), (0, 0)) for name in got]
        shown = ["·" if cell == (0, 0) else f"{cell[0]}/{cell[1]}" for cell in cells]
        yield label.ljust(16) + "".join(each.rjust(width) for each in shown)


def decision(said: Decision, by: Policy) -> Iterator[str]:
    """Yield the decision, by which rule, and what each rule said."""
    word = said.outcome.value.upper() if said.outcome is not Outcome.TOO_FEW else said.outcome.value
    yield f"Decision by policy {by.version}: {word}. {said.because}"
    for rule in said.rules:
        yield f"  {'x' if rule.outcome else '·'} {rule.words}"


def whole(found: Comparison, said: Decision, by: Policy, patterns: Sequence[Pattern]) -> Iterator[str]:
    """Yield all that a drill comes to, for when each difference was read."""
    yield f"{found.rows} rows were compared{_left_out(found)}."
    yield ""
    yield from table(found, by.rows_needed)
    yield ""
    yield from confusion(found)
    yield ""
    for pattern in patterns:
        yield f"{pattern.name}: {pattern.seen}"
        yield f"  likely: {pattern.cause}"
        yield f"  do: {pattern.fix}"
    if patterns:
        yield ""
    yield from decision(said, by)


def difference(row: Difference, place: str) -> Iterator[str]:
    """Yield one row in which the two differ, for a person to read in a terminal."""
    yield f"--- {place}: {row.row_id} ---"
    yield _plain(row.title)
    if row.body:
        yield _plain(row.body)
    yield f"people said:  {row.old.expected}"
    for name, answer in (("baseline", row.old), ("candidate", row.new)):
        yield f"{name + ':':<14}{answer.got or NOTHING} ({_how(answer)})"
        if answer.why:
            yield f"              {_plain(answer.why)}"
        for reply in filter(None, answer.replies):
            yield f"              wrote: {_plain(reply)}"


def _how(answer: Answer) -> str:
    parts = [answer.status.value, *(["fenced"] if answer.is_fenced else []), ", ".join(answer.reasons)]
    return "; ".join(filter(None, [*parts, "asks for a person" if answer.needs_human else ""]))


def _plain(text: str) -> str:
    """Return a text that does nothing to a terminal: no control characters but line ends."""
    return "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in text)[:_LONGEST]
