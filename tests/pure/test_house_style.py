"""The house style, measured: short files, short functions, few parameters, a docstring on each module."""

import ast
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = (
    "triage", "incidents", "accounts", "investigations", "toolbox", "audit",
    "verdicts", "trials", "approvals", "assay_core", "examples",
)  # fmt: skip
FILES = sorted(
    file for folder in CODE for file in (ROOT / folder).rglob("*.py") if "migrations" not in file.parts
)
MODULES = [file for file in FILES if file.read_text(encoding="utf-8").strip()]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _functions(parent: ast.AST) -> Iterator[Function]:
    """Yield the functions below a node; no function stands in an expression, so none is walked."""
    for block in (getattr(parent, name, ()) for name in ("body", "orelse", "finalbody", "handlers", "cases")):
        for node in block if isinstance(block, list) else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node
            yield from _functions(node)


@cache
def _every() -> tuple[tuple[Path, Function], ...]:
    return tuple((file, node) for file in FILES for node in _functions(_tree(file)))


def _length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _where(file: Path, node: Function) -> str:
    return f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"


def _positional(node: Function) -> int:
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_no_file_is_longer_than_400_lines_and_most_are_under_120() -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in MODULES}
    assert [str(file.relative_to(ROOT)) for file, length in lengths.items() if length > 400] == []
    assert statistics.median(lengths.values()) < 120


def test_no_function_is_longer_than_60_lines_and_most_are_under_12() -> None:
    assert [_where(file, node) for file, node in _every() if _length(node) > 60] == []
    assert statistics.median(_length(node) for _, node in _every()) < 12


def test_no_function_takes_more_than_two_to_five_parameters_by_place() -> None:
    assert [_where(file, node) for file, node in _every() if _positional(node) > 5] == []


def test_each_module_says_what_lives_in_it() -> None:
    silent = [str(file.relative_to(ROOT)) for file in MODULES if ast.get_docstring(_tree(file)) is None]
    assert silent == []


def test_each_public_function_says_what_it_promises() -> None:
    silent = [
        _where(file, node)
        for file in FILES
        for node in _tree(file).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and ast.get_docstring(node) is None
    ]
    assert silent == []


@pytest.mark.parametrize("word", ["util", "utils", "helper", "helpers", "manager", "handler", "processor"])
def test_no_module_has_a_name_that_says_nothing(word: str) -> None:
    assert [str(file.relative_to(ROOT)) for file in FILES if word in file.stem.split("_")] == []
