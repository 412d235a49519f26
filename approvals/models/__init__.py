"""The rows of this app. One file for each thing that they are about."""

from approvals.models.executions import CredentialProbe, Execution, GateAnswer
from approvals.models.looks import Look
from approvals.models.requests import NOBODY, ActionRequest, Decision
from approvals.models.switches import Breaker, BreakGlass, Freeze, FreezeException, WriteSwitch

__all__ = [
    "NOBODY",
    "ActionRequest",
    "BreakGlass",
    "Breaker",
    "CredentialProbe",
    "Decision",
    "Execution",
    "Freeze",
    "FreezeException",
    "GateAnswer",
    "Look",
    "WriteSwitch",
]
