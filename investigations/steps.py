"""A model's run, kept step by step in rows: whoever takes it over goes on where it was left."""

from collections.abc import Sequence

from django.conf import settings
from django.db.models import Count, Sum

from assay_core.canonical import canonical
from audit import prepared
from investigations import models
from investigations.budget import Budget, Limits
from investigations.conversation import Kept, from_plain, to_plain
from investigations.leases import Lease
from investigations.outcomes import LeaseLost
from investigations.states import State, StepKind
from investigations.talk import Spent
from toolbox import redaction

# Two of these stand around each exchange, so the lease, the step and whether anybody said something meanwhile
# are one round trip. An answer that a crash of the database loses is found by its entry.
_KEEP = """
    held AS (
        UPDATE investigations_investigation
        SET lease_until = GREATEST(lease_until, now() + make_interval(secs => %(held)s))
        WHERE id = %(run)s AND attempt = %(attempt)s AND state = %(running)s
        RETURNING id, attempt
    )
    INSERT INTO investigations_step (investigation_id, attempt, number, kind, body, exchange, entry,
                                     tokens_in, tokens_out, micros, seconds, created_at)
    SELECT id, attempt, %(number)s, %(kind)s, %(body)s, %(exchange)s, %(entry)s,
           %(tokens_in)s, %(tokens_out)s, %(micros)s, %(seconds)s, now()
    FROM held, unawaited
    RETURNING EXISTS (SELECT FROM investigations_runnote WHERE investigation_id = %(run)s AND step = 0)
"""


class Steps:
    """The notebook of one attempt. Each step is written only while the run is ours.

    Keeping one holds on to the run for as long as an exchange may take, `seconds`: one follows most steps.
    """

    def __init__(self, lease: Lease, *, seconds: float = 0) -> None:
        self._lease, self._seconds = lease, seconds
        self._number = 0
        self.holds = False  # whether this attempt has kept a step, and so holds the run for long enough
        self.is_spoken_to = True  # whether a note may wait that the model was not told, as far as is known

    def kept(self) -> Sequence[Kept]:
        """Return the steps of every attempt so far."""
        rows = list(models.Step.objects.filter(investigation=self._lease.investigation))
        self._number = rows[-1].number if rows else 0
        return tuple(_read(row) for row in rows)

    def keep(self, step: Kept) -> None:
        """Write one step with what it cost; raise LeaseLost when somebody else took the run over."""
        plain = redaction.copy_for_readers(to_plain(step)).value
        spent = step.reply.spent if step.reply else Spent()
        lease = self._lease
        row = {
            "number": self._number + 1,
            "kind": step.kind.value,
            "body": canonical(plain),
            "exchange": step.reply.exchange if step.reply else 0,
            "entry": step.entry,
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "micros": spent.micros,
            "seconds": spent.seconds,
            "held": float(settings.LEASE_SECONDS + self._seconds),
            "run": lease.investigation,
            "attempt": lease.attempt,
            "running": State.RUNNING.value,
        }
        kept = prepared.unawaited(_KEEP, row)
        if not kept:
            raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")
        self._number += 1
        self.holds, self.is_spoken_to = True, kept[0][0]


def unheard(investigation_id: int) -> list[models.RunNote]:
    """Return what people said to a run and the model was not told yet, oldest first."""
    return list(models.RunNote.objects.filter(investigation=investigation_id, step=0))


def heard(note: models.RunNote) -> None:
    """Remember that the model was told: by the last step of the run."""
    last = models.Step.objects.filter(investigation=note.investigation_id).order_by("-number").first()
    models.RunNote.objects.filter(pk=note.pk).update(step=last.number if last else 1)


def budget_left(limits: Limits, investigation_id: int) -> Budget:
    """Return what a run may still spend after all that its attempts have spent, in vain or not."""
    used = models.Exchange.objects.filter(investigation=investigation_id).aggregate(
        turns=Count("pk"),
        tokens_in=Sum("tokens_in", default=0),
        tokens_out=Sum("tokens_out", default=0),
        micros=Sum("micros", default=0),
        seconds=Sum("seconds", default=0.0),
    )
    asked = models.Step.objects.filter(investigation=investigation_id, kind=StepKind.ANSWER).count()
    budget = Budget(limits)
    budget.shrink_to(turns=limits.turns - used["turns"], calls=limits.calls - asked)
    budget.book(Spent(used["tokens_in"], used["tokens_out"], used["micros"], used["seconds"]))
    return budget


def _read(row: models.Step) -> Kept:
    return from_plain(
        StepKind(row.kind),
        row.body,
        spent=Spent(row.tokens_in, row.tokens_out, row.micros, row.seconds),
        exchange=row.exchange,
        entry=row.entry,
    )
