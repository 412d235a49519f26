"""Classifying the issue that an investigation is about: once for each run, kept at once, deciding nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from assay_core.canonical import digest
from assay_core.instants import NotAnInstant, from_text
from assay_core.results import Status
from investigations import endpoints, leases, modelrun, models, rulebook
from investigations.budget import Budget, Metered
from investigations.classification import (
    CannotLook,
    Classification,
    Contract,
    IssueText,
    KnownIssue,
    KnownIssues,
    Listed,
    classify,
    contract,
    prompt_digest,
)
from investigations.evidence import Asker
from investigations.leases import Lease
from investigations.outcomes import BudgetSpent
from investigations.states import Purpose, RunResult
from investigations.talk import EndpointRefused
from toolbox import counting, registry
from toolbox.scope import CallScope
from toolbox.yamlfile import DefinitionError
from verdicts.case import Subject

ACTOR = "classifier"
KIND = "issue"
TOOL = "github_issue"
EXCHANGES = 2  # one, and one that mends its form; in a purse of its own, under the limits of a run

KnownTo = Callable[[int], KnownIssues]  # incident -> what is known of other issues where it came from


def nothing_known(incident: int) -> KnownIssues:
    """Know of no issue: whatever one links is then for a person to look at."""
    return Listed()


def is_only_classified(subject: Subject) -> bool:
    """Say whether a run has no more to do than to classify: no rule is about such an issue."""
    return subject.kind == KIND and not rulebook.current_rulebook().applicable(subject)


def classify_issue(row: models.Investigation, lease: Lease, subject: Subject, known_to: KnownTo) -> None:
    """Have the issue classified, where a model is set, and keep how that ended. Raises LeaseLost.

    A run that is taken over after that finds it kept, and pays for it once.
    """
    if endpoints.investigator() != "model" or models.Classified.objects.filter(investigation=row).exists():
        return
    agreed, issue = contract(), issue_of(subject)
    known = _Known(known_to(row.incident_id), issue, _asker(row, lease))
    try:
        place = endpoints.endpoint_in_use(Purpose.CLASSIFIER)
        model = endpoints.model_for(Purpose.CLASSIFIER, investigation=row.pk, incident=row.incident_id)
        leases.renew(lease, EXCHANGES * place.total_seconds)
        budget = Budget(modelrun.limits()).set_aside(turns=EXCHANGES, calls=0)
        metered = Metered(model, budget, place.prices, place.max_tokens)
        found = classify(issue, metered, agreed, known=known)
    except EndpointRefused as refused:
        found = _without(RunResult.ENDPOINT_DOWN, str(refused), agreed)
    except BudgetSpent as spent:
        found = _without(RunResult.FALLBACK, str(spent), agreed)
    _keep(row, lease, found, agreed, issue)


def issue_of(subject: Subject) -> IssueText:
    """Return the issue that a subject is, as a classifier is shown it."""
    number = subject.labels.get("number", "")
    template = subject.annotations.get("template labels", "")
    return IssueText(
        title=subject.title,
        body=subject.annotations.get("body", ""),
        template_labels=tuple(each for each in template.split(", ") if each),
        number=int(number) if number.isascii() and number.isdecimal() else 0,
        repository=subject.labels.get("repository", ""),
        opened_at=subject.started_at,
    )


def _without(status: RunResult, why: str, agreed: Contract) -> Classification:
    return Classification(
        status=status, why=why, contract_digest=agreed.digest, prompt_digest=prompt_digest()
    )


def _keep(
    row: models.Investigation, lease: Lease, found: Classification, agreed: Contract, issue: IssueText
) -> None:
    with transaction.atomic():
        leases.renew(lease)  # locks the row: what is kept is this attempt's
        models.Classified.objects.create(
            investigation=row,
            incident_id=row.incident_id,
            attempt=lease.attempt,
            endpoint=found.endpoint or endpoints.serving(Purpose.CLASSIFIER),
            contract_version=agreed.version,
            label_set=agreed.label_set,
            text_digest=digest([issue.title, issue.body]),
            created_at=timezone.now(),
            **_columns(found),
        )
        leases.note(
            lease,
            "issue.classified",
            status=found.status.value,
            label=found.label,
            reasons=" ".join(found.reasons),
            needs_human=str(found.needs_human).lower(),
            why=found.why,
            drifted=found.drifted,
            contract_digest=found.contract_digest,
            prompt_digest=found.prompt_digest,
            exchanges=" ".join(map(str, found.exchanges)),
        )

    counting.note_classified(found.status.value, has_drifted=bool(found.drifted))


def _columns(found: Classification) -> dict[str, Any]:
    spent = found.spent
    return {
        "status": found.status.value,
        "fenced": found.fenced,
        "label": found.label,
        "reasons": list(found.reasons),
        "checks": [
            {"reason": each.reason, "outcome": each.outcome.value, "words": each.words}
            for each in found.checks
        ],
        "needs_human": found.needs_human,
        "why": found.why,
        "drifted": found.drifted,
        "contract_digest": found.contract_digest,
        "prompt_digest": found.prompt_digest,
        "model": found.model,
        "fingerprint": found.fingerprint,
        "exchanges": list(found.exchanges),
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "micros": spent.micros,
        "seconds": spent.seconds,
    }


def _asker(row: models.Investigation, lease: Lease) -> Asker:
    scope = CallScope(caller=ACTOR, investigation=row.pk, incident=row.incident_id, is_derived=True)
    return Asker(scope, lease=lease, limit=settings.INVESTIGATION_MAX_CALLS)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known here of other issues; else, of the issue's own repository, what GitHub's tool answers."""

    here: KnownIssues
    issue: IssueText
    ask: Asker

    def find(self, repository: str, number: int) -> KnownIssue | None:
        """Return the issue, or None where it is known that there is none. Raises CannotLook and LeaseLost."""
        try:
            return self.here.find(repository, number)
        except CannotLook:
            if not _is_offered():
                raise
        if repository.casefold() != self.issue.repository.casefold():
            # The text of a stranger does not say where else the credential is used.
            raise CannotLook("only issues of its own repository are looked up")
        return self._asked(repository, number)

    def _asked(self, repository: str, number: int) -> KnownIssue | None:
        owner, _, repo = repository.partition("/")
        try:
            entry = self.ask(TOOL, {"owner": owner, "repo": repo, "number": number})
        except BudgetSpent as spent:
            raise CannotLook(str(spent)) from None
        if entry.status is Status.EMPTY:
            return None
        if entry.status is not Status.OBSERVED:
            raise CannotLook(f"{TOOL} could not tell (entry {entry.id}: {entry.status.value})")
        if entry.result["issue"].get("pull_request"):
            raise CannotLook("it is a pull request and no issue")
        return KnownIssue(repository, number, _instant(entry.result), f"entry {entry.id}")


def _is_offered() -> bool:
    try:
        return TOOL in registry.current().definitions
    except DefinitionError:
        return False


def _instant(result: Any) -> datetime | None:
    try:
        return from_text(result["issue"]["created_at"])
    except (KeyError, TypeError, NotAnInstant):
        return None
