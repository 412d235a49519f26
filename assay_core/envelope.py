"""What the leaf hash of an entry covers: its envelope, and its payload by commitment. Pure."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

from assay_core.canonical import canonical
from assay_core.instants import as_text
from assay_core.merkle import leaf_hash

ENVELOPE_VERSION = 1
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Envelope:
    """What an entry's leaf covers. The payload is in it by its commitment only, so that it can be erased."""

    id: int
    recorded_at: datetime
    kind: str
    actor: str
    incident: int | None
    investigation: int | None
    payload: str

    def canonical(self) -> str:
        """Return the one text of this envelope; raise NotAnInstant for a time without a zone."""
        return canonical(
            {
                "v": ENVELOPE_VERSION,
                "id": self.id,
                "recorded_at": as_text(self.recorded_at),
                "kind": self.kind,
                "actor": self.actor,
                "incident": self.incident,
                "investigation": self.investigation,
                "payload": self.payload,
            }
        )


def commitment(salt: bytes, body: str) -> str:
    """Return SHA-256(salt || body) in hex. The salt keeps an erased payload from being guessed."""
    return hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).hexdigest()


def leaf(canonical_text: str) -> bytes:
    """Return the leaf hash of an envelope's canonical text: SHA-256(0x00 || text)."""
    return leaf_hash(canonical_text.encode("utf-8", "surrogatepass"))


def is_same(expected: bytes, found: bytes) -> bool:
    """Compare two hashes without telling by the time taken where they differ."""
    return hmac.compare_digest(expected, found)
