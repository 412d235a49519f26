"""The house style, measured: short files, short functions, few parameters, a docstring on each module."""

import ast
import gc
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = (
    "triage", "incidents", "accounts", "investigations", "toolbox", "audit",
    "verdicts", "trials", "approvals", "notices", "assay_core", "examples",
)  # fmt: skip
FILES = sorted(
    file for folder in CODE for file in (ROOT / folder).rglob("*.py") if "migrations" not in file.parts
)
MODULES = [file for file in FILES if file.read_text(encoding="utf-8").strip()]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Measured:
    """A function, measured."""

    where: str
    length: int
    positional: int
    is_public: bool
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """A file, looked at once: whether its module says nothing, and its functions."""

    is_silent: bool
    functions: tuple[Measured, ...]


@cache
def looked() -> Mapping[Path, Looked]:
    """Read and parse every file; the trees are not kept, and nobody collects garbage while they grow."""
    gc.disable()
    try:
        return {file: _looked(file) for file in FILES}
    finally:
        gc.enable()


def _looked(file: Path) -> Looked:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = tuple(_measured(file, node, is_outer=node in tree.body) for node in _functions(tree))
    return Looked(ast.get_docstring(tree) is None, functions)


def _functions(parent: ast.AST) -> Iterator[Function]:
    """Yield the functions below a node; no function stands in an expression, so none is walked."""
    for block in (getattr(parent, name, ()) for name in ("body", "orelse", "finalbody", "handlers", "cases")):
        for node in block if isinstance(block, list) else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node
            yield from _functions(node)


def _measured(file: Path, node: Function, *, is_outer: bool) -> Measured:
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return Measured(
        where=f"{file.relative_to(ROOT)}:{node.lineno} {node.name}",
        length=(node.end_lineno or node.lineno) - node.lineno + 1,
        positional=len(names) - (names[:1] in (["self"], ["cls"])),
        is_public=is_outer and not node.name.startswith("_"),
        is_silent=ast.get_docstring(node) is None,
    )


def every() -> list[Measured]:
    return [function for each in looked().values() for function in each.functions]


def test_no_file_is_longer_than_400_lines_and_most_are_under_120() -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in MODULES}
    assert [str(file.relative_to(ROOT)) for file, length in lengths.items() if length > 400] == []
    assert statistics.median(lengths.values()) < 120


def test_no_function_is_longer_than_60_lines_and_most_are_under_12() -> None:
    assert [each.where for each in every() if each.length > 60] == []
    assert statistics.median(each.length for each in every()) < 12


def test_no_function_takes_more_than_two_to_five_parameters_by_place() -> None:
    assert [each.where for each in every() if each.positional > 5] == []


def test_each_module_says_what_lives_in_it() -> None:
    assert [str(file.relative_to(ROOT)) for file in MODULES if looked()[file].is_silent] == []


def test_each_public_function_says_what_it_promises() -> None:
    assert [each.where for each in every() if each.is_public and each.is_silent] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    words = {"util", "utils", "helper", "helpers", "manager", "handler", "processor"}
    assert [str(file.relative_to(ROOT)) for file in FILES if words & set(file.stem.split("_"))] == []
