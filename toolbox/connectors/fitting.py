"""Items cut at a tool's limits, and the word for how whole the answer is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay_core.canonical import canonical
from assay_core.results import Status
from toolbox.definitions import Limits
from toolbox.values import Cleaner


@dataclass(slots=True)
class Kept:
    """The items that fit, in order, and whether that is all of them."""

    items: list[Any] = field(default_factory=list)
    whole: bool = True
    cut: str = ""
    replaced: int = 0


def kept(items: Iterable[Any], limits: Limits, *, overhead: int = 512) -> Kept:
    """Keep items until rows or bytes run out; raise ValueUnreadable for what no result can hold."""
    found = Kept()
    cleaner = Cleaner()
    size = overhead
    for item in items:
        cleaned = cleaner.clean(item)
        size += len(canonical(cleaned)) + 1
        if len(found.items) == limits.rows or size > limits.bytes:
            limit = f"{limits.bytes} bytes" if size > limits.bytes else f"{limits.rows} rows"
            found.whole, found.cut = False, f"the answer holds more than {limit}; its first part is kept"
            break
        found.items.append(cleaned)
    found.replaced = cleaner.replaced
    return found


def ending(*, found: bool, partial: Sequence[str], unproven: str = "") -> tuple[Status, str]:
    """Return status and reason: what is partial is never plain, and nothing found needs a proof.

    `partial` holds each reason why something may be missing; `unproven` is why the answer proves nothing,
    if so.
    """
    if unproven:
        return Status.UNANSWERABLE, "; ".join([unproven, *partial])
    if partial:
        return (Status.TRUNCATED if found else Status.UNANSWERABLE), "; ".join(partial)
    return (Status.OBSERVED if found else Status.EMPTY), ""
