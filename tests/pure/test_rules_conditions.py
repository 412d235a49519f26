"""Each condition of each shipped rule is needed: without it, some case of the rule ends otherwise."""

import ast
import copy
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.pure.shipped_rules import FOLDER, SHAPES, passes
from verdicts.cases import read_cases
from verdicts.loading import rule_files
from verdicts.rule import Rule, RuleSpec, spec_of

SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in rule_files(FOLDER)}


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield (what was done, source): each condition of an `and` taken out, each comparison turned or cut."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            for number, value in enumerate(node.values):
                yield f"without `{ast.unparse(value)}`", _without(tree, place, number)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield f"only the first half of `{ast.unparse(node)}`", _first_half(tree, place)
        if isinstance(node, ast.Compare) and _turned(node.ops[0]):
            yield f"the edge of `{ast.unparse(node)}` moved", _edge(tree, place)


def _nth(tree: ast.AST, place: int) -> tuple[ast.AST, ast.AST]:
    changed = copy.deepcopy(tree)
    return changed, list(ast.walk(changed))[place]


def _without(tree: ast.AST, place: int, number: int) -> str:
    changed, node = _nth(tree, place)
    assert isinstance(node, ast.BoolOp)
    node.values[number] = ast.Constant(True)
    return ast.unparse(changed)


def _first_half(tree: ast.AST, place: int) -> str:
    changed, node = _nth(tree, place)
    assert isinstance(node, ast.Compare)
    node.ops, node.comparators = node.ops[:1], node.comparators[:1]
    return ast.unparse(changed)


def _turned(op: ast.cmpop) -> type[ast.cmpop] | None:
    edges: dict[type[ast.cmpop], type[ast.cmpop]] = {
        ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    }  # fmt: skip
    return edges.get(type(op))


def _edge(tree: ast.AST, place: int) -> str:
    changed, node = _nth(tree, place)
    assert isinstance(node, ast.Compare)
    turned = _turned(node.ops[0])
    assert turned
    node.ops[0] = turned()
    return ast.unparse(changed)


def _spec(name: str, source: str) -> RuleSpec:
    module = ModuleType(f"mutant_of_{name}")
    exec(compile(source, name, "exec"), module.__dict__)
    rule = next(
        value for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Rule) and value is not Rule
    )  # fmt: skip
    return spec_of(rule)


@pytest.mark.parametrize("name", SOURCES)
def test_every_condition_is_tested_by_a_case(name: str) -> None:
    cases = (FOLDER / f"{name}.cases.json").read_text(encoding="utf-8")
    examples = read_cases(cases, _spec(name, SOURCES[name]), SHAPES)
    untested = []
    for words, source in mutants(SOURCES[name]):
        spec = _spec(name, source)
        if all(passes(spec, example) is example.passes for example in examples):
            untested.append(words)
    assert untested == []
