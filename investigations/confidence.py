"""Words about confidence taken out of what a model wrote, before anything keeps it. Pure.

No confidence is stored, shown or used anywhere. A classifier's reply is kept without them, whether it could
be read or not.
"""

import json
import re
from typing import Any

from assay_core import strictjson

WORDS = frozenset(
    {
        "certainty",
        "confidence",
        "confidence_level",
        "confidence_score",
        "confidencelevel",
        "confidencescore",
        "likelihood",
        "probability",
        "score",
    }
)
_NAMES = "|".join(sorted(WORDS))
_VALUE = r"(?:\"(?:[^\"\\]|\\.)*\"?|\{[^{}]*\}?|\[[^\[\]]*\]?|[^\s,}\]]+)"
_MEMBER = re.compile(
    rf",\s*[\"']?(?:{_NAMES})[\"']?\s*[:=]\s*{_VALUE}|[\"']?\b(?:{_NAMES})[\"']?\s*[:=]\s*{_VALUE}\s*,?",
    re.IGNORECASE,
)


def without(text: str) -> str:
    """Return a reply's text without any member that says how sure it is; one without them stays as it is."""
    try:
        value = json.loads(text, object_pairs_hook=strictjson.without_doubles)
    except (ValueError, RecursionError):
        return _MEMBER.sub("", text)
    kept = _kept(value)
    return text if kept == value else json.dumps(kept, ensure_ascii=False)


def is_word(name: str) -> bool:
    """Return whether a member of this name says how sure somebody is."""
    return name.strip().casefold() in WORDS


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _kept(part) for name, part in value.items() if not is_word(name)}
    return [_kept(part) for part in value] if isinstance(value, list) else value
