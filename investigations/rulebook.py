"""The rulebook that judges now: our rules and the configured packs, against the tools that are loaded."""

from functools import cache
from pathlib import Path

from django.conf import settings

import verdicts
from toolbox import registry
from verdicts.loading import load_rulebook
from verdicts.rulebook import Rulebook

SHIPPED = Path(verdicts.__file__).parent / "rules"


@cache
def current_rulebook() -> Rulebook:
    """Return the rulebook, loaded once for each process."""
    return load_rulebook([SHIPPED, *settings.TRIAGE_RULES], registry.current().shapes())
