"""The verdict in words: what stands at the top of an incident's page. It asks the database nothing."""

from dataclasses import dataclass

from incidents.models import Incident
from investigations.queries import FactLine, Story
from investigations.states import OPEN
from investigations.states import State as Run


@dataclass(frozen=True, slots=True)
class Headline:
    """The first thing that a person reads: its tone, a short title and a sentence."""

    tone: str  # pass | fail | running | none
    title: str
    sentence: str


def headline(incident: Incident, story: Story | None) -> Headline:
    """Return the verdict in words, or why there is none."""
    if story is None:
        return Headline("none", "No verdict", "Nobody has investigated this incident yet.")
    if story.state in OPEN and story.verdict is None:
        return _under_way(story)
    if story.verdict is None:
        reason = story.reason or "The investigation ended without a verdict."
        return Headline("fail", "Needs a person", reason)
    hypothesis = story.verdict.hypothesis.replace("_", " ")
    if story.verdict.passed and incident.verdict_passed is None:
        return Headline("fail", "Needs a person", incident.verdict_reason)
    if story.verdict.passed:
        count = len(story.facts)
        facts = "its one fact holds" if count == 1 else f"all {count} facts of it hold"
        return Headline("pass", "Earned a pass", f"By the rule “{hypothesis}”: {facts}.")
    if story.verdict.hypothesis == "none_of_these":
        return Headline("fail", "Needs a person", story.verdict.reason)
    return Headline("fail", "Needs a person", f"Not “{hypothesis}”: {_shortfall(story.facts, story)}")


def _under_way(story: Story) -> Headline:
    words = {
        Run.WAITING: "The next look is planned.",
        Run.QUEUED: "An investigator will start in a moment.",
        Run.RUNNING: "An investigator is asking its questions.",
    }
    return Headline("running", "Being investigated", words[Run(story.state)])


def _shortfall(facts: tuple[FactLine, ...], story: Story) -> str:
    failing = sum(fact.outcome == "fails" for fact in facts)
    missing = sum(fact.outcome == "unanswerable" for fact in facts)
    parts = []
    if failing:
        parts.append(_counted(failing, "does not hold", "do not hold"))
    if missing:
        parts.append(_counted(missing, "could not be answered", "could not be answered"))
    if not parts:
        return story.verdict.reason if story.verdict else ""
    return f"{' and '.join(parts)}, of {len(facts)} facts."


def _counted(count: int, singular: str, plural: str) -> str:
    return f"1 fact {singular}" if count == 1 else f"{count} facts {plural}"
