"""Where in a rule's source the conditions of each fact stand: its check and all that the check calls."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_CHECKS = frozenset({"holds", "when"})
_DECLARED = frozenset({"Fact", "Refutation"})
_TRUTHS = frozenset({"any", "all", "bool", "flag", "is_null"})


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of source that decides (a check, or what checks use by name), and for which facts."""

    node: ast.AST
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands in its parent, so that another can stand there for a while."""

    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        """The node that stands here now."""
        value = getattr(self.parent, self.field)
        found: ast.AST = value if self.index is None else value[self.index]
        return found

    def put(self, node: ast.AST) -> None:
        """Let another node stand here."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def regions(tree: ast.Module) -> tuple[Region, ...]:
    """Return every piece of a rule's source that decides, each once, with the facts that it decides."""
    named = _named(tree)
    owners: dict[int, tuple[ast.AST, list[str]]] = {}
    for fact, declaration in _declarations(tree, named):
        for check in (each.value for each in declaration.keywords if each.arg in _CHECKS):
            for node in (check, *_reached(check, named)):
                facts = owners.setdefault(id(node), (node, []))[1]
                if fact not in facts:
                    facts.append(fact)
    return tuple(Region(node, tuple(facts)) for node, facts in owners.values())


def places(root: ast.AST) -> Iterator[Place]:
    """Yield the place of every node below a root."""
    for parent in ast.walk(root):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                yield Place(parent, field, None)
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        yield Place(parent, field, index)


def conditions(region: Region) -> tuple[Place, ...]:
    """Return the place of each condition in a region: what is only true or false, and every comparison."""
    found: dict[tuple[int, str, int | None], Place] = {}
    for place in places(region.node):
        if _is_truth(place, region.node) or isinstance(place.node, ast.Compare):
            for atom in _atoms(place):
                found.setdefault((id(atom.parent), atom.field, atom.index), atom)
    return tuple(found.values())


def _is_truth(place: Place, root: ast.AST) -> bool:
    """Say whether what stands at a place is read as true or false there."""
    match place.parent:
        case ast.Lambda() as check:
            return check is root and place.field == "body"
        case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
            return place.field == "test"
        case ast.comprehension():
            return place.field == "ifs"
        case ast.BoolOp():
            return True
        case ast.UnaryOp(op=ast.Not()):
            return place.field == "operand"
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
            return place.field == "elt" and _says_truth(place.node)
        case ast.Return():
            return _says_truth(place.node) or (isinstance(root, ast.FunctionDef) and _returns_truth(root))
    return False


def _says_truth(node: ast.AST) -> bool:
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _TRUTHS
    return False


def _returns_truth(function: ast.FunctionDef) -> bool:
    return isinstance(function.returns, ast.Name) and function.returns.id == "bool"


def _atoms(place: Place) -> Iterator[Place]:
    """Yield the single conditions that a truth is made of."""
    node = place.node
    if isinstance(node, ast.BoolOp):
        for index in range(len(node.values)):
            yield from _atoms(Place(node, "values", index))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _atoms(Place(node, "operand", None))
    else:
        yield place


def _named(tree: ast.Module) -> dict[str, ast.stmt]:
    """Return each function and constant of the module and of its classes by name."""
    inner = [node for declared in tree.body if isinstance(declared, ast.ClassDef) for node in declared.body]
    return {name: node for node in (*inner, *tree.body) for name in _names_of(node)}


def _names_of(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _declarations(tree: ast.Module, named: Mapping[str, ast.stmt]) -> Iterator[tuple[str, ast.Call]]:
    """Yield each fact and refutation of each class with the call that declares it, there or by a name."""
    for declared in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for statement in declared.body:
            if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
                continue
            for name in _names_of(statement):
                for node in (statement.value, *_reached(statement.value, named)):
                    yield from ((name, call) for call in _declaring(node))


def _declaring(node: ast.AST) -> Iterator[ast.Call]:
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _DECLARED:
                yield each


def _reached(start: ast.AST, named: Mapping[str, ast.stmt]) -> Iterator[ast.stmt]:
    """Yield each function and constant of the module that a piece of source uses, however indirectly."""
    seen: set[str] = set()
    waiting: list[ast.AST] = [start]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Name) and node.id in named and node.id not in seen:
                seen.add(node.id)
                waiting.append(named[node.id])
                yield named[node.id]
