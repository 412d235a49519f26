"""The shipped rules and the shapes of the example shop's tools that they ask."""

from collections.abc import Mapping
from pathlib import Path

from assay_core.arguments import ToolShape
from examples.shop import world
from toolbox.registry import load
from verdicts.case import Subject
from verdicts.cases import Example
from verdicts.loading import LoadedRule, RuleUnusable, load_rule, rule_files
from verdicts.replay.tools import FILE, read_tools
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "verdicts" / "rules"
SHOP = Path(world.__file__).parent


def shop_shapes() -> Mapping[str, ToolShape]:
    """Return the shapes of the example shop's tools as its files declare them: that takes a while."""
    return load([SHOP / "tools"], SHOP / "connectors.yaml").shapes()


def _loaded(shapes: Mapping[str, ToolShape]) -> dict[str, LoadedRule]:
    return {path.stem: load_rule(path, shapes) for path in rule_files(FOLDER)}


# A rule that asks a tool which is not written down yet is still loaded; one that can't be ends the
# collection with its sentence.
SHAPES: Mapping[str, ToolShape] = read_tools(FOLDER / FILE)
try:
    SHIPPED = _loaded(SHAPES)
except RuleUnusable:
    SHAPES = shop_shapes()
    SHIPPED = _loaded(SHAPES)
ALONE = {name: Rulebook(rules={name: loaded.spec}, shapes=SHAPES) for name, loaded in SHIPPED.items()}


def passes(rule: RuleSpec, example: Example, subject: Subject | None = None) -> bool:
    """Return whether an example, perhaps with another subject, passes under the rule."""
    return verdict(example.case, subject or example.subject, example.entries, ALONE[rule.name]).passed
