"""A draft that a model wrote, made safe to show and to send on: no link, no markup, no secret. Pure."""

import re

from investigations.marking import seen
from toolbox import redaction

# A line may end in the middle of a link.
_IMAGE = re.compile(r"!\[([^\]]{0,500})\](?:\([^)]{0,2000}\)|\[[^\]\n]{0,200}\])")
_LINK = re.compile(r"\[([^\]]{0,500})\]\([^)]{0,2000}\)|\[([^\]\n]{0,500})\]\[[^\]\n]{0,200}\]")
_REFERENCE = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S[^\n]*$", re.MULTILINE)
_ADDRESS = re.compile(
    r"\b(?:[a-z][a-z0-9+.\-]{1,15}[:：][/\\／＼]{2}|www\.|data:[a-z]+/|(?:java|vb)script:|mailto:)[^\s<>\"')\]]*"
    # Without a scheme: another host by its name or its share, or a name that something is handed to.
    r"|(?<![\w:/\\])(?:[/／]{2}[\w\-]+(?:\.[\w\-]+)+|[\\＼]{2}[\w.\-]{2,}[\\＼])[^\s<>\"')\]]*"
    r"|(?<![\w.@/\-])(?:[a-z0-9\-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?/[^\s<>\"')\]?]{0,2000}\?[^\s<>\"')\]]+",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LEFT_OUT = "(a link was left out)"


def safe(draft: str) -> str:
    """Return the draft as plain words: what a reader would follow or load is left out and said so."""
    text = redaction.text(seen(draft))
    text = _REFERENCE.sub(_LEFT_OUT, text)
    text = _IMAGE.sub(lambda found: f"{found[1]} (an image was left out)".strip(), text)
    text = _LINK.sub(lambda found: f"{found[1] or found[2] or ''} {_LEFT_OUT}".strip(), text)
    text = _ADDRESS.sub(_LEFT_OUT, text)
    return _TAG.sub("‹", text)
