"""The rulebook that judges now: our rules and the configured packs, the tools loaded, the suspensions."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from django.conf import settings

import verdicts
from investigations.suspensions import suspended_names
from toolbox import registry
from verdicts.loading import load_rulebook
from verdicts.rulebook import Rulebook

SHIPPED = Path(verdicts.__file__).parent / "rules"
_last: tuple[Rulebook, Rulebook] | None = None  # what was loaded, and the same with the last suspensions


@cache
def loaded_rulebook() -> Rulebook:
    """Return the rules and tools as loaded, once for each process. It knows of no suspension."""
    return load_rulebook([SHIPPED, *settings.TRIAGE_RULES], registry.current().shapes())


def current_rulebook() -> Rulebook:
    """Return the rulebook as it is in force at this moment.

    Suspensions are read each time, so that one holds for the very next verdict in every process; only
    the loading, and the digests over an unchanged set of suspensions, are kept.
    """
    global _last
    loaded = loaded_rulebook()
    suspended = loaded.suspended | suspended_names()
    if suspended == loaded.suspended:
        return loaded
    last = _last
    if last is None or last[0] is not loaded or last[1].suspended != suspended:
        last = _last = (loaded, replace(loaded, suspended=suspended))
    return last[1]
