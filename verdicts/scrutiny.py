"""What no rule's source may contain: ways to swallow a missing field, to pass by Answer, or to be impure.

This keeps careless rules out, not hostile ones: whoever may write rules is trusted to decide.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

#: All that a rule may import. Its digest covers its own source, so that no other module of a pack is here.
IMPORTABLE = frozenset(
    {
        "__future__", "assay_core.instants", "collections", "collections.abc", "dataclasses", "datetime",
        "decimal", "enum", "fractions", "ipaddress", "itertools", "math", "re", "statistics", "typing",
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
    tree = ast.parse(source)
    told = {id(name) for node in ast.walk(tree) for part in _told_apart(node) for name in ast.walk(part)}
    found = set()
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        found |= {Remark(line, said, OUTSIDE) for said in _outside(node)}
        if id(node) not in told:
            found |= {Remark(line, said, CARELESS) for said in _careless(node)}
    return tuple(sorted(found))


def _told_apart(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the names of errors that are raised, which fails closed, or caught, which is told apart."""
    if isinstance(node, ast.Raise):
        yield node
    elif isinstance(node, ast.ExceptHandler) and node.type is not None:
        yield node.type


def _outside(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from _imports([each.name for each in names])
        case ast.ImportFrom(module=module, level=level):
            yield from _imports([f"{'.' * level}{module or ''}"])
        case ast.Attribute(attr=name) | ast.MatchClass(kwd_attrs=[name]) if name.startswith("_"):
            yield f"{name} is private: read fields by the typed reads of Answer"
        case ast.Name(id=name) if name in _NAMES:
            yield f"{name} has no place in a rule"


def _imports(modules: list[str]) -> Iterator[str]:
    for module in modules:
        if module not in IMPORTABLE:
            yield (
                f"{module} reaches outside: a rule reads recorded answers and nothing else. It may import "
                f"{', '.join(sorted(IMPORTABLE))}"
            )


def _careless(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(attr=name) if name in _CLOCKS:
            yield f"{name} reads the clock: a verdict knows no time but the incident's and the answers'"
        case ast.MatchClass(kwd_attrs=[_, *_]):
            yield "a pattern reads attributes past the typed reads of Answer"
        case ast.Call(func=ast.Name(id=name)) if name in _FLEETING:
            yield f"{name}() differs from one process to the next"
        case ast.Call() as call:
            yield from _defaults(call)
        case ast.Name(id=name) if name in _BROAD:
            yield f"{name} stands for a field that can't be read: let it be raised, it fails closed"
        case _:
            yield from _blocks(node)


def _defaults(call: ast.Call) -> Iterator[str]:
    match call.func:
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


def _blocks(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.ExceptHandler(type=caught):
            yield from _caught(caught)
        case ast.Try(finalbody=[_, *_]) | ast.TryStar(finalbody=[_, *_]):
            yield "finally can hide a field that can't be read"
        case ast.With() | ast.AsyncWith():
            yield "with can hide a field that can't be read"
        case ast.While():
            yield "while may never end: a rule reads an answer's items with for"
        case ast.Global() | ast.Nonlocal():
            yield "a rule keeps nothing from one judgement to the next"
        case ast.AsyncFunctionDef() | ast.Await() | ast.Yield() | ast.YieldFrom():
            yield "a check returns True or False at once"


def _caught(caught: ast.expr | None) -> Iterator[str]:
    if caught is None:
        yield "a bare except hides a field that can't be read"
        return
    for each in caught.elts if isinstance(caught, ast.Tuple) else [caught]:
        name = each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else ""
        if name in _BROAD:
            yield f"except {name} hides a field that can't be read: let it be raised, it fails closed"
