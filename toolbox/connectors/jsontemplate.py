"""A search as JSON with typed holes: `{argument: NAME}` is one whole value, never a piece of text."""

from collections.abc import Mapping
from typing import Any

from toolbox import remote
from toolbox.querytext import ArgumentRefused
from toolbox.remote import Given
from toolbox.yamlfile import Place

# Where a text is a language of its own, an argument could change the question; a script is a program.
_LANGUAGES = frozenset({"query_string", "simple_query_string", "regexp", "wildcard", "template", "wrapper"})
_DEEPEST = 32


def holes(place: Place, given: Given) -> frozenset[str]:
    """Return the arguments that a template uses; raise DefinitionError for what a search may not hold."""
    return frozenset(_holes(place, given, language="", depth=0))


def _holes(place: Place, given: Given, *, language: str, depth: int) -> set[str]:
    if depth > _DEEPEST:
        raise place.error("the search is nested too deeply", "Write it flatter.")
    found: set[str] = set()
    if isinstance(place.data, Mapping):
        if set(place.data) == {"argument"}:
            return {_hole(place.at("argument"), given, language)}
        for key in place.data:
            name = str(key)
            if "script" in name or name == "runtime_mappings":
                raise place.at(key).error(f"{name} runs a program", "Search by fields only.")
            inner = name if name in _LANGUAGES else language
            found |= _holes(place.at(key), given, language=inner, depth=depth + 1)
    elif isinstance(place.data, list):
        for index in range(len(place.data)):
            found |= _holes(place.at(index), given, language=language, depth=depth + 1)
    return found


def _hole(place: Place, given: Given, language: str) -> str:
    name = place.text()
    remote.required(place, name, given)
    if language:
        raise place.error(
            f"an argument inside {language} could change the question", "Use term, match or match_phrase."
        )
    return name


def filled(template: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the template with its values; raise ArgumentRefused for a value that is an object."""
    if isinstance(template, Mapping):
        if set(template) == {"argument"}:
            return _value(str(template["argument"]), arguments)
        return {str(key): filled(value, arguments) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, arguments) for value in template]
    return template


def _value(name: str, arguments: Mapping[str, Any]) -> Any:
    value = arguments.get(name)
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str | int | float) for item in items):
        raise ArgumentRefused(f"{name} is neither a text, a number nor a list of them")
    return value
