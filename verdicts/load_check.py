"""What is wrong with a loaded rulebook, in sentences: for a system check, the doctor and the rules page."""

from dataclasses import dataclass

from verdicts.packs import PACK
from verdicts.rulebook import Rulebook

#: Stable names of the complaints; a system check shows them, and they can be silenced by them.
RULE, PACK_MISSING, SUSPENSION, NOTHING = "verdicts.W001", "verdicts.W002", "verdicts.W003", "verdicts.W004"


@dataclass(frozen=True, slots=True)
class LoadComplaint:
    """One thing that is wrong: the rule or pack (empty: the rulebook as a whole), the sentence, the cure."""

    rule: str
    sentence: str
    cure: str
    id: str


def load_complaints(rulebook: Rulebook) -> tuple[LoadComplaint, ...]:
    """Return every complaint, by rule name; nothing when all rules are in force."""
    found = [_broken(name, why) for name, why in sorted(rulebook.broken.items())]
    for name in sorted(rulebook.suspended - rulebook.rules.keys() - rulebook.broken.keys()):
        sentence = f"The rule {name} is suspended, and no rule has this name."
        found.append(LoadComplaint(name, sentence, "Correct the name, or lift the suspension.", SUSPENSION))
    if not any(not rulebook.inactive_because(name) for name in rulebook.rules):
        sentence = "No rule is in force: no incident can pass."
        cure = "Load at least one folder of rules whose tools are declared."
        found.append(LoadComplaint("", sentence, cure, NOTHING))
    return tuple(found)


def _broken(name: str, why: str) -> LoadComplaint:
    if name.startswith(PACK):
        sentence = f"The {name} is not loaded: {why} Every hypothesis of its rules fails."
        return LoadComplaint(name, sentence, "Correct TRIAGE_RULES, then restart.", PACK_MISSING)
    sentence = f"The rule {name} is not loaded: {why} Every hypothesis of it fails."
    cure = "Mend the rule or its cases (manage.py proverules says all that is wrong), then restart."
    return LoadComplaint(name, sentence, cure, RULE)
