"""The rows of this app. One file for each thing that they are about."""

from investigations.models.cases import Case, Draft, Verdict
from investigations.models.questions import AskTurn, Question
from investigations.models.rulework import FactTrouble, RuleSuspension
from investigations.models.runs import Investigation

__all__ = [
    "AskTurn",
    "Case",
    "Draft",
    "FactTrouble",
    "Investigation",
    "Question",
    "RuleSuspension",
    "Verdict",
]
