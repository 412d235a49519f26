"""Text in which nothing hides: invisible and direction-changing characters are spelled out.

Plain text in, plain text out; the template escapes it as it escapes everything.
"""

import re
import unicodedata

# Format and control characters that change what a reader sees without being seen: bidirectional
# embeddings and isolates, zero-width characters, fillers, tags, interlinear marks, controls.
_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_JOINERS = ("\u200c", "\u200d")
_EMOJI = re.compile("[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]")


def shown(text: str) -> str:
    """Return the text with each hidden character as ⟦U+XXXX⟧.

    Joiners stay where a script or an emoji needs them: between letters that are not Latin,
    and inside an emoji sequence.
    """
    return _HIDDEN.sub(_marked, text)


def hidden_count(text: str) -> int:
    """Return how many characters `shown` would spell out."""
    return sum(1 for found in _HIDDEN.finditer(text) if _marked(found) != found.group())


def clipped(text: str, limit: int) -> tuple[str, int]:
    """Return at most `limit` characters and how many were left off."""
    return text[:limit], max(0, len(text) - limit)


def _marked(found: re.Match[str]) -> str:
    char = found.group()
    if char in _JOINERS and _joins(found):
        return char
    return f"⟦U+{ord(char):04X}⟧"


def _joins(found: re.Match[str]) -> bool:
    before = found.string[found.start() - 1 : found.start()]
    after = found.string[found.end() : found.end() + 1]
    if not before or not after:
        return False
    if _EMOJI.match(before) and _EMOJI.match(after):
        return found.group() == "\u200d"
    return _is_of_a_joining_script(before) and _is_of_a_joining_script(after)


def _is_of_a_joining_script(char: str) -> bool:
    """Say whether it is a letter or a mark of a script beyond Latin, Greek, Cyrillic and Armenian."""
    return char > "\u058f" and unicodedata.category(char)[0] in "LM"
