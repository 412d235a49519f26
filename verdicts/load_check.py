"""What is wrong with a loaded rulebook, in sentences: for a system check, the doctor and the rules page."""

from dataclasses import dataclass

from verdicts.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class LoadComplaint:
    """One thing that is wrong: the rule (empty for the rulebook as a whole), the sentence, and the cure."""

    rule: str
    sentence: str
    cure: str


def load_complaints(rulebook: Rulebook) -> tuple[LoadComplaint, ...]:
    """Return every complaint, by rule name; nothing when all rules are in force."""
    found = [
        LoadComplaint(
            name,
            f"The rule {name} is not loaded: {why} Every hypothesis of it fails.",
            "Mend the rule or its cases, then restart.",
        )
        for name, why in sorted(rulebook.broken.items())
    ]
    for name in sorted(rulebook.suspended - rulebook.rules.keys() - rulebook.broken.keys()):
        sentence = f"The rule {name} is suspended, and no rule has this name."
        found.append(LoadComplaint(name, sentence, "Correct the name, or lift the suspension."))
    if not any(not rulebook.inactive_because(name) for name in rulebook.rules):
        sentence = "No rule is in force: no incident can pass."
        found.append(
            LoadComplaint("", sentence, "Load at least one folder of rules whose tools are declared.")
        )
    return tuple(found)
