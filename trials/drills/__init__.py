"""The swap drill: the same golden rows through two endpoints, compared row by row, decided by a policy."""
