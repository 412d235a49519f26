"""Things that were given another key by their sender: the open incident moves along and stays one."""

from collections.abc import Sequence

from audit import writing
from incidents import matching
from incidents.adapters.reading import SignalValue
from incidents.models import Delivery, Incident
from incidents.states import State

_PLACE = frozenset({"repository", "number"})
_FROM = "transferred from"


def follow(delivery: Delivery, values: Sequence[SignalValue]) -> None:
    """Give open incidents the key, the place and the link that their sender now knows them by.

    In the caller's transaction, before the signals are matched. An incident that is open under the new key
    already is left alone: it names where it came from, and a person closes one as the other's duplicate.
    """
    for value in values:
        if value.moved_from and value.moved_from != value.sender_key:
            _follow(delivery, value)


def _follow(delivery: Delivery, value: SignalValue) -> None:
    source = delivery.source
    matching.line_up(source, sorted({value.moved_from, value.sender_key}))
    rows = Incident.objects.filter(source=source).exclude(state=State.CLOSED)
    incident = rows.select_for_update(no_key=True).filter(sender_key=value.moved_from).first()
    if incident is None or rows.filter(sender_key=value.sender_key).exists():
        return
    incident.sender_key = value.sender_key
    incident.identifiers = {**incident.identifiers, **value.identifiers}
    incident.labels = {
        **incident.labels,
        **{name: value.labels[name] for name in _PLACE & value.labels.keys()},
    }
    incident.annotations = {**incident.annotations, _FROM: value.annotations.get(_FROM, value.moved_from)}
    incident.save(update_fields=["sender_key", "identifiers", "labels", "annotations"])
    writing.write(
        "incident.transferred",
        {"delivery": delivery.pk, "from": value.moved_from, "to": value.sender_key},
        actor=f"source:{source.slug}",
        incident=incident.pk,
    )
