"""What no rule's source may contain: ways to swallow a missing field, to pass by Answer, or to be impure."""

import ast

#: Modules that bring a clock, chance, or the outside world into a verdict that must be the same every time.
_OUTSIDE = frozenset(
    {
        "asyncio",
        "builtins",
        "django",
        "glob",
        "http",
        "httpx",
        "importlib",
        "io",
        "multiprocessing",
        "os",
        "pathlib",
        "pickle",
        "psycopg",
        "random",
        "requests",
        "secrets",
        "shutil",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
    }
)
_CLOCKS = frozenset({"now", "utcnow", "today"})
_DEFAULTS = frozenset({"get", "setdefault"})
_CALLS = frozenset({"__import__", "eval", "exec", "getattr", "globals", "input", "open", "setattr", "vars"})
_BROAD = frozenset(
    {"Exception", "BaseException", "LookupError", "TypeError", "FieldMissing", "FieldMismatch"}
)


def complaints(source: str) -> tuple[str, ...]:
    """Return what is wrong with a rule's source, each with its line; raises SyntaxError for what is none."""
    found = [(node, _complaint(node)) for node in ast.walk(ast.parse(source))]
    lines = [(getattr(node, "lineno", 0), said) for node, said in found if said]
    return tuple(f"line {line}: {said}" for line, said in sorted(lines))


def _complaint(node: ast.AST) -> str:
    match node:
        case ast.Import(names=names):
            return _imports([each.name for each in names])
        case ast.ImportFrom(module=module):
            return _imports([module or ""])
        case ast.ExceptHandler(type=caught):
            return _caught(caught)
        case ast.Attribute(attr=name) if name.startswith("_"):
            return f"{name} is private: read fields by the typed reads of Answer"
        case ast.Attribute(attr=name) if name in _CLOCKS:
            return f"{name} reads the clock: a verdict knows no time but the incident's and the answers'"
        case ast.Call(func=ast.Attribute(attr=name)) if name in _DEFAULTS:
            return f"{name}() turns what is missing into a default: read it with [...], which fails closed"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name == "suppress":
            return "suppress() hides a field that can't be read"
        case ast.Name(id=name) if name in _CALLS:
            return f"{name} has no place in a rule"
    return ""


def _imports(modules: list[str]) -> str:
    for module in modules:
        if module.partition(".")[0] in _OUTSIDE:
            return f"{module} reaches outside: a rule reads recorded answers and nothing else"
    return ""


def _caught(caught: ast.expr | None) -> str:
    if caught is None:
        return "a bare except hides a field that can't be read"
    for each in caught.elts if isinstance(caught, ast.Tuple) else [caught]:
        name = each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else ""
        if name in _BROAD:
            return f"except {name} hides a field that can't be read: let it be raised, it fails closed"
    return ""
