"""Verify the log from within and leave the result in it, for the page that shows its state."""

from django.db import DatabaseError

from audit import verification, writing
from audit.report import CANNOT_VERIFY, Report

KIND = "log.verified"
ACTOR = "system:verifier"
_WORDS = {0: "intact", 1: "tampered", 2: "partial", CANNOT_VERIFY: "cannot verify"}
_SENTENCES = 30


def verify_and_record() -> writing.EntryRef:
    """Verify everything that this process can reach and write `log.verified`. Raises DatabaseError."""
    try:
        report = verification.verify()
    except DatabaseError as error:
        said = f"CANNOT VERIFY: the log could not be read to its end. {str(error).strip()}"
        return _write(CANNOT_VERIFY, [said], None)
    return record(report)


def record(report: Report) -> writing.EntryRef:
    """Write `log.verified` with a result."""
    return _write(report.exit_code, report.sentences(), report.checked)


def _write(code: int, sentences: list[str], checked: int | None) -> writing.EntryRef:
    payload = {
        "result": _WORDS[code],
        "sentences": [sentence[:500] for sentence in sentences[:_SENTENCES]],
        "checked": checked,
    }
    return writing.write(KIND, payload, actor=ACTOR)
