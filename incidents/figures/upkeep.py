"""What is done for the figures on a schedule."""

from datetime import datetime

from incidents.figures import agentdays, audits, recount

_FILLED = 4  # batches at once: what changes meanwhile must not wait for all of them


def tend(now: datetime) -> int:
    """Count what changed and what agents did, draw lots for new passes, stop rules whose audits say so.

    After an upgrade it also fills the sums. Returns how many incidents were counted anew.
    Safe to call any number of times.
    """
    done = recount.recount(now)
    recount.fill(batches=_FILLED)
    agentdays.count(now)
    audits.draw(now)
    audits.watch(now)
    return done
