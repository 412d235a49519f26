"""Agents made with public frameworks that work on one incident. Each folder is a program of its own."""
