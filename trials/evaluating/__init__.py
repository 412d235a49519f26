"""Evaluations: which cases, how they are run again, and what came of it."""
