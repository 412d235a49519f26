"""A rubric: a checklist, one criterion a line, that a draft is graded by and written again until it is met.

Pure but for the grader, the reviser and the hooks that it is given. It improves a draft and has no way to a
verdict; whatever goes wrong with the grading, the draft stays and says that nobody confirmed it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay_core.canonical import digest
from investigations.states import RubricResult
from toolbox.values import is_storable

ITERATIONS = 3
CAP = 20
CRITERIA_MAX = 30
CRITERION_MAX = 500
_GAP_MAX = 600


class RubricRefused(ValueError):
    """A rubric can't be used; the message says what to change."""


class GradingFailed(Exception):
    """No grading came of which every criterion can be read; the message says why, for people."""


class RevisionFailed(Exception):
    """The draft could not be written again; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a rubric. Its id is ours: a grader answers by it and can't rename what it is asked."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """The criteria in their order, and the digest by which a grading names them."""

    criteria: tuple[Criterion, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Judged:
    """One criterion as it was graded. A pass has no gap, a miss has one."""

    id: str
    text: str
    passed: bool
    gap: str = ""

    def plain(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {"id": self.id, "text": self.text, "passed": self.passed, "gap": self.gap}


@dataclass(frozen=True, slots=True)
class Grading:
    """What a grader said: each criterion by its id, or that the rubric can't be answered at all."""

    criteria: tuple[Judged, ...]
    explanation: str = ""
    cannot: bool = False
    endpoint: str = ""
    model: str = ""
    prompt_digest: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One grading of one draft, and where it leaves the draft."""

    iteration: int  # from 0
    result: RubricResult
    draft: str
    grading: Grading


@dataclass(frozen=True, slots=True)
class Graded:
    """Where a draft ended. Only `satisfied` says that somebody confirmed it."""

    result: RubricResult
    draft: str
    evaluations: tuple[Evaluation, ...]
    note: str = ""  # why it was not written again though that was asked for


class Grader(Protocol):
    """Whoever grades a draft."""

    def __call__(self, draft: str, rubric: Rubric, /) -> Grading:
        """Grade each criterion; raise GradingFailed."""


@dataclass(frozen=True, slots=True)
class Hands:
    """Whoever works on a draft, and who is told before and after each grading.

    `revise` is given the draft and the feedback and returns the draft written again; it may raise
    RevisionFailed.
    """

    grader: Grader
    revise: Callable[[str, str], str]
    on_start: Callable[[int], None] = lambda iteration: None
    on_evaluation: Callable[[Evaluation], None] = lambda evaluation: None


def reading(text: str) -> Rubric | None:
    """Return the rubric that a text holds, None for a text without a line; raise RubricRefused."""
    lines = [line.strip().removeprefix("- ").strip() for line in text.splitlines()]
    lines = [line for line in dict.fromkeys(lines) if line]
    if not lines:
        return None
    if len(lines) > CRITERIA_MAX:
        raise RubricRefused(f"A rubric has at most {CRITERIA_MAX} lines; this one has {len(lines)}.")
    for line in lines:
        if len(line) > CRITERION_MAX:
            raise RubricRefused(f"A criterion has at most {CRITERION_MAX} characters, unlike {line[:60]!r}.")
        if not is_storable(line):
            raise RubricRefused(f"A criterion holds a character that can't be stored: {line[:60]!r}.")
    return Rubric(tuple(Criterion(f"c{number}", line) for number, line in enumerate(lines, 1)), digest(lines))


def improve(
    draft: str,
    rubric: Rubric | None,
    *,
    hands: Hands,
    iterations: int = ITERATIONS,
    earlier: Sequence[Evaluation] = (),
) -> Graded | None:
    """Grade, feed the gaps back, have the draft written again; at most `iterations` gradings, never over CAP.

    Without a rubric nothing is graded and None is returned. `earlier` are the evaluations of an interrupted
    run: it goes on after the last of them. Raises what the hooks raise.
    """
    if rubric is None:
        return None
    most, evaluations = max(1, min(iterations, CAP)), list(earlier)
    while not evaluations or evaluations[-1].result is RubricResult.NEEDS_REVISION:
        if evaluations:
            last = evaluations[-1]
            try:
                draft = hands.revise(last.draft, feedback(last.grading))
            except RevisionFailed as failed:
                return Graded(last.result, last.draft, tuple(evaluations), str(failed))
        iteration = len(evaluations)
        hands.on_start(iteration)
        evaluations.append(_evaluated(draft, rubric, hands.grader, iteration, most=most))
        hands.on_evaluation(evaluations[-1])
    return Graded(evaluations[-1].result, evaluations[-1].draft, tuple(evaluations))


def graded_again(graded: Graded, draft: str, rubric: Rubric, hands: Hands) -> Graded:
    """Grade a draft that was changed after its grading: what was said of another text says nothing."""
    iteration = len(graded.evaluations)
    hands.on_start(iteration)
    evaluation = _evaluated(draft, rubric, hands.grader, iteration, most=0)
    hands.on_evaluation(evaluation)
    return Graded(evaluation.result, draft, (*graded.evaluations, evaluation), graded.note)


def feedback(grading: Grading) -> str:
    """Return what a grading asks for: each gap, capped, then what is met already."""
    gaps = [f"- {each.text}\n  Gap: {each.gap[:_GAP_MAX]}" for each in grading.criteria if not each.passed]
    met = [f"- {each.text}" for each in grading.criteria if each.passed]
    parts = ["These criteria are not met yet:", *gaps]
    if met:
        parts += ["", "These are met; keep them so:", *met]
    return "\n".join(parts)


def schema(rubric: Rubric) -> dict[str, Any]:
    """Return the schema of a grader's answer: one entry for each criterion, by the ids of this rubric."""
    ids = [each.id for each in rubric.criteria]
    passed = {"properties": {"passed": {"const": True}}, "required": ["passed"]}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["criteria"],
        "properties": {
            "criteria": {
                "type": "array",
                "minItems": len(ids),
                "maxItems": len(ids),
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["id", "passed"],
                    "properties": {
                        "id": {"type": "string", "enum": ids},
                        "passed": {"type": "boolean"},
                        "gap": {"type": "string", "maxLength": 1000},
                    },
                    "if": passed,
                    "else": {"required": ["gap"]},
                },
            },
            "cannot_be_graded": {
                "type": "string",
                "maxLength": 1000,
                "description": "Only where the rubric itself can't be answered for any draft: why.",
            },
            "explanation": {"type": "string", "maxLength": 2000},
        },
    }


def grading_of(value: Mapping[str, Any], rubric: Rubric) -> Grading:
    """Return the grading of a grader's answer; raise GradingFailed for criteria left out, doubled or torn."""
    said = {each["id"]: each for each in value["criteria"]}
    if len(said) != len(value["criteria"]) or set(said) != {each.id for each in rubric.criteria}:
        raise GradingFailed("The grader did not answer each criterion once.")
    judged = []
    for each in rubric.criteria:
        passed, gap = said[each.id]["passed"], str(said[each.id].get("gap", "")).strip()
        if passed == bool(gap):
            torn = "met and names a gap" if passed else "not met and names no gap"
            raise GradingFailed(f"The grader says that a criterion is {torn}: {each.text[:80]!r}.")
        judged.append(Judged(each.id, each.text, passed, gap[:_GAP_MAX]))
    cannot = str(value.get("cannot_be_graded", "")).strip()
    return Grading(tuple(judged), cannot or str(value.get("explanation", "")), cannot=bool(cannot))


def _evaluated(draft: str, rubric: Rubric, grader: Grader, iteration: int, *, most: int) -> Evaluation:
    try:
        grading = grader(draft, rubric)
    except GradingFailed as failed:
        return Evaluation(iteration, RubricResult.GRADER_ERROR, draft, Grading((), str(failed)))
    if grading.cannot:
        result = RubricResult.FAILED
    elif {each.id for each in grading.criteria} != {each.id for each in rubric.criteria}:
        result = RubricResult.GRADER_ERROR
    elif all(each.passed for each in grading.criteria):
        result = RubricResult.SATISFIED
    elif iteration + 1 >= most:
        result = RubricResult.MAX_ITERATIONS_REACHED
    else:
        result = RubricResult.NEEDS_REVISION
    return Evaluation(iteration, result, draft, grading)
