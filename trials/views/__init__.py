"""The pages of evaluations, drills and golden sets. Managers, administrators and auditors read them."""
