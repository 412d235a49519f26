"""The table of how each example was judged."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from incidents.models import Incident
from investigations.models import Verdict

_HEADS = ("#", "Incident", "Hypothesis", "Verdict", "Decided by", "Link")
_WIDEST = (6, 46, 34, 7, 34, 80)


@dataclass(frozen=True, slots=True)
class Row:
    """How one incident ended."""

    incident: int
    source: str
    sender_key: str
    title: str
    hypothesis: str
    verdict: str
    deciding: str
    reason: str
    link: str

    @property
    def decided_by(self) -> str:
        """What decided, in words: a pass is decided by all facts together, a missing rule by its absence."""
        if self.deciding:
            return self.deciding
        return "all its facts hold" if self.verdict == "pass" else "no rule speaks of it"

    def plain(self) -> dict[str, Any]:
        """Return what the example's expectations are compared with."""
        return {
            "source": self.source,
            "sender_key": self.sender_key,
            "title": self.title,
            "hypothesis": self.hypothesis,
            "passed": self.verdict == "pass",
            "deciding": self.deciding,
            "reason": self.reason,
        }

    def cells(self) -> tuple[str, ...]:
        """Return the table's cells."""
        return (
            str(self.incident), self.title, self.hypothesis, self.verdict, self.decided_by, self.link,
        )  # fmt: skip


def row_of(incident: Incident, address: str) -> Row:
    """Return how the incident's last verdict went; without one, where its investigation stands."""
    last = Verdict.objects.filter(investigation__incident_id=incident.pk).order_by("-pk").first()
    body = json.loads(last.body) if last else {}
    return Row(
        incident=incident.pk,
        source=incident.source.slug,
        sender_key=incident.sender_key,
        title=incident.title,
        hypothesis=last.hypothesis if last else "",
        verdict=("pass" if last.passed else "fail") if last else "none",
        deciding=str(body.get("deciding", "")),
        reason=last.reason if last else "",
        link=f"{address}/incidents/{incident.pk}/",
    )


def printed(rows: Sequence[Row]) -> str:
    """Return the table as text, columns cut to what a wide terminal holds."""
    lines = [_HEADS, *(row.cells() for row in rows)]
    cut = [[_cut(cell, widest) for cell, widest in zip(line, _WIDEST, strict=True)] for line in lines]
    widths = [max(len(line[column]) for line in cut) for column in range(len(_HEADS))]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cut
    ]
    return "\n".join([text[0], "  ".join("─" * width for width in widths), *text[1:]])


def _cut(text: str, widest: int) -> str:
    return text if len(text) <= widest else f"{text[: widest - 1]}…"
