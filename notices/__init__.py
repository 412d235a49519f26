"""Who is told that something waits for a person, and what became of each message."""
