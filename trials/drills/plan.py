"""What a drill asks: the golden rows, the contract, and the digests by which runs are told to be alike."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from investigations import classification
from investigations.classification import (
    Contract,
    IssueText,
    KnownIssue,
    Listed,
    links,
    reasons,
    traces,
    versions,
)
from trials.drills.sheet import Digests
from trials.golden.rows import Row, digest_of

_NUMBERED = re.compile(r"(?P<repository>[^\s#/]+/[^\s#/]+)#(?P<number>[1-9]\d{0,8})")


@dataclass(frozen=True)
class Plan:
    """The rows of a drill, each asked so many times, by one contract."""

    golden: str  # as it was named
    rows: tuple[Row, ...]
    contract: Contract
    times: int = 1

    @cached_property
    def digests(self) -> Digests:
        """What the runs of this plan are asked and held to."""
        return Digests(
            digest_of(self.rows), self.contract.digest, classification.prompt_digest(), rules_digest()
        )

    @cached_property
    def known(self) -> Listed:
        """The issues that the set itself names: its rows and the targets of its duplicates."""
        names = {row.id for row in self.rows} | {row.target for row in self.rows}
        return Listed(dict(filter(None, map(_known, sorted(names)))))

    @property
    def size(self) -> int:
        """How many times a model is asked in one run."""
        return len(self.rows) * self.times


def issue_of(row: Row) -> IssueText:
    """Return a row as it is classified. An id such as owner/name#7 says where it stands."""
    found = _NUMBERED.fullmatch(row.id)
    if found is None:
        return IssueText(row.title, row.body)
    return IssueText(row.title, row.body, number=int(found["number"]), repository=found["repository"])


def _known(name: str) -> tuple[tuple[str, int], KnownIssue] | None:
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return None
    repository, number = found["repository"], int(found["number"])
    known = KnownIssue(repository, number, where="named in the golden set")
    return (repository.casefold(), number), known


@cache
def rules_digest() -> str:
    """Return the digest of the code that checks the reasons which a model claims."""
    whole = sha256()
    for module in (reasons, traces, versions, links):
        whole.update(Path(str(module.__file__)).read_bytes() + b"\0")
    return whole.hexdigest()


def by_id(rows: tuple[Row, ...]) -> Mapping[str, Row]:
    """Return the rows by their ids."""
    return {row.id: row for row in rows}
