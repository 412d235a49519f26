"""The tree as it is stored, read in tiles of 256 hashes, so that any proof takes a handful of queries."""

from django.db import connections

from assay_core import merkle
from assay_core.merkle import node_hash

TILE_BITS = 8
_WIDTH = 1 << TILE_BITS
_LEAVES = "SELECT leaf FROM audit_leaf WHERE leaf_index >= %s AND leaf_index < %s ORDER BY leaf_index"
_NODES = (
    "SELECT hash FROM audit_node WHERE height = %s AND node_index >= %s AND node_index < %s"
    " ORDER BY node_index"
)


class TreeIncomplete(Exception):
    """The stored tree lacks leaves or nodes that it has to have: it was tampered with."""


class StoredTree:
    """Reads the hashes of complete subtrees. One object sees one state: make a new one for each use."""

    def __init__(self, using: str) -> None:
        self._using = using
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def subtree(self, height: int, index: int) -> bytes:
        """Return the hash of a complete subtree. Raises TreeIncomplete."""
        base = height - height % TILE_BITS
        width = 1 << (height - base)
        first = index * width
        tile = self._tile(base, first >> TILE_BITS)
        place = first % _WIDTH
        row = tile[place : place + width]
        if len(row) < width:
            raise TreeIncomplete(f"subtree {index} of height {height} is not whole in the stored tree")
        while len(row) > 1:
            row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
        return row[0]

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` leaves. Raises TreeIncomplete."""
        return merkle.root(size, self.subtree)

    def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        """Return the path of one leaf in the tree of `size`. Raises TreeIncomplete, ValueError."""
        return merkle.inclusion(index, size, self.subtree)

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """Return the proof that one size grew from the other. Raises TreeIncomplete, ValueError."""
        return merkle.consistency(old, new, self.subtree)

    def _tile(self, base: int, number: int) -> list[bytes]:
        key = (base, number)
        if key not in self._tiles:
            first = number << TILE_BITS
            edges = (first, first + _WIDTH)
            query, values = (_NODES, (base, *edges)) if base else (_LEAVES, edges)
            with connections[self._using].cursor() as cursor:
                cursor.execute(query, values)
                self._tiles[key] = [bytes(value) for (value,) in cursor.fetchall()]
        return self._tiles[key]
