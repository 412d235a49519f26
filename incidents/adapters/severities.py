"""How grave senders say that something is, in the words that the queue and the notices sort by."""

from collections.abc import Mapping

from incidents.adapters.text import as_line
from toolbox import redaction

_MAX = 20
# Words of others that leave no doubt; one that could mean two things (minor, normal, none) stays as it is.
_MEANT: Mapping[str, str] = {
    **dict.fromkeys(("crit", "fatal", "emergency", "emerg", "disaster", "urgent", "page"), "critical"),
    **dict.fromkeys(("p0", "p1", "sev0", "sev1"), "critical"),
    **dict.fromkeys(("major", "p2", "sev2"), "high"),
    **dict.fromkeys(("err",), "error"),
    **dict.fromkeys(("warn",), "warning"),
    **dict.fromkeys(("average", "moderate", "p3", "sev3"), "medium"),
    **dict.fromkeys(("p4", "sev4"), "low"),
    **dict.fromkeys(("information", "informational", "notice", "debug", "p5", "sev5"), "info"),
}


def severity(said: str) -> str:
    """Return one short word in small letters: ours where the sender's means it; "unknown" for none."""
    line = as_line(said)
    if redaction.text(line) != line:
        return "unknown"
    word = "".join(char for char in line.lower() if char.isprintable())
    meant = _MEANT.get(word.replace("-", "").replace("_", "").replace(" ", ""))
    return meant or word[:_MAX] or "unknown"


def is_told_otherwise(said: str) -> bool:
    """Tell whether the sender's own word is another than the one that it is sorted by."""
    return bool(as_line(said)) and severity(said) != as_line(said).lower()
