"""Strict readers from plain JSON to typed values: what is not exactly as declared is refused by its path."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from assay_core.instants import NotAnInstant, from_text
from assay_core.strictjson import kind_of

T = TypeVar("T")


class CaseUnreadable(ValueError):
    """A stored or written case is not in its form; the message names the path and what is wrong there."""

    def __init__(self, path: str, problem: str) -> None:
        """Keep the path apart from the sentence."""
        super().__init__(f"{path}: {problem}")
        self.path = path


def record(
    value: Any, path: str, required: frozenset[str], optional: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return an object that has every required key and no stranger; raise CaseUnreadable."""
    if type(value) is not dict:
        raise CaseUnreadable(path, f"must be an object, found {kind_of(value)}")
    keys = value.keys()
    if keys != required:
        missing = sorted(required - keys)
        if missing:
            raise CaseUnreadable(path, f"lacks {', '.join(missing)}")
        strangers = sorted(str(key) for key in keys - required - optional)
        if strangers:
            raise CaseUnreadable(path, f"has {', '.join(strangers)}, which is not known here")
    return value


# Each reader takes the name of a field apart from its object's path: thousands are read for one that is
# refused, and only that one needs its place spelled out.
def text(value: Any, path: str, name: str = "") -> str:
    """Return a text; raise CaseUnreadable."""
    if type(value) is not str:
        raise CaseUnreadable(_at(path, name), f"must be text, found {kind_of(value)}")
    return value


def whole(value: Any, path: str, name: str = "") -> int:
    """Return a whole number (a flag is none); raise CaseUnreadable."""
    if type(value) is not int:
        raise CaseUnreadable(_at(path, name), f"must be a whole number, found {kind_of(value)}")
    return value


def flag(value: Any, path: str, name: str = "") -> bool:
    """Return true or false; raise CaseUnreadable."""
    if type(value) is not bool:
        raise CaseUnreadable(_at(path, name), f"must be true or false, found {kind_of(value)}")
    return value


def instant(value: Any, path: str, name: str = "") -> datetime:
    """Return an ISO 8601 time with a zone; raise CaseUnreadable."""
    try:
        return from_text(text(value, path, name))
    except NotAnInstant as error:
        raise CaseUnreadable(_at(path, name), str(error)) from error


def mapping(value: Any, path: str, name: str = "") -> dict[str, Any]:
    """Return an object with any keys; raise CaseUnreadable."""
    if type(value) is not dict:
        raise CaseUnreadable(_at(path, name), f"must be an object, found {kind_of(value)}")
    for key in value:
        if type(key) is not str:
            raise CaseUnreadable(f"{_at(path, name)} (key)", f"must be text, found {kind_of(key)}")
    return value


def texts(value: Any, path: str, name: str = "") -> dict[str, str]:
    """Return an object whose values are all text; raise CaseUnreadable."""
    for key, item in mapping(value, path, name).items():
        if type(item) is not str:
            text(item, _at(path, name), key)
    return dict(value)


def several(value: Any, path: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    """Read each item of a list; raise CaseUnreadable."""
    if type(value) is not list:
        raise CaseUnreadable(path, f"must be a list, found {kind_of(value)}")
    try:
        return tuple([read(item, path) for item in value])
    except CaseUnreadable:  # read again, now with each one's own place
        return tuple([read(item, f"{path}[{index}]") for index, item in enumerate(value)])


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if name else path


def one_of(value: Any, path: str, accepted: Mapping[str, T], name: str = "") -> T:
    """Return what a known word stands for; raise CaseUnreadable."""
    word = text(value, path, name)
    if word not in accepted:
        raise CaseUnreadable(_at(path, name), f"{word!r} is not one of {', '.join(accepted)}")
    return accepted[word]
