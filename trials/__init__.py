"""What is compared: evaluations, golden sets, drills."""
