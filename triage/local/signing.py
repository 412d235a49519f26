"""The key that signs the audit log of the embedded set-up: made once, kept beside its database."""

import os
from pathlib import Path

from assay_core.notes import NoteUnreadable, SigningKey
from triage.local.refusals import CannotStart

NAME = "assay.local/audit"


def variables(folder: Path) -> dict[str, str]:
    """Return AUDIT_SIGNING_KEY and AUDIT_VERIFIER; the key is made on the first call. Raises CannotStart.

    The key goes to the upkeep worker alone, by the table in `children`.
    """
    file = folder / "audit-signing-key"
    if not file.exists():
        half = file.with_suffix(".half-made")
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(f"{SigningKey.make(NAME).text}\n")
            out.flush()
            os.fsync(out.fileno())
        half.replace(file)
    try:
        key = SigningKey.read(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, NoteUnreadable) as error:
        raise CannotStart(
            f"{file} can't be used ({error}), and the local audit log is signed with it: "
            "`make demo-reset` starts over."
        ) from None
    return {"AUDIT_SIGNING_KEY": key.text, "AUDIT_VERIFIER": key.verifier.text}
