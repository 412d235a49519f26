"""The one place where a rule's own code runs: whatever it raises becomes a sentence, never a pass."""

from collections.abc import Callable
from typing import Any

from assay_core.instants import NotAnInstant
from verdicts.answer import FieldMismatch, FieldMissing
from verdicts.case import IdentifierMissing
from verdicts.demand import NotAskable

#: Their messages are ours and the same every time. Of others only the type is told: a message may hold
#: an address in memory, and equal arguments must give an equal verdict.
_OURS = (FieldMissing, FieldMismatch, IdentifierMissing, NotAskable, NotAnInstant)


def attempt(call: Callable[..., Any], *values: Any) -> tuple[Any, str]:
    """Call a rule's code; return its value and an empty text, or None and what went wrong."""
    try:
        return call(*values), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 a rule may be anybody's code
        return None, _told(error)


def attempt_check(check: Callable[[Any, Any], Any], answer: Any, subject: Any) -> tuple[Any, str]:
    """Do the same with a check, without the price of any number of values: there is one for every fact."""
    try:
        return check(answer, subject), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 a rule may be anybody's code
        return None, _told(error)


def _told(error: BaseException) -> str:
    ours = str(error) if type(error) in _OURS else ""
    return ours or f"the code raised {type(error).__name__}"
