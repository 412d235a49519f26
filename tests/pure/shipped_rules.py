"""The shipped rules and the shapes of the example shop's tools that they ask."""

from pathlib import Path

from examples.shop import world
from toolbox.registry import load
from verdicts.case import Subject
from verdicts.cases import Example
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "verdicts" / "rules"
SHOP = Path(world.__file__).parent
SHAPES = load([SHOP / "tools"], SHOP / "connectors.yaml").shapes()


def passes(rule: RuleSpec, example: Example, subject: Subject | None = None) -> bool:
    """Return whether an example, perhaps with another subject, passes under the rule."""
    rulebook = Rulebook(rules={rule.name: rule}, shapes=SHAPES)
    return verdict(example.case, subject or example.subject, example.entries, rulebook).passed
