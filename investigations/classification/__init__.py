"""Classifying a repository's issue by a narrow contract: one label, a few reasons, whether a person looks.

A model proposes; code reads its reply strictly and checks the reasons that it can. Whatever goes wrong ends
with a person, never with a guessed label. Nothing here decides about an incident.
"""

from investigations.classification.classifying import PROMPTS, classify, prompt_digest
from investigations.classification.contracts import CURRENT, UNPARSEABLE, Contract, ContractUnknown, contract
from investigations.classification.values import (
    CannotLook,
    Check,
    Checked,
    Classification,
    IssueText,
    KnownIssue,
    KnownIssues,
    Listed,
)

__all__ = [
    "CURRENT",
    "PROMPTS",
    "UNPARSEABLE",
    "CannotLook",
    "Check",
    "Checked",
    "Classification",
    "Contract",
    "ContractUnknown",
    "IssueText",
    "KnownIssue",
    "KnownIssues",
    "Listed",
    "classify",
    "contract",
    "prompt_digest",
]
