"""What follows a model's submission, in this order: the critic, the rubric, the citation guard.

None of it has a way to a pass. The critic adds evidence against; the rubric and the guard change the draft
alone. What each came to is kept as soon as it is known, so that a run which is taken over goes on after it.
"""

from dataclasses import dataclass, replace

from django.conf import settings
from django.utils import timezone

from investigations import (
    critic,
    drafts,
    endpoints,
    models,
    offering,
    rewriting,
    rubric,
    rulebook,
)
from investigations.budget import Budget, Limits, Metered, granted
from investigations.calling import Tools
from investigations.citations import Ground, check
from investigations.conferring import Conferring, Unreachable
from investigations.demands import Ask, question
from investigations.dialogue import Dialogue
from investigations.evidence import Asker, entries_of
from investigations.happenings import Happening, Watcher
from investigations.judging import freeze
from investigations.leases import Lease
from investigations.marking import Marker, seen
from investigations.restrained import restrained
from investigations.rubric import Evaluation, Hands, Rubric
from investigations.states import CitationState, Purpose
from investigations.surroundings import Surroundings
from investigations.talk import EndpointRefused
from toolbox.scope import CallScope
from verdicts.case import Entry, Finding, Subject, Submission
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

#: The callers in whose names ids are looked up, and a draft's author asks again.
LOOKING_UP, WRITING = "citations", "model"


@dataclass(frozen=True, slots=True)
class Purses:
    """What is set aside at a run's start for what follows it, so that nothing before can use it up."""

    critic: Budget
    rubric: Budget
    mending: Budget

    @classmethod
    def set_aside(cls, budget: Budget, limits: Limits, *, has_critic: bool, has_rubric: bool) -> "Purses":
        """Take the parts out of a run's budget. For mending citations: half of its calls, two at least.

        A third of the turns, two at least, and a quarter of the calls stay with the loop: a guard of nothing
        guards nothing. Where not all can be granted, the critic comes first, since it alone can lower.
        """
        share = max(2, limits.turns // 6)
        # Each grading but the last is followed by a draft; a mended draft is graded once more.
        gradings = max(2, min(2 * settings.RUBRIC_ITERATIONS, limits.turns // 3))
        criticism = share if has_critic else 0
        turns = granted(
            limits.turns,
            keep=max(-(-limits.turns // 3), 2),
            wishes=(criticism, share, gradings if has_rubric else 0),
        )
        calls = granted(
            limits.calls,
            keep=-(-limits.calls // 4),
            wishes=(criticism, rewriting.reserve(limits.calls), share if has_rubric else 0),
        )
        critical, mending, grading = (
            budget.set_aside(turns=turn, calls=call) for turn, call in zip(turns, calls, strict=True)
        )
        return cls(critical, grading, mending)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A run whose submission is there, and all that its guards need."""

    around: Surroundings
    subject: Subject
    book: Rulebook
    watcher: Watcher
    purses: Purses

    def after(self, submission: Submission, added: tuple[Finding, ...]) -> Submission:
        """Return the submission with its draft as the guards leave it. Raises LeaseLost."""
        self.criticise(submission, added)
        draft = seen(submission.draft)
        if not draft.strip():
            return submission
        given = rubric.reading(self.around.rubric)
        hands = self._hands(given) if given else None
        if given is None or hands is None:
            return replace(submission, draft=self._mended(draft, submission, added))
        most, earlier = settings.RUBRIC_ITERATIONS, self.around.gradings(given)
        graded = rubric.improve(draft, given, hands=hands, iterations=most, earlier=earlier)
        assert graded is not None  # there is a rubric
        mended = self._mended(graded.draft, submission, added)
        if mended != graded.draft:
            rubric.graded_again(graded, mended, given, hands)
        return replace(submission, draft=mended)

    def criticise(self, submission: Submission, added: tuple[Finding, ...]) -> None:
        """Let a critic look where one is wanted. Raises LeaseLost."""
        if critic.is_wanted(settings.CRITIC_KINDS, self.subject, submission.hypothesis):
            self._review(submission, added)

    def _review(self, submission: Submission, added: tuple[Finding, ...]) -> None:
        """Let a critic look, once in a run."""
        rule = self.book.rules.get(submission.hypothesis)
        if rule is None or self.around.is_reviewed():
            return
        self.watcher.note(Happening.CRITIC_BEGAN, {})
        frozen = self.around.freeze(submission, added)
        decided = verdict(frozen.case, frozen.subject, frozen.entries, self.book)
        brief = critic.Brief(self.subject, rule, decided, frozen.entries, offering.hints())
        dialogue = self._dialogue(Purpose.CRITIC, self.purses.critic, caller=critic.ACTOR)
        review = critic.review(brief, dialogue, self._entries)
        self.around.keep_review(review)
        told = {"objections": len(review.objections), "refutations": len(review.refutations)}
        self.watcher.note(Happening.CRITIC_ENDED, {**told, "note": review.note})

    def _hands(self, given: Rubric) -> Hands:
        shown, purse = self._shown(), self.purses.rubric
        grades_by = rewriting.GRADER if settings.GRADER_HAS_TOOLS else ""

        def keep(evaluation: Evaluation) -> None:
            self.around.keep_grading(given, evaluation)
            gaps = sum(not each.passed for each in evaluation.grading.criteria)
            told = {"iteration": evaluation.iteration, "result": evaluation.result.value, "gaps": gaps}
            self.watcher.note(Happening.RUBRIC_ENDED, told)

        return Hands(
            grader=rewriting.ModelGrader(self._dialogue(Purpose.GRADER, purse, caller=grades_by), shown),
            revise=rewriting.Reviser(self._dialogue(Purpose.INVESTIGATOR, purse, caller=WRITING), shown),
            on_start=lambda number: self.watcher.note(Happening.RUBRIC_BEGAN, {"iteration": number}),
            on_evaluation=keep,
        )

    def _mended(self, draft: str, submission: Submission, added: tuple[Finding, ...]) -> str:
        """Return the draft, written again at most once where it cites something missing."""
        self.watcher.note(Happening.CHECKING_CITATIONS, {})

        def revise(text: str, wanted: str) -> str:
            self.watcher.note(Happening.REVISING, {"wanted": wanted[:2000]})
            talk = self._dialogue(Purpose.INVESTIGATOR, self.purses.mending, caller=WRITING)
            return rewriting.Reviser(talk, self._shown())(text, wanted)

        def ground() -> Ground:
            frozen = self.around.freeze(submission, added)
            return drafts.ground_of(frozen, self.book)

        ask = self.around.asker(looking_up(self.subject), limit=settings.INVESTIGATION_MAX_CALLS)
        look_up = self._restrained(ask)
        checked = rewriting.checked(draft, ground, look_up, revise)
        told = {state.value: len(checked.of(state)) for state in CitationState}
        self.watcher.note(Happening.CHECKED_CITATIONS, {**told, "figures": len(checked.figures)})
        return checked.written

    def _entries(self) -> dict[int, Entry]:
        return self.around.entries()

    def _shown(self) -> rewriting.Shown:
        return rewriting.Shown(self.subject, self._entries, offering.hints())

    def _restrained(self, ask: Ask) -> Ask:
        reserved = demanded(self.subject, self.book)
        return restrained(ask, self._entries(), reserved, self.book.shapes)

    def _dialogue(self, purpose: Purpose, purse: Budget, *, caller: str) -> Dialogue:
        """Return a dialogue with the endpoint of a purpose; without a caller it is offered no tools."""
        try:
            place = self.around.place(purpose)
            model = self.around.model(purpose)
        except EndpointRefused as refused:
            return Unreachable(str(refused))
        return Conferring(
            model=Metered(model, purse, place.prices, place.max_tokens),
            tools=lambda marker: self._tools(marker, purse, caller),
            watcher=self.watcher,
            heed=lambda: self.around.hold(place.total_seconds),
            room=place.context - place.max_tokens,
        )

    def _tools(self, marker: Marker, purse: Budget, caller: str) -> Tools:
        offers = self.around.offers(caller) if caller else ()
        scope = CallScope(
            caller=caller or WRITING,
            allow=frozenset(offer.name for offer in offers),
            subject=dict(self.subject.identifiers),
        )
        return Tools(
            offers=offers,
            ask=self._restrained(self.around.asker(scope, limit=settings.AGENT_MAX_CALLS)),
            marker=marker,
            take=purse.take_call,
            misasked=lambda tool, why: self.around.note_misasked(tool, why, by=caller),
            hints=offering.hints(),
        )


def purses_of(rubric_text: str, subject: Subject, budget: Budget, limits: Limits) -> Purses:
    """Set aside what the guards of this run will need."""
    has_critic, has_rubric = subject.kind in settings.CRITIC_KINDS, bool(rubric_text.strip())
    return Purses.set_aside(budget, limits, has_critic=has_critic, has_rubric=has_rubric)


def has_critic_for(subject: Subject, hypothesis: str) -> bool:
    """Say whether a critic is wanted for such a case, and a model is set that could be one."""
    return critic.is_wanted(settings.CRITIC_KINDS, subject, hypothesis) and endpoints.is_set(
        endpoints.serving(Purpose.CRITIC)
    )


def look_up_what_is_cited(
    row: models.Investigation, lease: Lease, submission: Submission, added: tuple[Finding, ...]
) -> None:
    """Look up what the draft names as it will be kept, as long as calls may be made. Raises LeaseLost.

    What is found is in the run's entries then, from which the draft is checked when it is stored.
    """
    if not any(pattern.look_up for pattern in drafts.patterns()):
        return
    book, entries = rulebook.current_rulebook(), entries_of(row.pk)
    frozen = freeze(row, submission, added, entries, now=timezone.now())
    decided = verdict(frozen.case, frozen.subject, frozen.entries, book)
    ask = restrained(looker(row, lease, frozen.subject), entries, demanded(frozen.subject, book), book.shapes)
    check(drafts.written(frozen, decided, book), drafts.ground_of(frozen, book), ask)


def demanded(subject: Subject, book: Rulebook) -> frozenset[str]:
    """Return the questions of every fact of every rule that is about the incident."""
    return frozenset(
        question(demand.tool, demand.arguments)
        for rule in book.applicable(subject)
        for demand in book.demands(rule, subject)
    )


def looker(row: models.Investigation, lease: Lease | None, subject: Subject) -> Asker:
    """Return an asker that looks ids up: for a short time each, and held to what the incident is about."""
    scope = replace(looking_up(subject), investigation=row.pk, incident=row.incident_id)
    return Asker(scope, lease=lease, limit=settings.INVESTIGATION_MAX_CALLS)


def looking_up(subject: Subject) -> CallScope:
    """Return the scope in which ids are looked up."""
    return CallScope(
        caller=LOOKING_UP, subject=dict(subject.identifiers), seconds=float(settings.CITATION_SECONDS)
    )
