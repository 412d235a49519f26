"""The patterns in which a candidate differs from its baseline, each with its likely cause and fix. Pure.

docs/reference/drill-patterns.md explains each; a test holds it to PATTERNS.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from investigations.states import RunResult
from trials.drills.comparing import Comparison

_FEWEST = 3  # of one label, to say anything of it
_POINTS_MENDED, _POINTS_ESCALATED, _POINTS_ALIKE = 2, 5, 2
_OTHER_ROWS = 0.1
_SLOWER, _SLOWER_SECONDS = 1.5, 0.25


@dataclass(frozen=True, slots=True)
class Pattern:
    """One thing that was seen. `name` is how the documentation heads it."""

    name: str
    seen: str
    cause: str
    fix: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """One pattern that is looked for: `seen` returns the words for each time it is there."""

    name: str
    seen: Callable[[Comparison], Iterator[str]]
    cause: str
    fix: str


def found(of: Comparison) -> tuple[Pattern, ...]:
    """Return the patterns of a comparison, the gravest first."""
    if not of.rows:
        return ()
    return tuple(Pattern(kind.name, seen, kind.cause, kind.fix) for kind in KINDS for seen in kind.seen(of))


def _points(before: int, after: int, of: int) -> float:
    return 100 * (after - before) / of


def _false_passes(of: Comparison) -> Iterator[str]:
    if of.new_false_passes:
        yield f"{len(of.new_false_passes)} rows: {', '.join(of.new_false_passes[:5])}"


def _fallbacks(of: Comparison) -> Iterator[str]:
    if _points(of.old.mended, of.new.mended, of.rows) > _POINTS_MENDED:
        yield f"repaired or fallen back in {of.old.mended} rows before and {of.new.mended} now"


def _statuses(status: RunResult, words: str) -> Callable[[Comparison], Iterator[str]]:
    def seen(of: Comparison) -> Iterator[str]:
        before, after = of.old.statuses.get(status, 0), of.new.statuses.get(status, 0)
        if after > before:
            yield f"{words} in {before} rows before and {after} now"

    return seen


def _collapsing(of: Comparison) -> Iterator[str]:
    for label in of.labels:
        before, after, total = _right(of, label)
        if total < _FEWEST or 2 * after > before or before - after < 2:
            continue
        moved = {
            got: new - old
            for (expected, got), (old, new) in of.confusion.items()
            if expected == label and got != label and new > old
        }
        to, count = Counter(moved).most_common(1)[0]
        if 2 * count >= before - after:
            yield f"{label}: right in {before} of {total} rows before and {after} now, mostly {to} instead"


def _right(of: Comparison, label: str) -> tuple[int, int, int]:
    """Return how many rows of a label were right before, are now, and how many there are."""
    before, after = of.confusion.get((label, label), (0, 0))
    total = sum(old for (expected, _), (old, _) in of.confusion.items() if expected == label)
    return before, after, total


def _escalation(of: Comparison) -> Iterator[str]:
    before, after = of.old.escalated.hits, of.new.escalated.hits
    if _points(before, after, of.rows) > _POINTS_ESCALATED:
        yield f"a person asked for in {before} rows before and {after} now, of {of.rows}"


def _other_rows(of: Comparison) -> Iterator[str]:
    before, after = of.old.agreement.hits, of.new.agreement.hits
    both = min(len(of.lost), len(of.gained))
    is_alike = abs(_points(before, after, of.rows)) <= _POINTS_ALIKE
    if is_alike and both > 1 and 2 * both >= _OTHER_ROWS * of.rows:
        yield f"{len(of.lost)} rows lost and {len(of.gained)} gained: {before} agreed before and {after} now"


def _fenced(of: Comparison) -> Iterator[str]:
    if _points(of.old.fenced, of.new.fenced, of.rows) > _POINTS_ESCALATED:
        yield f"in {of.old.fenced} rows before and {of.new.fenced} now"


def _slower(of: Comparison) -> Iterator[str]:
    before, after = of.old.seconds, of.new.seconds
    if after >= before * _SLOWER and after - before >= _SLOWER_SECONDS:
        yield f"the median row took {before:.2f} s before and takes {after:.2f} s now"


def _dearer(of: Comparison) -> Iterator[str]:
    if of.old.micros and of.new.micros >= of.old.micros * _SLOWER:
        yield f"{of.new.micros / of.old.micros:.1f} times the money"
    elif of.old.tokens and of.new.tokens >= of.old.tokens * _SLOWER:
        yield f"{of.new.tokens / of.old.tokens:.1f} times the tokens"


def _down(of: Comparison) -> Iterator[str]:
    if of.new.down > of.old.down:
        yield f"no reply to {of.new.down} questions, which leave every denominator"


KINDS: tuple[_Kind, ...] = (
    _Kind(
        "New false passes",
        _false_passes,
        "It takes issues for spam or duplicates that are none, and asks nobody.",
        "Read those rows first. Do not promote it; a stricter prompt is a change of its own, drilled alone.",
    ),
    _Kind(
        "Fallbacks up",
        _fallbacks,
        "Its replies miss the contract's shape: its server ignores the schema, or it wraps JSON in prose.",
        "Set CANDIDATE_LLM_QUIRKS to the section of its server, which says how a schema is sent.",
    ),
    _Kind(
        "Refusals up",
        _statuses(RunResult.REFUSED, "refused"),
        "Its provider filters what it reads: quoted attacks, logs and advertisements look harmful.",
        "Read the refusals in the rows; ask the provider for a filter that fits, or keep the old one.",
    ),
    _Kind(
        "Cut off",
        _statuses(RunResult.CUT_OFF, "cut off"),
        "It writes more before the answer, reasoning as a rule, than CANDIDATE_LLM_MAX_TOKENS allows.",
        "Raise CANDIDATE_LLM_MAX_TOKENS, or choose a quirk that turns its reasoning off.",
    ),
    _Kind(
        "One label collapsing",
        _collapsing,
        "It draws the line between two labels elsewhere; an older prompt was worded for the older model.",
        "Read the label's rows. Where people agree with it, change the golden labels; else keep the old one.",
    ),
    _Kind(
        "Escalation up",
        _escalation,
        "It asks for a person more readily, or claims reasons that the text contradicts.",
        "Compare findings found and needed in its CSV: claimed reasons that do not hold do this.",
    ),
    _Kind(
        "Equal agreement on other rows",
        _other_rows,
        "It is as good on the whole and errs elsewhere: the sum hides the change.",
        "Read what was lost: whether those are the rows that matter to you decides, not the sum.",
    ),
    _Kind(
        "Fenced replies up",
        _fenced,
        "It puts its JSON into a code fence, which is taken off and counted as valid.",
        "Nothing has to be done; a server that sends the JSON Schema to the model ends it.",
    ),
    _Kind(
        "Slower",
        _slower,
        "It is a larger model, it reasons before it answers, or its server queues.",
        "Try it from the page Models; lower CANDIDATE_LLM_MAX_TOKENS, or ask fewer rows at once.",
    ),
    _Kind(
        "Dearer",
        _dearer,
        "Its price is higher, or it writes more for the same answer.",
        "Work out a month with the cost column of its CSV before you promote it.",
    ),
    _Kind(
        "Down",
        _down,
        "It gave no reply although each question was repeated.",
        "Look at its server; the drill says nothing about those rows. Run it again.",
    ),
)
PATTERNS: Mapping[str, _Kind] = {kind.name: kind for kind in KINDS}
