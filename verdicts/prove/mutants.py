"""The mutants of a rule: each condition counted true or false or turned, each bound moved, each part dropped.

Mutants of its source are made in the tree itself and taken back, so that hundreds of them stay cheap.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from types import CodeType
from typing import Any

from verdicts.fact import Fact
from verdicts.prove.condition_places import Place, Region, conditions, places, regions
from verdicts.rule import RuleSpec

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_EDGES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
_QUANTIFIERS = {"any": "all", "all": "any"}
_OPTIONS = ("accepts_empty", "truncation_harmless_because", "max_age", "not_before", "covers")
_ANY_AGE = timedelta.max
#: By how much a bound that is no whole number is moved.
_HUNDREDTH = 0.01


@dataclass(frozen=True, slots=True)
class Mutant:
    """What was done to a rule, where, and for which of its facts."""

    words: str
    facts: tuple[str, ...]
    line: int = 0


def source_mutants(source: str, filename: str) -> Iterator[tuple[Mutant, CodeType]]:
    """Yield each mutant of the checks of a rule's source, compiled. Raises SyntaxError for what is none."""
    tree = ast.parse(source)
    for region in regions(tree):
        for place, words, other in (*_condition_mutants(region), *_value_mutants(region)):
            original = place.node
            mutant = Mutant(words, region.facts, getattr(original, "lineno", 0))
            place.put(ast.fix_missing_locations(ast.copy_location(other, original)))
            code = compile(tree, filename, "exec", dont_inherit=True)
            place.put(original)
            yield mutant, code


def spec_mutants(spec: RuleSpec) -> Iterator[tuple[Mutant, RuleSpec]]:
    """Yield a rule without each of its facts, refutations, options, topics and kinds in turn."""
    for name, fact in spec.facts.items():
        kept = {other: each for other, each in spec.facts.items() if other != name}
        if kept:
            yield Mutant("the fact is dropped", (name,)), replace(spec, facts=kept)
        for words, changed in _option_mutants(fact):
            yield Mutant(words, (name,)), replace(spec, facts={**spec.facts, name: changed})
    for name in spec.refutations:
        rest = {other: each for other, each in spec.refutations.items() if other != name}
        yield Mutant("the refutation is dropped", (name,)), replace(spec, refutations=rest)
    for label, accepted in spec.applies_to.items():
        others = {other: words for other, words in spec.applies_to.items() if other != label}
        yield Mutant(f"without {label}", ("applies_to",)), replace(spec, applies_to=others)
        for word in sorted(accepted) if len(accepted) > 1 else ():
            fewer = {**spec.applies_to, label: accepted - {word}}
            yield Mutant(f"{label} without {word!r}", ("applies_to",)), replace(spec, applies_to=fewer)
    for kind in sorted(spec.kinds) if len(spec.kinds) > 1 else ():
        yield Mutant(f"without {kind!r}", ("kinds",)), replace(spec, kinds=spec.kinds - {kind})


def _option_mutants(fact: Fact) -> Iterator[tuple[str, Fact]]:
    plain = Fact(tool=fact.tool, ask=fact.ask, holds=fact.holds)
    for option in _OPTIONS:
        if getattr(fact, option) != getattr(plain, option):
            none: Any = _ANY_AGE if option == "max_age" else getattr(plain, option)
            yield f"{option} is dropped", replace(fact, **{option: none})
    for argument in fact.covers or {}:
        fewer = {other: edge for other, edge in (fact.covers or {}).items() if other != argument}
        if fewer:
            yield f"covers is dropped for {argument}", replace(fact, covers=fewer)


def _condition_mutants(region: Region) -> Iterator[tuple[Place, str, ast.AST]]:
    for place in conditions(region):
        node = place.node
        if isinstance(node, ast.Compare):
            yield from ((place, words, other) for words, other in _comparison_mutants(node))
        elif isinstance(node, ast.expr) and not isinstance(node, ast.Constant):
            yield from ((place, words, other) for words, other in _always_and_never(node))
            yield place, f"not `{_words(node)}`", ast.UnaryOp(ast.Not(), node)


def _comparison_mutants(node: ast.Compare) -> Iterator[tuple[str, ast.expr]]:
    """Yield each link of a (chained) comparison counted true, counted false, turned, and its edge moved."""
    values = [node.left, *node.comparators]
    links = [
        ast.Compare(left, [op], [right])
        for left, op, right in zip(values, node.ops, values[1:], strict=False)
    ]
    for index, link in enumerate(links):
        for words, other in (*_always_and_never(link), *_turned(link)):
            changed = [*links[:index], other, *links[index + 1 :]]
            yield words, changed[0] if len(changed) == 1 else ast.BoolOp(ast.And(), changed)


def _always_and_never(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    # What is counted true or false is still read, so that a missing field alone is no test of it.
    yield f"`{_words(node)}` counts as true", ast.BoolOp(ast.Or(), [node, ast.Constant(True)])
    yield f"`{_words(node)}` counts as false", ast.BoolOp(ast.And(), [node, ast.Constant(False)])


def _turned(link: ast.Compare) -> Iterator[tuple[str, ast.expr]]:
    for table in (_TURNED, _EDGES):
        other = table.get(type(link.ops[0]))
        if other:
            changed = ast.Compare(link.left, [other()], link.comparators)
            yield f"`{_words(changed)}` in place of `{_words(link)}`", changed


def _value_mutants(region: Region) -> Iterator[tuple[Place, str, ast.AST]]:
    """Yield each number moved by one, each set of accepted values without one of them, any() as all()."""
    for place in places(region.node):
        match place.node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                for moved in _moved(number):
                    words = f"{moved!r} in place of {number!r} in `{_words(place.parent)}`"
                    yield place, words, ast.Constant(moved)
            case ast.Set(elts=items) | ast.List(elts=items) | ast.Tuple(elts=items) as several:
                if len(items) > 1 and all(isinstance(item, ast.Constant) for item in items):
                    for item in items:
                        fewer = [each for each in items if each is not item]
                        yield place, f"`{_words(several)}` without {_words(item)}", _like(several, fewer)
            case ast.Call(func=ast.Name(id="any" | "all" as name), args=arguments) as call:
                other = ast.Call(ast.Name(_QUANTIFIERS[name], ast.Load()), arguments, call.keywords)
                yield place, f"{_QUANTIFIERS[name]} in place of {name} in `{_words(call)}`", other


def _moved(number: int | float) -> tuple[int | float, int | float]:
    if isinstance(number, int):
        return number + 1, number - 1
    return number * (1 + _HUNDREDTH), number * (1 - _HUNDREDTH)


def _like(several: ast.Set | ast.List | ast.Tuple, items: list[ast.expr]) -> ast.expr:
    return ast.Set(items) if isinstance(several, ast.Set) else type(several)(items, ast.Load())


def _words(node: ast.AST) -> str:
    said = " ".join(ast.unparse(node).split())
    return said if len(said) <= 120 else f"{said[:120]}…"
