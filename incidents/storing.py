"""What folding changes on many incidents, stored with one statement: a storm brings thousands."""

from collections.abc import Sequence

from django.db import connection

from incidents.models import Incident

_COLUMNS = {
    "id": "bigint",
    "signal_count": "integer",
    "flap_count": "integer",
    "not_shown_count": "integer",
    "first_received_at": "timestamptz",
    "last_received_at": "timestamptz",
    "episode_at": "timestamptz",
    "resolved_episode_at": "timestamptz",
    "recovered_at": "timestamptz",
    "sender_clock_note": "text",
}
_SETS = ", ".join(f"{name} = came.{name}" for name in _COLUMNS if name != "id")
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind in _COLUMNS.values())
_SQL = (
    f"UPDATE incidents_incident AS kept SET {_SETS} "  # noqa: S608 only the names above
    f"FROM unnest({_ARRAYS}) AS came ({', '.join(_COLUMNS)}) WHERE kept.id = came.id"
)


def store(incidents: Sequence[Incident]) -> None:
    """Store the folded fields of incidents that the caller has locked."""
    if not incidents:
        return
    with connection.cursor() as cursor:
        cursor.execute(_SQL, [[getattr(incident, name) for incident in incidents] for name in _COLUMNS])
