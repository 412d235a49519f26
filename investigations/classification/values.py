"""What is classified and what comes of it, as plain frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from investigations.states import RunResult
from investigations.talk import Spent


@dataclass(frozen=True, slots=True)
class IssueText:
    """One issue as it was written. `template_labels` were set by a form: whoever wrote it chose them."""

    title: str
    body: str
    template_labels: tuple[str, ...] = ()
    number: int = 0  # in its repository; 0 where nobody says
    repository: str = ""  # owner/name
    opened_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KnownIssue:
    """An issue that exists. `where` says in words how that is known."""

    repository: str
    number: int
    opened_at: datetime | None = None
    where: str = ""


class CannotLook(Exception):
    """It can't be told whether an issue exists; the message says why, for people."""


class KnownIssues(Protocol):
    """Whoever knows which issues exist."""

    def find(self, repository: str, number: int) -> KnownIssue | None:
        """Return the issue, or None where it is known that there is none; raise CannotLook."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The issues of a list; of one that is not in it nothing is known, unless the list is the `whole`."""

    issues: Mapping[tuple[str, int], KnownIssue] = field(default_factory=dict)
    whole: bool = False

    def find(self, repository: str, number: int) -> KnownIssue | None:
        """Return the listed issue, None where the whole list has none; raise CannotLook."""
        found = self.issues.get((repository.casefold(), number))
        if found is None and not self.whole:
            raise CannotLook(f"nothing is known here of {repository or 'this repository'}#{number}")
        return found


class Checked(StrEnum):
    """What code found of one claimed reason."""

    HOLDS = "holds"
    CONTRADICTED = "contradicted"
    UNCHECKED = "unchecked"  # code can check this reason and could not
    CLAIMED = "claimed"  # no code can tell: the model's word alone


@dataclass(frozen=True, slots=True)
class Check:
    """One claimed reason, and what code found of it in words."""

    reason: str
    outcome: Checked
    words: str = ""


@dataclass(frozen=True, slots=True)
class Classification:
    """How one issue was classified. `label` is empty whenever the contract was not met: nothing is guessed.

    `reasons` are the model's codes, or a machine's that stands outside of the model's enum. `replies` hold
    what the model wrote, in order, without what it said of its own confidence.
    """

    status: RunResult
    fenced: bool = False
    label: str = ""
    reasons: tuple[str, ...] = ()
    needs_human: bool = True
    replies: tuple[str, ...] = ()
    why: str = ""  # needs_human, or why there is no label, in words
    spent: Spent = field(default_factory=Spent)
    checks: tuple[Check, ...] = ()
    drifted: str = ""  # a label that it named and the version does not know
    endpoint: str = ""  # its name in the settings
    model: str = ""  # as the last reply names it
    fingerprint: str = ""
    exchanges: tuple[int, ...] = ()
    contract_digest: str = ""
    prompt_digest: str = ""
