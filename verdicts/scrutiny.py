"""What no rule's source may contain: ways to swallow a missing field, to pass by Answer, or to be impure.

This keeps careless rules out, not hostile ones: whoever may write rules is trusted to decide.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: All that a rule may import. Its digest covers its own source, so that no other module of a pack is here.
IMPORTABLE = frozenset(
    {
        "__future__", "assay_core.arguments", "assay_core.instants", "collections", "collections.abc",
        "dataclasses", "datetime", "decimal", "enum", "fractions", "ipaddress", "itertools", "math", "re",
        "statistics", "typing",
        "unicodedata", "verdicts.answer", "verdicts.case", "verdicts.fact", "verdicts.rule",
        "verdicts.subject",
    }
)  # fmt: skip
_CLOCKS = frozenset({"now", "utcnow", "today"})
_NAMES = frozenset(
    {
        "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "hasattr",
        "input", "locals", "open", "setattr", "vars",
    }
)  # fmt: skip
#: Their values differ from one process to the next.
_FLEETING = frozenset({"hash", "id"})
_BROAD = frozenset(
    {
        "Exception", "BaseException", "LookupError", "KeyError", "IndexError", "TypeError", "FieldMissing",
        "FieldMismatch", "IdentifierMissing",
    }
)  # fmt: skip
OUTSIDE = "outside"
CARELESS = "careless"


@dataclass(frozen=True, slots=True, order=True)
class Remark:
    """One thing that has no place in a rule: its line, the sentence, and whether it could reach outside."""

    line: int
    said: str
    kind: str


def complaints(source: str) -> tuple[str, ...]:
    """Return what is wrong with a rule's source, each with its line; raises SyntaxError for what is none."""
    return tuple(f"line {remark.line}: {remark.said}" for remark in found_in(source))


def found_in(source: str) -> tuple[Remark, ...]:
    """Return every remark on a rule's source by line; raises SyntaxError for what is none."""
    nodes = [node for node in ast.walk(ast.parse(source)) if type(node) in _LOOKED_AT]
    told = {id(name) for node in nodes for part in _told_apart(node) for name in ast.walk(part)}
    found = set()
    for node in nodes:
        for kind, look in _LOOKED_AT[type(node)]:
            if kind is OUTSIDE or id(node) not in told:
                found |= {Remark(getattr(node, "lineno", 0), said, kind) for said in look(node)}
    return tuple(sorted(found))


def _told_apart(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the names of errors that are raised, which fails closed, or caught, which is told apart."""
    if isinstance(node, ast.Raise):
        yield node
    elif isinstance(node, ast.ExceptHandler) and node.type is not None:
        yield node.type


def _imported(node: ast.Import) -> Iterator[str]:
    yield from _unknown(each.name for each in node.names)


def _imported_from(node: ast.ImportFrom) -> Iterator[str]:
    yield from _unknown([f"{'.' * node.level}{node.module or ''}"])


def _unknown(modules: Iterable[str]) -> Iterator[str]:
    for module in modules:
        if module not in IMPORTABLE:
            yield (
                f"{module} reaches outside: a rule reads recorded answers and nothing else. It may import "
                f"{', '.join(sorted(IMPORTABLE))}"
            )


def _private(node: ast.Attribute) -> Iterator[str]:
    if node.attr.startswith("_"):
        yield f"{node.attr} is private: read fields by the typed reads of Answer"


def _clock(node: ast.Attribute) -> Iterator[str]:
    if node.attr in _CLOCKS:
        yield f"{node.attr} reads the clock: a verdict knows no time but the incident's and the answers'"


def _pattern(node: ast.MatchClass) -> Iterator[str]:
    if node.kwd_attrs:
        yield "a pattern reads attributes past the typed reads of Answer"


def _builtin(node: ast.Name) -> Iterator[str]:
    if node.id in _NAMES:
        yield f"{node.id} has no place in a rule"


def _error(node: ast.Name) -> Iterator[str]:
    if node.id in _BROAD:
        yield f"{node.id} stands for a field that can't be read: let it be raised, it fails closed"


def _defaults(call: ast.Call) -> Iterator[str]:
    match call.func:
        case ast.Name(id=name) if name in _FLEETING:
            yield f"{name}() differs from one process to the next"
        case ast.Attribute(attr="get" | "setdefault" as name):
            yield f"{name}() turns what is missing into a default: read it with [...], which fails closed"
        case ast.Attribute(attr="format" | "format_map" as name):
            yield f"{name}() reads attributes by their names: write an f-string"
        case ast.Name(id="suppress") | ast.Attribute(attr="suppress"):
            yield "suppress() hides a field that can't be read"
        case ast.Name(id="next") if len(call.args) > 1:
            yield "next() with a default turns what is missing into a default"
        case ast.Name(id="min" | "max" as name) if any(each.arg == "default" for each in call.keywords):
            yield f"{name}() with a default turns what is missing into a default"


def _tried(node: ast.Try | ast.TryStar) -> Iterator[str]:
    if node.finalbody:
        yield "finally can hide a field that can't be read"


def _caught(node: ast.ExceptHandler) -> Iterator[str]:
    if node.type is None:
        yield "a bare except hides a field that can't be read"
        return
    for each in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
        name = each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else ""
        if name in _BROAD:
            yield f"except {name} hides a field that can't be read: let it be raised, it fails closed"


def _always(said: str) -> Callable[[Any], Iterator[str]]:
    return lambda node: iter((said,))


_HIDDEN = _always("with can hide a field that can't be read")
_ENDLESS = _always("while may never end: a rule reads an answer's items with for")
_KEPT = _always("a rule keeps nothing from one judgement to the next")
_LATER = _always("a check returns True or False at once")
_LOOKED_AT: Mapping[type[ast.AST], tuple[tuple[str, Callable[[Any], Iterator[str]]], ...]] = {
    ast.Import: ((OUTSIDE, _imported),),
    ast.ImportFrom: ((OUTSIDE, _imported_from),),
    ast.Attribute: ((OUTSIDE, _private), (CARELESS, _clock)),
    ast.MatchClass: ((OUTSIDE, _pattern),),
    ast.Name: ((OUTSIDE, _builtin), (CARELESS, _error)),
    ast.Call: ((CARELESS, _defaults),),
    ast.Try: ((CARELESS, _tried),),
    ast.TryStar: ((CARELESS, _tried),),
    ast.ExceptHandler: ((CARELESS, _caught),),
    ast.Raise: (),
    ast.With: ((CARELESS, _HIDDEN),),
    ast.While: ((CARELESS, _ENDLESS),),
    ast.Global: ((CARELESS, _KEPT),),
    ast.Nonlocal: ((CARELESS, _KEPT),),
    ast.AsyncFunctionDef: ((CARELESS, _LATER),),
    ast.Await: ((CARELESS, _LATER),),
    ast.Yield: ((CARELESS, _LATER),),
    ast.YieldFrom: ((CARELESS, _LATER),),
}
