"""What decides: rules, facts, answers and verdict(). The core imports no Django."""
