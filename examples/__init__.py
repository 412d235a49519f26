"""Example worlds: small companies with a database and logs, for the demo, the tutorial and the tests."""
