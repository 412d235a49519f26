"""What a message says: a subject, a text for people, and a body for programs. Secrets are masked in all."""

import json
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings

from assay_core.instants import as_text
from notices.events import WORDS, Event
from notices.models import Message, Notice
from toolbox import redaction

_SUBJECT = 150
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def plain(text: str, limit: int) -> str:
    """Return text on one line: secrets masked, and nothing in it that hides or turns round what follows."""
    told = redaction.text(text[: limit * 4])
    line = "".join(" " if unicodedata.category(char) in _HIDDEN else char for char in told)
    line = " ".join(line.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def link(notice: Notice) -> str:
    """Return the whole address of the page that a notice leads to."""
    return f"{settings.BASE_URL}{notice.path}"


def subject(messages: Sequence[Message]) -> str:
    """Return a mail's subject."""
    notice = messages[0].notice
    if len(messages) > 1:
        return f"[Assay] {len(messages)} notices, the first: {plain(notice.title, 80)}"
    mark = f"{notice.severity}: " if notice.severity else ""
    again = "still waiting: " if messages[0].round else ""
    return plain(f"[Assay] {again}{mark}{plain(notice.title, 300)}", _SUBJECT)


def text(messages: Sequence[Message]) -> str:
    """Return a mail's text: each notice with its link, and where to choose what is sent."""
    told = "\n\n".join(_paragraph(message) for message in messages)
    return (
        f"{told}\n\n--\n"
        f"You get this by the route “{plain(messages[0].route.title, 80)}”. What you are told of yourself\n"
        "is chosen at\n"
        f"{settings.BASE_URL}/account/notices/\n"
    )


def body(message: Message, sent_at: datetime) -> bytes:
    """Return a webhook's body. Its form is in docs/reference/notices.md."""
    notice = message.notice
    value = {
        "type": notice.event,
        "timestamp": as_text(notice.created_at),
        "data": {
            "about": notice.about,
            "id": notice.about_id,
            "title": plain(notice.title, 300),
            "severity": notice.severity or None,
            "words": plain(notice.words, 1_000),
            "url": link(notice),
            "told_before": message.round,
            "sent_at": as_text(sent_at),
        },
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _paragraph(message: Message) -> str:
    notice = message.notice
    what = WORDS[Event(notice.event)]
    again = f" (told {message.round} times before)" if message.round else ""
    lines = [f"{what[:1].upper()}{what[1:]}{again}.", plain(notice.title, 300)]
    if notice.severity:
        lines.append(f"Severity: {plain(notice.severity, 20)}")
    if notice.words:
        lines.append(plain(notice.words, 500))
    return "\n".join([*lines, link(notice)])
