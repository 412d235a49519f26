"""Agents made with public frameworks, against our server, with a scripted endpoint as their model."""
