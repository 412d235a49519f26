"""How issues were classified, for pages, the API and whatever compares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay_core.canonical import digest
from assay_core.instants import as_text
from investigations.classification import Checked, contract
from investigations.models import Classified
from investigations.states import RunResult

_ENDS: Mapping[str, str] = {
    RunResult.FIRST_PASS: "its first answer met the contract",
    RunResult.REPAIRED: "its second answer met the contract, after it was told what was wrong with the first",
    RunResult.FALLBACK: "no answer met the contract",
    RunResult.REFUSED: "the model refused",
    RunResult.CUT_OFF: "its answer was cut off",
    RunResult.ENDPOINT_DOWN: "no answer came",
}
_SAYS: Mapping[str, str] = {
    Checked.HOLDS: "holds",
    Checked.CONTRADICTED: "contradicted by the text",
    Checked.UNCHECKED: "could not be checked",
    Checked.CLAIMED: "the model's word alone",
}


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """One reason that the model gave, and what code found of it."""

    code: str
    outcome: str
    says: str
    words: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """The classification of one issue as a page shows it."""

    row: Classified
    ended: str
    reasons: tuple[ReasonLine, ...]


def labels() -> tuple[str, ...]:
    """Return the labels of the contract in use."""
    return contract().labels


def label_set() -> str:
    """Return the version of that set of labels."""
    return contract().label_set


def of_incident(incident_id: int) -> Labelled | None:
    """Return how the issue was classified last, or None where no model was asked."""
    row = Classified.objects.filter(incident_id=incident_id).order_by("-pk").first()
    if row is None:
        return None
    lines = tuple(
        ReasonLine(each["reason"], each["outcome"], _SAYS[each["outcome"]], each["words"])
        for each in row.checks
    )
    return Labelled(row, _ENDS[row.status], lines)


def is_of(row: Classified, title: str, body: str) -> bool:
    """Say whether this is the text that was classified."""
    return row.text_digest == digest([title, body])


def plain(row: Classified) -> dict[str, Any]:
    """Return a classification as JSON values."""
    return {
        "investigation": row.investigation_id,
        "status": row.status,
        "fenced": row.fenced,
        "label": row.label,
        "reasons": row.reasons,
        "checks": row.checks,
        "needs_human": row.needs_human,
        "why": row.why,
        "drifted": row.drifted,
        "contract_version": row.contract_version,
        "label_set": row.label_set,
        "contract_digest": row.contract_digest,
        "prompt_digest": row.prompt_digest,
        "endpoint": row.endpoint,
        "model": row.model,
        "exchanges": row.exchanges,
        "classified_at": as_text(row.created_at),
    }
