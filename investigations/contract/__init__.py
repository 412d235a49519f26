"""The contract with investigators: the versioned schema of a submission, and reading one strictly."""

import json
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from assay_core.canonical import NotCanonical, canonical, digest
from investigations.outcomes import SubmissionRefused
from toolbox import schemas
from verdicts.case import NONE_OF_THESE, Finding, Submission
from verdicts.rulebook import Rulebook

VERSION = 1


def schema(rulebook: Rulebook) -> dict[str, Any]:
    """Return the schema of version 1 with the hypotheses of this rulebook filled in."""
    whole = deepcopy(_declared())
    active = [name for name in sorted(rulebook.rules) if not rulebook.inactive_because(name)]
    whole["properties"]["hypothesis"]["enum"] = [*active, NONE_OF_THESE]
    return whole


def schema_digest(rulebook: Rulebook) -> str:
    """Return the digest of the filled schema: which hypotheses there were when something was submitted."""
    return digest(schema(rulebook))


def reading(value: Any, rulebook: Rulebook, *, author: str) -> Submission:
    """Return the submission that a value holds; raise SubmissionRefused that says what is wrong with it."""
    wrong = _complaints(value, schema(rulebook))
    if wrong:
        refused = f"The submission is not as schema version {VERSION} has it: {wrong[0]}."
        raise SubmissionRefused(refused, wrong)
    return submission_of(value, author)


def _complaints(value: Any, whole: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a value; one that could not be kept as it is, is not taken either."""
    try:
        found = schemas.complaints(value, whole)
        canonical(value)
    except NotCanonical as error:
        return [str(error)]
    except RecursionError:
        return ["it is nested too deeply to be read"]
    return found


def submission_of(value: Mapping[str, Any], author: str) -> Submission:
    """Return the submission in a value that the schema accepts."""
    return Submission(
        hypothesis=value["hypothesis"],
        findings=tuple(
            Finding(fact=each["fact"], entry=each["entry"], note=each.get("note", ""), author=author)
            for each in value["findings"]
        ),
        draft=value["draft"],
        proposed_hypothesis=value.get("proposed_hypothesis", ""),
    )


@cache
def _declared() -> dict[str, Any]:
    file = Path(__file__).with_name(f"submission.v{VERSION}.schema.json")
    whole: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return whole
