"""What models are told: files that anybody may read. A run keeps the digest of those that it used."""

import re
from functools import cache
from pathlib import Path

from assay_core.canonical import digest

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")


def prompt(name: str, **parts: str) -> str:
    """Return a prompt with its places filled in; raise KeyError for a place that nothing was given for."""
    return _PLACE.sub(lambda found: parts[found[1]], written(name))


def prompts_digest(*names: str) -> str:
    """Return one digest of several prompts as they are written, before anything is filled in."""
    return digest({name: written(name) for name in names})


@cache
def written(name: str) -> str:
    """Return a prompt as its file has it."""
    return Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8").strip() + "\n"
