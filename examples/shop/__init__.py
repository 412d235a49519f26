"""Linden & Loom, a small web shop: its database, its logs, what it reports and what must come of it."""
