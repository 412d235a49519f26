"""The rows of this app. One file for each thing that they are about."""

from trials.models.evaluation import Evaluation, EvaluationCase, EvaluationRun, EvaluationTranscript

__all__ = ["Evaluation", "EvaluationCase", "EvaluationRun", "EvaluationTranscript"]
