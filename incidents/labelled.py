"""The labels that people gave issues as they closed them, beside what a model had said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from incidents.models import HumanLabel, Incident, Resolution
from incidents.states import State
from investigations import labels

KIND = "issue"


class LabelRefused(ValueError):
    """A label can't be given; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class HumanLabelled:
    """One closed issue with the label that a person gave it last. The text is as it first came in.

    `model_label` is empty where no model gave one; `is_override` says that it gave another. `target` is the
    issue that this one repeats, as owner/name#number, where the person said so.
    """

    incident: int
    source: str
    repository: str
    number: str
    title: str
    body: str
    template_labels: str
    label: str
    label_set: str
    model_label: str
    is_override: bool
    target: str
    by: str
    at: datetime


def check(kind: str, label: str) -> None:
    """Raise LabelRefused for a label that this kind of incident cannot be given."""
    if not label:
        return
    if kind != KIND:
        raise LabelRefused("Only an issue is given a label. Leave it out.")
    if label not in labels.labels():
        raise LabelRefused(f"There is no label {label[:40]!r}. Choose one of: {', '.join(labels.labels())}.")


def keep(resolution: Resolution, label: str, by: User) -> None:
    """Keep a person's label in the caller's transaction, beside what the model had said."""
    if not label:
        return
    last = labels.of_incident(resolution.incident_id)
    said = last.row.label if last is not None else ""
    HumanLabel.objects.create(
        resolution=resolution,
        incident_id=resolution.incident_id,
        label=label,
        label_set=labels.label_set(),
        model_label=said,
        classified_id=last.row.pk if last is not None else None,
        is_override=bool(said) and said != label,
        by=by,
        created_at=resolution.created_at,
    )


def human_labels(since: datetime) -> Sequence[HumanLabelled]:
    """Return each closed issue that a person gave a label from then on: its last one, the oldest first."""
    last = HumanLabel.objects.order_by("incident", "-pk").distinct("incident").values("pk")
    rows = (
        HumanLabel.objects.filter(pk__in=last, created_at__gte=since, incident__state=State.CLOSED)
        .select_related("incident__source", "resolution__duplicate_of", "by")
        .order_by("pk")
    )
    return [_plain(row) for row in rows]


def _plain(row: HumanLabel) -> HumanLabelled:
    incident: Incident = row.incident
    target = row.resolution.duplicate_of
    return HumanLabelled(
        incident=incident.pk,
        source=incident.source.slug,
        repository=str(incident.labels.get("repository", "")),
        number=str(incident.labels.get("number", "")),
        title=incident.title,
        body=str(incident.annotations.get("body", "")),
        template_labels=str(incident.annotations.get("template labels", "")),
        label=row.label,
        label_set=row.label_set,
        model_label=row.model_label,
        is_override=row.is_override,
        target=target.sender_key if target is not None and target.kind == KIND else "",
        by=row.by.username,
        at=row.created_at,
    )
