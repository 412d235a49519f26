"""What stands beside a draft wherever it goes: its ids, its unquoted figures, its grading, the objections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef

from investigations import models
from investigations.rowlists import listed, read
from investigations.states import CitationState, RubricResult

_IDS = 60
RUBRIC: Mapping[str, str] = {
    RubricResult.SATISFIED: "meets its rubric",
    RubricResult.NEEDS_REVISION: "does not meet its rubric yet",
    RubricResult.MAX_ITERATIONS_REACHED: "does not meet its rubric: the tries are used up",
    RubricResult.FAILED: "failed its rubric",
    RubricResult.GRADER_ERROR: "was not graded: the grader did not come to a result for this text",
}


_RUN = OuterRef("investigation")
_LISTS = {
    "its_ids": listed(models.Citation.objects.filter(draft=OuterRef("pk"))[:_IDS]),
    "its_figures": listed(models.Figure.objects.filter(draft=OuterRef("pk"))[:_IDS]),
    "gradings": listed(models.RubricEvaluation.objects.filter(investigation=_RUN).order_by("-pk")[:20]),
    "objections": listed(models.Objection.objects.filter(investigation=_RUN)),
}


@dataclass(frozen=True, slots=True)
class IdLine:
    """One id in the draft, and whether it names something. Only a verified one has a `link`."""

    kind: str
    text: str
    state: str
    reason: str
    entry: int | None
    link: str


@dataclass(frozen=True, slots=True)
class ObjectionLine:
    """One hole that a critic sees. It decides nothing; with `refutation` the rule has looked at its entry."""

    about: str
    refutation: str
    entry: int
    says: str


@dataclass(frozen=True, slots=True)
class CriterionLine:
    """One criterion of the rubric, as the last grading has it."""

    text: str
    is_met: bool
    gap: str


@dataclass(frozen=True, slots=True)
class Beside:
    """All of it for one draft."""

    written_by: str = "code"
    caution: str = ""  # what stands in words above the text; empty where code wrote it or a pass was earned
    ids: Sequence[IdLine] = ()
    figures: Sequence[str] = ()
    rubric: str = ""  # the result's name; empty where nothing was graded
    rubric_words: str = ""
    criteria: Sequence[CriterionLine] = ()
    gradings: int = 0
    objections: Sequence[ObjectionLine] = ()
    critic_note: str = ""

    @property
    def missing(self) -> Sequence[IdLine]:
        """The ids that name nothing."""
        return [each for each in self.ids if each.state == CitationState.MISSING]

    @property
    def unchecked(self) -> Sequence[IdLine]:
        """The ids that could not be looked up."""
        return [each for each in self.ids if each.state == CitationState.UNCHECKED]

    @property
    def links(self) -> Mapping[str, IdLine]:
        """The ids that the draft may link, by how it writes them; entries are linked by themselves."""
        return {
            each.text: each
            for each in self.ids
            if each.state == CitationState.VERIFIED and each.kind != "entry"
        }

    def plain(self) -> dict[str, Any]:
        """Return it as the API gives it, beside the draft's text."""
        return {
            "written_by": self.written_by,
            "caution": self.caution or None,
            "citations": [
                {"kind": each.kind, "id": each.text, "state": each.state, "reason": each.reason}
                for each in self.ids
            ],
            "figures_without_entry": list(self.figures),
            "rubric": {"result": self.rubric, "words": self.rubric_words} if self.rubric else None,
            "objections": [
                {"about": each.about, "refutation": each.refutation, "entry": each.entry, "says": each.says}
                for each in self.objections
            ],
        }  # fmt: skip


def of_verdict(verdict_id: int) -> Beside | None:
    """Return what stands beside the draft of a verdict."""
    drafts = models.Draft.objects.select_related("investigation", "verdict").filter(verdict_id=verdict_id)
    draft = drafts.annotate(**_LISTS).first()
    return _of_row(draft) if draft else None


def caution(draft: models.Draft) -> str:
    """Return what a reader is told before the words of a draft that nobody vouches for."""
    if draft.written_by == "code" or draft.verdict.passed:
        return ""
    author = "a model" if draft.written_by == "model" else "an outside agent"
    return (
        f"No pass was earned. This text is {author}'s own: the ids and figures that it names were checked, "
        "and nothing else that it says."
    )


def beside(draft: models.Draft) -> Beside:
    """Return what stands beside a draft."""
    drafts = models.Draft.objects.select_related("investigation", "verdict").annotate(**_LISTS)
    return _of_row(drafts.get(pk=draft.pk))


def _of_row(draft: Any) -> Beside:
    row = draft.investigation
    gradings = read(models.RubricEvaluation, draft.gradings) if draft.rubric_result else []
    return Beside(
        written_by=draft.written_by,
        caution=caution(draft),
        ids=[
            IdLine(each.kind, each.text, each.state, each.reason, each.entry, each.link)
            for each in read(models.Citation, draft.its_ids)
        ],
        figures=[each.text for each in read(models.Figure, draft.its_figures)],
        rubric=draft.rubric_result,
        rubric_words=RUBRIC.get(draft.rubric_result, ""),
        criteria=_criteria(gradings[0]) if gradings else (),
        gradings=len(gradings),
        objections=[
            ObjectionLine(each.about, each.refutation, each.entry, each.says)
            for each in (read(models.Objection, draft.objections) if row.critic_note else ())
        ],
        critic_note=row.critic_note,
    )


def _criteria(last: models.RubricEvaluation) -> Sequence[CriterionLine]:
    return [
        CriterionLine(str(each["text"]), bool(each["passed"]), str(each["gap"])) for each in last.criteria
    ]
