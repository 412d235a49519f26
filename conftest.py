"""Loads our own plugin, which makes each file under replays/ a test."""

pytest_plugins = ["verdicts.pytest_plugin"]
