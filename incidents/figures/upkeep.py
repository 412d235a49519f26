"""What is done for the figures on a schedule."""

from datetime import datetime

from incidents.figures import audits, recount


def tend(now: datetime) -> int:
    """Count what changed, draw lots for new passes, stop rules where their audits say so.

    Returns how many incidents were counted anew. Safe to call any number of times.
    """
    done = recount.recount(now)
    audits.draw(now)
    audits.watch(now)
    return done
