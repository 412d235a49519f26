"""What a declared JSON Schema may say: no word misspelt, no reference to nothing or round in a circle."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

Steps = tuple[str | int, ...]

_LONGEST = 200
_TYPES = "array, boolean, integer, null, number, object, string"
_WORDS = frozenset(
    {
        *Draft202012Validator.VALIDATORS, "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema",
        "contentEncoding", "contentMediaType", "contentSchema", "default", "definitions", "deprecated",
        "description", "else", "example", "examples", "maxContains", "minContains", "readOnly", "then",
        "title", "writeOnly",
    }
)  # fmt: skip
_FORMATS = frozenset(
    {
        "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4",
        "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer",
        "relative-json-pointer", "regex",
    }
)  # fmt: skip
# Where a schema holds further schemas: by name, in a list, or one alone.
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTED = frozenset({"prefixItems", "allOf", "anyOf", "oneOf"})
_ALONE = frozenset(
    {
        "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    }
)  # fmt: skip
# These speak of the same value, so that a circle of them never ends.
_OF_THE_SAME_VALUE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
_REFERENCES = ("$ref", "$dynamicRef")


class SchemaUnusable(ValueError):
    """A JSON Schema cannot be used; the message says why, `steps` lead to the part that is meant."""

    def __init__(self, reason: str, steps: Steps = ()) -> None:
        super().__init__(reason)
        self.steps = steps


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise SchemaUnusable for a schema that is malformed, misspelt, or refers to what cannot be followed."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        steps = tuple(error.absolute_path)
        said = f"{error.instance!r} is no type, use {_TYPES}" if steps[-1:] == ("type",) else error.message
        raise SchemaUnusable(f"it is not a JSON Schema: {said[:_LONGEST]}", steps) from None
    whole: Any = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for part, steps in _parts(schema, ()):
        _refuse_misspelt(part, steps)
        _refuse_outside(part, steps)
        for word in _REFERENCES:
            if word in part:
                _refuse_endless(part, whole, steps, ())


def _parts(schema: Any, steps: Steps) -> Iterator[tuple[Mapping[str, Any], Steps]]:
    """Yield this schema and each that it holds, with the steps that lead there."""
    if not isinstance(schema, Mapping):
        return
    yield schema, steps
    for word, held in schema.items():
        for part, further in _held(word, held):
            yield from _parts(part, (*steps, word, *further))


def _held(word: str, held: Any) -> Iterator[tuple[Any, Steps]]:
    if word in _NAMED and isinstance(held, Mapping):
        yield from ((part, (name,)) for name, part in held.items())
    elif word in _LISTED and isinstance(held, list):
        yield from ((part, (index,)) for index, part in enumerate(held))
    elif word in _ALONE:
        yield held, ()


def _refuse_misspelt(part: Mapping[str, Any], steps: Steps) -> None:
    """JSON Schema lets an unknown word pass in silence: `maxLenght` would bound nothing."""
    for word in part:
        if word not in _WORDS and not str(word).startswith("x-"):
            near = difflib.get_close_matches(str(word), _WORDS, n=1)
            meant = f"did you mean {near[0]}?" if near else "a word of your own begins with x-"
            raise SchemaUnusable(f"JSON Schema has no word {word!r}; {meant}", (*steps, word))
    form = part.get("format")
    if isinstance(form, str) and form not in _FORMATS:
        near = difflib.get_close_matches(form, _FORMATS, n=1, cutoff=0.75)
        if near:
            raise SchemaUnusable(f"there is no format {form!r}; did you mean {near[0]}?", (*steps, "format"))


def _refuse_outside(part: Mapping[str, Any], steps: Steps) -> None:
    for word in _REFERENCES:
        target = part.get(word)
        if isinstance(target, str) and not target.startswith("#"):
            reason = f"{word} {target!r} leads outside the schema; only #/... is followed"
            raise SchemaUnusable(reason, (*steps, word))
    for word in ("$id", "$schema"):
        value = part.get(word)
        if isinstance(value, str) and "draft/2020-12" not in value:
            reason = f"{word} {value!r} is not accepted; schemas here are Draft 2020-12 without an id"
            raise SchemaUnusable(reason, (*steps, word))


def _refuse_endless(part: Any, whole: Any, steps: Steps, passed: tuple[Any, ...]) -> None:
    """Follow what speaks of the same value; raise where that leads nowhere, or back to where it came from."""
    if not isinstance(part, Mapping):
        return
    if any(part is other for other in passed):
        raise SchemaUnusable("it refers to itself, so that no value can ever be checked", steps)
    passed = (*passed, part)
    for word in _REFERENCES:
        if isinstance(part.get(word), str):
            try:
                found = whole.lookup(part[word]).contents
            except Unresolvable:
                reason = f"{word} {part[word]!r} leads to nothing in this schema"
                raise SchemaUnusable(reason, (*steps, word)) from None
            _refuse_endless(found, whole, steps, passed)
    for word in _OF_THE_SAME_VALUE & set(part):
        for held, _ in _held(word, part[word]):
            _refuse_endless(held, whole, steps, passed)
