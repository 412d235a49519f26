"""Which cases an evaluation is about, as a person writes it: a query of closed incidents, or a folder.

closed:rule=alert_recovered since=2026-01-01 most=50
replays/
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path

from verdicts.rule import KINDS

PREFIX = "closed:"
_NAMES = ("rule", "since", "until", "kind", "source", "outcome", "most")
_HOW = (
    "Write closed: with any of rule=NAME, since=DATE, until=DATE, kind=alert|claim|issue, source=SLUG, "
    "outcome=WORDS_WITH_UNDERSCORES and most=NUMBER behind it, or the path of a folder of cases."
)


class SetUnknown(ValueError):
    """The set can't be read; the message says what is wrong with it and how one is written."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Closed incidents. What is empty chooses nothing out; `most` takes the last closed ones."""

    rule: str = ""
    since: datetime | None = None
    until: datetime | None = None
    kind: str = ""
    source: str = ""
    outcome: str = ""
    most: int = 0


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of case files, or one file."""

    path: Path = field(default_factory=Path)


def chosen(text: str) -> Closed | Folder:
    """Return what a set means; raise SetUnknown."""
    words = text.strip()
    if not words:
        raise SetUnknown(f"No set was named. {_HOW}")
    if not words.startswith(PREFIX):
        return _folder(words)
    given: dict[str, str] = {}
    for word in words.removeprefix(PREFIX).split():
        name, equals, value = word.partition("=")
        if name not in _NAMES or not equals or not value:
            raise SetUnknown(f"{word!r} says nothing about closed incidents. {_HOW}")
        if name in given:
            raise SetUnknown(f"{name} is given twice. Name it once.")
        given[name] = value
    return Closed(
        rule=given.get("rule", ""),
        since=_day(given.get("since", ""), "since"),
        until=_day(given.get("until", ""), "until"),
        kind=_kind(given.get("kind", "")),
        source=given.get("source", ""),
        outcome=given.get("outcome", "").replace("_", " "),
        most=_most(given.get("most", "0")),
    )


def _folder(words: str) -> Folder:
    path = Path(words)
    if not path.exists():
        raise SetUnknown(f"There is no folder or file {words!r}. {_HOW}")
    return Folder(path)


def _day(text: str, name: str) -> datetime | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise SetUnknown(f"{name}={text} is no date. Write one such as 2026-01-31.") from None
    return datetime.combine(day, time.min, tzinfo=UTC)


def _kind(text: str) -> str:
    if text and text not in KINDS:
        raise SetUnknown(f"There is no kind {text!r}. Choose one of {', '.join(sorted(KINDS))}.")
    return text


def _most(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise SetUnknown(f"most={text} is no number of incidents. Write one such as most=50.")
    return int(text)
