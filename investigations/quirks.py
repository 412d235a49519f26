"""The peculiarities of model servers, read from quirks.toml. Pure but for that file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from investigations.talk import Finish

GENERIC = "generic"


class QuirksUnknown(ValueError):
    """No section of quirks.toml has this name, or one cannot be read; the message lists those there are."""


class Structured(StrEnum):
    """How a server is asked for JSON of a shape."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT_SCHEMA = "json_object_schema"
    TEXT = "text"


class Tools(StrEnum):
    """How a server lets a model call tools."""

    NATIVE = "native"
    BY_SCHEMA = "by_schema"


@dataclass(frozen=True, slots=True)
class Quirks:
    """How one kind of server differs from others; quirks.toml says what each field means."""

    name: str
    hosts: tuple[str, ...]
    structured: Structured
    strict: bool
    tools: Tools
    tokens_name: str
    omits: frozenset[str]
    extra: Mapping[str, Any]
    schema_beside_tools: bool
    shape_omits: frozenset[str]
    key_header: str
    key_prefix: str
    stream: bool
    stream_usage: bool
    usage_in: str
    usage_out: str
    thinking: tuple[str, ...]
    null_content: bool
    refusal_codes: frozenset[str]
    finish: Mapping[str, Finish]

    def finish_of(self, word: object) -> Finish:
        """Return what a server's word for a reply's end means; UNKNOWN for a word that nobody uses."""
        return self.finish.get(word, Finish.UNKNOWN) if isinstance(word, str) else Finish.UNKNOWN


def named(name: str, *, host: str = "") -> Quirks:
    """Return a section by its name, or the one that claims this host where no name is given.

    Raises QuirksUnknown.
    """
    known = _sections()
    if name:
        if name not in known:
            raise QuirksUnknown(f"{name!r} is no kind of server that quirks.toml knows: {', '.join(known)}")
        return known[name]
    return next((each for each in known.values() if _claims(each, host)), known[GENERIC])


def names() -> list[str]:
    """Return the names of all sections."""
    return list(_sections())


def _claims(quirks: Quirks, host: str) -> bool:
    bare = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return any(bare == each or (each.startswith(".") and bare.endswith(each)) for each in quirks.hosts)


@cache
def _sections() -> Mapping[str, Quirks]:
    whole = tomllib.loads(Path(__file__).with_name("quirks.toml").read_text(encoding="utf-8"))
    generic = whole[GENERIC]
    return {name: _quirks(name, {**generic, **section}, generic) for name, section in whole.items()}


def _quirks(name: str, section: Mapping[str, Any], generic: Mapping[str, Any]) -> Quirks:
    """Build one section; a key that nobody reads is refused, as it would look like a setting."""
    unknown = set(section) - {field.name for field in fields(Quirks)}
    if unknown:
        raise QuirksUnknown(f"quirks.toml: [{name}] has {', '.join(sorted(unknown))}, which nothing reads")
    words = {**generic["finish"], **section["finish"]}
    return Quirks(
        **{
            **section,
            "name": name,
            "hosts": tuple(section["hosts"]),
            "structured": Structured(section["structured"]),
            "tools": Tools(section["tools"]),
            "omits": frozenset(section["omits"]),
            "shape_omits": frozenset(section["shape_omits"]),
            "thinking": tuple(section["thinking"]),
            "refusal_codes": frozenset(section["refusal_codes"]),
            "finish": {word: Finish(kind) for kind, them in words.items() for word in them},
        }
    )
