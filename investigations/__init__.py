"""Who gathers: investigations, submissions, cases and their verdicts."""
