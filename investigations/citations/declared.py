"""The kinds of ids that a deployment declares, read from one YAML file: their shape, tool and page.

    citations:
      - kind: trace
        look_up: {tool: find_trace, argument: trace_id, since: since, until: until, hours: 24}
        link: https://grafana.example/explore/{id}
      - kind: order
        pattern: '\\bSO-[0-9]{4,8}\\b'
        case: upper
        look_up: {tool: find_order, argument: order_id}

A trace needs no pattern. `hours` is how far the window reaches to both sides of the incident's start.
"""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from investigations.citations.patterns import BUILT_IN, ENTRY, TRACE, LookUp, Pattern, trace
from toolbox import yamlfile
from toolbox.definitions import ToolDefinition
from toolbox.yamlfile import DefinitionError, Place

_KEYS = frozenset({"kind", "pattern", "case", "look_up", "link", "not_found_is_missing"})
_LOOK_UP = frozenset({"tool", "argument", "since", "until", "hours", "with"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_CASES: Mapping[str, Callable[[str], str]] = {"as_written": str.strip, "upper": str.upper, "lower": str.lower}
_PATTERN_MAX = 200
_HOURS_MAX = 24 * 366


@cache
def current() -> tuple[Pattern, ...]:
    """Return the patterns of TRIAGE_CITATIONS, loaded once for each process; raise DefinitionError."""
    path = settings.TRIAGE_CITATIONS
    return load(Path(path)) if path else BUILT_IN


def load(file: Path) -> tuple[Pattern, ...]:
    """Read one file; raise DefinitionError. Trace ids are always looked for, declared or not."""
    whole = yamlfile.read(file)
    whole.mapping(frozenset({"citations"}), frozenset({"citations"}))
    found: dict[str, Pattern] = {}
    for place in whole.at("citations").items():
        pattern = _pattern(place)
        if pattern.kind in found:
            raise place.error(f"the kind {pattern.kind} is declared twice", "Keep one.")
        found[pattern.kind] = pattern
    return tuple(found.values()) if TRACE in found else (*found.values(), trace())


def troubles(patterns: tuple[Pattern, ...], tools: Mapping[str, ToolDefinition]) -> list[str]:
    """Return in sentences which look-ups could never be put to the tools that are loaded."""
    said = []
    for pattern in patterns:
        look_up = pattern.look_up
        if look_up is None:
            continue
        tool = tools.get(look_up.tool)
        if tool is None:
            said.append(f"{pattern.kind} ids are looked up by {look_up.tool}, and no such tool is loaded.")
            continue
        given = {look_up.argument, look_up.since, look_up.until, *look_up.fixed} - {""}
        for name in sorted(given - set(tool.input.get("properties", {}))):
            said.append(f"{look_up.tool} takes no {name}, by which {pattern.kind} ids are looked up.")
        for name in sorted(set(tool.input.get("required", ())) - given - set(tool.defaults)):
            said.append(f"{look_up.tool} needs {name}, and the look-up of {pattern.kind} ids gives none.")
    return said


def _pattern(place: Place) -> Pattern:
    place.mapping(_KEYS, frozenset({"kind"}))
    kind = place.at("kind").text()
    if not _NAME.fullmatch(kind) or kind == ENTRY:
        raise place.at("kind").error(f"{kind!r} is no kind", "Use small letters, digits and _; not `entry`.")
    look_up = _look_up(place.at("look_up")) if place.at("look_up").data is not None else None
    link = _link(place.at("link"))
    if kind == TRACE:
        for key in ("pattern", "case", "not_found_is_missing"):
            if place.at(key).data is not None:
                raise place.at(key).error(
                    f"the shape of traces is built in, so {key} has no place", "Leave it out."
                )
        return trace(look_up, link)
    return Pattern(
        kind,
        _shape(place.at("pattern")),
        look_up,
        link,
        _case(place.at("case")),
        is_gone_when_not_found=_flag(place.at("not_found_is_missing")),
    )


def _look_up(place: Place) -> LookUp:
    place.mapping(_LOOK_UP, frozenset({"tool", "argument"}))
    hours = 24 if place.at("hours").data is None else place.at("hours").data
    if not isinstance(hours, int) or isinstance(hours, bool) or not 1 <= hours <= _HOURS_MAX:
        raise place.at("hours").error(f"hours is {hours!r}", f"Use a whole number from 1 to {_HOURS_MAX}.")
    fixed: Any = place.at("with").data
    if fixed is None:
        fixed = {}
    if not isinstance(fixed, Mapping) or not all(isinstance(name, str) for name in fixed):
        raise place.at("with").error("`with` is no mapping of arguments", "Write `with: {tenant: main}`.")
    edge = timedelta(hours=hours)
    return LookUp(
        tool=place.at("tool").text(),
        argument=place.at("argument").text(),
        since=_optional(place.at("since")),
        until=_optional(place.at("until")),
        before=edge,
        after=edge,
        fixed=dict(fixed),
    )


def _optional(place: Place) -> str:
    return "" if place.data is None else place.text()


def _shape(place: Place) -> re.Pattern[str]:
    text = place.text()
    if len(text) > _PATTERN_MAX:
        raise place.error("the pattern is too long", f"Use at most {_PATTERN_MAX} characters.")
    try:
        shape = re.compile(text, re.ASCII)
    except re.error as error:
        raise place.error(f"it is no pattern: {error}", "Correct it.") from None
    if shape.match("") or shape.groups > 1:
        raise place.error("it finds an empty text, or has more than one group", "Say what has to be there.")
    return shape


def _case(place: Place) -> Callable[[str], str]:
    if place.data is None:
        return str.strip
    chosen = _CASES.get(place.text())
    if chosen is None:
        raise place.error(f"case is {place.data!r}", f"Use one of {', '.join(_CASES)}.")
    return chosen


def _flag(place: Place) -> bool:
    if place.data is not None and not isinstance(place.data, bool):
        raise place.error(f"it is {place.data!r}", "Use true or false.")
    return bool(place.data)


def _link(place: Place) -> str:
    if place.data is None:
        return ""
    link = place.text()
    if urlsplit(link).scheme not in ("http", "https") or "{id}" not in link or len(link) > 300:
        raise place.error(
            f"{link!r} is no link to an id's page", "Write https://…/{id}, 300 characters at most."
        )
    return link


__all__ = ["DefinitionError", "current", "load", "troubles"]
