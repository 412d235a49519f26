"""Where checkpoints are published: places that the database's owner can't rewrite."""

from collections.abc import Sequence

from django.conf import settings

from audit.places.base import Place, PlaceDiverged, PlaceFailed, PlaceUnknown
from audit.places.parsing import parsed

__all__ = ["Place", "PlaceDiverged", "PlaceFailed", "PlaceUnknown", "configured", "parsed"]


def configured() -> Sequence[Place]:
    """Return the places of AUDIT_PLACES. Raises PlaceUnknown with a cure."""
    return tuple(parsed(text, put_token=settings.AUDIT_PUT_TOKEN) for text in settings.AUDIT_PLACES)
