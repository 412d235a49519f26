"""Rules from folders, each file with the cases that prove it. A bad one never stops the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from assay_core.arguments import ToolShape
from verdicts.attempt import attempt
from verdicts.cases import Example, read_cases, too_few
from verdicts.fact import RuleMalformed
from verdicts.plain import CaseUnreadable
from verdicts.rule import Rule, RuleSpec, spec_of
from verdicts.rulebook import Rulebook
from verdicts.scrutiny import complaints
from verdicts.verdict import verdict

CASES_SUFFIX = ".cases.json"


class RuleUnusable(Exception):
    """A rule file earns nothing; the message is the sentence that people read."""


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule that its own cases prove."""

    spec: RuleSpec
    examples: tuple[Example, ...]
    path: Path


def load_rulebook(
    folders: Sequence[Path], shapes: Mapping[str, ToolShape], suspended: frozenset[str] = frozenset()
) -> Rulebook:
    """Load every rule of the folders. What can't be used stands in `broken` with a sentence.

    A name that two files claim is broken, whoever came first: a pack must not change what a shipped
    rule means.
    """
    rules: dict[str, RuleSpec] = {}
    broken: dict[str, str] = {}
    seen: dict[str, Path] = {}
    for folder in dict.fromkeys(Path(folder).resolve() for folder in folders):
        if not folder.is_dir():
            broken[folder.name] = f"there is no folder {folder}: correct the list of rule folders."
        for path in rule_files(folder):
            name = path.stem
            if name in seen:
                rules.pop(name, None)
                broken[name] = f"two files claim this name: {seen[name]} and {path}. Rename one of them."
                continue
            seen[name] = path
            try:
                rules[name] = load_rule(path, shapes).spec
            except RuleUnusable as error:
                broken[name] = str(error)
    return Rulebook(rules=rules, shapes=shapes, suspended=suspended, broken=broken)


def rule_files(folder: Path) -> tuple[Path, ...]:
    """Return the rule files of a folder, sorted; those that begin with an underscore are no rules."""
    return tuple(sorted(path for path in folder.glob("*.py") if not path.name.startswith("_")))


def load_rule(path: Path, shapes: Mapping[str, ToolShape]) -> LoadedRule:
    """Load one rule file and prove it by its cases; raise RuleUnusable with the sentence for people."""
    source = _text(path)
    cases_path = path.with_name(path.stem + CASES_SUFFIX)
    if not cases_path.is_file():
        raise RuleUnusable(
            f"its cases are missing: write {cases_path.name} beside it, two that pass and two that fail."
        )
    cases = _text(cases_path)
    spec = _spec(path, source, cases)
    unknown = [tool for tool in spec.tools if tool not in shapes]
    if unknown:
        raise RuleUnusable(f"it asks {', '.join(unknown)}, which no connector here offers.")
    try:
        examples = read_cases(cases, spec, shapes)
    except CaseUnreadable as error:
        raise RuleUnusable(f"{cases_path.name} can't be read: {error}.") from error
    problem = too_few(examples) or _unproven(spec, examples, shapes)
    if problem:
        raise RuleUnusable(f"{problem}{'' if problem.endswith('.') else '.'}")
    return LoadedRule(spec, examples, path)


def _unproven(spec: RuleSpec, examples: Sequence[Example], shapes: Mapping[str, ToolShape]) -> str:
    """Return the first complaint of its cases. A retired rule's cases are kept, and no longer run."""
    if spec.retired:
        return ""
    alone = Rulebook(rules={spec.name: spec}, shapes=shapes)
    for example in examples:
        complaint = example.complaint(verdict(example.case, example.subject, example.entries, alone))
        if complaint:
            return complaint
    return ""


def _spec(path: Path, source: str, cases: str) -> RuleSpec:
    try:
        found = complaints(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise RuleUnusable(f"{path.name} is not Python: {error}.") from error
    if found:
        raise RuleUnusable(f"{path.name}, {found[0]}.")
    module, problem = attempt(_run, path, source)
    if problem:
        raise RuleUnusable(f"{path.name} can't be run: {problem}.")
    declared = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__
    ]
    if len(declared) != 1:
        raise RuleUnusable(
            f"{path.name} must declare exactly one class of Rule, and declares {len(declared)}."
        )
    try:
        spec = spec_of(declared[0], source=source, cases=cases, module_doc=module.__doc__ or "")
    except RuleMalformed as error:
        raise RuleUnusable(f"{error}.") from error
    if spec.name != path.stem:
        raise RuleUnusable(
            f"{path.name} declares {declared[0].__name__}; the file of that is {spec.name}.py."
        )
    return spec


def _run(path: Path, source: str) -> ModuleType:
    """Run a rule's source: compiled from the very text that the digest covers, never from stale bytecode."""
    module = ModuleType(f"assay_rules.{path.stem}")
    module.__file__ = str(path)
    code = compile(source, str(path), "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 a rule is code by design
    return module


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleUnusable(f"{path.name} can't be read: {error}.") from error
