"""An issue of a repository as a page can show it: classified, doubted, and edited since."""

from datetime import datetime

from incidents.models import Incident
from investigations import classification
from investigations.models import Classified, Investigation
from tests.db.issues import REPOSITORY, a_source, an_issue, deliver, event

BODY = "Open a parcel. The page stays white.\n\nThe same as #3, I think. Seen with v1.4.2."


def made(now: datetime) -> dict[str, str | int]:
    """Let one come in and be classified, as workers would; return what its address is filled with."""
    source = a_source("github-shop", title="Issues of the shop")
    opened = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    issue = an_issue(body=BODY, labels=[{"name": "bug"}], created_at=opened)
    deliver(source, event(issue=issue), at=now)
    incident = Incident.objects.get(source=source)
    run = Investigation.objects.get(incident_id=incident.pk)
    agreed = classification.contract()
    Classified.objects.create(
        investigation=run, incident_id=incident.pk, attempt=1, status="repaired", label="duplicate",
        reasons=["links_prior_issue", "version_missing", "repro_steps_present"],
        checks=[
            _check("links_prior_issue", "holds", f"{REPOSITORY}#3 exists and is older"),
            _check("version_missing", "contradicted", "the text names a version: v1.4.2"),
            _check("repro_steps_present", "claimed", ""),
        ],
        needs_human=True, why="The model claims version_missing, and the text names a version: v1.4.2.",
        drifted="regression", contract_version=agreed.version, label_set=agreed.label_set,
        contract_digest=agreed.digest, prompt_digest=classification.prompt_digest(), endpoint="default",
        model="scripted-1", text_digest="0" * 64, created_at=now,
    )  # fmt: skip
    return {"issue": incident.pk}


def _check(reason: str, outcome: str, words: str) -> dict[str, str]:
    return {"reason": reason, "outcome": outcome, "words": words}
