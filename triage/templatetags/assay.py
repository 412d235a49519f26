"""What the templates use: times, icons, hidden characters, drafts, addresses with changed parameters."""

import json
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from assay_core import instants
from investigations.beside import Beside
from toolbox import redaction
from triage.pages import markup, moments, visible

register = template.Library()
DASH = "–"
_ISO_TIME = re.compile(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d*[1-9])?)(?:\.?0*)Z\b")
_ENTRY_NUMBER = re.compile(r"\bEntry \d+: ")
_FACT_AT_START = re.compile(r"\A(\w+)( does not hold| is unanswered)")
_MENTION = re.compile(r"((?<![\w@.+-])@[\w.@+-]+)")
THEMES = ("system", "light", "dark")


@register.filter
def shown(value: Any) -> str:
    """Text with its hidden characters spelled out; a dash for nothing at all."""
    return DASH if value is None else _breakable(_told(str(value)))


@register.filter
def clip(value: Any, limit: int) -> str:
    """At most `limit` characters, hidden ones spelled out, and how many were left off."""
    kept, left_off = visible.clipped(redaction.text(str(value)), limit)
    return _breakable(_told(kept) + (f"… (+{left_off:,} characters)" if left_off else ""))


@register.filter
def under(value: Any, name: Any) -> str:
    """The value of a field with that name: masked whole where the name is one of a secret."""
    return redaction.under_name(str(name), str(value))


@register.filter
def hidden_count(value: Any) -> int:
    """How many hidden characters a text holds."""
    return visible.hidden_count(str(value))


@register.filter
def words(value: Any) -> str:
    """A name of code in words: `no_recurrence_since` reads `no recurrence since`."""
    return _told(str(value).replace("_", " "))


@register.filter
def plainly(value: Any) -> str:
    """A verdict's reason for people: the fact's name in words, what was expected on a line of its own."""
    text = _readable_times(str(value).replace(" Expected: ", "\nExpected: "))
    if found := _FACT_AT_START.match(text):
        name, ending = found.groups()
        text = f"“{name.replace('_', ' ')}”{ending}{text[found.end() :]}"
    return _told(text)


@register.filter
def briefly(value: Any) -> str:
    """A verdict's reason in a list: without the entry's number and what was expected."""
    return clip(_ENTRY_NUMBER.sub("", plainly(value).partition("\nExpected: ")[0]), 220)


@register.filter
def asked_with(arguments: Any) -> str:
    """Arguments of a question on one line: `queue: labels, since: 2026-11-30 09:35:29 UTC`."""
    if not isinstance(arguments, Mapping):
        return one_line(arguments)
    parts = (f"{name}: {_on_one_line(value)}" for name, value in arguments.items())
    return clip(_readable_times(", ".join(parts)), 300)


@register.filter
def as_json(value: Any) -> str:
    """A value as indented JSON for reading."""
    return _told(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str))


@register.filter
def one_line(value: Any) -> str:
    """A value as JSON on one line, at most 160 characters."""
    return clip(_on_one_line(value), 160)


@register.filter
def who(actor: Any) -> str:
    """An actor of the audit log in words: `person:mira` reads `mira`."""
    return _told(str(actor).removeprefix("person:"))


@register.filter
def instant(value: Any, style: str = "moment") -> SafeString | str:
    """A time as an entry keeps it, in ISO text, as a time element; other text as it is."""
    try:
        return moment(instants.from_text(value), style)
    except (instants.NotAnInstant, TypeError):
        return DASH if value is None else _told(str(value))


@register.filter
def json_kind(value: Any) -> str:
    """What a JSON value is: object, list, text, number, flag or null."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "flag"
    kinds = ((dict, "object"), (list, "list"), (str, "text"))
    return next((word for kind, word in kinds if isinstance(value, kind)), "number")


@register.filter
def draft(text: str, entries: Collection[int]) -> SafeString:
    """A draft's markdown as sanitised HTML; citations of the given entries link to them."""

    def link_of(entry: int) -> str | None:
        return reverse("entry", args=[entry]) if entry in entries else None

    return mark_safe(markup.draft_html(redaction.text(text), link_of))  # noqa: S308 the one sanitiser's output


@register.filter
def mentioning(value: Any) -> SafeString:
    """A note's text with the names that it mentions set off."""
    parts = _MENTION.split(_told(str(value)))
    return format_html_join("", "{}", ((_set_off(part),) for part in parts))


@register.simple_tag
def drafted(text: str, entries: Collection[int], beside: Beside | None) -> SafeString:
    """A draft as `draft` has it; ids that were verified lead to their pages, others say what is not known."""

    def link_of(entry: int) -> str | None:
        return reverse("entry", args=[entry]) if entry in entries else None

    marks: dict[str, markup.Mark] = {}
    for each in beside.unchecked if beside else ():
        marks[each.text] = markup.Mark(doubt="unchecked")
    for name, each in (beside.links if beside else {}).items():
        href = each.link or (reverse("entry", args=[each.entry]) if each.entry else "")
        if href.startswith(("https://", "http://", "/")):
            marks[name] = markup.Mark(href=href)
    html = markup.draft_html(redaction.text(text), link_of, marks)
    return mark_safe(html)  # noqa: S308 the one sanitiser's output


@register.simple_tag
def moment(value: datetime | None, style: str = "moment") -> SafeString | str:
    """A time: UTC without script, local with it, both on hover. The style `clock` has seconds."""
    if value is None:
        return DASH
    now = timezone.now()
    text = moments.clock_text(value, now) if style == "clock" else moments.short_text(value, now)
    return _time(value, text, style)


@register.simple_tag
def ago(value: datetime | None) -> SafeString | str:
    """How long ago, in one unit; the time itself on hover."""
    if value is None:
        return DASH
    return _time(value, moments.span(timezone.now() - value), "ago")


@register.simple_tag
def took(start: datetime | None, end: datetime | None) -> str:
    """The time between two instants to the millisecond, where both are known."""
    if start is None or end is None:
        return DASH
    seconds = (end - start).total_seconds()
    return f"{seconds * 1000:.0f} ms" if seconds < 10 else moments.span(end - start)


@register.simple_tag
@lru_cache(maxsize=512)  # a page of the queue has some three hundred
def icon(name: str, css: str = "") -> SafeString:
    """One icon of the sprite, hidden from screen readers: the words stand beside it."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        css,
        static("icons.svg"),
        name,
    )


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The look that this browser remembers; the system's where it remembers none."""
    request = context.get("request")
    word = request.COOKIES.get("theme", "") if isinstance(request, HttpRequest) else ""
    return word if word in THEMES else "system"


@register.simple_tag(takes_context=True)
def with_query(context: template.Context, **changes: Any) -> str:
    """This page's query with some parameters changed; an empty value takes one away."""
    query = context["request"].GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value not in ("", None):
            query[name] = str(value)
    return f"?{query.urlencode()}"


def _told(text: str) -> str:
    """Text as every page shows it: secrets masked, hidden characters spelled out."""
    return visible.shown(redaction.text(text))


def _breakable(text: str) -> SafeString | str:
    """Text as it is; where a word is too long for a browser, HTML in which that word may be broken."""
    if not markup.is_long(text):
        return text
    return mark_safe(markup.parted(escape(text)))  # noqa: S308 escaped here; only places to break are added


def _set_off(part: str) -> SafeString | str:
    return format_html("<b>{}</b>", part) if _MENTION.fullmatch(part) else _breakable(part)


def _on_one_line(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _readable_times(text: str) -> str:
    return _ISO_TIME.sub(r"\1 \2 UTC", text)


def _time(value: datetime, text: str, style: str) -> SafeString:
    at = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}" data-time="{}">{}</time>',
        at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        moments.utc_text(at),
        style,
        text,
    )
