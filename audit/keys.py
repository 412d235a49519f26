"""The key that signs checkpoints, and the keys that open them, as the environment names them."""

from pathlib import Path

from django.conf import settings

from assay_core.notes import NoteUnreadable, SigningKey, Verifier


class KeyUnusable(Exception):
    """AUDIT_SIGNING_KEY or AUDIT_VERIFIER can't be used; the message says why and what to do."""


def signing_key() -> SigningKey | None:
    """Return the key of AUDIT_SIGNING_KEY, itself or in the file that it names; None where it is not set.

    Raises KeyUnusable.
    """
    named: str = settings.AUDIT_SIGNING_KEY
    if not named:
        return None
    try:
        text = named if named.startswith("PRIVATE+KEY+") else Path(named).read_text(encoding="utf-8")
        return SigningKey.read(text)
    except OSError as error:
        raise KeyUnusable(
            f"AUDIT_SIGNING_KEY: the file {named} can't be read ({error.strerror}). "
            "`manage.py auditkey` makes a key."
        ) from None
    except (NoteUnreadable, UnicodeDecodeError) as error:
        raise KeyUnusable(f"AUDIT_SIGNING_KEY: {error}.") from None


def verifiers(texts: list[str] | None = None) -> tuple[Verifier, ...]:
    """Return the keys of `texts`, else those of AUDIT_VERIFIER and our own. Raises KeyUnusable."""
    found: list[Verifier] = []
    for text in settings.AUDIT_VERIFIER if texts is None else texts:
        try:
            found.append(Verifier.read(text))
        except NoteUnreadable as error:
            source = "AUDIT_VERIFIER" if texts is None else "--key"
            raise KeyUnusable(f"{source}: {error}.") from None
    own = signing_key() if texts is None else None
    if own is not None and own.verifier not in found:
        found.append(own.verifier)
    return tuple(found)
