"""The rules now loaded against those that judged: a page of the last verdicts, judged again."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from accounts.models import User
from incidents.backtesting import Judged, judged_again
from incidents.queries import visible_incidents
from incidents.veiling import kept_from
from investigations.models import Verdict
from verdicts.comparison import Ending
from verdicts.rulebook import Rulebook

AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Diff:
    """One page: how many verdicts were judged again, the flips, and what could not be judged."""

    judged: int
    flips: Sequence[Judged]
    unreadable: Sequence[str]
    next_before: int | None

    @property
    def same(self) -> int:
        """How many verdicts would be the same."""
        return self.judged - len(self.flips)

    @property
    def false_passes(self) -> int:
        """How many flips are passes that people found to be none."""
        return sum(flip.ending is Ending.FALSE_PASS for flip in self.flips)


def diff(user: User, rulebook: Rulebook, *, before: int | None, at_once: int = AT_ONCE) -> Diff:
    """Judge the last verdict of each incident that this person may see again, the newest first.

    `before` is where the page before ended.
    """
    rows = (
        Verdict.objects.order_by()
        .filter(investigation__incident_id__in=visible_incidents(user).values("pk"))
        .exclude(investigation__incident_id__in=kept_from(user))
        .values("investigation__incident_id")
        .annotate(last=Max("pk"))
    )
    if before is not None:
        rows = rows.filter(last__lt=before)
    numbers = list(rows.order_by("-last").values_list("last", flat=True)[: at_once + 1])
    page = numbers[:at_once]
    part = judged_again(page, rulebook)
    return Diff(
        judged=part.counts["judged"],
        flips=[each for each in reversed(part.shown) if each.is_flip],
        unreadable=part.unreadable,
        next_before=page[-1] if len(numbers) > at_once else None,
    )
