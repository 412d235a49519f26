"""What services of approvals answer with: who proposes, what a gate said, why something was refused."""

from dataclasses import dataclass

from approvals.states import Answer


class MoveRefused(Exception):
    """A move was refused; the message is a sentence for the person, and it is in the audit log."""


class ProposalRefused(MoveRefused):
    """A proposal was not taken; the message says what is wrong with it."""


class DecisionRefused(MoveRefused):
    """A decision was not taken; the message says why, and it is in the audit log."""


@dataclass(frozen=True, slots=True)
class Proposer:
    """Who proposes: the actor as the audit log names it, and the people whom that bars from deciding.

    `person` is the id of the person who proposes themself, `token_owner` of the one who owns the agent's
    token; 0 where there is none.
    """

    actor: str
    person: int = 0
    token_owner: int = 0


@dataclass(frozen=True, slots=True)
class GateSaid:
    """What one gate says, in words for people. `level` is hard, soft (with a named exception) or advisory."""

    gate: str
    answer: Answer
    sentence: str
    level: str = "hard"

    @property
    def stops(self) -> bool:
        """Whether nothing may be executed with this answer."""
        return self.answer in (Answer.BLOCKED, Answer.COULD_NOT_CHECK)

    @property
    def outcome(self) -> str:
        """How a request that ends here keeps it."""
        return f"{self.gate}: {self.sentence}"


def ok(gate: str, sentence: str, level: str = "hard") -> GateSaid:
    """Say that the gate is open."""
    return GateSaid(gate, Answer.OK, sentence, level)


def blocked(gate: str, sentence: str, level: str = "hard") -> GateSaid:
    """Say that the gate is shut, and why."""
    return GateSaid(gate, Answer.BLOCKED, sentence, level)


def could_not_check(gate: str, sentence: str, level: str = "hard") -> GateSaid:
    """Say that the gate has no usable answer, and why."""
    return GateSaid(gate, Answer.COULD_NOT_CHECK, sentence, level)
