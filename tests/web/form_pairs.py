"""What two people do about one thing at once, and what each of them has to see."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.browser.pages import ADMINISTRATOR, MANAGER
from tests.web.form_table import Line

# How a page names them.
NAMED = {MANAGER: "atarina", ADMINISTRATOR: "skar"}


@dataclass(frozen=True, slots=True)
class Both:
    """Two forms sent at once; who is refused is shown the other's name and everything that was typed."""

    name: str
    first: Line
    second: Line
    statuses: Sequence[int]
    leaves: str  # all of it, or a part
    shows_both: bool = False


def _both(name: str, path: str, key: str, given: Sequence[dict[str, str]], leaves: str, **more: bool) -> Both:
    first, second = given
    return Both(
        name, Line(key, path, MANAGER, given=first), Line(key, path, ADMINISTRATOR, given=second),
        [302, 422], leaves, **more,
    )  # fmt: skip


PAIRS = (
    _both(
        "both edit the draft", "/incidents/{spare_1}/", "draft_keep",
        ({"answer": "One says rain."}, {"answer": "Two says sunshine."}),
        "draft.edited, move.refused, incidents_draftedit",
    ),
    _both(
        "both close", "/incidents/{spare_2}/", "close",
        ({"outcome": "harmless", "duplicate_of": "", "reason": "A slow bank."},
         {"outcome": "harmless", "duplicate_of": "", "reason": "A wrong order."}),
        "incident.closed, move.refused, incidents_override, incidents_resolution",
    ),
    Both(
        "one closes and the other writes a note",
        Line("close", "/incidents/{spare_3}/", MANAGER,
             given={"outcome": "harmless", "duplicate_of": "", "reason": "x"}),
        Line("note", "/incidents/{spare_3}/", ADMINISTRATOR, given={"note": "I would wait."}),
        [302, 302], "incident.closed, note.written, incidents_note, incidents_override, incidents_resolution",
    ),
    _both(
        "both take it", "/incidents/{spare_4}/", "assign to=me", ({}, {}), "incident.assigned, move.refused"
    ),
    Both(
        "one approves and the other denies",
        Line("approval_decide choice=approve", "/approvals/{contested}/", MANAGER,
             given={"reason": "It is as the page says."}),
        Line("approval_decide choice=deny", "/approvals/{contested}/", ADMINISTRATOR,
             given={"reason": "The supplier does it."}),
        [302, 422], "write.move_refused",  # what else is left depends on who was first
    ),
)  # fmt: skip
