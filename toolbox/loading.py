"""One connector's tools from a YAML file, checked part by part."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from assay_core.canonical import NotCanonical
from toolbox import remote, schemas, yamlfile
from toolbox.connectors.kinds import KINDS
from toolbox.connectors.mysqlgate import StatementRefused, compiled
from toolbox.definitions import (
    Condition,
    Limits,
    LogQuestion,
    Question,
    Shape,
    SqlQuestion,
    Statement,
    ToolDefinition,
)
from toolbox.placeholders import PlaceholderRefused, numbered
from toolbox.remote import RemoteQuestion
from toolbox.yamlfile import Place

_NAME_CURE = "Use lower-case letters, digits and _, beginning with a letter, at most 64."
_NEEDED = frozenset({"name", "title", "description", "input", "output"})
_KNOWN = _NEEDED | {"shape", "key", "sql", "control", "log", "limits", "normalise", "defaults", "covers"}
_KNOWN |= {"scope", "redact"}
_NOT_REMOTE = frozenset({"shape", "sql", "control", "log", "covers"})
_MOST = {"rows": 10_000, "bytes": 4_194_304, "seconds": 60}
_Dialect = Callable[[str], Statement]
_DIALECTS: Mapping[str, _Dialect] = {"postgres": numbered, "mysql": compiled}
_OPERATIONS = ("strip", "lower", "upper", "instant")


def load_file(file: Path, kinds: Mapping[str, str]) -> tuple[ToolDefinition, ...]:
    """Read the tools of one file; `kinds` maps each connector to its kind. Raises DefinitionError."""
    whole = yamlfile.read(file)
    whole.mapping(frozenset({"connector", "tools"}), frozenset({"connector", "tools"}))
    connector = whole.at("connector").text()
    if connector not in kinds:
        known = ", ".join(sorted(kinds)) or "none yet"
        raise whole.at("connector").error(
            f"connector {connector!r} is not declared", f"Declare it in the connectors file (there: {known})."
        )
    tools = tuple(_tool(place, connector, kinds[connector]) for place in whole.at("tools").items())
    for tool, place in zip(tools, whole.at("tools").items(), strict=True):
        _digestible(tool, place)
    return tools


def _digestible(tool: ToolDefinition, place: Place) -> None:
    try:
        _ = tool.digest
    except NotCanonical as error:
        # YAML reads 2026-01-01 as a date and `on` as true.
        raise place.error(
            f"{tool.name} cannot be written as JSON: {error}", "Put the value in quotes."
        ) from None


def _tool(place: Place, connector: str, kind: str) -> ToolDefinition:
    place.mapping(_KNOWN - _NOT_REMOTE | KINDS[kind].keys if kind in KINDS else _KNOWN, _NEEDED)
    name = place.at("name").text()
    if not (name.isascii() and name.islower() and name.isidentifier() and len(name) <= 64):
        raise place.at("name").error(f"{name!r} is no tool name", _NAME_CURE)
    given = _schema(place.at("input"))
    _closed_input(place.at("input"), given)
    question = _question(place, given, kind)
    key, shape = _key(place, question), _shape(place, question)
    if isinstance(question, SqlQuestion):
        _answerable(place, key, shape)
    defaults = _arguments(place.at("defaults"), given)
    for argument, value in defaults.items():
        wrong = schemas.complaint(value, given["properties"][argument])
        if wrong:
            raise (
                place.at("defaults")
                .at(argument)
                .error(f"the default of {argument} is refused: {wrong}", "Correct it.")
            )
    return ToolDefinition(
        name=name,
        title=place.at("title").text(),
        description=place.at("description").text(),
        connector=connector,
        input=given,
        output=_schema(place.at("output")),
        shape=shape,
        key=key,
        question=question,
        limits=_limits(place.at("limits")),
        normalise=_normalise(place.at("normalise"), given),
        defaults=defaults,
        covers=_covers(place.at("covers"), given, question),
        plain={"connector": connector, **cast("Mapping[str, Any]", place.data)},
        scope=_scope(place.at("scope"), given),
        redact=tuple(map(_dotted, place.at("redact").items())) if "redact" in place.data else (),
    )


def _question(place: Place, given: Mapping[str, Any], kind: str) -> Question:
    if kind in KINDS:
        return KINDS[kind].load(place, given)
    return _sql(place, given, _DIALECTS[kind]) if kind in _DIALECTS else _log(place, given)


def _schema(place: Place) -> Mapping[str, Any]:
    if not isinstance(place.data, Mapping) or place.data.get("type") != "object":
        raise place.error(f"{place.name} is not a schema of an object", "Begin it with `type: object`.")
    try:
        schemas.check_schema(place.data)
    except schemas.SchemaUnusable as error:
        part = functools.reduce(Place.at, error.steps, place)
        raise part.error(f"{part.name}: {error}", "Correct the schema.") from None
    return place.data


def _closed_input(place: Place, schema: Mapping[str, Any]) -> None:
    if schema.get("additionalProperties") is not False:
        raise place.error("the input takes unknown arguments", "Add `additionalProperties: false`.")
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        raise place.error("the input names no properties", "Add `properties: {}` or declare them.")
    for name, property_ in properties.items():
        if not isinstance(property_, Mapping):
            cure = "Say what it is, such as `{type: string}`."
            raise place.at("properties").at(name).error(f"the argument {name} may be anything", cure)
    for name in schema.get("required", ()):
        if name not in properties:
            raise place.at("required").error(
                f"{name!r} is required but not declared", "Add it to properties."
            )


def _arguments(place: Place, given: Mapping[str, Any]) -> Mapping[str, Any]:
    if place.data is None:
        return {}
    return place.mapping(frozenset(given["properties"]))


def _normalise(place: Place, given: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for argument in _arguments(place, given):
        operations = tuple(part.text() for part in place.at(argument).items())
        for operation in operations:
            if operation not in _OPERATIONS:
                cure = f"Use {', '.join(_OPERATIONS)}."
                raise place.at(argument).error(f"{operation!r} is no normalisation", cure)
        found[argument] = operations
    return found


def _scope(place: Place, given: Mapping[str, Any]) -> Mapping[str, str]:
    scope = {argument: place.at(argument).text() for argument in _arguments(place, given)}
    for argument in scope:
        if argument not in given.get("required", ()):
            cure = f"Add {argument} to the input's `required`."
            raise place.at(argument).error(f"{argument} holds to the subject and may be left out", cure)
    return scope


def _limits(place: Place) -> Limits:
    if place.data is None:
        return Limits()
    chosen = place.mapping(frozenset(field.name for field in fields(Limits)))
    for name, value in chosen.items():
        least = 0.05 if name == "seconds" else 1
        numeric = isinstance(value, int | float) if name == "seconds" else isinstance(value, int)
        if isinstance(value, bool) or not numeric or not least <= value <= _MOST[name]:
            raise place.at(name).error(f"the limit {name}={value!r}", f"Use {least} to {_MOST[name]}.")
    return Limits(**chosen)


def _shape(place: Place, question: Question) -> Shape:
    if isinstance(question, RemoteQuestion):
        return question.shape
    if isinstance(question, LogQuestion):
        if place.at("shape").data is not None:
            raise place.at("shape").error(
                "a log tool has no shape", "Remove it; its result is always of one form."
            )
        return "log"
    word = place.at("shape").data
    if word not in ("one", "rows"):
        raise place.at("shape").error(f"the shape is {word!r}", "Use `one` (one row or none) or `rows`.")
    return cast("Shape", word)


def _key(place: Place, question: Question) -> str:
    if isinstance(question, RemoteQuestion):
        return question.key
    if isinstance(question, LogQuestion) and place.at("key").data is None:
        return "lines"
    return place.at("key").text()


def _answerable(place: Place, key: str, shape: Shape) -> None:
    """Raise DefinitionError for an output that no answer of a database can have."""
    held = {key} if shape == "one" else {key, "row_count"}
    if shape == "rows" and key == "row_count":
        raise place.at("key").error("row_count is the number of rows", "Give the rows another key.")
    for name in place.data["output"].get("required", ()):
        if name not in held:
            cure = f"The result holds {' and '.join(sorted(held))}: require these, or change `key`."
            raise place.at("output").at("required").error(f"the output requires {name!r}", cure)


def _dotted(place: Place) -> str:
    """Read a path such as `customer.email`."""
    path = place.text()
    if not all(part.strip() for part in path.split(".")):
        raise place.error(f"{path!r} is no path to a field", "Write names with one dot between them.")
    return path


def _sql(place: Place, given: Mapping[str, Any], read: _Dialect) -> SqlQuestion:
    if place.data.get("log") is not None:
        raise place.at("log").error("a database's tool has no log question", "Use `sql:`.")
    statement = _statement(place.at("sql"), given, read)
    control = None
    if place.data.get("control") is not None:
        control = _statement(place.at("control"), given, read)
    for argument in given["properties"]:
        if argument not in statement.names:
            raise (
                place.at("input")
                .at("properties")
                .at(argument)
                .error(
                    f"the argument {argument} changes nothing",
                    f"Use %({argument})s::type in the sql, or remove it.",
                )
            )
    return SqlQuestion(statement, control)


def _statement(place: Place, given: Mapping[str, Any], read: _Dialect) -> Statement:
    try:
        statement = read(place.text())
    except (PlaceholderRefused, StatementRefused) as error:
        raise place.error(f"{place.path[-1]} cannot be used", f"{error}.") from None
    for name in statement.names:
        if name not in given["properties"]:
            raise place.error(f"%({name})s is not declared as input", "Add it to the input's properties.")
    return statement


def _log(place: Place, given: Mapping[str, Any]) -> LogQuestion:
    for key in ("sql", "control"):
        if place.data.get(key) is not None:
            raise place.at(key).error("a log's tool has no SQL", "Use `log:`.")
    log = place.at("log")
    log.mapping(frozenset({"where", "since", "until", "count"}), frozenset({"where", "since", "until"}))
    where = tuple(_condition(part, given) for part in log.at("where").items())
    since, until = log.at("since").text(), log.at("until").text()
    for edge, name in (("since", since), ("until", until)):
        if given["properties"].get(name, {}).get("format") != "date-time":
            cure = f"Declare {name} in the input as a string of `format: date-time`."
            raise log.at(edge).error(f"the window's {edge} is not a time", cure)
    if since not in given.get("required", ()):
        raise log.at("since").error(
            "the window's since may be left out", f"Add {since} to the input's `required`."
        )
    used = {since, until, *(condition.argument for condition in where)}
    for name in given["properties"]:
        if name not in used:
            raise log.error(f"the argument {name} changes nothing", "Use it under `where`, or remove it.")
    count = log.at("count").data
    if count is not None and not isinstance(count, bool):
        raise log.at("count").error("count is neither true nor false", "Write true or false.")
    return LogQuestion(where, since, until, bool(count))


def _condition(place: Place, given: Mapping[str, Any]) -> Condition:
    parts = place.mapping(frozenset({"field", "contains", "equals"}), frozenset({"field"}))
    tests = [word for word in ("contains", "equals") if word in parts]
    if len(tests) != 1:
        raise place.error("a condition has one test", "Write `contains: ARGUMENT` or `equals: ARGUMENT`.")
    argument = place.at(tests[0]).text()
    if argument not in given["properties"]:
        raise place.at(tests[0]).error(
            f"{argument!r} is not declared as input", "Add it to the input's properties."
        )
    return Condition(place.at("field").text(), "contains" if tests[0] == "contains" else "equals", argument)


def _covers(place: Place, given: Mapping[str, Any], question: Question) -> Mapping[str, str]:
    if isinstance(question, LogQuestion):
        return {"since": question.since, "until": question.until}
    if isinstance(question, RemoteQuestion):
        return {"since": question.window.since, "until": question.window.until} if question.window else {}
    if place.data is None:
        return {}
    covers = place.mapping(frozenset({"since", "until"}), frozenset({"since"}))
    for edge in covers:
        remote.time_argument(place.at(edge), given)
    return covers
