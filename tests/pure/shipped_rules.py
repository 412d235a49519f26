"""The shipped rules and the shapes of the example shop's tools that they ask."""

from pathlib import Path

from examples.shop import world
from toolbox.registry import load
from verdicts.case import Subject
from verdicts.cases import Example
from verdicts.loading import load_rule, rule_files
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "verdicts" / "rules"
SHOP = Path(world.__file__).parent
SHAPES = load([SHOP / "tools"], SHOP / "connectors.yaml").shapes()
#: By name. One that does not load ends the collection with its sentence.
SHIPPED = {path.stem: load_rule(path, SHAPES) for path in rule_files(FOLDER)}
ALONE = {name: Rulebook(rules={name: loaded.spec}, shapes=SHAPES) for name, loaded in SHIPPED.items()}


def passes(rule: RuleSpec, example: Example, subject: Subject | None = None) -> bool:
    """Return whether an example, perhaps with another subject, passes under the rule."""
    return verdict(example.case, subject or example.subject, example.entries, ALONE[rule.name]).passed
