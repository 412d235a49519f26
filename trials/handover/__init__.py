"""Handing evaluations to Langfuse. Its SDK is imported where its keys are set, and nowhere else."""
