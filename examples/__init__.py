"""Example worlds: a small company with its own database and logs, for the demo, the tutorial and the tests."""
