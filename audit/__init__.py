"""What was done: the append-only entries and their verification."""
