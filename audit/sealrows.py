"""Read the seal's rows as they are, for verification and for nothing else."""

from collections.abc import Iterator

from django.db import connections

from audit.sealcheck import CheckpointRow, LeafRow

_AT_ONCE = 1000
_LEAVES = """
    SELECT l.leaf_index, l.entry, l.leaf, l.xid::text::numeric, e.leaf, e.xid::text::numeric
    FROM audit_leaf l LEFT JOIN audit_entry e ON e.id = l.entry ORDER BY l.leaf_index
"""
# Below the position of the last batch everything has to be sealed, in the cluster that the position is of.
_SKIPPED = """
    WITH last AS (SELECT after_xid, after_id, cluster FROM audit_batch ORDER BY id DESC LIMIT 1)
    SELECT e.id FROM audit_entry e, last
    WHERE last.cluster = (SELECT system_identifier FROM pg_control_system())
      AND (e.xid, e.id) <= (last.after_xid, last.after_id)
      AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.entry = e.id)
    ORDER BY e.id LIMIT 1000
"""

_PUBLISHED_AND_GONE = """
    SELECT p.size, min(p.place) FROM audit_publication p
    WHERE p.outcome = 'published' AND NOT EXISTS (SELECT FROM audit_checkpoint c WHERE c.size = p.size)
    GROUP BY p.size ORDER BY p.size LIMIT 1000
"""


def leaves(using: str) -> Iterator[LeafRow]:
    """Yield the leaves with their entries. Runs inside the caller's transaction."""
    with connections[using].chunked_cursor() as cursor:
        cursor.execute(_LEAVES)
        while batch := cursor.fetchmany(_AT_ONCE):
            for index, entry, leaf, xid, entry_leaf, entry_xid in batch:
                yield LeafRow(
                    index,
                    entry,
                    bytes(leaf),
                    int(xid),
                    None if entry_leaf is None else bytes(entry_leaf),
                    None if entry_xid is None else int(entry_xid),
                )


def checkpoints(using: str) -> Iterator[CheckpointRow]:
    """Yield the stored checkpoints in the order of their sizes. Runs inside the caller's transaction."""
    with connections[using].chunked_cursor() as cursor:
        cursor.execute("SELECT size, root, note FROM audit_checkpoint ORDER BY size, id")
        while batch := cursor.fetchmany(_AT_ONCE):
            for size, root, note in batch:
                yield CheckpointRow(size, bytes(root), note)


def nodes(using: str) -> dict[tuple[int, int], bytes]:
    """Return the stored subtrees: one for 256 entries."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT height, node_index, hash FROM audit_node")
        return {(height, index): bytes(value) for height, index, value in cursor.fetchall()}


def skipped(using: str) -> list[int]:
    """Return the first ids of entries that are older than the seal and not in it."""
    with connections[using].cursor() as cursor:
        cursor.execute(_SKIPPED)
        return [number for (number,) in cursor.fetchall()]


def published_and_gone(using: str) -> list[tuple[int, str]]:
    """Return the first sizes whose checkpoint was published and is not stored any more, each with a place."""
    with connections[using].cursor() as cursor:
        cursor.execute(_PUBLISHED_AND_GONE)
        return [(int(size), place) for size, place in cursor.fetchall()]


def signed_size(using: str) -> int:
    """Return the largest size that a stored checkpoint names."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT coalesce(max(size), 0) FROM audit_checkpoint")
        return int(cursor.fetchone()[0])
