"""One replay judged again: how it ends beside what really was so, and whether that is green."""

from dataclasses import dataclass

from verdicts.comparison import Ending, decided_by, ending
from verdicts.outcomes import Verdict
from verdicts.replay.accepted import changes
from verdicts.replay.file import Replay
from verdicts.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay with its verdict of now. `complaints` are why it is red; there are none when it is green."""

    replay: Replay
    verdict: Verdict
    ending: Ending
    complaints: tuple[str, ...]

    @property
    def is_green(self) -> bool:
        """Say whether nothing has changed that a person has not accepted, and nothing passes falsely."""
        return not self.complaints

    def sentence(self) -> str:
        """Say in words how it ended, what decided, and why it is red where it is."""
        verdict = self.verdict
        parts = []
        if self.ending in (Ending.FALSE_PASS, Ending.FALSE_FAIL):
            parts.append(f"{self.ending}: {_decided(verdict)}")
        parts += self.complaints
        return " ".join(parts) or f"{self.ending}: {verdict.reason}"


def judge(replay: Replay, rulebook: Rulebook) -> Replayed:
    """Judge a replay by a rulebook that knows the shapes of its tools."""
    decided = replay.judged(rulebook)
    came = ending(decided.passed, replay.actual)
    accepted = replay.accepted
    complaints = []
    if came is Ending.FALSE_PASS:
        complaints.append("A false pass is never accepted: mend the rule.")
    if accepted is None:
        complaints.append("Nobody has accepted a verdict of it yet: look at it, then `assay-replay accept`.")
    elif found := changes(accepted, decided):
        complaints.append(
            f"The verdict is another than {accepted.by} accepted: {'; '.join(found)}. "
            "Mend the rule, or let a person accept it: `assay-replay accept`."
        )
    return Replayed(replay, decided, came, tuple(complaints))


def _decided(verdict: Verdict) -> str:
    names = decided_by(verdict)
    if verdict.passed:
        return f"{verdict.hypothesis} passes, and all of {names} hold. {verdict.reason}"
    who = f"{names} decided" if names else "no fact decided"
    return f"{verdict.hypothesis} fails, {who}. {verdict.reason}"
