"""The rows of this app. One file for each thing that they are about."""

from trials.models.drill import DisagreementRead, Drill, DrillRow, DrillRun
from trials.models.evaluation import Evaluation, EvaluationCase, EvaluationRun, EvaluationTranscript
from trials.models.golden import GoldenRow, GoldenSet
from trials.models.schedule import ScheduledTrial, TrialAlarm

__all__ = [
    "DisagreementRead",
    "Drill",
    "DrillRow",
    "DrillRun",
    "Evaluation",
    "EvaluationCase",
    "EvaluationRun",
    "EvaluationTranscript",
    "GoldenRow",
    "GoldenSet",
    "ScheduledTrial",
    "TrialAlarm",
]
