"""What one endpoint made of one golden row, as a plain value, and what of that counts. Pure."""

from collections.abc import Collection
from dataclasses import dataclass, field

from investigations.classification import Checked, Classification
from investigations.states import RunResult
from investigations.talk import Spent
from trials.golden.rows import Row
from trials.states import Origin

_VALID = (RunResult.FIRST_PASS, RunResult.REPAIRED)
_CAN_BE_CHECKED = (Checked.HOLDS, Checked.CONTRADICTED, Checked.UNCHECKED)


@dataclass(frozen=True, slots=True)
class Answer:
    """One row at one time of asking. `got` is empty whenever the contract was not met."""

    row_id: str
    expected: str
    got: str
    status: RunResult
    needs_human: bool
    time: int = 1
    reasons: tuple[str, ...] = ()
    found: int = 0
    needed: int = 0
    is_fenced: bool = False
    spent: Spent = field(default_factory=Spent)
    model: str = ""
    fingerprint: str = ""
    is_override: bool = False
    is_frozen: bool = False
    is_hard: bool = False
    why: str = ""
    replies: tuple[str, ...] = ()
    exchanges: tuple[int, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it stands in a denominator: of an endpoint that was down nothing is known."""
        return self.status is not RunResult.ENDPOINT_DOWN

    @property
    def agrees(self) -> bool:
        """Whether it is what people said. An answer without a label never is."""
        return bool(self.got) and self.got == self.expected

    @property
    def is_valid(self) -> bool:
        """Whether the contract was met, at once or after the repair."""
        return self.status in _VALID

    @property
    def is_valid_at_once(self) -> bool:
        """Whether the first reply met the contract."""
        return self.status is RunResult.FIRST_PASS

    def is_false_pass(self, closing: Collection[str]) -> bool:
        """Whether a wrong label that ends an issue was given and nobody asked for: nobody would look."""
        return self.got in closing and not self.agrees and not self.needs_human


def answer_of(row: Row, said: Classification, *, time: int = 1) -> Answer:
    """Return what a classification comes to for a row. Only a met contract has a label."""
    is_valid = said.status in _VALID
    checkable = [each for each in said.checks if each.outcome in _CAN_BE_CHECKED]
    return Answer(
        row_id=row.id,
        expected=row.label,
        got=said.label if is_valid else "",
        status=said.status,
        needs_human=said.needs_human or not is_valid,
        time=time,
        reasons=said.reasons,
        found=sum(each.outcome is Checked.HOLDS for each in checkable),
        needed=len(checkable),
        is_fenced=said.fenced,
        spent=said.spent,
        model=said.model,
        fingerprint=said.fingerprint,
        is_override=row.origin is Origin.OVERRIDE,
        is_frozen=row.is_frozen,
        is_hard=bool(row.hard),
        why=said.why,
        replies=said.replies,
        exchanges=said.exchanges,
    )
