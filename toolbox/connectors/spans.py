"""One trace by its id, in one form whatever server keeps it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from assay_core.instants import as_text
from assay_core.results import Status
from toolbox.connectors import fitting
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpconnector import Call
from toolbox.connectors.httpjson import AnswerMalformed, inert
from toolbox.querytext import ArgumentRefused
from toolbox.values import Cleaner

_ID = re.compile(r"[0-9a-f]{1,32}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """One span: times in nanoseconds since 1970."""

    trace: str
    id: str
    parent: str
    service: str
    name: str
    begins: int
    ends: int
    error: bool
    message: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the span as a result holds it."""
        return {
            "id": self.id,
            "parent": self.parent or None,
            "service": self.service,
            "name": self.name,
            "started_at": moment(self.begins),
            "duration_us": (self.ends - self.begins) // 1000,
            "error": self.error,
            "message": self.message,
        }


def trace_id(name: str, value: Any) -> str:
    """Return a trace's id as 32 hex digits, padded on the left; raise ArgumentRefused for what is none."""
    text = value.strip().lower().removeprefix("0x") if isinstance(value, str) else ""
    if not _ID.fullmatch(text) or not text.strip("0"):
        raise ArgumentRefused(f"{name} is no trace id (1 to 32 hex digits, not all of them 0)")
    return text.rjust(32, "0")


def moment(nanoseconds: int) -> str:
    """Return nanoseconds since 1970 as an instant's text; raise AnswerMalformed for no time."""
    try:
        return as_text(_EPOCH + timedelta(microseconds=nanoseconds // 1000))
    except OverflowError:
        raise AnswerMalformed("a span's time is no time") from None


def found(call: Call, wanted: str, spans: Sequence[Span], doubts: Iterable[str]) -> Outcome:
    """Return the trace: whole, or truncated where spans are missing. Raises AnswerMalformed for another's."""
    for span in spans:
        if span.trace != wanted:
            raise AnswerMalformed(
                f"a span belongs to the trace {inert(span.trace, 40)}, which was not asked for"
            )
    ordered = sorted(spans, key=lambda span: (span.begins, span.id))
    fit = fitting.kept((span.plain() for span in ordered), call.tool.limits)
    cleaner = Cleaner()  # what is replaced here was counted in its span
    known = {span.id for span in spans}
    orphans = sum(1 for span in spans if span.parent and span.parent not in known)
    begins_elsewhere = ordered[0].parent != "" and ordered[0].parent not in known
    trace = {
        "trace_id": wanted,
        "span_count": len(ordered),
        "error_count": sum(span.error for span in ordered),
        # A span without its parent waits for it or has lost it. The first one's may never have been traced.
        "orphan_count": orphans,
        "services": sorted({cleaner.clean(span.service) for span in ordered}),
        "started_at": moment(ordered[0].begins),
        "finished_at": moment(max(span.ends for span in ordered)),
        "spans": fit.items,
    }
    partial = [*doubts, *([] if fit.whole else [fit.cut])]
    # The same id alone is no repetition: some tracers give a client's span and its server's one id.
    if repeated := len(spans) - len(set(spans)):
        partial.append(f"{repeated} spans came twice, so the counts are too high")
    if backwards := sum(span.ends < span.begins for span in spans):
        partial.append(f"{backwards} spans end before they begin")
    if orphans > begins_elsewhere:
        partial.append(f"{orphans} spans name a parent that is not there")
    status, reason = fitting.ending(found=True, partial=partial)
    covered = {"trace_id": wanted, "scanned": len(ordered)}
    return Outcome(status, {call.question.key: trace}, reason, covered, fit.replaced)


def missing(
    call: Call, wanted: str, window: tuple[datetime, datetime] | None, *, holds: bool | None
) -> Outcome:
    """Return the outcome of a trace that is not there. `holds` says whether others are, in that window."""
    covered: Mapping[str, Any] = {"trace_id": wanted, "scanned": 0}
    if window is not None and holds:
        edges = {"since": as_text(window[0]), "until": as_text(window[1])}
        return Outcome(Status.EMPTY, {call.question.key: None}, covered={**covered, **edges})
    if holds is None:
        reason = (
            "the trace is not there, and the tool has no window in which others could prove that it would be"
        )
    else:
        reason = "the trace is not there, nor is any other in the window, so this proves nothing"
    return Outcome(Status.UNANSWERABLE, {call.question.key: None}, reason, covered)
