"""What may be written: action requests, decisions, gates, executions."""
