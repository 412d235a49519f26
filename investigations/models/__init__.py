"""The rows of this app. One file for each thing that they are about."""

from investigations.models.cases import Case, Draft, Verdict
from investigations.models.rulework import FactTrouble, RuleSuspension
from investigations.models.runs import Investigation

__all__ = ["Case", "Draft", "FactTrouble", "Investigation", "RuleSuspension", "Verdict"]
