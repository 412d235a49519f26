"""The rows of this app. One file for each thing that they are about."""

from investigations.models.cases import Case, Draft, Verdict
from investigations.models.classified import Classified
from investigations.models.exchanges import EndpointTerms, Exchange, Transcript
from investigations.models.guards import Citation, Figure, Objection, RubricEvaluation
from investigations.models.inuse import EndpointSeen, EndpointUse
from investigations.models.questions import AskTurn, Question
from investigations.models.rulework import FactTrouble, RuleSuspension
from investigations.models.runs import Investigation
from investigations.models.steps import RunNote, Step, Submitted

__all__ = [
    "AskTurn",
    "Case",
    "Citation",
    "Classified",
    "Draft",
    "EndpointSeen",
    "EndpointTerms",
    "EndpointUse",
    "Exchange",
    "FactTrouble",
    "Figure",
    "Investigation",
    "Objection",
    "Question",
    "RubricEvaluation",
    "RuleSuspension",
    "RunNote",
    "Step",
    "Submitted",
    "Transcript",
    "Verdict",
]
