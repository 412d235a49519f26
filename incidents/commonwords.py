"""The words that stand in very many incidents, as PostgreSQL's statistics know them."""

import time
from collections.abc import Sequence

from django.db import connection

#: A word that fewer incidents have is found by its beginning in a few milliseconds.
_MANY = 2_000
_KEPT_SECONDS = 600
_ASKED = """
SELECT most_common_elems::text::text[], most_common_elem_freqs, greatest(reltuples, 0)
FROM pg_stats, pg_class
WHERE schemaname = 'public' AND tablename = 'incidents_incident' AND attname = 'words'
    AND pg_class.oid = 'incidents_incident'::regclass
"""
_last: tuple[float, Sequence[str]] | None = None


def common_words() -> Sequence[str]:
    """Return them, read once in ten minutes; none before the table was first looked at by ANALYZE."""
    global _last
    now = time.monotonic()
    if _last is None or now > _last[0] + _KEPT_SECONDS:
        _last = (now, _read())
    return _last[1]


def _read() -> Sequence[str]:
    with connection.cursor() as cursor:
        cursor.execute(_ASKED)
        row = cursor.fetchone()
    if row is None or row[0] is None:
        return ()
    # The shares of the rarest, of the commonest and of NULL follow those of the words.
    return tuple(word for word, share in zip(*row[:2], strict=False) if share * row[2] >= _MANY)
