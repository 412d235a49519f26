"""The beginning of a rule and its cases as text, from what was asked; it earns nothing until finished."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verdicts.answer import inert, shown
from verdicts.rule import snake_case

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_SHOWN = 12
#: No answer says this, so that a check which still holds it can't hold.
UNWRITTEN = "write what must be so"


class NameRefused(ValueError):
    """A rule can't have this name; the message says what a name is made of."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its answer, from which a fact and the entry of a case begin."""

    tool: str
    arguments: Mapping[str, Any]
    result: Any
    called_at: str
    status: str = "observed"
    covered: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class About:
    """The incident that the first cases are about, in the JSON form of a case's subject."""

    kind: str
    started_at: str
    judged_at: str
    identifiers: Mapping[str, str]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The text of a rule file and of the file with its cases."""

    source: str
    cases: str


def class_name(name: str) -> str:
    """Return the class of a rule file's name; raise NameRefused."""
    camel = "".join(word.capitalize() for word in name.split("_"))
    if not _NAME.fullmatch(name) or snake_case(camel) != name:
        raise NameRefused(f"{name!r} is no name of a rule: use small letters and words joined by _.")
    return camel


def skeleton(name: str, about: About, asked: Sequence[Asked]) -> Skeleton:
    """Return a rule with one fact for each question, and four cases to finish; raise NameRefused."""
    return Skeleton(_source(name, about, asked), _cases(about, asked))


def _source(name: str, about: About, asked: Sequence[Asked]) -> str:
    label, value = next(iter(about.labels.items()), ("alertname", "NameOfTheAlert"))
    used = {key for each in asked for key in _used(each.arguments, about)}
    facts = "\n".join(_fact(f"fact_{number}", each, about) for number, each in enumerate(asked, start=1))
    return f'''"""What happened, and why it is harmless, in one sentence.

Earned when ... (every fact in words). Say, too, what looks alike and earns nothing.
"""

from verdicts.fact import Fact
from verdicts.rule import Rule


class {class_name(name)}(Rule):
    """What happened, and why it is harmless, in one sentence."""

    version = 1
    kinds = {{{_text(about.kind)}}}
    # Without these identifiers the rule says nothing.
    needs = {_set(sorted(used))}
    # What the incident must be about: whoever misses a parcel can't pass because a mail arrived.
    applies_to = {{{_text(label)}: {{{_text(value)}}}}}
    draft_pass = "What a person reads once this is earned."

{facts}'''


def _fact(name: str, asked: Asked, about: About) -> str:
    lines = [f"        # The answer holds {told}" for told in _told(asked.result)]
    arguments = [
        f"            {_text(key)}: {_asking(value, about)}," for key, value in asked.arguments.items()
    ]
    path = next(_texts(asked.result, ()), ("name", "a", "field"))
    steps = _text(".".join(path)) if not any("." in step for step in path) else repr(path)
    return "\n".join(
        [
            f"    {name} = Fact(",
            f"        tool={_text(asked.tool)},",
            "        ask=lambda subject: {",
            *arguments,
            "        },",
            *lines,
            "        holds=lambda answer, subject: (",
            f"            answer.text({steps}) == {_text(UNWRITTEN)}",
            "        ),",
            '        sentence="What must be so, in words that a customer can read",',
            "    )",
            "",
        ]
    )


def _cases(about: About, asked: Sequence[Asked]) -> str:
    """Return four cases on the same answers: two that earn, two that do not, each to be made true."""
    to_do = (
        ("it earns", "pass", "Say why this is harmless."),
        ("it earns at the limit", "pass", "Put each number and time at the edge of what is enough."),
        ("it looks alike and is not", "fail", "Change one field to what it is when somebody has to act."),
        ("a field is missing", "fail", "Set a field that a fact reads to null."),
    )
    subject = {
        "kind": about.kind,
        "started_at": about.started_at,
        "labels": dict(about.labels),
        "identifiers": dict(about.identifiers),
    }
    entries = [_entry(each) for each in asked]
    cases = [
        _object(
            {"name": name, "expect": expect, "because": because, "subject": subject}, entries, about.judged_at
        )
        for name, expect, because in to_do
    ]
    return "[\n" + ",\n".join(cases) + "\n]\n"


def _entry(asked: Asked) -> dict[str, Any]:
    whole: dict[str, Any] = {"tool": asked.tool, "arguments": dict(asked.arguments), "result": asked.result}
    if asked.status != "observed":
        whole["status"] = asked.status
    if asked.covered is not None:
        whole["covered"] = dict(asked.covered)
    return {**whole, "called_at": asked.called_at}


def _object(head: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], judged_at: str) -> str:
    """Lay a case out so that a person can read it: each entry on a line."""
    lines = [f"    {_json(key)}: {_json(value)}," for key, value in head.items()]
    listed = ",\n".join(f"      {_json(entry)}" for entry in entries)
    return "\n".join(
        ["  {", *lines, f'    "entries": [\n{listed}\n    ],', f'    "judged_at": {_json(judged_at)}', "  }"]
    )


def _asking(value: Any, about: About) -> str:
    """Return the source that asks for a value: an identifier of the incident, its start, or the value."""
    if type(value) is str:
        for key, own in about.identifiers.items():
            if own == value:
                return f"subject[{_text(key)}]"
        if value == about.started_at:
            return "subject.started_at"
    return _text(value) if type(value) is str else repr(value)


def _used(arguments: Mapping[str, Any], about: About) -> Iterator[str]:
    for key, own in about.identifiers.items():
        if own in [value for value in arguments.values() if type(value) is str]:
            yield key


def _told(result: Any) -> Iterator[str]:
    for number, (path, value) in enumerate(_leaves(result, ())):
        if number == _SHOWN:
            yield "and more"
            return
        yield f"{inert('.'.join(path))} {shown(value)}"  # a stranger's words, and no line of the rule


def _texts(node: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (steps for steps, value in _leaves(node, path) if type(value) is str)


def _leaves(node: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if type(node) is dict:
        for key, value in node.items():
            yield from _leaves(value, (*path, key))
    elif type(node) is list and node:
        yield from _leaves(node[0], (*path, "0"))
    else:
        yield path, node


def _set(names: Sequence[str]) -> str:
    return "{" + ", ".join(map(_text, names)) + "}" if names else "set()"


def _text(value: str) -> str:
    return json.dumps(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
