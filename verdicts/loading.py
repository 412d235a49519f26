"""Rules from folders, each file with the cases that prove it. A bad one never stops the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from assay_core.arguments import ToolShape
from verdicts.attempt import attempt
from verdicts.cases import Example, read_cases, too_few
from verdicts.fact import RuleMalformed
from verdicts.packs import folders_of
from verdicts.plain import CaseUnreadable
from verdicts.rule import Rule, RuleSpec, spec_of
from verdicts.rulebook import Rulebook
from verdicts.scrutiny import complaints
from verdicts.verdict import verdict

CASES_SUFFIX = ".cases.json"
NO_TOOL = "which no connector here offers."


class RuleUnusable(Exception):
    """A rule file earns nothing; the message is the sentence that people read."""


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule that its own cases prove."""

    spec: RuleSpec
    examples: tuple[Example, ...]
    path: Path


def load_rulebook(
    packs: Sequence[Path | str], shapes: Mapping[str, ToolShape], suspended: frozenset[str] = frozenset()
) -> Rulebook:
    """Load every rule of the packs (folders or import paths). What can't be used stands in `broken`.

    A name that two files claim is broken, whoever came first: a pack must not change what a shipped
    rule means.
    """
    rules: dict[str, RuleSpec] = {}
    folders, broken = folders_of(packs)
    seen: dict[str, Path] = {}
    for folder in folders:
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


def cases_of(path: Path) -> Path:
    """Return the file beside a rule that holds its cases."""
    return path.with_name(path.stem + CASES_SUFFIX)


def load_rule(path: Path, shapes: Mapping[str, ToolShape]) -> LoadedRule:
    """Load one rule file and prove it by its cases; raise RuleUnusable with the sentence for people."""
    source = text_of(path)
    cases_path = cases_of(path)
    if not cases_path.is_file():
        raise RuleUnusable(
            f"its cases are missing: write {cases_path.name} beside it, two that pass and two that fail."
        )
    cases = text_of(cases_path)
    spec = _spec(path, source, cases)
    return LoadedRule(spec, examples_of(spec, shapes, cases_path.name), path)


def examples_of(spec: RuleSpec, shapes: Mapping[str, ToolShape], named: str) -> tuple[Example, ...]:
    """Return a rule's cases, once it ends them as they say; raise RuleUnusable. `named` is their file."""
    unknown = [tool for tool in spec.tools if tool not in shapes]
    if unknown:
        raise RuleUnusable(f"it asks {', '.join(unknown)}, {NO_TOOL}")
    try:
        examples = read_cases(spec.cases, spec, shapes)
    except CaseUnreadable as error:
        raise RuleUnusable(f"{named} can't be read: {error}.") from error
    problem = too_few(examples) or _unproven(spec, examples, shapes)
    if problem:
        raise RuleUnusable(f"{problem}{'' if problem.endswith('.') else '.'}")
    return examples


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
    return built(path, source, cases, compiled(path, source))


def compiled(path: Path, source: str) -> CodeType:
    """Compile a rule from the very text that the digest covers, never from stale bytecode."""
    return compile(source, str(path), "exec", dont_inherit=True)


def built(path: Path, source: str, cases: str, code: CodeType) -> RuleSpec:
    """Run a rule's code and freeze the rule that it declares; raise RuleUnusable.

    Neither its source nor its cases are looked at: that is for load_rule.
    """
    module, problem = attempt(_run, path, code)
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


def _run(path: Path, code: CodeType) -> ModuleType:
    module = ModuleType(f"assay_rules.{path.stem}")
    module.__file__ = str(path)
    exec(code, module.__dict__)  # noqa: S102 a rule is code by design
    return module


def text_of(path: Path) -> str:
    """Return a file's text; raise RuleUnusable."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleUnusable(f"{path.name} can't be read: {error}.") from error
