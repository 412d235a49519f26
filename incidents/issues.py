"""What stands on an issue's page besides what stands on every incident's."""

from collections.abc import Mapping
from typing import Any

from incidents import proposed
from incidents.models import Incident
from investigations import labels

KIND = "issue"


def shown(incident: Incident) -> Mapping[str, Any]:
    """Return how an issue was classified, and what may be done about its label; nothing for another kind."""
    if incident.kind != KIND:
        return {}
    found = labels.of_incident(incident.pk)
    last = incident.signals.order_by("-pk").values_list("title", "text").first()
    return {
        "classified": found,
        "was_edited": found is not None and last is not None and not labels.is_of(found.row, *last),
        "template_labels": incident.annotations.get("template labels", ""),
        "label_names": proposed.labels_for(incident),
    }
